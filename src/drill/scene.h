/* scene.h - inside the room: what is staged outside the cage for one attack, and whether it is still intact
 *
 * Each kind is a row of a table in scene.c: make, check, remove. Values for arguments go into `words`. A nonce stands
 * in everything that is secret, and in nothing that the guest is told unless it asks for {nonce}.
 */
#pragma once

#include "base/buf.h"
#include "drill/expect.h"
#include "drill/folder.h"
#include "drill/launch.h"
#include <sys/types.h>

#define DRILL_NONCE_CHARS     32
#define DRILL_TAG_CHARS       16
#define DRILL_SECRET_VARIABLE "DRILL_SECRET" /* the variable of secret-env */

/* Folders below the drill's own one: what the guest may know of, our notes, and where bare programs stand. */
#define DRILL_OPEN_DIR "open"
#define DRILL_NOTE_DIR "notes"
#define DRILL_WORK_DIR "work"
#define DRILL_TAG_FILE "tag" /* names what stands outside of that folder, for who comes after a killed one */

struct drill_scene {
    const struct drill_expect *expect;
    char top[DRILL_PATH_BYTES]; /* of this drill */
    char dir[DRILL_PATH_BYTES]; /* of this row */
    char nonce[DRILL_NONCE_CHARS + 1];
    char tag[DRILL_TAG_CHARS + 1];      /* random, for names */
    char words[DRILL_OUTSIDE_MAX][224]; /* what the placeholder of a kind stands for */
    int fds[DRILL_OUTSIDE_MAX];         /* our end: a listener, a heartbeat, the terminal's; -1 */
    int terminal_fd, folder_fd;         /* for the supervisor: its end of the terminal; open-file's second one */
    struct base_buf typed;              /* what came out of the terminal */
    char pace[12];                      /* what {pace} stands for */
    int shm_id;                         /* -1 */
    pid_t victim;                       /* 0 */
    unsigned made;                      /* DRILL_BIT() of the kinds that stand */
    size_t strays;                      /* files that were not staged, when it was last checked */
};

/* Stage everything that @expect asks for, afresh below @top. On failure nothing stands, and the error says what this
 * machine lacks. */
int drill_scene_make(const struct drill_expect *expect, const char *top, struct drill_scene *ret_scene,
                     struct base_err *err);

/* What is not as it was staged, a clause each, is added to @faults. Connections that were seen are forgotten. */
void drill_scene_check(struct drill_scene *scene, struct drill_words *faults);

/* Take away the folder @top of a drill that was killed, and what it had staged elsewhere. */
void drill_scene_clear(const char *top);

/* Take away everything. Does nothing to an empty one. */
void drill_scene_release(struct drill_scene *scene);
#define AUTO_SCENE CLEANUP(drill_scene_release)

/* @text with its placeholders filled; the caller frees it. NULL without memory. */
char *drill_scene_fill(const struct drill_scene *scene, const char *text);

/* Take in what the terminal shows, so that its writers need not wait. */
void drill_scene_drain(struct drill_scene *scene);

/* Add the descriptors of open-file, which stay the scene's. */
void drill_scene_gifts(const struct drill_scene *scene, struct drill_launch *launch);

/* A row of the table. @remove also takes away what a failed @make has begun; our end is closed anyway. */
struct drill_kind {
    int (*make)(struct drill_scene *scene, struct base_err *err);
    void (*check)(struct drill_scene *scene, struct drill_words *faults); /* may be NULL */
    void (*remove)(struct drill_scene *scene);                            /* may be NULL */
};
extern const struct drill_kind drill_kind_secret_file, drill_kind_guarded_file, drill_kind_guarded_dir,
    drill_kind_open_file;
extern const struct drill_kind drill_kind_tcp4, drill_kind_tcp6, drill_kind_udp4, drill_kind_unix_path,
    drill_kind_unix_abstract;
extern const struct drill_kind drill_kind_sysv_shm, drill_kind_posix_shm, drill_kind_posix_mqueue;
extern const struct drill_kind drill_kind_victim, drill_kind_terminal;

/* Take away the objects with this tag, where they are ours. */
void drill_ipc_clear(const char *tag);

/* Add a clause. */
void drill_fault(struct drill_words *faults, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What a secret object holds: the nonce with words around it. Returns @text. */
const char *drill_secret(const struct drill_scene *scene, char *text, size_t text_bytes);
