/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The launches of a scenario: each is checked against its kernel and begins; those that are marked
 *          as concurrent run at the same time.
 *
 * Interface
 *   scenario_launch_all   all of them, in order; addresses holds their buffers. NO_PROGRESS when one made
 *                         none; another status when one could not begin for a reason that is no finding
 *   scenario_perform      a whole run of a struct run that has scenario, diagnosis, report and output
 */
#ifndef ORRERY_SIM_SCENARIO_SCENARIO_LAUNCH_H
#define ORRERY_SIM_SCENARIO_SCENARIO_LAUNCH_H

#include "orrery/device.h"
#include "orrery/scenario_run.h"
#include "sim/device/placement_log.h"

/* A scenario that runs. */
struct run {
    const struct scenario *scenario;
    struct diagnosis *diagnosis;
    struct report *report;
    struct device *device;
    struct program *program;
    /* [launch][argument] of buffers and images; samplers, numbers of queues; 0 elsewhere */
    uint64_t **addresses;
    uint32_t *launch_commands; /* [launch] */
    struct placed placed;      /* when the scenario expects a placement */
    uint32_t commands;
    uint32_t buffers;
    uint32_t queue; /* the default device queue; 0: none */
    uint64_t steps; /* loop iterations of the launches that are over */
    FILE *output;
    /* the launches are over: completes the findings before pages are written; or NULL */
    void (*complete)(struct run *run);
    const struct built *built; /* the program; NULL: it is still to be built. Borrowed */
    struct contents *contents; /* gets the final contents of the buffers; NULL: not wanted */
};

/* The results of scenario_build. */
struct built {
    struct spirv spirv;
    struct scenario_source source;
};

/* The contents of one argument's memory, of its type; empty of arguments without memory of their own. */
struct contents {
    size_t count;
    struct value_list *values; /* launch after launch, argument after argument */
};

static inline const struct scenario_arg *run_arg(const struct run *run, size_t launch, size_t arg)
{
    return &run->scenario->launches[launch].args[arg];
}

enum status scenario_launch_all(struct run *run);

/* Everything up to the results, on a device of the run's own; run_fini afterwards, on every return. */
enum status scenario_perform(struct run *run, struct scenario_result *result);
void scenario_run_fini(struct run *run);
void contents_fini(struct contents *contents);

#endif
