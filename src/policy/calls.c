/* calls.c - sets of system calls: found by name, read from a list */
#include "base/cleanup.h"
#include "base/doc.h"
#include "base/near.h"
#include "policy/profile.h"
#include <stdlib.h>
#include <string.h>

static int by_name(const void *name, const void *call)
{
    return strcmp(name, ((const struct policy_call *)call)->name);
}

int policy_call_find(const char *name)
{
    const struct policy_call *call = bsearch(name, policy_calls, policy_call_count, sizeof(*call), by_name);

    return call ? (int)(call - policy_calls) : -1;
}

static int unknown_call(const struct base_doc *doc, const char *place, struct base_err *err)
{
    struct base_near near = {.word = doc->text};
    char guess[64];

    (void)base_doc_err(doc, place, err, "unknown system call \"%s\"", doc->text);
    for (unsigned i = 0; i < policy_call_count; i++)
        base_near_offer(&near, policy_calls[i].name);
    (void)base_err_remedy(err, "%sfumehood policy explain --syscalls lists them",
                          base_near_text(&near, guess, sizeof(guess)));
    return BASE_E_INVALID;
}

static int denied_call(const struct base_doc *doc, const char *place, struct base_err *err)
{
    (void)base_doc_err(doc, place, err, "%s is denied by the default", doc->text);
    (void)base_err_remedy(err, "a profile only narrows the default: leave it out");
    return BASE_E_INVALID;
}

int policy_set_read(const struct base_doc *doc, const char *place, struct policy_set *set, struct base_err *err)
{
    for (const struct base_doc *child = doc->child; child; child = child->next) {
        int index;

        if (child->kind != BASE_DOC_SCALAR)
            return base_doc_err(child, place, err, "%s holds something that is not a name", doc->key);
        index = policy_call_find(child->text);
        if (index < 0)
            return unknown_call(child, place, err);
        if (policy_calls[index].grant == POLICY_CALL_DENIED)
            return denied_call(child, place, err);
        if (policy_set_has(set, (unsigned)index))
            return base_doc_err(child, place, err, "%s is listed twice", child->text);
        policy_set_add(set, (unsigned)index);
    }
    return 0;
}

const char *policy_set_lacks(const struct policy_set *set)
{
    static const char *const needed[] = {"execve", "exit_group"};

    for (size_t i = 0; i < ARRAY_COUNT(needed); i++)
        if (!policy_set_has(set, (unsigned)policy_call_find(needed[i])))
            return needed[i];
    return NULL;
}
