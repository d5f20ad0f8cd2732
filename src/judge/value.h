/* value.h - integers that are too big for jansson, inside the room */
#pragma once

#include <jansson.h>

/* No JSON text of a person has this key; a guest that makes one only harms its own answer. */
#define JUDGE_BIG_KEY "\001int"

/* The digits of such an integer, or NULL for any other value. */
const char *judge_value_big(const json_t *value);
