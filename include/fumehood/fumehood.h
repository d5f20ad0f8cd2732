/* fumehood.h - run programs that you did not write, each in a cage
 *
 *   cc run.c $(pkg-config --cflags --libs fumehood)
 *
 * A pool holds wardens: small processes, each of which runs one cage at a time. fumehood_run() gives a program to one
 * of them and returns when it is known how that ended. docs/library.md has the whole of it, with an example.
 *
 * Memory. What the caller hands in is copied or no longer used when the call returns. What a function returns is owned
 * by the object that it was asked of, and lives as long as that.
 *
 * Errors. Functions that can fail return 0, or a negative enum fumehood_code, and then fill the caller's struct
 * fumehood_error, which may be NULL. Beside the codes that each one names, all may return FUMEHOOD_E_NOMEM and
 * FUMEHOOD_E_INTERNAL. Nothing is printed, and the process is never ended.
 *
 * Threads. A pool may be used by any number of threads at a time; each call takes a warden and waits while none is
 * free. fumehood_pool_close() is for one thread, when no other uses the pool. A result is for one thread at a time.
 *
 * Processes. No signal handler, signal mask or current folder is changed. Wardens are children of this process: it may
 * ignore SIGCHLD, or wait for children that it does not know. They end when the process ends, even by SIGKILL. A child
 * that was forked must not use the pool or its results; when it goes on without an exec, it also keeps the wardens from
 * hearing that their process has ended, until it ends itself.
 */
#ifndef FUMEHOOD_FUMEHOOD_H
#define FUMEHOOD_FUMEHOOD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FUMEHOOD_API __attribute__((visibility("default")))

/* ---- errors ---------------------------------------------------------------------------------------------------- */

enum fumehood_code {
    FUMEHOOD_E_USAGE = -1,     /* an argument is wrong */
    FUMEHOOD_E_INVALID = -2,   /* the policy or the program is not what it must be */
    FUMEHOOD_E_NOT_FOUND = -3, /* a file, a runtime or its toolchain is not there */
    FUMEHOOD_E_REFUSED = -4,   /* by the policy, by what this machine can enforce, or by the emergency stop */
    FUMEHOOD_E_SETUP = -5,     /* no warden can be started */
    FUMEHOOD_E_LOST = -6,      /* a warden died before it took its program, twice: nothing of it has run */
    FUMEHOOD_E_IO = -7,        /* a file that is there cannot be read */
    FUMEHOOD_E_NOMEM = -8,
    FUMEHOOD_E_INTERNAL = -9,   /* a bug of ours */
    FUMEHOOD_E_TOO_LARGE = -10, /* a policy file, or a program with its files */
};

struct fumehood_error {
    int code;         /* enum fumehood_code */
    int sys_errno;    /* 0 when the kernel was not asked */
    char place[256];  /* file, file:line:column, or the field that is wrong: "limits wall_ms=never" */
    char what[384];   /* one clause, no full stop */
    char remedy[384]; /* how to mend it; empty when there is no way */
};

/* "PLACE: WHAT (REMEDY)" into @text, with control bytes made visible, always terminated. Returns @text. */
FUMEHOOD_API const char *fumehood_error_text(const struct fumehood_error *error, char *text, size_t text_bytes);

/* "0.1.0". */
FUMEHOOD_API const char *fumehood_version(void);

/* ---- a pool ---------------------------------------------------------------------------------------------------- */

struct fumehood_pool;

/* What stands ready for a run. Its receipt says what it had. */
enum fumehood_cage {
    FUMEHOOD_CAGE_SLOT,   /* namespaces and groups that serve many runs, proved clean between two: the default */
    FUMEHOOD_CAGE_FRESH,  /* nothing: all of it is made anew */
    FUMEHOOD_CAGE_ZYGOTE, /* as in a slot, and a fork of an interpreter that has started, where there is one for the
                             program: the quickest, and addresses and hash seeds are then the same in many runs */
};

/* What is NULL or 0 has the default. */
struct fumehood_pool_options {
    size_t size;               /* of this struct: sizeof(struct fumehood_pool_options) */
    unsigned wardens;          /* cages at the same time, at most 1024; default: as many as processors */
    const char *policy;        /* path of a policy file, or a built-in name; default: "default" */
    const char *policy_text;   /* or the policy itself, as YAML or JSON */
    const char *const *limits; /* "KEY=VALUE", such as "wall_ms=2s": over the policy's, each once; NULL-terminated */
    enum fumehood_cage cage;
    const char *program; /* path of fumehood; default: where it was installed with this library. PATH is not asked */
    int if_available;    /* not 0: go on without those limits that this machine cannot enforce */
};

/* Start the wardens and wait until they are ready; at most 30 s where the program at the path does not answer. @options
 * may be NULL. *@ret_pool is closed with fumehood_pool_close(). FUMEHOOD_E_USAGE: an option is wrong; _NOT_FOUND: there
 * is no such policy; _IO: its file cannot be read; _INVALID, _TOO_LARGE: it is no policy; _REFUSED: it cannot be
 * enforced here, or the emergency stop is set; _SETUP: there is no fumehood of this build at the path, or it cannot be
 * started. Of the environment the wardens get HOME, XDG_STATE_HOME and XDG_RUNTIME_DIR, as they are now. */
FUMEHOOD_API int fumehood_pool_open(const struct fumehood_pool_options *options, struct fumehood_pool **ret_pool,
                                    struct fumehood_error *error);

/* End the wardens, and free. Results that are not settled are settled first, and stay usable. NULL is fine. */
FUMEHOOD_API void fumehood_pool_close(struct fumehood_pool *pool);

/* ---- a run ----------------------------------------------------------------------------------------------------- */

/* A further file for the cage. */
struct fumehood_file {
    const char *path; /* below /work, such as "data/in.txt"; no two of them in each other's way */
    const void *bytes;
    size_t count;
    int executable; /* not 0: mode 0755, else 0644 */
};

/* What is NULL or 0 is empty, or has the default. */
struct fumehood_program {
    size_t size;             /* of this struct: sizeof(struct fumehood_program) */
    const char *name;        /* file name in the cage, such as "a.py", without a slash; required. What is not a letter,
                                digit, '.', '_' or '-' becomes '_', and so does a '.' or '-' at its beginning */
    const char *runtime;     /* "python", "node", "sh", "bash", "perl", "native"; default: by name, #! or ELF header */
    const void *bytes;       /* the program itself */
    size_t count;            /* of them */
    const char *const *args; /* after the program's name; NULL-terminated */
    const void *stdin_bytes;
    size_t stdin_count;
    const char *const *environment; /* "NAME=VALUE", over the policy's, each NAME once; NULL-terminated. Nothing else is
                                       inherited */
    const struct fumehood_file *files; /* together with the program at most what the limit scratch_bytes says */
    size_t file_count;                 /* at most 256 */
};

struct fumehood_result;

/* Run @program, and wait until it is known how it ended; then, or before, its cage is cleared away. A run that could be
 * started returns 0 whatever became of it, with *@ret_result, to be freed with fumehood_result_free().
 * Waits for a free warden first. With these, nothing was started: FUMEHOOD_E_USAGE: a field of @program is wrong;
 * _INVALID: its bytes are no native program; _NOT_FOUND: its runtime is not known, or not on this machine; _TOO_LARGE:
 * program and files do not fit into the scratch; _REFUSED: by what this machine can enforce, or by the emergency stop;
 * _SETUP: a warden that died cannot be replaced; _LOST: the new one died, too. */
FUMEHOOD_API int fumehood_run(struct fumehood_pool *pool, const struct fumehood_program *program,
                              struct fumehood_result **ret_result, struct fumehood_error *error);

/* ---- its result ------------------------------------------------------------------------------------------------ */

enum fumehood_ending {
    FUMEHOOD_EXITED,
    FUMEHOOD_SIGNALED,
    FUMEHOOD_LIMIT,
    FUMEHOOD_DENIED,      /* the policy says that a denied attempt ends a run */
    FUMEHOOD_CANCELLED,   /* by the emergency stop, or because the pool was closed */
    FUMEHOOD_SETUP_ERROR, /* the cage could not be built: the program never started */
    FUMEHOOD_LOST,        /* the warden died: nothing is known */
};

/* How it ended; and as the word that receipts have: "exited", "setup-error". */
FUMEHOOD_API enum fumehood_ending fumehood_result_ending(const struct fumehood_result *result);
FUMEHOOD_API const char *fumehood_result_ending_name(const struct fumehood_result *result);

/* The exit code of a program that exited, else -1. */
FUMEHOOD_API int fumehood_result_exit_code(const struct fumehood_result *result);

/* The signal that ended it, else 0. */
FUMEHOOD_API int fumehood_result_signal(const struct fumehood_result *result);

/* "wall", "cpu", "idle", "memory", "processes", "output", "disk", "open_files" or "input", else NULL. */
FUMEHOOD_API const char *fumehood_result_limit(const struct fumehood_result *result);

/* A clause for people, "" when there is nothing to add. Of SETUP_ERROR and LOST: what went wrong. */
FUMEHOOD_API const char *fumehood_result_detail(const struct fumehood_result *result);

/* What this machine did not count, or what is known only when the run is settled. */
#define FUMEHOOD_UNKNOWN UINT64_MAX

/* Time from its start to its end, and processor time of all its processes, in microseconds; the most memory and the
 * most processes that it had at a time. FUMEHOOD_UNKNOWN is possible for each. */
FUMEHOOD_API uint64_t fumehood_result_wall_us(const struct fumehood_result *result);
FUMEHOOD_API uint64_t fumehood_result_cpu_us(const struct fumehood_result *result);
FUMEHOOD_API uint64_t fumehood_result_memory_peak_bytes(const struct fumehood_result *result);
FUMEHOOD_API uint64_t fumehood_result_processes_peak(const struct fumehood_result *result);

/* What it wrote, as far as the limits stdout_bytes and stderr_bytes keep it; a NUL follows that is not counted. */
struct fumehood_output {
    const char *bytes;
    size_t count;
    uint64_t written_bytes; /* kept or not */
    int truncated;          /* not 0: more was written than kept */
};
FUMEHOOD_API struct fumehood_output fumehood_result_stdout(const struct fumehood_result *result);
FUMEHOOD_API struct fumehood_output fumehood_result_stderr(const struct fumehood_result *result);

/* What it tried and was denied. */
struct fumehood_denial {
    const char *class_name; /* syscall, network, process, filesystem, device, privilege */
    const char *what;       /* "socket(AF_INET)" */
    uint64_t count;
    uint64_t first_us; /* since its start */
};

/* The number of different attempts, and the one at @index, which must be below that number. */
FUMEHOOD_API size_t fumehood_result_denial_count(const struct fumehood_result *result);
FUMEHOOD_API struct fumehood_denial fumehood_result_denial(const struct fumehood_result *result, size_t index);

/* Wait until the cage is proved gone. Before, the functions above say what was known when the program ended; after,
 * everything: the ending is then LOST where the warden died in between. */
FUMEHOOD_API void fumehood_result_settle(struct fumehood_result *result);

/* The receipt as one line of JSON with a newline, sealed with its hash: `fumehood receipt verify` checks it. Settles
 * the result. */
FUMEHOOD_API int fumehood_result_receipt(struct fumehood_result *result, const char **ret_json,
                                         struct fumehood_error *error);

/* Free it, settled or not; also after the pool was closed. NULL is fine. */
FUMEHOOD_API void fumehood_result_free(struct fumehood_result *result);

#ifdef __cplusplus
}
#endif

#endif
