/* SPDX-License-Identifier: Apache-2.0 */
/* Looks orrery_host_tick of sync_preload.c up once; without that library there are no clocks. */
#include "host_clock.h"

#include <dlfcn.h>
#include <pthread.h>

typedef uint32_t tick_function(const uint32_t **out_clock, uint32_t *out_count, bool *out_several);
static tick_function *tick;

static void find(void)
{
    tick = (tick_function *)(uintptr_t)dlsym(RTLD_DEFAULT, "orrery_host_tick");
}

bool host_clock_tick(struct host_clock *out_clock)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    if (!tick)
        return false;
    out_clock->thread = tick(&out_clock->at, &out_clock->count, &out_clock->several);
    return out_clock->thread != UINT32_MAX;
}
