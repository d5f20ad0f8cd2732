/* attack.c - kern-bpf
 *
 * Asks the kernel for maps, programs and handles by number, each with a pointer that leads nowhere. If one got through,
 * the guest could talk to the kernel's own machine for small programs, a rich source of holes. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int reached;

/* EPERM and ENOSYS are refusals; any other answer was found further in. */
static void tried(const char *what, long result)
{
    int error = errno;

    printf("%s: %s\n", what, result < 0 ? strerrorname_np(error) : "done");
    if (result >= 0 || (error != EPERM && error != ENOSYS))
        reached = 10;
}

/* Before Linux 5.19 that is looked at first, whatever is asked for. */
static int is_for_root_only(void)
{
    FILE *file = fopen("/proc/sys/kernel/unprivileged_bpf_disabled", "r");
    int setting = file ? fgetc(file) : '0';

    if (file)
        fclose(file);
    return geteuid() != 0 && setting != '0';
}

int main(void)
{
    static const struct {
        int command;
        const char *what;
    } commands[] = {{0, "make a map"},     {1, "look into a map"},  {5, "load a program"},
                    {7, "pinned object"},  {11, "next program"},    {13, "program by number"},
                    {14, "map by number"}, {18, "load type names"}, {28, "make a link"}};
    unsigned char attributes[128];

    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        tried(commands[i].what, syscall(SYS_bpf, commands[i].command, (void *)8, 48));
    memset(attributes, 0xff, sizeof(attributes)); /* no kind of map has this number */
    tried("a map of no kind", syscall(SYS_bpf, 0, attributes, sizeof(attributes)));
    if (!reached && getenv("DRILL_CONTROL") && is_for_root_only()) {
        puts("this kernel refuses ordinary users bpf before it looks at what they ask for");
        return 77;
    }
    return reached;
}
