/* records.h - a file of JSON objects: one a line, or one array of them; plain or gzip */
#pragma once

#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>

struct eval_records;

/* What one line, or a whole array, may have in bytes, and one object as a tree (base/json_bound.h). */
struct eval_records_bound {
    size_t bytes, memory_bytes;
    bool twice; /* a key that is there twice is no error: see eval_records_twice() */
};

/* Open @path, a JSON array or JSON lines, gzip or not. Foreign bytes: has a fuzzer. */
int eval_records_open(const char *path, struct eval_records_bound bound, struct eval_records **ret_records,
                      struct base_err *err);

/* 1 with the next object (new reference), 0 at the end, or an error with its place. */
int eval_records_next(struct eval_records *records, json_t **ret_json, struct base_err *err);

/* Another bound for the next object's tree. */
void eval_records_bound_memory(struct eval_records *records, size_t memory_max_bytes);

/* What the object that came last takes at most. */
size_t eval_records_memory(const struct eval_records *records);

/* The object that came last has something that JSON does not: its strings are as eval/odd.h spells them. */
bool eval_records_is_odd(const struct eval_records *records);

/* What is there twice in the object that came last, for people; NULL: nothing. */
const char *eval_records_twice(const struct eval_records *records);

/* LINE of the object that came last. */
unsigned long eval_records_line(const struct eval_records *records);

/* "FILE:LINE" of the object that came last. */
const char *eval_records_place(const struct eval_records *records);
void eval_records_close(struct eval_records *records);

static inline void eval_records_cleanup(struct eval_records **records)
{
    eval_records_close(*records);
}
#define AUTO_RECORDS CLEANUP(eval_records_cleanup)
