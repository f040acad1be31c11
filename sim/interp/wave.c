/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waves: their memory, the initial values of their frame, running, and splitting. Ids are stored as base +
 * step * lane where lanes fill whole rows, otherwise lane by lane. wave_run runs slices until the budget is
 * used up; a slice that ends early resumes without effect. wave_split copies a wave so that some of its lanes
 * run separately.
 */
#include "wave.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "exec_control.h"
#include "interp.h"
#include "poison_trail.h"

/* The private part, after the public struct. */
struct wave_memory {
    struct wave wave;
    bool owns_private;
    uint32_t table_row; /* the row length for which lane_x and lane_y were computed */
    int32_t *x, *y;
    void *block, *private_block;
};

static size_t round_up(size_t size)
{
    return (size + 63) / 64 * 64;
}

static size_t private_bytes(const struct code *code)
{
    return round_up((size_t)code->private_size * code->width);
}

static size_t private_row_bytes(const struct code *code)
{
    return round_up(code->private_size / 4 + 1);
}

static bool allocate_private(struct wave *wave, bool track_validity)
{
    struct wave_memory *m = (struct wave_memory *)wave;
    const size_t plane = private_bytes(wave->code), rows = private_row_bytes(wave->code);
    m->private_block = calloc(1, (track_validity ? 2 * plane + rows : plane) + 64);
    m->owns_private = true;
    wave->private_memory = (uint8_t *)(((uintptr_t)m->private_block + 63) / 64 * 64);
    if (track_validity) {
        wave->private_undefined = wave->private_memory + plane;
        wave->private_rows = wave->private_undefined + plane;
    }
    return m->private_block;
}

static struct wave *allocate(const struct code *code)
{
    size_t frame = round_up(code->frame_size) + 64, pending = round_up(code->block_count * sizeof(lane_mask));
    size_t set = round_up((code->block_count / 64 + 1) * 8), table = round_up(WAVE_LANES_MAX * 4);
    struct wave_memory *m = calloc(1, sizeof *m);
    uint8_t *block = m ? aligned_alloc(64, frame + pending + set + 2 * table) : NULL;
    if (!block) {
        free(m);
        return NULL;
    }
    memset(block, 0, frame + pending + set + 2 * table);
    m->block = block;
    m->wave.code = code;
    m->wave.frame = block;
    m->wave.pending = (lane_mask *)(void *)(block + frame);
    m->wave.pending_set = (uint64_t *)(void *)(block + frame + pending);
    m->x = (int32_t *)(void *)(block + frame + pending + set);
    m->y = (int32_t *)(void *)(block + frame + pending + set + table);
    m->wave.lane_x = m->x;
    m->wave.lane_y = m->y;
    return &m->wave;
}

struct wave *wave_new(const struct code *code, struct memory *memory, const struct wave_host *host,
                      const struct observer *observer)
{
    struct wave *wave = allocate(code);
    if (!wave)
        return NULL;
    if (code->private_size && !allocate_private(wave, memory->track_validity)) {
        wave_free(wave);
        return NULL;
    }
    wave->memory = memory;
    wave->host = host;
    wave->observer = wave->own_observer = observer;
    CHECKED(code->template_size <= code->frame_size);
    memcpy(wave->frame, code->template_bytes, code->template_size);
    return wave;
}

void wave_free(struct wave *wave)
{
    struct wave_memory *m = (struct wave_memory *)wave;
    if (!wave)
        return;
    if (wave->code->debug && wave->host)
        wave->host->gone(wave->host->debugger, wave);
    if (m->owns_private)
        free(m->private_block);
    poison_trail_free(wave->trail);
    free(m->block);
    free(m);
}

/* ---- inputs -------------------------------------------------------------------------------- */

static void set_cell(struct wave *wave, uint32_t offset, uint64_t value)
{
    memcpy(wave->frame + offset, &value, 8);
}

static struct affine *input(struct wave *wave, uint32_t offset)
{
    struct affine *cell = (struct affine *)(void *)(wave->frame + offset);
    return cell->slot ? cell : NULL;
}

static void set_affine(struct wave *wave, uint32_t offset, int64_t base, int64_t step_x, int64_t step_y)
{
    struct affine *cell = input(wave, offset);
    if (!cell)
        return;
    cell->base = base;
    cell->step_x = step_x;
    cell->step_y = step_y;
    cell->general = 0;
}

static void set_lane(struct wave *wave, uint32_t offset, uint32_t lane, uint64_t value)
{
    struct affine *cell = (struct affine *)(void *)(wave->frame + offset);
    bool narrow = offset >= INPUT_SUB_GROUP_ID;
    if (!cell->slot)
        return;
    cell->general = 1;
    if (narrow)
        memcpy(wave->frame + cell->slot + lane * 4, &value, 4);
    else
        memcpy(wave->frame + cell->slot + lane * 8, &value, 8);
}

static void lane_tables(struct wave *wave, uint32_t row)
{
    struct wave_memory *m = (struct wave_memory *)wave;
    wave->row = row;
    CHECKED(row > 0);
    if (m->table_row == row)
        return;
    m->table_row = row;
    for (uint32_t i = 0; i < WAVE_LANES_MAX; i++) {
        m->x[i] = (int32_t)(i % row);
        m->y[i] = (int32_t)(i / row);
    }
}

static uint64_t linear_size(const uint64_t size[3])
{
    return size[0] * size[1] * size[2];
}

/* Position-dependent inputs, when lanes fill whole rows of one plane (or lie in one row). */
static void affine_ids(struct wave *wave, const struct wave_start *start, bool one_row)
{
    const struct origin *o = &start->origin;
    const struct launch_info *l = o->launch;
    uint32_t tx = o->tile_size[0], ty = o->tile_size[1];
    int64_t at[3] = {o->first_lane % tx, o->first_lane / tx % ty, o->first_lane / tx / ty}, id[3];
    int64_t step_y = one_row ? 0 : 1;
    for (int k = 0; k < 3; k++) {
        id[k] = (int64_t)o->tile_origin[k] + at[k];
        int64_t steps[3][2] = {{1, 0}, {0, step_y}, {0, 0}};
        set_affine(wave, INPUT_LOCAL_ID + AFFINE_STRIDE * (uint32_t)k, at[k], steps[k][0], steps[k][1]);
        set_affine(wave, INPUT_GLOBAL_ID + AFFINE_STRIDE * (uint32_t)k,
                   (int64_t)((uint64_t)id[k] + l->global_offset[k]), steps[k][0], steps[k][1]);
    }
    set_affine(wave, INPUT_LOCAL_LINEAR_ID, o->first_lane, 1, one_row ? 0 : (int64_t)tx);
    /* a size_t, which wraps around in the largest launches */
    const uint64_t row = l->global_size[0], plane = row * l->global_size[1],
                   linear = (uint64_t)id[0] + (uint64_t)id[1] * row + (uint64_t)id[2] * plane;
    set_affine(wave, INPUT_GLOBAL_LINEAR_ID, (int64_t)linear, 1, one_row ? 0 : (int64_t)row);
}

static void general_ids(struct wave *wave, const struct wave_start *start)
{
    const struct origin *o = &start->origin;
    const struct launch_info *l = o->launch;
    for (uint32_t lane = 0; lane < wave->n; lane++) {
        uint64_t linear = o->first_lane + lane, plane = (uint64_t)o->tile_size[0] * o->tile_size[1];
        uint64_t at[3] = {linear % o->tile_size[0], linear / o->tile_size[0] % o->tile_size[1],
                          linear / plane},
                 id[3];
        for (uint32_t k = 0; k < 3; k++) {
            id[k] = o->tile_origin[k] + at[k];
            set_lane(wave, INPUT_LOCAL_ID + AFFINE_STRIDE * k, lane, at[k]);
            set_lane(wave, INPUT_GLOBAL_ID + AFFINE_STRIDE * k, lane, id[k] + l->global_offset[k]);
        }
        set_lane(wave, INPUT_LOCAL_LINEAR_ID, lane, linear);
        set_lane(wave, INPUT_GLOBAL_LINEAR_ID, lane,
                 id[0] + (id[1] + id[2] * l->global_size[1]) * l->global_size[0]);
    }
}

static void sub_group_ids(struct wave *wave, const struct wave_start *start)
{
    uint64_t size = start->origin.launch->sub_group_size, total = linear_size(start->local_size);
    if (!input(wave, INPUT_SUB_GROUP_ID) && !input(wave, INPUT_SUB_GROUP_LOCAL_ID) &&
        !input(wave, INPUT_SUB_GROUP_SIZE))
        return;
    for (uint32_t lane = 0; lane < wave->n; lane++) {
        uint64_t linear = start->origin.first_lane + lane, first = linear / size * size;
        set_lane(wave, INPUT_SUB_GROUP_ID, lane, linear / size);
        set_lane(wave, INPUT_SUB_GROUP_LOCAL_ID, lane, linear % size);
        set_lane(wave, INPUT_SUB_GROUP_SIZE, lane, total - first < size ? total - first : size);
    }
}

static void fill_inputs(struct wave *wave, const struct wave_start *start)
{
    const struct launch_info *l = start->origin.launch;
    uint64_t sub = l->sub_group_size ? l->sub_group_size : 1;
    for (uint32_t k = 0; k < 3; k++) {
        set_cell(wave, INPUT_GROUP_ID + 8 * k, start->group_id[k]);
        set_cell(wave, INPUT_LOCAL_SIZE + 8 * k, start->local_size[k]);
        set_cell(wave, INPUT_GROUP_COUNT + 8 * k, l->group_count[k]);
        set_cell(wave, INPUT_ENQUEUED_LOCAL_SIZE + 8 * k, l->local_size[k]);
        set_cell(wave, INPUT_GLOBAL_SIZE + 8 * k, l->global_size[k]);
        set_cell(wave, INPUT_GLOBAL_OFFSET + 8 * k, l->global_offset[k]);
    }
    set_cell(wave, INPUT_WORK_DIM, l->work_dim);
    set_cell(wave, INPUT_SUB_GROUP_MAX_SIZE, sub);
    set_cell(wave, INPUT_SUB_GROUP_COUNT, (linear_size(start->local_size) + sub - 1) / sub);
    set_cell(wave, INPUT_ENQUEUED_SUB_GROUP_COUNT, (linear_size(l->local_size) + sub - 1) / sub);
}

void wave_start(struct wave *wave, const struct wave_start *start)
{
    const struct origin *o = &start->origin;
    const struct code *code = wave->code;
    uint32_t tx = o->tile_size[0], plane = tx * o->tile_size[1];
    CHECKED(start->lane_count > 0 && start->lane_count <= code->width && tx > 0);
    wave->origin = *o;
    wave->observer = start->observer ? start->observer : wave->own_observer;
    wave->alone = start->alone;
    wave->agreement = start->agreement;
    wave->reached = start->reached;
    wave->agreed = 0;
    poison_trail_clear(wave->trail);
    wave->kernel = start->kernel;
    wave->arg_values = start->arg_values;
    wave->lane_count = start->lane_count;
    wave->n = (start->lane_count + 15) / 16 * 16;
    CHECKED(wave->n <= WAVE_LANES_MAX);
    fill_inputs(wave, start);
    memcpy(wave->frame + code->args_offset, start->args, code->args_size);
    for (uint32_t i = 0; i < code->local_object_count; i++)
        set_cell(wave, code->local_objects[i].cell, start->local_addresses[i]);
    bool one_row = o->first_lane % tx + start->lane_count <= tx;
    bool rows = o->first_lane % tx == 0 && o->first_lane % plane + start->lane_count <= plane;
    lane_tables(wave, one_row || !rows ? WAVE_LANES_MAX : tx);
    if (wave->observer)
        wave_begin_events(wave);
    if (one_row || rows)
        affine_ids(wave, start, one_row);
    else
        general_ids(wave, start);
    sub_group_ids(wave, start);
    for (uint32_t k = 0; k < LANE_MASK_WORDS; k++) {
        uint32_t left = start->lane_count > 64 * k ? start->lane_count - 64 * k : 0;
        wave->active.word[k] = left >= 64 ? ~0ull : (1ull << left) - 1;
    }
    wave->live = wave->active;
    wave->full = wave->n == wave->lane_count;
    if (wave->private_undefined) {
        memset(wave->private_undefined, !code->zero_private, private_bytes(code));
        memset(wave->private_rows, 0, private_row_bytes(code));
    }
    if (wave->private_memory && code->zero_private)
        memset(wave->private_memory, 0, private_bytes(code));
    if (wave->parked_blocks) {
        memset(wave->pending_set, 0, (code->block_count / 64 + 1) * 8);
        wave->parked_blocks = 0;
    }
    wave->steps = wave->work = wave->owed = 0;
    wave->refusals = 0;
    wave->unwaited_count = wave->unwatched = wave->copies = 0;
    wave->resume = code->insns;
    wave->stop = RUN_YIELD;
}

void interp_args(const struct code *code, const struct kernel_info *info, const struct launch_arg *args,
                 uint8_t *out)
{
    uint32_t offset = 0;
    memset(out, 0, code->args_size);
    for (size_t i = 0; i < info->arg_count; i++) {
        uint32_t align = (uint32_t)(info->args[i].align ? info->args[i].align : 1),
                 size = (uint32_t)info->args[i].size;
        offset = (offset + align - 1) / align * align;
        CHECKED(offset + size <= code->args_size);
        if (info->args[i].kind == ARG_IMAGE)
            memcpy(out + offset, &(uint64_t){i + 1}, sizeof(uint64_t));
        else if (info->args[i].kind != ARG_LOCAL && args[i].value)
            memcpy(out + offset, args[i].value, args[i].size < size ? args[i].size : size);
        offset += size;
    }
}

/* Back edges between two checks for an interrupt: some milliseconds. */
enum { SLICE = 1 << 16 };

/* Returns what is left of the budget; negative: it is used up. */
static int64_t run_slice(struct wave *wave, int64_t budget)
{
    const int64_t slice = budget < SLICE ? budget : SLICE;
    const struct insn *insn = wave->resume;
    wave->budget = slice;
    if (wave->host && wave->host->slice)
        wave->host->slice(wave->host->debugger, wave);
    while (insn)
        insn = insn->exec(insn, wave->frame, wave);
    return budget - slice + wave->budget;
}

static bool is_interrupted(const struct wave *wave)
{
    return wave->host->interrupted && wave->host->interrupted(wave->host->self);
}

/*
 * A wave that yields at the end of a budget resumes without effect: how a time slice is divided does not
 * change the execution.
 */
enum run_result wave_run(struct wave *wave, int64_t budget)
{
    wave->highest_unparked = 0;
    CHECKED(wave->resume);
    do
        budget = run_slice(wave, budget);
    while (wave->stop == RUN_YIELD && budget >= 0 && !is_interrupted(wave));
    wave_settle(wave);
    return wave->stop;
}

struct wave *wave_split(struct wave *wave, const lane_mask *lanes)
{
    struct wave *other = allocate(wave->code);
    if (!other)
        return NULL;
    struct wave_memory *m = (struct wave_memory *)other;
    wave_settle(wave);
    uint8_t *frame = other->frame;
    lane_mask *pending = other->pending;
    uint64_t *set = other->pending_set;
    memcpy(frame, wave->frame, wave->code->frame_size);
    wave->origin.parted = wave->reported.origin.parted = true;
    *other = *wave;
    other->trail = poison_trail_copy(wave->trail);
    other->frame = frame;
    other->reported.frame = frame;
    other->pending = pending;
    other->pending_set = set;
    other->lane_x = m->x;
    other->lane_y = m->y;
    lane_tables(other, wave->row);
    other->parked_blocks = 0;
    for (uint32_t b = 0; b < wave->code->block_count; b++) {
        uint64_t bit = 1ull << b % 64, left = 0, moved = 0;
        if (!(wave->pending_set[b / 64] & bit))
            continue;
        for (uint32_t k = 0; k < LANE_MASK_WORDS; k++) {
            pending[b].word[k] = wave->pending[b].word[k] & lanes->word[k];
            wave->pending[b].word[k] &= ~lanes->word[k];
            moved |= pending[b].word[k];
            left |= wave->pending[b].word[k];
        }
        if (moved) {
            set[b / 64] |= bit;
            other->parked_blocks++;
        }
        if (!left) {
            wave->pending_set[b / 64] &= ~bit;
            wave->parked_blocks--;
        }
    }
    uint64_t mine = 0, theirs = 0;
    for (uint32_t k = 0; k < LANE_MASK_WORDS; k++) {
        other->active.word[k] = wave->active.word[k] & lanes->word[k];
        other->live.word[k] = wave->live.word[k] & lanes->word[k];
        wave->active.word[k] &= ~lanes->word[k];
        wave->live.word[k] &= ~lanes->word[k];
        mine |= wave->active.word[k];
        theirs |= other->active.word[k];
    }
    CHECKED((mine | theirs) || wave->parked_blocks || other->parked_blocks);
    wave->full = other->full = false;
    if (!mine && (wave->resume = wave_next_block(wave)) != NULL)
        wave->stop = RUN_YIELD;
    if (!theirs && (other->resume = wave_next_block(other)) != NULL)
        other->stop = RUN_YIELD;
    return other;
}
