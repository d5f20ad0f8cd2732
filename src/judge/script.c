/* script.c - one Python program made of a candidate and its tests
 *
 * The program is run as it is: as the main program, with the recursion depth and the names that it would have anyway.
 * Between the parts stand a few lines of ours. The first opens the private channel before the candidate can rename
 * anything; the second, behind the candidate, notes which exception ends the tests; the last says that they are done.
 * Every mark starts a new line, whatever the candidate left on the descriptor.
 */

#include "base/cleanup.h"
#include "judge/judge.h"
#include <string.h>

/* One line, so that the candidate's lines move by one only. posix is os without its Python part. */
static const char opening[] =
    "import posix as _fumehood_os, sys as _fumehood_sys; _fumehood_fd = _fumehood_os.open(\"" JUDGE_NONCE_FILE
    "\", 0); _fumehood_nonce = _fumehood_os.read(_fumehood_fd, 64); _fumehood_os.close(_fumehood_fd);"
    " _fumehood_os.unlink(\"" JUDGE_NONCE_FILE "\"); _fumehood_write = _fumehood_os.write;"
    " _fumehood_assert = AssertionError; _fumehood_frame = _fumehood_sys._getframe;"
    " _fumehood_write(3, b\"\\nstart \" + _fumehood_nonce + b\"\\n\")\n";

/* Uses no name that the candidate could have put in the way, and no built-in one. Only an assertion that fails in the
 * tests' own lines is a wrong answer; one in the candidate's lines is an exception as any other. */
static const char guard[] =
    "\n\ndef _fumehood_hook(kind, value, trace, write=_fumehood_write, nonce=_fumehood_nonce, "
    "failed=_fumehood_assert,\n"
    "                   chain=_fumehood_sys.excepthook, line=_fumehood_frame().f_lineno, "
    "here=_fumehood_frame().f_code):\n"
    "    last = trace\n"
    "    while last.tb_next is not None:\n"
    "        last = last.tb_next\n"
    "    if kind is failed and last.tb_lineno > line and last.tb_frame.f_code.co_filename == here.co_filename:\n"
    "        write(3, b\"\\nassert \" + nonce + b\"\\n\")\n"
    "    else:\n"
    "        write(3, b\"\\nraise \" + nonce + b\" \" + kind.__name__.encode() + b\"\\n\")\n"
    "    chain(kind, value, trace)\n"
    "_fumehood_sys.excepthook = _fumehood_hook\n";

static const char closing[] = "\n_fumehood_write(3, b\"\\ndone \" + _fumehood_nonce + b\"\\n\")\n";

static const char prelude[] = "import math,sys,re,collections,itertools,functools\nfrom typing import *\n";

static const char byte_order_mark[] = "\xef\xbb\xbf";
static const char future[] = "from __future__ import";

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : end;
}

/* Blank lines and comments at the top: "#!" and "coding:" count only there. */
static const char *skip_comments(const char *at, const char *end)
{
    while (at < end) {
        const char *next = line_end(at, end), *c = at;

        while (c < next && (*c == ' ' || *c == '\t' || *c == '\r' || *c == '\n'))
            c++;
        if (c < next && *c != '#')
            break;
        at = next;
    }
    return at;
}

/* The end of a statement "from __future__ import ..." that starts at @at: over lines when it has parentheses. */
static const char *skip_future(const char *at, const char *end)
{
    const char *next = line_end(at, end);

    if (memchr(at, '(', (size_t)(next - at)))
        while (next < end && !memchr(at, ')', (size_t)(next - at)))
            next = line_end(next, end);
    return next;
}

/* Where our first statement may stand: imports from __future__ must come before all others. */
static const char *find_head(const char *code, const char *end, bool *ret_is_first)
{
    const char *head = skip_comments(code, end);

    *ret_is_first = true;
    for (const char *line = code; line < end; line = line_end(line, end))
        if ((size_t)(end - line) >= sizeof(future) - 1 && memcmp(line, future, sizeof(future) - 1) == 0) {
            head = skip_future(line, end);
            *ret_is_first = false; /* what stands before it could be the end of a text in quotes: no certainty */
        }
    return head;
}

static int put(struct base_buf *buf, const char *bytes, size_t count)
{
    return count > 0 ? base_buf_append(buf, bytes, count) : 0;
}

static int put_head(struct base_buf *buf, const struct judge_script *script, const char *from, const char *to)
{
    int r = put(buf, from, (size_t)(to - from));

    if (r >= 0 && to > from && to[-1] != '\n')
        r = base_buf_text(buf, "\n");
    if (r >= 0)
        r = base_buf_text(buf, opening);
    if (r >= 0 && script->prelude)
        r = base_buf_text(buf, prelude);
    return r;
}

int judge_script_compose(const struct judge_script *script, struct base_buf *ret_program, bool *ret_start_is_first,
                         struct base_err *err)
{
    bool has_prompt = script->prompt && script->prompt_count > 0;
    const char *code = script->code, *end = code + script->code_count;
    const char *first, *first_end, *head;
    int r;

    if (script->code_count >= 3 && memcmp(code, byte_order_mark, 3) == 0)
        code += 3;
    first = has_prompt ? script->prompt : code;
    first_end = has_prompt ? first + script->prompt_count : end;
    head = find_head(first, first_end, ret_start_is_first);

    r = put_head(ret_program, script, first, head);
    if (r >= 0)
        r = put(ret_program, head, (size_t)(first_end - head));
    if (r >= 0 && has_prompt)
        r = put(ret_program, code, (size_t)(end - code));
    if (r >= 0)
        r = base_buf_text(ret_program, guard);
    if (r >= 0)
        r = put(ret_program, script->tests, script->tests_count);
    if (r >= 0)
        r = base_buf_text(ret_program, closing);
    return r < 0 ? base_err_set(err, r, "candidate", "the program is too large") : 0;
}
