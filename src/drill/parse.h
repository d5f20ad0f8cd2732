/* parse.h - inside the room: what the files that read an expect.yaml share */
#pragma once

#include "base/doc.h"
#include "drill/expect.h"

struct drill_parse {
    struct drill_expect *expect;
    const char *place;
    struct base_err *err;
};

/* The words of a table: 0, 1, ... up to the first NULL. */
typedef const char *(*drill_parse_name_fn)(unsigned index);

/* Is @text one of them? */
bool drill_parse_find(const char *text, drill_parse_name_fn name, unsigned *ret_index);

/* BASE_E_INVALID at @doc, with a close word and all of them as the remedy; @what is what they are. */
int drill_parse_unknown(const struct drill_parse *parse, const struct base_doc *doc, const char *what,
                        drill_parse_name_fn name);

/* Checks of one item of a list, which is a single value: 0 or BASE_E_INVALID. Arguments need `outside` to be read. */
typedef int (*drill_parse_item_fn)(const struct drill_parse *parse, const struct base_doc *item);
int drill_parse_proof(const struct drill_parse *parse, const struct base_doc *item);
int drill_parse_limit_key(const struct drill_parse *parse, const struct base_doc *item);
int drill_parse_denial(const struct drill_parse *parse, const struct base_doc *item);
int drill_parse_argument(const struct drill_parse *parse, const struct base_doc *item);
int drill_parse_ending(const struct drill_parse *parse, const struct base_doc *item);
