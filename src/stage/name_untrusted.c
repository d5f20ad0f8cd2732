/* name_untrusted.c - names of files that come from outside, made safe or refused
 *
 * Foreign bytes: names are chosen by whoever wrote the candidates; they end up in paths, argument lists and receipts.
 */

#include "stage/name_untrusted.h"
#include <string.h>

#define KEPT_BYTES      200
#define EXTENSION_BYTES 16

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *stage_name_extension(const char *path)
{
    const char *name = last_part(path);
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? dot + 1 : "";
}

static bool is_safe(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
}

void stage_name_safe(const char *path, char ret_name[STAGE_NAME_BYTES])
{
    const char *name = last_part(path);
    size_t length = strlen(name);
    size_t tail = strlen(stage_name_extension(name)) + 1; /* with its dot */
    size_t used = 0;

    if (tail == 1 || tail > EXTENSION_BYTES)
        tail = 0;
    for (size_t i = 0; i < length; i++) {
        if (length > KEPT_BYTES && i == KEPT_BYTES - tail)
            i = length - tail; /* cut out the middle */
        if (i < length)
            ret_name[used++] = is_safe(name[i]) ? name[i] : '_';
    }
    if (used == 0)
        ret_name[used++] = '_';
    ret_name[used] = 0;
    if (ret_name[0] == '-' || ret_name[0] == '.')
        ret_name[0] = '_';
}

/* One part of a path, [@part, @part + @length). */
static const char *part_fault(const char *part, size_t length)
{
    if (length == 0)
        return "has an empty part";
    if (length == 1 && part[0] == '.')
        return "holds a part \".\"";
    if (length == 2 && part[0] == '.' && part[1] == '.')
        return "leads out of /work with \"..\"";
    if (length > 255)
        return "has a part of more than 255 bytes";
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)part[i] < 0x20 || part[i] == 0x7f)
            return "holds a control byte";
    return NULL;
}

const char *stage_name_path_fault(const char *path)
{
    if (path[0] == '/')
        return "must be relative to /work";
    if (strlen(path) >= STAGE_NAME_BYTES)
        return "is longer than 255 bytes";
    for (const char *part = path;;) {
        size_t length = strcspn(part, "/");
        const char *why = part_fault(part, length);
        if (why)
            return why;
        if (!part[length])
            return NULL;
        part += length + 1;
    }
}
