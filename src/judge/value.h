/* value.h - what the files of this room share about values */
#pragma once

#include "base/buf.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- values of task sets: JSON as jansson holds it -------------------------------------------------------------- */

/* An integer beyond 64 bits is held as an object with this key. No JSON text becomes such an object: a key that begins
 * with this byte has it twice in memory. */
#define JUDGE_BIG_KEY  "\001int"
#define JUDGE_KEY_BYTE '\001'

/* The digits of such an integer, or NULL for any other value. */
const char *judge_value_big(const json_t *value);

/* Append a value as JSON. With @tagged as the driver of JavaScript reads it: {"d": object}, and {"i": "digits"} for an
 * integer that a number there cannot hold. Stops behind @max bytes (people read the start alone). */
int judge_value_write(struct base_buf *buf, const json_t *value, bool tagged, size_t max);

/* ---- values of a guest, typed ------------------------------------------------------------------------------------ */

enum judge_type {
    JUDGE_TYPE_NULL,
    JUDGE_TYPE_FALSE,
    JUDGE_TYPE_TRUE,
    JUDGE_TYPE_INTEGER, /* text: its digits; "-" before them, no "-0", no leading zero */
    JUDGE_TYPE_REAL,    /* real, finite */
    JUDGE_TYPE_TEXT,    /* text: UTF-8, which may hold NUL */
    JUDGE_TYPE_LIST,    /* items */
    JUDGE_TYPE_TUPLE,   /* items */
    JUDGE_TYPE_DICT,    /* items: key, value, key, value; keys are texts, each is there once */
};

struct judge_node {
    uint32_t type, count; /* of items, or of bytes of text */
    uint32_t first;       /* node of the first item; else where the text starts */
    uint32_t next;        /* the node behind it in the same list; 0: none */
    double real;
};

/* The tree is flat: node 0 is the value. */
struct judge_answer {
    struct judge_node *nodes;
    size_t count, capacity;
    char *text; /* a NUL stands behind each text, and JUDGE_KEY_BYTE before it */
};

/* Short texts for people, cut to the room that there is: true when something was cut. */
bool judge_value_text(const json_t *value, char *text, size_t text_bytes);
bool judge_answer_text(const struct judge_answer *answer, uint32_t index, char *text, size_t text_bytes);

static inline const char *judge_node_text(const struct judge_answer *answer, const struct judge_node *node)
{
    return answer->text + node->first;
}

/* ---- small parts of both ----------------------------------------------------------------------------------------- */

/* Append a text as JSON. */
int judge_put_text(struct base_buf *buf, const char *bytes, size_t count);

/* The nearest real to a number whose grammar was checked; infinite where it is beyond all. */
double judge_real_of(const char *number);

/* The fewest digits that are that number again; always with '.' or 'e'. */
#define JUDGE_REAL_BYTES 40
const char *judge_real_text(double real, char text[JUDGE_REAL_BYTES]);
