/* kind_untrusted.c - what a program file says about itself in its first bytes
 *
 * Foreign bytes: every read is checked against the count. Nothing here decides about rights, only about the runtime.
 */

#include "stage/kind_untrusted.h"
#include <elf.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#error "the machine's ELF number is not known here"
#endif

static enum stage_kind elf_kind(const char *bytes, size_t count)
{
    Elf64_Ehdr header;

    if (count < sizeof(header))
        return STAGE_KIND_ELF_BROKEN;
    memcpy(&header, bytes, sizeof(header));
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != MACHINE)
        return STAGE_KIND_ELF_FOREIGN;
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return STAGE_KIND_ELF_BROKEN;
    return STAGE_KIND_ELF;
}

struct word {
    const char *at;
    size_t length;
};

/* The next word of a #! line in [*@at, @end). False at its end. */
static bool next_word(const char **at, const char *end, struct word *ret_word)
{
    const char *s = *at;
    while (s < end && (*s == ' ' || *s == '\t'))
        s++;
    ret_word->at = s;
    while (s < end && *s != ' ' && *s != '\t' && *s != '\r')
        s++;
    ret_word->length = (size_t)(s - ret_word->at);
    *at = s;
    return ret_word->length > 0;
}

static void cut_folder(struct word *word)
{
    const char *slash = memrchr(word->at, '/', word->length);
    if (slash) {
        word->length -= (size_t)(slash + 1 - word->at);
        word->at = slash + 1;
    }
}

static bool is_word(const struct word *word, const char *text)
{
    return word->length == strlen(text) && memcmp(word->at, text, word->length) == 0;
}

/* The interpreter's name without its folder; through "env", its options and its assignments. */
static void read_interpreter(const char *bytes, size_t count, char *ret_name, size_t name_bytes)
{
    const char *at = bytes + 2;
    const char *newline = memchr(at, '\n', count - 2);
    const char *end = newline ? newline : bytes + count;
    struct word word;

    ret_name[0] = 0;
    if (!next_word(&at, end, &word))
        return;
    cut_folder(&word);
    if (is_word(&word, "env")) {
        do {
            if (!next_word(&at, end, &word))
                return;
        } while (word.at[0] == '-' || memchr(word.at, '=', word.length));
        cut_folder(&word);
    }
    if (word.length >= name_bytes || memchr(word.at, 0, word.length))
        return;
    memcpy(ret_name, word.at, word.length);
    ret_name[word.length] = 0;
}

enum stage_kind stage_kind_of(const char *bytes, size_t count, char ret_interpreter[STAGE_INTERPRETER_BYTES])
{
    ret_interpreter[0] = 0;
    if (count >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0)
        return elf_kind(bytes, count);
    if (count >= 2 && bytes[0] == '#' && bytes[1] == '!') {
        /* the kernel reads no more than this of the line either */
        read_interpreter(bytes, count < 256 ? count : 256, ret_interpreter, STAGE_INTERPRETER_BYTES);
        return STAGE_KIND_SCRIPT;
    }
    return STAGE_KIND_OTHER;
}
