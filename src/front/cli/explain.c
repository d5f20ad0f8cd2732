/* explain.c - what a policy means on this machine, in plain text
 *
 * Nothing here is written down twice: promises, limits, mounts and calls come from the tables that also build the cage.
 */

#include "front/cli/explain.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "cage/cage.h"
#include "front/cli/say.h"
#include "stage/stage.h"
#include <string.h>
#include <unistd.h>

#define NAME_WIDTH 18
#define PATH_WIDTH 24 /* few are longer */

static void heading(const char *text)
{
    printf("\n%s\n", text);
}

/* "  name            text", wrapped. */
static void row(const char *name, const char *text)
{
    int width = printf("  %s", name);

    if (width >= NAME_WIDTH) {
        printf("\n");
        width = 0;
    }
    printf("%*s", NAME_WIDTH - width, "");
    cli_say_wrapped(text, NAME_WIDTH, NAME_WIDTH);
}

/* The same on one line, which may be long: grep finds the name together with its text. */
static void line(const char *name, const char *text)
{
    printf("  %-*s %s\n", PATH_WIDTH, name, text);
}

static void paragraph(const char *text)
{
    printf("  ");
    cli_say_wrapped(text, 2, 2);
}

static int print_title(const struct policy *policy, struct base_err *err)
{
    char hex[BASE_HASH_HEX];
    int r = policy_hash(policy, hex, err);

    if (r < 0)
        return r;
    printf("policy ");
    cli_say_visible(stdout, policy->name, strlen(policy->name));
    printf("\nsha256 %s\ntier %s: everything that is not granted here is denied.\n", hex,
           policy_tier_name(policy->tier));
    return 0;
}

/* What the second wall is worth is the kernel's to say. */
static void print_landlock(const struct cage_plan *plan)
{
    char has[256], lacks[256], text[768];

    cage_landlock_text(plan->landlock_abi, plan->policy->network, has, sizeof(has));
    cage_landlock_lacks(plan->landlock_abi, lacks, sizeof(lacks));
    (void)snprintf(text, sizeof(text), "%s: here ABI %d, %s%s%s", cage_step_text(CAGE_STEP_LANDLOCK),
                   plan->landlock_abi, has, *lacks ? "; not here: " : "", lacks);
    row(cage_step_name(CAGE_STEP_LANDLOCK), text);
}

static void print_missing(unsigned step, enum cage_stay groups_stay)
{
    char text[512];

    (void)snprintf(text, sizeof(text), "%s%s%s", cage_step_text(step), step == CAGE_STEP_IDENTITY ? ": " : "",
                   step == CAGE_STEP_IDENTITY ? cage_stay_words(groups_stay)->why : "");
    row(cage_step_name(step), text);
}

static void print_steps(const struct cage_plan *plan, const struct cage_host *host)
{
    heading("Protections, in the order in which they are put up");
    paragraph(
        "Each is applied, and read back where the kernel can tell, before the program starts; if one that is required "
        "fails, it does not start.");
    for (unsigned step = 0; step < CAGE_STEP_MAX; step++)
        if (plan->requested & CAGE_BIT(LANDLOCK) && step == CAGE_STEP_LANDLOCK)
            print_landlock(plan);
        else if (plan->requested & (UINT64_C(1) << step))
            row(cage_step_name(step), cage_step_text(step));
    for (unsigned step = 0; step < CAGE_STEP_MAX; step++)
        if (plan->missing & (UINT64_C(1) << step)) {
            printf("  MISSING on this machine, which the receipt will say:\n");
            print_missing(step, host->groups_stay);
        }
}

static int print_limits(const struct policy *policy, const struct cage_plan *plan)
{
    heading("Limits");
    for (unsigned i = 0; i < POLICY_LIMIT_MAX; i++) {
        enum policy_limit_key key = (enum policy_limit_key)i;
        const struct policy_limit *limit = &policy->limits[i];
        const char *by = limit->unlimited ? NULL : plan->limits[i].enforced_by;
        char value[32] = "unlimited";
        AUTO_BUF struct base_buf text = {0};

        if (!limit->unlimited)
            base_units_text(limit->value, policy_limit_unit(key), value, sizeof(value));
        if (base_buf_printf(&text, "%s; %s%s%s", value, by ? "by " : "", by ? by : "not bounded by itself",
                            limit->if_available ? " (if available)" : "") < 0 ||
            base_buf_printf(&text, ": %s%s%s", policy_limit_text(key), limit->unlimited && *limit->reason ? "; " : "",
                            limit->unlimited ? limit->reason : "") < 0)
            return BASE_E_NOMEM;
        row(policy_limit_name(key), text.bytes);
    }
    paragraph(policy->output == POLICY_OUTPUT_END
                  ? "At the limit of stdout or stderr the run ends."
                  : "Beyond the limit of stdout or stderr output is counted, not kept.");
    return 0;
}

static void print_observe(unsigned observe)
{
    static const char *const texts[POLICY_OBSERVE_MAX] = {
        [POLICY_OBSERVE_FILES] = "names that it tried to open and that are not there or not for it",
        [POLICY_OBSERVE_EXEC] = "programs that it tried to start",
    };

    heading("Observed");
    for (unsigned i = 0; i < POLICY_OBSERVE_MAX; i++)
        if (observe >> i & 1)
            row(policy_observe_name((enum policy_observe)i), texts[i]);
    paragraph("What the program itself named, read from its memory: it can lie, and nothing is decided by it. For that "
              "the cage's first process may look into the guest, which it otherwise cannot.");
}

static void print_denials(const struct policy *policy)
{
    static const char *const words[POLICY_DENIALS_MAX] = {
        [POLICY_DENIALS_RECORD] = "record: a denied attempt is named in the receipt, the program goes on",
        [POLICY_DENIALS_FAIL] = "fail: as record; and in fumehood eval the verdict is a violation",
        [POLICY_DENIALS_END] = "end: the first denied attempt ends the run",
    };
    uint64_t count = policy_denied_calls(policy);
    char text[96] = "unlimited: however many there are, the program goes on";

    row("denials", words[policy->denials]);
    if (count != POLICY_NO_DENIED_CALL)
        (void)snprintf(text, sizeof(text), "%llu: the run ends when there have been so many",
                       (unsigned long long)count);
    if (policy->denials != POLICY_DENIALS_END)
        row("denied_calls", text);
}

/* What a language has beside. */
static int list_runtimes_environment(void)
{
    const struct stage_runtime *runtime;
    const char *name;
    int r;

    for (unsigned i = 0; (name = stage_runtime_name(i)); i++) {
        if ((r = stage_runtime_find(name, &runtime, NULL)) < 0)
            return r;
        for (size_t at = 0; at < runtime->environment_count; at++)
            printf("  %s (%s)\n", runtime->environment[at], name);
    }
    return 0;
}

static int list_setting(const struct cage_setting *setting, void *argument)
{
    (void)argument;
    (void)close(setting->fd);
    line(setting->at, CAGE_SETTINGS_KIND " (" CAGE_SETTINGS_MODE ")");
    return 0;
}

/* Those of this machine, as it is now. */
static void list_settings(void)
{
    (void)cage_settings_look(0, false, list_setting, NULL);
}

static int print_reach(const struct policy *policy)
{
    static const char *const network[POLICY_NETWORK_MAX] = {
        [POLICY_NETWORK_NONE] =
            "none: UNIX sockets among its own processes only; making any other socket is a denied attempt",
        [POLICY_NETWORK_LOOPBACK] =
            "loopback: its own 127.0.0.1 and ::1 only, which nothing else can reach; all other addresses have no "
            "route, which is an error for the program and not a denied attempt",
    };

    heading("Network, denials");
    row("network", network[policy->network]);
    print_denials(policy);
    if (policy->observe)
        print_observe(policy->observe);
    heading("What counts as a denied attempt");
    paragraph("System calls that are denied, wholly or in part; making a socket of a family that is not granted (with "
              "network: none, looking up a host's name does that too); calls of 32-bit and x32 programs.");
    paragraph(
        "Not counted, since the cage just has no such thing: files that are not there or not permitted, signals to "
        "process 1, connections without a route, calls that answer ENOSYS.");
    heading("Files");
    for (const struct cage_mount *mount = cage_mounts(); mount->at; mount++) {
        AUTO_BUF struct base_buf text = {0};
        if (base_buf_printf(&text, "%s (%s)", mount->kind, cage_mount_mode(mount, policy)) < 0)
            return BASE_E_NOMEM;
        line(mount->at, text.bytes);
    }
    list_settings();
    heading("Environment, nothing inherited");
    for (const char *const *variable = cage_environment(); *variable; variable++)
        printf("  %s\n", *variable);
    if (list_runtimes_environment() < 0)
        return BASE_E_NOMEM;
    for (size_t i = 0; i < policy->env_count; i++) {
        printf("  ");
        cli_say_visible(stdout, policy->env[i], strlen(policy->env[i]));
        printf("\n");
    }
    return 0;
}

/* Whether the policy's profile takes away a call of which the default allows something. */
static bool is_narrowed(const struct policy *policy, const struct cage_call *call)
{
    bool granted = call->class == CAGE_CLASS_ALLOWED || call->condition;

    return granted && policy->syscalls.narrowed &&
           !policy_set_has(&policy->syscalls.calls, (unsigned)policy_call_find(call->name));
}

/* "read, write, ..." of one class; calls with a condition carry it. Returns their number. */
static int list_calls(const struct policy *policy, enum cage_class class, bool with_conditions, struct base_buf *text)
{
    int count = 0;

    base_buf_clear(text);
    for (unsigned i = 0; i < cage_call_count; i++) {
        const struct cage_call *call = &cage_calls[i];
        if (call->class != class || (call->condition != NULL) != with_conditions || is_narrowed(policy, call))
            continue;
        if (base_buf_printf(text, "%s%s%s%s%s", count ? ", " : "", call->name, with_conditions ? " (" : "",
                            with_conditions ? call->condition : "", with_conditions ? ")" : "") < 0)
            return BASE_E_NOMEM;
        count++;
    }
    return count;
}

static void print_list(const char *head, int count, const struct base_buf *list)
{
    if (count == 0)
        return;
    printf("  %s, %d:\n    ", head, count);
    cli_say_wrapped(list->bytes, 4, 4);
}

static int print_class(const struct policy *policy, enum cage_class class, const char *head)
{
    AUTO_BUF struct base_buf text = {0};
    char name[64];

    for (int with_conditions = 0; with_conditions <= 1; with_conditions++) {
        int count = list_calls(policy, class, with_conditions, &text);
        if (count < 0)
            return count;
        (void)snprintf(name, sizeof(name), "%s%s", head, with_conditions ? " in part" : "");
        print_list(name, count, &text);
    }
    return 0;
}

/* How many calls are allowed, denied, or either by their arguments. */
static int print_call_counts(const struct policy *policy)
{
    unsigned allowed = 0, denied = 0, in_part = 0;
    char text[160];

    for (unsigned i = 0; i < cage_call_count; i++)
        if (is_narrowed(policy, &cage_calls[i]))
            denied++;
        else if (cage_calls[i].condition)
            in_part++;
        else if (cage_calls[i].class == CAGE_CLASS_ALLOWED)
            allowed++;
        else
            denied++;
    (void)snprintf(text, sizeof(text),
                   "%u allowed, %u denied, %u allowed or denied by their arguments, all others unknown (ENOSYS). "
                   "--syscalls lists them.",
                   allowed, denied, in_part);
    paragraph(text);
    return 0;
}

static int print_calls(const struct policy *policy)
{
    AUTO_BUF struct base_buf narrowed = {0};
    int count = 0, r = print_class(policy, CAGE_CLASS_ALLOWED, "allowed");
    char head[64];

    for (unsigned class = 0; r == 0 && class < CAGE_CLASS_ALLOWED; class ++) {
        (void)snprintf(head, sizeof(head), "denied, class %s", cage_class_name((enum cage_class) class));
        r = print_class(policy, (enum cage_class) class, head);
    }
    for (unsigned i = 0; r == 0 && i < cage_call_count; i++)
        if (is_narrowed(policy, &cage_calls[i]))
            r = base_buf_printf(&narrowed, "%s%s", count++ ? ", " : "", cage_calls[i].name);
    if (r < 0)
        return r;
    print_list("denied by the profile", count, &narrowed);
    paragraph("Every other number, and clone3, answers ENOSYS; so do calls of 32-bit and x32 programs, which are "
              "denied attempts.");
    return 0;
}

static int print_set(const struct policy_set *set, const char *why)
{
    AUTO_BUF struct base_buf text = {0};

    for (unsigned i = 0; i < policy_call_count; i++)
        if (policy_set_has(set, i) && base_buf_printf(&text, "%s%s", text.count ? ", " : "", policy_calls[i].name) < 0)
            return BASE_E_NOMEM;
    printf("  - ");
    cli_say_wrapped(why, 4, 4);
    printf("    ");
    cli_say_wrapped(text.count ? text.bytes : "", 4, 4);
    return 0;
}

/* What the profile leaves of the default, and why; a policy's own list has no reasons. */
static int print_profile(const struct policy_syscalls *syscalls)
{
    const struct policy_profile *profile;
    int r = policy_profile_find(syscalls->name, &profile, NULL);
    bool built_in = r == 0 && memcmp(&profile->calls, &syscalls->calls, sizeof(profile->calls)) == 0;

    if (r == BASE_E_NOMEM)
        return r;
    r = 0;
    printf("  profile ");
    cli_say_visible(stdout, syscalls->name, strlen(syscalls->name));
    printf("\n");
    paragraph(built_in ? profile->text : "the policy's own list");
    paragraph("It narrows the default: of what that allows, only these stay, with the conditions that they have there; "
              "all others are denied attempts.");
    for (size_t i = 0; r == 0 && built_in && i < profile->group_count; i++)
        r = print_set(&profile->groups[i].calls, profile->groups[i].why);
    return built_in ? r : print_set(&syscalls->calls, "as the policy lists them");
}

/* Which one it will be is the program's. */
static void print_by_runtime(void)
{
    const struct policy_profile *profile;

    paragraph(
        "profile runtime: that of the program's runtime; where there is none, the default, which is counted here");
    for (unsigned i = 0; policy_profile_name(i); i++) {
        if (policy_profile_find(policy_profile_name(i), &profile, NULL) < 0)
            continue;
        for (size_t r = 0; r < profile->runtime_count; r++)
            row(profile->runtimes[r], profile->name);
    }
}

static int print_syscalls(const struct policy *policy, bool all)
{
    int r = 0;

    heading("System calls");
    if (policy->syscalls.narrowed)
        r = print_profile(&policy->syscalls);
    else if (policy->syscalls.by_runtime)
        print_by_runtime();
    else
        paragraph("profile default");
    return r < 0 ? r : (all ? print_calls : print_call_counts)(policy);
}

static void print_rest(void)
{
    heading("What is trusted");
    paragraph("The kernel of this machine, its hardware, whoever wrote the policy, and fumehood.");
    heading("What risk remains, whatever the policy says");
    for (const struct cage_residual *residual = cage_residuals(); residual->word; residual++)
        row(residual->word, residual->text);
    paragraph("The receipt names them as residual; fumehood doctor --threats has each threat.");
    heading("How to stop");
    paragraph(
        "One run: Ctrl-C, or SIGTERM to fumehood; SIGKILL takes the cage along. All runs of this user (as root: of "
        "the machine), until fumehood enable:");
    printf("  fumehood disable --why TEXT\n");
}

static int no_memory(const struct policy *policy, struct base_err *err)
{
    return base_err_set(err, BASE_E_NOMEM, policy->name, "out of memory");
}

int cli_explain(const struct policy *policy, bool syscalls, struct base_err *err)
{
    struct cage_host host;
    struct cage_plan plan = {0};
    struct base_err refused;
    int r = print_title(policy, err);

    if (r < 0)
        return r;
    cage_host_probe(&host);
    cage_base_take(&host);
    cage_base_leave();
    r = cage_plan_make(policy, &host, &plan, &refused);
    if (r == 0)
        r = cage_observe_check(policy, &refused);
    if (r < 0) {
        char text[1152];
        heading("On this machine a run with it is refused");
        paragraph(base_err_text(&refused, text, sizeof(text)));
    } else {
        print_steps(&plan, &host);
        r = print_limits(policy, &plan);
        if (r < 0)
            return no_memory(policy, err);
    }
    if (print_reach(policy) < 0 || print_syscalls(policy, syscalls) < 0)
        return no_memory(policy, err);
    print_rest();
    return 0;
}
