/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes.h"
#include "print.h"

HANDLER(printf)
{
    print_lanes(insn, frame, wave);
    NEXT;
}
