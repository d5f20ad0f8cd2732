/* kind_untrusted.h - what a program file says about itself in its first bytes */
#pragma once

#include <stddef.h>

enum stage_kind {
    STAGE_KIND_OTHER,       /* neither of the others */
    STAGE_KIND_SCRIPT,      /* begins with #! */
    STAGE_KIND_ELF,         /* a program for this machine */
    STAGE_KIND_ELF_FOREIGN, /* for another machine, or 32 bits */
    STAGE_KIND_ELF_BROKEN,  /* cut short, or an object file */
};

#define STAGE_INTERPRETER_BYTES 64

/* Judge @count bytes. SCRIPT also fills the interpreter's name ("python3" of "/usr/bin/env python3"), empty when the
 * line holds none that fits. */
enum stage_kind stage_kind_of(const char *bytes, size_t count, char ret_interpreter[STAGE_INTERPRETER_BYTES]);
