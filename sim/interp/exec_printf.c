/* SPDX-License-Identifier: Apache-2.0 */
/* The handler of printf. Handlers are compiled once per instruction set; the work is in printf_format.c,
 * which is compiled once, since formatting gains nothing from vectors. */
#include "lanes.h"
#include "printf_format.h"

HANDLER(printf)
{
    printf_lanes(insn, frame, wave);
    NEXT;
}
