/* test_script.c - where the lines of ours stand in a composed program */
#include "../support.h"
#include "base/cleanup.h"
#include "judge/head.h"
#include "judge/judge.h"

static char *compose(struct judge_script script, const char *code)
{
    struct base_buf buf = {0};
    struct base_err err;

    script.code = code;
    script.code_count = strlen(code);
    script.prompt_count = script.prompt_text ? strlen(script.prompt_text) : 0;
    script.tests = "check(f)";
    script.tests_count = 8;
    assert_int_equal(judge_script_compose(&script, &buf, &err), 0);
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

static void parts(void **state)
{
    struct judge_script script = {.prompt_text = "def f():\n"};

    (void)state;
    ORDER(compose(script, "def f():\n  return 1"), "import posix", "start", "\ndef f():\n  return 1",
          "\n\ndef _fumehood_say", "check(f)", "done ");
    script.prompt = JUDGE_PROMPT_JOINED;
    ORDER(compose(script, "  return 1"), "import posix", "\ndef f():\n  return 1\n\ndef _fumehood_say");
    script.prompt_text = "'''Add.'''\n# as usual\n";
    ORDER(compose(script, "from __future__ import annotations\nx = 1"), "'''Add.'''\n# as usual\nfrom __future__",
          "\nimport posix", "\nx = 1\n\ndef _fumehood_say");
    script.prelude = true;
    script.prompt = JUDGE_PROMPT_APART;
    script.prompt_text = "\"\\\n";
    ORDER(compose(script, "x = 1"), "start", "from typing import *", "b\"\\x22\\x5c\\x0a\"",
          "\nx = 1\n\ndef _fumehood");
    assert_string_equal(judge_script_assembly(&script), "prelude, prompt, candidate, tests");
    script.prelude = false;
    script.prompt = JUDGE_PROMPT_JOINED;
    assert_string_equal(judge_script_assembly(&script), "prompt+candidate, tests");
}

static void lines_move_by_one(void **state)
{
    struct judge_script script = {.prelude = true, .prompt = JUDGE_PROMPT_APART, .prompt_text = "import os\n\n\n"};
    AUTO_FREE char *text = compose(script, "x = 1\n");
    const char *second = strchr(text, '\n') + 1;

    (void)state;
    assert_int_equal(strncmp(second, "x = 1\n", 6), 0);
}

static void what_is_text_is_utf8(void **state)
{
    struct judge_script script = {0};

    (void)state;
    ORDER(compose(script, "#!/usr/bin/python3\n# coding: latin-1\nx = 1\n"), "#!/usr", "latin-1\nimport posix",
          "x = 1");
    script.is_text = true;
    ORDER(compose(script, "# coding: latin-1\nx = 1\n"), "# coding: utf-8\n# coding: latin-1\nimport posix");
    ORDER(compose(script, "\xef\xbb\xbfx = 1\n"), "import posix", "\nx = 1");
    ORDER(compose(script, "# only a comment"), "# only a comment\nimport posix");
}

static void the_same_code_makes_the_same_program(void **state)
{
    struct judge_script script = {.prompt = JUDGE_PROMPT_APART, .prompt_text = "p"};
    AUTO_FREE char *a = compose(script, "x"), *b = compose(script, "x");

    (void)state;
    assert_string_equal(a, b);
}

/* "|" stands where the head ends, "~" where it ends within a line. */
static void heads(void **state)
{
    static const char *const rows[] = {
        "|x = 1\n",
        "|",
        "# c\n\n  # d\n|x = 1\n",
        "# c|",
        "'''doc'''\n|x = 1\n",
        "'''doc\nfrom __future__ import x\n'''\n|x\n",
        "\"\"\"a\"\"\"\nfrom __future__ import annotations\n|x\n",
        "from __future__ import (annotations, # c )\n  division)\n|x\n",
        "from __future__ import a, \\\n  b as c\n|x\n",
        "from \\\n __future__ import a\n|x\n",
        "from __future__ import(a)\n|x\n",
        "from __future__ import a; ~import os\n",
        "from __future__ import a;\n|import os\n",
        "'doc'; from __future__ import a # c\n|x\n",
        "'doc' 'more' \\\n r\"x\"\nfrom __future__ import a\n|x\n",
        "('a' # )\n 'b')\nfrom __future__ import a\n|x\n",
        "'a'\n'b'\nfrom __future__ import a\nfrom __future__ import b\n|x\n",
        "|'a'.join(x)\nfrom __future__ import a\n",
        "|'a' + \\\n'b'\n",
        "|('a', 'b')\n",
        "|b'doc'\n",
        "|f'doc'\n",
        "|'doc\n'\n",
        "|'''doc\n",
        "'a\\\nb'\n|x\n",
        "r'a\\'\\\\'\n|x\n",
        "'''a\\''''''\n|x\n",
        "''''a'''\n|x\n",
        "|def f():\n    '''\nfrom __future__ import x\n'''\n",
        "|x = '''\nfrom __future__ import x\n'''\n",
        "|from __future__x import a\n",
        "|from os import a\nfrom __future__ import b\n",
        "|fromage = 1\n",
        "'doc'\r\nfrom __future__ import a\r\n|x\r\n",
        "'doc'\rfrom __future__ import a\r|x\r",
        "\f\n'doc'\n|x",
        "\f'doc'\n \ffrom __future__ import a\n|\fx",
        "\\\nfrom __future__ import a\n|\\\nx",
        "'doc'\n\n \\\r\n\\\nfrom __future__ import a;\n\ffrom __future__ import b\n|x",
        "|\\\nx = 1\nfrom __future__ import a\n",
        "'doc'|",
        "|(('a'), 'b')",
        "|'a' if x else y\n",
        "U'doc'\n|u = 1\n",
        "''\n|x\n",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char code[200];
        size_t mark = strcspn(rows[i], "|~");
        struct judge_head head;

        (void)snprintf(code, sizeof(code), "%.*s%s", (int)mark, rows[i], rows[i] + mark + 1);
        judge_head_find(code, strlen(code), &head);
        if (head.end != mark || head.inside != (rows[i][mark] == '~'))
            fail_msg("%s: ends at %zu, inside %d", rows[i], head.end, head.inside);
    }
}

static void prompts(void **state)
{
    static const struct {
        const char *prompt;
        bool adds;
    } rows[] = {
        {"", false},
        {"from typing import List\n\n\ndef f(x: List[int]):\n    \"\"\"d\n    \"\"\"\n", false},
        {"import math\n# c\ndef f(x):\r\n\r\n", false},
        {"import math, os\ndef f(x):\n", true},
        {"import mathx\ndef f(x):\n", true},
        {"import math as m\ndef f(x):\n", true},
        {"from typing_extensions import x\ndef f(x):\n", true},
        {"def g(x):\n  return 1\ndef f(x):\n", true},
        {"def ff(x):\n", true},
        {"x = 1\ndef f(x):\n", true},
        {"class A: pass\ndef f(x):\n", true},
        {"def f(x):\n    '''\ntext at the margin\n'''\n", true},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (judge_prompt_adds(rows[i].prompt, strlen(rows[i].prompt), "f") != rows[i].adds)
            fail_msg("%s", rows[i].prompt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),
        cmocka_unit_test(lines_move_by_one),
        cmocka_unit_test(what_is_text_is_utf8),
        cmocka_unit_test(the_same_code_makes_the_same_program),
        cmocka_unit_test(heads),
        cmocka_unit_test(prompts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
