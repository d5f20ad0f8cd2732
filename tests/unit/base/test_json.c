/* test_json.c - canonical JSON, bytes as JSON strings, parse errors with a place */
#include "../support.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/json_memory.h"

static json_t *parse(const char *text)
{
    struct base_err err = {0};
    json_t *json = NULL;

    assert_int_equal(base_json_parse(text, strlen(text), "t", &json, &err), 0);
    return json;
}

static void canonical_is(const char *text, const char *wanted)
{
    AUTO_JSON json_t *json = parse(text);
    AUTO_BUF struct base_buf buf = {0};

    assert_int_equal(base_json_canonical(json, &buf), 0);
    assert_string_equal(buf.bytes, wanted);
}

static void canonical_form(void **state)
{
    (void)state;
    canonical_is("{ \"b\" : [ 1 , {} , [] ], \"a\": null, \"B\": true, \"\": false }",
                 "{\"\":false,\"B\":true,\"a\":null,\"b\":[1,{},[]]}");
    canonical_is("\"\\u00e9\\u0007\\/\\\"\\\\\\b\\f\\n\\r\\t\\u007f\"",
                 "\"\xc3\xa9\\u0007/\\\"\\\\\\b\\f\\n\\r\\t\x7f\"");
    canonical_is("[0.4, 1e16, 1e-5, 100000.0, -0.0, 0.1e1, 1.5e300, 123456789012345680.0, 0.0001]",
                 "[0.4,1e+16,1e-05,100000.0,-0.0,1.0,1.5e+300,1.2345678901234568e+17,0.0001]");
    canonical_is("[9223372036854775807, -9223372036854775808]", "[9223372036854775807,-9223372036854775808]");
}

/* Strings are looked at eight bytes at a time. */
static void every_byte_at_every_place(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte < 0x80; byte++)
        for (size_t at = 0; at < 19; at++) {
            AUTO_BUF struct base_buf buf = {0};
            AUTO_JSON json_t *json = NULL, *again = NULL;
            char text[] = "ordinary letters...";
            struct base_err err;

            text[at] = (char)byte;
            json = json_stringn(text, 19);
            assert_int_equal(base_json_canonical(json, &buf), 0);
            assert_int_equal(base_json_parse(buf.bytes, buf.count, "text", &again, &err), 0);
            assert_true(json_equal(json, again));
            assert_int_equal(buf.count == 21, byte >= 0x20 && byte != '"' && byte != '\\'); /* no escape without need */
        }
}

static void hash_is_of_the_canonical_form(void **state)
{
    AUTO_JSON json_t *json = parse("{\"b\": 1, \"a\": 2}");
    char ours[BASE_HASH_HEX], wanted[BASE_HASH_HEX];

    (void)state;
    assert_int_equal(base_json_hash(json, ours), 0);
    base_hash_bytes_hex("{\"a\":2,\"b\":1}", 13, wanted);
    assert_string_equal(ours, wanted);
}

static void failed_canonical_takes_itself_back(void **state)
{
    AUTO_JSON json_t *json = parse("[1,2,3,4,5,6,7,8]");
    AUTO_BUF struct base_buf buf = {.max = 8};

    (void)state;
    assert_int_equal(base_buf_text(&buf, "x"), 0);
    assert_int_equal(base_json_canonical(json, &buf), BASE_E_TOO_LARGE);
    assert_string_equal(buf.bytes, "x");
    assert_int_equal(base_json_canonical(NULL, &buf), BASE_E_NOMEM);
}

static void text_is(const char *bytes, size_t count, const char *wanted)
{
    AUTO_JSON json_t *json = base_json_text(bytes, count);

    assert_non_null(json);
    assert_int_equal(json_string_length(json), strlen(wanted));
    assert_string_equal(json_string_value(json), wanted);
}

#define BAD "\xef\xbf\xbd"

static void bytes_become_text(void **state)
{
    AUTO_JSON json_t *nul = base_json_text("a\0b", 3);

    (void)state;
    assert_int_equal(json_string_length(nul), 3);
    assert_true(base_json_is_utf8("a\0\xf0\x9f\x98\x80", 6));
    assert_false(base_json_is_utf8("\xf0\x9f\x98", 3));
    text_is(NULL, 0, "");
    text_is("caf\xc3\xa9", 5, "caf\xc3\xa9");
    text_is("\xff", 1, BAD);
    text_is("long enough for words of eight\xfe.", 32, "long enough for words of eight" BAD ".");
    text_is("\xc3", 1, BAD);                                    /* cut */
    text_is("\xc0\xaf", 2, BAD BAD);                            /* overlong */
    text_is("\xed\xa0\x80", 3, BAD BAD BAD);                    /* surrogate */
    text_is("\xf4\x90\x80\x80x", 5, BAD BAD BAD BAD "x");       /* past U+10FFFF */
    text_is("\xe2\x82\xe2\x82\xac", 5, BAD BAD "\xe2\x82\xac"); /* cut, then whole */
}

static void fits_is(const char *bytes, size_t count, size_t room, size_t wanted)
{
    size_t fits = base_json_text_fits(bytes, count, room);

    if (fits != wanted)
        fail_msg("%zu bytes of %zu fit into %zu, not %zu", fits, count, room, wanted);
}

/* What it says takes that room, to the byte, and one byte less is not enough. */
static void text_that_fits(void **state)
{
    static const struct {
        const char *text;
        size_t count, room;
    } rows[] = {
        {"plain text of some words", 24, 24},
        {"\n\t\"\\\b\f\r", 7, 14},
        {"\0\1\x1b\x1f", 4, 24},
        {"\x7f", 1, 6},
        {"\xc2\x9b", 2, 6},
        {"\xc3\xa9", 2, 2},
        {"\xf0\x9f\x98\x80", 4, 4},
        {"\xff\xfe", 2, 6},
        {"\xe2\x82", 2, 6},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[1024];
        size_t times = 1024 / rows[i].count / 2 + 1; /* more than what needs no look */

        for (size_t j = 0; j < times; j++)
            memcpy(text + j * rows[i].count, rows[i].text, rows[i].count);
        fits_is(text, times * rows[i].count, times * rows[i].room, times * rows[i].count);
        assert_true(base_json_text_fits(text, times * rows[i].count, times * rows[i].room - 1) < times * rows[i].count);
        fits_is(text, rows[i].count, rows[i].room, rows[i].count);
    }
    fits_is("", 0, 0, 0);
    fits_is("abc\nd", 5, 4, 3);
    fits_is("ab\xc3\xa9", 4, 3, 2); /* no part of a character */
}

static void base64_is(const char *bytes, size_t count, const char *wanted)
{
    AUTO_JSON json_t *json = base_json_base64(bytes, count);

    assert_string_equal(json_string_value(json), wanted);
}

static void base64(void **state)
{
    (void)state;
    base64_is("", 0, "");
    base64_is("f", 1, "Zg==");
    base64_is("fo", 2, "Zm8=");
    base64_is("foo", 3, "Zm9v");
    base64_is("\xff\xfe\xfd\x00", 4, "//79AA==");
}

static void errors_have_a_place(void **state)
{
    static const struct {
        const char *text, *place;
    } bads[] = {
        {"", "t:1:1"},      {"{\"a\":1,\n\"a\":2}", "t:2:3"}, {"[1,\n 2,\n x]", "t:3:2"},
        {"{} {}", "t:1:4"}, {"[\"\xff\"]", "t:1:2"},
    };
    struct base_err err = {0};
    json_t *json = NULL;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bads); i++) {
        assert_int_equal(base_json_parse(bads[i].text, strlen(bads[i].text), "t", &json, &err), BASE_E_INVALID);
        assert_string_equal(err.place, bads[i].place);
        assert_null(json);
    }
}

/* NULL is what every maker of a value returns without memory. */
static void what_lost_a_part_is_lost(void **state)
{
    json_t *list = json_array(), *object = json_object();

    (void)state;
    base_json_add(&list, json_true());
    assert_int_equal(json_array_size(list), 1);
    base_json_add(&list, NULL);
    assert_null(list);
    base_json_add(&list, json_string("not for nothing"));
    assert_null(list);
    base_json_put(&object, "a", json_true());
    assert_int_equal(json_object_size(object), 1);
    base_json_put(&object, "b", NULL);
    assert_null(object);
    base_json_put(&object, "c", json_string("nor this"));
    assert_null(object);
}

/* Of many values at once, and of sizes around those that are kept. */
static void make_and_drop(unsigned seed)
{
    AUTO_JSON json_t *list = json_array();

    for (unsigned i = 0; i < 5000; i++) {
        char text[400];
        unsigned length = (i * 7 + seed) % (sizeof(text) - 1);

        memset(text, 'a' + (int)(i % 26), length);
        text[length] = 0;
        base_json_add(&list, json_string(text));
    }
    for (unsigned i = 0; i < 5000; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        unsigned length = (i * 7 + seed) % 399;

        assert_int_equal(strlen(text), length);
        for (unsigned at = 0; at < length; at++)
            assert_int_equal(text[at], 'a' + (int)(i % 26));
    }
}

static void memory_is_kept_and_whole(void **state)
{
    json_t *first, *second;
    void *before;

    (void)state;
    first = json_string("from before"); /* its memory is kept all the same */
    base_json_memory_keep();
    before = first;
    json_decref(first);
    second = json_string("x");
#if !defined(__SANITIZE_ADDRESS__)
    assert_ptr_equal(second, before);
#endif
    (void)before;
    json_decref(second);
    for (unsigned seed = 0; seed < 5; seed++)
        make_and_drop(seed);
    assert_false(base_json_memory_was_short());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_form),
        cmocka_unit_test(every_byte_at_every_place),
        cmocka_unit_test(hash_is_of_the_canonical_form),
        cmocka_unit_test(failed_canonical_takes_itself_back),
        cmocka_unit_test(bytes_become_text),
        cmocka_unit_test(text_that_fits),
        cmocka_unit_test(base64),
        cmocka_unit_test(errors_have_a_place),
        cmocka_unit_test(what_lost_a_part_is_lost),
        cmocka_unit_test(memory_is_kept_and_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
