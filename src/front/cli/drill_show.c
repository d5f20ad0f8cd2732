/* drill_show.c - a drill as a table that grows */

#include "front/cli/drill_show.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "front/cli/say.h"
#include <stdio.h>
#include <string.h>

#define NAME_WIDTH    22 /* a longer one stands on a line of its own, where lines are short */
#define ENDING_WIDTH  15
#define DENIALS_WIDTH 9
#define LINE_WIDTH    79
#define REASON_INDENT 4

/* All but the name: the numbers and what stands between. */
#define CELLS_WIDTH (LINE_WIDTH - NAME_WIDTH)

static void print_cells(const struct cli_drill_show *show, const char *name, const char *const cells[6])
{
    size_t length = strlen(name);

    cli_say_visible(stdout, name, length);
    printf("%*s %-*.*s %-*.*s", length < show->name_width ? (int)(show->name_width - length) : 0, "", ENDING_WIDTH,
           ENDING_WIDTH, cells[0], ENDING_WIDTH, ENDING_WIDTH, cells[1]);
    if (show->is_wide)
        printf(" %*s", DENIALS_WIDTH - 1, cells[2]);
    printf(" %7s %7s %s\n", cells[3], cells[4], cells[5]);
}

void cli_drill_show_begin(void *context, const char *const *names, size_t count)
{
    static const char *const heads[] = {"expected", "seen", "denials", "peak", "cleanup", "result"};
    struct cli_drill_show *show = context;
    char head[32];
    size_t longest = (size_t)snprintf(head, sizeof(head), "attack, cage: %s", show->cage);

    for (size_t i = 0; i < count; i++)
        longest = strlen(names[i]) > longest ? strlen(names[i]) : longest;
    show->is_wide = cli_say_columns(STDOUT_FILENO, LINE_WIDTH) >= longest + CELLS_WIDTH + DENIALS_WIDTH;
    show->name_width = show->is_wide || longest < NAME_WIDTH ? longest : NAME_WIDTH;
    print_cells(show, head, heads);
    (void)fflush(stdout); /* a reader that went away is noticed at the end */
}

/* "exited 0", or the first of several with a mark that there are more. */
static void put_ending(char *text, size_t text_bytes, const json_t *endings)
{
    const char *first = json_string_value(json_array_get(endings, 0));

    (void)snprintf(text, text_bytes, "%s%s", first ? first : "-", json_array_size(endings) > 1 ? ", ..." : "");
}

static void put_bytes(char *text, size_t text_bytes, const json_t *number)
{
    double mib = (double)json_integer_value(number) / (1 << 20);

    if (json_is_integer(number))
        (void)snprintf(text, text_bytes, mib < 99.95 ? "%.1fMiB" : "%.0fMiB", mib);
    else
        (void)snprintf(text, text_bytes, "-");
}

static void put_time(char *text, size_t text_bytes, const json_t *number)
{
    double us = (double)json_integer_value(number);

    if (!json_is_integer(number))
        (void)snprintf(text, text_bytes, "-");
    else if (us < 1000)
        (void)snprintf(text, text_bytes, "%.0fus", us);
    else
        (void)snprintf(text, text_bytes, us < 999950 ? "%.1fms" : "%.1fs", us < 999950 ? us / 1e3 : us / 1e6);
}

/* A word that is longer than a line is cut into pieces: a path, say. */
static void print_wrapped(const char *text)
{
    const size_t room = LINE_WIDTH - REASON_INDENT - 2;
    AUTO_BUF struct base_buf pieces = {0};
    size_t length = 0;

    for (; *text; text++) {
        bool begins = ((unsigned char)*text & 0xc0) != 0x80; /* no middle of a character */
        length = *text == ' ' ? 0 : length + 1;
        if (length > room - 3 && begins) {
            (void)base_buf_text(&pieces, " ");
            length = 1;
        }
        if (base_buf_append(&pieces, text, 1) < 0)
            return; /* of memory there is none to say so either */
    }
    printf("%*s", REASON_INDENT, "");
    cli_say_wrapped(pieces.bytes ? pieces.bytes : "", REASON_INDENT, REASON_INDENT + 2);
}

static void print_reason(const json_t *reason)
{
    AUTO_FREE char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);

    if (!stream)
        return;
    cli_say_visible(stream, json_string_value(reason), json_string_length(reason));
    (void)fclose(stream);
    for (char *c = text; c && *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    if (text)
        print_wrapped(text);
}

void cli_drill_show_row(void *context, const json_t *row)
{
    const struct cli_drill_show *show = context;
    const json_t *seen = json_object_get(row, "seen"), *usage = json_object_get(row, "usage");
    const char *name = json_string_value(json_object_get(row, "name"));
    char wanted[64], ended[64], denials[32], peak[32], cleanup[32];
    const char *const cells[] = {wanted, ended,   denials,
                                 peak,   cleanup, json_string_value(json_object_get(row, "result"))};
    size_t index;
    json_t *reason;

    put_ending(wanted, sizeof(wanted), json_object_get(json_object_get(row, "expected"), "ending"));
    put_ending(ended, sizeof(ended), json_object_get(seen, "ending"));
    (void)snprintf(denials, sizeof(denials), "%zu", json_array_size(json_object_get(seen, "denials")));
    put_bytes(peak, sizeof(peak), json_object_get(usage, "memory_peak_bytes"));
    put_time(cleanup, sizeof(cleanup), json_object_get(row, "cleanup_us"));
    if (strlen(name) > show->name_width) {
        cli_say_visible(stdout, name, strlen(name));
        printf("\n");
    }
    print_cells(show, strlen(name) > show->name_width ? "" : name, cells);
    json_array_foreach(json_object_get(row, "reasons"), index, reason) print_reason(reason);
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

/* Nothing is said of a machine that is as fast as they are. */
static void print_pace(json_int_t pace)
{
    if (pace > 1)
        printf("this machine is slow: all had %" JSON_INTEGER_FORMAT " times the usual time\n", pace);
}

static void print_slots(const json_t *slots)
{
    if (slots)
        printf("slots after attacks: %" JSON_INTEGER_FORMAT " proved clean, %" JSON_INTEGER_FORMAT
               " dropped; new before: %" JSON_INTEGER_FORMAT "\n",
               json_integer_value(json_object_get(slots, "clean")),
               json_integer_value(json_object_get(slots, "dropped")),
               json_integer_value(json_object_get(slots, "first")));
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
    print_slots(json_object_get(summary, "slots"));
    print_pace(json_integer_value(json_object_get(report, "pace")));
    printf("%zu attack%s, cage: %s, in %.1f s\n", count, count == 1 ? "" : "s",
           json_string_value(json_object_get(report, "cage")), json_number_value(json_object_get(report, "wall_s")));
}
