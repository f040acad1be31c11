/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Where an uninitialised value came from, in words: the variable, or the element of a buffer or
 *          local variable, that was read without having been written.
 *
 * Interface
 *   uninitialised_say   the reason of a finding; general words where the origin is not known. And the advice:
 *                       what to initialise, nothing where there may be several origins
 */
#ifndef ORRERY_SIM_DEVICE_UNINITIALISED_H
#define ORRERY_SIM_DEVICE_UNINITIALISED_H

#include "fault.h"

struct uninitialised {
    const struct launch *launch;
    const struct wave *wave;
    const struct fault *fault;
    struct commands *commands; /* NULL: commands have no names */
    const char *what;          /* that depends on it: "condition" */
};
void uninitialised_say(const struct uninitialised *of, struct sentence *out_why, struct sentence *out_advice);

#endif
