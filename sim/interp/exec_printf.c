/* SPDX-License-Identifier: Apache-2.0 */
/* The handler of printf. */
#include "lanes.h"
#include "ir_print.h"

HANDLER(printf)
{
    print_lanes(insn, frame, wave);
    NEXT;
}
