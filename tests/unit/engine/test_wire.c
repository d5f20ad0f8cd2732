/* test_wire.c - requests and answers arrive as they were sent */
#include "../support.h"
#include "base/cleanup.h"
#include "engine/wire.h"
#include <sys/socket.h>
#include <sys/wait.h>

static void open_pair(int pair[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
}

static void request(void **state)
{
    static const char *const args[] = {"one", "", "three", NULL};
    struct stage_file files[2] = {{.path = "a", .bytes = "AA", .count = 2, .mode = 0644},
                                  {.path = "b/c", .bytes = "", .count = 0, .mode = 0755}};
    CLEANUP(stage_program_release) struct stage_program program = {0};
    CLEANUP(engine_job_release) struct engine_job job = {0};
    AUTO_POLICY struct policy all = {0}, one = {0};
    struct base_err err = {0};
    int pair[2];

    (void)state;
    open_pair(pair);
    assert_int_equal(stage_program_from_bytes("p.py", "x\0y", 3, NULL, &program, &err), 0);
    assert_int_equal(policy_builtin("default", &all, &err), 0);
    assert_int_equal(policy_builtin("default", &one, &err), 0);
    assert_int_equal(policy_add_env(&all, "OTHER=x", &err), 0);
    assert_int_equal(policy_add_env(&one, "ONE=a b", &err), 0);
    const struct run_request sent = {.policy = &one,
                                     .program = &program,
                                     .args = args,
                                     .files = files,
                                     .file_count = 2,
                                     .stdin_bytes = "in\n",
                                     .stdin_count = 3,
                                     .mark = true};
    assert_int_equal(engine_wire_send_request(pair[0], 7, &sent, &err), 0);
    assert_int_equal(engine_wire_receive_request(pair[1], &all, &job, &err), 0);
    assert_int_equal(job.number, 7);
    const struct run_request *got = &job.request;
    assert_string_equal(got->program->name, program.name);
    assert_ptr_equal(got->program->runtime, program.runtime);
    assert_int_equal(got->program->count, 3);
    assert_memory_equal(got->program->bytes, "x\0y", 3);
    assert_int_equal(got->file_count, 2);
    assert_string_equal(got->files[0].path, "a");
    assert_memory_equal(got->files[0].bytes, "AA", 2);
    assert_int_equal(got->files[1].mode, 0755);
    assert_int_equal(got->files[1].count, 0);
    assert_string_equal(got->args[0], "one");
    assert_string_equal(got->args[1], "");
    assert_string_equal(got->args[2], "three");
    assert_null(got->args[3]);
    assert_int_equal(got->stdin_count, 3);
    assert_true(got->mark);
    assert_int_equal(got->stdin_fd, -1);
    assert_int_equal(got->policy->env_count, 1); /* the rest of the policy is the worker's */
    assert_string_equal(got->policy->env[0], "ONE=a b");
    assert_int_equal(got->policy->tier, all.tier);
    close(pair[0]);
    close(pair[1]);
}

static void open_answer(int pair[2], const struct engine_answer *sent, struct engine_answer *got)
{
    struct base_err err = {0};

    open_pair(pair);
    assert_int_equal(engine_wire_send_answer(pair[1], sent, &err), 0);
    assert_int_equal(engine_wire_receive_answer(pair[0], got, &err), 0);
    close(pair[0]);
    close(pair[1]);
}

static void verdict(void **state)
{
    struct engine_answer sent = {.number = 3,
                                 .outcome = {.ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_CPU, .wall_us = 77}};
    struct warden_outcome *outcome = &sent.outcome;
    struct engine_answer got;
    int pair[2];

    (void)state;
    assert_int_equal(base_buf_append(&outcome->out.kept, "o\0o", 3), 0);
    assert_int_equal(base_buf_append(&outcome->mark, "mark", 4), 0);
    assert_int_equal(base_buf_append(&outcome->observed, "sight", 6), 0);
    open_answer(pair, &sent, &got);
    assert_int_equal(got.number, 3);
    assert_false(got.settled);
    assert_int_equal(got.code, 0);
    assert_int_equal(got.outcome.limit, WARDEN_LIMIT_CPU);
    assert_int_equal(got.outcome.wall_us, 77);
    assert_int_equal(got.outcome.out.kept.count, 3);
    assert_memory_equal(got.outcome.out.kept.bytes, "o\0o", 3);
    assert_int_equal(got.outcome.err.kept.count, 0);
    assert_string_equal(got.outcome.mark.bytes, "mark");
    assert_int_equal(got.outcome.observed.count, 6);
    assert_string_equal(got.outcome.observed.bytes, "sight");
    warden_outcome_release(&sent.outcome);
    warden_outcome_release(&got.outcome);
}

static void settled(void **state)
{
    struct engine_answer sent = {.number = 4, .settled = true, .outcome = {.cpu_us = 5}}, got;
    int pair[2];

    (void)state;
    assert_int_equal(base_buf_append(&sent.outcome.out.kept, "out", 3), 0);
    open_answer(pair, &sent, &got);
    assert_true(got.settled);
    assert_int_equal(got.outcome.cpu_us, 5);
    assert_int_equal(got.outcome.out.kept.count, 0); /* it came with the verdict */
    assert_null(got.outcome.out.kept.bytes);
    warden_outcome_release(&sent.outcome);
}

static void error_answer(void **state)
{
    struct engine_answer sent = {.number = 5, .settled = true, .code = BASE_E_REFUSED}, got;
    int pair[2];

    (void)state;
    base_err_set(&sent.error, BASE_E_REFUSED, "policy", "no");
    open_answer(pair, &sent, &got);
    assert_int_equal(got.code, BASE_E_REFUSED);
    assert_string_equal(got.error.what, "no");
}

static void hello(void **state)
{
    static const char foreign[1024] = "fumehood warden";
    struct base_err err = {0};
    int pair[2];

    (void)state;
    open_pair(pair);
    assert_int_equal(engine_wire_send_hello(pair[0], &err), 0);
    assert_int_equal(engine_wire_receive_hello(pair[1], &err), 0);
    assert_int_equal(write(pair[0], foreign, sizeof(foreign)), sizeof(foreign));
    assert_int_equal(engine_wire_receive_hello(pair[1], &err), BASE_E_INVALID);
    assert_non_null(strstr(err.what, "another build"));
    assert_int_equal(engine_wire_receive_hello(pair[1], &err), BASE_E_INVALID);
    assert_null(strstr(err.what, "another build")); /* no magic there */
    close(pair[0]);
    close(pair[1]);
}

static void broken_messages(void **state)
{
    static const uint64_t lengths[] = {0, 5, 1ull << 40};
    static const struct policy policy;
    struct base_err err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        CLEANUP(engine_job_release) struct engine_job job = {0};
        int pair[2];

        open_pair(pair);
        assert_int_equal(write(pair[0], &lengths[i], sizeof(lengths[i])), sizeof(lengths[i]));
        assert_int_equal(write(pair[0], "12345", 5), 5);
        assert_int_equal(engine_wire_receive_request(pair[1], &policy, &job, &err), BASE_E_INTERNAL);
        close(pair[0]);
        close(pair[1]);
    }
    CLEANUP(engine_job_release) struct engine_job job = {0};
    int pair[2];
    open_pair(pair);
    close(pair[0]);
    assert_int_equal(engine_wire_receive_request(pair[1], &policy, &job, &err), BASE_E_LOST);
    close(pair[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request),      cmocka_unit_test(verdict), cmocka_unit_test(settled),
        cmocka_unit_test(error_answer), cmocka_unit_test(hello),   cmocka_unit_test(broken_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
