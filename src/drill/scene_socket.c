/* scene_socket.c - listeners that must see nothing */
#include "base/cleanup.h"
#include "drill/scene.h"
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

union address {
    struct sockaddr any;
    struct sockaddr_in in4;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
};

static int open_listener(struct drill_scene *scene, enum drill_outside kind, int type, union address *address,
                         socklen_t length, struct base_err *err)
{
    AUTO_CLOSE int fd = socket(address->any.sa_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, &address->any, length) < 0 || (type == SOCK_STREAM && listen(fd, 64) < 0) ||
        getsockname(fd, &address->any, &length) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, drill_outside_name(kind), "no listener can be made");
    scene->fds[kind] = TAKE_FD(fd);
    return 0;
}

static void put_port(struct drill_scene *scene, enum drill_outside kind, in_port_t port)
{
    (void)snprintf(scene->words[kind], sizeof(scene->words[kind]), "%u", (unsigned)ntohs(port));
}

static int make_in4(struct drill_scene *scene, enum drill_outside kind, int type, struct base_err *err)
{
    union address address = {.in4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
    int r = open_listener(scene, kind, type, &address, sizeof(address.in4), err);

    put_port(scene, kind, address.in4.sin_port);
    return r;
}

static int make_tcp4(struct drill_scene *scene, struct base_err *err)
{
    return make_in4(scene, DRILL_TCP4, SOCK_STREAM, err);
}

static int make_udp4(struct drill_scene *scene, struct base_err *err)
{
    return make_in4(scene, DRILL_UDP4, SOCK_DGRAM, err);
}

static int make_tcp6(struct drill_scene *scene, struct base_err *err)
{
    union address address = {.in6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT}};
    int r = open_listener(scene, DRILL_TCP6, SOCK_STREAM, &address, sizeof(address.in6), err);

    put_port(scene, DRILL_TCP6, address.in6.sin6_port);
    return r;
}

static int make_unix_path(struct drill_scene *scene, struct base_err *err)
{
    union address address = {.un = {.sun_family = AF_UNIX}};
    char *path = scene->words[DRILL_UNIX_PATH];
    int r;

    if (snprintf(address.un.sun_path, sizeof(address.un.sun_path), "%s/socket", scene->dir) >=
        (int)sizeof(address.un.sun_path))
        return base_err_set(err, BASE_E_INTERNAL, scene->dir, "is too long a path");
    (void)snprintf(path, sizeof(scene->words[0]), "%s", address.un.sun_path);
    r = open_listener(scene, DRILL_UNIX_PATH, SOCK_STREAM, &address, sizeof(address.un), err);
    if (r == 0 && chmod(path, 0777) < 0)
        r = base_err_sys(err, BASE_E_SETUP, errno, path, "cannot be opened to all");
    return r;
}

static int make_unix_abstract(struct drill_scene *scene, struct base_err *err)
{
    union address address = {.un = {.sun_family = AF_UNIX}};
    char *name = scene->words[DRILL_UNIX_ABSTRACT];

    (void)snprintf(name, sizeof(scene->words[0]), "fumehood-drill-%s", scene->tag);
    memcpy(address.un.sun_path + 1, name, strlen(name));
    return open_listener(scene, DRILL_UNIX_ABSTRACT, SOCK_STREAM, &address,
                         (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name)), err);
}

static void check_listener(const struct drill_scene *scene, enum drill_outside kind, struct drill_words *faults)
{
    unsigned seen = 0;
    int fd;

    while ((fd = accept4(scene->fds[kind], NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        (void)close(fd);
        seen++;
    }
    if (seen > 0)
        drill_fault(faults, "the %s listener was connected to", drill_outside_name(kind));
}

static void check_tcp4(struct drill_scene *scene, struct drill_words *faults)
{
    check_listener(scene, DRILL_TCP4, faults);
}

static void check_tcp6(struct drill_scene *scene, struct drill_words *faults)
{
    check_listener(scene, DRILL_TCP6, faults);
}

static void check_unix_path(struct drill_scene *scene, struct drill_words *faults)
{
    check_listener(scene, DRILL_UNIX_PATH, faults);
}

static void check_unix_abstract(struct drill_scene *scene, struct drill_words *faults)
{
    check_listener(scene, DRILL_UNIX_ABSTRACT, faults);
}

static void check_udp4(struct drill_scene *scene, struct drill_words *faults)
{
    unsigned seen = 0;
    char byte;

    while (recv(scene->fds[DRILL_UDP4], &byte, 1, MSG_TRUNC) >= 0)
        seen++;
    if (seen > 0)
        drill_fault(faults, "the udp4 listener was sent something");
}

const struct drill_kind drill_kind_tcp4 = {make_tcp4, check_tcp4, NULL};
const struct drill_kind drill_kind_tcp6 = {make_tcp6, check_tcp6, NULL};
const struct drill_kind drill_kind_udp4 = {make_udp4, check_udp4, NULL};
const struct drill_kind drill_kind_unix_path = {make_unix_path, check_unix_path, NULL};
const struct drill_kind drill_kind_unix_abstract = {make_unix_abstract, check_unix_abstract, NULL};
