/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handler of printf, of its own since it is compiled once per instruction set: the work is in ir_print.c,
 * which is compiled once, as formatting gains nothing from vectors.
 */
#include "lanes.h"
#include "ir_print.h"

HANDLER(printf)
{
    print_lanes(insn, frame, wave);
    NEXT;
}
