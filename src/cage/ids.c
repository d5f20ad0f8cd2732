/* ids.c - which ids the cages of this process get
 *
 * Looks, never changes anything. Started by root, each cage has two that nobody else has. An ordinary user's has the
 * user's own, and with it all further groups, which cannot be dropped then; so who is in such groups has ids mapped by
 * newuidmap and newgidmap, where these are there and the user has some to give away.
 */
#include "cage/ids.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "cage/kernel.h"
#include "cage/subids.h"
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Above all ranges that distributions hand out for users, services and containers. */
#define UID_BASE  0x70000000u
#define UID_SLOTS 16384u

/* --- what we are --- */

/* True when /proc/self/PATH maps all of [first, first + count) one to one. Where we live in a user namespace ourselves,
 * the ids that we may give away are those that it has. */
static bool ids_are_mapped(const char *path, uint64_t first, uint64_t count)
{
    char text[4096];
    char *line, *rest = text;

    if (base_file_read_start(AT_FDCWD, path, text, sizeof(text)) < 0)
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

static bool are_here(uint64_t first_user, uint64_t first_group, uint64_t count)
{
    return ids_are_mapped("/proc/self/uid_map", first_user, count) &&
           ids_are_mapped("/proc/self/gid_map", first_group, count);
}

static bool has_capability(unsigned capability)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {0};

    if (KERNEL(SYS_capget, &header, data) < 0)
        return false;
    return data[capability / 32].effective & (1u << (capability % 32));
}

/* The machine's own user namespace has this number on every kernel, and all ids. */
static bool has_all_ids(void)
{
    char name[32];
    int length = kernel_readlink(AT_FDCWD, "/proc/self/ns/user", name, sizeof(name) - 1);

    name[length > 0 ? length : 0] = 0;
    return strcmp(name, "user:[4026531837]") == 0;
}

/* Our own group, twice, is none. */
static bool has_further_groups(void)
{
    gid_t groups[2];
    int count = getgroups(0, NULL);

    return count > 1 || (count == 1 && getgroups(2, groups) == 1 && groups[0] != getegid());
}

/* --- root --- */

static void probe_root(struct cage_host *host)
{
    static const unsigned bases[] = {UID_BASE, 50000};
    bool all;

    if (!has_capability(CAP_SETUID) || !has_capability(CAP_SETGID))
        return;
    all = has_all_ids();
    for (size_t i = 0; i < ARRAY_COUNT(bases); i++) {
        unsigned slots = i == 0 ? UID_SLOTS : 4096;
        if (!all && !are_here(bases[i], bases[i], 2 * (uint64_t)slots))
            continue;
        host->privileged = host->has_own_ids = true;
        host->uid_base = host->gid_base = bases[i];
        host->uid_slots = slots;
        return;
    }
}

/* --- an ordinary user --- */

const char *cage_ids_program(enum cage_ids_program which)
{
    static const char *const paths[CAGE_IDS_PROGRAM_MAX][2] = {
        [CAGE_IDS_USERS] = {"/usr/bin/newuidmap", "/run/wrappers/bin/newuidmap"},
        [CAGE_IDS_GROUPS] = {"/usr/bin/newgidmap", "/run/wrappers/bin/newgidmap"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(paths[which]); i++)
        if (access(paths[which][i], X_OK) == 0)
            return paths[which][i];
    return NULL;
}

/* Root's, changed by nobody else, and with the rights of its file. */
static bool has_rights(const char *program)
{
    struct statvfs fs;
    struct stat st;

    if (stat(program, &st) < 0 || statvfs(program, &fs) < 0 || !S_ISREG(st.st_mode) || st.st_uid != 0 ||
        (st.st_mode & (S_IWGRP | S_IWOTH)) || (fs.f_flag & ST_NOSUID))
        return false;
    return (st.st_mode & S_ISUID) || getxattr(program, "security.capability", NULL, 0) > 0;
}

static enum cage_stay ask_programs(void)
{
    const char *users = cage_ids_program(CAGE_IDS_USERS), *groups = cage_ids_program(CAGE_IDS_GROUPS);

    if (!users || !groups)
        return CAGE_STAY_NO_PROGRAM;
    if (kernel_prctl(PR_GET_NO_NEW_PRIVS, 0, 0) != 0)
        return CAGE_STAY_NO_NEW_PRIVS;
    if (!has_rights(users) || !has_rights(groups) || kernel_prctl(PR_CAPBSET_READ, CAP_SETUID, 0) != 1 ||
        kernel_prctl(PR_CAPBSET_READ, CAP_SETGID, 0) != 1)
        return CAGE_STAY_NO_RIGHTS;
    return CAGE_STAY_NOT;
}

/* What the two programs look at of whose ids they map; and in a namespace that has let it go, nobody sets groups. */
static enum cage_stay ask_process(void)
{
    char setgroups[8];

    if (kernel_prctl(PR_GET_DUMPABLE, 0, 0) != 1)
        return CAGE_STAY_HIDDEN;
    if (base_file_read_start(AT_FDCWD, "/proc/self/setgroups", setgroups, sizeof(setgroups)) < 0 ||
        strcmp(setgroups, "allow\n") != 0)
        return CAGE_STAY_DENIED;
    return CAGE_STAY_NOT;
}

#define LIST_MAX_BYTES (16u << 20)

static enum cage_stay find_part(const char *path, const char *name, uint32_t own, struct cage_subids *ret_part)
{
    AUTO_BUF struct base_buf text = {0};
    struct cage_subids range;

    if (base_file_read(path, LIST_MAX_BYTES, &text, NULL) < 0 ||
        !cage_subids_range(text.bytes, text.count, name, geteuid(), &range))
        return CAGE_STAY_NO_RANGE;
    return cage_subids_part(&range, own, ret_part) ? CAGE_STAY_NOT : CAGE_STAY_SMALL;
}

/* Users may be known elsewhere than in this file; then their numbers may stand in the other two. */
static enum cage_stay ask_user(char ret_name[CAGE_SUBIDS_NAME_BYTES])
{
    AUTO_BUF struct base_buf text = {0};
    uint32_t group = getegid();

    ret_name[0] = 0;
    if (base_file_read("/etc/passwd", LIST_MAX_BYTES, &text, NULL) < 0 ||
        !cage_subids_user(text.bytes, text.count, geteuid(), ret_name, &group))
        ret_name[0] = 0;
    return group == getegid() && getgid() == group && getuid() == geteuid() ? CAGE_STAY_NOT : CAGE_STAY_OTHER_GROUP;
}

static enum cage_stay take_ranges(struct cage_host *host)
{
    char name[CAGE_SUBIDS_NAME_BYTES];
    struct cage_subids users, groups;
    enum cage_stay stay = ask_user(name);

    if (stay == CAGE_STAY_NOT)
        stay = find_part("/etc/subuid", name, geteuid(), &users);
    if (stay == CAGE_STAY_NOT)
        stay = find_part("/etc/subgid", name, getegid(), &groups);
    if (stay != CAGE_STAY_NOT)
        return stay;
    host->uid_slots = users.count < groups.count ? users.count : groups.count;
    if (!has_all_ids() && !are_here(users.first, groups.first, host->uid_slots))
        return CAGE_STAY_ELSEWHERE;
    host->has_own_ids = true;
    host->uid_base = users.first;
    host->gid_base = groups.first;
    return CAGE_STAY_NOT;
}

static enum cage_stay probe_user(struct cage_host *host)
{
    enum cage_stay stay = ask_programs();

    if (stay == CAGE_STAY_NOT)
        stay = ask_process();
    return stay == CAGE_STAY_NOT ? take_ranges(host) : stay;
}

/* --- all --- */

void cage_ids_probe(struct cage_host *host)
{
    host->is_root = geteuid() == 0;
    if (host->is_root)
        probe_root(host);
    if (host->has_own_ids || !has_further_groups())
        return;
    host->groups_stay = host->is_root ? CAGE_STAY_ROOT : probe_user(host);
}

struct cage_ids cage_ids_of(const struct cage_host *host, unsigned at)
{
    const unsigned first = 2 * at;

    if (host->privileged)
        return (struct cage_ids){host->uid_base + first, host->gid_base + first, host->uid_base + first + 1,
                                 host->gid_base + first + 1};
    return (struct cage_ids){geteuid(), getegid(), host->uid_base + at, host->gid_base + at};
}

const struct cage_stay_words *cage_stay_words(enum cage_stay stay)
{
    static const struct cage_stay_words rows[CAGE_STAY_MAX] = {
        [CAGE_STAY_NOT] = {"", ""},
        [CAGE_STAY_ROOT] = {"root has not the rights or not the ids here to drop them",
                            "start it with CAP_SETUID, CAP_SETGID and at least 10000 ids from 50000: "
                            "docs/containers.md"},
        [CAGE_STAY_NO_PROGRAM] = {"newuidmap and newgidmap are not installed",
                                  "as root: apt install uidmap (elsewhere shadow-utils, shadow-uidmap)"},
        [CAGE_STAY_NO_RIGHTS] = {"newuidmap and newgidmap get no rights here",
                                 "they need to be root's, set-user-id or with file capabilities, on no nosuid mount, "
                                 "with CAP_SETUID and CAP_SETGID in the bounding set"},
        [CAGE_STAY_NO_NEW_PRIVS] = {"no_new_privs was set by whoever started this, so newuidmap gets no rights",
                                    "start it without (systemd: NoNewPrivileges=no, and nothing that implies it; "
                                    "containers: no-new-privileges)"},
        [CAGE_STAY_NO_RANGE] = {"/etc/subuid and /etc/subgid do not both give this user ids",
                                "as root: usermod --add-subuids 200000-265535 --add-subgids 200000-265535 USER, with "
                                "numbers that no other line there has"},
        [CAGE_STAY_SMALL] = {"what /etc/subuid and /etc/subgid give this user is too little",
                             "1024 ids in one line of each, beside 65534 and 65535; 65536 are usual"},
        [CAGE_STAY_ELSEWHERE] = {"this container has not the ids that /etc/subuid and /etc/subgid give this user",
                                 "give the container more ids, or the user a range that it has"},
        [CAGE_STAY_OTHER_GROUP] = {"this process is in another group than its user is by /etc/passwd, or set-id",
                                   "start it as from a new login, not by newgrp or sg"},
        [CAGE_STAY_HIDDEN] = {"this process is hidden from its own user",
                              "let the program's file be read by who starts it: chmod a+r"},
        [CAGE_STAY_DENIED] = {"this user namespace lets nobody set groups",
                              "start it outside of it, or where /proc/self/setgroups says allow"},
    };

    return &rows[stay];
}
