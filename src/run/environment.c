/* environment.c - what the machine was like when the numbers were taken */
#include "base/clock.h"
#include "base/file.h"
#include "base/processors.h"
#include "run/run.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Asked of the processor itself: /proc/cpuinfo takes milliseconds, because it measures every core's frequency. */
static void cpu_model(char *model, size_t model_bytes)
{
#if defined(__x86_64__)
    unsigned words[12], *at = words;

    if ((unsigned)__get_cpuid_max(0x80000000u, NULL) < 0x80000004u) {
        (void)snprintf(model, model_bytes, "unknown");
        return;
    }
    for (unsigned leaf = 0x80000002u; leaf <= 0x80000004u; leaf++, at += 4)
        __cpuid(leaf, at[0], at[1], at[2], at[3]); /* in a virtual machine each costs microseconds */
    (void)snprintf(model, model_bytes, "%.*s", (int)sizeof(words), (const char *)words);
#else
    (void)snprintf(model, model_bytes, "unknown");
#endif
}

/* What does not change while we run is looked up once; the load, which the kernel counts anew every five seconds, not
 * more often than that. */
#define LOAD_LASTS_US 5000000
static struct {
    bool looked;
    char kernel[sizeof(((struct utsname *)0)->release)], model[128];
    double load_1min;
    uint64_t load_us;
} seen;

static void look_once(void)
{
    struct utsname names;

    if (seen.looked)
        return;
    seen.looked = true;
    cpu_model(seen.model, sizeof(seen.model));
    (void)snprintf(seen.kernel, sizeof(seen.kernel), "%s", uname(&names) < 0 ? "unknown" : names.release);
}

static double load_1min(void)
{
    uint64_t now_us = base_clock_us();
    char load[64];

    if (seen.load_us && now_us - seen.load_us < LOAD_LASTS_US)
        return seen.load_1min;
    seen.load_us = now_us;
    (void)base_file_read_start(AT_FDCWD, "/proc/loadavg", load, sizeof(load)); /* empty when it fails */
    if (sscanf(load, "%lf", &seen.load_1min) != 1)
        seen.load_1min = 0;
    return seen.load_1min;
}

json_t *run_environment(void)
{
    look_once();
    return json_pack("{s:s,s:s,s:i,s:f}", "kernel", seen.kernel, "cpu", seen.model, "cpus",
                     (int)base_processors_count(), "load_1min", load_1min());
}
