/* SPDX-License-Identifier: Apache-2.0 */
/* Uninitialised values: poison masks of loads, marks of stores, reports of uses. */
#include "access.h"
#include "affine.h"
#include "lanes.h"

/* The bytes an instruction covers, inactive lanes and gaps between lanes included. */
struct span {
    uint64_t low, bytes;
    bool dense;
}; /* dense: no gaps, every computed lane active */

static inline bool affine_span(const struct insn *insn, const uint32_t *list, const uint8_t *frame,
                               const struct wave *wave, struct span *out)
{
    const struct affine *const a = (const struct affine *)(const void *)(frame + insn->a);
    const struct affine_extent extent = affine_extent(wave, wave->lane_count);
    int64_t low, high;
    if (list[0] == FORM_U) {
        *out =
            (struct span){*AT(const uint64_t, insn->a) + (uint64_t)(int64_t)(int32_t)list[2], list[1], true};
        return true;
    }
    if (list[0] != FORM_A || a->general || !affine_range(a, extent, &low, &high))
        return false;
    *out = (struct span){(uint64_t)a->base + (uint64_t)(int64_t)(int32_t)list[2] + (uint64_t)low,
                         (uint64_t)(high - low) + list[1], false};
    const bool one_row = extent.y == 0 || a->step_y == a->step_x * (int64_t)wave->row;
    out->dense = wave->full && one_row && a->step_x == (int64_t)list[1];
    return true;
}

/* The region when all of the span is in it. */
static inline struct region *span_region(const struct wave *wave, const struct span *span)
{
    struct region *region = memory_region(wave->memory, span->low);
    return span->low >= region->low && span->low <= region->high && span->bytes <= region->high - span->low
               ? region
               : NULL;
}

static inline bool all_defined(const struct region *region, const struct span *span)
{
    return !region->valid || !region->invalid ||
           (span->bytes <= 4096 && memory_range_valid(region, span->low, span->bytes));
}

/* Addresses in lanes: the usual region has nothing uninitialised left. */
static bool list_defined(const struct insn *insn, const uint32_t *list, const uint8_t *frame,
                         const struct wave *wave)
{
    const uint64_t *const addresses =
        AT(const uint64_t, list[0] == FORM_A ? AT(const struct affine, insn->a)->slot : insn->a);
    const uint64_t offset = (uint64_t)(int64_t)(int32_t)list[2];
    const struct region *const region = memory_region(wave->memory, addresses[first_active(wave)] + offset);
    if (region->low > region->high || (region->valid && region->invalid) ||
        region->high - region->low < list[1])
        return false;
    const uint64_t low = region->low - offset, room = region->high - region->low - list[1];
    uint64_t outside = 0;
    EACH_WORD(w, wave->n)
    for (uint64_t bits = wave->active.word[w]; bits; bits &= bits - 1)
        outside |= addresses[w * 64 + (size_t)__builtin_ctzll(bits)] - low > room;
    return !outside;
}

/* ---- private memory: its plane of undefined bytes, by whole words ----------------------------- */

/* The words of lane l at some offset: words + offset / 4 * stride + l. room: the last offset at which all its bytes are inside. */
struct plane { uint32_t *words; uint64_t stride, room; };

static inline bool is_inside(const struct plane *plane, uint64_t offset)
{
    return !(offset & 3) && offset <= plane->room;
}

/* The OR of a word of 16 lanes, of which some are active; with clear it becomes defined. */
static inline __attribute__((always_inline)) uint32_t sweep_block(uint32_t *restrict cell, uint32_t active, bool clear)
{
    uint32_t undefined = 0;
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t mask = 0 - (active >> i & 1);
        undefined |= cell[i] & mask;
        if (clear)
            cell[i] &= ~mask;
    }
    return undefined;
}

static inline __attribute__((always_inline)) uint32_t sweep_row(uint32_t *row, const struct wave *wave, bool clear)
{
    uint32_t undefined = 0;
    EACH_BLOCK(i, wave->n)
    {
        const uint32_t active = wave->active.word[i / 64] >> i % 64 & 0xffff;
        if (active)
            undefined |= sweep_block(row + i, active, clear);
    }
    return undefined;
}

/* All active lanes at one offset. */
static uint32_t sweep_one(const struct plane *plane, const struct wave *wave, uint64_t offset, uint32_t bytes, bool clear)
{
    uint32_t undefined = 0;
    for (uint32_t word = 0; word < bytes; word += 4) {
        uint32_t *const row = plane->words + (offset + word) / 4 * plane->stride;
        undefined |= clear ? sweep_row(row, wave, true) : sweep_row(row, wave, false);
    }
    return undefined;
}

/* The words of all active lanes: OR of what they hold; with clear they become defined. False: not whole
 * words, and some may have become defined. */
static bool private_sweep(const struct insn *insn, const uint32_t *list, uint8_t *frame,
                          const struct wave *wave, bool clear, uint32_t *out_undefined)
{
    const uint64_t *const addresses = AT(const uint64_t, insn->a),
                          base = PRIVATE_BASE - (uint64_t)(int64_t)(int32_t)list[2];
    const uint32_t bytes = list[1];
    const struct plane plane = {(uint32_t *)(void *)wave->private_undefined, wave->code->width, (uint64_t)wave->code->private_size - bytes};
    uint32_t undefined = 0;
    if (!plane.words || bytes & 3 || bytes > wave->code->private_size)
        return false;
    if (list[0] == FORM_PRIVATE_U) {
        if (!is_inside(&plane, addresses[0] - base))
            return false;
        *out_undefined = sweep_one(&plane, wave, addresses[0] - base, bytes, clear);
        return true;
    }
    EACH_WORD(w, wave->n)
    for (uint64_t bits = wave->active.word[w]; bits; bits &= bits - 1) {
        const size_t lane = w * 64 + (size_t)__builtin_ctzll(bits);
        const uint64_t offset = addresses[lane] - base;
        if (!is_inside(&plane, offset))
            return false;
        uint32_t *const cell = plane.words + offset / 4 * plane.stride + lane;
        for (uint32_t word = 0; word < bytes / 4; word++) {
            undefined |= cell[word * plane.stride];
            if (clear)
                cell[word * plane.stride] = 0;
        }
    }
    *out_undefined = undefined;
    return true;
}

static inline bool read_defined(const struct insn *insn, uint8_t *frame, const struct wave *wave)
{
    const uint32_t *const list = &wave->code->operands[insn->b];
    struct span span;
    uint32_t undefined;
    if (list[0] == FORM_PRIVATE_U || list[0] == FORM_PRIVATE_V)
        return private_sweep(insn, list, frame, wave, false, &undefined) && !undefined;
    if (list[0] == FORM_V || (list[0] == FORM_A && AT(const struct affine, insn->a)->general))
        return list_defined(insn, list, frame, wave);
    if (!affine_span(insn, list, frame, wave, &span))
        return false;
    const struct region *const region = span_region(wave, &span);
    return region && all_defined(region, &span);
}

HANDLER(poison_ld)
{
    if (read_defined(insn, frame, wave))
        memset(frame + insn->d, 0, sizeof(lane_mask));
    else
        access_poison(insn, frame, wave, false);
    NEXT;
}

HANDLER(poison_ld_u)
{
    if (read_defined(insn, frame, wave))
        frame[insn->d] = 0;
    else
        access_poison(insn, frame, wave, true);
    NEXT;
}

HANDLER(poison_st)
{
    const uint64_t *const c_ = AT(const uint64_t, insn->c), *const active = wave->active.word;
    struct span span;
    struct region *region;
    if (((c_[0] & active[0]) | (c_[1] & active[1]) | (c_[2] & active[2]) | (c_[3] & active[3])) == 0) {
        const uint32_t *const list = &wave->code->operands[insn->b];
        uint32_t undefined;
        if (list[0] == FORM_PRIVATE_U || list[0] == FORM_PRIVATE_V) {
            if (private_sweep(insn, list, frame, wave, true, &undefined))
                NEXT;
        } else if (read_defined(insn, frame, wave)) {
            NEXT;
        }
        if (affine_span(insn, list, frame, wave, &span) && span.dense &&
            (region = span_region(wave, &span))) {
            memory_set_valid(region, span.low, span.bytes, true);
            NEXT;
        }
    }
    access_mark(insn, frame, wave);
    NEXT;
}

/* Reports only: a value that may be anything is no reason to stop. */
static __attribute__((noinline)) void report(const struct insn *insn, struct wave *wave,
                                             const uint64_t *lanes)
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
    if (__builtin_expect(
            ((a_[0] & active[0]) | (a_[1] & active[1]) | (a_[2] & active[2]) | (a_[3] & active[3])) != 0, 0))
        report(insn, wave, a_);
    NEXT;
}

HANDLER(poison_check_u)
{
    if (__builtin_expect(*AT(uint8_t, insn->a) & 1, 0))
        report(insn, wave, wave->active.word);
    NEXT;
}
