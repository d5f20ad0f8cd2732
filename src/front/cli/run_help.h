/* run_help.h - what the help of a run has beside its options */
#pragma once

/* Print the policy's limits with their defaults, and the words of other tools that are taken for them. */
void cli_run_help_limits(void);
