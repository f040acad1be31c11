/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers of one instruction set, in op order. A missing one does not link. */
#include "exec_table.h"
#include "lanes.h"

exec_fn *const EXEC(table)[OP_COUNT] = {
#define OP(name, text) [OP_##name] = EXEC(name),
#include "op.def"
#undef OP
};
