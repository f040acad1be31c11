/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers of one instruction set, in the order of op.def. The linker reports a missing one. */
#include "exec_table.h"
#include "lanes.h"

exec_fn *const EXEC(table)[OP_COUNT] = {
#define OP(name, text) [OP_##name] = EXEC(name),
#include "op.def"
#undef OP
};
