/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a thread: the interpreter runs it step by step, and each new read is a branch. */
#include "unfold.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "sim/device/device_state.h"
#include "orrery/compiler.h"
#include "sim/device/device_program.h"
#include "loop_iteration.h"

enum {
    LOG_WORDS = 1 + REGISTERS_MOST,
    SLICES_MOST = 1 << 16 /* instructions between two operations that others see */
};

/* The state of a thread's run. */
struct unfold_code {
    const struct code *code;
    uint8_t *args;
    uint64_t *local_addresses; /* one for each of code->local_objects */
    struct memory memory;      /* the device's memory, with the port of this file */
    struct wave_host host;
    uint64_t log_address;
    struct pool pool;
};

/* A thread that is run along a known path. */
struct runner {
    struct unfold *unfold;
    struct unfold_code *code;
    const struct wave *wave;
    uint32_t thread;
    struct step **path; /* the known steps */
    uint32_t length, at;
    struct reading edge; /* what the last known step reads */
    bool refused;        /* the latest weak compare-exchange failed spuriously */
    struct step *found;  /* the new step */
    int32_t log[LOG_WORDS];
};

/* ---- values ------------------------------------------------------------------------------ */

/* Cells have 32 bits: the upper half of a value is ignored. */
int32_t step_stored(const struct step *step, struct reading reading)
{
    const int32_t read = reading.value;
    uint32_t old = (uint32_t)read, operand = (uint32_t)step->value;
    if (step->kind == STEP_WRITE)
        return step->value;
    switch ((enum atomic_op)step->operation) {
    /* tests have no floating-point values */
    case ATOMIC_LOAD:
    case ATOMIC_FADD:
    case ATOMIC_FMIN:
    case ATOMIC_FMAX: break;
    case ATOMIC_STORE:
    case ATOMIC_EXCHANGE: return step->value;
    case ATOMIC_COMPARE_EXCHANGE:
    case ATOMIC_COMPARE_EXCHANGE_WEAK: return step_writes(step, reading) ? step->value : read;
    case ATOMIC_ADD: return (int32_t)(old + operand);
    case ATOMIC_SUB: return (int32_t)(old - operand);
    case ATOMIC_SMIN: return read < step->value ? read : step->value;
    case ATOMIC_SMAX: return read > step->value ? read : step->value;
    case ATOMIC_UMIN: return (int32_t)(old < operand ? old : operand);
    case ATOMIC_UMAX: return (int32_t)(old > operand ? old : operand);
    case ATOMIC_AND: return (int32_t)(old & operand);
    case ATOMIC_OR: return (int32_t)(old | operand);
    case ATOMIC_XOR: return (int32_t)(old ^ operand);
    }
    return read;
}

static bool compares(const struct step *step)
{
    return step->operation == ATOMIC_COMPARE_EXCHANGE || step->operation == ATOMIC_COMPARE_EXCHANGE_WEAK;
}

bool step_writes(const struct step *step, struct reading read)
{
    if (step->kind != STEP_UPDATE)
        return step->kind == STEP_WRITE;
    return !compares(step) || (read.value == step->comparator && !read.spurious);
}

bool step_may_refuse(const struct step *step, int32_t value)
{
    return step->kind == STEP_UPDATE && step->operation == ATOMIC_COMPARE_EXCHANGE_WEAK &&
           value == step->comparator;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void keep(struct runner *runner, const struct step *wanted)
{
    struct pool *pool = &runner->code->pool;
    struct step *step = pool_take(pool, sizeof *step),
                *parent = runner->length ? runner->path[runner->length - 1] : NULL;
    *step = *wanted;
    step->parent = parent;
    step->edge = runner->edge;
    step->depth = runner->length;
    step->number = ++runner->unfold->step_count;
    step->thread = runner->thread;
    iteration_inherit(step);
    if (step_reads(step)) {
        uint8_t *frame = pool_take(pool, runner->code->code->frame_size);
        step->frame = memcpy(frame, runner->wave->frame, runner->code->code->frame_size);
        iteration_find(runner->unfold, step, runner->code->code->frame_size);
    }
    if (step->kind != STEP_END && iteration_past_bound(runner->unfold, step))
        step->kind = STEP_CUT;
    if (parent) {
        step->sibling = parent->children;
        parent->children = step;
    }
    runner->found = step;
}

/* Performs the next operation that others see; returns what it reads. */
static struct reading perform(struct runner *runner, const struct step *step)
{
    if (runner->at < runner->length) {
        uint32_t at = runner->at++;
        return runner->at < runner->length ? runner->path[at + 1]->edge : runner->edge;
    }
    if (!runner->found)
        keep(runner, step);
    return (struct reading){0, false};
}

/* ---- the memory port --------------------------------------------------------------------------- */

static uint64_t address_of(const struct access_event *access)
{
    return access->shape == ADDRESS_LIST ? access->address[0] : access->base;
}

static bool in_log(const struct runner *runner, uint64_t address)
{
    return address - runner->code->log_address < LOG_WORDS * CELL_BYTES;
}

static uint32_t cell_at(const struct unfold *unfold, uint64_t address)
{
    uint32_t cell = 0;
    while (cell < unfold->test->cell_count && unfold->cell_address[cell] != address)
        cell++;
    return cell;
}

static uint32_t region_of(const struct unfold *unfold, uint64_t address)
{
    return memory_region(&unfold->code->memory, address)->kind == REGION_LOCAL_VARIABLE ? REGION_LOCAL
                                                                                        : REGION_GLOBAL;
}

static struct step step_of(const struct runner *runner, const struct access_event *access,
                           enum step_kind kind)
{
    uint64_t address = address_of(access);
    return (struct step){.kind = kind,
                         .site = access->origin.site,
                         .cell = cell_at(runner->unfold, address),
                         .atomic = access->kind >= ACCESS_ATOMIC_READ,
                         .order = access->order,
                         .failure_order = runner->code->code->sites[access->origin.site].failure_order,
                         .scope = access->scope,
                         .regions = region_of(runner->unfold, address)};
}

/* Litmus memory is cells of 32 bits; the parser lets nothing else through. */
static void port_load(void *self, const struct access_event *access, void *out_values)
{
    struct runner *runner = self;
    struct step step = step_of(runner, access, STEP_READ);
    int32_t value = in_log(runner, address_of(access)) ? 0 : perform(runner, &step).value;
    memcpy(out_values, &value, sizeof value);
}

static void port_store(void *self, const struct access_event *access, const void *values)
{
    struct runner *runner = self;
    uint64_t address = address_of(access);
    struct step step = step_of(runner, access, STEP_WRITE);
    memcpy(&step.value, values, sizeof step.value);
    if (in_log(runner, address))
        runner->log[(address - runner->code->log_address) / CELL_BYTES] = step.value;
    else
        perform(runner, &step);
}

static void port_update(void *self, const struct access_event *access, uint32_t operation,
                        const void *operands, const void *comparators, void *out_old)
{
    struct runner *runner = self;
    enum step_kind kind = operation == ATOMIC_LOAD    ? STEP_READ
                          : operation == ATOMIC_STORE ? STEP_WRITE
                                                      : STEP_UPDATE;
    struct step step = step_of(runner, access, kind);
    step.atomic = true;
    step.operation = operation;
    if (operation != ATOMIC_LOAD)
        memcpy(&step.value, operands, sizeof step.value);
    if (compares(&step))
        memcpy(&step.comparator, comparators, sizeof step.comparator);
    const struct reading read = perform(runner, &step);
    memcpy(out_old, &read.value, sizeof read.value);
    runner->refused = read.spurious;
}

static bool port_refused(void *self, uint32_t lane)
{
    (void)lane; /* there is one lane */
    return ((const struct runner *)self)->refused;
}

static void port_fence(void *self, const struct sync_event *fence)
{
    struct runner *runner = self;
    struct step step = {.kind = STEP_FENCE,
                        .site = fence->origin.site,
                        .order = fence->order,
                        .scope = fence->scope,
                        .regions = fence->regions};
    perform(runner, &step);
}

static void at_barrier(struct runner *runner)
{
    const struct site *site = &runner->code->code->sites[runner->wave->site];
    struct step step = {.kind = STEP_BARRIER,
                        .site = runner->wave->site,
                        .order = site->order,
                        .scope = site->scope,
                        .regions = site->regions,
                        .label = (uint32_t)runner->log[0]};
    perform(runner, &step);
}

static void at_end(struct runner *runner)
{
    int32_t *registers = pool_take(&runner->code->pool, REGISTERS_MOST * sizeof *registers);
    struct step step = {.kind = STEP_END,
                        .registers = memcpy(registers, runner->log + 1, REGISTERS_MOST * sizeof *registers)};
    perform(runner, &step);
}

/* The known steps did not fail before, so the new step did. */
static void host_fault(void *self, struct wave *wave, const struct fault *fault)
{
    struct runner *runner = self;
    const struct site *site = &wave->code->sites[fault->site];
    if (runner->unfold->status != STATUS_OK || runner->found)
        return;
    if (fault->kind == FAULT_READ && fault->address == 0)
        runner->unfold->status = diagnose(runner->unfold->diagnosis, STATUS_BAD_ARGUMENT,
                                          "%s:%u: a division by zero in an execution that was looked at",
                                          runner->unfold->test->file, site->line);
    else
        runner->unfold->status = diagnose(runner->unfold->diagnosis, STATUS_BAD_ARGUMENT,
                                          "%s:%u: an access leaves the locations of the test (%s)",
                                          runner->unfold->test->file, site->line, site->what);
}

/* ---- running a thread ----------------------------------------------------------------------------- */

static void start(struct runner *runner, struct wave *wave, uint32_t thread)
{
    const struct unfold *unfold = runner->unfold;
    const struct thread_places *places = &unfold->places;
    CHECKED(thread < unfold->test->thread_count && places->item[thread] < places->group_size);
    uint32_t size = places->group_size, group = places->group[thread];
    struct wave_start start = {.lane_count = 1,
                               .group_id = {group, 0, 0},
                               .local_size = {size, 1, 1},
                               .args = runner->code->args,
                               .local_addresses = runner->code->local_addresses};
    start.origin = (struct origin){.launch = &unfold->launch,
                                   .tile_origin = {(uint64_t)group * size, 0, 0},
                                   .tile_size = {size, 1, 1},
                                   .first_lane = places->item[thread],
                                   .compute_unit = group};
    wave_start(wave, &start);
}

/* Runs until the new step is found; a loop without operations is cut. */
static void run(struct runner *runner, struct wave *wave)
{
    enum run_result result = RUN_YIELD;
    for (uint32_t slice = 0; !runner->found && runner->unfold->status == STATUS_OK && result != RUN_DONE;
         slice++) {
        if (slice == SLICES_MOST) {
            keep(runner, &(struct step){.kind = STEP_CUT});
            return;
        }
        result = wave_run(wave, 1);
        if (result == RUN_BARRIER)
            at_barrier(runner);
    }
    if (result == RUN_DONE && runner->unfold->status == STATUS_OK)
        at_end(runner);
}

static struct step *extend_path(struct unfold *unfold, uint32_t thread, struct step *last,
                                struct reading read)
{
    struct unfold_code *code = unfold->code;
    uint32_t length = last ? last->depth + 1 : 0;
    struct runner runner = {.unfold = unfold, .code = code, .thread = thread, .length = length, .edge = read};
    struct wave *wave = wave_new(code->code, &code->memory, &code->host, NULL);
    runner.wave = wave;
    runner.path = calloc(length + 1, sizeof *runner.path);
    if (!wave || !runner.path) {
        unfold->status = STATUS_OUT_OF_MEMORY;
        goto out;
    }
    for (struct step *step = last; step; step = step->parent) {
        CHECKED(step->depth < length && step->thread == thread); /* a path is of one thread */
        runner.path[step->depth] = step;
    }
    code->memory.port.self = code->host.self = &runner;
    start(&runner, wave, thread);
    jmp_buf fail;
    code->pool.fail = &fail;
    if (setjmp(fail))
        unfold->status = STATUS_OUT_OF_MEMORY;
    else
        run(&runner, wave);
out:
    free(runner.path);
    wave_free(wave);
    return unfold->status == STATUS_OK ? runner.found : NULL;
}

struct step *unfold_first(struct unfold *unfold, uint32_t thread)
{
    CHECKED(thread < unfold->test->thread_count);
    if (!unfold->first[thread])
        unfold->first[thread] = extend_path(unfold, thread, NULL, (struct reading){0, false});
    return unfold->first[thread];
}

struct step *unfold_next(struct unfold *unfold, struct step *step, struct reading read)
{
    const struct reading edge = step_reads(step) ? read : (struct reading){0, false};
    for (struct step *child = step->children; child; child = child->sibling)
        if (child->edge.value == edge.value && child->edge.spurious == edge.spurious)
            return child;
    return extend_path(unfold, step->thread, step, edge);
}

void unfold_origin(const struct unfold *unfold, const struct step *step, struct origin *out_origin)
{
    const struct thread_places *places = &unfold->places;
    uint32_t group = places->group[step->thread], size = places->group_size;
    *out_origin = (struct origin){.launch = &unfold->launch,
                                  .tile_origin = {(uint64_t)group * size, 0, 0},
                                  .tile_size = {size, 1, 1},
                                  .first_lane = places->item[step->thread],
                                  .compute_unit = group,
                                  .site = step->site};
}

/* ---- building ---------------------------------------------------------------------------------------- */

static enum status compile(struct unfold *unfold, struct spirv *out_spirv)
{
    const struct device_config *device = &unfold->scenario->device;
    char *source = litmus_kernel(unfold->test), *log = NULL;
    struct compile_request request = {.source = source,
                                      .source_name = unfold->test->file,
                                      .options = "-cl-std=CL3.0",
                                      .version_major = device->version_major,
                                      .version_minor = device->version_minor,
                                      .sub_groups = device->sub_groups,
                                      .generic_address_space = device->generic_address_space,
                                      .work_group_collectives = device->work_group_collectives,
                                      .seconds = unfold->scenario->compile_seconds,
                                      .memory_bytes = unfold->scenario->compile_bytes,
                                      .way = unfold->scenario->compile_way};
    enum status status = source ? compile_opencl_c(&request, out_spirv, &log) : STATUS_OUT_OF_MEMORY;
    if (status != STATUS_OK)
        diagnose(unfold->diagnosis, status, "%s: %s\n%s", unfold->test->file, status_name(status),
                 log ? log : "");
    free(log);
    free(source);
    return status;
}

static enum status load(struct unfold *unfold)
{
    struct spirv spirv = {NULL, 0};
    enum status status = compile(unfold, &spirv);
    struct program_request request = {.words = spirv.words,
                                      .word_count = spirv.word_count,
                                      .source_name = unfold->test->file,
                                      .source_text = unfold->test->text};
    if (status == STATUS_OK)
        status = program_load(unfold->device, &request, &unfold->program, unfold->diagnosis);
    spirv_fini(&spirv);
    return status;
}

static enum status allocate(struct unfold *unfold, const struct location *location)
{
    struct region *region;
    struct allocation wanted = {.kind = location->local ? REGION_LOCAL_VARIABLE : REGION_BUFFER,
                                .size = (uint64_t)location->cells * CELL_BYTES,
                                .name = location->name};
    enum status status = arena_allocate(&unfold->device->arena, &wanted, &region);
    for (uint32_t i = 0; status == STATUS_OK && i < location->cells; i++)
        unfold->cell_address[location->first_cell + i] = region->low + (uint64_t)i * CELL_BYTES;
    return status;
}

static enum status allocate_all(struct unfold *unfold)
{
    enum status status =
        device_alloc(unfold->device, LOG_WORDS * CELL_BYTES, 0, 0, "log", &unfold->code->log_address);
    for (uint32_t i = 0; status == STATUS_OK && i < unfold->test->location_count; i++)
        status = allocate(unfold, &unfold->test->locations[i]);
    return status == STATUS_OK
               ? status
               : diagnose(unfold->diagnosis, status, "%s: no memory for the locations", unfold->test->file);
}

/* In the order of the kernel's parameters: see litmus_kernel.c. */
static void bind_arguments(struct unfold *unfold, struct variant *variant, const struct kernel_info *info)
{
    uint64_t addresses[KERNEL_ARGUMENTS_MOST];
    struct launch_arg args[KERNEL_ARGUMENTS_MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < unfold->test->location_count; i++) {
        const struct location *location = &unfold->test->locations[i];
        for (enum space space = SPACE_GLOBAL; space <= SPACE_LOCAL; space++)
            if (kernel_passes(location, space))
                addresses[count++] = unfold->cell_address[location->first_cell];
    }
    CHECKED(count < KERNEL_ARGUMENTS_MOST);
    addresses[count++] = unfold->code->log_address;
    for (uint32_t i = 0; i < count; i++)
        args[i] = (struct launch_arg){&addresses[i], sizeof addresses[i], 0, 0};
    interp_args(variant->code, info, args, unfold->code->args);
    for (uint32_t i = 0; i < variant->code->local_object_count; i++)
        unfold->code->local_addresses[i] = addresses[variant->code->local_objects[i].arg];
}

static enum status prepare(struct unfold *unfold)
{
    const struct code_request wanted = {.width = 1, .preempt = true, .spurious = true};
    struct kernel *kernel =
        (struct kernel *)(uintptr_t)program_find_kernel(unfold->program, LITMUS_KERNEL_NAME);
    struct variant *variant;
    enum status status =
        kernel ? kernel_variant(kernel, &wanted, &variant, unfold->diagnosis) : STATUS_OUT_OF_MEMORY;
    if (status != STATUS_OK)
        return status;
    unfold->code->code = variant->code;
    unfold->code->args = calloc(variant->code->args_size + 8, 1);
    unfold->code->local_addresses = calloc(variant->code->local_object_count + 1, sizeof(uint64_t));
    if (!unfold->code->local_addresses || !unfold->code->args)
        return STATUS_OUT_OF_MEMORY;
    program_running(unfold->program, variant->code);
    bind_arguments(unfold, variant, kernel->info);
    unfold->code->memory = unfold->device->arena.memory;
    unfold->code->memory.port = (struct memory_port){.load = port_load,
                                                     .store = port_store,
                                                     .update = port_update,
                                                     .refused = port_refused,
                                                     .fence = port_fence};
    unfold->code->host.fault = host_fault;
    return STATUS_OK;
}

static void describe_launch(struct unfold *unfold)
{
    struct launch_info *info = &unfold->launch;
    uint64_t size = unfold->places.group_size, groups = unfold->places.group_count;
    *info = (struct launch_info){.launch = 1,
                                 .command = 1,
                                 .kernel = LITMUS_KERNEL_NAME,
                                 .program = unfold->program,
                                 .work_dim = 1,
                                 .global_size = {groups * size, 1, 1},
                                 .local_size = {size, 1, 1},
                                 .group_count = {groups, 1, 1},
                                 .sub_group_size = unfold->places.group_size};
}

static enum status build(struct unfold *unfold)
{
    scenario_default(unfold->scenario);
    checks_fast(unfold->scenario->checks);
    unfold->report = report_new(unfold->scenario);
    if (!unfold->report)
        return STATUS_OUT_OF_MEMORY;
    report_set_stream(unfold->report, NULL, false);
    enum status status = device_new(unfold->scenario, unfold->report, &unfold->device, unfold->diagnosis);
    if (status == STATUS_OK)
        status = load(unfold);
    if (status == STATUS_OK)
        status = allocate_all(unfold);
    if (status == STATUS_OK)
        status = prepare(unfold);
    describe_launch(unfold);
    return status;
}

enum status unfold_new(const struct litmus *test, uint32_t bound, struct unfold **out_unfold,
                       struct diagnosis *diagnosis)
{
    struct unfold *unfold = calloc(1, sizeof *unfold);
    enum status status = STATUS_OUT_OF_MEMORY;
    if (unfold) {
        *unfold = (struct unfold){.test = test, .diagnosis = diagnosis, .bound = bound};
        litmus_place(test, &unfold->places);
        unfold->scenario = calloc(1, sizeof *unfold->scenario);
        unfold->code = calloc(1, sizeof *unfold->code);
        status = unfold->scenario && unfold->code ? build(unfold) : STATUS_OUT_OF_MEMORY;
    }
    if (status == STATUS_OK) {
        *out_unfold = unfold;
        return status;
    }
    unfold_free(unfold);
    return diagnose(diagnosis, status, "%s: %s", test->file, status_name(status));
}

void unfold_free(struct unfold *unfold)
{
    if (!unfold)
        return;
    program_release(unfold->program);
    device_free(unfold->device);
    report_free(unfold->report);
    if (unfold->scenario)
        scenario_fini(unfold->scenario);
    if (unfold->code) {
        pool_fini(&unfold->code->pool);
        free(unfold->code->local_addresses);
        free(unfold->code->args);
    }
    free(unfold->code);
    free(unfold->scenario);
    free(unfold);
}
