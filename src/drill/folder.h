/* folder.h - inside the room: folders that come and go */
#pragma once

#include "base/err.h"
#include <stdint.h>

#define DRILL_PATH_BYTES 160

/* A new folder for one drill below /tmp, or /var/tmp where that takes no marked programs or device
 * nodes, which others may pass through. It is ours as long as *@ret_lock_fd is open:
 * whose lock is free is dead. */
int drill_folder_make(char ret_path[DRILL_PATH_BYTES], int *ret_lock_fd, struct base_err *err);

/* Call @found with each such folder of our own user whose maker is dead; nobody else can have it at that time. Empty
 * ones are removed. */
typedef void (*drill_folder_fn)(const char *path);
void drill_folder_dead(drill_folder_fn found);

/* Make @top/@name anew and empty, with exactly this mode. */
int drill_folder_fresh(const char *top, const char *name, unsigned mode, struct base_err *err);

/* Remove @path and everything below it, following nothing; what cannot be removed stays. */
void drill_folder_remove(const char *path);
