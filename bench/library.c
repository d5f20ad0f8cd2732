/* library.c - programs in cages by libfumehood, as a user's own program has them
 *
 * library serve CAGE PROGRAM FUMEHOOD          one run for each byte on stdin, until it ends: STATUS RESULT_US SETTLED_US
 * library rate MS JOBS CAGE PROGRAM FUMEHOOD   runs a second of so many threads at once, and processor time of each in
 *                                              microseconds
 * library count RUNS JOBS CAGE PROGRAM FUMEHOOD   so many runs; a line on stdout each REPORT_RUNS
 *
 * SIGINT, SIGTERM and SIGHUP: the pool is closed; the status is 128 and the signal's number.
 *
 * Runs as whoever starts it. Every result's receipt is asked for.
 */
#define _GNU_SOURCE
#include <fumehood/fumehood.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { PROGRAM_BYTES_MAX = 1 << 20, WARM_UP_RUNS = 20, RATE_WARM_UP_RUNS = 5, JOBS_MAX = 64, REPORT_RUNS = 100 };

static struct fumehood_pool *pool;
static struct fumehood_program program = {.size = sizeof(program)};
static char bytes[PROGRAM_BYTES_MAX];
static atomic_llong runs_left, runs_done;
static long long rate_ms;
static volatile sig_atomic_t stopped; /* by this signal */

struct share {
    long long runs, took_us;
};

static void stop(int signal_number)
{
    stopped = signal_number;
}

static long long now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void die(const char *what, const struct fumehood_error *error)
{
    char text[1100];
    fprintf(stderr, "library: %s\n", error ? fumehood_error_text(error, text, sizeof(text)) : what);
    exit(1);
}

/* Time to the result; *@ret_settled_us to the receipt. */
static long long run(long long *ret_settled_us)
{
    struct fumehood_result *result;
    struct fumehood_error error;
    const char *receipt;
    long long from_us = now_us(), took_us;

    if (fumehood_run(pool, &program, &result, &error) < 0)
        die("run", &error);
    took_us = now_us() - from_us;
    if (fumehood_result_exit_code(result) != 0)
        die(fumehood_result_detail(result), NULL);
    if (fumehood_result_receipt(result, &receipt, &error) < 0)
        die("receipt", &error);
    *ret_settled_us = now_us() - from_us;
    fumehood_result_free(result);
    return took_us;
}

/* False when nothing more is asked, or a signal came: poll is not begun again after one, a read would be. */
static bool is_asked(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    char byte;

    return !stopped && poll(&in, 1, -1) == 1 && read(STDIN_FILENO, &byte, 1) == 1;
}

static void serve(void)
{
    long long settled_us, took_us;

    for (int i = 0; i < WARM_UP_RUNS; i++)
        run(&settled_us);
    while (is_asked()) {
        took_us = run(&settled_us);
        printf("0 %lld %lld\n", took_us, settled_us);
        fflush(stdout);
    }
}

static void *work_for_a_time(void *argument)
{
    struct share *mine = argument;
    long long from_us = 0, settled_us;

    for (int i = -RATE_WARM_UP_RUNS; !stopped && (i <= 0 || now_us() - from_us < rate_ms * 1000); i++, mine->runs++) {
        if (i == 0)
            from_us = now_us();
        run(&settled_us);
    }
    mine->took_us = now_us() - from_us;
    return NULL;
}

static void *work_to_a_count(void *argument)
{
    long long settled_us;

    (void)argument;
    while (!stopped && atomic_fetch_sub(&runs_left, 1) > 0) {
        run(&settled_us);
        long long done = atomic_fetch_add(&runs_done, 1) + 1;
        if (done % REPORT_RUNS == 0) {
            printf("%lld\n", done);
            fflush(stdout);
        }
    }
    return NULL;
}

static void threads(void *(*work)(void *), struct share *shares, int jobs)
{
    pthread_t ids[JOBS_MAX];

    for (int i = 0; i < jobs; i++)
        if (pthread_create(&ids[i], NULL, work, &shares[i]) != 0)
            die("threads", NULL);
    for (int i = 0; i < jobs; i++)
        pthread_join(ids[i], NULL);
}

static double cpu_us(int whose)
{
    struct rusage usage;
    getrusage(whose, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void print_rate(const struct share *shares, int jobs)
{
    double per_s = 0, runs = 0;

    for (int i = 0; i < jobs; i++) {
        per_s += (double)(shares[i].runs - RATE_WARM_UP_RUNS) * 1e6 / (double)shares[i].took_us;
        runs += (double)shares[i].runs;
    }
    printf("%.2f %.1f\n", per_s, (cpu_us(RUSAGE_SELF) + cpu_us(RUSAGE_CHILDREN)) / runs);
}

static void open_pool(int jobs, const char *cage, char *path, const char *fumehood)
{
    static const char *const cages[] = {"slot", "fresh", "zygote"};
    struct fumehood_pool_options options = {
        .size = sizeof(options), .wardens = (unsigned)jobs, .program = fumehood, .cage = FUMEHOOD_CAGE_SLOT};
    struct fumehood_error error;
    FILE *f = fopen(path, "re");

    for (int i = 0; i < 3; i++)
        if (strcmp(cage, cages[i]) == 0)
            options.cage = (enum fumehood_cage)i;
    if (f == NULL)
        die(path, NULL);
    program.name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    program.bytes = bytes;
    program.count = fread(bytes, 1, sizeof(bytes), f);
    fclose(f);
    if (fumehood_pool_open(&options, &pool, &error) < 0)
        die("pool", &error);
}

int main(int argc, char **argv)
{
    static struct share shares[JOBS_MAX];
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction end = {.sa_handler = stop, .sa_flags = SA_RESTART};
    bool is_serve = argc == 5 && strcmp(argv[1], "serve") == 0;
    int jobs = is_serve ? 1 : argc == 7 ? atoi(argv[3]) : 0;

    if (jobs < 1 || jobs > JOBS_MAX)
        die("usage: library serve CAGE PROGRAM FUMEHOOD | rate MS JOBS CAGE PROGRAM FUMEHOOD | count RUNS JOBS ...", NULL);
    for (int i = 0; i < 3; i++)
        sigaction(ends[i], &end, NULL);
    open_pool(jobs, argv[argc - 3], argv[argc - 2], argv[argc - 1]);
    rate_ms = runs_left = is_serve ? 0 : atoll(argv[2]);
    if (is_serve)
        serve();
    else
        threads(strcmp(argv[1], "rate") == 0 ? work_for_a_time : work_to_a_count, shares, jobs);
    fumehood_pool_close(pool);
    if (stopped)
        return 128 + stopped;
    if (strcmp(argv[1], "rate") == 0)
        print_rate(shares, jobs);
    return 0;
}
