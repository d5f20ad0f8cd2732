/* cleanup.h - scope-bound ownership
 *
 * A local that owns something carries the attribute; giving it away is spelled TAKE_FD() or TAKE_PTR(). A closed
 * descriptor is -1.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void base_cleanup_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd); /* nothing can be done about a failing close of a descriptor that we give up */
}

static inline void base_cleanup_free(void *p)
{
    free(*(void **)p);
}

static inline void base_cleanup_fclose(FILE **f)
{
    if (*f)
        (void)fclose(*f); /* writers check fflush themselves */
}

#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define AUTO_CLOSE  CLEANUP(base_cleanup_close)
#define AUTO_FREE   CLEANUP(base_cleanup_free)
#define AUTO_FCLOSE CLEANUP(base_cleanup_fclose)

#define TAKE_FD(fd)                                                                                                    \
    ({                                                                                                                 \
        int *take_ = &(fd);                                                                                            \
        int taken_ = *take_;                                                                                           \
        *take_ = -1;                                                                                                   \
        taken_;                                                                                                        \
    })
#define TAKE_PTR(p)                                                                                                    \
    ({                                                                                                                 \
        __typeof__(p) *take_ = &(p);                                                                                   \
        __typeof__(p) taken_ = *take_;                                                                                 \
        *take_ = NULL;                                                                                                 \
        taken_;                                                                                                        \
    })

#define ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))
