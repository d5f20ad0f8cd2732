/* start.c - a known state to begin with, whatever the launcher left
 *
 * A closed descriptor 0 to 2 would be given to the next file that is opened, and messages would go into it. An ignored
 * SIGCHLD makes wait() lose the ends of children; blocked signals would make Ctrl-C dead; a soft limit on files or
 * descriptors would end or starve us. All are inherited over exec. What else is ignored stays so: nohup and a shell's
 * background mean it.
 */

#include "front/cli/start.h"
#include "base/signals.h"
#include "cage/cage.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Nothing is read from a closed stdin, and nothing is lost by what a closed stderr would have said; but what goes to a
 * closed stdout must fail, as if it were still closed: EBADF. */
static int open_missing(struct base_err *err)
{
    static const struct {
        const char *path;
        int flags; /* no O_CLOEXEC: the standard three are for children too */
    } stand_ins[] = {{"/dev/null", O_RDWR}, {"/dev/full", O_RDONLY}, {"/dev/null", O_RDWR}};

    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) >= 0)
            continue;
        if (open(stand_ins[fd].path, stand_ins[fd].flags) != fd)
            return base_err_sys(err, BASE_E_SETUP, errno, stand_ins[fd].path,
                                "cannot be opened for a closed descriptor %d", fd);
    }
    return 0;
}

static void set_signals(void)
{
    (void)signal(SIGCHLD, SIG_DFL); /* cannot fail for these */
    (void)signal(SIGPIPE, SIG_IGN); /* a reader that left is seen as EPIPE where we write */
    (void)signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is seen as EFBIG where we write */
    base_signals_restore(0);
}

/* We need a few dozen descriptors and write small files; what the guest may have is the policy's business. */
static void raise_soft_limits(void)
{
    static const int resources[] = {RLIMIT_NOFILE, RLIMIT_FSIZE};

    for (unsigned i = 0; i < sizeof(resources) / sizeof(resources[0]); i++) {
        struct rlimit limit;
        if (getrlimit((__rlimit_resource_t)resources[i], &limit) < 0 || limit.rlim_cur == limit.rlim_max)
            continue;
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit((__rlimit_resource_t)resources[i], &limit); /* up to the hard limit it cannot fail */
    }
}

/* Its starter would then have the rights of its file's owner, and could name any file as a program. */
static int refuse_borrowed_rights(struct base_err *err)
{
    if (getauxval(AT_SECURE) == 0)
        return 0;
    cage_begin_never();
    (void)base_err_set(err, BASE_E_SETUP, "fumehood", "is set-uid, set-gid or has file capabilities");
    return base_err_remedy(err, "take them away: it needs none");
}

int cli_start(struct base_err *err)
{
    int r = refuse_borrowed_rights(err);

    if (r < 0)
        return r;
    set_signals();
    raise_soft_limits();
    (void)umask(umask(077) & 077); /* we must be able to use what we make; others see it as the launcher says */
    return open_missing(err);
}
