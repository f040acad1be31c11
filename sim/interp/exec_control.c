/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow of the active lanes. When lanes diverge, those of one successor continue and the others are
 * parked at their block. The lowest parked block always runs first, so lanes reconverge at joins. No other
 * state of a wave belongs to control. */
#include <string.h>

#include "exec_control.h"
#include "wave.h"

#ifndef ORRERY_ISA
#define ORRERY_ISA 0
#endif
#define EXEC_PASTE2(name, isa) exec_##name##_isa##isa
#define EXEC_PASTE(name, isa) EXEC_PASTE2(name, isa)
#define CONTROL(name)                                                                        \
    exec_fn EXEC_PASTE(name, ORRERY_ISA);                                                    \
    const struct insn *EXEC_PASTE(name, ORRERY_ISA)(const struct insn *insn, uint8_t *frame, \
                                                    struct wave *wave)

#ifdef ORRERY_LOOPING
#define GO(next) return (next)
#else
#define GO(next)                                   \
    do {                                           \
        const struct insn *next_ = (next);         \
        TAIL_CALL next_->exec(next_, frame, wave); \
    } while (0)
#endif
/* NULL: the wave has stopped. */
#define GO_OR_STOP(next)                    \
    do {                                    \
        const struct insn *maybe_ = (next); \
        if (!maybe_)                        \
            return NULL;                    \
        GO(maybe_);                         \
    } while (0)

static inline const struct insn *block_at(const struct wave *wave, uint32_t block)
{
    return &wave->code->insns[wave->code->block_start[block]];
}

static inline const struct insn *go_to(struct wave *wave, uint32_t block)
{
    return __builtin_expect(wave->parked_blocks == 0, 1) ? block_at(wave, block) : exec_arrive(wave, block);
}

static inline const struct insn *stop(struct wave *wave, enum run_result why, const struct insn *resume)
{
    wave->stop = why;
    wave->resume = resume;
    return NULL;
}

/* The terminator of a block accounts for the whole block: c is the work of one lane. */
static inline void charge(struct wave *wave, const struct insn *insn)
{
    wave->owed += insn->c;
}

CONTROL(jump)
{
    charge(wave, insn);
    GO(go_to(wave, insn->e));
}

CONTROL(loop)
{
    charge(wave, insn);
    const struct insn *next = go_to(wave, insn->e);
    wave->steps++;
    if (__builtin_expect(--wave->budget < 0, 0))
        return stop(wave, RUN_YIELD, next);
    GO(next);
}

static inline const struct insn *taken(struct wave *wave, const struct insn *insn, uint32_t block)
{
    if (block > insn->b)
        return go_to(wave, block);
    wave->steps++;
    wave->budget--;
    return go_to(wave, block);
}

CONTROL(branch_u)
{
    charge(wave, insn);
    uint32_t block = frame[insn->a] ? insn->e : insn->f;
    const struct insn *next = taken(wave, insn, block);
    if (__builtin_expect(wave->budget < 0, 0))
        return stop(wave, RUN_YIELD, next);
    GO(next);
}

CONTROL(branch_v)
{
    charge(wave, insn);
    const uint64_t *cond = (const uint64_t *)(const void *)(frame + insn->a);
    uint64_t some = 0, none = 0;
    for (uint32_t k = 0; k * 64 < wave->n; k++) {
        const uint64_t active = mask_word(wave->active.word, k), yes = mask_word(cond, k);
        some |= active & yes;
        none |= active & ~yes;
    }
    const struct insn *next;
    if (none == 0)
        next = taken(wave, insn, insn->e);
    else if (some == 0)
        next = taken(wave, insn, insn->f);
    else
        next = exec_diverge(wave, cond, insn->e, insn->f);
    if (__builtin_expect(wave->budget < 0, 0))
        return stop(wave, RUN_YIELD, next);
    GO(next);
}

CONTROL(switch_u)
{
    charge(wave, insn);
    const uint32_t *list = wave->code->operands + insn->e;
    uint64_t value = 0;
    memcpy(&value, frame + insn->a, list[0] / 8);
    const struct insn *next = taken(wave, insn, exec_switch_target(list, value));
    if (__builtin_expect(wave->budget < 0, 0))
        return stop(wave, RUN_YIELD, next);
    GO(next);
}

CONTROL(switch_v)
{
    charge(wave, insn);
    const struct insn *next = exec_switch(wave, insn, frame + insn->a);
    if (__builtin_expect(wave->budget < 0, 0))
        return stop(wave, RUN_YIELD, next);
    GO(next);
}

CONTROL(ret)
{
    (void)frame;
    charge(wave, insn);
    if (__builtin_expect(wave->unwaited_count != 0, 0))
        exec_report_unwaited(wave);
    wave_stop_lanes(wave, &(lane_mask){{wave->active.word[0], wave->active.word[1], wave->active.word[2],
                                        wave->active.word[3]}});
    GO_OR_STOP(wave_next_block(wave));
}

CONTROL(unreachable)
{
    charge(wave, insn);
    exec_report_unreachable(wave, insn->e);
    GO_OR_STOP(wave_next_block(wave));
}

CONTROL(barrier)
{
    if (insn->f == 2)
        exec_wait_copies(wave, insn);
    if (wave->alone && wave->full && insn->f != 1 && insn->f != 3) {
        if (wave->observer && wave->observer->sync)
            exec_announce_barrier(wave, insn);
        GO(insn + 1);
    }
    wave->site = insn->e;
    wave->wait = insn;
    return stop(wave, RUN_BARRIER, insn + 1);
}

CONTROL(collective)
{
    (void)frame;
    wave->site = insn->e;
    wave->wait = insn;
    if (wave->alone && wave->full) {
        exec_collective_alone(wave);
        GO(insn + 1);
    }
    return stop(wave, RUN_COLLECTIVE, insn + 1);
}

CONTROL(yield)
{
    if (--wave->budget < 0)
        return stop(wave, RUN_YIELD, insn);
    GO(insn + 1);
}

CONTROL(count)
{
    wave->host->count(wave->host->self, wave, insn->e);
    GO(insn + 1);
}

CONTROL(count_way_v)
{
    wave->host->count_way(wave->host->self, wave, insn->e, (const uint64_t *)(const void *)(frame + insn->a));
    GO(insn + 1);
}

CONTROL(count_way_u)
{
    if (frame[insn->a] & 1)
        wave->host->count_way(wave->host->self, wave, insn->e, wave->active.word);
    GO(insn + 1);
}

CONTROL(line)
{
    wave->host->line(wave->host->debugger, wave, insn);
    GO(insn + 1);
}

CONTROL(clock)
{
    charge(wave, insn);
    wave_settle(wave);
    const uint64_t now = wave->host->clock ? wave->host->clock(wave->host->self, wave) : 0;
    uint64_t *out = (uint64_t *)(void *)(frame + insn->d);
    for (uint32_t i = 0; i < wave->n; i++)
        out[i] = now;
    GO(insn + 1);
}

CONTROL(refused)
{
    memcpy(frame + insn->d, wave->refused.word, sizeof wave->refused.word);
    GO(insn + 1);
}

CONTROL(space_v)
{
    const uint64_t *address = (const uint64_t *)(const void *)(frame + insn->a);
    int32_t *out = (int32_t *)(void *)(frame + insn->d);
    for (uint32_t i = 0; i < wave->n; i++)
        out[i] = address[i] == 0 || wave_is_private_address(address[i])                   ? 0
                 : memory_region(wave->memory, address[i])->kind == REGION_LOCAL_VARIABLE ? 1
                                                                                          : 2;
    GO(insn + 1);
}
