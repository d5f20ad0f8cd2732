/* receipt_show.c - one receipt for people
 *
 * A receipt may come from anywhere: every text is printed with its control bytes made visible, and no field is trusted
 * to be there or to have its type.
 */

#include "front/cli/receipt_show.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "cage/cage.h"
#include "front/cli/say.h"
#include "policy/policy.h"
#include <stdint.h>
#include <string.h>

#define LABEL_WIDTH 14

static void label(const char *name)
{
    printf("%-*s", LABEL_WIDTH, name);
}

/* A line that a text brings along would look like one of ours. */
static void one_line(const char *text, size_t count)
{
    while (count > 0) {
        size_t plain = 0;
        while (plain < count && text[plain] != '\n' && text[plain] != '\t')
            plain++;
        cli_say_visible(stdout, text, plain);
        if (plain == count)
            return;
        printf("\\x%02x", (unsigned)text[plain]);
        text += plain + 1;
        count -= plain + 1;
    }
}

/* 3.78, 2.0 */
static void real_value(double number)
{
    char text[40];

    (void)snprintf(text, sizeof(text), "%.15g", number);
    printf("%s%s", text, strpbrk(text, ".en") ? "" : ".0");
}

/* A scalar as text; anything else, which is not expected, as compact JSON. */
static void value(const json_t *json)
{
    AUTO_FREE char *text = NULL;

    if (json_is_string(json)) {
        one_line(json_string_value(json), json_string_length(json));
    } else if (json_is_integer(json)) {
        printf("%" JSON_INTEGER_FORMAT, json_integer_value(json));
    } else if (json_is_real(json)) {
        real_value(json_real_value(json));
    } else if (json_is_boolean(json)) {
        printf("%s", json_is_true(json) ? "true" : "false");
    } else if (json_is_array(json) || json_is_object(json)) {
        text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
        one_line(text ? text : "(out of memory)", strlen(text ? text : "(out of memory)"));
    } else {
        printf("null");
    }
}

static void key_text(const char *key)
{
    one_line(key, strlen(key));
}

/* "label  value", nothing when there is none. */
static void line(const char *name, const json_t *json)
{
    if (!json || json_is_null(json))
        return;
    label(name);
    value(json);
    printf("\n");
}

/* "label  a (key b, key c)": members of one object on one line. @keys ends with NULL. */
static void members(const char *name, const json_t *object, const char *const *keys)
{
    bool any = false;

    for (; json_is_object(object) && *keys; keys++) {
        const json_t *member = json_object_get(object, *keys);
        if (!member || json_is_null(member))
            continue;
        if (!any)
            label(name);
        printf("%s%s ", any ? ", " : "", *keys);
        value(member);
        any = true;
    }
    if (any)
        printf("\n");
}

/* "label  word word word" for a list of scalars; "none" for an empty one. */
static void words(const char *name, const json_t *list)
{
    size_t index;
    json_t *word;
    size_t column = LABEL_WIDTH;

    if (!json_is_array(list))
        return;
    label(name);
    json_array_foreach(list, index, word)
    {
        size_t width = json_string_length(word) + 1;
        bool wrapped = column + width > 79 && index > 0;

        if (wrapped)
            printf("\n%*s", LABEL_WIDTH, "");
        else if (index > 0)
            printf(" ");
        value(word);
        column = (wrapped ? LABEL_WIDTH : column) + width;
    }
    printf("%s\n", json_array_size(list) ? "" : "none");
}

/* A limit's value with the unit that its key says. */
static void limit_value(const char *key, const json_t *json)
{
    char text[32];
    size_t length = strlen(key);
    enum base_unit unit = BASE_UNIT_COUNT;

    if (!json_is_integer(json) || json_integer_value(json) <= 0) {
        value(json);
        return;
    }
    if (length > 3 && strcmp(key + length - 3, "_ms") == 0)
        unit = BASE_UNIT_MS;
    else if (length > 6 && strcmp(key + length - 6, "_bytes") == 0)
        unit = BASE_UNIT_BYTES;
    printf("%s", base_units_text((uint64_t)json_integer_value(json), unit, text, sizeof(text)));
}

/* One row of the table; the first has the table's name. */
static void limit_row(const char *key, const json_t *limit, const char **name)
{
    const json_t *hits = json_object_get(limit, "hits");
    long long count = json_is_integer(hits) ? (long long)json_integer_value(hits) : 0;

    label(*name);
    *name = "";
    key_text(key);
    printf(" ");
    limit_value(key, json_object_get(limit, "value"));
    printf(", by ");
    value(json_object_get(limit, "enforced_by"));
    if (json_object_get(limit, "in_force")) {
        printf(", in force ");
        limit_value(key, json_object_get(limit, "in_force"));
    }
    if (count > 0)
        printf(", reached %lld time%s", count, count == 1 ? "" : "s");
    printf("\n");
}

static bool is_known_limit(const char *key)
{
    for (int i = 0; i < POLICY_LIMIT_MAX; i++)
        if (strcmp(policy_limit_name((enum policy_limit_key)i), key) == 0)
            return true;
    return false;
}

/* In the policy's order; JSON has lost it. Then what this version does not know. */
static void limits(const json_t *object)
{
    const char *key, *name = "limits";
    json_t *limit;

    for (int i = 0; i < POLICY_LIMIT_MAX; i++) {
        key = policy_limit_name((enum policy_limit_key)i);
        limit = json_object_get(object, key);
        if (limit)
            limit_row(key, limit, &name);
    }
    json_object_foreach((json_t *)object, key, limit)
    {
        if (!is_known_limit(key))
            limit_row(key, limit, &name);
    }
}

static void rows(const char *name, const json_t *list, const char *const *keys)
{
    size_t index;
    json_t *row;

    json_array_foreach(list, index, row)
    {
        members(index ? "" : name, row, keys);
    }
}

/* Each line of it behind a bar, so that none looks like one of ours. */
static void quoted(const char *text, size_t count)
{
    while (count > 0) {
        const char *end = memchr(text, '\n', count);
        size_t length = end ? (size_t)(end - text) : count;

        printf("%s", length ? "  | " : "  |");
        cli_say_visible(stdout, text, length);
        printf("\n");
        length += end ? 1 : 0;
        text += length;
        count -= length;
    }
}

static void stream(const char *name, const json_t *object)
{
    static const char *const keys[] = {"bytes", "kept_bytes", "truncated", "sha256", "text_bytes", NULL};
    const json_t *text = json_object_get(object, "text");

    members(name, object, keys);
    if (json_is_string(text))
        quoted(json_string_value(text), json_string_length(text));
}

/* Where an evaluation keeps what the candidate wrote: in the folder of its receipts. */
static void code_of(const json_t *judged)
{
    const json_t *sha256 = json_object_get(judged, "code_sha256");

    if (!json_is_string(sha256))
        return;
    label("code");
    printf("objects/");
    value(sha256);
    printf("\n");
}

static bool is_settings(const json_t *mount)
{
    const char *kind = json_string_value(json_object_get(mount, "kind"));

    return kind && strcmp(kind, CAGE_SETTINGS_KIND) == 0;
}

/* Of the machine's settings there are dozens, each shown in the same way. */
static void mounts(const json_t *list, bool all)
{
    static const char *const mount[] = {"at", "kind", "mode", NULL};
    size_t index, folded = 0;
    json_t *row;

    json_array_foreach(list, index, row)
    {
        if (!all && is_settings(row))
            folded++;
        else
            members(index ? "" : "mounts", row, mount);
    }
    if (folded)
        printf("%*s%zu of kind " CAGE_SETTINGS_KIND ", read-only: --all lists them\n", LABEL_WIDTH, "", folded);
}

void cli_receipt_show(const json_t *receipt, bool all)
{
    static const char *const program[] = {"name", "runtime", "bytes", "sha256", NULL};
    static const char *const hash[] = {"name", "sha256", NULL};
    static const char *const root[] = {"kind", "digest", NULL};
    static const char *const ending[] = {"kind", "exit_code", "signal", "limit", "detail", NULL};
    static const char *const judged[] = {"task_id", "case",     "sample", "verdict", "fault",
                                         "check",   "compiles", "detail", NULL};
    static const char *const denial[] = {"class", "what", "count", "first_us", NULL};
    static const char *const syscalls[] = {"profile", "sha256", NULL};
    static const char *const sight[] = {"path", "seen", "count", NULL};
    static const char *const unseen[] = {"unlisted", "unread", NULL};
    static const char *const usage[] = {
        "wall_us", "cpu_us", "memory_peak_bytes", "processes_peak", "scratch_peak_bytes", NULL};
    static const char *const slot[] = {"state", "why", NULL};
    static const char *const forked[] = {"used", "why", NULL};
    static const char *const left[] = {"processes_left", "cgroups_left", "mounts_left", "files_left", "us", NULL};
    static const char *const cgroup[] = {"manager", "base", "unit", NULL};
    static const char *const environment[] = {"kernel", "cpu", "cpus", "load_1min", NULL};
    const json_t *observed = json_object_get(receipt, "observed");
    const json_t *protections = json_object_get(receipt, "protections");
    const json_t *zygote = json_object_get(receipt, "zygote");

    line("run", json_object_get(receipt, "run_id"));
    members("program", json_object_get(receipt, "program"), program);
    members("ending", json_object_get(receipt, "ending"), ending);
    members("judged", json_object_get(receipt, "eval"), judged);
    code_of(json_object_get(receipt, "eval"));
    rows("denied", json_object_get(receipt, "denials"), denial);
    if (json_is_false(json_object_get(receipt, "denials_complete")))
        printf("%s\n", "denied, too    what an earlier filter of system calls denied by itself is not known");
    rows("tried files", json_object_get(observed, "files"), sight);
    rows("tried to run", json_object_get(observed, "exec"), sight);
    members("tried, too", observed, unseen);
    stream("stdout", json_object_get(receipt, "stdout"));
    stream("stderr", json_object_get(receipt, "stderr"));
    members("usage", json_object_get(receipt, "usage"), usage);
    line("started", json_object_get(receipt, "started_utc"));
    line("version", json_object_get(receipt, "version"));
    members("policy", json_object_get(receipt, "policy"), hash);
    members("syscalls", json_object_get(receipt, "syscalls"), syscalls);
    line("tier", json_object_get(receipt, "tier"));
    line("cage", json_object_get(receipt, "cage"));
    members("slot", json_object_get(json_object_get(receipt, "teardown"), "slot"), slot);
    members("zygote", zygote, forked);
    words("weaker", json_object_get(zygote, "weaker"));
    members("root", json_object_get(receipt, "root"), root);
    limits(json_object_get(receipt, "limits"));
    members("cgroup", json_object_get(receipt, "cgroup"), cgroup);
    words("achieved", json_object_get(protections, "achieved"));
    words("missing", json_object_get(protections, "missing"));
    words("residual risk", json_object_get(receipt, "residual"));
    mounts(json_object_get(receipt, "mounts"), all);
    members("left behind", json_object_get(receipt, "teardown"), left);
    members("machine", json_object_get(receipt, "environment"), environment);
    line("previous", json_object_get(receipt, "previous_sha256"));
    line("sha256", json_object_get(receipt, "sha256"));
}
