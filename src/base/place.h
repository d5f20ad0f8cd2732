/* place.h - files of ours in folders of users: the one part that makes, replaces and removes them
 *
 * Whoever may exchange a folder, or put a link into it, chooses what we write: with root's rights, if root started us.
 * So a path is gone along step by step, from the top or from the current folder, and each folder on the way is judged:
 * it belongs to root or to us, and nobody else may write to it. One that all may write to is gone through only with a
 * sticky bit (as /tmp), where what is ours stays ours. A link counts where only we or root can have put it there. What
 * is found is held as a descriptor, and all that follows is done below it, by names that are never followed.
 */
#pragma once

#include "base/err.h"
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define BASE_PLACE_MAKE   1u /* make what is missing, with mode 0755 less the umask */
#define BASE_PLACE_SHARED 2u /* also a folder that others may write to, with a sticky bit */
#define BASE_PLACE_OWN    4u /* it must be ours: root is another user then, too */

/* Open the folder @path. BASE_E_USAGE: who owns it, or a folder or link on the way to it, or may write there, is
 * somebody else; BASE_E_IO otherwise. */
int base_place_folder(const char *path, unsigned flags, int *ret_fd, struct base_err *err);

/* The same for the folder @name of one that is open; @path names it in errors. */
int base_place_folder_at(int dir_fd, const char *name, const char *path, unsigned flags, int *ret_fd,
                         struct base_err *err);

/* Make a folder of a new name, @prefix and 16 digits, with just this mode; its name is put into @ret_name. */
int base_place_scratch(int dir_fd, const char *prefix, mode_t mode, char *ret_name, size_t name_bytes,
                       struct base_err *err);

/* Where a file is, or is to be: a folder as above (BASE_PLACE_SHARED), and a name in it. */
struct base_place {
    int dir_fd;
    bool shared; /* others may make files there, too */
    char name[NAME_MAX + 1];
};
static inline void base_place_release(struct base_place *place);

/* Find the place of the file @path, which need not be there. What is there must be a regular file, and ours where
 * others may write to the folder. BASE_E_INVALID: it is another kind of file. */
int base_place_find(const char *path, struct base_place *ret_place, struct base_err *err);

/* Could a file be put there now? As base_place_find(); BASE_E_IO where the folder cannot be written to. */
int base_place_check(const char *path, struct base_err *err);

/* Put the bytes under @path in one step: a reader sees the old file or the new one, never a part, also after this
 * process is killed or the power fails. */
int base_place_replace(const char *path, const void *bytes, size_t count, struct base_err *err);

/* The same for the file @name of an open folder; @path names it in errors. */
int base_place_replace_at(int dir_fd, const char *name, const char *path, const void *bytes, size_t count,
                          struct base_err *err);

/* Open the file @name of a folder that was judged, as openat() with @flags; never a link, only a regular file, which
 * has no other name. Returns the descriptor or -errno; -ESTALE: it is something else. */
int base_place_open_at(int dir_fd, const char *name, int flags, mode_t mode);

/* Whether @fd is of what stands now under @name of an open folder: who has locked it may have waited for one that is
 * gone. */
bool base_place_is_still(int fd, int dir_fd, const char *name);

/* Remove the file @path, which is not followed; 0 also where it is not there. */
int base_place_remove(const char *path, struct base_err *err);

#include "base/cleanup.h"

static inline void base_place_release(struct base_place *place)
{
    base_cleanup_close(&place->dir_fd);
}
#define AUTO_PLACE CLEANUP(base_place_release)
