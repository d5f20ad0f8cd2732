/* wire.c - the messages between the pool and its workers */

#include "engine/wire.h"
#include "base/cleanup.h"
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#define MESSAGE_MAX_BYTES (1ull << 30)

static const char place[] = "warden";

/* ---- bytes ----------------------------------------------------------------------------------------------------- */

/* @sys_errno says how, 0 where it was in good order. */
static int gone(int sys_errno, struct base_err *err)
{
    return base_err_sys(err, BASE_E_LOST, sys_errno, place, "its connection is closed");
}

static int send_all(int fd, const void *bytes, size_t count, struct base_err *err)
{
    const char *at = bytes;

    while (count > 0) {
        ssize_t n = send(fd, at, count, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return gone(n < 0 ? errno : 0, err);
        at += n;
        count -= (size_t)n;
    }
    return 0;
}

static int receive_all(int fd, void *bytes, size_t count, struct base_err *err)
{
    char *at = bytes;

    while (count > 0) {
        ssize_t n = recv(fd, at, count, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return gone(n < 0 ? errno : 0, err);
        at += n;
        count -= (size_t)n;
    }
    return 0;
}

/* A message begins with room for its length: then one call sends it. */
static int begin_message(struct base_buf *message)
{
    static const uint64_t room;

    message->max = MESSAGE_MAX_BYTES;
    return base_buf_append(message, &room, sizeof(room));
}

static int send_message(int fd, const struct base_buf *message, struct base_err *err)
{
    uint64_t count = message->count - sizeof(count);

    memcpy(message->bytes, &count, sizeof(count));
    return send_all(fd, message->bytes, message->count, err);
}

/* What there is no memory for is read all the same: the next message must be found where it begins. */
static int discard(int fd, uint64_t count, struct base_err *err)
{
    char chunk[4096];
    int r = 0;

    for (; r >= 0 && count > 0; count -= count < sizeof(chunk) ? count : sizeof(chunk))
        r = receive_all(fd, chunk, count < sizeof(chunk) ? (size_t)count : sizeof(chunk), err);
    return r;
}

static int receive_message(int fd, struct base_buf *message, struct base_err *err)
{
    uint64_t count;
    int r = receive_all(fd, &count, sizeof(count), err);

    if (r < 0)
        return r;
    if (count > MESSAGE_MAX_BYTES)
        return base_err_set(err, BASE_E_INTERNAL, place, "sent a message of impossible length");
    r = base_buf_reserve(message, count);
    if (r < 0) {
        int lost = discard(fd, count, err);
        return lost < 0
                   ? lost
                   : base_err_set(err, r, place, "no memory for a message of %llu bytes", (unsigned long long)count);
    }
    r = receive_all(fd, message->bytes, count, err);
    if (r >= 0)
        message->count = count;
    return r;
}

/* ---- pieces ---------------------------------------------------------------------------------------------------- */

static int put(struct base_buf *message, const void *bytes, size_t count)
{
    return count > 0 ? base_buf_append(message, bytes, count) : 0;
}

/* Reading side: a piece of the message, or NULL past its end. */
struct reader {
    char *at;
    size_t left;
    bool torn;
};

static void *take(struct reader *reader, uint64_t count)
{
    void *piece = reader->at;

    if (count > reader->left) {
        reader->torn = true;
        return NULL;
    }
    reader->at += count;
    reader->left -= count;
    return piece;
}

static void take_copy(struct reader *reader, void *to, size_t count)
{
    const void *piece = take(reader, count);
    if (piece)
        memcpy(to, piece, count);
}

/* A field of fixed size that ends in it. */
#define is_text(field) (memchr(field, '\0', sizeof(field)) != NULL)

static int torn(struct base_err *err)
{
    return base_err_set(err, BASE_E_INTERNAL, place, "sent a message that does not fit its own lengths");
}

/* ---- request --------------------------------------------------------------------------------------------------- */

struct request_head {
    uint64_t number;
    char program_name[sizeof(((struct stage_program *)0)->name)];
    char runtime[sizeof(((struct stage_runtime *)0)->name)];
    uint64_t program_count, stdin_count, file_count, arg_count, env_count;
    bool mark;
    enum run_cage cage;
};

struct file_head {
    char path[sizeof(((struct stage_file *)0)->path)];
    char sha256[BASE_HASH_HEX];
    uint64_t count;
    uint32_t mode;
};

static size_t count_args(const char *const *args)
{
    size_t n = 0;
    while (args && args[n])
        n++;
    return n;
}

static int put_head(struct base_buf *message, uint64_t number, const struct run_request *request)
{
    const struct stage_program *program = request->program;
    struct request_head head = {
        .number = number,
        .program_count = program->count,
        .stdin_count = request->stdin_count,
        .file_count = request->file_count,
        .arg_count = count_args(request->args),
        .env_count = request->policy->env_count,
        .mark = request->mark,
        .cage = request->cage,
    };

    memcpy(head.program_name, program->name, sizeof(head.program_name));
    memcpy(head.runtime, program->runtime->name, sizeof(head.runtime));
    return put(message, &head, sizeof(head));
}

static int put_file(struct base_buf *message, const struct stage_file *file)
{
    struct file_head head = {.count = file->count, .mode = file->mode};
    int r;

    memcpy(head.path, file->path, sizeof(head.path));
    memcpy(head.sha256, file->sha256, sizeof(head.sha256));
    r = put(message, &head, sizeof(head));
    return r < 0 ? r : put(message, file->bytes, file->count);
}

static int put_texts(struct base_buf *message, const char *const *texts, size_t count)
{
    int r = 0;

    for (size_t i = 0; r >= 0 && i < count; i++)
        r = put(message, texts[i], strlen(texts[i]) + 1);
    return r;
}

int engine_wire_send_request(int fd, uint64_t number, const struct run_request *request, struct base_err *err)
{
    AUTO_BUF struct base_buf message = {0};
    int r = begin_message(&message);

    if (r >= 0)
        r = put_head(&message, number, request);
    if (r >= 0)
        r = put(&message, request->program->bytes, request->program->count);
    if (r >= 0)
        r = put(&message, request->stdin_bytes, request->stdin_count);
    for (size_t i = 0; r >= 0 && i < request->file_count; i++)
        r = put_file(&message, &request->files[i]);
    if (r >= 0)
        r = put_texts(&message, request->args, count_args(request->args));
    if (r >= 0)
        r = put_texts(&message, (const char *const *)request->policy->env, request->policy->env_count);
    if (r < 0)
        return base_err_set(err, r, place, "the program, its files and its input do not fit into one message");
    return send_message(fd, &message, err);
}

static int take_files(struct reader *reader, uint64_t count, struct engine_job *job)
{
    if (count > reader->left / sizeof(struct file_head)) {
        reader->torn = true;
        return 0;
    }
    job->files = calloc(count ? count : 1, sizeof(*job->files));
    if (!job->files)
        return BASE_E_NOMEM;
    for (uint64_t i = 0; i < count && !reader->torn; i++) {
        struct file_head head = {0};

        take_copy(reader, &head, sizeof(head));
        reader->torn = reader->torn || !is_text(head.path) || !is_text(head.sha256);
        memcpy(job->files[i].path, head.path, sizeof(head.path));
        memcpy(job->files[i].sha256, head.sha256, sizeof(head.sha256));
        job->files[i].mode = head.mode;
        job->files[i].count = head.count;
        job->files[i].bytes = take(reader, head.count);
    }
    return 0;
}

static int take_args(struct reader *reader, uint64_t count, struct engine_job *job)
{
    if (count > reader->left) {
        reader->torn = true;
        return 0;
    }
    job->args = calloc(count + 1, sizeof(*job->args));
    if (!job->args)
        return BASE_E_NOMEM;
    for (uint64_t i = 0; i < count && !reader->torn; i++)
        job->args[i] = take(reader, strnlen(reader->at, reader->left) + 1);
    return 0;
}

/* The run's own environment, in place of what the policy that all runs share has. */
static void take_environment(struct reader *reader, uint64_t count, const struct policy *policy, struct engine_job *job)
{
    job->policy = *policy;
    job->policy.env_count = 0;
    if (count > POLICY_ENV_MAX)
        reader->torn = true;
    while (!reader->torn && job->policy.env_count < count)
        job->policy.env[job->policy.env_count++] = take(reader, strnlen(reader->at, reader->left) + 1);
}

static int take_request(struct reader *reader, const struct policy *policy, struct engine_job *job,
                        struct base_err *err)
{
    struct request_head head = {0};
    int r;

    take_copy(reader, &head, sizeof(head));
    reader->torn = reader->torn || !is_text(head.program_name) || !is_text(head.runtime);
    r = reader->torn ? torn(err) : stage_runtime_find(head.runtime, &job->program.runtime, err);
    if (r < 0)
        return r;
    job->request.cage = head.cage;
    job->number = head.number;
    memcpy(job->program.name, head.program_name, sizeof(head.program_name));
    job->program.count = head.program_count;
    job->program.bytes = take(reader, head.program_count);
    job->request.stdin_count = head.stdin_count;
    job->request.stdin_bytes = take(reader, head.stdin_count);
    job->request.mark = head.mark;
    r = take_files(reader, head.file_count, job);
    if (r >= 0)
        r = take_args(reader, head.arg_count, job);
    if (r < 0)
        return base_err_set(err, r, place, "out of memory");
    take_environment(reader, head.env_count, policy, job);
    job->request.file_count = head.file_count;
    return reader->torn || reader->left > 0 ? torn(err) : 0;
}

int engine_wire_receive_request(int fd, const struct policy *policy, struct engine_job *ret_job, struct base_err *err)
{
    struct engine_job *job = ret_job;
    int r;

    *job = (struct engine_job){.message.max = MESSAGE_MAX_BYTES};
    r = receive_message(fd, &job->message, err);
    if (r >= 0) {
        struct reader reader = {.at = job->message.bytes, .left = job->message.count};
        r = take_request(&reader, policy, job, err);
    }
    if (r < 0) {
        engine_job_release(job);
        return r;
    }
    job->request.policy = &job->policy;
    job->request.program = &job->program;
    job->request.files = job->files;
    job->request.args = job->args;
    job->request.stdin_fd = job->request.stdout_fd = job->request.stderr_fd = -1;
    return 0;
}

void engine_job_release(struct engine_job *job)
{
    free(job->files);
    free(job->args);
    base_buf_release(&job->message);
    *job = (struct engine_job){0};
}

/* ---- answer ---------------------------------------------------------------------------------------------------- */

struct answer_head {
    uint64_t number;
    bool settled;
    int code;
    struct base_err error;
    struct warden_outcome outcome; /* its buffers follow, where it is a verdict */
};

/* The buffers of an outcome, in the order in which they travel. */
#define BUFFERS 5
static void list_buffers(struct warden_outcome *outcome, struct base_buf *ret_buffers[BUFFERS])
{
    ret_buffers[0] = &outcome->out.kept;
    ret_buffers[1] = &outcome->err.kept;
    ret_buffers[2] = &outcome->mark;
    ret_buffers[3] = &outcome->denials;
    ret_buffers[4] = &outcome->observed;
}

int engine_wire_send_answer(int fd, const struct engine_answer *answer, struct base_err *err)
{
    AUTO_BUF struct base_buf message = {0};
    struct answer_head head = {.number = answer->number, .settled = answer->settled, .code = answer->code};
    struct base_buf *buffers[BUFFERS];
    int r = begin_message(&message);

    if (answer->code < 0)
        head.error = answer->error;
    else
        head.outcome = answer->outcome;
    list_buffers(&head.outcome, buffers);
    if (r >= 0)
        r = put(&message, &head, sizeof(head));
    for (unsigned i = 0; r >= 0 && i < BUFFERS && !answer->settled; i++)
        r = put(&message, buffers[i]->bytes, buffers[i]->count);
    if (r < 0)
        return base_err_set(err, r, place, "a result does not fit into one message");
    return send_message(fd, &message, err);
}

/* What came is the other end's pointers. */
static int take_buffers(struct reader *reader, bool follow, struct warden_outcome *outcome)
{
    struct base_buf *buffers[BUFFERS];
    size_t counts[BUFFERS];
    int r = 0;

    list_buffers(outcome, buffers);
    for (unsigned i = 0; i < BUFFERS; i++) {
        counts[i] = buffers[i]->count;
        *buffers[i] = (struct base_buf){0};
    }
    for (unsigned i = 0; r >= 0 && follow && i < BUFFERS; i++) {
        const void *piece = take(reader, counts[i]);
        r = piece ? put(buffers[i], piece, counts[i]) : 0;
    }
    return r;
}

static int take_answer(struct reader *reader, struct engine_answer *answer, struct base_err *err)
{
    struct answer_head head;
    int r;

    take_copy(reader, &head, sizeof(head));
    if (reader->torn)
        return torn(err);
    *answer = (struct engine_answer){head.number, head.settled, head.code, head.error, head.outcome};
    r = take_buffers(reader, !head.settled, &answer->outcome);
    if (r < 0)
        return base_err_set(err, r, place, "out of memory");
    if (!head.settled && answer->outcome.denials.count != answer->outcome.denial_count * sizeof(struct warden_denial))
        return base_err_set(err, BASE_E_LOST, place, "sent a list of denials that does not add up");
    return reader->torn || reader->left > 0 ? torn(err) : 0;
}

int engine_wire_receive_answer(int fd, struct engine_answer *ret_answer, struct base_err *err)
{
    AUTO_BUF struct base_buf message = {.max = MESSAGE_MAX_BYTES};
    struct engine_answer answer = {0};
    struct reader reader;
    int r = receive_message(fd, &message, err);

    if (r < 0)
        return r;
    reader = (struct reader){.at = message.bytes, .left = message.count};
    r = take_answer(&reader, &answer, err);
    if (r < 0) {
        warden_outcome_release(&answer.outcome);
        return r;
    }
    *ret_answer = answer;
    return 0;
}

/* ---- beginning ------------------------------------------------------------------------------------------------- */

/* Its form is for ever: it must be readable whatever the other end is. */
struct hello {
    char magic[16];
    char version[32];
    char stamp[BASE_HASH_HEX];
    char rest[15];
};
static const char magic[16] = "fumehood warden";

int engine_wire_send_hello(int fd, struct base_err *err)
{
    struct hello hello = {.version = FUMEHOOD_VERSION};

    memcpy(hello.magic, magic, sizeof(magic));
    memcpy(hello.stamp, engine_stamp, sizeof(hello.stamp));
    return send_all(fd, &hello, sizeof(hello), err);
}

int engine_wire_receive_hello(int fd, struct base_err *err)
{
    struct hello hello;
    int r = receive_all(fd, &hello, sizeof(hello), err);

    if (r < 0)
        return r;
    if (memcmp(hello.magic, magic, sizeof(magic)) != 0 || !is_text(hello.version) || !is_text(hello.stamp))
        return base_err_set(err, BASE_E_INVALID, place, "does not speak as a warden does");
    if (strcmp(hello.stamp, engine_stamp) != 0)
        return base_err_set(err, BASE_E_INVALID, place, "is of another build: version %s, and this is version %s",
                            hello.version, FUMEHOOD_VERSION);
    return 0;
}

int engine_wire_send_bytes(int fd, const void *bytes, size_t count, struct base_err *err)
{
    AUTO_BUF struct base_buf message = {0};
    int r = begin_message(&message);

    if (r >= 0)
        r = put(&message, bytes, count);
    return r < 0 ? base_err_set(err, r, place, "cannot be told its policy: out of memory")
                 : send_message(fd, &message, err);
}

int engine_wire_receive_bytes(int fd, struct base_buf *ret_bytes, struct base_err *err)
{
    ret_bytes->max = MESSAGE_MAX_BYTES;
    return receive_message(fd, ret_bytes, err);
}
