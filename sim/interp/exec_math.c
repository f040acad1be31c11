/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of the built-in math functions: each function of math_table.c is one loop over lanes. */
#include "lanes.h"
#include "math.h"

enum { OPERANDS = 5, RESULTS = 2, UNIFORM_BYTES = 16 * 8 }; /* 16 lanes of at most 8 bytes */

static inline math_fn *math_function(const struct insn *insn)
{
    return (math_fn *)(uintptr_t)(insn->e | (uint64_t)insn->f << 32);
}

static __attribute__((noinline)) void call_on_lanes(const struct insn *insn, uint8_t *frame,
                                                    const struct wave *wave)
{
    const uint32_t *const list = &wave->code->operands[insn->d];
    void *place[OPERANDS];
    for (int k = 0; k < OPERANDS; k++)
        place[k] = list[k] == UINT32_MAX ? NULL : frame + list[k];
    math_function(insn)(wave->n, place, (const void *const *)(place + RESULTS));
}

HANDLER(math_v)
{
    call_on_lanes(insn, frame, wave);
    NEXT;
}

/* Lane 0 is at the start of a cell for every width of lanes; the other lanes of a uniform cell have
 * arbitrary bits. */
static __attribute__((noinline)) void call_on_cells(const struct insn *insn, uint8_t *frame,
                                                    const struct wave *wave)
{
    const uint32_t *const list = &wave->code->operands[insn->d];
    _Alignas(64) uint8_t lanes[OPERANDS][UNIFORM_BYTES];
    void *place[OPERANDS];
    for (int k = 0; k < OPERANDS; k++) {
        place[k] = list[k] == UINT32_MAX ? NULL : lanes[k];
        for (int i = 0; k >= RESULTS && place[k] && i < UNIFORM_BYTES; i += 8)
            memcpy(lanes[k] + i, frame + list[k], 8);
    }
    math_function(insn)(16, place, (const void *const *)(place + RESULTS));
    for (int k = 0; k < RESULTS; k++)
        if (place[k])
            memcpy(frame + list[k], lanes[k], 8);
}

HANDLER(math_u)
{
    call_on_cells(insn, frame, wave);
    NEXT;
}
