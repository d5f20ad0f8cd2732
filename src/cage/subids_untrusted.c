/* subids_untrusted.c - lines of /etc/passwd, /etc/subuid and /etc/subgid */
#include "cage/subids.h"
#include <string.h>

struct field {
    const char *at;
    size_t count;
};

/* The next field of [*at, end), which ends at @separator or there. */
static bool take(const char **at, const char *end, char separator, struct field *ret_field)
{
    const char *stop = *at < end ? memchr(*at, separator, (size_t)(end - *at)) : NULL;

    if (*at >= end)
        return false;
    *ret_field = (struct field){*at, (size_t)((stop ? stop : end) - *at)};
    *at = stop ? stop + 1 : end;
    return true;
}

/* Decimal digits alone: other readers of these files take "010" for 8. */
static bool is_number(const struct field *field, uint32_t *ret_value)
{
    uint64_t value = 0;

    if (field->count == 0 || field->count > 10 || (field->count > 1 && field->at[0] == '0'))
        return false;
    for (size_t i = 0; i < field->count; i++) {
        if (field->at[i] < '0' || field->at[i] > '9')
            return false;
        value = 10 * value + (uint64_t)(field->at[i] - '0');
    }
    *ret_value = (uint32_t)value;
    return value < UINT32_MAX; /* which is no id */
}

static bool is_text(const struct field *field, const char *text)
{
    return strlen(text) == field->count && memcmp(field->at, text, field->count) == 0;
}

/* All fields of a line but the last have a colon behind them. */
static unsigned split(const struct field *line, struct field *ret_fields, unsigned max)
{
    const char *at = line->at;
    unsigned count = 0;

    while (count < max && take(&at, line->at + line->count, ':', &ret_fields[count]))
        count++;
    return count;
}

bool cage_subids_user(const char *text, size_t count, uint32_t id, char ret_name[CAGE_SUBIDS_NAME_BYTES],
                      uint32_t *ret_group)
{
    enum { NAME, PASSWORD, USER, GROUP, FIELDS };
    const char *at = text;
    struct field line, fields[FIELDS];
    uint32_t user;

    while (take(&at, text + count, '\n', &line)) {
        const struct field *name = &fields[NAME];
        if (split(&line, fields, FIELDS) < FIELDS || !is_number(&fields[USER], &user) || user != id)
            continue;
        if (name->count == 0 || name->count >= CAGE_SUBIDS_NAME_BYTES || memchr(name->at, 0, name->count))
            return false;
        memcpy(ret_name, name->at, name->count);
        ret_name[name->count] = 0;
        return is_number(&fields[GROUP], ret_group);
    }
    return false;
}

static bool is_of(const struct field *owner, const char *name, uint32_t id)
{
    uint32_t number;

    return (*name && is_text(owner, name)) || (is_number(owner, &number) && number == id);
}

bool cage_subids_range(const char *text, size_t count, const char *name, uint32_t id, struct cage_subids *ret_range)
{
    enum { OWNER, FIRST, COUNT, FIELDS };
    const char *at = text;
    struct cage_subids range;
    struct field line, fields[FIELDS + 1];

    *ret_range = (struct cage_subids){0};
    while (take(&at, text + count, '\n', &line))
        if (split(&line, fields, FIELDS + 1) == FIELDS && is_of(&fields[OWNER], name, id) &&
            is_number(&fields[FIRST], &range.first) && is_number(&fields[COUNT], &range.count) &&
            (uint64_t)range.first + range.count <= UINT32_MAX && range.count > ret_range->count)
            *ret_range = range;
    return ret_range->count > 0;
}

#define PART_MAX 4096u /* as many cages as there are slots */
#define PART_MIN 256u

static bool has(const struct cage_subids *range, uint32_t id)
{
    return id >= range->first && id - range->first < range->count;
}

/* Ids of the system itself, "nobody", and what 16 bits take for none. */
static bool is_taken(const struct cage_subids *part, uint32_t own)
{
    return part->first < 1000 || has(part, own) || has(part, 65534) || has(part, 65535);
}

bool cage_subids_part(const struct cage_subids *range, uint32_t own, struct cage_subids *ret_part)
{
    uint32_t quarter = range->count / 4, count = quarter < PART_MAX ? quarter : PART_MAX;

    if (count < PART_MIN)
        return false;
    for (uint32_t at = range->count / 2; range->count - at >= count; at += count) {
        *ret_part = (struct cage_subids){range->first + at, count};
        if (!is_taken(ret_part, own))
            return true;
    }
    return false;
}
