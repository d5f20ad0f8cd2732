/* doc.h - a YAML or JSON document as a tree that remembers where everything stands
 *
 * Strict: one document, no aliases, no anchors, no tags, no duplicate keys, at most 64 levels and 100,000 nodes. A
 * plain scalar stays text; the reader of a field decides what it means, so "no" is never false by accident. A text that
 * starts with '{' or '[' must be valid JSON.
 */
#pragma once

#include "base/cleanup.h"
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>

enum base_doc_kind { BASE_DOC_SCALAR, BASE_DOC_LIST, BASE_DOC_MAP };

struct base_doc {
    enum base_doc_kind kind;
    unsigned line, column; /* from 1 */
    char *text;            /* SCALAR: never NULL, no NUL inside */
    bool quoted;           /* SCALAR: was written in quotes */
    char *key;             /* the key under which a map holds this node, else NULL */
    unsigned key_line, key_column;
    struct base_doc *child; /* LIST, MAP: first child */
    struct base_doc *next;  /* next sibling */
};

/* Parse @bytes; @place is the file's name for errors ("PLACE:LINE:COLUMN"). Foreign bytes: has a fuzzer. */
int base_doc_parse(const char *bytes, size_t count, const char *place, struct base_doc **ret_doc, struct base_err *err);
void base_doc_free(struct base_doc *doc);
static inline void base_doc_cleanup(struct base_doc **doc)
{
    base_doc_free(*doc);
}
#define AUTO_DOC CLEANUP(base_doc_cleanup)

/* The child of map @doc under @key, or NULL. */
const struct base_doc *base_doc_get(const struct base_doc *doc, const char *key);

/* BASE_E_INVALID at the node's place. Returns the code. */
int base_doc_err(const struct base_doc *doc, const char *place, struct base_err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* One row of a strict schema: every key of a map must have a row. */
struct base_doc_field {
    const char *key;
    enum base_doc_kind kind;
    bool required;
};
/* Check that @doc is a map with known keys of the right kinds; @fields ends with a NULL key. */
int base_doc_check(const struct base_doc *doc, const struct base_doc_field *fields, const char *place,
                   struct base_err *err);
