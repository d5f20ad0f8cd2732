/* test_expect.c - expect.yaml, right and wrong */
#include "../support.h"
#include "base/cleanup.h"
#include "drill/expect.h"

static int parse(const char *text, struct drill_expect *ret_expect, struct base_err *err)
{
    AUTO_POLICY struct policy base = {0};

    assert_int_equal(policy_builtin("default", &base, NULL), 0);
    return drill_expect_parse(text, strlen(text), "p", &base, ret_expect, err);
}

static void accepts_all(void **state)
{
    static const char text[] = "group: network\n"
                               "what: connect to the host\n"
                               "covers: [a-1, b-2]\n"
                               "proves: [network_ns, syscall_filter, memory_bytes, teardown, supervisor]\n"
                               "args: [\"{tcp4}\", \"--x={unix_name}{nonce}\", \"{}\", \"{dir}/{A}\"]\n"
                               "outside: [tcp4, unix-abstract, second-run]\n"
                               "stdin: \"a\\nb\"\n"
                               "policy: {network: loopback, limits: {wall_ms: 3s}}\n"
                               "limits: {memory_bytes: 64MiB, cpus_if_available: 2}\n"
                               "expect:\n"
                               "  ending: [limit wall, exited 0, signaled 9, denied]\n"
                               "  denials: [\"network socket(AF_INET)\", \"syscall mount*\"]\n"
                               "  hits: [processes]\n"
                               "  stdout: \"\"\n"
                               "  stdout_bytes: 1MiB\n"
                               "  stderr_bytes: 0\n"
                               "control: bare\n"
                               "control_args: []\n"
                               "control_needs: root\n"
                               "control_why: it needs rights\n";
    AUTO_EXPECT struct drill_expect expect = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(parse(text, &expect, &err), 0);
    assert_int_equal(expect.group, DRILL_NETWORK);
    assert_string_equal(expect.what, "connect to the host");
    assert_int_equal(expect.covers.count, 2);
    assert_int_equal(expect.proves.count, 5);
    assert_int_equal(expect.outside,
                     DRILL_BIT(DRILL_TCP4) | DRILL_BIT(DRILL_UNIX_ABSTRACT) | DRILL_BIT(DRILL_SECOND_RUN));
    assert_int_equal(expect.args.count, 4);
    assert_string_equal(expect.stdin_text, "a\nb");
    assert_int_equal(expect.policy.network, POLICY_NETWORK_LOOPBACK);
    assert_int_equal(expect.policy.limits[POLICY_LIMIT_WALL_MS].value, 3000);
    assert_int_equal(expect.policy.limits[POLICY_LIMIT_MEMORY_BYTES].value, 64 << 20);
    assert_true(expect.policy.limits[POLICY_LIMIT_CPUS].if_available);
    assert_int_equal(expect.endings.count, 4);
    assert_string_equal(expect.endings.items[0], "limit wall");
    assert_string_equal(expect.denials.items[1], "syscall mount*");
    assert_string_equal(expect.hits.items[0], "processes");
    assert_string_equal(expect.stdout_text, "");
    assert_int_equal(expect.stdout_bytes, 1 << 20);
    assert_int_equal(expect.stderr_bytes, 0);
    assert_true(expect.has_control_args);
    assert_string_equal(expect.control_needs, "root");
}

static void fills_in_what_is_usual(void **state)
{
    static const struct {
        const char *text, *ending;
        size_t endings;
    } rows[] = {
        {"group: kernel\nwhat: w\nproves: [pid_ns]\ncontrol: bare\n", "exited 0", 1},
        {"group: kernel\nwhat: w\nresidual: known\ncontrol: bare\n", "exited 0", 2},
        {"group: kernel\nwhat: w\nresidual: known\ncontrol: bare\nexpect: {ending: exited 10}\n", "exited 10", 1},
        {"group: kernel\nwhat: w\nproves: [parent_death]\ncontrol: none\ncontrol_why: w\noutside: [kill-supervisor]\n",
         "killed", 1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        AUTO_EXPECT struct drill_expect expect = {0};
        struct base_err err = {0};

        if (parse(rows[i].text, &expect, &err) != 0)
            fail_msg("%s at %s: %s", rows[i].text, err.place, err.what);
        assert_string_equal(expect.endings.items[0], rows[i].ending);
        assert_int_equal(expect.endings.count, rows[i].endings);
        assert_int_equal(expect.stdout_bytes, DRILL_ANY);
        assert_null(expect.stdout_text);
        assert_int_equal(expect.policy.limits[POLICY_LIMIT_WALL_MS].value, 10000);
    }
}

#define HEAD "group: kernel\nwhat: w\nproves: [pid_ns]\ncontrol: bare\n"

static const struct bad {
    const char *text, *place, *what;
} bads[] = {
    {"", "p:1:1", "the document is empty"},
    {"[]", "p:1:1", "the document must be a map"},
    {"what: w\nproves: [pid_ns]\ncontrol: bare\n", "p:1:1", "group is missing"},
    {"group: kernel\nproves: [pid_ns]\ncontrol: bare\n", "p:1:1", "what is missing"},
    {"group: kernel\nwhat: w\nproves: [pid_ns]\n", "p:1:1", "control is missing"},
    {"group: kernel\nwhat: w\ncontrol: bare\n", "p:1:1", "proves is missing"},
    {"group: kernels\nwhat: w\n", "p:1:8", "unknown group \"kernels\""},
    {"group: [kernel]\n", "p:1:8", "group must be a single value"},
    {"group: kernel\nwhat: \" \"\n", "p:2:7", "what is empty"},
    {"group: kernel\nwhat: w\nproves: []\n", "p:3:9", "proves is empty"},
    {"group: kernel\nwhat: w\nproves: [pid_ns, pid_nss]\n", "p:3:18", "unknown protection \"pid_nss\""},
    {"group: kernel\nwhat: w\nproves: pid_ns\n", "p:3:9", "proves must be a list"},
    {HEAD "mitigates: x\n", "p:5:1", "unknown key \"mitigates\""},
    {HEAD "control: bare\n", "p:5:1", "duplicate key"},
    {HEAD "outside: tcp4\n", "p:5:10", "outside must be a list"},
    {HEAD "outside: [tcp4, tcp5]\n", "p:5:17", "unknown kind of staging \"tcp5\""},
    {HEAD "outside: [[tcp4]]\n", "p:5:11", "an item must be a single value"},
    {HEAD "args: [\"{tcp4}\"]\n", "p:5:8", "{tcp4} needs tcp4 in outside"},
    {HEAD "args: [ok, \"x{nonsense}\"]\n", "p:5:12", "unknown placeholder {nonsense}"},
    {HEAD "control_args: [\"{mq_name}\"]\n", "p:5:16", "{mq_name} needs posix-mqueue in outside"},
    {HEAD "stdin: [x]\n", "p:5:8", "stdin must be a single value"},
    {HEAD "policy: strict\n", "p:5:9", "policy must be a map"},
    {HEAD "policy: {network: all}\n", "p:5:19", "unknown word \"all\" for network"},
    {HEAD "policy: {networks: none}\n", "p:5:10", "unknown key \"networks\""},
    {HEAD "limits: [x]\n", "p:5:9", "limits must be a map"},
    {HEAD "limits: {wall_ms: 0}\n", "p:5:19", "wall_ms is zero"},
    {HEAD "limits: {wal_ms: 1s}\n", "p:5:18", "wal_ms is not a limit"},
    {HEAD "limits: {wall_ms: [1s]}\n", "p:5:19", "wall_ms must be a single value"},
    {HEAD "expect: exited 0\n", "p:5:9", "expect must be a map"},
    {HEAD "expect: {endings: exited 0}\n", "p:5:10", "unknown key \"endings\""},
    {HEAD "expect: {ending: exits 0}\n", "p:5:18", "unknown ending \"exits\""},
    {HEAD "expect: {ending: exited}\n", "p:5:18", "exited needs a number from 0 to 255"},
    {HEAD "expect: {ending: exited 256}\n", "p:5:18", "exited needs a number from 0 to 255"},
    {HEAD "expect: {ending: exited 00}\n", "p:5:18", "exited needs a number"},
    {HEAD "expect: {ending: exited 0 0}\n", "p:5:18", "exited needs a number"},
    {HEAD "expect: {ending: signaled 0}\n", "p:5:18", "signaled needs a number from 1 to 64"},
    {HEAD "expect: {ending: limit scratch}\n", "p:5:18", "unknown limit \"scratch\""},
    {HEAD "expect: {ending: denied 1}\n", "p:5:18", "nothing stands after denied"},
    {HEAD "expect: {ending: {exited: 0}}\n", "p:5:18", "ending must be a single value"},
    {HEAD "expect: {ending: exited 10}\n", "p:1:1", "exited 10 means that the attack succeeded"},
    {HEAD "expect: {ending: killed}\n", "p:1:1", "with kill-supervisor the ending is killed"},
    {HEAD "outside: [kill-supervisor]\nexpect: {ending: exited 0}\n", "p:1:1", "with kill-supervisor"},
    {HEAD "expect: {denials: [socket]}\n", "p:5:20", "a denial is spelled \"CLASS WHAT\""},
    {HEAD "expect: {denials: [\"network \"]}\n", "p:5:20", "a denial is spelled"},
    {HEAD "expect: {hits: [wall]}\n", "p:5:17", "unknown limit \"wall\""},
    {HEAD "expect: {stdout_bytes: -1}\n", "p:5:24", "stdout_bytes is negative"},
    {HEAD "expect: {stdout_bytes: unlimited}\n", "p:5:24", "stdout_bytes must be a number"},
    {HEAD "outside: [open-file]\n", "p:1:1", "open-file needs secret-file and guarded-dir"},
    {"group: kernel\nwhat: w\nproves: [pid_ns]\ncontrol: inside\n", "p:1:1", "needs control_why"},
    {"group: kernel\nwhat: w\nproves: [pid_ns]\ncontrol: none\ncontrol_why: w\ncontrol_args: [x]\n", "p:1:1",
     "are for a bare control"},
    {"group: kernel\nwhat: w\nproves: [pid_ns]\ncontrol: naked\n", "p:4:10", "unknown control \"naked\""},
};

static void refuses_with_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bads); i++) {
        struct drill_expect expect;
        struct base_err err = {0};
        int r = parse(bads[i].text, &expect, &err);

        if (r != BASE_E_INVALID || err.code != r || strcmp(err.place, bads[i].place) != 0 ||
            !strstr(err.what, bads[i].what))
            fail_msg("%s\n gave %d at %s: %s", bads[i].text, r, err.place, err.what);
    }
}

static void mistyped_words_have_remedies(void **state)
{
    static const struct {
        const char *text, *remedy;
    } rows[] = {
        {"group: kernels\n", "did you mean kernel? one of filesystem, network"},
        {HEAD "outsid: [tcp4]\n", "did you mean outside?"},
        {HEAD "outside: [tcp]\n", "did you mean tcp4?"},
        {HEAD "limits: {wall_ms: 5 sec}\n", "with ms, s, m or h after it"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct drill_expect expect;
        struct base_err err = {0};

        assert_int_equal(parse(rows[i].text, &expect, &err), BASE_E_INVALID);
        if (!strstr(err.remedy, rows[i].remedy))
            fail_msg("%s gave %s", rows[i].text, err.remedy);
    }
}

static void refuses_too_many(void **state)
{
    char text[2000] = HEAD "args: [";
    struct drill_expect expect;
    struct base_err err = {0};

    (void)state;
    for (int i = 0; i <= DRILL_WORDS_MAX; i++)
        strncat(text, i ? ", a" : "a", sizeof(text) - strlen(text) - 1);
    strncat(text, "]\n", sizeof(text) - strlen(text) - 1);
    assert_int_equal(parse(text, &expect, &err), BASE_E_INVALID);
    assert_string_equal(err.what, "more than 48 items");
}

static void placeholders(void **state)
{
    (void)state;
    assert_int_equal(drill_placeholder_at("{nonce} x"), 7);
    assert_int_equal(drill_placeholder_at("{}"), 0);
    assert_int_equal(drill_placeholder_at("{a b}"), 0);
    assert_int_equal(drill_placeholder_at("{tcp4"), 0);
    assert_int_equal(drill_placeholder_at("tcp4}"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_all),
        cmocka_unit_test(fills_in_what_is_usual),
        cmocka_unit_test(refuses_with_the_place),
        cmocka_unit_test(mistyped_words_have_remedies),
        cmocka_unit_test(refuses_too_many),
        cmocka_unit_test(placeholders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
