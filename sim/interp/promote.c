/* SPDX-License-Identifier: Apache-2.0 */
/* Promotes private variables to SSA values (scalar replacement and mem2reg). A variable is promoted if its
 * address is used only by loads and stores at constant, aligned offsets, and each scalar is always accessed
 * at the same offset with the same size. It becomes one SSA value per scalar. Phis are placed at dominance
 * frontiers; simplify_remove_dead() deletes unused ones. */
#include <string.h>

#include "orrery/checked.h"
#include "ir.h"

struct cell {
    int64_t offset;
    uint32_t bytes;
    uint32_t slot;
    enum scalar type;
};
struct promoted_variable {
    bool escapes;
    LIST(struct cell) cells;
};

struct promotion {
    struct ir *ir;
    struct promoted_variable *candidates;
    uint32_t *root;  /* per value: 1 + variable, if it is a constant address into the variable */
    int64_t *offset; /* per value: its offset in the variable */
    uint32_t slots;  /* number of promoted scalars */
    enum scalar *slot_type;
    uint32_t *slot_variable; /* per slot: the variable */
    int64_t *slot_offset;    /* per slot: the offset in it */
    uint32_t *current;       /* renaming: the current value of each slot */
    uint32_t *map;           /* load -> the value that replaces it */
    uint32_t *latest;        /* phi -> the operand that was found last */
};

/* Finds the values that are constant addresses into private variables: the variable's address, and IR_index
 * with a constant offset from one of them. Phis of addresses do not count. */
static void find_addresses(struct promotion *p)
{
    struct ir *ir = p->ir;
    for (uint32_t v = 1; v < ir->values.count; v++) {
        const struct value *value = ir_value(ir, v);
        if (value->op == IR_private_address)
            p->root[v] = 1 + (uint32_t)value->imm;
        CHECKED(p->root[v] <= ir->private_variables.count);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t v = 1; v < ir->values.count; v++) {
            const struct value *value = ir_value(ir, v);
            if (value->op != IR_index || value->args[1] || p->root[v] || !p->root[value->args[0]])
                continue;
            p->root[v] = p->root[value->args[0]];
            p->offset[v] = p->offset[value->args[0]] + value->offset;
            changed = true;
        }
    }
}

static void add_cell(struct promotion *p, struct promoted_variable *c, uint64_t size, int64_t offset,
                     uint32_t bytes, enum scalar type)
{
    if (offset < 0 || (uint64_t)offset + bytes > size) {
        c->escapes = true;
        return;
    }
    for (uint32_t i = 0; i < c->cells.count; i++) {
        struct cell *cell = &c->cells.at[i];
        if (cell->offset == offset && cell->bytes == bytes)
            return;
        if (offset < cell->offset + cell->bytes && cell->offset < offset + bytes) {
            c->escapes = true;
            return;
        }
    }
    if (c->cells.count >= 512) {
        c->escapes = true;
        return;
    }
    CHECKED(scalar_bytes(type) == bytes || type == T_BOOL);
    *list_push(p->ir->arena, &c->cells) = (struct cell){offset, bytes, 0, type};
}

static enum scalar access_type(struct ir *ir, uint32_t v)
{
    static const enum scalar ints[] = {T_I8, T_I16, T_I32, T_I64};
    const struct value *value = ir_value(ir, v);
    if (value->op == IR_load && value->type)
        return value->type;
    return ints[value->size_log2];
}

static void note_use(struct promotion *p, uint32_t user, uint32_t slot, uint32_t operand)
{
    struct ir *ir = p->ir;
    const struct value *u = ir_value(ir, user);
    struct promoted_variable *c = &p->candidates[p->root[operand] - 1];
    bool address = slot == 0 && (u->op == IR_load || u->op == IR_store);
    CHECKED(u->op != IR_phi || slot >= 3);
    if (address) {
        uint32_t bytes = 1u << u->size_log2, count = u->op == IR_load ? u->components : u->list_count;
        uint64_t size = ir->private_variables.at[p->root[operand] - 1].size;
        if ((uint64_t)(p->offset[operand] + u->offset) & (ir->sites.at[u->site].align - 1))
            c->escapes = true; /* The access reports it. */
        for (uint32_t i = 0; i < count; i++)
            add_cell(p, c, size, p->offset[operand] + u->offset + (int64_t)i * bytes, bytes,
                     access_type(ir, user));
    } else if (u->op != IR_forget && !(slot == 0 && u->op == IR_index && p->root[user])) {
        c->escapes = true;
    }
}

static void find_uses(struct promotion *p)
{
    struct ir *ir = p->ir;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        for (uint32_t i = 0; i < block->insts.count; i++) {
            uint32_t user = block->insts.at[i];
            IR_OPERANDS(ir, user, slot)
            if (p->root[*slot])
                note_use(p, user, _k, *slot);
        }
    }
    for (uint32_t v = 0; v < ir->private_variables.count; v++)
        for (uint32_t i = 0; !p->candidates[v].escapes && i < p->candidates[v].cells.count; i++)
            p->candidates[v].cells.at[i].slot = p->slots++;
}

static struct cell *find_cell(struct promotion *p, uint32_t address, int64_t offset)
{
    struct promoted_variable *c = &p->candidates[p->root[address] - 1];
    for (uint32_t i = 0; i < c->cells.count; i++)
        if (c->cells.at[i].offset == offset)
            return &c->cells.at[i];
    return NULL;
}

static bool promoted(const struct promotion *p, const struct value *v)
{
    return (v->op == IR_load || v->op == IR_store || v->op == IR_forget) && p->root[v->args[0]] &&
           !p->candidates[p->root[v->args[0]] - 1].escapes;
}

/* A scalar of a variable that begins anew: it keeps its value, but counts as never written. */
static uint32_t new_stale(struct promotion *p, uint32_t variable, const struct cell *cell, uint32_t block)
{
    const uint32_t v = ir_new_value(p->ir, IR_stale, cell->type);
    struct value *value = ir_value(p->ir, v);
    value->imm = 1 + variable;
    value->offset = cell->offset;
    value->block = block;
    return v;
}

static uint32_t stale_slot(const struct promotion *p, const struct value *stale)
{
    const struct promoted_variable *c = &p->candidates[stale->imm - 1];
    uint32_t i = 0;
    while (c->cells.at[i].offset != stale->offset)
        i++;
    CHECKED(i < c->cells.count);
    return c->cells.at[i].slot;
}

/* Not yet renamed: those of an earlier round have an operand. */
static bool is_new_stale(const struct value *value)
{
    return value->op == IR_stale && !value->args[0];
}

/* An IR_forget of a promoted variable becomes one IR_stale for each of its scalars. */
static void expand_forgets(struct promotion *p, uint32_t b)
{
    struct ir *ir = p->ir;
    LIST(uint32_t) out = {0};
    bool any = false;
    for (uint32_t i = 0; i < ir_block(ir, b)->insts.count; i++) {
        const uint32_t v = ir_block(ir, b)->insts.at[i];
        const struct value *value = ir_value(ir, v);
        if (value->op != IR_forget || !promoted(p, value)) {
            *list_push(ir->arena, &out) = v;
            continue;
        }
        const uint32_t variable = p->root[value->args[0]] - 1;
        any = true;
        for (uint32_t k = 0; k < p->candidates[variable].cells.count; k++)
            *list_push(ir->arena, &out) = new_stale(p, variable, &p->candidates[variable].cells.at[k], b);
    }
    if (!any)
        return;
    ir_block(ir, b)->insts.at = out.at;
    ir_block(ir, b)->insts.count = out.count;
    ir_block(ir, b)->insts.room = out.room;
}

static void place_phis(struct promotion *p)
{
    struct ir *ir = p->ir;
    uint32_t *placed = ARENA_ARRAY(ir->arena, uint32_t, ir->blocks.count);
    LIST(uint32_t) *stores = arena_alloc(ir->arena, p->slots * sizeof *stores);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        uint32_t b = ir->order[o];
        for (uint32_t i = 0; i < ir_block(ir, b)->insts.count; i++) {
            const struct value *v = ir_value(ir, ir_block(ir, b)->insts.at[i]);
            if (is_new_stale(v))
                *list_push(ir->arena, &stores[stale_slot(p, v)]) = b;
            if (v->op != IR_store || !promoted(p, v))
                continue;
            for (uint32_t k = 0; k < v->list_count; k++) {
                struct cell *cell = find_cell(
                    p, v->args[0], p->offset[v->args[0]] + v->offset + ((int64_t)k << v->size_log2));
                CHECKED(cell && cell->slot < p->slots);
                *list_push(ir->arena, &stores[cell->slot]) = b;
            }
        }
    }
    for (uint32_t slot = 0; slot < p->slots; slot++)
        for (uint32_t i = 0; i < stores[slot].count; i++) {
            struct block *block = ir_block(ir, stores[slot].at[i]);
            for (uint32_t f = 0; f < block->frontier.count; f++) {
                uint32_t join = block->frontier.at[f];
                if (placed[join] == slot + 1)
                    continue;
                placed[join] = slot + 1;
                uint32_t phi = ir_new_value(ir, IR_phi, p->slot_type[slot]);
                ir_append(ir, join, phi);
                struct value *value = ir_value(ir, phi);
                uint32_t n = ir_block(ir, join)->pred_count;
                value->list = ARENA_ARRAY(ir->arena, uint32_t, 2 * n);
                value->list_count = n;
                memcpy(value->list + n, ir_block(ir, join)->preds, n * sizeof *value->list);
                CHECKED(n > 0);
                value->imm = slot + 1; /* until renaming ends */
                *list_push(ir->arena, &stores[slot]) = join;
            }
        }
}

/* Phis were appended to their blocks; this moves them to the front. */
static void phis_first(struct ir *ir)
{
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        uint32_t *sorted = ARENA_ARRAY(ir->arena, uint32_t, block->insts.count + 1), n = 0;
        for (int phis = 1; phis >= 0; phis--)
            for (uint32_t i = 0; i < block->insts.count; i++)
                if ((ir_value(ir, block->insts.at[i])->op == IR_phi) == phis)
                    sorted[n++] = block->insts.at[i];
        if (n)
            memcpy(block->insts.at, sorted, n * sizeof *sorted);
        CHECKED(n == block->insts.count);
    }
}

/* An undefined value that names its variable: imm is 1 + the variable's number. */
static uint32_t unwritten(struct promotion *p, uint32_t slot)
{
    const uint32_t v = ir_new_value(p->ir, IR_undef, p->slot_type[slot]);
    ir_value(p->ir, v)->imm = 1 + p->slot_variable[slot];
    ir_value(p->ir, v)->offset = p->slot_offset[slot];
    return v;
}

static uint32_t current_value(struct promotion *p, uint32_t slot)
{
    CHECKED(slot < p->slots);
    const enum scalar type = p->slot_type[slot];
    if (!p->current[slot])
        p->current[slot] = p->ir->zero_private ? ir_const(p->ir, type, 0) : unwritten(p, slot);
    return p->current[slot];
}

static void rename_instruction(struct promotion *p, uint32_t v)
{
    struct ir *ir = p->ir;
    struct value *value = ir_value(ir, v);
    if (value->op == IR_phi && value->imm)
        p->current[value->imm - 1] = v;
    if (is_new_stale(value)) {
        const uint32_t slot = stale_slot(p, value), old = current_value(p, slot);
        ir_value(ir, v)->args[0] = old;
        p->current[slot] = v;
        return;
    }
    if (value->op == IR_extract && value->args[0] < ir->values.count) {
        struct value *load = ir_value(ir, value->args[0]);
        if (load->op == IR_load && promoted(p, load)) {
            struct cell *cell =
                find_cell(p, load->args[0],
                          p->offset[load->args[0]] + load->offset + ((int64_t)value->imm << load->size_log2));
            CHECKED(cell && value->imm < load->components);
            p->map[v] = current_value(p, cell->slot);
            ir_value(ir, v)->dead = true;
        }
        return;
    }
    if (!promoted(p, value))
        return;
    value->dead = true;
    int64_t offset = p->offset[value->args[0]] + value->offset;
    if (value->op == IR_load && value->components == 1)
        p->map[v] = current_value(p, find_cell(p, value->args[0], offset)->slot);
    for (uint32_t k = 0; value->op == IR_store && k < value->list_count; k++)
        p->current[find_cell(p, value->args[0], offset + ((int64_t)k << value->size_log2))->slot] =
            ir_resolve(p->map, value->list[k]);
}

/* The operand of a phi that comes from block b. Blocks are queried in about the order of the operands, so
 * the search starts at the latest one found. */
static uint32_t operand_from(struct promotion *p, uint32_t phi, uint32_t b)
{
    const struct value *value = ir_value(p->ir, phi);
    const uint32_t count = value->list_count, *from = value->list + count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t k = (p->latest[phi] + i) % count;
        if (from[k] == b)
            return p->latest[phi] = k;
    }
    return count;
}

static void complete_successors(struct promotion *p, uint32_t b)
{
    struct ir *ir = p->ir;
    struct block *block = ir_block(ir, b);
    for (uint32_t s = 0; s < block->succ_count; s++) {
        struct block *succ = ir_block(ir, block->succs[s]);
        for (uint32_t i = 0; i < succ->insts.count && ir_value(ir, succ->insts.at[i])->op == IR_phi; i++) {
            uint32_t id = succ->insts.at[i];
            uint32_t slot = (uint32_t)ir_value(ir, id)->imm;
            if (!slot)
                continue;
            uint32_t current = current_value(p, slot - 1);
            struct value *phi = ir_value(ir, id);
            const uint32_t k = operand_from(p, id, b);
            if (k < phi->list_count)
                phi->list[k] = current;
        }
    }
}

/* Walks the dominator tree with an explicit stack, since nesting may be deep. */
static void rename_all(struct promotion *p)
{
    struct ir *ir = p->ir;
    struct promote_frame {
        uint32_t block, child;
        uint32_t *saved;
    };
    LIST(struct promote_frame) stack = {0};
    CHECKED(ir_block(ir, ir->entry_block)->reachable);
    size_t bytes = p->slots * sizeof *p->current;
    *list_push(ir->arena, &stack) = (struct promote_frame){ir->entry_block, 0, NULL};
    while (stack.count) {
        struct promote_frame *f = &stack.at[stack.count - 1];
        if (f->child == 0) {
            for (uint32_t i = 0; i < ir_block(ir, f->block)->insts.count; i++)
                rename_instruction(p, ir_block(ir, f->block)->insts.at[i]);
            complete_successors(p, f->block);
            if (ir_block(ir, f->block)->dom_children.count > 1)
                f->saved = arena_copy(ir->arena, p->current, bytes);
        } else if (f->saved) {
            memcpy(p->current, f->saved, bytes);
        }
        if (f->child == ir_block(ir, f->block)->dom_children.count) {
            stack.count--;
            continue;
        }
        uint32_t next = ir_block(ir, f->block)->dom_children.at[f->child++];
        *list_push(ir->arena, &stack) = (struct promote_frame){next, 0, NULL};
    }
}

static void sweep_promoted(struct promotion *p)
{
    struct ir *ir = p->ir;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        uint32_t kept = 0;
        for (uint32_t i = 0; i < block->insts.count; i++) {
            struct value *v = ir_value(ir, block->insts.at[i]);
            if (v->op == IR_phi)
                v->imm = 0;
            if (!v->dead)
                block->insts.at[kept++] = block->insts.at[i];
        }
        block->insts.count = kept;
    }
}

static void describe_slots(struct promotion *p)
{
    struct ir *ir = p->ir;
    p->slot_type = ARENA_ARRAY(ir->arena, enum scalar, p->slots + 1);
    p->slot_variable = ARENA_ARRAY(ir->arena, uint32_t, p->slots + 1);
    p->slot_offset = ARENA_ARRAY(ir->arena, int64_t, p->slots + 1);
    for (uint32_t v = 0; v < ir->private_variables.count; v++)
        for (uint32_t i = 0; !p->candidates[v].escapes && i < p->candidates[v].cells.count; i++) {
            const struct cell *cell = &p->candidates[v].cells.at[i];
            CHECKED(cell->slot < p->slots);
            p->slot_type[cell->slot] = cell->type;
            p->slot_variable[cell->slot] = v;
            p->slot_offset[cell->slot] = cell->offset;
        }
}

/* True: some variable was promoted that was in memory. */
static bool promote_round(struct ir *ir)
{
    uint32_t values = ir->values.count, n = ir->private_variables.count;
    struct promotion p = {.ir = ir};
    bool any = false;
    p.candidates = arena_alloc(ir->arena, n * sizeof *p.candidates);
    p.root = ARENA_ARRAY(ir->arena, uint32_t, values);
    p.offset = ARENA_ARRAY(ir->arena, int64_t, values);
    find_addresses(&p);
    find_uses(&p);
    for (uint32_t v = 0; v < n; v++)
        any |= !p.candidates[v].escapes && ir->private_variables.at[v].live;
    if (!any)
        return false;
    describe_slots(&p);
    for (uint32_t o = 0; o < ir->order_count; o++)
        expand_forgets(&p, ir->order[o]);
    place_phis(&p);
    phis_first(ir);
    p.current = ARENA_ARRAY(ir->arena, uint32_t, p.slots + 1);
    p.latest = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count);
    p.map = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count * 2 + p.slots + 64);
    rename_all(&p);
    sweep_promoted(&p);
    /* Undefined values made while renaming map to themselves. */
    uint32_t *map = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count + 1);
    memcpy(map, p.map, values * sizeof *map);
    ir_rewrite(ir, map);
    for (uint32_t v = 0; v < n; v++) {
        ir->private_variables.at[v].live = p.candidates[v].escapes;
        ir->as_written |= ir->private_variables.at[v].declared && !p.candidates[v].escapes;
    }
    return true;
}

void promote_variables(struct ir *ir)
{
    while (promote_round(ir))
        continue;
}
