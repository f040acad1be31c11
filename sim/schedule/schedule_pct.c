/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte 2010): the unit of highest
 * priority runs; depth - 1 times, at steps drawn before the launch, the running one falls below all others.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "orrery/checked.h"
#include "schedule_state.h"

enum {
    /* steps without a change after which a work-item's priority drops: it may wait for a lower one */
    UNCHANGED_STEPS_MOST = 32,
    STEPS_MOST = 1 << 24 /* changes are drawn among at most so many steps */
};

static int ascending(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The number of steps is not known before the launch. One of each operation for each work-item is exact for
 * kernels without loops. */
static uint64_t steps_expected(const struct launch *launch)
{
    uint64_t operations = 0, items = 1;
    for (uint32_t i = 0; launch->code && i < launch->code->insn_count; i++)
        operations += launch->code->ops[i] == OP_yield;
    for (int i = 0; i < 3; i++)
        if (__builtin_mul_overflow(items, launch->info.global_size[i], &items))
            return STEPS_MOST;
    if (__builtin_mul_overflow(items, operations ? operations : 1, &items) || items > STEPS_MOST)
        return STEPS_MOST;
    return items;
}

bool pct_init(struct schedule *schedule)
{
    struct pct *pct = &schedule->chooser.pct;
    uint64_t steps = steps_expected(schedule->launch);
    struct rng rng;
    pct->count = schedule->config->depth ? schedule->config->depth - 1 : 0;
    pct->change = calloc(pct->count + 1, sizeof *pct->change);
    if (!pct->change)
        return false;
    rng_init(&rng, schedule->config->seed, RNG_SCHEDULE_CHANGES, schedule->launch->info.launch);
    for (uint32_t i = 0; i < pct->count; i++)
        pct->change[i] = 1 + rng_below(&rng, steps);
    qsort(pct->change, pct->count, sizeof *pct->change, ascending);
    CHECKED(pct->passed == 0 && (!pct->count || pct->change[0] > 0));
    return true;
}

void pct_fini(struct schedule *schedule)
{
    free(schedule->chooser.pct.change);
}

/* A function of the group's id, not of the time of its admission. */
void pct_admit(struct schedule *schedule, struct group *group)
{
    struct rng rng;
    rng_init(&rng, schedule->config->seed, RNG_SCHEDULE_PRIORITIES,
             (uint64_t)schedule->launch->info.launch << 40 ^ group->number);
    for (uint32_t i = 0; i < group->wave_count; i++)
        group->waves[i].priority = (int64_t)(rng_next(&rng) >> 1);
}

static void drop(struct chooser *chooser)
{
    CHECKED(chooser->index < chooser->group->wave_count);
    chooser->group->waves[chooser->index].priority = --chooser->pct.lowest;
    chooser->group->waves[chooser->index].priority_steps = 0;
}

static struct pick highest(const struct schedule *schedule)
{
    struct pick best = {NULL, 0};
    for (uint32_t g = 0; g < schedule->count; g++) {
        struct group *group = schedule->resident[g];
        for (uint32_t i = 0; i < group->wave_count; i++)
            if (group->waves[i].state == WAVE_READY &&
                (!best.group || group->waves[i].priority > best.group->waves[best.index].priority))
                best = (struct pick){group, i};
    }
    return best;
}

struct pick pct_pick(struct schedule *schedule)
{
    struct chooser *chooser = &schedule->chooser;
    struct pct *pct = &chooser->pct;
    bool continues = chooser->group && chooser->group->waves[chooser->index].state == WAVE_READY;
    bool change = false;
    while (pct->passed < pct->count && pct->change[pct->passed] <= chooser->steps) {
        pct->passed++;
        change = true;
    }
    if (continues && (change || chooser->group->waves[chooser->index].priority_steps >= UNCHANGED_STEPS_MOST))
        drop(chooser);
    else if (continues && pct->searched_at == schedule->arrivals)
        return (struct pick){chooser->group, chooser->index};
    CHECKED(pct->passed == pct->count || pct->change[pct->passed] > chooser->steps);
    pct->searched_at = schedule->arrivals;
    return highest(schedule);
}
