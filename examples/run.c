/* run.c - run one Python program in a cage: cc run.c $(pkg-config --cflags --libs fumehood) */
#include <fumehood/fumehood.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *code = argc > 1 ? argv[1] : "print(sum(range(10)))";
    const char *limits[] = {"wall_ms=2s", "memory_bytes_if_available=256MiB", "cpus_if_available=1", NULL};
    struct fumehood_pool_options options = {
        .size = sizeof(options), .wardens = 1, .limits = limits, .program = argc > 2 ? argv[2] : NULL};
    struct fumehood_program program = {.size = sizeof(program), .name = "a.py", .bytes = code, .count = strlen(code)};
    struct fumehood_pool *pool = NULL;
    struct fumehood_result *result = NULL;
    struct fumehood_error error;
    char text[1100];

    if (fumehood_pool_open(&options, &pool, &error) < 0 || fumehood_run(pool, &program, &result, &error) < 0) {
        fprintf(stderr, "%s\n", fumehood_error_text(&error, text, sizeof(text)));
        fumehood_pool_close(pool);
        return 125;
    }
    int status = fumehood_result_exit_code(result); /* -1 unless it exited */
    printf("%s", fumehood_result_stdout(result).bytes);
    printf("%s, exit code %d\n", fumehood_result_ending_name(result), status);
    fumehood_result_free(result);
    fumehood_pool_close(pool);
    return status < 0 ? 125 : status;
}
