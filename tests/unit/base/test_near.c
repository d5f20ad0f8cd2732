/* test_near.c - did you mean */
#include "../support.h"
#include "base/cleanup.h"
#include "base/near.h"

static void finds_the_closest(void **state)
{
    static const char *const known[] = {"wall_ms", "cpu_ms", "memory_bytes", "processes", "stdout_bytes", "network"};
    static const struct {
        const char *word, *best;
    } rows[] = {
        {"wal_ms", "wall_ms"},
        {"wall", "wall_ms"},
        {"WALL_MS", "wall_ms"},
        {"memory_byte", "memory_bytes"},
        {"memory", "memory_bytes"},
        {"proceses", "processes"},
        {"netwrok", "network"},
        {"cpu_sm", "cpu_ms"}, /* neighbours exchanged: one mistake */
        {"nteowrk", "network"},
        {"stdout", "stdout_bytes"},
        {"colour", NULL},
        {"", NULL},
        {"x", NULL},
        {"a_word_that_is_longer_than_any_that_this_program_has_ever_had", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct base_near near = {.word = rows[i].word};
        char text[64];

        for (size_t k = 0; k < ARRAY_COUNT(known); k++)
            base_near_offer(&near, known[k]);
        if (!rows[i].best) {
            assert_null(near.best);
            assert_string_equal(base_near_text(&near, text, sizeof(text)), "");
            continue;
        }
        if (!near.best)
            fail_msg("nothing is near %s", rows[i].word);
        assert_string_equal(near.best, rows[i].best);
        assert_non_null(strstr(base_near_text(&near, text, sizeof(text)), rows[i].best));
    }
}

/* Of a word with three letters one may be wrong, so two that are exchanged are one. */
static void two_exchanged_letters_are_one_mistake(void **state)
{
    struct base_near near = {.word = "rnu"};

    (void)state;
    base_near_offer(&near, "run");
    assert_string_equal(near.best, "run");
    near = (struct base_near){.word = "nur"};
    base_near_offer(&near, "run");
    assert_null(near.best);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_the_closest),
                                       cmocka_unit_test(two_exchanged_letters_are_one_mistake)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
