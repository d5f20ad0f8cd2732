/* test_subids.c - tests of src/cage/subids_untrusted.c: what /etc/passwd, /etc/subuid and /etc/subgid give a user */
#include "../support.h"
#include "base/cleanup.h"
#include "cage/subids.h"

static bool range_of(const char *text, const char *name, struct cage_subids *ret_range)
{
    return cage_subids_range(text, strlen(text), name, 1000, ret_range);
}

static void gives(const char *text, const char *name, uint32_t first, uint32_t count)
{
    struct cage_subids range;

    if (!range_of(text, name, &range) || range.first != first || range.count != count)
        fail_msg("%s", text);
}

static void gives_nothing(const char *text)
{
    struct cage_subids range;

    if (range_of(text, "alice", &range) || range.count != 0)
        fail_msg("%s", text);
}

static void by_name_or_number(void **state)
{
    (void)state;
    gives("alice:100000:65536\n", "alice", 100000, 65536);
    gives("alice:100000:65536", "alice", 100000, 65536);
    gives("1000:100000:65536\n", "alice", 100000, 65536);
    gives("1000:100000:65536\n", "", 100000, 65536);
    gives("bob:1:2\n\n# alice:7:7\nalice:165536:65536\ncarol:5:6\n", "alice", 165536, 65536);
    gives("alice:1:1\n1000:100000:70000\nalice:300000:65536\n", "alice", 100000, 70000);
    gives("alice:1:4294967294\n", "alice", 1, 4294967294);
}

static void what_is_odd_gives_nothing(void **state)
{
    static const char *const texts[] = {
        "",
        "\n\n\n",
        "alice",
        "alice:",
        "alice::",
        "alice:100000",
        "alice:100000:",
        "alice::65536",
        "alice:100000:65536:1",
        "alice:100000:0",
        "alice:-1:65536",
        "alice:100000:-1",
        "alice: 100000:65536",
        "alice:100000:65536 ",
        "alice:100000:65536\r\n",
        "alice:0x10000:65536",
        "alice:0100000:65536",
        "alice:1e5:65536",
        "alice:4294967295:1",
        "alice:4294967294:2",
        "alice:1:4294967295",
        "alice:4294967296:65536",
        "alice:100000:18446744073709551617",
        "alice:99999999999999999999:1",
        "alicea:100000:65536",
        "alic:100000:65536",
        "Alice:100000:65536",
        ":100000:65536",
        "10000:100000:65536",
        "100:100000:65536",
        "01000:100000:65536",
        "ALL:100000:65536",
        "*:100000:65536",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
        gives_nothing(texts[i]);
}

static void an_unknown_name_is_nobodys(void **state)
{
    struct cage_subids range;

    (void)state;
    assert_false(range_of(":100000:65536\n", "", &range));
    assert_false(range_of("alice:100000:65536\n", "", &range));
}

static void part_is(uint32_t first, uint32_t count, uint32_t own, uint32_t part_first, uint32_t part_count)
{
    struct cage_subids part = {0};

    assert_true(cage_subids_part(&(struct cage_subids){first, count}, own, &part));
    assert_int_equal(part.first, part_first);
    assert_int_equal(part.count, part_count);
}

static void a_part_lies_in_the_middle(void **state)
{
    (void)state;
    part_is(100000, 65536, 1000, 132768, 4096);
    part_is(100000, 1024, 1000, 100512, 256);
    part_is(1, 4294967294, 1000, 2147483648, 4096);
    part_is(1001, 64535, 1000, 33268, 4096); /* a container's */
}

static void ids_of_others_are_left_out(void **state)
{
    (void)state;
    part_is(32767, 65536, 1000, 69631, 4096);     /* the middle has 65535 */
    part_is(100000, 65536, 132768, 136864, 4096); /* and here the user's own */
}

static void a_small_one_has_no_part(void **state)
{
    struct cage_subids part;

    (void)state;
    assert_false(cage_subids_part(&(struct cage_subids){100000, 1023}, 1000, &part));
    assert_false(cage_subids_part(&(struct cage_subids){100000, 1}, 1000, &part));
    assert_false(cage_subids_part(&(struct cage_subids){1, 999}, 1000, &part));
    assert_false(cage_subids_part(&(struct cage_subids){0, 1024}, 5000, &part));
}

static const char passwd[] = "root:x:0:0:root:/root:/bin/bash\n"
                             "+::::::\n"
                             "odd:x:1000\n"
                             "alice:x:1000:1001:Alice,,,:/home/alice:/bin/sh\n"
                             "again:x:1000:7::/:/bin/sh\n";

static void a_user_has_a_name_and_a_group(void **state)
{
    char name[CAGE_SUBIDS_NAME_BYTES];
    uint32_t group = 0;

    (void)state;
    assert_true(cage_subids_user(passwd, sizeof(passwd) - 1, 1000, name, &group));
    assert_string_equal(name, "alice");
    assert_int_equal(group, 1001);
    assert_true(cage_subids_user(passwd, sizeof(passwd) - 1, 0, name, &group));
    assert_string_equal(name, "root");
    assert_false(cage_subids_user(passwd, sizeof(passwd) - 1, 4, name, &group));
    assert_false(cage_subids_user(passwd, 0, 1000, name, &group));
}

static void an_odd_user_has_none(void **state)
{
    static const char *const texts[] = {
        ":x:1000:1000::/:\n",
        "a:x:1000:\n",
        "a:x:1000:-1:::\n",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:x:1000:1000:::\n",
    };
    char name[CAGE_SUBIDS_NAME_BYTES];
    uint32_t group;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
        assert_false(cage_subids_user(texts[i], strlen(texts[i]), 1000, name, &group));
    assert_false(cage_subids_user("a\0b:x:1000:1000:::\n", 19, 1000, name, &group));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_name_or_number),
        cmocka_unit_test(what_is_odd_gives_nothing),
        cmocka_unit_test(an_unknown_name_is_nobodys),
        cmocka_unit_test(a_part_lies_in_the_middle),
        cmocka_unit_test(ids_of_others_are_left_out),
        cmocka_unit_test(a_small_one_has_no_part),
        cmocka_unit_test(a_user_has_a_name_and_a_group),
        cmocka_unit_test(an_odd_user_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
