/* wire.c - the messages between the pool and its workers */

#include "engine/wire.h"
#include "base/cleanup.h"
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#define MESSAGE_MAX_BYTES (1ull << 30)

static const char place[] = "worker";

/* ---- bytes ----------------------------------------------------------------------------------------------------- */

static int gone(struct base_err *err)
{
    return base_err_set(err, BASE_E_LOST, place, "its connection is closed");
}

static int send_all(int fd, const void *bytes, size_t count, struct base_err *err)
{
    const char *at = bytes;

    while (count > 0) {
        ssize_t n = send(fd, at, count, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return gone(err);
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
            return gone(err);
        at += n;
        count -= (size_t)n;
    }
    return 0;
}

static int send_message(int fd, const struct base_buf *message, struct base_err *err)
{
    uint64_t count = message->count;
    int r = send_all(fd, &count, sizeof(count), err);

    return r < 0 ? r : send_all(fd, message->bytes, message->count, err);
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
    char program_name[sizeof(((struct stage_program *)0)->name)];
    char runtime[sizeof(((struct stage_runtime *)0)->name)];
    uint64_t program_count, stdin_count, file_count, arg_count;
    bool mark;
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

static int put_head(struct base_buf *message, const struct run_request *request)
{
    const struct stage_program *program = request->program;
    struct request_head head = {
        .program_count = program->count,
        .stdin_count = request->stdin_count,
        .file_count = request->file_count,
        .arg_count = count_args(request->args),
        .mark = request->mark,
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

int engine_wire_send_request(int fd, const struct run_request *request, struct base_err *err)
{
    AUTO_BUF struct base_buf message = {.max = MESSAGE_MAX_BYTES};
    int r = put_head(&message, request);

    if (r >= 0)
        r = put(&message, request->program->bytes, request->program->count);
    if (r >= 0)
        r = put(&message, request->stdin_bytes, request->stdin_count);
    for (size_t i = 0; r >= 0 && i < request->file_count; i++)
        r = put_file(&message, &request->files[i]);
    for (size_t i = 0; r >= 0 && i < count_args(request->args); i++)
        r = put(&message, request->args[i], strlen(request->args[i]) + 1);
    if (r < 0)
        return base_err_set(err, r, place, "the program and its files do not fit into one message");
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

static int take_request(struct reader *reader, struct engine_job *job, struct base_err *err)
{
    struct request_head head = {0};
    int r;

    take_copy(reader, &head, sizeof(head));
    reader->torn = reader->torn || !is_text(head.program_name) || !is_text(head.runtime);
    r = reader->torn ? torn(err) : stage_runtime_find(head.runtime, &job->program.runtime, err);
    if (r < 0)
        return r;
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
    job->request.file_count = head.file_count;
    return reader->torn || reader->left > 0 ? torn(err) : 0;
}

int engine_wire_receive_request(int fd, struct engine_job *ret_job, struct base_err *err)
{
    struct engine_job *job = ret_job;
    int r;

    *job = (struct engine_job){.message.max = MESSAGE_MAX_BYTES};
    r = receive_message(fd, &job->message, err);
    if (r >= 0) {
        struct reader reader = {.at = job->message.bytes, .left = job->message.count};
        r = take_request(&reader, job, err);
    }
    if (r < 0) {
        engine_job_release(job);
        return r;
    }
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

/* ---- result ---------------------------------------------------------------------------------------------------- */

struct result_head {
    int code;
    struct base_err error;
    struct warden_outcome outcome; /* its buffers follow */
    uint64_t out_count, err_count, mark_count, denials_count, observed_count;
};

int engine_wire_send_result(int fd, int code, const struct base_err *error, const struct warden_outcome *outcome,
                            struct base_err *err)
{
    AUTO_BUF struct base_buf message = {.max = MESSAGE_MAX_BYTES};
    struct result_head head = {.code = code};
    int r;

    if (code < 0)
        head.error = *error;
    else
        head.outcome = *outcome;
    head.out_count = head.outcome.out.kept.count;
    head.err_count = head.outcome.err.kept.count;
    head.mark_count = head.outcome.mark.count;
    head.denials_count = head.outcome.denials.count;
    head.observed_count = head.outcome.observed.count;
    r = put(&message, &head, sizeof(head));
    if (r >= 0)
        r = put(&message, head.outcome.out.kept.bytes, head.out_count);
    if (r >= 0)
        r = put(&message, head.outcome.err.kept.bytes, head.err_count);
    if (r >= 0)
        r = put(&message, head.outcome.mark.bytes, head.mark_count);
    if (r >= 0)
        r = put(&message, head.outcome.denials.bytes, head.denials_count);
    if (r >= 0)
        r = put(&message, head.outcome.observed.bytes, head.observed_count);
    if (r < 0)
        return base_err_set(err, r, place, "a result does not fit into one message");
    return send_message(fd, &message, err);
}

static int take_buf(struct reader *reader, uint64_t count, struct base_buf *buf)
{
    const void *piece = take(reader, count);

    *buf = (struct base_buf){0}; /* what came was the other end's pointer */
    return piece ? put(buf, piece, count) : 0;
}

static int take_result(struct reader *reader, struct result_head *head, struct warden_outcome *outcome,
                       struct base_err *err)
{
    int r;

    take_copy(reader, head, sizeof(*head));
    if (reader->torn)
        return torn(err);
    *outcome = head->outcome;
    r = take_buf(reader, head->out_count, &outcome->out.kept);
    outcome->err.kept = outcome->mark = outcome->denials = outcome->observed = (struct base_buf){0};
    if (r >= 0)
        r = take_buf(reader, head->err_count, &outcome->err.kept);
    if (r >= 0)
        r = take_buf(reader, head->mark_count, &outcome->mark);
    if (r >= 0)
        r = take_buf(reader, head->denials_count, &outcome->denials);
    if (r >= 0 && outcome->denials.count != outcome->denial_count * sizeof(struct warden_denial))
        r = base_err_set(err, BASE_E_LOST, "worker", "sent a list of denials that does not add up");
    if (r >= 0)
        r = take_buf(reader, head->observed_count, &outcome->observed);
    if (r < 0)
        return base_err_set(err, r, place, "out of memory");
    return reader->torn || reader->left > 0 ? torn(err) : 0;
}

int engine_wire_receive_result(int fd, int *ret_code, struct base_err *ret_error, struct warden_outcome *ret_outcome,
                               struct base_err *err)
{
    AUTO_BUF struct base_buf message = {.max = MESSAGE_MAX_BYTES};
    struct warden_outcome outcome = {0};
    struct result_head head;
    struct reader reader;
    int r = receive_message(fd, &message, err);

    if (r < 0)
        return r;
    reader = (struct reader){.at = message.bytes, .left = message.count};
    r = take_result(&reader, &head, &outcome, err);
    if (r < 0) {
        warden_outcome_release(&outcome);
        return r;
    }
    *ret_code = head.code;
    if (head.code < 0)
        *ret_error = head.error;
    else
        *ret_outcome = outcome;
    return 0;
}
