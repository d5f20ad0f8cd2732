/* test_hash.c - SHA-256 and random names */
#include "../support.h"
#include "base/hash.h"

static void known_values(void **state)
{
    char hex[BASE_HASH_HEX];

    (void)state;
    base_hash_bytes_hex("", 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    base_hash_bytes_hex("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void stream_goes_on_after_a_look(void **state)
{
    struct base_hash hash;
    char hex[BASE_HASH_HEX], whole[BASE_HASH_HEX];

    (void)state;
    base_hash_init(&hash);
    base_hash_update(&hash, "a", 1);
    base_hash_hex(&hash, hex);
    base_hash_update(&hash, NULL, 0);
    base_hash_update(&hash, "bc", 2);
    base_hash_hex(&hash, hex);
    base_hash_bytes_hex("abc", 3, whole);
    assert_string_equal(hex, whole);
}

static void random_names(void **state)
{
    char one[300], two[300];

    (void)state;
    memset(one, 'x', sizeof(one));
    for (size_t chars = 0; chars < 299; chars += 13) {
        assert_int_equal(base_random_hex(one, chars, NULL), 0);
        assert_int_equal(strlen(one), chars);
        assert_int_equal(strspn(one, "0123456789abcdef"), chars);
    }
    assert_int_equal(base_random_hex(one, 32, NULL), 0);
    assert_int_equal(base_random_hex(two, 32, NULL), 0);
    assert_string_not_equal(one, two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(stream_goes_on_after_a_look),
        cmocka_unit_test(random_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
