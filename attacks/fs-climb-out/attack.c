/* attack.c - climbs above its root
 *
 * By dots, by a folder that is moved to another place while it stands in it, by a root of its own that it then leaves,
 * and by openat2 with every way of resolving. If it worked, the first folder above would be the machine's. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *secret;
static int reached;

/* Up as far as it goes, then down to the file. */
static void look(const char *what)
{
    char path[4096 + 256] = "", bytes[200];
    ssize_t got;
    int fd;

    for (int i = 0; i < 40; i++)
        (void)strcat(path, "../");
    (void)strncat(path, secret + 1, 4000);
    fd = open(path, O_RDONLY);
    printf("%s: %s\n", what, fd < 0 ? strerror(errno) : "reached");
    if (fd < 0)
        return;
    reached = 1;
    got = read(fd, bytes, sizeof(bytes));
    if (got > 0)
        printf("%.*s\n", (int)got, bytes);
    (void)close(fd);
}

static void moved_away(const char *here, const char *there)
{
    char inner[256], to[256];
    int top = open("/", O_RDONLY | O_DIRECTORY);

    (void)snprintf(inner, sizeof(inner), "%s/outer/inner", here);
    (void)mkdir("outer", 0755);
    (void)mkdir("outer/inner", 0755);
    if (chdir(inner) < 0)
        return;
    (void)snprintf(to, sizeof(to), "%s/moved", there);
    (void)snprintf(inner, sizeof(inner), "%s/outer", here);
    printf("move %s to %s: %s\n", inner, to, rename(inner, to) < 0 ? strerror(errno) : "done");
    look("after the move");
    (void)rename(to, inner);
    (void)fchdir(top);
    look("from a held root");
    (void)close(top);
}

static void by_openat2(const char *here)
{
    static const unsigned long long ways[] = {0, RESOLVE_IN_ROOT, RESOLVE_BENEATH, RESOLVE_NO_XDEV,
                                              RESOLVE_NO_MAGICLINKS};
    int dir = open(here, O_RDONLY | O_DIRECTORY);

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        struct open_how how = {.flags = O_RDONLY, .resolve = ways[i]};
        long fd = syscall(SYS_openat2, dir, secret, &how, sizeof(how));
        printf("openat2 %llx: %s\n", ways[i], fd < 0 ? strerror(errno) : "reached");
        reached |= fd >= 0;
    }
    (void)close(dir);
}

int main(int argc, char **argv)
{
    const char *control = getenv("DRILL_CONTROL"), *here = control && argc > 2 ? argv[2] : "/work";
    static const char *const there[] = {"/tmp", "/dev/shm",   "/",          "/scratch", "/scratch/tmp",
                                        "/usr", "/proc/self", "/work-evil", "/workx"};

    if (argc < 3 || chdir(here) < 0)
        return 1;
    secret = argv[1];
    look("dots");
    if (control)
        return reached ? 10 : 0;
    for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++)
        if (chdir(here) == 0)
            moved_away(here, there[i]);
    by_openat2(here);
    by_openat2("/");
    (void)chdir(here);
    (void)mkdir("root", 0755);
    if (chroot("root") == 0) {
        reached = 1;
        look("after chroot");
    }
    return reached ? 10 : 0;
}
