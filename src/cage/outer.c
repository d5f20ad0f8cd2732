/* outer.c - what was set up around this process before it began: a unit of systemd, a filter of system calls
 *
 * Runs in: the supervisor, and forks of it that make one call after the other, with arguments that nothing comes of,
 * and end. Only what is safe in a fork is called there.
 */
#include "base/cleanup.h"
#include "base/file.h"
#include "cage/cgroup.h"
#include "cage/kernel.h"
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the unit --- */

bool cage_unit_ends(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);

    return length > end_length && strcmp(text + length - end_length, end) == 0;
}

static bool is_unit(const char *name)
{
    return cage_unit_ends(name, ".service") || cage_unit_ends(name, ".scope");
}

size_t cage_unit_innermost(const char *own, char name[CAGE_UNIT_BYTES])
{
    char word[CAGE_UNIT_BYTES];
    size_t found = 0;

    name[0] = 0;
    for (const char *at = own; *at;) {
        size_t length = strcspn(at + 1, "/");

        (void)snprintf(word, sizeof(word), "%.*s", (int)length, at + 1);
        if (length < sizeof(word) && is_unit(word)) {
            memcpy(name, word, length + 1);
            found = (size_t)(at + 1 - own) + length;
        }
        at += 1 + length;
    }
    return found;
}

/* True where the innermost unit is a service, and not a user's manager, whose settings are for nobody to change here.
 */
static bool service_of(const char *path, char name[CAGE_UNIT_BYTES])
{
    (void)cage_unit_innermost(path, name);
    return cage_unit_ends(name, ".service") && strncmp(name, "user@", 5) != 0;
}

bool cage_unit_find(const char *groups, char name[CAGE_UNIT_BYTES])
{
    static const char *const starts[] = {"0::", ":name=systemd:"};
    char path[CAGE_PATH_BYTES];

    for (size_t i = 0; i < ARRAY_COUNT(starts); i++) {
        const char *at = strstr(groups, starts[i]);
        if (!at || (i == 0 && at != groups && at[-1] != '\n'))
            continue;
        at += strlen(starts[i]);
        (void)snprintf(path, sizeof(path), "%.*s", (int)strcspn(at, "\n"), at);
        if (service_of(path, name))
            return true;
    }
    name[0] = 0;
    return false;
}

bool cage_unit_name(char name[CAGE_UNIT_BYTES])
{
    char groups[8192];

    name[0] = 0;
    return base_file_read_start(AT_FDCWD, "/proc/self/cgroup", groups, sizeof(groups)) == 0 &&
           cage_unit_find(groups, name);
}

/* --- the session --- */

const char *cage_runtime_folder(void)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    struct stat st;

    if (!folder || folder[0] != '/')
        return NULL;
    if (stat(folder, &st) == 0 && st.st_uid != geteuid() && access(folder, W_OK | X_OK) < 0)
        return NULL;
    return folder;
}

/* --- the filter --- */

enum {
    ENDS = 1 << 0,    /* what the kernel itself answers may be what a filter answers: only being ended for it tells */
    NATIVELY = 1 << 1 /* a kernel may have no such call */
};

/* What a cage's processes call that filters of services and containers leave out. */
static const struct {
    const char *name;
    long number;
    unsigned flags;
    long arguments[5];
} calls[] = {
    {"unshare",
     SYS_unshare,
     ENDS,
     {CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWUTS}}, /* first: the rest is asked in there */
    {"clone3", SYS_clone3, 0, {0, 0}},
    {"landlock_create_ruleset", SYS_landlock_create_ruleset, NATIVELY, {0, 0, LANDLOCK_CREATE_RULESET_VERSION}},
    {"landlock_add_rule", SYS_landlock_add_rule, NATIVELY, {-1, 1, 0, ~0u}},
    {"landlock_restrict_self", SYS_landlock_restrict_self, NATIVELY, {-1, ~0u}},
    {"seccomp", SYS_seccomp, 0, {~0u}},
    {"fsopen", SYS_fsopen, 0, {0, ~0u}},
    {"fsconfig", SYS_fsconfig, 0, {-1}},
    {"fsmount", SYS_fsmount, 0, {-1, ~0u}},
    {"fspick", SYS_fspick, 0, {-1, 0, ~0u}},
    {"open_tree", SYS_open_tree, 0, {-1, 0, ~0u}},
    {"move_mount", SYS_move_mount, 0, {-1, 0, -1, 0, ~0u}},
    {"mount_setattr", SYS_mount_setattr, 0, {-1, 0, ~0u}},
    {"pivot_root", SYS_pivot_root, 0, {0, 0}},
    {"umount2", SYS_umount2, 0, {0, ~0u}},
    {"sethostname", SYS_sethostname, 0, {0, -1}},
    {"setgroups", SYS_setgroups, ENDS, {~0u, 0}},
    {"setresuid", SYS_setresuid, ENDS, {-1, -1, -1}},
    {"setresgid", SYS_setresgid, ENDS, {-1, -1, -1}},
    {"capset", SYS_capset, 0, {0, 0}},
    {"close_range", SYS_close_range, 0, {1, 0, 0}},
    {"memfd_create", SYS_memfd_create, 0, {0, ~0u}},
    {"pidfd_open", SYS_pidfd_open, 0, {-1}},
    {"pidfd_getfd", SYS_pidfd_getfd, 0, {-1, -1}},
    {"pidfd_send_signal", SYS_pidfd_send_signal, 0, {-1, 0}},
};

/* The signal that ended a fork in which @what was done; 0: it did it, or there was none. */
static int signal_in_fork(void (*what)(void *argument), void *argument)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        (void)kernel_prctl(PR_SET_DUMPABLE, 0, 0); /* no handler of crashes has to do with it */
        what(argument);
        kernel_exit(0);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 0;
    return child > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

struct asked {
    unsigned from;        /* which call is made first */
    volatile unsigned at; /* and which now */
    volatile uint64_t refused;
    volatile bool in_namespaces;
};

/* In a fork: all from that on. In namespaces of its own the kernel refuses none of them for want of a right. */
static void ask(void *argument)
{
    struct asked *asked = argument;

    (void)kernel_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
    if (asked->from > 0 && asked->in_namespaces)
        (void)kernel_unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWUTS);
    for (unsigned i = asked->from; i < ARRAY_COUNT(calls); i++) {
        const long *arguments = calls[i].arguments;
        asked->at = i;
        int r =
            (int)kernel_call(calls[i].number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], 0);
        if (i == 0)
            asked->in_namespaces = r == 0;
        else if (!(calls[i].flags & ENDS) &&
                 ((r == -EPERM && asked->in_namespaces) || (r == -ENOSYS && !(calls[i].flags & NATIVELY))))
            asked->refused |= UINT64_C(1) << i;
    }
}

void cage_filter_refuses(char *text, size_t text_bytes)
{
    struct asked *asked = kernel_mmap_shared(sizeof(*asked));
    size_t used = 0;

    text[0] = 0;
    for (; asked && asked->from < ARRAY_COUNT(calls) && signal_in_fork(ask, asked) == SIGSYS;
         asked->from = asked->at + 1)
        asked->refused |= UINT64_C(1) << asked->at;
    for (unsigned i = 0; asked && i < ARRAY_COUNT(calls) && used < text_bytes; i++)
        if (asked->refused >> i & 1)
            used += (size_t)snprintf(text + used, text_bytes - used, "%s%s", used ? " " : "", calls[i].name);
    if (asked)
        (void)munmap(asked, sizeof(*asked));
}

static void ask_landlock(void *argument)
{
    (void)argument;
    (void)kernel_landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

int cage_filter_landlock(void)
{
    return signal_in_fork(ask_landlock, NULL) ? -ENOSYS : 0;
}

/* --- a kernel that is too old --- */

/* A newer one on which a filter answers so is not meant, nor an old one to which the call was added. */
bool cage_kernel_blame(struct base_err *err)
{
    const struct cage_kernel_row *row;
    struct utsname name;

    row = uname(&name) < 0 ? NULL : cage_kernel_needs(name.release);
    if (!row || kernel_mount_setattr(-1, "", 0, NULL) != -ENOSYS)
        return false;
    (void)base_err_set(err, BASE_E_SETUP, "kernel",
                       "Linux %.64s is too old: it has not %s, and no cage is made without", name.release, row->word);
    (void)base_err_remedy(err, "Linux %s or later: docs/kernels.md", row->since);
    return true;
}

/* --- namespaces that are not to be had --- */

/* A number of /proc/sys, or -1. */
static long setting(const char *path)
{
    char text[32];
    long value;

    if (base_file_read_start(AT_FDCWD, path, text, sizeof(text)) < 0 || sscanf(text, "%ld", &value) != 1)
        return -1;
    return value;
}

/* "NAME (enforce)", "unconfined": what AppArmor says of this process; empty where there is none. */
static void read_label(char label[CAGE_UNIT_BYTES])
{
    if (access("/sys/module/apparmor", F_OK) < 0 ||
        base_file_read_start(AT_FDCWD, "/proc/self/attr/current", label, CAGE_UNIT_BYTES) < 0)
        label[0] = 0;
    label[strcspn(label, "\n")] = 0;
}

/* Cuts @label to the name of its profile; false where there is none, or one that confines nothing. */
static bool is_confined(char label[CAGE_UNIT_BYTES])
{
    char *mode = strstr(label, " (");

    if (!mode || strcmp(mode, " (unconfined)") == 0)
        return false;
    *mode = 0;
    return true;
}

/* The kind of namespace of which nobody may have one. */
static const char *switched_off(void)
{
    static const char *const kinds[] = {"user", "pid", "mnt", "net", "ipc", "uts", "cgroup"};
    char path[64];

    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        (void)snprintf(path, sizeof(path), "/proc/sys/user/max_%s_namespaces", kinds[i]);
        if (setting(path) == 0)
            return kinds[i];
    }
    return NULL;
}

bool cage_namespaces_blame(struct base_err *err)
{
    char label[CAGE_UNIT_BYTES];
    const char *kind = switched_off();

    read_label(label);
    if (geteuid() != 0 && setting("/proc/sys/kernel/unprivileged_userns_clone") == 0) {
        (void)base_err_set(err, BASE_E_SETUP, "namespaces", "only root may make user namespaces here");
        (void)base_err_remedy(err, "as root: sysctl -w kernel.unprivileged_userns_clone=1");
    } else if (kind) {
        (void)base_err_set(err, BASE_E_SETUP, "namespaces", "nobody may make %s namespaces here", kind);
        (void)base_err_remedy(err, "as root: sysctl -w user.max_%s_namespaces=10000", kind);
    } else if (is_confined(label)) {
        (void)base_err_set(err, BASE_E_SETUP, "namespaces",
                           "this process is in the AppArmor profile %.64s, which gives "
                           "them no rights, or refuses them",
                           label);
        (void)base_err_remedy(err, "a profile for fumehood that grants userns: docs/systemd.md#apparmor");
    } else if (geteuid() != 0 && strcmp(label, "unconfined") == 0 &&
               setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1) {
        (void)base_err_set(err, BASE_E_SETUP, "namespaces",
                           "AppArmor gives the namespaces of programs without a profile no rights here");
        (void)base_err_remedy(err, "as root, for fumehood alone: install its profile, docs/systemd.md#apparmor");
    } else {
        return false;
    }
    return true;
}

/* --- how to mend it --- */

const char *cage_engine_remedy(void)
{
    return "a container needs --security-opt seccomp=fumehood-seccomp.json (scripts/container-seccomp.py makes it), "
           "--security-opt systempaths=unconfined and, where AppArmor is, --security-opt apparmor=unconfined, then "
           "--if-available: docs/containers.md";
}

int cage_outer_remedy(const char *setting, struct base_err *err)
{
    char unit[CAGE_UNIT_BYTES], names[256];
    bool is_unit = cage_unit_name(unit);

    if (is_unit && setting)
        return base_err_remedy(err, "%s in %s: docs/systemd.md", setting, unit);
    cage_filter_refuses(names, sizeof(names));
    if (!is_unit)
        return base_err_remedy(err, "%s%s%s", cage_engine_remedy(), *names ? "; refused: " : "", names);
    if (!*names)
        return base_err_remedy(err,
                               "RestrictNamespaces=no, ProtectHostname=no and no SystemCallFilter= in %s: "
                               "docs/systemd.md",
                               unit);
    return base_err_remedy(err, "SystemCallFilter=%s in %s, beside what it has: docs/systemd.md", names, unit);
}

/* What a unit of systemd says to have it so, where one setting does. */
static const char *setting_of(unsigned step)
{
    switch (step) {
    case CAGE_STEP_PROC_MASKED:
        return "ProcSubset=pid beside ProtectKernelTunables= and ProtectKernelLogs=, or neither of these,";
    case CAGE_STEP_UTS_NS:
        return "ProtectHostname=no";
    default:
        return NULL;
    }
}

void cage_outer_blame(unsigned step, int sys_errno, struct base_err *err)
{
    bool denied = sys_errno == EPERM || sys_errno == EACCES;

    if (sys_errno == ENOSYS && cage_kernel_blame(err))
        return;
    if (denied && (step < CAGE_STEP_MAX || step == CAGE_AT_START) && cage_namespaces_blame(err))
        return;
    if ((denied || sys_errno == ENOSYS || sys_errno == ESRCH) &&
        (step == CAGE_STEP_PROC_MASKED || cage_host_is_filtered()))
        (void)cage_outer_remedy(setting_of(step), err);
}
