/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The life of the library in a process: set-up at the first call, the summary and the exit status at
 *          the process's end.
 *
 * Interface
 *   runtime_get             (object.h) the one runtime; sets it up
 *   runtime_load            another scenario; CL_INVALID_OPERATION while there are contexts
 *   runtime_set_option      one option of the scenario that is in force; CL_INVALID_OPERATION, and nothing is
 *                           set, if it needs counters that the device does not keep while contexts live
 *   runtime_restore_options schedule, checks and limits of the report as they were loaded;
 *   CL_INVALID_OPERATION, and
 *                           all but the checks, as above
 *   runtime_kernels_run     launches since the start
 *   runtime_no_progress     prints the summary and ends the process with status 124
 *   runtime_interrupted     prints the summary and the replay line, and ends the process by the signal that
 *                           was caught
 *   runtime_bad_scenario    a schedule or a file that it names does not fit: reports it and ends the process
 *                           with status 2
 *   runtime_lock_held       this thread holds runtime_lock
 *
 * Environment  ORRERY_SCENARIO names a scenario file; then every other ORRERY_<OPTION> is
 *              scenario_apply_option(<option>). ORRERY_SUMMARY: print the summary always.
 *              The variables of the compiler are listed in environment.c.
 */
#ifndef ORRERY_LIB_API_RUNTIME_H
#define ORRERY_LIB_API_RUNTIME_H
#include "object.h"

cl_int runtime_load(const char *path, const char *text, struct diagnosis *diagnosis);
cl_int runtime_restore_options(void);
cl_int runtime_set_option(const char *option, const char *value, struct diagnosis *diagnosis);
uint64_t runtime_kernels_run(void);
_Noreturn void runtime_no_progress(void);
_Noreturn void runtime_interrupted(void);
_Noreturn void runtime_bad_scenario(const struct diagnosis *diagnosis);
bool runtime_lock_held(void);
struct device *runtime_device(void); /* the simulated device */
#endif
