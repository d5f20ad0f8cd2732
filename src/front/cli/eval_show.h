/* eval_show.h - how an evaluation goes, and what came of it, for people */
#pragma once

#include "eval/eval.h"

/* What the progress line needs to know from one redraw to the next. */
struct cli_eval_progress {
    const char *announce; /* said once when the runs begin; NULL: nothing */
    bool shown;           /* the line stands on the terminal */
    bool terminal;        /* stderr is one */
};

/* Redraw the line; for struct eval_options.on_progress, @context is a struct cli_eval_progress. */
void cli_eval_progress_show(void *context, const struct eval_progress *progress);

/* Take the line off the terminal before something else is printed. */
void cli_eval_progress_clear(struct cli_eval_progress *progress);

/* Print the tables on stdout. */
void cli_eval_report_show(const struct eval_report *report, const char *out_dir);
