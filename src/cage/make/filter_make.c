/* filter_make.c - tables and filters of the default system call profile, when fumehood itself is built
 *
 * Runs in: the build, never in the program. Prints C: `filter_make filters` the default's filters, one for each kind of
 * network, and the table of calls with their numbers; `filter_make calls` the names alone, for policies. libseccomp
 * gives the numbers; its compiler is not used because it can say neither "allow under these conditions, else notify"
 * nor "unless the lower half of this argument is that".
 */
#include "cage/compile.h"
#include <inttypes.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct plain {
    const char *call;
    enum cage_class class;
} plain[] = {
#define ALLOW(name)      {#name, CAGE_CLASS_ALLOWED},
#define DENY(type, name) {#name, CAGE_CLASS_##type},
#include "cage/syscalls.def"
#undef ALLOW
#undef DENY
};
#define PLAIN_COUNT (sizeof(plain) / sizeof(plain[0]))

static struct cage_call calls[CAGE_NUMBERS];
static unsigned call_count;

static void fail(const char *what, const char *object)
{
    fprintf(stderr, "filter_make: %s: %s\n", object, what);
    exit(1);
}

static const char *effect_word(enum cage_effect effect)
{
    return effect == CAGE_DENY_IF || effect == CAGE_DENY_IF_LOOPBACK ? "denied: " : "allowed: ";
}

#define NAMED_MAX 8u /* of a long list, so many are named */

static bool is_named_row(unsigned row, const char *call)
{
    return strcmp(cage_rows[row].call, call) == 0 && strcmp(cage_rows[row].text, "as before") != 0;
}

static unsigned count_named(const char *call)
{
    unsigned count = 0;

    for (unsigned i = 0; i < cage_row_count; i++)
        count += is_named_row(i, call);
    return count;
}

/* "allowed: a, b; denied: c" for a call with rows, "allowed: a, b and 40 more" for one with many. */
static const char *condition_of(const char *call)
{
    char text[1024];
    const char *before = NULL;
    unsigned count = count_named(call), named = 0;
    size_t used = 0;

    for (unsigned i = 0; i < cage_row_count && (named < NAMED_MAX || count <= 2 * NAMED_MAX); i++) {
        const char *word = effect_word(cage_rows[i].effect);
        if (!is_named_row(i, call))
            continue;
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s",
                                 !before          ? ""
                                 : word == before ? ", "
                                                  : "; ",
                                 word == before ? "" : word, cage_rows[i].text);
        if (used >= sizeof(text))
            fail("has too long a condition", call);
        before = word;
        named++;
    }
    if (named < count)
        (void)snprintf(text + used, sizeof(text) - used, " and %u more", count - named);
    return before ? strdup(text) : NULL;
}

static bool is_listed(const char *call)
{
    for (unsigned i = 0; i < call_count; i++)
        if (strcmp(calls[i].name, call) == 0)
            return true;
    return false;
}

/* A negative number is a call that this architecture does not have: a narrower table. */
static void add_call(const char *call, enum cage_class class, const char *condition)
{
    int nr = seccomp_syscall_resolve_name(call);

    if (nr == __NR_SCMP_ERROR)
        fail("not known to libseccomp", call);
    if (is_listed(call))
        fail("listed twice", call);
    if (nr >= 0 && (unsigned)nr < CAGE_NUMBERS)
        calls[call_count++] = (struct cage_call){(unsigned)nr, class, call, condition};
}

static int by_number(const void *a, const void *b)
{
    unsigned x = ((const struct cage_call *)a)->nr, y = ((const struct cage_call *)b)->nr;

    return x < y ? -1 : x > y;
}

static bool has_earlier_row(unsigned row)
{
    for (unsigned i = 0; i < row; i++)
        if (strcmp(cage_rows[i].call, cage_rows[row].call) == 0)
            return true;
    return false;
}

static void read_profile(void)
{
    for (size_t i = 0; i < PLAIN_COUNT; i++)
        add_call(plain[i].call, plain[i].class, NULL);
    for (unsigned i = 0; i < cage_row_count; i++)
        if (!has_earlier_row(i))
            add_call(cage_rows[i].call, cage_rows[i].class, condition_of(cage_rows[i].call));
    qsort(calls, call_count, sizeof(calls[0]), by_number);
}

static void print_filter(const char *name, bool loopback)
{
    static struct sock_filter code[CAGE_FILTER_MAX];
    int count = cage_compile(calls, call_count, &(const struct cage_wish){.loopback = loopback}, code);

    if (count < 0)
        fail("too long", name);
    printf("static const struct sock_filter %s[] = {\n", name);
    for (int i = 0; i < count; i++)
        printf("{0x%x,%u,%u,0x%x},%s", code[i].code, code[i].jt, code[i].jf, code[i].k, i % 6 == 5 ? "\n" : "");
    printf("};\n");
}

static void print_calls(void)
{
    static const char *const classes[] = {"SYSCALL", "NETWORK",   "PROCESS", "FILESYSTEM",
                                          "DEVICE",  "PRIVILEGE", "ALLOWED"};

    printf("const struct cage_call cage_calls[] = {\n");
    for (unsigned i = 0; i < call_count; i++) {
        const char *condition = calls[i].condition, *quote = condition ? "\"" : "";
        printf("{%u,CAGE_CLASS_%s,\"%s\",%s%s%s},\n", calls[i].nr, classes[calls[i].class], calls[i].name, quote,
               condition ? condition : "0", quote);
    }
    printf("};\nconst unsigned cage_call_count = %u;\n", call_count);
}

static void print_filters(void)
{
    read_profile();
    printf("/* made by filter_make from syscalls.def */\n#include \"cage/filter.h\"\n#include <linux/filter.h>\n");
    print_filter("filter_none", false);
    print_filter("filter_loopback", true);
    print_calls();
    printf("const struct sock_filter *cage_filter(bool loopback, unsigned *ret_count)\n{\n"
           "    *ret_count = loopback ? sizeof(filter_loopback) / sizeof(filter_loopback[0])\n"
           "                          : sizeof(filter_none) / sizeof(filter_none[0]);\n"
           "    return loopback ? filter_loopback : filter_none;\n}\n");
}

/* --- names, for every architecture the same --- */

static struct name {
    const char *call, *grant;
} names[CAGE_NUMBERS];

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->call, ((const struct name *)b)->call);
}

/* Those that the default does not deny. */
static void print_default(unsigned count)
{
    printf("const struct policy_set policy_calls_default = {{");
    for (unsigned from = 0; from < count; from += 64) {
        uint64_t bits = 0;
        for (unsigned i = from; i < count && i < from + 64; i++)
            bits |= (uint64_t)(strcmp(names[i].grant, "DENIED") != 0) << (i - from);
        printf("UINT64_C(%" PRIu64 "),", bits);
    }
    printf("}};\n");
}

static void print_names(void)
{
    unsigned count = 0;
    size_t longest = 0;

    for (size_t i = 0; i < PLAIN_COUNT; i++)
        names[count++] = (struct name){plain[i].call, plain[i].class == CAGE_CLASS_ALLOWED ? "ALLOWED" : "DENIED"};
    for (unsigned i = 0; i < cage_row_count; i++)
        if (!has_earlier_row(i))
            names[count++] = (struct name){cage_rows[i].call, "IN_PART"};
    qsort(names, count, sizeof(names[0]), by_name);
    printf("/* made by filter_make from syscalls.def */\n#include \"policy/profile.h\"\n"
           "const struct policy_call policy_calls[] = {\n");
    for (unsigned i = 0; i < count; i++) {
        printf("{\"%s\",POLICY_CALL_%s},\n", names[i].call, names[i].grant);
        longest = strlen(names[i].call) > longest ? strlen(names[i].call) : longest;
    }
    printf("};\nconst unsigned policy_call_count = %u;\n"
           "_Static_assert(%u <= POLICY_CALLS_MAX, \"more calls than a set holds\");\n"
           "_Static_assert(%zu < POLICY_CALL_BYTES, \"a longer name than there is room for\");\n",
           count, count, longest);
    print_default(count);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "filters") == 0)
        print_filters();
    else if (argc == 2 && strcmp(argv[1], "calls") == 0)
        print_names();
    else
        fail("say filters or calls", "usage");
    return 0;
}
