/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divergence. Lanes that branch to a later block are parked there, and the lowest block with lanes runs
 * first, so that lanes meet again at the earliest common block.
 */
#include <string.h>

#include "exec_control.h"
#include "interp.h"

static const struct insn *block_at(const struct wave *wave, uint32_t block)
{
    return &wave->code->insns[wave->code->block_start[block]];
}

static bool any(const lane_mask *mask)
{
    uint64_t all = 0;
    for (uint32_t k = 0; k < LANE_MASK_WORDS; k++)
        all |= mask->word[k];
    return all != 0;
}

/* `owed` is work of the active lanes, so it is added to `work` before these change. While the lanes stay the
 * same, a block costs one addition. */
void wave_settle(struct wave *wave)
{
    uint64_t lanes = 0;
    if (!wave->owed)
        return;
    for (uint32_t k = 0; k < LANE_MASK_WORDS; k++)
        lanes += ones_of(wave->active.word[k]);
    wave->work += wave->owed * lanes;
    wave->owed = 0;
}

static void update_full(struct wave *wave)
{
    bool full = true;
    for (uint32_t k = 0; k * 64 < wave->n; k++) {
        uint64_t want = wave->n - k * 64 >= 64 ? ~0ull : (1ull << (wave->n - k * 64)) - 1;
        full &= (mask_word(wave->active.word, k) & want) == want;
    }
    wave->full = full;
}

static uint32_t lowest_block(const struct wave *wave)
{
    for (uint32_t k = 0;; k++)
        if (wave->pending_set[k])
            return k * 64 + (uint32_t)__builtin_ctzll(wave->pending_set[k]);
}

/* Returns the mask of the lanes parked at the block; the caller adds lanes. */
static uint64_t *parking(struct wave *wave, uint32_t block)
{
    uint64_t bit = 1ull << block % 64;
    if (!(wave->pending_set[block / 64] & bit)) {
        wave->pending_set[block / 64] |= bit;
        wave->pending[block] = (lane_mask){{0}};
        wave->parked_blocks++;
    }
    return wave->pending[block].word;
}

static void park(struct wave *wave, uint32_t block, const lane_mask *lanes)
{
    uint64_t *waiting = parking(wave, block);
    for (uint32_t k = 0; k * 64 < wave->n; k++)
        waiting[k] = mask_word(waiting, k) | mask_word(lanes->word, k);
}

static void unpark(struct wave *wave, uint32_t block)
{
    wave->pending_set[block / 64] &= ~(1ull << block % 64);
    wave->parked_blocks--;
    if (block > wave->highest_unparked)
        wave->highest_unparked = block;
}

static void resume_parked(struct wave *wave, uint32_t block)
{
    wave_settle(wave);
    for (uint32_t k = 0; k * 64 < wave->n; k++)
        wave->active.word[k] = mask_word(wave->pending[block].word, k);
    unpark(wave, block);
    update_full(wave);
}

bool wave_starving(const struct wave *wave, lane_mask *out_lanes)
{
    *out_lanes = (lane_mask){{0}};
    for (uint32_t b = wave->highest_unparked + 1; b < wave->code->block_count; b++)
        for (uint32_t k = 0; wave->pending_set[b / 64] >> b % 64 & 1 && k < LANE_MASK_WORDS; k++)
            out_lanes->word[k] |= wave->pending[b].word[k];
    return any(out_lanes);
}

const struct insn *wave_next_block(struct wave *wave)
{
    if (any(&wave->active))
        return NULL; /* only called when nothing is active */
    if (!wave->parked_blocks) {
        wave->stop = RUN_DONE;
        return NULL;
    }
    uint32_t block = lowest_block(wave);
    resume_parked(wave, block);
    return block_at(wave, block);
}

const struct insn *exec_arrive(struct wave *wave, uint32_t block)
{
    uint32_t lowest = lowest_block(wave);
    if (block < lowest)
        return block_at(wave, block);
    park(wave, block, &wave->active);
    resume_parked(wave, lowest);
    return block_at(wave, lowest);
}

const struct insn *exec_diverge(struct wave *wave, const uint64_t *cond, uint32_t yes, uint32_t no)
{
    const uint32_t low = yes < no ? yes : no, high = yes < no ? no : yes;
    const uint64_t flip = yes < no ? 0 : ~(uint64_t)0;
    uint64_t *waiting = parking(wave, high);
    wave_settle(wave);
    for (uint32_t k = 0; k * 64 < wave->n; k++) {
        const uint64_t active = mask_word(wave->active.word, k), of_low = mask_word(cond, k) ^ flip;
        waiting[k] |= active & ~of_low;
        wave->active.word[k] = active & of_low;
    }
    wave->full = false;
    if (low > wave->highest_unparked)
        wave->highest_unparked = low;
    return exec_arrive(wave, low);
}

uint32_t exec_switch_target(const uint32_t *list, uint64_t value)
{
    for (uint32_t i = 0; i < list[1]; i++)
        if ((list[3 + 3 * i] | (uint64_t)list[4 + 3 * i] << 32) == value)
            return list[5 + 3 * i];
    return list[2];
}

const struct insn *exec_switch(struct wave *wave, const struct insn *insn, const uint8_t *values)
{
    const uint32_t *list = wave->code->operands + insn->e;
    uint32_t bytes = list[0] / 8;
    bool back = false;
    lane_mask active = wave->active;
    for (uint32_t lane = 0; lane < wave->n; lane++) {
        if (!lane_mask_test(&active, lane))
            continue;
        uint64_t value = 0;
        memcpy(&value, values + lane * bytes, bytes);
        lane_mask one = {{0}};
        one.word[lane / 64] = 1ull << lane % 64;
        const uint32_t target = exec_switch_target(list, value);
        back |= target <= insn->b;
        park(wave, target, &one);
    }
    wave->steps += back;
    wave->budget -= back;
    wave_settle(wave);
    wave->active = (lane_mask){{0}};
    return wave_next_block(wave);
}

void wave_stop_lanes(struct wave *wave, const lane_mask *lanes)
{
    wave_settle(wave);
    for (uint32_t k = 0; k < LANE_MASK_WORDS; k++) {
        uint64_t gone = lanes->word[k];
        wave->active.word[k] &= ~gone;
        wave->live.word[k] &= ~gone;
    }
    wave->full = false;
}

static uint64_t waited_event(const struct wave *wave, const struct insn *insn, uint32_t index)
{
    uint64_t event;
    memcpy(&event, wave->frame + wave->code->operands[insn->d + index], sizeof event);
    return event;
}

static bool waits_for(const struct wave *wave, const struct insn *insn, uint32_t event)
{
    for (uint32_t i = 0; i < insn->b; i++) {
        uint64_t listed = waited_event(wave, insn, i);
        if (listed == event || listed == WAVE_EVERY_EVENT)
            return true;
    }
    return false;
}

void wave_announce_wait(const struct wave *wave, const struct insn *insn, bool last)
{
    struct sync_event event = {.origin = wave->origin,
                               .kind = SYNC_COPY_WAIT,
                               .scope = SCOPE_WORK_GROUP,
                               .lane_count = wave->lane_count,
                               .mask = wave->active.word,
                               .last = last};
    event.origin.site = insn->e;
    for (uint32_t i = 0; i < insn->b; i++) {
        const uint64_t listed = waited_event(wave, insn, i);
        const bool every = listed == WAVE_EVERY_EVENT;
        for (uint64_t number = every ? 1 : listed;
             number && number <= wave->copies && (every || number == listed); number++) {
            event.copy = (uint32_t)number;
            wave->observer->sync(wave->observer->self, &event);
        }
    }
}

static void note_lanes(struct fault *fault, const lane_mask *lanes)
{
    for (uint32_t k = LANE_MASK_WORDS; k-- > 0;) {
        fault->lanes += ones_of(lanes->word[k]);
        if (lanes->word[k])
            fault->lane = k * 64 + (uint32_t)__builtin_ctzll(lanes->word[k]);
    }
}

/* Waited for by each work-item of the wave, which released it, and given to no copy since. Where only some of
 * them wait, the others may not have done so. */
static bool is_released(const struct wave *wave, uint64_t event)
{
    if (event <= wave->unwatched || event > wave->copies ||
        memcmp(&wave->active, &wave->live, sizeof wave->live) != 0)
        return false;
    for (uint32_t i = 0; i < wave->unwaited_count; i++)
        if (wave->unwaited[i].event == event)
            return false;
    return true;
}

static const char *misuse_of_event(const struct wave *wave, uint64_t event)
{
    if (event == WAVE_EVERY_EVENT || event == WAVE_NO_EVENT)
        return NULL;
    if (!event)
        return "is 0, not an event that an asynchronous copy gave";
    if (event > wave->copies)
        return "is no event that an asynchronous copy of this work-group gave";
    return is_released(wave, event) ? "was waited for before, which released it" : NULL;
}

/* Reports a wait for an event that no copy of the work-group returned, or that was waited for. */
static void report_events(struct wave *wave, const struct insn *insn)
{
    struct fault fault = {.kind = FAULT_EVENT, .site = insn->e, .continues = true};
    for (uint32_t i = insn->b; i-- > 0;) {
        const char *misuse = misuse_of_event(wave, waited_event(wave, insn, i));
        if (misuse && !(wave->reached && wave->reached->reported)) {
            fault.index = i;
            fault.misuse = misuse;
        }
    }
    note_lanes(&fault, &wave->active);
    if (fault.misuse)
        wave->host->fault(wave->host->self, wave, &fault);
}

void exec_wait_copies(struct wave *wave, const struct insn *insn)
{
    report_events(wave, insn);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < wave->unwaited_count; i++)
        if (!waits_for(wave, insn, wave->unwaited[i].event))
            wave->unwaited[kept++] = wave->unwaited[i];
    wave->unwaited_count = kept;
}

void exec_announce_barrier(const struct wave *wave, const struct insn *insn)
{
    const struct site *site = &wave->code->sites[insn->e];
    if (insn->f == 2) {
        wave_announce_wait(wave, insn, true);
        return;
    }
    struct sync_event event = {.origin = wave->origin,
                               .kind = SYNC_WORK_GROUP_BARRIER,
                               .regions = site->regions,
                               .order = site->order,
                               .scope = site->scope,
                               .lane_count = wave->lane_count,
                               .mask = wave->active.word,
                               .last = true};
    event.origin.site = insn->e;
    wave->observer->sync(wave->observer->self, &event);
}

uint64_t wave_iteration(const struct wave *wave)
{
    uint64_t iteration = 0;
    if (wave->wait && wave->wait->c)
        memcpy(&iteration, wave->frame + wave->wait->c, sizeof iteration);
    return iteration;
}

bool wave_at_named_barrier(const struct wave *wave)
{
    return wave->stop == RUN_BARRIER && wave->wait && wave->wait->f == 3;
}

uint64_t wave_named_barrier(const struct wave *wave, uint32_t lane)
{
    const uint64_t *which =
        (const uint64_t *)(const void *)(wave->frame + wave->code->operands[wave->wait->d]);
    return which[lane];
}

void exec_report_unwaited(struct wave *wave)
{
    if (!lane_mask_test(&wave->active, 0))
        return;
    for (uint32_t i = 0; i < wave->unwaited_count; i++) {
        struct fault fault = {.kind = FAULT_MISSING_WAIT, .site = wave->unwaited[i].site, .lanes = 1};
        wave->host->fault(wave->host->self, wave, &fault);
    }
    wave->unwaited_count = 0;
}

void exec_report_unreachable(struct wave *wave, uint32_t site)
{
    struct fault fault = {.kind = FAULT_UNREACHABLE, .site = site};
    lane_mask lanes = wave->active;
    note_lanes(&fault, &lanes);
    wave->host->fault(wave->host->self, wave, &fault);
    wave_stop_lanes(wave, &lanes);
}
