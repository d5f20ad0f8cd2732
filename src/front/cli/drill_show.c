/* drill_show.c - a drill as a table that grows */

#include "front/cli/drill_show.h"
#include "base/cleanup.h"
#include "front/cli/say.h"
#include <stdio.h>
#include <string.h>

#define ENDING_WIDTH 18

static void begin_table(size_t columns)
{
    printf("%-*s  %-*s  %-*s  %7s  %9s  %10s  %s\n", (int)columns, "attack", ENDING_WIDTH, "expected", ENDING_WIDTH,
           "seen", "denials", "peak", "cleanup", "result");
}

void cli_drill_show_begin(void *context, const char *const *names, size_t count)
{
    struct cli_drill_show *show = context;

    show->columns = strlen("attack");
    for (size_t i = 0; i < count; i++)
        show->columns = strlen(names[i]) > show->columns ? strlen(names[i]) : show->columns;
    begin_table(show->columns);
    (void)fflush(stdout); /* a reader that went away is noticed at the end */
}

/* "exited 0", or the first of several with a mark that there are more. */
static void put_ending(char *text, size_t text_bytes, const json_t *endings)
{
    const char *first = json_string_value(json_array_get(endings, 0));

    (void)snprintf(text, text_bytes, "%s%s", first ? first : "-", json_array_size(endings) > 1 ? ", ..." : "");
}

static void put_number(char *text, size_t text_bytes, const json_t *number, double unit, const char *suffix)
{
    if (json_is_integer(number))
        (void)snprintf(text, text_bytes, "%.1f %s", (double)json_integer_value(number) / unit, suffix);
    else
        (void)snprintf(text, text_bytes, "-");
}

static void print_reasons(const json_t *row)
{
    size_t index;
    json_t *reason;

    json_array_foreach(json_object_get(row, "reasons"), index, reason)
    {
        printf("    ");
        cli_say_visible(stdout, json_string_value(reason), json_string_length(reason));
        printf("\n");
    }
}

void cli_drill_show_row(void *context, const json_t *row)
{
    const struct cli_drill_show *show = context;
    const json_t *seen = json_object_get(row, "seen");
    char wanted[64], ended[64], peak[32], cleanup[32];

    put_ending(wanted, sizeof(wanted), json_object_get(json_object_get(row, "expected"), "ending"));
    put_ending(ended, sizeof(ended), json_object_get(seen, "ending"));
    put_number(peak, sizeof(peak), json_object_get(json_object_get(row, "usage"), "memory_peak_bytes"), 1 << 20, "MiB");
    put_number(cleanup, sizeof(cleanup), json_object_get(row, "cleanup_us"), 1, "us");
    printf("%-*s  %-*s  %-*s  %7zu  %9s  %10s  %s\n", (int)show->columns,
           json_string_value(json_object_get(row, "name")), ENDING_WIDTH, wanted, ENDING_WIDTH, ended,
           json_array_size(json_object_get(seen, "denials")), peak, cleanup,
           json_string_value(json_object_get(row, "result")));
    print_reasons(row);
    (void)fflush(stdout); /* a reader that went away is noticed at the end */
}

static void print_counts(const char *name, const json_t *counts)
{
    static const char *const keys[] = {"held", "red", "skipped", "residual"};

    printf("%-12s", name);
    for (size_t i = 0; i < ARRAY_COUNT(keys); i++)
        printf("  %8" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(counts, keys[i])));
    printf("\n");
}

void cli_drill_show_summary(const json_t *report)
{
    const json_t *summary = json_object_get(report, "summary");
    size_t count = json_array_size(json_object_get(report, "attacks"));
    const char *group;
    json_t *counts;

    printf("\n%-12s  %8s  %8s  %8s  %8s\n", "group", "held", "red", "skipped", "residual");
    json_object_foreach(json_object_get(summary, "by_group"), group, counts) print_counts(group, counts);
    print_counts("all", summary);
    printf("%zu attack%s in %.1f s\n", count, count == 1 ? "" : "s",
           json_number_value(json_object_get(report, "wall_s")));
}
