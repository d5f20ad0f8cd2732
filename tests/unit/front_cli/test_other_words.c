/* test_other_words.c - tests of src/front/cli/other_words.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "front/cli/other_words.h"
#include <cmocka.h>
#include <string.h>

static void words_that_are_taken(void **state)
{
    static const struct {
        const char *word, *next, *option, *value;
        bool uses_next;
    } rows[] = {
        {"--timeout", "5", "limit", "wall_ms=5s", true},
        {"--timeout=1.5", "a.py", "limit", "wall_ms=1.5s", false},
        {"--timeout", "5m", "limit", "wall_ms=5m", true},
        {"--memory", "1g", "limit", "memory_bytes=1g", true},
        {"-m", "536870912", "limit", "memory_bytes=536870912", true},
        {"-m1g", "a.py", "limit", "memory_bytes=1g", false},
        {"-eA=b", "a.py", "env", "A=b", false},
        {"-m=1g", "a.py", "limit", "memory_bytes=1g", false},
        {"--cpus", "2", "limit", "cpus=2", true},
        {"-e", "A=b", "env", "A=b", true},
        {"--network", "none", NULL, NULL, true},
        {"--network=none", "a.py", NULL, NULL, false},
        {"-i", "a.py", NULL, NULL, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cli_other_word other;

        assert_true(cli_other_word_find(rows[i].word, rows[i].next, &other));
        assert_null(other.pointer);
        assert_null(other.fault);
        assert_int_equal(other.uses_next, rows[i].uses_next);
        assert_true((other.option == NULL) == (rows[i].option == NULL));
        if (rows[i].option) {
            assert_string_equal(other.option, rows[i].option);
            assert_string_equal(other.value, rows[i].value);
        }
    }
}

static void words_that_are_not(void **state)
{
    static const struct {
        const char *word, *next;
        bool has_fault;
    } rows[] = {
        {"--net", NULL, false},        {"--net", "host", false},  {"--network=bridge", NULL, false},
        {"-v", "a:b", false},          {"--memory", "512", true}, {"--timeout", NULL, true},
        {"--timeout", "--json", true}, {"--timeout=", "5", true},
    };
    struct cli_other_word other;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_true(cli_other_word_find(rows[i].word, rows[i].next, &other));
        assert_true(rows[i].has_fault ? other.fault != NULL : other.pointer != NULL);
    }
    assert_false(cli_other_word_find("--limit", "a=b", &other)); /* it is ours */
    assert_false(cli_other_word_find("--nonsense", NULL, &other));
    assert_false(cli_other_word_find("-vx", NULL, &other));
    assert_false(cli_other_word_find("-x", NULL, &other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_are_taken),
        cmocka_unit_test(words_that_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
