/* manifest_untrusted.c - eval.json, written first and checked when a run goes on
 *
 * The file is ours, but anybody may have changed it since.
 */

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/place.h"
#include "eval/manifest.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MANIFEST_MAX_BYTES 65536
#define SCHEMA             "fumehood.eval/1"

static int differs(const char *place, struct base_err *err, const char *what)
{
    base_err_set(err, BASE_E_USAGE, place, "the folder's results are of %s", what);
    return base_err_remedy(err, "give the same again, or another --out");
}

int eval_manifest_check(const char *bytes, size_t count, const char *place, const struct eval_manifest *manifest,
                        struct base_err *err)
{
    const struct {
        const char *key, *now, *what;
    } rows[] = {
        {"schema", SCHEMA, "another kind"},
        {"version", FUMEHOOD_VERSION, "another version of fumehood"},
        {"task_set_sha256", manifest->task_set_sha256, "other tasks"},
        {"candidates_sha256", manifest->candidates_sha256, "other candidates"},
        {"policy_sha256", manifest->policy_sha256, "another policy"},
        {"cage", manifest->cage, "another kind of cage"},
    };
    AUTO_JSON json_t *json = NULL;
    int r = base_json_parse(bytes, count, place, &json, err);

    if (r < 0)
        return r;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const char *then = json_string_value(json_object_get(json, rows[i].key));
        if (!then)
            return base_err_set(err, BASE_E_INVALID, place, "%s: is missing or not text", rows[i].key);
        if (strcmp(then, rows[i].now) != 0)
            return differs(place, err, rows[i].what);
    }
    return 0;
}

static int write_manifest(int dir_fd, const char *path, struct eval_manifest *manifest, struct base_err *err)
{
    char started_utc[32];
    AUTO_BUF struct base_buf text = {0};
    AUTO_JSON json_t *json = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:s}", "schema", SCHEMA, "version", FUMEHOOD_VERSION,
        "started_utc", base_clock_utc(started_utc, sizeof(started_utc)), "task_set_sha256", manifest->task_set_sha256,
        "candidates_sha256", manifest->candidates_sha256, "policy_sha256", manifest->policy_sha256, "cage",
        manifest->cage, "tasks", (json_int_t)manifest->tasks, "candidates", (json_int_t)manifest->candidates, "covered",
        (json_int_t)manifest->covered, "samples_sha256", manifest->samples_sha256);
    int r = json ? base_json_canonical(json, &text) : BASE_E_NOMEM;

    if (r >= 0)
        base_hash_bytes_hex(text.bytes, text.count, manifest->sha256);
    if (r >= 0)
        r = base_buf_text(&text, "\n");
    return r < 0 ? base_err_set(err, r, path, "out of memory")
                 : base_place_replace_at(dir_fd, "eval.json", path, text.bytes, text.count, err);
}

static bool is_there(int dir_fd, const char *name)
{
    struct stat st;

    return fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0;
}

/* Of one that was checked. */
static int hash_it(const struct base_buf *text, const char *path, struct eval_manifest *manifest, struct base_err *err)
{
    AUTO_JSON json_t *json = NULL;
    int r = base_json_parse(text->bytes ? text->bytes : "", text->count, path, &json, err);

    if (r == 0 && base_json_hash(json, manifest->sha256) < 0)
        r = base_err_set(err, BASE_E_NOMEM, path, "out of memory");
    return r;
}

int eval_manifest_settle(int dir_fd, const char *dir, bool resume, struct eval_manifest *manifest, struct base_err *err)
{
    AUTO_BUF struct base_buf text = {0};
    char path[PATH_MAX];
    int r;

    (void)snprintf(path, sizeof(path), "%s/eval.json", dir);
    if (resume) {
        r = base_file_read_in(dir_fd, "eval.json", path, MANIFEST_MAX_BYTES, &text, err);
        if (r >= 0)
            r = eval_manifest_check(text.bytes ? text.bytes : "", text.count, path, manifest, err);
        if (r >= 0)
            return hash_it(&text, path, manifest, err);
        if (r != BASE_E_NOT_FOUND)
            return r;
        if (is_there(dir_fd, "results.jsonl") || is_there(dir_fd, "receipts.jsonl")) {
            (void)base_err_set(err, BASE_E_USAGE, path, "is not there, and nothing else says what the results are of");
            return base_err_remedy(err, "put it back, or begin in another folder");
        }
    }
    return write_manifest(dir_fd, path, manifest, err);
}
