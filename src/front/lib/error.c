/* error.c - errors as the library's callers have them */
#include "base/cleanup.h"
#include "front/lib/lib.h"
#include <stdio.h>
#include <string.h>

#define SAME(name) _Static_assert((int)FUMEHOOD_E_##name == (int)BASE_E_##name, #name)
SAME(USAGE);
SAME(INVALID);
SAME(NOT_FOUND);
SAME(REFUSED);
SAME(SETUP);
SAME(LOST);
SAME(IO);
SAME(NOMEM);
SAME(INTERNAL);
SAME(TOO_LARGE);

/* The rooms below name options of the command line. A caller of the library has these fields instead. */
static const struct {
    const char *option, *field;
} fields[] = {
    {"--limit", "limits"},
    {"--input", "files"},
    {"input file", "files"},
    {"--env", "environment"},
    {"arguments", "args"},
    {"--runtime NAME", "runtime"},
    {"--if-available", "if_available"},
};

/* A place is a field, or begins with one and a space. */
static void name_place(char *place, size_t place_bytes)
{
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
        size_t length = strlen(fields[i].option);
        char rest[sizeof(((struct base_err *)0)->place)];

        if (strncmp(place, fields[i].option, length) != 0 || (place[length] && place[length] != ' '))
            continue;
        (void)snprintf(rest, sizeof(rest), "%s", place + length);
        (void)snprintf(place, place_bytes, "%s%s", fields[i].field, rest);
        return;
    }
}

/* A remedy has options anywhere. */
static void name_remedy(char *remedy, size_t remedy_bytes)
{
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
        char *at = fields[i].option[0] == '-' ? strstr(remedy, fields[i].option) : NULL;
        char rest[sizeof(((struct base_err *)0)->remedy)];

        if (!at)
            continue;
        (void)snprintf(rest, sizeof(rest), "%s", at + strlen(fields[i].option));
        (void)snprintf(at, remedy_bytes - (size_t)(at - remedy), "%s%s", fields[i].field, rest);
    }
}

void lib_name_fields(struct base_err *err)
{
    name_place(err->place, sizeof(err->place));
    name_remedy(err->remedy, sizeof(err->remedy));
}

int lib_error(struct base_err *err, struct fumehood_error *error)
{
    _Static_assert(sizeof(error->place) == sizeof(err->place) && sizeof(error->what) == sizeof(err->what) &&
                       sizeof(error->remedy) == sizeof(err->remedy),
                   "texts");
    if (!error)
        return err->code;
    lib_name_fields(err);
    error->code = err->code;
    error->sys_errno = err->sys_errno;
    memcpy(error->place, err->place, sizeof(error->place));
    memcpy(error->what, err->what, sizeof(error->what));
    memcpy(error->remedy, err->remedy, sizeof(error->remedy));
    return err->code;
}

const char *fumehood_error_text(const struct fumehood_error *error, char *text, size_t text_bytes)
{
    struct base_err err = {.code = error->code};

    memcpy(err.place, error->place, sizeof(err.place));
    memcpy(err.what, error->what, sizeof(err.what));
    memcpy(err.remedy, error->remedy, sizeof(err.remedy));
    return base_err_text(&err, text, text_bytes);
}

const char *fumehood_version(void)
{
    return FUMEHOOD_VERSION;
}
