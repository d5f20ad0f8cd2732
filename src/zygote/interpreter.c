/* interpreter.c - see interpreter.h */
#include "zygote/interpreter.h"
#include "base/cleanup.h"
#include <dlfcn.h>
#include <string.h>

struct zygote_interpreter zygote_py;

static const struct {
    void *place;
    const char *name;
} names[] = {
    {&zygote_py.gil_ensure, "PyGILState_Ensure"},
    {&zygote_py.before_fork, "PyOS_BeforeFork"},
    {&zygote_py.after_fork_parent, "PyOS_AfterFork_Parent"},
    {&zygote_py.after_fork_child, "PyOS_AfterFork_Child"},
    {&zygote_py.finalize, "Py_FinalizeEx"},

    {&zygote_py.run_simple, "PyRun_SimpleStringFlags"},
    {&zygote_py.run_file, "PyRun_FileExFlags"},
    {&zygote_py.import_add, "PyImport_AddModule"},
    {&zygote_py.import, "PyImport_ImportModule"},
    {&zygote_py.module_dict, "PyModule_GetDict"},
    {&zygote_py.modules, "PyImport_GetModuleDict"},
    {&zygote_py.sys_object, "PySys_GetObject"},

    {&zygote_py.attribute, "PyObject_GetAttrString"},
    {&zygote_py.set_attribute, "PyObject_SetAttrString"},
    {&zygote_py.call, "PyObject_CallFunction"},
    {&zygote_py.call_method, "PyObject_CallMethod"},
    {&zygote_py.is_true, "PyObject_IsTrue"},
    {&zygote_py.as_long, "PyLong_AsLong"},
    {&zygote_py.forget, "Py_DecRef"},

    {&zygote_py.path_text, "PyUnicode_DecodeFSDefaultAndSize"},
    {&zygote_py.list_new, "PyList_New"},
    {&zygote_py.list_size, "PyList_Size"},
    {&zygote_py.list_item, "PyList_GetItem"},
    {&zygote_py.list_append, "PyList_Append"},
    {&zygote_py.list_replace, "PyList_SetSlice"},
    {&zygote_py.list_set, "PyList_SetItem"},
    {&zygote_py.dict_find, "PyDict_GetItemString"},
    {&zygote_py.dict_set, "PyDict_SetItemString"},
    {&zygote_py.dict_set_at, "PyDict_SetItem"},
    {&zygote_py.dict_remove, "PyDict_DelItemString"},
    {&zygote_py.dict_remove_at, "PyDict_DelItem"},
    {&zygote_py.dict_has, "PyDict_Contains"},
    {&zygote_py.dict_next, "PyDict_Next"},
    {&zygote_py.dict_new, "PyDict_New"},

    {&zygote_py.type_of, "PyObject_Type"},
    {&zygote_py.type_flags, "PyType_GetFlags"},
    {&zygote_py.type_slot, "PyType_GetSlot"},
    {&zygote_py.is_subtype, "PyType_IsSubtype"},

    {&zygote_py.matches, "PyErr_ExceptionMatches"},
    {&zygote_py.occurred, "PyErr_Occurred"},
    {&zygote_py.fetch, "PyErr_Fetch"},
    {&zygote_py.normalize, "PyErr_NormalizeException"},
    {&zygote_py.restore, "PyErr_Restore"},
    {&zygote_py.print, "PyErr_PrintEx"},
    {&zygote_py.unraisable, "PyErr_WriteUnraisable"},
    {&zygote_py.clear, "PyErr_Clear"},

    {&zygote_py.write_to, "PyFile_WriteObject"},
    {&zygote_py.print_to, "PyObject_Print"},
    {&zygote_py.write_stderr, "PySys_WriteStderr"},

    {&zygote_py.system_exit, "PyExc_SystemExit"},
    {&zygote_py.keyboard_interrupt, "PyExc_KeyboardInterrupt"},
    {&zygote_py.none, "_Py_NoneStruct"},
};

bool zygote_interpreter_find(void)
{
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        void *found = dlsym(RTLD_DEFAULT, names[i].name);
        if (!found)
            return false;
        memcpy(names[i].place, &found, sizeof(found));
    }
    return true;
}
