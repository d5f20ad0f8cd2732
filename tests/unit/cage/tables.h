/* tables.h - what the tables say about a call, read in the plainest way; not as the compiler does (compile.c) */
#pragma once

#include "cage/compile.h"
#include "machine.h"

static inline bool term_holds(const struct cage_term *term, const struct seccomp_data *data)
{
    uint32_t word = load(data, (uint32_t)(offsetof(struct seccomp_data, args) + 4 * term->half)) & term->mask;

    return (word == term->value || word == term->or_value) != term->differs;
}

static inline bool row_holds(const struct cage_row *row, const struct cage_wish *wish, const struct seccomp_data *data)
{
    bool for_loopback = row->effect == CAGE_ALLOW_IF_LOOPBACK || row->effect == CAGE_DENY_IF_LOOPBACK;
    bool holds = !for_loopback || wish->loopback;

    for (unsigned i = 0; i < row->count; i++)
        holds = holds && term_holds(&row->terms[i], data);
    return holds;
}

static inline uint32_t rows_say(const char *call, const struct cage_wish *wish, const struct seccomp_data *data)
{
    static const uint32_t answers[] = {[CAGE_ALLOW_IF] = SECCOMP_RET_ALLOW,
                                       [CAGE_ALLOW_IF_LOOPBACK] = SECCOMP_RET_ALLOW,
                                       [CAGE_DENY_IF] = SECCOMP_RET_USER_NOTIF,
                                       [CAGE_DENY_IF_LOOPBACK] = SECCOMP_RET_USER_NOTIF,
                                       [CAGE_NOTHING_IF] = NOTHING_ANSWER};
    bool denies = false;

    for (unsigned i = 0; i < cage_row_count; i++) {
        if (strcmp(cage_rows[i].call, call) != 0)
            continue;
        if (row_holds(&cage_rows[i], wish, data))
            return answers[cage_rows[i].effect];
        denies = denies || answers[cage_rows[i].effect] == SECCOMP_RET_USER_NOTIF;
    }
    return denies ? SECCOMP_RET_ALLOW : SECCOMP_RET_USER_NOTIF;
}

static inline uint32_t table_says(const struct cage_call *call, const struct cage_wish *wish,
                                  const struct seccomp_data *data)
{
    if (!call)
        return ENOSYS_ANSWER;
    if (wish->kept && !cage_numbers_has(wish->kept, call->nr))
        return SECCOMP_RET_USER_NOTIF;
    if (wish->noticed && cage_numbers_has(wish->noticed, call->nr))
        return SECCOMP_RET_USER_NOTIF;
    if (call->condition)
        return rows_say(call->name, wish, data);
    return call->class == CAGE_CLASS_ALLOWED ? SECCOMP_RET_ALLOW : SECCOMP_RET_USER_NOTIF;
}
