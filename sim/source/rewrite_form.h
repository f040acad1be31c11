/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The forms of statements that rewrite_update() can replace, and their edits.
 *
 * Each form_x() adds its edits to out, and sets out->commutes. False: the statements have another form, and
 * the caller discards the edits. rewrite_any() decides by guard and definer which forms are tried.
 */
#ifndef ORRERY_SIM_REWRITE_FORM_H
#define ORRERY_SIM_REWRITE_FORM_H

#include "rewrite_state.h"

struct rewritten_loop form_loop_of_write(const struct rewriting *r);

bool form_alone(struct rewriting *r);
bool form_guarded(struct rewriting *r);
bool form_guard_of_more(struct rewriting *r);
bool form_exchange(struct rewriting *r);
bool form_read_exchange(struct rewriting *r);
bool form_wait(struct rewriting *r);
bool form_used_first(struct rewriting *r);
bool form_swap(struct rewriting *r);

/* The object is read into a variable: rewrite_form_read.c. */
bool form_read_first(struct rewriting *r);
bool form_read_and_update(struct rewriting *r);
bool form_read_guarded(struct rewriting *r);

#endif
