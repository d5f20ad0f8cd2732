/* script.c - one Python program made of a candidate and its tests
 *
 * The program is run as it is, with the recursion depth that it would have anyway. Its name is not "__main__", as with
 * the harnesses that the sets were published with: what a candidate does only when it is the main program is not done.
 * Between the parts stand a few lines of ours. The first opens the private channel before the candidate can rename
 * anything; the second, behind the candidate, notes which exception ends the tests; the last says that they are done,
 * and leaves: threads, handlers and what else the candidate has left are not waited for, as in those harnesses. Every
 * mark starts a new line, whatever the candidate left on the descriptor; where it has closed that one, or put something
 * else there, what comes after goes to stderr or stdout.
 */

#include "base/cleanup.h"
#include "judge/head.h"
#include "judge/judge.h"
#include <ctype.h>
#include <string.h>

/* Simple statements in one line, so that the candidate's lines move by one only, and so that it may stand behind a ';'.
 * posix is os without its Python part. */
static const char opening[] =
    "import posix as _fumehood_os, sys as _fumehood_sys; from sys import modules as _fumehood_modules; "
    "_fumehood_fd = _fumehood_os.open(\"" JUDGE_NONCE_FILE
    "\", 0); _fumehood_nonce = _fumehood_os.read(_fumehood_fd, 64); _fumehood_os.close(_fumehood_fd);"
    " _fumehood_os.unlink(\"" JUDGE_NONCE_FILE "\"); _fumehood_write = _fumehood_os.write;"
    " _fumehood_ways = [(_fumehood_fd, _fumehood_os.fstat(_fumehood_fd)[1:3]) for _fumehood_fd in (3, 2, 1)];"
    " _fumehood_assert = AssertionError; _fumehood_frame = _fumehood_sys._getframe;"
    " _fumehood_modules[\"solution\"] = _fumehood_modules[\"__main__\"]; __name__ = \"solution\";"
    " _fumehood_write(3, b\"\\nstart \" + _fumehood_nonce + b\"\\n\")";

/* Uses no name that the candidate could have put in the way, and no built-in one where it matters ("end" writes what
 * Python holds back, if it can). Only an assertion that fails in the tests' own lines is a wrong answer; one in the
 * candidate's lines is an exception as any other, and frames of libraries count for neither. Which line of the tests it
 * is counts from the one with "line=", which is GUARD_LINES before them. */
#define GUARD_LINES "11"
static const char guard[] =
    "\n\ndef _fumehood_say(line, write=_fumehood_write, stat=_fumehood_os.fstat, ways=_fumehood_ways):\n"
    "    for fd, file in ways:\n"
    "        try:\n"
    "            if stat(fd)[1:3] == file:\n"
    "                write(fd, line)\n"
    "                return\n"
    "        except:\n"
    "            pass\n"
    "def _fumehood_end(status, sys=_fumehood_sys, leave=_fumehood_os._exit):\n"
    "    for name in ('stdout', 'stderr'):\n"
    "        try:\n"
    "            getattr(sys, name).flush()\n"
    "        except:\n"
    "            pass\n"
    "    leave(status)\n"
    "def _fumehood_hook(kind, value, trace, say=_fumehood_say, nonce=_fumehood_nonce, end=_fumehood_end, "
    "failed=_fumehood_assert,\n"
    "                   chain=_fumehood_sys.excepthook, line=_fumehood_frame().f_lineno, "
    "here=_fumehood_frame().f_code):\n"
    "    at = last = trace\n"
    "    while at is not None:\n"
    "        last = at if at.tb_frame.f_code.co_filename == here.co_filename else last\n"
    "        at = at.tb_next\n"
    "    if kind is failed and last.tb_lineno > line and last.tb_frame.f_code.co_filename == here.co_filename:\n"
    "        say(b\"\\nassert %b %d\\n\" % (nonce, last.tb_lineno - line - " GUARD_LINES "))\n"
    "    else:\n"
    "        say(b\"\\nraise \" + nonce + b\" \" + kind.__name__.encode() + b\"\\n\")\n"
    "    chain(kind, value, trace)\n"
    "    end(1)\n"
    "_fumehood_sys.excepthook = _fumehood_hook\n";

static const char closing[] = "\n_fumehood_say(b\"\\ndone \" + _fumehood_nonce + b\"\\n\")\n_fumehood_end(0)\n";

static const char prelude[] = "; import math,sys,re,collections,itertools,functools; from typing import *";

/* The last function of a prompt may have no body yet. A candidate that needs nothing of a prompt that cannot be run is
 * none the worse for that. */
static const char prompt_before[] = "; _fumehood_prompt = b\"";
static const char prompt_behind[] =
    "\"; exec(\"for _fumehood_body in (b'', b'\\\\n    pass\\\\n'):\\n try:\\n  exec(compile(_fumehood_prompt + "
    "_fumehood_body, __file__, 'exec', 0, True))\\n  break\\n except BaseException:\\n  pass\")";

static const char byte_order_mark[] = "\xef\xbb\xbf";
static const char encoding[] = "# coding: utf-8\n";

static int put(struct base_buf *buf, const char *bytes, size_t count)
{
    return count > 0 ? base_buf_append(buf, bytes, count) : 0;
}

/* As what stands between the quotes of a bytes object. */
static int put_literal(struct base_buf *buf, const char *bytes, size_t count)
{
    int r = 0;

    for (size_t i = 0; i < count && r >= 0; i++) {
        unsigned char c = (unsigned char)bytes[i];

        r = isprint(c) && c != '"' && c != '\\' ? base_buf_append(buf, &c, 1) : base_buf_printf(buf, "\\x%02x", c);
    }
    return r;
}

static int put_opening(struct base_buf *buf, const struct judge_script *script)
{
    int r = base_buf_text(buf, opening);

    if (r >= 0 && script->prelude)
        r = base_buf_text(buf, prelude);
    if (r < 0 || script->prompt != JUDGE_PROMPT_APART)
        return r;
    r = base_buf_text(buf, prompt_before);
    if (r >= 0)
        r = put_literal(buf, script->prompt_text, script->prompt_count);
    return r < 0 ? r : base_buf_text(buf, prompt_behind);
}

/* The head of what the program begins with, and our first line behind it. */
static int put_head(struct base_buf *buf, const struct judge_script *script, const char *code,
                    const struct judge_head *head)
{
    int r = head->encoding && script->is_text ? base_buf_text(buf, encoding) : 0; /* the first that is said counts */

    if (r >= 0)
        r = put(buf, code, head->end);
    if (r >= 0 && !head->inside && head->end > 0 && code[head->end - 1] != '\n')
        r = base_buf_text(buf, "\n");
    if (r >= 0)
        r = put_opening(buf, script);
    return r < 0 ? r : base_buf_text(buf, head->inside ? "; " : "\n");
}

/* The head may end within the candidate, where the prompt is nothing but comments and texts. */
static int put_code(struct base_buf *buf, const struct judge_script *script, const char *code, size_t count)
{
    struct judge_head head;
    int r;

    judge_head_find(code, count, &head);
    r = put_head(buf, script, code, &head);
    return r >= 0 ? put(buf, code + head.end, count - head.end) : r;
}

static int put_joined(struct base_buf *buf, const struct judge_script *script, const char *code, size_t count)
{
    AUTO_BUF struct base_buf joined = {0};
    int r = put(&joined, script->prompt_text, script->prompt_count);

    if (r >= 0)
        r = put(&joined, code, count);
    return r >= 0 ? put_code(buf, script, joined.count > 0 ? joined.bytes : "", joined.count) : r;
}

static int put_program(struct base_buf *buf, const struct judge_script *script)
{
    const char *code = script->code;
    size_t count = script->code_count;

    if (count >= 3 && memcmp(code, byte_order_mark, 3) == 0) {
        code += 3;
        count -= 3;
    }
    return script->prompt == JUDGE_PROMPT_JOINED ? put_joined(buf, script, code, count)
                                                 : put_code(buf, script, code, count);
}

int judge_script_compose(const struct judge_script *script, struct base_buf *ret_program, struct base_err *err)
{
    int r = put_program(ret_program, script);

    if (r >= 0)
        r = base_buf_text(ret_program, guard);
    if (r >= 0)
        r = put(ret_program, script->tests, script->tests_count);
    if (r >= 0)
        r = base_buf_text(ret_program, closing);
    return r < 0 ? base_err_set(err, r, "candidate", "the program is too large") : 0;
}

unsigned long judge_script_lines_before_tests(const char *program, size_t count, size_t tests_count)
{
    size_t behind = tests_count + strlen(closing);
    const char *at = program, *end = program + (count > behind ? count - behind : 0);
    unsigned long lines = 0;

    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        lines++;
        at++;
    }
    return lines;
}

int judge_tests_compose(const char *tests, size_t count, struct base_buf *ret_program, struct base_err *err)
{
    const struct judge_script alone = {.code = "", .tests = tests, .tests_count = count};

    return judge_script_compose(&alone, ret_program, err);
}

const char *judge_script_assembly(const struct judge_script *script)
{
    static const char *const texts[2][JUDGE_PROMPT_MAX] = {
        {"candidate, tests", "prompt+candidate, tests", "prompt, candidate, tests"},
        {"prelude, candidate, tests", "prelude, prompt+candidate, tests", "prelude, prompt, candidate, tests"},
    };
    return texts[script->prelude][script->prompt];
}
