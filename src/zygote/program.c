/* program.c - a program of the guest's, run by an interpreter that stands before it
 *
 * Runs in: the guest (zygote_program_prepare: in the zygote). Privilege: none.
 * Should: touch little. Each page that is written to after the fork costs as much as ten system calls, and whatever is
 * done in Python writes to many.
 */
#include "zygote/program.h"
#include "base/cleanup.h"
#include "cage/kernel.h"
#include "zygote/interpreter.h"
#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *const streams[] = {"stdin", "stdout", "stderr"};

static struct {
    const char *place;
    object *main_dict, *loader;
    object *streams[ARRAY_COUNT(streams)];
    object *all_objects, *freeze, *unfreeze, *run_exit_functions, *ref;
    object *started;   /* names of the modules that a start imports */
    object *preloaded; /* and of the others */
} kept;

/* --- in the zygote --- */

static object *attribute_of(const char *module, const char *name)
{
    object *found = zygote_py.import(module);

    return found ? zygote_py.attribute(found, name) : NULL;
}

static object *make_loader(void)
{
    object *kind = attribute_of("_frozen_importlib_external", "SourceFileLoader");

    return kind ? zygote_py.call(kind, "ss", "__main__", "") : NULL;
}

/* Their names only: a module that somebody holds would not end. NULL without memory. */
static object *names_of_modules(object *but)
{
    object *name, *module, *names = zygote_py.dict_new();
    ptrdiff_t at = 0;

    while (names && zygote_py.dict_next(zygote_py.modules(), &at, &name, &module))
        if ((!but || zygote_py.dict_has(but, name) == 0) && zygote_py.dict_set_at(names, name, zygote_py.none) < 0)
            return NULL;
    return names;
}

bool zygote_program_prepare(const char *place)
{
    kept.started = names_of_modules(NULL);
    kept.loader = make_loader();
    kept.all_objects = attribute_of("gc", "get_objects");
    kept.freeze = attribute_of("gc", "freeze");
    kept.unfreeze = attribute_of("gc", "unfreeze");
    kept.run_exit_functions = attribute_of("atexit", "_run_exitfuncs");
    kept.ref = attribute_of("_weakref", "ref");
    for (size_t i = 0; i < ARRAY_COUNT(streams); i++)
        kept.streams[i] = zygote_py.sys_object(streams[i]);
    kept.place = place;
    kept.main_dict = zygote_py.module_dict(zygote_py.import_add("__main__"));
    return kept.started && kept.loader && kept.all_objects && kept.freeze && kept.unfreeze && kept.run_exit_functions &&
           kept.ref;
}

bool zygote_program_note_preloaded(void)
{
    kept.preloaded = names_of_modules(kept.started);
    return kept.preloaded != NULL;
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

/* Whether a module of the program's own would come before one that is there already: "random.py", "json". */
static bool is_before(char *file)
{
    file[strcspn(file, ".")] = 0;
    return zygote_py.dict_find(kept.preloaded, file) != NULL;
}

static bool any_is_before(void)
{
    DIR *folder = opendir(".");
    struct dirent *entry;
    bool found = !folder; /* nobody knows */

    while (folder && (entry = readdir(folder)))
        found = found || is_before(entry->d_name);
    if (folder)
        (void)closedir(folder);
    return found;
}

/* Each is imported anew then, or what stands before it. */
static bool unload(void)
{
    object *name, *none;
    ptrdiff_t at = 0;

    while (zygote_py.dict_next(kept.preloaded, &at, &name, &none))
        if (zygote_py.dict_remove_at(zygote_py.modules(), name) < 0)
            return false;
    return true;
}

/* The folder is that of the program that is not there, and first in sys.path where it is to be there at all. */
static bool enter(const char *path, uint32_t count)
{
    object *name;

    if (!set_arguments(path, count))
        return false;
    name = zygote_py.list_item(zygote_py.sys_object("argv"), 0);
    return name && set_importer(name) && set_main(name) && (!any_is_before() || unload());
}

/* The zygote has a file to read, as most guests have. Where this one has a pipe, its stream must know; like the one
 * that it replaces, it is none of the program's objects, whose end may be noticed. */
static void renew_stdin(void)
{
    static const char text[] = "exec('import io, sys\\n"
                               "old = sys.stdin\\n"
                               "buffer = io.open(0, \"rb\", closefd=False)\\n"
                               "buffer.raw.name = \"<stdin>\"\\n"
                               "new = io.TextIOWrapper(buffer, old.encoding, old.errors, \"\\\\n\")\\n"
                               "new.mode = \"r\"\\n"
                               "sys.stdin = sys.__stdin__ = new', {})\n";

    if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0)
        return;
    (void)zygote_py.run_simple(text, NULL); /* it says itself why not */
    kept.streams[0] = zygote_py.sys_object(streams[0]);
    if (!zygote_py.call(kept.freeze, NULL))
        zygote_py.clear();
}

/* --- how it has ended --- */

#define TYPE_IS_NUMBER (1ul << 24) /* Py_TPFLAGS_LONG_SUBCLASS */

struct end {
    int status;
    bool interrupted; /* it dies of the signal, as who has no handler of it */
};

static bool is_number(object *one)
{
    object *kind = zygote_py.type_of(one);
    bool is = zygote_py.type_flags(kind) & TYPE_IS_NUMBER;

    zygote_py.forget(kind);
    return is;
}

/* The text of an exit, on whatever the program has made of its stream. */
static void say(object *value)
{
    object *stream = zygote_py.sys_object("stderr");

    if (stream && stream != zygote_py.none) {
        (void)zygote_py.write_to(value, stream, ZYGOTE_PRINT_RAW);
    } else {
        (void)zygote_py.print_to(value, stderr, ZYGOTE_PRINT_RAW);
        (void)fflush(stderr);
    }
    zygote_py.write_stderr("\n");
}

/* What the interpreter exits with for the value of a SystemExit. No code of the program's is between: a tracer of its
 * own would be told of it. */
static int status_of(object *value)
{
    object *code = zygote_py.attribute(value, "code");

    if (!code) {
        zygote_py.clear();
        code = value;
    }
    if (code == zygote_py.none)
        return 0;
    if (is_number(code))
        return (int)zygote_py.as_long(code); /* of one that is too large, -1 */
    say(code);
    return 1;
}

static struct end end_of_exit(object *type, object *value, object *traceback)
{
    const struct end end = {.status = value && value != zygote_py.none ? status_of(value) : 0};

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

/* The module is the program's no more, but after an exit. */
static void leave_main(void)
{
    if (zygote_py.dict_remove(kept.main_dict, "__file__") < 0 ||
        zygote_py.dict_remove(kept.main_dict, "__cached__") < 0)
        zygote_py.clear();
}

static struct end end_of_error(object *type, object *value, object *traceback)
{
    const struct end end = {.status = 1, .interrupted = type == *zygote_py.keyboard_interrupt};

    zygote_py.restore(type, value, traceback);
    zygote_py.print(1);
    leave_main();
    return end;
}

static struct end take_end(object *result)
{
    bool is_exit = !result && zygote_py.matches(*zygote_py.system_exit) != 0;
    object *type, *value, *traceback;

    zygote_py.fetch(&type, &value, &traceback);
    zygote_program_flush("stderr");
    zygote_program_flush("stdout");
    if (result) {
        leave_main();
        return (struct end){.status = 0};
    }
    if (!is_exit)
        return end_of_error(type, value, traceback);
    zygote_py.normalize(&type, &value, &traceback);
    return end_of_exit(type, value, traceback);
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
    if (end.interrupted) {
        die_of_interrupt();
        end.status = 128 + SIGINT; /* it is blocked */
    }
    return end.status;
}

int zygote_program_run(const char *path, uint32_t count)
{
    object *result = NULL;
    FILE *file;

    renew_stdin();
    if (!enter(path, count))
        zygote_py.print(1);
    file = fopen(path, "rb");
    if (file)
        result = zygote_py.run_file(file, path, ZYGOTE_FILE_INPUT, kept.main_dict, kept.main_dict, 1, NULL);
    return leave(take_end(result));
}
