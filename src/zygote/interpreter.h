/* interpreter.h - the functions of CPython that a zygote calls
 *
 * Looked up by name in the process: its headers are not needed, and any version will do that still has them all. Only
 * what its stable interface promises is used. A result of NULL or -1 leaves its exception set, as there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef void object; /* PyObject */

#define ZYGOTE_FILE_INPUT 257 /* Py_file_input */
#define ZYGOTE_PRINT_RAW  1   /* Py_PRINT_RAW */

struct zygote_interpreter {
    int (*gil_ensure)(void);
    void (*before_fork)(void);
    void (*after_fork_parent)(void);
    void (*after_fork_child)(void);
    int (*finalize)(void);

    int (*run_simple)(const char *, void *);
    object *(*run_file)(FILE *, const char *, int, object *, object *, int, void *);
    object *(*import_add)(const char *);
    object *(*import)(const char *);
    object *(*module_dict)(object *);
    object *(*modules)(void);
    object *(*sys_object)(const char *);

    object *(*attribute)(object *, const char *);
    int (*set_attribute)(object *, const char *, object *);
    object *(*call)(object *, const char *, ...);
    object *(*call_method)(object *, const char *, const char *, ...);
    int (*is_true)(object *);
    long (*as_long)(object *);
    void (*forget)(object *);

    object *(*path_text)(const char *, ptrdiff_t);
    object *(*list_new)(ptrdiff_t);
    ptrdiff_t (*list_size)(object *);
    object *(*list_item)(object *, ptrdiff_t);
    int (*list_append)(object *, object *);
    int (*list_replace)(object *, ptrdiff_t, ptrdiff_t, object *);
    int (*list_set)(object *, ptrdiff_t, object *);
    object *(*dict_find)(object *, const char *);
    int (*dict_set)(object *, const char *, object *);
    int (*dict_set_at)(object *, object *, object *);
    int (*dict_remove)(object *, const char *);
    int (*dict_remove_at)(object *, object *);
    int (*dict_has)(object *, object *);
    int (*dict_next)(object *, ptrdiff_t *, object **, object **);
    object *(*dict_new)(void);

    object *(*type_of)(object *);
    unsigned long (*type_flags)(object *);
    void *(*type_slot)(object *, int);
    int (*is_subtype)(object *, object *);

    int (*matches)(object *);
    object *(*occurred)(void);
    void (*fetch)(object **, object **, object **);
    void (*normalize)(object **, object **, object **);
    void (*restore)(object *, object *, object *);
    void (*print)(int);
    void (*unraisable)(object *);
    void (*clear)(void);

    int (*write_to)(object *, object *, int);
    int (*print_to)(object *, FILE *, int);
    void (*write_stderr)(const char *, ...);

    object **system_exit, **keyboard_interrupt, *none;
};

extern struct zygote_interpreter zygote_py;

/* Before any other use. False: this process is no interpreter that is known here. */
bool zygote_interpreter_find(void);
