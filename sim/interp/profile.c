/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions to be counted. As a kernel is lowered with code_request.profile, a straight piece begins with
 * each block that instructions are lowered into, marked by IR_count; what it holds is noted by line and
 * class. Each way out of a branch has an IR_count_way before it. Later passes may move and merge what is
 * between the marks: they stay where control passes.
 */
#include "lower.h"
#include "math.h"
#include "spirv_ops.h"

/* ---- classes -------------------------------------------------------------------------------- */

static enum instruction_class of_storage(SpvStorageClass storage)
{
    switch (storage) {
    case SpvStorageClassCrossWorkgroup: return INSTRUCTION_GLOBAL;
    case SpvStorageClassUniformConstant:
    case SpvStorageClassInput: return INSTRUCTION_CONSTANT;
    case SpvStorageClassWorkgroup: return INSTRUCTION_LOCAL;
    case SpvStorageClassGeneric: return INSTRUCTION_GENERIC;
    default: return INSTRUCTION_PRIVATE;
    }
}

static enum instruction_class of_memory(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    switch (spv_opcode(l->m, word)) {
    case SpvOpVariable: return INSTRUCTION_CLASS_COUNT;
    case SpvOpLoad: return of_storage(module_value_type(l->m, w[3])->storage);
    case SpvOpStore:
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized: return of_storage(module_value_type(l->m, w[1])->storage);
    default: return INSTRUCTION_ADDRESS;
    }
}

static bool is_float(const struct type *type)
{
    while (type->kind == TYPE_VECTOR)
        type = type->element;
    return type->kind == TYPE_SCALAR &&
           (type->scalar == T_F16 || type->scalar == T_F32 || type->scalar == T_F64);
}

/* By what it computes with: of a selection that is not the condition. */
static enum instruction_class of_arithmetic(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    const uint32_t operand = spv_opcode(l->m, word) == SpvOpSelect ? w[4] : w[3];
    return is_float(module_value_type(l->m, operand)) ? INSTRUCTION_FLOAT : INSTRUCTION_INTEGER;
}

static enum instruction_class of_group(struct lower *l, uint32_t word)
{
    switch (spv_opcode(l->m, word)) {
    case SpvOpControlBarrier:
    case SpvOpMemoryBarrier:
    case SpvOpMemoryNamedBarrier: return INSTRUCTION_BARRIER;
    default: return INSTRUCTION_GROUP;
    }
}

static enum instruction_class of_control(uint32_t opcode)
{
    return opcode == SpvOpPhi || opcode == SpvOpLabel ? INSTRUCTION_CLASS_COUNT : INSTRUCTION_BRANCH;
}

/* INSTRUCTION_CLASS_COUNT: it is none. */
static enum instruction_class class_of(struct lower *l, uint32_t word)
{
    switch (spirv_op(spv_opcode(l->m, word))->lowering) {
    case LOWER_ABSENT:
    case LOWER_MODULE: return INSTRUCTION_CLASS_COUNT;
    case LOWER_UNARY:
    case LOWER_BINARY:
    case LOWER_BINARY_SWAPPED:
    case LOWER_SELECT:
    case LOWER_TEST: return of_arithmetic(l, word);
    case LOWER_CONVERT:
    case LOWER_SAME: return INSTRUCTION_CONVERT;
    case LOWER_COMPOSITE: return INSTRUCTION_COMPOSITE;
    case LOWER_MEMORY: return of_memory(l, word);
    case LOWER_IMAGE: return INSTRUCTION_IMAGE;
    case LOWER_ATOMIC: return INSTRUCTION_ATOMIC;
    case LOWER_GROUP:
    case LOWER_SUB_GROUP: return of_group(l, word);
    case LOWER_PIPE:
    case LOWER_ENQUEUE: return INSTRUCTION_GROUP;
    case LOWER_CONTROL: return of_control(spv_opcode(l->m, word));
    case LOWER_CALL: return INSTRUCTION_CALL;
    case LOWER_EXTENDED: return INSTRUCTION_MATH;
    case LOWER_OTHER: break;
    }
    switch (spv_opcode(l->m, word)) {
    case SpvOpBitcast:
    case SpvOpQuantizeToF16:
    case SpvOpGenericCastToPtrExplicit:
    case SpvOpGenericPtrMemSemantics: return INSTRUCTION_CONVERT;
    case SpvOpSizeOf: return INSTRUCTION_OTHER;
    default: return of_arithmetic(l, word);
    }
}

/* ---- marks ------------------------------------------------------------------------------------ */

static void mark(struct lower *l, enum ir_op op, uint32_t cond, uint64_t number)
{
    const uint32_t v = ir_new_value(l->ir, op, T_NONE);
    ir_value(l->ir, v)->args[0] = cond;
    ir_value(l->ir, v)->imm = number;
    ir_append(l->ir, l->block, v);
}

static struct profile_place place_here(const struct lower *l)
{
    if (l->line_inherited)
        return (struct profile_place){.call = l->call_number};
    return (struct profile_place){
        .file = l->file ? l->ir->strings.at[l->file] : NULL, .line = l->line, .call = l->call_number};
}

static bool same_place(const struct profile_place *a, const struct profile_place *b)
{
    return a->file == b->file && a->line == b->line && a->call == b->call;
}

/* Of the latest piece; few lines and classes are in one. */
static struct profile_row *row_for(struct lower *l, const struct profile_place *place,
                                   enum instruction_class what)
{
    struct ir *ir = l->ir;
    for (uint32_t i = ir->profile_rows.count;
         i-- > 0 && ir->profile_rows.at[i].piece + 1 == ir->profile_pieces;)
        if (same_place(&ir->profile_rows.at[i].place, place) && ir->profile_rows.at[i].what == what)
            return &ir->profile_rows.at[i];
    struct profile_row *row = list_push(l->arena, &ir->profile_rows);
    *row = (struct profile_row){.piece = ir->profile_pieces - 1, .place = *place, .what = what};
    return row;
}

/* A line ends with its block: what the next one has before another line has none. */
void profile_instruction(struct lower *l, uint32_t word)
{
    const enum instruction_class what = class_of(l, word);
    l->line_inherited |= spv_opcode(l->m, word) == SpvOpLabel;
    const struct profile_place place = place_here(l);
    if (what == INSTRUCTION_CLASS_COUNT)
        return;
    if (l->profiled_block != l->block) {
        l->profiled_block = l->block;
        mark(l, IR_count, NONE, l->ir->profile_pieces++);
    }
    row_for(l, &place, what)->count++;
}

void profile_function(struct lower *l, const char *name)
{
    l->line_inherited = true;
    *list_push(l->arena, &l->ir->profile_functions) =
        (struct profile_function){.name = name, .piece = l->ir->profile_pieces, .call = l->call_number};
}

static void add_way(struct lower *l, uint32_t way, uint32_t cond)
{
    mark(l, IR_count_way, cond, l->ir->profile_ways.count);
    *list_push(l->arena, &l->ir->profile_ways) =
        (struct profile_way){.place = place_here(l), .branch = l->branches, .way = way};
}

void profile_branch(struct lower *l, uint32_t cond)
{
    const uint32_t otherwise = ir_pure(l->ir, l->block, IR_mnot, T_BOOL, cond, NONE, NONE, 0);
    add_way(l, 0, cond);
    add_way(l, 1, otherwise);
    l->branches++;
}

/* The default is the last way. */
void profile_switch(struct lower *l, uint32_t selector, const uint64_t *cases, uint32_t count)
{
    const enum scalar type = lower_type(l, selector);
    uint32_t none = ir_const(l->ir, T_BOOL, 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t value = ir_const(l->ir, type, cases[i]);
        add_way(l, i, ir_pure(l->ir, l->block, IR_ieq, T_BOOL, selector, value, NONE, 0));
        const uint32_t other = ir_pure(l->ir, l->block, IR_ine, T_BOOL, selector, value, NONE, 0);
        none = ir_pure(l->ir, l->block, IR_mand, T_BOOL, none, other, NONE, 0);
    }
    add_way(l, count, none);
    l->branches++;
}

/* Rows ascend by piece. */
static uint32_t first_row(const struct ir *ir, uint32_t piece)
{
    uint32_t low = 0, high = ir->profile_rows.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (ir->profile_rows.at[middle].piece < piece)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The beginning of a function, such as its parameters, has no line of its own: it counts for the first. */
static void place_beginnings(struct ir *ir)
{
    struct profile_place *first = ARENA_ARRAY(ir->arena, struct profile_place, ir->calls.count + 1);
    for (uint32_t i = ir->profile_rows.count; i-- > 0;) {
        const struct profile_place *place = &ir->profile_rows.at[i].place;
        if (place->line)
            first[place->call] = *place;
    }
    for (uint32_t i = 0; i < ir->profile_functions.count; i++) {
        const struct profile_function *function = &ir->profile_functions.at[i];
        for (uint32_t k = first_row(ir, function->piece);
             k < ir->profile_rows.count && ir->profile_rows.at[k].piece == function->piece; k++)
            if (!ir->profile_rows.at[k].place.line && first[function->call].line)
                ir->profile_rows.at[k].place = first[function->call];
    }
}

const struct profile_code *profile_describe(struct ir *ir)
{
    place_beginnings(ir);
    struct arena *keep = &ir->module->arena;
    struct profile_code *code = ARENA_NEW(keep, struct profile_code);
    *code = (struct profile_code){
        .piece_count = ir->profile_pieces,
        .rows = arena_copy(keep, ir->profile_rows.at, ir->profile_rows.count * sizeof *ir->profile_rows.at),
        .row_count = ir->profile_rows.count,
        .ways = arena_copy(keep, ir->profile_ways.at, ir->profile_ways.count * sizeof *ir->profile_ways.at),
        .way_count = ir->profile_ways.count,
        .functions = arena_copy(keep, ir->profile_functions.at,
                                ir->profile_functions.count * sizeof *ir->profile_functions.at),
        .function_count = ir->profile_functions.count};
    return code;
}
