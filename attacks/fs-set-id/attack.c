/* attack.c - becomes somebody else by running a program that is marked for it
 *
 * It marks a copy of itself set-uid, gives it to others, adds a capability to it and runs it; then it runs the set-uid
 * programs of the machine. If it worked, a program in a cage could get root's rights, or another user's. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static int is_privileged(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0}};

    (void)syscall(SYS_capget, &header, data);
    return getuid() != geteuid() || getgid() != getegid() || getauxval(AT_SECURE) ||
           (getuid() != 0 && (data[0].permitted || data[1].permitted));
}

static int copy_self(const char *to)
{
    int in = open("/proc/self/exe", O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0755);
    char bytes[65536];
    ssize_t got;

    while (in >= 0 && out >= 0 && (got = read(in, bytes, sizeof(bytes))) > 0)
        if (write(out, bytes, (size_t)got) != got)
            return -1;
    return in < 0 || out < 0 || close(in) < 0 ? -1 : close(out);
}

static int run(const char *path, const char *argument)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        (void)execl(path, path, argument, NULL);
        _exit(1);
    }
    return waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) ? 1 : WEXITSTATUS(status);
}

static int may_drop_groups(void)
{
    char word[8] = "";
    int fd = open("/proc/self/setgroups", O_RDONLY);

    return fd >= 0 && read(fd, word, sizeof(word) - 1) > 0 && strcmp(word, "allow\n") == 0;
}

int main(int argc, char **argv)
{
    /* cap_dac_override, permitted and effective, revision 2 */
    static const unsigned char rights[20] = {1, 0, 0, 2, 2};
    const char *control = getenv("DRILL_CONTROL");
    struct statvfs fs;
    char copy[4096];
    int reached = 0;

    if (argc > 1 && strcmp(argv[1], "marked") == 0)
        return is_privileged() ? 10 : 0;
    (void)snprintf(copy, sizeof(copy), "%s/marked", control && argc > 1 ? argv[1] : "/work");
    if (copy_self(copy) < 0)
        return 77;
    if (control && statvfs(copy, &fs) == 0 && (fs.f_flag & (ST_NOSUID | ST_NOEXEC))) {
        printf("%s is mounted nosuid or noexec\n", copy);
        (void)unlink(copy);
        return 77;
    }
    printf("owner 0: %s\n", chown(copy, control ? 65534 : 0, (gid_t)-1) < 0 ? strerror(errno) : "done");
    printf("set-uid: %s\n", chmod(copy, 06755) < 0 ? strerror(errno) : "done");
    reached |= run(copy, "marked") == 10;
    printf("capability: %s\n",
           setxattr(copy, "security.capability", rights, sizeof(rights), 0) < 0 ? strerror(errno) : "done");
    reached |= run(copy, "marked") == 10;
    (void)unlink(copy);
    if (control)
        return reached ? 10 : 0;

    printf("no new privileges: %d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    reached |= prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
    for (int cap = 0; cap < 41; cap++)
        reached |= prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1;
    reached |= is_privileged() || getuid() != 1000 || getgid() != 1000;
    reached |= getgroups(0, NULL) > 1 && may_drop_groups(); /* else they are the starter's, which the receipt says */
    reached |= setuid(0) == 0 || setgid(0) == 0 || setreuid(0, 0) == 0 || setresgid(0, 0, 0) == 0;
    printf("%s\n", reached ? "reached" : "nothing gained");
    return reached ? 10 : 0;
}
