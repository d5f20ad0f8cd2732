/* link.c - start a worker, speak with it, bury it
 *
 * The process that does this may be any: large, with threads, with descriptors that it cares about. posix_spawn()
 * copies none of its memory; the worker gets a new environment, an empty signal mask and the descriptors named here.
 */
#include "engine/link.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "engine/worker.h"
#include "policy/policy.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#define GREET_MAX_MS 30000 /* a busy machine starts a program late, but not that late */
#define ABOVE_FD     10    /* out of the way of the numbers that a worker gets */

static void close_fd(int *fd)
{
    base_cleanup_close(fd);
    *fd = -1;
}

/* ---- what a worker starts with --------------------------------------------------------------------------------- */

/* The emergency stop and the folder of locks are found by these; the others are for tests. */
static bool is_wanted(const char *assignment)
{
    static const char *const starts[] = {
        "HOME=",     "XDG_STATE_HOME=", "XDG_RUNTIME_DIR=", "RUNTIME_DIRECTORY=",
        "FUMEHOOD_", "ASAN_OPTIONS=",   "UBSAN_OPTIONS=",   "LSAN_OPTIONS=",
    };

    for (unsigned i = 0; i < ARRAY_COUNT(starts); i++)
        if (strncmp(assignment, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static int copy_environment(struct engine_start *start)
{
    size_t count = 0;

    for (char **at = environ; at && *at; at++)
        count += is_wanted(*at);
    start->envp = calloc(count + 1, sizeof(*start->envp));
    count = 0;
    for (char **at = environ; start->envp && at && *at; at++) {
        if (!is_wanted(*at))
            continue;
        start->envp[count] = strdup(*at);
        if (!start->envp[count++])
            return BASE_E_NOMEM;
    }
    return start->envp ? 0 : BASE_E_NOMEM;
}

static int copy_policy(struct engine_start *start, const struct policy *policy, struct base_err *err)
{
    AUTO_JSON json_t *json = policy_json(policy);
    int r = base_json_canonical(json, &start->policy);

    return r < 0 ? r : policy_hash(policy, start->policy_sha256, err);
}

int engine_start_init(struct engine_start *start, const char *program, const struct policy *policy, int stderr_fd,
                      struct base_err *err)
{
    int r;

    *start = (struct engine_start){.program = strdup(program), .stderr_fd = stderr_fd};
    r = start->program ? copy_environment(start) : BASE_E_NOMEM;
    if (r >= 0)
        r = copy_policy(start, policy, err);
    if (r < 0) {
        engine_start_release(start);
        return base_err_set(err, r, "warden", "cannot be started: out of memory");
    }
    return 0;
}

void engine_start_release(struct engine_start *start)
{
    for (char **at = start->envp; at && *at; at++)
        free(*at);
    free(start->envp);
    free(start->program);
    base_buf_release(&start->policy);
    *start = (struct engine_start){.stderr_fd = -1};
}

/* ---- a start --------------------------------------------------------------------------------------------------- */

/* The worker's ends; moved up, so that none of them stands where another is to go. */
struct ends {
    int connection, life;
};

static void close_ends(struct ends *ends)
{
    base_cleanup_close(&ends->connection);
    base_cleanup_close(&ends->life);
}

static int move_up(int fd, int *ret_fd)
{
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE_FD), sys_errno = errno;

    (void)close(fd);
    *ret_fd = moved;
    return moved >= 0 ? 0 : sys_errno == EINVAL ? -EMFILE : -sys_errno; /* EINVAL: no number is so high */
}

static int open_ends(struct engine_link *link, struct ends *ends)
{
    int pair[2], r;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    link->fd = pair[0];
    r = move_up(pair[1], &ends->connection);
    if (r < 0)
        return r;
    if (pipe2(pair, O_CLOEXEC) < 0)
        return -errno;
    link->life_fd = pair[1];
    return move_up(pair[0], &ends->life);
}

static int set_descriptors(posix_spawn_file_actions_t *actions, const struct ends *ends, int stderr_fd)
{
    int r = posix_spawn_file_actions_adddup2(actions, ends->connection, ENGINE_WORKER_FD);

    if (r == 0)
        r = posix_spawn_file_actions_adddup2(actions, ends->life, ENGINE_LIFE_FD);
    if (r == 0)
        r = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
    if (r == 0)
        r = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_RDWR, 0);
    if (r == 0)
        r = stderr_fd < 0 ? posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_RDWR, 0)
                          : posix_spawn_file_actions_adddup2(actions, stderr_fd, STDERR_FILENO);
    return r ? r : posix_spawn_file_actions_addclosefrom_np(actions, ENGINE_LIFE_FD + 1);
}

static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    (void)posix_spawnattr_setsigmask(attributes, &none); /* these cannot fail */
    (void)posix_spawnattr_setsigdefault(attributes, &all);
    (void)posix_spawnattr_setpgroup(attributes, 0);
    return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

/* 0 or an errno. */
static int spawn(const struct engine_start *start, const struct ends *ends, pid_t *ret_pid)
{
    static char name[] = "fumehood", verb[] = ENGINE_WORKER_VERB;
    char *const argv[] = {name, verb, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int r = posix_spawn_file_actions_init(&actions);

    if (r)
        return r;
    r = posix_spawnattr_init(&attributes);
    if (r == 0) {
        r = set_descriptors(&actions, ends, start->stderr_fd);
        if (r == 0)
            r = set_signals(&attributes);
        if (r == 0)
            r = posix_spawn(ret_pid, start->program, &actions, &attributes, argv, start->envp);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return r;
}

/* Without a worker: what stays for the next one. */
static struct engine_link vacated(const struct engine_link *link)
{
    struct engine_link rest = ENGINE_LINK_NONE;

    rest.last_number = link->last_number;
    rest.processor = link->processor;
    return rest;
}

int engine_link_launch(struct engine_link *link, const struct engine_start *start, struct base_err *err)
{
    CLEANUP(close_ends) struct ends ends = {-1, -1};
    int r;

    *link = vacated(link);
    r = -open_ends(link, &ends);
    if (r == 0)
        r = spawn(start, &ends, &link->pid);
    if (r) {
        engine_link_end(link, 0);
        return base_err_sys(err, BASE_E_SETUP, r, start->program, "cannot be started as a warden");
    }
    link->pidfd = (int)syscall(SYS_pidfd_open, link->pid, 0); /* without one the pid must do */
    return 0;
}

static void wait_ms(const struct engine_link *link, int ms)
{
    struct pollfd end = {.fd = link->pidfd, .events = POLLIN};

    (void)poll(&end, 1, link->pidfd < 0 ? 2 : ms); /* shortened by a signal: no harm */
}

/* ---- its first words ------------------------------------------------------------------------------------------- */

static bool speaks(const struct engine_link *link)
{
    struct pollfd connection = {.fd = link->fd, .events = POLLIN};
    int r;

    do
        r = poll(&connection, 1, GREET_MAX_MS);
    while (r < 0 && errno == EINTR);
    return r > 0;
}

static int take_ready(struct engine_link *link, const struct engine_start *start, struct base_err *err)
{
    AUTO_BUF struct base_buf bytes = {0};
    struct engine_ready ready;
    int r = engine_wire_receive_bytes(link->fd, &bytes, err);

    if (r < 0)
        return r;
    if (bytes.count != sizeof(ready))
        return base_err_set(err, BASE_E_INTERNAL, "warden", "says something else than that it is ready");
    memcpy(&ready, bytes.bytes, sizeof(ready));
    if (ready.code < 0) {
        *err = ready.error;
        return ready.code;
    }
    if (strcmp(ready.policy_sha256, start->policy_sha256) != 0)
        return base_err_set(err, BASE_E_INTERNAL, "warden", "understood another policy than it was given");
    return 0;
}

static int give_policy(struct engine_link *link, const struct engine_start *start, struct base_err *err)
{
    int r = engine_wire_send_bytes(link->fd, &link->processor, sizeof(link->processor), err);

    if (r >= 0)
        r = engine_wire_send_bytes(link->fd, start->policy.bytes, start->policy.count, err);
    if (r >= 0)
        r = take_ready(link, start, err);
    return r == BASE_E_LOST ? base_err_set(err, BASE_E_SETUP, start->program, "died before it was ready as a warden")
                            : r;
}

/* What a program of ours refuses by itself, where nobody hears it: see refuse_borrowed_rights() in front/cli/start.c.
 */
static bool borrows_rights(const char *program)
{
    struct stat st;

    if (stat(program, &st) < 0)
        return false;
    return ((st.st_mode & S_ISUID) && st.st_uid != getuid()) || ((st.st_mode & S_ISGID) && st.st_gid != getgid()) ||
           (getuid() != 0 && getxattr(program, "security.capability", NULL, 0) > 0);
}

/* How it ended, if it does within a second: it is left for engine_link_end() to reap. */
static void say_end(const struct engine_link *link, char *text, size_t text_bytes)
{
    siginfo_t end = {0};

    wait_ms(link, 1000);
    *text = '\0';
    if (waitid(P_PID, (id_t)link->pid, &end, WEXITED | WNOWAIT | WNOHANG) < 0 || end.si_pid == 0)
        return; /* it lives on, or somebody else has reaped it */
    (void)snprintf(text, text_bytes, ": it was ended by signal %d", end.si_status);
    if (end.si_code == CLD_EXITED)
        (void)snprintf(text, text_bytes, ": it ended with status %d", end.si_status);
}

/* Whatever the program is, it did not answer as a warden of this build: @err says what it did. */
static int no_warden(const struct engine_link *link, const struct engine_start *start, bool silent,
                     struct base_err *err)
{
    char end[64] = "";

    if (!silent && err->code == BASE_E_LOST && borrows_rights(start->program)) {
        (void)base_err_set(err, BASE_E_SETUP, start->program, "is set-uid, set-gid or has file capabilities");
        return base_err_remedy(err, "take them away: it needs none");
    }
    if (silent)
        (void)snprintf(end, sizeof(end), ": it said nothing for %d s", GREET_MAX_MS / 1000);
    else if (err->code == BASE_E_LOST)
        say_end(link, end, sizeof(end));
    (void)base_err_set(err, BASE_E_SETUP, start->program, "%s%s",
                       err->code == BASE_E_INVALID ? err->what : "does not answer as a warden does", end);
    return base_err_remedy(err, "it must be the fumehood of the same build");
}

int engine_link_greet(struct engine_link *link, const struct engine_start *start, struct base_err *err)
{
    struct base_err why = {.code = BASE_E_LOST};
    int r = engine_wire_send_hello(link->fd, &why);
    bool silent = r >= 0 && !speaks(link);

    if (r >= 0 && !silent)
        r = engine_wire_receive_hello(link->fd, &why);
    if (r < 0 || silent)
        r = no_warden(link, start, silent, &why);
    else
        r = give_policy(link, start, &why);
    if (r < 0) {
        engine_link_end(link, 0);
        if (err)
            *err = why;
        return why.code;
    }
    link->greeted = true;
    return 0;
}

/* ---- jobs ------------------------------------------------------------------------------------------------------ */

static bool is_dead(const struct engine_link *link)
{
    return link->pid == 0;
}

static struct engine_open *free_place(const struct engine_link *link)
{
    for (unsigned i = 0; i < ENGINE_OPEN_MAX; i++)
        if (link->open[i].number == 0)
            return (struct engine_open *)&link->open[i];
    return NULL;
}

/* A job of it has no verdict. */
static bool runs(const struct engine_link *link)
{
    for (unsigned i = 0; i < ENGINE_OPEN_MAX; i++)
        if (link->open[i].number && !link->open[i].judged)
            return true;
    return false;
}

bool engine_link_is_idle(const struct engine_link *link)
{
    if (engine_link_has_orphan(link))
        return false; /* what became of it is told first */
    return !runs(link) && free_place(link) != NULL;
}

bool engine_link_is_settled(const struct engine_link *link)
{
    for (unsigned i = 0; i < ENGINE_OPEN_MAX; i++)
        if (link->open[i].number)
            return false;
    return true;
}

bool engine_link_has_orphan(const struct engine_link *link)
{
    for (unsigned i = 0; i < ENGINE_OPEN_MAX; i++)
        if (link->open[i].number && link->open[i].orphaned)
            return true;
    return false;
}

/* One that is alive clears its cage away first: if it were killed, the cage would die just after it, and so perhaps
 * after we have ended. */
#define BURY_WAIT_US 2000000

/* The worker is gone, or its connection cannot be trusted any more: end it, whatever state it is in. What was open is
 * still to be told; what the worker said of it stays readable. */
static void bury(struct engine_link *link)
{
    struct engine_link rest = *link;

    (void)shutdown(rest.fd, SHUT_WR); /* there will be no request; fails only when it is gone */
    link->fd = -1;
    engine_link_end(link, base_clock_us() + BURY_WAIT_US);
    *link = vacated(&rest);
    memcpy(link->open, rest.open, sizeof(link->open));
    for (unsigned i = 0; i < ENGINE_OPEN_MAX; i++)
        link->open[i].orphaned = link->open[i].number != 0;
    link->former_fd = rest.fd;
    if (engine_link_is_settled(link))
        close_fd(&link->former_fd);
}

static int start_again(struct engine_link *link, const struct engine_start *start, struct base_err *err)
{
    struct engine_link fresh = vacated(link);
    int r = engine_link_launch(&fresh, start, err);

    if (r >= 0)
        r = engine_link_greet(&fresh, start, err);
    if (r < 0)
        return r;
    fresh.former_fd = link->former_fd;
    memcpy(fresh.open, link->open, sizeof(fresh.open));
    *link = fresh;
    return 0;
}

int engine_link_submit(struct engine_link *link, const struct engine_start *start, const struct run_request *request,
                       void *tag, struct base_err *err)
{
    struct engine_open *place = free_place(link);
    int r = BASE_E_LOST;

    if (!place || !engine_link_is_idle(link))
        return base_err_set(err, BASE_E_INTERNAL, "warden", "is not idle");
    for (unsigned attempt = 0; attempt < 2 && r == BASE_E_LOST; attempt++) { /* an idle worker may have died since */
        r = is_dead(link) ? start_again(link, start, err) : 0;
        if (r >= 0)
            r = engine_wire_send_request(link->fd, link->last_number + 1, request, err);
        if (r == BASE_E_LOST)
            bury(link);
    }
    if (r < 0)
        return r;
    *place = (struct engine_open){.number = ++link->last_number, .tag = tag};
    return 0;
}

/* The place of an answer; NULL where there is none for it: what is settled had a verdict, or has an error. Where the
 * request could not even be read its number is not known: it is that of the job which has no verdict. */
static struct engine_open *find_place(struct engine_link *link, const struct engine_answer *answer, bool orphaned)
{
    for (unsigned i = 0; i < ENGINE_OPEN_MAX; i++) {
        struct engine_open *open = &link->open[i];
        bool is_it = answer->number ? open->number == answer->number : open->number && !open->judged;

        if (is_it && open->orphaned == orphaned && open->judged == (answer->settled && answer->code >= 0))
            return open;
    }
    return NULL;
}

/* What is known of a run whose worker died: nothing. */
static void make_lost(struct warden_outcome *outcome)
{
    *outcome = (struct warden_outcome){
        .ending = WARDEN_LOST,
        .wall_us = WARDEN_UNKNOWN,
        .cpu_us = WARDEN_UNKNOWN,
        .memory_peak_bytes = WARDEN_UNKNOWN,
        .processes_peak = WARDEN_UNKNOWN,
        .scratch_peak_bytes = WARDEN_UNKNOWN,
    };
    (void)base_random_hex(outcome->run_id, sizeof(outcome->run_id) - 1, NULL); /* without it, there is no id */
    base_clock_utc(outcome->started_utc, sizeof(outcome->started_utc));
    base_err_set(&outcome->error, BASE_E_LOST, "warden", "died during the run");
    for (int i = 0; i < POLICY_LIMIT_MAX; i++)
        outcome->limits[i].hits = WARDEN_UNKNOWN;
    base_hash_bytes_hex("", 0, outcome->out.sha256);
    base_hash_bytes_hex("", 0, outcome->err.sha256);
}

static void make_untaken(struct engine_answer *answer)
{
    answer->code = base_err_set(&answer->error, BASE_E_LOST, "warden", "died before it took its program");
}

/* The oldest orphan. */
static void tell_lost(struct engine_link *link, struct engine_event *event)
{
    struct engine_open *oldest = NULL;

    for (unsigned i = 0; i < ENGINE_OPEN_MAX; i++) {
        struct engine_open *open = &link->open[i];

        if (open->number && open->orphaned && (!oldest || open->number < oldest->number))
            oldest = open;
    }
    *event = (struct engine_event){.kind = ENGINE_SETTLED, .tag = oldest->tag, .lost = oldest->judged};
    event->answer.settled = true;
    event->untaken = oldest->untaken;
    if (event->untaken)
        make_untaken(&event->answer);
    else if (!oldest->judged)
        make_lost(&event->answer.outcome);
    *oldest = (struct engine_open){0};
}

static void tell(struct engine_link *link, struct engine_open *open, const struct engine_answer *answer,
                 struct engine_event *event)
{
    *event = (struct engine_event){
        .kind = answer->settled ? ENGINE_SETTLED : ENGINE_VERDICT, .tag = open->tag, .answer = *answer};
    if (answer->settled)
        *open = (struct engine_open){0};
    else
        open->judged = true;
    if (!engine_link_has_orphan(link))
        close_fd(&link->former_fd);
}

/* By ECONNRESET the kernel says that the other end was closed with bytes that it had not read. Whatever it said before
 * has come before that, so they are of the request which has no verdict. */
static void note_untaken(struct engine_link *link, const struct base_err *why)
{
    bool unread = why->code == BASE_E_LOST && why->sys_errno == ECONNRESET;

    for (unsigned i = 0; i < ENGINE_OPEN_MAX; i++)
        if (unread && link->open[i].number && !link->open[i].judged)
            link->open[i].untaken = true;
}

void engine_link_receive(struct engine_link *link, struct engine_event *ret_event)
{
    bool orphaned = engine_link_has_orphan(link);
    struct engine_answer answer = {0};
    struct engine_open *open = NULL;
    struct base_err why = {0};

    if (engine_wire_receive_answer(orphaned ? link->former_fd : link->fd, &answer, &why) >= 0)
        open = find_place(link, &answer, orphaned);
    if (open) {
        tell(link, open, &answer, ret_event);
        return;
    }
    warden_outcome_release(&answer.outcome); /* of no job of ours */
    if (!orphaned) {
        note_untaken(link, &why);
        bury(link);
    }
    close_fd(&link->former_fd); /* nothing more is to come, or to be believed */
    tell_lost(link, ret_event);
}

void engine_event_settle(const struct engine_event *event, struct warden_outcome *outcome)
{
    struct warden_outcome settled = event->answer.outcome;

    if (event->lost) {
        outcome->ending = WARDEN_LOST;
        base_err_set(&outcome->error, BASE_E_LOST, "warden", "died before its cage was proved gone");
        return;
    }
    settled.out.kept = outcome->out.kept;
    settled.err.kept = outcome->err.kept;
    settled.mark = outcome->mark;
    settled.denials = outcome->denials;
    settled.denial_count = outcome->denial_count;
    settled.observed = outcome->observed;
    *outcome = settled;
}

/* ---- its end --------------------------------------------------------------------------------------------------- */

/* By its descriptor: the process that we live in may reap any child, and the number could be another's by then. */
static void kill_it(const struct engine_link *link, int signal_number)
{
    if (link->pidfd >= 0)
        (void)syscall(SYS_pidfd_send_signal, link->pidfd, signal_number, NULL, 0); /* fails only when it is dead */
    else if (link->pid > 0)
        (void)kill(link->pid, signal_number);
}

/* True when the worker is dead. Its remains are taken away, unless that has been done. */
static bool is_gone(const struct engine_link *link)
{
    pid_t r = link->pid > 0 ? waitpid(link->pid, NULL, WNOHANG) : -1;

    return r == link->pid || (r < 0 && (link->pid == 0 || errno == ECHILD));
}

/* One that waits for work, or clears a cage away, ends by itself when there will be none; what runs is cancelled. */
void engine_link_ask_end(struct engine_link *link)
{
    close_fd(&link->fd);
    if (runs(link))
        close_fd(&link->life_fd);
}

void engine_link_end(struct engine_link *link, uint64_t until_us)
{
    engine_link_ask_end(link);
    while (!is_gone(link)) {
        uint64_t now_us = base_clock_us();

        if (now_us >= until_us)
            kill_it(link, SIGKILL);
        wait_ms(link, now_us >= until_us ? 100 : (int)((until_us - now_us) / 1000 + 1));
    }
    close_fd(&link->former_fd);
    close_fd(&link->life_fd);
    close_fd(&link->pidfd);
    *link = ENGINE_LINK_NONE;
}
