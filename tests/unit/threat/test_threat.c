/* test_threat.c - tests of src/threat/threat.c: the table speaks words that are known, and gaps show in it */
#include "../support.h"
#include "threat/threat.h"

static struct cage_host machine(enum cage_manager manager)
{
    struct cage_host host = {.landlock_abi = 6,
                             .has_own_ids = true,
                             .manager = manager,
                             .hard_open_files = UINT64_MAX,
                             .hard_file_bytes = UINT64_MAX,
                             .hard_processes = UINT64_MAX,
                             .hard_cpu_s = UINT64_MAX,
                             .hard_address_space = UINT64_MAX,
                             .hard_data_bytes = UINT64_MAX,
                             .hard_stack_bytes = UINT64_MAX,
                             .soft_processes = UINT64_MAX};

    for (int c = 0; manager != CAGE_MANAGER_NONE && c < CAGE_CONTROLLER_MAX; c++)
        host.controllers[c] = true;
    return host;
}

static struct threat_here look(const struct cage_host *host)
{
    struct threat_here here;
    struct base_err err = {0};

    if (threat_look(host, &here, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    return here;
}

static const struct threat *find(const char *id)
{
    for (const struct threat *threat = threat_table(); threat->id; threat++)
        if (strcmp(threat->id, id) == 0)
            return threat;
    fail_msg("there is no threat %s", id);
    return NULL;
}

static void rows_are_whole(void **state)
{
    (void)state;
    for (const struct threat *threat = threat_table(); threat->id; threat++) {
        assert_int_equal(strspn(threat->id, "abcdefghijklmnopqrstuvwxyz-"), strlen(threat->id));
        assert_true(strlen(threat->id) <= 16);
        assert_true(strlen(threat->wants) > 5 && strlen(threat->wants) <= 54); /* one line of the table */
        assert_true(strlen(threat->recovery) > 5);
        bool claims = *threat->prevention && strcmp(threat->prevention, "unbuilt") != 0;
        assert_int_equal(claims, *threat->drill || *threat->tests);
        assert_true(claims || *threat->residual || *threat->remark);
        for (const struct threat *other = threat_table(); other != threat; other++)
            assert_string_not_equal(threat->id, other->id);
    }
}

/* Those of one attacker stand together, in the attackers' order, and every attacker has some. */
static void attackers_have_their_threats(void **state)
{
    const struct threat_attacker *attacker = threat_attackers();
    const struct threat *threat = threat_table();

    (void)state;
    for (; attacker->word; attacker++) {
        assert_string_equal(threat->attacker, attacker->word);
        assert_true(strlen(attacker->text) > 5);
        while (threat->id && strcmp(threat->attacker, attacker->word) == 0)
            threat++;
    }
    assert_null(threat->id);
}

/* What is not built claims nothing on any machine. */
static void what_is_not_built_is_said(void **state)
{
    struct cage_host host = machine(CAGE_MANAGER_V2);
    struct threat_here here = look(&host);
    const char *by;

    (void)state;
    assert_int_equal(threat_state(find("broker"), &here), THREAT_UNBUILT);
    assert_string_equal(threat_state_name(THREAT_UNBUILT), "unbuilt");
    assert_int_equal(threat_wall(&here, "unbuilt", &by), THREAT_WALL_UNKNOWN);
    assert_int_equal(threat_wall(&here, "chain", &by), THREAT_WALL_STANDS);
    assert_non_null(by);
}

/* Where everything is there, all that can be prevented is. */
static void every_word_is_known(void **state)
{
    struct cage_host host = machine(CAGE_MANAGER_V2);
    struct threat_here here = look(&host);
    char word[THREAT_WORD_BYTES];
    const char *by;

    (void)state;
    for (const struct threat *threat = threat_table(); threat->id; threat++) {
        for (const char *at = threat->prevention; threat_next_word(&at, word);)
            if (strcmp(word, "unbuilt") != 0 && threat_wall(&here, word, &by) != THREAT_WALL_STANDS)
                fail_msg("%s: %s does not stand: %s", threat->id, word,
                         threat_wall_name(threat_wall(&here, word, &by)));
        for (const char *at = threat->residual; threat_next_word(&at, word);)
            if (!threat_residual(word))
                fail_msg("%s: nobody knows the risk %s", threat->id, word);
        assert_int_equal(threat_state(threat, &here), strcmp(threat->prevention, "unbuilt") == 0 ? THREAT_UNBUILT
                                                      : *threat->prevention                      ? THREAT_HELD
                                                                                                 : THREAT_OPEN);
    }
    assert_int_equal(threat_wall(&here, "moat", &by), THREAT_WALL_UNKNOWN);
    assert_null(threat_residual("moat"));
}

static bool has_word(const char *list, const char *wanted)
{
    char word[THREAT_WORD_BYTES];

    while (threat_next_word(&list, word))
        if (strcmp(word, wanted) == 0)
            return true;
    return false;
}

/* A promise that stands against nothing, a risk that nobody runs: then a row is missing. */
static void every_promise_stands_against_something(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CAGE_STEP_MAX + POLICY_LIMIT_MAX; i++) {
        const char *name =
            i < CAGE_STEP_MAX ? cage_step_name(i) : policy_limit_name((enum policy_limit_key)(i - CAGE_STEP_MAX));
        const struct threat *threat = threat_table();
        while (threat->id && !has_word(threat->prevention, name))
            threat++;
        if (!threat->id)
            fail_msg("%s stands against no threat", name);
    }
    for (const struct cage_residual *residual = cage_residuals(); residual->word; residual++) {
        const struct threat *threat = threat_table();
        while (threat->id && !has_word(threat->residual, residual->word))
            threat++;
        if (!threat->id)
            fail_msg("%s remains of no threat", residual->word);
        assert_true(residual->helps > POLICY_TIER_CONTAINER);
        assert_true(strlen(residual->text) > 20);
    }
}

static void without_groups(void **state)
{
    struct cage_host host = machine(CAGE_MANAGER_NONE);
    struct threat_here here = look(&host);
    const char *by;

    (void)state;
    assert_int_equal(threat_state(find("memory"), &here), THREAT_WEAKER);
    assert_int_equal(threat_state(find("processor"), &here), THREAT_WEAKER);
    assert_int_equal(threat_state(find("network"), &here), THREAT_HELD);
    assert_int_equal(threat_state(find("disk"), &here), THREAT_HELD);
    assert_int_equal(threat_wall(&here, "cgroup", &by), THREAT_WALL_LOST);
    assert_int_equal(threat_wall(&here, "idle_ms", &by), THREAT_WALL_LOST);
    assert_int_equal(threat_wall(&here, "memory_bytes", &by), THREAT_WALL_WEAKER);
    assert_non_null(strstr(by, "each process"));
    assert_int_equal(threat_wall(&here, "processes", &by), THREAT_WALL_STANDS);
    assert_string_equal(by, "rlimit");
    assert_int_equal(threat_wall(&here, "wall_ms", &by), THREAT_WALL_STANDS);
    assert_string_equal(by, "supervisor");
}

/* One controller is missing: what it bounds is lost, nothing else. */
static void without_one_controller(void **state)
{
    struct cage_host host = machine(CAGE_MANAGER_V1);
    struct threat_here here;

    (void)state;
    host.controllers[CAGE_CPU] = false;
    here = look(&host);
    assert_int_equal(threat_state(find("processor"), &here), THREAT_WEAKER);
    assert_int_equal(threat_state(find("memory"), &here), THREAT_HELD);
}

static void without_landlock(void **state)
{
    struct cage_host host = machine(CAGE_MANAGER_V2);
    struct threat_here here;

    (void)state;
    host.landlock_abi = 0;
    here = look(&host);
    assert_int_equal(threat_state(find("read-files"), &here), THREAT_WEAKER);
    assert_int_equal(threat_state(find("other-processes"), &here), THREAT_WEAKER);
    assert_int_equal(threat_state(find("network"), &here), THREAT_HELD);
}

/* Rows claim a part of the second wall only where the kernel's ABI has it. */
static void by_the_abi_of_landlock(void **state)
{
    struct cage_host host = machine(CAGE_MANAGER_V2);
    const char *by;

    (void)state;
    for (int abi = CAGE_LANDLOCK_FILES; abi <= CAGE_LANDLOCK_KNOWN; abi++) {
        struct threat_here here;
        char name[16];
        host.landlock_abi = abi;
        here = look(&host);
        (void)snprintf(name, sizeof(name), "ABI %d", abi);
        assert_int_equal(threat_state(find("read-files"), &here), THREAT_HELD);
        assert_int_equal(threat_state(find("devices"), &here), THREAT_HELD);
        assert_int_equal(threat_state(find("other-processes"), &here),
                         abi < CAGE_LANDLOCK_SCOPES ? THREAT_WEAKER : THREAT_HELD);
        assert_int_equal(threat_wall(&here, "landlock", &by), THREAT_WALL_STANDS);
        assert_string_equal(by, name);
        assert_int_equal(threat_wall(&here, "landlock_tcp", &by),
                         abi < CAGE_LANDLOCK_TCP ? THREAT_WALL_LOST : THREAT_WALL_STANDS);
        assert_string_equal(by, abi < CAGE_LANDLOCK_TCP ? "from Linux 6.7 on" : name);
        assert_int_equal(threat_wall(&here, "landlock_moon", &by), THREAT_WALL_UNKNOWN);
    }
}

static void as_an_ordinary_user(void **state)
{
    struct cage_host host = machine(CAGE_MANAGER_V2);
    struct threat_here here;
    const char *by;

    (void)state;
    host.has_own_ids = false;
    here = look(&host);
    assert_int_equal(threat_wall(&here, "identity_map", &by), THREAT_WALL_WEAKER);
    assert_non_null(strstr(by, "starter's"));
    assert_int_equal(threat_state(find("other-runs"), &here), THREAT_WEAKER);
    assert_int_equal(threat_state(find("memory"), &here), THREAT_HELD);
}

/* What a real run has not proved does not stand, whatever was planned. */
static void a_step_that_was_not_proved(void **state)
{
    struct cage_host host = machine(CAGE_MANAGER_V2);
    struct threat_here here = look(&host);
    const char *by;

    (void)state;
    here.steps &= ~CAGE_BIT(NETWORK_NS);
    assert_int_equal(threat_wall(&here, "network_ns", &by), THREAT_WALL_LOST);
    assert_int_equal(threat_state(find("network"), &here), THREAT_WEAKER);
}

/* Hard limits of the starter must not hide the matrix. */
static void under_hard_limits(void **state)
{
    struct cage_host host = machine(CAGE_MANAGER_V2);

    (void)state;
    host.hard_open_files = 20;
    host.hard_processes = 2;
    (void)look(&host);
}

static void words_of_lists(void **state)
{
    char word[THREAT_WORD_BYTES], long_word[200];
    const char *at = "one  two";

    (void)state;
    assert_true(threat_next_word(&at, word));
    assert_string_equal(word, "one");
    assert_true(threat_next_word(&at, word));
    assert_string_equal(word, "two");
    assert_false(threat_next_word(&at, word));
    assert_string_equal(word, "");
    memset(long_word, 'x', sizeof(long_word));
    long_word[sizeof(long_word) - 1] = 0;
    at = long_word;
    assert_true(threat_next_word(&at, word));
    assert_int_equal(strlen(word), THREAT_WORD_BYTES - 1);
    assert_false(threat_next_word(&at, word));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(attackers_have_their_threats),
        cmocka_unit_test(what_is_not_built_is_said),
        cmocka_unit_test(every_word_is_known),
        cmocka_unit_test(every_promise_stands_against_something),
        cmocka_unit_test(without_groups),
        cmocka_unit_test(without_one_controller),
        cmocka_unit_test(without_landlock),
        cmocka_unit_test(by_the_abi_of_landlock),
        cmocka_unit_test(as_an_ordinary_user),
        cmocka_unit_test(a_step_that_was_not_proved),
        cmocka_unit_test(under_hard_limits),
        cmocka_unit_test(words_of_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
