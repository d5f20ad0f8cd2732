/* test_text.c - printed text is compared as a patient reader would */
#include "../support.h"
#include "judge/judge.h"

static void equal_or_not(void **state)
{
    static const struct {
        const char *a, *b;
        unsigned long line; /* 0: equal */
    } rows[] = {
        {"", "", 0},
        {"", "\n\n \t\r\n", 0},
        {"a", "a\n", 0},
        {"a  \t\nb\r\n", "a\nb", 0},
        {"a\n\nb", "a\n\nb\n\n", 0},
        {"a", "b", 1},
        {"a", " a", 1},
        {"a\nb", "a\nc", 2},
        {"a\n\nb", "a\nb", 2},
        {"a", "a\nb", 2},
        {"A", "a", 1},
        {"a b", "a  b", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        unsigned long line = 0;
        bool equal = judge_text_equal(rows[i].a, strlen(rows[i].a), rows[i].b, strlen(rows[i].b), &line);

        assert_int_equal(equal, rows[i].line == 0);
        assert_int_equal(line, rows[i].line);
        assert_int_equal(judge_text_equal(rows[i].b, strlen(rows[i].b), rows[i].a, strlen(rows[i].a), NULL), equal);
    }
}

static void bytes_are_bytes(void **state)
{
    (void)state;
    assert_true(judge_text_equal("a\0b\n", 4, "a\0b", 3, NULL));
    assert_false(judge_text_equal("a\0b", 3, "a\0c", 3, NULL));
    assert_false(judge_text_equal("a\0", 2, "a", 1, NULL));
    assert_true(judge_text_equal(NULL, 0, NULL, 0, NULL));
    assert_false(judge_text_equal(NULL, 0, "a", 1, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_or_not), cmocka_unit_test(bytes_are_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
