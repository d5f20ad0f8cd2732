/* run_help.c - what the help of a run has beside its options */

#include "front/cli/run_help.h"
#include "base/units.h"
#include "policy/policy.h"
#include <stdio.h>

#define COLUMNS      3
#define COLUMN_WIDTH 25

static void show_limit(enum policy_limit_key key, const struct policy_limit *limit, int width)
{
    char text[32] = "unlimited", cell[64];

    if (!limit->unlimited)
        (void)base_units_text(limit->value, policy_limit_unit(key), text, sizeof(text));
    (void)snprintf(cell, sizeof(cell), "%s: %s", policy_limit_name(key), text);
    printf("%-*s", width, cell);
}

void cli_run_help_limits(void)
{
    AUTO_POLICY struct policy policy = {0};

    if (policy_load("default", &policy, NULL) < 0)
        return;
    printf("\nLimits (KEY: default). Values: 64, 512MiB, 1.5G, 10s, or unlimited; never 0.\n");
    for (int i = 0; i < POLICY_LIMIT_MAX; i++) {
        bool is_last = i % COLUMNS == COLUMNS - 1 || i == POLICY_LIMIT_MAX - 1;

        printf("%s", i % COLUMNS == 0 ? "  " : "");
        show_limit((enum policy_limit_key)i, &policy.limits[i], is_last ? 0 : COLUMN_WIDTH);
        printf("%s", is_last ? "\n" : "");
    }
    printf("  KEY_if_available=VALUE goes on without the limit where this machine cannot\n"
           "  enforce it, and the receipt says so.\n"
           "  Also understood: --timeout, --cpu-time, --memory (-m), --stack, --cpus,\n"
           "  --pids-limit; -e for --env; --network none, --rm, -i, which change nothing.\n");
}
