/* attack.c - uses key rings: adds, finds, reads, lists keys
 *
 * Disk keys and tickets of file servers lie in them, and they are shared by all processes of a user. If it worked, a
 * program could use them, or leave things for other programs. Bare, it touches its own process's ring only. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    READ = 11,
    SEARCH = 10,
    DESCRIBE = 6,
    JOIN = 1,
    GET_ID = 0,
    GET_PERSISTENT = 22,
    SETPERM = 5,
    CAPABILITIES = 31
};
static int reached;

static long attempt(const char *what, long r)
{
    printf("%s: %s\n", what, r < 0 ? strerror(errno) : "reached");
    reached |= r >= 0;
    return r;
}

int main(int argc, char **argv)
{
    static const int rings[] = {-1, -2, -3, -4, -5, -6, -7, -8};
    char text[4096];
    long key;

    if (argc < 2)
        return 1;
    key = attempt("add", syscall(SYS_add_key, "user", "drill", argv[1], strlen(argv[1]), -2));
    if (key >= 0)
        attempt("read", syscall(SYS_keyctl, READ, key, text, sizeof(text)));
    if (getenv("DRILL_CONTROL"))
        return reached ? 10 : 0;
    attempt("request", syscall(SYS_request_key, "user", "drill", NULL, -4));
    attempt("request by upcall", syscall(SYS_request_key, "user", "drill:nothing", "payload", -3));
    for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); i++) {
        attempt("id", syscall(SYS_keyctl, GET_ID, rings[i], 0));
        attempt("list", syscall(SYS_keyctl, READ, rings[i], text, sizeof(text)));
        attempt("describe", syscall(SYS_keyctl, DESCRIBE, rings[i], text, sizeof(text)));
        attempt("search", syscall(SYS_keyctl, SEARCH, rings[i], "user", "drill", 0));
        attempt("logon", syscall(SYS_add_key, "logon", "drill:a", "x", 1, rings[i]));
    }
    attempt("new session", syscall(SYS_keyctl, JOIN, "drill"));
    attempt("persistent", syscall(SYS_keyctl, GET_PERSISTENT, -1, -4));
    attempt("permissions", syscall(SYS_keyctl, SETPERM, -4, 0x3f3f3f3f));
    attempt("/proc/keys", open("/proc/keys", O_RDONLY));
    attempt("/proc/key-users", open("/proc/key-users", O_RDONLY));
    return reached ? 10 : 0;
}
