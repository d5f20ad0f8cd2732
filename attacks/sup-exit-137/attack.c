/* attack.c - ends with 137, which shells make of signal 9, and fumehood of the memory limit
 *
 * Only what the kernel counted may say that memory ran out. */
#define _GNU_SOURCE
#include <unistd.h>

int main(void)
{
    _exit(137);
}
