/* test_store.c - the output folder: lines whole or not at all, one writer, resume */
#include "sample.h"
#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>

static void add_result(struct receipt_store *store, int number)
{
    AUTO_JSON json_t *result = json_pack("{s:i}", "task", number);
    struct base_err err = {0};

    assert_int_equal(receipt_store_result(store, result, &err), 0);
}

static void add_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(fd), 0);
}

static void writes_lines(void **state)
{
    struct receipt_store *store = sample_store("a/b/out", false);
    struct base_err err = {0};
    char text[256];

    (void)state;
    add_result(store, 1);
    add_result(store, 2);
    sample_append(store, 1);
    assert_int_equal(receipt_store_sync(store, false, &err), 0);
    assert_int_equal(receipt_store_sync(store, true, &err), 0);
    receipt_store_close(store);
    support_read("a/b/out/results.jsonl", text, sizeof(text));
    assert_string_equal(text, "{\"task\":1}\n{\"task\":2}\n");
}

static void keeps_objects_once(void **state)
{
    struct receipt_store *store = sample_store("out", false);
    char sha256[BASE_HASH_HEX], path[128], text[16];
    struct base_err err = {0};

    (void)state;
    base_hash_bytes_hex("code", 4, sha256);
    (void)snprintf(path, sizeof(path), "out/objects/%s", sha256);
    assert_int_equal(receipt_store_object(store, sha256, "code", 4, &err), 0);
    assert_int_equal(receipt_store_object(store, sha256, "code", 4, &err), 0);
    support_read(path, text, sizeof(text));
    assert_string_equal(text, "code");
    receipt_store_close(store);
    support_write_text(path, "co"); /* torn by a crash: not the object */
    store = sample_store("out", false);
    assert_int_equal(receipt_store_object(store, sha256, "code", 4, &err), 0);
    support_read(path, text, sizeof(text));
    assert_string_equal(text, "code");
    assert_int_equal(support_count_entries("out/objects"), 1);
    assert_int_equal(receipt_store_object(store, "../../escape", "x", 1, &err), BASE_E_INTERNAL);
    receipt_store_close(store);
}

static void one_writer(void **state)
{
    struct receipt_store *store = sample_store("out", false), *second = NULL;
    struct base_err err = {0};

    (void)state;
    assert_int_equal(receipt_store_open("out", true, &second, &err), BASE_E_USAGE);
    assert_string_equal(err.what, "another run is writing to this folder");
    assert_null(second);
    assert_int_equal(access("out/.lock", F_OK), 0); /* the second has not taken it away */
    receipt_store_close(store);
    assert_int_equal(access("out/.lock", F_OK), -1);
    receipt_store_close(sample_store("out", true));
}

/* Who may read results must not be able to keep us from writing them. */
static void nobody_else_can_lock_it(void **state)
{
    struct receipt_store *store;
    int dir_fd, file_fd;
    struct stat st;

    (void)state;
    assert_int_equal(mkdir("out", 0755), 0);
    support_write_text("out/.lock", ""); /* left by one that was killed, and open to all since */
    assert_int_equal(chmod("out/.lock", 0666), 0);
    dir_fd = open("out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(dir_fd, LOCK_EX | LOCK_NB), 0);
    store = sample_store("out", false);
    assert_int_equal(stat("out/.lock", &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    file_fd = open("out/receipts.jsonl", O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(file_fd, LOCK_EX | LOCK_NB), 0);
    receipt_store_close(store);
    receipt_store_close(sample_store("out", true));
    (void)close(file_fd);
    (void)close(dir_fd);
}

static void used_folder_needs_resume(void **state)
{
    struct receipt_store *store = sample_store("out", false);
    struct base_err err = {0};

    (void)state;
    receipt_store_close(store);
    store = sample_store("out", false); /* nothing in it yet */
    add_result(store, 1);
    receipt_store_close(store);
    assert_int_equal(receipt_store_open("out", false, &store, &err), BASE_E_USAGE);
    assert_non_null(strstr(err.remedy, "--resume"));
}

static void resume_cuts_torn_lines_and_goes_on(void **state)
{
    struct receipt_store *store;
    struct receipt_verdict verdict;
    struct base_err err = {0};
    char text[256];

    (void)state;
    sample_folder(3);
    add_text("out/receipts.jsonl", "{\"schema\":\"fumehood.rec");
    add_text("out/results.jsonl", "{\"run_id\":null,\"verdict\":\"missing\"}\n{\"ta");
    store = sample_store("out", true);
    assert_true(receipt_store_chain(store).mended);
    assert_int_equal(receipt_store_chain(store).receipts, 3);
    sample_append(store, 3);
    assert_int_equal(receipt_store_chain(store).receipts, 4);
    add_result(store, 2);
    receipt_store_close(store);
    assert_int_equal(receipt_verify_file("out/receipts.jsonl", &(struct receipt_beside){.objects_dir = "out/objects"},
                                         &verdict, &err),
                     0);
    assert_string_equal(verdict.why, "");
    assert_int_equal(verdict.receipts, 4);
    support_read("out/results.jsonl", text, sizeof(text));
    assert_string_equal(text, "{\"run_id\":null,\"verdict\":\"missing\"}\n{\"task\":2}\n");
    assert_int_equal(support_count_entries("out/objects"), 1);
}

static void resume_with_only_a_torn_line(void **state)
{
    struct receipt_store *store;
    struct receipt_verdict verdict;
    struct base_err err = {0};

    (void)state;
    receipt_store_close(sample_store("out", false));
    add_text("out/receipts.jsonl", "{\"a");
    store = sample_store("out", true);
    sample_append(store, 1);
    receipt_store_close(store);
    assert_int_equal(receipt_verify_file("out/receipts.jsonl", NULL, &verdict, &err), 0);
    assert_int_equal(verdict.receipts, 1);
    assert_int_equal(verdict.bad_line, 0);
}

/* The last line may be longer than what is read back in one piece. */
static void resume_after_a_long_receipt(void **state)
{
    struct receipt_store *store = sample_store("out", false);
    AUTO_JSON json_t *receipt = sample_receipt(1);
    char *big = malloc(100001), hex[BASE_HASH_HEX];
    struct receipt_verdict verdict;
    struct base_err err = {0};

    (void)state;
    assert_non_null(big);
    memset(big, 'x', 100000);
    big[100000] = '\0';
    sample_object(store);
    sample_append(store, 0);
    assert_int_equal(json_object_set_new(receipt, "big", json_string(big)), 0);
    assert_int_equal(receipt_store_append(store, receipt, hex, &err), 0);
    receipt_store_close(store);
    free(big);
    store = sample_store("out", true);
    sample_append(store, 2);
    receipt_store_close(store);
    assert_int_equal(receipt_verify_file("out/receipts.jsonl", NULL, &verdict, &err), 0);
    assert_int_equal(verdict.receipts, 3);
}

static void damaged_head_is_an_error(void **state)
{
    struct receipt_store *store = NULL;
    struct base_err err = {0};

    (void)state;
    sample_folder(1);
    add_text("out/receipts.jsonl", "{\"sha256\":\"0\"}\n");
    assert_int_equal(receipt_store_open("out", true, &store, &err), BASE_E_INVALID);
    assert_string_equal(err.place, "out/receipts.jsonl:2");
    assert_null(store);
}

/* What a crash can leave is gone on with; what it cannot is refused, and nothing is cut off before. */
static void resume_needs_the_receipts_of_its_results(void **state)
{
    struct receipt_store *store = sample_store("out", false);
    struct base_err err = {0};
    AUTO_JSON json_t *first = sample_result(1), *second = sample_result(2);
    struct stat before, after;

    (void)state;
    sample_object(store);
    sample_append(store, 1);
    assert_int_equal(receipt_store_result(store, first, &err), 0);
    sample_append(store, 2); /* the crash came before its result */
    receipt_store_close(store);
    store = sample_store("out", true);
    assert_false(receipt_store_chain(store).mended);
    assert_int_equal(receipt_store_result(store, second, &err), 0);
    receipt_store_close(store);
    assert_int_equal(stat("out/receipts.jsonl", &before), 0);
    assert_int_equal(truncate("out/receipts.jsonl", before.st_size - 5), 0);
    assert_int_equal(receipt_store_open("out", true, &store, &err), BASE_E_INVALID);
    assert_string_equal(err.place, "out/results.jsonl:2");
    assert_non_null(strstr(err.what, "no receipt of its run r2"));
    assert_int_equal(stat("out/receipts.jsonl", &after), 0);
    assert_int_equal(after.st_size, before.st_size - 5);
}

/* A full disk, in a way that needs no privilege: the kernel cuts the write at the limit. */
static void short_write_is_cut_back(void **state)
{
    struct receipt_store *store = sample_store("out", false);
    AUTO_JSON json_t *receipt = sample_receipt(1), *second = sample_receipt(2);
    char hex[BASE_HASH_HEX], sha256[BASE_HASH_HEX];
    struct rlimit old, small;
    struct receipt_verdict verdict;
    struct base_err err = {0};
    struct stat st;
    int r, object_r;

    (void)state;
    sample_object(store);
    sample_append(store, 0);
    assert_int_equal(receipt_store_sync(store, true, &err), 0);
    assert_int_equal(stat("out/receipts.jsonl", &st), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){(rlim_t)(2 * st.st_size) + 80, old.rlim_max}; /* for one more, whose link is longer */
    (void)signal(SIGXFSZ, SIG_IGN);
    base_hash_bytes_hex("x", 1, sha256);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(receipt_store_append(store, receipt, hex, &err), 0); /* it waits */
    assert_int_equal(receipt_store_append(store, second, hex, &err), 0);
    r = receipt_store_sync(store, true, &err);
    small.rlim_cur = 2;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    object_r = receipt_store_object(store, sha256, "0123456789", 10, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(r, BASE_E_IO);
    assert_string_equal(err.place, "out/receipts.jsonl");
    assert_int_equal(err.sys_errno, EFBIG);
    assert_int_equal(receipt_store_append(store, second, hex, &err), BASE_E_IO); /* it takes no more */
    assert_int_equal(object_r, BASE_E_IO);
    assert_int_equal(support_count_entries("out/objects"), 1);
    receipt_store_close(store);
    store = sample_store("out", true); /* what was whole is kept, and the chain goes on */
    assert_false(receipt_store_chain(store).mended);
    sample_append(store, 3);
    receipt_store_close(store);
    assert_int_equal(receipt_verify_file("out/receipts.jsonl", NULL, &verdict, &err), 0);
    assert_string_equal(verdict.why, "");
    assert_int_equal(verdict.receipts, 3);
}

static unsigned lines_of(const char *path)
{
    char text[65536];
    unsigned lines = 0;

    support_read(path, text, sizeof(text));
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    return lines;
}

static void lines_wait_a_moment(void **state)
{
    struct receipt_store *store = sample_store("out", false);
    struct base_err err = {0};

    (void)state;
    sample_append(store, 1);
    add_result(store, 1);
    assert_int_equal(receipt_store_flush(store, &err), 0);
    assert_int_equal(lines_of("out/receipts.jsonl"), 0);
    usleep(110000);
    assert_int_equal(receipt_store_flush(store, &err), 0);
    assert_int_equal(lines_of("out/receipts.jsonl"), 1);
    assert_int_equal(lines_of("out/results.jsonl"), 1);
    for (int i = 2; i < 40; i++)
        sample_append(store, i);
    receipt_store_close(store); /* they are written, and the file is whole */
    assert_int_equal(lines_of("out/receipts.jsonl"), 39);
}

static void folders_that_cannot_be_used(void **state)
{
    struct receipt_store *store = NULL;
    struct base_err err = {0};

    (void)state;
    support_write_text("file", "");
    assert_int_equal(receipt_store_open("file", false, &store, &err), BASE_E_IO);
    assert_int_equal(receipt_store_open("/proc/nothing", false, &store, &err), BASE_E_IO);
    assert_true(err.sys_errno != 0);
    assert_int_equal(mkdir("out", 0755), 0);
    assert_int_equal(mkfifo("out/results.jsonl", 0600), 0);
    assert_int_equal(receipt_store_open("out", false, &store, &err), BASE_E_INVALID);
    assert_null(store);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(writes_lines),
        IN_FOLDER(keeps_objects_once),
        IN_FOLDER(one_writer),
        IN_FOLDER(nobody_else_can_lock_it),
        IN_FOLDER(used_folder_needs_resume),
        IN_FOLDER(resume_cuts_torn_lines_and_goes_on),
        IN_FOLDER(resume_with_only_a_torn_line),
        IN_FOLDER(resume_after_a_long_receipt),
        IN_FOLDER(damaged_head_is_an_error),
        IN_FOLDER(resume_needs_the_receipts_of_its_results),
        IN_FOLDER(short_write_is_cut_back),
        IN_FOLDER(lines_wait_a_moment),
        IN_FOLDER(folders_that_cannot_be_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
