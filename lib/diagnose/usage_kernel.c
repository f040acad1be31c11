/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage.h of kernel objects that threads share. clSetKernelArg and its like are the only calls that are not
 * safe beside others on the same object (OpenCL 2.2 API, appendix A.2), and an enqueue or a clone uses the
 * values that were set last. Each kernel object keeps the epochs (thread, clock value) of the last call that
 * changed it and of the last call that read its arguments. Two calls whose epochs are not ordered by the
 * vector clocks of the host's threads (host_clock.h) may happen at the same time, even if they did not in
 * this run. One pair is reported for each kernel object; which pair is first is chance.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/callback.h"
#include "lib/executor.h"
#include "lib/object.h"
#include "lib/record/host_clock.h"
#include "usage.h"

static bool is_before(const struct kernel_use *use, const struct host_clock *clock)
{
    return !use->count || use->thread == clock->thread ||
           (use->thread < clock->count && clock->at[use->thread] >= use->count);
}

static void keep(struct kernel_use *use, const struct host_clock *clock)
{
    free(use->site);
    *use = (struct kernel_use){.thread = clock->thread,
                               .count = clock->at[clock->thread],
                               .site = clock->several ? call_site_new() : NULL};
}

static void report_sharing(const struct kernel_object *kernel, bool changed, const struct call_site *other)
{
    char object[160], why[200];
    snprintf(object, sizeof object, "kernel %" PRIu32 " '%.80s'", kernel->base.id, kernel->info->name);
    snprintf(
        why, sizeof why,
        "another thread of the host %s the kernel object, and nothing orders the two calls: the launch may "
        "get the arguments of either",
        changed ? "sets arguments of" : "enqueues");
    call_find(FINDING_KERNEL_SHARED,
              &(struct call_finding){
                  .object = object,
                  .why = why,
                  .fix =
                      "a kernel object for each thread (clCloneKernel, or clCreateKernel again), or one lock "
                      "around the setting of arguments and the enqueue",
                  .other = other,
                  .other_what = changed ? "the other thread sets an argument here"
                                        : "the other thread enqueues it here"});
}

/* Callbacks and native kernels have no vector clock, so their calls are not checked. */
static void note_use(struct kernel_object *kernel, bool changes)
{
    struct host_clock clock;
    struct call_site *other = NULL;
    bool found = false, changed = false;
    if (call_is_off(FINDING_KERNEL_SHARED) || callback_thread() || executor_is_here())
        return;
    runtime_lock();
    if (host_clock_tick(&clock)) {
        changed = !is_before(&kernel->changed, &clock);
        found = !kernel->sharing_reported && (changed || (changes && !is_before(&kernel->taken, &clock)));
        kernel->sharing_reported |= found;
        if (found)
            other = call_site_copy(changed ? kernel->changed.site : kernel->taken.site);
        keep(changes ? &kernel->changed : &kernel->taken, &clock);
    }
    runtime_unlock();
    if (found)
        report_sharing(kernel, changed, other);
    free(other);
}

void usage_kernel_changed(struct kernel_object *kernel)
{
    note_use(kernel, true);
}

void usage_kernel_taken(struct kernel_object *kernel)
{
    note_use(kernel, false);
}

void usage_kernel_gone(struct kernel_object *kernel)
{
    free(kernel->changed.site);
    free(kernel->taken.site);
}
