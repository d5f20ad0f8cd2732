/* attack.c - kern-keyring
 *
 * Looks for keys that the host's sessions keep in the kernel, and asks for some to be made and fetched. Keyrings know
 * no namespaces: a way in would lead to secrets of other programs. Bare, nothing is made: the pointers lead nowhere. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOWHERE ((void *)8)

static int reached;

static void tried(const char *what, long result)
{
    int error = errno;

    printf("%s: %s\n", what, result < 0 ? strerrorname_np(error) : "done");
    if (result >= 0 || (error != EPERM && error != ENOSYS))
        reached = 10;
}

int main(void)
{
    char text[256];

    for (long ring = -8; ring < 0; ring++)
        tried("number of a special ring", syscall(SYS_keyctl, 0, ring, 0));
    tried("describe the session's ring", syscall(SYS_keyctl, 6, -3, text, sizeof(text)));
    tried("read the user's ring", syscall(SYS_keyctl, 11, -4, text, sizeof(text)));
    tried("a new session ring by a wild name", syscall(SYS_keyctl, 1, NOWHERE));
    tried("add a wild key", syscall(SYS_add_key, NOWHERE, NOWHERE, NOWHERE, 8, -3));
    tried("request a wild key", syscall(SYS_request_key, NOWHERE, NOWHERE, NULL, -3));
    if (!getenv("DRILL_CONTROL")) {
        tried("add a key", syscall(SYS_add_key, "user", "drill", "x", 1, -4));
        tried("request a key", syscall(SYS_request_key, "user", "drill", NULL, -4));
        tried("clear the user's ring", syscall(SYS_keyctl, 7, -4));
        tried("a session ring of the same name", syscall(SYS_keyctl, 1, "_ses"));
    }
    return reached;
}
