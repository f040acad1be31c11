/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules that validate, run on small buffers. For any operands, the device reports errors and the bytes
 * around the buffers stay. Where a run with all checks has no finding, others leave the same bytes: without
 * the checks, with variables in memory as the module has them, and by another schedule.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <spirv/unified1/OpenCL.std.h>

#include "draft.h"
#include "fuzz.h"
#include "fuzz_launch.h"
#include "orrery/compiler.h"
#include "sim/interp/spirv_ops.h"

const char fuzz_name[] = "module";

enum { STEPS = 300, STEPS_COMPARED = 1000, STEPS_TIMES = 100, POLICIES = SCHEDULE_PCT + 1 };

static void choose(struct scenario *scenario, uint32_t seed, enum schedule_policy policy, uint64_t steps)
{
    static const uint32_t sub_groups[] = {32, 1, 8, 16, 64, 4, 128, 2};
    scenario_default(scenario);
    scenario->schedule.policy = policy;
    scenario->schedule.seed = seed;
    scenario->schedule.max_steps = steps;
    scenario->schedule.timeout_seconds = 5;
    scenario->schedule.resident_groups = 1 + seed / 5 % 3;
    scenario->device.sub_group_sizes[0] = sub_groups[seed / 512 % 8];
    scenario->device.global_memory = 64 << 20;
    scenario->device.max_allocation = 16 << 20;
    scenario->device.private_memory = 64 << 10;
}

static void set_checks(struct scenario *scenario, bool uninitialised, bool races, bool atomics)
{
    scenario->checks[CHECK_UNINITIALISED] = uninitialised ? SEVERITY_ERROR : SEVERITY_OFF;
    scenario->checks[CHECK_RACES] = races ? SEVERITY_ERROR : SEVERITY_OFF;
    scenario->checks[CHECK_ATOMICS] = atomics ? SEVERITY_ERROR : SEVERITY_OFF;
}

static void run_any(const uint32_t *words, size_t count, uint32_t seed)
{
    static const uint64_t sizes[] = {1, 3, 16, 17, 64};
    const bool races = seed / 32 % 4 == 0; /* explaining many takes longest: fewer work-items */
    const uint64_t local = sizes[seed % (races ? 3 : 5)];
    const struct launch_shape shape = {
        .global = {local * 2, 2}, .local = {local, 2}, .seed = seed, .unoptimised = seed / 4096 % 8 == 0};
    struct scenario scenario;
    choose(&scenario, seed, (enum schedule_policy)(seed % POLICIES), STEPS);
    set_checks(&scenario, seed / 16 % 2, races, seed / 128 % 2);
    scenario.schedule.spurious = seed / 256 % 4 ? 0 : 50;
    scenario.device.progress = (enum progress)(seed / 65536 % 3);
    launch_all(words, count, &scenario, &shape, NULL);
    scenario_fini(&scenario);
}

/*
 * On what else the results of a module may depend, so that two runs need not agree. With several work-items
 * on the schedule: it decides the order of atomic operations, which work-items form a sub-group, and whose
 * text still fits into the buffer of printf. On addresses and clocks, where a kernel reads them as numbers.
 */
enum dependence { ON_NOTHING, ON_SCHEDULE, ON_ADDRESSES };

/* The storage class of a pointer type; -1: it is no pointer. Variables of a function may hold addresses. */
static int storage(const struct draft *draft, uint32_t type)
{
    const struct instruction *inst = draft_definition(draft, type);
    return inst && inst->opcode == SpvOpTypePointer ? (int)*draft_word(draft, inst, 2) : -1;
}

/* Of the value that word i of an instruction names. */
static int operand_storage(const struct draft *draft, const struct instruction *inst, uint32_t i)
{
    const struct instruction *value = draft_definition(draft, *draft_word(draft, inst, i));
    return value ? storage(draft, value->type) : -1;
}

static bool keeps_address(const struct draft *draft, const struct instruction *store)
{
    return operand_storage(draft, store, 2) >= 0 &&
           operand_storage(draft, store, 1) != SpvStorageClassFunction;
}

static bool converts_address(const struct draft *draft, const struct instruction *cast)
{
    return (storage(draft, cast->type) < 0) != (operand_storage(draft, cast, 3) < 0);
}

static enum dependence depends(const struct draft *draft, const struct instruction *inst)
{
    switch (inst->opcode) {
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
    case SpvOpReadClockKHR: return ON_ADDRESSES;
    case SpvOpExtInst: return *draft_word(draft, inst, 4) == OpenCLstd_Printf ? ON_SCHEDULE : ON_NOTHING;
    case SpvOpBitcast: return converts_address(draft, inst) ? ON_ADDRESSES : ON_NOTHING;
    case SpvOpStore: return keeps_address(draft, inst) ? ON_ADDRESSES : ON_NOTHING;
    default: break;
    }
    switch (spirv_op(inst->opcode)->lowering) {
    case LOWER_PIPE:
    case LOWER_ENQUEUE: return ON_ADDRESSES;
    case LOWER_ATOMIC:
    case LOWER_SUB_GROUP: return ON_SCHEDULE;
    default: return ON_NOTHING;
    }
}

static enum dependence depends_on(const uint32_t *words, size_t count)
{
    struct draft draft;
    enum dependence worst = ON_NOTHING;
    if (!draft_init(&draft, words, count, count, 0) || !draft_read(&draft))
        worst = ON_ADDRESSES;
    for (size_t i = 0; i < draft.instructions; i++) {
        const enum dependence of = depends(&draft, &draft.at[i]);
        worst = of > worst ? of : worst;
    }
    draft_fini(&draft);
    return worst;
}

struct way {
    enum schedule_policy policy;
    uint64_t steps;
    bool checked;
};

static void run_way(const uint32_t *words, size_t count, uint32_t seed, const struct way *way,
                    const struct launch_shape *shape, struct launch_seen *seen)
{
    struct scenario scenario;
    choose(&scenario, seed, way->policy, way->steps);
    scenario.schedule.timeout_seconds = 0;
    set_checks(&scenario, way->checked, way->checked, true);
    launch_all(words, count, &scenario, shape, seen);
    scenario_fini(&scenario);
}

/* The sub-groups are the same in all runs, so their size is the seed's in each. Steps are more where each
 * work-item counts its iterations, and where loops are not optimised. */
static void run_compared(const uint32_t *words, size_t count, uint32_t seed)
{
    static const struct {
        bool checked, unoptimised;
    } ways[] = {{false, false}, {false, true}, {true, true}, {true, false}};
    const enum dependence dependence = depends_on(words, count);
    struct launch_shape shape = {.global = {1, 1}, .local = {1, 1}, .seed = seed};
    if (dependence == ON_ADDRESSES)
        return;
    if (dependence == ON_NOTHING && seed & 2)
        shape = (struct launch_shape){.global = {8, 1}, .local = {4, 1}, .seed = seed};
    struct launch_seen *seen = calloc(2 * LAUNCH_KERNELS, sizeof *seen);
    if (!seen)
        exit(99);
    run_way(words, count, seed, &(struct way){SCHEDULE_LOCKSTEP, STEPS_COMPARED, true}, &shape, seen);
    for (uint32_t i = 0; seen[0].clean && i < 3; i++) {
        const uint32_t way = (seed / 4 + i) % 4;
        memset(seen + LAUNCH_KERNELS, 0, LAUNCH_KERNELS * sizeof *seen);
        shape.unoptimised = ways[way].unoptimised;
        const struct way other = {(enum schedule_policy)((seed + i) % POLICIES), STEPS_COMPARED * STEPS_TIMES,
                                  ways[way].checked};
        run_way(words, count, seed, &other, &shape, seen + LAUNCH_KERNELS);
        const int kernel = launch_differs(seen, seen + LAUNCH_KERNELS);
        if (kernel >= 0) {
            fprintf(stderr, "kernel %d differs: %s, %s\n", kernel,
                    ways[way].checked ? "checked" : "unchecked",
                    shape.unoptimised ? "unoptimised" : "optimised");
            abort();
        }
    }
    free(seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count = size / 4;
    uint32_t seed = 0;
    uint32_t *words = malloc(count * 4 + 1); /* the end of the block is the end of the words */
    char *log = NULL;
    memcpy(words, data, count * 4);
    for (size_t i = 0; i < count; i++)
        seed = seed * 31 + words[i];
    if (spirv_validate(words, count, &log) == STATUS_OK) {
        run_any(words, count, seed);
        run_compared(words, count, seed);
    }
    free(log);
    free(words);
    return 0;
}
