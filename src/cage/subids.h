/* subids.h - inside the room: which ids a user may give away, as /etc/subuid and /etc/subgid have it
 *
 * Only read to know what to ask newuidmap and newgidmap for, which decide. Bytes in, values out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAGE_SUBIDS_NAME_BYTES 64

/* The ids [first, first + count). */
struct cage_subids {
    uint32_t first, count;
};

/* Name and group of user @id in the text of /etc/passwd; false where it has no such line, or an odd one. */
bool cage_subids_user(const char *text, size_t count, uint32_t id, char ret_name[CAGE_SUBIDS_NAME_BYTES],
                      uint32_t *ret_group);

/* The largest range that the text of /etc/subuid gives to @name (empty: unknown) or to user @id. Lines that are not to
 * be understood give nothing. */
bool cage_subids_range(const char *text, size_t count, const char *name, uint32_t id, struct cage_subids *ret_range);

/* A part of @range for cages, far from where the containers of that user have their own, without @own and the ids that
 * systems use. False where it is too small. */
bool cage_subids_part(const struct cage_subids *range, uint32_t own, struct cage_subids *ret_part);
