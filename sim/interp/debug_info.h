/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of debug information share: records by id, as debug_info.c keeps them, and what
 *          they mean. A record's operands begin at word 5.
 */
#ifndef ORRERY_INTERP_DEBUG_INFO_H
#define ORRERY_INTERP_DEBUG_INFO_H

#include "lower.h"

enum { SCOPES_NESTED = 1000 };

/* debug_info.c */
/* the words of a record of this id; NULL: it is none, or shorter */
const uint32_t *debug_record(struct module *m, uint32_t id, uint32_t length);
/* index of a scope; 0: the program's, or none */
uint32_t debug_scope_of(struct ir *ir, uint32_t id);
const struct debug_type *debug_type_of(struct module *m, uint32_t id);
const char *debug_text(const struct module *m, uint32_t id); /* of an OpString; NULL: none, or empty */
const char *debug_file(const struct ir *ir, uint32_t id);    /* of a DebugSource; NULL: not known */
void debug_declare(struct lower *l, uint32_t variable, uint32_t address);

/* debug_inlined.c: calls that the producer of the module inlined */
/* 1 + index of the inlined call that a DebugScope names; site: its DebugInlinedAt. 0: none */
uint32_t debug_inlined_call(struct lower *l, uint32_t scope, uint32_t site);
/* does the call contain the inlined one? */
bool debug_is_caller(const struct lower *l, uint32_t call, uint32_t inlined);
uint32_t debug_call(const struct lower *l); /* the number of the current call, until debug_lowered() */

/* debug_values.c: a DebugValue of that length gives a variable its value */
void debug_take_value(struct lower *l, const uint32_t *w, uint32_t length);
void debug_place_copies(struct ir *ir); /* call after all private variables of the module are known */

#endif
