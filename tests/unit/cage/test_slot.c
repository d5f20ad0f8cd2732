/* test_slot.c - tests of src/cage/slot.c and of clearing up after killed owners, as an ordinary user
 *
 * The host is made up: its control groups are plain folders, so that all of it runs anywhere.
 */
#include "../apart.h"
#include "cage/cage.h"
#include "cage/slot.h"
#include <sys/file.h>

#define SLOTS "runtime/fumehood/slots"

static struct cage_host host = {.manager = CAGE_MANAGER_V1, .controllers = {[CAGE_PIDS] = true, [CAGE_MEMORY] = true}};

/* A folder like /tmp in which root was first with "fumehood"; empty where this is not root. */
static char foreign[64];
static bool is_apart; /* from the record of whoever tests */

static int enter(void **state)
{
    char here[256], runtime[300];

    if (support_enter(state) < 0 || !getcwd(here, sizeof(here)) || mkdir("pids", 0755) < 0 || mkdir("memory", 0755) < 0)
        return -1;
    (void)snprintf(runtime, sizeof(runtime), "%s/runtime", here);
    (void)snprintf(host.cgroup_parents[CAGE_PIDS], CAGE_PATH_BYTES, "%s/pids", here);
    (void)snprintf(host.cgroup_parents[CAGE_MEMORY], CAGE_PATH_BYTES, "%s/memory", here);
    return setenv("XDG_RUNTIME_DIR", runtime, 1);
}

static void acquire(struct cage_slot *slot, unsigned number)
{
    struct base_err err = {0};

    if (cage_slot_acquire(&host, slot, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    assert_true(slot->lock_fd >= 10); /* out of the way of the guest's streams */
    assert_int_equal(slot->number, number);
}

static void the_lowest_free_one(void **state)
{
    struct cage_slot slots[3], again;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        acquire(&slots[i], i);
    assert_true(fcntl(slots[0].lock_fd, F_GETFD) & FD_CLOEXEC);
    cage_slot_release(&slots[1]);
    assert_int_equal(slots[1].lock_fd, -1);
    cage_slot_release(&slots[1]); /* once more does nothing */
    acquire(&again, 1);
    cage_slot_release(&slots[0]);
    cage_slot_release(&slots[2]);
    cage_slot_release(&again);
}

/* Each start looks at all files, so those of a run with many workers must not stay; and who has opened such a file in
 * the moment before it goes has no slot. */
static void high_numbers_leave_no_file(void **state)
{
    struct cage_slot slots[12], again;

    (void)state;
    for (unsigned i = 0; i < 12; i++)
        acquire(&slots[i], i);
    for (unsigned i = 0; i < 12; i++)
        i == 11 ? cage_slot_release(&slots[i]) : cage_slot_retire(&slots[i]);
    assert_int_equal(access(SLOTS "/0", F_OK), 0);
    assert_int_equal(access(SLOTS "/7", F_OK), 0);
    assert_int_equal(access(SLOTS "/8", F_OK), -1);
    assert_int_equal(access(SLOTS "/10", F_OK), -1);
    assert_int_equal(access(SLOTS "/11", F_OK), 0); /* released only, as by a fork */
    assert_int_equal(cage_cgroup_reconcile(false), 0);
    assert_int_equal(access(SLOTS "/11", F_OK), -1);
    assert_int_equal(access(SLOTS "/7", F_OK), 0);
    acquire(&again, 0);
    cage_slot_retire(&again);
    assert_int_equal(again.lock_fd, -1);
}

/* What another process does with a slot: take it, tell its number, hold it until it is killed. */
struct owner {
    int told[2];
    pid_t pid;
    unsigned number;
};

static int own_a_slot(void *argument)
{
    struct owner *owner = argument;
    struct cage_slot slot;

    if (cage_slot_acquire(&host, &slot, NULL) < 0 || write(owner->told[1], &slot.number, sizeof(slot.number)) < 0)
        return 1;
    for (;;)
        (void)pause();
    return 0;
}

static struct owner start_owner(void)
{
    struct owner owner = {.number = 4711};

    assert_int_equal(pipe2(owner.told, O_CLOEXEC), 0);
    owner.pid = apart_start(own_a_slot, &owner);
    (void)close(owner.told[1]);
    assert_int_equal(read(owner.told[0], &owner.number, sizeof(owner.number)), sizeof(owner.number));
    (void)close(owner.told[0]);
    return owner;
}

static void end_owner(const struct owner *owner)
{
    assert_int_equal(kill(owner->pid, SIGKILL), 0);
    assert_int_equal(apart_end(owner->pid), 256 + SIGKILL);
}

static void processes_never_share(void **state)
{
    struct cage_slot own;
    struct owner others[8];

    (void)state;
    acquire(&own, 0);
    for (unsigned i = 0; i < 8; i++)
        others[i] = start_owner();
    for (unsigned i = 0; i < 8; i++) {
        assert_in_range(others[i].number, 1, 8);
        for (unsigned j = 0; j < i; j++)
            assert_int_not_equal(others[i].number, others[j].number);
    }
    for (unsigned i = 0; i < 8; i++)
        end_owner(&others[i]);
    cage_slot_release(&own);
}

/* All at once, each three hundred times, each looking whether it is alone in its slot. */
static int race(void *argument)
{
    (void)argument;
    for (int i = 0; i < 300; i++) {
        struct cage_slot slot;
        char name[32];
        if (cage_slot_acquire(&host, &slot, NULL) < 0)
            return 1;
        (void)snprintf(name, sizeof(name), "mine-%u", slot.number);
        if (mkdir(name, 0700) < 0 || rmdir(name) < 0)
            return 2;
        cage_slot_release(&slot);
    }
    return 0;
}

static void racing_processes_never_share(void **state)
{
    pid_t racers[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        racers[i] = apart_start(race, NULL);
    for (int i = 0; i < 4; i++)
        assert_int_equal(apart_end(racers[i]), 0);
}

static void a_killed_owners_slot_is_free_again(void **state)
{
    struct owner owner = start_owner();
    struct cage_slot slot;
    int fd = -1;

    (void)state;
    assert_int_equal(owner.number, 0);
    assert_int_equal(cage_slot_lock_free(0, &fd), 0);
    assert_int_equal(fd, -1);
    end_owner(&owner);
    assert_int_equal(cage_slot_lock_free(0, &fd), 1);
    assert_true(fd >= 0);
    (void)close(fd);
    acquire(&slot, 0);
    assert_int_equal(support_count_entries(SLOTS), 1); /* the same file, no second one */
    cage_slot_release(&slot);
}

/* Two folders of locks are two systems, or two of a user's sessions: neither knows which numbers the other has. */
static void each_folder_has_names_and_ids_of_its_own(void **state)
{
    struct cage_host own = host;
    struct cage_slot one, other, next;

    (void)state;
    own.has_own_ids = true;
    own.uid_slots = 1u << 31; /* as good as never the same by chance */
    assert_int_equal(cage_slot_acquire(&own, &one, NULL), 0);
    assert_int_equal(cage_slot_acquire(&own, &next, NULL), 0);
    assert_int_equal(next.home, one.home);
    assert_int_equal(next.ids, (one.ids + 1) % own.uid_slots);
    cage_slot_release(&one);
    assert_int_equal(cage_slot_acquire(&own, &one, NULL), 0);
    assert_int_equal(next.home, one.home); /* whatever was made in the folder meanwhile */
    assert_int_equal(rename("runtime/fumehood", "runtime/before"), 0);
    assert_int_equal(cage_slot_acquire(&own, &other, NULL), 0);
    assert_int_equal(other.number, one.number);
    assert_int_not_equal(other.home, one.home);
    assert_int_not_equal(other.ids, one.ids);
    cage_slot_release(&one);
    cage_slot_release(&next);
    cage_slot_release(&other);
}

/* The lock lives as long as any copy of the descriptor: the cage's first process has one. */
static void a_slot_lives_until_its_last_process_is_dead(void **state)
{
    struct cage_slot slot;
    int life[2], fd = -1;

    (void)state;
    acquire(&slot, 0);
    assert_int_equal(pipe2(life, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char byte;
        (void)close(life[1]);
        _exit(read(life[0], &byte, 1) == 0 ? 0 : 1);
    }
    (void)close(life[0]);
    cage_slot_release(&slot);
    assert_int_equal(cage_slot_lock_free(0, &fd), 0);
    (void)close(life[1]);
    assert_int_equal(apart_end(pid), 0);
    assert_int_equal(cage_slot_lock_free(0, &fd), 1);
    (void)close(fd);
}

/* Groups are plain folders here: what a killed owner noted is removed, wherever it is, and nothing else is. */
static void the_next_start_clears_up(void **state)
{
    char note[CAGE_NOTE_BYTES];
    struct cage_slot living, dead;

    (void)state;
    acquire(&living, 0);
    acquire(&dead, 1);
    (void)snprintf(note, sizeof(note), "%s/fumehood-0\n", host.cgroup_parents[CAGE_PIDS]);
    assert_int_equal(cage_slot_note_write(living.lock_fd, note), 0);
    (void)snprintf(note, sizeof(note), "%s/fumehood-1\n%s/fumehood-1\n", host.cgroup_parents[CAGE_PIDS],
                   host.cgroup_parents[CAGE_MEMORY]);
    assert_int_equal(cage_slot_note_write(dead.lock_fd, note), 0);
    assert_int_equal(living.home, dead.home);
    assert_int_equal(mkdir("pids/fumehood-0", 0755), 0);
    assert_int_equal(mkdir("pids/fumehood-1", 0755), 0);
    assert_int_equal(mkdir("memory/fumehood-1", 0755), 0);
    assert_int_equal(mkdir("pids/fumehood-2", 0755), 0); /* nobody noted it */
    cage_slot_release(&dead);
    (void)cage_cgroup_reconcile(true);
    assert_int_equal(access("pids/fumehood-0", F_OK), 0);
    assert_int_equal(access("pids/fumehood-1", F_OK), -1);
    assert_int_equal(access("memory/fumehood-1", F_OK), -1);
    assert_int_equal(access("pids/fumehood-2", F_OK), 0);
    assert_int_equal(cage_slot_note_read(living.lock_fd, note) > 0, 1);
    acquire(&dead, 1); /* a note about what is not ours, as an older version may have left */
    (void)snprintf(note, sizeof(note), "%s\n%s/other\nfumehood\n", host.cgroup_parents[CAGE_MEMORY],
                   host.cgroup_parents[CAGE_PIDS]);
    assert_int_equal(mkdir("pids/other", 0755), 0);
    assert_int_equal(cage_slot_note_write(dead.lock_fd, note), 0);
    cage_slot_release(&dead);
    (void)cage_cgroup_reconcile(true);
    assert_int_equal(access("pids/other", F_OK), 0);
    assert_int_equal(access("memory", F_OK), 0);
    acquire(&dead, 1);
    assert_int_equal(cage_slot_note_read(dead.lock_fd, note), 0);
    cage_slot_release(&dead);
    cage_slot_release(&living);
}

static void none_is_needed_where_nothing_depends_on_it(void **state)
{
    struct cage_host none = {.manager = CAGE_MANAGER_NONE};
    struct cage_slot slot = {.lock_fd = 42};

    (void)state;
    assert_int_equal(cage_slot_acquire(&none, &slot, NULL), 0);
    assert_int_equal(slot.lock_fd, -1);
    assert_int_equal(access("runtime", F_OK), -1); /* nothing was made */
    cage_slot_release(&slot);
}

static void all_taken(void **state)
{
    struct cage_host small = host;
    struct cage_slot slots[3];
    struct base_err err = {0};

    (void)state;
    small.has_own_ids = true;
    small.uid_slots = 2;
    assert_int_equal(cage_slot_acquire(&small, &slots[0], &err), 0);
    assert_int_equal(cage_slot_acquire(&small, &slots[1], &err), 0);
    assert_int_equal(cage_slot_acquire(&small, &slots[2], &err), BASE_E_SETUP);
    assert_int_equal(err.fault, BASE_FAULT_HOST);
    assert_non_null(strstr(err.what, "2"));
    assert_int_equal(slots[2].lock_fd, -1);
    cage_slot_release(&slots[0]);
    cage_slot_release(&slots[1]);
}

static void expect_no_slot(int code, const char *word)
{
    struct base_err err = {0};
    struct cage_slot slot;
    int fd = -1;

    assert_int_equal(cage_slot_acquire(&host, &slot, &err), code);
    assert_int_equal(err.fault, BASE_FAULT_HOST);
    assert_int_equal(slot.lock_fd, -1);
    if (!strstr(err.what, word) && !strstr(err.place, word))
        fail_msg("\"%s: %s\" does not speak of \"%s\"", err.place, err.what, word);
    assert_int_equal(cage_slot_lock_free(0, &fd), 0);
}

/* Somebody else could hold our locks, or put others under them: no level may be open to others. */
static void a_folder_that_others_may_write_is_refused(void **state)
{
    static const char *const levels[] = {"runtime", "runtime/fumehood", SLOTS};

    (void)state;
    apart_need(is_apart, "this user may not make namespaces, and may have a group to himself, which is nobody else");
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        assert_int_equal(mkdir(levels[i], 0755), 0);
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        for (size_t j = 0; j < 2; j++) {
            assert_int_equal(chmod(levels[i], j ? 0757 : 0775), 0);
            expect_no_slot(BASE_E_SETUP, "others may write");
            assert_int_equal(support_count_entries(SLOTS), 0);
            assert_int_equal(chmod(levels[i], 0755), 0);
        }
    assert_int_equal(chmod("runtime", 01777), 0); /* as /tmp is: there nobody can exchange what is ours */
    struct cage_slot slot;
    acquire(&slot, 0);
    cage_slot_release(&slot);
    assert_int_equal(chmod("runtime/fumehood", 01777), 0); /* but below it all is ours alone */
    expect_no_slot(BASE_E_SETUP, "others may write");
    assert_int_equal(chmod("runtime/fumehood", 0755), 0);
}

/* As in /tmp, where whoever comes first may have made the folder. */
static void a_folder_that_another_user_made_first(void **state)
{
    (void)state;
    apart_need(foreign[0], "only root can stage a folder of another user");
    assert_int_equal(setenv("XDG_RUNTIME_DIR", foreign, 1), 0);
    expect_no_slot(BASE_E_SETUP, "another user");
}

/* A unit of systemd has no session's folder, but may have folders of its own. */
static void in_the_folder_of_a_unit(void **state)
{
    char folders[600], here[256];
    struct cage_slot slot;

    (void)state;
    assert_non_null(getcwd(here, sizeof(here)));
    assert_int_equal(mkdir("unit", 0755), 0);
    (void)snprintf(folders, sizeof(folders), "%s/unit:%s/other", here, here);
    assert_int_equal(setenv("RUNTIME_DIRECTORY", folders, 1), 0);
    acquire(&slot, 0);
    cage_slot_release(&slot);
    assert_int_equal(access(SLOTS "/0", F_OK), 0); /* a session's goes first */
    assert_int_equal(unsetenv("XDG_RUNTIME_DIR"), 0);
    acquire(&slot, 0);
    cage_slot_release(&slot);
    assert_int_equal(access("unit/fumehood/slots/0", F_OK), 0);
    assert_int_equal(access("other", F_OK), -1);
    assert_int_equal(unsetenv("RUNTIME_DIRECTORY"), 0);
}

static void nothing_can_be_made_there(void **state)
{
    (void)state;
    assert_int_equal(mkdir("runtime", 0500), 0);
    expect_no_slot(BASE_E_SETUP, "runtime/fumehood");
}

/* As su leaves it: no reason to fail, and no place for locks. */
static void the_session_of_another_user(void **state)
{
    struct cage_slot slot;

    (void)state;
    assert_int_equal(mkdir("unit", 0755), 0);
    assert_int_equal(setenv("XDG_RUNTIME_DIR", "/usr", 1), 0);
    assert_null(cage_runtime_folder());
    char folder[300], here[256];
    assert_non_null(getcwd(here, sizeof(here)));
    (void)snprintf(folder, sizeof(folder), "%s/unit", here);
    assert_int_equal(setenv("RUNTIME_DIRECTORY", folder, 1), 0);
    acquire(&slot, 0);
    cage_slot_release(&slot);
    assert_int_equal(access("unit/fumehood/slots/0", F_OK), 0);
    assert_int_equal(unsetenv("RUNTIME_DIRECTORY"), 0);
}

/* A link at any level leads to where somebody else wants it, even when its target is ours and in order. */
static void a_link_is_not_followed(void **state)
{
    (void)state;
    assert_int_equal(mkdir("runtime", 0755) | mkdir("elsewhere", 0755) | mkdir("elsewhere/slots", 0755), 0);
    assert_int_equal(symlink("../elsewhere", "runtime/fumehood"), 0);
    expect_no_slot(BASE_E_SETUP, "fumehood");
    assert_int_equal(support_count_entries("elsewhere/slots"), 0);
    assert_int_equal(unlink("runtime/fumehood") | mkdir("runtime/fumehood", 0755), 0);
    assert_int_equal(symlink("../../elsewhere", SLOTS), 0);
    expect_no_slot(BASE_E_SETUP, "slots");
    assert_int_equal(support_count_entries("elsewhere"), 1);
    assert_int_equal(unlink(SLOTS) | symlink("nowhere", SLOTS), 0); /* nor is anything made at the end of one */
    expect_no_slot(BASE_E_SETUP, "slots");
    assert_int_equal(access("runtime/fumehood/nowhere", F_OK), -1);
    assert_int_equal(unlink(SLOTS) | mkdir(SLOTS, 0755), 0);
    support_write_text("target", "");
    assert_int_equal(symlink("../../../target", SLOTS "/0"), 0);
    struct base_err err = {0};
    struct cage_slot slot;
    assert_int_equal(cage_slot_acquire(&host, &slot, &err), BASE_E_SETUP);
}

static void a_file_in_the_way(void **state)
{
    (void)state;
    support_write_text("runtime", "");
    expect_no_slot(BASE_E_SETUP, "runtime");
    assert_int_equal(unlink("runtime") | mkdir("runtime", 0755), 0);
    support_write_text("runtime/fumehood", "");
    expect_no_slot(BASE_E_SETUP, "fumehood");
}

static void a_path_that_is_too_long(void **state)
{
    char path[600];

    (void)state;
    memset(path, 'a', sizeof(path));
    path[0] = '/';
    path[sizeof(path) - 1] = 0;
    assert_int_equal(setenv("XDG_RUNTIME_DIR", path, 1), 0);
    expect_no_slot(BASE_E_SETUP, "XDG_RUNTIME_DIR");
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, enter, support_leave)

static int run_as_user(void *argument)
{
    const struct CMUnitTest tests[] = {
        ROW(the_lowest_free_one),
        ROW(high_numbers_leave_no_file),
        ROW(processes_never_share),
        ROW(racing_processes_never_share),
        ROW(a_killed_owners_slot_is_free_again),
        ROW(each_folder_has_names_and_ids_of_its_own),
        ROW(a_slot_lives_until_its_last_process_is_dead),
        ROW(the_next_start_clears_up),
        ROW(none_is_needed_where_nothing_depends_on_it),
        ROW(all_taken),
        ROW(a_folder_that_others_may_write_is_refused),
        ROW(a_folder_that_another_user_made_first),
        ROW(in_the_folder_of_a_unit),
        ROW(nothing_can_be_made_there),
        ROW(the_session_of_another_user),
        ROW(a_link_is_not_followed),
        ROW(a_file_in_the_way),
        ROW(a_path_that_is_too_long),
    };

    (void)argument;
    if (apart_become_user() < 0)
        return 1;
    return apart_status(cmocka_run_group_tests(tests, NULL, NULL));
}

/* Root stays behind, to remove what only root can. */
static int run_with_foreign_folder(void)
{
    char path[80];
    int status;

    (void)snprintf(foreign, sizeof(foreign), "/tmp/fumehood-unit-XXXXXX");
    if (!mkdtemp(foreign) || chmod(foreign, 01777) < 0)
        return 1;
    (void)snprintf(path, sizeof(path), "%s/fumehood", foreign);
    if (mkdir(path, 0755) < 0 || chmod(path, 0755) < 0) /* whatever the starter's mask */
        return 1;
    status = apart_end(apart_start(run_as_user, NULL));
    return rmdir(path) < 0 || rmdir(foreign) < 0 ? 1 : status;
}

int main(void)
{
    is_apart = geteuid() == 0 || apart_forget_records() == 0;
    return geteuid() == 0 ? run_with_foreign_folder() : run_as_user(NULL);
}
