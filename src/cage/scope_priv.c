/* scope_priv.c - a scope of our own, asked for at systemd
 *
 * Runs in: the first process of ours in a process tree, before it has started any other. Touches: one connection to a
 * manager that anybody may pretend to be: nothing is waited for beyond a deadline, and that we are in the scope is
 * read from the kernel.
 *
 * Theory of operation: the manager's own socket needs no bus and no greeting, and tells the end of jobs to whoever is
 * connected. Over the bus one asks for that. The call's reply names a job; "JobRemoved" tells how that ended.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "cage/cage.h"
#include "cage/scope.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define AGAIN_MS 50 /* a manager that is just executed anew is there a little later */

void cage_scope_find(bool of_system, struct cage_scope_doors *ret_doors)
{
    const char *folder = cage_runtime_folder();
    char own[32];

    (void)snprintf(own, sizeof(own), "/run/user/%u", (unsigned)geteuid());
    if (of_system)
        folder = "/run";
    else if (!folder || strlen(folder) > sizeof(ret_doors->bus_path) - 20)
        folder = own; /* there it is without a session, too */
    (void)snprintf(ret_doors->private_path, sizeof(ret_doors->private_path), "%s/systemd/private", folder);
    (void)snprintf(ret_doors->bus_path, sizeof(ret_doors->bus_path), "%s%s", folder,
                   of_system ? "/dbus/system_bus_socket" : "/bus");
}

/* --- a connection --- */

struct talk {
    int fd;
    uint64_t deadline_us;
    unsigned char bytes[CAGE_SCOPE_MESSAGE_BYTES];
    size_t at, count; /* what was read and not yet used */
    uint32_t serial;  /* of the last call */
    bool is_broken;   /* the other end is gone, which a manager that is executed anew is for a moment */
};

static void hang_up(struct talk *talk)
{
    base_cleanup_close(&talk->fd);
}

static int await(const struct talk *talk, short events)
{
    uint64_t now_us = base_clock_us();
    struct pollfd fd = {talk->fd, events, 0};
    int r;

    if (now_us >= talk->deadline_us)
        return -ETIMEDOUT;
    r = poll(&fd, 1, (int)((talk->deadline_us - now_us) / 1000) + 1);
    return r < 0 && errno != EINTR ? -errno : 0; /* whoever calls tries, and comes back */
}

static bool is_passing(int sys_errno)
{
    return sys_errno == EAGAIN || sys_errno == EINTR;
}

static int say(const struct talk *talk, const void *bytes, size_t count)
{
    const char *at = bytes;

    while (count > 0) {
        ssize_t done = send(talk->fd, at, count, MSG_NOSIGNAL);
        int r = 0;

        if (done < 0 && !is_passing(errno))
            return -errno;
        if (done < 0)
            r = await(talk, POLLOUT);
        if (r < 0)
            return r;
        at += done < 0 ? 0 : done;
        count -= done < 0 ? 0 : (size_t)done;
    }
    return 0;
}

/* At least one byte more, where there is room for one. */
static int hear(struct talk *talk)
{
    memmove(talk->bytes, talk->bytes + talk->at, talk->count - talk->at);
    talk->count -= talk->at;
    talk->at = 0;
    for (;;) {
        ssize_t done = recv(talk->fd, talk->bytes + talk->count, sizeof(talk->bytes) - talk->count, 0);
        int r;

        if (done == 0)
            return -ECONNRESET;
        if (done > 0) {
            talk->count += (size_t)done;
            return 0;
        }
        if (!is_passing(errno))
            return -errno;
        r = await(talk, POLLIN);
        if (r < 0)
            return r;
    }
}

static int hear_all(struct talk *talk, size_t count)
{
    int r = 0;

    while (r == 0 && talk->count - talk->at < count)
        r = hear(talk);
    return r;
}

/* A message too long to be for us. */
static int pass_over(struct talk *talk, uint64_t count)
{
    int r = 0;

    while (count > 0 && r == 0) {
        uint64_t there = talk->count - talk->at;

        there = there < count ? there : count;
        talk->at += (size_t)there;
        count -= there;
        if (count > 0)
            r = hear(talk);
    }
    return r;
}

/* The next message that fits. Its texts stay until more is heard. */
static int next_message(struct talk *talk, struct cage_scope_message *ret_message)
{
    for (;;) {
        uint64_t length;
        int r = hear_all(talk, CAGE_SCOPE_HEAD_BYTES);

        if (r < 0)
            return r;
        length = cage_scope_length(talk->bytes + talk->at);
        if (length == 0)
            return -EPROTO;
        if (length > sizeof(talk->bytes)) {
            r = pass_over(talk, length);
            if (r < 0)
                return r;
            continue;
        }
        r = hear_all(talk, (size_t)length);
        if (r == 0 && cage_scope_parse(talk->bytes + talk->at, (size_t)length, ret_message) < 0)
            r = -EPROTO;
        talk->at += (size_t)length;
        return r;
    }
}

static int say_call(struct talk *talk, const struct cage_scope_call *call)
{
    return call->is_full ? -EMSGSIZE : say(talk, call->bytes, call->count);
}

/* Where its queue is full it has to be tried again; there is nothing to wait for. */
static int dial(struct talk *talk, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    talk->at = talk->count = 0;
    talk->serial = 0;
    talk->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (talk->fd < 0)
        return -errno;
    while (connect(talk->fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
        if (!is_passing(errno))
            return -errno;
        if (base_clock_us() >= talk->deadline_us)
            return -ETIMEDOUT;
        base_clock_sleep_ms(1);
    }
    return 0;
}

/* Who we are is what the kernel tells it; the number is said as the digits' own numbers. BEGIN goes before the answer:
 * when that is here it has been read, and no call comes with it. systemd lets a call lie that does, until more comes.
 */
static int introduce(struct talk *talk)
{
    char uid[16], text[80] = "\0AUTH EXTERNAL ";
    size_t used = 1 + strlen(text + 1);
    unsigned char *end = NULL;
    int r;

    (void)snprintf(uid, sizeof(uid), "%u", (unsigned)geteuid());
    for (const char *digit = uid; *digit; digit++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%02x", (unsigned)*digit);
    used += (size_t)snprintf(text + used, sizeof(text) - used, "\r\nBEGIN\r\n");
    r = say(talk, text, used);
    while (r == 0 && !(end = memchr(talk->bytes, '\n', talk->count)))
        r = talk->count < 256 ? hear(talk) : -EPROTO;
    if (r < 0)
        return r;
    if (talk->count < 3 || memcmp(talk->bytes, "OK ", 3) != 0)
        return -EACCES;
    talk->at = (size_t)(end - talk->bytes) + 1;
    return 0;
}

static int greet_bus(struct talk *talk)
{
    static void (*const calls[])(struct cage_scope_call *, uint32_t) = {cage_scope_hello, cage_scope_subscribe,
                                                                        cage_scope_listen};
    int r = 0;

    for (size_t i = 0; i < ARRAY_COUNT(calls) && r == 0; i++) {
        struct cage_scope_call call;

        calls[i](&call, ++talk->serial);
        r = say_call(talk, &call);
    }
    return r;
}

static int knock(struct talk *talk, const char *path, bool is_bus)
{
    int r;

    base_cleanup_close(&talk->fd);
    r = dial(talk, path);
    if (r == 0)
        r = introduce(talk);
    return r == 0 && is_bus ? greet_bus(talk) : r;
}

static bool is_nobody(int r)
{
    return r == -ENOENT || r == -ECONNREFUSED || r == -EACCES || r == -ENOTDIR || r == -EPERM;
}

/* The door that was tried last, and whether it is the bus. */
static int open_door(struct talk *talk, const struct cage_scope_doors *doors, const char **ret_door, bool *ret_bus)
{
    int r = knock(talk, doors->private_path, false);

    *ret_bus = is_nobody(r);
    *ret_door = *ret_bus ? doors->bus_path : doors->private_path;
    return *ret_bus ? knock(talk, doors->bus_path, true) : r;
}

/* --- the call and its end --- */

/* Told; -ECANCELED. */
static int refused(struct cage_scope_message *message, const char *door, struct base_err *err)
{
    const char *foreign = "without a word";
    char text[200];

    if (message->signature[0] == 's')
        (void)cage_scope_take_text(message, &foreign);
    (void)base_err_set(err, BASE_E_REFUSED, door, "does not make a scope for us: %s",
                       cage_scope_words(foreign, text, sizeof(text)));
    return -ECANCELED;
}

/* "u" job, "o" its object, "s" unit, "s" result. */
static bool is_our_end(struct cage_scope_message *message, const char *name, const char **ret_result)
{
    const char *object, *unit;
    uint32_t job;

    return message->kind == CAGE_SCOPE_SIGNAL && strcmp(message->member, "JobRemoved") == 0 &&
           strcmp(message->signature, "uoss") == 0 && cage_scope_take_number(message, &job) &&
           cage_scope_take_text(message, &object) && cage_scope_take_text(message, &unit) &&
           cage_scope_take_text(message, ret_result) && strcmp(unit, name) == 0;
}

/* The name is ours alone, so the end of its job is the end of this one. */
static int await_end(struct talk *talk, uint32_t call, const char *name, const char *door, struct base_err *err)
{
    for (;;) {
        struct cage_scope_message message;
        const char *result;
        char text[40];
        int r = next_message(talk, &message);

        if (r < 0)
            return r;
        if (message.kind == CAGE_SCOPE_ERROR && message.reply_to == call)
            return refused(&message, door, err);
        if (!is_our_end(&message, name, &result))
            continue;
        if (strcmp(result, "done") == 0)
            return 0;
        (void)base_err_set(err, BASE_E_REFUSED, door, "does not make a scope for us: its job ended \"%s\"",
                           cage_scope_words(result, text, sizeof(text)));
        return -ECANCELED;
    }
}

/* What the kernel says of it. */
static bool is_inside(const char *name)
{
    char groups[2048];
    size_t length = strlen(name);
    const char *at;

    if (base_file_read_start(AT_FDCWD, "/proc/self/cgroup", groups, sizeof(groups)) < 0)
        return false;
    at = strstr(groups, name);
    return at && at > groups && at[-1] == '/' && (at[length] == '\n' || at[length] == '/' || at[length] == 0);
}

static int no_manager(const struct cage_scope_doors *doors, int r, struct base_err *err)
{
    return base_err_sys(err, BASE_E_NOT_FOUND, -r, doors->private_path, "no manager answers");
}

static int no_answer(const char *door, int r, unsigned patience_ms, struct base_err *err)
{
    if (r == -ETIMEDOUT)
        return base_err_set(err, BASE_E_LOST, door, "does not answer within %u ms", patience_ms);
    if (r == -EPROTO)
        return base_err_set(err, BASE_E_LOST, door, "speaks no D-Bus");
    return base_err_sys(err, BASE_E_LOST, -r, door, "does not answer");
}

/* Once; a connection that breaks is noted. */
static int ask(struct talk *talk, const struct cage_scope_doors *doors, const char *name, unsigned patience_ms,
               struct base_err *err)
{
    struct cage_scope_call call;
    const char *door;
    bool over_bus;
    int r = open_door(talk, doors, &door, &over_bus);

    if (is_nobody(r))
        return no_manager(doors, r, err);
    if (r == 0) {
        cage_scope_start(&call, ++talk->serial, over_bus, name);
        r = say_call(talk, &call);
    }
    if (r == 0)
        r = await_end(talk, talk->serial, name, door, err);
    if (r == -ECANCELED)
        return BASE_E_REFUSED;
    if (r < 0) {
        talk->is_broken = r == -ECONNRESET || r == -EPIPE;
        return no_answer(door, r, patience_ms, err);
    }
    return is_inside(name)
               ? 0
               : base_err_set(err, BASE_E_LOST, door, "says that a scope was made for us, and we are not in it");
}

int cage_scope_ask(const struct cage_scope_doors *doors, const char *name, unsigned patience_ms, struct base_err *err)
{
    CLEANUP(hang_up) struct talk talk = {.fd = -1, .deadline_us = base_clock_us() + patience_ms * UINT64_C(1000)};
    int r;

    do {
        if (talk.is_broken)
            base_clock_sleep_ms(AGAIN_MS);
        talk.is_broken = false;
        r = ask(&talk, doors, name, patience_ms, err);
    } while (r < 0 && talk.is_broken && base_clock_us() < talk.deadline_us && !is_inside(name));
    return r < 0 && is_inside(name) ? 0 : r; /* it was made, and the word of it was lost */
}

/* --- a question --- */

static int await_reply(struct talk *talk, uint32_t call, struct cage_scope_message *ret_message)
{
    int r;

    do {
        r = next_message(talk, ret_message);
    } while (r == 0 && ret_message->reply_to != call);
    return r == 0 && ret_message->kind != CAGE_SCOPE_REPLY ? -ECANCELED : r;
}

bool cage_scope_delegates(const struct cage_scope_doors *doors, const char *name, unsigned patience_ms)
{
    CLEANUP(hang_up) struct talk talk = {.fd = -1, .deadline_us = base_clock_us() + patience_ms * UINT64_C(1000)};
    struct cage_scope_message message;
    struct cage_scope_call call;
    const char *door;
    bool over_bus, is_delegated;
    int r = open_door(&talk, doors, &door, &over_bus);

    if (r == 0) {
        cage_scope_get_delegate(&call, ++talk.serial, over_bus, name);
        r = say_call(&talk, &call);
    }
    if (r == 0)
        r = await_reply(&talk, talk.serial, &message);
    return r == 0 && strcmp(message.signature, "v") == 0 && cage_scope_take_flag(&message, &is_delegated) &&
           is_delegated;
}
