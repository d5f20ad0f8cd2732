/* expect.h - expect.yaml as a value: what an attack tries, what is staged for it, what must be seen */
#pragma once

#include "base/buf.h"
#include "policy/policy.h"

enum drill_group {
    DRILL_FILESYSTEM,
    DRILL_NETWORK,
    DRILL_PROCESSES,
    DRILL_KERNEL,
    DRILL_SECRETS,
    DRILL_RESOURCES,
    DRILL_OUTPUT,
    DRILL_SUPERVISOR,
    DRILL_GROUP_MAX
};

/* What is staged outside the cage, or done to its supervisor. */
enum drill_outside {
    DRILL_SECRET_FILE,
    DRILL_GUARDED_FILE,
    DRILL_GUARDED_DIR,
    DRILL_TCP4,
    DRILL_TCP6,
    DRILL_UDP4,
    DRILL_UNIX_PATH,
    DRILL_UNIX_ABSTRACT,
    DRILL_VICTIM,
    DRILL_SYSV_SHM,
    DRILL_POSIX_SHM,
    DRILL_POSIX_MQUEUE,
    DRILL_SECRET_ENV,
    DRILL_OPEN_FILE,
    DRILL_TERMINAL,
    DRILL_ODD_SIGNALS,
    DRILL_KILL_SUPERVISOR,
    DRILL_SECOND_RUN,
    DRILL_SIBLING,
    DRILL_OUTSIDE_MAX
};
#define DRILL_BIT(kind) (1u << (kind))

/* The positive control: how it is shown that the attack works where nothing stops it. */
enum drill_control {
    DRILL_CONTROL_BARE,   /* the same program outside any cage */
    DRILL_CONTROL_INSIDE, /* the program shows it by itself, in the cage */
    DRILL_CONTROL_NONE,
    DRILL_CONTROL_MAX
};

/* Texts of a list, owned. */
#define DRILL_WORDS_MAX 48
struct drill_words {
    char *items[DRILL_WORDS_MAX];
    size_t count;
};

struct drill_expect {
    enum drill_group group;
    char *what;
    struct drill_words covers; /* rows of catalogues of attacks */
    struct drill_words proves; /* words of receipts' protections, limit keys, "teardown", "supervisor" */
    unsigned outside;          /* DRILL_BIT() of each */
    struct drill_words args;   /* with placeholders */
    char *stdin_text;          /* NULL: nothing */
    struct policy policy;
    struct drill_words endings; /* any of them: "exited 0", "limit wall", ... as drill_ending_text() spells them */
    struct drill_words denials; /* each: "CLASS WHAT", a '*' at the end stands for anything */
    struct drill_words hits;    /* limit keys */
    char *stdout_text;          /* NULL: anything */
    uint64_t stdout_bytes, stderr_bytes; /* DRILL_ANY: anything */
    enum drill_control control;
    struct drill_words control_args;
    bool has_control_args;
    char *control_needs; /* NULL: nothing */
    char *control_why;   /* NULL only where the control is bare */
    unsigned pace;       /* this machine's, by which times in it were stretched: see pace.h */
    char *residual;      /* not NULL: the attack is known to succeed, and why that is */
};
#define DRILL_ANY UINT64_MAX

/* The guest's word for "I got through", and the one for "this cannot be tried here". */
#define DRILL_REACHED  10
#define DRILL_UNSTAGED 77

/* Read an expect.yaml; its policy and limits are applied over a copy of @base. Strict: what is not known is an error at
 * its line and column. Release with drill_expect_release(). Foreign bytes: has a fuzzer. */
int drill_expect_parse(const char *bytes, size_t count, const char *place, const struct policy *base,
                       struct drill_expect *ret_expect, struct base_err *err);
void drill_expect_release(struct drill_expect *expect);
#define AUTO_EXPECT CLEANUP(drill_expect_release)

const char *drill_group_name(enum drill_group group);       /* "filesystem", ...; NULL past the end */
const char *drill_outside_name(enum drill_outside kind);    /* "secret-file", ...; NULL past the end */
const char *drill_control_name(enum drill_control control); /* "bare", ...; NULL past the end */

/* What {name} in an argument stands for. */
struct drill_placeholder {
    const char *name;
    enum drill_outside needs; /* what must be staged for it; DRILL_OUTSIDE_MAX: nothing */
};

/* The one whose name has these @length bytes; NULL where there is none. */
const struct drill_placeholder *drill_placeholder_find(const char *name, size_t length);

/* The length of a placeholder at @text, "{secret_file}" say, with its braces; 0 when there is none. */
size_t drill_placeholder_at(const char *text);

/* A copy of @policy that is released by itself. BASE_E_NOMEM. */
int drill_policy_copy(const struct policy *policy, struct policy *ret_copy, struct base_err *err);

/* Add a copy of @text; false without memory or room. */
bool drill_words_add(struct drill_words *words, const char *text);
bool drill_words_has(const struct drill_words *words, const char *text);

/* All of them into @text, with @separator between; cut where they do not fit. */
void drill_words_join(const struct drill_words *words, const char *separator, char *text, size_t text_bytes);
void drill_words_release(struct drill_words *words);
