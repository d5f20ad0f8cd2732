/* doctor_threats.h - the matrix of threats, for people and machines */
#pragma once

#include "front/cli/doctor_checks.h"
#include <jansson.h>

/* Print it: one line a threat with what is lost here, or @full, every column. */
void cli_doctor_threats_print(const struct doctor_report *report, bool full);

/* A list with every column of every threat. New reference, NULL without memory. */
json_t *cli_doctor_threats_json(const struct doctor_report *report);
