/* scope.h - inside the room: a delegated scope of our own from systemd, and the few messages of D-Bus that it takes */
#pragma once

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- asking --- */

/* Where a manager answers: its own socket, else the bus. */
struct cage_scope_doors {
    char private_path[108], bus_path[108];
};

/* Those of the system's manager, or of this user's; environment and ids decide. */
void cage_scope_find(bool of_system, struct cage_scope_doors *ret_doors);

/* Ask for the scope @name with nobody but this process in it, which then is there: 0. Nobody waits for longer than
 * @patience_ms. BASE_E_NOT_FOUND: there is no manager; BASE_E_REFUSED: it does not want to, in its own words;
 * BASE_E_LOST: it does not answer, or not with what was asked. */
int cage_scope_ask(const struct cage_scope_doors *doors, const char *name, unsigned patience_ms, struct base_err *err);

/* Whether a manager says that its unit @name delegates its group. Whoever does not answer says no. */
bool cage_scope_delegates(const struct cage_scope_doors *doors, const char *name, unsigned patience_ms);

/* --- messages: scope.c writes them, scope_untrusted.c reads them --- */

enum cage_scope_kind { CAGE_SCOPE_CALL = 1, CAGE_SCOPE_REPLY, CAGE_SCOPE_ERROR, CAGE_SCOPE_SIGNAL };

#define CAGE_SCOPE_HEAD_BYTES    16
#define CAGE_SCOPE_MESSAGE_BYTES 8192 /* of longer ones, which are not for us, only the start is looked at */

/* Texts are in the bytes that were parsed. */
struct cage_scope_message {
    unsigned kind;
    uint32_t reply_to; /* the serial of the call that it answers; 0: none */
    const char *member, *signature;
    const unsigned char *body;
    size_t count, at; /* of the body: its bytes, and where the next value is looked for */
};

/* Bytes of the whole message that begins with these 16; 0 where they are no message's of this machine. */
uint64_t cage_scope_length(const unsigned char head[CAGE_SCOPE_HEAD_BYTES]);

/* Take a whole message apart. BASE_E_INVALID. */
int cage_scope_parse(const unsigned char *bytes, size_t count, struct cage_scope_message *ret_message);

/* The next value of the body; false where there is none. */
bool cage_scope_take_number(struct cage_scope_message *message, uint32_t *ret_value);
bool cage_scope_take_text(struct cage_scope_message *message, const char **ret_text);
bool cage_scope_take_flag(struct cage_scope_message *message, bool *ret_flag); /* as a value of any kind, "v" */

/* What may be printed of foreign words; the rest becomes '?'. Returns @text. */
const char *cage_scope_words(const char *foreign, char *text, size_t text_bytes);

struct cage_scope_call {
    unsigned char bytes[1024];
    size_t count;
    bool is_full; /* it did not fit, and is none */
};

/* Calls, each with its @serial. Over the bus one has to be greeted first, and to ask for signals. */
void cage_scope_hello(struct cage_scope_call *ret_call, uint32_t serial);
void cage_scope_subscribe(struct cage_scope_call *ret_call, uint32_t serial);
void cage_scope_listen(struct cage_scope_call *ret_call, uint32_t serial);
void cage_scope_get_delegate(struct cage_scope_call *ret_call, uint32_t serial, bool over_bus, const char *name);
void cage_scope_start(struct cage_scope_call *ret_call, uint32_t serial, bool over_bus, const char *name);
