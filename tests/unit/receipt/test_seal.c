/* test_seal.c - the hash of a receipt and its link */
#include "sample.h"

static void hash_covers_all_but_itself(void **state)
{
    AUTO_BUF struct base_buf line = {0};
    AUTO_JSON json_t *receipt = sample_receipt(1), *copy = NULL;
    AUTO_BUF struct base_buf text = {0};
    char hex[BASE_HASH_HEX], wanted[BASE_HASH_HEX], again[BASE_HASH_HEX];
    struct base_err err = {0};

    (void)state;
    assert_int_equal(receipt_seal(receipt, NULL, &line, hex, &err), 0);
    assert_string_equal(json_string_value(json_object_get(receipt, "sha256")), hex);
    assert_true(json_is_null(json_object_get(receipt, "previous_sha256")));
    copy = json_deep_copy(receipt);
    assert_int_equal(json_object_del(copy, "sha256"), 0);
    assert_int_equal(base_json_canonical(copy, &text), 0);
    base_hash_bytes_hex(text.bytes, text.count, wanted);
    assert_string_equal(hex, wanted);
    assert_int_equal(receipt_seal(receipt, "", &line, again, &err), 0); /* sealing twice changes nothing */
    assert_string_equal(again, hex);
}

static void link_is_part_of_the_hash(void **state)
{
    AUTO_BUF struct base_buf line = {0};
    AUTO_JSON json_t *receipt = sample_receipt(1);
    char first[BASE_HASH_HEX], second[BASE_HASH_HEX];
    struct base_err err = {0};

    (void)state;
    assert_int_equal(receipt_seal(receipt, NULL, &line, first, &err), 0);
    assert_int_equal(receipt_seal(receipt, first, &line, second, &err), 0);
    assert_string_equal(json_string_value(json_object_get(receipt, "previous_sha256")), first);
    assert_string_not_equal(first, second);
}

static void only_objects(void **state)
{
    AUTO_BUF struct base_buf line = {0};
    AUTO_JSON json_t *array = json_array();
    char hex[BASE_HASH_HEX];
    struct base_err err = {0};

    (void)state;
    assert_int_equal(receipt_seal(array, NULL, &line, hex, &err), BASE_E_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_covers_all_but_itself),
        cmocka_unit_test(link_is_part_of_the_hash),
        cmocka_unit_test(only_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
