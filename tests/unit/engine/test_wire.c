/* test_wire.c - requests and results arrive as they were sent */
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
    struct base_err err = {0};
    int pair[2];

    (void)state;
    open_pair(pair);
    assert_int_equal(stage_program_from_bytes("p.py", "x\0y", 3, NULL, &program, &err), 0);
    const struct run_request sent = {.program = &program,
                                     .args = args,
                                     .files = files,
                                     .file_count = 2,
                                     .stdin_bytes = "in\n",
                                     .stdin_count = 3,
                                     .mark = true};
    assert_int_equal(engine_wire_send_request(pair[0], &sent, &err), 0);
    assert_int_equal(engine_wire_receive_request(pair[1], &job, &err), 0);
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
    close(pair[0]);
    close(pair[1]);
}

static void result(void **state)
{
    AUTO_OUTCOME struct warden_outcome sent = {.ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_CPU, .wall_us = 77};
    AUTO_OUTCOME struct warden_outcome got = {0};
    struct base_err err = {0}, error = {0};
    int pair[2], code = 1;

    (void)state;
    open_pair(pair);
    assert_int_equal(base_buf_append(&sent.out.kept, "o\0o", 3), 0);
    assert_int_equal(base_buf_append(&sent.mark, "mark", 4), 0);
    assert_int_equal(base_buf_append(&sent.observed, "sight", 6), 0);
    assert_int_equal(engine_wire_send_result(pair[1], 0, NULL, &sent, &err), 0);
    assert_int_equal(engine_wire_receive_result(pair[0], &code, &error, &got, &err), 0);
    assert_int_equal(code, 0);
    assert_int_equal(got.limit, WARDEN_LIMIT_CPU);
    assert_int_equal(got.wall_us, 77);
    assert_int_equal(got.out.kept.count, 3);
    assert_memory_equal(got.out.kept.bytes, "o\0o", 3);
    assert_int_equal(got.err.kept.count, 0);
    assert_string_equal(got.mark.bytes, "mark");
    assert_int_equal(got.observed.count, 6);
    assert_string_equal(got.observed.bytes, "sight");
    close(pair[0]);
    close(pair[1]);
}

static void error_result(void **state)
{
    struct warden_outcome none = {0};
    struct base_err err = {0}, error = {0}, sent = {0};
    int pair[2], code = 0;

    (void)state;
    open_pair(pair);
    base_err_set(&sent, BASE_E_REFUSED, "policy", "no");
    assert_int_equal(engine_wire_send_result(pair[1], BASE_E_REFUSED, &sent, &none, &err), 0);
    assert_int_equal(engine_wire_receive_result(pair[0], &code, &error, &none, &err), 0);
    assert_int_equal(code, BASE_E_REFUSED);
    assert_string_equal(error.what, "no");
    close(pair[0]);
    close(pair[1]);
}

static void broken_messages(void **state)
{
    static const uint64_t lengths[] = {0, 5, 1ull << 40};
    struct base_err err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        CLEANUP(engine_job_release) struct engine_job job = {0};
        int pair[2];

        open_pair(pair);
        assert_int_equal(write(pair[0], &lengths[i], sizeof(lengths[i])), sizeof(lengths[i]));
        assert_int_equal(write(pair[0], "12345", 5), 5);
        assert_int_equal(engine_wire_receive_request(pair[1], &job, &err), BASE_E_INTERNAL);
        close(pair[0]);
        close(pair[1]);
    }
    CLEANUP(engine_job_release) struct engine_job job = {0};
    int pair[2];
    open_pair(pair);
    close(pair[0]);
    assert_int_equal(engine_wire_receive_request(pair[1], &job, &err), BASE_E_LOST);
    close(pair[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request),
        cmocka_unit_test(result),
        cmocka_unit_test(error_result),
        cmocka_unit_test(broken_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
