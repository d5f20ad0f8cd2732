/* error.c - errors as the library's callers have them */
#include "front/lib/lib.h"
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

int lib_error(const struct base_err *err, struct fumehood_error *error)
{
    _Static_assert(sizeof(error->place) == sizeof(err->place) && sizeof(error->what) == sizeof(err->what) &&
                       sizeof(error->remedy) == sizeof(err->remedy),
                   "texts");
    if (!error)
        return err->code;
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
