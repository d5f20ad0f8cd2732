/* stage.h - what goes into a cage: the program's exact bytes, its runtime, further files
 *
 * Files are read once, into memory; what is hashed, stored and run is that one copy.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STAGE_COMMAND_MAX 16

/* One language, from runtimes/NAME.yaml. */
struct stage_runtime {
    char name[32];
    char package[64]; /* Debian's package with the toolchain; empty for "native" */
    char *extensions[8];
    size_t extension_count;
    char *interpreters[8]; /* names after #! that mean this runtime */
    size_t interpreter_count;
    char *command[STAGE_COMMAND_MAX]; /* argv; "{program}" stands for the staged path */
    size_t command_count;
    char *environment[8]; /* "NAME=VALUE" */
    size_t environment_count;
    char *zygote_modules[64]; /* what a zygote of it preloads; see cage/cage.h */
    size_t zygote_module_count;
    char *zygote_cold[64]; /* words in a program that must not be a fork of one */
    size_t zygote_cold_count;
    bool has_zygote;
    bool is_interrupted; /* at a limit of time, before it is killed: it writes then what it holds back */
};

/* The runtime @name; "native" runs the file itself. BASE_E_NOT_FOUND lists the known ones. The result lives until the
 * process ends. */
int stage_runtime_find(const char *name, const struct stage_runtime **ret_runtime, struct base_err *err);

/* *@ret_runtime is the runtime for a file extension ("py"), or NULL where there is none. */
int stage_runtime_by_extension(const char *extension, const struct stage_runtime **ret_runtime, struct base_err *err);

/* All known names, for messages and doctor; NULL past the end. */
const char *stage_runtime_name(unsigned index);

/* BASE_E_NOT_FOUND (the host's fault, status 127) when the toolchain's program is not on this machine, or not in the
 * part of it that a cage sees (/usr). */
int stage_runtime_check(const struct stage_runtime *runtime, struct base_err *err);

/* The command line that runs the program at @path with @args (they end with NULL; NULL: none) into @argv, which has
 * room for STAGE_COMMAND_MAX words more than those and a NULL. Its words are borrowed. */
void stage_runtime_argv(const struct stage_runtime *runtime, const char *path, const char *const *args, char **argv);

struct stage_program {
    char name[256]; /* file name in the cage, below /work */
    const struct stage_runtime *runtime;
    const char *bytes; /* borrowed or owned by `owned` */
    size_t count;
    struct base_buf owned;
    bool is_command; /* one of the machine's own, which runs where it is: no bytes are staged */
};

/* Read @path and choose its runtime (@runtime_name, or by extension, or by #!, or an ELF header). "-" is standard
 * input. Refuses what is neither a regular file nor a pipe and what has more than @max_bytes; waits for the end of a
 * pipe. Release with stage_program_release(). */
int stage_program_load(const char *path, const char *runtime_name, uint64_t max_bytes,
                       struct stage_program *ret_program, struct base_err *err);

/* The same from memory; @bytes stay the caller's and must live as long as the program. */
int stage_program_from_bytes(const char *name, const void *bytes, size_t count, const char *runtime_name,
                             struct stage_program *ret_program, struct base_err *err);

/* Whether reading @path waits for somebody: standard input, and a pipe. */
bool stage_is_stream(const char *path);

/* Open such a pipe, which then waits for whoever writes; a FIFO that nobody opens in some seconds is BASE_E_INVALID. */
int stage_stream_open(const char *path, int *ret_fd, struct base_err *err);

/* The program that a command line's first word means in a cage whose PATH is @folders: an absolute path, or a name that
 * is sought there. Its runtime is called "command". BASE_E_NOT_FOUND. There is one at a time in a process. */
int stage_command_find(const char *word, const char *folders, struct stage_program *ret_program, struct base_err *err);

/* Of its bytes; of a command's file, or "" where that cannot be read. Takes time with their number: not a thing to do
 * before a run is on its way. */
void stage_program_sha256(const struct stage_program *program, char ret_hex[BASE_HASH_HEX]);

/* Why @program must not be a fork of its runtime's zygote, as a clause in @why; false where it may. The bytes are only
 * searched, so a program may be started cold without need; never the other way round for those words. */
#define STAGE_COLD_BYTES 96
bool stage_program_is_cold(const struct stage_program *program, char why[STAGE_COLD_BYTES]);

/* The same of a variable of its environment, "NAME=VALUE". */
bool stage_variable_is_cold(const char *variable, const struct stage_runtime *runtime, char why[STAGE_COLD_BYTES]);

void stage_program_release(struct stage_program *program);
#define AUTO_PROGRAM CLEANUP(stage_program_release)

/* A further file for the cage. */
struct stage_file {
    char path[256]; /* relative, below /work; no "..", no empty part */
    const void *bytes;
    size_t count;
    uint32_t mode; /* 0644 or 0755 */
    char sha256[BASE_HASH_HEX];
    struct base_buf owned;
};

/* "FILE" or "FILE:PATH" of --input; BASE_E_USAGE for a bad PATH. The last colon divides them, unless all of it names a
 * file and what stands before the colon does not. "\\:" is a colon that does not divide. */
int stage_file_load(const char *spec, uint64_t max_bytes, struct stage_file *ret_file, struct base_err *err);

/* The same from memory; @bytes stay the caller's and must live as long as the file. @mode is 0644 or 0755. */
int stage_file_from_bytes(const char *path, const void *bytes, size_t count, uint32_t mode, struct stage_file *ret_file,
                          struct base_err *err);
void stage_file_release(struct stage_file *file);

/* stage_is_stream() of the FILE in @spec. */
bool stage_file_is_stream(const char *spec);

/* stage_program_is_cold() for a file that a program of @runtime may run; false for those whose names are no program's.
 */
bool stage_file_is_cold(const struct stage_file *file, const struct stage_runtime *runtime, char why[STAGE_COLD_BYTES]);

/* BASE_E_USAGE when two of them would be the same path in the cage, or one would be a folder of another. */
int stage_files_check(const struct stage_program *program, const struct stage_file *files, size_t count,
                      struct base_err *err);
