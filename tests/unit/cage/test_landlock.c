/* test_landlock.c - tests of src/cage/landlock.c: no ABI is said to do what it does not */
#include "../support.h"
#include "cage/cage.h"

static void one_row_for_each_abi(void **state)
{
    int abi = 0;

    (void)state;
    for (const struct cage_landlock_row *row = cage_landlock_rows(); row->abi; row++) {
        char name[16];
        assert_int_equal(row->abi, ++abi);
        (void)snprintf(name, sizeof(name), "ABI %d", abi);
        assert_string_equal(row->name, name);
        assert_int_equal(strspn(row->word, "abcdefghijklmnopqrstuvwxyz"), strlen(row->word));
        assert_true(*row->adds && *row->before && strchr(row->since, '.'));
    }
    assert_int_equal(abi, CAGE_LANDLOCK_KNOWN);
}

static void each_abi_has_what_its_kernel_does(void **state)
{
    static const char *const words[] = {
        "",
        "files",
        "files, moves from folder to folder",
        "files, moves from folder to folder, truncation",
        "files, moves from folder to folder, truncation, TCP",
        "files, moves from folder to folder, truncation, TCP, requests on devices",
        "files, moves from folder to folder, truncation, TCP, requests on devices, signals and abstract sockets",
        "files, moves from folder to folder, truncation, TCP, requests on devices, signals and abstract sockets, no "
        "line in the audit log",
    };
    char text[256];

    (void)state;
    for (int abi = 0; abi <= CAGE_LANDLOCK_KNOWN; abi++) {
        cage_landlock_text(abi, POLICY_NETWORK_NONE, text, sizeof(text));
        assert_string_equal(text, words[abi]);
    }
}

static void what_is_not_there_is_named_with_its_kernel(void **state)
{
    char text[256];

    (void)state;
    cage_landlock_lacks(CAGE_LANDLOCK_DEVICES, text, sizeof(text));
    assert_string_equal(text, "signals and abstract sockets (Linux 6.12), no line in the audit log (Linux 6.15)");
    cage_landlock_lacks(CAGE_LANDLOCK_KNOWN, text, sizeof(text));
    assert_string_equal(text, "");
}

static void tcp_is_closed_only_where_no_network_is_granted(void **state)
{
    char text[256];

    (void)state;
    cage_landlock_text(CAGE_LANDLOCK_TCP, POLICY_NETWORK_LOOPBACK, text, sizeof(text));
    assert_string_equal(text, "files, moves from folder to folder, truncation");
}

static void too_little_room_is_no_harm(void **state)
{
    char text[8];

    (void)state;
    cage_landlock_text(CAGE_LANDLOCK_KNOWN, POLICY_NETWORK_NONE, text, sizeof(text));
    assert_string_equal(text, "files, ");
    cage_landlock_lacks(0, text, sizeof(text));
    assert_string_equal(text, "files (");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_for_each_abi),
        cmocka_unit_test(each_abi_has_what_its_kernel_does),
        cmocka_unit_test(what_is_not_there_is_named_with_its_kernel),
        cmocka_unit_test(tcp_is_closed_only_where_no_network_is_granted),
        cmocka_unit_test(too_little_room_is_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
