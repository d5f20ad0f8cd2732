/* libraries.c - whether the end of a process is anything to the libraries in it
 *
 * Runs in: the zygote, and the guest at its end.
 *
 * Theory of operation: exit() calls what libraries have for it, each of which writes to pages that a fork shares with
 * its zygote: a tenth of all that a short guest writes to. The C library, those that the interpreter is linked with,
 * and its own modules have nothing there but memory to give up. Where there is any other, or one has come since the
 * fork (which is also how a guest could ask to be told of its end), they are all called.
 */
#include "zygote/libraries.h"
#include <link.h>
#include <stddef.h>
#include <string.h>

static struct {
    bool are_plain;
    unsigned long long added; /* as often as something was loaded */
} begun;

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The interpreter and the kernel's have no path; ours is /proc/self/fd/N. */
static bool is_plain(const char *path)
{
    static const char *const known[] = {"libc.so.", "libm.so.", "libdl.so.",    "libpthread.so.", "libutil.so.",
                                        "ld-linux", "libz.so.", "libexpat.so.", "libpython3.",    "linux-vdso.so."};
    const char *base = base_of(path);

    if (!*path || strncmp(path, "/proc/self/fd/", strlen("/proc/self/fd/")) == 0)
        return true;
    if (strstr(path, "/lib-dynload/"))
        return strncmp(base, "_ctypes", strlen("_ctypes")) != 0; /* it calls what a program likes */
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strncmp(base, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

static int note(struct dl_phdr_info *info, size_t bytes, void *argument)
{
    (void)bytes;
    (void)argument;
    begun.added = info->dlpi_adds;
    begun.are_plain = begun.are_plain && is_plain(info->dlpi_name);
    return 0;
}

void zygote_libraries_note(void)
{
    begun.are_plain = true;
    (void)dl_iterate_phdr(note, NULL);
}

static int is_later(struct dl_phdr_info *info, size_t bytes, void *argument)
{
    (void)bytes;
    (void)argument;
    return info->dlpi_adds == begun.added ? -1 : 1; /* the first tells it */
}

bool zygote_libraries_want_end(void)
{
    return !begun.are_plain || dl_iterate_phdr(is_later, NULL) != -1;
}
