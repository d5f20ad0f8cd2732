/* test_scene.c - what is staged: intact when nobody touches it, named when somebody does, gone at the end */
#include "../support.h"
#include "base/cleanup.h"
#include "drill/scene.h"
#include <mqueue.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

#define HEAD "group: kernel\nwhat: w\nproves: [pid_ns]\ncontrol: bare\noutside: "

static void make(const char *outside, struct drill_expect *expect, struct drill_scene *scene)
{
    AUTO_POLICY struct policy base = {0};
    struct base_err err = {0};
    char text[500], top[DRILL_PATH_BYTES];

    (void)snprintf(text, sizeof(text), HEAD "[%s]\n", outside);
    assert_int_equal(policy_builtin("default", &base, NULL), 0);
    assert_int_equal(drill_expect_parse(text, strlen(text), "p", &base, expect, &err), 0);
    assert_non_null(getcwd(top, sizeof(top)));
    if (drill_scene_make(expect, top, scene, &err) < 0) {
        print_message("%s: %s\n", err.place, err.what);
        skip();
    }
}

static void touch_secret(const struct drill_scene *scene)
{
    support_write_text(scene->words[DRILL_SECRET_FILE], "x");
}

static void touch_guarded(const struct drill_scene *scene)
{
    assert_int_equal(chmod(scene->words[DRILL_GUARDED_FILE], 0600), 0);
}

static void link_guarded(const struct drill_scene *scene)
{
    assert_int_equal(link(scene->words[DRILL_GUARDED_FILE], "elsewhere"), 0);
}

static void remove_guarded(const struct drill_scene *scene)
{
    assert_int_equal(unlink(scene->words[DRILL_GUARDED_FILE]), 0);
}

static void fill_folder(const struct drill_scene *scene)
{
    char path[300];

    (void)snprintf(path, sizeof(path), "%s/new", scene->words[DRILL_GUARDED_DIR]);
    support_write_text(path, "");
}

static void close_folder(const struct drill_scene *scene)
{
    assert_int_equal(chmod(scene->words[DRILL_GUARDED_DIR], 0755), 0);
}

static void add_beside(const struct drill_scene *scene)
{
    char path[300];

    (void)snprintf(path, sizeof(path), "%s/beside", scene->dir);
    support_write_text(path, "");
}

static void send_udp(const struct drill_scene *scene)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    AUTO_CLOSE int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    unsigned port;

    assert_int_equal(sscanf(scene->words[DRILL_UDP4], "%u", &port), 1);
    address.sin_port = htons((uint16_t)port);
    assert_int_equal(sendto(fd, "", 0, 0, (struct sockaddr *)&address, sizeof(address)), 0);
}

static void connect_tcp(const struct drill_scene *scene)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unsigned port;

    assert_int_equal(sscanf(scene->words[DRILL_TCP4], "%u", &port), 1);
    address.sin_port = htons((uint16_t)port);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
}

static void connect_unix(const struct drill_scene *scene)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", scene->words[DRILL_UNIX_PATH]);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
}

static void write_sysv(const struct drill_scene *scene)
{
    char *memory = shmat(scene->shm_id, NULL, 0);

    assert_ptr_not_equal(memory, (char *)-1);
    memory[100] = 'x';
    (void)shmdt(memory);
}

static void write_posix(const struct drill_scene *scene)
{
    assert_int_equal(pwrite(scene->fds[DRILL_POSIX_SHM], "x", 1, 0), 1);
}

static void unlink_posix(const struct drill_scene *scene)
{
    char name[256];

    (void)snprintf(name, sizeof(name), "/%.200s", scene->words[DRILL_POSIX_SHM]);
    assert_int_equal(shm_unlink(name), 0);
}

static void send_queue(const struct drill_scene *scene)
{
    assert_int_equal(mq_send(scene->fds[DRILL_POSIX_MQUEUE], "x", 1, 0), 0);
}

static void type_into(const struct drill_scene *scene)
{
    assert_int_equal(write(scene->fds[DRILL_TERMINAL], "ls\n", 3), 3);
}

static const struct {
    const char *outside;
    void (*touch)(const struct drill_scene *scene);
    const char *fault;
} rows[] = {
    {"secret-file", touch_secret, "the secret-file was changed"},
    {"guarded-file", touch_guarded, "the guarded-file has another mode, owner or link"},
    {"guarded-file", link_guarded, "the guarded-file has another mode, owner or link"},
    {"guarded-file", remove_guarded, "the guarded-file is gone"},
    {"guarded-dir", fill_folder, "new appeared in the guarded-dir"},
    {"guarded-dir", close_folder, "the guarded-dir has another mode or owner"},
    {"guarded-dir, unix-path", add_beside, "beside appeared outside"},
    {"udp4", send_udp, "the udp4 listener was sent something"},
    {"tcp4", connect_tcp, "the tcp4 listener was connected to"},
    {"unix-path", connect_unix, "the unix-path listener was connected to"},
    {"sysv-shm", write_sysv, "the sysv-shm was changed"},
    {"posix-shm", write_posix, "the posix-shm was changed"},
    {"posix-shm", unlink_posix, "the posix-shm is gone"},
    {"posix-mqueue", send_queue, "the posix-mqueue was read or written"},
    {"terminal", type_into, "3 bytes were typed into the terminal"},
};

static void check_one(size_t i)
{
    AUTO_EXPECT struct drill_expect expect = {0};
    AUTO_SCENE struct drill_scene scene = {.made = 0};
    struct drill_words faults = {.count = 0};

    make(rows[i].outside, &expect, &scene);
    drill_scene_check(&scene, &faults);
    if (faults.count > 0)
        fail_msg("%s: %s, and nobody touched it", rows[i].outside, faults.items[0]);
    rows[i].touch(&scene);
    drill_scene_check(&scene, &faults);
    if (faults.count != 1 || strcmp(faults.items[0], rows[i].fault) != 0)
        fail_msg("%s: %zu faults, %s", rows[i].outside, faults.count, faults.count ? faults.items[0] : "");
    drill_words_release(&faults);
}

static void what_is_touched_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        check_one(i);
}

static void nothing_stays(void **state)
{
    AUTO_EXPECT struct drill_expect expect = {0};
    struct drill_scene scene;
    char name[256];
    int id;

    (void)state;
    make("sysv-shm, posix-shm, posix-mqueue, tcp4, terminal, secret-file, guarded-dir, open-file", &expect, &scene);
    id = scene.shm_id;
    (void)snprintf(name, sizeof(name), "/%.200s", scene.words[DRILL_POSIX_SHM]);
    drill_scene_release(&scene);
    assert_int_equal(shmctl(id, IPC_STAT, &(struct shmid_ds){0}), -1);
    assert_int_equal(shm_open(name, O_RDONLY, 0), -1);
    (void)snprintf(name, sizeof(name), "/%.200s", scene.words[DRILL_POSIX_MQUEUE]);
    assert_int_equal(mq_open(name, O_RDONLY), -1);
    drill_scene_release(&scene); /* once more is nothing */
}

static void arguments_are_filled(void **state)
{
    AUTO_EXPECT struct drill_expect expect = {0};
    AUTO_SCENE struct drill_scene scene = {.made = 0};
    AUTO_FREE char *filled = NULL, *wanted = NULL;

    (void)state;
    make("tcp4", &expect, &scene);
    filled = drill_scene_fill(&scene, "{}{nonce}={tcp4}:{dir}/{x y}{");
    assert_true(asprintf(&wanted, "{}%s=%s:%s/{x y}{", scene.nonce, scene.words[DRILL_TCP4], scene.dir) > 0);
    assert_string_equal(filled, wanted);
    free(filled);
    filled = drill_scene_fill(&scene, "");
    assert_string_equal(filled, "");
}

static void no_name_tells_the_nonce(void **state)
{
    AUTO_EXPECT struct drill_expect expect = {0};
    AUTO_SCENE struct drill_scene scene = {.made = 0};

    (void)state;
    make("secret-file, unix-path, unix-abstract, posix-shm, posix-mqueue", &expect, &scene);
    assert_int_equal(strlen(scene.nonce), DRILL_NONCE_CHARS);
    for (int kind = 0; kind < DRILL_OUTSIDE_MAX; kind++)
        assert_null(strstr(scene.words[kind], scene.nonce));
    assert_null(strstr(scene.dir, scene.nonce));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_touched_is_named),
        cmocka_unit_test(nothing_stays),
        cmocka_unit_test(arguments_are_filled),
        cmocka_unit_test(no_name_tells_the_nonce),
    };
    return cmocka_run_group_tests(tests, support_enter, support_leave);
}
