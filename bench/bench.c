/* bench.c - the timing core of bench/run
 *
 * Runs as whoever starts it, beside the program under test; it isolates nothing.
 * Small and static on purpose: a vfork child counts the memory of its parent as its own peak.
 *
 * It reads a plan, one word and its value a line:
 *
 *     case NAME           begins a case
 *     cmd                 begins a command of that case; several run one after the other and are timed as one
 *     remove PATH         a file to take away before that command, untimed
 *     arg TEXT            one argument of the command, the first is the program's path
 *     fd NUMBER PATH      a file that the command finds open at that number
 *     mountns PATH        the mount namespace in which the command starts
 *     serve               the command is started once and runs on: for each sample it is sent a byte, does one run and
 *                         answers STATUS WALL_US DONE_US, and it ends when its input does
 *
 * `alternate` prints one line a sample: CASE STATUS WALL_US DONE_US CPU_US PEAK_KIB BUSY, where CASE is the number of
 * the case. WALL_US: until the result is known; DONE_US: until everything is cleared away. Every round runs each case
 * once, in an order shuffled anew with a fixed seed, so that no case always follows the same neighbour and pays for
 * what that one left to the kernel's background work. CPU_US of a served case is -1: it is not known of one run.
 *
 * `rate` gives each case a worker of its own, all at the same time, and prints RUNS_A_SECOND CPU_US_A_RUN FAILED.
 *
 * SIGINT, SIGTERM and SIGHUP: the command that runs is told to end, and killed after some seconds; all that was started is
 * waited for; the status is 128 and the signal's number.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CASES_MAX = 64,
    COMMANDS_MAX = 4,
    ARGS_MAX = 160,
    LINE_BYTES_MAX = 8192,
    TIMEOUT_S = 30,
    STOP_S = 3,
    ORPHANS_MS_MAX = 100,
    QUIET_POLLS = 5, /* this many looks in a row, a millisecond apart, must find nobody else running */
};

struct command {
    char *args[ARGS_MAX + 1];
    int arg_count;
    int fd;              /* 0: none */
    int mount_ns;        /* 0: the core's own */
    const char *fd_path; /* opened anew each time: some readers use up the file's position */
    const char *remove;  /* taken away before the clock starts: what the command makes is new each time */
    bool serves;         /* one process for all samples: */
    pid_t pid;           /* 0 before the first */
    int ask, answers;
};

struct bench_case {
    struct command commands[COMMANDS_MAX];
    int command_count;
};

struct sample {
    int status; /* as a shell would see it: exit status, or 128 + signal; 255: could not be started */
    int64_t wall_us;
    int64_t done_us;
    int64_t cpu_us;
    int64_t peak_kib;
};

static struct bench_case cases[CASES_MAX];
static int case_count;
static volatile sig_atomic_t running_pid;
static bool is_server_running;
static volatile sig_atomic_t stopped; /* by this signal */
static volatile pid_t workers[CASES_MAX];
static int silent = -1; /* /dev/null once measuring has begun: what the commands say is no figure */

static _Noreturn void die(const char *what, const char *detail)
{
    fprintf(stderr, "bench: %s: %s\n", what, detail);
    exit(2);
}

static char *keep(const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL)
        die("memory", strerror(ENOMEM));
    return copy;
}

static struct command *last_command(const char *line)
{
    if (case_count == 0 || cases[case_count - 1].command_count == 0)
        die("plan: no command before", line);
    struct bench_case *c = &cases[case_count - 1];
    return &c->commands[c->command_count - 1];
}

static void take_case(const char *value)
{
    if (case_count == CASES_MAX)
        die("plan: too many cases at", value);
    case_count++;
}

static void take_cmd(const char *value)
{
    if (case_count == 0 || cases[case_count - 1].command_count == COMMANDS_MAX)
        die("plan: cmd is misplaced", value);
    cases[case_count - 1].command_count++;
}

static void take_arg(const char *value)
{
    struct command *cmd = last_command(value);
    if (cmd->arg_count == ARGS_MAX)
        die("plan: too many arguments at", value);
    cmd->args[cmd->arg_count++] = keep(value);
}

static void take_fd(const char *value)
{
    char *end;
    long fd = strtol(value, &end, 10);
    if (end == value || *end != ' ' || fd < 3 || fd > 99)
        die("plan: not a descriptor number and a path", value);
    struct command *cmd = last_command(value);
    cmd->fd = (int)fd;
    cmd->fd_path = keep(end + 1);
}

static void take_remove(const char *value)
{
    last_command(value)->remove = keep(value);
}

static void take_mountns(const char *value)
{
    int ns = open(value, O_RDONLY | O_CLOEXEC);
    if (ns < 0)
        die(value, strerror(errno));
    last_command(value)->mount_ns = ns;
}

static void take_serve(const char *value)
{
    last_command(value)->serves = true;
}

static void take_line(const char *line)
{
    static const struct {
        const char *word;
        void (*take)(const char *value);
    } words[] = {{"case", take_case}, {"cmd", take_cmd},       {"arg", take_arg},
                 {"fd", take_fd},     {"remove", take_remove}, {"mountns", take_mountns},
                 {"serve", take_serve}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t n = strlen(words[i].word);
        if (strncmp(line, words[i].word, n) == 0 && (line[n] == '\0' || line[n] == ' ')) {
            words[i].take(line[n] == '\0' ? "" : line + n + 1);
            return;
        }
    }
    die("plan: unknown line", line);
}

static void read_plan(const char *path)
{
    static char line[LINE_BYTES_MAX];
    FILE *f = fopen(path, "re");
    if (f == NULL)
        die(path, strerror(errno));
    while (fgets(line, sizeof(line), f) != NULL) {
        char *end = strchr(line, '\n');
        if (end == NULL)
            die("plan: line too long or not ended", line);
        *end = '\0';
        take_line(line);
    }
    fclose(f);
    for (int i = 0; i < case_count; i++)
        for (int k = 0; k < cases[i].command_count; k++)
            if (cases[i].commands[k].arg_count == 0)
                die("plan", "a command without arguments");
}

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void sleep_us(int64_t us)
{
    struct timespec t = {us / 1000000, (us % 1000000) * 1000};
    nanosleep(&t, NULL);
}

static void kill_running(int signal_number)
{
    (void)signal_number;
    if (running_pid > 0) {
        kill(-(pid_t)running_pid, SIGKILL);
        kill((pid_t)running_pid, SIGKILL);
    }
}

static void stop(int signal_number)
{
    stopped = signal_number;
    for (int i = 0; i < CASES_MAX; i++)
        if (workers[i] > 0)
            kill(workers[i], SIGTERM);
    if (running_pid > 0 && !is_server_running) { /* a server ends when nothing is asked of it any more */
        kill((pid_t)running_pid, SIGTERM);
        alarm(STOP_S);
    }
}

static void no_one_reads(int signal_number)
{
    (void)signal_number;
}

/* In the vfork child: only system calls, and nothing of the parent's memory is changed. */
static _Noreturn void become(const struct command *cmd, int file)
{
    setpgid(0, 0);
    if (silent >= 0) {
        dup2(silent, STDOUT_FILENO);
        dup2(silent, STDERR_FILENO);
    }
    if (file >= 0 && file != cmd->fd) {
        dup2(file, cmd->fd);
        close(file);
    }
    if (cmd->mount_ns != 0 && setns(cmd->mount_ns, CLONE_NEWNS) < 0)
        _exit(255);
    execve(cmd->args[0], cmd->args, environ);
    _exit(255);
}

/* Only reads its parameters: what a vfork child shares with its parent may not change. */
static pid_t start(const struct command *cmd, int file)
{
    pid_t pid = vfork();
    if (pid == 0)
        become(cmd, file);
    return pid;
}

static int64_t usage_us(const struct rusage *usage)
{
    return (int64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000 + usage->ru_utime.tv_usec +
           usage->ru_stime.tv_usec;
}

static void measure(const struct command *cmd, int file, struct sample *s)
{
    struct rusage usage;
    int status;
    int64_t start_us = now_us();
    pid_t pid = start(cmd, file);
    if (pid < 0)
        return;
    running_pid = pid;
    alarm(TIMEOUT_S);
    while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    s->wall_us = s->done_us = now_us() - start_us;
    alarm(0);
    running_pid = 0;
    s->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    s->cpu_us = usage_us(&usage);
    s->peak_kib = usage.ru_maxrss;
}

static void start_server(struct command *cmd)
{
    int ask[2], answers[2];
    if (pipe2(ask, O_CLOEXEC) < 0 || pipe2(answers, O_CLOEXEC) < 0)
        die("pipe", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        dup2(ask[0], STDIN_FILENO);
        dup2(answers[1], STDOUT_FILENO);
        execve(cmd->args[0], cmd->args, environ);
        _exit(255);
    }
    close(ask[0]);
    close(answers[1]);
    cmd->pid = pid;
    cmd->ask = ask[1];
    cmd->answers = answers[0];
}

/* One line, as the server has written it in one piece. */
static struct sample ask_server(struct command *cmd)
{
    struct sample s = {.status = 255, .cpu_us = -1};
    char line[128];
    long long wall_us, done_us;
    if (cmd->pid == 0)
        start_server(cmd);
    is_server_running = true;
    running_pid = cmd->pid;
    alarm(TIMEOUT_S);
    ssize_t n = write(cmd->ask, "\n", 1) == 1 ? read(cmd->answers, line, sizeof(line) - 1) : 0;
    alarm(0);
    running_pid = 0;
    is_server_running = false;
    line[n > 0 ? n : 0] = '\0';
    if (sscanf(line, "%d %lld %lld", &s.status, &wall_us, &done_us) != 3)
        return (struct sample){.status = 255, .cpu_us = -1};
    s.wall_us = wall_us;
    s.done_us = done_us;
    return s;
}

static void end_servers(void)
{
    for (int i = 0; i < case_count; i++) {
        struct command *cmd = &cases[i].commands[0];
        if (cmd->pid == 0)
            continue;
        close(cmd->ask);
        while (waitpid(cmd->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
}

static struct sample run_command(struct command *cmd)
{
    struct sample s = {.status = 255};
    int file = -1;
    if (cmd->serves)
        return ask_server(cmd);
    if (cmd->remove)
        (void)unlink(cmd->remove); /* not there the first time */
    if (cmd->fd != 0 && (file = open(cmd->fd_path, O_RDONLY)) < 0)
        return s;
    measure(cmd, file, &s);
    if (file >= 0)
        close(file);
    return s;
}

/* Some commands end before the last process that they started has: that one is then a child of ours. */
static void reap_orphans(void)
{
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

static struct sample run_case(struct bench_case *c)
{
    struct sample sum = {0};
    for (int i = 0; i < c->command_count && !stopped; i++) {
        struct sample s = run_command(&c->commands[i]);
        sum.wall_us += s.wall_us;
        sum.done_us += s.done_us;
        sum.cpu_us += s.cpu_us;
        if (s.peak_kib > sum.peak_kib)
            sum.peak_kib = s.peak_kib;
        if (s.status != 0 && sum.status == 0)
            sum.status = s.status;
    }
    return sum;
}

/* How many tasks are running now, this one included; the number before the slash in /proc/loadavg. */
static int running_now(int loadavg)
{
    char text[128];
    ssize_t n = pread(loadavg, text, sizeof(text) - 1, 0);
    if (n <= 0)
        return 1;
    text[n] = '\0';
    char *p = text;
    for (int spaces = 0; *p != '\0' && spaces < 3; p++)
        spaces += *p == ' ';
    return (int)strtol(p, NULL, 10);
}

/* Waits until nobody else runs, at most @quiet_ms; says whether the machine is still busy. */
static bool wait_until_quiet(int loadavg, long quiet_ms)
{
    int64_t end_us = now_us() + (int64_t)quiet_ms * 1000;
    int good = 0;
    while (good < QUIET_POLLS) {
        good = running_now(loadavg) <= 1 ? good + 1 : 0;
        if (good < QUIET_POLLS && now_us() >= end_us)
            return true;
        sleep_us(1000);
    }
    return false;
}

static uint32_t random_next(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

static void shuffle(int *order, int count, uint32_t *state)
{
    for (int i = count - 1; i > 0; i--) {
        int k = (int)(random_next(state) % (uint32_t)(i + 1));
        int swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
}

static int alternate(long rounds, long pause_ms, long quiet_ms)
{
    int order[CASES_MAX];
    uint32_t seed = 2463534242U;
    int loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < case_count; i++)
        order[i] = i;
    for (long r = 0; r < rounds && !stopped; r++) {
        shuffle(order, case_count, &seed);
        for (int i = 0; i < case_count && !stopped; i++) {
            sleep_us((int64_t)pause_ms * 1000);
            bool busy = wait_until_quiet(loadavg, quiet_ms);
            struct sample s = run_case(&cases[order[i]]);
            reap_orphans();
            if (stopped)
                break;
            printf("%d %d %lld %lld %lld %lld %d\n", order[i], s.status, (long long)s.wall_us, (long long)s.done_us,
                   (long long)s.cpu_us, (long long)s.peak_kib, busy);
            fflush(stdout);
        }
    }
    end_servers();
    return 0;
}

struct share {
    int64_t runs, took_us, cpu_us, failed;
};

static void work(struct bench_case *c, int64_t end_us, struct share *mine)
{
    int64_t start_us = now_us();
    do {
        struct sample s = run_case(c);
        mine->runs++;
        mine->cpu_us += s.cpu_us;
        mine->failed += s.status != 0;
        mine->took_us = now_us() - start_us;
    } while (start_us + mine->took_us < end_us && !stopped);
}

/* Orphans of their commands come between. */
static void wait_for_workers(void)
{
    int left = 0;
    for (int i = 0; i < CASES_MAX; i++)
        left += workers[i] > 0;
    while (left > 0) {
        pid_t pid = wait(NULL);
        if (pid < 0 && errno != EINTR)
            return;
        for (int i = 0; i < CASES_MAX && pid > 0; i++)
            if (workers[i] == pid) {
                workers[i] = 0;
                left--;
            }
    }
}

/* Each case has a worker, which runs it again and again until the time is over. */
static int rate(long ms)
{
    double per_s = 0, cpu_us = 0;
    int64_t runs = 0, failed = 0, end_us = now_us() + ms * 1000;
    struct share *shares = mmap(NULL, sizeof(struct share[CASES_MAX]), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shares == MAP_FAILED)
        die("memory", strerror(errno));
    for (int i = 0; i < case_count && !stopped; i++) {
        pid_t pid = fork();
        if (pid < 0)
            die("fork", strerror(errno));
        workers[i] = pid;
        if (pid == 0) {
            for (int k = 0; k < i; k++)
                workers[k] = 0;
            work(&cases[i], end_us, &shares[i]);
            _exit(0);
        }
    }
    wait_for_workers();
    for (int i = 0; i < case_count && !stopped; i++) {
        per_s += (double)shares[i].runs * 1e6 / (double)shares[i].took_us;
        cpu_us += (double)shares[i].cpu_us;
        runs += shares[i].runs;
        failed += shares[i].failed;
    }
    if (!stopped)
        printf("%.2f %.1f %lld\n", per_s, cpu_us / (double)runs, (long long)failed);
    return 0;
}

static long number(const char *text, long least, long most)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || n < least || n > most)
        die("not a number in range", text);
    return n;
}

static void catch_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction timeout = {.sa_handler = kill_running}, end = {.sa_handler = stop};
    sigaction(SIGALRM, &timeout, NULL);
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = no_one_reads}, NULL); /* a handler is not inherited */
    for (int i = 0; i < 3; i++)
        sigaction(ends[i], &end, NULL);
}

static int perform(int argc, char **argv)
{
    static const char usage[] =
        "PLAN alternate ROUNDS PAUSE_MS QUIET_MS | PLAN once CASE | PLAN rate MS";
    if (argc < 3)
        die("usage", usage);
    read_plan(argv[1]);
    catch_signals();
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (strcmp(argv[2], "once") == 0 && argc == 4) {
        int status = run_case(&cases[number(argv[3], 0, case_count - 1)]).status;
        end_servers();
        return status;
    }
    if ((silent = open("/dev/null", O_WRONLY | O_CLOEXEC)) < 0)
        die("/dev/null", strerror(errno));
    if (strcmp(argv[2], "alternate") == 0 && argc == 6)
        return alternate(number(argv[3], 1, 1000000), number(argv[4], 0, 10000), number(argv[5], 0, 60000));
    if (strcmp(argv[2], "rate") == 0 && argc == 4)
        return rate(number(argv[3], 1, 3600000));
    die("usage", usage);
}

int main(int argc, char **argv)
{
    int status = perform(argc, argv);
    for (int i = 0; i < ORPHANS_MS_MAX && waitpid(-1, NULL, WNOHANG) >= 0; i++)
        sleep_us(1000);
    return stopped ? 128 + stopped : status;
}
