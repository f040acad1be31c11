/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What a test suite asks of Orrery: load a scenario, set the seed, look at the
 *          findings.  The one installed header.
 *
 * Interface
 *   orrery_load_scenario_file/text   before a context is created, or after all are gone
 *   orrery_set_option                one option as ORRERY_<OPTION> spells it; for checks that
 *                                    need bookkeeping the same time limit holds
 *   orrery_set_seed                  for the launches that follow
 *   orrery_finding_count/get         walk the findings, in order of first occurrence
 *   orrery_finding_count_of          how many are of one kind ("race-global")
 *   orrery_clear_findings            forget them: the exit status forgets them too
 *   orrery_kernels_run, orrery_time  statistics
 *
 * Reach    Link with -lorrery, or ask the loader for the same names, for instance
 *            orrery_set_seed_fn *set_seed =
 *                clGetExtensionFunctionAddressForPlatform(platform, "orrery_set_seed");
 *          Findings belong to commands that are complete: clFinish first.
 */
#ifndef ORRERY_ORRERY_H
#define ORRERY_ORRERY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum orrery_result {
    ORRERY_OK = 0,
    ORRERY_BAD_SCENARIO = -1, /* the error text says what and where */
    ORRERY_BUSY = -2,         /* contexts are alive */
    ORRERY_FAILED = -3,       /* the device could not be set up */
    ORRERY_NOT_FOUND = -4     /* no finding of that index */
};

/* Strings stay valid until the next finding or orrery_clear_findings; "" when unknown. */
struct orrery_finding {
    const char *id;       /* "out-of-bounds-read" */
    const char *severity; /* "error", "warning" */
    const char *kernel;
    const char *object;   /* "argument 0 'data' (buffer, 64 bytes)" */
    const char *file;     /* of the access the finding is about */
    uint32_t line, column;
    uint64_t offset_bytes;
    uint64_t global_id[3]; /* of the work-item; zeros for a host command */
    uint64_t count;        /* how often at the same place */
    const char *why;
};

/* error may be NULL; else at most error_size bytes with the final NUL. */
typedef int orrery_load_scenario_file_fn(const char *path, char *error, size_t error_size);
typedef int orrery_load_scenario_text_fn(const char *text, char *error, size_t error_size);
typedef int orrery_set_option_fn(const char *option, const char *value, char *error, size_t error_size);
typedef void orrery_set_seed_fn(uint64_t seed);
typedef size_t orrery_finding_count_fn(void);
typedef size_t orrery_finding_count_of_fn(const char *id);
typedef int orrery_finding_get_fn(size_t index, struct orrery_finding *out_finding);
typedef void orrery_clear_findings_fn(void);
typedef uint64_t orrery_kernels_run_fn(void);
typedef uint64_t orrery_time_fn(void); /* simulated nanoseconds */

orrery_load_scenario_file_fn orrery_load_scenario_file;
orrery_load_scenario_text_fn orrery_load_scenario_text;
orrery_set_option_fn orrery_set_option;
orrery_set_seed_fn orrery_set_seed;
orrery_finding_count_fn orrery_finding_count;
orrery_finding_count_of_fn orrery_finding_count_of;
orrery_finding_get_fn orrery_finding_get;
orrery_clear_findings_fn orrery_clear_findings;
orrery_kernels_run_fn orrery_kernels_run;
orrery_time_fn orrery_time;

#ifdef __cplusplus
}
#endif
#endif
