/* SPDX-License-Identifier: Apache-2.0 */
/* The next operation of a stopped wave, and the hash of its state (wave_fingerprint), which shows whether a
 * wave only spins. */
#include <string.h>
#include <xxhash.h>

#include "affine.h"
#include "interp.h"

static bool within(uint32_t op, uint32_t first, uint32_t end)
{
    return op >= first && op < end;
}

static uint64_t lane_cell(const struct wave *wave, uint32_t offset, uint32_t lane)
{
    uint64_t value;
    memcpy(&value, wave->frame + offset + lane * sizeof value, sizeof value);
    return value;
}

static uint64_t affine_cell(const struct wave *wave, uint32_t offset, uint32_t lane)
{
    const struct affine *cell = (const struct affine *)(const void *)(wave->frame + offset);
    return cell->general ? lane_cell(wave, cell->slot, lane)
                         : affine_lane(cell, wave->lane_x[lane], wave->lane_y[lane]);
}

/* Operand a of a memory operation, in the form that its row of op.def gives. */
static uint64_t address_of(const struct wave *wave, uint32_t op, const struct insn *insn, uint32_t lane)
{
    uint64_t offset = within(op, OP_ld_u_8, OP_copy_v) ? (uint64_t)(int64_t)(int32_t)insn->b : 0;
    if (op == OP_copy_v)
        return lane_cell(wave, insn->d, lane);
    if (within(op, OP_ld_u_8, OP_ld_a_8) || within(op, OP_st_u_8, OP_st_a_8) ||
        within(op, OP_atomic_u_32, OP_fence))
        return lane_cell(wave, insn->a, 0) + offset;
    if (within(op, OP_ld_a_8, OP_ld_v_8) || within(op, OP_st_a_8, OP_st_v_8))
        return affine_cell(wave, insn->a, lane) + offset;
    return lane_cell(wave, insn->a, lane) + offset;
}

static uint32_t lowest_lane(const struct wave *wave)
{
    for (uint32_t k = 0; k < LANE_MASK_WORDS; k++)
        if (wave->active.word[k])
            return k * 64 + (uint32_t)__builtin_ctzll(wave->active.word[k]);
    return 0;
}

static enum next_kind kind_of(uint32_t op)
{
    if (op == OP_fence)
        return NEXT_FENCE;
    if (op == OP_printf)
        return NEXT_PRINT;
    if (op == OP_copy_v || op == OP_async_copy)
        return NEXT_COPY;
    return within(op, OP_ld_u_8, OP_fence) ? NEXT_ACCESS : NEXT_UNSEEN;
}

/* Advances from a preemption point to its operation, over instructions of the uninitialised check. */
static bool operation_after(const struct code *code, uint32_t *at)
{
    while (++*at < code->insn_count && kind_of(code->ops[*at]) == NEXT_UNSEEN)
        continue;
    return *at < code->insn_count;
}

bool wave_code_stop(const struct code *code, uint32_t *at, uint32_t *out_site)
{
    while (*at < code->insn_count && code->ops[*at] != OP_yield && code->ops[*at] != OP_barrier &&
           code->ops[*at] != OP_collective)
        ++*at;
    if (*at >= code->insn_count || (code->ops[*at] == OP_yield && !operation_after(code, at)))
        return false;
    *out_site = code->insns[*at].e;
    return true;
}

void wave_next(const struct wave *wave, struct next_operation *out_next)
{
    const struct code *code = wave->code;
    *out_next = (struct next_operation){.kind = NEXT_UNSEEN};
    if (!wave->resume || wave->stop == RUN_DONE)
        return;
    uint32_t at = (uint32_t)(wave->resume - code->insns);
    if (at >= code->insn_count || code->ops[at] != OP_yield || !operation_after(code, &at))
        return;
    *out_next = (struct next_operation){.kind = kind_of(code->ops[at]), .site = code->insns[at].e};
    const struct site *site = &code->sites[out_next->site];
    if (code->ops[at] != OP_async_copy && (out_next->kind == NEXT_ACCESS || out_next->kind == NEXT_COPY))
        out_next->address = address_of(wave, code->ops[at], &code->insns[at], lowest_lane(wave));
    if (out_next->kind == NEXT_ACCESS)
        out_next->size_bytes = site->size * (site->components ? site->components : 1);
}

/* The outermost loop in which the wave is: parked lanes are in it, too, or after it. NULL: no loop with idle
 * values. */
static const struct idle_loop *idle_loop_of(const struct wave *wave)
{
    const struct code *code = wave->code;
    const struct idle_loop *loop = code->idle_loops;
    const uint64_t at = (uint64_t)(wave->resume - code->insns);
    while (loop < code->idle_loops + code->idle_loop_count && !(at >= loop->first && at < loop->end))
        loop++;
    return loop == code->idle_loops + code->idle_loop_count ? NULL : loop;
}

static bool is_idle(const struct idle_loop *loop, uint32_t offset)
{
    for (uint32_t i = 0; loop && i < loop->range_count; i++)
        if (offset >= loop->ranges[i].offset && offset - loop->ranges[i].offset < loop->ranges[i].bytes)
            return true;
    return false;
}

/* What is no value of a lane: cells of uniform and affine values. */
static uint64_t hash_cells(const struct wave *wave, const struct idle_loop *loop, uint32_t end)
{
    uint64_t hash = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; loop && i < loop->range_count && loop->ranges[i].offset < end; i++) {
        hash = XXH3_64bits_withSeed(wave->frame + at, loop->ranges[i].offset - at, hash);
        at = loop->ranges[i].offset + loop->ranges[i].bytes;
    }
    return at < end ? XXH3_64bits_withSeed(wave->frame + at, end - at, hash) : hash;
}

/* Lanes that have ended, or that there are none of, compute on: what they count never repeats. lives: every
 * lane has not ended. */
static uint64_t hash_slot(const struct wave *wave, bool lives, uint32_t offset, uint32_t lane_bytes,
                          uint64_t hash)
{
    uint8_t values[WAVE_LANES_MAX * sizeof(uint64_t)];
    const uint8_t *slot = wave->frame + offset;
    size_t used = 0;
    if (lane_bytes && lives)
        return XXH3_64bits_withSeed(slot, (size_t)wave->lane_count * lane_bytes, hash);
    if (!lane_bytes) {
        lane_mask mask;
        memcpy(&mask, slot, sizeof mask);
        for (uint32_t k = 0; k < LANE_MASK_WORDS; k++)
            mask.word[k] &= wave->live.word[k];
        return XXH3_64bits_withSeed(&mask, sizeof mask, hash);
    }
    for (uint32_t lane = 0; lane < wave->lane_count; lane++)
        if (wave->live.word[lane / 64] >> lane % 64 & 1) {
            memcpy(values + used, slot + (size_t)lane * lane_bytes, lane_bytes);
            used += lane_bytes;
        }
    return XXH3_64bits_withSeed(values, used, hash);
}

static bool all_live(const struct wave *wave)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < LANE_MASK_WORDS; k++)
        count += (uint32_t)__builtin_popcountll(wave->live.word[k]);
    return count == wave->lane_count;
}

static uint64_t hash_frame(const struct wave *wave)
{
    const struct code *code = wave->code;
    const struct idle_loop *loop = idle_loop_of(wave);
    const bool lives = all_live(wave);
    uint64_t hash =
        hash_cells(wave, loop, code->lane_slots_count ? code->lane_slots[0].offset : code->frame_size);
    for (uint32_t s = 0; s < code->lane_slots_count; s++)
        for (uint32_t at = code->lane_slots[s].offset; at < code->lane_slots[s].end;
             at += code->lane_slots[s].stride)
            if (!is_idle(loop, at))
                hash = hash_slot(wave, lives, at, code->lane_slots[s].lane_bytes, hash);
    return hash;
}

uint64_t wave_fingerprint(const struct wave *wave)
{
    const struct code *code = wave->code;
    uint64_t parts[4] = {(uint64_t)(wave->resume - code->insns), hash_frame(wave), 0, wave->refusals};
    if (code->private_size)
        parts[2] = XXH3_64bits(wave->private_memory, (size_t)code->private_size * code->width);
    uint64_t hash = XXH3_64bits(parts, sizeof parts);
    hash = XXH3_64bits_withSeed(&wave->active, sizeof wave->active, hash);
    hash = XXH3_64bits_withSeed(&wave->live, sizeof wave->live, hash);
    for (uint32_t b = 0; wave->parked_blocks && b < code->block_count; b++)
        if (wave->pending_set[b / 64] >> b % 64 & 1)
            hash = XXH3_64bits_withSeed(&wave->pending[b], sizeof wave->pending[b], hash + b);
    return hash;
}
