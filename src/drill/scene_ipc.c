/* scene_ipc.c - shared memory and a message queue that hold the nonce */
#include "base/cleanup.h"
#include "base/file.h"
#include "drill/scene.h"
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>

#define SECRET_BYTES 128

static int failed(enum drill_outside kind, struct base_err *err)
{
    return base_err_sys(err, BASE_E_SETUP, errno, drill_outside_name(kind), "cannot be made");
}

/* "/NAME", as the library wants it; arguments carry the bare name. */
static const char *slashed(const struct drill_scene *scene, enum drill_outside kind, char *name, size_t name_bytes)
{
    (void)snprintf(name, name_bytes, "/%s", scene->words[kind]);
    return name;
}

#define NAME_PREFIX "fumehood-drill-"

static void put_name(struct drill_scene *scene, enum drill_outside kind)
{
    (void)snprintf(scene->words[kind], sizeof(scene->words[kind]), NAME_PREFIX "%s", scene->tag);
}

/* --- System V --- */

static key_t key_of(const char *tag)
{
    key_t key = 0;

    for (int i = 0; i < 7; i++) /* 28 bits: positive, and never IPC_PRIVATE */
        key = key * 16 + (tag[i] <= '9' ? tag[i] - '0' : tag[i] - 'a' + 10);
    return key | 1;
}

static int make_sysv(struct drill_scene *scene, struct base_err *err)
{
    key_t key = key_of(scene->tag);
    char *memory;

    scene->shm_id = shmget(key, SECRET_BYTES, IPC_CREAT | IPC_EXCL | 0666);
    if (scene->shm_id < 0)
        return failed(DRILL_SYSV_SHM, err);
    (void)snprintf(scene->words[DRILL_SYSV_SHM], sizeof(scene->words[0]), "%d", (int)key);
    memory = shmat(scene->shm_id, NULL, 0);
    if (memory == (char *)-1) {
        (void)failed(DRILL_SYSV_SHM, err);
        (void)shmctl(scene->shm_id, IPC_RMID, NULL);
        return BASE_E_SETUP;
    }
    (void)drill_secret(scene, memory, SECRET_BYTES);
    (void)shmdt(memory);
    return 0;
}

static void check_sysv(struct drill_scene *scene, struct drill_words *faults)
{
    struct shmid_ds state;
    char wanted[SECRET_BYTES] = "";
    char *memory = shmat(scene->shm_id, NULL, SHM_RDONLY);

    if (memory == (char *)-1 || shmctl(scene->shm_id, IPC_STAT, &state) < 0 || (state.shm_perm.mode & 0777) != 0666) {
        drill_fault(faults, "the sysv-shm is gone or has another mode");
    } else {
        (void)drill_secret(scene, wanted, sizeof(wanted));
        if (memcmp(memory, wanted, sizeof(wanted)) != 0)
            drill_fault(faults, "the sysv-shm was changed");
    }
    if (memory != (char *)-1)
        (void)shmdt(memory);
}

static void remove_sysv(struct drill_scene *scene)
{
    (void)shmctl(scene->shm_id, IPC_RMID, NULL);
}

/* --- POSIX shared memory --- */

static int make_posix(struct drill_scene *scene, struct base_err *err)
{
    char name[256], text[SECRET_BYTES];
    int fd;

    put_name(scene, DRILL_POSIX_SHM);
    fd = shm_open(slashed(scene, DRILL_POSIX_SHM, name, sizeof(name)), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0 || fchmod(fd, 0666) < 0) {
        (void)failed(DRILL_POSIX_SHM, err);
        base_cleanup_close(&fd);
        return BASE_E_SETUP;
    }
    scene->fds[DRILL_POSIX_SHM] = fd;
    (void)drill_secret(scene, text, sizeof(text));
    return base_file_write_all(fd, text, strlen(text), name, err);
}

static void check_posix(struct drill_scene *scene, struct drill_words *faults)
{
    char name[256], wanted[SECRET_BYTES], text[SECRET_BYTES];
    AUTO_CLOSE int fd = shm_open(slashed(scene, DRILL_POSIX_SHM, name, sizeof(name)), O_RDONLY, 0);
    struct stat now, then;
    ssize_t count;

    if (fd < 0 || fstat(fd, &now) < 0 || fstat(scene->fds[DRILL_POSIX_SHM], &then) < 0 || now.st_ino != then.st_ino) {
        drill_fault(faults, "the posix-shm is gone");
        return;
    }
    (void)drill_secret(scene, wanted, sizeof(wanted));
    count = read(fd, text, sizeof(text));
    if (count != (ssize_t)strlen(wanted) || memcmp(text, wanted, (size_t)count) != 0 || (now.st_mode & 0777) != 0666)
        drill_fault(faults, "the posix-shm was changed");
}

static void remove_posix(struct drill_scene *scene)
{
    char name[256];

    (void)shm_unlink(slashed(scene, DRILL_POSIX_SHM, name, sizeof(name)));
}

/* --- message queue: one message, which stays --- */

static int make_queue(struct drill_scene *scene, struct base_err *err)
{
    struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = SECRET_BYTES};
    char name[256], text[SECRET_BYTES];
    mqd_t queue;

    put_name(scene, DRILL_POSIX_MQUEUE);
    queue = mq_open(slashed(scene, DRILL_POSIX_MQUEUE, name, sizeof(name)),
                    O_RDWR | O_CREAT | O_EXCL | O_NONBLOCK | O_CLOEXEC, 0600, &attributes);
    if (queue < 0)
        return failed(DRILL_POSIX_MQUEUE, err);
    scene->fds[DRILL_POSIX_MQUEUE] = queue;
    (void)drill_secret(scene, text, sizeof(text));
    if (fchmod(queue, 0666) == 0 && mq_send(queue, text, strlen(text), 0) == 0)
        return 0;
    (void)failed(DRILL_POSIX_MQUEUE, err);
    (void)mq_unlink(name);
    return BASE_E_SETUP;
}

static void check_queue(struct drill_scene *scene, struct drill_words *faults)
{
    struct mq_attr attributes;
    char name[256], wanted[SECRET_BYTES], text[SECRET_BYTES] = "";
    mqd_t queue = mq_open(slashed(scene, DRILL_POSIX_MQUEUE, name, sizeof(name)), O_RDWR | O_NONBLOCK | O_CLOEXEC);

    if (queue < 0 || mq_getattr(queue, &attributes) < 0) {
        drill_fault(faults, "the posix-mqueue is gone");
    } else {
        (void)drill_secret(scene, wanted, sizeof(wanted));
        if (attributes.mq_curmsgs != 1 || mq_receive(queue, text, sizeof(text), NULL) != (ssize_t)strlen(wanted) ||
            memcmp(text, wanted, strlen(wanted)) != 0)
            drill_fault(faults, "the posix-mqueue was read or written");
        else if (mq_send(queue, wanted, strlen(wanted), 0) < 0)
            drill_fault(faults, "the posix-mqueue takes nothing any more");
    }
    if (queue >= 0)
        (void)mq_close(queue);
}

static void remove_queue(struct drill_scene *scene)
{
    char name[256];

    (void)mq_unlink(slashed(scene, DRILL_POSIX_MQUEUE, name, sizeof(name)));
}

void drill_ipc_clear(const char *tag)
{
    char name[sizeof("/" NAME_PREFIX) + DRILL_TAG_CHARS];
    int id = shmget(key_of(tag), SECRET_BYTES, 0);
    struct shmid_ds state;

    (void)snprintf(name, sizeof(name), "/" NAME_PREFIX "%s", tag);
    (void)shm_unlink(name); /* not there, or another user's: the same */
    (void)mq_unlink(name);
    if (id >= 0 && shmctl(id, IPC_STAT, &state) == 0 && state.shm_perm.cuid == geteuid() &&
        state.shm_segsz == SECRET_BYTES)
        (void)shmctl(id, IPC_RMID, NULL);
}

const struct drill_kind drill_kind_sysv_shm = {make_sysv, check_sysv, remove_sysv};
const struct drill_kind drill_kind_posix_shm = {make_posix, check_posix, remove_posix};
const struct drill_kind drill_kind_posix_mqueue = {make_queue, check_queue, remove_queue};
