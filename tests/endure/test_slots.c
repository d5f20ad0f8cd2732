/* test_slots.c - a thousand runs in two slots: a guest sees nothing of those that were there before, whatever they did
 *
 *   endure_slots GUEST        as whoever starts it
 *   endure_slots GUEST user   as an ordinary user, who has no control groups
 *
 * GUEST is slot_guest.c, which does one thing that is to leave nothing, or tells all that it sees. Two slots take
 * turns: after two guests that do something come two that look, and must see what the first who ever looked there has
 * seen.
 */
#include "state.h"

#define ROUNDS    250 /* of four runs; as a user fewer */
#define KEPT_MAX  64
#define LOOK_CPU  UINT64_C(200000)    /* microseconds; less than `burn` takes */
#define LOOK_PEAK (UINT64_C(7) << 20) /* bytes; less than all that is to leave memory */

enum { LOOPBACK = 1, OBSERVE = 2, LEARN = 4, DENIED_CALLS = 8, OTHER_LIMITS = 16 };

/* Those that are bound to end otherwise where there are no control groups have `grouped`. */
static const struct kind {
    const char *name;
    enum warden_ending ending, grouped;
    unsigned how, every; /* those that take long: every so many times that it is their turn */
} kinds[] = {
    {"code", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"daemons", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"crash", WARDEN_SIGNALED, WARDEN_SIGNALED, 0, 1},
    {"burn", WARDEN_EXITED, WARDEN_EXITED, 0, 2},
    {"memory", WARDEN_SIGNALED, WARDEN_LIMIT, 0, 1},
    {"some-memory", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"bomb", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"queues", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"spinning", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"stopped", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"fill", WARDEN_LIMIT, WARDEN_LIMIT, 0, 1},
    {"pipes", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"flood", WARDEN_LIMIT, WARDEN_LIMIT, 0, 1},
    {"denied", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"denied", WARDEN_DENIED, WARDEN_DENIED, DENIED_CALLS, 1},
    {"denied", WARDEN_EXITED, WARDEN_EXITED, LEARN, 1},
    {"missing-names", WARDEN_EXITED, WARDEN_EXITED, OBSERVE, 1},
    {"missing-names", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"litter", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"names", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"cycles", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"locks", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"itself", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"vfork", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"odd-children", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"timers", WARDEN_EXITED, WARDEN_EXITED, 0, 1},
    {"loopback", WARDEN_EXITED, WARDEN_EXITED, LOOPBACK, 1},
    {"some-memory", WARDEN_EXITED, WARDEN_EXITED, OTHER_LIMITS, 1},
    {"sleep", WARDEN_LIMIT, WARDEN_LIMIT, 0, 6},
};

static struct stage_program guest;
static bool is_user, has_groups, in_slot = true;

/* --- one run --- */

struct ran {
    struct warden_outcome outcome;
    bool is_settled;
};

static void settled(void *argument, struct warden_outcome *outcome)
{
    struct ran *ran = argument;

    assert_ptr_equal(&ran->outcome, outcome);
    assert_false(ran->is_settled);
    ran->is_settled = true;
}

static struct policy policy_for(unsigned how)
{
    struct policy policy = started_policy();
    static const struct {
        enum policy_limit_key key;
        uint64_t value, other;
    } limits[] = {
        {POLICY_LIMIT_WALL_MS, 3000, 4000},
        {POLICY_LIMIT_MEMORY_BYTES, 64 << 20, 128 << 20},
        {POLICY_LIMIT_PROCESSES, 16, 8},
        {POLICY_LIMIT_SCRATCH_BYTES, 16 << 20, 32 << 20},
        {POLICY_LIMIT_FILE_BYTES, 64 << 20, 64 << 20},
        {POLICY_LIMIT_STDOUT_BYTES, 128 << 10, 64 << 10},
        {POLICY_LIMIT_CPUS, 1, 2},
    };

    for (size_t i = 0; i < ARRAY_COUNT(limits); i++)
        policy.limits[limits[i].key].value = how & OTHER_LIMITS ? limits[i].other : limits[i].value;
    policy.network = how & LOOPBACK ? POLICY_NETWORK_LOOPBACK : POLICY_NETWORK_NONE;
    policy.observe = how & OBSERVE ? 1u << POLICY_OBSERVE_FILES | 1u << POLICY_OBSERVE_EXEC : 0;
    if (how & DENIED_CALLS)
        policy.denied_calls = 2;
    return policy;
}

static void run(const char *name, unsigned how, bool returns_early, struct ran *ret_ran)
{
    const char *const args[] = {name, NULL};
    AUTO_POLICY struct policy policy = policy_for(how);
    struct run_request request = started_request(&policy, &guest);
    struct base_err err = {0};

    *ret_ran = (struct ran){0};
    request.args = args;
    request.cage = in_slot ? RUN_CAGE_SLOT : RUN_CAGE_FRESH;
    request.learn = how & LEARN;
    if (returns_early) {
        request.settled = settled;
        request.settled_argument = ret_ran;
    }
    if (run_execute(&request, &ret_ran->outcome, &err) < 0)
        fail_msg("%s: %s: %s", name, err.place, err.what);
    if (!returns_early)
        ret_ran->is_settled = true;
}

static void expect_settled(const char *name, const struct ran *ran)
{
    const struct warden_outcome *outcome = &ran->outcome;

    assert_true(ran->is_settled);
    assert_true(outcome->is_kept);
    if (outcome->teardown.processes_left || outcome->teardown.cgroups_left || outcome->teardown.mounts_left ||
        outcome->teardown.files_left)
        fail_msg("%s: something is left", name);
}

/* --- what is seen --- */

static void expect_no_denial_but_its_own(const struct warden_outcome *outcome)
{
    const struct warden_denial *denials = warden_outcome_denials(outcome);

    assert_int_equal(outcome->denial_count, 2);
    assert_string_equal(denials[0].what, "umount2");
    assert_string_equal(denials[1].what, "keyctl");
    assert_int_equal(denials[0].count + denials[1].count, 2);
    assert_int_equal(outcome->denials_unlisted, 0);
}

static void expect_counters_of_its_own(const struct warden_outcome *outcome)
{
    static const enum policy_limit_key keys[] = {POLICY_LIMIT_MEMORY_BYTES, POLICY_LIMIT_PROCESSES,
                                                 POLICY_LIMIT_SCRATCH_BYTES, POLICY_LIMIT_SCRATCH_INODES,
                                                 POLICY_LIMIT_STDOUT_BYTES};
    static const struct cage_numbers none;

    for (size_t i = 0; i < ARRAY_COUNT(keys); i++)
        assert_true(outcome->limits[keys[i]].hits == 0 || outcome->limits[keys[i]].hits == WARDEN_UNKNOWN);
    assert_in_range(outcome->cpu_us, 1, LOOK_CPU);
    assert_true(outcome->memory_peak_bytes == WARDEN_UNKNOWN || outcome->memory_peak_bytes < LOOK_PEAK);
    assert_true(outcome->processes_peak == WARDEN_UNKNOWN || outcome->processes_peak == 1);
    assert_int_equal(outcome->scratch_peak_bytes, 0);
    assert_int_equal(outcome->observed.count + outcome->observed_unlisted + outcome->observed_unread, 0);
    assert_memory_equal(&outcome->learned, &none, sizeof(none));
}

/* The first difference, for people. */
static void expect_equal_texts(const char *after, const char *expected, const char *text)
{
    size_t same = 0, line = 0;

    if (strcmp(expected, text) == 0)
        return;
    for (; expected[same] && expected[same] == text[same]; same++)
        if (expected[same] == '\n')
            line = same + 1;
    fail_msg("after %s a guest sees\n  %.*s\nwhere the first has seen\n  %.*s", after, (int)strcspn(text + line, "\n"),
             text + line, (int)strcspn(expected + line, "\n"), expected + line);
}

static void expect_sees_nothing(const char *after, const struct ran *ran, const char *expected)
{
    const struct warden_outcome *outcome = &ran->outcome;

    if (outcome->ending != WARDEN_EXITED || outcome->exit_code != 0)
        fail_msg("after %s a look ended as %s: %s", after, warden_ending_name(outcome->ending), outcome->detail);
    expect_equal_texts(after, expected, outcome->out.kept.bytes);
    expect_no_denial_but_its_own(outcome);
    expect_counters_of_its_own(outcome);
}

/* --- keepers --- */

struct kept {
    unsigned count;
    struct {
        int pid, fds, mounts;
    } rows[KEPT_MAX];
};

static unsigned count_lines(const char *path)
{
    FILE *file = fopen(path, "re");
    unsigned count = 0;

    for (int c; file && (c = getc(file)) != EOF;)
        count += c == '\n';
    if (file)
        (void)fclose(file);
    return count;
}

/* When they have nothing to do any more. */
static void look_at_kept(struct kept *ret_kept)
{
    char path[64], text[512];

    (void)nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    support_read(path, text, sizeof(text));
    *ret_kept = (struct kept){0};
    for (char *word, *rest = text; (word = strsep(&rest, " ")) && *word && ret_kept->count < KEPT_MAX;) {
        char inner[96];
        int pid = (int)strtol(word, NULL, 10);
        (void)snprintf(inner, sizeof(inner), "/proc/%d/mountinfo", pid);
        ret_kept->rows[ret_kept->count].pid = pid;
        ret_kept->rows[ret_kept->count].mounts = (int)count_lines(inner);
        (void)snprintf(inner, sizeof(inner), "/proc/%d/fd", pid);
        if (!is_user)
            ret_kept->rows[ret_kept->count].fds = support_count_entries(inner);
        ret_kept->count++;
    }
}

static bool has_kept(const struct kept *kept, int pid)
{
    for (unsigned i = 0; i < kept->count; i++)
        if (kept->rows[i].pid == pid)
            return true;
    return false;
}

static unsigned count_same(const struct kept *a, const struct kept *b)
{
    unsigned count = 0;

    for (unsigned i = 0; i < a->count; i++)
        count += has_kept(b, a->rows[i].pid);
    return count;
}

/* A keeper waits with the next cage made: so all have the same, old and new ones. */
static void expect_keepers_as(const struct kept *young, const struct kept *old)
{
    assert_int_equal(young->count, 2);
    assert_int_equal(old->count, 2);
    for (unsigned i = 0; i < old->count; i++) {
        assert_int_equal(old->rows[i].fds, young->rows[0].fds);
        assert_int_equal(old->rows[i].mounts, young->rows[0].mounts);
    }
}

/* --- the thousand --- */

static unsigned turn_of[ARRAY_COUNT(kinds)];

static const struct kind *kind_for(unsigned number)
{
    for (;; number++) {
        unsigned at = number % ARRAY_COUNT(kinds);
        if (turn_of[at]++ % kinds[at].every == 0)
            return &kinds[at];
    }
}

static void expect_ended(const struct kind *kind, const struct ran *ran)
{
    enum warden_ending ending = has_groups ? kind->grouped : kind->ending;

    if (ran->outcome.ending != ending)
        fail_msg("%s: ended as %s (%s), not %s", kind->name, warden_ending_name(ran->outcome.ending),
                 ran->outcome.detail, warden_ending_name(ending));
}

/* Two do something, two look; some return when their end is known, and are settled while others run. */
static void round_of(unsigned number, const char *expected)
{
    const struct kind *done[2] = {kind_for(2 * number), kind_for(2 * number + 1)};
    static struct ran runs[4];
    bool early = number % 2;

    for (int i = 0; i < 2; i++)
        run(done[i]->name, done[i]->how, early, &runs[i]);
    for (int i = 0; i < 2; i++)
        run("look", 0, early, &runs[2 + i]);
    run_settle();
    for (int i = 0; i < 2; i++) {
        expect_ended(done[i], &runs[i]);
        expect_sees_nothing(done[i]->name, &runs[2 + i], expected);
    }
    for (int i = 0; i < 4; i++) {
        expect_settled(i < 2 ? done[i]->name : "look", &runs[i]);
        warden_outcome_release(&runs[i].outcome);
    }
}

static char *first_look(unsigned how)
{
    struct ran ran;
    char *text;

    run("look", how, false, &ran);
    has_groups = ran.outcome.memory_peak_bytes != WARDEN_UNKNOWN;
    assert_int_equal(ran.outcome.ending, WARDEN_EXITED);
    text = strdup(ran.outcome.out.kept.bytes);
    warden_outcome_release(&ran.outcome);
    assert_non_null(text);
    assert_null(strstr(text, "\nkeeper 0\n")); /* it does not even see what it must not reach */
    assert_null(strstr(text, "\nbelow /proc 0\n"));
    return text;
}

static void need_cages(void)
{
    apart_need(access(MACHINE_STOP, F_OK) < 0, "the emergency stop of this machine is set");
    apart_need_namespaces();
}

static void a_thousand_runs_see_nothing_of_each_other(void **state)
{
    static struct state before;
    static struct kept young, old;
    char *expected;

    (void)state;
    need_cages();
    expected = first_look(0);
    look_at_kept(&young);
    for (unsigned i = 0; i < ARRAY_COUNT(kinds); i++)
        round_of(i, expected);
    state_look(&before);
    for (unsigned i = 0; i < (is_user ? ROUNDS / 5 : ROUNDS); i++)
        round_of(i, expected);
    state_expect_same(&before, true);
    look_at_kept(&old);
    expect_keepers_as(&young, &old);
    run_release();
    free(expected);
}

/* What a network remembers of those that used it is much: counters, times, ports. */
static void nothing_of_a_network_is_seen(void **state)
{
    char *expected;

    (void)state;
    need_cages();
    expected = first_look(LOOPBACK);
    for (int i = 0; i < 4; i++) {
        struct ran talks[2], looks[2];
        for (int slot = 0; slot < 2; slot++)
            run("loopback", LOOPBACK, false, &talks[slot]);
        for (int slot = 0; slot < 2; slot++)
            run("look", LOOPBACK, false, &looks[slot]);
        for (int slot = 0; slot < 2; slot++) {
            assert_int_equal(talks[slot].outcome.exit_code, 0);
            expect_sees_nothing("loopback", &looks[slot], expected);
            warden_outcome_release(&talks[slot].outcome);
            warden_outcome_release(&looks[slot].outcome);
        }
    }
    run_release();
    free(expected);
}

static bool is_dropped(const struct ran *ran)
{
    return ran->outcome.teardown.slot_why[0] != 0;
}

/* What is proved clean serves again, and nothing else does. One does something, one looks in the other slot, and one in
 * the same, or in what is in its place. */
static void a_receipt_tells_whether_a_slot_served_again(void **state)
{
    static struct kept before, after;
    static struct ran runs[3];

    (void)state;
    need_cages();
    for (unsigned i = 0; i < ARRAY_COUNT(kinds); i++) {
        unsigned same;
        if (kinds[i].how & (LOOPBACK | OTHER_LIMITS) || kinds[i].every > 2)
            continue;
        free(first_look(0));
        free(first_look(0));
        look_at_kept(&before);
        run(kinds[i].name, kinds[i].how, false, &runs[0]);
        run("look", 0, false, &runs[1]);
        run("look", 0, false, &runs[2]);
        look_at_kept(&after);
        same = !(is_dropped(&runs[0]) || is_dropped(&runs[2])) + !is_dropped(&runs[1]);
        if (count_same(&before, &after) != same)
            fail_msg("%s: \"%s\", and %u keepers are the same", kinds[i].name, runs[0].outcome.teardown.slot_why,
                     count_same(&before, &after));
        for (int j = 0; j < 3; j++)
            warden_outcome_release(&runs[j].outcome);
    }
    run_release();
}

/* --- what is dead when a run returns --- */

static int parent_of(int pid)
{
    char path[64], text[512];
    const char *at;
    AUTO_CLOSE int fd = -1;
    ssize_t count;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    count = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (count <= 0)
        return 0;
    text[count] = 0;
    at = strrchr(text, ')');
    return at && at[2] != 'Z' ? (int)strtol(at + 4, NULL, 10) : 0;
}

/* Guests are called as the program is; what is ours is not. */
static bool is_own_guest(int pid)
{
    char path[64], text[64];
    AUTO_CLOSE int fd = -1;
    ssize_t count;

    (void)snprintf(path, sizeof(path), "/proc/%d/comm", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    count = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (count <= 0 || strncmp(text, "slot_guest", 10) != 0)
        return false;
    for (pid = parent_of(pid); pid > 1; pid = parent_of(pid))
        if (pid == getpid())
            return true;
    return false;
}

static unsigned guests_alive(void)
{
    DIR *dir = opendir("/proc");
    unsigned count = 0;

    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            count += is_own_guest((int)strtol(entry->d_name, NULL, 10));
    (void)closedir(dir);
    return count;
}

/* With the verdict, before anything is torn down. */
static void all_guests_are_dead_when_the_end_is_known(void **state)
{
    (void)state;
    need_cages();
    free(first_look(0));
    for (unsigned i = 0; i < 4 * ARRAY_COUNT(kinds); i++) {
        const struct kind *kind = &kinds[i % ARRAY_COUNT(kinds)];
        struct ran ran;
        if (kind->every > 2)
            continue;
        run(kind->name, kind->how, true, &ran);
        if (guests_alive())
            fail_msg("%s: %u processes are alive", kind->name, guests_alive());
        run_settle();
        expect_ended(kind, &ran);
        expect_settled(kind->name, &ran);
        warden_outcome_release(&ran.outcome);
    }
    run_release();
}

/* --- a fork, and a process that is short of everything --- */

static int run_some(void *argument)
{
    (void)argument;
    for (int i = 0; i < 4; i++) {
        const char *const args[] = {"code", NULL};
        AUTO_POLICY struct policy policy = policy_for(0);
        AUTO_OUTCOME struct warden_outcome outcome = {0};
        struct run_request request = started_request(&policy, &guest);
        request.args = args;
        request.cage = true ? RUN_CAGE_SLOT : RUN_CAGE_FRESH;
        if (run_execute(&request, &outcome, NULL) < 0 || outcome.ending != WARDEN_EXITED || outcome.exit_code != 3)
            return 1;
    }
    return 0; /* without letting go: its keepers end with it */
}

static int sleep_long(void *argument)
{
    (void)argument;
    (void)pause();
    return 0;
}

static void a_fork_has_slots_of_its_own(void **state)
{
    static struct kept before, after;
    pid_t sleeper;

    (void)state;
    need_cages();
    free(first_look(0));
    look_at_kept(&before);
    assert_int_equal(before.count, 2);
    sleeper = apart_start(sleep_long, NULL); /* has a copy of all that we have */
    assert_int_equal(apart_end(apart_start(run_some, NULL)), 0);
    assert_int_equal(run_some(NULL), 0);
    look_at_kept(&after);
    assert_int_equal(count_same(&before, &after), 2);
    run_release();
    for (unsigned i = 0; i < before.count; i++)
        assert_int_equal(kill(before.rows[i].pid, 0), -1);
    assert_int_equal(kill(sleeper, SIGKILL), 0);
    assert_int_equal(apart_end(sleeper), 256 + SIGKILL);
}

/* --- killed at any time --- */

static int run_for_ever(void *argument)
{
    while (run_some(argument) == 0)
        ;
    return 1;
}

#define FAMILY_MAX 64

/* @root and all below it. */
static unsigned family_of(int root, int pids[FAMILY_MAX])
{
    unsigned count = 1;

    pids[0] = root;
    for (unsigned i = 0; i < count; i++) {
        char path[64], text[512] = "";
        AUTO_CLOSE int fd = -1;
        (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pids[i], pids[i]);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
            continue;
        for (char *word, *rest = text; (word = strsep(&rest, " ")) && *word && count < FAMILY_MAX;)
            pids[count++] = (int)strtol(word, NULL, 10);
    }
    return count;
}

static unsigned alive(const int *pids, unsigned count)
{
    unsigned living = 0;

    for (unsigned i = 0; i < count; i++)
        living += parent_of(pids[i]) > 0;
    return living;
}

/* Stopped at a moment, looked at, and killed there. */
static void a_killed_process_leaves_no_keeper(void **state)
{
    static struct kept kept;
    static int pids[FAMILY_MAX];

    (void)state;
    need_cages();
    for (long i = 0; i < 40; i++) {
        pid_t pid = apart_start(run_for_ever, NULL);
        unsigned count;
        (void)nanosleep(&(struct timespec){.tv_nsec = i * 1700000}, NULL);
        assert_int_equal(kill(pid, SIGSTOP), 0);
        count = family_of(pid, pids);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(apart_end(pid), 256 + SIGKILL);
        for (int patience = 0; patience < 200 && alive(pids, count); patience++)
            (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        if (alive(pids, count))
            fail_msg("killed after %ld.%ld ms: %u of %u live on", i * 17 / 10, i * 17 % 10, alive(pids, count), count);
    }
    assert_int_equal(run_some(NULL), 0);
    run_release();
    look_at_kept(&kept);
    assert_int_equal(kept.count, 0);
}

/* Each descriptor more lets a run get a little further. */
static void too_few_descriptors_are_a_clean_failure(void **state)
{
    const char *const args[] = {"code", NULL};
    AUTO_POLICY struct policy policy = policy_for(0);
    struct run_request request = started_request(&policy, &guest);
    struct rlimit all;
    unsigned good = 0, failed = 0;

    (void)state;
    need_cages();
    request.args = args;
    request.cage = true ? RUN_CAGE_SLOT : RUN_CAGE_FRESH;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
    for (rlim_t few = 8; few < 96; few++) {
        AUTO_OUTCOME struct warden_outcome outcome = {0};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){few, all.rlim_max}), 0);
        int r = run_execute(&request, &outcome, NULL);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
        failed += r < 0 || outcome.ending == WARDEN_SETUP_ERROR;
        good += r == 0 && outcome.ending == WARDEN_EXITED && outcome.exit_code == 3;
        if (r == 0 && (outcome.teardown.processes_left || outcome.teardown.cgroups_left))
            fail_msg("with %u descriptors something is left", (unsigned)few);
        if (few % 7 == 0)
            run_release();
    }
    run_release();
    assert_int_equal(failed + good, 96 - 8);
    assert_true(failed > 8);
    assert_true(good > 8);
}

/* --- somebody takes the groups away --- */

/* The group of @pid for @controller; false where that has no hierarchy of its own. */
static bool group_of(int pid, const char *controller, char *group, size_t group_bytes)
{
    char path[64], line[512];
    FILE *file;
    bool found = false;

    (void)snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
    file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof(line), file)) {
        char *name = strchr(line, ':'), *at = name ? strchr(name + 1, ':') : NULL;
        if (!at)
            continue;
        *at++ = 0;
        at[strcspn(at, "\n")] = 0;
        found = strcmp(name + 1, controller) == 0 && strstr(at, "/fumehood-");
        (void)snprintf(group, group_bytes, "/sys/fs/cgroup/%s%s", controller, at);
    }
    if (file)
        (void)fclose(file);
    return found;
}

/* All that are in it go to its parent. */
static void take_group_away(const char *group)
{
    char path[700], pids[512];

    (void)snprintf(path, sizeof(path), "%s/cgroup.procs", group);
    support_read(path, pids, sizeof(pids));
    (void)snprintf(path, sizeof(path), "%s/../cgroup.procs", group);
    for (char *pid, *rest = pids; (pid = strsep(&rest, "\n")) && *pid;)
        support_write(path, pid, strlen(pid));
    assert_int_equal(rmdir(group), 0);
}

static void without_its_groups_a_slot_serves_nobody(void **state)
{
    static struct kept kept;
    char group[600];

    (void)state;
    need_cages();
    if (is_user)
        return; /* has none */
    for (int round = 0; round < 2; round++) {
        free(first_look(0));
        free(first_look(0));
        look_at_kept(&kept);
        apart_need(kept.count == 2 && group_of(kept.rows[0].pid, "pids", group, sizeof(group)), "no control groups v1");
        for (unsigned i = 0; i < kept.count; i++)
            if (group_of(kept.rows[i].pid, round ? "memory" : "pids", group, sizeof(group)))
                take_group_away(group);
        for (int i = 0; i < 4; i++) {
            struct ran ran;
            run("bomb", 0, false, &ran);
            if (i >= 2 && ran.outcome.processes_peak > 16)
                fail_msg("%llu processes", (unsigned long long)ran.outcome.processes_peak);
            warden_outcome_release(&ran.outcome);
        }
        run_release();
    }
}

/* Whatever was prepared before. */
static void fresh_cages_and_slots_in_turn(void **state)
{
    (void)state;
    need_cages();
    for (unsigned i = 0; i < 8; i++) {
        struct ran ran;
        in_slot = i % 3 != 2;
        assert_int_equal(i & 1 ? 0 : run_prepare(NULL), 0);
        run("code", 0, i & 2, &ran);
        run_settle();
        assert_int_equal(ran.outcome.ending, WARDEN_EXITED);
        assert_int_equal(ran.outcome.exit_code, 3);
        assert_int_equal(ran.outcome.is_kept, in_slot);
        assert_int_equal(ran.outcome.teardown.processes_left + ran.outcome.teardown.cgroups_left, 0);
        warden_outcome_release(&ran.outcome);
    }
    in_slot = true;
    run_release();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_cages_and_slots_in_turn),
        cmocka_unit_test(all_guests_are_dead_when_the_end_is_known),
        cmocka_unit_test(without_its_groups_a_slot_serves_nobody),
        cmocka_unit_test(a_fork_has_slots_of_its_own),
        cmocka_unit_test(a_killed_process_leaves_no_keeper),
        cmocka_unit_test(too_few_descriptors_are_a_clean_failure),
        cmocka_unit_test(a_receipt_tells_whether_a_slot_served_again),
        cmocka_unit_test(nothing_of_a_network_is_seen),
        cmocka_unit_test(a_thousand_runs_see_nothing_of_each_other),
    };
    struct base_err err = {0};

    count_exactly(argv);
    is_user = argc > 2;
    if (argc < 2 || stage_program_load(argv[1], "native", 64u << 20, &guest, &err) < 0 ||
        (is_user && apart_become_user() < 0)) {
        (void)fprintf(stderr, "usage: endure_slots GUEST [user] %s\n", err.what);
        return 2;
    }
    is_user = geteuid() != 0;
    return apart_status(cmocka_run_group_tests(tests, support_enter, support_leave));
}
