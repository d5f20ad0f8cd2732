/* supervisor.h - inside the room: what the files of the supervisor process share */
#pragma once

#include "drill/expect.h"
#include "run/run.h"
#include "stage/stage.h"
#include <jansson.h>

#define DRILL_ARGS_MAX        (DRILL_WORDS_MAX + 2)
#define DRILL_SECOND_ARGUMENT "second" /* after the others, the second time */

/* An order as its supervisor has it. */
struct drill_told {
    const char *folder; /* of notes */
    json_t *json;
    struct stage_program program, honest;
    struct policy policy, honest_policy;
    const char *path, *stdin_text, *work;
    const char *honest_path; /* of what runs in the same slots before and after; NULL: nothing does */
    const char *args[DRILL_ARGS_MAX];
    size_t arg_count;
    bool bare, twice, terminal;
    unsigned pace; /* at least 1: see pace.h */
    enum run_cage cage;
    json_t *answer, *receipts, *runs; /* the last two become parts of it */
};

/* Load what is at @path as a program that can be run here. Release with stage_program_release(). */
int drill_told_load(const char *path, struct stage_program *ret_program, struct base_err *err);

/* Do it in a cage, or in slots; what came of it goes into the answer. */
int drill_told_caged(struct drill_told *told, struct base_err *err);
