/* environment.c - what the machine was like when the numbers were taken */
#include "base/file.h"
#include "run/run.h"
#include <fcntl.h>
#include <sched.h>
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

static int usable_cpus(void)
{
    cpu_set_t cpus;

    return sched_getaffinity(0, sizeof(cpus), &cpus) < 0 ? 1 : CPU_COUNT(&cpus);
}

json_t *run_environment(void)
{
    struct utsname names;
    char model[128], load[64];
    double load_1min = 0;

    cpu_model(model, sizeof(model));
    (void)base_file_read_start(AT_FDCWD, "/proc/loadavg", load, sizeof(load)); /* empty when it fails */
    if (uname(&names) < 0 || sscanf(load, "%lf", &load_1min) != 1)
        (void)snprintf(names.release, sizeof(names.release), "unknown");
    return json_pack("{s:s,s:s,s:i,s:f}", "kernel", names.release, "cpu", model, "cpus", usable_cpus(), "load_1min",
                     load_1min);
}
