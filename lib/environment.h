/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Settings from the environment.
 *
 * Interface
 *   environment_apply                applies the options of ORRERY_* to the scenario
 *   environment_configure_compiler   gives the front end its programs and its cache directory
 */
#ifndef ORRERY_LIB_ENVIRONMENT_H
#define ORRERY_LIB_ENVIRONMENT_H
#include "orrery/scenario.h"
#include "orrery/status.h"

enum status environment_apply(struct scenario *scenario, struct diagnosis *diagnosis);
void environment_configure_compiler(void);
#endif
