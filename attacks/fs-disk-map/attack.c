/* attack.c - fs-disk-map
 *
 * Asks by a file below /usr, which it may only read, for the map of the machine's disk, where files lie on it, how the
 * file system is set up, and to have it flushed, frozen or trimmed. Bare, the size of a block is asked for, too. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIGH 0x100000000ul /* the kernel does not look at it */

static int reached;

static void ask(int fd, const char *what, unsigned long request)
{
    static _Alignas(8) char room[4096];

    memset(room, 0, sizeof(room));
    room[8] = room[9] = (char)0xff; /* FIEMAP: so much of the file */
    long result = syscall(SYS_ioctl, fd, request, room);
    printf("%s: %s\n", what, result < 0 ? strerrorname_np(errno) : "done");
    if (result >= 0)
        reached = 10;
}

int main(void)
{
    static const struct {
        const char *what;
        unsigned long request;
    } requests[] = {
        {"where it lies", 0xc020660b},
        {"block by block", 1},
        {"flags", 0x80086601},
        {"generation", 0x80087601},
        {"project", 0x801c581f},
        {"size of a block, high", HIGH | 2},
        {"where it lies, high", HIGH | 0xc020660b},
        {"flags, high", HIGH << 31 | 0x80086601},
        {"flags, of old", 0x80046601},
    };
    static const struct {
        const char *what;
        unsigned long request;
    } forbidden[] = {
        {"map of the disk", 0xc0c0583b},
        {"the same, high", HIGH | 0xc0c0583b},
        {"label", 0x81009431},
        {"trim", 0xc0185879},
        {"freeze", 0xc0045877},
        {"flush (btrfs)", 0x9408},
        {"trees (btrfs)", 0xd0009411},
        {"geometry (xfs)", 0x8100587e},
        {"number of the disk", 0x80111500},
        {"key of a folder", 0xc0506617},
        {"seal", 0x40806685},
    };
    int fd = open("/usr/bin/env", O_RDONLY);

    if (fd < 0)
        return 1;
    ask(fd, "size of a block", 2);
    if (getenv("DRILL_CONTROL"))
        return reached;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        ask(fd, requests[i].what, requests[i].request);
    for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++) {
        ask(fd, forbidden[i].what, forbidden[i].request);
        if (errno != EPERM)
            reached = 10; /* the file system was asked, and only does not know it */
    }
    return reached;
}
