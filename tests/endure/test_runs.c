/* test_runs.c - a thousand runs in one process leave it, and the machine, as they were */
#include "state.h"

#define WARM_UP 60
#define RUNS    1000

/* Programs that end in every way that costs no time; which one is said by the number of the run. */
struct program {
    const char *name, *text;
    enum warden_ending ending;
    bool mark;
} programs[] = {
    {"true.sh", "exit 0", WARDEN_EXITED, false},
    {"talk.sh", "i=0; while [ $i -lt 200 ]; do echo some words of output; i=$((i + 1)); done", WARDEN_EXITED, false},
    {"mark.sh", "echo marked >&3", WARDEN_EXITED, true},
    {"denied.sh", "cat /etc/shadow; ( : & ) ; exit 3", WARDEN_EXITED, false},
    {"killed.sh", "kill -9 $$", WARDEN_SIGNALED, false},
    {"loud.sh", "while :; do echo 0123456789012345678901234567890123456789; done", WARDEN_LIMIT, false},
    {"gone", "#!/usr/bin/no-such-interpreter\n", WARDEN_SETUP_ERROR, false},
};

static void one(unsigned number, const struct policy *policy)
{
    const struct program *row = &programs[number % ARRAY_COUNT(programs)];
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    json_t *receipt = NULL, *draft = NULL;
    struct run_request request;

    started_program(&program, row->name, row->ending == WARDEN_SETUP_ERROR ? "native" : NULL, row->text);
    request = started_request(policy, &program);
    request.mark = row->mark;
    request.receipt_draft = &draft;
    if (number % 3 == 0)
        (void)run_prepare(NULL); /* as fumehood run has it */
    assert_int_equal(run_execute(&request, &outcome, NULL), 0);
    if (outcome.ending != row->ending)
        fail_msg("run %u, %s: ended as %s: %s", number, row->name, warden_ending_name(outcome.ending), outcome.detail);
    assert_int_equal(outcome.teardown.processes_left + outcome.teardown.cgroups_left + outcome.teardown.mounts_left +
                         outcome.teardown.files_left,
                     0);
    assert_int_equal(run_receipt(&request, &outcome, &receipt, NULL), 0);
    json_decref(receipt);
    json_decref(draft);
}

static void a_thousand_runs_leave_nothing(void **state)
{
    static struct state before;
    struct policy policy = started_policy();

    (void)state;
    apart_need(access(MACHINE_STOP, F_OK) < 0, "the emergency stop of this machine is set");
    apart_need_namespaces();
    policy.limits[POLICY_LIMIT_STDOUT_BYTES].value = 65536;
    for (unsigned i = 0; i < WARM_UP; i++)
        one(i, &policy);
    state_look(&before);
    for (unsigned i = 0; i < RUNS; i++)
        one(i, &policy);
    state_expect_same(&before, false);
    run_release();
    policy_release(&policy);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_runs_leave_nothing),
    };

    (void)argc;
    count_exactly(argv);
    return apart_status(cmocka_run_group_tests(tests, support_enter, support_leave));
}
