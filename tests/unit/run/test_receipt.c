/* test_receipt.c - tests of src/run/receipt.c: every field of the contract, sealed and verified */
#include "cage/cage.h"
#include "receipt/receipt.h"
#include "started.h"

/* One field: where ("a.b", "*" for every element), and what it may be. */
struct field {
    const char *path, *kinds; /* s text, i integer, b true or false, n null, o object, l list, r number */
};
static const struct field contract[] = {
    {"schema", "s"},
    {"run_id", "s"},
    {"started_utc", "s"},
    {"version", "s"},
    {"tier", "s"},
    {"cage", "s"},
    {"program.name", "s"},
    {"program.runtime", "s"},
    {"program.sha256", "s"},
    {"program.bytes", "i"},
    {"policy.sha256", "s"},
    {"policy.name", "s"},
    {"syscalls.profile", "s"},
    {"syscalls.sha256", "s"},
    {"root.kind", "s"},
    {"root.digest", "sn"},
    {"protections.requested", "l"},
    {"protections.requested.*", "s"},
    {"protections.achieved.*", "s"},
    {"protections.missing", "l"},
    {"limits.*.value", "is"},
    {"limits.*.enforced_by", "s"},
    {"mounts.*.at", "s"},
    {"mounts.*.kind", "s"},
    {"mounts.*.mode", "s"},
    {"residual", "l"},
    {"residual.*", "s"},
    {"ending.kind", "s"},
    {"ending.exit_code", "in"},
    {"ending.signal", "in"},
    {"ending.limit", "sn"},
    {"ending.detail", "sn"},
    {"denials", "l"},
    {"denials.*.class", "s"},
    {"denials.*.what", "s"},
    {"denials.*.count", "i"},
    {"denials.*.first_us", "i"},
    {"usage.wall_us", "i"},
    {"usage.cpu_us", "in"},
    {"usage.memory_peak_bytes", "in"},
    {"usage.processes_peak", "in"},
    {"usage.scratch_peak_bytes", "in"},
    {"stdout.bytes", "i"},
    {"stdout.kept_bytes", "i"},
    {"stdout.truncated", "b"},
    {"stdout.sha256", "s"},
    {"stdout.text", "s"},
    {"stdout.utf8", "b"},
    {"stderr.bytes", "i"},
    {"stderr.kept_bytes", "i"},
    {"stderr.truncated", "b"},
    {"stderr.sha256", "s"},
    {"stderr.text", "s"},
    {"stderr.utf8", "b"},
    {"artifacts.delivered", "l"},
    {"artifacts.rejected", "l"},
    {"effects", "l"},
    {"teardown.processes_left", "i"},
    {"teardown.cgroups_left", "i"},
    {"teardown.mounts_left", "i"},
    {"teardown.files_left", "i"},
    {"teardown.us", "i"},
    {"environment.kernel", "s"},
    {"environment.cpu", "s"},
    {"environment.cpus", "i"},
    {"environment.load_1min", "r"},
};

static char kind_of(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        return 's';
    case JSON_INTEGER:
        return 'i';
    case JSON_REAL:
        return 'r';
    case JSON_TRUE:
    case JSON_FALSE:
        return 'b';
    case JSON_NULL:
        return 'n';
    case JSON_OBJECT:
        return 'o';
    case JSON_ARRAY:
        return 'l';
    }
    return '?';
}

static void check_path(const json_t *value, const char *rest, const struct field *field)
{
    char key[64];
    size_t length = strcspn(rest, ".");

    if (!*rest) {
        if (!strchr(field->kinds, kind_of(value)))
            fail_msg("%s is of kind %c, expected one of %s", field->path, kind_of(value), field->kinds);
        return;
    }
    (void)snprintf(key, sizeof(key), "%.*s", (int)length, rest);
    rest += length + (rest[length] == '.');
    if (strcmp(key, "*") == 0) {
        for (size_t i = 0; i < json_array_size(value); i++)
            check_path(json_array_get(value, i), rest, field);
        for (void *at = json_object_iter((json_t *)(uintptr_t)value); at;
             at = json_object_iter_next((json_t *)(uintptr_t)value, at))
            check_path(json_object_iter_value(at), rest, field);
        return;
    }
    value = json_object_get(value, key);
    if (!value)
        fail_msg("%s is missing", field->path);
    check_path(value, rest, field);
}

static void check_contract(const json_t *receipt)
{
    for (size_t i = 0; i < sizeof(contract) / sizeof(contract[0]); i++)
        check_path(receipt, contract[i].path, &contract[i]);
    for (int key = 0; key < POLICY_LIMIT_MAX; key++)
        assert_non_null(
            json_object_get(json_object_get(receipt, "limits"), policy_limit_name((enum policy_limit_key)key)));
    assert_int_equal(json_object_size(json_object_get(receipt, "limits")), POLICY_LIMIT_MAX);
}

/* --- a made-up run --- */

struct made {
    struct policy policy;
    struct stage_program program;
    struct run_request request;
    struct warden_outcome outcome;
};

static struct made *made_new(void)
{
    struct made *made = test_calloc(1, sizeof(*made));
    struct warden_outcome *outcome = &made->outcome;

    made->policy = started_policy();
    started_program(&made->program, "a.py", "sh", "pass\n");
    made->request = started_request(&made->policy, &made->program);
    memset(outcome->run_id, 'a', 32);
    (void)snprintf(outcome->started_utc, sizeof(outcome->started_utc), "2026-11-29T13:00:00.000Z");
    for (int key = 0; key < POLICY_LIMIT_MAX; key++) {
        (void)snprintf(outcome->limits[key].enforced_by, sizeof(outcome->limits[key].enforced_by), "supervisor");
        outcome->limits[key].hits = WARDEN_UNKNOWN;
    }
    base_hash_bytes_hex("", 0, outcome->out.sha256);
    base_hash_bytes_hex("", 0, outcome->err.sha256);
    return made;
}

static json_t *made_receipt(const struct made *made)
{
    struct base_err err = {0};
    json_t *receipt = NULL;

    if (run_receipt(&made->request, &made->outcome, &receipt, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    return receipt;
}

static void made_free(struct made *made)
{
    warden_outcome_release(&made->outcome);
    stage_program_release(&made->program);
    policy_release(&made->policy);
    test_free(made);
}

static json_t *at(const json_t *json, const char *first, const char *second)
{
    json = json_object_get(json, first);
    return second ? json_object_get(json, second) : (json_t *)(uintptr_t)json;
}

static void every_field_of_the_contract(void **state)
{
    struct made *made = made_new();
    AUTO_JSON json_t *receipt = NULL;

    (void)state;
    const struct warden_denial tried = {"network", "socket(AF_INET)", 3, 812};
    char sha256[BASE_HASH_HEX];

    assert_int_equal(warden_outcome_add_denial(&made->outcome, &tried), 0);
    made->outcome.denials_unlisted = 5;
    made->outcome.landlock_abi = 2;
    made->outcome.protections_requested = made->outcome.protections_achieved = CAGE_BIT(USER_NS) | CAGE_BIT(PID_NS);
    receipt = made_receipt(made);
    check_contract(receipt);
    assert_string_equal(json_string_value(at(receipt, "schema", NULL)), "fumehood.receipt/1");
    assert_string_equal(json_string_value(at(receipt, "tier", NULL)), "container");
    assert_string_equal(json_string_value(at(receipt, "cage", NULL)), "fresh");
    assert_string_equal(json_string_value(at(receipt, "version", NULL)), FUMEHOOD_VERSION);
    stage_program_sha256(&made->program, sha256);
    assert_string_equal(json_string_value(at(receipt, "program", "sha256")), sha256);
    assert_int_equal(json_integer_value(at(receipt, "program", "bytes")), 5);
    const json_t *denial = json_array_get(at(receipt, "denials", NULL), 0);
    assert_string_equal(json_string_value(json_object_get(denial, "what")), "socket(AF_INET)");
    assert_int_equal(json_integer_value(json_object_get(denial, "count")), 3);
    assert_int_equal(json_integer_value(at(receipt, "denials_unlisted", NULL)), 5);
    assert_int_equal(json_array_size(at(receipt, "protections", "requested")), 2);
    assert_int_equal(json_integer_value(at(receipt, "landlock_abi", NULL)), 2);
    assert_int_equal(json_array_size(at(receipt, "residual", NULL)), 11);
    assert_string_equal(json_string_value(json_array_get(at(receipt, "residual", NULL), 0)), "kernel-bugs");
    assert_null(json_object_get(receipt, "sha256")); /* the seal adds it */
    made_free(made);
}

/* Absent is not zero. */
static void without_landlock_there_is_no_abi(void **state)
{
    struct made *made = made_new();
    AUTO_JSON json_t *receipt = made_receipt(made);

    (void)state;
    assert_true(json_is_null(at(receipt, "landlock_abi", NULL)));
    made_free(made);
}

static void the_policys_hash(void **state)
{
    struct made *made = made_new();
    char hash[BASE_HASH_HEX];

    (void)state;
    assert_int_equal(policy_set_limit(&made->policy, "wall_ms=3s", NULL), 0);
    assert_int_equal(policy_hash(&made->policy, hash, NULL), 0);
    AUTO_JSON json_t *receipt = made_receipt(made);
    assert_string_equal(json_string_value(at(receipt, "policy", "sha256")), hash);
    assert_int_equal(json_integer_value(json_object_get(at(receipt, "limits", "wall_ms"), "value")), 3000);
    made_free(made);
}

static void limits_say_what_is_known(void **state)
{
    struct made *made = made_new();
    AUTO_JSON json_t *receipt = NULL;

    (void)state;
    made->outcome.limits[POLICY_LIMIT_PROCESSES].hits = 3;
    made->outcome.limits[POLICY_LIMIT_WALL_MS].hits = 0;
    receipt = made_receipt(made);
    assert_int_equal(json_integer_value(json_object_get(at(receipt, "limits", "processes"), "hits")), 3);
    assert_int_equal(json_integer_value(json_object_get(at(receipt, "limits", "wall_ms"), "hits")), 0);
    assert_null(json_object_get(at(receipt, "limits", "open_files"), "hits")); /* nobody counts */
    assert_string_equal(json_string_value(json_object_get(at(receipt, "limits", "cpu_ms"), "value")), "unlimited");
    assert_true(json_is_true(json_object_get(at(receipt, "limits", "memory_bytes"), "if_available")));
    assert_null(json_object_get(at(receipt, "limits", "wall_ms"), "if_available"));
    made_free(made);
}

static void unknown_is_null_and_not_a_number(void **state)
{
    struct made *made = made_new();
    AUTO_JSON json_t *receipt = NULL;

    (void)state;
    made->outcome.memory_peak_bytes = made->outcome.processes_peak = WARDEN_UNKNOWN;
    receipt = made_receipt(made);
    check_contract(receipt);
    assert_true(json_is_null(at(receipt, "usage", "memory_peak_bytes")));
    assert_true(json_is_null(at(receipt, "usage", "processes_peak")));
    assert_int_equal(json_integer_value(at(receipt, "usage", "scratch_peak_bytes")), 0);
    made_free(made);
}

/* An ending has its own facts and no others. */
static void endings(void **state)
{
    (void)state;
    for (int ending = 0; ending < WARDEN_ENDING_MAX; ending++) {
        struct made *made = made_new();
        AUTO_JSON json_t *receipt = NULL;
        made->outcome.ending = (enum warden_ending)ending;
        made->outcome.exit_code = 7;
        made->outcome.signal = 9;
        made->outcome.limit = WARDEN_LIMIT_MEMORY;
        (void)base_err_set(&made->outcome.error, BASE_E_SETUP, "own_root", "this part of the cage failed");
        receipt = made_receipt(made);
        check_contract(receipt);
        assert_string_equal(json_string_value(at(receipt, "ending", "kind")),
                            warden_ending_name((enum warden_ending)ending));
        assert_int_equal(json_is_integer(at(receipt, "ending", "exit_code")), ending == WARDEN_EXITED);
        if (ending != WARDEN_SIGNALED && ending != WARDEN_CANCELLED)
            assert_true(json_is_null(at(receipt, "ending", "signal")));
        assert_int_equal(json_is_string(at(receipt, "ending", "limit")), ending == WARDEN_LIMIT);
        if (ending == WARDEN_SETUP_ERROR || ending == WARDEN_LOST)
            assert_non_null(strstr(json_string_value(at(receipt, "ending", "detail")), "own_root"));
        made_free(made);
    }
}

static void bytes_that_are_not_text(void **state)
{
    static const char bytes[] = {'a', 0, (char)0xff, '\x1b', (char)0xc3};
    struct made *made = made_new();
    AUTO_JSON json_t *receipt = NULL;

    (void)state;
    assert_int_equal(base_buf_append(&made->outcome.out.kept, bytes, sizeof(bytes)), 0);
    made->outcome.out.bytes = 500;
    made->outcome.out.truncated = true;
    receipt = made_receipt(made);
    assert_false(json_is_true(at(receipt, "stdout", "utf8")));
    assert_string_equal(json_string_value(at(receipt, "stdout", "base64")), "YQD/G8M=");
    assert_int_equal(json_integer_value(at(receipt, "stdout", "bytes")), 500);
    assert_int_equal(json_integer_value(at(receipt, "stdout", "kept_bytes")), 5);
    assert_true(json_is_true(at(receipt, "stdout", "truncated")));
    assert_null(at(receipt, "stderr", "base64")); /* empty is valid text */
    assert_true(json_is_true(at(receipt, "stderr", "utf8")));
    made_free(made);
}

static void what_was_observed(void **state)
{
    struct made *made = made_new();
    struct warden_sight file = {.count = 2, .seen = "missing", .path = "/root/\xff"};
    struct warden_sight exec = {.count = 1, .seen = "tried", .is_exec = true, .is_cut = true, .path = "/bin/x"};
    AUTO_JSON json_t *quiet = made_receipt(made);
    AUTO_JSON json_t *receipt = NULL;
    const json_t *observed, *row;

    (void)state;
    assert_null(json_object_get(quiet, "observed"));
    made->policy.observe = 1u << POLICY_OBSERVE_FILES;
    made->outcome.observed_unlisted = 7;
    assert_int_equal(base_buf_append(&made->outcome.observed, &file, sizeof(file)), 0);
    assert_int_equal(base_buf_append(&made->outcome.observed, &exec, sizeof(exec)), 0);
    receipt = made_receipt(made);
    observed = json_object_get(receipt, "observed");
    assert_int_equal(json_array_size(json_object_get(observed, "files")), 1);
    assert_null(json_object_get(observed, "exec")); /* was not asked for */
    assert_int_equal(json_integer_value(json_object_get(observed, "unlisted")), 7);
    row = json_array_get(json_object_get(observed, "files"), 0);
    assert_string_equal(json_string_value(json_object_get(row, "path")), "/root/\xef\xbf\xbd");
    assert_string_equal(json_string_value(json_object_get(row, "seen")), "missing");
    assert_int_equal(json_integer_value(json_object_get(row, "count")), 2);
    made_free(made);
}

static void odd_names(void **state)
{
    struct made *made = made_new();
    struct stage_file file = {.path = "in\xffput", .bytes = "x", .count = 1, .mode = 0644, .sha256 = "h"};
    AUTO_JSON json_t *receipt = NULL;

    (void)state;
    (void)snprintf(made->program.name, sizeof(made->program.name), "a\xff\"\n.py");
    made->request.files = &file;
    made->request.file_count = 1;
    (void)snprintf(made->outcome.detail, sizeof(made->outcome.detail), "detail with \xff");
    receipt = made_receipt(made);
    check_contract(receipt);
    assert_int_equal(json_array_size(at(receipt, "inputs", NULL)), 1);
    made_free(made);
}

/* --- seal and verify --- */

static void verify(const char *path, unsigned long receipts)
{
    struct receipt_verdict verdict;
    struct base_err err = {0};

    if (receipt_verify_file(path, NULL, &verdict, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    if (verdict.bad_line)
        fail_msg("line %lu: %s", verdict.bad_line, verdict.why);
    assert_int_equal(verdict.receipts, receipts);
}

static void append_line(const char *path, const json_t *receipt)
{
    AUTO_BUF struct base_buf line = {0};
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    assert_int_equal(base_json_canonical(receipt, &line), 0);
    assert_int_equal(base_buf_append(&line, "\n", 1), 0);
    assert_int_equal(write(fd, line.bytes, line.count), (ssize_t)line.count);
}

static void sealed_and_chained(void **state)
{
    AUTO_BUF struct base_buf line = {0};
    char head[BASE_HASH_HEX] = "";

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct made *made = made_new();
        AUTO_JSON json_t *receipt = NULL;
        made->outcome.exit_code = i;
        made->outcome.wall_us = UINT64_C(1) << 52; /* large numbers survive */
        receipt = made_receipt(made);
        assert_int_equal(receipt_seal(receipt, head, &line, head, NULL), 0);
        assert_non_null(json_object_get(receipt, "sha256"));
        assert_non_null(json_object_get(receipt, "previous_sha256"));
        append_line("receipts.jsonl", receipt);
        made_free(made);
    }
    verify("receipts.jsonl", 3);
}

static void a_real_run(void **state)
{
    AUTO_BUF struct base_buf line = {0};
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    AUTO_JSON json_t *receipt = NULL;
    char head[BASE_HASH_HEX];

    (void)state;
    started_program(&program, "p.sh", NULL, "printf '\\000\\377'; unshare -n true; echo done >&2");
    struct run_request request = started_request(&policy, &program);
    started_exited(&request, &outcome, 0);
    assert_int_equal(run_receipt(&request, &outcome, &receipt, NULL), 0);
    check_contract(receipt);
    assert_int_equal(json_array_size(at(receipt, "protections", "achieved")) +
                         json_array_size(at(receipt, "protections", "missing")),
                     CAGE_STEP_MAX); /* what is not achieved is listed as missing, nothing falls between */
    assert_int_equal(json_array_size(at(receipt, "denials", NULL)), 1);
    assert_string_equal(json_string_value(at(receipt, "stdout", "base64")), "AP8=");
    assert_non_null(strstr(json_string_value(at(receipt, "stderr", "text")), "done\n"));
    assert_int_equal(receipt_seal(receipt, NULL, &line, head, NULL), 0);
    append_line("receipt.json", receipt);
    verify("receipt.json", 1);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_the_contract),
        cmocka_unit_test(without_landlock_there_is_no_abi),
        cmocka_unit_test(the_policys_hash),
        cmocka_unit_test(limits_say_what_is_known),
        cmocka_unit_test(unknown_is_null_and_not_a_number),
        cmocka_unit_test(endings),
        cmocka_unit_test(bytes_that_are_not_text),
        cmocka_unit_test(what_was_observed),
        cmocka_unit_test(odd_names),
        IN_FOLDER(sealed_and_chained),
        IN_FOLDER(a_real_run),
    };

    return apart_status(cmocka_run_group_tests(tests, NULL, NULL));
}
