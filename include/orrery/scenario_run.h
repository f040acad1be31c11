/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A scenario that needs no host program: build its program, allocate its
 *          buffers, launch its kernels, read back and compare their results.
 *          `orrery run` and `orrery check` share it.
 *
 * Interface
 *   scenario_build       the program's SPIR-V: OpenCL C, SPIR-V or its assembly
 *   scenario_run         everything, on a device of its own
 *
 * Findings go to the report.  A launch that ends with a finding is no failure of
 * scenario_run; NO_PROGRESS means that one of them did not end by itself.
 */
#ifndef ORRERY_SCENARIO_RUN_H
#define ORRERY_SCENARIO_RUN_H

#include "orrery/compiler.h"
#include "orrery/profile.h"
#include "orrery/report.h"
#include "orrery/scenario.h"

/* OpenCL C, for findings; NULL when there is none. compiled: how, with options and directory. */
struct scenario_source {
    char *name, *text;
    bool detailed_errors, uniform_groups, unoptimised;
    struct compile_request compiled;
    char *options, *anchor; /* what `compiled` borrows */
};

struct scenario_result {
    char *output; /* of printf, terminated */
    size_t output_size;
    char *counters_text;        /* counters as text, when the scenario wants them; else NULL */
    char *counters;             /* and as JSON */
    struct diagnosis unwritten; /* a file of counters, timeline or trace that could not be written; the run is
                                   none the worse */
    uint64_t kernels_run;
    uint64_t time_ns;               /* simulated, from the device's beginning to the end of the launches */
    struct schedule_record *record; /* what the launches chose; NULL: there was no device */
    size_t buffer_count;            /* as expect.buffers; the same types and counts */
    struct value_list *buffers;
    struct idle_lines idle; /* if the scenario counts them */
    /* if the scenario measures them; for each argument of the first launch, bytes up to the last accessed */
    uint64_t *extents;
    size_t placement_count;       /* as expect.placements */
    struct unit_list *placements; /* of every group of the launch; UINT32_MAX: did not run */
};

/* out_log is malloc'd, set on every return: the log of the compiler or validator. */
enum status scenario_build(const struct scenario *scenario, struct spirv *out_spirv,
                           struct scenario_source *out_source, char **out_log, struct diagnosis *diagnosis);
/* The same for the file with a device's built-in kernels, in the newest OpenCL C that the device has. */
enum status scenario_build_built_ins(const struct scenario *scenario, const struct device_config *device,
                                     struct spirv *out_spirv, struct scenario_source *out_source,
                                     char **out_log, struct diagnosis *diagnosis);
void scenario_source_fini(struct scenario_source *source);

/* BAD_SCENARIO: a launch does not fit the program.  out_result is set on every return. */
enum status scenario_run(const struct scenario *scenario, struct report *report,
                         struct scenario_result *out_result, struct diagnosis *diagnosis);
void scenario_result_fini(struct scenario_result *result);

#endif
