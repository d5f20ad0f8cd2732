/* learn.h - fumehood policy learn */
#pragma once

/* The subject's function; see subject.h. */
int cli_policy_learn(int argc, char **argv);
