/* fuzz_eval_line.c - one candidate line from a model */
#include "base/json.h"
#include "eval/candidate.h"
#include "fuzz.h"
#include "judge/judge.h"
#include "stage/stage.h"
#include <stdlib.h>
#include <string.h>

static struct eval_tasks tasks;

static void make_tasks(void)
{
    tasks.count = 1;
    tasks.by_id = json_pack("{s:i}", "MBPP/7", 0);
    tasks.by_prompt = json_pack("{s:i, s:i}", "p", 0, "twice", -1);
    if (!tasks.by_id || !tasks.by_prompt)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    AUTO_JSON json_t *json = NULL;
    struct eval_line line;
    struct base_err err;

    if (!tasks.by_id)
        make_tasks();
    if (judge_value_parse((const char *)bytes, count, "seed", 1, &json, &err) < 0 || !json_is_object(json))
        return 0;
    if (eval_line_parse(json, "seed:1", &tasks, &line, &err) < 0)
        return 0;
    if (line.task > 0 || strnlen(line.example, sizeof(line.example)) == sizeof(line.example))
        abort();
    for (size_t i = 0; eval_line_code(&line, i); i++)
        if (!line.many && i > 0)
            abort();
    return 0;
}
