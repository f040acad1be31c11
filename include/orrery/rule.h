/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  RULE(n) marks where rule n of the memory model is applied, so that
 *          tests/scripts/check_mutation.sh can build the checker without it and see its test fail.
 *          In every other build it is true.
 */
#ifndef ORRERY_RULE_H
#define ORRERY_RULE_H

#ifdef MUTATE_RULE
#define RULE(n) ((n) != MUTATE_RULE)
#else
#define RULE(n) true
#endif

#endif
