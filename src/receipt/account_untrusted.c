/* account_untrusted.c - what is accounted for: results, receipts, objects and the summary as sets
 *
 * All of it may come from anybody. Of each row stays less than a hundred bytes, which is little beside its receipt.
 */
#include "base/cleanup.h"
#include "base/json.h"
#include "receipt/account.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX  (4u << 20)           /* less than 1.2 GiB, and more than anybody evaluates in one folder */
#define KEY_BYTES RECEIPT_SAMPLE_BYTES /* of a SHA-256: nobody finds two texts with the same */

/* The words of a result. @free: it may come without a run. @open: the row may get another result later. */
static const struct word {
    const char *verdict, *fault;
    bool free, open;
} words[] = {
    {"pass", "none", false, false},
    {"wrong-answer", "candidate", false, false},
    {"runtime-error", "candidate", false, false},
    {"compile-error", "candidate", true, false},
    {"timeout", "candidate", false, false},
    {"memory", "candidate", false, false},
    {"output-limit", "candidate", false, false},
    {"limit", "candidate", true, false},
    {"denied", "candidate", false, false},
    {"exited-early", "candidate", false, false},
    {"missing", "model", true, false},
    {"no-code", "model", true, false},
    {"violation", "candidate", false, false},
    {"task-invalid", "task", false, false},
    {"infra-error", "host", true, true},
    {"skipped", "none", true, true},
};

enum { PASS = 0, MISSING = 10, INVALID = 13, INFRA = 14, SKIPPED = 15 };

/* ---- names and numbers ------------------------------------------------------------------------------------------ */

struct map {
    struct place {
        unsigned char key[KEY_BYTES];
        size_t index; /* + 1; 0: free */
    } * places;
    size_t capacity, count; /* capacity: a power of two */
};

static struct place *find_place(const struct map *map, const unsigned char key[KEY_BYTES])
{
    size_t at;

    memcpy(&at, key, sizeof(at));
    while (map->places[at & (map->capacity - 1)].index &&
           memcmp(map->places[at & (map->capacity - 1)].key, key, KEY_BYTES) != 0)
        at++;
    return &map->places[at & (map->capacity - 1)];
}

static int grow(struct map *map)
{
    struct map larger = {.capacity = map->capacity ? 2 * map->capacity : 64, .count = map->count};

    larger.places = calloc(larger.capacity, sizeof(*larger.places));
    if (!larger.places)
        return BASE_E_NOMEM;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->places[i].index)
            *find_place(&larger, map->places[i].key) = map->places[i];
    free(map->places);
    *map = larger;
    return 0;
}

static unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void key_of_hash(const char *sha256, unsigned char key[KEY_BYTES])
{
    for (size_t i = 0; i < KEY_BYTES; i++)
        key[i] = (unsigned char)(digit(sha256[2 * i]) << 4 | digit(sha256[2 * i + 1]));
}

/* The number of @key: 1 where it is new, 0 where it was there, or BASE_E_NOMEM. */
static int number_of(struct map *map, const unsigned char key[KEY_BYTES], size_t *ret_index)
{
    struct place *place;

    if (2 * map->count >= map->capacity && grow(map) < 0)
        return BASE_E_NOMEM;
    place = find_place(map, key);
    if (place->index) {
        *ret_index = place->index - 1;
        return 0;
    }
    memcpy(place->key, key, KEY_BYTES);
    place->index = ++map->count;
    *ret_index = map->count - 1;
    return 1;
}

/* Room for one more of @items, of @size bytes each, in a list that has @count. */
static int make_room(void *items, size_t count, size_t size)
{
    void **list = items;
    void *larger;

    if (count & (count - 1)) /* grows at 0, 1, 2, 4, 8, ... */
        return 0;
    larger = reallocarray(*list, count ? 2 * count : 1, size);
    if (!larger)
        return BASE_E_NOMEM;
    *list = larger;
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

struct row {
    size_t sample;
    unsigned long receipt_line, result_line; /* the last ones; 0: none */
    uint32_t case_index, case_count;         /* count 0: not said */
    unsigned char run_word, word;            /* of the last receipt, of the last result */
    bool answered;                           /* the last receipt has its result */
    bool without_run;                        /* the last result has no run */
};

struct receipt_account {
    struct map row_map, sample_map, task_map, object_map;
    struct map broken_map; /* tasks of which a run has found that their tests do not compile */
    struct row *rows;
    size_t *sample_tasks;
    struct receipt_object *objects;
    unsigned long results, evals;
    char policy[BASE_HASH_HEX], manifest[BASE_HASH_HEX]; /* of the first receipt; "": it does not say */
};

struct receipt_account *receipt_account_new(void)
{
    return calloc(1, sizeof(struct receipt_account));
}

void receipt_account_free(struct receipt_account *account)
{
    if (!account)
        return;
    free(account->row_map.places);
    free(account->sample_map.places);
    free(account->task_map.places);
    free(account->object_map.places);
    free(account->broken_map.places);
    free(account->rows);
    free(account->sample_tasks);
    free(account->objects);
    free(account);
}

const char *receipt_account_evaluation(const struct receipt_account *account)
{
    return account->manifest;
}

bool receipt_account_any(const struct receipt_account *account)
{
    return account->evals > 0;
}

static const struct word *find_word(const json_t *said)
{
    const char *verdict = json_string_value(json_object_get(said, "verdict"));

    for (size_t i = 0; verdict && i < ARRAY_COUNT(words); i++)
        if (strcmp(words[i].verdict, verdict) == 0)
            return &words[i];
    return NULL;
}

static unsigned char number_of_word(const struct word *word)
{
    return (unsigned char)(word - words);
}

/* Texts of JSON that was read have no NUL. */
static void make_key(const char *task_id, const int64_t *sample, const char *name, unsigned char key[KEY_BYTES])
{
    char hex[BASE_HASH_HEX];
    struct base_hash hash;

    base_hash_init(&hash);
    base_hash_update(&hash, task_id, strlen(task_id) + 1);
    if (sample)
        base_hash_update(&hash, sample, sizeof(*sample));
    if (name)
        base_hash_update(&hash, name, strlen(name) + 1);
    base_hash_hex(&hash, hex);
    key_of_hash(hex, key);
}

void receipt_sample_key(const char *task_id, int64_t sample, unsigned char key[RECEIPT_SAMPLE_BYTES])
{
    make_key(task_id, &sample, NULL, key);
}

static int compare_keys(const void *a, const void *b)
{
    return memcmp(a, b, RECEIPT_SAMPLE_BYTES);
}

void receipt_samples_hash(unsigned char (*keys)[RECEIPT_SAMPLE_BYTES], size_t count, char ret_hex[BASE_HASH_HEX])
{
    if (count > 1)
        qsort(keys, count, sizeof(*keys), compare_keys);
    base_hash_bytes_hex(count ? keys[0] : (const unsigned char *)"", count * sizeof(*keys), ret_hex);
}

static bool says_its_row(const json_t *said)
{
    const json_t *name = json_object_get(said, "case");

    return json_is_string(json_object_get(said, "task_id")) && json_is_integer(json_object_get(said, "sample")) &&
           (!name || json_is_string(name));
}

static int number_sample(struct receipt_account *account, const json_t *said, size_t *ret_sample)
{
    const char *task_id = json_string_value(json_object_get(said, "task_id"));
    int64_t number = json_integer_value(json_object_get(said, "sample"));
    unsigned char key[KEY_BYTES];
    size_t task;
    int r;

    make_key(task_id, NULL, NULL, key);
    if (number_of(&account->task_map, key, &task) < 0)
        return BASE_E_NOMEM;
    make_key(task_id, &number, NULL, key);
    r = number_of(&account->sample_map, key, ret_sample);
    if (r <= 0)
        return r;
    if (make_room(&account->sample_tasks, *ret_sample, sizeof(*account->sample_tasks)) < 0)
        return BASE_E_NOMEM;
    account->sample_tasks[*ret_sample] = task;
    return 0;
}

static uint32_t small_number(const json_t *value)
{
    json_int_t number = json_integer_value(value);

    return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* The row of what is said, a new one if need be. 0 or BASE_E_NOMEM. */
static int find_row(struct receipt_account *account, const json_t *said, struct row **ret_row)
{
    int64_t number = json_integer_value(json_object_get(said, "sample"));
    unsigned char key[KEY_BYTES];
    size_t index, sample;
    int r;

    make_key(json_string_value(json_object_get(said, "task_id")), &number,
             json_string_value(json_object_get(said, "case")), key);
    r = number_of(&account->row_map, key, &index);
    if (r < 0)
        return r;
    if (r == 1) {
        if (number_sample(account, said, &sample) < 0 || make_room(&account->rows, index, sizeof(struct row)) < 0)
            return BASE_E_NOMEM;
        account->rows[index] = (struct row){
            .sample = sample,
            .case_index = small_number(json_object_get(said, "case_index")),
            .case_count = json_object_get(said, "case") ? small_number(json_object_get(said, "case_count")) : 1,
        };
    }
    *ret_row = &account->rows[index];
    return 0;
}

static bool is_final(const struct row *row)
{
    return row->result_line && !words[row->word].open;
}

/* Every receipt must say the same as the first. */
static int check_same(char first[BASE_HASH_HEX], const json_t *said, unsigned long evals, const char *what, char *why,
                      size_t why_bytes)
{
    const char *text = json_string_value(said);

    if (text && !receipt_is_hash(text))
        return receipt_wrong(why, why_bytes, "%s is not a hash", what);
    if (evals == 1 && text)
        memcpy(first, text, BASE_HASH_HEX);
    if (strcmp(first, text ? text : "") != 0)
        return receipt_wrong(why, why_bytes, "%s is not that of the receipts before it", what);
    return 1;
}

static int check_of(struct receipt_account *account, const json_t *receipt, char *why, size_t why_bytes)
{
    const json_t *policy = json_object_get(json_object_get(receipt, "policy"), "sha256");
    const json_t *manifest = json_object_get(json_object_get(receipt, "eval"), "evaluation_sha256");
    int r = check_same(account->manifest, manifest, ++account->evals, "evaluation_sha256", why, why_bytes);

    return r == 1 ? check_same(account->policy, policy, account->evals, "policy.sha256", why, why_bytes) : r;
}

static int check_room(const struct receipt_account *account, char *why, size_t why_bytes)
{
    return account->row_map.count < ROWS_MAX
               ? 1
               : receipt_wrong(why, why_bytes, "there are more than the %u rows that can be accounted for", ROWS_MAX);
}

static int check_words(const json_t *said, const struct word *word, char *why, size_t why_bytes)
{
    const char *fault = json_string_value(json_object_get(said, "fault"));

    if (!word)
        return receipt_wrong(why, why_bytes, "its verdict is none that there is");
    if (!fault || strcmp(fault, word->fault) != 0)
        return receipt_wrong(why, why_bytes, "its verdict is \"%s\", so its fault is \"%s\", not \"%.40s\"",
                             word->verdict, word->fault, fault ? fault : "");
    return 1;
}

/* A run of the tests alone. */
static int note_check(struct receipt_account *account, const json_t *said)
{
    const char *task_id = json_string_value(json_object_get(said, "task_id"));
    unsigned char key[KEY_BYTES];
    size_t index;

    if (!task_id || !json_is_string(json_object_get(said, "check")) ||
        !json_is_false(json_object_get(said, "compiles")))
        return 1;
    make_key(task_id, NULL, NULL, key);
    return number_of(&account->broken_map, key, &index) < 0 ? BASE_E_NOMEM : 1;
}

/* What is said to be the task's fault was found before, by a run without the candidate. */
static int check_invalid(const struct receipt_account *account, const json_t *said, const struct word *word, char *why,
                         size_t why_bytes)
{
    unsigned char key[KEY_BYTES];

    if (number_of_word(word) != INVALID)
        return 1;
    make_key(json_string_value(json_object_get(said, "task_id")), NULL, NULL, key);
    if (account->broken_map.count && find_place(&account->broken_map, key)->index)
        return 1;
    return receipt_wrong(why, why_bytes, "its verdict is \"task-invalid\", and no run before it has found that");
}

int receipt_account_receipt(struct receipt_account *account, const json_t *receipt, unsigned long line, char *why,
                            size_t why_bytes)
{
    const json_t *said = json_object_get(receipt, "eval");
    const struct word *word = find_word(said);
    struct row *row;
    int r;

    if (!says_its_row(said))
        return note_check(account, said);
    r = check_of(account, receipt, why, why_bytes);
    if (r == 1)
        r = check_room(account, why, why_bytes);
    if (r == 1)
        r = check_words(said, word, why, why_bytes);
    if (r == 1)
        r = check_invalid(account, said, word, why, why_bytes);
    if (r != 1)
        return r;
    if (find_row(account, said, &row) < 0)
        return BASE_E_NOMEM;
    if (is_final(row))
        return receipt_wrong(why, why_bytes, "is a run of what has its result, in line %lu of the results",
                             row->result_line);
    row->receipt_line = line;
    row->run_word = number_of_word(word);
    row->answered = false;
    return 1;
}

static bool is_trust(const json_t *value)
{
    static const char *const trusts[] = {"isolated", "split", "in-process"};
    const char *text = json_string_value(value);

    for (size_t i = 0; text && i < ARRAY_COUNT(trusts); i++)
        if (strcmp(trusts[i], text) == 0)
            return true;
    return false;
}

/* What a result without a run has nothing to say of, and what it must say. */
static int check_no_run(const json_t *result, const struct word *word, char *why, size_t why_bytes)
{
    static const char *const of_run[] = {"wall_us", "cpu_us", "memory_peak_bytes"};
    const json_t *code = json_object_get(result, "code_sha256"), *detail = json_object_get(result, "detail");

    if (!word->free)
        return receipt_wrong(why, why_bytes, "its verdict is \"%s\", but it names no run", word->verdict);
    for (size_t i = 0; i < ARRAY_COUNT(of_run); i++)
        if (!json_is_null(json_object_get(result, of_run[i])))
            return receipt_wrong(why, why_bytes, "it names no run, but has its %s", of_run[i]);
    if (number_of_word(word) == MISSING ? !json_is_null(code)
                                        : !json_is_null(code) && !receipt_is_hash(json_string_value(code)))
        return receipt_wrong(why, why_bytes, "its code_sha256 cannot be");
    if ((detail && !json_is_null(detail) && !json_is_string(detail)) || !is_trust(json_object_get(result, "trust")))
        return receipt_wrong(why, why_bytes, "its detail or its trust cannot be");
    return 1;
}

int receipt_account_result(struct receipt_account *account, const json_t *result, unsigned long line, char *why,
                           size_t why_bytes)
{
    const struct word *word = find_word(result);
    bool has_run = json_is_string(json_object_get(result, "run_id"));
    struct row *row;
    int r;

    if (!has_run && (!json_is_null(json_object_get(result, "run_id")) || !word))
        return receipt_wrong(why, why_bytes, "is not a result");
    if (!says_its_row(result))
        return has_run || word->free ? 1 : receipt_wrong(why, why_bytes, "names no run");
    r = check_words(result, word, why, why_bytes);
    if (r == 1)
        r = check_room(account, why, why_bytes);
    if (r == 1 && !has_run)
        r = check_no_run(result, word, why, why_bytes);
    if (r != 1)
        return r;
    if (find_row(account, result, &row) < 0)
        return BASE_E_NOMEM;
    if (is_final(row))
        return receipt_wrong(why, why_bytes, "is a second result of what line %lu is one of", row->result_line);
    row->result_line = line;
    row->word = number_of_word(word);
    row->without_run = !has_run;
    row->answered = row->answered || has_run;
    account->results++;
    return 1;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

int receipt_account_object(struct receipt_account *account, const char *sha256, struct receipt_object **ret_object,
                           bool *ret_known)
{
    unsigned char key[KEY_BYTES];
    size_t index;
    int r;

    key_of_hash(sha256, key);
    r = number_of(&account->object_map, key, &index);
    if (r < 0)
        return r;
    if (r == 1) {
        if (make_room(&account->objects, index, sizeof(*account->objects)) < 0)
            return BASE_E_NOMEM;
        memcpy(account->objects[index].sha256, sha256, BASE_HASH_HEX);
        account->objects[index].bytes = 0;
    }
    *ret_object = &account->objects[index];
    *ret_known = r == 0;
    return 1;
}

const struct receipt_object *receipt_account_find_object(const struct receipt_account *account, const char *sha256)
{
    const struct place *place;
    unsigned char key[KEY_BYTES];

    if (account->object_map.capacity == 0)
        return NULL;
    key_of_hash(sha256, key);
    place = find_place(&account->object_map, key);
    if (!place->index || strcmp(account->objects[place->index - 1].sha256, sha256) != 0)
        return NULL;
    return &account->objects[place->index - 1];
}

/* ---- the end ------------------------------------------------------------------------------------------------------
 */

/* 1, or 0: what is wrong with @row. */
static int check_row(const struct row *row, bool whole, bool *ret_in_results, char *why, size_t why_bytes)
{
    bool is_proved = !row->receipt_line || row->answered;

    *ret_in_results = row->without_run;
    if (row->without_run && row->receipt_line && (!words[row->word].open || (!is_proved && !words[row->run_word].open)))
        return receipt_wrong(why, why_bytes,
                             "is \"%s\" and names no run, but line %lu of the receipts is one of it: %s",
                             words[row->word].verdict, row->receipt_line, words[row->run_word].verdict);
    *ret_in_results = false;
    if (!whole || is_proved || (row->without_run && words[row->run_word].open))
        return 1;
    return receipt_wrong(why, why_bytes, "its run has no result, and there is no later one of it");
}

int receipt_account_end(const struct receipt_account *account, bool whole, bool *ret_in_results,
                        unsigned long *ret_line, char *why, size_t why_bytes)
{
    for (size_t i = 0; i < account->row_map.count; i++) {
        const struct row *row = &account->rows[i];

        if (check_row(row, whole, ret_in_results, why, why_bytes) == 1)
            continue;
        *ret_line = *ret_in_results ? row->result_line : row->receipt_line;
        return 0;
    }
    return 1;
}

int receipt_account_manifest(const struct receipt_account *account, const json_t *manifest, char *why, size_t why_bytes)
{
    const char *policy = json_string_value(json_object_get(manifest, "policy_sha256"));
    char sha256[BASE_HASH_HEX];

    if (base_json_hash(manifest, sha256) < 0)
        return BASE_E_NOMEM;
    if (account->evals == 0)
        return 1;
    if (!policy || strcmp(account->policy, policy) != 0)
        return receipt_wrong(why, why_bytes, "policy_sha256 is not that of the receipts");
    if (account->manifest[0] && strcmp(account->manifest, sha256) != 0)
        return receipt_wrong(why, why_bytes, "is not the one of which the receipts are");
    return 1;
}

/* ---- the summary --------------------------------------------------------------------------------------------------
 */

/* One sample of a task, as its rows come to: the first case that is no pass counts, infra-errors last. */
struct sample {
    uint32_t done, cases, failed_at;
    bool split_unsaid; /* several verdicts, and it is not said which case is the first */
    unsigned char word;
};

struct task {
    unsigned judged, passed;
    bool is_absent, is_covered, is_invalid;
};

struct tally {
    struct sample *samples;
    struct task *tasks;
    size_t sample_count, task_count, rows;
    size_t judged, passed, infra_errors, by_word[ARRAY_COUNT(words)];
    bool split_unsaid;
};

static void tally_release(struct tally *tally)
{
    free(tally->samples);
    free(tally->tasks);
}
#define AUTO_TALLY CLEANUP(tally_release)

static void add_row(struct sample *sample, const struct row *row)
{
    bool first = sample->word == PASS || sample->word == INFRA;

    if (!row->result_line)
        return;
    sample->done++;
    sample->cases = row->case_count;
    if (row->word == PASS || (row->word == INFRA && !first))
        return;
    if (row->word == INFRA)
        sample->word = INFRA;
    else if (first || row->case_index < sample->failed_at) {
        sample->split_unsaid = sample->split_unsaid || (!first && row->case_count == 0);
        sample->word = row->word;
        sample->failed_at = row->case_index;
    } else
        sample->split_unsaid = sample->split_unsaid || row->case_count == 0;
}

static void add_sample(struct tally *tally, const struct sample *sample, struct task *task)
{
    if (sample->done == 0 || sample->done < sample->cases)
        return;
    tally->by_word[sample->word]++;
    tally->split_unsaid = tally->split_unsaid || sample->split_unsaid;
    tally->infra_errors += sample->word == INFRA;
    tally->passed += sample->word == PASS;
    task->passed += sample->word == PASS;
    task->is_absent = task->is_absent || sample->word == MISSING;
    task->is_covered = task->is_covered || sample->word != MISSING;
    task->is_invalid = task->is_invalid || sample->word == INVALID;
    if (sample->word == INFRA || sample->word == SKIPPED || sample->word == INVALID)
        return;
    tally->judged++;
    task->judged++;
}

static int make_tally(const struct receipt_account *account, struct tally *tally)
{
    tally->sample_count = account->sample_map.count;
    tally->task_count = account->task_map.count;
    tally->samples = calloc(tally->sample_count + 1, sizeof(*tally->samples));
    tally->tasks = calloc(tally->task_count + 1, sizeof(*tally->tasks));
    if (!tally->samples || !tally->tasks)
        return BASE_E_NOMEM;
    for (size_t i = 0; i < account->row_map.count; i++) {
        add_row(&tally->samples[account->rows[i].sample], &account->rows[i]);
        tally->rows += account->rows[i].result_line > 0;
    }
    for (size_t i = 0; i < tally->sample_count; i++)
        add_sample(tally, &tally->samples[i], &tally->tasks[account->sample_tasks[i]]);
    return 1;
}

/* 1 - C(n-c, k) / C(n, k), as a product that stays between 0 and 1. */
double receipt_pass_at(unsigned n, unsigned c, unsigned k)
{
    double none = 1;

    if (n - c < k)
        return 1;
    for (unsigned i = n - c + 1; i <= n; i++)
        none *= 1 - (double)k / i;
    return 1 - none;
}

/* The mean over all tasks, negative where it is not known. */
static double pass_at_of(const struct tally *tally, unsigned k)
{
    size_t absent = 0, count = 0;
    double sum = 0;

    for (size_t i = 0; i < tally->task_count; i++) {
        const struct task *task = &tally->tasks[i];

        if (task->is_invalid) /* it counts for nothing */
            continue;
        count++;
        absent += task->is_absent;
        if (!task->is_absent && task->judged < k)
            return -1;
        sum += task->is_absent ? 0 : receipt_pass_at(task->judged, task->passed, k);
    }
    return count == 0 || (absent == count && k > 1) ? -1 : sum / (double)count;
}

static bool is_number(const json_t *value, double wanted)
{
    return wanted < 0 ? json_is_null(value)
                      : json_is_number(value) && fabs(json_number_value(value) - wanted) <= 1e-9 * (1 + wanted);
}

static bool is_count(const json_t *summary, const char *key, size_t wanted)
{
    const json_t *value = json_object_get(summary, key);

    return json_is_integer(value) && json_integer_value(value) == (json_int_t)wanted;
}

static int differs(const char *key, char *why, size_t why_bytes)
{
    return receipt_wrong(why, why_bytes, "%s is not what the results and receipts come to", key);
}

static int check_counts(const struct tally *tally, const json_t *summary, char *why, size_t why_bytes)
{
    const struct {
        const char *key;
        size_t wanted;
    } counts[] = {
        {"results", tally->rows},
        {"judged", tally->judged},
        {"passed", tally->passed},
        {"infra_errors", tally->infra_errors},
    };

    for (size_t i = 0; i < ARRAY_COUNT(counts); i++)
        if (!is_count(summary, counts[i].key, counts[i].wanted))
            return differs(counts[i].key, why, why_bytes);
    return 1;
}

static int check_by_verdict(const struct tally *tally, const json_t *summary, char *why, size_t why_bytes)
{
    const json_t *said = json_object_get(summary, "by_verdict");
    size_t kinds = 0;

    if (tally->split_unsaid)
        return 1;
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        kinds += tally->by_word[i] > 0;
        if (tally->by_word[i] > 0 && !is_count(said, words[i].verdict, tally->by_word[i]))
            return differs("by_verdict", why, why_bytes);
    }
    return json_object_size(said) == kinds ? 1 : differs("by_verdict", why, why_bytes);
}

/* What follows from the set of all tasks and candidates, which is known where all rows are done. */
static int check_sets(const struct tally *tally, const json_t *summary, bool done, char *why, size_t why_bytes)
{
    json_int_t candidates = json_integer_value(json_object_get(summary, "candidates"));
    json_int_t tasks = json_integer_value(json_object_get(summary, "tasks"));
    json_int_t not_run = candidates - (json_int_t)(tally->judged + tally->infra_errors + tally->by_word[INVALID]);
    size_t covered = 0;

    if (candidates < (json_int_t)tally->sample_count || (done && candidates != (json_int_t)tally->sample_count))
        return differs("candidates", why, why_bytes);
    if (tasks < (json_int_t)tally->task_count || (done && tasks != (json_int_t)tally->task_count))
        return differs("tasks", why, why_bytes);
    if (not_run < 0 || !is_count(summary, "not_run", (size_t)not_run))
        return differs("not_run", why, why_bytes);
    for (size_t i = 0; i < tally->task_count; i++)
        covered += tally->tasks[i].is_covered;
    if (done && !is_number(json_object_get(summary, "coverage"), tasks ? (double)covered / (double)tasks : 0))
        return differs("coverage", why, why_bytes);
    return 1;
}

/* Of what the receipts say that it was evaluated: nothing else proves what has no run. */
static int check_samples(const struct receipt_account *account, const json_t *manifest, char *why, size_t why_bytes)
{
    const char *said = json_string_value(json_object_get(manifest, "samples_sha256"));
    AUTO_FREE unsigned char(*keys)[RECEIPT_SAMPLE_BYTES] = calloc(account->sample_map.count + 1, sizeof(*keys));
    char sha256[BASE_HASH_HEX];
    size_t count = 0;

    if (!keys)
        return BASE_E_NOMEM;
    for (size_t i = 0; i < account->sample_map.capacity; i++)
        if (account->sample_map.places[i].index)
            memcpy(keys[count++], account->sample_map.places[i].key, RECEIPT_SAMPLE_BYTES);
    receipt_samples_hash(keys, count, sha256);
    return said && strcmp(said, sha256) == 0
               ? 1
               : receipt_wrong(why, why_bytes, "the results are not of the tasks and samples of eval.json");
}

/* What eval.json says that was to be evaluated; one of an earlier version says nothing. */
static int check_plan(const struct receipt_account *account, const struct tally *tally, const json_t *summary,
                      const json_t *manifest, bool done, char *why, size_t why_bytes)
{
    static const char *const same[] = {"tasks", "candidates"};
    size_t covered = 0;

    if (!json_object_get(manifest, "samples_sha256"))
        return 1;
    for (size_t i = 0; i < ARRAY_COUNT(same); i++)
        if (!json_equal(json_object_get(summary, same[i]), json_object_get(manifest, same[i])))
            return receipt_wrong(why, why_bytes, "%s is not that of eval.json", same[i]);
    if (!done)
        return 1;
    for (size_t i = 0; i < tally->task_count; i++)
        covered += tally->tasks[i].is_covered;
    if (!is_count(manifest, "covered", covered))
        return receipt_wrong(why, why_bytes, "there are not as many tasks with a candidate as eval.json says");
    return check_samples(account, manifest, why, why_bytes);
}

static int check_pass_at(const struct tally *tally, const json_t *summary, bool interrupted, char *why,
                         size_t why_bytes)
{
    static const struct {
        const char *key;
        unsigned k;
    } rows[] = {{"1", 1}, {"10", 10}, {"100", 100}};
    const json_t *said = json_object_get(summary, "pass_at");

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (!is_number(json_object_get(said, rows[i].key), interrupted ? -1 : pass_at_of(tally, rows[i].k)))
            return differs("pass_at", why, why_bytes);
    return 1;
}

static int check_names(const json_t *summary, const json_t *manifest, unsigned long receipts, const char *head,
                       char *why, size_t why_bytes)
{
    static const char *const same[] = {"task_set_sha256", "candidates_sha256", "policy_sha256", "version"};
    const char *said = json_string_value(json_object_get(summary, "receipts_head"));

    if (!is_count(summary, "receipts", receipts))
        return differs("receipts", why, why_bytes);
    if (strcmp(said ? said : "", head) != 0)
        return differs("receipts_head", why, why_bytes);
    for (size_t i = 0; i < ARRAY_COUNT(same); i++)
        if (!json_equal(json_object_get(summary, same[i]), json_object_get(manifest, same[i])))
            return receipt_wrong(why, why_bytes, "%s is not that of eval.json", same[i]);
    return 1;
}

int receipt_account_summary(const struct receipt_account *account, const json_t *summary, const json_t *manifest,
                            unsigned long receipts, const char *head, char *why, size_t why_bytes)
{
    AUTO_TALLY struct tally tally = {0};
    bool interrupted = json_is_true(json_object_get(summary, "interrupted"));
    bool done = !interrupted || is_count(summary, "not_run", 0);
    int r = make_tally(account, &tally);

    if (r == 1 && !json_is_boolean(json_object_get(summary, "interrupted")))
        r = differs("interrupted", why, why_bytes);
    if (r == 1)
        r = check_names(summary, manifest, receipts, head, why, why_bytes);
    if (r == 1)
        r = check_counts(&tally, summary, why, why_bytes);
    if (r == 1)
        r = check_by_verdict(&tally, summary, why, why_bytes);
    if (r == 1)
        r = check_sets(&tally, summary, done, why, why_bytes);
    if (r == 1)
        r = check_plan(account, &tally, summary, manifest, done, why, why_bytes);
    return r == 1 ? check_pass_at(&tally, summary, interrupted, why, why_bytes) : r;
}
