/* doc.c - the document tree: making, freeing, looking things up, strict schemas */
#include "base/doc_build.h"
#include "base/near.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void base_doc_free(struct base_doc *doc)
{
    while (doc) { /* the depth is bounded, the number of siblings is not */
        struct base_doc *next = doc->next;

        base_doc_free(doc->child);
        free(doc->text);
        free(doc->key);
        free(doc);
        doc = next;
    }
}

static int invalid_at(unsigned line, unsigned column, const char *place, struct base_err *err, const char *fmt,
                      va_list args) __attribute__((format(printf, 5, 0)));
static int invalid_at(unsigned line, unsigned column, const char *place, struct base_err *err, const char *fmt,
                      va_list args)
{
    char where[256], what[384];

    (void)snprintf(where, sizeof(where), "%s:%u:%u", place, line, column);
    (void)vsnprintf(what, sizeof(what), fmt, args);
    return base_err_set(err, BASE_E_INVALID, where, "%s", what);
}

int base_doc_source_err(const struct base_doc_source *source, unsigned line, unsigned column, const char *fmt, ...)
{
    va_list args;
    int r;

    va_start(args, fmt);
    r = invalid_at(line, column, source->place, source->err, fmt, args);
    va_end(args);
    return r;
}

int base_doc_err(const struct base_doc *doc, const char *place, struct base_err *err, const char *fmt, ...)
{
    va_list args;
    int r;

    va_start(args, fmt);
    r = invalid_at(doc->line, doc->column, place, err, fmt, args);
    va_end(args);
    return r;
}

void base_doc_offset(const struct base_doc_source *source, size_t offset, unsigned *ret_line, unsigned *ret_column)
{
    *ret_line = *ret_column = 1;
    for (size_t i = 0; i < offset && i < source->count; i++) {
        if (source->bytes[i] == '\n') {
            ++*ret_line;
            *ret_column = 1;
        } else if (((unsigned char)source->bytes[i] & 0xc0) != 0x80) {
            ++*ret_column; /* columns count characters, not bytes */
        }
    }
}

int base_doc_new(struct base_doc_source *source, enum base_doc_kind kind, unsigned depth, unsigned line,
                 unsigned column, struct base_doc **ret_doc)
{
    struct base_doc *doc;

    if (depth > BASE_DOC_DEPTH_MAX)
        return base_doc_source_err(source, line, column, "more than %d levels deep", BASE_DOC_DEPTH_MAX);
    if (source->nodes == BASE_DOC_NODES_MAX)
        return base_doc_source_err(source, line, column, "more than %d values", BASE_DOC_NODES_MAX);
    doc = calloc(1, sizeof(*doc));
    if (!doc)
        return base_err_set(source->err, BASE_E_NOMEM, source->place, "out of memory");
    source->nodes++;
    doc->kind = kind;
    doc->line = line;
    doc->column = column;
    *ret_doc = doc;
    return 0;
}

/* By key; equal keys in the order of the text. */
static int compare_keys(const void *a, const void *b)
{
    const struct base_doc *left = *(const struct base_doc *const *)a, *right = *(const struct base_doc *const *)b;
    int order = strcmp(left->key, right->key);

    if (order != 0)
        return order;
    if (left->key_line != right->key_line)
        return left->key_line < right->key_line ? -1 : 1;
    return (left->key_column > right->key_column) - (left->key_column < right->key_column);
}

int base_doc_unique(const struct base_doc_source *source, const struct base_doc *map)
{
    AUTO_FREE const struct base_doc **sorted = NULL;
    size_t count = 0;

    for (const struct base_doc *child = map->child; child; child = child->next)
        count++;
    sorted = calloc(count + 1, sizeof(*sorted));
    if (!sorted)
        return base_err_set(source->err, BASE_E_NOMEM, source->place, "out of memory");
    count = 0;
    for (const struct base_doc *child = map->child; child; child = child->next)
        sorted[count++] = child;
    qsort(sorted, count, sizeof(*sorted), compare_keys);
    for (size_t i = 1; i < count; i++)
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0)
            return base_doc_source_err(source, sorted[i]->key_line, sorted[i]->key_column,
                                       "duplicate key \"%s\" (first on line %u)", sorted[i]->key,
                                       sorted[i - 1]->key_line);
    return 0;
}

const struct base_doc *base_doc_get(const struct base_doc *doc, const char *key)
{
    const struct base_doc *child = doc && doc->kind == BASE_DOC_MAP ? doc->child : NULL;

    while (child && strcmp(child->key, key) != 0)
        child = child->next;
    return child;
}

static const struct base_doc_field *find_field(const struct base_doc_field *fields, const char *key)
{
    for (; fields->key; fields++)
        if (strcmp(fields->key, key) == 0)
            return fields;
    return NULL;
}

static int unknown_key(const struct base_doc *child, const struct base_doc_field *fields, const char *place,
                       struct base_err *err)
{
    const struct base_doc at = {.line = child->key_line, .column = child->key_column};
    struct base_near near = {.word = child->key};
    char known[256] = "", guess[64];
    size_t used = 0;

    (void)base_doc_err(&at, place, err, "unknown key \"%s\"", child->key);
    for (; fields->key && used < sizeof(known); fields++) {
        base_near_offer(&near, fields->key);
        used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", used > 0 ? ", " : "", fields->key);
    }
    (void)base_err_remedy(err, "%sknown here: %s", base_near_text(&near, guess, sizeof(guess)), known);
    return BASE_E_INVALID;
}

static const char *kind_name(enum base_doc_kind kind)
{
    switch (kind) {
    case BASE_DOC_SCALAR:
        return "a single value";
    case BASE_DOC_LIST:
        return "a list";
    case BASE_DOC_MAP:
        return "a map of keys and values";
    }
    return "a value";
}

/* @name is the key, or NULL for the whole document. */
static int wrong_kind(const struct base_doc *doc, const char *name, enum base_doc_kind wanted, const char *place,
                      struct base_err *err)
{
    const char *text = doc->kind == BASE_DOC_SCALAR && !doc->quoted ? doc->text : NULL;
    bool empty = text && (!*text || strcmp(text, "null") == 0 || strcmp(text, "~") == 0);

    if (!name)
        name = "the document";
    if (!empty) {
        (void)base_doc_err(doc, place, err, "%s is %s, where %s is wanted", name, kind_name(doc->kind),
                           kind_name(wanted));
        if (text && wanted == BASE_DOC_MAP)
            (void)base_err_remedy(err, "write \"key: value\", with a %s",
                                  strchr(text, ':') ? "blank after the colon" : "colon and a blank after it");
        return BASE_E_INVALID;
    }
    (void)base_doc_err(doc, place, err, "%s is empty, where %s is wanted", name, kind_name(wanted));
    if (wanted != BASE_DOC_SCALAR)
        (void)base_err_remedy(err, "what belongs to it stands below it, further to the right; or leave it out");
    return BASE_E_INVALID;
}

int base_doc_check(const struct base_doc *doc, const struct base_doc_field *fields, const char *place,
                   struct base_err *err)
{
    if (doc->kind != BASE_DOC_MAP)
        return wrong_kind(doc, doc->key, BASE_DOC_MAP, place, err);
    for (const struct base_doc *child = doc->child; child; child = child->next) {
        const struct base_doc_field *field = find_field(fields, child->key);

        if (!field)
            return unknown_key(child, fields, place, err);
        if (child->kind != field->kind)
            return wrong_kind(child, child->key, field->kind, place, err);
    }
    for (; fields->key; fields++)
        if (fields->required && !base_doc_get(doc, fields->key))
            return base_doc_err(doc, place, err, "%s is missing", fields->key);
    return 0;
}
