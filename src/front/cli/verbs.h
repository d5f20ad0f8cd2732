/* verbs.h - one function a verb; argv[0] is the verb's name; each returns the exit status */
#pragma once

int cli_run(int argc, char **argv);
int cli_eval(int argc, char **argv);
int cli_results(int argc, char **argv);
int cli_policy(int argc, char **argv);
int cli_receipt(int argc, char **argv);
int cli_doctor(int argc, char **argv);
int cli_drill(int argc, char **argv);
int cli_disable(int argc, char **argv);
int cli_enable(int argc, char **argv);
int cli_version(int argc, char **argv);
int cli_warden(int argc, char **argv); /* for engine/link.c, and in no help */
