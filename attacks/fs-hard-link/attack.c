/* attack.c - makes hard links to files that it may only read, by path and by descriptor
 *
 * A second name below a writable folder would be a way to change such a file, or to keep it when the first name is
 * taken away. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int reached;

static void attempt(const char *what, const char *from, int r, const char *made)
{
    printf("%s %s: %s\n", what, from, r < 0 ? strerror(errno) : "reached");
    if (r >= 0) {
        reached = 1;
        (void)unlink(made);
    }
}

int main(int argc, char **argv)
{
    const char *control = getenv("DRILL_CONTROL");
    const char *const targets[] = {argc > 1 ? argv[1] : "", "/usr/bin/env", "/etc/passwd",
                                   "/etc/ld.so.cache",      "/dev/null",    "/usr/lib"};
    char made[4096], path[64];

    if (argc < 4)
        return 1;
    (void)snprintf(made, sizeof(made), "%s/second", argv[3]);
    attempt("beside it", argv[1], link(argv[1], made), made);
    (void)snprintf(made, sizeof(made), "%s/second", control ? argv[2] : "/work");
    for (size_t i = 0; i < (control ? 1 : sizeof(targets) / sizeof(targets[0])); i++) {
        int held = open(targets[i], O_PATH), readable = open(targets[i], O_RDONLY);
        attempt("link", targets[i], link(targets[i], made), made);
        attempt("by empty path", targets[i], linkat(held, "", AT_FDCWD, made, AT_EMPTY_PATH), made);
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", held);
        attempt("by held", targets[i], linkat(AT_FDCWD, path, AT_FDCWD, made, AT_SYMLINK_FOLLOW), made);
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", readable);
        attempt("by open", targets[i], linkat(AT_FDCWD, path, AT_FDCWD, made, AT_SYMLINK_FOLLOW), made);
        attempt("rename", "/work to /usr", control ? -1 : rename("/work/nothing", "/usr/drill-nothing"), made);
        (void)close(held);
        (void)close(readable);
    }
    return reached ? 10 : 0;
}
