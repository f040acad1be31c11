/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables that are in no memory: a producer that optimises writes a DebugValue wherever one of them gets a
 * value. For the debugger each has a copy in private memory, and a DebugValue becomes a store to the copy.
 * The word after the copy says whether the value is known: not before the first DebugValue, nor after one
 * whose expression is not understood here.
 *
 * The stores are of the code for a debugger alone. They have site 0, so that all other sites keep the numbers
 * that they have without a debugger; a store inside its variable, of one scalar, needs none.
 */
#include <spirv/unified1/OpenCLDebugInfo100.h>

#include "debug_info.h"

enum { COPY_ALIGN = 16, COPY_BYTES_MOST = 1 << 16, LEAVES_MOST = 1024 };

/* What an expression makes of the value: value + plus, stored at an offset. */
struct value_use {
    uint64_t offset, plus;
    bool is_address; /* the value is the address of the variable */
};

static uint64_t flag_offset(uint64_t size)
{
    return (size + 3) / 4 * 4;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static const uint32_t *operation(struct module *m, uint32_t id)
{
    const uint32_t *w = debug_record(m, id, 6);
    return w && w[4] == OpenCLDebugInfo100DebugOperation ? w : NULL;
}

static uint32_t operand(const uint32_t *operation, uint32_t i)
{
    return operation[0] >> 16 > 6 + i ? operation[6 + i] : 0;
}

static bool is_operation(struct module *m, const uint32_t *w, uint32_t i, uint32_t number)
{
    const uint32_t *of = i < w[0] >> 16 ? operation(m, w[i]) : NULL;
    return of && of[5] == number;
}

/* clang writes the address space of a variable as Constu, Swap, Xderef, which changes no value. */
static bool is_address_space(struct module *m, const uint32_t *w, uint32_t i)
{
    return is_operation(m, w, i, OpenCLDebugInfo100Constu) &&
           is_operation(m, w, i + 1, OpenCLDebugInfo100Swap) &&
           is_operation(m, w, i + 2, OpenCLDebugInfo100Xderef);
}

/* Returns how many operations from i on were understood; 0: the value is not known. */
static uint32_t take_operations(struct module *m, const uint32_t *w, uint32_t i, struct value_use *use)
{
    const uint32_t *of = operation(m, w[i]);
    if (is_address_space(m, w, i))
        return 3;
    if (!of)
        return 0;
    switch (of[5]) {
    case OpenCLDebugInfo100Deref: use->is_address = true; return w[0] >> 16 == i + 1;
    case OpenCLDebugInfo100StackValue: return 1;
    case OpenCLDebugInfo100PlusUconst: use->plus += operand(of, 0); return 1;
    case OpenCLDebugInfo100Constu:
        if (is_operation(m, w, i + 1, OpenCLDebugInfo100Plus))
            use->plus += operand(of, 0);
        else if (is_operation(m, w, i + 1, OpenCLDebugInfo100Minus))
            use->plus -= operand(of, 0);
        else
            return 0;
        return 2;
    case OpenCLDebugInfo100BitPiece:
    case OpenCLDebugInfo100Fragment:
        use->offset = operand(of, 0) / 8;
        return operand(of, 0) % 8 == 0 && operand(of, 1) % 8 == 0;
    default: return 0;
    }
}

static bool understand(struct module *m, uint32_t expression, struct value_use *out_use)
{
    const uint32_t *w = debug_record(m, expression, 5);
    *out_use = (struct value_use){0};
    if (!w || w[4] != OpenCLDebugInfo100DebugExpression)
        return false;
    for (uint32_t i = 5, taken; i < w[0] >> 16; i += taken) {
        taken = take_operations(m, w, i, out_use);
        if (!taken)
            return false;
    }
    return true;
}

/* ---- stores ---------------------------------------------------------------------------------- */

static void store_scalar(struct lower *l, uint32_t block, uint32_t address, uint64_t offset, uint32_t leaf)
{
    struct ir *ir = l->ir;
    enum scalar type = (enum scalar)ir_value(ir, leaf)->type;
    if (type == T_BOOL) {
        leaf = ir_pure(ir, block, IR_select, T_I8, leaf, ir_const(ir, T_I8, 1), ir_const(ir, T_I8, 0), 0);
        type = T_I8;
    }
    const uint32_t store = ir_new_value(ir, IR_store, T_NONE);
    struct value *value = ir_value(ir, store);
    value->args[0] = address;
    value->offset = (int64_t)offset;
    value->size_log2 = (uint8_t)__builtin_ctz(scalar_bytes(type));
    value->storage = STORAGE_PRIVATE;
    value->components = 1;
    value->list = arena_copy(l->arena, &leaf, sizeof leaf);
    value->list_count = 1;
    ir_append(ir, block, store);
}

static void store_value(struct lower *l, const struct type *type, uint32_t address, uint64_t offset,
                        const uint32_t *leaves)
{
    const bool has_parts = type->kind == TYPE_STRUCT || type->kind == TYPE_ARRAY || type->kind == TYPE_VECTOR;
    if (!has_parts) {
        store_scalar(l, l->block, address, offset, leaves[0]);
        return;
    }
    for (uint32_t i = 0, at = 0; i < type->count; i++) {
        const struct type *part = type_part(type, i);
        store_value(l, part, address, offset + type_part_offset(type, i), leaves + at);
        at += part->leaves;
    }
}

static void store_flag(struct lower *l, uint32_t block, const struct declared *copy, bool known)
{
    const uint64_t size = debug_type_of(l->m, debug_record(l->m, copy->variable, 7)[6])->size;
    store_scalar(l, block, copy->address, flag_offset(size), ir_const(l->ir, T_I32, known));
}

/* ---- variables ------------------------------------------------------------------------------- */

/* The copy gets its place in debug_place_copies(): private variables of the module keep their numbers. */
static const struct declared *copy_of(struct lower *l, uint32_t variable)
{
    struct ir *ir = l->ir;
    uint32_t i = ir->latest[variable];
    while (i && ir->declared.at[i - 1].call != debug_call(l))
        i = ir->declared.at[i - 1].before;
    if (i)
        return &ir->declared.at[i - 1];
    const struct declared copy = {.address = ir_new_value(ir, IR_private_address, T_I64),
                                  .variable = variable,
                                  .call = debug_call(l),
                                  .before = ir->latest[variable],
                                  .copied = true};
    *list_push(l->arena, &ir->declared) = copy;
    ir->latest[variable] = ir->declared.count;
    store_flag(l, ir->entry_block, &ir->declared.at[ir->declared.count - 1], false);
    return &ir->declared.at[ir->declared.count - 1];
}

void debug_place_copies(struct ir *ir)
{
    for (uint32_t i = 0; i < ir->declared.count; i++) {
        const struct declared *copy = &ir->declared.at[i];
        if (!copy->copied)
            continue;
        const uint32_t *w = debug_record(ir->module, copy->variable, 7);
        const uint64_t size = debug_type_of(ir->module, w[6])->size;
        const char *name = debug_text(ir->module, w[5]);
        *list_push(ir->arena, &ir->private_variables) =
            (struct private_variable){.size = flag_offset(size) + sizeof(uint32_t),
                                      .align = COPY_ALIGN,
                                      .name = name ? name : "",
                                      .live = true};
        ir_value(ir, copy->address)->imm = ir->private_variables.count - 1;
    }
}

/* The leaves of an id that has a value here; NULL: it has none, or is undefined. */
static const uint32_t *leaves_of(struct lower *l, uint32_t id, const struct type **out_type)
{
    const bool is_value = id < l->m->bound && l->m->type_of[id] && l->m->def[id];
    if (!is_value || !(l->leaf[id] || module_is_constant(l->m, id)))
        return NULL;
    *out_type = module_value_type(l->m, id);
    const uint32_t *leaves = lower_get(l, id);
    for (uint32_t i = 0; i < (*out_type)->leaves; i++)
        if (!leaves[i] || ir_value(l->ir, leaves[i])->op == IR_undef ||
            ir_value(l->ir, leaves[i])->type == T_NONE)
            return NULL;
    if ((*out_type)->kind == TYPE_OPAQUE || !(*out_type)->size)
        return NULL;
    return (*out_type)->leaves && (*out_type)->leaves <= LEAVES_MOST ? leaves : NULL;
}

static uint32_t variable_of(struct module *m, uint32_t id)
{
    const uint32_t *inlined = debug_record(m, id, 7);
    if (inlined && inlined[4] == OpenCLDebugInfo100DebugInlinedVariable)
        id = inlined[5];
    const uint32_t *w = debug_record(m, id, 12);
    return w && w[4] == OpenCLDebugInfo100DebugLocalVariable ? id : 0;
}

static void store_known(struct lower *l, const struct declared *copy, const struct type *type,
                        const uint32_t *leaves, const struct value_use *use)
{
    uint32_t sum = leaves[0];
    if (use->plus)
        sum = lower_emit(l, IR_add, lower_type(l, sum), sum, ir_const(l->ir, lower_type(l, sum), use->plus),
                         NONE, 0);
    store_value(l, type, copy->address, use->offset, use->plus ? &sum : leaves);
}

void debug_take_value(struct lower *l, const uint32_t *w, uint32_t length)
{
    struct value_use use;
    const struct type *type = NULL;
    const uint32_t variable = variable_of(l->m, w[5]), *leaves = leaves_of(l, w[6], &type);
    const uint64_t size = variable ? debug_type_of(l->m, debug_record(l->m, variable, 7)[6])->size : 0;
    if (!size || size > COPY_BYTES_MOST)
        return;
    /* Indices, which follow the expression, choose a part of a composite: not understood. */
    bool known = leaves && length == 8 && understand(l->m, w[7], &use);
    if (known && use.is_address) {
        if (ir_value(l->ir, leaves[0])->op == IR_private_address)
            debug_declare(l, variable, w[6]);
        return;
    }
    known = known && use.offset + type->size <= size && use.offset % (type->align ? type->align : 1) == 0 &&
            (!use.plus ||
             (type->leaves == 1 && lower_type(l, leaves[0]) <= T_I64 && lower_type(l, leaves[0]) >= T_I8));
    const struct declared copy = *copy_of(l, variable);
    if (known)
        store_known(l, &copy, type, leaves, &use);
    store_flag(l, l->block, &copy, known);
}
