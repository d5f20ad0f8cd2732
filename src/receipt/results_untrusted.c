/* results_untrusted.c - each result against the receipt that proves it
 *
 * Both files may come from anybody. A result is written right after its receipt, so both are read side by side, with
 * one line of each in memory. A receipt without a result is a run that was repeated, or cut off by a crash; a result
 * without its receipt is a claim that nothing proves.
 */
#include "base/cleanup.h"
#include "base/json.h"
#include "base/lines.h"
#include "receipt/account.h"
#include <stdlib.h>
#include <string.h>

struct receipt_results {
    struct base_lines *lines;
    struct base_buf text;
    json_t *pending;          /* a result whose receipt has not come yet */
    uint64_t used, bytes_max; /* a line that ends behind bytes_max is torn, and not looked at */
    struct receipt_account *account;
    receipt_result_fn found;
    void *context;
    unsigned long right;
    bool at_end;
};

/* Fields of a result that are the run's, not the judge's. */
static const char *const of_usage[] = {"wall_us", "cpu_us", "memory_peak_bytes"};

static bool is_among(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

/* The next line as JSON: 1, 0 at the end or when it is wrong (then @why is set), or negative. */
static int next_line(struct receipt_results *results, json_t **ret_line, char *why, size_t why_bytes,
                     struct base_err *err)
{
    struct base_err parse_err;
    int r = base_lines_next(results->lines, &results->text, err);

    if (r < 0)
        return r;
    results->used += results->text.count + 1;
    results->at_end = r == 0 || results->used > results->bytes_max;
    if (results->at_end)
        return 0;
    r = base_json_parse(results->text.bytes ? results->text.bytes : "", results->text.count, "result", ret_line,
                        &parse_err);
    if (r == BASE_E_INVALID || r == BASE_E_TOO_LARGE)
        return receipt_wrong(why, why_bytes, "is torn or damaged: %s", parse_err.what);
    return r < 0 ? base_err_set(err, r, "results", "out of memory") : 1;
}

/* What the rows account for: the line that was read last. */
static int account_for(struct receipt_results *results, const json_t *line, char *why, size_t why_bytes,
                       struct base_err *err)
{
    int r = receipt_account_result(results->account, line, base_lines_number(results->lines), why, why_bytes);

    if (r == 1 && results->found)
        r = results->found(results->context, line, why, why_bytes);
    return r < 0 ? base_err_set(err, r, "results", "out of memory") : r;
}

/* Have the next result of a run pending, if there is one. Returns 1, 0 with @why, or negative. */
static int advance(struct receipt_results *results, char *why, size_t why_bytes, struct base_err *err)
{
    int r = 1;

    while (r == 1 && !results->pending && !results->at_end) {
        AUTO_JSON json_t *line = NULL;

        r = next_line(results, &line, why, why_bytes, err);
        if (r == 0 && results->at_end)
            return 1;
        if (r == 1 && json_is_string(json_object_get(line, "run_id")))
            results->pending = TAKE_PTR(line);
        else if (r == 1)
            r = account_for(results, line, why, why_bytes, err);
        if (r == 1 && !results->pending)
            results->right++;
    }
    return r;
}

static const json_t *proof_of(const json_t *receipt, const char *key)
{
    if (strcmp(key, "run_id") == 0)
        return json_object_get(receipt, key);
    return json_object_get(json_object_get(receipt, is_among(key, of_usage, ARRAY_COUNT(of_usage)) ? "usage" : "eval"),
                           key);
}

/* A field in which the two are not the same, or NULL. */
static const char *find_difference(const json_t *result, const json_t *receipt)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)result, key, value) /* changes nothing */
    {
        if (!json_equal(value, proof_of(receipt, key)))
            return key;
    }
    json_object_foreach(json_object_get(receipt, "eval"), key, value)
    {
        if (!json_object_get(result, key) && strcmp(key, "evaluation_sha256") != 0) /* the same in all of them */
            return key;
    }
    for (size_t i = 0; i < ARRAY_COUNT(of_usage); i++)
        if (!json_object_get(result, of_usage[i]))
            return of_usage[i];
    return NULL;
}

static int say_difference(const json_t *result, const json_t *receipt, const char *key, char *why, size_t why_bytes)
{
    AUTO_FREE char *says = json_dumps(json_object_get(result, key), JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
    AUTO_FREE char *proof = json_dumps(proof_of(receipt, key), JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);

    if ((!says && json_object_get(result, key)) || (!proof && proof_of(receipt, key)))
        return receipt_wrong(why, why_bytes, "%.40s is not what the receipt of its run says", key);
    return receipt_wrong(why, why_bytes, "%.40s is %.60s, but %.60s in the receipt of its run", key,
                         says ? says : "not there", proof ? proof : "not there");
}

int receipt_results_match(struct receipt_results *results, const json_t *receipt, char *why, size_t why_bytes,
                          struct base_err *err)
{
    const char *differs;
    int r = advance(results, why, why_bytes, err);

    if (r != 1 || !results->pending)
        return r;
    if (!json_equal(json_object_get(results->pending, "run_id"), json_object_get(receipt, "run_id")))
        return 1; /* a receipt without a result */
    differs = find_difference(results->pending, receipt);
    if (differs)
        return say_difference(results->pending, receipt, differs, why, why_bytes);
    r = account_for(results, results->pending, why, why_bytes, err);
    if (r != 1)
        return r;
    json_decref(TAKE_PTR(results->pending));
    results->right++;
    return 1;
}

int receipt_results_end(struct receipt_results *results, char *why, size_t why_bytes, struct base_err *err)
{
    int r = advance(results, why, why_bytes, err);

    if (r != 1 || !results->pending)
        return r;
    return receipt_wrong(why, why_bytes, "there is no receipt of its run %.40s, or not in this order",
                         json_string_value(json_object_get(results->pending, "run_id")));
}

unsigned long receipt_results_right(const struct receipt_results *results)
{
    return results->right;
}

unsigned long receipt_results_line(const struct receipt_results *results)
{
    return base_lines_number(results->lines);
}

int receipt_results_open(const struct receipt_source *source, uint64_t bytes_max, struct receipt_account *account,
                         struct receipt_results **ret_results, struct base_err *err)
{
    struct receipt_results *results = calloc(1, sizeof(*results));
    const char *path = source->path;
    int r;

    if (!results)
        return base_err_set(err, BASE_E_NOMEM, path, "out of memory");
    r = source->dir_fd >= 0
            ? base_lines_open_in(source->dir_fd, "results.jsonl", path, RECEIPT_RESULT_MAX_BYTES, &results->lines, err)
            : base_lines_open(path, RECEIPT_RESULT_MAX_BYTES, &results->lines, err);

    if (r < 0) {
        receipt_results_close(results);
        return r;
    }
    results->bytes_max = bytes_max;
    results->account = account;
    *ret_results = results;
    return 0;
}

void receipt_results_each(struct receipt_results *results, receipt_result_fn found, void *context)
{
    results->found = found;
    results->context = context;
}

void receipt_results_close(struct receipt_results *results)
{
    if (!results)
        return;
    base_lines_close(results->lines);
    base_buf_release(&results->text);
    json_decref(results->pending);
    free(results);
}
