/* attack.c - changes the length of files that it may only read, in every way that needs no open for writing
 *
 * Access control that looks at opening alone lets these through. If it worked, a program could empty the machine's
 * files. Only the file that was put there for this is really shortened; all others keep the length they have. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int reached;

static void result(const char *what, const char *path, int r)
{
    printf("%s %s: %s\n", what, path, r < 0 ? strerror(errno) : "reached");
    reached |= r >= 0;
}

/* A length that the file has already shows the right as well, and does no harm. */
static void keep_length(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY);

    if (fd < 0 || fstat(fd, &st) < 0)
        return;
    result("truncate", path, truncate(path, st.st_size));
    result("ftruncate", path, ftruncate(fd, st.st_size));
    result("fallocate", path, fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 1));
    result("open for writing", path, open(path, O_WRONLY));
    (void)close(fd);
}

int main(int argc, char **argv)
{
    static const char *const readable[] = {"/usr/bin/env",      "/usr/bin/python3", "/lib64/ld-linux-x86-64.so.2",
                                           "/etc/passwd",       "/etc/ld.so.cache", "/etc/hosts",
                                           "/proc/self/status", "/proc/self/maps"};
    char path[4096];

    if (argc < 2)
        return 1;
    result("truncate", argv[1], truncate(argv[1], 0));
    result("open to empty", argv[1], open(argv[1], O_WRONLY | O_TRUNC));
    (void)snprintf(path, sizeof(path), "/proc/self/root%s", argv[1]);
    result("truncate", path, truncate(path, 3));
    result("creat", argv[1], creat(argv[1], 0666));
    if (getenv("DRILL_CONTROL"))
        return reached ? 10 : 0;
    for (size_t i = 0; i < sizeof(readable) / sizeof(readable[0]); i++)
        keep_length(readable[i]);
    return reached ? 10 : 0;
}
