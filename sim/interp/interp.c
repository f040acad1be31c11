/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of the interpreter. A module's kernels are compiled at the first request for each kind of
 * code: SPIR-V is lowered to the IR (lower.c), the passes of ir.h transform it, and emit.c makes bytecode.
 * Also decides which traits of a kernel matter for merging work-groups into one wave. */
#include "interp.h"

#include <spirv/unified1/OpenCLDebugInfo100.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave_enqueue.h"
#include "ir.h"
#include "verify.h"

size_t interp_kernel_count(const struct module *m)
{
    return m->entries.count;
}
const struct kernel_info *interp_kernel_info(const struct module *m, size_t kernel)
{
    return &m->entries.at[kernel].info;
}

static uint32_t width_class(uint32_t width)
{
    return width <= 16 ? 16 : width <= 64 ? 64 : WAVE_LANES_MAX;
}

/* Does it enqueue a kernel that waits for the end of a work-group? */
static bool may_wait_for_group(struct ir *ir, const struct value *enqueue)
{
    uint64_t flags;
    if ((enqueue->imm & ((1 << ENQUEUE_COUNT_SHIFT) - 1)) != ENQUEUE_KERNEL)
        return false;
    return !ir_is_const(ir, enqueue->list[OPERAND_NUMBER], &flags) || flags == ENQUEUE_WAIT_WORK_GROUP;
}

/* ---- loops that wait ---------------------------------------------------------- */

struct waiting_loop {
    struct ir *ir;
    const struct loop *loop;
    uint32_t *seen, *work, *phis, *sites, work_count, site_count, mark;
    bool reads, counts;
};

/* The number of blocks on in-edges of the loop head that lie inside the loop. */
static bool is_inside(struct ir *ir, const struct loop *loop, uint32_t b)
{
    const struct block *block = ir_block(ir, b);
    return loop->members[b] ||
           (block->edge && loop->members[block->preds[0]] && loop->members[block->succs[0]]);
}

/* Adds a value that is computed in the loop to the work list, once. */
static void look_at(struct waiting_loop *w, uint32_t v)
{
    const struct value *value = v ? ir_value(w->ir, v) : NULL;
    if (!value || !value->block || w->seen[v] == w->mark || !is_inside(w->ir, w->loop, value->block))
        return;
    w->seen[v] = w->mark;
    w->work[w->work_count++] = v;
}

static void look_at_read(struct waiting_loop *w, const struct value *value)
{
    const uint32_t address = value->args[0];
    const bool fixed = !is_inside(w->ir, w->loop, ir_value(w->ir, address)->block);
    w->reads |= fixed && value->storage != STORAGE_PRIVATE;
    if (fixed && value->storage != STORAGE_PRIVATE)
        w->sites[w->site_count++] = value->site;
    if (value->op == IR_atomic &&
        (value->imm == ATOMIC_COMPARE_EXCHANGE || value->imm == ATOMIC_COMPARE_EXCHANGE_WEAK) &&
        value->args[2])
        /* the next round starts from what was found */
        w->counts |= is_inside(w->ir, w->loop, ir_value(w->ir, value->args[2])->block);
    if (!fixed)
        look_at(w, address);
}

/* Collects the values of the loop that v derives from. With a work list, since a kernel may be one long
 * chain. */
static void derive(struct waiting_loop *w, uint32_t v)
{
    look_at(w, v);
    while (w->work_count) {
        const uint32_t next = w->work[--w->work_count];
        const struct value *value = ir_value(w->ir, next);
        if (value->op == IR_load || value->op == IR_atomic) {
            look_at_read(w, value);
        } else if (value->op == IR_phi) {
            for (uint32_t k = 0; k < value->list_count; k++)
                look_at(w, value->list[k]);
        } else {
            IR_OPERANDS(w->ir, next, slot)
            look_at(w, *slot);
        }
    }
}

/* A phi that derives from itself: a counter, or a position in a list. */
static bool continues_loop(struct waiting_loop *w, uint32_t phi)
{
    const struct value *value = ir_value(w->ir, phi);
    w->mark++;
    for (uint32_t k = 0; k < value->list_count; k++)
        derive(w, value->list[k]);
    return w->seen[phi] == w->mark;
}

/* The branch may be taken because another unit wrote. Not if it also counts: "i < *count" ends by itself. */
static bool spins_on(struct waiting_loop *w, uint32_t cond)
{
    const struct block *header = ir_block(w->ir, w->loop->header);
    uint32_t phi_count = 0;
    w->mark++;
    w->reads = w->counts = false;
    w->site_count = 0;
    derive(w, cond);
    const uint32_t site_count = w->site_count;
    for (uint32_t i = 0; i < header->insts.count && ir_value(w->ir, header->insts.at[i])->op == IR_phi; i++)
        if (w->seen[header->insts.at[i]] == w->mark)
            w->phis[phi_count++] = header->insts.at[i];
    bool counts = !w->reads || w->counts;
    while (phi_count && !counts)
        counts = continues_loop(w, w->phis[--phi_count]);
    for (uint32_t i = 0; i < site_count && !counts; i++)
        w->ir->sites.at[w->sites[i]].waits = true;
    return !counts;
}

/*
 * Does the loop exit depend on a read from a constant address? Then it may wait for another work-group, if
 * only for a bounded number of iterations.
 */
static bool may_wait(struct waiting_loop *w)
{
    const struct loop *loop = w->loop;
    bool waits = false;
    for (uint32_t o = 0; o < w->ir->order_count; o++) {
        const struct block *block = ir_block(w->ir, w->ir->order[o]);
        bool exits = false;
        for (uint32_t k = 0; k < block->succ_count && is_inside(w->ir, loop, w->ir->order[o]); k++)
            exits |= block->succ_count > 1 && !is_inside(w->ir, loop, block->succs[k]);
        waits |= exits && spins_on(w, block->cond);
    }
    return waits;
}

/* Also sets `waits` of each site. */
static bool some_loop_waits(struct ir *ir)
{
    bool waits = false;
    struct waiting_loop w = {.ir = ir,
                             .seen = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count),
                             .work = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count),
                             .phis = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count),
                             .sites = ARENA_ARRAY(ir->arena, uint32_t, 2 * ir->values.count)};
    for (uint32_t l = 0; l < ir->loops.count && !ir->irreducible; l++) {
        w.loop = &ir->loops.at[l];
        waits |= may_wait(&w);
    }
    return waits;
}

static void optimise(struct ir *ir)
{
    promote_variables(ir);
    simplify(ir);
    cfg_canonical(ir);
    simplify_if_convert(ir);
    cfg_canonical(ir);
    simplify_hoist_invariants(ir);
    simplify(ir);
    cfg_canonical(ir);
    simplify_fuse(ir);
}

static struct ir *lowered(struct module *m, struct entry_point *e, const struct code_request *request)
{
    struct ir *ir = lower_kernel(m, e, request);
    ir->zero_private = request->zero_private;
    cfg_build(ir);
    ir->irreducible_as_lowered = ir->irreducible;
    verify_ir(ir);
    if (!request->poison || request->marks_stores || request->zero_private)
        poison_drop_forgets(ir);
    components_narrow(ir);
    if (request->debug || request->unoptimised) {
        cfg_canonical(ir);
        simplify_remove_dead(ir); /* addresses of built-in variables must not stay: they have no memory */
    } else {
        optimise(ir);
    }
    cost_count_work(ir);
    written_find_origins(ir);
    if (request->poison && request->marks_stores)
        poison_mark_stores(ir);
    else if (request->poison)
        poison_track(ir);
    cfg_loop_closed(ir);
    cfg_split_edges(ir);
    loop_iterations_number(ir);
    diverge_classify(ir);
    ir->waits = some_loop_waits(ir);
    return ir;
}

/* Inputs that do not depend on the division into work-groups. */
static bool is_global_input(uint64_t input)
{
    const bool sizes = input >= INPUT_GLOBAL_SIZE && input <= INPUT_WORK_DIM;
    const bool ids = input >= INPUT_GLOBAL_ID && input < INPUT_LOCAL_LINEAR_ID;
    return sizes || ids || input == INPUT_GLOBAL_LINEAR_ID;
}

static void find_traits(struct entry_point *e, struct ir *ir)
{
    struct kernel_traits t = {0};
    t.sees_groups = ir->locals.count > 0;
    t.irreducible = ir->irreducible || ir->irreducible_as_lowered;
    for (uint32_t v = 1; v < ir->values.count; v++) {
        const struct value *value = ir_value(ir, v);
        bool input = value->op == IR_input && !(value->imm & 0x10000);
        t.sees_groups |= input && !is_global_input(value->imm);
        t.has_barrier |= value->op == IR_barrier || value->op == IR_async_copy;
        t.has_collective |= value->op == IR_collective;
        t.has_atomics |= value->op == IR_atomic;
        t.sees_groups |= value->op == IR_enqueue && may_wait_for_group(ir, value);
    }
    /* then it matters which work-groups have begun */
    t.sees_groups |= t.has_barrier || t.has_collective || ir->waits;
    e->traits = t;
    e->has_traits = true;
}

static const struct code *find_code(const struct entry_point *e, uint32_t key)
{
    for (uint32_t i = 0; i < e->code.count; i++)
        if (e->code_key.at[i] == key)
            return e->code.at[i];
    return NULL;
}

/* Numbers the kinds of code of one kernel, but for the number of lanes. */
static uint32_t key_of(const struct code_request *request)
{
    return (uint32_t)request->preempt << 16 | (uint32_t)request->poison << 17 |
           (uint32_t)request->zero_private << 18 | (uint32_t)request->spurious << 19 |
           (uint32_t)request->debug << 20 | (uint32_t)request->marks_stores << 21 |
           (uint32_t)request->profile << 22;
}

static void drop_lowered(struct module *m)
{
    arena_free(&m->work);
    m->lowered.ir = NULL;
}

/* Each code has an IR of its own, since emit() changes it. */
static struct ir *take_lowered(struct module *m, struct entry_point *e, const struct code_request *request)
{
    struct ir *ir = m->lowered.ir;
    if (ir && m->lowered.entry == e && m->lowered.key == key_of(request)) {
        m->lowered.ir = NULL;
        return ir;
    }
    drop_lowered(m);
    return lowered(m, e, request);
}

static const struct code *make_code(struct module *m, struct entry_point *e,
                                    const struct code_request *request)
{
    const uint32_t width = width_class(request->width);
    const uint32_t key = width | key_of(request);
    const struct code *code = find_code(e, key);
    if (code)
        return code;
    struct code_request without = *request;
    without.debug = without.profile = false;
    const struct code *plain = request->debug || request->profile ? make_code(m, e, &without) : NULL;
    struct ir *ir = take_lowered(m, e, request);
    ir->plain = plain;
    code = emit(ir, width);
    *list_push(&m->arena, &e->code) = code;
    *list_push(&m->arena, &e->code_key) = key;
    if (!plain && code->private_size > e->info.private_bytes)
        e->info.private_bytes = code->private_size;
    return code;
}

/* What fails goes to `fail` from here on. */
static void begin_lowering(struct module *m, jmp_buf *fail, struct diagnosis *diagnosis)
{
    pthread_mutex_lock(&m->lock);
    m->fail = m->arena.out_of_memory = m->work.out_of_memory = fail;
    m->fail_status = STATUS_OUT_OF_MEMORY;
    m->diagnosis = diagnosis;
    m->nesting = 0;
}

static void end_lowering(struct module *m, bool keep)
{
    if (!keep)
        drop_lowered(m);
    m->diagnosis = NULL;
    pthread_mutex_unlock(&m->lock);
}

enum status interp_code(struct module *m, const struct code_request *request, const struct code **out_code,
                        struct diagnosis *diagnosis)
{
    jmp_buf fail;
    volatile enum status status = STATUS_OK;
    begin_lowering(m, &fail, diagnosis);
    if (setjmp(fail))
        status = m->fail_status;
    else
        *out_code = make_code(m, &m->entries.at[request->kernel], request);
    end_lowering(m, false);
    return status;
}

/* Traits are those of the optimised kernel, whatever is asked for, but for `irreducible`. */
static void find_traits_of(struct module *m, struct entry_point *e, const struct code_request *request)
{
    struct code_request optimised = *request;
    optimised.unoptimised = optimised.debug = optimised.profile = false;
    drop_lowered(m);
    struct ir *ir = lowered(m, e, &optimised);
    find_traits(e, ir);
    if (!request->unoptimised)
        m->lowered = (struct lowered_kernel){ir, e, key_of(&optimised)};
}

enum status interp_traits(struct module *m, const struct code_request *request,
                          struct kernel_traits *out_traits, struct diagnosis *diagnosis)
{
    struct entry_point *e = &m->entries.at[request->kernel];
    jmp_buf fail;
    volatile enum status status = STATUS_OK;
    begin_lowering(m, &fail, diagnosis);
    if (setjmp(fail))
        status = m->fail_status;
    else if (!e->has_traits)
        find_traits_of(m, e, request);
    end_lowering(m, status == STATUS_OK);
    *out_traits = e->traits;
    return status;
}

static void list_code(FILE *out, const struct code *code)
{
    for (uint32_t i = 0, b = 0; i < code->insn_count; i++) {
        for (; b < code->block_count && code->block_start[b] == i; b++)
            fprintf(out, "  block %u\n", b);
        const struct insn *n = &code->insns[i];
        fprintf(out, "    %5u  %-16s d=%-6u a=%-6u b=%-6u c=%-6u e=%x f=%x\n", i, op_names[code->ops[i]],
                n->d, n->a, n->b, n->c, code->ops[i] == OP_math_v || code->ops[i] == OP_math_u ? 0 : n->e,
                code->ops[i] == OP_math_v || code->ops[i] == OP_math_u ? 0 : n->f);
    }
}

/* Adds the text in the words, which may lack its terminator. */
static void add_literal(const struct module *m, uint32_t word, uint32_t first, FILE *stream)
{
    const char *text = module_string(m, word + first);
    fwrite(text, 1, strnlen(text, (size_t)(spv_length(m, word) - first) * sizeof *m->words), stream);
}

static char *source_text(const struct module *m, uint32_t word)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    add_literal(m, word, 4, stream);
    for (word += spv_length(m, word); word < m->word_count && spv_opcode(m, word) == SpvOpSourceContinued;
         word += spv_length(m, word))
        add_literal(m, word, 1, stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static const char *string_of(const struct module *m, uint32_t id)
{
    const uint32_t word = id < m->bound ? m->def[id] : 0;
    return word && spv_opcode(m, word) == SpvOpString ? module_string(m, word + 2) : NULL;
}

/* A DebugSource with a text: its OpString, which is NULL if it has none. */
static const char *debug_source_text(const struct module *m, uint32_t word)
{
    const uint32_t *w = &m->words[word];
    if (spv_opcode(m, word) != SpvOpExtInst || !m->debug_set || w[3] != m->debug_set)
        return NULL;
    return w[4] == OpenCLDebugInfo100DebugSource && spv_length(m, word) > 6 ? string_of(m, w[6]) : NULL;
}

bool interp_source(const struct module *module, size_t index, const char **out_file, char **out_text)
{
    for (uint32_t word = 5; word < module->word_count && spv_opcode(module, word) != SpvOpFunction;
         word += spv_length(module, word)) {
        const uint32_t *w = &module->words[word];
        const char *debug_text = debug_source_text(module, word);
        const bool has_text = spv_opcode(module, word) == SpvOpSource && spv_length(module, word) > 4;
        const char *file = debug_text ? string_of(module, w[5]) : has_text ? string_of(module, w[3]) : NULL;
        if (!file || index--)
            continue;
        *out_file = file;
        *out_text = debug_text ? strdup(debug_text) : source_text(module, word);
        return true;
    }
    return false;
}

uint32_t interp_opencl_c(const struct module *module)
{
    uint32_t lowest = 0;
    for (uint32_t word = 5; word < module->word_count && spv_opcode(module, word) != SpvOpFunction;
         word += spv_length(module, word)) {
        const bool is_c =
            spv_opcode(module, word) == SpvOpSource && module->words[word + 1] == SpvSourceLanguageOpenCL_C;
        const uint32_t version = is_c ? module->words[word + 2] / 1000 : 0; /* 102000 is 1.2 */
        if (version && (!lowest || version < lowest))
            lowest = version;
    }
    return lowest;
}

char *interp_listing(struct module *m, const struct code_request *request)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < m->entries.count; i++) {
        struct diagnosis diagnosis = {0};
        struct code_request wanted = *request;
        const struct code *code;
        wanted.kernel = i;
        fprintf(out, "kernel %s\n", m->entries.at[i].name);
        if (interp_code(m, &wanted, &code, &diagnosis) != STATUS_OK) {
            fprintf(out, "  %s\n", diagnosis.text);
            continue;
        }
        fprintf(out, "  frame %u bytes, private %u bytes per work-item, %u instructions\n", code->frame_size,
                code->private_size, code->insn_count);
        list_code(out, code);
    }
    if (out)
        fclose(out);
    return text;
}
