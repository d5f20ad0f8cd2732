/* attack.c - connects and sends to abstract UNIX sockets
 *
 * Their names belong to the network, not to files, so no mount hides them. If it worked, a program could talk to the
 * machine's container engine and desktop. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int reached;

static void attempt(const char *what, const char *name)
{
    static const int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));

    memcpy(to.sun_path + 1, name, strlen(name));
    for (size_t i = 0; i < 3; i++) {
        int fd = socket(AF_UNIX, kinds[i] | SOCK_CLOEXEC, 0), r;
        if (fd < 0)
            continue;
        r = connect(fd, (struct sockaddr *)&to, length);
        if (r < 0 && kinds[i] == SOCK_DGRAM)
            r = sendto(fd, "drill", 5, 0, (struct sockaddr *)&to, length) < 0 ? -1 : 0;
        printf("%s: %s\n", what, r < 0 ? strerror(errno) : "reached");
        reached |= r == 0;
        (void)close(fd);
    }
}

/* The permitted sibling: its own abstract socket is reached by itself. */
static int own_works(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    socklen_t length = offsetof(struct sockaddr_un, sun_path) + 6;
    int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);

    memcpy(at.sun_path, "\0own-1", 6);
    return bind(server, (struct sockaddr *)&at, length) == 0 && listen(server, 1) == 0 &&
           connect(client, (struct sockaddr *)&at, length) == 0;
}

/* A name that somebody has cannot be taken: that tells that he is there. */
static void take(const char *name)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    memcpy(at.sun_path + 1, name, strlen(name));
    if (bind(fd, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) < 0) {
        printf("take the name: reached, %s\n", strerror(errno));
        reached = 1;
    }
    (void)close(fd);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"/tmp/.X11-unix/X0",
                                        "/containerd-shim/moby/shim.sock",
                                        "/tmp/dbus-drill",
                                        "/org/kernel/linux/storage/multipathd",
                                        "ISCSIADM_ABSTRACT_NAMESPACE",
                                        "cups"};

    if (argc < 2)
        return 1;
    attempt("the staged one", argv[1]);
    take(argv[1]);
    if (getenv("DRILL_CONTROL"))
        return reached ? 10 : 0;
    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
        attempt(usual[i], usual[i]);
    if (!own_works())
        return 1;
    return reached ? 10 : 0;
}
