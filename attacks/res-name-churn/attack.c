/* attack.c - res-name-churn
 *
 * Looks for 150000 names in folders of the host that are shown to it, makes and removes as many in its own. The kernel
 * keeps a note of each; these notes must be counted for the run and not pile up on the machine. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    char name[200];
    struct stat st;

    for (unsigned number = 0; number < 150000; number++) {
        (void)snprintf(name, sizeof(name), "/usr/lib/a-name-that-nobody-has-ever-given-to-a-file-%u", number);
        if (stat(name, &st) == 0)
            return 10;
        if (number % 8)
            continue;
        (void)snprintf(name, sizeof(name), "/tmp/a-name-of-its-own-%u", number);
        if (mkdir(name, 0700) < 0 || rmdir(name) < 0)
            return 10;
    }
    return 0;
}
