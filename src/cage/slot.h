/* slot.h - inside the room: what clearing up needs to know about slots */
#pragma once

/* 1 with the slot's lock in *@ret_fd (the caller closes it) when nobody holds it, else 0. */
int cage_slot_lock_free(unsigned number, int *ret_fd);
