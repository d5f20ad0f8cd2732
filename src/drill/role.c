/* role.c - this program once more, in another role */
#include "drill/role.h"
#include "base/argv.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "drill/drill.h"
#include "drill/scene.h"
#include <string.h>

#define BEAT_MS 20

static const char *const names[] = {
    [DRILL_ROLE_SUPERVISOR] = "supervisor", [DRILL_ROLE_VICTIM] = "victim", [DRILL_ROLE_NOBODY] = "nobody"};

int drill_role_launch(enum drill_role role, const char *argument, struct drill_launch *launch, pid_t *ret_pid,
                      struct base_err *err)
{
    char *const argv[] = {base_argv_word("fumehood"),  base_argv_word("drill"),  base_argv_word(DRILL_ROLE_OPTION),
                          base_argv_word(names[role]), base_argv_word(argument), NULL};

    launch->path = "/proc/self/exe";
    launch->argv = argv;
    return drill_launch(launch, ret_pid, err);
}

/* Beats as long as its secret is what it was. */
int drill_be_victim(struct base_err *err)
{
    static char kept[DRILL_NONCE_CHARS + 1]; /* in memory that is nobody else's */
    const char *secret = getenv(DRILL_SECRET_VARIABLE);

    if (!secret || strlen(secret) != DRILL_NONCE_CHARS)
        return base_err_set(err, BASE_E_USAGE, "victim", "has no secret");
    memcpy(kept, secret, sizeof(kept));
    while (memcmp(kept, secret, sizeof(kept)) == 0 && write(STDOUT_FILENO, "", 1) == 1)
        base_clock_sleep_ms(BEAT_MS);
    return base_err_set(err, BASE_E_LOST, "victim", "its memory was changed, or nobody looks at it");
}

int drill_role_main(const char *role, const char *argument, struct base_err *err)
{
    if (strcmp(role, names[DRILL_ROLE_SUPERVISOR]) == 0)
        return drill_supervise(argument, err);
    if (strcmp(role, names[DRILL_ROLE_VICTIM]) == 0)
        return drill_be_victim(err);
    if (strcmp(role, names[DRILL_ROLE_NOBODY]) == 0)
        return 0;
    return base_err_set(err, BASE_E_USAGE, DRILL_ROLE_OPTION, "there is no role %s", role);
}
