/* order.c - what the cage's first process is told: written into shared memory, handed over with its descriptors
 *
 * Runs in: the supervisor. The first process reads the copy only (order_child.c): it was made before any of this was
 * known, and has none of the supervisor's later memory.
 */
#include "base/cleanup.h"
#include "base/file.h"
#include "cage/child.h"
#include "cage/compile.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- room in the shared memory, handed out from its start; NULL when it is used up --- */

struct room {
    char *at;
    size_t left;
};

static void *take(struct room *room, size_t bytes)
{
    size_t rounded = (bytes + 15) & ~(size_t)15;
    void *taken = room->at;

    if (rounded < bytes || rounded > room->left)
        return NULL;
    room->at += rounded;
    room->left -= rounded;
    return taken;
}

static char *take_text(struct room *room, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = take(room, bytes);

    return copy ? memcpy(copy, text, bytes) : NULL;
}

static char **take_texts(struct room *room, char *const *texts)
{
    size_t count = 0;
    char **copies;

    while (texts[count])
        count++;
    copies = take(room, (count + 1) * sizeof(*copies));
    for (size_t i = 0; copies && i < count; i++)
        if (!(copies[i] = take_text(room, texts[i])))
            return NULL;
    if (copies)
        copies[count] = NULL;
    return copies;
}

/* More than this goes through a descriptor, which is dearer and has no limit. */
#define FILE_BYTES 65536

static bool goes_along(const struct cage_file *file)
{
    return file->count <= FILE_BYTES;
}

static struct cage_file *take_files(struct room *room, const struct cage_guest *guest)
{
    struct cage_file *copies = take(room, guest->file_count * sizeof(*copies));

    for (size_t i = 0; copies && i < guest->file_count; i++) {
        copies[i] = (struct cage_file){.count = guest->files[i].count, .mode = guest->files[i].mode};
        if (!(copies[i].path = take_text(room, guest->files[i].path)))
            return NULL;
        void *bytes = goes_along(&guest->files[i]) ? take(room, copies[i].count + 1) : NULL;
        if (bytes && copies[i].count > 0) /* those of an empty one may be nowhere */
            memcpy(bytes, guest->files[i].bytes, copies[i].count);
        copies[i].bytes = bytes;
    }
    return copies;
}

/* --- the filter, where it is not the default's --- */

static struct cage_numbers kept_numbers(const struct policy *policy)
{
    const struct policy_set allowed = policy_allowed(policy);
    struct cage_numbers numbers = {0};

    for (unsigned i = 0; i < cage_call_count; i++)
        if (policy_set_has(&allowed, (unsigned)policy_call_find(cage_calls[i].name)))
            cage_numbers_add(&numbers, cage_calls[i].nr);
    return numbers;
}

static int compile(const struct cage_wish *wish, struct sock_filter *code, unsigned *ret_count, struct base_err *err)
{
    int count = cage_compile(cage_calls, cage_call_count, wish, code);

    if (count < 0)
        return base_err_sys(err, BASE_E_INTERNAL, -count, "syscalls", "the filter cannot be made");
    *ret_count = (unsigned)count;
    return 0;
}

static struct cage_numbers noticed_numbers(const struct cage_guest *guest)
{
    struct cage_numbers noticed = cage_observe_noticed(guest->plan->policy->observe);
    const struct cage_numbers learned = cage_learn_noticed();

    for (size_t i = 0; i < ARRAY_COUNT(noticed.bits) && guest->learn; i++)
        noticed.bits[i] |= learned.bits[i];
    return noticed;
}

/* Where more is to be known than what is denied, the filter that decides is asked by the first process, and the one
 * that is loaded notifies more. */
static int write_noticing(struct cage_shared *shared, const struct cage_guest *guest, struct cage_wish *wish,
                          struct base_err *err)
{
    const struct cage_numbers noticed = noticed_numbers(guest);
    const struct cage_order *order = &shared->order;
    const void *const first_exec[] = {order->argv[0], order->argv, order->envp};
    struct cage_terms *terms = &shared->terms;

    terms->judge = terms->filter;
    terms->judge_count = terms->filter_count;
    terms->learn = guest->learn;
    terms->observe = guest->plan->policy->observe;
    wish->noticed = &noticed;
    wish->first_exec = first_exec;
    terms->filter = shared->filters[1];
    return compile(wish, shared->filters[1], &terms->filter_count, err);
}

static int write_filter(struct cage_shared *shared, const struct cage_guest *guest, struct base_err *err)
{
    const struct policy *policy = guest->plan->policy;
    bool notices = guest->learn || policy->observe;
    struct cage_terms *terms = &shared->terms;
    int r;

    if (policy->syscalls.by_runtime)
        return base_err_set(err, BASE_E_INTERNAL, "syscalls", "it is not settled which profile it is");
    if (!policy->syscalls.narrowed && !notices)
        return 0; /* the default's, as it was built */
    terms->kept = kept_numbers(policy);
    struct cage_wish wish = {.loopback = policy->network == POLICY_NETWORK_LOOPBACK, .kept = &terms->kept};
    terms->filter = shared->filters[0];
    r = compile(&wish, shared->filters[0], &terms->filter_count, err);
    return r < 0 || !notices ? r : write_noticing(shared, guest, &wish, err);
}

/* The order before: what is noticed includes its exec. */
static int write_terms(struct cage_shared *shared, const struct cage_guest *guest, struct base_err *err)
{
    const struct cage_plan *plan = guest->plan;
    struct cage_terms *terms = &shared->terms;

    memset(terms, 0, sizeof(*terms)); /* a keeper's shared memory has seen others before */
    terms->requested = plan->requested;
    memcpy(terms->limits, plan->policy->limits, sizeof(terms->limits));
    memcpy(terms->uses_cgroup, plan->uses_cgroup, sizeof(terms->uses_cgroup));
    terms->network = plan->policy->network;
    terms->denied_calls = policy_denied_calls(plan->policy);
    return write_filter(shared, guest, err);
}

static int write_order(struct cage_shared *shared, const struct cage_guest *guest, struct base_err *err)
{
    struct room room = {shared->room, sizeof(shared->room)};
    struct cage_order *order = &shared->order;

    memset(order, 0, sizeof(*order));
    order->argv = take_texts(&room, guest->argv);
    order->envp = take_texts(&room, guest->envp);
    order->files = take_files(&room, guest);
    order->file_count = guest->file_count;
    order->has_mark = guest->mark_fd >= 0;
    for (size_t i = 0; order->files && i < order->file_count; i++)
        order->has_files = order->has_files || !order->files[i].bytes;
    order->from_zygote = guest->from_zygote;
    if (!order->argv || !order->envp || !order->files)
        return base_err_set(err, BASE_E_TOO_LARGE, "arguments", "and environment are more than %u bytes",
                            CAGE_ORDER_BYTES);
    return shared->ahead ? 0 : write_terms(shared, guest, err);
}

/* --- the files' bytes, one after the other --- */

/* *@ret_fd stays as it is where all went along. */
static int write_files(const struct cage_guest *guest, const struct cage_order *order, int *ret_fd,
                       struct base_err *err)
{
    AUTO_CLOSE int fd = -1;
    int r;

    if (!order->has_files)
        return 0;
    fd = memfd_create("files", MFD_CLOEXEC);
    r = fd < 0 ? -errno : 0;
    for (size_t i = 0; i < guest->file_count && r == 0; i++)
        if (!order->files[i].bytes)
            r = base_file_put_all(fd, guest->files[i].bytes, guest->files[i].count);
    if (r < 0)
        return base_err_sys(err, BASE_E_SETUP, -r, "files", "cannot be handed to the cage");
    *ret_fd = TAKE_FD(fd);
    return 0;
}

/* --- a zygote's command --- */

int cage_order_zygote(struct cage_shared *shared, const struct cage_zygote *zygote, struct base_err *err)
{
    struct room room = {shared->room, sizeof(shared->room)};

    if (!zygote)
        return 0;
    shared->zygote.envp = take_texts(&room, zygote->envp);
    shared->zygote.argv = take_texts(&room, zygote->argv);
    if (!shared->zygote.envp || !shared->zygote.argv)
        return base_err_set(err, BASE_E_TOO_LARGE, "zygote", "its command is more than %u bytes", CAGE_ORDER_BYTES);
    return 0;
}

static int put_limits(struct cage *cage, const struct cage_guest *guest, struct base_err *err)
{
    int r =
        cage->keeper ? cage_keeper_limit(cage->keeper, guest, err) : cage_cgroup_limit(&cage->cgroup, guest->plan, err);

    if (r == 0 && cage->keeper)
        memcpy(cage->cgroup.held, cage->keeper->cage.cgroup.held, sizeof(cage->cgroup.held));
    return r;
}

int cage_start(struct cage *cage, const struct cage_guest *guest, struct base_err *err)
{
    AUTO_CLOSE int files_fd = -1;
    int r = cage_wait(cage, err);

    if (r == 0)
        r = put_limits(cage, guest, err);
    if (r == 0)
        r = write_order(cage->shared, guest, err);
    if (r == 0)
        r = write_files(guest, &cage->shared->order, &files_fd, err);
    if (r < 0)
        return r;
    int fds[CAGE_END_MAX] = {guest->stdin_fd, guest->stdout_fd, guest->stderr_fd};
    unsigned count = CAGE_END_MARK;
    if (cage->shared->order.has_mark)
        fds[count++] = guest->mark_fd;
    if (cage->shared->order.has_files)
        fds[count++] = files_fd;
    r = cage_line_send(cage->line_fd, CAGE_WORD_ORDER, fds, count);
    if (r < 0)
        return base_err_sys(err, BASE_E_SETUP, -r, "cage", "cannot be told what to run");
    if (!cage->keeper)
        cage_cgroup_open_counters(&cage->cgroup, false); /* from here on there is time */
    return 0;
}
