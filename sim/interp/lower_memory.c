/* SPDX-License-Identifier: Apache-2.0 */
/* Variables, addresses, loads, stores, copies and atomics as IR. A vector is accessed with its components
 * together, a struct by one access for each scalar or vector in it. A copy of known type becomes loads and
 * stores, so that promote.c can turn variables into values. Built-in variables are cells of the frame. */
#include <string.h>

#include "lower.h"
#include "spirv_ops.h"

static uint64_t stride_of(const struct type *type)
{
    uint64_t align = type->align ? type->align : 1;
    return (type->size + align - 1) / align * align;
}

enum { COPY_LEAVES_MAX = 256 };

uint32_t lower_new_private(struct lower *l, uint64_t size, uint32_t align, const char *name)
{
    struct private_variable *v = list_push(l->arena, &l->ir->private_variables);
    *v = (struct private_variable){
        .size = size, .align = align ? align : 1, .name = name ? name : "", .live = true};
    uint32_t address = ir_new_value(l->ir, IR_private_address, T_I64);
    ir_value(l->ir, address)->imm = l->ir->private_variables.count - 1;
    return address;
}

static void lower_variable(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    const struct type *type = lower_pointee(l, w[2]);
    uint32_t address = lower_new_private(l, type->size, module_align(l->m, w[2], type), l->m->names[w[2]]);
    struct private_variable *variable = &l->ir->private_variables.at[l->ir->private_variables.count - 1];
    variable->declared = true;
    variable->elements = lower_elements(type);
    lower_set(l, w[2], &address, 1);
    if (lower_call_number(l))
        lower_forget(l, w[2]);
    if (spv_length(l->m, word) > 4)
        lower_store(l, type, address, 0, STORAGE_PRIVATE, type->align, lower_get(l, w[4]), "initialiser");
}

/* The object of a private variable begins: by OpLifetimeStart, as clang has it where a block declares it, or
 * because its function is called again. An address into a variable, and other pointers, say nothing. */
void lower_forget(struct lower *l, uint32_t pointer)
{
    const uint32_t *leaves = pointer < l->m->bound ? l->leaf[pointer] : NULL;
    if (leaves && leaves[0] && ir_value(l->ir, leaves[0])->op == IR_private_address)
        ir_value(l->ir, lower_effect(l, IR_forget, T_NONE, 0))->args[0] = leaves[0];
}

/* ---- inputs ------------------------------------------------------------------------------- */

/* The frame cell that holds component k of built-in variable b. */
static uint32_t input_cell(struct lower *l, uint32_t builtin, uint32_t k)
{
    switch (builtin) {
    case SpvBuiltInWorkDim: return INPUT_WORK_DIM;
    case SpvBuiltInGlobalSize: return INPUT_GLOBAL_SIZE + 8 * k;
    case SpvBuiltInEnqueuedWorkgroupSize: return INPUT_ENQUEUED_LOCAL_SIZE + 8 * k;
    case SpvBuiltInWorkgroupSize: return INPUT_LOCAL_SIZE + 8 * k;
    case SpvBuiltInWorkgroupId: return INPUT_GROUP_ID + 8 * k;
    case SpvBuiltInNumWorkgroups: return INPUT_GROUP_COUNT + 8 * k;
    case SpvBuiltInGlobalOffset: return INPUT_GLOBAL_OFFSET + 8 * k;
    case SpvBuiltInLocalInvocationId: return INPUT_LOCAL_ID + AFFINE_STRIDE * k;
    case SpvBuiltInGlobalInvocationId: return INPUT_GLOBAL_ID + AFFINE_STRIDE * k;
    case SpvBuiltInLocalInvocationIndex: return INPUT_LOCAL_LINEAR_ID;
    case SpvBuiltInGlobalLinearId: return INPUT_GLOBAL_LINEAR_ID;
    case SpvBuiltInSubgroupSize: return INPUT_SUB_GROUP_SIZE;
    case SpvBuiltInSubgroupMaxSize: return INPUT_SUB_GROUP_MAX_SIZE;
    case SpvBuiltInNumSubgroups: return INPUT_SUB_GROUP_COUNT;
    case SpvBuiltInNumEnqueuedSubgroups: return INPUT_ENQUEUED_SUB_GROUP_COUNT;
    case SpvBuiltInSubgroupId: return INPUT_SUB_GROUP_ID;
    case SpvBuiltInSubgroupLocalInvocationId: return INPUT_SUB_GROUP_LOCAL_ID;
    default: module_fail(l->m, STATUS_UNSUPPORTED, "built-in variable %u is not supported", builtin);
    }
}

static uint32_t input_value(struct lower *l, uint32_t builtin, uint32_t k, enum scalar type)
{
    if (builtin >= SpvBuiltInSubgroupEqMask && builtin <= SpvBuiltInSubgroupLtMask && k < 4 && type == T_I32)
        return lower_sub_group_mask(l, builtin, k);
    if (k > 2 || (type != T_I32 && type != T_I64))
        module_fail(l->m, STATUS_BAD_BINARY, "component %u of built-in variable %u is not read as a number",
                    k, builtin);
    uint32_t v = ir_new_value(l->ir, IR_input, type);
    ir_value(l->ir, v)->imm = input_cell(l, builtin, k);
    return v;
}

/* If the address is of a built-in variable, returns its number and the byte offset. */
static bool is_input(struct lower *l, uint32_t address, uint32_t *out_builtin, int64_t *out_offset)
{
    const struct value *v = ir_value(l->ir, address);
    *out_offset = 0;
    if (v->op == IR_index && !v->args[1]) {
        *out_offset = v->offset;
        v = ir_value(l->ir, v->args[0]);
    }
    *out_builtin = (uint32_t)v->imm & 0xffff;
    return v->op == IR_input && v->imm & 0x10000;
}

/* ---- loads and stores ------------------------------------------------------------------------ */

static uint32_t log2_bytes(enum scalar type)
{
    return (uint32_t)__builtin_ctz(scalar_bytes(type));
}

enum number_type lower_number_type(enum scalar type)
{
    return type == T_F16   ? NUMBER_HALF
           : type == T_F32 ? NUMBER_FLOAT
           : type == T_F64 ? NUMBER_DOUBLE
                           : NUMBER_INTEGER;
}

/* The largest power of two that divides `align` and `offset`; offset 0: `align`. */
static uint32_t align_at(uint32_t align, uint64_t offset)
{
    const uint64_t both = align | offset;
    return (uint32_t)(both & -both);
}

/* At most the alignment that a value of this size requires: a vector of three is aligned like one of
 * four. */
static uint32_t access_align(uint32_t align, uint32_t bytes)
{
    uint32_t natural = 1;
    while (natural < bytes)
        natural *= 2;
    return align_at(align, natural);
}

uint32_t lower_part_align(uint32_t align, uint64_t offset, uint32_t bytes)
{
    return access_align(align_at(align, offset), bytes);
}

static uint32_t access(struct lower *l, enum ir_op op, enum scalar type, uint32_t k, uint32_t address,
                       int64_t offset, enum storage storage, uint32_t align, const char *what)
{
    struct site site = {.access = op == IR_load ? ACCESS_READ : ACCESS_WRITE,
                        .storage = storage,
                        .size = scalar_bytes(type),
                        .components = k,
                        .type = k == 1 ? lower_number_type(type) : NUMBER_VECTOR,
                        .align = access_align(align, k * scalar_bytes(type)),
                        .what = what};
    uint32_t s = lower_site(l, &site);
    index_check(l, address, s);
    uint32_t v = lower_effect(l, op, op == IR_load && k == 1 ? type : T_NONE, s);
    struct value *value = ir_value(l->ir, v);
    value->args[0] = address;
    value->offset = offset;
    value->size_log2 = (uint8_t)log2_bytes(type);
    value->storage = (uint8_t)storage;
    value->components = (uint8_t)k;
    return v;
}

void lower_load_components(struct lower *l, enum scalar type, uint32_t k, uint32_t address, int64_t offset,
                           enum storage storage, uint32_t align, uint32_t *out, const char *what)
{
    uint32_t builtin;
    int64_t at;
    if (is_input(l, address, &builtin, &at)) {
        for (uint32_t i = 0; i < k; i++)
            out[i] = input_value(l, builtin, (uint32_t)((at + offset) / scalar_bytes(type)) + i, type);
        return;
    }
    enum scalar stored = type == T_BOOL ? T_I8 : type;
    uint32_t load = access(l, IR_load, stored, k, address, offset, storage, align, what);
    for (uint32_t i = 0; i < k; i++) {
        out[i] = load;
        if (k > 1) {
            out[i] = ir_new_value(l->ir, IR_extract, stored);
            ir_value(l->ir, out[i])->args[0] = load;
            ir_value(l->ir, out[i])->imm = i;
            ir_append(l->ir, l->block, out[i]);
        }
    }
    for (uint32_t i = 0; type == T_BOOL && i < k; i++)
        out[i] = lower_emit(l, IR_ine, T_BOOL, out[i], ir_const(l->ir, T_I8, 0), NONE, 0);
}

void lower_store_components(struct lower *l, enum scalar type, uint32_t k, uint32_t address, int64_t offset,
                            enum storage storage, uint32_t align, const uint32_t *values, const char *what)
{
    uint32_t *list = arena_copy(l->arena, values, k * sizeof *list);
    enum scalar stored = type == T_BOOL ? T_I8 : type;
    for (uint32_t i = 0; type == T_BOOL && i < k; i++)
        list[i] =
            lower_emit(l, IR_select, T_I8, list[i], ir_const(l->ir, T_I8, 1), ir_const(l->ir, T_I8, 0), 0);
    uint32_t store = access(l, IR_store, stored, k, address, offset, storage, align, what);
    ir_value(l->ir, store)->list = list;
    ir_value(l->ir, store)->list_count = k;
}

/* The alignment of part i of a struct or array at an address of this alignment. */
static uint32_t part_align(const struct type *type, uint32_t i, uint32_t align)
{
    const uint32_t natural = type_part(type, i)->align, stated = align_at(align, type_part_offset(type, i));
    return natural < stated ? natural : stated;
}

void lower_load(struct lower *l, const struct type *type, uint32_t address, int64_t offset,
                enum storage storage, uint32_t align, uint32_t *out, const char *what)
{
    if (type->leaves > 65536)
        module_fail(l->m, STATUS_UNSUPPORTED, "a value of %u scalars is loaded at once", type->leaves);
    if (type->kind == TYPE_STRUCT || type->kind == TYPE_ARRAY) {
        for (uint32_t i = 0, at = 0; i < type->count; i++) {
            const struct type *part = type_part(type, i);
            lower_load(l, part, address, offset + (int64_t)type_part_offset(type, i), storage,
                       part_align(type, i, align), out + at, what);
            at += part->leaves;
        }
        return;
    }
    enum scalar scalar = type->kind == TYPE_VECTOR ? type->element->scalar : type->scalar;
    lower_load_components(l, scalar, type->leaves, address, offset, storage, align, out, what);
}

void lower_store(struct lower *l, const struct type *type, uint32_t address, int64_t offset,
                 enum storage storage, uint32_t align, const uint32_t *values, const char *what)
{
    if (type->kind == TYPE_STRUCT || type->kind == TYPE_ARRAY) {
        for (uint32_t i = 0, at = 0; i < type->count; i++) {
            const struct type *part = type_part(type, i);
            lower_store(l, part, address, offset + (int64_t)type_part_offset(type, i), storage,
                        part_align(type, i, align), values + at, what);
            at += part->leaves;
        }
        return;
    }
    enum scalar scalar = type->kind == TYPE_VECTOR ? type->element->scalar : type->scalar;
    lower_store_components(l, scalar, type->leaves, address, offset, storage, align, values, what);
}

static uint32_t operand_align(const uint32_t *operands, uint32_t count, uint32_t natural)
{
    return count >= 2 && operands[0] & SpvMemoryAccessAlignedMask && operands[1] ? operands[1] : natural;
}

static enum storage pointer_storage(struct lower *l, uint32_t id)
{
    return lower_storage(module_value_type(l->m, id)->storage);
}

/* ---- addresses ----------------------------------------------------------------------------------- */

static void lower_chain(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    uint32_t op = spv_opcode(l->m, word), n = spv_length(l->m, word), i = 4;
    uint32_t address = lower_scalar(l, w[3]);
    const struct type *type = lower_pointee(l, w[3]);
    bool first = op == SpvOpPtrAccessChain || op == SpvOpInBoundsPtrAccessChain, keeps = true;
    for (; i < n; i++) {
        const uint32_t before = address;
        struct index_step step = {NONE, w[3], type};
        uint32_t index = lower_scalar(l, w[i]);
        uint64_t k = 0, stride = first ? stride_of(type) : type->stride;
        bool constant = ir_is_const(l->ir, index, &k);
        k = (uint64_t)module_bits_signed(k, lower_type(l, index));
        if (!first && type->kind == TYPE_STRUCT) {
            if (!constant || k >= type->count)
                module_fail(l->m, STATUS_BAD_BINARY, "struct index of %s at word %u is not a member number",
                            spirv_op_name(op), word);
            address = ir_index(l->ir, l->block, address, NONE, 0, (int64_t)type->offsets[k]);
        } else if (constant) {
            address = ir_index(l->ir, l->block, address, NONE, 0, (int64_t)(k * stride));
            step.index = ir_const(l->ir, T_I64, k);
        } else {
            if (lower_type(l, index) != T_I64)
                index = lower_emit(l, IR_sext, T_I64, index, NONE, NONE, 0);
            address = ir_index(l->ir, l->block, address, index, stride, 0);
            step.index = index;
        }
        if (first)
            keeps = constant && !k;
        if (!first && step.index && index_may_pass(l, w[3], type, step.index))
            index_note(l, keeps ? before : address, address, &step);
        else if (keeps)
            index_note(l, before, address, NULL);
        if (!first)
            type = type_part(type, (uint32_t)k);
        first = false;
    }
    lower_set(l, w[2], &address, 1);
}

/* The pointer before bitcasts, if its pointee has exactly `size` bytes. */
static uint32_t typed_pointer(struct lower *l, uint32_t id, uint64_t size)
{
    while (l->m->def[id]) {
        if (lower_pointee(l, id)->size == size && lower_pointee(l, id)->kind != TYPE_OPAQUE &&
            lower_pointee(l, id)->leaves > 0)
            return id;
        uint32_t word = l->m->def[id], op = spv_opcode(l->m, word);
        if (op != SpvOpBitcast || module_value_type(l->m, l->m->words[word + 3])->kind != TYPE_POINTER)
            return 0;
        id = l->m->words[word + 3];
    }
    return 0;
}

static uint64_t scalar_bytes_of(const struct type *type)
{
    uint64_t bytes = 0;
    if (type->kind != TYPE_STRUCT && type->kind != TYPE_ARRAY && type->kind != TYPE_VECTOR)
        return type->size;
    for (uint32_t i = 0; i < type->count; i++)
        bytes += scalar_bytes_of(type_part(type, i));
    return bytes;
}

/* Do the scalars of a type include all data? Padding between the members of a struct need not be copied,
 * but padding in the largest member of a union may be data of another member. */
static bool scalars_are_all(const struct type *type)
{
    if (scalar_bytes_of(type) == type->size || type->kind == TYPE_VECTOR)
        return true;
    if (type->kind == TYPE_STRUCT && (!type->name || strncmp(type->name, "struct.", 7)))
        return false;
    for (uint32_t i = 0; i < type->count; i++)
        if (!scalars_are_all(type_part(type, i)))
            return false;
    return true;
}

/* The type may belong to one of the pointers only: vectors need just the alignment of their components. */
static void copy_leaves(struct lower *l, const struct type *type, uint32_t align, uint32_t to,
                        enum storage to_storage, uint32_t from, enum storage from_storage)
{
    uint32_t *leaves = ARENA_ARRAY(l->arena, uint32_t, type->leaves + 1);
    const uint32_t first = l->ir->sites.count;
    lower_load(l, type, from, 0, from_storage, align, leaves, "copy");
    const uint32_t stores = l->ir->sites.count;
    lower_store(l, type, to, 0, to_storage, align, leaves, "copy");
    for (uint32_t s = first; s < l->ir->sites.count; s++) {
        struct site *site = &l->ir->sites.at[s];
        site->align = site->align < site->size ? site->align : site->size;
        site->copy = 1 + stores;
    }
}

static uint32_t copy_site(struct lower *l, uint32_t access, enum storage storage, uint32_t align)
{
    return lower_site(l, &(struct site){.access = access,
                                        .storage = storage,
                                        .size = 1,
                                        .components = 1,
                                        .align = align,
                                        .what = "copy"});
}

static void copy_bytes(struct lower *l, uint32_t to, enum storage to_storage, uint32_t from,
                       enum storage from_storage, uint32_t align, uint32_t size)
{
    uint32_t read = copy_site(l, ACCESS_READ, from_storage, align),
             write = copy_site(l, ACCESS_WRITE, to_storage, align);
    index_check(l, from, read);
    index_check(l, to, write);
    struct value *value = ir_value(l->ir, lower_effect(l, IR_copy, T_NONE, read));
    value->args[0] = to;
    value->args[1] = from;
    value->args[2] = size;
    value->imm = write;
}

/* A copy of known size and type becomes loads and stores of its scalars, so that variables can become
 * values; any other copy is one instruction. */
static void lower_copy(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    bool sized = spv_opcode(l->m, word) == SpvOpCopyMemorySized;
    uint64_t size = 0;
    uint32_t size_value = NONE, typed = 0;
    if (sized) {
        size_value = lower_scalar(l, w[3]);
        if (ir_is_const(l->ir, size_value, &size) && size) {
            typed = typed_pointer(l, w[1], size);
            if (!typed)
                typed = typed_pointer(l, w[2], size);
        }
    } else {
        size = lower_pointee(l, w[1])->size;
        typed = w[1];
    }
    uint32_t rest = sized ? 4 : 3, align = operand_align(w + rest, spv_length(l->m, word) - rest, 1);
    if (typed && lower_pointee(l, typed)->leaves <= COPY_LEAVES_MAX &&
        scalars_are_all(lower_pointee(l, typed))) {
        const struct type *type = lower_pointee(l, typed);
        align = type->align > align ? align > 1 ? align : type->align : type->align;
        copy_leaves(l, type, align, lower_scalar(l, w[1]), pointer_storage(l, w[1]), lower_scalar(l, w[2]),
                    pointer_storage(l, w[2]));
        return;
    }
    if (!size_value)
        size_value = ir_const(l->ir, T_I64, size);
    if (lower_type(l, size_value) != T_I64)
        size_value = lower_emit(l, IR_zext, T_I64, size_value, NONE, NONE, 0);
    copy_bytes(l, lower_scalar(l, w[1]), pointer_storage(l, w[1]), lower_scalar(l, w[2]),
               pointer_storage(l, w[2]), align, size_value);
}

uint32_t lower_private_copy(struct lower *l, uint32_t pointer, uint32_t parameter)
{
    const struct type *type = lower_pointee(l, pointer);
    uint32_t address =
        lower_new_private(l, type->size, module_align(l->m, parameter, type), l->m->names[parameter]);
    enum storage storage = pointer_storage(l, pointer);
    if (type->leaves <= COPY_LEAVES_MAX && scalars_are_all(type))
        copy_leaves(l, type, type->align, address, STORAGE_PRIVATE, lower_scalar(l, pointer), storage);
    else
        copy_bytes(l, address, STORAGE_PRIVATE, lower_scalar(l, pointer), storage, 1,
                   ir_const(l->ir, T_I64, type->size));
    return address;
}

/* The storage of a generic address: 0 private, 1 local, 2 global or constant. */
static void lower_generic_query(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    struct ir *ir = l->ir;
    uint32_t a = lower_scalar(l, w[3]), wanted, out;
    uint32_t space = lower_emit(l, IR_space, T_I32, a, NONE, NONE, 0);
    uint32_t private = lower_emit(l, IR_ieq, T_BOOL, space, ir_const(ir, T_I32, 0), NONE, 0);
    uint32_t local = lower_emit(l, IR_ieq, T_BOOL, space, ir_const(ir, T_I32, 1), NONE, 0);
    if (spv_opcode(l->m, word) == SpvOpGenericPtrMemSemantics) {
        out =
            lower_emit(l, IR_select, T_I32, local, ir_const(ir, T_I32, 0x100), ir_const(ir, T_I32, 0x200), 0);
        out = lower_emit(l, IR_select, T_I32, private, ir_const(ir, T_I32, 0), out, 0);
        lower_set(l, w[2], &out, 1);
        return;
    }
    wanted = w[4] == SpvStorageClassFunction ? private
             : w[4] == SpvStorageClassWorkgroup
                 ? local
                 : lower_emit(l, IR_mnot, T_BOOL, lower_emit(l, IR_mor, T_BOOL, private, local, NONE, 0),
                              NONE, NONE, 0);
    out = lower_emit(l, IR_select, T_I64, wanted, a, ir_const(ir, T_I64, 0), 0);
    lower_set(l, w[2], &out, 1);
}

void lower_memory_op(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    uint32_t n = spv_length(l->m, word);
    const struct type *type;
    switch (spv_opcode(l->m, word)) {
    case SpvOpVariable: lower_variable(l, word); break;
    case SpvOpLoad: {
        type = module_type(l->m, w[1]);
        uint32_t *out = ARENA_ARRAY(l->arena, uint32_t, type->leaves + 1);
        lower_load(l, type, lower_scalar(l, w[3]), 0, pointer_storage(l, w[3]),
                   operand_align(w + 4, n - 4, type->align), out, "load");
        l->leaf[w[2]] = out;
        components_note_load(l, w[2]);
        break;
    }
    case SpvOpStore:
        type = module_value_type(l->m, w[2]);
        if (components_store(l,
                             &(struct memory_place){type, lower_scalar(l, w[1]), pointer_storage(l, w[1]),
                                                    operand_align(w + 3, n - 3, type->align)},
                             w[1], w[2]))
            break;
        lower_store(l, type, lower_scalar(l, w[1]), 0, pointer_storage(l, w[1]),
                    operand_align(w + 3, n - 3, type->align), lower_get(l, w[2]), "store");
        break;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized: lower_copy(l, word); break;
    case SpvOpGenericPtrMemSemantics:
    case SpvOpGenericCastToPtrExplicit: lower_generic_query(l, word); break;
    default: lower_chain(l, word); break;
    }
}

/* ---- atomics ------------------------------------------------------------------------------------------- */

static const char *atomic_name(uint32_t op)
{
    switch (op) {
    case SpvOpAtomicLoad: return "atomic load";
    case SpvOpAtomicStore: return "atomic store";
    case SpvOpAtomicExchange: return "atomic exchange";
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak: return "atomic compare-exchange";
    case SpvOpAtomicFlagTestAndSet: return "atomic flag test-and-set";
    case SpvOpAtomicFlagClear: return "atomic flag clear";
    case SpvOpAtomicFAddEXT: return "atomic float add";
    default: return "atomic update";
    }
}

static bool is_suspect(const struct site *site)
{
    bool releases = site->order == ORDER_RELEASE || site->order == ORDER_ACQ_REL;
    bool acquires = site->order == ORDER_ACQUIRE || site->order == ORDER_ACQ_REL;
    const bool no_effect =
        (site->access == ACCESS_ATOMIC_READ && releases) || (site->access == ACCESS_ATOMIC_WRITE && acquires);
    return site->scope < SCOPE_WORK_GROUP || no_effect ||
           !failure_order_fits(site->order, site->failure_order);
}

/* The operands of an atomic instruction: a value that is stored or combined, and what it is compared with. */
struct atomic_operands {
    uint32_t value, comparator; /* NONE: the instruction has none */
    enum memory_ordering failure;
};

static struct atomic_operands atomic_operands(struct lower *l, uint32_t op, const uint32_t *w,
                                              enum scalar type)
{
    struct atomic_operands operands = {NONE, NONE, ORDER_RELAXED};
    switch (op) {
    case SpvOpAtomicLoad: break;
    case SpvOpAtomicStore: operands.value = lower_scalar(l, w[4]); break;
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIDecrement:
    case SpvOpAtomicFlagTestAndSet: operands.value = ir_const(l->ir, type, 1); break;
    case SpvOpAtomicFlagClear: operands.value = ir_const(l->ir, type, 0); break;
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
        operands.failure = lower_order(lower_order_bits(l, w[6]));
        operands.value = lower_scalar(l, w[7]);
        operands.comparator = lower_scalar(l, w[8]);
        break;
    default: operands.value = lower_scalar(l, w[6]);
    }
    return operands;
}

/* words: pointer, scope and semantics. */
static struct site atomic_site(struct lower *l, uint32_t op, const uint32_t *words, enum scalar type,
                               enum memory_ordering failure)
{
    struct site site = {.access = op == SpvOpAtomicLoad                    ? ACCESS_ATOMIC_READ
                                  : spirv_op(op)->argument == ATOMIC_STORE ? ACCESS_ATOMIC_WRITE
                                                                           : ACCESS_ATOMIC_UPDATE,
                        .storage = pointer_storage(l, words[0]),
                        .size = scalar_bytes(type),
                        .components = 1,
                        .type = lower_number_type(type),
                        .align = scalar_bytes(type),
                        .order = lower_order(lower_order_bits(l, words[2])),
                        .failure_order = failure,
                        .scope = lower_memory_scope(l, words[1]),
                        .what = atomic_name(op)};
    site.suspect = is_suspect(&site);
    return site;
}

void lower_one_atomic(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    uint32_t op = spv_opcode(l->m, word), how = spirv_op(op)->argument;
    bool result = op != SpvOpAtomicStore && op != SpvOpAtomicFlagClear;
    const uint32_t *words = w + (result ? 3 : 1);
    enum scalar type = T_I32;
    bool flag = op == SpvOpAtomicFlagTestAndSet || op == SpvOpAtomicFlagClear;
    if (!flag)
        type = result ? module_type(l->m, w[1])->scalar : lower_type(l, lower_scalar(l, w[4]));
    const struct atomic_operands operands = atomic_operands(l, op, w, type);
    if (scalar_bytes(type) < 4)
        module_fail(l->m, STATUS_UNSUPPORTED, "%s of %u bits at word %u is not supported", spirv_op_name(op),
                    scalar_bits(type), word);
    const struct site site = atomic_site(l, op, words, type, operands.failure);
    uint32_t address = lower_scalar(l, words[0]), s = lower_site(l, &site);
    index_check(l, address, s);
    uint32_t v = lower_effect(l, IR_atomic, type, s);
    struct value *atomic = ir_value(l->ir, v);
    atomic->args[0] = address;
    atomic->args[1] = operands.value;
    atomic->args[2] = operands.comparator;
    atomic->imm = op == SpvOpAtomicCompareExchangeWeak && l->refused ? ATOMIC_COMPARE_EXCHANGE_WEAK : how;
    atomic->storage = (uint8_t)site.storage;
    atomic->size_log2 = (uint8_t)log2_bytes(type);
    if (op == SpvOpAtomicFlagTestAndSet)
        v = lower_emit(l, IR_ine, T_BOOL, v, ir_const(l->ir, T_I32, 0), NONE, 0);
    if (result)
        lower_set(l, w[2], &v, 1);
}
