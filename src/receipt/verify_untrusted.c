/* verify_untrusted.c - check receipts that may come from anybody
 *
 * One receipt, and one result, is in memory at a time. Nothing in the file is believed: the hash is computed anew from
 * the canonical form, and the program's bytes are read from the store.
 */
#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/lines.h"
#include "receipt/internal.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Fields without which an object is no receipt, however well it is sealed. */
static const struct field {
    const char *key;
    json_type type;
} fields[] = {
    {"run_id", JSON_STRING},   {"started_utc", JSON_STRING}, {"version", JSON_STRING}, {"tier", JSON_STRING},
    {"program", JSON_OBJECT},  {"policy", JSON_OBJECT},      {"limits", JSON_OBJECT},  {"ending", JSON_OBJECT},
    {"denials", JSON_ARRAY},   {"usage", JSON_OBJECT},       {"stdout", JSON_OBJECT},  {"stderr", JSON_OBJECT},
    {"teardown", JSON_OBJECT},
};

#define SEEN_MAX 256

struct verify {
    const struct receipt_beside *beside;
    struct receipt_results *results; /* NULL: not looked at */
    struct receipt_verdict *verdict;
    struct base_err *err;
    bool unparsed; /* the last text was not JSON at all */
    struct seen {
        char sha256[BASE_HASH_HEX];
        uint64_t bytes;
    } seen[SEEN_MAX]; /* objects found right: many receipts share a program */
};

bool receipt_is_hash(const char *text)
{
    return text && strspn(text, "0123456789abcdef") == BASE_HASH_HEX - 1 && strlen(text) == BASE_HASH_HEX - 1;
}

int receipt_wrong(char *why, size_t why_bytes, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(why, why_bytes, fmt, args);
    va_end(args);
    return 0;
}

static int check_schema(const json_t *receipt, char *why, size_t why_bytes)
{
    const char *schema = json_string_value(json_object_get(receipt, "schema"));

    if (!json_is_object(receipt))
        return receipt_wrong(why, why_bytes, "is not a JSON object");
    if (!schema || strcmp(schema, RECEIPT_SCHEMA) != 0)
        return receipt_wrong(why, why_bytes, "its schema is not " RECEIPT_SCHEMA);
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
        const json_t *value = json_object_get(receipt, fields[i].key);

        if (!value || json_typeof(value) != fields[i].type)
            return receipt_wrong(why, why_bytes, "%s is missing or of the wrong kind", fields[i].key);
    }
    return 1;
}

static int check_link(const json_t *receipt, const char *head, char *why, size_t why_bytes)
{
    const json_t *previous = json_object_get(receipt, "previous_sha256");
    const char *text = json_string_value(previous);

    if (!json_is_null(previous) && !receipt_is_hash(text))
        return receipt_wrong(why, why_bytes, "previous_sha256 is neither null nor a hash");
    if (head[0] == '\0' && text)
        return receipt_wrong(why, why_bytes, "is the first one here, but names one before it (%.12s...)", text);
    if (head[0] != '\0' && !text)
        return receipt_wrong(why, why_bytes, "previous_sha256 is null, but there is a receipt before it");
    if (text && strcmp(text, head) != 0)
        return receipt_wrong(why, why_bytes, "previous_sha256 is %.12s..., but the receipt before it is %.12s...", text,
                             head);
    return 1;
}

int receipt_check(json_t *receipt, char head[BASE_HASH_HEX], char *why, size_t why_bytes)
{
    char claimed[BASE_HASH_HEX], real[BASE_HASH_HEX];
    const char *text = json_string_value(json_object_get(receipt, "sha256"));
    int r = check_schema(receipt, why, why_bytes);

    if (r <= 0)
        return r;
    if (!receipt_is_hash(text))
        return receipt_wrong(why, why_bytes, "sha256 is missing or not a hash");
    memcpy(claimed, text, sizeof(claimed));
    r = receipt_body_hash(receipt, real);
    if (r < 0)
        return r;
    if (strcmp(claimed, real) != 0)
        return receipt_wrong(why, why_bytes, "sha256 says %.12s..., its content has %.12s...", claimed, real);
    r = check_link(receipt, head, why, why_bytes);
    if (r == 1)
        memcpy(head, real, BASE_HASH_HEX);
    return r;
}

static int hash_file(const char *path, char ret_hex[BASE_HASH_HEX], uint64_t *ret_bytes, struct base_err *err)
{
    AUTO_CLOSE int fd = -1;
    struct base_hash hash;
    char chunk[16384];
    ssize_t got;
    int r = base_file_open(path, &fd, NULL, err);

    if (r < 0)
        return r;
    base_hash_init(&hash);
    *ret_bytes = 0;
    while ((got = read(fd, chunk, sizeof(chunk))) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return base_err_sys(err, BASE_E_IO, errno, path, "cannot be read");
        base_hash_update(&hash, chunk, (size_t)got);
        *ret_bytes += (uint64_t)got;
    }
    base_hash_hex(&hash, ret_hex);
    return 0;
}

/* Is objects/<sha256> there and unchanged? Remembers the good ones. */
static int find_object(struct verify *verify, const char *sha256, const struct seen **ret_seen, char *why,
                       size_t why_bytes)
{
    struct seen *seen = &verify->seen[(sha256[0] & 15) << 4 | (sha256[1] & 15)];
    char path[PATH_MAX], real[BASE_HASH_HEX];
    struct base_err err;
    uint64_t bytes;

    *ret_seen = seen;
    if (strcmp(seen->sha256, sha256) == 0)
        return 1;
    if (snprintf(path, sizeof(path), "%s/%s", verify->beside->objects_dir, sha256) >= (int)sizeof(path))
        return receipt_wrong(why, why_bytes, "the path of the objects is too long");
    if (hash_file(path, real, &bytes, &err) < 0)
        return receipt_wrong(why, why_bytes, "its program %.12s... in the objects: %.128s", sha256, err.what);
    if (strcmp(real, sha256) != 0)
        return receipt_wrong(why, why_bytes, "its program %.12s... was changed in the objects", sha256);
    memcpy(seen->sha256, sha256, BASE_HASH_HEX);
    seen->bytes = bytes;
    return 1;
}

static int check_object(struct verify *verify, const json_t *program, char *why, size_t why_bytes)
{
    const char *sha256 = json_string_value(json_object_get(program, "sha256"));
    const json_t *bytes = json_object_get(program, "bytes");
    const struct seen *seen;

    if (!receipt_is_hash(sha256))
        return receipt_wrong(why, why_bytes, "program.sha256 is missing or not a hash");
    if (!find_object(verify, sha256, &seen, why, why_bytes))
        return 0;
    if (!json_is_integer(bytes) || (uint64_t)json_integer_value(bytes) != seen->bytes)
        return receipt_wrong(why, why_bytes, "program.bytes is not the length of its program");
    return 1;
}

/* The program, and the candidate's code where the program was only the driver around it. */
static int check_objects(struct verify *verify, const json_t *receipt)
{
    struct receipt_verdict *verdict = verify->verdict;
    const json_t *code = json_object_get(json_object_get(receipt, "eval"), "code_sha256");
    const struct seen *seen;
    int r = check_object(verify, json_object_get(receipt, "program"), verdict->why, sizeof(verdict->why));

    if (r != 1 || !code)
        return r;
    if (!receipt_is_hash(json_string_value(code)))
        return receipt_wrong(verdict->why, sizeof(verdict->why), "eval.code_sha256 is not a hash");
    return find_object(verify, json_string_value(code), &seen, verdict->why, sizeof(verdict->why));
}

/* The result of this receipt's run, if there is one. */
static int check_result(struct verify *verify, const json_t *receipt)
{
    struct receipt_verdict *verdict = verify->verdict;
    int r = receipt_results_match(verify->results, receipt, verdict->why, sizeof(verdict->why), verify->err);

    verdict->in_results = r == 0;
    if (r == 0)
        verdict->bad_line = receipt_results_line(verify->results);
    return r;
}

static int no_memory(struct verify *verify)
{
    return base_err_set(verify->err, BASE_E_NOMEM, "receipt", "out of memory");
}

/* Returns 1 when the receipt is right, 0 when it or its result is not, or an error. */
static int check_one(struct verify *verify, json_t *receipt, unsigned long line)
{
    struct receipt_verdict *verdict = verify->verdict;
    char head[BASE_HASH_HEX];
    int r;

    memcpy(head, verdict->head, sizeof(head));
    r = receipt_check(receipt, head, verdict->why, sizeof(verdict->why));
    if (r == 1 && verify->beside->objects_dir)
        r = check_objects(verify, receipt);
    if (r < 0)
        return no_memory(verify);
    if (r == 0) {
        verdict->bad_line = line;
        return 0;
    }
    memcpy(verdict->head, head, sizeof(head));
    verdict->receipts++;
    return verify->results ? check_result(verify, receipt) : 1;
}

static int check_text(struct verify *verify, const struct base_buf *text, unsigned long line)
{
    AUTO_JSON json_t *receipt = NULL;
    struct receipt_verdict *verdict = verify->verdict;
    struct base_err parse_err;
    int r = base_json_parse(text->bytes ? text->bytes : "", text->count, "receipt", &receipt, &parse_err);

    verify->unparsed = r == BASE_E_INVALID || r == BASE_E_TOO_LARGE;
    if (verify->unparsed) {
        verdict->bad_line = line;
        return receipt_wrong(verdict->why, sizeof(verdict->why), "is torn or damaged: %s", parse_err.what);
    }
    return r < 0 ? no_memory(verify) : check_one(verify, receipt, line);
}

static void free_lines(struct base_lines **lines)
{
    base_lines_close(*lines);
}

static int check_lines(struct verify *verify, const char *path)
{
    CLEANUP(free_lines) struct base_lines *lines = NULL;
    AUTO_BUF struct base_buf line = {0};
    uint64_t used = 0;
    int r = base_lines_open(path, RECEIPT_MAX_BYTES, &lines, verify->err);

    if (r < 0)
        return r;
    do {
        r = base_lines_next(lines, &line, verify->err);
        used += line.count + 1;
        if (r == 1 && verify->beside->whole && used > verify->beside->receipts_bytes)
            return 0; /* torn, which its owner knows */
        if (r == 1)
            r = check_text(verify, &line, base_lines_number(lines));
    } while (r == 1);
    return r;
}

/* A single receipt may also be spread over lines, as people and tools like to print it. */
static int check_whole(struct verify *verify, const char *path)
{
    AUTO_BUF struct base_buf text = {0};
    AUTO_JSON json_t *receipt = NULL;
    int r = base_lines_read_all(path, RECEIPT_MAX_BYTES, &text, verify->err);

    if (r == BASE_E_TOO_LARGE) /* then it is a file of many lines, and its first is wrong */
        return 0;
    if (r < 0)
        return r;
    r = base_json_parse(text.bytes ? text.bytes : "", text.count, path, &receipt, NULL);
    if (r < 0)
        return r == BASE_E_NOMEM ? no_memory(verify) : 0;
    verify->verdict->bad_line = 0;
    r = check_one(verify, receipt, 1);
    return r < 0 ? r : 0;
}

/* Results behind those of the last receipt. */
static int check_rest(struct verify *verify)
{
    struct receipt_verdict *verdict = verify->verdict;
    int r;

    if (verdict->bad_line == 0) {
        r = receipt_results_end(verify->results, verdict->why, sizeof(verdict->why), verify->err);
        if (r < 0)
            return r;
        verdict->in_results = r == 0;
        if (r == 0)
            verdict->bad_line = receipt_results_line(verify->results);
    }
    verdict->results = receipt_results_right(verify->results);
    return 0;
}

static int check_objects_dir(const char *objects_dir, struct base_err *err)
{
    AUTO_CLOSE int fd = objects_dir ? open(objects_dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

    if (!objects_dir || fd >= 0)
        return 0;
    return base_err_sys(err, errno == ENOENT ? BASE_E_NOT_FOUND : BASE_E_IO, errno, objects_dir, "cannot be opened");
}

static int check_all(struct verify *verify, const char *path)
{
    const struct receipt_beside *beside = verify->beside;
    int r = check_objects_dir(beside->objects_dir, verify->err);

    if (r == 0 && beside->results)
        r = receipt_results_open(beside->results, beside->whole ? beside->results_bytes : UINT64_MAX, &verify->results,
                                 verify->err);
    if (r == 0)
        r = check_lines(verify, path);
    if (r == 0 && verify->verdict->bad_line == 1 && verify->unparsed && !beside->whole)
        r = check_whole(verify, path);
    if (r == 0 && verify->results)
        r = check_rest(verify);
    return r;
}

static void verify_release(struct verify *verify)
{
    receipt_results_close(verify->results);
}

int receipt_verify_file(const char *path, const struct receipt_beside *beside, struct receipt_verdict *ret_verdict,
                        struct base_err *err)
{
    static const struct receipt_beside nothing = {0};
    struct receipt_verdict verdict = {0};
    CLEANUP(verify_release)
    struct verify verify = {.beside = beside ? beside : &nothing, .verdict = &verdict, .err = err};
    int r = check_all(&verify, path);

    if (r < 0)
        return r;
    if (verdict.bad_line == 0)
        verdict.why[0] = '\0';
    if (verdict.bad_line == 0 && verdict.receipts == 0 && !verify.beside->whole) {
        verdict.bad_line = 1;
        (void)receipt_wrong(verdict.why, sizeof(verdict.why), "there is no receipt in it");
    }
    *ret_verdict = verdict;
    return 0;
}
