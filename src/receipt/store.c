/* store.c - an output folder: the chain of receipts, the results, the objects
 *
 * A line is in a file whole or not at all: one that could not be written to its end is cut off again, and what a crash
 * tore is cut off when the folder is next opened with resume, once all the rest is found right.
 *
 * Lines wait in memory, so that one write takes many of them: no longer than FLUSH_AFTER_US where receipt_store_flush()
 * is called that often. Objects do not wait. What is in the files is therefore always in order: the bytes that ran
 * before their receipt, a receipt before its result. It is brought to the disk in the same order, once a second and at
 * the end; objects by one call for the whole file system, since one for each would take longer than its run.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/place.h"
#include "receipt/internal.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYNC_EVERY_US     1000000
#define FLUSH_AFTER_US    100000
#define WAITING_MAX_BYTES (256u << 10)
#define KNOWN_OBJECTS     4096 /* of those written last; a power of two */

struct journal {
    int fd;
    uint64_t bytes; /* whole lines, in the file */
    bool dirty;
    struct base_buf waiting; /* whole lines that are not in the file yet */
    char path[PATH_MAX];     /* for errors */
};

struct receipt_store {
    int dir_fd, lock_fd, objects_fd;
    struct journal receipts, results;
    char head[BASE_HASH_HEX];
    char evaluation[BASE_HASH_HEX]; /* that was gone on with */
    unsigned long count;            /* receipts */
    bool mended, locked;
    bool has_new_objects;           /* that may not be on the disk */
    bool failed;                    /* what waits has no place any more */
    uint64_t synced_us, waiting_us; /* since when a line waits; 0: none does */
    char dir[PATH_MAX];
    char known[KNOWN_OBJECTS][BASE_HASH_HEX]; /* objects that are there, by the start of their hash */
};

static void free_store(struct receipt_store **store)
{
    receipt_store_close(*store);
}

static void add_full_disk_remedy(struct base_err *err)
{
    if (err && (err->sys_errno == ENOSPC || err->sys_errno == EDQUOT))
        (void)base_err_remedy(err, "make room, then go on with --resume: nothing that was finished is lost");
}

static int io_err(struct base_err *err, int sys_errno, const char *place, const char *what)
{
    int r = base_err_sys(err, BASE_E_IO, sys_errno, place, "%s", what);

    add_full_disk_remedy(err);
    return r;
}

/* Whoever may open a file can hold its lock, and folders of results are for others to read. So it is on a file that is
 * for nobody else, and goes with its owner. */
#define LOCK_NAME ".lock"
#define LOCK_MODE 0600

static int refuse_second(const struct receipt_store *store, struct base_err *err)
{
    (void)base_err_set(err, BASE_E_USAGE, store->dir, "another run is writing to this folder");
    return base_err_remedy(err, "wait for it, or give another --out");
}

/* One that goes just now takes its file with it. */
static int lock_folder(struct receipt_store *store, struct base_err *err)
{
    do {
        base_cleanup_close(&store->lock_fd);
        store->lock_fd = base_place_open_at(store->dir_fd, LOCK_NAME, O_RDWR | O_CREAT, LOCK_MODE);
        if (store->lock_fd < 0)
            return io_err(err, -store->lock_fd, store->dir, "cannot be locked");
        if (fchmod(store->lock_fd, LOCK_MODE) < 0)
            return io_err(err, errno, store->dir, "cannot be locked");
        if (flock(store->lock_fd, LOCK_EX | LOCK_NB) < 0)
            return errno == EWOULDBLOCK ? refuse_second(store, err)
                                        : io_err(err, errno, store->dir, "cannot be locked");
    } while (!base_place_is_still(store->lock_fd, store->dir_fd, LOCK_NAME));
    store->locked = true;
    return 0;
}

static void unlock_folder(struct receipt_store *store)
{
    if (store->locked)
        (void)unlinkat(store->dir_fd, LOCK_NAME, 0); /* where it stays, the next one takes it */
    base_cleanup_close(&store->lock_fd);
}

static int open_folder(struct receipt_store *store, struct base_err *err)
{
    int r = base_place_folder(store->dir, BASE_PLACE_MAKE, &store->dir_fd, err);

    return r < 0 ? r : lock_folder(store, err);
}

static int open_objects(struct receipt_store *store, struct base_err *err)
{
    char place[PATH_MAX + 16];

    (void)snprintf(place, sizeof(place), "%s/objects", store->dir);
    return base_place_folder_at(store->dir_fd, "objects", place, BASE_PLACE_MAKE, &store->objects_fd, err);
}

/* What is no file of ours is not written to, whoever put it there. */
static int refuse_journal(const struct receipt_store *store, const struct journal *journal, const char *name,
                          int sys_errno, struct base_err *err)
{
    struct stat st;

    if (fstatat(store->dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || (sys_errno != ESTALE && S_ISREG(st.st_mode)))
        return io_err(err, sys_errno, journal->path, "cannot be opened for writing");
    if (!S_ISREG(st.st_mode))
        return base_file_not_regular(journal->path, st.st_mode, err);
    (void)base_err_set(err, BASE_E_INVALID, journal->path, "is a file that has another name, too");
    return base_err_remedy(err, "make a copy of it, and give that this name");
}

static int open_journal(struct receipt_store *store, const char *name, struct journal *journal, struct base_err *err)
{
    struct stat st;

    if (snprintf(journal->path, sizeof(journal->path), "%s/%s", store->dir, name) >= (int)sizeof(journal->path))
        return io_err(err, ENAMETOOLONG, store->dir, "cannot be opened");
    journal->fd = base_place_open_at(store->dir_fd, name, O_RDWR | O_APPEND | O_CREAT, 0644);
    if (journal->fd < 0)
        return refuse_journal(store, journal, name, -journal->fd, err);
    if (fstat(journal->fd, &st) < 0)
        return io_err(err, errno, journal->path, "cannot be opened for writing");
    journal->bytes = (uint64_t)st.st_size;
    return 0;
}

/* Find the newline before @end; *@ret_after is the offset behind it, 0 when there is none. */
static int find_line_start(const struct journal *journal, uint64_t end, uint64_t *ret_after, struct base_err *err)
{
    char chunk[16384];

    while (end > 0) {
        size_t part = end < sizeof(chunk) ? (size_t)end : sizeof(chunk);
        ssize_t got = pread(journal->fd, chunk, part, (off_t)(end - part));
        const char *newline;

        if (got < 0 && errno == EINTR)
            continue;
        if (got != (ssize_t)part)
            return io_err(err, got < 0 ? errno : EIO, journal->path, "cannot be read");
        newline = memrchr(chunk, '\n', part);
        if (newline) {
            *ret_after = end - part + (uint64_t)(newline - chunk) + 1;
            return 0;
        }
        end -= part;
    }
    *ret_after = 0;
    return 0;
}

static int cut_torn_line(struct receipt_store *store, struct journal *journal, uint64_t whole, struct base_err *err)
{
    if (whole == journal->bytes)
        return 0;
    if (ftruncate(journal->fd, (off_t)whole) < 0)
        return io_err(err, errno, journal->path, "its torn last line cannot be cut off");
    journal->bytes = whole;
    journal->dirty = true;
    store->mended = true;
    return 0;
}

/* The chain goes on only where all of it, every result that claims a run of it, and every program that ran are right.
 */
static int verify_whole_lines(struct receipt_store *store, uint64_t receipts_bytes, uint64_t results_bytes,
                              struct base_err *err)
{
    char place[PATH_MAX + 32], objects[PATH_MAX + 16];
    const struct receipt_beside beside = {
        .objects_dir = receipts_bytes + results_bytes > 0 ? objects : NULL,
        .results = store->results.path,
        .whole = true,
        .receipts_bytes = receipts_bytes,
        .results_bytes = results_bytes,
    };
    struct receipt_verdict verdict;
    int r;

    (void)snprintf(objects, sizeof(objects), "%s/objects", store->dir);
    r = receipt_verify_file(store->receipts.path, &beside, &verdict, err);
    if (r < 0)
        return r;
    memcpy(store->head, verdict.head, sizeof(store->head));
    memcpy(store->evaluation, verdict.evaluation, sizeof(store->evaluation));
    store->count = verdict.receipts;
    if (verdict.bad_line == 0)
        return 0;
    (void)snprintf(place, sizeof(place), "%s:%lu", verdict.in_results ? store->results.path : store->receipts.path,
                   verdict.bad_line);
    (void)base_err_set(err, BASE_E_INVALID, place, "%s", verdict.why);
    return base_err_remedy(err, "what was recorded has been changed: keep the folder, and start in another one");
}

static int refuse_used_folder(const struct receipt_store *store, struct base_err *err)
{
    if (store->receipts.bytes == 0 && store->results.bytes == 0)
        return 0;
    (void)base_err_set(err, BASE_E_USAGE, store->dir, "holds results of an earlier run");
    (void)base_err_remedy(err, "go on with --resume, or give another --out");
    return BASE_E_USAGE;
}

static int pick_up(struct receipt_store *store, struct base_err *err)
{
    uint64_t receipts_bytes, results_bytes;
    int r = find_line_start(&store->receipts, store->receipts.bytes, &receipts_bytes, err);

    if (r == 0)
        r = find_line_start(&store->results, store->results.bytes, &results_bytes, err);
    if (r == 0)
        r = verify_whole_lines(store, receipts_bytes, results_bytes, err);
    if (r == 0)
        r = cut_torn_line(store, &store->receipts, receipts_bytes, err);
    return r < 0 ? r : cut_torn_line(store, &store->results, results_bytes, err);
}

int receipt_store_open(const char *dir, bool resume, struct receipt_store **ret_store, struct base_err *err)
{
    CLEANUP(free_store) struct receipt_store *store = calloc(1, sizeof(*store));
    int r;

    if (!store)
        return base_err_set(err, BASE_E_NOMEM, dir, "out of memory");
    store->dir_fd = store->lock_fd = store->objects_fd = store->receipts.fd = store->results.fd = -1;
    if (snprintf(store->dir, sizeof(store->dir), "%s", dir) >= (int)sizeof(store->dir))
        return base_err_sys(err, BASE_E_USAGE, ENAMETOOLONG, dir, "cannot be made");
    r = open_folder(store, err);
    if (r == 0)
        r = open_journal(store, "receipts.jsonl", &store->receipts, err);
    if (r == 0)
        r = open_journal(store, "results.jsonl", &store->results, err);
    if (r == 0)
        r = resume ? pick_up(store, err) : refuse_used_folder(store, err);
    if (r == 0)
        r = open_objects(store, err);
    if (r < 0)
        return r;
    store->synced_us = base_clock_us();
    *ret_store = TAKE_PTR(store);
    return 0;
}

int receipt_store_folder(const struct receipt_store *store)
{
    return store->dir_fd;
}

struct receipt_chain receipt_store_chain(const struct receipt_store *store)
{
    return (struct receipt_chain){store->count, store->head, store->mended, store->evaluation};
}

/* ---- lines ----------------------------------------------------------------------------------------------------- */

/* Write as much as there is room for; returns how much, with *@ret_errno of what stopped it or 0. */
static size_t write_some(const struct journal *journal, int *ret_errno)
{
    size_t done = 0;

    *ret_errno = 0;
    while (done < journal->waiting.count && *ret_errno == 0) {
        ssize_t n = write(journal->fd, journal->waiting.bytes + done, journal->waiting.count - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            *ret_errno = errno;
    }
    return done;
}

/* Whole lines among the first @count bytes of what waits. */
static size_t whole_lines(const struct journal *journal, size_t count)
{
    const char *newline = count ? memrchr(journal->waiting.bytes, '\n', count) : NULL;

    return newline ? (size_t)(newline - journal->waiting.bytes) + 1 : 0;
}

/* Take back a line that was written in part, so that the next one does not continue it. */
static int cut_back(const struct journal *journal, int sys_errno, struct base_err *err)
{
    int r = base_err_sys(err, BASE_E_IO, sys_errno, journal->path, "cannot be written");

    if (ftruncate(journal->fd, (off_t)journal->bytes) < 0)
        (void)base_err_remedy(err, "the last line of the file is torn; --resume cuts it off");
    else
        add_full_disk_remedy(err);
    return r;
}

static int flush_journal(struct journal *journal, struct base_err *err)
{
    int sys_errno;
    size_t done;

    if (journal->waiting.count == 0)
        return 0;
    done = write_some(journal, &sys_errno);
    journal->dirty = true;
    journal->bytes += sys_errno ? whole_lines(journal, done) : done;
    if (sys_errno)
        return cut_back(journal, sys_errno, err);
    base_buf_clear(&journal->waiting);
    if (journal->waiting.capacity > 4 * WAITING_MAX_BYTES)
        base_buf_release(&journal->waiting); /* a giant came by */
    return 0;
}

/* A result must not be there before its receipt. */
static int flush(struct receipt_store *store, struct base_err *err)
{
    int r;

    if (store->failed)
        return 0; /* that was told */
    r = flush_journal(&store->receipts, err);
    if (r >= 0)
        r = flush_journal(&store->results, err);
    store->failed = r < 0;
    store->waiting_us = 0;
    return r;
}

int receipt_store_flush(struct receipt_store *store, struct base_err *err)
{
    bool is_time = store->waiting_us && base_clock_us() - store->waiting_us >= FLUSH_AFTER_US;

    return is_time ? flush(store, err) : 0;
}

void receipt_store_close(struct receipt_store *store)
{
    if (!store)
        return;
    (void)flush(store, NULL); /* whoever wants to know calls receipt_store_sync() first */
    base_buf_release(&store->receipts.waiting);
    base_buf_release(&store->results.waiting);
    base_cleanup_close(&store->receipts.fd);
    base_cleanup_close(&store->results.fd);
    base_cleanup_close(&store->objects_fd);
    unlock_folder(store);
    base_cleanup_close(&store->dir_fd);
    free(store);
}

static int line_added(struct receipt_store *store, struct base_err *err)
{
    if (!store->waiting_us)
        store->waiting_us = base_clock_us();
    if (store->receipts.waiting.count + store->results.waiting.count >= WAITING_MAX_BYTES)
        return flush(store, err);
    return receipt_store_flush(store, err);
}

static int check_good(const struct receipt_store *store, struct base_err *err)
{
    return store->failed ? base_err_set(err, BASE_E_IO, store->dir, "takes no more after a write that failed") : 0;
}

int receipt_store_append(struct receipt_store *store, json_t *receipt, char ret_hex[BASE_HASH_HEX],
                         struct base_err *err)
{
    char hex[BASE_HASH_HEX];
    int r = check_good(store, err);

    if (r == 0)
        r = receipt_seal(receipt, store->head, &store->receipts.waiting, hex, err);

    if (r == 0)
        r = line_added(store, err);
    if (r < 0)
        return r;
    memcpy(store->head, hex, sizeof(hex));
    store->count++;
    memcpy(ret_hex, hex, sizeof(hex));
    return 0;
}

int receipt_store_result(struct receipt_store *store, const json_t *result, struct base_err *err)
{
    struct base_buf *waiting = &store->results.waiting;
    size_t before = waiting->count;
    int r = check_good(store, err);

    if (r < 0)
        return r;
    r = base_json_canonical(result, waiting);
    if (r == 0)
        r = base_buf_append(waiting, "\n", 1);
    if (r == 0)
        return line_added(store, err);
    base_buf_cut(waiting, before);
    return base_err_set(err, r, store->results.path, "cannot be written: %s",
                        r == BASE_E_NOMEM ? "out of memory" : "the line is too large");
}

/* ---- objects --------------------------------------------------------------------------------------------------- */

static char *known_place(struct receipt_store *store, const char *sha256)
{
    unsigned index = 0;

    for (int i = 0; i < 4; i++)
        index = index * 16 + (unsigned)(sha256[i] <= '9' ? sha256[i] - '0' : sha256[i] - 'a' + 10);
    return store->known[index % KNOWN_OBJECTS];
}

/* The same bytes, in a file that nobody can change under another name. */
static bool is_object_there(const struct receipt_store *store, const char *sha256, const char *bytes, size_t count)
{
    AUTO_CLOSE int fd = base_place_open_at(store->objects_fd, sha256, O_RDONLY, 0);
    char chunk[16384];
    size_t done = 0;
    ssize_t got = fd < 0 ? -1 : 0;

    while (fd >= 0 && (got = read(fd, chunk, sizeof(chunk))) > 0) {
        if ((size_t)got > count - done || memcmp(chunk, bytes + done, (size_t)got) != 0)
            return false;
        done += (size_t)got;
    }
    return got == 0 && done == count;
}

/* A new file under its own name: what is there under that name already is whole, or was torn by a crash. A receipt
 * speaks of an object only after this. */
static int write_object(struct receipt_store *store, const char *sha256, const void *bytes, size_t count,
                        const char *place, struct base_err *err)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL;
    AUTO_CLOSE int fd = base_place_open_at(store->objects_fd, sha256, flags, 0644);
    int r;

    if (fd == -EEXIST) {
        if (is_object_there(store, sha256, bytes, count))
            return 0;
        (void)unlinkat(store->objects_fd, sha256, 0); /* if that fails, the next call does */
        fd = base_place_open_at(store->objects_fd, sha256, flags, 0644);
    }
    if (fd < 0)
        return io_err(err, -fd, place, "cannot be written");
    store->has_new_objects = true;
    r = base_file_write_all(fd, bytes, count, place, err);
    if (r < 0) {
        add_full_disk_remedy(err);
        (void)unlinkat(store->objects_fd, sha256, 0); /* the write's error is the one to tell */
    }
    return r;
}

int receipt_store_object(struct receipt_store *store, const char *sha256, const void *bytes, size_t count,
                         struct base_err *err)
{
    char place[PATH_MAX + 128], *known;
    int r;

    if (!receipt_is_hash(sha256))
        return base_err_set(err, BASE_E_INTERNAL, store->dir, "\"%.80s\" is not the hash of an object", sha256);
    known = known_place(store, sha256);
    if (strcmp(known, sha256) == 0)
        return 0;
    (void)snprintf(place, sizeof(place), "%s/objects/%s", store->dir, sha256);
    r = write_object(store, sha256, bytes, count, place, err);
    if (r >= 0)
        memcpy(known, sha256, BASE_HASH_HEX);
    return r;
}

static int sync_journal(struct journal *journal, struct base_err *err)
{
    if (!journal->dirty)
        return 0;
    if (fdatasync(journal->fd) < 0)
        return io_err(err, errno, journal->path, "cannot be written");
    journal->dirty = false;
    return 0;
}

static int sync_objects(struct receipt_store *store, struct base_err *err)
{
    if (!store->has_new_objects)
        return 0;
    if (syncfs(store->receipts.fd) < 0) /* the folder of objects is open to name its files only */
        return io_err(err, errno, store->dir, "cannot be written");
    store->has_new_objects = false;
    return 0;
}

/* First what others speak of: a receipt of its object, a result of its receipt. */
int receipt_store_sync(struct receipt_store *store, bool now, struct base_err *err)
{
    uint64_t now_us = base_clock_us();
    int r = now ? flush(store, err) : receipt_store_flush(store, err);

    if (r < 0 || (!now && now_us - store->synced_us < SYNC_EVERY_US))
        return r;
    store->synced_us = now_us;
    r = sync_objects(store, err);
    if (r == 0)
        r = sync_journal(&store->receipts, err);
    return r < 0 ? r : sync_journal(&store->results, err);
}
