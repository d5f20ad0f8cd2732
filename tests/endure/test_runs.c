/* test_runs.c - a thousand runs in one process leave it, and the machine, as they were */
#include "../unit/run/started.h"
#include <malloc.h>
#include <time.h>

#define WARM_UP 60
#define RUNS    1000

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

static void look_at_fds(bool fds[FDS_MAX])
{
    for (int fd = 0; fd < FDS_MAX; fd++)
        fds[fd] = fcntl(fd, F_GETFD) >= 0;
}

static unsigned long rss_kib(void)
{
    char text[4096];
    const char *at;

    support_read("/proc/self/status", text, sizeof(text));
    at = strstr(text, "VmRSS:");
    return at ? strtoul(at + 6, NULL, 10) : 0;
}

static unsigned long count_mounts(void)
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
static unsigned long count_dead_in(const char *parent)
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

static unsigned long count_dead_groups(void)
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

static void look(struct state *state)
{
    look_at_fds(state->fds);
    state->heap_bytes = mallinfo2().uordblks + mallinfo2().hblkhd; /* with sanitizers 0: they look for leaks */
    state->rss_kib = rss_kib();
    state->mounts = count_mounts();
    state->dead_groups = count_dead_groups();
}

/* Programs that end in every way that costs no time; which one is said by the number of the run. */
struct program {
    const char *name, *text;
    enum warden_ending ending;
    bool mark;
} programs[] = {
    {"true.sh", "exit 0", WARDEN_EXITED, false},
    {"talk.sh", "i=0; while [ $i -lt 200 ]; do echo some words of output; i=$((i + 1)); done", WARDEN_EXITED, false},
    {"mark.sh", "echo marked >&3", WARDEN_EXITED, true},
    {"denied.sh", "cat /etc/shadow; ( : & ) ; exit 3", WARDEN_EXITED, false},
    {"killed.sh", "kill -9 $$", WARDEN_SIGNALED, false},
    {"loud.sh", "while :; do echo 0123456789012345678901234567890123456789; done", WARDEN_LIMIT, false},
    {"gone", "#!/usr/bin/no-such-interpreter\n", WARDEN_SETUP_ERROR, false},
};

static void one(unsigned number, const struct policy *policy)
{
    const struct program *row = &programs[number % ARRAY_COUNT(programs)];
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    json_t *receipt = NULL, *draft = NULL;
    struct run_request request;

    started_program(&program, row->name, row->ending == WARDEN_SETUP_ERROR ? "native" : NULL, row->text);
    request = started_request(policy, &program);
    request.mark = row->mark;
    request.receipt_draft = &draft;
    if (number % 3 == 0)
        (void)run_prepare(NULL); /* as fumehood run has it */
    assert_int_equal(run_execute(&request, &outcome, NULL), 0);
    if (outcome.ending != row->ending)
        fail_msg("run %u, %s: ended as %s: %s", number, row->name, warden_ending_name(outcome.ending), outcome.detail);
    assert_int_equal(outcome.teardown.processes_left + outcome.teardown.cgroups_left + outcome.teardown.mounts_left +
                         outcome.teardown.files_left,
                     0);
    assert_int_equal(run_receipt(&request, &outcome, &receipt, NULL), 0);
    json_decref(receipt);
    json_decref(draft);
}

static void a_thousand_runs_leave_nothing(void **state)
{
    static struct state before, after;
    struct policy policy = started_policy();

    (void)state;
    apart_need(access(MACHINE_STOP, F_OK) < 0, "the emergency stop of this machine is set");
    apart_need_namespaces();
    policy.limits[POLICY_LIMIT_STDOUT_BYTES].value = 65536;
    for (unsigned i = 0; i < WARM_UP; i++)
        one(i, &policy);
    look(&before);
    for (unsigned i = 0; i < RUNS; i++)
        one(i, &policy);
    look(&after);
    for (int fd = 0; fd < FDS_MAX; fd++)
        if (before.fds[fd] != after.fds[fd])
            fail_msg("descriptor %d is %s", fd, after.fds[fd] ? "left open" : "lost");
    if (after.rss_kib > before.rss_kib + RSS_SLACK_KIB)
        fail_msg("%lu KiB before, %lu after", before.rss_kib, after.rss_kib);
    if (after.heap_bytes > before.heap_bytes + HEAP_SLACK_BYTES)
        fail_msg("%zu bytes of heap before, %zu after", before.heap_bytes, after.heap_bytes);
    print_message("memory: %lu KiB before, %lu KiB after; heap %zu bytes, %zu bytes\n", before.rss_kib, after.rss_kib,
                  before.heap_bytes, after.heap_bytes);
    for (int patience = 0; patience < 30 && (after.mounts != before.mounts || after.dead_groups > before.dead_groups);
         patience++) { /* those of other runs on this machine come and go */
        (void)nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        after.mounts = count_mounts();
        after.dead_groups = count_dead_groups();
    }
    assert_int_equal(after.mounts, before.mounts);
    assert_true(after.dead_groups <= before.dead_groups);
    run_release();
    policy_release(&policy);
}

/* The allocator counts what it keeps for each thread as in use; it can be told to keep nothing. */
static void count_exactly(char **argv)
{
    static const char name[] = "GLIBC_TUNABLES";

    if (!getenv(name) && setenv(name, "glibc.malloc.tcache_count=0", 1) == 0)
        (void)execv("/proc/self/exe", argv); /* else the slack is not enough, which fails */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_runs_leave_nothing),
    };

    (void)argc;
    count_exactly(argv);
    return apart_status(cmocka_run_group_tests(tests, support_enter, support_leave));
}
