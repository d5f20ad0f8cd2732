/* attack.c - kern-landlock-layers
 *
 * Puts rule sets of its own one on the other. The kernel takes sixteen for a process; where all of them fit, there is
 * none that it was started with, and the second wall is missing. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LAYERS 16

int main(void)
{
    const struct landlock_ruleset_attr attr = {.handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_BLOCK};
    long fd = syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
    int layers = 0;

    if (fd < 0) {
        printf("this kernel has no Landlock: %s\n", strerrorname_np(errno));
        return getenv("DRILL_CONTROL") ? 77 : 0;
    }
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    while (layers < LAYERS && syscall(SYS_landlock_restrict_self, fd, 0) == 0)
        layers++;
    printf("%d layers, then %s\n", layers, layers < LAYERS ? strerrorname_np(errno) : "enough");
    if (layers == 0)
        return 1;
    return layers == LAYERS ? 10 : 0;
}
