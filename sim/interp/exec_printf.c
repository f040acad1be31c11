/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handler of printf, of its own since it is compiled once per instruction set: the work is in
 * printf_format.c, which is compiled once, as formatting gains nothing from vectors.
 */
#include "lanes.h"
#include "printf_format.h"

HANDLER(printf)
{
    printf_lanes(insn, frame, wave);
    NEXT;
}
