/* receipt.c - fumehood receipt show|verify */

#include "receipt/receipt.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/lines.h"
#include "front/cli/options.h"
#include "front/cli/receipt_absent.h"
#include "front/cli/receipt_show.h"
#include "front/cli/say.h"
#include "front/cli/subject.h"
#include "front/cli/verbs.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct values {
    uint64_t index;
    const char *run, *task, *sample, *at_case;
    bool json, alone, all;
    const char *objects, *results;
};
#define AT(field) offsetof(struct values, field)

static const struct cli_option show_options[] = {
    {"index", CLI_COUNT, AT(index), "N", "Which", "the Nth receipt of the file, from 1; default: the last"},
    {"run", CLI_TEXT, AT(run), "ID", "Which", "the one with this run_id, or whose run_id begins so"},
    {"task", CLI_TEXT, AT(task), "ID", "Which", "of an evaluation: the one of this task; the last where it ran again"},
    {"sample", CLI_TEXT, AT(sample), "N", "Which", "and of this sample of it, from 0"},
    {"case", CLI_TEXT, AT(at_case), "NAME", "Which", "and of this case of it"},
    {"all", CLI_FLAG, AT(all), NULL, "Output", "list each mount, also those of the machine's settings"},
    {"json", CLI_FLAG, AT(json), NULL, "Output", "print it as indented JSON"},
    {NULL},
};

static const struct cli_syntax show_syntax = {
    .verb = "receipt show",
    .usage = "[OPTION]... [FILE|DIR|-]",
    .summary =
        "Print one receipt of FILE (one receipt, or many as JSON Lines) for people. It is not verified. DIR is an "
        "evaluation's; - is standard input, as is nothing where that is no terminal.",
    .options = show_options,
    .operands = {"FILE"},
    .surplus = "a receipt of many is chosen by --task ID, --run ID or --index N",
};

static const struct cli_option verify_options[] = {
    {"objects", CLI_TEXT, AT(objects), "DIR", "What lies beside it",
     "check the bytes that ran there; default: the folder objects beside FILE, where there is one"},
    {"results", CLI_TEXT, AT(results), "FILE", "What lies beside it",
     "compare these with the receipts, and look at nothing else of the folder"},
    {"alone", CLI_FLAG, AT(alone), NULL, "What lies beside it", "look at FILE alone"},
    {NULL},
};

static const struct cli_syntax verify_syntax = {
    .verb = "receipt verify",
    .usage = "[OPTION]... [FILE|DIR|-]",
    .summary =
        "Check every receipt's hash, the chain from each to the one before it, and the programs' bytes. Of a FILE of "
        "the name receipts.jsonl also all that its evaluation left beside it: results, objects, summary and eval.json "
        "must be there, and be what the receipts say. Status 0 when all is right, 1 when something is not. Needs no "
        "network and no other program.",
    .options = verify_options,
    .operands = {"FILE"},
    .notes = "The last line that it prints is the head, which stands for the whole chain.\n"
             "Keep it elsewhere: receipts that were taken from the end, with all that speaks\n"
             "of them, show by the head only.\n",
};

static bool is_of(const json_t *receipt, const struct values *values)
{
    const json_t *judged = json_object_get(receipt, "eval");
    const char *id = json_string_value(json_object_get(receipt, "run_id"));

    if (!values->run && json_object_get(judged, "check")) /* of a task's tests alone: of no row */
        return false;
    return (!values->run || (id && strncmp(id, values->run, strlen(values->run)) == 0)) &&
           cli_is_text(json_object_get(judged, "task_id"), values->task) &&
           cli_is_number(json_object_get(judged, "sample"), values->sample) &&
           cli_is_text(json_object_get(judged, "case"), values->at_case);
}

static bool asks(const struct values *values)
{
    return values->run || values->task || values->sample || values->at_case;
}

/* Plain characters stand in a line as they are: most lines need not be read for what they are not. */
static bool may_hold(const struct base_buf *line, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._- ";

    return !text || text[strspn(text, plain)] || memmem(line->bytes, line->count, text, strlen(text));
}

/* 1 when @line is asked for: not empty, and what the options say. *@ret_judged: what the run was for. 0, or an error.
 */
static int is_wanted(const struct base_buf *line, const struct values *values, json_t **ret_judged,
                     struct base_err *err)
{
    AUTO_JSON json_t *receipt = NULL;
    int r;

    if (!asks(values) || !line->count)
        return line->count > 0;
    if (!may_hold(line, values->task) || !may_hold(line, values->at_case) || !may_hold(line, values->run))
        return 0;
    r = base_json_parse(line->bytes, line->count, "receipt", &receipt, err);
    if (r < 0)
        return r == BASE_E_NOMEM ? r : 0;
    if (!is_of(receipt, values))
        return 0;
    *ret_judged = json_incref(json_object_get(receipt, "eval"));
    return 1;
}

/* Another receipt that fits: an infrastructure error is tried again, and the last attempt is the one. */
static bool is_same_row(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"task_id", "sample", "case"};

    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        json_t *one = json_object_get(a, keys[i]), *other = json_object_get(b, keys[i]);
        if (one != other && !json_equal(one, other))
            return false;
    }
    return a && b;
}

/* What is to be said when the whole file was read; @number is the last line that could be it. */
static int check_found(const char *path, const struct values *values, unsigned long number, struct base_err *err)
{
    if (number == 0 && values->run)
        return base_err_set(err, BASE_E_USAGE, path, "has no receipt whose run_id begins with \"%.40s\"", values->run);
    if (number == 0 && asks(values)) {
        const struct cli_row row = {values->task, values->sample, values->at_case};
        int r = cli_receipt_absent(path, &row, err);

        return r < 0 ? r : base_err_set(err, BASE_E_USAGE, path, "has no receipt of that task, sample and case");
    }
    if (asks(values))
        return 0;
    if (number == 0)
        return base_err_set(err, BASE_E_INVALID, path, "holds no receipt");
    if (values->index)
        return base_err_set(err, BASE_E_USAGE, path, "has no receipt %llu, the last is %lu",
                            (unsigned long long)values->index, number);
    return 0;
}

static int say_twice(const char *path, const struct values *values, unsigned long first, unsigned long second,
                     struct base_err *err)
{
    if (values->run)
        return base_err_set(err, BASE_E_USAGE, path, "the run_id begins with \"%.40s\" in lines %lu and %lu",
                            values->run, first, second);
    (void)base_err_set(err, BASE_E_USAGE, path, "more than one receipt is of that task, as in lines %lu and %lu", first,
                       second);
    return base_err_remedy(err, "say which with --sample N and --case NAME");
}

/* Leave in @kept the line that is asked for: the one of a run, the one of a number, or the last that is not empty. */
static int find_receipt(const char *path, const struct values *values, struct base_buf *kept, unsigned long *ret_number,
                        struct base_err *err)
{
    AUTO_LINES struct base_lines *lines = NULL;
    AUTO_BUF struct base_buf line = {.max = RECEIPT_MAX_BYTES};
    AUTO_JSON json_t *kept_row = NULL;
    int r = base_lines_open(path, RECEIPT_MAX_BYTES, &lines, err);

    if (r < 0)
        return r;
    *ret_number = 0;
    while ((r = base_lines_next(lines, &line, err)) == 1) {
        AUTO_JSON json_t *row = NULL;
        struct base_buf swap = *kept;

        r = is_wanted(&line, values, &row, err);
        if (r < 0)
            return r;
        if (r == 0)
            continue;
        if (asks(values) && *ret_number > 0 && (values->run || !is_same_row(kept_row, row)))
            return say_twice(path, values, *ret_number, base_lines_number(lines), err);
        json_decref(kept_row);
        kept_row = TAKE_PTR(row);
        *kept = line;
        line = swap;
        *ret_number = base_lines_number(lines);
        if (*ret_number == values->index)
            return 0;
    }
    return r < 0 ? r : check_found(path, values, *ret_number, err);
}

/* A receipt that somebody has indented spans many lines; then the file holds just that one. 1, 0, or an error. */
static int is_one_indented(const char *path, struct base_buf *whole, struct base_err *err)
{
    const char *text;
    int r = base_lines_read_all(path, RECEIPT_MAX_BYTES, whole, err);

    if (r < 0 || !whole->count)
        return r == BASE_E_TOO_LARGE ? 0 : r;
    text = whole->bytes + strspn(whole->bytes, " \t\r\n");
    return *text == '{' && strchr("\r\n", text[1]);
}

/* Nobody said which of many it should be. */
static void say_last(const struct values *values, unsigned long number)
{
    if (number > 1 && !values->index && !values->json && !asks(values))
        cli_say_note("line %lu, the last receipt (another one: --index N, --run ID, of an evaluation --task ID)",
                     number);
}

static int load_receipt(const char *path, const struct values *values, json_t **ret_receipt, struct base_err *err)
{
    AUTO_BUF struct base_buf kept = {.max = RECEIPT_MAX_BYTES};
    AUTO_BUF struct base_buf whole = {.max = RECEIPT_MAX_BYTES};
    AUTO_JSON json_t *receipt = NULL;
    char place[256];
    unsigned long number = 0;
    bool is_indented;
    int r = find_receipt(path, values, &kept, &number, err);

    if (r < 0)
        return r;
    (void)snprintf(place, sizeof(place), "%.200s:%lu", path, number);
    if (kept.count < 3)
        r = is_one_indented(path, &whole, err);
    if (r < 0)
        return r;
    is_indented = r == 1;
    if (is_indented)
        r = base_json_parse(whole.bytes, whole.count, path, &receipt, err);
    else
        r = base_json_parse(kept.bytes, kept.count, number > 1 ? place : path, &receipt, err);
    if (r < 0)
        return r;
    if (!json_is_string(json_object_get(receipt, "schema")) ||
        strcmp(json_string_value(json_object_get(receipt, "schema")), "fumehood.receipt/1") != 0)
        return base_err_set(err, BASE_E_INVALID, place, "is no receipt: its schema is not fumehood.receipt/1");
    if (!is_indented)
        say_last(values, number);
    *ret_receipt = TAKE_PTR(receipt);
    return 0;
}

/* ---- where from ------------------------------------------------------------------------------------------------- */

struct source {
    char path[4096];
    int fd; /* what came through a pipe, kept in memory; -1: a file */
};

static void source_release(struct source *source)
{
    base_cleanup_close(&source->fd);
}

#define STDIN_PLACE "standard input"

/* What is read more than once must be kept: a file of ours in memory. */
static int keep_stdin(struct source *source, struct base_err *err)
{
    char portion[65536];
    size_t total = 0;
    ssize_t count;

    source->fd = memfd_create("fumehood", MFD_CLOEXEC);
    if (source->fd < 0)
        return base_err_sys(err, BASE_E_IO, errno, STDIN_PLACE, "cannot be kept");
    while ((count = read(STDIN_FILENO, portion, sizeof(portion))) > 0) {
        total += (size_t)count;
        if (total > RECEIPT_MAX_BYTES)
            return base_err_set(err, BASE_E_TOO_LARGE, STDIN_PLACE, "has more than %zu bytes", RECEIPT_MAX_BYTES);
        if (base_file_write_all(source->fd, portion, (size_t)count, STDIN_PLACE, err) < 0)
            return err->code;
    }
    if (count < 0)
        return base_err_sys(err, BASE_E_IO, errno, STDIN_PLACE, "cannot be read");
    (void)snprintf(source->path, sizeof(source->path), "/proc/self/fd/%d", source->fd);
    return 0;
}

/* FILE, DIR of an evaluation, or standard input, which may be left out where something comes through it. */
static int open_source(const struct cli_syntax *command, const char *operand, struct source *source,
                       struct base_err *err)
{
    struct stat st;
    bool is_folder;

    if (!operand && isatty(STDIN_FILENO))
        return cli_options_err(command, err, "FILE is missing");
    if (!operand || strcmp(operand, "-") == 0) {
        int r = keep_stdin(source, err);
        bool is_empty = r >= 0 && fstat(source->fd, &st) == 0 && st.st_size == 0;
        return is_empty && !operand ? cli_options_err(command, err, "FILE is missing") : r;
    }
    is_folder = stat(operand, &st) == 0 && S_ISDIR(st.st_mode);
    if (snprintf(source->path, sizeof(source->path), "%s%s", operand, is_folder ? "/receipts.jsonl" : "") >=
        (int)sizeof(source->path))
        return cli_options_err(command, err, "the path is too long");
    return 0;
}

static void name_source(const struct source *source, struct base_err *err)
{
    if (source->fd >= 0 && strncmp(err->place, source->path, strlen(source->path)) == 0)
        (void)snprintf(err->place, sizeof(err->place), STDIN_PLACE);
}

static int receipt_show(int argc, char **argv)
{
    CLEANUP(source_release) struct source source = {.fd = -1};
    AUTO_JSON json_t *receipt = NULL;
    struct values values = {0};
    struct cli_operands operands;
    struct base_err err;
    int r = cli_options_parse(&show_syntax, argc, argv, &values, &operands, &err);

    if (r == 1)
        return cli_say_end(0);
    if (r >= 0 && (values.run || values.task) && values.index)
        r = cli_options_err(&show_syntax, &err, "--index and --%s are two ways to say it: give one",
                            values.run ? "run" : "task");
    if (r >= 0 && (values.sample || values.at_case) && !values.task)
        r = cli_options_err(&show_syntax, &err, "--sample and --case need --task");
    if (r >= 0)
        r = open_source(&show_syntax, operands.items[0], &source, &err);
    if (r >= 0)
        r = load_receipt(source.path, &values, &receipt, &err);
    if (r >= 0 && values.json)
        r = cli_say_json(receipt, true, &err);
    if (r < 0) {
        name_source(&source, &err);
        return cli_say_error_view(&err);
    }
    if (!values.json)
        cli_receipt_show(receipt, values.all);
    return cli_say_end(0);
}

/* @name beside @path, if it is there and of that kind, else NULL. */
static const char *find_beside(const char *path, const char *name, mode_t kind, char *text, size_t text_bytes)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    struct stat st;

    if ((size_t)snprintf(text, text_bytes, "%.*s%s", folder, path, name) >= text_bytes)
        return NULL;
    return stat(text, &st) == 0 && (st.st_mode & S_IFMT) == kind ? text : NULL;
}

static bool is_named(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, name) == 0;
}

static int check_folder(const char *path, struct base_err *err)
{
    struct stat st;
    if (path && (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)))
        return base_err_set(err, BASE_E_USAGE, path, "is not a folder");
    return 0;
}

static const char *plural(unsigned long count)
{
    return count == 1 ? "" : "s";
}

/* "FOLDER/" of @path, in which @name lies beside it. */
static void name_beside(const char *path, const char *name, char *text, size_t text_bytes)
{
    const char *slash = strrchr(path, '/');

    (void)snprintf(text, text_bytes, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
}

static void say_wrong(const struct receipt_verdict *verdict, const char *path, const struct receipt_beside *beside)
{
    char place[4096];

    if (verdict->bad_file[0] || (verdict->in_results && !beside->results))
        name_beside(path, verdict->bad_file[0] ? verdict->bad_file : "results.jsonl", place, sizeof(place));
    else
        (void)snprintf(place, sizeof(place), "%s", verdict->in_results ? beside->results : path);
    if (verdict->bad_file[0])
        cli_say_note("%s: %s", place, verdict->why);
    else if (verdict->in_results || verdict->receipts == 0)
        cli_say_note("%s:%lu: %s", place, verdict->bad_line, verdict->why);
    else if (verdict->bad_line <= verdict->receipts)
        cli_say_note("%s:%lu: %s", place, verdict->bad_line, verdict->why);
    else
        cli_say_note("%s:%lu: %s (the %lu receipt%s before it %s right)", place, verdict->bad_line, verdict->why,
                     verdict->receipts, plural(verdict->receipts), verdict->receipts == 1 ? "is" : "are");
}

static int say_verdict(const struct receipt_verdict *verdict, const char *path, const struct receipt_beside *beside)
{
    char place[4096];

    if (verdict->bad_line) {
        say_wrong(verdict, path, beside);
        return cli_say_end(1);
    }
    cli_say_visible(stdout, path, strlen(path));
    printf(": %lu receipt%s, all right%s\n", verdict->receipts, plural(verdict->receipts),
           verdict->has_objects ? ", with the bytes that ran" : "; the bytes that ran were not checked");
    if (verdict->has_results) {
        name_beside(path, "results.jsonl", place, sizeof(place));
        cli_say_visible(stdout, beside->results ? beside->results : place,
                        strlen(beside->results ? beside->results : place));
        printf(": %lu result%s, as the receipts say\n", verdict->results, plural(verdict->results));
    }
    if (verdict->not_run)
        printf("it was interrupted: %zu candidate%s without a verdict (go on with --resume)\n", verdict->not_run,
               plural(verdict->not_run));
    printf("head %s\n", verdict->receipts ? verdict->head : "none");
    return cli_say_end(0);
}

static void choose_beside(const char *path, const struct values *values, char *text, size_t text_bytes,
                          struct receipt_beside *ret_beside)
{
    const char *slash = strrchr(path, '/');

    if (values->alone)
        return;
    ret_beside->objects_dir = values->objects;
    ret_beside->results = values->results;
    if (is_named(path, "receipts.jsonl") && !values->results && (size_t)(slash ? slash - path + 2 : 2) < text_bytes) {
        (void)snprintf(text, text_bytes, "%.*s", slash ? (int)(slash + 1 - path) : 1, slash ? path : ".");
        ret_beside->folder = text;
    } else if (!values->objects)
        ret_beside->objects_dir = find_beside(path, "objects", S_IFDIR, text, text_bytes);
}

static int receipt_verify(int argc, char **argv)
{
    CLEANUP(source_release) struct source source = {.fd = -1};
    struct values values = {0};
    struct cli_operands operands;
    struct receipt_verdict verdict = {0};
    struct receipt_beside beside = {0};
    struct base_err err;
    char text[4096];
    int r = cli_options_parse(&verify_syntax, argc, argv, &values, &operands, &err);

    if (r == 1)
        return cli_say_end(0);
    if (r >= 0 && values.alone && (values.objects || values.results))
        r = cli_options_err(&verify_syntax, &err, "--alone looks at nothing else: leave out --objects and --results");
    if (r >= 0)
        r = check_folder(values.objects, &err);
    if (r >= 0)
        r = open_source(&verify_syntax, operands.items[0], &source, &err);
    if (r < 0)
        return cli_say_error_view(&err);
    choose_beside(source.path, &values, text, sizeof(text), &beside);
    r = receipt_verify_file(source.path, &beside, &verdict, &err);
    if (r >= 0)
        return say_verdict(&verdict, source.fd < 0 ? source.path : STDIN_PLACE, &beside);
    name_source(&source, &err);
    return cli_say_error_view(&err);
}

static const struct cli_subject subjects[] = {
    {"show", receipt_show, "print a receipt for people"},
    {"verify", receipt_verify, "check hashes, chain and the bytes that ran"},
    {NULL},
};

int cli_receipt(int argc, char **argv)
{
    return cli_subject_run("receipt", subjects, argc, argv);
}
