/* observe_child.c - what the guest tried to open and to execute, under `observe`
 *
 * Runs in: the cage's first process, for calls that are let pass; nothing here decides about one.
 * Privilege: CAP_SYS_PTRACE in the cage's own user namespace, which is in force for the guest and nobody else.
 * Touches: at most 256 bytes of the guest's memory a call, and names in the cage's file system, which are looked up and
 * not opened for reading.
 * Must not: trust any of it. The text is the guest's claim: it can change it between our look and the kernel's.
 *
 * Theory of operation: whether the call will fail is found out by looking at the same name beforehand, with the guest's
 * root, folder and descriptors, and comparing modes with its id. Where the look says nothing, the name is noted as
 * tried; so it is where the way leads through a process's root, folder or descriptors: ours would open to us there.
 * What will succeed is not noted, but for programs.
 */
#include "cage/child.h"
#include "cage/kernel.h"
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#define PATH_ROOM (CAGE_OBSERVED_BYTES + 64)
#define PAGE      4096u
#define TRIED     CAGE_SEEN_TRIED
enum { NOT_NOTED = -1 }; /* it will succeed */

struct attempt {
    enum policy_observe kind;
    pid_t pid;
    int dir_fd; /* the guest's number, or AT_FDCWD */
    uint64_t path_at;
    uint64_t flags; /* O_*; files only */
    bool is_unsure; /* the look cannot tell */
    bool is_cut;    /* the path is longer than what we have of it */
    char path[CAGE_OBSERVED_BYTES + 1];
};

/* --- the guest's memory --- */

/* In two pieces, so that the end of a mapping takes away only what lies behind it. Returns how many bytes, or -errno.
 */
static long read_guest(pid_t pid, uint64_t at, void *bytes, size_t count)
{
    size_t first = PAGE - at % PAGE < count ? PAGE - at % PAGE : count;
    struct iovec local = {bytes, count};
    const struct iovec remote[] = {{(void *)(uintptr_t)at, first}, {(void *)(uintptr_t)(at + first), count - first}};

    return kernel_call(SYS_process_vm_readv, pid, (long)&local, 1, (long)remote, first < count ? 2 : 1, 0);
}

static int read_path(struct attempt *attempt)
{
    long count = read_guest(attempt->pid, attempt->path_at, attempt->path, CAGE_OBSERVED_BYTES);

    if (count <= 0)
        return count < 0 ? (int)count : -EFAULT;
    attempt->path[count] = 0;
    attempt->is_cut = count == CAGE_OBSERVED_BYTES && cage_text_length(attempt->path) == (size_t)count;
    return 0;
}

/* --- which calls, and where their path is --- */

/* struct open_how is in memory: the rules in it that are not flags make the look unsure. */
static void read_how(struct attempt *attempt, uint64_t at)
{
    uint64_t how[3] = {0}; /* flags, mode, resolve */

    attempt->is_unsure = read_guest(attempt->pid, at, how, sizeof(how)) != sizeof(how) || how[2] != 0;
    attempt->flags = how[0];
}

static bool is_attempt(const struct seccomp_notif *request, struct attempt *attempt)
{
    const uint64_t *args = (const uint64_t *)request->data.args;

    *attempt = (struct attempt){.kind = POLICY_OBSERVE_FILES, .pid = (pid_t)request->pid, .dir_fd = AT_FDCWD};
    switch (request->data.nr) {
#ifdef SYS_open
    case SYS_open:
        attempt->path_at = args[0];
        attempt->flags = args[1];
        return true;
    case SYS_creat:
        attempt->path_at = args[0];
        attempt->flags = O_CREAT | O_WRONLY | O_TRUNC;
        return true;
#endif
    case SYS_openat:
    case SYS_openat2:
        attempt->dir_fd = (int)args[0];
        attempt->path_at = args[1];
        attempt->flags = args[2];
        if (request->data.nr == SYS_openat2)
            read_how(attempt, args[2]);
        return true;
    case SYS_execve:
        attempt->kind = POLICY_OBSERVE_EXEC;
        attempt->path_at = args[0];
        return true;
    case SYS_execveat:
        attempt->kind = POLICY_OBSERVE_EXEC;
        attempt->dir_fd = (int)args[0];
        attempt->path_at = args[1];
        return true;
    default:
        return false;
    }
}

/* --- the look --- */

static char *append(char *at, const char *text)
{
    size_t count = cage_text_length(text);

    memcpy(at, text, count + 1);
    return at + count;
}

static char *append_number(char *at, unsigned number)
{
    char digits[12];
    unsigned count = 0;

    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count > 0)
        *at++ = digits[--count];
    *at = 0;
    return at;
}

/* Whether the guest has left its memory open to others of its id; what /proc has on others belongs to root. */
static bool is_open(pid_t guest)
{
    char name[64], *at = append_number(append(name, "/proc/"), (unsigned)guest);
    struct stat st;

    (void)append(at, "/fd");
    return kernel_stat(AT_FDCWD, name, &st, 0) == 0 && st.st_uid == CAGE_GUEST_ID;
}

/* The guest runs already, and may close its memory to us, now and again: that is its own business (its names are
 * unread), and must not look like the machine's refusal. So that is one only where it is refused and open each time. */
#define PROOF_TRIES 64

int cage_observe_prove(pid_t guest)
{
    long r = 0;

    for (int i = 0; i < PROOF_TRIES; i++) {
        char byte;
        r = read_guest(guest, 0, &byte, 1); /* nothing is there: what is asked is whether we may look */
        if (r >= 0 || r == -EFAULT || r == -ESRCH)
            return 0; /* ESRCH: it has ended already */
        if (r != -EPERM)
            return (int)r;
        if (!is_open(guest))
            return 0;
    }
    return (int)r;
}

/* The name as it is for us: "self" is another process here. */
static void own_view(const struct attempt *attempt, char view[PATH_ROOM])
{
    static const char *const selves[] = {"/proc/self", "/proc/thread-self"};

    for (int i = 0; i < 2; i++) {
        size_t length = cage_text_length(selves[i]);
        char next = cage_text_starts(attempt->path, selves[i]) ? attempt->path[length] : 'x';
        if (next != 0 && next != '/')
            continue;
        (void)append(append_number(append(view, "/proc/"), (unsigned)attempt->pid), attempt->path + length);
        return;
    }
    (void)append(view, attempt->path);
}

/* Where the guest's relative names begin. */
static int open_start(const struct attempt *attempt)
{
    char name[64], *at = append_number(append(name, "/proc/"), (unsigned)attempt->pid);

    if (attempt->dir_fd == AT_FDCWD)
        (void)append(at, "/cwd");
    else if (attempt->dir_fd >= 0)
        (void)append_number(append(at, "/fd/"), (unsigned)attempt->dir_fd);
    else
        return -EBADF;
    return kernel_open(AT_FDCWD, name, O_PATH, 0);
}

/* Whether a file's mode gives the guest all of @wanted (4 read, 2 write, 1 search or execute). */
static bool permits(int fd, const struct stat *st, unsigned wanted)
{
    bool is_plain = S_ISREG(st->st_mode) || S_ISDIR(st->st_mode);
    unsigned shift = st->st_uid == CAGE_GUEST_ID ? 6 : st->st_gid == CAGE_GUEST_ID ? 3 : 0;
    struct statfs fs;

    if ((wanted & 2) && is_plain && (kernel_fstatfs(fd, &fs) < 0 || (fs.f_flags & 1 /* read-only */)))
        return false;
    return (st->st_mode >> shift & wanted) == wanted;
}

static unsigned wanted_of(const struct attempt *attempt)
{
    static const unsigned wanted[] = {[O_RDONLY] = 4, [O_WRONLY] = 2, [O_RDWR] = 6, [3] = 6};

    if (attempt->kind == POLICY_OBSERVE_EXEC)
        return 1;
    return attempt->flags & O_PATH ? 0 : wanted[attempt->flags & O_ACCMODE];
}

static int judge_found(const struct attempt *attempt, int fd)
{
    unsigned wanted = wanted_of(attempt);
    struct stat st;

    if (kernel_stat(fd, "", &st, AT_EMPTY_PATH) < 0)
        return TRIED;
    if (attempt->kind == POLICY_OBSERVE_EXEC)
        return S_ISREG(st.st_mode) && permits(fd, &st, wanted) ? TRIED : CAGE_SEEN_REFUSED;
    if ((attempt->flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
        return CAGE_SEEN_REFUSED;
    if (S_ISDIR(st.st_mode) && (wanted & 2) && (attempt->flags & O_TMPFILE) != O_TMPFILE)
        return CAGE_SEEN_REFUSED;
    return permits(fd, &st, wanted) ? NOT_NOTED : CAGE_SEEN_REFUSED;
}

/* It is not there, and is to be made: that depends on the folder. */
static int judge_parent(int start_fd, char view[PATH_ROOM])
{
    size_t length = cage_text_length(view);
    struct stat st;

    while (length > 0 && view[length - 1] != '/')
        length--;
    view[length] = 0;
    KERNEL_AUTO_CLOSE int fd = kernel_open_plain(start_fd, length > 0 ? view : ".", O_PATH | O_DIRECTORY);

    if (fd < 0 || kernel_stat(fd, "", &st, AT_EMPTY_PATH) < 0)
        return fd == -ENOENT ? CAGE_SEEN_MISSING : TRIED;
    return permits(fd, &st, 3) ? NOT_NOTED : CAGE_SEEN_REFUSED;
}

static int look(const struct attempt *attempt)
{
    bool is_absolute = attempt->path[0] == '/';
    KERNEL_AUTO_CLOSE int start_fd = is_absolute ? -1 : open_start(attempt);
    char view[PATH_ROOM];

    if (attempt->is_unsure || attempt->is_cut || attempt->path[0] == 0 || (start_fd < 0 && !is_absolute) ||
        cage_text_starts(attempt->path, "/dev/fd") || cage_text_starts(attempt->path, "/dev/std"))
        return TRIED;
    own_view(attempt, view);
    KERNEL_AUTO_CLOSE int fd = kernel_open_plain(start_fd, view, O_PATH | (int)(attempt->flags & O_NOFOLLOW));
    if (fd >= 0)
        return judge_found(attempt, fd);
    if (fd != -ENOENT && fd != -ENOTDIR)
        return TRIED;
    return attempt->flags & O_CREAT ? judge_parent(start_fd, view) : CAGE_SEEN_MISSING;
}

/* --- the record --- */

static void note(struct cage_sights *sights, const struct attempt *attempt, enum cage_seen seen)
{
    uint32_t count = sights->count;

    for (uint32_t i = 0; i < count; i++) {
        struct cage_sight *known = &sights->rows[i];
        if (known->seen == (uint32_t)seen && cage_text_equal(known->path, attempt->path)) {
            known->count++;
            return;
        }
    }
    if (count == CAGE_OBSERVED_MAX) {
        sights->unlisted++;
        return;
    }
    sights->rows[count] = (struct cage_sight){.count = 1, .seen = (uint32_t)seen, .is_cut = attempt->is_cut};
    memcpy(sights->rows[count].path, attempt->path, sizeof(attempt->path));
    sights->count = count + 1;
}

/* The caller may have died meanwhile, and its number may be another's. */
static bool is_still_there(int listener_fd, uint64_t id)
{
    return kernel_ioctl(listener_fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

void cage_observe(struct cage_context *context, const struct seccomp_notif *request)
{
    struct attempt attempt;
    int r, seen;

    if (!is_attempt(request, &attempt) || !(context->terms->observe >> attempt.kind & 1))
        return;
    struct cage_sights *sights = &context->observed->kinds[attempt.kind];
    r = read_path(&attempt);
    seen = r == 0 ? look(&attempt) : TRIED;
    if (!is_still_there(context->listener_fd, request->id))
        return;
    if (r < 0)
        sights->unread++;
    else if (seen != NOT_NOTED)
        note(sights, &attempt, (enum cage_seen)seen);
}
