/* keys.h - what a key of a task may do */
#pragma once

#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>

#define EVAL_KEY_ANY ((json_type)-1)

enum eval_key_role {
    EVAL_KEY_NEEDED,
    EVAL_KEY_USED,  /* may be absent */
    EVAL_KEY_NOTED, /* known to mean nothing for judging */
};

struct eval_key {
    const char *name; /* NULL ends a table */
    json_type kind;
    enum eval_key_role role;
};

/* The value of a key; NULL where it is absent, which null is too. */
json_t *eval_key_get(const json_t *object, const char *name);

/* "a list" */
const char *eval_key_kind(json_type kind);

/* The key of @keys that @name may be meant for: a misspelled one, or another tool's word for it. NULL: none, or
 * it is one itself. */
const char *eval_key_meant(const char *name, const struct eval_key *keys);

/* Check all keys of @object. With @strict an unknown one is an error; else only one whose name speaks of judging, since
 * a set must not be judged by something else than what it says. One that is empty says nothing. @odd: see
 * eval_odd_settle(), or NULL. Foreign bytes: has a fuzzer (of eval_records). */
int eval_keys_check(const json_t *object, const struct eval_key *keys, bool strict, const json_t *odd,
                    struct base_err *err);
