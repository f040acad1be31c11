/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the operations, and the handlers for this machine. */
#include <stddef.h>

#include "exec_table.h"

const char *const op_names[OP_COUNT] = {
#define OP(name, text) [OP_##name] = #name,
#include "op.def"
#undef OP
};

#if defined __x86_64__ && !defined ORRERY_BASELINE
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

exec_fn *const *op_table_isa(int isa)
{
    switch (isa) {
    case 0: return exec_table_isa0;
#if defined __x86_64__ && !defined ORRERY_BASELINE
    case 1: return __builtin_cpu_supports("avx2") ? exec_table_isa1 : NULL;
    case 2: return has_avx512() ? exec_table_isa2 : NULL;
#endif
    default: return NULL;
    }
}

exec_fn *const *op_table(void)
{
    int isa = 2;
    while (!op_table_isa(isa))
        isa--;
    return op_table_isa(isa);
}
