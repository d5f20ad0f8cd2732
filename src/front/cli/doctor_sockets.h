/* doctor_sockets.h - sockets that stand below /usr */
#pragma once

#include <stdbool.h>

struct doctor_sockets {
    unsigned count, looked_at; /* sockets; names in all */
    bool is_cut;               /* there were more names than are looked at */
    char first[512];
};

/* Sockets below @usr, of which a guest sees everything: two levels of it, and @usr/local. */
void cli_doctor_find_sockets(const char *usr, struct doctor_sockets *ret_sockets);
