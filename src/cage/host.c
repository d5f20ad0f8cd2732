/* host.c - what this machine can enforce
 *
 * Looks, never changes anything. A run asks this once; `doctor` prints it.
 */
#include "base/cleanup.h"
#include "cage/cage.h"
#include "cage/kernel.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Above all ranges that distributions hand out for users, services and containers. */
#define UID_BASE 0x70000000u
#define UID_SLOTS 16384u

static int read_text(const char *path, char *text, size_t text_bytes)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count;

    if (fd < 0)
        return -errno;
    count = read(fd, text, text_bytes - 1);
    if (count < 0)
        return -errno;
    text[count] = 0;
    return 0;
}

/* True when /proc/self/PATH maps all of [first, first + count) one to one. Where we live in a user namespace ourselves,
 * the ids that we may give away are those that it has. */
static bool ids_are_mapped(const char *path, uint64_t first, uint64_t count)
{
    char text[4096];
    char *line, *rest = text;

    if (read_text(path, text, sizeof(text)) < 0)
        return false;
    while ((line = strsep(&rest, "\n")) && *line) {
        unsigned long long inside, outside, length;
        if (sscanf(line, "%llu %llu %llu", &inside, &outside, &length) != 3)
            return false;
        if (inside <= first && first + count <= inside + length)
            return true;
    }
    return false;
}

static bool has_capability(unsigned capability)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {0};

    if (syscall(SYS_capget, &header, data) < 0)
        return false;
    return data[capability / 32].effective & (1u << (capability % 32));
}

static void probe_identity(struct cage_host *host)
{
    static const unsigned bases[] = {UID_BASE, 50000};

    if (geteuid() != 0 || !has_capability(CAP_SETUID) || !has_capability(CAP_SETGID))
        return;
    for (size_t i = 0; i < ARRAY_COUNT(bases); i++) {
        unsigned slots = i == 0 ? UID_SLOTS : 4096;
        if (!ids_are_mapped("/proc/self/uid_map", bases[i], 2 * (uint64_t)slots) ||
            !ids_are_mapped("/proc/self/gid_map", bases[i], 2 * (uint64_t)slots))
            continue;
        host->privileged = true;
        host->uid_base = bases[i];
        host->uid_slots = slots;
        return;
    }
}

/* The kernel has no call that tells all at once. */
static uint64_t probe_ignored_signals(void)
{
    char text[4096];
    const char *at = NULL;
    unsigned long long mask;

    if (read_text("/proc/self/status", text, sizeof(text)) == 0)
        at = strstr(text, "\nSigIgn:");
    return at && sscanf(at + 8, "%llx", &mask) == 1 ? mask : UINT64_MAX; /* unknown: reset every one */
}

static const char *const controller_names[CAGE_CONTROLLER_MAX] = {"pids", "memory", "cpu", "cpuacct"};

static bool list_has(const char *list, const char *word, const char *separators)
{
    size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at += length) {
        bool starts = at == list || strchr(separators, at[-1]);
        bool ends = at[length] == 0 || strchr(separators, at[length]);
        if (starts && ends)
            return true;
    }
    return false;
}

/* Where new groups go: below our own group, so that limits on us hold for cages too. In a cgroup namespace or a
 * container the path of /proc/self/cgroup may not exist below the mount; then the mount's root is our own group. */
static bool set_parent(char *parent, const char *mount, const char *own)
{
    struct stat st;

    if (snprintf(parent, CAGE_PATH_BYTES, "%s%s", mount, strcmp(own, "/") == 0 ? "" : own) >= CAGE_PATH_BYTES)
        return false;
    if (strstr(own, "/..") || stat(parent, &st) < 0)
        if (snprintf(parent, CAGE_PATH_BYTES, "%s", mount) >= CAGE_PATH_BYTES)
            return false;
    return access(parent, W_OK | X_OK) == 0;
}

/* The path of our group in the hierarchy that has @controller ("" for v2), from /proc/self/cgroup. */
static bool own_group(const char *groups, const char *controller, char *own, size_t own_bytes)
{
    char line[CAGE_PATH_BYTES + 64];

    for (const char *at = groups; *at;) {
        size_t length = strcspn(at, "\n");
        if (length < sizeof(line)) {
            memcpy(line, at, length);
            line[length] = 0;
            char *rest = line;
            (void)strsep(&rest, ":"); /* the hierarchy's number */
            const char *list = strsep(&rest, ":");
            if (rest && (*controller ? list_has(list, controller, ",") : *list == 0)) {
                (void)snprintf(own, own_bytes, "%s", rest);
                return true;
            }
        }
        at += length + (at[length] == '\n');
    }
    return false;
}

static void probe_v1_mount(struct cage_host *host, const char *mount, const char *options, const char *groups)
{
    char own[CAGE_PATH_BYTES];

    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++) {
        if (host->controllers[c] || !list_has(options, controller_names[c], ",") ||
            !own_group(groups, controller_names[c], own, sizeof(own)))
            continue;
        host->controllers[c] = set_parent(host->cgroup_parents[c], mount, own);
    }
}

/* On v2 the groups of a user lie below a group that was delegated to it. Root uses the top, where systemd enables
 * controllers for everybody. */
static void probe_v2_mount(struct cage_host *host, const char *mount, const char *groups)
{
    char own[CAGE_PATH_BYTES], parent[CAGE_PATH_BYTES], path[CAGE_PATH_BYTES + 32], list[512];

    if (!own_group(groups, "", own, sizeof(own)) || !set_parent(parent, mount, geteuid() == 0 ? "/" : own))
        return;
    (void)snprintf(path, sizeof(path), "%s/cgroup.controllers", parent);
    if (read_text(path, list, sizeof(list)) < 0 || !list_has(list, "memory", " \n") || !list_has(list, "pids", " \n"))
        return;
    memcpy(host->cgroup_parents[CAGE_PIDS], parent, sizeof(parent));
    host->manager = CAGE_MANAGER_V2;
    host->controllers[CAGE_PIDS] = host->controllers[CAGE_MEMORY] = host->controllers[CAGE_CPUACCT] = true;
    host->controllers[CAGE_CPU] = list_has(list, "cpu", " \n");
}

static void probe_cgroups(struct cage_host *host)
{
    AUTO_FCLOSE FILE *mounts = fopen("/proc/self/mounts", "re");
    char groups[8192], line[2048];

    if (!mounts || read_text("/proc/self/cgroup", groups, sizeof(groups)) < 0) {
        (void)snprintf(host->cgroup_why, sizeof(host->cgroup_why), "/proc does not show them");
        return;
    }
    while (fgets(line, sizeof(line), mounts)) {
        char *rest = line;
        (void)strsep(&rest, " ");
        const char *mount = strsep(&rest, " "), *type = strsep(&rest, " "), *options = strsep(&rest, " ");
        if (!options)
            continue;
        if (strcmp(type, "cgroup") == 0)
            probe_v1_mount(host, mount, options, groups);
        else if (strcmp(type, "cgroup2") == 0 && host->manager == CAGE_MANAGER_NONE)
            probe_v2_mount(host, mount, groups);
    }
    /* In a hybrid set-up the controllers are on one side only. */
    if (host->manager == CAGE_MANAGER_NONE && (host->controllers[CAGE_MEMORY] || host->controllers[CAGE_PIDS]))
        host->manager = CAGE_MANAGER_V1;
    if (host->manager == CAGE_MANAGER_NONE)
        (void)snprintf(host->cgroup_why, sizeof(host->cgroup_why), "no control group with memory and pids is writable here");
}

void cage_host_probe(struct cage_host *ret_host)
{
    int abi = kernel_landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

    *ret_host = (struct cage_host){.landlock_abi = abi > 0 ? abi : 0, .ignored_signals = probe_ignored_signals()};
    probe_identity(ret_host);
    probe_cgroups(ret_host);
}
