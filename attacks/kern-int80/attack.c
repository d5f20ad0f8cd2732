/* attack.c - kern-int80
 *
 * Uses the old interrupt for system calls: number 20 is getpid there and not writev, 102 makes sockets and is not
 * getuid. Tried from 64-bit code and after a far jump into 32-bit code. A filter that does not ask for the kind of
 * entry judges the wrong call. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int reached;

static long gate(long nr, long a, long b, long c)
{
    long result;

    __asm__ volatile("int $0x80" : "=a"(result) : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory", "r8", "r9", "r10", "r11");
    return (int)result;
}

static void tried(const char *what, long result)
{
    printf("%s: %s\n", what, result < 0 ? strerrorname_np((int)-result) : "done");
    if (result >= 0 || (result != -1 && result != -38))
        reached = 10; /* neither EPERM nor ENOSYS */
}

static void no_gate(int sig)
{
    (void)sig;
    printf("this kernel has no 32-bit calls\n");
    fflush(stdout);
    _exit(getenv("DRILL_CONTROL") ? 77 : 0);
}

/* push $0x23; push $target; retfq: 32-bit code follows, which asks for mkdir(path) and jumps back the same way. */
static long from_32_bit_code(char *low)
{
    unsigned char code[] = {
        0x53, 0x6a, 0x23, 0x68, 0, 0,    0, 0,    0x48, 0xcb,                         /* into 32 bits, at +10 */
        0xb8, 39,   0,    0,    0, 0xbb, 0, 0,    0,    0,    0x31, 0xc9, 0xcd, 0x80, /* mkdir(path, 0) */
        0x6a, 0x33, 0x68, 0,    0, 0,    0, 0xcb, 0x5b, 0xc3,                         /* back, at +32 */
    };
    unsigned start = (unsigned)(unsigned long)low + 10, path = (unsigned)(unsigned long)low + 256,
             back = (unsigned)(unsigned long)low + 32;
    long result;

    memcpy(code + 4, &start, 4);
    memcpy(code + 16, &path, 4);
    memcpy(code + 27, &back, 4);
    memcpy(low, code, sizeof(code));
    /* The stack must be low too: 32-bit code has 32 bits of stack pointer. */
    __asm__ volatile("mov %%rsp, %%r12\n\tmov %1, %%rsp\n\tcall *%2\n\tmov %%r12, %%rsp"
                     : "=a"(result)
                     : "r"(low + 4096), "r"(low)
                     : "memory", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12");
    return (int)result;
}

int main(void)
{
    char *low = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    unsigned *words = (unsigned *)(void *)(low + 512);

    if (low == MAP_FAILED)
        return 1;
    (void)signal(SIGSEGV, no_gate);
    tried("getpid", gate(20, 0, 0, 0));
    words[0] = 2, words[1] = 1, words[2] = 0; /* AF_INET, a stream */
    tried("a socket by socketcall", gate(102, 1, (long)words, 0));
    tried("ptrace", gate(26, 99, 0, 0));
    tried("run a wild path", gate(11, 8, 0, 0));
    strcpy(low + 256, "/proc/none"); /* nowhere a folder can be made */
    tried("mkdir from 32-bit code", from_32_bit_code(low));
    return reached;
}
