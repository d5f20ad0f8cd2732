/* entry.c - the first instructions of the program, before its C library has started
 *
 * Runs in: the supervisor, as the kernel left it: no library, no thread-local memory, nothing relocated. Must not: use
 * any of that.
 *
 * Theory of operation: starting the C library takes a third of a millisecond, most of it in questions about the
 * processor that a virtual machine answers slowly; making namespaces takes the kernel longer still. For `fumehood run`
 * the cage's first process is therefore begun here, and both are done at the same time. Everything else, and every
 * failure, is as if this file did nothing.
 */
#include "front/cli/entry.h"
#include "cage/cage.h"
#include <elf.h>

#if defined(__x86_64__)

/* The stack is as the kernel made it: argc, argv, NULL, environment, NULL. The library's own start needs it and %rdx as
 * they were. */
__asm__(".text\n"
        ".globl cli_entry\n"
        ".hidden cli_entry\n"
        ".type cli_entry, @function\n"
        "cli_entry:\n"
        "    endbr64\n"
        "    xorl %ebp, %ebp\n"
        "    movq %rsp, %rdi\n"
        "    pushq %rdx\n"
        "    subq $8, %rsp\n"
        "    callq cli_entry_early\n"
        "    addq $8, %rsp\n"
        "    popq %rdx\n"
        "    jmp _start\n"
        ".size cli_entry, . - cli_entry\n");

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const Elf64_Dyn _DYNAMIC[] __attribute__((visibility("hidden")));

/* Where the linker was told to put the tables that the first process walks (cmake/early.ld); else NULL. */
extern char cli_early_start[] __attribute__((weak, visibility("hidden")));
extern char cli_early_end[] __attribute__((weak, visibility("hidden")));

/* Tables of pointers, as the first process walks them, hold addresses only after this. The library does the same again,
 * to the same end, and with all others: a page that is written before the fork is copied when it is written again. The
 * linker has sorted them by their places. */
static void relocate(void)
{
    uintptr_t base = (uintptr_t)__ehdr_start;
    const Elf64_Rela *rela = NULL;
    size_t bytes = 0, first = 0, end = SIZE_MAX;

    if (cli_early_end) {
        first = (uintptr_t)cli_early_start - base;
        end = (uintptr_t)cli_early_end - base;
    }
    for (const Elf64_Dyn *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_RELA)
            rela = (const Elf64_Rela *)(base + entry->d_un.d_ptr);
        if (entry->d_tag == DT_RELASZ)
            bytes = entry->d_un.d_val;
    }
    for (size_t i = 0; rela && i < bytes / sizeof(*rela) && rela[i].r_offset < end; i++)
        if (ELF64_R_TYPE(rela[i].r_info) == R_X86_64_RELATIVE && rela[i].r_offset >= first)
            *(uintptr_t *)(base + rela[i].r_offset) = base + (uintptr_t)rela[i].r_addend;
}

static bool is_run(const char *verb)
{
    return verb[0] == 'r' && verb[1] == 'u' && verb[2] == 'n' && verb[3] == 0;
}

void cli_entry_early(long *stack)
{
    long argc = stack[0];
    char **argv = (char **)(stack + 1);

    if (argc < 3 || !is_run(argv[1]))
        return;
    relocate();
    cage_begin_early(argv + argc + 1);
}

#endif
