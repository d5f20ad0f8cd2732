/* scope.c - the calls to systemd and to the bus that a scope takes, as bytes
 *
 * Pure. The format is that of the D-Bus specification: values are aligned to their size, counted from the start of the
 * message, and a body starts at a multiple of eight.
 */
#include "cage/scope.h"
#include <stdio.h>
#include <string.h>

#define MANAGER "org.freedesktop.systemd1"
#define BUS     "org.freedesktop.DBus"

static void put_bytes(struct cage_scope_call *call, const void *bytes, size_t count)
{
    if (call->is_full || count > sizeof(call->bytes) - call->count) {
        call->is_full = true;
        return;
    }
    memcpy(call->bytes + call->count, bytes, count);
    call->count += count;
}

static void align(struct cage_scope_call *call, size_t to)
{
    static const unsigned char zeros[8];

    put_bytes(call, zeros, (to - call->count % to) % to);
}

static void put_number(struct cage_scope_call *call, uint32_t value)
{
    align(call, 4);
    put_bytes(call, &value, sizeof(value));
}

static void put_text(struct cage_scope_call *call, const char *text)
{
    put_number(call, (uint32_t)strlen(text));
    put_bytes(call, text, strlen(text) + 1);
}

static void put_signature(struct cage_scope_call *call, const char *signature)
{
    unsigned char length = (unsigned char)strlen(signature);

    put_bytes(call, &length, 1);
    put_bytes(call, signature, strlen(signature) + 1);
}

/* An array begins with the bytes that its elements take, without what aligns the first of them. */
static size_t begin_array(struct cage_scope_call *call, size_t aligned_to)
{
    size_t at;

    put_number(call, 0);
    at = call->count;
    align(call, aligned_to);
    return at;
}

static void end_array(struct cage_scope_call *call, size_t at, size_t aligned_to)
{
    size_t first = at + (aligned_to - at % aligned_to) % aligned_to;
    uint32_t length = (uint32_t)(call->count - first);

    if (!call->is_full)
        memcpy(call->bytes + at - sizeof(length), &length, sizeof(length));
}

/* --- a call --- */

struct target {
    const char *destination, *path, *interface, *member;
};

static void put_field(struct cage_scope_call *call, unsigned char code, const char *type, const char *value)
{
    if (!value)
        return;
    align(call, 8);
    put_bytes(call, &code, 1);
    put_signature(call, type);
    if (*type == 'g')
        put_signature(call, value);
    else
        put_text(call, value);
}

static void put_call(struct cage_scope_call *call, uint32_t serial, const struct target *target, const char *signature,
                     const struct cage_scope_call *body)
{
    const unsigned char head[] = {__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 'l' : 'B', CAGE_SCOPE_CALL, 0, 1};
    size_t fields;

    *call = (struct cage_scope_call){.is_full = body && body->is_full};
    put_bytes(call, head, sizeof(head));
    put_number(call, body ? (uint32_t)body->count : 0);
    put_number(call, serial);
    fields = begin_array(call, 8);
    put_field(call, 1, "o", target->path);
    put_field(call, 2, "s", target->interface);
    put_field(call, 3, "s", target->member);
    put_field(call, 6, "s", target->destination);
    put_field(call, 8, "g", signature);
    end_array(call, fields, 8);
    align(call, 8);
    if (body)
        put_bytes(call, body->bytes, body->count);
}

void cage_scope_hello(struct cage_scope_call *ret_call, uint32_t serial)
{
    put_call(ret_call, serial, &(struct target){BUS, "/org/freedesktop/DBus", BUS, "Hello"}, NULL, NULL);
}

static struct target manager(const char *member, bool over_bus)
{
    return (struct target){over_bus ? MANAGER : NULL, "/org/freedesktop/systemd1", MANAGER ".Manager", member};
}

void cage_scope_subscribe(struct cage_scope_call *ret_call, uint32_t serial)
{
    const struct target target = manager("Subscribe", true);

    put_call(ret_call, serial, &target, NULL, NULL);
}

void cage_scope_listen(struct cage_scope_call *ret_call, uint32_t serial)
{
    struct cage_scope_call body = {.count = 0};

    put_text(&body, "type='signal',sender='" MANAGER "',member='JobRemoved'");
    put_call(ret_call, serial, &(struct target){BUS, "/org/freedesktop/DBus", BUS, "AddMatch"}, "s", &body);
}

/* --- a property of a unit --- */

/* A unit's name in a path: what is no letter or digit by its number. */
static void put_label(const char *name, char *path, size_t path_bytes)
{
    size_t used = strlen(path);

    for (const char *at = name; *at && used + 4 < path_bytes; at++) {
        bool is_digit = *at >= '0' && *at <= '9';
        bool is_plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (is_digit && at > name);

        used += (size_t)snprintf(path + used, path_bytes - used, is_plain ? "%c" : "_%02x", (unsigned char)*at);
    }
}

void cage_scope_get_delegate(struct cage_scope_call *ret_call, uint32_t serial, bool over_bus, const char *name)
{
    char path[800] = "/org/freedesktop/systemd1/unit/";
    const struct target target = {over_bus ? MANAGER : NULL, path, BUS ".Properties", "Get"};
    bool is_scope = strlen(name) > 6 && strcmp(name + strlen(name) - 6, ".scope") == 0;
    struct cage_scope_call body = {.count = 0};

    put_label(name, path, sizeof(path));
    put_text(&body, is_scope ? MANAGER ".Scope" : MANAGER ".Service");
    put_text(&body, "Delegate");
    put_call(ret_call, serial, &target, "ss", &body);
}

/* --- a scope --- */

static void put_property(struct cage_scope_call *body, const char *name, const char *type)
{
    align(body, 8);
    put_text(body, name);
    put_signature(body, type);
}

static void put_words(struct cage_scope_call *body, const char *const *words, size_t count)
{
    size_t at = begin_array(body, 4);

    for (size_t i = 0; i < count; i++)
        put_text(body, words[i]);
    end_array(body, at, 4);
}

/* Just these controllers: "Delegate" alone hands out all, and so turns on some that nobody else here has. */
static void put_properties(struct cage_scope_call *body)
{
    static const char *const controllers[] = {"cpu", "memory", "pids"};
    size_t at = begin_array(body, 8), pids;

    put_property(body, "Description", "s");
    put_text(body, "fumehood and its cages");
    put_property(body, "DelegateControllers", "as");
    put_words(body, controllers, sizeof(controllers) / sizeof(controllers[0]));
    put_property(body, "PIDs", "au");
    pids = begin_array(body, 4);
    put_number(body, 0); /* whoever sends this, by whatever number the manager knows it */
    end_array(body, pids, 4);
    put_property(body, "CollectMode", "s");
    put_text(body, "inactive-or-failed");
    end_array(body, at, 8);
}

void cage_scope_start(struct cage_scope_call *ret_call, uint32_t serial, bool over_bus, const char *name)
{
    const struct target target = manager("StartTransientUnit", over_bus);
    struct cage_scope_call body = {.count = 0};
    size_t others;

    put_text(&body, name);
    put_text(&body, "fail");
    put_properties(&body);
    others = begin_array(&body, 8);
    end_array(&body, others, 8);
    put_call(ret_call, serial, &target, "ssa(sv)a(sa(sv))", &body);
}
