/* test_scope_untrusted.c - tests of src/cage/scope.c and scope_untrusted.c: messages made, and taken apart */
#include "../support.h"
#include "cage/scope.h"

static struct cage_scope_message message;

static void parse(const struct cage_scope_call *call)
{
    assert_false(call->is_full);
    assert_int_equal(cage_scope_length(call->bytes), call->count);
    assert_int_equal(cage_scope_parse(call->bytes, call->count, &message), 0);
    assert_int_equal(message.kind, CAGE_SCOPE_CALL);
}

static void what_is_written_is_read(void **state)
{
    struct cage_scope_call call;
    const char *text;

    (void)state;
    cage_scope_hello(&call, 1);
    parse(&call);
    assert_string_equal(message.member, "Hello");
    assert_string_equal(message.signature, "");
    assert_int_equal(message.count, 0);
    cage_scope_subscribe(&call, 2);
    parse(&call);
    assert_string_equal(message.member, "Subscribe");
    cage_scope_listen(&call, 3);
    parse(&call);
    assert_string_equal(message.member, "AddMatch");
    assert_true(cage_scope_take_text(&message, &text));
    assert_string_equal(text, "type='signal',sender='org.freedesktop.systemd1',member='JobRemoved'");
    assert_false(cage_scope_take_text(&message, &text));
}

/* "ssa(sv)a(sa(sv))": the two texts, the lengths of the arrays. */
static void a_scope_is_asked_for(void **state)
{
    struct cage_scope_call call;
    const char *text;
    uint32_t number;

    (void)state;
    for (int over_bus = 0; over_bus < 2; over_bus++) {
        cage_scope_start(&call, 4, over_bus, "fumehood-1-00000000.scope");
        parse(&call);
        assert_string_equal(message.member, "StartTransientUnit");
        assert_string_equal(message.signature, "ssa(sv)a(sa(sv))");
        assert_true(cage_scope_take_text(&message, &text));
        assert_string_equal(text, "fumehood-1-00000000.scope");
        assert_true(cage_scope_take_text(&message, &text));
        assert_string_equal(text, "fail");
        assert_true(cage_scope_take_number(&message, &number));
        message.at = (message.at + 7) / 8 * 8;
        assert_true(cage_scope_take_text(&message, &text));
        assert_string_equal(text, "Description");
        message.at = message.count - 4; /* no other units: an empty array */
        assert_true(cage_scope_take_number(&message, &number));
        assert_int_equal(number, 0);
        assert_null(memmem(call.bytes, call.count, over_bus ? "never" : "\6\1s", 3)); /* no destination without a bus */
    }
}

static void a_unit_is_asked_after(void **state)
{
    struct cage_scope_call call;
    const char *text;
    bool flag;

    (void)state;
    cage_scope_get_delegate(&call, 1, false, "1-run_u2.service");
    parse(&call);
    assert_non_null(memmem(call.bytes, call.count, "/unit/_31_2drun_5fu2_2eservice", 31));
    assert_true(cage_scope_take_text(&message, &text));
    assert_string_equal(text, "org.freedesktop.systemd1.Service");
    assert_true(cage_scope_take_text(&message, &text));
    assert_string_equal(text, "Delegate");
    cage_scope_get_delegate(&call, 1, true, "a.scope");
    parse(&call);
    assert_true(cage_scope_take_text(&message, &text));
    assert_string_equal(text, "org.freedesktop.systemd1.Scope");
    message = (struct cage_scope_message){.body = (const unsigned char *)"\1b\0\0\1\0\0\0", .count = 8};
    assert_true(cage_scope_take_flag(&message, &flag));
    assert_true(flag || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__);
    message = (struct cage_scope_message){.body = (const unsigned char *)"\1u\0\0\1\0\0\0", .count = 8};
    assert_false(cage_scope_take_flag(&message, &flag));
    message = (struct cage_scope_message){.body = (const unsigned char *)"\1b\0\0\1\0\0", .count = 7};
    assert_false(cage_scope_take_flag(&message, &flag));
}

static void a_name_that_does_not_fit(void **state)
{
    struct cage_scope_call call;
    char name[1100];

    (void)state;
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = 0;
    cage_scope_start(&call, 1, true, name);
    assert_true(call.is_full);
}

/* Every cut, and every length that says more than is there. */
static void what_does_not_fit_is_none(void **state)
{
    struct cage_scope_call call, wrong;

    (void)state;
    cage_scope_listen(&call, 1);
    for (size_t count = 0; count < call.count; count++)
        assert_int_equal(cage_scope_parse(call.bytes, count, &message), BASE_E_INVALID);
    for (size_t at = 0; at + 4 <= call.count; at += 4) {
        wrong = call;
        memset(wrong.bytes + at, 0xff, 4);
        if (cage_scope_parse(wrong.bytes, wrong.count, &message) == 0) {
            const char *text = "";
            (void)cage_scope_take_text(&message, &text);
            assert_true(strlen(text) < call.count);
        }
    }
    wrong = call;
    wrong.bytes[0] = call.bytes[0] == 'l' ? 'B' : 'l'; /* of another machine */
    assert_int_equal(cage_scope_length(wrong.bytes), 0);
    wrong = call;
    wrong.bytes[3] = 2;
    assert_int_equal(cage_scope_length(wrong.bytes), 0);
    assert_int_equal(cage_scope_parse(wrong.bytes, wrong.count, &message), BASE_E_INVALID);
}

static void a_nul_inside_a_text(void **state)
{
    struct cage_scope_call call;
    const char *text;

    (void)state;
    cage_scope_listen(&call, 1);
    call.bytes[call.count - 10] = 0;
    parse(&call);
    assert_false(cage_scope_take_text(&message, &text));
}

static void foreign_words(void **state)
{
    char text[8];

    (void)state;
    assert_string_equal(cage_scope_words("a\n\033[\xff", text, sizeof(text)), "a??[?");
    assert_string_equal(cage_scope_words("much too long", text, sizeof(text)), "much to");
    assert_string_equal(cage_scope_words("", text, sizeof(text)), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_scope_is_asked_for),
        cmocka_unit_test(a_name_that_does_not_fit),
        cmocka_unit_test(a_unit_is_asked_after),
        cmocka_unit_test(what_does_not_fit_is_none),
        cmocka_unit_test(a_nul_inside_a_text),
        cmocka_unit_test(foreign_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
