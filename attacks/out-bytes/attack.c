/* attack.c - prints all bytes, all pairs of bytes, cut and overlong sequences of UTF-8
 *
 * What records output as text stumbles over them; what takes a zero for the end loses the rest. */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

static int put(int fd, const void *bytes, size_t count)
{
    const char *at = bytes;

    while (count > 0) {
        ssize_t written = write(fd, at, count);
        if (written <= 0)
            return -1;
        at += written;
        count -= (size_t)written;
    }
    return 0;
}

int main(void)
{
    static const char odd[] =
        "\xff\xfe\xc0\x80\xc1\xbf\xe0\x80\x80\xed\xa0\x80\xed\xbf\xbf\xf0\x80\x80\x80\xf4\x90\x80\x80"
        "\xf8\x88\x80\x80\x80\xfc\x84\x80\x80\x80\x80\xef\xbf\xbe\xef\xb7\x90\xe2\x82";
    unsigned char all[256], pairs[65536];

    for (int i = 0; i < 256; i++)
        all[i] = (unsigned char)i;
    for (int i = 0; i < 32768; i++) {
        pairs[2 * i] = (unsigned char)(i >> 7);
        pairs[2 * i + 1] = (unsigned char)(i * 2);
    }
    if (put(1, all, sizeof(all)) < 0 || put(1, "a\0b", 3) < 0 || put(1, pairs, sizeof(pairs)) < 0)
        return 1;
    for (int i = 0; i < 100; i++) /* cut in the middle of a sequence, again and again */
        if (put(1, odd, 45) < 0)
            return 1;
    if (put(1,
            "\0\0\0\0"
            "end"
            "\xe2\x82",
            9) < 0 ||
        put(1, all, 256) < 0)
        return 1;
    memset(pairs, 0, sizeof(pairs));
    if (put(1, pairs, 365) < 0 || put(2, pairs, sizeof(pairs)) < 0 || put(2, all, 256) < 0)
        return 1;
    return 0;
}
