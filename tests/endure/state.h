/* state.h - what this process and the machine are like, before and after many runs */
#pragma once

#include "../unit/run/started.h"
#include <malloc.h>
#include <sys/resource.h>
#include <time.h>

/* The allocator keeps some of what it has had, where it lay; what is in use is exact. */
#if defined(__SANITIZE_ADDRESS__)
#define RSS_SLACK_KIB 8192 /* its own tables; leaks it finds itself */
#else
#define RSS_SLACK_KIB 256
#endif
#define HEAP_SLACK_BYTES 1024

#define FDS_MAX 256

struct state {
    bool fds[FDS_MAX];
    size_t heap_bytes;
    unsigned long rss_kib, mounts, dead_groups;
};

#if defined(__SANITIZE_ADDRESS__)
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0"; /* what is freed is not to be kept */
}
#endif

static inline void look_at_fds(bool fds[FDS_MAX])
{
    for (int fd = 0; fd < FDS_MAX; fd++)
        fds[fd] = fcntl(fd, F_GETFD) >= 0;
}

static inline unsigned long rss_kib(void)
{
    char text[4096];
    const char *at;

    support_read("/proc/self/status", text, sizeof(text));
    at = strstr(text, "VmRSS:");
    return at ? strtoul(at + 6, NULL, 10) : 0;
}

static inline unsigned long count_mounts(void)
{
    FILE *table = fopen("/proc/self/mountinfo", "re");
    char line[4096];
    unsigned long count = 0;

    assert_non_null(table);
    while (fgets(line, sizeof(line), table))
        count += !strstr(line, "/pytest-of-"); /* other tests may run beside */
    (void)fclose(table);
    return count;
}

/* Groups of runs in which nobody is: of those that are alive, others may have made any number. */
static inline unsigned long count_dead_in(const char *parent)
{
    DIR *dir = opendir(parent);
    unsigned long count = 0;

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[1024];
        AUTO_CLOSE int fd = -1;
        char byte;
        if (strncmp(entry->d_name, "fumehood-", 9) != 0)
            continue;
        (void)snprintf(path, sizeof(path), "%s/%s/cgroup.procs", parent, entry->d_name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        count += fd >= 0 && read(fd, &byte, 1) == 0;
    }
    if (dir)
        (void)closedir(dir);
    return count;
}

static inline unsigned long count_dead_groups(void)
{
    FILE *own = fopen("/proc/self/cgroup", "re");
    char line[512], parent[700];
    unsigned long count = 0;

    assert_non_null(own);
    while (fgets(line, sizeof(line), own)) {
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        assert_non_null(path);
        *path++ = 0;
        path[strcspn(path, "\n")] = 0;
        (void)snprintf(parent, sizeof(parent), "/sys/fs/cgroup/%s%s", controllers + 1, path);
        count += count_dead_in(parent);
    }
    (void)fclose(own);
    return count;
}

static inline void state_look(struct state *state)
{
    look_at_fds(state->fds);
    state->heap_bytes = mallinfo2().uordblks + mallinfo2().hblkhd; /* with sanitizers 0: they look for leaks */
    state->rss_kib = rss_kib();
    state->mounts = count_mounts();
    state->dead_groups = count_dead_groups();
}

static inline void expect_same_fds(const struct state *before, const struct state *after)
{
    for (int fd = 0; fd < FDS_MAX; fd++)
        if (before->fds[fd] != after->fds[fd])
            fail_msg("descriptor %d is %s", fd, after->fds[fd] ? "left open" : "lost");
}

/* What is kept from one run to the next has new numbers now and then. */
static inline void expect_as_many_fds(const struct state *before, const struct state *after)
{
    int more = 0;

    for (int fd = 0; fd < FDS_MAX; fd++)
        more += after->fds[fd] - before->fds[fd];
    if (more)
        fail_msg("%d descriptors more than before", more);
}

static inline void state_expect_same(const struct state *before, bool in_slots)
{
    static struct state after;

    state_look(&after);
    (in_slots ? expect_as_many_fds : expect_same_fds)(before, &after);
    if (after.rss_kib > before->rss_kib + RSS_SLACK_KIB)
        fail_msg("%lu KiB before, %lu after", before->rss_kib, after.rss_kib);
    if (after.heap_bytes > before->heap_bytes + HEAP_SLACK_BYTES)
        fail_msg("%zu bytes of heap before, %zu after", before->heap_bytes, after.heap_bytes);
    print_message("memory: %lu KiB before, %lu KiB after; heap %zu bytes, %zu bytes\n", before->rss_kib, after.rss_kib,
                  before->heap_bytes, after.heap_bytes);
    for (int patience = 0; patience < 30 && (after.mounts != before->mounts || after.dead_groups > before->dead_groups);
         patience++) { /* those of other runs on this machine come and go */
        (void)nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        after.mounts = count_mounts();
        after.dead_groups = count_dead_groups();
    }
    assert_int_equal(after.mounts, before->mounts);
    assert_true(after.dead_groups <= before->dead_groups);
}

/* The allocator counts what it keeps for each thread as in use; it can be told to keep nothing. */
static inline void count_exactly(char **argv)
{
    static const char name[] = "GLIBC_TUNABLES";

    if (!getenv(name) && setenv(name, "glibc.malloc.tcache_count=0", 1) == 0)
        (void)execv("/proc/self/exe", argv); /* else the slack is not enough, which fails */
}
