/* libraries.h - what is loaded into a zygote and its forks */
#pragma once

#include <stdbool.h>

/* In the zygote, before its first fork: what is there now is what its forks begin with. */
void zygote_libraries_note(void);

/* In a guest: whether something of what is loaded may have to be told that the process ends. */
bool zygote_libraries_want_end(void);
