/* test_script.c - where the lines of ours stand in a composed program */
#include "../support.h"
#include "judge/judge.h"

static char *compose(const char *prompt, const char *code, bool prelude, bool *ret_first)
{
    const struct judge_script script = {
        .prelude = prelude,
        .prompt = prompt,
        .prompt_count = prompt ? strlen(prompt) : 0,
        .code = code,
        .code_count = strlen(code),
        .tests = "check(f)",
        .tests_count = 8,
    };
    struct base_buf buf = {0};
    struct base_err err;

    assert_int_equal(judge_script_compose(&script, &buf, ret_first, &err), 0);
    return buf.bytes;
}

/* The parts appear in this order. */
static void expect_order(char *text, const char *const *parts)
{
    const char *at = text;

    for (; *parts; parts++) {
        const char *found = strstr(at, *parts);
        if (!found)
            fail_msg("no \"%s\" in its place in:\n%s", *parts, text);
        at = found + strlen(*parts);
    }
    free(text);
}

#define ORDER(text, ...) expect_order(text, (const char *const[]){__VA_ARGS__, NULL})

static void plain(void **state)
{
    bool first = false;

    (void)state;
    ORDER(compose("def f():\n", "  return 1", false, &first), "import posix", "def f():\n  return 1",
          "\n\ndef _fumehood_hook", "check(f)", "done ");
    assert_true(first);
}

static void prelude_comes_after_ours(void **state)
{
    bool first;
    char *text = compose(NULL, "def f(): pass\n", true, &first);

    (void)state;
    ORDER(text, "import posix", "from typing import *\n", "def f(): pass");
    assert_true(first);
    text = compose(NULL, "def f(): pass\n", false, &first);
    assert_null(strstr(text, "typing"));
    free(text);
}

static void future_imports_stay_first(void **state)
{
    bool first = true;

    (void)state;
    ORDER(compose(NULL, "\"\"\"doc\"\"\"\nfrom __future__ import annotations\nx = 1\n", true, &first),
          "\"\"\"doc\"\"\"", "annotations\n", "import posix", "import math", "x = 1");
    assert_false(first);
    ORDER(compose(NULL, "from __future__ import (annotations,\n division)\nx = 1\n", false, &first), "division)\n",
          "import posix", "x = 1");
    ORDER(compose(NULL, "from __future__ import annotations", false, &first), "annotations\nimport posix");
}

static void comments_stay_first(void **state)
{
    bool first = false;

    (void)state;
    ORDER(compose(NULL, "#!/usr/bin/python3\n# coding: latin-1\n\nx = 1\n", false, &first), "#!/usr", "coding",
          "import posix", "x = 1");
    assert_true(first);
    ORDER(compose(NULL, "# only a comment", false, &first), "# only a comment\nimport posix");
    char *text = compose(NULL, "\xef\xbb\xbfx = 1\n", false, &first);
    assert_null(strstr(text, "\xef\xbb\xbf"));
    free(text);
}

static void the_same_code_makes_the_same_program(void **state)
{
    bool first;
    char *a = compose("p\n", "x", true, &first), *b = compose("p\n", "x", true, &first);

    (void)state;
    assert_string_equal(a, b);
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(prelude_comes_after_ours),
        cmocka_unit_test(future_imports_stay_first),
        cmocka_unit_test(comments_stay_first),
        cmocka_unit_test(the_same_code_makes_the_same_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
