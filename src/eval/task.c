/* task.c - a task set: loaded whole, each task checked, before anything runs */

#include "eval/task.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "eval/odd.h"
#include "eval/records.h"
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* Beside its texts and values: the struct, its blocks, and what it is found by. */
#define TASK_BYTES 640
#define CASE_BYTES 208

static bool is_chosen(const char *id, const char *const *ids, size_t id_count)
{
    for (size_t i = 0; i < id_count; i++)
        if (fnmatch(ids[i], id, 0) == 0) /* '*' matches '/' too: ids are no paths */
            return true;
    return id_count == 0;
}

static int no_memory(const char *place, struct base_err *err)
{
    return base_err_set(err, BASE_E_NOMEM, place, "out of memory");
}

static int grow(struct eval_tasks *tasks, const char *place, struct base_err *err)
{
    size_t capacity = tasks->capacity ? 2 * tasks->capacity : 64;
    struct eval_task *items;

    if (tasks->count < tasks->capacity)
        return 0;
    items = reallocarray(tasks->items, capacity, sizeof(*items));
    if (!items)
        return no_memory(place, err);
    tasks->items = items;
    tasks->capacity = capacity;
    return 0;
}

static int index_name(json_t *index, const char *name, long at, const char *place, struct base_err *err)
{
    if (json_object_set_new(index, name, json_integer(at)) == 0)
        return 0;
    if (base_json_is_utf8(name, strlen(name)))
        return no_memory(place, err);
    return base_err_set(err, BASE_E_INVALID, place, "its id or prompt is not UTF-8 text");
}

/* Two tasks may share a prompt; candidates that name only the prompt then name neither. */
static int index_prompt(struct eval_tasks *tasks, const struct eval_task *task, const char *place, struct base_err *err)
{
    bool shared;

    if (!task->prompt.bytes || strlen(task->prompt.bytes) != task->prompt.count)
        return 0;
    shared = json_object_get(tasks->by_prompt, task->prompt.bytes) != NULL;
    return index_name(tasks->by_prompt, task->prompt.bytes, shared ? -1 : (long)tasks->count, place, err);
}

static int add_task(struct eval_tasks *tasks, struct eval_task *task, const char *place, struct base_err *err)
{
    int r = grow(tasks, place, err);

    if (r < 0)
        return r;
    if (json_object_get(tasks->by_id, task->id))
        return base_err_set(err, BASE_E_INVALID, place, "task \"%s\": an earlier task has the same id", task->id);
    r = index_name(tasks->by_id, task->id, (long)tasks->count, place, err);
    if (r == 0)
        r = index_prompt(tasks, task, place, err);
    if (r < 0)
        return r;
    tasks->chosen += task->chosen;
    tasks->items[tasks->count++] = *task;
    *task = (struct eval_task){0}; /* given away */
    return 0;
}

static int hash_task(struct base_hash *hash, const json_t *json, bool first, const char *place, struct base_err *err)
{
    AUTO_BUF struct base_buf text = {0};
    int r = base_json_canonical(json, &text);

    if (r < 0)
        return base_err_set(err, r, place, "the task is too large");
    base_hash_update(hash, first ? "[" : ",", 1);
    base_hash_update(hash, text.bytes, text.count);
    return 0;
}

struct choice {
    const char *const *ids;
    size_t count;
};

/* What a task takes for as long as the evaluation lasts, at most; @memory: its object as a tree, of which a call's
 * arguments and expected values stay. */
static size_t kept_bytes(const struct eval_task *task, size_t memory)
{
    size_t texts = task->canonical.count + task->tests.count + task->given.count + task->expect.count;

    if (task->kind == EVAL_CALL)
        texts += memory + task->case_count * CASE_BYTES;
    return TASK_BYTES + 2 * task->prompt.count + texts; /* by its prompt it can be found, too */
}

static int too_large(const char *place, struct base_err *err)
{
    (void)base_err_set(err, BASE_E_TOO_LARGE, place, "the tasks up to here take more than %zu MiB of memory",
                       EVAL_TASKS_MAX_MEMORY >> 20);
    return base_err_remedy(err, "split the task set");
}

/* A set that is too large is refused at the object with which it becomes so. */
static int next_object(const struct eval_tasks *tasks, struct eval_records *records, json_t **ret_json,
                       struct base_err *err)
{
    size_t left = EVAL_TASKS_MAX_MEMORY - tasks->kept_bytes;
    char place[sizeof(err->place)];
    int r;

    eval_records_bound_memory(records, left);
    r = eval_records_next(records, ret_json, err);
    if (r != BASE_E_TOO_LARGE || eval_records_memory(records) <= left)
        return r;
    memcpy(place, err->place, sizeof(place));
    return too_large(place, err);
}

static int count_kept(struct eval_tasks *tasks, const struct eval_task *task, size_t memory, const char *place,
                      struct base_err *err)
{
    tasks->kept_bytes += kept_bytes(task, memory);
    return tasks->kept_bytes <= EVAL_TASKS_MAX_MEMORY ? 0 : too_large(place, err);
}

static int load_one(struct eval_tasks *tasks, struct eval_records *records, const struct choice *choice,
                    struct base_hash *hash, struct base_err *err)
{
    AUTO_JSON json_t *json = NULL, *odd = NULL;
    CLEANUP(eval_task_release) struct eval_task task = {0};
    const char *place;
    int r = next_object(tasks, records, &json, err);

    if (r <= 0)
        return r;
    place = eval_records_place(records);
    if (eval_records_is_odd(records) && eval_odd_settle(json, &odd) < 0)
        return no_memory(place, err);
    r = eval_task_parse(json, odd, place, &task, err);
    if (r < 0)
        return r;
    task.line = eval_records_line(records);
    task.chosen = is_chosen(task.id, choice->ids, choice->count);
    if (task.chosen)
        r = hash_task(hash, json, tasks->chosen == 0, place, err);
    if (r >= 0)
        r = count_kept(tasks, &task, eval_records_memory(records), place, err);
    if (r >= 0)
        r = add_task(tasks, &task, place, err);
    return r < 0 ? r : 1;
}

static int load_all(const char *path, const struct choice *choice, struct eval_tasks *tasks, struct base_err *err)
{
    AUTO_RECORDS struct eval_records *records = NULL;
    const struct eval_records_bound bound = {EVAL_TASK_MAX_BYTES, EVAL_TASKS_MAX_MEMORY, false};
    struct base_hash hash;
    int r = eval_records_open(path, bound, &records, err);

    base_hash_init(&hash);
    if (r < 0)
        return r;
    do
        r = load_one(tasks, records, choice, &hash, err);
    while (r > 0);
    if (r < 0)
        return r;
    if (tasks->count == 0)
        return base_err_set(err, BASE_E_INVALID, path, "holds no task");
    if (tasks->chosen == 0)
        return base_err_set(err, BASE_E_USAGE, "--ids", "none of the %zu tasks has such an id", tasks->count);
    base_hash_update(&hash, "]", 1);
    base_hash_hex(&hash, tasks->sha256);
    return 0;
}

int eval_tasks_load(const char *path, const char *const *ids, size_t id_count, struct eval_tasks *ret_tasks,
                    struct base_err *err)
{
    struct eval_tasks tasks = {.by_id = json_object(), .by_prompt = json_object()};
    struct choice choice = {ids, id_count};
    int r = tasks.by_id && tasks.by_prompt ? load_all(path, &choice, &tasks, err) : no_memory(path, err);

    if (r < 0) {
        eval_tasks_release(&tasks);
        return r;
    }
    *ret_tasks = tasks;
    return 0;
}

void eval_tasks_release(struct eval_tasks *tasks)
{
    for (size_t i = 0; i < tasks->count; i++)
        eval_task_release(&tasks->items[i]);
    free(tasks->items);
    json_decref(tasks->by_id);
    json_decref(tasks->by_prompt);
    *tasks = (struct eval_tasks){0};
}

static long lookup(const struct eval_tasks *tasks, const char *id)
{
    const json_t *index = json_object_get(tasks->by_id, id);
    return index ? (long)json_integer_value(index) : -1;
}

static bool all_digits(const char *text)
{
    size_t n = strspn(text, "0123456789");
    return n > 0 && n < 20 && text[n] == '\0';
}

long eval_tasks_find(const struct eval_tasks *tasks, const json_t *id)
{
    char text[32], full[64];
    const char *name = json_string_value(id);
    long found;

    if (json_is_integer(id)) {
        (void)snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(id));
        name = text;
    }
    if (!name || (json_is_string(id) && strlen(name) != json_string_length(id))) /* no task's id has a NUL */
        return -1;
    found = lookup(tasks, name);
    if (found >= 0 || !all_digits(name))
        return found;
    (void)snprintf(full, sizeof(full), "MBPP/%s", name);
    return lookup(tasks, full);
}
