/* warm.c - one run after the other in slots, beside the same program bare
 *
 * warm latency RUNS CAGE PROGRAM     one line a pair: BARE_US VERDICT_US, both in turn, from the call to what is known
 * warm serve CAGE PROGRAM            one run for each byte on stdin, until it ends: STATUS VERDICT_US SETTLED_US
 * warm rate MS JOBS bare|CAGE PROGRAM   runs a second of so many processes at once, and processor time
 *                                    of each in microseconds; receipts included
 *
 * SIGINT, SIGTERM and SIGHUP: keepers and slots are ended and waited for; the status is 128 and the signal's number.
 *
 * Runs as whoever starts it. A slot run is everything that `eval` does for one program: cage, judge's view of the
 * outcome, teardown proved, receipt sealed and written to a file; latency ends when the verdict is known.
 */
#include "base/clock.h"
#include "base/json.h"
#include "base/processors.h"
#include "policy/policy.h"
#include "receipt/receipt.h"
#include "run/run.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WARM_UP_RUNS = 20, RATE_WARM_UP_RUNS = 5, JOBS_MAX = 64 };

static struct policy policy;
static struct stage_program program;
static struct run_request request;
static json_t *draft;
static int receipts_fd;
static volatile sig_atomic_t stopped; /* by this signal */
static volatile pid_t workers[JOBS_MAX];
static bool has_failed; /* one of them */

static void stop(int signal_number)
{
    stopped = signal_number;
    for (int i = 0; i < JOBS_MAX; i++)
        if (workers[i] > 0)
            (void)kill(workers[i], SIGTERM);
}

static void die(const char *what, const struct base_err *err)
{
    static bool is_dying;

    (void)fprintf(stderr, "warm: %s: %s\n", what, err ? err->what : strerror(errno));
    if (!is_dying) { /* it settles the last run, which may fail as well */
        is_dying = true;
        run_release();
    }
    _exit(1);
}

static uint64_t run_bare(char *path)
{
    char variable[] = "PATH=/usr/bin:/bin", *environment[] = {variable, NULL};
    char *argv[] = {path, NULL};
    uint64_t from_us = base_clock_us();
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC), status;
    pid_t pid = vfork();

    if (pid == 0) {
        (void)dup2(null_fd, 0);
        (void)dup2(null_fd, 1);
        (void)dup2(null_fd, 2);
        (void)execve(path, argv, environment);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        die(path, NULL);
    (void)close(null_fd);
    return base_clock_us() - from_us;
}

static void write_receipt(void *argument, struct warden_outcome *outcome)
{
    struct base_buf line = {0};
    struct base_err err;
    char hash[BASE_HASH_HEX];
    json_t *receipt;

    (void)argument;
    if (run_receipt(&request, outcome, &receipt, &err) < 0 || receipt_seal(receipt, NULL, &line, hash, &err) < 0)
        die("receipt", &err);
    if (write(receipts_fd, line.bytes, line.count) != (ssize_t)line.count)
        die("receipt", NULL);
    base_buf_release(&line);
    json_decref(receipt);
    warden_outcome_release(outcome);
    free(outcome);
}

static uint64_t run_caged(enum run_cage cage)
{
    struct warden_outcome *outcome = calloc(1, sizeof(*outcome));
    struct base_err err;
    uint64_t from_us = base_clock_us(), took_us;

    request.cage = cage;
    if (run_execute(&request, outcome, &err) < 0)
        die("run", &err);
    took_us = base_clock_us() - from_us;
    if (outcome->ending == WARDEN_CANCELLED && outcome->signal != 0) /* it came meanwhile, and is used up */
        stopped = outcome->signal;
    else if (outcome->ending != WARDEN_EXITED || outcome->exit_code != 0)
        die("run did not end well", &outcome->error);
    return took_us;
}

static void prepare(const char *path)
{
    struct base_err err;

    if (policy_builtin("default", &policy, &err) < 0 || stage_program_load(path, NULL, 64u << 20, &program, &err) < 0)
        die(path, &err);
    request = (struct run_request){
        .policy = &policy,
        .program = &program,
        .stdin_fd = -1,
        .stdin_bytes = "",
        .stdout_fd = -1,
        .stderr_fd = -1,
        .settled = write_receipt,
        .receipt_draft = &draft,
    };
    receipts_fd = open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (receipts_fd < 0)
        die("receipts", NULL);
}

static void latency(int runs, enum run_cage cage, char *path)
{
    for (int i = -WARM_UP_RUNS; i < runs && !stopped; i++) {
        uint64_t bare_us = run_bare(path), caged_us;
        run_settle();
        caged_us = run_caged(cage);
        run_settle();
        if (i >= 0 && !stopped)
            (void)printf("%llu %llu\n", (unsigned long long)bare_us, (unsigned long long)caged_us);
    }
    run_release();
}

/* False when nothing more is asked, or a signal came: poll is not begun again after one, a read would be. */
static bool is_asked(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    char byte;

    return !stopped && poll(&in, 1, -1) == 1 && read(STDIN_FILENO, &byte, 1) == 1;
}

static void serve(enum run_cage cage)
{
    for (int i = 0; i < WARM_UP_RUNS && !stopped; i++) {
        (void)run_caged(cage);
        run_settle();
    }
    while (is_asked()) {
        uint64_t from_us = base_clock_us(), verdict_us = run_caged(cage);
        run_settle();
        if (stopped)
            break;
        (void)printf("0 %llu %llu\n", (unsigned long long)verdict_us, (unsigned long long)(base_clock_us() - from_us));
        (void)fflush(stdout);
    }
    run_release();
}

struct share {
    uint64_t runs, took_us, cpu_us;
};

/* The first few are not timed: they make slots, and an interpreter that stands ready. */
static void work(uint64_t ms, const char *kind, char *path, struct share *mine)
{
    enum run_cage cage = RUN_CAGE_FRESH;
    bool is_bare = !run_cage_find(kind, &cage);
    uint64_t from_us = 0;

    for (int i = -RATE_WARM_UP_RUNS; !stopped && (i <= 0 || base_clock_us() - from_us < ms * 1000); i++, mine->runs++) {
        if (i == 0)
            from_us = base_clock_us();
        (void)(is_bare ? run_bare(path) : run_caged(cage));
    }
    run_settle();
    mine->took_us = base_clock_us() - from_us;
}

/* Of this process and of all that it waited for: with its keepers everything that their cages have used. */
static uint64_t cpu_us(void)
{
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    uint64_t sum_us = 0;

    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        (void)getrusage(whose[i], &usage);
        sum_us += (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
                  (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    }
    return sum_us;
}

/* As a worker of eval. The bare program gains nothing by it, and is left alone. */
static void bind(int job, int jobs, const char *kind)
{
    if (strcmp(kind, "bare") != 0)
        base_processors_keep_to(base_processors_of_worker((unsigned)job, (unsigned)jobs));
}

static void rate(int ms, int jobs, const char *kind, char *path)
{
    struct share *shares =
        mmap(NULL, sizeof(struct share[JOBS_MAX]), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double per_s = 0, runs = 0, used_us = 0;
    int status;

    for (int i = 0; i < jobs && i < JOBS_MAX && !stopped; i++)
        if ((workers[i] = fork()) == 0) {
            for (int k = 0; k < i; k++)
                workers[k] = 0;
            bind(i, jobs, kind);
            work((uint64_t)ms, kind, path, &shares[i]);
            run_release();
            shares[i].cpu_us = cpu_us();
            _exit(0);
        }
    for (pid_t pid = 0; pid >= 0 || errno == EINTR;) {
        pid = wait(&status);
        has_failed |= pid > 0 && status != 0;
    }
    if (stopped || has_failed)
        return;
    for (int i = 0; i < jobs && i < JOBS_MAX; i++) {
        per_s += (double)(shares[i].runs - RATE_WARM_UP_RUNS) * 1e6 / (double)shares[i].took_us;
        runs += (double)shares[i].runs;
        used_us += (double)shares[i].cpu_us;
    }
    (void)printf("%.2f %.1f\n", per_s, used_us / runs);
}

static int perform(int argc, char **argv)
{
    enum run_cage cage = RUN_CAGE_FRESH;

    if (argc == 5 && strcmp(argv[1], "latency") == 0 && run_cage_find(argv[3], &cage)) {
        prepare(argv[4]);
        latency(atoi(argv[2]), cage, argv[4]);
        return 0;
    }
    if (argc == 4 && strcmp(argv[1], "serve") == 0 && run_cage_find(argv[2], &cage)) {
        prepare(argv[3]);
        serve(cage);
        return 0;
    }
    if (argc == 6 && strcmp(argv[1], "rate") == 0) {
        prepare(argv[5]);
        rate(atoi(argv[2]), atoi(argv[3]), argv[4], argv[5]);
        return has_failed;
    }
    (void)fprintf(stderr, "usage: warm latency RUNS fresh|slot|zygote PROGRAM\n"
                          "       warm serve fresh|slot|zygote PROGRAM\n"
                          "       warm rate MS JOBS bare|fresh|slot|zygote PROGRAM\n");
    return 2;
}

int main(int argc, char **argv)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction end = {.sa_handler = stop, .sa_flags = SA_RESTART};
    int status;

    for (int i = 0; i < 3; i++)
        (void)sigaction(ends[i], &end, NULL);
    status = perform(argc, argv);
    return stopped ? 128 + stopped : status;
}
