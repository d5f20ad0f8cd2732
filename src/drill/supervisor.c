/* supervisor.c - one order: a program in a cage, or bare for the positive control
 *
 * Runs in: a process of its own, after an exec. What it says of the caged run is its receipt; it judges nothing.
 */
#include "drill/supervisor.h"
#include "base/argv.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/place.h"
#include "drill/role.h"
#include "drill/scene.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#define ORDER_MAX_BYTES   (4u << 20)
#define PROGRAM_MAX_BYTES (64u << 20)

static void order_release(struct drill_told *told)
{
    json_decref(told->json);
    json_decref(told->answer);
    json_decref(told->receipts);
    json_decref(told->runs);
    stage_program_release(&told->program);
    stage_program_release(&told->honest);
    policy_release(&told->policy);
    policy_release(&told->honest_policy);
}

static int note_path(const char *folder, const char *name, char path[DRILL_PATH_BYTES], struct base_err *err)
{
    if (snprintf(path, DRILL_PATH_BYTES, "%s/%s", folder, name) >= DRILL_PATH_BYTES)
        return base_err_set(err, BASE_E_USAGE, folder, "is too long a path");
    return 0;
}

/* --- the order --- */

static int read_policy(const struct drill_told *told, const char *key, struct policy *ret_policy, struct base_err *err)
{
    AUTO_BUF struct base_buf text = {0};

    if (base_json_canonical(json_object_get(told->json, key), &text) < 0)
        return base_err_set(err, BASE_E_INVALID, DRILL_ORDER_FILE, "has no %s", key);
    return policy_parse(text.bytes, text.count, DRILL_ORDER_FILE, ret_policy, err);
}

/* Runs share a slot where limits and network are the same. */
static int read_honest(struct drill_told *told, struct base_err *err)
{
    int r;

    if (!told->honest_path)
        return 0;
    r = read_policy(told, "honest_policy", &told->honest_policy, err);
    memcpy(told->honest_policy.limits, told->policy.limits, sizeof(told->policy.limits));
    told->honest_policy.network = told->policy.network;
    return r;
}

static int read_args(struct drill_told *told, struct base_err *err)
{
    size_t index;
    json_t *item;

    json_array_foreach(json_object_get(told->json, "args"), index, item)
    {
        if (!json_is_string(item) || told->arg_count + 2 >= DRILL_ARGS_MAX)
            return base_err_set(err, BASE_E_INVALID, DRILL_ORDER_FILE, "has wrong arguments");
        told->args[told->arg_count++] = json_string_value(item);
    }
    return 0;
}

static int read_order(struct drill_told *told, struct base_err *err)
{
    char path[DRILL_PATH_BYTES];
    AUTO_BUF struct base_buf text = {0};
    const char *cage;
    int r = note_path(told->folder, DRILL_ORDER_FILE, path, err);

    if (r == 0)
        r = base_file_read(path, ORDER_MAX_BYTES, &text, err);
    if (r == 0)
        r = base_json_parse(text.bytes, text.count, path, &told->json, err);
    if (r < 0)
        return r;
    cage = json_string_value(json_object_get(told->json, "cage"));
    told->path = json_string_value(json_object_get(told->json, "program"));
    told->work = json_string_value(json_object_get(told->json, "work"));
    told->stdin_text = json_string_value(json_object_get(told->json, "stdin"));
    told->bare = json_is_true(json_object_get(told->json, "bare"));
    told->pace = (unsigned)json_integer_value(json_object_get(told->json, "pace"));
    told->pace = told->pace < 1 ? 1 : told->pace;
    told->twice = json_is_true(json_object_get(told->json, "twice"));
    told->terminal = json_is_true(json_object_get(told->json, "terminal"));
    told->honest_path = json_string_value(json_object_get(told->json, "honest"));
    if (!cage || !run_cage_find(cage, &told->cage))
        return base_err_set(err, BASE_E_INVALID, path, "has no cage");
    if (!told->path || !told->work)
        return base_err_set(err, BASE_E_INVALID, path, "has no program, or no folder to work in");
    r = read_args(told, err);
    if (r == 0)
        r = read_policy(told, "policy", &told->policy, err);
    return r < 0 ? r : read_honest(told, err);
}

int drill_told_load(const char *path, struct stage_program *ret_program, struct base_err *err)
{
    int r = stage_program_load(path, NULL, PROGRAM_MAX_BYTES, ret_program, err);

    return r < 0 ? r : stage_runtime_check(ret_program->runtime, err);
}

/* --- bare --- */

#define BARE_ENV_MAX 24

static void fill_environment(const struct drill_told *told, char home[DRILL_PATH_BYTES + 8],
                             char temporary[DRILL_PATH_BYTES + 8], char secret[128], char **envp)
{
    const struct stage_runtime *runtime = told->program.runtime;
    const char *value = getenv(DRILL_SECRET_VARIABLE);
    size_t count = 0;

    (void)snprintf(home, DRILL_PATH_BYTES + 8, "HOME=%s", told->work);
    (void)snprintf(temporary, DRILL_PATH_BYTES + 8, "TMPDIR=%s", told->work);
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
static int open_input(const struct drill_told *told, int *ret_fd, struct base_err *err)
{
    char path[DRILL_PATH_BYTES];
    int r;

    if (told->terminal || !told->stdin_text) {
        *ret_fd = told->terminal ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
        return 0;
    }
    r = note_path(told->folder, "stdin", path, err);
    if (r == 0)
        r = base_place_replace(path, told->stdin_text, strlen(told->stdin_text), err);
    return r < 0 ? r : base_file_open(path, ret_fd, NULL, err);
}

static int open_output(const struct drill_told *told, int *ret_fd, struct base_err *err)
{
    char path[DRILL_PATH_BYTES];
    int r = note_path(told->folder, DRILL_SAID_FILE, path, err);

    if (r < 0)
        return r;
    *ret_fd = told->terminal ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
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

static int bare_once(struct drill_told *told, json_t *endings, struct base_err *err)
{
    char home[DRILL_PATH_BYTES + 8], temporary[DRILL_PATH_BYTES + 8], secret[128], text[32];
    char *argv[STAGE_COMMAND_MAX + DRILL_ARGS_MAX + 1], *envp[BARE_ENV_MAX];
    AUTO_CLOSE int in_fd = -1, out_fd = -1;
    struct drill_launch launch = {.argv = argv, .envp = envp, .folder = told->work, .group = true, .bounded = true};
    pid_t pid;
    int status, r;

    pass_on_gifts(&launch);
    stage_runtime_argv(told->program.runtime, told->path, told->args, argv);
    fill_environment(told, home, temporary, secret, envp);
    r = open_input(told, &in_fd, err);
    if (r == 0)
        r = open_output(told, &out_fd, err);
    if (r < 0)
        return r;
    launch.path = argv[0];
    launch.pace = told->pace;
    launch.stdin_fd = in_fd;
    launch.stdout_fd = launch.stderr_fd = out_fd;
    r = drill_launch(&launch, &pid, err);
    if (r < 0)
        return r;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return base_err_sys(err, BASE_E_LOST, errno, told->path, "cannot be waited for");
    (void)snprintf(text, sizeof(text), WIFEXITED(status) ? "exited %d" : "signaled %d",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return json_array_append_new(endings, json_string(text)) < 0
               ? base_err_set(err, BASE_E_NOMEM, told->path, "out of memory")
               : 0;
}

static int run_bare(struct drill_told *told, struct base_err *err)
{
    AUTO_JSON json_t *endings = json_array();
    int r = drill_told_load(told->path, &told->program, err);

    if (r == 0)
        r = bare_once(told, endings, err);
    if (r == 0 && told->twice) {
        told->args[told->arg_count] = DRILL_SECOND_ARGUMENT;
        r = bare_once(told, endings, err);
    }
    base_json_put(&told->answer, "endings", json_incref(endings));
    return r;
}

/* --- the answer --- */

static int answer(struct drill_told *told, struct base_err *err)
{
    char path[DRILL_PATH_BYTES];
    AUTO_BUF struct base_buf text = {0};
    int r = note_path(told->folder, DRILL_ANSWER_FILE, path, err);

    if (r == 0 && base_json_canonical(told->answer, &text) < 0)
        r = base_err_set(err, BASE_E_NOMEM, path, "out of memory");
    return r < 0 ? r : base_place_replace(path, text.bytes, text.count, err);
}

int drill_supervise(const char *folder, struct base_err *err)
{
    CLEANUP(order_release)
    struct drill_told told = {
        .folder = folder, .answer = json_object(), .receipts = json_array(), .runs = json_array()};
    char text[1100];
    int r = read_order(&told, err);

    if (r < 0)
        return r;
    r = told.bare ? run_bare(&told, err) : drill_told_caged(&told, err);
    if (r < 0)
        base_json_put(&told.answer, "error", json_string(base_err_text(err, text, sizeof(text))));
    return answer(&told, err);
}
