/* err.h - the one error object: whose fault, where, what, how to mend
 *
 * Every function that can fail returns 0 (or a positive result) or a negative code from errors.def, and fills the
 * caller's struct base_err on failure only. Nothing here allocates, so the object also works between fork and exec.
 */
#pragma once

#include <stdint.h>

enum base_err_code {
#define BASE_ERROR(name, number, status, json) BASE_E_##name = -(number),
#include "base/errors.def"
#undef BASE_ERROR
};

enum base_fault {
    BASE_FAULT_USER,     /* command line, policy, task set, candidate files */
    BASE_FAULT_HOST,     /* kernel, missing toolchain, full disk, no cgroup */
    BASE_FAULT_INTERNAL, /* a bug of ours */
};

struct base_err {
    int code; /* BASE_E_* */
    enum base_fault fault;
    int sys_errno;    /* 0 when the kernel was not asked */
    char place[256];  /* file, file:line:column, option, step */
    char what[384];   /* one clause, no full stop */
    char remedy[384]; /* empty when there is none */
};

/* Fill @err and return @code. @place may be NULL. The fault follows from the code's row in errors.def:
 * USAGE, INVALID, NOT_FOUND, REFUSED are the user's, INTERNAL ours, all others the host's. @err may be NULL. */
int base_err_set(struct base_err *err, int code, const char *place, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* As base_err_set(), with ": strerror(@sys_errno)" appended to the clause. Where that says that we were given too
 * little (open files, processes, size of files) there is a remedy, too. */
int base_err_sys(struct base_err *err, int code, int sys_errno, const char *place, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Add how to mend it. Returns err->code, so that it can end a return statement. */
int base_err_remedy(struct base_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "PLACE: WHAT (HOW TO MEND)" with control bytes made visible, always terminated. Returns @text. */
const char *base_err_text(const struct base_err *err, char *text, uint64_t text_bytes);

/* Exit status of a code, from errors.def; 125 for an unknown one. */
int base_err_status(int code);

/* Short stable name of a code, for JSON ("invalid", "setup", ...). */
const char *base_err_name(int code);
