/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From classed SSA to bytecode: phis become copies on their edges, blocks are written out in their order,
 * with the instructions of emit_values.c, the operands of emit_operands.c and the places of emit_slots.c.
 */

#include "orrery/checked.h"
#include "emit.h"
#include "slot_check.h"

/* ---- copies on edges ------------------------------------------------------------------------- */

static void put_copy(struct emitter *e, const struct value *phi, uint32_t target, uint32_t source,
                     enum value_class from)
{
    uint32_t op, size = phi->type == T_BOOL ? 4 : size_index(phi->type);
    if (phi->cls == CLASS_V && phi->masked && from == CLASS_A) { /* lanes first: the others' must stay */
        emit_put(e, phi->type == T_I64 ? OP_a_to_v_64 : OP_a_to_v_32, e->lanes_scratch, source, 0, 0);
        source = e->lanes_scratch;
        from = CLASS_V;
    }
    if (phi->cls == CLASS_U)
        op = OP_mov_u;
    else if (phi->cls == CLASS_A)
        op = from == CLASS_U ? phi->type == T_I64 ? OP_a_from_u_64 : OP_a_from_u_32 : OP_a_mov;
    else if (from == CLASS_U)
        op = (phi->masked ? OP_movmu_8 : OP_splat_8) + size;
    else if (from == CLASS_A)
        op = phi->type == T_I64 ? OP_a_to_v_64 : OP_a_to_v_32;
    else
        op = (phi->masked ? OP_movm_8 : OP_mov_8) + size;
    CHECKED(phi->cls != CLASS_U || from == CLASS_U); /* diverge.c: no uniform phi of varying values */
    CHECKED(phi->cls != CLASS_A || from != CLASS_V);
    emit_put(e, op, target, source, 0, 0);
}

struct move {
    uint32_t phi, target, source;
    enum value_class from;
    bool done;
};

/* All phis of the successor at once: a copy waits while another still reads its target. */
static void put_phi_copies(struct emitter *e, uint32_t b)
{
    struct ir *ir = e->ir;
    struct block *succ = ir_block(ir, ir_block(ir, b)->succs[0]);
    CHECKED(ir_block(ir, b)->succ_count == 1); /* cfg_split_edges */
    LIST(struct move) moves = {0};
    for (uint32_t i = 0; i < succ->insts.count && val(e, succ->insts.at[i])->op == IR_phi; i++) {
        uint32_t id = succ->insts.at[i];
        const struct value *phi = val(e, id);
        for (uint32_t k = 0; k < phi->list_count; k++) {
            if (phi->list[phi->list_count + k] != b)
                continue;
            uint32_t source = phi->list[k];
            struct move m = {id, emit_loc(e, id), emit_loc(e, source), val(e, source)->cls, false};
            if (val(e, source)->op == IR_undef || (m.target == m.source && m.from == phi->cls))
                continue;
            *list_push(e->arena, &moves) = m;
        }
    }
    for (uint32_t left = moves.count; left;) {
        bool progress = false;
        for (uint32_t i = 0; i < moves.count; i++) {
            struct move *m = &moves.at[i];
            bool blocked = m->done;
            for (uint32_t k = 0; k < moves.count && !blocked; k++)
                blocked = k != i && !moves.at[k].done && moves.at[k].source == m->target;
            if (blocked)
                continue;
            put_copy(e, val(e, m->phi), m->target, m->source, m->from);
            m->done = progress = true;
            left--;
        }
        if (progress)
            continue;
        for (uint32_t i = 0; i < moves.count; i++) { /* a cycle: free one target through scratch */
            struct move *m = &moves.at[i];
            if (m->done)
                continue;
            uint32_t cls = emit_slot_class(val(e, m->phi)), scratch = e->scratch[cls], old = m->target;
            struct value plain = *val(e, m->phi);
            plain.masked = false;
            put_copy(e, &plain, scratch, old, plain.cls);
            for (uint32_t k = 0; k < moves.count; k++)
                if (!moves.at[k].done && moves.at[k].source == old)
                    moves.at[k].source = scratch;
            break;
        }
    }
}

/* The phis of the successor that get no value from here. A block on an edge that is not emitted stands for
 * the edge. */
static void note_undefined(struct emitter *e, uint32_t b)
{
    struct ir *ir = e->ir;
    if (ir_block(ir, b)->term != TERM_JUMP)
        return;
    const struct block *succ = ir_block(ir, ir_block(ir, b)->succs[0]);
    const uint32_t from = e->edge_empty[b] ? ir_block(ir, b)->preds[0] : b;
    for (uint32_t i = 0; i < succ->insts.count && val(e, succ->insts.at[i])->op == IR_phi; i++) {
        const struct value *phi = val(e, succ->insts.at[i]);
        for (uint32_t k = 0; k < phi->list_count; k++)
            if (phi->list[phi->list_count + k] == b && val(e, phi->list[k])->op == IR_undef)
                *list_push(e->arena, &e->undefined) = (struct slot_undefined){
                    ir_block(ir, from)->order, succ->order, emit_loc(e, succ->insts.at[i])};
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static uint32_t target_of(struct emitter *e, uint32_t b)
{
    while (e->edge_empty[b])
        b = ir_block(e->ir, b)->succs[0];
    CHECKED(ir_block(e->ir, b)->order < e->ir->order_count);
    return ir_block(e->ir, b)->order;
}

static bool copies_needed(struct emitter *e, uint32_t b)
{
    uint32_t before = e->insns.count, operands = e->operands.count;
    put_phi_copies(e, b);
    bool needed = e->insns.count > before;
    e->insns.count = e->ops.count = before;
    e->words.count = e->ir->debug ? before : 0;
    e->operands.count = operands;
    return needed;
}

static void put_jump(struct emitter *e, uint32_t from, uint32_t to)
{
    uint32_t target = target_of(e, to), here = ir_block(e->ir, from)->order;
    const uint32_t work = ir_block(e->ir, from)->work;
    if (target == here + 1 && !e->divergent && !work)
        return;
    CHECKED(target < e->ir->order_count && here < e->ir->order_count);
    struct insn *insn = emit_put(e, target <= here ? OP_loop : OP_jump, 0, 0, 0, work);
    insn->d = ir_block(e->ir, from)->site;
    insn->e = target;
}

static void put_switch(struct emitter *e, uint32_t b)
{
    struct block *block = ir_block(e->ir, b);
    CHECKED(block->cond && block->succ_count > 0 && val(e, block->cond)->cls != CLASS_A);
    uint32_t list = emit_push(e, scalar_bits(val(e, block->cond)->type));
    emit_push(e, block->succ_count - 1);
    emit_push(e, target_of(e, block->succs[0]));
    for (uint32_t i = 1; i < block->succ_count; i++) {
        emit_push(e, (uint32_t)block->cases[i - 1]);
        emit_push(e, (uint32_t)(block->cases[i - 1] >> 32));
        emit_push(e, target_of(e, block->succs[i]));
    }
    struct insn *insn = emit_put(e, is_v(e, block->cond) ? OP_switch_v : OP_switch_u, block->site,
                                 emit_loc(e, block->cond), 0, block->work);
    insn->e = list;
    insn->b = block->order;
}

static void put_terminator(struct emitter *e, uint32_t b)
{
    struct block *block = ir_block(e->ir, b);
    switch (block->term) {
    case TERM_JUMP:
        put_phi_copies(e, b);
        put_jump(e, b, block->succs[0]);
        break;
    case TERM_BRANCH: {
        CHECKED(block->succ_count == 2 && val(e, block->cond)->type == T_BOOL);
        struct insn *insn = emit_put(e, is_v(e, block->cond) ? OP_branch_v : OP_branch_u, block->site,
                                     emit_loc(e, block->cond), 0, block->work);
        insn->e = target_of(e, block->succs[0]);
        insn->f = target_of(e, block->succs[1]);
        insn->b = block->order;
        break;
    }
    case TERM_SWITCH: put_switch(e, b); break;
    case TERM_UNREACHABLE: emit_put(e, OP_unreachable, 0, 0, 0, block->work)->e = block->site; break;
    default: emit_put(e, OP_ret, 0, 0, 0, block->work); break;
    }
}

static void find_divergence(struct emitter *e)
{
    struct ir *ir = e->ir;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        e->divergent |= block->succ_count > 1 && is_v(e, block->cond);
    }
}

static void keep_private(struct ir *ir, struct code *code)
{
    bool *kept = ARENA_ARRAY(&ir->module->arena, bool, ir->private_variables.count + 1);
    for (uint32_t i = 0; i < ir->private_variables.count; i++)
        kept[i] = ir->private_variables.at[i].live;
    code->private_kept = kept;
    code->private_variable_count = ir->private_variables.count;
}

static void keep_poison(struct ir *ir, struct code *code)
{
    struct arena *keep = &ir->module->arena;
    const uint32_t count = ir->poison_sources.count, words = ir->poison_lists.count;
    code->poison_sources = arena_copy(keep, ir->poison_sources.at, count * sizeof *code->poison_sources);
    code->poison_source_count = count;
    code->poison_lists = arena_copy(keep, ir->poison_lists.at, words * sizeof *code->poison_lists);
    code->poison_list_words = words;
}

/* Findings are explained by the code as it is without a debugger, and without counts. Both were lowered from
 * the same words in the same order, so their sites have the same numbers. A debugger's code may have more
 * calls: those that the producer of the module inlined follow the others. */
static void take_explanations(struct code *code, const struct code *plain)
{
    CHECKED(code->site_count == plain->site_count && code->call_count >= plain->call_count);
    code->sites = plain->sites;
    code->loops = plain->loops;
    code->loop_count = plain->loop_count;
    code->ways = plain->ways;
    code->written = plain->written;
    code->writes_elsewhere = plain->writes_elsewhere;
    code->pointers_as_numbers = plain->pointers_as_numbers;
    code->suspect = plain->suspect;
}

static struct code *finish(struct emitter *e, uint32_t *block_start)
{
    struct ir *ir = e->ir;
    struct arena *keep = &ir->module->arena; /* everything else goes with the work arena */
    CHECKED(e->insns.count == e->ops.count);
    struct code *code = ARENA_NEW(keep, struct code);
    code->width = e->width;
    code->insns = arena_copy(keep, e->insns.at, e->insns.count * sizeof *e->insns.at);
    code->insn_count = e->insns.count;
    code->ops = arena_copy(keep, e->ops.at, e->ops.count * sizeof *e->ops.at);
    code->operands = arena_copy(keep, e->operands.at, e->operands.count * sizeof *e->operands.at);
    code->operand_count = e->operands.count;
    code->sites = arena_copy(keep, ir->sites.at, ir->sites.count * sizeof *ir->sites.at);
    code->site_count = ir->sites.count;
    code->loops = arena_copy(keep, e->loops, ir->loops.count * sizeof *e->loops);
    code->loop_count = ir->loops.count;
    code->calls = arena_copy(keep, ir->calls.at, ir->calls.count * sizeof *ir->calls.at);
    code->call_count = ir->calls.count;
    code->ways = arena_copy(keep, e->ways, ir->order_count * sizeof *e->ways);
    for (uint32_t i = 0; i < ir->sites.count; i++)
        code->suspect |= ir->sites.at[i].suspect;
    code->frame_size = (e->frame_size + 63) / 64 * 64;
    memcpy(code->lane_slots, e->lane_slots, sizeof code->lane_slots);
    code->lane_slots_count = e->lane_slots_count;
    code->template_bytes = arena_copy(keep, e->template.at, e->template.count);
    code->template_size = e->template.count;
    code->args_offset = e->args_offset;
    code->args_size = ir->args_size;
    code->block_count = ir->order_count;
    code->block_start = arena_copy(keep, block_start, (ir->order_count + 1) * sizeof *block_start);
    code->private_size = e->private_size;
    code->zero_private = e->ir->zero_private;
    code->private_objects = arena_copy(keep, e->objects.at, e->objects.count * sizeof *e->objects.at);
    code->private_object_count = e->objects.count;
    code->local_objects = arena_copy(keep, ir->locals.at, ir->locals.count * sizeof *ir->locals.at);
    code->local_object_count = ir->locals.count;
    code->strings = arena_copy(keep, ir->strings.at, ir->strings.count * sizeof *ir->strings.at);
    code->string_count = ir->strings.count;
    code->file = ir->file;
    code->written = written_arguments(ir, keep, &code->writes_elsewhere);
    code->pointers_as_numbers = ir->pointers_as_numbers;
    code->undefined = arena_copy(keep, e->undefined.at, e->undefined.count * sizeof *e->undefined.at);
    code->undefined_count = e->undefined.count;
    code->irreducible = e->ir->irreducible;
    emit_idle(e, block_start, code);
    keep_private(ir, code);
    keep_poison(ir, code);
    if (ir->debug) {
        CHECKED(e->words.count == e->insns.count);
        code->debug = debug_describe(ir);
        code->words = arena_copy(keep, e->words.at, e->words.count * sizeof *e->words.at);
    }
    if (ir->profile)
        code->profile = profile_describe(ir);
    if (ir->plain)
        take_explanations(code, ir->plain);
    return code;
}

const struct code *emit(struct ir *ir, uint32_t width)
{
    struct emitter emitter = {.ir = ir, .arena = ir->arena, .width = width}, *e = &emitter;
    uint32_t room = ir->values.count * 4 + 4096;
    e->splat_of = ARENA_ARRAY(e->arena, uint32_t, room);
    e->lanes_of = ARENA_ARRAY(e->arena, uint32_t, room);
    emit_private(e);
    e->ways = emit_ways(ir);
    e->loops = emit_sites(ir, e->ways);
    emit_operands(e);
    find_divergence(e);
    emit_slots(e);
    e->edge_empty = ARENA_ARRAY(e->arena, uint8_t, ir->blocks.count);
    for (uint32_t o = 0; o < ir->order_count; o++)
        if (ir_block(ir, ir->order[o])->edge && !ir_block(ir, ir->order[o])->insts.count)
            e->edge_empty[ir->order[o]] = !copies_needed(e, ir->order[o]);
    uint32_t *block_start = ARENA_ARRAY(e->arena, uint32_t, ir->order_count + 1);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        CHECKED(block->order == o && block->reachable);
        block_start[o] = e->insns.count;
        note_undefined(e, ir->order[o]);
        if (e->edge_empty[ir->order[o]])
            continue;
        e->yield = false;
        for (uint32_t i = 0; i < block->insts.count; i++) {
            e->word = val(e, block->insts.at[i])->word;
            emit_value(e, block->insts.at[i]);
        }
        e->word = block->word;
        put_terminator(e, ir->order[o]);
    }
    CHECKED(block_start[0] == 0 && e->insns.count > 0); /* the last block ends with a terminator */
    const struct code *code = finish(e, block_start);
#ifdef ORRERY_CHECKS
    struct slot_fault fault;
    CHECKED(slot_check(code, e->arena, &fault));
#endif
    return code;
}
