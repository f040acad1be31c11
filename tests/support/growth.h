/* SPDX-License-Identifier: Apache-2.0 */
/* Whether work grows as its amount does, whatever the machine: sixteen times as much may take five times
 * sixteen times as long, since it misses the caches. Work that visits all earlier items takes 256 times as
 * long. */
#ifndef ORRERY_TESTS_SUPPORT_GROWTH_H
#define ORRERY_TESTS_SUPPORT_GROWTH_H

#include <check.h>
#include <stdint.h>
#include <time.h>

static inline double growth_cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline double growth_least_seconds(void (*work)(uint32_t amount), uint32_t amount, int times)
{
    double least = 1e9;
    for (int i = 0; i < times; i++) {
        const double start = growth_cpu_seconds();
        work(amount);
        const double taken = growth_cpu_seconds() - start;
        least = taken < least ? taken : least;
    }
    return least;
}

/* work does all of it anew in each call. */
static inline void growth_is_linear(void (*work)(uint32_t amount), uint32_t most)
{
    const double part = growth_least_seconds(work, most / 16, 5), all = growth_least_seconds(work, most, 2);
    if (all > 80 * part)
        ck_abort_msg("%u take %.4f s of the processor, a sixteenth of them %.4f s", most, all, part);
}

#endif
