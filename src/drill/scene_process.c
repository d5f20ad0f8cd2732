/* scene_process.c - a victim that must live on, and a terminal that nobody may type into */
#include "base/cleanup.h"
#include "drill/residue.h"
#include "drill/role.h"
#include "drill/scene.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>

#define BEAT_PATIENCE_MS  2000
#define TYPED_PATIENCE_MS 20
#define TYPED_MAX_BYTES   (1u << 20)

/* --- victim --- */

/* Wait for one more sign of life. */
static bool beats(int fd)
{
    char bytes[4096];
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    while (read(fd, bytes, sizeof(bytes)) > 0)
        ; /* those of before */
    return poll(&ready, 1, BEAT_PATIENCE_MS) == 1 && (ready.revents & POLLIN);
}

static int make_victim(struct drill_scene *scene, struct base_err *err)
{
    char secret[DRILL_NONCE_CHARS + sizeof(DRILL_SECRET_VARIABLE) + 1];
    char *envp[] = {secret, NULL};
    struct drill_launch launch = {.envp = envp, .stdin_fd = -1, .stderr_fd = -1, .session = true};
    int pipe_fds[2];
    int r;

    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, "victim", "no pipe can be made");
    scene->fds[DRILL_VICTIM] = pipe_fds[0];
    (void)fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK); /* cannot fail for a pipe */
    (void)snprintf(secret, sizeof(secret), DRILL_SECRET_VARIABLE "=%s", scene->nonce);
    launch.stdout_fd = pipe_fds[1];
    r = drill_role_launch(DRILL_ROLE_VICTIM, "", &launch, &scene->victim, err);
    (void)close(pipe_fds[1]);
    if (r < 0)
        return r;
    (void)snprintf(scene->words[DRILL_VICTIM], sizeof(scene->words[0]), "%d", (int)scene->victim);
    return beats(pipe_fds[0]) ? 0 : base_err_set(err, BASE_E_SETUP, "victim", "does not come to life");
}

static void check_victim(struct drill_scene *scene, struct drill_words *faults)
{
    pid_t parent;
    char state = drill_process_state(scene->victim, &parent);

    if (state == 0 || state == 'Z' || state == 'X')
        drill_fault(faults, "the victim was killed");
    else if (state == 'T' || state == 't')
        drill_fault(faults, "the victim was stopped");
    else if (!beats(scene->fds[DRILL_VICTIM]))
        drill_fault(faults, "the victim lost its heartbeat");
}

static void remove_victim(struct drill_scene *scene)
{
    if (scene->victim <= 0)
        return;
    (void)kill(scene->victim, SIGKILL);
    (void)waitpid(scene->victim, NULL, 0);
    scene->victim = 0;
}

/* --- terminal --- */

static int make_terminal(struct drill_scene *scene, struct base_err *err)
{
    int ours = scene->fds[DRILL_TERMINAL] = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    int unlock = 0;
    struct termios state;

    if (ours < 0 || ioctl(ours, TIOCSPTLCK, &unlock) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, "terminal", "cannot be made");
    scene->terminal_fd = ioctl(ours, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (scene->terminal_fd < 0 || tcgetattr(scene->terminal_fd, &state) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, "terminal", "cannot be opened");
    cfmakeraw(&state); /* every byte that is typed can be counted */
    if (tcsetattr(scene->terminal_fd, TCSANOW, &state) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, "terminal", "cannot be set");
    scene->typed.max = TYPED_MAX_BYTES;
    return 0;
}

void drill_scene_drain(struct drill_scene *scene)
{
    char bytes[4096];
    ssize_t count;

    while (scene->fds[DRILL_TERMINAL] >= 0 && (count = read(scene->fds[DRILL_TERMINAL], bytes, sizeof(bytes))) > 0)
        (void)base_buf_append(&scene->typed, bytes, (size_t)count); /* beyond the ceiling nothing is kept */
}

static void check_terminal(struct drill_scene *scene, struct drill_words *faults)
{
    struct pollfd ready = {.fd = scene->terminal_fd, .events = POLLIN};
    int waiting = 0;
    struct termios state;

    drill_scene_drain(scene);
    (void)poll(&ready, 1, TYPED_PATIENCE_MS); /* what is typed may take a moment to arrive */
    if (ioctl(scene->terminal_fd, FIONREAD, &waiting) < 0 || waiting > 0)
        drill_fault(faults, "%d bytes were typed into the terminal", waiting);
    if (tcgetattr(scene->terminal_fd, &state) < 0 || (state.c_lflag & (ICANON | ECHO | ISIG)))
        drill_fault(faults, "the terminal was set up anew");
    (void)tcflush(scene->terminal_fd, TCIFLUSH);
}

static void remove_terminal(struct drill_scene *scene)
{
    base_cleanup_close(&scene->terminal_fd);
}

const struct drill_kind drill_kind_victim = {make_victim, check_victim, remove_victim};
const struct drill_kind drill_kind_terminal = {make_terminal, check_terminal, remove_terminal};
