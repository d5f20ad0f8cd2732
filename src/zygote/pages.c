/* pages.c - what a zygote's forks find in memory
 *
 * Runs in: the zygote, before its first fork.
 *
 * Theory of operation: a fork gets copies of page tables only where pages could differ from their file's; for all
 * others the kernel trusts that they are soon found again. An interpreter asks for some eighty of these runs of pages
 * at its start, which takes longer than copying all of their tables. One page of a mapping that is not the file's any
 * more is enough to have them copied: so a byte of each is written over with itself. These mappings are not writable,
 * hence the way through /proc/self/mem.
 */
#include "zygote/pages.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* "7f0a1000-7f0c2000 r-xp 00001000 fd:01 1234 /usr/lib/..." of a file, private and not writable. */
static int is_of_file(const char *line, unsigned long *ret_from)
{
    unsigned long inode;
    char rights[5];

    if (sscanf(line, "%lx-%*x %4s %*x %*s %lu", ret_from, rights, &inode) != 3)
        return 0;
    return inode > 0 && rights[0] == 'r' && rights[1] == '-' && rights[3] == 'p';
}

static void make_own(int memory_fd, unsigned long at)
{
    char byte;

    if (pread(memory_fd, &byte, 1, (off_t)at) == 1 && pwrite(memory_fd, &byte, 1, (off_t)at) != 1)
        return; /* a kernel that does not let us */
}

void zygote_pages_inherit(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    int memory_fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    unsigned long from;
    char line[512];

    while (maps && memory_fd >= 0 && fgets(line, sizeof(line), maps))
        if (is_of_file(line, &from))
            make_own(memory_fd, from);
    if (maps)
        (void)fclose(maps);
    if (memory_fd >= 0)
        (void)close(memory_fd);
}
