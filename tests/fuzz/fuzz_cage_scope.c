/* fuzz_cage_scope.c - what answers where systemd should (scope_untrusted.c) */
#include "cage/scope.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

static void check_text(const char *text, const uint8_t *bytes, size_t count)
{
    char words[64];

    if (*text && ((const uint8_t *)text < bytes || (const uint8_t *)text + strlen(text) >= bytes + count))
        abort();
    (void)cage_scope_words(text, words, sizeof(words));
    for (const char *at = words; *at; at++)
        if (*at < ' ' || *at > '~')
            abort();
}

static void read_body(struct cage_scope_message *message, const uint8_t *bytes, size_t count)
{
    const char *text;
    uint32_t number;

    for (unsigned turn = 0; message->at < message->count; turn++) {
        size_t at = message->at;

        if (turn % 2 == 0 && cage_scope_take_number(message, &number))
            continue;
        if (cage_scope_take_text(message, &text))
            check_text(text, bytes, count);
        if (message->at == at)
            return;
    }
    if (message->at > message->count)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    uint8_t *exact = malloc(count + 1); /* so that a byte too far is seen */
    struct cage_scope_message message;

    if (!exact)
        return 0;
    if (count)
        memcpy(exact, bytes, count);
    exact = realloc(exact, count ? count : 1);
    if (exact && cage_scope_parse(exact, count, &message) == 0) {
        if (message.count > count || message.body + message.count != exact + count)
            abort();
        check_text(message.member, exact, count);
        check_text(message.signature, exact, count);
        read_body(&message, exact, count);
    }
    free(exact);
    return 0;
}
