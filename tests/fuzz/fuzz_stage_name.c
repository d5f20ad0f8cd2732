/* fuzz_stage_name.c - any file name */

#include "fuzz.h"
#include "stage/name_untrusted.h"
#include <stdlib.h>
#include <string.h>

static void check_safe(const char *name)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t length = strlen(name);

    if (length == 0 || length > 200 || name[0] == '.' || name[0] == '-' || name[strspn(name, safe)])
        abort();
}

/* A path that is found good, joined below a folder, must stay below it. */
static void check_path(const char *path)
{
    if (stage_name_path_fault(path))
        return;
    if (*path == '/' || strcmp(path, "..") == 0 || strncmp(path, "../", 3) == 0 || strstr(path, "/../"))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *path = malloc(size + 1);
    char name[STAGE_NAME_BYTES];

    if (!path)
        return 0;
    if (size)
        memcpy(path, data, size);
    path[size] = 0;
    stage_name_safe(path, name);
    check_safe(name);
    check_path(path);
    (void)stage_name_extension(path);
    free(path);
    return 0;
}
