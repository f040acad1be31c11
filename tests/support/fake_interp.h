/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A stand-in for sim/interp that runs toy programs, so that the device, its
 *          groups and its schedule are tested without the interpreter.  Each lane has a
 *          pc; the lanes at the lowest pc run together, as the real waves' blocks do.
 *
 * Interface
 *   fake_program   the toy program of the next module that is loaded
 *   fake_*         counters that tests look at
 */
#ifndef ORRERY_TESTS_SUPPORT_FAKE_INTERP_H
#define ORRERY_TESTS_SUPPORT_FAKE_INTERP_H

#include "sim/interp/interp.h"

enum fake_kind {
    FAKE_RETURN,
    FAKE_WORK,   /* act(item) */
    FAKE_BRANCH, /* to target if test(item), else on */
    FAKE_SPIN,   /* stay while test(item); costs a step */
    FAKE_BARRIER,
    FAKE_SUB_GROUP_BARRIER,
    FAKE_COLLECTIVE,
    FAKE_SUB_GROUP_COLLECTIVE,
    FAKE_FAULT /* the lanes of test(item) are at fault and stop */
};

struct fake_op {
    enum fake_kind kind;
    uint32_t target;
    bool (*test)(const struct item *item);
    void (*act)(const struct item *item);
    struct fault fault;
};

struct fake_program {
    const struct fake_op *ops; /* ends with FAKE_RETURN; line of op i is i + 1 */
    struct kernel_info info;
    struct kernel_traits traits;
    const struct local_object *locals;
    uint32_t local_count;
    const struct private_object *privates;
    uint32_t private_count;
    uint32_t private_size;
    const struct module_variable *variables;
    size_t variable_count;
};
extern struct fake_program fake_program;

extern uint32_t fake_waves_alive, fake_waves_made, fake_splits, fake_collectives, fake_collective_lanes;
extern uint32_t fake_widest;        /* most lanes a wave was started with */
extern uint64_t fake_local_address; /* of local object 0 in the last wave started */
extern struct code_request fake_request;
extern bool fake_observed; /* the last wave started has an observer */

#endif
