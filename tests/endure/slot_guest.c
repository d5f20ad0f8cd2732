/* slot_guest.c - a guest that leaves behind what it can, or tells all that it sees
 *
 *   slot_guest look   what there is, one line a fact: nothing in it may come from the guest before
 *   slot_guest KIND   one row of `kinds`
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEY    0x1ef7
#define NAME   "left"
#define LOCKED "/usr/bin/env"
#define MANY   12
#define MIB    (1u << 20)

static void pause_ms(long ms)
{
    (void)nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* --- look --- */

static void say(const char *fact, long value)
{
    (void)printf("%s %ld\n", fact, value);
}

/* 0 or the error's number. */
static void say_done(const char *fact, long r)
{
    say(fact, r < 0 ? errno : 0);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void list(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, by_name);

    for (int i = 0; i < count; i++) {
        struct stat st = {0};
        char inner[512];
        (void)snprintf(inner, sizeof(inner), "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && lstat(inner, &st) == 0)
            (void)printf("file %s %o %u\n", inner, st.st_mode, st.st_uid);
    }
}

static void list_processes(void)
{
    struct dirent **entries;
    int count = scandir("/proc", &entries, NULL, by_name);

    for (int i = 0; i < count; i++)
        (void)printf("proc %s\n", entries[i]->d_name);
    for (int pid = 0; pid < 64; pid++)
        if (kill(pid ? pid : -1, 0) == 0 || errno != ESRCH)
            (void)printf("signal %d %s\n", pid, strerror(errno));
}

/* What of the lines of a file is always the same for a program that nobody has been before. Memory is not. */
static void tell(const char *path, const char *const *words)
{
    FILE *file = fopen(path, "re");
    char line[4096];

    while (file && fgets(line, sizeof(line), file))
        for (size_t i = 0; words[i]; i++)
            if (strncmp(line, words[i], strlen(words[i])) == 0)
                (void)printf("%s: %s", path, line);
    if (file)
        (void)fclose(file);
}

/* Without the numbers of mounts and of devices, which grow on any machine, and the slot's own id. */
static void list_mounts(void)
{
    FILE *file = fopen("/proc/self/mountinfo", "re");
    char line[1024];

    while (file && fgets(line, sizeof(line), file)) {
        char *at = line;
        for (int i = 0; i < 3; i++)
            at = strchr(at, ' ') + 1;
        (void)printf("mount %.*s\n",
                     (int)(strcspn(at, "\n") - (strstr(at, ",uid=") ? strlen(strstr(at, ",uid=")) - 1 : 0)), at);
    }
    if (file)
        (void)fclose(file);
}

static int connect_name(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0" NAME};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    int r = connect(fd, (struct sockaddr *)&name, offsetof(struct sockaddr_un, sun_path) + 1 + strlen(NAME));
    int saved = errno;

    (void)close(fd);
    errno = saved;
    return r;
}

static void look_at_ipc(void)
{
    struct shm_info memory = {0};
    struct msginfo queues = {0};
    struct seminfo semaphores = {0};

    (void)shmctl(0, SHM_INFO, (struct shmid_ds *)&memory);
    (void)msgctl(0, MSG_INFO, (struct msqid_ds *)&queues);
    (void)semctl(0, 0, SEM_INFO, &semaphores);
    say("shm", memory.used_ids);
    say("msg", queues.msgpool);
    say("sem", semaphores.semusz);
    say("new shm", shmget(KEY, 4096, IPC_CREAT | IPC_EXCL | 0600));
    say("new msg", msgget(KEY, IPC_CREAT | IPC_EXCL | 0600));
    say("new sem", semget(KEY, 1, IPC_CREAT | IPC_EXCL | 0600));
    say_done("mq", mq_open("/" NAME, O_RDONLY));
    say_done("name", connect_name());
}

static void look_at_self(void)
{
    static const char *const status[] = {"Umask",      "Uid",     "Gid",    "Groups",  "NSpid",  "SigQ",
                                         "SigPnd",     "ShdPnd",  "SigBlk", "SigIgn",  "SigCgt", "Cap",
                                         "NoNewPrivs", "Seccomp", "Cpus",   "Threads", NULL};
    static const char *const all[] = {"", NULL};
    struct sched_param parameter = {0};
    struct rusage children;

    tell("/proc/self/status", status);
    tell("/proc/self/cgroup", all);
    tell("/proc/self/oom_score_adj", all);
    tell("/proc/self/coredump_filter", all);
    tell("/proc/self/timerslack_ns", all);
    for (int limit = 0; limit < RLIM_NLIMITS; limit++) {
        struct rlimit now = {0};
        (void)getrlimit((__rlimit_resource_t)limit, &now);
        (void)printf("limit %d %llu %llu\n", limit, (unsigned long long)now.rlim_cur, (unsigned long long)now.rlim_max);
    }
    say("scheduler", sched_getscheduler(0));
    say("priority", sched_getparam(0, &parameter) < 0 ? -1 : parameter.sched_priority);
    say("nice", getpriority(PRIO_PROCESS, 0));
    say("ioprio", syscall(SYS_ioprio_get, 1, 0));
    say("pid", getpid());
    say("parent", getppid());
    say("group", getpgid(0));
    say("session", getsid(0));
    (void)getrusage(RUSAGE_CHILDREN, &children);
    say("children's time", children.ru_utime.tv_sec + children.ru_utime.tv_usec + children.ru_stime.tv_usec);
}

/* Not what the kernel counts for all networks together, such as memory. */
static void look_at_net(void)
{
    static const char *const files[] = {"dev", "snmp", "snmp6", "netstat", "unix", "tcp", "udp", "route", "arp", NULL};
    static const char *const sockets[] = {"sockets:", NULL}, *const all[] = {"", NULL};

    tell("/proc/self/net/sockstat", sockets);
    for (size_t i = 0; files[i]; i++) {
        char path[64];
        (void)snprintf(path, sizeof(path), "/proc/self/net/%s", files[i]);
        tell(path, all);
    }
}

/* Others on this machine may hold it for a moment. */
static int lock(int fd)
{
    int r = -1;

    for (int i = 0; i < 200 && r < 0; i++) {
        r = flock(fd, LOCK_EX | LOCK_NB);
        if (r < 0)
            pause_ms(10);
    }
    return r;
}

static void look_at_places(void)
{
    static const char *const places[] = {"/", "/work", "/tmp", "/dev", "/dev/shm", "/scratch", "/etc"};
    struct utsname names;
    char folder[64] = "";
    int lock_fd = open(LOCKED, O_RDONLY | O_CLOEXEC);

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct statfs fs = {0};
        list(places[i]);
        say_done(places[i], statfs(places[i], &fs));
        (void)printf("space %ld %ld %ld %ld\n", (long)fs.f_blocks, (long)fs.f_bfree, (long)fs.f_files,
                     (long)fs.f_ffree);
    }
    list("/proc/self/fd");
    say_done("lock", lock(lock_fd));
    (void)close(lock_fd);
    (void)uname(&names);
    (void)printf("names %s %s\n", names.nodename, names.domainname);
    (void)printf("folder %s\n", getcwd(folder, sizeof(folder)));
    say_done("out of /proc", open("/proc/../../..", O_RDONLY | O_CLOEXEC));
    say_done("keeper", open("/proc/1/root/proc", O_RDONLY | O_CLOEXEC));
    say_done("below /proc", umount2("/proc", MNT_DETACH));
    say_done("keys", syscall(SYS_keyctl, 0, -4, 0));
}

static int look(void)
{
    list_processes();
    look_at_self();
    look_at_ipc();
    look_at_net();
    look_at_places();
    list_mounts();
    for (char **entry = environ; *entry; entry++)
        (void)printf("environment %s\n", *entry);
    say("input", read(0, &(char){0}, 1));
    return 0;
}

/* --- what is left behind --- */

static int leave_code(void)
{
    return 3;
}

static int crash(void)
{
    return raise(SIGSEGV);
}

static int sleep_on(void) __attribute__((noreturn));
static int sleep_on(void)
{
    for (;;)
        pause_ms(1000);
}

static int burn(void)
{
    const clock_t until = clock() + CLOCKS_PER_SEC / 4;

    while (clock() < until)
        ;
    return 0;
}

static int take_memory(void) __attribute__((noreturn));
static int take_memory(void)
{
    for (;;)
        memset(mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, MIB);
}

/* What the killer of processes has to choose from is small: the memory is files. */
static int take_memory_in_files(void)
{
    static char block[64 * 1024];
    int fd = memfd_create(NAME, 0);

    if (fd < 0)
        fd = open("/dev/shm/" NAME, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    while (write(fd, block, sizeof(block)) > 0)
        ;
    return 0;
}

static int hold_some_memory(void)
{
    memset(mmap(NULL, 24 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 24 * MIB);
    return 0;
}

static int bomb(void)
{
    for (int refused = 0; refused < 50;) {
        pid_t pid = fork();
        if (pid == 0)
            sleep_on();
        refused += pid < 0;
    }
    return 0;
}

/* @child in a session of its own, deaf to signals, and nobody waits for it. */
static void orphan(int (*child)(void))
{
    int ready[2];

    if (pipe(ready) < 0)
        _exit(1);
    if (fork() == 0) {
        (void)setsid();
        for (int sig = 1; sig < 32; sig++)
            (void)signal(sig, SIG_IGN);
        if (fork() == 0) {
            (void)close(ready[0]);
            (void)close(ready[1]);
            _exit(child());
        }
        _exit(0);
    }
    (void)close(ready[1]);
    (void)!read(ready[0], &(char){0}, 1);
    (void)wait(NULL);
}

static int leave_daemons(void)
{
    for (int i = 0; i < 5; i++)
        orphan(sleep_on);
    return 0;
}

static int spin(void) __attribute__((noreturn));
static int spin(void)
{
    for (;;)
        ;
}

static int leave_spinning(void)
{
    orphan(spin);
    orphan(spin);
    return 0;
}

static int stop(void)
{
    return raise(SIGSTOP);
}

static int leave_stopped(void)
{
    for (int i = 0; i < 4; i++)
        orphan(stop);
    return 0;
}

static int talk_late(void)
{
    pause_ms(2);
    (void)!write(1, "late\n", 5);
    return sleep_on();
}

static int leave_pipes(void)
{
    (void)!write(1, "early\n", 6);
    orphan(talk_late);
    return 0;
}

static int flood(void)
{
    static char block[65536];

    memset(block, 'x', sizeof(block));
    while (write(1, block, sizeof(block)) > 0)
        ;
    return 0;
}

/* It fails, and does not cope. */
static int fill(void)
{
    static const char *const paths[] = {"/work/" NAME, "/tmp/" NAME, "/dev/shm/" NAME};
    static char block[65536];

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        int fd = open(paths[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0777);
        while (write(fd, block, sizeof(block)) > 0)
            ;
    }
    return 1;
}

static int litter(void)
{
    for (int i = 0; i < 64; i++) {
        char path[32];
        (void)snprintf(path, sizeof(path), "/tmp/%s%d", NAME, i);
        (void)!symlink("/", path);
        path[1] = 'w', path[2] = 'o', path[3] = 'r';
    }
    (void)mkdir("/work/" NAME, 0777);
    (void)!link("/work/slot_guest", "/work/other");
    (void)!unlink("/work/slot_guest");
    return chmod("/work", 0) < 0 || chmod("/tmp", 0) < 0;
}

static int try_what_is_denied(void)
{
    (void)mount("none", "/work", "tmpfs", 0, "");
    (void)sethostname(NAME, 4);
    (void)syscall(SYS_add_key, "user", NAME, NAME, 4, -4);
    (void)syscall(SYS_keyctl, 1, NAME);
    (void)syscall(SYS_unshare, CLONE_NEWUSER);
    (void)socket(AF_INET, SOCK_RAW, 0);
    (void)syscall(SYS_ptrace, 16, 1, 0, 0);
    (void)syscall(SYS_setns, 0, 0);
    return 0;
}

static int leave_queues(void)
{
    struct {
        long type;
        char text[64];
    } message = {1, NAME};
    struct mq_attr attr = {.mq_maxmsg = 4, .mq_msgsize = 64};
    void *memory;

    for (int i = 0; i < MANY; i++) {
        int id = msgget(KEY + i, IPC_CREAT | 0777);
        (void)msgsnd(id, &message, sizeof(message.text), IPC_NOWAIT);
        (void)semget(KEY + i, 4, IPC_CREAT | 0777);
        memory = shmat(shmget(KEY + i, 65536, IPC_CREAT | 0777), NULL, 0);
        if (memory != (void *)-1)
            memset(memory, 1, 65536);
    }
    (void)mq_send(mq_open("/" NAME, O_RDWR | O_CREAT, 0777, &attr), NAME, 4, 0);
    return 0;
}

static int bind_name(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0" NAME};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)bind(fd, (struct sockaddr *)&name, offsetof(struct sockaddr_un, sun_path) + 1 + strlen(NAME));
    return listen(fd, 5);
}

static int bind_and_sleep(void)
{
    return bind_name() < 0 ? 1 : sleep_on();
}

static int leave_names(void)
{
    orphan(bind_and_sleep);
    return bind_name();
}

static void pass(int through, int fd)
{
    char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(sizeof(size_t)))) = {0};
    struct iovec iov = {&(char){'x'}, 1};
    struct msghdr message = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(fd));
    memcpy(CMSG_DATA(header), &fd, sizeof(fd));
    (void)sendmsg(through, &message, MSG_DONTWAIT);
}

/* Descriptors that lie only in sockets that lie only in each other, with output and a file among them. */
static int leave_cycles(void)
{
    for (int i = 0; i < MANY; i++) {
        int pair[2], file = open("/tmp/" NAME, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
            return 1;
        (void)!ftruncate(file, 65536);
        (void)!write(file, pair, sizeof(pair));
        pass(pair[0], pair[1]);
        pass(pair[1], pair[0]);
        pass(pair[0], file);
        pass(pair[1], 1);
        (void)unlink("/tmp/" NAME);
        (void)close(pair[0]);
        (void)close(pair[1]);
        (void)close(file);
    }
    return 0;
}

static int lock_and_sleep(void)
{
    struct flock whole = {.l_type = F_RDLCK};

    if (flock(open(LOCKED, O_RDONLY), LOCK_EX) < 0 || fcntl(open(LOCKED, O_RDONLY), F_SETLK, &whole) < 0)
        return 1;
    return sleep_on();
}

static int leave_locks(void)
{
    orphan(lock_and_sleep);
    return flock(open(LOCKED, O_RDONLY), LOCK_EX | LOCK_NB) < 0 ? 0 : 0;
}

static int change_itself(void)
{
    for (int limit = 0; limit < RLIM_NLIMITS; limit++)
        (void)setrlimit((__rlimit_resource_t)limit, &(struct rlimit){limit == RLIMIT_CPU ? 5 : 0, 5});
    (void)umask(0777);
    (void)setpriority(PRIO_PROCESS, 0, 19);
    (void)setpriority(PRIO_USER, 0, 19);
    (void)setpriority(PRIO_PROCESS, 1, 19);
    (void)syscall(SYS_ioprio_set, 1, 1, 3 << 13);
    (void)syscall(SYS_prlimit64, 1, RLIMIT_NOFILE, &(struct rlimit){0, 0}, NULL);
    (void)!chdir("/");
    return kill(-1, SIGKILL) == 0 || kill(1, SIGKILL) == 0 ? 0 : 0;
}

static int wait_in_vfork(void)
{
    if (vfork() == 0) {
        (void)pause();
        _exit(0);
    }
    return 0;
}

static int leave_vfork(void)
{
    orphan(wait_in_vfork);
    orphan(wait_in_vfork);
    return 0;
}

/* A child that ends without a signal to its parent, and one that is its parent's sibling. */
static int leave_odd_children(void)
{
    if (syscall(SYS_clone, 0, 0, 0, 0, 0) == 0)
        sleep_on();
    if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0)
        sleep_on();
    if (syscall(SYS_clone, CLONE_PARENT, 0, 0, 0, 0) == 0)
        sleep_on();
    return 0;
}

/* And signals that nobody takes. */
static int leave_timers(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    sigset_t all;

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    for (int i = 0; i < 64; i++) {
        timer_t timer;
        (void)timer_create(CLOCK_MONOTONIC, &event, &timer);
        (void)sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i});
    }
    return 0;
}

/* Over loopback, where there is one: a datagram, and a connection that is broken off, so that none lingers. */
static int talk_to_itself(void)
{
    static const int types[] = {SOCK_DGRAM, SOCK_STREAM};

    for (int i = 0; i < 2; i++) {
        struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t length = sizeof(at);
        int to = socket(AF_INET, types[i], 0), from = socket(AF_INET, types[i], 0);
        if (bind(to, (struct sockaddr *)&at, sizeof(at)) < 0 || (i && listen(to, 5) < 0) ||
            getsockname(to, (struct sockaddr *)&at, &length) < 0 || connect(from, (struct sockaddr *)&at, length) < 0 ||
            send(from, NAME, 4, 0) != 4)
            return 1;
        if (i)
            to = accept(to, NULL, NULL);
        if (recv(to, (char[4]){0}, 4, MSG_WAITALL) != 4)
            return 1;
        (void)setsockopt(to, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
        (void)close(to);
    }
    return 0;
}

/* Names that are not there are remembered by the kernel. */
static int ask_for_names(void)
{
    for (int i = 0; i < 4000; i++) {
        char path[64];
        (void)snprintf(path, sizeof(path), "/usr/lib/%s-%d-%d", NAME, i, (int)time(NULL));
        (void)access(path, F_OK);
    }
    return 0;
}

static const struct {
    const char *name;
    int (*leave)(void);
} kinds[] = {
    {"look", look},
    {"code", leave_code},
    {"crash", crash},
    {"sleep", sleep_on},
    {"burn", burn},
    {"memory", take_memory},
    {"memory-files", take_memory_in_files},
    {"some-memory", hold_some_memory},
    {"bomb", bomb},
    {"daemons", leave_daemons},
    {"spinning", leave_spinning},
    {"stopped", leave_stopped},
    {"pipes", leave_pipes},
    {"flood", flood},
    {"fill", fill},
    {"litter", litter},
    {"denied", try_what_is_denied},
    {"queues", leave_queues},
    {"names", leave_names},
    {"cycles", leave_cycles},
    {"locks", leave_locks},
    {"itself", change_itself},
    {"vfork", leave_vfork},
    {"odd-children", leave_odd_children},
    {"timers", leave_timers},
    {"loopback", talk_to_itself},
    {"missing-names", ask_for_names},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].name, argv[1]) == 0)
            return kinds[i].leave();
    return 2;
}
