/* doc_build.h - what the YAML and the JSON reader of doc.h share; not for others */
#pragma once

#include "base/doc.h"

#define BASE_DOC_DEPTH_MAX 64
#define BASE_DOC_NODES_MAX 100000

/* Where a document is being read from. */
struct base_doc_source {
    const char *bytes;
    size_t count;
    const char *place;
    struct base_err *err;
    unsigned nodes; /* made so far */
};

/* BASE_E_INVALID at a line and column of the source. */
int base_doc_source_err(const struct base_doc_source *source, unsigned line, unsigned column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The place of a byte. */
void base_doc_offset(const struct base_doc_source *source, size_t offset, unsigned *ret_line, unsigned *ret_column);

/* A new node at this place, counted against the limits. @depth is 1 for the root. */
int base_doc_new(struct base_doc_source *source, enum base_doc_kind kind, unsigned depth, unsigned line,
                 unsigned column, struct base_doc **ret_doc);

/* BASE_E_INVALID when two children of @map have the same key. */
int base_doc_unique(const struct base_doc_source *source, const struct base_doc *map);

/* The reader for texts that start with '{' or '['. */
int base_doc_json(struct base_doc_source *source, struct base_doc **ret_doc);
