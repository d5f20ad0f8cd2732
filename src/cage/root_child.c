/* root_child.c - the places of a cage's root: its folders, links and small files, and what mounts stand on
 *
 * Runs in: the cage's first process; and the supervisor, for a root that is to stand ready (ready_priv.c). Must not:
 * allocate, mount.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include "cage/kernel.h"
#include "cage/plain.h"
#include <errno.h>

struct entry {
    mode_t mode;
    const char *path, *text; /* what a file holds, or where a link leads; NULL: nothing */
};

/* The few names that C libraries ask for. Looking up a host is left to try the network: so it is denied, and named.
 * Files without text are something to mount on. */
static const struct entry fixed[] = {
    {S_IFDIR | 0755, "usr", NULL},
    {S_IFDIR | 0755, "etc", NULL},
    {S_IFDIR | 0755, "etc/alternatives", NULL},
    {S_IFDIR | 0755, "dev", NULL},
    {S_IFDIR | 0755, "dev/pts", NULL},
    {S_IFDIR | 0755, "dev/shm", NULL},
    {S_IFDIR | 0755, "proc", NULL},
    {S_IFDIR | 0755, "scratch", NULL},
    {S_IFDIR | 0755, "work", NULL},
    {S_IFDIR | 0755, "tmp", NULL},
    {S_IFREG | 0644, "etc/passwd", "root:x:0:0:root:/:/usr/sbin/nologin\nguest:x:1000:1000:guest:/work:/bin/sh\n"},
    {S_IFREG | 0644, "etc/group", "root:x:0:\nguest:x:1000:\n"},
    {S_IFREG | 0644, "etc/hosts", "127.0.0.1 localhost\n::1 localhost\n127.0.1.1 " CAGE_HOSTNAME "\n"},
    {S_IFREG | 0644, "etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
    {S_IFREG | 0644, "etc/ld.so.cache", NULL},
    {S_IFREG | 0666, "dev/null", NULL},
    {S_IFREG | 0666, "dev/zero", NULL},
    {S_IFREG | 0666, "dev/full", NULL},
    {S_IFREG | 0666, "dev/random", NULL},
    {S_IFREG | 0666, "dev/urandom", NULL},
    {S_IFLNK, "dev/ptmx", "pts/ptmx"},
    {S_IFLNK, "dev/fd", "/proc/self/fd"},
    {S_IFLNK, "dev/stdin", "/proc/self/fd/0"},
    {S_IFLNK, "dev/stdout", "/proc/self/fd/1"},
    {S_IFLNK, "dev/stderr", "/proc/self/fd/2"},
};

/* --- what of it depends on the machine --- */

const char *cage_root_top(unsigned i)
{
    static const char *const top[CAGE_ROOT_TOP] = {"bin", "sbin", "lib", "lib64"}; /* other ABIs cannot run */

    return top[i];
}

/* Merged systems have links into /usr, older ones folders of their own. */
static int look_at_top(const char *name, char target[CAGE_ROOT_LINK_BYTES])
{
    char path[16] = "/";
    int length;

    memcpy(path + 1, name, cage_text_length(name) + 1);
    length = kernel_readlink(AT_FDCWD, path, target, CAGE_ROOT_LINK_BYTES - 1);
    target[length > 0 ? length : 0] = 0;
    if (length > 0)
        return cage_text_starts(target, "usr/") || cage_text_starts(target, "/usr/") ? 0 : -EXDEV;
    if (length == -EINVAL)
        memcpy(target, CAGE_ROOT_FOLDER, sizeof(CAGE_ROOT_FOLDER));
    return length == -EINVAL || length == -ENOENT ? 0 : length;
}

/* "/etc/java-17-openjdk" of "/usr/lib/jvm/java-17-openjdk-amd64/bin/java"; false where that is another kind of path. */
static bool java_settings_of(const char *java, char *folder, size_t folder_bytes)
{
    static const char before[] = "/usr/lib/jvm/java-", middle[] = "-openjdk", etc[] = "/etc/java-";
    const char *version = java + sizeof(before) - 1, *at = version;
    size_t length;

    if (!cage_text_starts(java, before))
        return false;
    while (*at >= '0' && *at <= '9')
        at++;
    length = (size_t)(at - version);
    if (length == 0 || !cage_text_starts(at, middle) || sizeof(etc) + length + sizeof(middle) > folder_bytes)
        return false;
    memcpy(folder, etc, sizeof(etc) - 1);
    memcpy(folder + sizeof(etc) - 1, version, length);
    memcpy(folder + sizeof(etc) - 1 + length, middle, sizeof(middle));
    return true;
}

/* Debian's Java does not start without its settings, and has them in /etc. Those of the one that is called java get a
 * place of one name for all versions, which receipts can tell, and a link from where that version looks. */
static void look_for_java(struct cage_root *root)
{
    char java[128];
    struct stat st;
    int r = kernel_readlink(AT_FDCWD, "/etc/alternatives/java", java, sizeof(java) - 1);

    root->java[0] = 0;
    if (r < 0)
        return;
    java[r] = 0;
    if (!java_settings_of(java, root->java, sizeof(root->java)) || kernel_stat(AT_FDCWD, root->java, &st, 0) < 0 ||
        !S_ISDIR(st.st_mode))
        root->java[0] = 0;
}

int cage_root_look(struct cage_root *root)
{
    int r = 0;

    for (unsigned i = 0; i < CAGE_ROOT_TOP && r == 0; i++)
        r = look_at_top(cage_root_top(i), root->top[i]);
    look_for_java(root);
    return r;
}

/* --- all of it, one by one --- */

typedef int take_entry(const struct entry *entry, void *argument);

static int each_top(const struct cage_root *root, take_entry *take, void *argument)
{
    int r = 0;

    for (unsigned i = 0; i < CAGE_ROOT_TOP && r == 0; i++) {
        bool is_folder = cage_text_equal(root->top[i], CAGE_ROOT_FOLDER);
        const struct entry entry = {is_folder ? S_IFDIR | 0755 : S_IFLNK, cage_root_top(i),
                                    is_folder ? NULL : root->top[i]};
        r = root->top[i][0] ? take(&entry, argument) : 0;
    }
    return r;
}

static int each_of_java(const struct cage_root *root, take_entry *take, void *argument)
{
    const struct entry folder = {S_IFDIR | 0755, "etc/java", NULL}, link = {S_IFLNK, root->java + 1, "java"};
    int r = root->java[0] ? take(&folder, argument) : 0;

    return r < 0 || !root->java[0] ? r : take(&link, argument);
}

/* Folders that @before, the one placed last, has too are there. */
static int each_of_setting(const struct cage_setting *setting, const char *before, take_entry *take, void *argument)
{
    char path[sizeof(setting->at)];
    struct entry entry = {S_IFDIR | 0755, path + 1, NULL};
    bool is_new = false;
    int r = 0;

    memcpy(path, setting->at, sizeof(path));
    for (size_t i = 1; path[i] && r == 0; i++) {
        is_new = is_new || path[i] != before[i];
        if (path[i] != '/' || !is_new)
            continue;
        path[i] = 0;
        r = take(&entry, argument);
        path[i] = '/';
    }
    if (!setting->is_folder)
        entry.mode = S_IFREG | 0444;
    return r < 0 ? r : take(&entry, argument);
}

static int each_entry(const struct cage_root *root, take_entry *take, void *argument)
{
    const char *before = "/etc/";
    int r = 0;

    for (size_t i = 0; i < ARRAY_COUNT(fixed) && r == 0; i++)
        r = take(&fixed[i], argument);
    if (r == 0)
        r = each_top(root, take, argument);
    if (r == 0)
        r = each_of_java(root, take, argument);
    for (unsigned i = 0; i < root->count && r == 0; before = root->settings[i++].at)
        r = each_of_setting(&root->settings[i], before, take, argument);
    return r;
}

/* --- making them --- */

static int write_file(int dir_fd, const struct entry *entry)
{
    KERNEL_AUTO_CLOSE int fd =
        kernel_open(dir_fd, entry->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, entry->mode & ~(mode_t)S_IFMT);
    size_t count = cage_text_length(entry->text);
    long written = fd < 0 ? fd : kernel_write(fd, entry->text, count);

    return written < 0 ? (int)written : (size_t)written == count ? 0 : -EIO;
}

static int make(const struct entry *entry, void *argument)
{
    int root_fd = *(const int *)argument, r;

    if (S_ISLNK(entry->mode))
        return kernel_symlink(entry->text, root_fd, entry->path);
    if (entry->text)
        return write_file(root_fd, entry);
    if (S_ISREG(entry->mode))
        return kernel_mknod(root_fd, entry->path, entry->mode);
    r = kernel_mkdir(root_fd, entry->path, entry->mode & ~(mode_t)S_IFMT);
    return r == -EEXIST ? 0 : r; /* the folder of another setting */
}

int cage_root_make(const struct cage_root *root, int root_fd)
{
    return each_entry(root, make, &root_fd);
}

int cage_root_add_setting(int root_fd, const struct cage_setting *setting)
{
    return each_of_setting(setting, "/", make, &root_fd);
}

/* --- their name --- */

/* FNV-1a: who could make two roots of one name could as well change one. */
static void add_text(uint64_t *hash, const char *text)
{
    const char *at = text ? text : "";

    do
        *hash = (*hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    while (*at++);
}

static int add_to_hash(const struct entry *entry, void *argument)
{
    uint64_t *hash = argument;

    *hash = (*hash ^ entry->mode) * UINT64_C(0x100000001b3);
    add_text(hash, entry->path);
    add_text(hash, entry->text);
    return 0;
}

uint64_t cage_root_hash(const struct cage_root *root)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    (void)each_entry(root, add_to_hash, &hash);
    return hash | 1; /* 0 is none */
}

void cage_root_name(unsigned slot, uint64_t hash, char name[CAGE_ROOT_NAME_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    char *at = name;

    memcpy(at, CAGE_ROOT_PREFIX, sizeof(CAGE_ROOT_PREFIX) - 1);
    at += sizeof(CAGE_ROOT_PREFIX) - 1;
    *at++ = digits[slot % 10];
    *at++ = '-';
    for (unsigned shift = 64; shift > 0; shift -= 4)
        *at++ = digits[hash >> (shift - 4) & 15];
    *at = 0;
}
