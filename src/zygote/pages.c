/* pages.c - what a zygote's forks find in memory
 *
 * Runs in: the zygote, before its first guest; zygote_pages_note() in a fork that runs nothing of a guest's, and
 * zygote_pages_own() in each guest-to-be.
 *
 * Theory of operation, of what is read: a fork gets copies of page tables only where pages could differ from their
 * file's; for all others the kernel trusts that they are soon found again. An interpreter asks for some eighty of these
 * runs of pages at its start, which takes longer than copying all of their tables. One page of a mapping that is not
 * the file's any more is enough to have them copied: so a byte of each is written over with itself. These mappings are
 * not writable, hence the way through /proc/self/mem.
 *
 * Of what is written: an interpreter counts references in the objects themselves, so a fork that runs nothing writes to
 * some 150 pages, and takes a fault for a copy of each. They are the same ones in all forks. So one fork runs an empty
 * program, looks which pages are its own now, and tells the zygote; each later one asks for copies of them in one call.
 */
#include "zygote/pages.h"
#include "base/cleanup.h"
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* --- what is read --- */

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

/* --- what is written --- */

#define PIDFD_OURSELVES (-10000) /* PIDFD_SELF of Linux 6.14, younger than the headers */
#define PAGES_AT_ONCE   512
#define MAPPINGS_MAX    64

/* Of linux/Documentation/admin-guide/mm/pagemap.rst. */
#define IS_EXCLUSIVE (UINT64_C(1) << 56)
#define IS_OF_FILE   (UINT64_C(1) << 61)
#define IS_PRESENT   (UINT64_C(1) << 63)

static struct iovec written[ZYGOTE_PAGES_MAX]; /* runs of pages that every fork writes to */
static size_t written_count;

static struct {
    uintptr_t from, to;
} mappings[MAPPINGS_MAX]; /* of the zygote, and so of every fork */
static size_t mapping_count;

void zygote_pages_begin(void)
{
    AUTO_FCLOSE FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], rights[5];
    uintptr_t from, to;

    while (maps && mapping_count < MAPPINGS_MAX && fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%lx-%lx %4s", &from, &to, rights) != 3 || rights[1] != 'w' || rights[3] != 'p')
            continue;
        mappings[mapping_count].from = from;
        mappings[mapping_count++].to = to;
    }
}

static void note_page(uintptr_t at, size_t page_bytes)
{
    struct iovec *last = written_count > 0 ? &written[written_count - 1] : NULL;

    if (last && (uintptr_t)last->iov_base + last->iov_len == at)
        last->iov_len += page_bytes;
    else if (written_count < ZYGOTE_PAGES_MAX)
        written[written_count++] = (struct iovec){(void *)at, page_bytes};
}

/* Those of [from, to) that nobody else has, and that are of no file: they are copies. */
static void note_mapping(int pagemap_fd, uintptr_t from, uintptr_t to, size_t page_bytes)
{
    uint64_t pages[PAGES_AT_ONCE];
    ssize_t count;

    for (; from < to; from += (size_t)count / sizeof(*pages) * page_bytes) {
        size_t wanted = (to - from) / page_bytes;
        count = pread(pagemap_fd, pages, (wanted < PAGES_AT_ONCE ? wanted : PAGES_AT_ONCE) * sizeof(*pages),
                      (off_t)(from / page_bytes * sizeof(*pages)));
        if (count < (ssize_t)sizeof(*pages))
            return;
        for (size_t i = 0; i < (size_t)count / sizeof(*pages); i++)
            if ((pages[i] & (IS_PRESENT | IS_EXCLUSIVE | IS_OF_FILE)) == (IS_PRESENT | IS_EXCLUSIVE))
                note_page(from + i * page_bytes, page_bytes);
    }
}

void zygote_pages_note(int fd)
{
    AUTO_CLOSE int pagemap_fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

    for (size_t i = 0; pagemap_fd >= 0 && i < mapping_count; i++)
        note_mapping(pagemap_fd, mappings[i].from, mappings[i].to, page_bytes);
    (void)!write(fd, written, written_count * sizeof(*written)); /* what does not come is not used */
}

void zygote_pages_learn(int fd)
{
    ssize_t count = read(fd, written, sizeof(written));

    written_count = count > 0 ? (size_t)count / sizeof(*written) : 0;
}

void zygote_pages_own(void)
{
    if (written_count > 0)
        (void)syscall(SYS_process_madvise, PIDFD_OURSELVES, written, written_count, MADV_POPULATE_WRITE, 0);
}
