/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of sim/interp/interp.h for toy programs: a program is a list of operations that the test sets
 * (fake_program), a wave a pc per lane. The lanes at the lowest pc run together, so divergence, barriers and
 * splits come as from the real interpreter.
 */
#include "fake_interp.h"

#include <stdlib.h>
#include <string.h>

struct fake_program fake_program;
uint32_t fake_waves_alive, fake_waves_made, fake_splits, fake_collectives, fake_collective_lanes, fake_widest;
uint64_t fake_local_address;
struct code_request fake_request;
bool fake_observed;

enum { FAKE_OPS = 64 };

struct module {
    struct fake_program program;
    struct code code;
    struct insn insns[FAKE_OPS];
    uint16_t ops[FAKE_OPS];
    struct site sites[FAKE_OPS];
    bool preempt;
};

struct fake_wave {
    struct wave wave;
    const struct module *module;
    uint32_t pc[WAVE_LANES_MAX];
};

/* ---- modules ------------------------------------------------------------------ */

static const char *const whats[] = {"return",         "plain store",        "branch",
                                    "plain load",     "work_group_barrier", "sub_group_barrier",
                                    "work_group_all", "sub_group_all",      "plain load"};

enum status interp_module_new(const uint32_t *words, size_t word_count, const struct spec_constant *constants,
                              size_t constant_count, struct module **out_module, struct diagnosis *diagnosis)
{
    (void)constants, (void)constant_count;
    if (word_count == 0 || words[0] != 0x07230203)
        return diagnose(diagnosis, STATUS_BAD_BINARY, "no SPIR-V");
    struct module *m = calloc(1, sizeof *m);
    m->program = fake_program;
    uint32_t count = 0;
    do {
        const struct fake_op *op = &m->program.ops[count];
        uint32_t sub = op->kind == FAKE_SUB_GROUP_BARRIER || op->kind == FAKE_SUB_GROUP_COLLECTIVE;
        bool collective = op->kind == FAKE_COLLECTIVE || op->kind == FAKE_SUB_GROUP_COLLECTIVE;
        m->insns[count].e = count;
        m->insns[count].f = collective ? (uint32_t)(sub ? SCOPE_SUB_GROUP : SCOPE_WORK_GROUP) << 8 : sub;
        m->ops[count] = op->kind == FAKE_SPIN ? OP_ld_u_32 : OP_jump;
        m->sites[count] = (struct site){.line = count + 1, .column = 3, .what = whats[op->kind], .size = 4};
        m->sites[count].access =
            op->kind == FAKE_FAULT && op->fault.kind == FAULT_WRITE ? ACCESS_WRITE : ACCESS_READ;
    } while (m->program.ops[count++].kind != FAKE_RETURN);
    m->code = (struct code){.insns = m->insns,
                            .insn_count = count,
                            .ops = m->ops,
                            .sites = m->sites,
                            .site_count = count,
                            .args_size = 64,
                            .local_objects = m->program.locals,
                            .local_object_count = m->program.local_count,
                            .private_size = m->program.private_size,
                            .private_objects = m->program.privates,
                            .private_object_count = m->program.private_count};
    *out_module = m;
    return STATUS_OK;
}

void interp_module_free(struct module *module)
{
    free(module);
}
const char *interp_instruction(const struct module *module, uint32_t word, uint32_t *out_result)
{
    (void)module, (void)word;
    *out_result = 0;
    return NULL;
}

const uint32_t *interp_module_words(const struct module *module, size_t *out_count)
{
    (void)module;
    *out_count = 0;
    return NULL;
}

size_t interp_variable_count(const struct module *module)
{
    return module->program.variable_count;
}
const struct module_variable *interp_variable(const struct module *module, size_t index)
{
    return &module->program.variables[index];
}

enum status interp_module_bind(struct module *module, const uint64_t *addresses, interp_write *write,
                               void *self)
{
    for (size_t i = 0; i < module->program.variable_count; i++)
        write(self, addresses[i], "\x11\x22\x33\x44", 4, true);
    return STATUS_OK;
}

size_t interp_kernel_count(const struct module *module)
{
    (void)module;
    return 1;
}
const struct kernel_info *interp_kernel_info(const struct module *module, size_t kernel)
{
    (void)kernel;
    return &module->program.info;
}

enum status interp_code(struct module *module, const struct code_request *request,
                        const struct code **out_code, struct diagnosis *diagnosis)
{
    (void)diagnosis;
    fake_request = *request;
    module->preempt = request->preempt;
    module->code.width = request->width <= 16 ? 16 : request->width <= 64 ? 64 : 256;
    *out_code = &module->code;
    return STATUS_OK;
}

enum status interp_traits(struct module *module, const struct code_request *request,
                          struct kernel_traits *out_traits, struct diagnosis *diagnosis)
{
    (void)request, (void)diagnosis;
    *out_traits = module->program.traits;
    return STATUS_OK;
}

bool interp_source(const struct module *module, size_t index, const char **out_file, char **out_text)
{
    (void)module, (void)index, (void)out_file, (void)out_text;
    return false;
}

uint32_t interp_opencl_c(const struct module *module)
{
    (void)module;
    return 0;
}

char *interp_listing(struct module *module, const struct code_request *request)
{
    (void)module, (void)request;
    return strdup("toy\n");
}

void interp_args(const struct code *code, const struct kernel_info *info, const struct launch_arg *args,
                 uint8_t *out)
{
    (void)code;
    for (size_t i = 0; i < info->arg_count && i < 8; i++)
        memcpy(out + 8 * i, args[i].value, args[i].size < 8 ? args[i].size : 8);
}

uint32_t module_spec_constant_size(const uint32_t *words, size_t word_count, uint32_t spec_id)
{
    (void)words, (void)word_count, (void)spec_id;
    return 0;
}

/* ---- waves -------------------------------------------------------------------------- */

struct wave *wave_new(const struct code *code, struct memory *memory, const struct wave_host *host,
                      const struct observer *observer)
{
    struct fake_wave *fake = calloc(1, sizeof *fake);
    fake->wave = (struct wave){.code = code, .memory = memory, .host = host, .observer = observer};
    fake->module = (const struct module *)((const char *)code - offsetof(struct module, code));
    fake_waves_alive++;
    fake_waves_made++;
    return &fake->wave;
}

void wave_free(struct wave *wave)
{
    fake_waves_alive--;
    free(wave);
}

static void mask_set(lane_mask *mask, uint32_t lane, bool value)
{
    uint64_t bit = UINT64_C(1) << lane % 64;
    mask->word[lane / 64] = value ? mask->word[lane / 64] | bit : mask->word[lane / 64] & ~bit;
}

static bool mask_any(const lane_mask *mask)
{
    return mask->word[0] | mask->word[1] | mask->word[2] | mask->word[3];
}

void wave_start(struct wave *wave, const struct wave_start *start)
{
    struct fake_wave *fake = (struct fake_wave *)wave;
    wave->origin = start->origin;
    wave->lane_count = start->lane_count;
    wave->n = (start->lane_count + 15) / 16 * 16;
    wave->steps = 0;
    wave->stop = RUN_YIELD;
    wave->resume = NULL;
    wave->parked_blocks = 0;
    memset(&wave->live, 0, sizeof wave->live);
    memset(fake->pc, 0, sizeof fake->pc);
    for (uint32_t i = 0; i < start->lane_count; i++)
        mask_set(&wave->live, i, true);
    wave->active = wave->live;
    if (start->lane_count > fake_widest)
        fake_widest = start->lane_count;
    fake_observed = wave->observer != NULL;
    fake_local_address = wave->code->local_object_count ? start->local_addresses[0] : 0;
}

void wave_stop_lanes(struct wave *wave, const lane_mask *lanes)
{
    for (int i = 0; i < LANE_MASK_WORDS; i++) {
        wave->active.word[i] &= ~lanes->word[i];
        wave->live.word[i] &= ~lanes->word[i];
    }
}

void wave_next(const struct wave *wave, struct next_operation *out_next)
{
    bool stands = wave->stop == RUN_YIELD && wave->resume;
    *out_next = (struct next_operation){.kind = stands ? NEXT_FENCE : NEXT_UNSEEN};
    if (stands)
        out_next->site = (uint32_t)(wave->resume - wave->code->insns);
}

bool wave_code_stop(const struct code *code, uint32_t *at, uint32_t *out_site)
{
    *out_site = *at;
    return *at < code->insn_count;
}

uint64_t wave_fingerprint(const struct wave *wave)
{
    const struct fake_wave *fake = (const struct fake_wave *)wave;
    uint64_t hash = 14695981039346656037u;
    for (uint32_t i = 0; i < wave->lane_count; i++)
        hash = (hash ^ (fake->pc[i] * 2 + lane_mask_test(&wave->live, i))) * 1099511628211u;
    return hash;
}

void wave_announce_wait(const struct wave *wave, const struct insn *insn, bool last) /* no fake wave copies */
{
    (void)wave;
    (void)insn;
    (void)last;
}

uint64_t wave_iteration(const struct wave *wave) /* no loops */
{
    (void)wave;
    return 0;
}

bool wave_at_named_barrier(const struct wave *wave) /* none waits at one */
{
    (void)wave;
    return false;
}

uint64_t wave_named_barrier(const struct wave *wave, uint32_t lane)
{
    (void)wave;
    (void)lane;
    return 0;
}

bool wave_starving(const struct wave *wave, lane_mask *out_lanes)
{
    bool any = false;
    for (int i = 0; i < LANE_MASK_WORDS; i++) {
        out_lanes->word[i] = wave->live.word[i] & ~wave->active.word[i];
        any |= out_lanes->word[i] != 0;
    }
    return any;
}

struct wave *wave_split(struct wave *wave, const lane_mask *lanes)
{
    struct fake_wave *fake = (struct fake_wave *)wave, *half = malloc(sizeof *half);
    *half = *fake;
    half->wave.live = *lanes;
    half->wave.active = *lanes;
    half->wave.stop = RUN_YIELD;
    half->wave.parked_blocks = 0;
    half->wave.steps = 0;
    for (int i = 0; i < LANE_MASK_WORDS; i++) {
        wave->active.word[i] &= ~lanes->word[i];
        wave->live.word[i] &= ~lanes->word[i];
    }
    wave->parked_blocks = 0;
    fake_waves_alive++;
    fake_splits++;
    return &half->wave;
}

/* The lanes at the lowest pc become active. */
static uint32_t gather(struct fake_wave *fake)
{
    uint32_t lowest = UINT32_MAX;
    for (uint32_t i = 0; i < fake->wave.lane_count; i++)
        if (lane_mask_test(&fake->wave.live, i) && fake->pc[i] < lowest)
            lowest = fake->pc[i];
    fake->wave.parked_blocks = 0;
    for (uint32_t i = 0; i < fake->wave.lane_count; i++) {
        bool live = lane_mask_test(&fake->wave.live, i);
        mask_set(&fake->wave.active, i, live && fake->pc[i] == lowest);
        if (live && fake->pc[i] != lowest)
            fake->wave.parked_blocks = 1;
    }
    return lowest;
}

static void fault_lanes(struct fake_wave *fake, const struct fake_op *op, uint32_t pc)
{
    lane_mask guilty = {{0}};
    struct fault fault = op->fault;
    fault.site = pc;
    fault.lanes = 0;
    for (uint32_t i = 0; i < fake->wave.lane_count; i++) {
        struct item item;
        origin_item(&fake->wave.origin, i, &item);
        if (!lane_mask_test(&fake->wave.active, i) || !op->test(&item))
            continue;
        if (fault.lanes++ == 0)
            fault.lane = i;
        mask_set(&guilty, i, true);
    }
    if (fault.lanes == 0)
        return;
    fake->wave.host->fault(fake->wave.host->self, &fake->wave, &fault);
    wave_stop_lanes(&fake->wave, &guilty);
}

/* True when a lane went back. */
static bool step_lanes(struct fake_wave *fake, const struct fake_op *op, uint32_t pc)
{
    bool back = false;
    for (uint32_t i = 0; i < fake->wave.lane_count; i++) {
        struct item item;
        if (!lane_mask_test(&fake->wave.active, i))
            continue;
        origin_item(&fake->wave.origin, i, &item);
        uint32_t next = pc + 1;
        if (op->kind == FAKE_WORK)
            op->act(&item);
        else if (op->kind == FAKE_BRANCH && op->test(&item))
            next = op->target;
        else if (op->kind == FAKE_SPIN && op->test(&item))
            next = pc;
        fake->pc[i] = next;
        back |= next <= pc;
        if (op->kind == FAKE_RETURN)
            mask_set(&fake->wave.live, i, false);
    }
    return back;
}

static enum run_result stop(struct fake_wave *fake, uint32_t pc, enum run_result result)
{
    fake->wave.stop = result;
    fake->wave.site = pc;
    fake->wave.resume = fake->wave.wait = &fake->module->insns[pc];
    return result;
}

static enum run_result wait_at(struct fake_wave *fake, uint32_t pc, enum run_result result)
{
    for (uint32_t i = 0; i < fake->wave.lane_count; i++)
        if (lane_mask_test(&fake->wave.active, i))
            fake->pc[i] = pc + 1;
    return stop(fake, pc, result);
}

enum run_result wave_run(struct wave *wave, int64_t budget)
{
    struct fake_wave *fake = (struct fake_wave *)wave;
    for (;;) {
        if (!mask_any(&wave->live))
            return stop(fake, 0, RUN_DONE);
        uint32_t pc = gather(fake);
        const struct fake_op *op = &fake->module->program.ops[pc];
        if (fake->module->preempt && op->kind != FAKE_RETURN && budget-- <= 0)
            return stop(fake, pc, RUN_YIELD);
        if (op->kind == FAKE_BARRIER || op->kind == FAKE_SUB_GROUP_BARRIER)
            return wait_at(fake, pc, RUN_BARRIER);
        if (op->kind == FAKE_COLLECTIVE || op->kind == FAKE_SUB_GROUP_COLLECTIVE)
            return wait_at(fake, pc, RUN_COLLECTIVE);
        if (op->kind == FAKE_FAULT)
            fault_lanes(fake, op, pc);
        if (!step_lanes(fake, op, pc))
            continue;
        wave->steps++;
        if (!fake->module->preempt && --budget <= 0) {
            gather(fake);
            return stop(fake, pc, RUN_YIELD);
        }
    }
}

void collective_perform(struct wave *const *waves, size_t wave_count, uint32_t sub_group_size)
{
    (void)sub_group_size;
    fake_collectives++;
    for (size_t i = 0; i < wave_count; i++) {
        for (int word = 0; word < LANE_MASK_WORDS; word++)
            fake_collective_lanes += (uint32_t)__builtin_popcountll(waves[i]->active.word[word]);
        if (waves[i]->site != waves[0]->site)
            abort();
    }
}
