/* zygote.c - the supervisor's part in zygotes: what they need, and who can be a fork of one
 *
 * Runs in: the supervisor. The bytes that are preloaded into an interpreter (src/zygote) are part of the program.
 */
#include "cage/zygote.h"
#include "base/cleanup.h"
#include "base/embedded.h"
#include "cage/child.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const struct base_embedded cage_zygote_files[];

int cage_zygote_preload(void)
{
    const struct base_embedded *file = &cage_zygote_files[0];
    AUTO_CLOSE int fd = memfd_create("zygote", MFD_CLOEXEC);

    if (fd < 0)
        return -errno;
    if (write(fd, file->bytes, file->count) != (ssize_t)file->count)
        return -EIO;
    return TAKE_FD(fd);
}

int cage_zygote_environment(const char *path, const char *modules, char text[CAGE_ZYGOTE_BYTES],
                            char *ret_texts[CAGE_ZYGOTE_TEXTS], struct base_err *err)
{
    char number[16];
    const char *const pairs[CAGE_ZYGOTE_TEXTS][2] = {
        {"LD_PRELOAD=/proc/self/fd/", number},
        {"LD_BIND_NOW=", "1"}, /* once in the zygote, and not in each of its forks */
        {"FUMEHOOD_ZYGOTE=", path},
        {"FUMEHOOD_PRELOAD=", modules}};
    size_t used = 0;

    (void)snprintf(number, sizeof(number), "%d", ZYGOTE_PRELOAD_FD);
    for (int i = 0; i < CAGE_ZYGOTE_TEXTS; i++) {
        ret_texts[i] = text + used;
        used += (size_t)snprintf(text + used, CAGE_ZYGOTE_BYTES - used, "%s%s", pairs[i][0], pairs[i][1]) + 1;
        if (used > CAGE_ZYGOTE_BYTES)
            return base_err_set(err, BASE_E_TOO_LARGE, "zygote", "what it preloads has too long a list");
    }
    return 0;
}

/* What a fork shares with its zygote is charged to both together: a part of its memory that must not count much. */
static bool has_little_memory(const struct cage_plan *plan)
{
    const struct policy_limit *limit = &plan->policy->limits[POLICY_LIMIT_MEMORY_BYTES];

    return !limit->unlimited && limit->value < CAGE_ZYGOTE_MEMORY_BYTES;
}

/* Where it may grow to, and what the C library gives threads, is settled when an interpreter starts. */
static bool has_usual_stack(const struct cage_plan *plan)
{
    const struct policy_limit *limit = &plan->policy->limits[POLICY_LIMIT_STACK_BYTES];

    return !limit->unlimited && limit->value == CAGE_STACK_BYTES;
}

/* Under its filter, and before anybody answers what that denies. */
static bool lacks_calls(const struct cage_plan *plan)
{
    static const char *const needed[] = {"recvmsg", "write", "close", "exit_group"};
    const struct policy_set allowed = policy_allowed(plan->policy);

    for (size_t i = 0; i < ARRAY_COUNT(needed); i++)
        if (!policy_set_has(&allowed, (unsigned)policy_call_find(needed[i])))
            return true;
    return false;
}

const char *cage_zygote_refuses(const struct cage_plan *plan, char *const *argv)
{
    size_t bytes = 0, count = 0;

    for (; argv[count]; count++)
        bytes += strlen(argv[count]) + 1;
    if (count > ZYGOTE_ARGS_MAX || bytes > ZYGOTE_TEXT_BYTES)
        return "its command is long";
    if (plan->policy->observe)
        return "what it opens or executes is to be noted from its start";
    if (lacks_calls(plan))
        return "it lacks system calls with which a fork waits for its program";
    if (!has_usual_stack(plan))
        return "its stack is not the usual one";
    return has_little_memory(plan) ? "its limit of memory is small" : NULL;
}
