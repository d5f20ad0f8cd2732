/* runtime_table.h - looking runtimes up inside this room */
#pragma once

#include "stage/stage.h"

/* Runs the file itself. */
extern const struct stage_runtime stage_runtime_native;

/* *@ret_runtime is the runtime for the name after #! ("python3.11" too), or NULL where there is none. */
int stage_runtime_by_interpreter(const char *interpreter, const struct stage_runtime **ret_runtime,
                                 struct base_err *err);

/* "python, node, ..., native" for messages. Returns @text. */
const char *stage_runtime_names(char *text, size_t text_bytes);

/* 0 when @path is a program that everybody may execute and a cage sees; else -EXDEV: it lies outside, -EACCES: it may
 * not be executed, or another -errno. */
int stage_program_visible(const char *path);
