/* scope_untrusted.c - messages of D-Bus taken apart
 *
 * Foreign bytes: whoever listens at the socket has written them. Every length in them is compared with what is there
 * before it is used; texts are what the format says, ended and without a NUL inside.
 */
#include "cage/scope.h"
#include <string.h>

#define FIELDS_MAX_BYTES  4096u
#define MESSAGE_MAX_BYTES (1u << 27) /* of the format */

enum { FIELD_MEMBER = 3, FIELD_REPLY_TO = 5, FIELD_SIGNATURE = 8 };

struct reader {
    const unsigned char *bytes;
    size_t count, at;
};

static bool align(struct reader *reader, size_t to)
{
    size_t skip = (to - reader->at % to) % to;

    if (skip > reader->count - reader->at)
        return false;
    reader->at += skip;
    return true;
}

static const unsigned char *take(struct reader *reader, size_t count)
{
    const unsigned char *piece = reader->bytes + reader->at;

    if (count > reader->count - reader->at)
        return NULL;
    reader->at += count;
    return piece;
}

static bool take_number(struct reader *reader, uint32_t *ret_value)
{
    const unsigned char *piece = align(reader, 4) ? take(reader, sizeof(*ret_value)) : NULL;

    if (piece)
        memcpy(ret_value, piece, sizeof(*ret_value));
    return piece;
}

static bool take_ended(struct reader *reader, size_t length, const char **ret_text)
{
    const unsigned char *piece = length < MESSAGE_MAX_BYTES ? take(reader, length + 1) : NULL;

    if (!piece || memchr(piece, 0, length + 1) != piece + length)
        return false;
    *ret_text = (const char *)piece;
    return true;
}

static bool take_text(struct reader *reader, const char **ret_text)
{
    uint32_t length;

    return take_number(reader, &length) && take_ended(reader, length, ret_text);
}

static bool take_signature(struct reader *reader, const char **ret_text)
{
    const unsigned char *length = take(reader, 1);

    return length && take_ended(reader, *length, ret_text);
}

uint64_t cage_scope_length(const unsigned char head[CAGE_SCOPE_HEAD_BYTES])
{
    const unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 'l' : 'B';
    uint32_t body, fields;

    memcpy(&body, head + 4, sizeof(body));
    memcpy(&fields, head + 12, sizeof(fields));
    if (head[0] != order || head[3] != 1 || fields > FIELDS_MAX_BYTES || body > MESSAGE_MAX_BYTES)
        return 0;
    return CAGE_SCOPE_HEAD_BYTES + (uint64_t)((fields + 7) & ~7u) + body;
}

/* One field; those that mean nothing here are passed over. */
static bool take_field(struct reader *reader, struct cage_scope_message *message)
{
    const unsigned char *code;
    const char *type, *text = NULL;
    uint32_t number = 0;

    if (!align(reader, 8) || !(code = take(reader, 1)) || !take_signature(reader, &type) || strlen(type) != 1)
        return false;
    if (*type == 'u'   ? !take_number(reader, &number)
        : *type == 'g' ? !take_signature(reader, &text)
                       : (*type != 's' && *type != 'o') || !take_text(reader, &text))
        return false;
    if (*code == FIELD_MEMBER && *type == 's')
        message->member = text;
    if (*code == FIELD_SIGNATURE && *type == 'g')
        message->signature = text;
    if (*code == FIELD_REPLY_TO && *type == 'u')
        message->reply_to = number;
    return true;
}

int cage_scope_parse(const unsigned char *bytes, size_t count, struct cage_scope_message *ret_message)
{
    uint64_t length = count < CAGE_SCOPE_HEAD_BYTES ? 0 : cage_scope_length(bytes);
    struct cage_scope_message message = {.member = "", .signature = ""};
    uint32_t body, fields;

    if (length == 0 || length != count)
        return BASE_E_INVALID;
    memcpy(&body, bytes + 4, sizeof(body));
    memcpy(&fields, bytes + 12, sizeof(fields));
    for (struct reader reader = {bytes, CAGE_SCOPE_HEAD_BYTES + (size_t)fields, CAGE_SCOPE_HEAD_BYTES};
         reader.at < reader.count;)
        if (!take_field(&reader, &message))
            return BASE_E_INVALID;
    message.kind = bytes[1];
    message.body = bytes + count - body;
    message.count = body;
    *ret_message = message;
    return 0;
}

bool cage_scope_take_number(struct cage_scope_message *message, uint32_t *ret_value)
{
    struct reader reader = {message->body, message->count, message->at};
    bool is_there = take_number(&reader, ret_value);

    message->at = reader.at;
    return is_there;
}

bool cage_scope_take_text(struct cage_scope_message *message, const char **ret_text)
{
    struct reader reader = {message->body, message->count, message->at};
    bool is_there = take_text(&reader, ret_text);

    message->at = reader.at;
    return is_there;
}

bool cage_scope_take_flag(struct cage_scope_message *message, bool *ret_flag)
{
    struct reader reader = {message->body, message->count, message->at};
    uint32_t value = 0;
    const char *type;
    bool is_there = take_signature(&reader, &type) && strcmp(type, "b") == 0 && take_number(&reader, &value);

    message->at = reader.at;
    *ret_flag = value == 1;
    return is_there;
}

const char *cage_scope_words(const char *foreign, char *text, size_t text_bytes)
{
    size_t i;

    for (i = 0; foreign[i] && i + 1 < text_bytes; i++)
        text[i] = foreign[i] >= ' ' && foreign[i] <= '~' ? foreign[i] : '?';
    text[i] = 0;
    return text;
}
