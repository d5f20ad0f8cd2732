/* test_units.c - numbers with units */
#include "../support.h"
#include "base/cleanup.h"
#include "base/units.h"

static const struct good {
    const char *text;
    enum base_unit unit;
    uint64_t value;
} goods[] = {
    {"64", BASE_UNIT_COUNT, 64},
    {"4000000", BASE_UNIT_COUNT, 4000000},
    {"512MiB", BASE_UNIT_BYTES, 536870912},
    {"512Mi", BASE_UNIT_BYTES, 536870912},
    {"1T", BASE_UNIT_BYTES, UINT64_C(1) << 40},
    {"1.5TB", BASE_UNIT_BYTES, UINT64_C(1500000000000)},
    {"2ki", BASE_UNIT_BYTES, 2048},
    {"1GiB", BASE_UNIT_BYTES, 1073741824},
    {"64KiB", BASE_UNIT_BYTES, 65536},
    {"3kB", BASE_UNIT_BYTES, 3000},
    {"2MB", BASE_UNIT_BYTES, 2000000},
    {"1GB", BASE_UNIT_BYTES, 1000000000},
    {"7B", BASE_UNIT_BYTES, 7},
    {"7", BASE_UNIT_BYTES, 7},
    {"9007199254740992", BASE_UNIT_BYTES, 9007199254740992},
    {"250", BASE_UNIT_MS, 250},
    {"500ms", BASE_UNIT_MS, 500},
    {"10s", BASE_UNIT_MS, 10000},
    {"2m", BASE_UNIT_MS, 120000},
    {"720h", BASE_UNIT_MS, 2592000000},
    {"1mib", BASE_UNIT_BYTES, 1048576},
    {"1g", BASE_UNIT_BYTES, 1073741824},
    {"1G", BASE_UNIT_BYTES, 1073741824},
    {"512M", BASE_UNIT_BYTES, 536870912},
    {"64k", BASE_UNIT_BYTES, 65536},
    {"1gb", BASE_UNIT_BYTES, 1000000000},
    {"1.5GiB", BASE_UNIT_BYTES, 1610612736},
    {"0.1G", BASE_UNIT_BYTES, 107374182},
    {"1.5s", BASE_UNIT_MS, 1500},
    {"0.5s", BASE_UNIT_MS, 500},
    {"0.001s", BASE_UNIT_MS, 1},
    {"1.50S", BASE_UNIT_MS, 1500},
    {"2min", BASE_UNIT_MS, 120000},
    {"5sec", BASE_UNIT_MS, 5000},
};

static const struct bad {
    const char *text;
    enum base_unit unit;
    const char *why;
} bads[] = {
    {"", BASE_UNIT_COUNT, "is empty"},
    {"0", BASE_UNIT_COUNT, "is zero"},
    {"0s", BASE_UNIT_MS, "is zero"},
    {"000", BASE_UNIT_MS, "is zero"},
    {"-1", BASE_UNIT_COUNT, "is negative"},
    {"+1", BASE_UNIT_COUNT, "has a sign"},
    {" 1", BASE_UNIT_COUNT, "starts with a blank"},
    {"1 ", BASE_UNIT_COUNT, "has a unit where a plain count is wanted"},
    {"012", BASE_UNIT_COUNT, "starts with a zero"},
    {"1.5", BASE_UNIT_MS, "has a fraction"},
    {"1.5", BASE_UNIT_BYTES, "has a fraction"},
    {"0.5", BASE_UNIT_COUNT, "has a fraction"},
    {"1,5s", BASE_UNIT_MS, "has a fraction"},
    {"1.2.3s", BASE_UNIT_MS, "has a fraction"},
    {"1.s", BASE_UNIT_MS, "has a fraction without digits"},
    {"0.0001s", BASE_UNIT_MS, "has too fine a fraction"},
    {"0.0000000001h", BASE_UNIT_MS, "has too fine a fraction"},
    {"0.0s", BASE_UNIT_MS, "is zero"},
    {"0.00000001K", BASE_UNIT_BYTES, "is zero"},
    {"00.5s", BASE_UNIT_MS, "starts with a zero"},
    {"719.9999999999h", BASE_UNIT_MS, "has too fine a fraction"},
    {"720.5h", BASE_UNIT_MS, "is too large"},
    {"1 s", BASE_UNIT_MS, "has an unknown unit"},
    {"1X", BASE_UNIT_BYTES, "has an unknown unit"},
    {"ten", BASE_UNIT_COUNT, "is not a number"},
    {"0x10", BASE_UNIT_BYTES, "has an unknown unit"},
    {"1e3", BASE_UNIT_MS, "has an unknown unit"},
    {"1d", BASE_UNIT_MS, "has an unknown unit"},
    {"4000001", BASE_UNIT_COUNT, "is too large"},
    {"9007199254740993", BASE_UNIT_BYTES, "is too large"},
    {"8388609GiB", BASE_UNIT_BYTES, "is too large"},
    {"99999999999999999999999999", BASE_UNIT_BYTES, "is too large"},
    {"721h", BASE_UNIT_MS, "is too large"},
    {"Unlimited", BASE_UNIT_MS, "is not a number"},
};

static void accepts(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(goods); i++) {
        const char *why = NULL;
        uint64_t value = 0;
        bool unlimited = true;

        assert_int_equal(base_units_parse(goods[i].text, goods[i].unit, &value, &unlimited, &why), 0);
        assert_int_equal(value, goods[i].value);
        assert_false(unlimited);
    }
}

static void refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bads); i++) {
        const char *why = "accepted";
        uint64_t value = 77;
        bool unlimited = false;

        assert_int_equal(base_units_parse(bads[i].text, bads[i].unit, &value, &unlimited, &why), -1);
        assert_string_equal(why, bads[i].why);
        assert_int_equal(value, 77);
    }
}

static void unlimited_is_a_word(void **state)
{
    const char *why = NULL;
    uint64_t value = 5;
    bool unlimited = false;

    (void)state;
    assert_int_equal(base_units_parse("unlimited", BASE_UNIT_BYTES, &value, &unlimited, &why), 0);
    assert_true(unlimited);
    assert_int_equal(value, 0);
}

/* A unit that is taken but not told is of no use, and the other way round. */
static void form_names_what_is_taken(void **state)
{
    static const char *const names[] = {"B", "kB", "MB", "GB", "KiB", "MiB", "GiB", "ms", "s", "m", "h", "d", "TB"};

    (void)state;
    for (int unit = BASE_UNIT_COUNT; unit <= BASE_UNIT_MS; unit++) {
        char form[128];

        (void)snprintf(form, sizeof(form), " %s ", base_units_form((enum base_unit)unit));
        for (char *c = form; *c; c++)
            *c = *c == ',' ? ' ' : *c;
        for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
            char word[16], text[16];
            const char *why;
            uint64_t value;
            bool unlimited;

            (void)snprintf(word, sizeof(word), " %s ", names[i]);
            (void)snprintf(text, sizeof(text), "1%s", names[i]);
            assert_int_equal(base_units_parse(text, (enum base_unit)unit, &value, &unlimited, &why) == 0,
                             strcasestr(form, word) != NULL); /* units are read in any case */
        }
        assert_true(base_units_max((enum base_unit)unit) >= 4000000);
    }
}

static void text_reads_back(void **state)
{
    static const uint64_t values[] = {1, 999, 1000, 1024, 1025, 60000, 90000, 3600000, 536870912, 1000000, 2592000000};
    char text[32];

    (void)state;
    assert_string_equal(base_units_text(536870912, BASE_UNIT_BYTES, text, sizeof(text)), "512MiB");
    assert_string_equal(base_units_text(10000, BASE_UNIT_MS, text, sizeof(text)), "10s");
    assert_string_equal(base_units_text(250, BASE_UNIT_MS, text, sizeof(text)), "250ms");
    assert_string_equal(base_units_text(64, BASE_UNIT_COUNT, text, sizeof(text)), "64");
    for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
        for (int unit = BASE_UNIT_BYTES; unit <= BASE_UNIT_MS; unit++) {
            const char *why = NULL;
            uint64_t value = 0;
            bool unlimited = false;

            (void)base_units_text(values[i], (enum base_unit)unit, text, sizeof(text));
            assert_int_equal(base_units_parse(text, (enum base_unit)unit, &value, &unlimited, &why), 0);
            assert_int_equal(value, values[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts),
        cmocka_unit_test(refuses),
        cmocka_unit_test(unlimited_is_a_word),
        cmocka_unit_test(form_names_what_is_taken),
        cmocka_unit_test(text_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
