/* order.c - have one order done by a supervisor process, and see it to its end */
#include "drill/order.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/place.h"
#include "drill/drill.h"
#include "drill/role.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define ANSWER_MAX_BYTES (64u << 20)
#define STEP_MS          10
#define GENTLE_MS        3000
#define KILL_AFTER_US    300000
#define BARE_MOST        64 /* processes that a bare attack may have */
#define ENVIRONMENT_MAX  1024

extern char **environ;

static bool has(const struct drill_scene *scene, enum drill_outside kind)
{
    return scene->expect->outside & DRILL_BIT(kind);
}

/* --- writing it --- */

static json_t *args_json(const struct drill_order *order, const struct drill_scene *scene)
{
    AUTO_JSON json_t *args = json_array();

    for (size_t i = 0; order->args && i < order->args->count; i++) {
        AUTO_FREE char *text = drill_scene_fill(scene, order->args->items[i]);
        if (!text || json_array_append_new(args, json_string(text)) < 0)
            return NULL;
    }
    return TAKE_PTR(args);
}

static int write_order(const struct drill_order *order, const struct drill_scene *scene, const char *folder,
                       struct base_err *err)
{
    char path[DRILL_PATH_BYTES + 64], work[DRILL_PATH_BYTES + 32];
    AUTO_BUF struct base_buf text = {0};
    AUTO_JSON json_t *json = NULL;

    (void)snprintf(path, sizeof(path), "%s/" DRILL_ORDER_FILE, folder);
    (void)snprintf(work, sizeof(work), "%s/" DRILL_WORK_DIR, scene->top);
    json = json_pack("{s:s, s:o, s:s?, s:o, s:b, s:b, s:i, s:b, s:s, s:s, s:s?, s:o?}", "program", order->program,
                     "args", args_json(order, scene), "stdin", order->stdin_text, "policy", policy_json(order->policy),
                     "bare", order->bare, "twice", order->twice, "pace", (int)scene->expect->pace, "terminal",
                     !order->plain && has(scene, DRILL_TERMINAL), "work", work, "cage", order->cage, "honest",
                     order->honest, "honest_policy", order->honest ? policy_json(order->honest_policy) : NULL);
    if (!json || base_json_canonical(json, &text) < 0)
        return base_err_set(err, BASE_E_NOMEM, path, "out of memory, or a path that is not UTF-8");
    return base_place_replace(path, text.bytes, text.count, err);
}

/* --- starting it --- */

/* Ours, and the secret. */
static void fill_environment(const struct drill_scene *scene, bool secret, char *assignment, size_t assignment_bytes,
                             char **envp)
{
    size_t count = 0;

    for (char **entry = environ; *entry && count + 2 < ENVIRONMENT_MAX; entry++)
        if (strncmp(*entry, DRILL_SECRET_VARIABLE "=", sizeof(DRILL_SECRET_VARIABLE)) != 0)
            envp[count++] = *entry;
    (void)snprintf(assignment, assignment_bytes, DRILL_SECRET_VARIABLE "=%s", scene->nonce);
    if (secret)
        envp[count++] = assignment;
    envp[count] = NULL;
}

int drill_order_start(const struct drill_order *order, const struct drill_scene *scene, pid_t *ret_pid,
                      struct base_err *err)
{
    char folder[DRILL_PATH_BYTES + 32], assignment[128];
    char *envp[ENVIRONMENT_MAX];
    struct drill_launch launch = {.envp = envp, .stdin_fd = -1, .stdout_fd = -1, .stderr_fd = -1, .session = true};
    int r = drill_folder_fresh(scene->top, order->notes, 0700, err);

    (void)snprintf(folder, sizeof(folder), "%s/%s", scene->top, order->notes);
    if (r == 0)
        r = write_order(order, scene, folder, err);
    if (r < 0)
        return r;
    fill_environment(scene, !order->plain && has(scene, DRILL_SECRET_ENV), assignment, sizeof(assignment), envp);
    if (!order->plain) {
        drill_scene_gifts(scene, &launch);
        launch.odd_signals = has(scene, DRILL_ODD_SIGNALS);
        launch.terminal = has(scene, DRILL_TERMINAL);
        if (launch.terminal)
            launch.stdin_fd = launch.stdout_fd = launch.stderr_fd = scene->terminal_fd;
    }
    return drill_role_launch(DRILL_ROLE_SUPERVISOR, folder, &launch, ret_pid, err);
}

/* --- seeing it to its end --- */

struct watch {
    const struct drill_order *order;
    struct drill_scene *scene;
    struct drill_done *done;
    pid_t pid;
    int pid_fd;
    uint64_t guest_us; /* when the guest was first seen, for kill-supervisor */
};

/* In slots: the honest runs before it are over. */
static bool has_begun(const struct watch *watch)
{
    char path[DRILL_PATH_BYTES + 64];

    (void)snprintf(path, sizeof(path), "%s/%s/" DRILL_BEGUN_FILE, watch->scene->top, watch->order->notes);
    return access(path, F_OK) == 0;
}

/* The supervisor's child is the cage's first process, and what is below that is the guest. In slots it is what comes to
 * those that stand ready. */
static bool guest_lives(const struct watch *watch)
{
    static struct drill_pids pids;

    if (watch->order->honest && !has_begun(watch))
        return false;
    drill_pids_below(watch->pid, 0, &pids);
    return pids.count > (watch->order->honest ? DRILL_READY : 1);
}

static void kill_in_time(struct watch *watch)
{
    uint64_t now_us = base_clock_us();

    if (!watch->guest_us && guest_lives(watch))
        watch->guest_us = now_us;
    if (!watch->guest_us || now_us - watch->guest_us < KILL_AFTER_US)
        return;
    watch->done->killed = kill(watch->pid, SIGKILL) == 0;
}

static bool is_crowded(const struct watch *watch)
{
    static struct drill_pids pids;

    drill_pids_below(watch->pid, 0, &pids);
    return pids.count > BARE_MOST;
}

/* True when it is over. */
static bool step(struct watch *watch)
{
    const struct drill_order *order = watch->order;
    struct pollfd fds[] = {{.fd = watch->pid_fd, .events = POLLIN},
                           {.fd = order->plain ? -1 : watch->scene->fds[DRILL_TERMINAL], .events = POLLIN}};

    (void)poll(fds, ARRAY_COUNT(fds), STEP_MS);
    if (fds[1].revents)
        drill_scene_drain(watch->scene);
    if (fds[0].revents)
        return true;
    if (order->bare && is_crowded(watch))
        return watch->done->crowded = true;
    if (!order->bare && !order->plain && has(watch->scene, DRILL_KILL_SUPERVISOR) && !watch->done->killed)
        kill_in_time(watch);
    return drill_interrupted() != 0;
}

/* A supervisor that is told to stop takes its cage and control groups away. */
static void end_gently(const struct watch *watch)
{
    struct pollfd fd = {.fd = watch->pid_fd, .events = POLLIN};

    (void)kill(watch->pid, SIGTERM); /* dead is as good */
    (void)poll(&fd, 1, GENTLE_MS);
}

static void read_answer(const struct watch *watch)
{
    char path[DRILL_PATH_BYTES + 64];
    AUTO_BUF struct base_buf text = {0};

    (void)snprintf(path, sizeof(path), "%s/%s/" DRILL_ANSWER_FILE, watch->scene->top, watch->order->notes);
    if (base_file_read(path, ANSWER_MAX_BYTES, &text, NULL) == 0)
        (void)base_json_parse(text.bytes, text.count, path, &watch->done->answer, NULL); /* else there is none */
}

void drill_order_wait(const struct drill_order *order, struct drill_scene *scene, pid_t pid, uint64_t deadline_us,
                      struct drill_done *ret_done)
{
    AUTO_CLOSE int pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct watch watch = {order, scene, ret_done, pid, pid_fd, 0};
    int status;

    *ret_done = (struct drill_done){.status = -1};
    while (!step(&watch))
        if (base_clock_us() > deadline_us) {
            ret_done->hung = true;
            break;
        }
    if (drill_interrupted() && !order->bare)
        end_gently(&watch);
    if (order->bare || ret_done->hung || drill_interrupted())
        (void)drill_kill_below(scene->victim); /* what stays is found by who looks for residue */
    (void)kill(pid, SIGKILL);                  /* dead already, but where no pidfd could be had */
    if (waitpid(pid, &status, 0) == pid)       /* or it was reaped on the way */
        ret_done->status = status;
    if (!ret_done->killed)
        read_answer(&watch);
}

void drill_done_release(struct drill_done *done)
{
    json_decref(done->answer);
    done->answer = NULL;
}
