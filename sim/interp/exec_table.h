/* SPDX-License-Identifier: Apache-2.0 */
/* PURPOSE  The tables of handlers that exec_table.c defines, one per instruction set; op.c chooses one. */
#ifndef ORRERY_INTERP_EXEC_TABLE_H
#define ORRERY_INTERP_EXEC_TABLE_H

#include "bytecode.h"

extern exec_fn *const exec_table_isa0[OP_COUNT];
#if defined __x86_64__ && !defined ORRERY_BASELINE
extern exec_fn *const exec_table_isa1[OP_COUNT];
extern exec_fn *const exec_table_isa2[OP_COUNT];
#endif

#endif
