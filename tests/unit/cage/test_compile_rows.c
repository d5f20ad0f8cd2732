/* test_compile_rows.c - tests of src/cage/compile.c with other rows than the default's: what it makes of conditions
 *
 * The rows here stand in place of those in src/cage/conditions.c. They are as tangled as rows can be, about few bits of
 * two arguments, so that every value of those can be tried.
 */
#include "tables.h"

#define WHOLE 0xffffffffu
#define IS(half, mask, a, b)                                                                                           \
    {                                                                                                                  \
        half, mask, a, b, false                                                                                        \
    }
#define DIFFERS(half, mask, a, b)                                                                                      \
    {                                                                                                                  \
        half, mask, a, b, true                                                                                         \
    }
#define ROW(call, effect, ...)                                                                                         \
    {                                                                                                                  \
        call, CAGE_CLASS_PROCESS, CAGE_##effect, "",                                                                   \
            sizeof((struct cage_term[]){__VA_ARGS__}) / sizeof(struct cage_term),                                      \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

const struct cage_row cage_rows[] = {
    /* one argument under different masks */
    ROW("masks", ALLOW_IF, IS(0, 6, 2, 4), IS(0, 3, 1, 1)),
    ROW("masks", NOTHING_IF, IS(0, 3, 1, 1), IS(0, WHOLE, 5, 9)),
    ROW("masks", ALLOW_IF, IS(0, WHOLE, 1, 3), DIFFERS(2, 4, 4, 4)),
    ROW("masks", ALLOW_IF, IS(0, 4, 4, 4), IS(0, 6, 6, 6), IS(0, 5, 5, 5)),
    /* values that overlap */
    ROW("overlap", NOTHING_IF, IS(0, WHOLE, 1, 2), IS(2, WHOLE, 1, 2)),
    ROW("overlap", DENY_IF, IS(0, WHOLE, 2, 3), IS(2, WHOLE, 2, 3)),
    ROW("overlap", NOTHING_IF, IS(0, WHOLE, 3, 3), IS(2, WHOLE, 1, 2)),
    ROW("overlap", DENY_IF, IS(0, WHOLE, 1, 3), IS(2, WHOLE, 0, 1)),
    ROW("overlap", DENY_IF, IS(2, WHOLE, 7, 6), IS(0, WHOLE, 6, 7), IS(2, WHOLE, 6, 6)),
    /* terms that hold where others do not */
    ROW("differs", NOTHING_IF, DIFFERS(0, WHOLE, 1, 2), DIFFERS(0, WHOLE, 2, 3), IS(2, 3, 0, 1)),
    ROW("differs", ALLOW_IF, IS(0, WHOLE, 1, 3), DIFFERS(0, WHOLE, 3, 3), DIFFERS(2, 1, 1, 1)),
    ROW("differs", NOTHING_IF, DIFFERS(0, WHOLE, 2, 2), DIFFERS(2, 6, 0, 0), DIFFERS(2, WHOLE, 6, 7)),
    ROW("differs", ALLOW_IF, DIFFERS(0, WHOLE, 1, 3), DIFFERS(2, WHOLE, 0, 1)),
    /* bits, of which none is set, one is, all are */
    ROW("bits", ALLOW_IF, IS(0, 6, 0, 0), IS(2, 4, 4, 4)),
    ROW("bits", NOTHING_IF, IS(0, 6, 6, 6), IS(2, 6, 4, 4), IS(0, 6, 6, 6)),
    ROW("bits", NOTHING_IF, DIFFERS(0, 6, 0, 0), DIFFERS(2, 4, 4, 4), IS(0, 1, 1, 1), IS(2, 1, 0, 1)),
    ROW("bits", ALLOW_IF_LOOPBACK, DIFFERS(0, 6, 0, 6), IS(0, WHOLE, 2, 3), DIFFERS(2, 8, 0, 0)),
    /* halves of one argument */
    ROW("halves", ALLOW_IF, IS(0, WHOLE, 0, 1), IS(1, WHOLE, 0, 1)),
    ROW("halves", NOTHING_IF, IS(1, WHOLE, 1, 1), IS(0, WHOLE, 1, 1)),
    ROW("halves", NOTHING_IF, IS(1, WHOLE, 2, 1), IS(0, WHOLE, 2, 1)),
    /* a value that the mask does not let through, a row that is a part of another */
    ROW("never", ALLOW_IF, IS(0, 6, 1, 8)),
    ROW("never", NOTHING_IF, DIFFERS(0, 6, 1, 1), IS(2, WHOLE, 1, 1), IS(0, WHOLE, 4, 5)),
    ROW("never", ALLOW_IF, IS(2, WHOLE, 1, 1)),
    ROW("never", ALLOW_IF, IS(2, WHOLE, 1, 2), IS(0, WHOLE, 4, 4)),
    /* the same and nearly the same as above */
    ROW("again", NOTHING_IF, IS(0, WHOLE, 1, 2), IS(2, WHOLE, 1, 2)),
    ROW("again", DENY_IF, IS(0, WHOLE, 2, 3), IS(2, WHOLE, 2, 3)),
    ROW("again", NOTHING_IF, IS(0, WHOLE, 3, 3), IS(2, WHOLE, 1, 2)),
    ROW("again", DENY_IF, IS(0, WHOLE, 1, 3), IS(2, WHOLE, 0, 2)),
};
const unsigned cage_row_count = sizeof(cage_rows) / sizeof(cage_rows[0]);

static const char *const names[] = {"masks", "overlap", "differs", "bits", "halves", "never", "again"};
#define NAMES (sizeof(names) / sizeof(names[0]))

static struct sock_filter code[CAGE_FILTER_MAX];
static struct cage_call calls[CAGE_NUMBERS];

static const uint64_t words[] = {0, 1, 2,  3,           4,           5,           6,           7,
                                 8, 9, 15, 0x100000001, 0x100000002, 0x200000002, 0x400000004, 0xfffffffffffffff6};
#define WORDS (sizeof(words) / sizeof(words[0]))

static void check_call(struct machine *machine, const struct cage_call *call, const struct cage_wish *wish)
{
    for (size_t i = 0; i < WORDS * WORDS; i++) {
        const struct seccomp_data data = {
            .nr = (int)call->nr, .arch = NATIVE, .args = {words[i / WORDS], words[i % WORDS]}};
        uint32_t wanted = table_says(call, wish, &data), got = run(machine, &data);
        if (got != wanted)
            fail_msg("%s answers %#x, not %#x, to %#llx, %#llx", call->name, got, wanted, data.args[0], data.args[1]);
    }
}

/* All the calls once, and so often that equal code is out of reach. */
static void tangled_rows_answer_as_they_say(void **state)
{
    static const unsigned counts[] = {NAMES, 1000};

    (void)state;
    for (unsigned i = 0; i < CAGE_NUMBERS; i++)
        calls[i] = (struct cage_call){i, CAGE_CLASS_PROCESS, names[i * i % NAMES], "some"};
    for (unsigned i = 0; i < NAMES; i++)
        calls[i].name = names[i];
    for (size_t i = 0; i < 4; i++) {
        const struct cage_wish wish = {.loopback = i % 2};
        int count = cage_compile(calls, counts[i / 2], &wish, code);
        struct machine machine = {.code = code, .count = (unsigned)count};
        assert_true(count > 0);
        for (unsigned nr = 0; nr < counts[i / 2]; nr++)
            check_call(&machine, &calls[nr], &wish);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangled_rows_answer_as_they_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
