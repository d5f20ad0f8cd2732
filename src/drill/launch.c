/* launch.c - start a process in a chosen state */
#include "drill/launch.h"
#include <errno.h>
#include <unistd.h>

int drill_launch(const struct drill_launch *launch, pid_t *ret_pid, struct base_err *err)
{
    pid_t parent = getpid(), pid = fork();

    if (pid < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, launch->path, "cannot be started");
    if (pid == 0)
        drill_launch_become(launch, parent);
    *ret_pid = pid;
    return 0;
}
