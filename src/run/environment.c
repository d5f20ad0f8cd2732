/* environment.c - what the machine was like when the numbers were taken */
#include "base/cleanup.h"
#include "run/run.h"
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

static void read_start(const char *path, char *text, size_t text_bytes)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = fd < 0 ? 0 : read(fd, text, text_bytes - 1);

    text[count > 0 ? count : 0] = 0;
}

/* The text after ": " in the line that starts with @key, or "unknown". */
static void cpu_model(char *model, size_t model_bytes)
{
    char text[1024];
    const char *at;

    (void)snprintf(model, model_bytes, "unknown");
    read_start("/proc/cpuinfo", text, sizeof(text));
    at = strstr(text, "model name");
    at = at ? strstr(at, ": ") : NULL;
    if (at)
        (void)snprintf(model, model_bytes, "%.*s", (int)strcspn(at + 2, "\n"), at + 2);
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
    read_start("/proc/loadavg", load, sizeof(load));
    if (uname(&names) < 0 || sscanf(load, "%lf", &load_1min) != 1)
        (void)snprintf(names.release, sizeof(names.release), "unknown");
    return json_pack("{s:s,s:s,s:i,s:f}", "kernel", names.release, "cpu", model, "cpus", usable_cpus(), "load_1min",
                     load_1min);
}
