/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The interface for a test suite: loads a scenario, sets the seed, reads the findings.
 *
 * Interface
 *   orrery_load_scenario_file/text   before a context is created, or after all are released
 *   orrery_set_option                sets one option, named as in ORRERY_<OPTION>; an option that enables a
 *                                    check needs a process without contexts, else ORRERY_BUSY
 *   orrery_set_seed                  for the following launches
 *   orrery_finding_count/get         the findings, in order of first occurrence
 *   orrery_finding_count_of          the number of findings of one kind ("race-global")
 *   orrery_new_findings              the number of findings since its last call, and their text: for a
 *                                    listener of a test framework at the end of each test
 *   orrery_clear_findings            forgets all findings, also for the exit status
 *   orrery_expect, orrery_forbid     findings that a test expects, and that it forbids
 *   orrery_check_expectations        the expectations that do not hold, as text
 *   orrery_reset                     at the end of a test: findings, expectations, options and counts become
 *                                    as after loading
 *   orrery_statistics_get            counts since the last reset
 *   orrery_kernels_run, orrery_time  kernels and simulated time of the whole process
 *
 * Reach    Link with -lorrery, or get the same names from the loader, for instance
 *            orrery_set_seed_fn *set_seed =
 *                clGetExtensionFunctionAddressForPlatform(platform, "orrery_set_seed");
 *          Findings are complete only for complete commands: call clFinish first, or clFlush before
 *          orrery_reset, orrery_new_findings and orrery_check_expectations, which wait for flushed commands.
 * Threads  Expectations belong to the process: one test at a time.
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
    ORRERY_BAD_SCENARIO = -1, /* see the error text */
    ORRERY_BUSY = -2,   /* there are contexts: nothing was set; orrery_reset has reset all but the checks */
    ORRERY_FAILED = -3, /* the device could not be set up */
    ORRERY_NOT_FOUND = -4, /* no finding of that index, or no kind of finding with that id */
    ORRERY_UNMET = -5      /* expectations are unmet */
};

/* One of the accesses of a finding. */
struct orrery_access {
    const char *file, *text; /* the source line */
    uint32_t line, column;
    const char *what; /* "plain store" */
    const char *by;   /* what accessed, when it is no work-item */
    uint64_t global_id[3], group_id[3];
    uint32_t size_bytes;
    int has_value; /* what it read or, of a store, wrote */
    uint64_t value;
    int has_written; /* what an atomic update wrote */
    uint64_t written;
    int has_item;       /* of a work-item: global_id, group_id and sub_group are set */
    uint32_t sub_group; /* within the work-group */
    const char *order;  /* of an atomic access of a race: "acq_rel" */
    const char *scope;  /* likewise: "work_group" */
};

/* Strings are valid until the next finding or orrery_clear_findings; "": unknown. Until version 1.0
 * members are added at the ends of structures, so programs must be built with the header of the installed
 * version. */
struct orrery_finding {
    const char *id;       /* "out-of-bounds-read" */
    const char *severity; /* "error", "warning" */
    const char *kernel;
    const char *object; /* "argument 0 'data' (buffer, 64 bytes)" */
    const char *file;   /* of the access the finding is about */
    uint32_t line, column;
    uint64_t offset_bytes;
    uint64_t global_id[3]; /* of the work-item; zeros for a host command */
    uint64_t count;        /* how often at the same place */
    const char *why;
    const char *fix;
    int fix_verified; /* a run of the launch with the fix had no such race; 0: not verified. See fix_claim */
    const char *spec;
    uint32_t access_count; /* 0, 1 or 2 */
    struct orrery_access access[2];
    uint64_t length_bytes; /* from offset_bytes on; of two accesses, the bytes that both accessed */
    const char *cause;     /* the id of the finding that this one may follow from, and its place */
    const char *cause_file;
    uint32_t cause_line, cause_column;
    /* "tried", "compiles" (not run again), and of advice "orders", "fails" or "none" */
    const char *fix_claim;
};

struct orrery_statistics {
    uint64_t kernels;                      /* launches */
    uint64_t errors, warnings, suppressed; /* distinct findings */
    uint64_t occurrences;                  /* of errors and warnings */
    uint64_t nanoseconds;                  /* simulated */
};

/* error may be NULL; else at most error_size bytes with the final NUL. */
typedef int orrery_load_scenario_file_fn(const char *path, char *error, size_t error_size);
typedef int orrery_load_scenario_text_fn(const char *text, char *error, size_t error_size);
typedef int orrery_set_option_fn(const char *option, const char *value, char *error, size_t error_size);
typedef void orrery_set_seed_fn(uint64_t seed);
typedef size_t orrery_finding_count_fn(void);
typedef size_t orrery_finding_count_of_fn(const char *id);
typedef int orrery_finding_get_fn(size_t index, struct orrery_finding *out_finding);
/* Findings that occurred since the last call, of the severities that decide the exit status. text may be
 * NULL; else it gets the text that the terminal got, cut at size. */
typedef size_t orrery_new_findings_fn(char *text, size_t size);
typedef void orrery_clear_findings_fn(void);
/* min to max distinct findings whose id and kernel match (* is any text; kernel NULL: any) and that have an
 * access in that line (0: any). */
typedef int orrery_expect_fn(const char *id, const char *kernel, uint32_t line, size_t min, size_t max);
/* No finding may match, except expected ones; "*": no other finding. */
typedef int orrery_forbid_fn(const char *id);
/* ORRERY_OK or ORRERY_UNMET; text may be NULL; else a line for each expectation that does not hold, cut
 * at size. */
typedef int orrery_check_expectations_fn(char *text, size_t size);
typedef int orrery_reset_fn(void); /* ORRERY_FAILED: the device could not be set up as it was */
typedef void orrery_statistics_get_fn(struct orrery_statistics *out_statistics);
typedef uint64_t orrery_kernels_run_fn(void);
typedef uint64_t orrery_time_fn(void); /* simulated nanoseconds */

orrery_load_scenario_file_fn orrery_load_scenario_file;
orrery_load_scenario_text_fn orrery_load_scenario_text;
orrery_set_option_fn orrery_set_option;
orrery_set_seed_fn orrery_set_seed;
orrery_finding_count_fn orrery_finding_count;
orrery_finding_count_of_fn orrery_finding_count_of;
orrery_finding_get_fn orrery_finding_get;
orrery_new_findings_fn orrery_new_findings;
orrery_clear_findings_fn orrery_clear_findings;
orrery_expect_fn orrery_expect;
orrery_forbid_fn orrery_forbid;
orrery_check_expectations_fn orrery_check_expectations;
orrery_reset_fn orrery_reset;
orrery_statistics_get_fn orrery_statistics_get;
orrery_kernels_run_fn orrery_kernels_run;
orrery_time_fn orrery_time;

#ifdef __cplusplus
}
#endif
#endif
