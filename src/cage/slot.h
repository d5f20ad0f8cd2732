/* slot.h - inside the room: what clearing up needs to know about slots
 *
 * The lock file of a slot that has or had control groups holds a note that says where, one group a line:
 * whoever starts next, from whichever group, finds what a killed owner left.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define CAGE_NOTE_BYTES 4096

/* 1 with the slot's lock in *@ret_fd (the caller closes it) when nobody holds it, else 0. */
int cage_slot_lock_free(unsigned number, int *ret_fd);

/* Write, read and wipe the note in an open lock file. Reading gives 0 for an empty one, else its length. */
int cage_slot_note_write(int lock_fd, const char *note);
size_t cage_slot_note_read(int lock_fd, char note[CAGE_NOTE_BYTES]);
int cage_slot_note_wipe(int lock_fd);

/* Call @clear for every slot that has a note and whose lock nobody holds; the lock is held meanwhile. Returns how often
 * it was not true. */
unsigned cage_slot_each_dead(bool (*clear)(int lock_fd, unsigned patience_ms), unsigned patience_ms);
