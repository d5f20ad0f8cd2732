/* runtime_file.h - one runtimes/NAME.yaml as a value */
#pragma once

#include "base/err.h"
#include "stage/stage.h"

/* Parse the schema "fumehood.runtime/1"; @place names the file in errors. Release with stage_runtime_release(). */
int stage_runtime_parse(const char *bytes, size_t count, const char *place, struct stage_runtime *ret_runtime,
                        struct base_err *err);
void stage_runtime_release(struct stage_runtime *runtime);
