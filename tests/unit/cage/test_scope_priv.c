/* test_scope_priv.c - tests of src/cage/scope_priv.c: managers that refuse, keep silent, break off, or say nonsense
 *
 * The manager is a process of the test's. A real one is in tests/systems: here nobody can be moved, so even the best
 * answer ends with the kernel's word that we are where we were.
 */
#include "../apart.h"
#include "base/clock.h"
#include "cage/scope.h"
#include <sys/socket.h>
#include <sys/un.h>

#define NAME     "fumehood-1-01234567.scope"
#define PATIENCE 400

static struct cage_scope_doors doors;
static struct base_err err;

/* What the manager says after it was asked. */
enum manner { SILENT, DEAF, CLOSES, NO_AUTH, GARBAGE, REFUSES, FAILS, CLAIMS, FLOODS };

static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)unlink(path);
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    return fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 4) == 0 ? fd : -1;
}

static size_t pad(unsigned char *bytes, size_t count, size_t to)
{
    for (; count % to; count++)
        bytes[count] = 0;
    return count;
}

static size_t put_number(unsigned char *bytes, size_t count, uint32_t value)
{
    count = pad(bytes, count, 4);
    memcpy(bytes + count, &value, 4);
    return count + 4;
}

static size_t put_text(unsigned char *bytes, size_t count, const char *text)
{
    count = put_number(bytes, count, (uint32_t)strlen(text));
    memcpy(bytes + count, text, strlen(text) + 1);
    return count + strlen(text) + 1;
}

static size_t put_field(unsigned char *bytes, size_t count, const char *code_and_type, const char *text,
                        uint32_t number)
{
    count = pad(bytes, count, 8);
    bytes[count++] = (unsigned char)code_and_type[0];
    bytes[count++] = 1;
    bytes[count++] = (unsigned char)code_and_type[1];
    bytes[count++] = 0;
    if (code_and_type[1] == 'u')
        return put_number(bytes, count, number);
    if (code_and_type[1] == 's')
        return put_text(bytes, count, text);
    bytes[count++] = (unsigned char)strlen(text);
    memcpy(bytes + count, text, strlen(text) + 1);
    return count + strlen(text) + 1;
}

/* An error that answers call 1, or the signal of a job's end. */
static size_t message_of(unsigned char *bytes, bool is_error, const char *first, const char *second)
{
    unsigned char body[512];
    size_t fields = 16, count = 0;
    uint32_t length;

    if (is_error) {
        count = put_text(body, 0, first);
        fields = put_field(bytes, fields, "\5u", NULL, 1);
        fields = put_field(bytes, fields, "\10g", "s", 0);
    } else {
        count = put_number(body, 0, 7);
        count = put_text(body, count, "/org/freedesktop/systemd1/job/7");
        count = put_text(body, count, first);
        count = put_text(body, count, second);
        fields = put_field(bytes, fields, "\3s", "JobRemoved", 0);
        fields = put_field(bytes, fields, "\10g", "uoss", 0);
    }
    memset(bytes, 0, 16);
    bytes[0] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 'l' : 'B';
    bytes[1] = is_error ? CAGE_SCOPE_ERROR : CAGE_SCOPE_SIGNAL;
    bytes[3] = 1;
    length = (uint32_t)count;
    memcpy(bytes + 4, &length, 4);
    length = (uint32_t)(fields - 16);
    memcpy(bytes + 12, &length, 4);
    fields = pad(bytes, fields, 8);
    memcpy(bytes + fields, body, count);
    return fields + count;
}

static void say(int fd, const void *bytes, size_t count)
{
    ssize_t done = send(fd, bytes, count, MSG_NOSIGNAL);

    (void)done; /* who hangs up is known by it */
}

static void say_line(int fd, const char *line)
{
    say(fd, line, strlen(line));
}

/* More than the other keeps of one message, twice; then what it waits for. */
static void flood(int fd)
{
    static unsigned char bytes[1 << 16];

    for (int i = 0; i < 2; i++) {
        size_t count = message_of(bytes, false, "other.scope", "done");
        uint32_t length = sizeof(bytes) - (uint32_t)count, body;

        memcpy(&body, bytes + 4, 4);
        body += length;
        memcpy(bytes + 4, &body, 4);
        say(fd, bytes, sizeof(bytes));
    }
}

static void answer(int fd, enum manner manner)
{
    unsigned char bytes[1024];

    if (manner == GARBAGE)
        say(fd, "HTTP/1.1 400 Bad Request\r\n\r\n<html>", 34);
    if (manner == FLOODS)
        flood(fd);
    if (manner == REFUSES)
        say(fd, bytes, message_of(bytes, true, "Unit name is\nno name", NULL));
    if (manner == FAILS || manner == CLAIMS || manner == FLOODS) {
        say(fd, bytes, message_of(bytes, false, "another.scope", "done"));
        say(fd, bytes, message_of(bytes, false, NAME, manner == FAILS ? "failed" : "done"));
    }
}

struct manager {
    enum manner manner;
    int fd;
};

static int manage(void *argument)
{
    const struct manager *manager = argument;

    for (;;) {
        char text[4096];
        int fd = accept(manager->fd, NULL, NULL);

        if (manager->manner == DEAF)
            (void)pause();
        if (manager->manner == CLOSES) {
            (void)close(fd);
            continue;
        }
        if (recv(fd, text, sizeof(text), 0) < 0)
            return 1;
        say_line(fd, manager->manner == NO_AUTH ? "REJECTED EXTERNAL\r\n" : "OK 0123456789abcdef\r\n");
        if (recv(fd, text, sizeof(text), 0) <= 0)
            continue;
        answer(fd, manager->manner);
        (void)pause();
    }
}

static int ask(enum manner manner, bool at_bus)
{
    struct manager manager = {manner, listen_at(at_bus ? doors.bus_path : doors.private_path)};
    pid_t pid;
    int r;

    assert_true(manager.fd >= 0);
    pid = apart_start(manage, &manager);
    (void)close(manager.fd);
    memset(&err, 0, sizeof(err));
    r = cage_scope_ask(&doors, NAME, PATIENCE, &err);
    (void)kill(pid, SIGKILL);
    (void)apart_end(pid);
    (void)unlink(at_bus ? doors.bus_path : doors.private_path);
    return r;
}

static void it_refuses_in_its_own_words(void **state)
{
    (void)state;
    assert_int_equal(ask(REFUSES, false), BASE_E_REFUSED);
    assert_string_equal(err.what, "does not make a scope for us: Unit name is?no name");
    assert_int_equal(ask(FAILS, false), BASE_E_REFUSED);
    assert_string_equal(err.what, "does not make a scope for us: its job ended \"failed\"");
}

static void it_keeps_silent(void **state)
{
    uint64_t began_us = base_clock_us();

    (void)state;
    assert_int_equal(ask(SILENT, false), BASE_E_LOST);
    assert_true(base_clock_us() - began_us >= PATIENCE * UINT64_C(1000));
    assert_string_equal(err.what, "does not answer within 400 ms");
    assert_int_equal(ask(DEAF, false), BASE_E_LOST);
    assert_string_equal(err.what, "does not answer within 400 ms");
}

/* One that is executed anew comes back: it is tried until the deadline. */
static void it_breaks_off(void **state)
{
    uint64_t began_us = base_clock_us();

    (void)state;
    assert_int_equal(ask(CLOSES, false), BASE_E_LOST);
    assert_true(base_clock_us() - began_us >= PATIENCE * UINT64_C(1000));
}

static void it_says_nonsense(void **state)
{
    (void)state;
    assert_int_equal(ask(GARBAGE, false), BASE_E_LOST);
    assert_string_equal(err.what, "speaks no D-Bus");
}

/* What it claims is looked up. */
static void it_lies(void **state)
{
    (void)state;
    assert_int_equal(ask(CLAIMS, false), BASE_E_LOST);
    assert_string_equal(err.what, "says that a scope was made for us, and we are not in it");
    assert_int_equal(ask(FLOODS, false), BASE_E_LOST);
    assert_string_equal(err.what, "says that a scope was made for us, and we are not in it");
}

/* Only then is the bus asked. */
static void nobody_is_there(void **state)
{
    (void)state;
    assert_int_equal(cage_scope_ask(&doors, NAME, PATIENCE, &err), BASE_E_NOT_FOUND);
    assert_string_equal(err.place, doors.private_path);
    assert_int_equal(close(listen_at(doors.private_path)), 0); /* one that died left it */
    assert_int_equal(cage_scope_ask(&doors, NAME, PATIENCE, &err), BASE_E_NOT_FOUND);
    assert_int_equal(ask(NO_AUTH, false), BASE_E_NOT_FOUND);
    assert_int_equal(ask(GARBAGE, true), BASE_E_LOST);
    assert_string_equal(err.place, doors.bus_path);
}

static void where_managers_are(void **state)
{
    struct cage_scope_doors found;
    char own[64];

    (void)state;
    cage_scope_find(true, &found);
    assert_string_equal(found.private_path, "/run/systemd/private");
    assert_string_equal(found.bus_path, "/run/dbus/system_bus_socket");
    assert_int_equal(setenv("XDG_RUNTIME_DIR", "/run/somewhere", 1), 0);
    cage_scope_find(false, &found);
    assert_string_equal(found.private_path, "/run/somewhere/systemd/private");
    assert_string_equal(found.bus_path, "/run/somewhere/bus");
    assert_int_equal(unsetenv("XDG_RUNTIME_DIR"), 0);
    (void)snprintf(own, sizeof(own), "/run/user/%u/bus", (unsigned)geteuid());
    cage_scope_find(false, &found);
    assert_string_equal(found.bus_path, own);
    assert_int_equal(setenv("XDG_RUNTIME_DIR", "here", 1), 0); /* means nothing */
    cage_scope_find(false, &found);
    assert_string_equal(found.bus_path, own);
}

static int enter(void **state)
{
    if (support_enter(state) < 0)
        return -1;
    doors = (struct cage_scope_doors){"private", "bus"};
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_refuses_in_its_own_words),
        cmocka_unit_test(it_keeps_silent),
        cmocka_unit_test(it_breaks_off),
        cmocka_unit_test(it_says_nonsense),
        cmocka_unit_test(it_lies),
        cmocka_unit_test(nobody_is_there),
        cmocka_unit_test(where_managers_are),
    };

    return cmocka_run_group_tests(tests, enter, support_leave);
}
