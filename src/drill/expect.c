/* expect.c - the words of expect.yaml, and its value's memory */
#include "drill/expect.h"
#include "base/cleanup.h"
#include <string.h>

static const char *const groups[] = {
    [DRILL_FILESYSTEM] = "filesystem", [DRILL_NETWORK] = "network",       [DRILL_PROCESSES] = "processes",
    [DRILL_KERNEL] = "kernel",         [DRILL_SECRETS] = "secrets",       [DRILL_RESOURCES] = "resources",
    [DRILL_OUTPUT] = "output",         [DRILL_SUPERVISOR] = "supervisor",
};

static const char *const kinds[] = {
    [DRILL_SECRET_FILE] = "secret-file",
    [DRILL_GUARDED_FILE] = "guarded-file",
    [DRILL_GUARDED_DIR] = "guarded-dir",
    [DRILL_TCP4] = "tcp4",
    [DRILL_TCP6] = "tcp6",
    [DRILL_UDP4] = "udp4",
    [DRILL_UNIX_PATH] = "unix-path",
    [DRILL_UNIX_ABSTRACT] = "unix-abstract",
    [DRILL_VICTIM] = "victim",
    [DRILL_SYSV_SHM] = "sysv-shm",
    [DRILL_POSIX_SHM] = "posix-shm",
    [DRILL_POSIX_MQUEUE] = "posix-mqueue",
    [DRILL_SECRET_ENV] = "secret-env",
    [DRILL_OPEN_FILE] = "open-file",
    [DRILL_TERMINAL] = "terminal",
    [DRILL_ODD_SIGNALS] = "odd-signals",
    [DRILL_KILL_SUPERVISOR] = "kill-supervisor",
    [DRILL_SECOND_RUN] = "second-run",
    [DRILL_SIBLING] = "sibling",
};

static const char *const controls[] = {
    [DRILL_CONTROL_BARE] = "bare",
    [DRILL_CONTROL_INSIDE] = "inside",
    [DRILL_CONTROL_NONE] = "none",
};

static const struct drill_placeholder placeholders[] = {
    {"nonce", DRILL_OUTSIDE_MAX},
    {"dir", DRILL_OUTSIDE_MAX},
    {"pace", DRILL_OUTSIDE_MAX},
    {"secret_file", DRILL_SECRET_FILE},
    {"guarded_file", DRILL_GUARDED_FILE},
    {"guarded_dir", DRILL_GUARDED_DIR},
    {"tcp4", DRILL_TCP4},
    {"tcp6", DRILL_TCP6},
    {"udp4", DRILL_UDP4},
    {"unix_path", DRILL_UNIX_PATH},
    {"unix_name", DRILL_UNIX_ABSTRACT},
    {"victim_pid", DRILL_VICTIM},
    {"sysv_key", DRILL_SYSV_SHM},
    {"shm_name", DRILL_POSIX_SHM},
    {"mq_name", DRILL_POSIX_MQUEUE},
};

#define WORD(table, index) ((size_t)(index) < ARRAY_COUNT(table) ? (table)[index] : NULL)

const char *drill_group_name(enum drill_group group)
{
    return WORD(groups, group);
}

const char *drill_outside_name(enum drill_outside kind)
{
    return WORD(kinds, kind);
}

const char *drill_control_name(enum drill_control control)
{
    return WORD(controls, control);
}

const struct drill_placeholder *drill_placeholder_find(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_COUNT(placeholders); i++)
        if (strlen(placeholders[i].name) == length && memcmp(placeholders[i].name, name, length) == 0)
            return &placeholders[i];
    return NULL;
}

size_t drill_placeholder_at(const char *text)
{
    size_t length = text[0] == '{' ? strspn(text + 1, "abcdefghijklmnopqrstuvwxyz0123456789_") : 0;

    return length > 0 && text[1 + length] == '}' ? length + 2 : 0;
}

int drill_policy_copy(const struct policy *policy, struct policy *ret_copy, struct base_err *err)
{
    AUTO_POLICY struct policy copy = *policy;

    copy.env_count = 0;
    for (size_t i = 0; i < policy->env_count; i++) {
        copy.env[i] = strdup(policy->env[i]);
        if (!copy.env[i])
            return base_err_set(err, BASE_E_NOMEM, "policy", "out of memory");
        copy.env_count++;
    }
    *ret_copy = copy;
    copy.env_count = 0; /* given away */
    return 0;
}

bool drill_words_add(struct drill_words *words, const char *text)
{
    char *copy = words->count < DRILL_WORDS_MAX ? strdup(text) : NULL;

    if (copy)
        words->items[words->count++] = copy;
    return copy != NULL;
}

bool drill_words_has(const struct drill_words *words, const char *text)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], text) == 0)
            return true;
    return false;
}

void drill_words_join(const struct drill_words *words, const char *separator, char *text, size_t text_bytes)
{
    size_t used = 0;

    *text = '\0';
    for (size_t i = 0; i < words->count && used < text_bytes; i++)
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%s", i > 0 ? separator : "", words->items[i]);
}

void drill_words_release(struct drill_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    words->count = 0;
}

void drill_expect_release(struct drill_expect *expect)
{
    struct drill_words *lists[] = {&expect->covers,  &expect->proves, &expect->args,        &expect->endings,
                                   &expect->denials, &expect->hits,   &expect->control_args};
    char **texts[] = {&expect->what,          &expect->stdin_text,  &expect->stdout_text,
                      &expect->control_needs, &expect->control_why, &expect->residual};

    for (size_t i = 0; i < ARRAY_COUNT(lists); i++)
        drill_words_release(lists[i]);
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        free(*texts[i]);
        *texts[i] = NULL;
    }
    policy_release(&expect->policy);
}
