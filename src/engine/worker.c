/* worker.c - one worker process: it runs one cage at a time
 *
 * Runs in: this program after an exec, in a process group of its own, so that a Ctrl-C at the terminal reaches only who
 * started it, and decides. Privilege: that process's. It ends when that does, however it ends and whichever of its
 * threads started it: its connection is then closed, and the last writer of a pipe gone, for which the kernel sends
 * SIGTERM, which ends a running cage as cancelled.
 */

#include "engine/worker.h"
#include "base/cleanup.h"
#include "base/processors.h"
#include "base/signals.h"
#include "engine/wire.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int check_descriptors(struct base_err *err)
{
    struct stat connection, life;

    if (fstat(ENGINE_WORKER_FD, &connection) == 0 && S_ISSOCK(connection.st_mode) &&
        fstat(ENGINE_LIFE_FD, &life) == 0 && S_ISFIFO(life.st_mode))
        return 0;
    (void)base_err_set(err, BASE_E_USAGE, ENGINE_WORKER_VERB, "has nobody to work for");
    return base_err_remedy(err, "fumehood eval and the library start it themselves");
}

/* Nothing of the other's open files may be kept alive here, or reach a guest; nor a folder that it stands in. */
static void drop_belongings(void)
{
    (void)close_range(ENGINE_LIFE_FD + 1, ~0u, 0);
    (void)fcntl(ENGINE_WORKER_FD, F_SETFD, FD_CLOEXEC); /* cannot fail for what is open */
    (void)fcntl(ENGINE_LIFE_FD, F_SETFD, FD_CLOEXEC);
    int stays = chdir("/"); /* else it stands where it was started, which is no worse */

    (void)stays;
    (void)prctl(PR_SET_NAME, "fumehood"); /* not "exe" */
}

static int follow_starter(struct base_err *err)
{
    struct pollfd life = {.fd = ENGINE_LIFE_FD, .events = POLLIN};
    int flags = fcntl(ENGINE_LIFE_FD, F_GETFL);

    if (flags < 0 || fcntl(ENGINE_LIFE_FD, F_SETOWN, getpid()) < 0 || fcntl(ENGINE_LIFE_FD, F_SETSIG, SIGTERM) < 0 ||
        fcntl(ENGINE_LIFE_FD, F_SETFL, flags | O_ASYNC) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, "warden", "cannot be told when its starter ends");
    (void)signal(SIGTERM, SIG_DFL);                  /* whatever its starter ignores */
    (void)base_signals_block(base_signals_ending()); /* a run takes them; between two, the connection's end is enough */
    if (poll(&life, 1, 0) != 0)                      /* it ended before */
        return base_err_set(err, BASE_E_LOST, "warden", "who started it is gone");
    return 0;
}

/* All that a run is made of passes its turn to and fro: this process, keepers, first processes. Where no processor is
 * left over, they are faster in one place. What they start for a guest is not bound (cage/guest_child.c). */
static int take_processor(struct base_err *err)
{
    AUTO_BUF struct base_buf bytes = {0};
    int number, r = engine_wire_receive_bytes(ENGINE_WORKER_FD, &bytes, err);

    if (r < 0)
        return r;
    if (bytes.count != sizeof(number))
        return base_err_set(err, BASE_E_INTERNAL, "warden", "is told something else than its processor");
    memcpy(&number, bytes.bytes, sizeof(number));
    base_processors_keep_to(number);
    return 0;
}

/* What would be refused for every run is refused now. */
static int take_policy(struct policy *policy, struct base_err *err)
{
    AUTO_BUF struct base_buf text = {0};
    struct engine_ready ready = {0};
    int r = engine_wire_receive_bytes(ENGINE_WORKER_FD, &text, err);

    if (r < 0)
        return r;
    ready.code = policy_parse(text.bytes ? text.bytes : "", text.count, "policy", policy, &ready.error);
    if (ready.code >= 0)
        ready.code = policy_hash(policy, ready.policy_sha256, &ready.error);
    if (ready.code >= 0)
        ready.code = run_check(policy, &ready.error);
    return engine_wire_send_bytes(ENGINE_WORKER_FD, &ready, sizeof(ready), err);
}

/* What is said of a run. There are two in turn: one is settled while the next one runs. */
struct desk {
    struct engine_answer answer;
    bool judged; /* its verdict is told */
};

static void clear_desk(struct desk *desk)
{
    warden_outcome_release(&desk->answer.outcome);
    *desk = (struct desk){0};
}

static void tell_settled(void *argument, struct warden_outcome *outcome)
{
    struct desk *desk = argument;

    (void)outcome;     /* it is the desk's */
    if (!desk->judged) /* it could not be run, or its verdict could not be told: nothing is settled then */
        return;
    desk->answer.settled = true;
    if (engine_wire_send_answer(ENGINE_WORKER_FD, &desk->answer, NULL) < 0)
        (void)shutdown(ENGINE_WORKER_FD, SHUT_RDWR); /* whoever waits for it hears of our end instead */
    clear_desk(desk);
}

static int tell_end(struct desk *desk, struct base_err *err)
{
    int r;

    desk->answer.settled = desk->answer.code < 0;
    r = engine_wire_send_answer(ENGINE_WORKER_FD, &desk->answer, err);
    desk->judged = r >= 0 && !desk->answer.settled;
    if (!desk->judged)
        clear_desk(desk);
    return r;
}

/* Whether the next job comes at once: then the former is settled while that one runs. */
static bool is_next_there(void)
{
    static const struct timespec patience = {.tv_nsec = 300000};
    struct pollfd connection = {.fd = ENGINE_WORKER_FD, .events = POLLIN};

    return ppoll(&connection, 1, &patience, NULL) > 0;
}

static int serve_one(const struct policy *policy, struct desk *desk, struct base_err *err)
{
    CLEANUP(engine_job_release) struct engine_job job = {0};
    int r = engine_wire_receive_request(ENGINE_WORKER_FD, policy, &job, &desk->answer.error);

    if (r == BASE_E_LOST)
        return r;
    job.request.settled = tell_settled;
    job.request.settled_argument = desk;
    desk->answer.number = job.number;
    desk->answer.code = r < 0 ? r : run_execute(&job.request, &desk->answer.outcome, &desk->answer.error);
    r = tell_end(desk, err);
    if (r >= 0 && !is_next_there())
        run_settle();
    return r;
}

static void serve(const struct policy *policy, struct base_err *err)
{
    struct desk desks[2] = {0};

    for (unsigned turn = 0;; turn = !turn) {
        if (desks[turn].judged)
            run_settle();
        if (serve_one(policy, &desks[turn], err) < 0)
            break;
    }
    run_release(); /* settles, too */
    clear_desk(&desks[0]);
    clear_desk(&desks[1]);
}

int engine_worker_serve(struct base_err *err)
{
    AUTO_POLICY struct policy policy = {0};
    int r = check_descriptors(err);

    if (r < 0)
        return r;
    drop_belongings();
    r = follow_starter(err);
    if (r >= 0)
        r = engine_wire_send_hello(ENGINE_WORKER_FD, err);
    if (r >= 0)
        r = engine_wire_receive_hello(ENGINE_WORKER_FD, err);
    if (r >= 0)
        r = take_processor(err);
    if (r >= 0)
        r = take_policy(&policy, err);
    if (r >= 0)
        serve(&policy, err);
    return 0; /* whoever listened knows more, and nobody else does */
}
