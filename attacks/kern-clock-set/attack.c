/* attack.c - kern-clock-set
 *
 * Sets the time, steers its speed, opens the hardware clock. If it worked, logs, certificates and other programs' time
 * limits would be in the guest's hands. The values are impossible ones, so that bare nothing is set either. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static int reached;

static void tried(const char *what, long result)
{
    int error = errno;

    printf("%s: %s\n", what, result < 0 ? strerrorname_np(error) : "done");
    if (result >= 0 || (error != EPERM && error != ENOSYS && error != ENOENT && error != EACCES))
        reached = 10;
}

int main(void)
{
    struct timespec impossible = {.tv_sec = 1, .tv_nsec = 4000000000L};
    struct timeval impossible_too = {.tv_sec = 1, .tv_usec = 4000000000L};
    struct timex nothing = {0};

    tried("set the day", syscall(SYS_settimeofday, &impossible_too, NULL));
    tried("set the day, wild", syscall(SYS_settimeofday, (void *)8, NULL));
    tried("set the clock", syscall(SYS_clock_settime, CLOCK_REALTIME, &impossible));
    tried("set a clock that is none", syscall(SYS_clock_settime, 99, &impossible));
    tried("steer, changing nothing", syscall(SYS_adjtimex, &nothing));
    tried("steer a clock, changing nothing", syscall(SYS_clock_adjtime, CLOCK_REALTIME, &nothing));
    tried("open the hardware clock", open("/dev/rtc0", O_RDONLY | O_CLOEXEC));
    return reached;
}
