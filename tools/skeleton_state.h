/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Shared by the files that make a scenario for a kernel without one.
 *
 * Interface
 *   launch_sizes.c     launch_sizes_plan      the work-groups that the kernel may have been written for
 *                      launch_sizes_of        the launch with one of them; `ones`: numbers that are small
 *                      launch_sizes_fewer     n for so many work-items of a dimension
 *   skeleton_fit.c     skeleton_fit           runs the kernel a few times and keeps what suits it best
 *                      skeleton_fit_fini      frees what it filled
 *   skeleton_print.c   skeleton_print         the scenario, with so many elements for each argument
 *                      skeleton_print_numbers the whole numbers by name; malloc'd
 *                      skeleton_print_alike   those that a mix-up would not show, and their value; malloc'd
 *                      skeleton_numbers       the arguments that are whole numbers of so many bytes or more
 */
#ifndef ORRERY_SKELETON_STATE_H
#define ORRERY_SKELETON_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "kernel_shape.h"
#include "orrery/device.h"
#include "orrery/profile.h"
#include "orrery/scenario.h"

enum { PLANS_MOST = 5 };

/* Work-groups, and what local ids are compared with (number_choice.h). */
struct group_plan {
    uint64_t width, height, in_group;
};

struct launch_sizes {
    uint64_t global[3], local[3];
    uint64_t whole;         /* n */
    uint64_t width, height; /* of images */
    uint64_t ids[3];        /* how far go ids that are compared with a number: the launch, or a multiple */
    bool exact;             /* no id stays below a number: n is the size of the launch */
};

struct skeleton {
    const struct kernel_info *info;
    const struct kernel_shape *shape;
    uint64_t *work; /* instructions of all trials so far: of all work-items */
    struct launch_sizes sizes;
    uint64_t numbers[32]; /* of arguments that are whole numbers */
    uint64_t in_group;    /* what local ids are compared with; 0: any */
    uint32_t ones, zeros; /* bit i: argument i is a whole number, and 1 or 0 */
};

/* A skeleton, how many elements its arguments have, and the lines that do not run with them. leaves: it has
 * accesses outside of its buffers. */
struct fitting {
    struct skeleton skeleton;
    uint64_t *elements;
    struct idle_lines idle;
    bool leaves;
};

/* Is the argument in the set? */
static inline bool skeleton_has(uint32_t set, size_t argument)
{
    return argument < 32 && set >> argument & 1;
}

static inline uint64_t skeleton_product(const uint64_t sizes[3])
{
    return sizes[0] * sizes[1] * sizes[2];
}

static inline uint32_t skeleton_dimensions(const struct launch_sizes *sizes)
{
    return sizes->global[2] > 1 ? 3 : sizes->global[1] > 1 ? 2 : 1;
}

size_t launch_sizes_plan(const struct skeleton *skeleton, const struct device_config *device,
                         struct group_plan out_plans[PLANS_MOST]);
struct launch_sizes launch_sizes_of(const struct skeleton *skeleton, const struct device_config *device,
                                    const struct group_plan *plan, uint32_t ones);
uint64_t launch_sizes_fewer(uint64_t items, uint32_t dimensions);

void skeleton_fit(const struct skeleton *skeleton, const struct scenario *scenario, const char *file,
                  struct fitting *out_best);
void skeleton_fit_fini(struct fitting *fitting);

enum status skeleton_print(FILE *stream, const struct skeleton *skeleton, const char *source,
                           const uint64_t *elements, struct diagnosis *diagnosis);
char *skeleton_print_numbers(const struct skeleton *skeleton);
char *skeleton_print_alike(const struct skeleton *skeleton);
uint32_t skeleton_numbers(const struct kernel_info *info, size_t bytes);

#endif
