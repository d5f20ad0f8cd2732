/* program.c - the untrusted program: read once, hashed, and given its runtime */

#include "base/cleanup.h"
#include "base/file.h"
#include "stage/kind_untrusted.h"
#include "stage/name_untrusted.h"
#include "stage/read.h"
#include "stage/runtime_table.h"
#include <errno.h>
#include <string.h>

/* The remedy of every "which language is this?". */
static int say_runtime(struct base_err *err)
{
    char known[256];
    return base_err_remedy(err, "say which with --runtime NAME: %s", stage_runtime_names(known, sizeof(known)));
}

/* A program that is to be executed itself must be one that the kernel can start. */
static int check_native(enum stage_kind kind, const char *place, struct base_err *err)
{
    static const char *const faults[] = {
        [STAGE_KIND_OTHER] = "is neither an ELF program nor a script with a #! line",
        [STAGE_KIND_ELF_FOREIGN] = "is an ELF program for another machine",
        [STAGE_KIND_ELF_BROKEN] = "is an ELF file, but not a whole program",
    };
    const char *fault = kind < ARRAY_COUNT(faults) ? faults[kind] : NULL;

    if (!fault)
        return 0;
    return base_err_set(err, BASE_E_INVALID, place, "%s", fault);
}

static int choose_by_interpreter(const char *interpreter, const char *place, const struct stage_runtime **ret_runtime,
                                 struct base_err *err)
{
    int r = stage_runtime_by_interpreter(interpreter, ret_runtime, err);

    if (r < 0 || *ret_runtime)
        return r;
    if (!*interpreter)
        base_err_set(err, BASE_E_NOT_FOUND, place, "its #! line names no interpreter");
    else
        base_err_set(err, BASE_E_NOT_FOUND, place, "its #! line names \"%s\", which is no known runtime", interpreter);
    return say_runtime(err);
}

/* --runtime, then the extension, then #!, then ELF. */
static int choose_runtime(const char *path, const char *runtime_name, const char *bytes, size_t count,
                          const struct stage_runtime **ret_runtime, struct base_err *err)
{
    char interpreter[STAGE_INTERPRETER_BYTES];
    enum stage_kind kind = stage_kind_of(bytes, count, interpreter);
    const char *extension = stage_name_extension(path);
    int r = 0;

    if (runtime_name) {
        r = stage_runtime_find(runtime_name, ret_runtime, err);
        return r >= 0 && *ret_runtime == &stage_runtime_native ? check_native(kind, path, err) : r;
    }
    *ret_runtime = NULL;
    if (*extension)
        r = stage_runtime_by_extension(extension, ret_runtime, err);
    if (r < 0 || *ret_runtime)
        return r;
    if (kind == STAGE_KIND_SCRIPT)
        return choose_by_interpreter(interpreter, path, ret_runtime, err);
    if (kind != STAGE_KIND_OTHER) {
        *ret_runtime = &stage_runtime_native;
        return check_native(kind, path, err);
    }
    if (*extension)
        base_err_set(err, BASE_E_NOT_FOUND, path, "no runtime has the extension .%s, and it has no #! line", extension);
    else if (count == 0)
        base_err_set(err, BASE_E_NOT_FOUND, path, "is empty, so its language is not known");
    else
        base_err_set(err, BASE_E_NOT_FOUND, path, "has no extension, no #! line and is no ELF program");
    return say_runtime(err);
}

int stage_program_from_bytes(const char *name, const void *bytes, size_t count, const char *runtime_name,
                             struct stage_program *ret_program, struct base_err *err)
{
    struct stage_program program = {.bytes = count ? bytes : "", .count = count};
    int r = choose_runtime(name, runtime_name, program.bytes, count, &program.runtime, err);

    if (r < 0)
        return r;
    stage_name_safe(name, program.name);
    *ret_program = program;
    return 0;
}

/* Larger programs there are none. */
#define COMMAND_MAX_BYTES (UINT64_C(1) << 30)

static void command_sha256(const struct stage_program *program, char ret_hex[BASE_HASH_HEX])
{
    AUTO_BUF struct base_buf bytes = {0};

    ret_hex[0] = 0;
    if (base_file_read(program->runtime->command[0], COMMAND_MAX_BYTES, &bytes, NULL) >= 0)
        base_hash_bytes_hex(bytes.count ? bytes.bytes : "", bytes.count, ret_hex);
}

void stage_program_sha256(const struct stage_program *program, char ret_hex[BASE_HASH_HEX])
{
    if (program->is_command)
        command_sha256(program, ret_hex);
    else
        base_hash_bytes_hex(program->bytes, program->count, ret_hex);
}

int stage_program_load(const char *path, const char *runtime_name, uint64_t max_bytes,
                       struct stage_program *ret_program, struct base_err *err)
{
    AUTO_BUF struct base_buf buf = {.max = max_bytes};
    struct base_err local;
    int r;

    if (!err)
        err = &local;
    r = stage_read(path, max_bytes, &buf, err);
    if (r == BASE_E_IO && err->sys_errno == EACCES) {
        /* whoever asks to run it must be able to read it: no fault of the machine */
        base_err_sys(err, BASE_E_INVALID, EACCES, path, "cannot be read");
        return base_err_remedy(err, "make it readable for this user");
    }
    if (r < 0)
        return r;
    r = stage_program_from_bytes(strcmp(path, "-") == 0 ? "stdin" : path, buf.bytes, buf.count, runtime_name,
                                 ret_program, err);
    if (r < 0)
        return r;
    ret_program->owned = buf; /* moved; the bytes stay where they are */
    buf = (struct base_buf){0};
    return 0;
}

void stage_program_release(struct stage_program *program)
{
    base_buf_release(&program->owned);
    program->bytes = NULL;
    program->count = 0;
}
