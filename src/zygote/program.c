/* program.c - a program of the guest's, run by an interpreter that stands before it
 *
 * Runs in: the guest (zygote_program_prepare: in the zygote). Privilege: none.
 * Should: touch little. Each page that is written to after the fork costs as much as ten system calls, and whatever is
 * done in Python writes to many: so what every guest needs is done from here, what few need in python.py.
 */
#include "zygote/program.h"
#include "base/cleanup.h"
#include "base/embedded.h"
#include "cage/kernel.h"
#include "zygote/interpreter.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

extern const struct base_embedded zygote_driver[];

#define DRIVER "_fumehood_zygote"

static const char *const streams[] = {"stdin", "stdout", "stderr"};

static struct {
    const char *place;
    object *main_dict, *loader;
    object *streams[ARRAY_COUNT(streams)];
    object *status_of, *is_interrupt, *all_objects, *unfreeze, *run_exit_functions, *ref;
} kept;

/* --- in the zygote --- */

/* As a module that nobody can import by name. */
static object *load_driver(void)
{
    object *code = zygote_py.compile((const char *)zygote_driver[0].bytes, "<zygote>", ZYGOTE_FILE_INPUT, NULL, -1);

    return code ? zygote_py.module_of(DRIVER, code) : NULL;
}

bool zygote_program_prepare(const char *place)
{
    object *driver = load_driver();
    const struct {
        object **place;
        const char *name;
    } names[] = {
        {&kept.loader, "loader"},
        {&kept.status_of, "status_of"},
        {&kept.is_interrupt, "is_interrupt"},
        {&kept.all_objects, "all_objects"},
        {&kept.unfreeze, "unfreeze"},
        {&kept.run_exit_functions, "run_exit_functions"},
        {&kept.ref, "ref"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (!driver || !(*names[i].place = zygote_py.attribute(driver, names[i].name)))
            return false;
    for (size_t i = 0; i < ARRAY_COUNT(streams); i++)
        kept.streams[i] = zygote_py.sys_object(streams[i]);
    kept.place = place;
    kept.main_dict = zygote_py.module_dict(zygote_py.import_add("__main__"));
    return zygote_py.dict_remove(zygote_py.modules(), DRIVER) == 0;
}

/* --- before the program: as if the interpreter had been started with it --- */

static bool append(object *list, const char *text)
{
    object *decoded = zygote_py.path_text(text, (ptrdiff_t)strlen(text));

    return decoded && zygote_py.list_append(list, decoded) == 0;
}

static bool set_arguments(const char *path, uint32_t count)
{
    object *list = zygote_py.list_new(0), *argv = zygote_py.sys_object("argv");
    object *original = zygote_py.sys_object("orig_argv");
    const char *at = path;
    ptrdiff_t last;

    if (!list || !argv || !original || !append(list, path))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!append(list, at += strlen(at) + 1))
            return false;
    last = zygote_py.list_size(original) - 1; /* the path; the command before it stays */
    return zygote_py.list_replace(argv, 0, zygote_py.list_size(argv), list) == 0 &&
           zygote_py.list_replace(original, last, last + 1, list) == 0;
}

static bool set_folder(const char *path)
{
    object *folder = zygote_py.path_text(path, strrchr(path, '/') - path), *folders = zygote_py.sys_object("path");

    return folder && folders && zygote_py.list_set(folders, 0, folder) == 0;
}

/* The interpreter has asked whether its program is an archive, and notes the answer by the path. */
static bool set_importer(object *name)
{
    object *cache = zygote_py.sys_object("path_importer_cache");

    if (!cache)
        return false;
    if (zygote_py.dict_remove(cache, kept.place) < 0)
        zygote_py.clear(); /* it was not asked */
    return zygote_py.dict_set_at(cache, name, zygote_py.none) == 0;
}

static bool set_main(object *name)
{
    return zygote_py.dict_set(kept.main_dict, "__file__", name) == 0 &&
           zygote_py.dict_set(kept.main_dict, "__cached__", zygote_py.none) == 0 &&
           zygote_py.set_attribute(kept.loader, "path", name) == 0 &&
           zygote_py.dict_set(kept.main_dict, "__loader__", kept.loader) == 0;
}

static bool enter(const char *path, uint32_t count)
{
    if (!set_arguments(path, count) || !set_folder(path))
        return false;
    object *name = zygote_py.list_item(zygote_py.sys_object("argv"), 0);
    return name && set_importer(name) && set_main(name);
}

/* --- how it has ended --- */

static bool says_yes(object *answer)
{
    bool yes = !answer || zygote_py.is_true(answer) != 0;

    zygote_py.clear();
    return yes;
}

struct end {
    int status;
    bool interrupted; /* it dies of the signal, as who has no handler of it */
};

static struct end end_of_exit(object *type, object *value, object *traceback)
{
    object *number = zygote_py.call(kept.status_of, "O", value);
    const struct end end = {.status = number ? (int)zygote_py.as_long(number) : 1};

    zygote_py.clear();
    zygote_py.restore(type, value, traceback); /* and with it all that it holds is gone */
    zygote_py.clear();
    return end;
}

void zygote_program_flush(const char *name)
{
    object *stream = zygote_py.sys_object(name);

    if (stream)
        (void)zygote_py.call_method(stream, "flush", NULL);
    zygote_py.clear();
}

/* An exception that is not SystemExit is printed, as the interpreter would: when all is flushed. */
static struct end take_end(object *result)
{
    bool is_exit = !result && zygote_py.matches(*zygote_py.system_exit) != 0;
    object *type, *value, *traceback;
    struct end end = {.status = 1};

    zygote_py.fetch(&type, &value, &traceback);
    zygote_program_flush("stderr");
    zygote_program_flush("stdout");
    if (result)
        return (struct end){.status = 0};
    zygote_py.normalize(&type, &value, &traceback);
    if (is_exit)
        return end_of_exit(type, value, traceback);
    end.interrupted = says_yes(zygote_py.call(kept.is_interrupt, "O", value));
    zygote_py.restore(type, value, traceback);
    zygote_py.print(1);
    return end;
}

/* --- the interpreter's end: whole, or what it comes to where nobody would notice the rest --- */

#define TYPE_IS_COUNTED (1ul << 14) /* Py_TPFLAGS_HAVE_GC: instances are among all objects */
#define TYPE_IS_META    (1ul << 31) /* Py_TPFLAGS_TYPE_SUBCLASS: instances are classes */
#define SLOT_DEL        53          /* Py_tp_del */
#define SLOT_FINALIZE   80          /* Py_tp_finalize, which a __del__ sets */
#define MANY            100000

static bool has_slot(object *kind, int slot)
{
    /* An old interpreter cannot say it of all classes. */
    return zygote_py.type_slot(kind, slot) != NULL || zygote_py.occurred() != NULL;
}

/* Whether instances of a class may do something at their end: files, suspended generators, callbacks, __del__. */
static bool kind_notices(object *kind)
{
    return has_slot(kind, SLOT_FINALIZE) || has_slot(kind, SLOT_DEL) ||
           (kind != kept.ref && zygote_py.is_subtype(kind, kept.ref));
}

static bool has_callback(object *ref)
{
    object *callback = zygote_py.attribute(ref, "__callback__");
    bool has = callback != zygote_py.none;

    if (callback)
        zygote_py.forget(callback);
    return has;
}

static bool one_notices(object *one)
{
    object *kind = zygote_py.type_of(one);
    bool is_class = zygote_py.type_flags(kind) & TYPE_IS_META;
    bool notices = kind_notices(kind) || (kind == kept.ref && has_callback(one)) ||
                   (is_class && !(zygote_py.type_flags(one) & TYPE_IS_COUNTED) && kind_notices(one));

    zygote_py.forget(kind);
    return notices;
}

/* The zygote's streams are held by nobody else: their end is a flush. */
static bool has_other_streams(void)
{
    for (size_t i = 0; i < ARRAY_COUNT(streams); i++)
        if (zygote_py.sys_object(streams[i]) != kept.streams[i])
            return true;
    return false;
}

static bool any_notices(object *made)
{
    ptrdiff_t count = zygote_py.list_size(made);

    if (count > MANY)
        return true;
    for (ptrdiff_t i = 0; i < count; i++)
        if (one_notices(zygote_py.list_item(made, i)))
            return true;
    return false;
}

/* Whether something is there that has come since the fork and would notice. No method of the program's is called. */
static bool is_noticed(void)
{
    object *made = has_other_streams() ? NULL : zygote_py.call(kept.all_objects, NULL);
    bool noticed = !made || any_notices(made);

    if (made)
        zygote_py.forget(made); /* nothing is to be held by it */
    return noticed;
}

/* As the interpreter does it at its end; false where it then ends with another status. */
static bool flush(const char *name, bool tell)
{
    object *stream = zygote_py.sys_object(name);
    object *closed = stream && stream != zygote_py.none ? zygote_py.attribute(stream, "closed") : NULL;
    bool is_there = stream && stream != zygote_py.none && !(closed && zygote_py.is_true(closed) != 0);

    zygote_py.clear();
    if (!is_there || zygote_py.call_method(stream, "flush", NULL))
        return true;
    if (tell)
        zygote_py.unraisable(stream);
    else
        zygote_py.clear();
    return false;
}

static void wait_for_threads(void)
{
    object *threading = zygote_py.dict_find(zygote_py.modules(), "threading");

    if (threading && !zygote_py.call_method(threading, "_shutdown", NULL))
        zygote_py.unraisable(threading);
    if (!zygote_py.call(kept.run_exit_functions, NULL))
        zygote_py.unraisable(NULL);
}

/* The interpreter's own end takes it several milliseconds. */
static bool end_interpreter(void)
{
    bool whole;

    wait_for_threads();
    if (is_noticed()) {
        zygote_py.clear();
        (void)zygote_py.call(kept.unfreeze, NULL); /* what does not go with the process is to be found */
        return zygote_py.finalize() == 0;
    }
    whole = flush("stdout", true);
    return flush("stderr", false) && whole;
}

static void die_of_interrupt(void)
{
    const struct kernel_sigaction action = {.handler = SIG_DFL};

    if (kernel_sigaction_set(SIGINT, &action) == 0)
        (void)kill(getpid(), SIGINT);
}

static int leave(struct end end)
{
    if (!end_interpreter())
        end.status = 120;
    if (end.interrupted)
        die_of_interrupt();
    return end.status;
}

int zygote_program_run(const char *path, uint32_t count)
{
    object *result = NULL;
    FILE *file;

    if (!enter(path, count))
        zygote_py.print(1);
    file = fopen(path, "rb");
    if (file)
        result = zygote_py.run_file(file, path, ZYGOTE_FILE_INPUT, kept.main_dict, kept.main_dict, 1, NULL);
    return leave(take_end(result));
}
