/* worker.c - one worker process: it runs one cage at a time
 *
 * Runs in: a fork of the program, in a process group of its own, so that a Ctrl-C at the terminal reaches only the
 * parent, which decides. Privilege: the parent's. It ends when the parent does: the kernel then sends SIGTERM, which
 * ends a running cage as cancelled, and the connection is closed.
 */

#include "engine/worker.h"
#include "base/cleanup.h"
#include "engine/wire.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Nothing of the parent's open files (results, locks, other workers) may be kept alive by a worker. */
static void drop_descriptors(int keep_fd)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null >= 0) {
        (void)dup2(null, STDIN_FILENO); /* a worker reads and prints nothing; stderr stays for what aborts it */
        (void)dup2(null, STDOUT_FILENO);
    }
    if (keep_fd > 3)
        (void)close_range(3, (unsigned)keep_fd - 1, 0);
    (void)close_range((unsigned)keep_fd + 1, ~0u, 0);
}

static void follow_parent(pid_t parent)
{
    sigset_t none;

    (void)setpgid(0, 0); /* fails only for what cannot be: a worker leads no session */
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || getppid() != parent)
        _exit(1);
}

static int serve_one(int fd, const struct policy *policy)
{
    CLEANUP(engine_job_release) struct engine_job job = {0};
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    struct base_err error = {0}, lost;
    int r = engine_wire_receive_request(fd, &job, &error);

    if (r == BASE_E_LOST)
        return r;
    if (r >= 0) {
        job.request.policy = policy;
        r = run_execute(&job.request, &outcome, &error);
    }
    return engine_wire_send_result(fd, r, &error, &outcome, &lost);
}

void engine_worker_main(int fd, pid_t parent, const struct policy *policy)
{
    follow_parent(parent);
    drop_descriptors(fd);
    while (serve_one(fd, policy) >= 0)
        ;
    _exit(0);
}
