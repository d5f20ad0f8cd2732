/* fuzz_eval_result.c - a line of results.jsonl that somebody may have written into */
#include "base/json.h"
#include "eval/result.h"
#include "fuzz.h"
#include "judge/judge.h"
#include "run/run.h"
#include <stdlib.h>

static char id[] = "a", case_name[] = "x";
static struct eval_case cases[] = {{.name = case_name}};
static struct eval_task items[] = {{.id = id, .kind = EVAL_CALL, .cases = cases, .case_count = 1}};
static unsigned samples[] = {3};
static size_t first[] = {0};
static struct eval_tasks tasks = {.items = items, .count = 1};
static struct eval_ledger ledger = {.tasks = &tasks, .samples = samples, .first = first, .rows = 3};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    AUTO_JSON json_t *json = NULL;
    struct base_err err;
    enum judge_verdict verdict;
    size_t row;

    if (!tasks.by_id)
        tasks.by_id = json_pack("{s:i}", id, 0);
    if (judge_value_parse((const char *)bytes, count, "seed", 1, &json, &err) < 0)
        return 0;
    if (eval_result_parse(json, "seed:1", &ledger, &row, &verdict, &err) < 0)
        return 0;
    if (row >= ledger.rows || (unsigned)verdict >= JUDGE_VERDICT_MAX)
        abort();
    return 0;
}
