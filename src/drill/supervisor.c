/* supervisor.c - one order: a program in a cage, or bare for the positive control
 *
 * Runs in: a process of its own, after an exec. What it says of the caged run is its receipt; it judges nothing.
 */
#include "base/argv.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "drill/role.h"
#include "drill/scene.h"
#include "run/run.h"
#include "stage/stage.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#define ORDER_MAX_BYTES   (4u << 20)
#define PROGRAM_MAX_BYTES (64u << 20)
#define ARGS_MAX          (DRILL_WORDS_MAX + 2)
#define SECOND_ARGUMENT   "second" /* after the others, the second time */

struct order {
    const char *folder;
    json_t *json;
    struct stage_program program;
    struct policy policy;
    const char *path, *stdin_text, *work;
    const char *args[ARGS_MAX];
    size_t arg_count;
    bool bare, twice, terminal;
    json_t *answer;
};

static void order_release(struct order *order)
{
    json_decref(order->json);
    json_decref(order->answer);
    stage_program_release(&order->program);
    policy_release(&order->policy);
}

static int note_path(const char *folder, const char *name, char path[DRILL_PATH_BYTES], struct base_err *err)
{
    if (snprintf(path, DRILL_PATH_BYTES, "%s/%s", folder, name) >= DRILL_PATH_BYTES)
        return base_err_set(err, BASE_E_USAGE, folder, "is too long a path");
    return 0;
}

/* --- the order --- */

static int read_policy(struct order *order, struct base_err *err)
{
    AUTO_BUF struct base_buf text = {0};

    if (base_json_canonical(json_object_get(order->json, "policy"), &text) < 0)
        return base_err_set(err, BASE_E_INVALID, DRILL_ORDER_FILE, "has no policy");
    return policy_parse(text.bytes, text.count, DRILL_ORDER_FILE, &order->policy, err);
}

static int read_args(struct order *order, struct base_err *err)
{
    size_t index;
    json_t *item;

    json_array_foreach(json_object_get(order->json, "args"), index, item)
    {
        if (!json_is_string(item) || order->arg_count + 2 >= ARGS_MAX)
            return base_err_set(err, BASE_E_INVALID, DRILL_ORDER_FILE, "has wrong arguments");
        order->args[order->arg_count++] = json_string_value(item);
    }
    return 0;
}

static int read_order(struct order *order, struct base_err *err)
{
    char path[DRILL_PATH_BYTES];
    AUTO_BUF struct base_buf text = {0};
    int r = note_path(order->folder, DRILL_ORDER_FILE, path, err);

    if (r == 0)
        r = base_file_read(path, ORDER_MAX_BYTES, &text, err);
    if (r == 0)
        r = base_json_parse(text.bytes, text.count, path, &order->json, err);
    if (r < 0)
        return r;
    order->path = json_string_value(json_object_get(order->json, "program"));
    order->work = json_string_value(json_object_get(order->json, "work"));
    order->stdin_text = json_string_value(json_object_get(order->json, "stdin"));
    order->bare = json_is_true(json_object_get(order->json, "bare"));
    order->twice = json_is_true(json_object_get(order->json, "twice"));
    order->terminal = json_is_true(json_object_get(order->json, "terminal"));
    if (!order->path || !order->work)
        return base_err_set(err, BASE_E_INVALID, path, "has no program, or no folder to work in");
    r = read_args(order, err);
    return r < 0 ? r : read_policy(order, err);
}

static int load(struct order *order, struct base_err *err)
{
    int r = stage_program_load(order->path, NULL, PROGRAM_MAX_BYTES, &order->program, err);

    return r < 0 ? r : stage_runtime_check(order->program.runtime, err);
}

/* --- in a cage --- */

static int count_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;

    while (dir && readdir(dir))
        count++;
    if (dir)
        (void)closedir(dir);
    return count;
}

/* One receipt into the answer, or the word of a refusal. */
static int run_once(struct order *order, json_t *receipts, struct base_err *err)
{
    const struct run_request request = {
        .policy = &order->policy,
        .program = &order->program,
        .args = order->args,
        .stdin_fd = -1,
        .stdin_bytes = order->stdin_text ? order->stdin_text : "",
        .stdin_count = order->stdin_text ? strlen(order->stdin_text) : 0,
        .stdout_fd = order->terminal ? STDOUT_FILENO : -1,
        .stderr_fd = order->terminal ? STDERR_FILENO : -1,
    };
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    json_t *receipt = NULL;
    char text[1100];
    int r = run_execute(&request, &outcome, err);

    if (r == BASE_E_REFUSED) {
        base_json_put(&order->answer, "refused", json_string(base_err_text(err, text, sizeof(text))));
        return 0;
    }
    if (r == 0)
        r = run_receipt(&request, &outcome, &receipt, err);
    if (r == 0 && json_array_append_new(receipts, receipt) < 0)
        r = base_err_set(err, BASE_E_NOMEM, "receipt", "out of memory");
    return r;
}

/* As fumehood run does it: the cage is begun before the program is read. The second one is not. */
static int run_caged(struct order *order, struct base_err *err)
{
    AUTO_JSON json_t *receipts = json_array();
    int before = count_descriptors(), r;

    (void)run_prepare(NULL); /* what fails here fails again */
    r = load(order, err);
    if (r == 0)
        r = run_once(order, receipts, err);
    if (r == 0 && order->twice) {
        order->args[order->arg_count] = SECOND_ARGUMENT;
        r = run_once(order, receipts, err);
    }
    run_release();
    base_json_put(&order->answer, "receipts", json_incref(receipts));
    base_json_put(&order->answer, "fds_before", json_integer(before));
    base_json_put(&order->answer, "fds_after", json_integer(count_descriptors()));
    return r;
}

/* --- bare --- */

#define BARE_ENV_MAX 24

static void fill_environment(const struct order *order, char home[DRILL_PATH_BYTES + 8],
                             char temporary[DRILL_PATH_BYTES + 8], char secret[128], char **envp)
{
    const struct stage_runtime *runtime = order->program.runtime;
    const char *value = getenv(DRILL_SECRET_VARIABLE);
    size_t count = 0;

    (void)snprintf(home, DRILL_PATH_BYTES + 8, "HOME=%s", order->work);
    (void)snprintf(temporary, DRILL_PATH_BYTES + 8, "TMPDIR=%s", order->work);
    envp[count++] = base_argv_word("DRILL_CONTROL=1");
    envp[count++] = base_argv_word("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    envp[count++] = base_argv_word("LANG=C.UTF-8");
    envp[count++] = home;
    envp[count++] = temporary;
    for (size_t i = 0; i < runtime->environment_count && count + 2 < BARE_ENV_MAX; i++)
        envp[count++] = runtime->environment[i];
    if (value) {
        (void)snprintf(secret, 128, DRILL_SECRET_VARIABLE "=%s", value);
        envp[count++] = secret;
    }
    envp[count] = NULL;
}

/* A file with what the program reads, at its start. */
static int open_input(const struct order *order, int *ret_fd, struct base_err *err)
{
    char path[DRILL_PATH_BYTES];
    int r;

    if (order->terminal || !order->stdin_text) {
        *ret_fd = order->terminal ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
        return 0;
    }
    r = note_path(order->folder, "stdin", path, err);
    if (r == 0)
        r = base_file_replace(path, order->stdin_text, strlen(order->stdin_text), err);
    return r < 0 ? r : base_file_open(path, ret_fd, NULL, err);
}

static int open_output(const struct order *order, int *ret_fd, struct base_err *err)
{
    char path[DRILL_PATH_BYTES];
    int r = note_path(order->folder, DRILL_SAID_FILE, path, err);

    if (r < 0)
        return r;
    *ret_fd = order->terminal ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                              : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return *ret_fd < 0 ? base_err_sys(err, BASE_E_IO, errno, path, "cannot be opened") : 0;
}

/* All that we were given goes on to it: nothing of ours is close-on-exec that came over an exec. */
static void pass_on_gifts(struct drill_launch *launch)
{
    for (int fd = 3; fd < 256 && launch->gift_count < DRILL_GIFTS_MAX; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags >= 0 && !(flags & FD_CLOEXEC))
            launch->gifts[launch->gift_count++] = (struct drill_gift){fd, fd};
    }
}

static int bare_once(struct order *order, json_t *endings, struct base_err *err)
{
    char home[DRILL_PATH_BYTES + 8], temporary[DRILL_PATH_BYTES + 8], secret[128], text[32];
    char *argv[STAGE_COMMAND_MAX + ARGS_MAX + 1], *envp[BARE_ENV_MAX];
    AUTO_CLOSE int in_fd = -1, out_fd = -1;
    struct drill_launch launch = {.argv = argv, .envp = envp, .folder = order->work, .group = true, .bounded = true};
    pid_t pid;
    int status, r;

    pass_on_gifts(&launch);
    stage_runtime_argv(order->program.runtime, order->path, order->args, argv);
    fill_environment(order, home, temporary, secret, envp);
    r = open_input(order, &in_fd, err);
    if (r == 0)
        r = open_output(order, &out_fd, err);
    if (r < 0)
        return r;
    launch.path = argv[0];
    launch.stdin_fd = in_fd;
    launch.stdout_fd = launch.stderr_fd = out_fd;
    r = drill_launch(&launch, &pid, err);
    if (r < 0)
        return r;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return base_err_sys(err, BASE_E_LOST, errno, order->path, "cannot be waited for");
    (void)snprintf(text, sizeof(text), WIFEXITED(status) ? "exited %d" : "signaled %d",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return json_array_append_new(endings, json_string(text)) < 0
               ? base_err_set(err, BASE_E_NOMEM, order->path, "out of memory")
               : 0;
}

static int run_bare(struct order *order, struct base_err *err)
{
    AUTO_JSON json_t *endings = json_array();
    int r = load(order, err);

    if (r == 0)
        r = bare_once(order, endings, err);
    if (r == 0 && order->twice) {
        order->args[order->arg_count] = SECOND_ARGUMENT;
        r = bare_once(order, endings, err);
    }
    base_json_put(&order->answer, "endings", json_incref(endings));
    return r;
}

/* --- the answer --- */

static int answer(struct order *order, struct base_err *err)
{
    char path[DRILL_PATH_BYTES];
    AUTO_BUF struct base_buf text = {0};
    int r = note_path(order->folder, DRILL_ANSWER_FILE, path, err);

    if (r == 0 && base_json_canonical(order->answer, &text) < 0)
        r = base_err_set(err, BASE_E_NOMEM, path, "out of memory");
    return r < 0 ? r : base_file_replace(path, text.bytes, text.count, err);
}

int drill_supervise(const char *folder, struct base_err *err)
{
    CLEANUP(order_release) struct order order = {.folder = folder, .answer = json_object()};
    char text[1100];
    int r = read_order(&order, err);

    if (r < 0)
        return r;
    r = order.bare ? run_bare(&order, err) : run_caged(&order, err);
    if (r < 0)
        base_json_put(&order.answer, "error", json_string(base_err_text(err, text, sizeof(text))));
    return answer(&order, err);
}
