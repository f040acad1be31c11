/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded by check_interrupt.sh and check_host_waits.sh: the monotonic clock runs twenty times as fast, so
 * that seconds are over soon. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *time)
{
    enum { FASTER = 20 };
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const int error = real(clock, time);
    if (!error && clock == CLOCK_MONOTONIC) {
        const long long now = (time->tv_sec * 1000000000LL + time->tv_nsec) * FASTER;
        time->tv_sec = (time_t)(now / 1000000000);
        time->tv_nsec = (long)(now % 1000000000);
    }
    return error;
}
