/* test_run_end.c - tests of src/front/cli/run_end.c */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "front/cli/run_end.h"
#include "policy/policy.h"
#include "warden/outcome.h"
#include <cmocka.h>
#include <signal.h>

static void statuses_of_the_contract(void **state)
{
    static const struct {
        struct warden_outcome outcome;
        int status;
    } rows[] = {
        {{.ending = WARDEN_EXITED, .exit_code = 0}, 0},
        {{.ending = WARDEN_EXITED, .exit_code = 124}, 124},
        {{.ending = WARDEN_SIGNALED, .signal = SIGSEGV}, 139},
        {{.ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_WALL, .signal = SIGKILL}, 124},
        {{.ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_CPU}, 124},
        {{.ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_IDLE}, 124},
        {{.ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_MEMORY}, 137},
        {{.ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_PROCESSES}, 122},
        {{.ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_OUTPUT}, 122},
        {{.ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_DISK}, 122},
        {{.ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_OPEN_FILES}, 122},
        {{.ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_INPUT}, 122},
        {{.ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_NONE}, 122},
        {{.ending = WARDEN_DENIED}, 126},
        {{.ending = WARDEN_CANCELLED, .signal = SIGINT}, 130},
        {{.ending = WARDEN_CANCELLED, .signal = SIGPIPE, .detail = "the reader of its output went away"}, 141},
        {{.ending = WARDEN_SETUP_ERROR}, 125},
        {{.ending = WARDEN_SETUP_ERROR, .error = {.code = BASE_E_SETUP}}, 125},
        {{.ending = WARDEN_LOST}, 125},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(cli_run_end_status(&rows[i].outcome), rows[i].status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(statuses_of_the_contract)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
