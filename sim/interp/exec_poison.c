/* SPDX-License-Identifier: Apache-2.0 */
/* Uninitialised values: poison masks of loads, marks of stores, reports of uses. */
#include "access.h"
#include "lanes.h"

HANDLER(poison_ld)
{
    access_poison(insn, frame, wave, false);
    NEXT;
}

HANDLER(poison_ld_u)
{
    access_poison(insn, frame, wave, true);
    NEXT;
}

HANDLER(poison_st)
{
    access_mark(insn, frame, wave);
    NEXT;
}

/* Reports only: a value that may be anything is no reason to stop. */
static __attribute__((noinline)) void report(const struct insn *insn, struct wave *wave, const uint64_t *lanes)
{
    struct fault fault = {.kind = (enum fault_kind)insn->f, .site = insn->e};
    for (uint32_t w = LANE_MASK_WORDS; w-- > 0;) {
        const uint64_t bits = lanes[w] & wave->active.word[w];
        fault.lanes += (uint64_t)__builtin_popcountll(bits);
        if (bits)
            fault.lane = w * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    if (fault.lanes)
        wave->host->fault(wave->host->self, wave, &fault);
}

HANDLER(poison_check_v)
{
    const uint64_t *const a_ = AT(uint64_t, insn->a), *const active = wave->active.word;
    if (__builtin_expect(((a_[0] & active[0]) | (a_[1] & active[1]) | (a_[2] & active[2]) | (a_[3] & active[3])) != 0, 0))
        report(insn, wave, a_);
    NEXT;
}

HANDLER(poison_check_u)
{
    if (__builtin_expect(*AT(uint8_t, insn->a) & 1, 0))
        report(insn, wave, wave->active.word);
    NEXT;
}
