/* attack.c - kern-personality
 *
 * Turns off the randomness of addresses, makes readable memory executable, asks to look like an older or a 32-bit
 * system. If it worked, programs that it starts would be easier to take over. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    static const struct {
        unsigned long value;
        const char *what;
    } wanted[] = {
        {ADDR_NO_RANDOMIZE, "no random addresses"},
        {READ_IMPLIES_EXEC, "readable is executable"},
        {MMAP_PAGE_ZERO, "a page at address 0"},
        {ADDR_COMPAT_LAYOUT, "the old layout"},
        {PER_LINUX32, "a 32-bit system"},
        {0x20000, "an old version"},
        {PER_BSD, "another system"},
        {(1UL << 32) | ADDR_NO_RANDOMIZE, "no random addresses, and a high bit"},
    };
    int reached = 0;

    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        long result = syscall(SYS_personality, wanted[i].value);
        printf("%s: %s\n", wanted[i].what, result < 0 ? strerrorname_np(errno) : "done");
        if (result >= 0)
            reached = 10;
    }
    if (syscall(SYS_personality, 0xffffffffUL) != 0) {
        printf("the personality is another one now\n");
        reached = 10;
    }
    return reached;
}
