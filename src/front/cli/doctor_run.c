/* doctor_run.c - the proof of what fumehood doctor says: a run that must end as it should */
#include "base/cleanup.h"
#include "front/cli/doctor_checks.h"
#include "run/run.h"

int cli_doctor_run(const char *policy_name, struct doctor_run *ret_run, struct base_err *err)
{
    static const char script[] = "exit 23\n";
    AUTO_POLICY struct policy policy = {0};
    AUTO_PROGRAM struct stage_program program = {0};
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    struct run_request request = {
        .policy = &policy, .program = &program, .stdin_fd = -1, .stdin_bytes = "", .stdout_fd = -1, .stderr_fd = -1};
    int r = policy_builtin(policy_name, &policy, err);

    if (r >= 0)
        r = stage_program_from_bytes("doctor.sh", script, sizeof(script) - 1, "sh", &program, err);
    if (r >= 0)
        r = run_execute(&request, &outcome, err);
    if (r < 0)
        return r;
    if (outcome.error.code) {
        *err = outcome.error;
        return err->code;
    }
    if (outcome.ending != WARDEN_EXITED || outcome.exit_code != 23)
        return base_err_set(err, BASE_E_INTERNAL, policy_name, "a program that exits 23 ended as %s, %d",
                            warden_ending_name(outcome.ending), outcome.exit_code);
    *ret_run = (struct doctor_run){
        .policy = policy_name, .wall_us = outcome.wall_us, .achieved = outcome.protections_achieved};
    return 0;
}
