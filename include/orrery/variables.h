/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which variables of the environment are Orrery's: one for each option of a scenario, and those that
 *          are no option.
 *
 * Interface
 *   variables_check   NOT_FOUND, with the nearest name, for a variable that begins with ORRERY_ and is none
 *                     of them: most likely a misspelt option, which would change nothing
 */
#ifndef ORRERY_VARIABLES_H
#define ORRERY_VARIABLES_H

#include "orrery/status.h"

enum status variables_check(char *const environment[], struct diagnosis *diagnosis);

#endif
