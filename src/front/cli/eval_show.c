/* eval_show.c - progress on one line, results as tables */

#include "front/cli/eval_show.h"
#include "base/cleanup.h"
#include "front/cli/say.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- progress -------------------------------------------------------------------------------------------------- */

static void put_time_left(char *text, size_t bytes, const struct eval_progress *p)
{
    size_t fresh = p->done - p->resumed;
    double left_s = fresh ? (double)p->elapsed_us / 1e6 / (double)fresh * (double)(p->rows - p->done) : 0;

    if (fresh == 0)
        (void)snprintf(text, bytes, "-");
    else if (left_s < 120)
        (void)snprintf(text, bytes, "%.0f s left", left_s);
    else
        (void)snprintf(text, bytes, "%.0f min left", left_s / 60);
}

void cli_eval_progress_show(void *context, const struct eval_progress *p)
{
    struct cli_eval_progress *progress = context;
    char line[512], left[32];
    size_t fresh = p->done - p->resumed, used;
    unsigned columns;

    if (progress->announce)
        cli_say_note("%s", TAKE_PTR(progress->announce));
    if (!progress->terminal)
        return;
    put_time_left(left, sizeof(left), p);
    used = (size_t)snprintf(line, sizeof(line), "%zu / %zu  %.1f/s  %s", p->done, p->rows,
                            p->elapsed_us ? (double)fresh * 1e6 / (double)p->elapsed_us : 0.0, left);
    for (unsigned i = 0; i < p->verdict_count && used < sizeof(line); i++)
        if (p->verdict_rows[i])
            used +=
                (size_t)snprintf(line + used, sizeof(line) - used, "  %s %zu", p->verdict_names[i], p->verdict_rows[i]);
    columns = cli_say_columns(STDERR_FILENO, 80);
    fprintf(stderr, "\r\033[K%.*s", (int)columns - 1, line);
    (void)fflush(stderr); /* a terminal that went away is noticed elsewhere */
    progress->shown = true;
}

void cli_eval_progress_clear(struct cli_eval_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r\033[K");
    progress->shown = false;
}

/* ---- table of rows --------------------------------------------------------------------------------------------- */

#define CELL_BYTES 256

/* Text of foreign origin made visible; cut to @max characters, so that columns stay straight. */
static void make_cell(const json_t *value, size_t max, char *ret_cell)
{
    AUTO_FREE char *text = NULL;
    size_t count = 0;
    FILE *stream = open_memstream(&text, &count);
    size_t at = 0, characters = 0;

    *ret_cell = '\0';
    if (!stream)
        return;
    if (json_is_string(value))
        cli_say_visible(stream, json_string_value(value), json_string_length(value));
    if (fclose(stream) != 0)
        return;
    for (size_t i = 0; i < count; i++)
        if (text[i] == '\n' || text[i] == '\t')
            text[i] = ' ';
    while (at < count && at < CELL_BYTES - 8 && characters < max) {
        at++;
        while (at < count && ((unsigned char)text[at] & 0xc0) == 0x80)
            at++;
        characters++;
    }
    (void)snprintf(ret_cell, CELL_BYTES, "%.*s%s", (int)at, text, at < count ? "..." : "");
}

static size_t width_of(const char *cell)
{
    size_t width = 0;
    for (; *cell; cell++)
        width += ((unsigned char)*cell & 0xc0) != 0x80;
    return width;
}

enum column { TASK, CASE, SAMPLE, VERDICT, TIME, COLUMN_MAX };

static void make_row(const json_t *row, char cells[COLUMN_MAX][CELL_BYTES])
{
    const json_t *wall = json_object_get(row, "wall_us");

    make_cell(json_object_get(row, "task_id"), 40, cells[TASK]);
    make_cell(json_object_get(row, "case"), 40, cells[CASE]);
    (void)snprintf(cells[SAMPLE], CELL_BYTES, "%" JSON_INTEGER_FORMAT,
                   json_integer_value(json_object_get(row, "sample")));
    make_cell(json_object_get(row, "verdict"), 40, cells[VERDICT]);
    if (json_is_integer(wall))
        (void)snprintf(cells[TIME], CELL_BYTES, "%.0f ms", (double)json_integer_value(wall) / 1000);
    else
        (void)snprintf(cells[TIME], CELL_BYTES, "-");
}

static void print_row(char cells[COLUMN_MAX][CELL_BYTES], const size_t *widths, const char *detail)
{
    for (int c = 0; c < COLUMN_MAX; c++) {
        size_t pad = widths[c] - width_of(cells[c]);
        if (widths[c] == 0)
            continue;
        if (c > 0)
            printf("  ");
        if (c == TIME)
            printf("%*s%s", (int)pad, "", cells[c]);
        else
            printf("%s%*s", cells[c], (int)pad, "");
    }
    printf("%s%s\n", *detail ? "  " : "", detail);
}

static void show_unlisted(size_t unlisted, const char *out_dir)
{
    printf("and %zu more that did not pass; why, by groups: fumehood results ", unlisted);
    cli_say_visible(stdout, out_dir, strlen(out_dir));
    printf("\n");
}

static void show_rows(const json_t *rows, size_t unlisted, const char *out_dir)
{
    static const char *const titles[COLUMN_MAX] = {"task", "case", "sample", "verdict", "time"};
    char cells[COLUMN_MAX][CELL_BYTES], detail[CELL_BYTES];
    size_t widths[COLUMN_MAX] = {0};
    bool has_cases = false, has_samples = false;

    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        has_cases = has_cases || json_object_get(row, "case");
        has_samples = has_samples || json_integer_value(json_object_get(row, "sample")) > 0;
        make_row(row, cells);
        for (int c = 0; c < COLUMN_MAX; c++)
            widths[c] = width_of(cells[c]) > widths[c] ? width_of(cells[c]) : widths[c];
    }
    for (int c = 0; c < COLUMN_MAX; c++) {
        (void)snprintf(cells[c], CELL_BYTES, "%s", titles[c]);
        widths[c] = strlen(titles[c]) > widths[c] ? strlen(titles[c]) : widths[c];
    }
    widths[CASE] = has_cases ? widths[CASE] : 0;
    widths[SAMPLE] = has_samples ? widths[SAMPLE] : 0;
    print_row(cells, widths, "detail");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        make_row(json_array_get(rows, i), cells);
        make_cell(json_object_get(json_array_get(rows, i), "detail"), 100, detail);
        print_row(cells, widths, detail);
    }
    if (unlisted > 0)
        show_unlisted(unlisted, out_dir);
    printf("\n");
}

/* ---- summary --------------------------------------------------------------------------------------------------- */

static json_int_t number(const json_t *summary, const char *key)
{
    return json_integer_value(json_object_get(summary, key));
}

static double real(const json_t *summary, const char *key)
{
    return json_number_value(json_object_get(summary, key));
}

static const char *plural(json_int_t count)
{
    return count == 1 ? "" : "s";
}

/* "26 of 26 judged passed (100.0 %), 14 not run": what was not judged is neither good nor bad. */
static void show_passed(const json_t *summary)
{
    json_int_t candidates = number(summary, "candidates"), passed = number(summary, "passed");
    json_int_t not_run = number(summary, "not_run");
    json_int_t invalid = number(json_object_get(summary, "by_verdict"), "task-invalid");
    json_int_t of = not_run || invalid ? number(summary, "judged") : candidates;
    const char *key;
    json_t *value;

    printf("\n%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT "%s passed", passed, of,
           not_run || invalid ? " judged" : "");
    if (of > 0)
        printf(" (%.1f %%)", 100.0 * (double)passed / (double)of);
    if (not_run > 0)
        printf(", %" JSON_INTEGER_FORMAT " not run", not_run);
    if (invalid > 0)
        printf(", %" JSON_INTEGER_FORMAT " of a task that is itself wrong", invalid);
    printf(", %" JSON_INTEGER_FORMAT " task%s", number(summary, "tasks"), plural(number(summary, "tasks")));
    json_object_foreach(json_object_get(summary, "pass_at"), key, value) if (json_is_real(value))
        printf(", pass@%s %.4f", key, json_real_value(value));
    printf("\n");
}

static void show_runs(const json_t *summary)
{
    json_int_t runs = number(summary, "runs"), resumed = number(summary, "resumed");

    if (resumed > 0)
        printf("%" JSON_INTEGER_FORMAT " result%s, %" JSON_INTEGER_FORMAT " of them from before; now ",
               number(summary, "results"), plural(number(summary, "results")), resumed);
    printf("%" JSON_INTEGER_FORMAT " run%s in %.1f s (%.1f/s)\n", runs, plural(runs), real(summary, "wall_s"),
           real(summary, "runs_per_s"));
}

void cli_eval_report_show(const struct eval_report *report, const char *out_dir)
{
    const json_t *summary = report->summary;
    const char *key;
    json_t *value;

    if (report->rows && json_array_size(report->rows) > 0)
        show_rows(report->rows, report->unlisted, out_dir);
    printf("%-14s  candidates\n", "verdict");
    json_object_foreach(json_object_get(summary, "by_verdict"), key, value)
        printf("%-14s  %10" JSON_INTEGER_FORMAT "\n", key, json_integer_value(value));
    show_passed(summary);
    show_runs(summary);
    printf("results: ");
    cli_say_visible(stdout, out_dir, strlen(out_dir));
    printf("\n");
}
