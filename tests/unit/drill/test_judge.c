/* test_judge.c - the verdict on one attack: every reason, and what outweighs what */
#include "../support.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "drill/judge.h"

#define NONCE "0123456789abcdef0123456789abcdef"

/* A receipt of a run that ended @ENDING and wrote @OUT, with @MORE fields, which replace earlier ones of that name. */
#define RECEIPT_HEAD                                                                                                   \
    "'schema':1,'run_id':1,'started_utc':1,'version':1,'tier':1,'cage':1,'program':1,'policy':1,'root':1,'mounts':1,"  \
    "'usage':1,'residual':[],'artifacts':1,'effects':1,'environment':1,"
#define PROTECTED     "'protections':{'requested':['a','b'],'achieved':['a'],'missing':['b']},"
#define CLEAN         "'teardown':{'processes_left':0,'cgroups_left':0,'mounts_left':0,'files_left':0},"
#define LIMITS        "'limits':{'processes':{'hits':2},'memory_bytes':{'hits':0},'wall_ms':{}},"
#define DENIALS       "'denials':[{'class':'network','what':'socket(AF_INET)','count':1}],"
#define STREAMS       "'stdout':{'text':'out','bytes':3},'stderr':{'text':'','bytes':0},"
#define EXITED(n)     "'ending':{'kind':'exited','exit_code':" n ",'signal':null,'limit':null}"
#define GOOD          "{" RECEIPT_HEAD PROTECTED CLEAN LIMITS DENIALS STREAMS EXITED("0") "}"
#define REACHED       "{" RECEIPT_HEAD PROTECTED CLEAN LIMITS DENIALS STREAMS EXITED("10") "}"
#define WITH(receipt) "{'receipts':[" receipt "],'fds_before':9,'fds_after':9}"
#define LATE_WITH(more)                                                                                                \
    WITH("{" RECEIPT_HEAD PROTECTED CLEAN LIMITS DENIALS STREAMS more                                                  \
         "'ending':{'kind':'limit','exit_code':null,'signal':null,'limit':'wall'}}")
#define LATE           LATE_WITH("")
#define HELD_ANSWER    WITH(GOOD)
#define REACHED_ANSWER WITH(REACHED)

#define HEAD  "group: kernel\nwhat: w\nproves: [pid_ns]\n"
#define BARE  HEAD "control: bare\n"
#define NONE  HEAD "control: none\ncontrol_why: w\n"
#define KNOWN NONE "residual: the kernel says so\n"

struct fact {
    const char *expect, *answer, *sibling;
    const char *outside, *residue, *terminal; /* NULL: nothing */
    const char *unstaged, *unproven;
    bool hung, killed;
    int status;
    unsigned pace; /* 0: as usual */
    struct {
        bool tried, hung, crowded;
        const char *ending, *evidence, *line, *failed;
    } control;
};

static const struct {
    struct fact fact;
    enum drill_result result;
    const char *reason; /* the first one; NULL: none */
} rows[] = {
    {{NONE, HELD_ANSWER}, DRILL_HELD, NULL},
    {{NONE, REACHED_ANSWER}, DRILL_RED, "the attack succeeded"},
    {{KNOWN, REACHED_ANSWER}, DRILL_RESIDUAL, "the kernel says so"},
    {{KNOWN, HELD_ANSWER}, DRILL_HELD, NULL},
    /* endings */
    {{NONE, WITH("{" RECEIPT_HEAD PROTECTED CLEAN LIMITS DENIALS STREAMS EXITED("3") "}")},
     DRILL_RED,
     "ended: exited 3, expected: exited 0"},
    {{NONE "expect: {ending: [limit wall, denied]}\n", HELD_ANSWER},
     DRILL_RED,
     "ended: exited 0, expected: limit wall or denied"},
    {{NONE "expect: {ending: limit wall}\n",
      WITH("{" RECEIPT_HEAD PROTECTED CLEAN LIMITS DENIALS STREAMS
           "'ending':{'kind':'limit','exit_code':null,'signal':null,'limit':'wall'}}")},
     DRILL_HELD,
     NULL},
    {{NONE "expect: {ending: signaled 9}\n",
      WITH("{" RECEIPT_HEAD PROTECTED CLEAN LIMITS DENIALS STREAMS
           "'ending':{'kind':'signaled','exit_code':null,'signal':9,'limit':null}}")},
     DRILL_HELD,
     NULL},
    {{NONE,
      WITH("{" RECEIPT_HEAD CLEAN LIMITS DENIALS STREAMS "'protections':{},'ending':{'kind':'setup-error','detail':"
           "'own_root: cannot be mounted'}}")},
     DRILL_RED,
     "ended: setup-error, expected: exited 0; because own_root: cannot be mounted"},
    {{NONE, "{'refused':'not here','receipts':[]}"}, DRILL_RED, "ended: refused, expected: exited 0; because not here"},
    {{NONE "expect: {ending: refused}\n", "{'refused':'no','receipts':[]}"}, DRILL_HELD, NULL},
    {{NONE, NULL}, DRILL_RED, "ended: lost, expected: exited 0"},
    {{NONE, "[]"}, DRILL_RED, "ended: lost, expected: exited 0"},
    {{NONE, NULL, .hung = true}, DRILL_RED, "ended: hung, expected: exited 0"},
    {{NONE "outside: [kill-supervisor]\n", NULL, .killed = true}, DRILL_HELD, NULL},
    {{NONE "outside: [kill-supervisor]\n", HELD_ANSWER}, DRILL_RED, "ended: exited 0, expected: killed"},
    /* the receipt */
    {{NONE, WITH("{" PROTECTED CLEAN LIMITS DENIALS STREAMS EXITED("0") "}")}, DRILL_RED, "the receipt has no schema"},
    {{NONE, WITH("{" RECEIPT_HEAD PROTECTED LIMITS DENIALS STREAMS EXITED("0") "}")},
     DRILL_RED,
     "the receipt has no teardown"},
    {{NONE, WITH("{" RECEIPT_HEAD PROTECTED LIMITS DENIALS STREAMS
                 "'teardown':{'processes_left':0,'cgroups_left':1,'mounts_left':0,'files_left':0}," EXITED("0") "}")},
     DRILL_RED,
     "the receipt's cgroups_left is not zero"},
    {{NONE, WITH("{" RECEIPT_HEAD CLEAN LIMITS DENIALS STREAMS
                 "'protections':{'requested':['a','b'],'achieved':['a'],'missing':[]}," EXITED("0") "}")},
     DRILL_RED,
     "ran without the protection b"},
    {{NONE "expect: {ending: setup-error}\n",
      WITH("{" RECEIPT_HEAD CLEAN LIMITS DENIALS STREAMS
           "'protections':{'requested':['a'],'achieved':[],'missing':[]},'ending':{'kind':'setup-error'}}")},
     DRILL_HELD,
     NULL},
    {{NONE, "{'receipts':[" GOOD "],'fds_before':9,'fds_after':10}"},
     DRILL_RED,
     "the supervisor has 10 descriptors, 9 before"},
    {{NONE, HELD_ANSWER, .status = 99 << 8}, DRILL_RED, "the supervisor exited with 99"},
    {{NONE, HELD_ANSWER, .status = 11}, DRILL_RED, "the supervisor died of 11"},
    {{BARE, NULL, .status = -1, .control = {true, .ending = "exited 77"}}, DRILL_RED, "ended: lost"},
    {{NONE, "{'receipts':[" GOOD "],'error':'no memory'}"}, DRILL_RED, "the supervisor failed: no memory"},
    /* what must be in it */
    {{NONE "expect: {denials: [\"network socket(AF_INET)\", \"network sock*\", \"*\x20x*\"]}\n", HELD_ANSWER},
     DRILL_RED,
     "the denial \"* x*\" is not in the receipt"},
    {{NONE "expect: {denials: [\"network socket(AF_INET)\", \"network sock*\"]}\n", HELD_ANSWER}, DRILL_HELD, NULL},
    {{NONE "expect: {denials: [\"network socket\"]}\n", HELD_ANSWER},
     DRILL_RED,
     "the denial \"network socket\" is not in the receipt"},
    {{NONE "expect: {hits: [processes]}\n", HELD_ANSWER}, DRILL_HELD, NULL},
    {{NONE "expect: {hits: [memory_bytes]}\n", HELD_ANSWER}, DRILL_RED, "the limit memory_bytes was not met"},
    {{NONE "expect: {hits: [wall_ms]}\n", HELD_ANSWER}, DRILL_RED, "the limit wall_ms was not met"},
    {{NONE "expect: {stdout: out, stdout_bytes: 3, stderr_bytes: 0}\n", HELD_ANSWER}, DRILL_HELD, NULL},
    {{NONE "expect: {stdout: ou}\n", HELD_ANSWER}, DRILL_RED, "stdout is not what was expected"},
    {{NONE "expect: {stderr_bytes: 1}\n", HELD_ANSWER}, DRILL_RED, "stderr has 0 bytes, expected: 1"},
    /* what must not come out */
    {{NONE, WITH("{" RECEIPT_HEAD PROTECTED CLEAN LIMITS DENIALS "'stdout':{'text':'x" NONCE
                 "','bytes':33},'stderr':{'text':''}," EXITED("0") "}")},
     DRILL_RED,
     "the secret came out on stdout"},
    {{KNOWN, WITH("{" RECEIPT_HEAD PROTECTED CLEAN LIMITS DENIALS "'stderr':{'text':'" NONCE
                  "','bytes':32},'stdout':{'text':''}," EXITED("10") "}")},
     DRILL_RED,
     "the secret came out on stderr"},
    {{NONE,
      WITH("{" RECEIPT_HEAD PROTECTED CLEAN LIMITS DENIALS STREAMS EXITED("0") ",'effects':[{'of':['a " NONCE "']}]}")},
     DRILL_RED,
     "the secret stands in the receipt's effects"},
    {{NONE, HELD_ANSWER, .terminal = "say " NONCE}, DRILL_RED, "the secret came out on the terminal"},
    {{NONE, HELD_ANSWER, .terminal = "say"}, DRILL_HELD, NULL},
    /* around it */
    {{NONE, HELD_ANSWER, .outside = "the victim was killed"}, DRILL_RED, "the victim was killed"},
    {{KNOWN, REACHED_ANSWER, .outside = "the victim was killed"}, DRILL_RED, "the victim was killed"},
    {{NONE, HELD_ANSWER, .residue = "1 process of the run lives"}, DRILL_RED, "1 process of the run lives"},
    {{NONE "outside: [sibling]\n", HELD_ANSWER, HELD_ANSWER}, DRILL_HELD, NULL},
    {{NONE "outside: [sibling]\n", HELD_ANSWER, REACHED_ANSWER},
     DRILL_RED,
     "the harmless run beside it ended: exited 10"},
    {{NONE "outside: [sibling]\n", HELD_ANSWER, LATE}, DRILL_RED, "the harmless run beside it ended: limit wall"},
    {{NONE "outside: [sibling]\n", HELD_ANSWER, LATE, .pace = 20}, DRILL_SKIP, "the harmless run beside it ended"},
    {{NONE "outside: [sibling]\n", HELD_ANSWER, NULL}, DRILL_RED, "the harmless run beside it ended: lost"},
    /* two runs */
    {{NONE "outside: [second-run]\n", WITH(GOOD "," GOOD)}, DRILL_HELD, NULL},
    {{NONE "outside: [second-run]\n", WITH(GOOD "," REACHED)}, DRILL_RED, "the attack succeeded"},
    {{NONE "outside: [second-run]\n", WITH(GOOD)}, DRILL_RED, "ended: lost, expected: exited 0"},
    /* control */
    {{BARE, HELD_ANSWER, .control = {true, .ending = "exited 10"}}, DRILL_HELD, NULL},
    {{BARE, HELD_ANSWER, .control = {true, .ending = "exited 0", .evidence = "the victim was stopped"}},
     DRILL_HELD,
     NULL},
    {{BARE, HELD_ANSWER, .control = {true, .ending = "exited 1"}}, DRILL_RED, "its control did not work: it ended exi"},
    {{BARE, HELD_ANSWER, .control = {true}}, DRILL_RED, "its control did not work: it ended lost"},
    {{BARE, HELD_ANSWER, .control = {true, .hung = true}}, DRILL_RED, "its control did not end in time"},
    {{BARE, HELD_ANSWER, .control = {true, .crowded = true}}, DRILL_RED, "its control made too many processes"},
    {{BARE, HELD_ANSWER, .control = {true, .failed = "no fork"}}, DRILL_RED, "its control could not be run: no fork"},
    {{BARE, HELD_ANSWER, .control = {true, .ending = "exited 77", .line = "no module"}},
     DRILL_SKIP,
     "cannot be staged here: no module"},
    {{BARE, HELD_ANSWER, .control = {true, .ending = "exited 77"}},
     DRILL_SKIP,
     "cannot be staged here: no reason given"},
    /* a machine that is too slow for a row shows nothing by it; a breach is one there too */
    {{NONE, LATE, .pace = 2}, DRILL_RED, "ended: limit wall, expected: exited 0"},
    {{NONE, LATE, .pace = 3},
     DRILL_SKIP,
     "too slow to say, at 3 times the usual time: ended: limit wall, expected: exited 0"},
    {{NONE, LATE_WITH("'protections':{'requested':['cgroup'],'achieved':['cgroup']},'usage':{'processes_peak':0},"),
      .pace = 20},
     DRILL_RED,
     "its control group has counted no process"},
    {{NONE, LATE_WITH("'protections':{'requested':['cgroup'],'achieved':['cgroup']},'usage':{'processes_peak':1},"),
      .pace = 20},
     DRILL_SKIP,
     "too slow to say"},
    {{NONE, LATE_WITH("'protections':{'requested':['cgroup'],'achieved':['cgroup']},'usage':{'processes_peak':null},"),
      .pace = 20},
     DRILL_SKIP,
     "too slow to say"},
    {{NONE, LATE_WITH("'protections':{'requested':[],'achieved':[]},'usage':{'processes_peak':0},"), .pace = 20},
     DRILL_SKIP,
     "too slow to say"},
    {{NONE "expect: {hits: [memory_bytes]}\n", LATE, .pace = 20}, DRILL_SKIP, "too slow to say, at 20 times"},
    {{NONE, LATE, .pace = 20, .residue = "1 process of the run lives"}, DRILL_RED, "1 process of the run lives"},
    {{NONE, REACHED_ANSWER, .pace = 20}, DRILL_RED, "the attack succeeded"},
    {{NONE, NULL, .pace = 20, .hung = true}, DRILL_RED, "ended: hung, expected: exited 0"},
    {{NONE "expect: {ending: limit wall}\n", LATE, .pace = 20}, DRILL_HELD, NULL},
    {{BARE, HELD_ANSWER, .pace = 20, .control = {true, .hung = true}},
     DRILL_SKIP,
     "too slow to say, at 20 times the usual time: its control did not end in time"},
    {{BARE, HELD_ANSWER, .pace = 20, .control = {true, .ending = "exited 1"}}, DRILL_RED, "its control did not work"},
    /* a miss is nothing where it cannot be staged; a breach is one everywhere */
    {{BARE "expect: {ending: denied}\n", HELD_ANSWER, .control = {true, .ending = "exited 77", .line = "l"}},
     DRILL_SKIP,
     "cannot be staged here: l"},
    {{BARE, REACHED_ANSWER, .control = {true, .ending = "exited 77", .line = "l"}}, DRILL_RED, "the attack succeeded"},
    {{BARE, HELD_ANSWER, .unproven = "its control needs root"}, DRILL_SKIP, "its control needs root"},
    {{BARE "expect: {ending: denied}\n", HELD_ANSWER, .unproven = "its control needs root"},
     DRILL_RED,
     "ended: exited 0, expected: denied"},
    {{BARE, NULL, .unstaged = "memory_bytes cannot be enforced here"}, DRILL_SKIP, "memory_bytes cannot be enforced"},
};

static json_t *read_answer(const char *text)
{
    char copy[4096];
    json_t *json = NULL;

    if (!text)
        return NULL;
    (void)snprintf(copy, sizeof(copy), "%s", text);
    for (char *c = copy; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json = json_loads(copy, 0, NULL);
    if (!json)
        fail_msg("not JSON: %s", copy);
    return json;
}

static void put(char *text, size_t text_bytes, const char *from)
{
    (void)snprintf(text, text_bytes, "%s", from ? from : "");
}

static void put_word(struct drill_words *words, const char *text)
{
    if (text)
        assert_true(drill_words_add(words, text));
}

static void put_control(const struct fact *fact, struct drill_trial *trial)
{
    trial->tried = fact->control.tried;
    trial->hung = fact->control.hung;
    trial->crowded = fact->control.crowded;
    put_word(&trial->endings, fact->control.ending);
    put_word(&trial->evidence, fact->control.evidence);
    put(trial->last_line, sizeof(trial->last_line), fact->control.line);
    put(trial->failed, sizeof(trial->failed), fact->control.failed);
}

static void judge(const struct fact *fact, struct drill_verdict *verdict)
{
    AUTO_POLICY struct policy base = {0};
    AUTO_EXPECT struct drill_expect expect = {0};
    AUTO_JSON json_t *answer = read_answer(fact->answer), *sibling = read_answer(fact->sibling);
    AUTO_BUF struct base_buf terminal = {0};
    struct drill_facts facts = {.expect = &expect,
                                .nonce = NONCE,
                                .pace = fact->pace ? fact->pace : 1,
                                .answer = answer,
                                .sibling = sibling,
                                .hung = fact->hung,
                                .killed = fact->killed,
                                .status = fact->status};
    struct base_err err = {0};

    assert_int_equal(policy_builtin("default", &base, NULL), 0);
    if (drill_expect_parse(fact->expect, strlen(fact->expect), "p", &base, &expect, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    put_word(&facts.outside, fact->outside);
    put_word(&facts.residue.faults, fact->residue);
    put(facts.unstaged, sizeof(facts.unstaged), fact->unstaged);
    put(facts.unproven, sizeof(facts.unproven), fact->unproven);
    put_control(fact, &facts.control);
    if (fact->terminal) {
        assert_int_equal(base_buf_text(&terminal, fact->terminal), 0);
        facts.terminal = &terminal;
    }
    drill_judge(&facts, verdict);
    drill_words_release(&facts.outside);
    drill_residue_release(&facts.residue);
    drill_words_release(&facts.control.endings);
    drill_words_release(&facts.control.evidence);
}

static void every_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        CLEANUP(drill_verdict_release) struct drill_verdict verdict = {.result = DRILL_RESULT_MAX};
        const char *reason;

        judge(&rows[i].fact, &verdict);
        reason = verdict.reasons.count ? verdict.reasons.items[0] : "";
        if (verdict.result != rows[i].result || !strstr(reason, rows[i].reason ? rows[i].reason : "") ||
            (!rows[i].reason && *reason))
            fail_msg("row %zu: %s, because \"%s\"", i, drill_result_name(verdict.result), reason);
    }
}

static void breaches_come_first_and_once(void **state)
{
    const struct fact fact = {NONE "outside: [second-run]\nexpect: {stdout: x}\n", WITH(REACHED "," REACHED),
                              .residue = "something stays"};
    CLEANUP(drill_verdict_release) struct drill_verdict verdict = {.result = DRILL_RESULT_MAX};

    (void)state;
    judge(&fact, &verdict);
    assert_int_equal(verdict.reasons.count, 3);
    assert_string_equal(verdict.reasons.items[0], "the attack succeeded");
    assert_string_equal(verdict.reasons.items[1], "something stays");
    assert_string_equal(verdict.reasons.items[2], "stdout is not what was expected");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reason),
        cmocka_unit_test(breaches_come_first_and_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
