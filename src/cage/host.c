/* host.c - what this machine can enforce
 *
 * Looks, never changes anything. A run asks this once; `doctor` prints it.
 */
#include "base/cleanup.h"
#include "base/file.h"
#include "cage/cgroup.h"
#include "cage/ids.h"
#include "cage/kernel.h"
#include "cage/mutation.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#ifndef PR_GET_MDWE
#define PR_GET_MDWE 66
#endif

/* RLIM_INFINITY is the largest number, as wanted. */
static uint64_t hard_limit(int resource)
{
    struct rlimit limit;

    return kernel_rlimit(resource, NULL, &limit) < 0 ? UINT64_MAX : (uint64_t)limit.rlim_max;
}

static uint64_t soft_limit(int resource)
{
    struct rlimit limit;

    return kernel_rlimit(resource, NULL, &limit) < 0 ? UINT64_MAX : (uint64_t)limit.rlim_cur;
}

static void probe_hard_limits(struct cage_host *host)
{
    host->hard_address_space = hard_limit(RLIMIT_AS);
    host->hard_data_bytes = hard_limit(RLIMIT_DATA);
    host->hard_stack_bytes = hard_limit(RLIMIT_STACK);
    host->hard_core = hard_limit(RLIMIT_CORE);
    host->soft_processes = geteuid() == 0 ? UINT64_MAX : soft_limit(RLIMIT_NPROC);
    host->hard_open_files = hard_limit(RLIMIT_NOFILE);
    host->hard_file_bytes = hard_limit(RLIMIT_FSIZE);
    host->hard_processes = hard_limit(RLIMIT_NPROC);
    host->hard_cpu_s = hard_limit(RLIMIT_CPU);
}

/* Where it cannot be read, as if there were a handler: for that we have a way. A socket is one, too. */
static bool probe_core(void)
{
    char pattern[2] = "|";

    (void)base_file_read_start(AT_FDCWD, "/proc/sys/kernel/core_pattern", pattern, sizeof(pattern));
    return *pattern == '|' || *pattern == '@';
}

/* A filter that does not let this be asked is one. */
bool cage_host_is_filtered(void)
{
    return kernel_prctl(PR_GET_SECCOMP, 0, 0) != 0;
}

static const char *const controller_names[CAGE_CONTROLLER_MAX] = {"pids", "memory", "cpu", "cpuacct"};

bool cage_list_has(const char *list, const char *word, const char *separators)
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

/* The path of our group in the hierarchy that has @controller, on v1, from /proc/self/cgroup. */
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
            if (rest && cage_list_has(list, controller, ",")) {
                (void)snprintf(own, own_bytes, "%s", rest);
                return true;
            }
        }
        at += length + (at[length] == '\n');
    }
    return false;
}

/* Where every distribution mounts them. The list of all mounts would take longer to read than all of this. */
#define CGROUP_ROOT    "/sys/fs/cgroup"
#define TYPE_CGROUP_V1 0x27e0ebUL
#define TYPE_CGROUP_V2 0x63677270UL

static bool is_type(const char *path, unsigned long type)
{
    struct statfs fs;

    return statfs(path, &fs) == 0 && (unsigned long)fs.f_type == type;
}

bool cage_host_is_unified(void)
{
    return is_type(CGROUP_ROOT, TYPE_CGROUP_V2);
}

static void probe_v1(struct cage_host *host, const char *groups)
{
    char mount[64], own[CAGE_PATH_BYTES];

    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++) {
        (void)snprintf(mount, sizeof(mount), CGROUP_ROOT "/%s", controller_names[c]);
        if (is_type(mount, TYPE_CGROUP_V1) && own_group(groups, controller_names[c], own, sizeof(own)))
            host->controllers[c] = set_parent(host->cgroup_parents[c], mount, own);
    }
    if (host->controllers[CAGE_MEMORY] || host->controllers[CAGE_PIDS]) {
        host->manager = CAGE_MANAGER_V1;
        host->base = CAGE_BASE_OWN;
    }
}

static void probe_cgroups(struct cage_host *host)
{
    char groups[8192];

    if (base_file_read_start(AT_FDCWD, "/proc/self/cgroup", groups, sizeof(groups)) < 0)
        (void)snprintf(host->cgroup_why, sizeof(host->cgroup_why), "/proc does not show our control groups");
    else if ((host->cgroup_v2 = is_type(CGROUP_ROOT, TYPE_CGROUP_V2)))
        (void)snprintf(host->cgroup_why, sizeof(host->cgroup_why), "no control group was asked for");
    else
        probe_v1(host, groups);
    if (host->manager == CAGE_MANAGER_NONE && !host->cgroup_why[0])
        (void)snprintf(host->cgroup_why, sizeof(host->cgroup_why),
                       "no control group with memory and pids is writable below " CGROUP_ROOT);
}

/* Only what says that there is none counts as none: with any other failure the cage tries, and fails. */
static int probe_landlock(void)
{
    int abi = kernel_landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

    if (abi == -ENOSYS || abi == -EOPNOTSUPP)
        return 0;
    abi = abi < 1 ? 1 : abi > CAGE_LANDLOCK_KNOWN ? CAGE_LANDLOCK_KNOWN : abi;
    return cage_mutation_landlock(abi);
}

/* Said by the kernel, or, as by systemd before its release 253, done by a filter of system calls. */
static bool denies_code(bool has_filter)
{
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page;
    bool denied;

    if (kernel_prctl(PR_GET_MDWE, 0, 0) > 0) /* older kernels know nothing of it */
        return true;
    if (!has_filter)
        return false;
    page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    denied = page != MAP_FAILED && mprotect(page, bytes, PROT_READ | PROT_EXEC) < 0;
    if (page != MAP_FAILED)
        (void)munmap(page, bytes);
    return denied;
}

void cage_host_probe(struct cage_host *ret_host)
{
    *ret_host = (struct cage_host){.has_outer_filter = cage_host_is_filtered()};
    if (ret_host->has_outer_filter && cage_filter_landlock() < 0)
        cage_filter_refuses(ret_host->refused_calls, sizeof(ret_host->refused_calls));
    else
        ret_host->landlock_abi = probe_landlock();
    probe_hard_limits(ret_host);
    cage_ids_probe(ret_host);
    ret_host->core_is_piped = probe_core();
    ret_host->denies_code = denies_code(ret_host->has_outer_filter);
    probe_cgroups(ret_host);
    ret_host->is_bound = base_processors_bound() != NULL;
    if (ret_host->is_bound)
        ret_host->processors = *base_processors_bound();
}
