/* results.c - fumehood results: what came of an evaluation, and why, by groups
 *
 * A file of results may be long and come from anywhere: it is read line by line, a group is kept and not its rows, and
 * there are so many groups at the most.
 */

#include "base/cleanup.h"
#include "base/json.h"
#include "base/lines.h"
#include "base/utf8.h"
#include "front/cli/options.h"
#include "front/cli/say.h"
#include "front/cli/verbs.h"
#include "judge/judge.h"
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_MAX_BYTES (1u << 20)

struct values {
    struct cli_list verdicts, tasks;
    const char *group;
    bool json;
};
#define AT(field) offsetof(struct values, field)

static const struct cli_option options[] = {
    {"verdict", CLI_LIST, AT(verdicts), "V", "Which",
     "only results of this verdict; may be given again; default: all "
     "but pass, with --group verdict all"},
    {"task", CLI_LIST, AT(tasks), "GLOB", "Which", "only of tasks with such an id; may be given again; default: all"},
    {"group", CLI_TEXT, AT(group), "BY", "Output",
     "detail (default): verdict and reason, where numbers and quoted texts do not count; verdict; task"},
    {"json", CLI_FLAG, AT(json), NULL, "Output", "print a JSON object"},
    {NULL},
};

static const struct cli_syntax syntax = {
    .verb = "results",
    .usage = "[OPTION]... DIR",
    .summary = "Count the results of an evaluation, DIR of fumehood eval, by what they have in common: which did not "
               "pass, and why. Of each group some are named.",
    .options = options,
    .operands = {"DIR"},
    .operands_required = 1,
    .notes = "Examples\n"
             "  fumehood results DIR                             what failed, and why\n"
             "  fumehood results DIR --group task --verdict timeout\n"
             "  fumehood receipt show DIR --task ID --sample 3   the evidence of one\n",
};

/* ---- groups ---------------------------------------------------------------------------------------------------- */

enum { BY_DETAIL, BY_VERDICT, BY_TASK };

#define NAME_BYTES    120
#define GROUPS_MAX    65536 /* a power of two: places of the table */
#define EXAMPLES_MAX  3
#define EXAMPLE_BYTES 64

struct group {
    uint64_t count, passed;
    char verdict[24];
    char name[NAME_BYTES];  /* the reason, or the task */
    char exact[NAME_BYTES]; /* the reason with its numbers, while all have the same */
    bool is_mixed;
    char examples[EXAMPLES_MAX][EXAMPLE_BYTES];
    unsigned example_count;
};

struct count {
    int by;
    struct group **table; /* GROUPS_MAX places */
    struct group **list;  /* as they came */
    size_t groups, list_room;
    uint64_t results, named, matched, passed; /* named: with a task and a verdict */
    uint64_t ungrouped;                       /* when there are too many groups */
    bool is_torn;                             /* the last line is none */
};

static void count_release(struct count *count)
{
    for (size_t i = 0; i < count->groups; i++)
        free(count->list[i]);
    free(count->list);
    free(count->table);
}

static uint64_t hash_of(const char *verdict, const char *name)
{
    uint64_t hash = 14695981039346656037u;

    for (int part = 0; part < 2; part++)
        for (const char *c = part ? name : verdict;; c++) {
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
            if (!*c)
                break;
        }
    return hash;
}

static struct group *add_group(struct count *count, size_t place, const char *verdict, const char *name)
{
    struct group *group;

    if (count->groups >= GROUPS_MAX / 2)
        return NULL;
    if (count->groups == count->list_room) {
        size_t room = count->list_room ? 2 * count->list_room : 64;
        struct group **list = realloc(count->list, room * sizeof(*list));
        if (!list)
            return NULL;
        count->list = list;
        count->list_room = room;
    }
    group = calloc(1, sizeof(*group));
    if (!group)
        return NULL;
    (void)snprintf(group->verdict, sizeof(group->verdict), "%s", verdict);
    (void)snprintf(group->name, sizeof(group->name), "%s", name);
    count->list[count->groups++] = group;
    count->table[place] = group;
    return group;
}

static struct group *find_group(struct count *count, const char *verdict, const char *name)
{
    size_t place = (size_t)hash_of(verdict, name) % GROUPS_MAX;

    for (struct group *group; (group = count->table[place]); place = (place + 1) % GROUPS_MAX)
        if (strcmp(group->verdict, verdict) == 0 && strcmp(group->name, name) == 0)
            return group;
    return add_group(count, place, verdict, name);
}

/* Cut at a whole character. */
static void cut_copy(char *to, size_t to_bytes, const char *from, size_t length)
{
    size_t used = length < to_bytes - 1 ? length : to_bytes - 1;

    if (used < length)
        used = base_utf8_cut(from, used);
    memcpy(to, from, used);
    to[used] = 0;
}

/* A quote behind a backslash is a part of the text. */
static size_t quoted_length(const char *text)
{
    const char *end = text + 1;

    if (*text != '"' && *text != '\'')
        return 0;
    while (*end && *end != *text)
        end += *end == '\\' && end[1] ? 2 : 1;
    return *end ? (size_t)(end + 1 - text) : 0;
}

/* What two reasons have in common: "got 3, expected 4" is "got N, expected N". */
static void reason_of(const char *detail, char name[NAME_BYTES])
{
    char made[4 * NAME_BYTES];
    size_t used = 0;

    while (*detail && *detail != '\n' && used < sizeof(made) - 4) {
        size_t digits = strspn(detail, "0123456789"), quoted = quoted_length(detail);
        if (digits > 0) {
            made[used++] = 'N';
            detail += digits;
            detail += *detail == '.' ? 1 + strspn(detail + 1, "0123456789") : 0;
        } else if (quoted > 0) {
            memcpy(made + used, "'_'", 3);
            used += 3;
            detail += quoted;
        } else {
            made[used++] = *detail++;
        }
    }
    cut_copy(name, NAME_BYTES, made, used);
}

static void note_exact(struct group *group, const char *detail)
{
    char exact[NAME_BYTES];

    cut_copy(exact, sizeof(exact), detail, strcspn(detail, "\n"));
    if (group->count == 0)
        memcpy(group->exact, exact, sizeof(exact));
    group->is_mixed = group->is_mixed || strcmp(group->exact, exact) != 0;
}

static const char *name_of(const struct group *group)
{
    return group->is_mixed || !*group->exact ? group->name : group->exact;
}

/* "HumanEval/3 #2 case-1" */
static void note_example(struct group *group, const json_t *row)
{
    const char *task = json_string_value(json_object_get(row, "task_id"));
    const char *at_case = json_string_value(json_object_get(row, "case"));
    json_int_t sample = json_integer_value(json_object_get(row, "sample"));
    char text[3 * EXAMPLE_BYTES], number[32] = "";

    if (group->example_count == EXAMPLES_MAX)
        return;
    if (sample > 0)
        (void)snprintf(number, sizeof(number), " #%" JSON_INTEGER_FORMAT, sample);
    (void)snprintf(text, sizeof(text), "%.60s%s%s%.40s", task ? task : "?", number, at_case ? " " : "",
                   at_case ? at_case : "");
    cut_copy(group->examples[group->example_count++], EXAMPLE_BYTES, text, strlen(text));
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

static bool is_among(const struct cli_list *list, const char *text, bool globs)
{
    for (size_t i = 0; i < list->count; i++)
        if (globs ? fnmatch(list->items[i], text, 0) == 0 : strcmp(list->items[i], text) == 0)
            return true;
    return list->count == 0;
}

static void take_row(struct count *count, const struct values *values, const json_t *row)
{
    const char *task = json_string_value(json_object_get(row, "task_id"));
    const char *verdict = json_string_value(json_object_get(row, "verdict"));
    const char *detail = json_string_value(json_object_get(row, "detail"));
    bool passed = verdict && strcmp(verdict, judge_verdict_name(JUDGE_PASS)) == 0;
    bool is_default = values->verdicts.count == 0;
    char name[NAME_BYTES] = "";
    struct group *group;

    count->results++;
    count->passed += passed;
    count->named += task && verdict;
    if (!task || !verdict || !is_among(&values->verdicts, verdict, false) || !is_among(&values->tasks, task, true) ||
        (is_default && passed && count->by == BY_DETAIL))
        return;
    count->matched++;
    if (count->by == BY_DETAIL)
        reason_of(detail ? detail : "", name);
    else if (count->by == BY_TASK)
        cut_copy(name, sizeof(name), task, strlen(task));
    group = find_group(count, count->by == BY_TASK ? "" : verdict, name);
    if (!group) {
        count->ungrouped++;
        return;
    }
    if (count->by == BY_DETAIL)
        note_exact(group, detail ? detail : "");
    group->count++;
    group->passed += passed;
    note_example(group, row);
}

/* The last line of an evaluation that runs, or was killed, may be torn. */
static int read_results(const char *path, const struct values *values, struct count *count, struct base_err *err)
{
    AUTO_LINES struct base_lines *lines = NULL;
    AUTO_BUF struct base_buf line = {.max = LINE_MAX_BYTES};
    struct base_err torn = {0};
    int r = base_lines_open(path, LINE_MAX_BYTES, &lines, err);

    if (r < 0)
        return r;
    while ((r = base_lines_next(lines, &line, err)) == 1) {
        AUTO_JSON json_t *row = NULL;
        char place[PATH_MAX + 32];
        if (line.count == 0)
            continue;
        if (torn.code) {
            *err = torn;
            return torn.code;
        }
        (void)snprintf(place, sizeof(place), "%s:%lu", path, base_lines_number(lines));
        r = base_json_parse(line.bytes, line.count, place, &row, &torn);
        if (r == BASE_E_NOMEM) {
            *err = torn;
            return r;
        }
        if (r >= 0)
            take_row(count, values, row);
    }
    count->is_torn = torn.code != 0;
    return r;
}

/* ---- output ---------------------------------------------------------------------------------------------------- */

static int compare_groups(const void *a, const void *b)
{
    const struct group *one = *(struct group *const *)a, *other = *(struct group *const *)b;

    return one->count < other->count ? 1 : one->count > other->count ? -1 : strcmp(one->name, other->name);
}

/* Text of foreign origin on one line. */
static void say(const char *text)
{
    char line[NAME_BYTES];

    cut_copy(line, sizeof(line), text, strlen(text));
    for (char *c = line; *c; c++)
        *c = *c == '\n' || *c == '\t' ? ' ' : *c;
    cli_say_visible(stdout, line, strlen(line));
}

static void say_examples(const struct group *group)
{
    for (unsigned i = 0; i < group->example_count; i++) {
        printf("%s", i ? ", " : "");
        say(group->examples[i]);
    }
    printf("%s", group->count > group->example_count ? ", ..." : "");
}

static void say_group(int by, const struct group *group)
{
    if (by == BY_TASK) {
        printf("%8" PRIu64 "  %8" PRIu64 "  ", group->count, group->passed);
        say(group->name);
        printf("\n");
        return;
    }
    printf("%8" PRIu64 "  ", group->count);
    if (by == BY_DETAIL && *name_of(group)) {
        printf("%-14s  ", group->verdict);
        say(name_of(group));
    } else {
        say(group->verdict);
    }
    printf("\n%*s", 26, "");
    say_examples(group);
    printf("\n");
}

#define GROUPS_SHOWN_MAX 1000 /* a terminal is no place for more */

static void print_text(const struct count *count)
{
    size_t shown = count->groups < GROUPS_SHOWN_MAX || !isatty(STDOUT_FILENO) ? count->groups : GROUPS_SHOWN_MAX;

    printf("%" PRIu64 " result%s, %" PRIu64 " passed; %" PRIu64 " in %zu group%s\n", count->results,
           count->results == 1 ? "" : "s", count->passed, count->matched, count->groups, count->groups == 1 ? "" : "s");
    if (count->groups > 0)
        printf("\n%8s  %s\n", "results",
               count->by == BY_TASK ? "  passed  task" : "verdict         reason, and some of them");
    for (size_t i = 0; i < shown; i++)
        say_group(count->by, count->list[i]);
    if (shown < count->groups)
        printf("and %zu more groups\n", count->groups - shown);
    if (count->ungrouped > 0)
        printf("and %" PRIu64 " results in further groups\n", count->ungrouped);
}

static json_t *group_json(int by, const struct group *group)
{
    json_t *examples = json_array();
    json_t *json;

    for (unsigned i = 0; i < group->example_count; i++)
        base_json_add(&examples, base_json_text(group->examples[i], strlen(group->examples[i])));
    json = json_pack("{s:I, s:I, s:o}", "results", (json_int_t)group->count, "passed", (json_int_t)group->passed,
                     "examples", examples);
    if (by != BY_TASK)
        base_json_put(&json, "verdict", base_json_text(group->verdict, strlen(group->verdict)));
    if (by != BY_VERDICT)
        base_json_put(&json, by == BY_TASK ? "task_id" : "detail",
                      base_json_text(name_of(group), strlen(name_of(group))));
    return json;
}

static int print_json(const struct count *count, struct base_err *err)
{
    AUTO_JSON json_t *json = NULL;
    json_t *groups = json_array();

    for (size_t i = 0; i < count->groups; i++)
        base_json_add(&groups, group_json(count->by, count->list[i]));
    json = json_pack("{s:s, s:I, s:I, s:I, s:I, s:o}", "schema", "fumehood.results/1", "results",
                     (json_int_t)count->results, "passed", (json_int_t)count->passed, "matched",
                     (json_int_t)count->matched, "ungrouped", (json_int_t)count->ungrouped, "groups", groups);
    if (!json)
        return base_err_set(err, BASE_E_NOMEM, "standard output", "out of memory");
    return cli_say_json(json, false, err);
}

/* ---- the verb -------------------------------------------------------------------------------------------------- */

static int choose_group(const struct values *values, int *ret_by, struct base_err *err)
{
    static const char *const names[] = {[BY_DETAIL] = "detail", [BY_VERDICT] = "verdict", [BY_TASK] = "task"};

    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (!values->group || strcmp(values->group, names[i]) == 0) {
            *ret_by = (int)i;
            return 0;
        }
    return cli_options_err(&syntax, err, "--group is detail, verdict or task");
}

static int refuse_verdict(const char *name, struct base_err *err)
{
    char known[256] = "";

    for (int i = 0; i < JUDGE_VERDICT_MAX; i++)
        (void)snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", i ? ", " : "",
                       judge_verdict_name((enum judge_verdict)i));
    (void)cli_options_err(&syntax, err, "--verdict: there is none of the name %.40s", name);
    return base_err_remedy(err, "one of %s", known);
}

static int check_verdicts(const struct cli_list *verdicts, struct base_err *err)
{
    for (size_t i = 0; i < verdicts->count; i++)
        if (judge_verdict_find(verdicts->items[i]) == JUDGE_VERDICT_MAX)
            return refuse_verdict(verdicts->items[i], err);
    return 0;
}

static void find_file(const char *dir, char path[PATH_MAX])
{
    struct stat st;
    bool is_folder = stat(dir, &st) < 0 || S_ISDIR(st.st_mode);

    (void)snprintf(path, PATH_MAX, "%s%s", dir, is_folder ? "/results.jsonl" : "");
}

static int count_file(const char *path, const struct values *values, struct count *count, struct base_err *err)
{
    int r = read_results(path, values, count, err);

    if (r == BASE_E_NOT_FOUND)
        return base_err_remedy(err, "DIR is a folder that fumehood eval has written to");
    if (r < 0 || count->results == 0 || count->named > 0)
        return r;
    (void)base_err_set(err, BASE_E_USAGE, path, "holds no result of an evaluation"); /* but other lines of JSON */
    return base_err_remedy(err, "DIR is a folder that fumehood eval has written to");
}

static int prepare(struct count *count, const struct values *values, struct base_err *err)
{
    int r = choose_group(values, &count->by, err);

    if (r >= 0)
        r = check_verdicts(&values->verdicts, err);
    if (r < 0)
        return r;
    count->table = calloc(GROUPS_MAX, sizeof(struct group *));
    return count->table ? 0 : base_err_set(err, BASE_E_NOMEM, "results", "out of memory");
}

int cli_results(int argc, char **argv)
{
    CLEANUP(count_release) struct count count = {0};
    struct values values = {0};
    struct cli_operands operands;
    char path[PATH_MAX];
    struct base_err err;
    int r = cli_options_parse(&syntax, argc, argv, &values, &operands, &err);

    if (r == 1)
        return cli_say_end(0);
    if (r >= 0)
        r = prepare(&count, &values, &err);
    if (r >= 0) {
        find_file(operands.items[0], path);
        r = count_file(path, &values, &count, &err);
    }
    if (r < 0)
        return cli_say_error_view(&err);
    if (count.is_torn)
        cli_say_note("%s: the last line is torn, and not counted", path);
    if (count.groups > 0)
        qsort(count.list, count.groups, sizeof(*count.list), compare_groups);
    if (values.json)
        return print_json(&count, &err) < 0 ? cli_say_error_view(&err) : 0;
    print_text(&count);
    return cli_say_end(0);
}
