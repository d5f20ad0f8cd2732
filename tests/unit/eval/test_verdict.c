/* test_verdict.c - from the outcome of a run to a verdict */
#include "../support.h"
#include "base/cleanup.h"
#include "eval/job.h"
#include "judge/judge.h"
#include "run/run.h"

struct bench {
    struct policy policy;
    struct eval_tasks tasks;
    struct eval_job *job;
    struct warden_outcome outcome;
};

static void bench_up(struct bench *b, const char *task, const char *code)
{
    struct base_err err = {0};
    struct eval_candidate candidate = {.form = EVAL_PROGRAM, .code = code, .count = strlen(code)};

    *b = (struct bench){.outcome.ending = WARDEN_EXITED};
    support_write_text("tasks", task);
    assert_int_equal(policy_builtin("default", &b->policy, &err), 0);
    assert_int_equal(eval_tasks_load("tasks", NULL, 0, &b->tasks, &err), 0);
    assert_int_equal(stage_runtime_find("python", &candidate.runtime, &err), 0);
    assert_int_equal(eval_job_make(&candidate, &b->tasks.items[0], 0, &b->policy, &b->job, &err), 0);
}

static void bench_down(struct bench *b)
{
    eval_job_free(b->job);
    eval_tasks_release(&b->tasks);
    policy_release(&b->policy);
    warden_outcome_release(&b->outcome);
}

static enum judge_verdict judge(const struct bench *b, struct judge_ruling *ruling)
{
    eval_job_judge(b->job, 0, NULL, &b->outcome, ruling);
    return ruling->verdict;
}

static void print(struct bench *b, const char *text)
{
    base_buf_clear(&b->outcome.out.kept);
    assert_int_equal(base_buf_text(&b->outcome.out.kept, text), 0);
}

static void say(struct bench *b, const char *word, const char *payload)
{
    base_buf_clear(&b->outcome.mark);
    assert_int_equal(
        base_buf_printf(&b->outcome.mark, "%s %s%s%s\n", word, b->job->nonce, *payload ? " " : "", payload), 0);
}

#define STDIO "{\"id\":\"a\",\"stdin\":\"in\",\"expect\":\"x\\ny\\n\"}"

static void stdio(void **state)
{
    CLEANUP(bench_down) struct bench b;
    struct judge_ruling ruling;

    (void)state;
    bench_up(&b, STDIO, "print()");
    assert_memory_equal(b.job->request.stdin_bytes, "in", 2);
    assert_false(b.job->request.mark);
    assert_string_equal(b.job->code_sha256, b.job->program_sha256);
    print(&b, "x \ny");
    assert_int_equal(judge(&b, &ruling), JUDGE_PASS);
    assert_string_equal(ruling.detail, "");
    print(&b, "x\nz");
    assert_int_equal(judge(&b, &ruling), JUDGE_WRONG_ANSWER);
    assert_string_equal(ruling.detail, "line 2 of its output differs: got \"z\", expected \"y\"");
    print(&b, "");
    assert_int_equal(judge(&b, &ruling), JUDGE_WRONG_ANSWER);
    assert_string_equal(ruling.detail, "line 1 of its output differs: got no such line, expected \"x\"");
    print(&b, "x\ny\n\n\x1b[1m\xff\tz \n");
    assert_int_equal(judge(&b, &ruling), JUDGE_WRONG_ANSWER);
    assert_string_equal(ruling.detail,
                        "line 4 of its output differs: got \"\\x1b[1m\\xff\\x09z\", expected no such line");
    print(&b, "x\ny");
    b.outcome.out.truncated = true;
    assert_int_equal(judge(&b, &ruling), JUDGE_OUTPUT_LIMIT);
    b.outcome.out.truncated = false;
    b.outcome.exit_code = 3;
    assert_int_equal(judge(&b, &ruling), JUDGE_RUNTIME_ERROR);
    assert_string_equal(ruling.detail, "exit status 3");
}

static void last_words(void **state)
{
    static const struct {
        const char *said, *wanted;
    } rows[] = {
        {"Traceback:\n  File x\nValueError: no\n", "exit status 1: ValueError: no"},
        {"x.js:1\n^\n\nError: no\n    at f\n\nNode.js v18.19.0\n", "exit status 1: Error: no"},
        {"one", "exit status 1: one"},
        {"\n  \n\n", "exit status 1"},
        {"x.js:1\nthrow e\n^\n\nError: boom\n    at f {\n  a: 1,\n}\n\nNode.js v20.1.0\n",
         "exit status 1: Error: boom"},
        {"x.js:1\n^^\n\nError: one\ntwo\n}\n    at f\n\nNode.js v20.1.0\n", "exit status 1: Error: one"},
        {"x.js:1\n  ^\n{ a: 1 }\n\nNode.js v20.1.0", "exit status 1: { a: 1 }"},
        {"x.js:1\n^\ntext\n(Use `node` ...)\n\nNode.js v20.1.0", "exit status 1: text"},
        {"no carets\n\nNode.js v20.1.0\n", "exit status 1: no carets"},
        {"^\n\nNode.js v20.1.0\n", "exit status 1: ^"},
        {"Node.js v20.1.0\n", "exit status 1"},
        {"Traceback (most recent call last):\n  File x\n\n    f()\nValueError: one\n  two\n}\n",
         "exit status 1: ValueError: one"},
        {"Traceback (most recent call last):\n  F\nA: 1\n\nDuring ...\n\nTraceback (most recent call last):\n  "
         "F\npkg.B\n",
         "exit status 1: pkg.B"},
        {"Traceback (most recent call last):\n  F\nno exception of Python\nlast\n", "exit status 1: last"},
        {"Traceback (most recent call last):", "exit status 1: Traceback (most recent call last):"},
    };
    CLEANUP(bench_down) struct bench b;
    struct judge_ruling ruling;

    (void)state;
    bench_up(&b, STDIO, "print()");
    b.outcome.exit_code = 1;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        base_buf_clear(&b.outcome.err.kept);
        assert_int_equal(base_buf_text(&b.outcome.err.kept, rows[i].said), 0);
        assert_int_equal(judge(&b, &ruling), JUDGE_RUNTIME_ERROR);
        assert_string_equal(ruling.detail, rows[i].wanted);
    }
    b.outcome.err.truncated = true;
    (void)judge(&b, &ruling);
    assert_string_equal(ruling.detail, "exit status 1");
}

static void limits(void **state)
{
    static const enum judge_verdict verdicts[WARDEN_LIMIT_MAX] = {
        [WARDEN_LIMIT_NONE] = JUDGE_LIMIT,          [WARDEN_LIMIT_WALL] = JUDGE_TIMEOUT,
        [WARDEN_LIMIT_CPU] = JUDGE_TIMEOUT,         [WARDEN_LIMIT_IDLE] = JUDGE_TIMEOUT,
        [WARDEN_LIMIT_MEMORY] = JUDGE_MEMORY,       [WARDEN_LIMIT_PROCESSES] = JUDGE_LIMIT,
        [WARDEN_LIMIT_OUTPUT] = JUDGE_OUTPUT_LIMIT, [WARDEN_LIMIT_DISK] = JUDGE_LIMIT,
        [WARDEN_LIMIT_OPEN_FILES] = JUDGE_LIMIT,    [WARDEN_LIMIT_INPUT] = JUDGE_LIMIT,
    };
    CLEANUP(bench_down) struct bench b;
    struct judge_ruling ruling;

    (void)state;
    bench_up(&b, STDIO, "print()");
    print(&b, "x\ny");
    b.outcome.ending = WARDEN_LIMIT;
    for (int i = 0; i < WARDEN_LIMIT_MAX; i++) {
        b.outcome.limit = (enum warden_limit)i;
        assert_int_equal(judge(&b, &ruling), verdicts[i]);
    }
    b.outcome.limit = WARDEN_LIMIT_MAX; /* a word that is not known cannot be the candidate's fault */
    assert_int_equal(judge(&b, &ruling), JUDGE_INFRA_ERROR);
}

static void host_and_policy(void **state)
{
    CLEANUP(bench_down) struct bench b;
    struct judge_ruling ruling;
    struct base_err error = {0};

    (void)state;
    bench_up(&b, STDIO, "print()");
    print(&b, "x\ny");
    const struct warden_denial denial = {"network", "socket(AF_INET)", 1, 1};
    assert_int_equal(warden_outcome_add_denial(&b.outcome, &denial), 0);
    assert_int_equal(judge(&b, &ruling), JUDGE_PASS);
    b.policy.denials = POLICY_DENIALS_FAIL;
    assert_int_equal(judge(&b, &ruling), JUDGE_VIOLATION);
    assert_string_equal(ruling.detail, "tried network socket(AF_INET) (one that is only made, as by some libraries, is "
                                       "no attempt with network: loopback)");
    b.outcome.ending = WARDEN_DENIED;
    assert_int_equal(judge(&b, &ruling), JUDGE_VIOLATION);
    b.outcome.ending = WARDEN_CANCELLED;
    assert_int_equal(judge(&b, &ruling), JUDGE_SKIPPED);
    b.outcome.ending = WARDEN_LOST;
    base_err_set(&b.outcome.error, BASE_E_LOST, "warden", "died");
    assert_int_equal(judge(&b, &ruling), JUDGE_INFRA_ERROR);
    assert_string_equal(ruling.detail, "warden: died");
    base_err_set(&error, BASE_E_SETUP, "cage", "no");
    eval_job_judge(b.job, BASE_E_SETUP, &error, &b.outcome, &ruling);
    assert_int_equal(ruling.verdict, JUDGE_INFRA_ERROR);
}

static void calls(void **state)
{
    CLEANUP(bench_down) struct bench b;
    struct judge_ruling ruling;

    (void)state;
    bench_up(&b, "{\"id\":\"a\",\"cases\":[{\"input\":[1],\"expect\":[2.0,\"SECRET\"]}]}", "def solution(x): pass");
    assert_true(b.job->request.mark);
    assert_int_equal(b.job->request.file_count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_null(memmem(b.job->files[i].bytes, b.job->files[i].count, "SECRET", 6));
    assert_string_not_equal(b.job->code_sha256, b.job->program_sha256);
    assert_int_equal(judge(&b, &ruling), JUDGE_EXITED_EARLY);
    say(&b, "value", "{\"l\":[2,\"SECRET\"]}");
    assert_int_equal(judge(&b, &ruling), JUDGE_PASS);
    say(&b, "value", "{\"l\":[2]}");
    assert_int_equal(judge(&b, &ruling), JUDGE_WRONG_ANSWER);
    assert_string_equal(ruling.detail, "got [2], expected [2.0,\"SECRET\"]");
    say(&b, "done", ""); /* a word of scripts says nothing about a call */
    assert_int_equal(judge(&b, &ruling), JUDGE_EXITED_EARLY);
    say(&b, "input", "{\"l\":[2,\"SECRET\"]}");
    assert_int_equal(judge(&b, &ruling), JUDGE_EXITED_EARLY);
    say(&b, "value", "[2]");
    assert_int_equal(judge(&b, &ruling), JUDGE_RUNTIME_ERROR);
    assert_string_equal(ruling.detail, "its answer is none, from its byte 1 on");
    say(&b, "raise", "E: x");
    assert_int_equal(judge(&b, &ruling), JUDGE_RUNTIME_ERROR);
    assert_string_equal(ruling.detail, "E: x");
    base_buf_clear(&b.outcome.mark);
    b.outcome.mark_truncated = true;
    assert_int_equal(judge(&b, &ruling), JUDGE_OUTPUT_LIMIT);
    assert_string_equal(ruling.detail, "the value has more than 1048576 bytes (--limit value_bytes=SIZE)");
}

static void late(void **state)
{
    CLEANUP(bench_down) struct bench b;
    struct judge_ruling ruling;

    (void)state;
    bench_up(&b, "{\"id\":\"a\",\"cases\":[{\"input\":1,\"expect\":2}]}", "def solution(x): pass");
    b.outcome.ending = WARDEN_LIMIT;
    b.outcome.limit = WARDEN_LIMIT_WALL;
    assert_int_equal(judge(&b, &ruling), JUDGE_TIMEOUT);
    say(&b, "value", "2");
    assert_int_equal(judge(&b, &ruling), JUDGE_PASS);
    say(&b, "value", "3");
    assert_int_equal(judge(&b, &ruling), JUDGE_WRONG_ANSWER);
    b.outcome.limit = WARDEN_LIMIT_OUTPUT;
    say(&b, "value", "2");
    assert_int_equal(judge(&b, &ruling), JUDGE_OUTPUT_LIMIT);
    b.outcome.ending = WARDEN_EXITED;
    base_buf_clear(&b.outcome.mark);
    assert_int_equal(judge(&b, &ruling), JUDGE_EXITED_EARLY);
    assert_int_equal(base_buf_printf(&b.outcome.err.kept, "x\nvalue %s 2\n", b.job->nonce), 0);
    assert_int_equal(judge(&b, &ruling), JUDGE_PASS); /* its channel was closed */
    b.policy.limits[POLICY_LIMIT_VALUE_BYTES].value = 1;
    assert_int_equal(judge(&b, &ruling), JUDGE_PASS);
    say(&b, "value", "22");
    assert_int_equal(judge(&b, &ruling), JUDGE_OUTPUT_LIMIT);
}

static void mutation(void **state)
{
    CLEANUP(bench_down) struct bench b;
    struct judge_ruling ruling;

    (void)state;
    bench_up(&b, "{\"id\":\"a\",\"cases\":[{\"input\":[1],\"expect\":\"no-mutation\"}]}", "def solution(x): pass");
    say(&b, "value", "{\"l\":[{\"l\":[1]}]}");
    assert_int_equal(judge(&b, &ruling), JUDGE_EXITED_EARLY);
    say(&b, "input", "{\"l\":[{\"l\":[1]}]}");
    assert_int_equal(judge(&b, &ruling), JUDGE_PASS);
    say(&b, "input", "{\"l\":[{\"l\":[1,2]}]}");
    assert_int_equal(judge(&b, &ruling), JUDGE_WRONG_ANSWER);
    assert_string_equal(ruling.detail, "changed its input: now [1,2], was [1]");
}

static void scripts(void **state)
{
    CLEANUP(bench_down) struct bench b;
    struct judge_ruling ruling;

    (void)state;
    bench_up(&b, "{\"task_id\":7,\"test_list\":[\"assert 1\"]}", "x = 1");
    assert_string_equal(b.job->code_sha256, b.job->program_sha256);
    assert_null(memmem(b.job->code.bytes, b.job->code.count, b.job->nonce, JUDGE_NONCE_CHARS));
    assert_int_equal(judge(&b, &ruling), JUDGE_EXITED_EARLY);
    say(&b, "value", "1"); /* a word of calls says nothing about a script */
    assert_int_equal(judge(&b, &ruling), JUDGE_EXITED_EARLY);
    say(&b, "done", "");
    assert_int_equal(judge(&b, &ruling), JUDGE_PASS);
    b.outcome.exit_code = 1;
    say(&b, "assert", "");
    assert_int_equal(judge(&b, &ruling), JUDGE_WRONG_ANSWER);
    base_buf_clear(&b.outcome.mark);
    assert_int_equal(judge(&b, &ruling), JUDGE_COMPILE_ERROR);
    b.outcome.ending = WARDEN_SIGNALED;
    assert_int_equal(judge(&b, &ruling), JUDGE_RUNTIME_ERROR);
}

static void blank(void **state)
{
    (void)state;
    assert_true(eval_job_is_blank("", 0));
    assert_true(eval_job_is_blank(" \n\t\r\n", 5));
    assert_false(eval_job_is_blank(" x", 2));
    assert_false(eval_job_is_blank("\0", 1));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

#define CALL_TASK "{\"id\":\"a\",\"cases\":[{\"input\":1,\"expect\":2}]}"

static void file_names(void **state)
{
    CLEANUP(bench_down) struct bench b;
    struct judge_ruling ruling;

    (void)state;
    bench_up(&b, CALL_TASK, "def (");
    b.outcome.exit_code = 1;
    say(&b, "compile", "SyntaxError: invalid syntax (candidate.py, line 1)");
    assert_int_equal(judge(&b, &ruling), JUDGE_COMPILE_ERROR);
    assert_string_equal(ruling.detail, "SyntaxError: invalid syntax (candidate.py, line 1)");
    (void)snprintf(b.job->file_name, sizeof(b.job->file_name), "sort.py");
    (void)judge(&b, &ruling);
    assert_string_equal(ruling.detail, "SyntaxError: invalid syntax (sort.py, line 1)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(stdio),      IN_FOLDER(limits),     IN_FOLDER(host_and_policy), IN_FOLDER(calls),
        IN_FOLDER(late),       IN_FOLDER(mutation),   IN_FOLDER(scripts),         cmocka_unit_test(blank),
        IN_FOLDER(last_words), IN_FOLDER(file_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
