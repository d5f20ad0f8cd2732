/* replay_main.c - run a fuzz target over its seeds, without a fuzzer
 *
 * Each seed is tried whole, cut short at many places, and with bytes exchanged by a fixed pseudo-random sequence, so
 * that every build tries the same inputs. A crash or a sanitizer's report is the failure.
 */
#include "fuzz.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CUTS_MAX       200
#define MUTANTS        300
#define SEED_MAX_BYTES (1u << 20)

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* From a block of exactly its size, so that one byte too many is seen by the sanitizer. */
static void try_input(const uint8_t *bytes, size_t count)
{
    uint8_t *exact = malloc(count > 0 ? count : 1);

    if (!exact)
        abort();
    memcpy(exact, bytes, count);
    (void)LLVMFuzzerTestOneInput(exact, count); /* always 0 */
    free(exact);
}

static void try_mutants(uint8_t *bytes, size_t count)
{
    static const uint8_t interesting[] = "{}[]\",:\\'\n\t -#&*!|>%@\x00\x7f\x80\xff\x1f\x8b"
                                         "019e.u";
    uint32_t state = 2463534242u;

    for (int i = 0; count > 0 && i < MUTANTS; i++) {
        size_t at[3];
        uint8_t old[3];

        for (int k = 0; k < 3; k++) {
            at[k] = next_random(&state) % count;
            old[k] = bytes[at[k]];
            bytes[at[k]] = next_random(&state) % 2 ? interesting[next_random(&state) % (sizeof(interesting) - 1)]
                                                   : (uint8_t)next_random(&state);
        }
        try_input(bytes, count);
        for (int k = 2; k >= 0; k--)
            bytes[at[k]] = old[k];
    }
}

static void try_seed(uint8_t *bytes, size_t count)
{
    size_t step = count / CUTS_MAX + 1;

    try_input(bytes, count);
    for (size_t cut = 0; cut < count; cut += step)
        try_input(bytes, cut);
    try_mutants(bytes, count);
}

static void replay_file(const char *path)
{
    FILE *f = fopen(path, "rbe");
    uint8_t *bytes = malloc(SEED_MAX_BYTES);
    size_t count;

    if (!f || !bytes) {
        perror(path);
        exit(1);
    }
    count = fread(bytes, 1, SEED_MAX_BYTES, f);
    try_seed(bytes, count);
    free(bytes);
    (void)fclose(f); /* was only read */
}

static int replay_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int files = 0;

    while (dir && (entry = readdir(dir))) {
        char path[4096];

        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        replay_file(path);
        files++;
    }
    if (dir)
        (void)closedir(dir); /* was only read */
    return files;
}

int main(int argc, char **argv)
{
    int files = 0;

    for (int i = 1; i < argc; i++) {
        struct stat st;

        if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode)) {
            files += replay_folder(argv[i]);
        } else {
            replay_file(argv[i]);
            files++;
        }
    }
    printf("%d seeds\n", files);
    return files > 0 ? 0 : 1; /* a target without seeds tests nothing */
}
