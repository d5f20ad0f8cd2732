/* verify_untrusted.c - check receipts that may come from anybody
 *
 * One receipt, and one result, is in memory at a time. Nothing in the file is believed: the hash is computed anew from
 * the canonical form, and the program's bytes are read from the store.
 */
#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/lines.h"
#include "receipt/account.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

#define SMALL_MAX_BYTES ((size_t)1 << 20) /* of eval.json and summary.json */

struct verify {
    const struct receipt_beside *beside;
    int folder_fd, objects_fd;       /* -1: not looked at */
    struct receipt_results *results; /* NULL: not looked at */
    struct receipt_account *account;
    struct receipt_verdict *verdict;
    struct base_err *err;
    bool unparsed; /* the last text was not JSON at all */
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

static int hash_file(int dir_fd, const char *name, char ret_hex[BASE_HASH_HEX], uint64_t *ret_bytes,
                     struct base_err *err)
{
    AUTO_CLOSE int fd = -1;
    struct base_hash hash;
    char chunk[16384];
    ssize_t got;
    int r = base_file_open_in(dir_fd, name, name, &fd, err);

    if (r < 0)
        return r;
    base_hash_init(&hash);
    *ret_bytes = 0;
    while ((got = read(fd, chunk, sizeof(chunk))) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return base_err_sys(err, BASE_E_IO, errno, name, "cannot be read");
        base_hash_update(&hash, chunk, (size_t)got);
        *ret_bytes += (uint64_t)got;
    }
    base_hash_hex(&hash, ret_hex);
    return 0;
}

/* Is objects/<sha256> there and unchanged? Each is read once: many receipts share a program. */
static int find_object(struct verify *verify, const char *sha256, const struct receipt_object **ret_object, char *why,
                       size_t why_bytes)
{
    struct receipt_object *object;
    char real[BASE_HASH_HEX];
    struct base_err err;
    bool known;

    if (receipt_account_object(verify->account, sha256, &object, &known) < 0)
        return BASE_E_NOMEM;
    *ret_object = object;
    if (known)
        return 1;
    if (hash_file(verify->objects_fd, sha256, real, &object->bytes, &err) < 0)
        return receipt_wrong(why, why_bytes, "its program %.12s... in the objects: %.128s", sha256, err.what);
    if (strcmp(real, sha256) != 0)
        return receipt_wrong(why, why_bytes, "its program %.12s... was changed in the objects", sha256);
    return 1;
}

static int check_object(struct verify *verify, const json_t *program, char *why, size_t why_bytes)
{
    const char *sha256 = json_string_value(json_object_get(program, "sha256"));
    const json_t *bytes = json_object_get(program, "bytes");
    const struct receipt_object *object;
    int r;

    if (!receipt_is_hash(sha256))
        return receipt_wrong(why, why_bytes, "program.sha256 is missing or not a hash");
    r = find_object(verify, sha256, &object, why, why_bytes);
    if (r != 1)
        return r;
    if (!json_is_integer(bytes) || (uint64_t)json_integer_value(bytes) != object->bytes)
        return receipt_wrong(why, why_bytes, "program.bytes is not the length of its program");
    return 1;
}

/* The program, and the candidate's code where the program was only the driver around it. */
static int check_objects(struct verify *verify, const json_t *receipt)
{
    struct receipt_verdict *verdict = verify->verdict;
    const json_t *code = json_object_get(json_object_get(receipt, "eval"), "code_sha256");
    const struct receipt_object *object;
    int r = check_object(verify, json_object_get(receipt, "program"), verdict->why, sizeof(verdict->why));

    if (r != 1 || !code)
        return r;
    if (!receipt_is_hash(json_string_value(code)))
        return receipt_wrong(verdict->why, sizeof(verdict->why), "eval.code_sha256 is not a hash");
    return find_object(verify, json_string_value(code), &object, verdict->why, sizeof(verdict->why));
}

/* The code that a result names: of a run its receipt does, too. */
static int check_code(void *context, const json_t *result, char *why, size_t why_bytes)
{
    struct verify *verify = context;
    const char *code = json_string_value(json_object_get(result, "code_sha256"));
    const struct receipt_object *object;

    return code && verify->objects_fd >= 0 && receipt_is_hash(code) ? find_object(verify, code, &object, why, why_bytes)
                                                                    : 1;
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
    if (r == 1 && verify->objects_fd >= 0)
        r = check_objects(verify, receipt);
    if (r == 1)
        r = receipt_account_receipt(verify->account, receipt, line, verdict->why, sizeof(verdict->why));
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

static int check_lines(struct verify *verify, const char *path)
{
    AUTO_LINES struct base_lines *lines = NULL;
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

/* ---- a folder as a whole ------------------------------------------------------------------------------------------
 */

/* Something is wrong with the file @name as a whole; @verdict->why says what. Returns 0. */
static int bad_file(struct verify *verify, const char *name)
{
    (void)snprintf(verify->verdict->bad_file, sizeof(verify->verdict->bad_file), "%s", name);
    verify->verdict->bad_line = 1;
    return 0;
}

static int is_missing(struct verify *verify, const char *name, const char *what)
{
    struct receipt_verdict *verdict = verify->verdict;

    (void)receipt_wrong(verdict->why, sizeof(verdict->why), "%s", what);
    return bad_file(verify, name);
}

/* One of the two small files. 1 with *@ret_json, 0, or negative. */
static int load_small(struct verify *verify, const char *name, json_t **ret_json)
{
    AUTO_BUF struct base_buf text = {0};
    struct base_err err;
    int r = base_file_read_in(verify->folder_fd, name, name, SMALL_MAX_BYTES, &text, &err);

    if (r == BASE_E_NOT_FOUND)
        return is_missing(verify, name, "is missing");
    if (r == 0)
        r = base_json_parse(text.bytes ? text.bytes : "", text.count, name, ret_json, &err);
    if (r == BASE_E_NOMEM)
        return base_err_set(verify->err, r, name, "out of memory");
    return r < 0 ? is_missing(verify, name, err.what) : 1;
}

static int check_rows(struct verify *verify, bool whole)
{
    struct receipt_verdict *verdict = verify->verdict;

    return receipt_account_end(verify->account, whole, &verdict->in_results, &verdict->bad_line, verdict->why,
                               sizeof(verdict->why));
}

/* An account fails for want of memory only. */
static int heard(struct verify *verify, int r)
{
    return r < 0 ? no_memory(verify) : r;
}

static int check_small_files(struct verify *verify)
{
    struct receipt_verdict *verdict = verify->verdict;
    AUTO_JSON json_t *manifest = NULL, *summary = NULL;
    int r = load_small(verify, "eval.json", &manifest);

    if (r == 1)
        r = heard(verify, receipt_account_manifest(verify->account, manifest, verdict->why, sizeof(verdict->why)));
    if (r == 0 && !verdict->bad_file[0])
        return bad_file(verify, "eval.json");
    if (r == 1)
        r = load_small(verify, "summary.json", &summary);
    if (r == 0 && strcmp(verdict->why, "is missing") == 0 && strcmp(verdict->bad_file, "summary.json") == 0)
        return is_missing(
            verify, "summary.json",
            "is missing: it was removed, or the evaluation did not come to its end (go on with --resume)");
    if (r == 1)
        r = check_rows(verify, true);
    if (r != 1)
        return r;
    r = heard(verify, receipt_account_summary(verify->account, summary, manifest, verdict->receipts, verdict->head,
                                              verdict->why, sizeof(verdict->why)));
    verdict->not_run = (size_t)json_integer_value(json_object_get(summary, "not_run"));
    return r == 0 ? bad_file(verify, "summary.json") : r;
}

static int check_name(struct verify *verify, const char *name)
{
    struct receipt_verdict *verdict = verify->verdict;
    char path[sizeof(verdict->bad_file)];
    const char *what = NULL;
    struct stat st;

    if (!receipt_is_hash(name))
        what = "is no object: its name is not a hash";
    else if (fstatat(verify->objects_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
        what = "is not a regular file";
    else if (!receipt_account_find_object(verify->account, name))
        what = "is of no receipt and no result";
    if (!what)
        return 1;
    (void)snprintf(path, sizeof(path), "objects/%.80s", name);
    return is_missing(verify, path, what);
}

static void close_dir(DIR **dir)
{
    if (*dir)
        (void)closedir(*dir); /* it was only read */
}

/* Nothing lies among the objects that nobody speaks of. */
static int check_object_names(struct verify *verify)
{
    int fd = openat(verify->objects_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 1;
    CLEANUP(close_dir) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    if (!dir) {
        base_cleanup_close(&fd);
        return base_err_sys(verify->err, BASE_E_IO, errno, "objects", "cannot be listed");
    }
    while (r == 1 && (entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            r = check_name(verify, entry->d_name);
    return r;
}

/* A file of lines ends with one. */
static int check_end_of_line(struct verify *verify, const char *name)
{
    AUTO_CLOSE int fd = openat(verify->folder_fd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    char last = '\n';

    if (end > 0 && pread(fd, &last, 1, end - 1) != 1)
        return base_err_sys(verify->err, BASE_E_IO, errno, name, "cannot be read");
    return last == '\n' ? 1 : is_missing(verify, name, "ends within a line: it is torn");
}

static int check_folder(struct verify *verify)
{
    int r = check_end_of_line(verify, "receipts.jsonl");

    if (r == 1)
        r = check_end_of_line(verify, "results.jsonl");
    if (r == 1)
        r = check_small_files(verify);
    if (r == 1)
        r = check_object_names(verify);
    return r;
}

/* ---- all of it ----------------------------------------------------------------------------------------------------
 */

/* What lies in a folder of results beside the receipts; nothing of it: then they are looked at alone, for now. */
static bool has_company(int folder_fd)
{
    static const char *const names[] = {"results.jsonl", "objects", "eval.json", "summary.json"};
    struct stat st;

    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (fstatat(folder_fd, names[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
            return true;
    return false;
}

static int open_folder(struct verify *verify)
{
    const char *path = verify->beside->folder;

    if (!path)
        return 0;
    verify->folder_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (verify->folder_fd < 0)
        return base_err_sys(verify->err, errno == ENOENT ? BASE_E_NOT_FOUND : BASE_E_IO, errno, path,
                            "cannot be opened");
    return 0;
}

/* 1, 0 where it is missing, or an error. */
static int open_objects(struct verify *verify)
{
    const char *path = verify->beside->objects_dir;
    bool in_folder = !path && verify->folder_fd >= 0;

    if (!path && !in_folder)
        return 1;
    verify->objects_fd = in_folder ? openat(verify->folder_fd, "objects", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                                   : open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    verify->verdict->has_objects = verify->objects_fd >= 0;
    if (verify->objects_fd >= 0)
        return 1;
    if (in_folder)
        return is_missing(verify, "objects", errno == ENOENT ? "is missing" : "is not a folder");
    return base_err_sys(verify->err, errno == ENOENT ? BASE_E_NOT_FOUND : BASE_E_IO, errno, path, "cannot be opened");
}

static int open_results(struct verify *verify)
{
    const struct receipt_beside *beside = verify->beside;
    bool in_folder = !beside->results && verify->folder_fd >= 0;
    const struct receipt_source source = {in_folder ? verify->folder_fd : -1,
                                          in_folder ? "results.jsonl" : beside->results};
    struct base_err err;
    int r;

    if (!source.path)
        return 1;
    r = receipt_results_open(&source, beside->whole ? beside->results_bytes : UINT64_MAX, verify->account,
                             &verify->results, &err);
    if (in_folder && (r == BASE_E_NOT_FOUND || r == BASE_E_INVALID))
        return is_missing(verify, "results.jsonl", r == BASE_E_INVALID ? err.what : "is missing");
    if (r < 0) {
        if (verify->err)
            *verify->err = err;
        return r;
    }
    receipt_results_each(verify->results, check_code, verify);
    verify->verdict->has_results = true;
    return 1;
}

static int check_files(struct verify *verify, const char *path)
{
    const struct receipt_beside *beside = verify->beside;
    int r = check_lines(verify, path);

    if (r == 0 && verify->verdict->bad_line == 1 && verify->unparsed && !beside->whole)
        r = check_whole(verify, path);
    if (r == 0 && verify->results)
        r = check_rest(verify);
    if (r < 0 || verify->verdict->bad_line)
        return r;
    return verify->results ? check_rows(verify, false) : 1;
}

static int check_all(struct verify *verify, const char *path)
{
    bool alone = false;
    int r = open_folder(verify);

    if (r < 0)
        return r;
    if (verify->folder_fd >= 0 && !has_company(verify->folder_fd)) {
        base_cleanup_close(&verify->folder_fd);
        verify->folder_fd = -1;
        alone = true;
    }
    r = open_objects(verify);
    if (r == 1)
        r = open_results(verify);
    if (r == 1)
        r = check_files(verify, path);
    if (r != 1 || verify->verdict->bad_line)
        return r;
    if (alone && receipt_account_any(verify->account))
        return is_missing(verify, "results.jsonl", "is missing, as is all else that was with these receipts");
    return verify->folder_fd >= 0 ? check_folder(verify) : 1;
}

static void verify_release(struct verify *verify)
{
    receipt_results_close(verify->results);
    receipt_account_free(verify->account);
    base_cleanup_close(&verify->folder_fd);
    base_cleanup_close(&verify->objects_fd);
}

int receipt_verify_file(const char *path, const struct receipt_beside *beside, struct receipt_verdict *ret_verdict,
                        struct base_err *err)
{
    static const struct receipt_beside nothing = {0};
    struct receipt_verdict verdict = {0};
    CLEANUP(verify_release)
    struct verify verify = {.beside = beside ? beside : &nothing,
                            .folder_fd = -1,
                            .objects_fd = -1,
                            .account = receipt_account_new(),
                            .verdict = &verdict,
                            .err = err};
    int r = verify.account ? check_all(&verify, path) : no_memory(&verify);

    if (r < 0)
        return r;
    if (verdict.bad_line == 0)
        verdict.why[0] = '\0';
    memcpy(verdict.evaluation, receipt_account_evaluation(verify.account), sizeof(verdict.evaluation));
    if (verdict.bad_line == 0 && verdict.receipts == 0 && !verify.beside->whole && verify.folder_fd < 0) {
        verdict.bad_line = 1;
        (void)receipt_wrong(verdict.why, sizeof(verdict.why), "there is no receipt in it");
    }
    *ret_verdict = verdict;
    return 0;
}
