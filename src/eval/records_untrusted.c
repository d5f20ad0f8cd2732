/* records_untrusted.c - cut a file into JSON objects
 *
 * Task sets and candidates come from anybody. Lines are read in flat memory; an array is read whole and parsed element
 * by element, so that errors carry the line and a large set never stands in memory as one tree. What an object takes as
 * a tree is bounded before it is read.
 */

#include "base/cleanup.h"
#include "base/json_bound.h"
#include "base/lines.h"
#include "eval/odd.h"
#include "eval/records.h"
#include "judge/judge.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct eval_records {
    char path[PATH_MAX];
    char place[PATH_MAX + 32];
    struct base_lines *lines; /* NULL for an array */
    struct base_buf text;     /* the line, or the whole array */
    bool pending;             /* text holds a line that was not given out */
    size_t at;                /* ARRAY: next byte */
    unsigned long line;       /* of the object that came last; ARRAY: of `at` */
    unsigned long count;      /* objects given out */
    struct eval_records_bound bound;
    size_t memory;           /* of the object that came last */
    bool odd;                /* of that, too: see eval/odd.h */
    char twice[96];          /* and of that; "": nothing is */
    unsigned long last_line; /* and of that */
};

/* Only to find the place of a fault. */
#define NOT_AN_ARRAY_MAX ((size_t)64 << 20)

static const char byte_order_mark[] = "\xef\xbb\xbf";

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_blank(const struct base_buf *text)
{
    for (size_t i = 0; i < text->count; i++)
        if (!is_space(text->bytes[i]))
            return false;
    return true;
}

static void drop_mark(struct base_buf *text)
{
    if (text->count >= 3 && memcmp(text->bytes, byte_order_mark, 3) == 0)
        memset(text->bytes, ' ', 3);
}

/* The next line that is not blank: 1, 0 or an error. */
static int next_line(struct eval_records *records, struct base_err *err)
{
    int r;

    do {
        base_buf_clear(&records->text);
        r = base_lines_next(records->lines, &records->text, err);
        if (r <= 0)
            return r;
        records->line = base_lines_number(records->lines);
        if (records->line == 1)
            drop_mark(&records->text);
    } while (is_blank(&records->text));
    return 1;
}

static int say_lines(int code, struct base_err *err)
{
    if (code == BASE_E_TOO_LARGE && err && !*err->remedy)
        (void)base_err_remedy(err, "write one object a line: then each line is bounded, not the file (jq -c '.[]')");
    return code;
}

static int become_array(struct eval_records *records, struct base_err *err)
{
    int r;

    base_lines_close(TAKE_PTR(records->lines));
    base_buf_clear(&records->text);
    records->line = 1;
    r = base_lines_read_all(records->path, records->bound.bytes, &records->text, err);
    if (r >= 0)
        drop_mark(&records->text);
    return say_lines(r, err);
}

int eval_records_open(const char *path, struct eval_records_bound bound, struct eval_records **ret_records,
                      struct base_err *err)
{
    AUTO_RECORDS struct eval_records *records = calloc(1, sizeof(*records));
    size_t first = 0;
    int r;

    if (!records)
        return base_err_set(err, BASE_E_NOMEM, path, "out of memory");
    if (snprintf(records->path, sizeof(records->path), "%s", path) >= (int)sizeof(records->path))
        return base_err_set(err, BASE_E_INVALID, path, "the path is too long");
    r = base_lines_open(path, bound.bytes, &records->lines, err);
    if (r == BASE_E_IO && err && err->sys_errno == EACCES)
        return base_err_sys(err, BASE_E_INVALID, EACCES, path, "cannot be read"); /* no fault of the machine */
    if (r >= 0)
        r = say_lines(next_line(records, err), err);
    if (r < 0)
        return r;
    if (r == 0)
        return base_err_set(err, BASE_E_INVALID, path, "is empty");
    records->pending = true;
    records->bound = bound;
    while (is_space(records->text.bytes[first]))
        first++;
    if (records->text.bytes[first] == '[')
        r = become_array(records, err);
    if (r < 0)
        return r;
    *ret_records = TAKE_PTR(records);
    return 0;
}

/* ---- arrays ---------------------------------------------------------------------------------------------------- */

static bool at_end(const struct eval_records *records)
{
    return records->at >= records->text.count;
}

static void step(struct eval_records *records)
{
    if (records->text.bytes[records->at++] == '\n')
        records->line++;
}

static void skip_spaces(struct eval_records *records)
{
    while (!at_end(records) && is_space(records->text.bytes[records->at]))
        step(records);
}

static void skip_string(struct eval_records *records)
{
    for (step(records); !at_end(records) && records->text.bytes[records->at] != '"'; step(records))
        if (records->text.bytes[records->at] == '\\' && records->at + 1 < records->text.count)
            step(records);
    if (!at_end(records))
        step(records);
}

/* Past one element, up to the ',' or ']' behind it. */
static void skip_element(struct eval_records *records)
{
    size_t levels = 0;

    while (!at_end(records)) {
        char c = records->text.bytes[records->at];
        if (levels == 0 && (c == ',' || c == ']'))
            return;
        if (c == '"') {
            skip_string(records);
            continue;
        }
        if (c == '[' || c == '{')
            levels++;
        else if ((c == ']' || c == '}') && levels > 0)
            levels--;
        step(records);
    }
}

static int parse(struct eval_records *records, const char *bytes, size_t count, unsigned long line, json_t **ret_json,
                 struct base_err *err)
{
    static const char found[] = "duplicate object key";
    int r = judge_value_parse(bytes, count, records->path, line, ret_json, err);
    const char *what = r == BASE_E_INVALID && records->bound.twice ? strstr(err->what, found) : NULL;
    const char *name = what ? strstr(what, "near '") : NULL;
    struct base_err other;

    if (!what || judge_value_parse_twice(bytes, count, records->path, line, ret_json, &other) < 0)
        return r;
    name = name ? name + strlen("near '") : "a key";
    (void)snprintf(records->twice, sizeof(records->twice), "%.*s is there twice", (int)strcspn(name, "'"), name);
    return 0;
}

/* One object, whose first line is @line. */
static int read_object(struct eval_records *records, const char *bytes, size_t count, unsigned long line,
                       json_t **ret_json, struct base_err *err)
{
    AUTO_BUF struct base_buf spelled = {.max = 2 * records->bound.bytes};
    int r = eval_odd_spell(bytes, count, &spelled);

    if (r < 0)
        return base_err_set(err, r, records->path,
                            r == BASE_E_NOMEM ? "out of memory" : "has too much that is no text");
    records->odd = r > 0;
    records->twice[0] = '\0';
    records->last_line = line;
    bytes = r > 0 ? spelled.bytes : bytes;
    count = r > 0 ? spelled.count : count;
    r = base_json_check(bytes, count, records->bound.memory_bytes, records->path, line, &records->memory, err);
    return r < 0 ? r : parse(records, bytes, count, line, ret_json, err);
}

/* The whole text is not one array: let the parser say where, unless it is too large for it. */
static int not_an_array(struct eval_records *records, struct base_err *err)
{
    const struct base_buf *text = &records->text;
    struct base_json_bound bound;
    char place[sizeof(records->place)];
    json_t *json = NULL;
    int r = base_json_bound(text->bytes, text->count, NOT_AN_ARRAY_MAX, &bound);

    if (r == 0) {
        r = (records->bound.twice ? judge_value_parse_twice : judge_value_parse)(text->bytes, text->count,
                                                                                 records->path, 1, &json, err);
        json_decref(json);
        return r < 0 ? r : base_err_set(err, BASE_E_INVALID, records->path, "is not an array of objects");
    }
    (void)snprintf(place, sizeof(place), "%s:%lu", records->path, records->line);
    return base_err_set(err, BASE_E_INVALID, place, "is not an array of objects: the one that ends here is not JSON");
}

static int next_element(struct eval_records *records, json_t **ret_json, struct base_err *err)
{
    unsigned long line;
    size_t start;
    char c;
    int r;

    skip_spaces(records);
    if (at_end(records))
        return not_an_array(records, err);
    c = records->text.bytes[records->at];
    if (c == ']') {
        step(records);
        skip_spaces(records);
        return at_end(records) ? 0 : not_an_array(records, err);
    }
    if (c != (records->count == 0 ? '[' : ','))
        return not_an_array(records, err);
    step(records);
    skip_spaces(records);
    if (records->count == 0 && !at_end(records) && records->text.bytes[records->at] == ']')
        return next_element(records, ret_json, err); /* an empty array */
    start = records->at;
    line = records->line;
    (void)snprintf(records->place, sizeof(records->place), "%s:%lu", records->path, records->line);
    skip_element(records);
    r = read_object(records, records->text.bytes + start, records->at - start, line, ret_json, err);
    if (r == BASE_E_INVALID)
        return not_an_array(records, err);
    return r < 0 ? r : 1;
}

/* ---------------------------------------------------------------------------------------------------------------- */

static int next_from_lines(struct eval_records *records, json_t **ret_json, struct base_err *err)
{
    int r = records->pending ? 1 : next_line(records, err);

    records->pending = false;
    if (r <= 0)
        return r;
    (void)snprintf(records->place, sizeof(records->place), "%s:%lu", records->path, records->line);
    r = read_object(records, records->text.bytes, records->text.count, records->line, ret_json, err);
    if (r == BASE_E_INVALID && records->count == 0)
        base_err_remedy(err,
                        "one JSON object a line; or put [ ] around objects that span lines, and commas between them");
    return r < 0 ? r : 1;
}

int eval_records_next(struct eval_records *records, json_t **ret_json, struct base_err *err)
{
    json_t *json = NULL;
    int r = records->lines ? next_from_lines(records, &json, err) : next_element(records, &json, err);

    if (r <= 0)
        return r;
    records->count++;
    if (json_is_object(json)) {
        *ret_json = json;
        return 1;
    }
    json_decref(json);
    return base_err_set(err, BASE_E_INVALID, records->place, "is not a JSON object");
}

void eval_records_bound_memory(struct eval_records *records, size_t memory_max_bytes)
{
    records->bound.memory_bytes = memory_max_bytes;
}

size_t eval_records_memory(const struct eval_records *records)
{
    return records->memory;
}

bool eval_records_is_odd(const struct eval_records *records)
{
    return records->odd;
}

const char *eval_records_twice(const struct eval_records *records)
{
    return *records->twice ? records->twice : NULL;
}

unsigned long eval_records_line(const struct eval_records *records)
{
    return records->last_line;
}

const char *eval_records_place(const struct eval_records *records)
{
    return records->place;
}

void eval_records_close(struct eval_records *records)
{
    if (!records)
        return;
    base_lines_close(records->lines);
    base_buf_release(&records->text);
    free(records);
}
