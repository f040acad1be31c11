/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which locks of the launch (struct locks) concern the accesses of a question.
 *
 * Interface
 *   lock_held_at       the lock that a work-item holds at a place of the code: no barrier can stand there,
 *                      and no kernel can end. NULL: none
 *   lock_of_stores     the lock that both accesses give back; NULL: they are not such stores
 *   lock_is_taken_by   is the plain access of the update that takes a lock, as of `while (*x) ; *x = 1;`?
 */
#ifndef ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_LOCK_H
#define ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_LOCK_H

#include "explain_state.h"

const struct lock *lock_held_at(const struct question *question, const struct code_place *place);
const struct lock *lock_of_stores(const struct question *question);
bool lock_is_taken_by(const struct question *question);

#endif
