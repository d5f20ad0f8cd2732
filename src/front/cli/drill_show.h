/* drill_show.h - a drill as a table that grows */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct cli_drill_show {
    size_t name_width;
    bool is_wide;     /* there is room for everything */
    const char *cage; /* set by the caller, before */
};

/* Callbacks for struct drill_request; @context is a struct cli_drill_show. */
void cli_drill_show_begin(void *context, const char *const *names, size_t count);
void cli_drill_show_row(void *context, const json_t *row);

/* What it came to, by group. */
void cli_drill_show_summary(const json_t *report);
