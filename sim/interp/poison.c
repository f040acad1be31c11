/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks uninitialised values. Every value that may derive from unwritten memory gets a companion, a bool
 * that is computed from the companions of its operands. A use of such a value is reported: as an address,
 * as the condition of a branch, or as a store to memory that other units see. Companions are ordinary
 * values: uniform ones cost one operation per wave, and unused ones are removed as dead code.
 *
 * Each component of a vector has a companion of its own, from memory to memory: a load has one per
 * component, and a store marks the bytes of each. The store of a vector is reported when one of its
 * components was computed from an uninitialised value, or when all its components are uninitialised. A
 * component that is only copied from memory, or was never set, stays uninitialised in the destination, and
 * is reported where it is used. So do the members of a struct and the elements of an array that is copied.
 *
 * Each report has a list of the reads and variables that its value may derive from: poison_origins.c.
 *
 * Values of which some bits may be uninitialised and others not have more than a bool: poison_bits.c.
 *
 * In a launch that is left out of the checks, no value has a companion; stores only mark their bytes as
 * initialised.
 */
#include <string.h>

#include "orrery/checked.h"
#include "image_op.h"
#include "poison.h"

uint32_t poison_companion(struct poisoning *p, uint32_t v)
{
    CHECKED(v < p->ir->values.count);
    if (!v || v >= p->values)
        return NONE;
    return ir_value(p->ir, v)->op == IR_undef ? p->yes : p->of[v];
}

/* The value stands next in the block's new list. */
static uint32_t keep(struct poisoning *p, uint32_t v)
{
    *list_push(p->ir->arena, &p->out) = v;
    return v;
}

uint32_t poison_add(struct poisoning *p, enum ir_op op, enum scalar type, const uint32_t args[3])
{
    const uint32_t v = ir_new_value(p->ir, op, type);
    struct value *value = ir_value(p->ir, v);
    memcpy(value->args, args, sizeof value->args);
    value->block = p->block;
    return keep(p, v);
}

static uint32_t add(struct poisoning *p, enum ir_op op, uint32_t block, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t v = ir_new_value(p->ir, op, T_BOOL);
    struct value *value = ir_value(p->ir, v);
    value->args[0] = a;
    value->args[1] = b;
    value->args[2] = c;
    value->block = block;
    return keep(p, v);
}

static uint32_t either(struct poisoning *p, uint32_t block, uint32_t a, uint32_t b)
{
    if (!a || a == b)
        return b;
    if (!b)
        return a;
    if (a == p->yes || b == p->yes)
        return p->yes;
    return add(p, IR_mor, block, a, b, NONE);
}

static void add_question(struct poisoning *p, uint32_t operation, const uint32_t *values, uint32_t count)
{
    CHECKED(count > 0);
    *list_push(p->ir->arena, &p->questions) = (struct poison_question){operation, p->operands.count, count};
    for (uint32_t i = 0; i < count; i++)
        *list_push(p->ir->arena, &p->operands) = values[i];
}

/* Adds a check; NONE: the value is always initialised. */
static uint32_t check_of(struct poisoning *p, uint32_t block, uint32_t poison, enum fault_kind kind,
                         uint32_t site)
{
    if (!poison)
        return NONE;
    uint32_t v = ir_new_value(p->ir, IR_poison_check, T_NONE);
    struct value *value = ir_value(p->ir, v);
    value->args[0] = poison;
    value->imm = kind;
    value->site = site;
    value->block = block;
    return keep(p, v);
}

/* Checks a value that is used as an address or condition. */
static void check(struct poisoning *p, uint32_t block, uint32_t used, enum fault_kind kind, uint32_t site)
{
    const uint32_t v = check_of(p, block, poison_companion(p, used), kind, site);
    if (v)
        add_question(p, v, &used, 1);
}

/* The operation on the validity bits of `count` components of an access, from `first` on. */
static uint32_t poison_of_access(struct poisoning *p, enum ir_op op, uint32_t access, uint32_t poison,
                                 uint32_t first, uint32_t count)
{
    struct ir *ir = p->ir;
    static const enum scalar types[] = {T_I8, T_I16, T_I32, T_I64};
    const struct value *of = ir_value(ir, access);
    const bool gives_bits = op == IR_poison_bits || (op == IR_poison_atomic && p->wanted[access]);
    const enum scalar type = op == IR_poison_store ? T_NONE : gives_bits ? types[of->size_log2] : T_BOOL;
    const uint32_t v = ir_new_value(ir, op, type);
    struct value *value = ir_value(ir, v);
    *value = (struct value){.op = value->op,
                            .type = value->type,
                            .block = of->block,
                            .args = {of->args[0], poison, NONE},
                            .offset = of->offset + ((int64_t)first << of->size_log2),
                            .size_log2 = of->size_log2,
                            .storage = of->storage,
                            .site = of->site,
                            .object = of->object,
                            .components = (uint8_t)count};
    CHECKED(ir_value(ir, access)->args[0] && count > 0);
    return keep(p, v);
}

/* Makes a source for what the operation reads from memory. */
static void set_source(struct poisoning *p, uint32_t v)
{
    struct value *value = ir_value(p->ir, v);
    const struct poison_source read = {.origin = POISON_READ, .site = value->site};
    CHECKED(value->imm >> POISON_FROM_SHIFT == 0); /* an operation has one source */
    value->imm |= (uint64_t)poison_source_new(p, &read) << POISON_FROM_SHIFT;
}

static uint32_t select_companion(struct poisoning *p, uint32_t v)
{
    const struct value *value = ir_value(p->ir, v);
    uint32_t c = value->args[0], block = value->block;
    uint32_t pc = poison_companion(p, c), pa = poison_companion(p, value->args[1]),
             pb = poison_companion(p, value->args[2]);
    if (pa == pb)
        return either(p, block, pc, pa);
    uint32_t no = ir_const(p->ir, T_BOOL, 0);
    uint32_t chosen = add(p, IR_select, block, c, pa ? pa : no, pb ? pb : no);
    return either(p, block, pc, chosen);
}

static uint32_t copy_of(struct poisoning *p, uint32_t v)
{
    return p->ir->sites.at[ir_value(p->ir, v)->site].copy;
}

/* Is the value a part that was loaded together with others, or never set? */
static bool is_carried(struct poisoning *p, uint32_t v)
{
    const struct value *value = ir_value(p->ir, v);
    return value->op == IR_undef || value->op == IR_stale || (value->op == IR_load && copy_of(p, v)) ||
           (value->op == IR_extract && ir_value(p->ir, value->args[0])->op == IR_load);
}

static uint32_t both(struct poisoning *p, uint32_t block, uint32_t a, uint32_t b)
{
    if (!a || !b)
        return NONE;
    return a == b || b == p->yes ? a : a == p->yes ? b : add(p, IR_mand, block, a, b, NONE);
}

/* One of the values that are listed is uninitialised and not just copied. */
static uint32_t some_computed(struct poisoning *p, uint32_t v, uint32_t count)
{
    uint32_t some = NONE;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t component = ir_value(p->ir, v)->list[k];
        if (!is_carried(p, component))
            some = either(p, ir_value(p->ir, v)->block, some, poison_companion(p, component));
    }
    return some;
}

/* All of them are uninitialised. */
static uint32_t all_listed(struct poisoning *p, uint32_t v, uint32_t count)
{
    uint32_t all = p->yes;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t component = ir_value(p->ir, v)->list[k];
        all =
            both(p, ir_value(p->ir, v)->block, all,
                 is_carried(p, component) ? poison_bits_whole(p, component) : poison_companion(p, component));
    }
    return all;
}

/* The condition on which the store of a vector is reported. */
static uint32_t reported_companion(struct poisoning *p, uint32_t v, uint32_t count)
{
    return either(p, ir_value(p->ir, v)->block, some_computed(p, v, count), all_listed(p, v, count));
}

/* A store's condition to report: NONE: it is the companion of its only value. */
struct store_report {
    uint32_t when;
    bool elsewhere; /* another store reports it */
};

/* Is all that stores of a block from insts on copy together uninitialised? */
static uint32_t all_copied(struct poisoning *p, uint32_t copy, const uint32_t *insts, uint32_t count)
{
    uint32_t all = p->yes;
    for (uint32_t i = 0; i < count && all; i++) {
        const struct value *value = ir_value(p->ir, insts[i]);
        if (value->op == IR_store && copy_of(p, insts[i]) == copy)
            all = both(p, p->block, all, all_listed(p, insts[i], value->list_count));
    }
    return all;
}

/* The first store of a copy reports for the whole, and each one what was computed. */
static struct store_report report_of_store(struct poisoning *p, uint32_t v, const uint32_t *next,
                                           uint32_t left)
{
    const struct value *value = ir_value(p->ir, v);
    const uint32_t copy = copy_of(p, v), block = value->block, count = value->list_count;
    if (!copy || value->storage == STORAGE_PRIVATE)
        return (struct store_report){count > 1 ? reported_companion(p, v, count) : NONE, false};
    const uint32_t computed = some_computed(p, v, count);
    const bool first = copy != p->copy;
    if (first) {
        p->copy = copy;
        p->copied = both(p, block, all_listed(p, v, count), all_copied(p, copy, next, left));
    }
    const uint32_t when = computed ? computed : p->copied; /* copied implies computed, where there is one */
    return (struct store_report){when ? when : ir_const(p->ir, T_BOOL, 0), !first && !computed};
}

/* A store of one value of which some bits may be uninitialised. */
static bool marks_bits(struct poisoning *p, uint32_t v, struct store_report report)
{
    const uint32_t stored = ir_value(p->ir, v)->list[0];
    if (ir_value(p->ir, v)->list_count != 1 || !p->tracks || stored >= p->values || !p->bits[stored])
        return false;
    uint32_t reported;
    const uint32_t bits = poison_bits_of_store(p, v, &reported);
    const uint32_t mark = poison_of_access(p, IR_poison_store, v, bits, 0, 1);
    ir_value(p->ir, mark)->args[2] = report.when ? report.when : reported;
    ir_value(p->ir, mark)->imm = report.elsewhere ? POISON_BITS_REPORTED : POISON_BITS;
    add_question(p, mark, &stored, 1);
    return true;
}

/* One operation per run of components with the same companion. The first run that may be uninitialised
 * reports for the whole store. */
static void mark_stored(struct poisoning *p, uint32_t v, const uint32_t *next, uint32_t left)
{
    const struct store_report report = report_of_store(p, v, next, left);
    if (marks_bits(p, v, report))
        return;
    const uint32_t count = ir_value(p->ir, v)->list_count, no = ir_const(p->ir, T_BOOL, 0);
    const uint32_t *list = ir_value(p->ir, v)->list;
    bool reports = !report.elsewhere;
    for (uint32_t first = 0, end; first < count; first = end) {
        const uint32_t poison = poison_companion(p, list[first]);
        const uint32_t bits =
            p->tracks && is_carried(p, list[first]) && list[first] < p->values ? p->bits[list[first]] : NONE;
        for (end = first + 1; end < count && !bits && poison_companion(p, list[end]) == poison;)
            end++;
        const uint32_t mark = poison_of_access(p, IR_poison_store, v,
                                               bits     ? bits
                                               : poison ? poison
                                                        : no,
                                               first, end - first);
        if (poison && p->tracks)
            add_question(p, mark, list + first, count == 1 ? 1 : reports ? count - first : end - first);
        if (count == 1 && !report.when)
            return;
        ir_value(p->ir, mark)->args[2] = report.when ? report.when : no;
        ir_value(p->ir, mark)->imm = poison && reports ? (bits ? POISON_BITS : POISON_REPORTS)
                                     : bits            ? POISON_BITS_REPORTED
                                                       : POISON_REPORTED;
        reports = reports && !poison;
    }
}

/* Does the update store a value that is independent of the old one? Then the old value is not checked. */
static bool decides_alone(struct ir *ir, const struct value *atomic)
{
    const enum scalar type = (enum scalar)atomic->type;
    uint64_t value;
    if (!atomic->args[1] || !ir_is_const(ir, atomic->args[1], &value))
        return false;
    const uint64_t sign = UINT64_C(1) << (scalar_bits(type) - 1),
                   most = module_bits_truncate(UINT64_MAX, type);
    switch ((enum atomic_op)atomic->imm) {
    case ATOMIC_AND:
    case ATOMIC_UMIN: return value == 0;
    case ATOMIC_OR:
    case ATOMIC_UMAX: return value == most;
    case ATOMIC_SMIN: return value == sign;
    case ATOMIC_SMAX: return value == sign - 1;
    default: return false;
    }
}

/* The bits that the update may leave as it finds them: x & constant has zeros of its own, x | constant
 * ones. */
static uint64_t open_bits(struct ir *ir, const struct value *atomic)
{
    const uint64_t all = UINT64_MAX >> (64 - (8u << atomic->size_log2));
    uint64_t value;
    if (!atomic->args[1] || !ir_is_const(ir, atomic->args[1], &value))
        return all;
    return atomic->imm == ATOMIC_AND ? value & all : atomic->imm == ATOMIC_OR ? ~value & all : all;
}

/* Lanes execute an atomic one after another, so a lane may read what an earlier lane initialised. */
static void instrument_atomic(struct poisoning *p, uint32_t v)
{
    struct ir *ir = p->ir;
    const uint32_t poison = poison_companion(p, ir_value(ir, v)->args[1]), no = ir_const(ir, T_BOOL, 0);
    const uint32_t mark = poison_of_access(p, IR_poison_atomic, v, poison ? poison : no, 0, 1);
    const struct value *atomic = ir_value(ir, v);
    const uint64_t operation = decides_alone(ir, atomic) ? ATOMIC_EXCHANGE : atomic->imm;
    const uint32_t open = ir_const(ir, T_I64, open_bits(ir, atomic));
    ir_value(ir, mark)->imm = operation | (p->wanted[v] ? POISON_FINDS_BITS : 0u);
    ir_value(ir, mark)->args[2] = open;
    set_source(p, mark);
    add_question(p, mark, &ir_value(ir, v)->args[1], 1);
    p->from[v] = mark;
    if (p->wanted[v]) {
        p->bits[v] = mark;
        poison_bits_to_bool(p, v);
    } else {
        p->of[v] = mark;
    }
}

/* Checks operands of a list from `first` on: the coordinates of an image instruction, what printf prints. */
static void check_listed(struct poisoning *p, uint32_t v, uint32_t first, enum fault_kind kind)
{
    const uint32_t block = ir_value(p->ir, v)->block, count = ir_value(p->ir, v)->list_count,
                   *list = ir_value(p->ir, v)->list;
    uint32_t all = NONE;
    for (uint32_t k = first; k < count; k++)
        all = either(p, block, all, poison_companion(p, list[k]));
    const uint32_t made = check_of(p, block, all, kind, ir_value(p->ir, v)->site);
    if (made)
        add_question(p, made, list + first, count - first);
}

/* Does the result depend on the value of each work-item that takes part? Of a broadcast, a shuffle and an
 * exclusive scan it does not. */
static bool uses_every_value(uint64_t collective)
{
    switch (collective & COLLECTIVE_OP_MASK) {
    case COLLECTIVE_BROADCAST:
    case COLLECTIVE_SHUFFLE:
    case COLLECTIVE_FIRST: return false;
    default: return !(collective & COLLECTIVE_EXCLUSIVE);
    }
}

/* The bits of the value go with it to the lanes that it goes to. */
static void track_collective(struct poisoning *p, uint32_t v, uint32_t bits)
{
    struct value *value = ir_value(p->ir, v);
    uint32_t *list = ARENA_ARRAY(p->ir->arena, uint32_t, value->list_count + 1);
    memcpy(list, value->list, value->list_count * sizeof *list);
    list[value->list_count++] = bits;
    value->list = list;
    value->imm |= COLLECTIVE_TRACKED;
}

/* A group function that uses the value of each work-item reports one that is uninitialised. Of others the
 * result is uninitialised where the values that it is made of are, or the place that it is taken from. */
static void instrument_collective(struct poisoning *p, uint32_t v)
{
    struct ir *ir = p->ir;
    const struct value *value = ir_value(ir, v);
    const uint32_t block = value->block;
    if (uses_every_value(value->imm)) {
        check(p, block, value->list[0], FAULT_UNINITIALISED_STORE, value->site);
        keep(p, v);
        return;
    }
    uint32_t all = NONE;
    for (uint32_t k = 1; k < value->list_count; k++)
        all = either(p, block, all, poison_companion(p, value->list[k]));
    const uint32_t bits = poison_bits_of(p, value->list[0]);
    if (bits)
        track_collective(p, v, bits);
    keep(p, v);
    if (bits) {
        const enum scalar type = poison_bits_type(ir, v);
        const uint32_t given = poison_add(p, IR_extract, type, (const uint32_t[3]){v});
        const uint32_t zero = ir_const(ir, type, 0);
        all = either(p, block, all, poison_add(p, IR_ine, T_BOOL, (const uint32_t[3]){given, zero}));
    }
    p->of[v] = all;
    poison_bits_from_bool(p, v);
}

enum { ASYNC_NUMBERS = 4 };
/* Of an asynchronous copy: both addresses, how many elements, and their distance. */
static void check_async_copy(struct poisoning *p, uint32_t v)
{
    const uint32_t block = ir_value(p->ir, v)->block, site = ir_value(p->ir, v)->site;
    for (uint32_t k = 0; k < ASYNC_NUMBERS; k++)
        check(p, block, ir_value(p->ir, v)->list[k], FAULT_UNINITIALISED_ADDRESS, site);
}

/* a && b is initialised if one operand is initialised and false; a || b if one is initialised and true. */
static uint32_t logic_companion(struct poisoning *p, uint32_t v)
{
    const uint32_t a = ir_value(p->ir, v)->args[0], b = ir_value(p->ir, v)->args[1],
                   block = ir_value(p->ir, v)->block;
    const bool is_or = ir_value(p->ir, v)->op == IR_mor;
    const uint32_t pa = poison_companion(p, a), pb = poison_companion(p, b);
    uint32_t open_a = a, open_b = b; /* true: the operand does not determine the result */
    if (!pa && !pb)
        return NONE;
    if (is_or) {
        open_a = add(p, IR_mnot, block, a, NONE, NONE);
        open_b = add(p, IR_mnot, block, b, NONE, NONE);
    }
    if (pa)
        open_a = add(p, IR_mor, block, open_a, pa, NONE);
    if (pb)
        open_b = add(p, IR_mor, block, open_b, pb, NONE);
    return add(p, IR_mand, block, either(p, block, pa, pb), add(p, IR_mand, block, open_a, open_b, NONE),
               NONE);
}

/* x & y is initialised if one operand is initialised and 0, x | y if one is initialised and all ones.
 * Selects of vectors have this form. */
static uint32_t mask_companion(struct poisoning *p, uint32_t v)
{
    struct ir *ir = p->ir;
    const uint32_t block = ir_value(ir, v)->block,
                   args[2] = {ir_value(ir, v)->args[0], ir_value(ir, v)->args[1]};
    const uint32_t poisons[2] = {poison_companion(p, args[0]), poison_companion(p, args[1])};
    const enum scalar type = (enum scalar)ir_value(ir, v)->type;
    const uint64_t decides = ir_value(ir, v)->op == IR_or ? module_bits_truncate(UINT64_MAX, type) : 0;
    uint32_t all = either(p, block, poisons[0], poisons[1]);
    uint64_t bits;
    for (uint32_t k = 0; all && k < 2; k++) {
        if (ir_is_const(ir, args[k], &bits) && bits != decides)
            continue;
        all = add(p, IR_poison_open, block, args[k], all, poisons[k]);
        ir_value(ir, all)->imm = decides ? UINT64_MAX : 0;
    }
    return all;
}

/* The components follow each other: the companion of component k is that of the first + k. */
static void instrument_load(struct poisoning *p, uint32_t v)
{
    const uint32_t count = ir_value(p->ir, v)->components;
    const bool wanted = p->wanted[v];
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t part = poison_of_access(p, wanted ? IR_poison_bits : IR_poison_load, v, NONE, k, 1);
        set_source(p, part);
        p->from[v] = k ? p->from[v] : part;
    }
    p->of[v] = p->from[v];
    if (!wanted)
        return;
    p->bits[v] = p->from[v];
    const enum scalar type = (enum scalar)ir_value(p->ir, p->bits[v])->type;
    const uint32_t zero = ir_const(p->ir, type, 0);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t some = poison_add(p, IR_ine, T_BOOL, (const uint32_t[3]){p->bits[v] + k, zero});
        p->of[v] = k ? p->of[v] : some;
    }
}

/* Among the results of a read the last one says what is uninitialised. */
static void instrument_image_read(struct poisoning *p, uint32_t v)
{
    check_listed(p, v, 0, FAULT_UNINITIALISED_ADDRESS);
    set_source(p, v);
    keep(p, v);
    p->of[v] = add(p, IR_extract, ir_value(p->ir, v)->block, v, NONE, NONE);
    ir_value(p->ir, p->of[v])->imm = IMAGE_RESULTS - 1;
}

static void instrument_image_write(struct poisoning *p, uint32_t v)
{
    check_listed(p, v, IMAGE_TEXEL_COMPONENTS, FAULT_UNINITIALISED_ADDRESS);
    const uint32_t all = reported_companion(p, v, IMAGE_TEXEL_COMPONENTS);
    ir_value(p->ir, v)->args[2] = all ? all : ir_const(p->ir, T_BOOL, 0);
}

/* A component of a load has a companion of its own; those of other values share one. */
static void instrument_extract(struct poisoning *p, uint32_t v)
{
    const struct value *value = ir_value(p->ir, v);
    const uint32_t from = value->args[0], component = (uint32_t)value->imm, whole = poison_companion(p, from);
    const bool loaded = ir_value(p->ir, from)->op == IR_load;
    p->of[v] = whole && loaded ? whole + component : whole;
    if (loaded && p->bits[from])
        p->bits[v] = p->bits[from] + component;
}

/* Uninitialised if any operand is. */
static uint32_t operands_companion(struct poisoning *p, uint32_t v)
{
    const uint32_t block = ir_value(p->ir, v)->block;
    uint32_t all = NONE;
    IR_OPERANDS(p->ir, v, slot)
    all = either(p, block, all, poison_companion(p, *slot));
    return all;
}

static void check_address(struct poisoning *p, uint32_t v)
{
    const struct value *value = ir_value(p->ir, v);
    check(p, value->block, value->args[0], FAULT_UNINITIALISED_ADDRESS, value->site);
}

/* next, left: what follows in the block. */
static void instrument(struct poisoning *p, uint32_t v, const uint32_t *next, uint32_t left)
{
    struct ir *ir = p->ir;
    const struct value *value = ir_value(ir, v);
    if (poison_bits_compute(p, v)) {
        keep(p, v);
        return;
    }
    switch (value->op) {
    case IR_load:
        check_address(p, v);
        keep(p, v);
        if (ir_value(ir, v)->storage != STORAGE_CONSTANT)
            instrument_load(p, v);
        return;
    case IR_store:
        check_address(p, v);
        mark_stored(p, v, next, left);
        keep(p, v);
        return;
    case IR_image_read: instrument_image_read(p, v); return;
    case IR_image_write: instrument_image_write(p, v); break;
    case IR_printf: check_listed(p, v, 0, FAULT_UNINITIALISED_STORE); break;
    case IR_collective: instrument_collective(p, v); return;
    case IR_async_copy: check_async_copy(p, v); break;
    case IR_atomic:
        check_address(p, v);
        instrument_atomic(p, v);
        break;
    case IR_extract: instrument_extract(p, v); break;
    case IR_phi: break; /* made before */
    case IR_stale: p->of[v] = p->yes; break;
    case IR_select: p->of[v] = select_companion(p, v); break;
    case IR_mand:
    case IR_mor: p->of[v] = logic_companion(p, v); break;
    case IR_and:
    case IR_or: p->of[v] = mask_companion(p, v); break;
    default:
        if (ir_families[value->op] == FAMILY_EFFECT || ir_families[value->op] == FAMILY_LEAF)
            break;
        p->of[v] = operands_companion(p, v);
        break;
    }
    poison_bits_from_bool(p, v);
    keep(p, v);
}

/* A group function whose result may be uninitialised. */
static bool passes_on(const struct value *value)
{
    return value->op == IR_collective && !uses_every_value(value->imm);
}

/* Finds the phis that may be uninitialised: the least fixed point, starting from none. */
static void seed_phis(struct poisoning *p, uint8_t *may)
{
    struct ir *ir = p->ir;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t o = 0; o < ir->order_count; o++) {
            struct block *block = ir_block(ir, ir->order[o]);
            for (uint32_t i = 0; i < block->insts.count; i++) {
                uint32_t v = block->insts.at[i];
                const struct value *value = ir_value(ir, v);
                bool now = (value->op == IR_load && value->storage != STORAGE_CONSTANT) ||
                           value->op == IR_image_read || value->op == IR_atomic || value->op == IR_stale;
                if (ir_families[value->op] != FAMILY_EFFECT || passes_on(value))
                    IR_OPERANDS(ir, v, slot)
                now |= *slot && (may[*slot] || ir_value(ir, *slot)->op == IR_undef);
                if (now && !may[v])
                    may[v] = changed = true;
            }
        }
    }
}

/* Their operands are set once every value has its companion. */
static void make_phi(struct poisoning *p, uint32_t v)
{
    struct ir *ir = p->ir;
    const enum scalar type = p->wanted[v] ? poison_bits_type(ir, v) : T_BOOL;
    const uint32_t phi = ir_new_value(ir, IR_phi, type);
    ir_value(ir, phi)->block = ir_value(ir, v)->block;
    (p->wanted[v] ? p->bits : p->of)[v] = phi;
}

static uint32_t phi_of(const struct poisoning *p, uint32_t v)
{
    return p->wanted[v] ? p->bits[v] : p->of[v];
}

static uint32_t phi_operand(struct poisoning *p, uint32_t phi, uint32_t operand)
{
    const enum scalar type = (enum scalar)ir_value(p->ir, phi)->type;
    const uint32_t poison = poison_companion(p, operand);
    if (type == T_BOOL || !poison)
        return poison ? poison : ir_const(p->ir, type, 0);
    CHECKED(poison == p->yes || p->bits[operand]);
    return poison == p->yes ? ir_const(p->ir, type, module_bits_truncate(UINT64_MAX, type))
                            : p->bits[operand];
}

static void fill_phi(struct poisoning *p, uint32_t v)
{
    struct ir *ir = p->ir;
    const uint32_t n = ir_value(ir, v)->list_count, phi = phi_of(p, v);
    uint32_t *list = ARENA_ARRAY(ir->arena, uint32_t, 2 * n);
    for (uint32_t k = 0; k < n; k++) {
        list[k] = phi_operand(p, phi, ir_value(ir, v)->list[k]);
        list[n + k] = ir_value(ir, v)->list[n + k];
    }
    ir_value(ir, phi)->list = list;
    ir_value(ir, phi)->list_count = n;
}

/* Phis stand first in a block, also the new ones. Returns the number of the kernel's own. */
static uint32_t place_phis(struct poisoning *p, const uint32_t *insts, uint32_t count)
{
    uint32_t phis = 0;
    for (; phis < count && ir_value(p->ir, insts[phis])->op == IR_phi; phis++)
        if (phi_of(p, insts[phis]))
            keep(p, phi_of(p, insts[phis]));
    for (uint32_t i = 0; i < phis; i++)
        keep(p, insts[i]);
    for (uint32_t i = 0; i < phis; i++)
        if (p->wanted[insts[i]])
            poison_bits_to_bool(p, insts[i]);
    return phis;
}

static void instrument_block(struct poisoning *p, uint32_t b)
{
    struct ir *ir = p->ir;
    const uint32_t count = ir_block(ir, b)->insts.count, *insts = ir_block(ir, b)->insts.at;
    memset(&p->out, 0, sizeof p->out);
    p->block = b;
    p->copy = 0;
    for (uint32_t i = place_phis(p, insts, count); i < count; i++)
        instrument(p, insts[i], insts + i + 1, count - i - 1);
    if (ir_block(ir, b)->cond)
        check(p, b, ir_block(ir, b)->cond, FAULT_UNINITIALISED_BRANCH, ir_block(ir, b)->site);
    ir_block(ir, b)->insts.at = p->out.at;
    ir_block(ir, b)->insts.count = p->out.count;
    ir_block(ir, b)->insts.room = p->out.room;
}

/* Values are what they would be without the check. */
static void remove_stale(struct ir *ir)
{
    uint32_t *map = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count + 1);
    for (uint32_t v = 1; v < ir->values.count; v++)
        if (ir_value(ir, v)->op == IR_stale)
            map[v] = ir_value(ir, v)->args[0];
    ir_rewrite(ir, map);
}

void poison_drop_forgets(struct ir *ir)
{
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        uint32_t kept = 0;
        for (uint32_t i = 0; i < block->insts.count; i++)
            if (ir_value(ir, block->insts.at[i])->op != IR_forget)
                block->insts.at[kept++] = block->insts.at[i];
        block->insts.count = kept;
    }
}

static struct poisoning poisoning_of(struct ir *ir)
{
    const uint32_t values = ir->values.count;
    return (struct poisoning){.ir = ir,
                              .values = values,
                              .of = ARENA_ARRAY(ir->arena, uint32_t, values + 1),
                              .bits = ARENA_ARRAY(ir->arena, uint32_t, values + 1),
                              .from = ARENA_ARRAY(ir->arena, uint32_t, values + 1),
                              .wanted = ARENA_ARRAY(ir->arena, uint8_t, values + 1)};
}

void poison_track(struct ir *ir)
{
    const uint32_t values = ir->values.count;
    struct poisoning p = poisoning_of(ir);
    uint8_t *may = ARENA_ARRAY(ir->arena, uint8_t, values + 1);
    p.yes = ir_const(ir, T_BOOL, 1);
    p.tracks = true;
    *list_push(ir->arena, &ir->poison_sources) = (struct poison_source){0};
    *list_push(ir->arena, &ir->poison_lists) = 0;
    seed_phis(&p, may);
    poison_bits_find(&p, may);
    for (uint32_t v = 1; v < values; v++)
        if (may[v] && ir_value(ir, v)->op == IR_phi)
            make_phi(&p, v);
    for (uint32_t o = 0; o < ir->order_count; o++)
        instrument_block(&p, ir->order[o]);
    for (uint32_t v = 1; v < values; v++)
        if (may[v] && ir_value(ir, v)->op == IR_phi)
            fill_phi(&p, v);
    poison_attach_origins(&p, values);
    remove_stale(ir);
    simplify_remove_dead(ir);
}

/* ---- launches that are left out of the checks ----------------------------------------------- */

/* An atomic counts as a store of its operand: the value that it leaves is initialised. */
static void mark_atomic(struct poisoning *p, uint32_t v)
{
    const uint32_t no = ir_const(p->ir, T_BOOL, 0);
    if (ir_value(p->ir, v)->imm != ATOMIC_LOAD)
        poison_of_access(p, IR_poison_store, v, no, 0, 1);
}

static void mark_each(struct poisoning *p, uint32_t v)
{
    const enum ir_op op = (enum ir_op)ir_value(p->ir, v)->op;
    if (op == IR_store)
        mark_stored(p, v, NULL, 0);
    else if (op == IR_atomic)
        mark_atomic(p, v);
    else if (op == IR_image_write)
        ir_value(p->ir, v)->args[2] = ir_const(p->ir, T_BOOL, 0);
    keep(p, v);
}

void poison_mark_stores(struct ir *ir)
{
    struct poisoning p = poisoning_of(ir);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        const uint32_t count = block->insts.count, *insts = block->insts.at;
        memset(&p.out, 0, sizeof p.out);
        for (uint32_t i = 0; i < count; i++)
            mark_each(&p, insts[i]);
        block = ir_block(ir, ir->order[o]);
        block->insts.at = p.out.at;
        block->insts.count = p.out.count;
        block->insts.room = p.out.room;
    }
}
