/* records.h - a file of JSON objects: one a line, or one array of them; plain or gzip */
#pragma once

#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>

struct eval_records;

#define EVAL_RECORD_MAX_BYTES  (32u << 20) /* of one line, or of a whole array */
#define EVAL_RECORD_MAX_MEMORY ((size_t)64 << 20)

/* Open @path, a JSON array or JSON lines, gzip or not. Foreign bytes: has a fuzzer. */
int eval_records_open(const char *path, struct eval_records **ret_records, struct base_err *err);

/* 1 with the next object (new reference), 0 at the end, or an error with its place. */
int eval_records_next(struct eval_records *records, json_t **ret_json, struct base_err *err);

/* The most memory that the next object may take, as in base/json_bound.h; EVAL_RECORD_MAX_MEMORY at first. */
void eval_records_bound(struct eval_records *records, size_t memory_max_bytes);

/* What the object that came last takes at most. */
size_t eval_records_memory(const struct eval_records *records);

/* The object that came last has something that JSON does not: its strings are as eval/odd.h spells them. */
bool eval_records_is_odd(const struct eval_records *records);

/* "FILE:LINE" of the object that came last. */
const char *eval_records_place(const struct eval_records *records);
void eval_records_close(struct eval_records *records);

static inline void eval_records_cleanup(struct eval_records **records)
{
    eval_records_close(*records);
}
#define AUTO_RECORDS CLEANUP(eval_records_cleanup)
