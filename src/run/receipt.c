/* receipt.c - the outcome as a receipt, field by field as the contract says */
#include "run/receipt.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "cage/cage.h"
#include "run/common.h"
#include <string.h>
#include <sys/stat.h>

static json_t *number_or_null(uint64_t value)
{
    return value == WARDEN_UNKNOWN ? json_null() : json_integer((json_int_t)value);
}

static json_t *text_or_null(const char *text)
{
    return text && *text ? base_json_text(text, strlen(text)) : json_null();
}

static json_t *step_names(uint64_t bits)
{
    json_t *names = json_array();

    for (unsigned step = 0; step < CAGE_STEP_MAX; step++)
        if (bits >> step & 1)
            base_json_add(&names, json_string(cage_step_name(step)));
    return names;
}

/* Of a command its words are the program as much as its file is. */
static json_t *command_json(const struct run_request *request, json_t *json)
{
    const char *path = request->program->runtime->command[0];
    json_t *args = json_array();
    struct stat st;

    for (const char *const *arg = request->args; arg && *arg; arg++)
        base_json_add(&args, base_json_text(*arg, strlen(*arg)));
    base_json_put(&json, "path", base_json_text(path, strlen(path)));
    base_json_put(&json, "args", args);
    base_json_put(&json, "bytes", stat(path, &st) == 0 ? json_integer((json_int_t)st.st_size) : json_null());
    return json;
}

static json_t *program_json(const struct run_request *request)
{
    const struct stage_program *program = request->program;
    char sha256[BASE_HASH_HEX];
    json_t *json;

    stage_program_sha256(program, sha256);
    json = json_pack("{s:o,s:s,s:o,s:I}", "name", base_json_text(program->name, strlen(program->name)), "runtime",
                     program->runtime->name, "sha256", text_or_null(sha256), "bytes", (json_int_t)program->count);
    return program->is_command ? command_json(request, json) : json;
}

static json_t *inputs_json(const struct run_request *request)
{
    json_t *inputs = json_array();

    for (size_t i = 0; i < request->file_count; i++) {
        const struct stage_file *file = &request->files[i];
        base_json_add(&inputs, json_pack("{s:o,s:s,s:I}", "path", base_json_text(file->path, strlen(file->path)),
                                         "sha256", file->sha256, "bytes", (json_int_t)file->count));
    }
    return inputs;
}

static json_t *limits_json(const struct run_request *request, const struct warden_outcome *outcome)
{
    const struct policy *policy = request->policy;
    json_t *limits = json_object();

    for (int key = 0; key < POLICY_LIMIT_MAX; key++) {
        const struct policy_limit *limit = &policy->limits[key];
        json_t *row = json_pack("{s:o,s:s}", "value",
                                limit->unlimited ? json_string("unlimited") : json_integer((json_int_t)limit->value),
                                "enforced_by", outcome->limits[key].enforced_by);
        if (limit->unlimited)
            base_json_put(&row, "reason", text_or_null(limit->reason));
        if (limit->if_available)
            base_json_put(&row, "if_available", json_true());
        if (outcome->limits[key].in_force)
            base_json_put(&row, "in_force", json_integer((json_int_t)outcome->limits[key].in_force));
        if (outcome->limits[key].hits != WARDEN_UNKNOWN)
            base_json_put(&row, "hits", json_integer((json_int_t)outcome->limits[key].hits));
        base_json_put(&limits, policy_limit_name((enum policy_limit_key)key), row);
    }
    return limits;
}

/* Where what "cgroup-v1" and "cgroup-v2" enforce was. */
static json_t *cgroup_json(const struct run_request *request, const struct warden_outcome *outcome)
{
    (void)request;
    if (!outcome->groups.manager[0])
        return json_null(); /* whoever watched the run is lost, and did not say */
    return json_pack("{s:s,s:s,s:o}", "manager", outcome->groups.manager, "base", outcome->groups.base, "unit",
                     text_or_null(outcome->groups.unit));
}

/* Most have their kind and mode in common. */
static json_t *setting_json(const char *path, json_t *kind, json_t *mode)
{
    json_t *row = json_object();

    base_json_put(&row, "at", json_string(path));
    base_json_put(&row, "kind", json_incref(kind));
    base_json_put(&row, "mode", json_incref(mode));
    return row;
}

static json_t *mounts_json(const struct run_request *request, const struct warden_outcome *outcome)
{
    AUTO_JSON json_t *kind = json_string(CAGE_SETTINGS_KIND), *mode = json_string(CAGE_SETTINGS_MODE);
    json_t *mounts = json_array();

    for (const struct cage_mount *mount = cage_mounts(); mount->at; mount++)
        base_json_add(&mounts, json_pack("{s:s,s:s,s:s}", "at", mount->at, "kind", mount->kind, "mode",
                                         cage_mount_mode(mount, request->policy)));
    for (unsigned row = 0; cage_settings_path(row); row++)
        if (outcome->settings >> row & 1)
            base_json_add(&mounts, setting_json(cage_settings_path(row), kind, mode));
    return mounts;
}

static json_t *residual_json(const struct run_request *request, const struct warden_outcome *outcome)
{
    json_t *words = json_array();

    (void)request;
    (void)outcome;
    for (const struct cage_residual *residual = cage_residuals(); residual->word; residual++)
        base_json_add(&words, json_string(residual->word));
    return words;
}

static json_t *ending_json(const struct warden_outcome *outcome)
{
    bool exited = outcome->ending == WARDEN_EXITED;
    bool failed = outcome->ending == WARDEN_SETUP_ERROR || outcome->ending == WARDEN_LOST;
    char text[1100];

    return json_pack("{s:s,s:o,s:o,s:o,s:o}", "kind", warden_ending_name(outcome->ending), "exit_code",
                     exited ? json_integer(outcome->exit_code) : json_null(), "signal",
                     outcome->ending == WARDEN_SIGNALED ? json_integer(outcome->signal) : json_null(), "limit",
                     outcome->ending == WARDEN_LIMIT ? text_or_null(warden_limit_name(outcome->limit)) : json_null(),
                     "detail",
                     text_or_null(failed ? base_err_text(&outcome->error, text, sizeof(text)) : outcome->detail));
}

static json_t *denials_json(const struct warden_outcome *outcome)
{
    json_t *denials = json_array();

    for (unsigned i = 0; i < outcome->denial_count; i++) {
        const struct warden_denial *denial = &warden_outcome_denials(outcome)[i];
        base_json_add(&denials,
                      json_pack("{s:s,s:s,s:I,s:I}", "class", denial->class_name, "what", denial->what, "count",
                                (json_int_t)denial->count, "first_us", (json_int_t)denial->first_us));
    }
    return denials;
}

static json_t *sight_json(const struct warden_sight *sight)
{
    json_t *json = json_pack("{s:o,s:s,s:I}", "path", base_json_text(sight->path, strlen(sight->path)), "seen",
                             sight->seen, "count", (json_int_t)sight->count);

    if (json && sight->is_cut)
        base_json_put(&json, "truncated", json_true());
    return json;
}

/* Only the lists that were asked for. */
static json_t *observed_json(const struct policy *policy, const struct warden_outcome *outcome)
{
    const struct warden_sight *sights = (const struct warden_sight *)(const void *)outcome->observed.bytes;
    json_t *observed = json_pack("{s:I,s:I}", "unlisted", (json_int_t)outcome->observed_unlisted, "unread",
                                 (json_int_t)outcome->observed_unread);

    for (unsigned kind = 0; kind < POLICY_OBSERVE_MAX; kind++) {
        json_t *list;

        if (!(policy->observe >> kind & 1))
            continue;
        list = json_array();
        for (size_t i = 0; i < outcome->observed.count / sizeof(*sights); i++)
            if (sights[i].is_exec == (kind == POLICY_OBSERVE_EXEC))
                base_json_add(&list, sight_json(&sights[i]));
        base_json_put(&observed, policy_observe_name((enum policy_observe)kind), list);
    }
    return observed;
}

static json_t *usage_json(const struct warden_outcome *outcome)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:o}", "wall_us", number_or_null(outcome->wall_us), "cpu_us",
                     number_or_null(outcome->cpu_us), "memory_peak_bytes", number_or_null(outcome->memory_peak_bytes),
                     "processes_peak", number_or_null(outcome->processes_peak), "scratch_peak_bytes",
                     number_or_null(outcome->scratch_peak_bytes));
}

/* Room for a stream in a receipt: text may take twice its bytes (a newline takes two, a control character six), and a
 * little more where it is short. What is in base64 has as much of a text as people read. */
#define TEXT_SPARE_BYTES  4096
#define TEXT_BESIDE_BYTES 65536

/* As many of the @count bytes as a receipt may hold; not a part of a character. */
static size_t cut(const char *bytes, size_t count, size_t max)
{
    size_t end = count;

    if (max == 0 || count <= max)
        return count;
    for (end = max; end > max - 3 && ((unsigned char)bytes[end] & 0xc0) == 0x80;)
        end--;
    return end;
}

static json_t *stream_json(const struct run_request *request, const struct warden_stream *stream)
{
    const char *bytes = stream->kept.bytes;
    size_t count = cut(bytes, stream->kept.count, request->receipt_stream_bytes);
    bool exact =
        base_json_text_fits(bytes, count, 2 * count + TEXT_SPARE_BYTES) == count && base_json_is_utf8(bytes, count);
    size_t shown = exact ? count : base_json_text_fits(bytes, count, TEXT_BESIDE_BYTES);
    json_t *json = json_pack("{s:I,s:I,s:b,s:s,s:o,s:b}", "bytes", (json_int_t)stream->bytes, "kept_bytes",
                             (json_int_t)count, "truncated", stream->truncated || count < stream->kept.count, "sha256",
                             stream->sha256, "text", base_json_text(bytes, shown), "utf8", exact);

    if (json && !exact)
        base_json_put(&json, "base64", base_json_base64(bytes, count));
    if (json && shown < count)
        base_json_put(&json, "text_bytes", json_integer((json_int_t)shown));
    return json;
}

static json_t *teardown_json(const struct warden_outcome *outcome)
{
    json_t *json =
        json_pack("{s:i,s:i,s:i,s:i,s:I}", "processes_left", (int)outcome->teardown.processes_left, "cgroups_left",
                  (int)outcome->teardown.cgroups_left, "mounts_left", (int)outcome->teardown.mounts_left, "files_left",
                  (int)outcome->teardown.files_left, "us", (json_int_t)outcome->teardown.us);

    if (json && outcome->is_kept)
        base_json_put(&json, "slot",
                      outcome->teardown.slot_why[0]
                          ? json_pack("{s:s,s:s}", "state", "dropped", "why", outcome->teardown.slot_why)
                          : json_pack("{s:s,s:n}", "state", "clean", "why"));
    return json;
}

static json_t *root_json(const struct run_request *request, const struct warden_outcome *outcome)
{
    (void)request;
    (void)outcome;
    return json_pack("{s:s,s:n}", "kind", "host", "digest");
}

static json_t *artifacts_json(const struct run_request *request, const struct warden_outcome *outcome)
{
    (void)request;
    (void)outcome;
    return json_pack("{s:[],s:[]}", "delivered", "rejected");
}

static json_t *policy_fields(const struct run_request *request, const struct warden_outcome *outcome)
{
    const struct policy *policy = request->policy;
    char sha256[BASE_HASH_HEX];

    (void)outcome;
    if (policy_hash(policy, sha256, NULL) < 0)
        return NULL;
    return json_pack("{s:s,s:s}", "sha256", sha256, "name", policy->name);
}

static json_t *protections_json(const struct run_request *request, const struct warden_outcome *outcome)
{
    (void)request;
    return json_pack("{s:o,s:o,s:o}", "requested",
                     step_names(outcome->protections_requested | outcome->protections_missing), "achieved",
                     step_names(outcome->protections_achieved), "missing", step_names(outcome->protections_missing));
}

static json_t *syscalls_json(const struct run_request *request, const struct warden_outcome *outcome)
{
    const struct policy policy = policy_settle(request->policy, request->program->runtime->name);
    char sha256[BASE_HASH_HEX];

    (void)outcome;
    policy_allowed_hash(&policy, sha256);
    return json_pack("{s:o,s:s}", "profile", base_json_text(policy.syscalls.name, strlen(policy.syscalls.name)),
                     "sha256", sha256);
}

/* How the interpreter came to be there: only where it could have stood ready. */
static json_t *zygote_json(const struct warden_outcome *outcome)
{
    if (outcome->from_zygote)
        return json_pack("{s:b,s:n,s:[s]}", "used", 1, "why", "weaker",
                         "addresses and hash seeds are the same in all runs of one zygote");
    return json_pack("{s:b,s:s,s:[]}", "used", 0, "why", outcome->cold_why, "weaker");
}

struct field {
    const char *key;
    json_t *value;
};

/* Takes every value, also after a failure. */
static int add_fields(json_t *receipt, const struct field *fields, size_t count)
{
    bool whole = receipt != NULL;

    for (size_t i = 0; i < count; i++)
        whole = json_object_set_new(receipt, fields[i].key, fields[i].value) == 0 && whole;
    return whole ? 0 : BASE_E_NOMEM;
}

json_t *run_receipt_begin(const struct run_request *request)
{
    const struct field fields[] = {
        {"schema", json_string("fumehood.receipt/1")},
        {"version", json_string(FUMEHOOD_VERSION)},
        {"tier", json_string(policy_tier_name(request->policy->tier))},
        {"program", program_json(request)},
        {"inputs", inputs_json(request)},
        {"policy", run_common_get(RUN_COMMON_POLICY, request, NULL, policy_fields)},
        {"root", run_common_get(RUN_COMMON_ROOT, request, NULL, root_json)},
        {"syscalls", run_common_get(RUN_COMMON_SYSCALLS, request, NULL, syscalls_json)},
        {"residual", run_common_get(RUN_COMMON_RESIDUAL, request, NULL, residual_json)},
        {"artifacts", run_common_get(RUN_COMMON_ARTIFACTS, request, NULL, artifacts_json)},
        {"effects", json_array()},
        {"environment", run_environment()},
    };
    AUTO_JSON json_t *receipt = json_object();

    return add_fields(receipt, fields, ARRAY_COUNT(fields)) < 0 ? NULL : TAKE_PTR(receipt);
}

static int finish(json_t *receipt, const struct run_request *request, const struct warden_outcome *outcome)
{
    const struct policy *policy = request->policy;
    const struct field fields[] = {
        {"run_id", json_string(outcome->run_id)},
        {"cage", json_string(outcome->is_kept ? "slot" : "fresh")},
        {"started_utc", json_string(outcome->started_utc)},
        {"mounts", run_common_get(RUN_COMMON_MOUNTS, request, outcome, mounts_json)},
        {"protections", run_common_get(RUN_COMMON_PROTECTIONS, request, outcome, protections_json)},
        {"landlock_abi", outcome->landlock_abi ? json_integer(outcome->landlock_abi) : json_null()},
        {"limits", run_common_get(RUN_COMMON_LIMITS, request, outcome, limits_json)},
        {"cgroup", run_common_get(RUN_COMMON_CGROUP, request, outcome, cgroup_json)},
        {"ending", ending_json(outcome)},
        {"denials", denials_json(outcome)},
        {"denials_complete", json_boolean(!cage_host_is_filtered())},
        {"denials_unlisted", json_integer((json_int_t)outcome->denials_unlisted)},
        {"usage", usage_json(outcome)},
        {"stdout", stream_json(request, &outcome->out)},
        {"stderr", stream_json(request, &outcome->err)},
        {"teardown", teardown_json(outcome)},
    };
    int r = add_fields(receipt, fields, ARRAY_COUNT(fields));

    if (r == 0 && (outcome->from_zygote || outcome->cold_why[0]))
        r = add_fields(receipt, &(struct field){"zygote", zygote_json(outcome)}, 1);
    if (r == 0 && policy->observe)
        r = add_fields(receipt, &(struct field){"observed", observed_json(policy, outcome)}, 1);
    return r;
}

int run_receipt(const struct run_request *request, const struct warden_outcome *outcome, json_t **ret_receipt,
                struct base_err *err)
{
    bool begun = request->receipt_draft && *request->receipt_draft;
    AUTO_JSON json_t *receipt = begun ? TAKE_PTR(*request->receipt_draft) : run_receipt_begin(request);

    if (!receipt || finish(receipt, request, outcome) < 0)
        return base_err_set(err, BASE_E_NOMEM, "receipt", "no memory");
    *ret_receipt = TAKE_PTR(receipt);
    return 0;
}
