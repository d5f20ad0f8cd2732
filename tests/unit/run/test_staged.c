/* test_staged.c - what program and input files may have together */
#include "started.h"

static char bytes[8192];

static struct stage_file file_of(const char *path, size_t count)
{
    struct stage_file file = {.bytes = bytes, .count = count, .mode = 0644};

    (void)snprintf(file.path, sizeof(file.path), "%s", path);
    return file;
}

static void set(struct policy *policy, const char *assignment)
{
    assert_int_equal(policy_set_limit(policy, assignment, NULL), 0);
}

static void they_fit_together(void **state)
{
    AUTO_POLICY struct policy policy = started_policy();
    const struct stage_program program = {.name = "p.sh", .bytes = bytes, .count = 1000};
    const struct stage_file files[] = {file_of("a", 2000), file_of("data/b", 1096)};
    struct base_err err = {0};

    (void)state;
    set(&policy, "scratch_bytes=4096");
    assert_int_equal(run_staged_check(&policy, &program, files, 2, &err), 0);
    set(&policy, "scratch_bytes=4095");
    assert_int_equal(run_staged_check(&policy, &program, files, 1, &err), 0);
    assert_int_equal(run_staged_check(&policy, &program, files, 2, &err), BASE_E_TOO_LARGE);
    assert_string_equal(err.place, "--input");
    assert_string_equal(err.what, "with \"data/b\" the program and its files have more than 4095 bytes");
    assert_non_null(strstr(err.remedy, "scratch_bytes=SIZE"));
    set(&policy, "scratch_bytes=999");
    assert_int_equal(run_staged_check(&policy, &program, NULL, 0, &err), BASE_E_TOO_LARGE);
    assert_string_equal(err.place, "p.sh");
}

/* Numbers only: there are no such bytes. */
static void without_a_limit_there_is_memory(void **state)
{
    AUTO_POLICY struct policy policy = started_policy();
    const struct stage_program program = {.name = "p.sh", .bytes = bytes, .count = 1 << 20};
    const struct stage_file files[] = {file_of("a", 255u << 20), file_of("b", SIZE_MAX)};
    struct base_err err = {0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        set(&policy, i ? "scratch_bytes=unlimited" : "scratch_bytes=2GiB");
        assert_int_equal(run_staged_max_bytes(&policy), 256u << 20);
        assert_int_equal(run_staged_left_bytes(&policy, &program, NULL, 0), 255u << 20);
        assert_int_equal(run_staged_left_bytes(&policy, &program, files, 2), 0);
        assert_int_equal(run_staged_check(&policy, &program, files, 1, &err), 0);
        assert_int_equal(run_staged_check(&policy, &program, files, 2, &err), BASE_E_TOO_LARGE);
        assert_string_equal(err.remedy, ""); /* a larger scratch would not help */
    }
}

static void nothing_starts(void **state)
{
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    const struct stage_file file = file_of("big", sizeof(bytes));
    struct base_err err = {0};

    (void)state;
    apart_need(access(MACHINE_STOP, F_OK) < 0, "the emergency stop of this machine is set");
    set(&policy, "scratch_bytes=8KiB");
    started_program(&program, "p.sh", NULL, "exit 0");
    struct run_request request = started_request(&policy, &program);
    request.files = &file;
    request.file_count = 1;
    assert_int_equal(run_execute(&request, &outcome, &err), BASE_E_TOO_LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_fit_together),
                                       cmocka_unit_test(without_a_limit_there_is_memory),
                                       cmocka_unit_test(nothing_starts)};

    return apart_status(cmocka_run_group_tests(tests, NULL, NULL));
}
