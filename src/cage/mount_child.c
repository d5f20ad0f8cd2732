/* mount_child.c - the cage's file system
 *
 * Runs in: the cage's first process, in its own mount namespace.
 * Privilege: full in the cage's user namespace, none outside it.
 *
 * Theory of operation: a small tmpfs is the root, and turns read-only before it is entered. Host paths are cloned as
 * detached mounts, restricted while detached, and only then attached. The new root is first attached over the host's
 * /usr, which is there on every machine that can run a guest and whose clone has been taken before; pivot_root then
 * leaves nothing of the host reachable. A second tmpfs is all that a guest can write to: /work, /tmp and /dev/shm are
 * mounts of three folders of it, so that one size and one inode count bound everything that is stored.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include "cage/kernel.h"
#include "cage/plain.h"
#include <dirent.h>
#include <errno.h>
#include <sys/statvfs.h>

#define ATTR_ROOT    (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
#define ATTR_VIEW    (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
#define ATTR_DEVICE  (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC)
#define ATTR_SCRATCH (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
#define ATTR_DATA    (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

/* A new file system of @type with up to two settings (@settings: key, value, key, value, NULL), mounted nowhere. */
static int new_mount(const char *type, const char *const *settings, unsigned attributes)
{
    KERNEL_AUTO_CLOSE int fs_fd = kernel_fsopen(type);
    int r = fs_fd < 0 ? fs_fd : 0;

    for (; settings[0] && r == 0; settings += 2)
        r = kernel_fsconfig_text(fs_fd, settings[0], settings[1]);
    if (r == 0)
        r = kernel_fsconfig_create(fs_fd);
    return r < 0 ? r : kernel_fsmount(fs_fd, attributes);
}

/* A restricted clone of what is at @path, mounted nowhere. */
static int clone_mount(int dir_fd, const char *path, unsigned recursive, uint64_t attributes)
{
    KERNEL_AUTO_CLOSE int fd = kernel_open_tree(dir_fd, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | recursive);
    struct mount_attr attr = {.attr_set = attributes};
    int r = fd < 0 ? fd : kernel_mount_setattr(fd, "", AT_EMPTY_PATH | recursive, &attr);

    return r < 0 ? r : TAKE_FD(fd);
}

static int attach(int from_fd, int root_fd, const char *path)
{
    return kernel_move_mount(from_fd, root_fd, path);
}

static int bind_view(const char *from, int root_fd, const char *to, unsigned recursive, uint64_t attributes)
{
    KERNEL_AUTO_CLOSE int fd = clone_mount(AT_FDCWD, from, recursive, attributes);

    return fd < 0 ? fd : attach(fd, root_fd, to);
}

/* --- settings --- */

#define SPARE_FDS 12 /* for all that is done before these have their places */

/* Clones of settings that have no place yet, and what else of the machine the root depends on. */
static struct {
    uint64_t fds;  /* only numbers below this are used for it */
    unsigned next; /* the row that was not looked at for want of descriptors */
    int usr_fd;    /* the clone of /usr, until it has its place */
    struct cage_root root;
} taken;

/* What cannot be restricted is not shown. */
static int take_setting(const struct cage_setting *setting, void *argument)
{
    KERNEL_AUTO_CLOSE int fd = setting->fd;
    struct mount_attr attr = {.attr_set = ATTR_VIEW | MOUNT_ATTR_NOEXEC};
    struct cage_root *root = &taken.root;

    (void)argument;
    if ((uint64_t)fd >= taken.fds)
        return -EMFILE;
    if (root->count == CAGE_SETTINGS_MAX || kernel_mount_setattr(fd, "", AT_EMPTY_PATH, &attr) < 0)
        return 0;
    root->settings[root->count] = *setting;
    root->settings[root->count++].fd = TAKE_FD(fd);
    return 0;
}

/* A row comes as a whole or not at all. */
static void take_settings(uint64_t fds)
{
    struct cage_root *root = &taken.root;

    taken.fds = fds;
    taken.next = cage_settings_look(taken.next, true, take_setting, NULL);
    while (root->count > 0 && root->settings[root->count - 1].row == taken.next)
        (void)kernel_close(root->settings[--root->count].fd);
}

int cage_mount_take_settings(struct cage_context *context)
{
    struct rlimit limit = {0};

    (void)context;
    (void)kernel_rlimit(RLIMIT_NOFILE, NULL, &limit); /* it could before */
    take_settings(limit.rlim_cur > SPARE_FDS ? limit.rlim_cur - SPARE_FDS : 0);
    return 0;
}

static int place_setting(struct cage_context *context, const struct cage_setting *setting)
{
    KERNEL_AUTO_CLOSE int fd = setting->fd;
    int r = attach(fd, context->root_fd, setting->at + 1);

    if (r == 0)
        context->report->settings |= UINT64_C(1) << setting->row;
    return r;
}

/* Where there are few descriptors, in several turns; of the first the places were made with the root. */
static int place_settings(struct cage_context *context)
{
    struct cage_root *root = &taken.root;
    bool is_made = true;
    int r = 0;

    while (r == 0 && (root->count > 0 || cage_settings_path(taken.next))) {
        for (unsigned i = 0; i < root->count && r == 0; i++) {
            r = is_made ? 0 : cage_root_add_setting(context->root_fd, &root->settings[i]);
            r = r < 0 ? r : place_setting(context, &root->settings[i]);
        }
        root->count = 0;
        is_made = false;
        take_settings(UINT64_MAX);
        taken.next +=
            root->count == 0 && cage_settings_path(taken.next); /* it has more than there will ever be room for */
    }
    return r;
}

/* --- own root, with the toolchain view that must be cloned before the root covers it --- */

static int new_root(void)
{
    static const char *const settings[] = {"mode", "0755", "size", "1M", NULL};
    KERNEL_AUTO_CLOSE int fd = new_mount("tmpfs", settings, ATTR_ROOT);
    int r = fd < 0 ? fd : cage_root_make(&taken.root, fd);

    return r < 0 ? r : TAKE_FD(fd);
}

/* The folder that the supervisor means, whatever stands on the way to it here. */
static int open_ready_folder(const struct cage_ready *ready)
{
    KERNEL_AUTO_CLOSE int fd = kernel_open(AT_FDCWD, ready->folder, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
    struct stat st;
    int r = fd < 0 ? fd : kernel_stat(fd, "", &st, AT_EMPTY_PATH);

    if (r < 0)
        return r;
    return st.st_dev == ready->dev && st.st_ino == ready->ino ? TAKE_FD(fd) : -ESTALE;
}

/* One that is just as ours would be, where it stands ready; only root can have put it there. */
static int ready_root(struct cage_context *context)
{
    const struct cage_ready *ready = &context->shared->ready;
    KERNEL_AUTO_CLOSE int folder_fd = -1;
    KERNEL_AUTO_CLOSE int fd = -1;
    char name[CAGE_ROOT_NAME_BYTES];
    struct mount_attr attr = {.attr_set = ATTR_VIEW};
    struct stat st;
    int r;

    if (!ready->may || cage_settings_path(taken.next))
        return -ENOENT;
    context->report->root = cage_root_hash(&taken.root);
    folder_fd = open_ready_folder(ready);
    if (folder_fd < 0)
        return folder_fd;
    cage_root_name(ready->slot, context->report->root, name);
    fd = kernel_open_tree(folder_fd, name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
    r = fd < 0 ? fd : kernel_stat(fd, "", &st, AT_EMPTY_PATH);
    if (r == 0 && st.st_mode != (S_IFDIR | 0755))
        r = -ESTALE;
    if (r == 0)
        r = kernel_mount_setattr(fd, "", AT_EMPTY_PATH, &attr);
    return r < 0 ? r : TAKE_FD(fd);
}

static int find_root(struct cage_context *context)
{
    int r = cage_root_look(&taken.root), fd;

    if (r < 0)
        return r;
    fd = ready_root(context);
    context->root_stood_ready = fd >= 0;
    context->report->root_stood = fd >= 0;
    return fd >= 0 ? fd : new_root();
}

int cage_mount_own_root(struct cage_context *context)
{
    KERNEL_AUTO_CLOSE int usr_fd = clone_mount(AT_FDCWD, "/usr", AT_RECURSIVE, ATTR_VIEW);
    KERNEL_AUTO_CLOSE int root_fd = -1;
    int r;

    if (usr_fd < 0)
        return usr_fd;
    root_fd = find_root(context);
    if (root_fd < 0)
        return root_fd;
    r = attach(root_fd, AT_FDCWD, "/usr");
    if (r < 0)
        return r;
    context->root_fd = TAKE_FD(root_fd);
    taken.usr_fd = TAKE_FD(usr_fd);
    return 0;
}

/* --- host view --- */

static int bind_top(int root_fd, unsigned i)
{
    char path[16] = "/";
    const char *name = cage_root_top(i);

    memcpy(path + 1, name, cage_text_length(name) + 1);
    return cage_text_equal(taken.root.top[i], CAGE_ROOT_FOLDER)
               ? bind_view(path, root_fd, name, AT_RECURSIVE, ATTR_VIEW)
               : 0;
}

/* Debian's tools are links through /etc/alternatives; other systems do not have it. */
static int bind_view_if_there(const char *from, int root_fd, const char *to)
{
    int r = bind_view(from, root_fd, to, 0, ATTR_VIEW);

    return r == -ENOENT ? 0 : r;
}

int cage_mount_host_view(struct cage_context *context)
{
    KERNEL_AUTO_CLOSE int usr_fd = taken.usr_fd;
    int root_fd = context->root_fd, r = attach(usr_fd, root_fd, "usr");

    for (unsigned i = 0; i < CAGE_ROOT_TOP && r == 0; i++)
        r = bind_top(root_fd, i);
    if (r == 0)
        r = bind_view_if_there("/etc/ld.so.cache", root_fd, "etc/ld.so.cache");
    if (r == 0)
        r = bind_view_if_there("/etc/alternatives", root_fd, "etc/alternatives");
    if (r == 0 && taken.root.java[0])
        r = bind_view(taken.root.java, root_fd, "etc/java", 0, ATTR_VIEW | MOUNT_ATTR_NOEXEC);
    return r == 0 ? place_settings(context) : r;
}

/* --- devices --- */

/* Terminals of its own, some of those that the machine has for all. The mount is read only: what opens and closes a
 * terminal needs no more, and nothing about it can be left for the next run. A kernel may have none. */
static int add_terminals(int root_fd)
{
    static const char *const settings[] = {"max", CAGE_TERMINALS_MAX, "ptmxmode", "0666", NULL};
    KERNEL_AUTO_CLOSE int fd = new_mount("devpts", settings, ATTR_DEVICE);

    if (fd < 0)
        return fd == -ENODEV ? 0 : fd;
    return attach(fd, root_fd, "dev/pts");
}

int cage_mount_devices(struct cage_context *context)
{
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
    int r;

    for (size_t i = 0; i < ARRAY_COUNT(devices); i++)
        if ((r = bind_view(devices[i], context->root_fd, devices[i] + 1, 0, ATTR_DEVICE)) < 0)
            return r;
    return add_terminals(context->root_fd);
}

/* --- proc --- */

/* ptraceable: processes that the guest may not look into, such as the cage's first, are not even listed. */
static int new_proc(const struct cage_context *context)
{
    static const char *const settings[] = {"hidepid", "ptraceable", "subset", "pid", NULL};
    static const char *const whole[] = {"hidepid", "ptraceable", NULL};

    return new_mount("proc", context->host->shows_machine ? whole : settings,
                     MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
}

/* What is shown of the machine where the policy wants it; links (self, net, mounts) lead to processes. */
static bool is_shown(const struct dirent64 *entry)
{
    static const char *const shown[] = {"cpuinfo", "filesystems", "loadavg", "meminfo",
                                        "stat",    "uptime",      "version", "vmstat"};
    const char *name = entry->d_name;

    if (name[0] == '.' || (name[0] >= '0' && name[0] <= '9') || entry->d_type == DT_LNK)
        return true;
    for (size_t i = 0; i < ARRAY_COUNT(shown); i++)
        if (cage_text_equal(name, shown[i]))
            return true;
    return false;
}

/* Where to: the root that is being built, or ours. */
struct proc_place {
    int dir_fd;
    const char *proc, *null;
    char folder[280]; /* the first that was covered, by what covers all */
};

static int cover_folder(struct proc_place *place, const char *path)
{
    static const char *const empty[] = {"mode", "0555", "size", "4096", NULL};
    KERNEL_AUTO_CLOSE int fd = place->folder[0] ? clone_mount(place->dir_fd, place->folder, 0, ATTR_VIEW)
                                                : new_mount("tmpfs", empty, ATTR_VIEW | MOUNT_ATTR_NOEXEC);

    if (fd < 0)
        return fd;
    if (!place->folder[0])
        memcpy(place->folder, path, cage_text_length(path) + 1);
    return attach(fd, place->dir_fd, path);
}

static int cover(struct proc_place *place, const struct dirent64 *entry)
{
    size_t length = cage_text_length(place->proc);
    KERNEL_AUTO_CLOSE int fd = -1;
    char path[sizeof(place->folder)];

    if (is_shown(entry))
        return 0;
    memcpy(path, place->proc, length);
    path[length] = '/';
    memcpy(path + length + 1, entry->d_name, cage_text_length(entry->d_name) + 1);
    if (entry->d_type == DT_DIR)
        return cover_folder(place, path);
    fd = clone_mount(place->dir_fd, place->null, 0, ATTR_DEVICE);
    return fd < 0 ? fd : attach(fd, place->dir_fd, path);
}

/* All that is not shown, whatever this kernel has, is covered. */
static int cover_rest(const struct cage_context *context, struct proc_place *place)
{
    KERNEL_AUTO_CLOSE int fd = -1;
    char entries[4096] __attribute__((aligned(8)));
    const struct dirent64 *entry;
    long count;
    int r = 0;

    if (!context->host->shows_machine)
        return 0;
    fd = kernel_open(place->dir_fd, place->proc, O_DIRECTORY | O_RDONLY, 0);
    if (fd < 0)
        return fd;
    while (r == 0 && (count = KERNEL(SYS_getdents64, fd, entries, sizeof(entries))) > 0)
        for (long at = 0; at < count && r == 0; at += entry->d_reclen) {
            entry = (const void *)(entries + at);
            r = cover(place, entry);
        }
    return r == 0 && count < 0 ? (int)count : r;
}

int cage_mount_proc(struct cage_context *context)
{
    struct proc_place place = {context->root_fd, "proc", "dev/null", ""};
    KERNEL_AUTO_CLOSE int fd = new_proc(context);
    int r = fd < 0 ? fd : attach(fd, context->root_fd, "proc");

    return r < 0 ? r : cover_rest(context, &place);
}

int cage_mount_proc_over(struct cage_context *context)
{
    struct proc_place place = {AT_FDCWD, "/proc", "/dev/null", ""};
    KERNEL_AUTO_CLOSE int fd = new_proc(context);
    int r = fd < 0 ? fd : attach(fd, AT_FDCWD, "/proc");

    return r < 0 ? r : cover_rest(context, &place);
}

/* --- entering --- */

int cage_mount_enter(struct cage_context *context)
{
    struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};

    int r = kernel_mount_setattr(context->root_fd, "", AT_EMPTY_PATH, &read_only);

    if (r == 0)
        r = kernel_fchdir(context->root_fd);
    if (r == 0)
        r = kernel_pivot_root(".", ".");
    /* The old root now lies over the new one; let go of it with everything below. */
    if (r == 0)
        r = kernel_umount(".", KERNEL_MNT_DETACH);
    return r == 0 ? kernel_chdir("/") : r;
}

/* --- scratch --- */

static int add_scratch(int scratch_fd, const char *folder, mode_t mode, const char *at, uint64_t attributes)
{
    KERNEL_AUTO_CLOSE int fd = -1;
    int r = kernel_mkdir(scratch_fd, folder, mode);

    if (r == 0)
        r = kernel_chown(scratch_fd, folder, CAGE_GUEST_ID, CAGE_GUEST_ID);
    if (r < 0)
        return r;
    fd = clone_mount(scratch_fd, folder, 0, attributes);
    return fd < 0 ? fd : attach(fd, AT_FDCWD, at);
}

/* What is cloned of a mount must stand somewhere meanwhile. There it stays, closed, and nobody can open it again. */
int cage_mount_scratch(struct cage_context *context)
{
    /* Limits of some kind from the start: the guest's are set later (trim_scratch), and none cannot become one. */
    static const char *const settings[] = {"mode", "0", "size", "100%", NULL};
    struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
    KERNEL_AUTO_CLOSE int fd = new_mount("tmpfs", settings, ATTR_SCRATCH);
    int r = fd < 0 ? fd : attach(fd, AT_FDCWD, "/scratch");

    if (r == 0)
        r = add_scratch(fd, "work", 0755, "/work", ATTR_SCRATCH);
    if (r == 0)
        r = add_scratch(fd, "tmp", 01777, "/tmp", ATTR_SCRATCH);
    if (r == 0)
        r = add_scratch(fd, "shm", 01777, "/dev/shm", ATTR_DATA);
    if (r == 0)
        r = kernel_mount_setattr(fd, "", AT_EMPTY_PATH, &read_only);
    if (r == 0)
        r = kernel_chdir("/work");
    if (r == 0)
        context->scratch_fd = TAKE_FD(fd);
    return r;
}

/* --- inputs --- */

/* Make the folders of @path ("a/b/c" makes a and a/b) below @work_fd. */
static int make_parents(int work_fd, const char *path)
{
    char prefix[256];

    for (size_t length = 0; path[length]; length++) {
        if (path[length] != '/')
            continue;
        if (length >= sizeof(prefix))
            return -ENAMETOOLONG;
        memcpy(prefix, path, length);
        prefix[length] = 0;
        int r = kernel_mkdir(work_fd, prefix, 0755);
        if (r == 0)
            r = kernel_chown(work_fd, prefix, CAGE_GUEST_ID, CAGE_GUEST_ID);
        if (r < 0 && r != -EEXIST)
            return r;
    }
    return 0;
}

/* Its bytes, or the next ones of what the supervisor handed over. */
static int copy_file(int dir_fd, const struct cage_file *file, int from_fd)
{
    KERNEL_AUTO_CLOSE int fd =
        kernel_open(dir_fd, file->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, (mode_t)file->mode);
    size_t left = file->count;

    if (fd < 0)
        return fd;
    while (left > 0) {
        long copied = file->bytes ? kernel_write(fd, (const char *)file->bytes + file->count - left, left)
                                  : kernel_sendfile(fd, from_fd, left);
        if (copied <= 0)
            return copied < 0 ? (int)copied : -EIO;
        left -= (size_t)copied;
    }
    return 0;
}

static int add_input(int work_fd, const struct cage_file *file, int from_fd)
{
    int r = make_parents(work_fd, file->path);

    if (r == 0)
        r = copy_file(work_fd, file, from_fd);
    return r < 0 ? r : kernel_chown(work_fd, file->path, CAGE_GUEST_ID, CAGE_GUEST_ID);
}

/* "0" is this file system's word for unlimited; it never comes from a policy's number. */
static const char *size_text(const struct policy_limit *limit, uint64_t staged, char text[24])
{
    char *at = text + 23;
    uint64_t rest = limit->unlimited ? 0 : limit->value + staged;

    *at = 0;
    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    return at;
}

/* Now that it is known what the inputs take up, the guest gets its share to the byte and the inode. */
static int trim_scratch(const struct cage_context *context)
{
    const struct policy_limit *limits = context->terms->limits;
    KERNEL_AUTO_CLOSE int fs_fd = kernel_fspick(context->scratch_fd);
    const char *value;
    char text[24];
    int r;

    if (fs_fd < 0)
        return fs_fd;
    value = size_text(&limits[POLICY_LIMIT_SCRATCH_BYTES], context->staged_bytes, text);
    r = kernel_fsconfig_text(fs_fd, "size", value);
    if (r < 0)
        return r;
    value = size_text(&limits[POLICY_LIMIT_SCRATCH_INODES], context->staged_inodes, text);
    r = kernel_fsconfig_text(fs_fd, "nr_inodes", value);
    return r < 0 ? r : kernel_fsconfig_reconfigure(fs_fd);
}

int cage_mount_inputs(struct cage_context *context)
{
    const struct cage_order *order = context->order;
    KERNEL_AUTO_CLOSE int work_fd = kernel_open(AT_FDCWD, "/work", O_DIRECTORY | O_RDONLY, 0);
    struct statfs now;
    int r = work_fd < 0 ? work_fd : 0;

    if (r == 0 && order->has_files)
        r = (int)kernel_seek(context->ends[CAGE_END_FILES], 0, SEEK_SET);
    for (size_t i = 0; i < order->file_count && r == 0; i++)
        r = add_input(work_fd, &order->files[i], context->ends[CAGE_END_FILES]);
    if (r < 0)
        return r;
    r = kernel_fstatfs(context->scratch_fd, &now);
    if (r < 0)
        return r;
    context->staged_bytes = (uint64_t)(now.f_blocks - now.f_bfree) * (uint64_t)now.f_bsize;
    context->staged_inodes = now.f_files - now.f_ffree;
    return trim_scratch(context);
}

/* --- proofs: read back what the kernel has --- */

int cage_mount_number(uint64_t *ret_number)
{
    struct statx now;
    int r = KERNEL(SYS_statx, AT_FDCWD, "/", 0, STATX_MNT_ID, &now);

    if (r < 0)
        return r;
    *ret_number = now.stx_mnt_id;
    return now.stx_mask & STATX_MNT_ID ? 0 : -ENOSYS;
}

static int prove_flags(const char *path, unsigned long wanted, unsigned long type)
{
    struct statfs fs;
    int r = kernel_statfs(path, &fs);

    if (r < 0)
        return r;
    if (((unsigned long)fs.f_flags & wanted) != wanted || (type && (unsigned long)fs.f_type != type))
        return -EPERM;
    return 0;
}

#define TYPE_TMPFS 0x01021994UL
#define TYPE_PROC  0x9fa0UL

int cage_mount_prove_root(struct cage_context *context)
{
    struct stat root, held;
    int r = prove_flags("/", ST_RDONLY | ST_NOSUID | ST_NODEV, context->root_stood_ready ? 0 : TYPE_TMPFS);

    if (r < 0)
        return r;
    r = kernel_stat(AT_FDCWD, "/", &root, 0);
    if (r == 0)
        r = kernel_stat(context->root_fd, "", &held, AT_EMPTY_PATH);
    if (r < 0)
        return r;
    return root.st_dev == held.st_dev && root.st_ino == held.st_ino ? 0 : -EPERM;
}

int cage_mount_prove_view(struct cage_context *context)
{
    (void)context;
    return prove_flags("/usr", ST_RDONLY | ST_NOSUID | ST_NODEV, 0);
}

/* In a slot: no terminal of a former run is left. */
int cage_mount_prove_devices(struct cage_context *context)
{
    KERNEL_AUTO_CLOSE int fd = kernel_open(AT_FDCWD, "/dev/pts", O_DIRECTORY | O_RDONLY, 0);
    char entries[1024] __attribute__((aligned(8)));
    long count = fd < 0 ? fd : KERNEL(SYS_getdents64, fd, entries, sizeof(entries));
    const struct dirent64 *entry;

    (void)context;
    for (long at = 0; at < count; at += entry->d_reclen) {
        entry = (const void *)(entries + at);
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
            return -EBUSY;
    }
    return count < 0 ? (int)count : 0;
}

int cage_mount_prove_scratch(struct cage_context *context)
{
    int r = prove_flags("/work", ST_NOSUID | ST_NODEV, TYPE_TMPFS);

    (void)context;
    if (r == 0)
        r = prove_flags("/tmp", ST_NOSUID | ST_NODEV, TYPE_TMPFS);
    return r == 0 ? prove_flags("/dev/shm", ST_NOSUID | ST_NODEV | ST_NOEXEC, TYPE_TMPFS) : r;
}

int cage_mount_prove_proc(struct cage_context *context)
{
    if (context->host->shows_machine && (kernel_exists("/proc/sys/kernel") || !kernel_exists("/proc/stat")))
        return -EPERM;
    if (!context->host->shows_machine && (kernel_exists("/proc/sys") || kernel_exists("/proc/kcore")))
        return -EPERM;
    return prove_flags("/proc", ST_NOSUID | ST_NODEV | ST_NOEXEC, TYPE_PROC);
}
