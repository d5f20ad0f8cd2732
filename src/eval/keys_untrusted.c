/* keys_untrusted.c - what a key of a task may do
 *
 * A public set has many keys that say something about a task and change nothing. Some change what is judged: a suffix
 * behind the program, more inputs, another comparison. To pass over one of those would be a verdict on something else,
 * so a key that nothing here knows and whose name speaks of judging is refused by its name.
 */

#include "base/cleanup.h"
#include "base/near.h"
#include "eval/keys.h"
#include <ctype.h>
#include <string.h>

json_t *eval_key_get(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return json_is_null(value) ? NULL : value;
}

const char *eval_key_kind(json_type kind)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object",   [JSON_ARRAY] = "a list",  [JSON_STRING] = "text",
        [JSON_INTEGER] = "an integer", [JSON_REAL] = "a number", [JSON_TRUE] = "a boolean",
        [JSON_FALSE] = "a boolean",    [JSON_NULL] = "null",
    };
    return names[kind];
}

static bool is_empty(const json_t *value)
{
    return json_is_null(value) || json_is_false(value) || (json_is_string(value) && json_string_length(value) == 0) ||
           (json_is_array(value) && json_array_size(value) == 0) ||
           (json_is_object(value) && json_object_size(value) == 0);
}

/* Beginnings of the words of a name: "test" is in "hidden_tests" and "testCases", and not in "contest". */
static const char *const of_judging[] = {
    "any_order",    "assert",   "atol",      "base_input", "case",       "check_",       "checker",     "compar",
    "contract",     "entry",    "epilogue",  "epsilon",    "eval",       "exception",    "exit_code",   "expect",
    "fn",           "footer",   "forbid",    "func",       "grade",      "ground_truth", "groundtruth", "harness",
    "header",       "hidden",   "ignore_",   "import",     "input",      "interact",     "invariant",   "judge",
    "lang",         "limit",    "max_time",  "maxtime",    "memlimit",   "n_samples",    "num_samples", "oracle",
    "order_matter", "output",   "postcond",  "postfix",    "preamble",   "precision",    "precond",     "prefix",
    "prelude",      "prologue", "raises",    "reference",  "returncode", "rtol",         "setup",       "special",
    "spj",          "stderr",   "stdin",     "stdout",     "suffix",     "test",         "timelimit",   "timeout",
    "tol",          "unittest", "unordered", "validat",    "verif",      "weight",       "wrapper",
};

static bool starts_word(const char *name, size_t at)
{
    return at == 0 || !isalpha((unsigned char)name[at - 1]) ||
           (isupper((unsigned char)name[at]) && islower((unsigned char)name[at - 1]));
}

static bool speaks_of_judging(const char *name)
{
    for (size_t at = 0; name[at]; at++)
        for (size_t i = 0; i < ARRAY_COUNT(of_judging) && starts_word(name, at); i++)
            if (strncasecmp(name + at, of_judging[i], strlen(of_judging[i])) == 0)
                return true;
    return strcasecmp(name, "check") == 0 || strcasecmp(name, "checks") == 0;
}

/* Other tools' words, and the nearest here: those that a table has count. */
static const struct {
    const char *word, *known;
} synonyms[] = {
    {"answer", "expect"},
    {"canonical_solution", "canonical"},
    {"expected", "expect"},
    {"func", "entry_point"},
    {"expected_output", "expect"},
    {"fn_name", "entry_point"},
    {"input", "stdin"},
    {"function", "entry_point"},
    {"function_name", "entry_point"},
    {"inputs", "args"},
    {"name", "id"},
    {"lang", "language"},
    {"output", "expect"},
    {"reference", "canonical"},
    {"solution", "canonical"},
    {"stdout", "expect"},
    {"target", "expect"},
    {"task_id", "id"},
    {"tests", "cases"},
    {"test_cases", "cases"},
    {"testcases", "cases"},
    {"tests", "test_list"},
};

static bool is_key_of(const struct eval_key *keys, const char *name)
{
    while (keys->name && strcmp(keys->name, name) != 0)
        keys++;
    return keys->name != NULL;
}

const char *eval_key_meant(const char *name, const struct eval_key *keys)
{
    struct base_near near = {.word = name};

    if (is_key_of(keys, name))
        return NULL;
    for (size_t i = 0; i < ARRAY_COUNT(synonyms); i++)
        if (strcasecmp(name, synonyms[i].word) == 0 && is_key_of(keys, synonyms[i].known))
            return synonyms[i].known;
    for (const struct eval_key *key = keys; key->name; key++)
        base_near_offer(&near, key->name);
    return near.best;
}

/* Keys that are meant for something that is said elsewhere. */
static const struct {
    const char *beginning, *remedy;
} elsewhere[] = {
    {"time", "a limit is for all tasks of a run: --limit wall_ms=TIME"},
    {"wall", "a limit is for all tasks of a run: --limit wall_ms=TIME"},
    {"memory", "a limit is for all tasks of a run: --limit memory_bytes=SIZE"},
    {"limit", "limits are for all tasks of a run: --limit NAME=VALUE"},
    {"stdin", "cases are function calls; what a program reads and prints is one task each: {id, stdin, expect}"},
    {"stdout", "cases are function calls; what a program reads and prints is one task each: {id, stdin, expect}"},
};

static int say_meant(const char *name, const struct eval_key *keys, struct base_err *err)
{
    const char *meant;

    for (size_t i = 0; i < ARRAY_COUNT(elsewhere); i++)
        if (strncasecmp(name, elsewhere[i].beginning, strlen(elsewhere[i].beginning)) == 0 &&
            !(is_key_of(keys, "stdin") && elsewhere[i].beginning[0] == 's'))
            return base_err_remedy(err, "%s", elsewhere[i].remedy);
    meant = eval_key_meant(name, keys);
    return meant ? base_err_remedy(err, "did you mean %s?", meant) : err->code;
}

static int check_known(const json_t *object, const struct eval_key *key, const json_t *odd, struct base_err *err)
{
    const json_t *value = json_object_get(object, key->name);
    const char *why = json_string_value(json_object_get(odd, key->name));

    if (key->role == EVAL_KEY_NOTED)
        return 0;
    if (json_is_null(value) && key->kind != EVAL_KEY_ANY)
        value = NULL;
    if (!value && key->role == EVAL_KEY_NEEDED)
        return base_err_set(err, BASE_E_INVALID, NULL, "%s: is missing", key->name);
    if (value && key->kind != EVAL_KEY_ANY && json_typeof(value) != key->kind)
        return base_err_set(err, BASE_E_INVALID, NULL, "%s: must be %s, not %s", key->name, eval_key_kind(key->kind),
                            eval_key_kind(json_typeof(value)));
    return why ? base_err_set(err, BASE_E_INVALID, NULL, "%s: has %s", key->name, why) : 0;
}

static int check_unknown(const char *name, const json_t *value, const struct eval_key *keys, bool strict,
                         struct base_err *err)
{
    if (strict && !json_is_null(value)) {
        (void)base_err_set(err, BASE_E_INVALID, NULL, "unknown key \"%.60s\"", name);
        return say_meant(name, keys, err);
    }
    if (is_empty(value) || !speaks_of_judging(name))
        return 0;
    (void)base_err_set(err, BASE_E_INVALID, NULL,
                       "the key \"%.60s\" may change what is judged, and is not understood in this version", name);
    return base_err_remedy(err, "take it out of the set if it means nothing for judging");
}

int eval_keys_check(const json_t *object, const struct eval_key *keys, bool strict, const json_t *odd,
                    struct base_err *err)
{
    const char *name;
    json_t *value;
    int r = 0;

    json_object_foreach((json_t *)object, name, value) /* changes nothing */
    {
        if (r == 0 && !is_key_of(keys, name)) /* first: what is missing may be there, misspelled */
            r = check_unknown(name, value, keys, strict, err);
    }
    for (const struct eval_key *key = keys; key->name && r == 0; key++)
        r = check_known(object, key, odd, err);
    return r;
}
