/* test_kind.c - tests of src/stage/kind_untrusted.c */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "stage/kind_untrusted.h"
#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

static void lines_that_name_an_interpreter(void **state)
{
    static const struct {
        const char *text, *interpreter;
    } rows[] = {
        {"#!/usr/bin/python3\nx", "python3"},
        {"#!/usr/bin/env python3\n", "python3"},
        {"#!/usr/bin/env -S python3 -u\n", "python3"},
        {"#!/usr/bin/env -i A=b /usr/bin/node\n", "node"},
        {"#! \t/bin/sh -e\n", "sh"},
        {"#!/bin/sh\r\n", "sh"},
        {"#!sh", "sh"},
        {"#!", ""},
        {"#!\n/bin/sh", ""},
        {"#! \n", ""},
        {"#!/usr/bin/env\n", ""},
        {"#!/usr/bin/env -i\n", ""},
        {"#!/bin/\n", ""},
        {"#!/bin/a-name-that-is-longer-than-any-interpreter-has-ever-been-named-so-far\n", ""},
    };
    char interpreter[STAGE_INTERPRETER_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(stage_kind_of(rows[i].text, strlen(rows[i].text), interpreter), STAGE_KIND_SCRIPT);
        assert_string_equal(interpreter, rows[i].interpreter);
    }
    assert_int_equal(stage_kind_of("#!/bin/s\0h\n", 11, interpreter), STAGE_KIND_SCRIPT);
    assert_string_equal(interpreter, "");
}

static void other_bytes(void **state)
{
    char interpreter[STAGE_INTERPRETER_BYTES];

    (void)state;
    assert_int_equal(stage_kind_of("", 0, interpreter), STAGE_KIND_OTHER);
    assert_int_equal(stage_kind_of("#", 1, interpreter), STAGE_KIND_OTHER);
    assert_int_equal(stage_kind_of("\x7f"
                                   "EL",
                                   3, interpreter),
                     STAGE_KIND_OTHER);
    assert_int_equal(stage_kind_of("print(1)\n", 9, interpreter), STAGE_KIND_OTHER);
    assert_string_equal(interpreter, "");
}

static void elf_headers(void **state)
{
    Elf64_Ehdr own, changed;
    char interpreter[STAGE_INTERPRETER_BYTES];
    FILE *self = fopen("/proc/self/exe", "re");

    (void)state;
    assert_non_null(self);
    assert_int_equal(fread(&own, sizeof(own), 1, self), 1);
    (void)fclose(self);
    assert_int_equal(stage_kind_of((const char *)&own, sizeof(own), interpreter), STAGE_KIND_ELF);
    assert_int_equal(stage_kind_of((const char *)&own, sizeof(own) - 1, interpreter), STAGE_KIND_ELF_BROKEN);
    assert_int_equal(stage_kind_of((const char *)&own, 4, interpreter), STAGE_KIND_ELF_BROKEN);
    changed = own;
    changed.e_ident[EI_CLASS] = ELFCLASS32;
    assert_int_equal(stage_kind_of((const char *)&changed, sizeof(changed), interpreter), STAGE_KIND_ELF_FOREIGN);
    changed = own;
    changed.e_machine = EM_S390;
    assert_int_equal(stage_kind_of((const char *)&changed, sizeof(changed), interpreter), STAGE_KIND_ELF_FOREIGN);
    changed = own;
    changed.e_type = ET_REL;
    assert_int_equal(stage_kind_of((const char *)&changed, sizeof(changed), interpreter), STAGE_KIND_ELF_BROKEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_name_an_interpreter),
        cmocka_unit_test(other_bytes),
        cmocka_unit_test(elf_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
