/* SPDX-License-Identifier: Apache-2.0 */
/* Lowers a kernel to IR: walks its functions, inlines calls, and gives each instruction to the file of its
 * family. Recursion is refused, so inlining ends. Phis are made when they are met and completed at the end
 * of their function. */
#include "lower.h"

#include <string.h>

#include "orrery/checked.h"
#include "spirv_ops.h"

struct phi_fix {
    uint32_t word;
    uint32_t *leaves;
    uint32_t count;
};

/* One inlined call: the block and values that its returns lead to, and the phis to complete at its end. */
struct call_frame {
    struct call_frame *caller;
    uint32_t number;
    const struct function *function;
    uint32_t return_block;
    uint32_t result_leaves;
    LIST(uint32_t) return_preds;
    LIST(uint32_t *) return_values;
    LIST(struct phi_fix) phis;
};

enum { MAX_INSTRUCTIONS = 4 * 1000 * 1000, ARGS_BYTES_MAX = 1 << 20 };

/* ---- shared helpers --------------------------------------------------------------- */

enum scalar lower_type(struct lower *l, uint32_t v)
{
    return ir_value(l->ir, v)->type;
}

enum scalar lower_component(struct lower *l, uint32_t id)
{
    const struct type *type = module_value_type(l->m, id);
    return type->kind == TYPE_VECTOR ? type->element->scalar : type->scalar;
}

uint32_t lower_emit(struct lower *l, enum ir_op op, enum scalar type, uint32_t a, uint32_t b, uint32_t c,
                    uint64_t imm)
{
    return ir_pure(l->ir, l->block, op, type, a, b, c, imm);
}

uint32_t lower_function_id(const struct lower *l)
{
    return l->call ? l->call->function->id : 0;
}

uint32_t lower_call_number(const struct lower *l)
{
    return l->call ? l->call->number : 0;
}

uint32_t lower_site(struct lower *l, const struct site *site)
{
    struct site *s = list_push(l->arena, &l->ir->sites);
    *s = *site;
    s->file = l->file;
    s->line = l->line;
    s->column = l->column;
    s->word = l->word;
    s->call = lower_call_number(l);
    return l->ir->sites.count - 1;
}

/* Private and constant memory are not seen by other units, so their accesses are no preemption points. */
static bool seen_by_others(const struct lower *l, enum ir_op op, uint32_t site)
{
    enum storage storage = l->ir->sites.at[site].storage;
    if (op == IR_load || op == IR_store)
        return storage != STORAGE_PRIVATE && storage != STORAGE_CONSTANT;
    switch (op) {
    case IR_atomic:
    case IR_copy:
    case IR_fence:
    case IR_async_copy:
    case IR_printf:
    case IR_image_read:
    case IR_image_write:
    case IR_pipe:
    case IR_enqueue: return true;
    default: return false;
    }
}

uint32_t lower_effect(struct lower *l, enum ir_op op, enum scalar type, uint32_t site)
{
    if (l->ir->preempt && seen_by_others(l, op, site))
        ir_append(l->ir, l->block, ir_new_value(l->ir, IR_yield, T_NONE));
    if (l->ir->values.count > MAX_INSTRUCTIONS)
        module_fail(l->m, STATUS_UNSUPPORTED,
                    "kernel %s is larger than %d instructions after its calls are inlined",
                    l->ir->entry->name, MAX_INSTRUCTIONS);
    uint32_t v = ir_new_value(l->ir, op, type);
    ir_value(l->ir, v)->site = site;
    ir_append(l->ir, l->block, v);
    return v;
}

enum storage lower_storage(SpvStorageClass storage)
{
    switch (storage) {
    case SpvStorageClassUniformConstant: return STORAGE_CONSTANT;
    case SpvStorageClassWorkgroup: return STORAGE_LOCAL;
    case SpvStorageClassFunction: return STORAGE_PRIVATE;
    case SpvStorageClassGeneric: return STORAGE_GENERIC;
    default: return STORAGE_GLOBAL;
    }
}

enum memory_scope lower_scope(uint32_t scope)
{
    static const enum memory_scope scopes[] = {SCOPE_ALL_SVM, SCOPE_DEVICE, SCOPE_WORK_GROUP, SCOPE_SUB_GROUP,
                                               SCOPE_WORK_ITEM};
    return scope < 5 ? scopes[scope] : SCOPE_DEVICE;
}

enum math_type lower_math_type(enum scalar type)
{
    static const enum math_type types[] = {MATH_I32, MATH_I8,  MATH_I8,  MATH_I16, MATH_I32,
                                           MATH_I64, MATH_F16, MATH_F32, MATH_F64};
    return types[type];
}

enum memory_ordering lower_order(uint32_t semantics)
{
    return semantics & 0x10  ? ORDER_SEQ_CST
           : semantics & 0x8 ? ORDER_ACQ_REL
           : semantics & 0x4 ? ORDER_RELEASE
           : semantics & 0x2 ? ORDER_ACQUIRE
                             : ORDER_RELAXED;
}

uint32_t lower_constant_bits(struct lower *l, uint32_t id)
{
    uint64_t bits;
    if (!ir_is_const(l->ir, lower_scalar(l, id), &bits))
        module_fail(l->m, STATUS_UNSUPPORTED, "id %u must be a constant", id);
    return (uint32_t)bits;
}

struct type *lower_pointee(struct lower *l, uint32_t pointer_id)
{
    return module_type(l->m, l->m->words[l->m->def[l->m->type_of[pointer_id]] + 3]);
}

/* ---- values of ids ------------------------------------------------------------------ */

static uint32_t local_object(struct lower *l, const struct variable *v)
{
    struct ir *ir = l->ir;
    for (uint32_t i = 0; i < ir->locals.count; i++)
        if (ir->local_ids.at[i] == v->id)
            return i;
    *list_push(ir->arena, &ir->locals) =
        (struct local_object){0, v->info.size, v->info.align, -1, v->info.name, lower_elements(v->type)};
    *list_push(ir->arena, &ir->local_ids) = v->id;
    return ir->locals.count - 1;
}

static uint32_t variable_address(struct lower *l, uint32_t id, uint64_t offset)
{
    const struct variable *v = module_variable(l->m, id);
    struct ir *ir = l->ir;
    uint32_t base;
    if (v->storage == SpvStorageClassWorkgroup) {
        base = ir_new_value(ir, IR_local_address, T_I64);
        ir_value(ir, base)->imm = local_object(l, v);
    } else if (v->builtin >= 0) {
        base = ir_new_value(ir, IR_input, T_I64);
        ir_value(ir, base)->imm = 0x10000u | (uint32_t)v->builtin;
    } else {
        return ir_const(ir, T_I64, v->address + offset);
    }
    return ir_index(ir, ir->entry_block, base, NONE, 0, (int64_t)offset);
}

static void constant_leaves(struct lower *l, uint32_t id)
{
    const struct constant *c = module_constant(l->m, id);
    uint32_t *leaves = ARENA_ARRAY(l->arena, uint32_t, c->count + 1);
    for (uint32_t i = 0; i < c->count; i++) {
        const struct leaf *leaf = &c->leaves[i];
        if (leaf->variable)
            leaves[i] = variable_address(l, leaf->variable, leaf->bits);
        else if (leaf->undefined)
            leaves[i] = ir_new_value(l->ir, IR_undef, leaf->scalar);
        else
            leaves[i] = ir_const(l->ir, leaf->scalar, leaf->bits);
    }
    l->leaf[id] = leaves;
}

const uint32_t *lower_get(struct lower *l, uint32_t id)
{
    if (id >= l->m->bound)
        module_fail(l->m, STATUS_BAD_BINARY, "id %u is out of bounds", id);
    if (!l->leaf[id]) {
        if (!module_is_constant(l->m, id))
            module_fail(l->m, STATUS_BAD_BINARY, "id %u is used before it has a value", id);
        constant_leaves(l, id);
    }
    return l->leaf[id];
}

uint32_t lower_scalar(struct lower *l, uint32_t id)
{
    uint32_t leaf = lower_get(l, id)[0];
    if (!leaf)
        module_fail(l->m, STATUS_BAD_BINARY, "id %u is not a scalar", id);
    return leaf;
}

void lower_set(struct lower *l, uint32_t id, const uint32_t *leaves, uint32_t count)
{
    CHECKED(id < l->m->bound);
    l->leaf[id] = arena_copy(l->arena, leaves, (size_t)count * sizeof *leaves);
}

/* ---- control -------------------------------------------------------------------------- */

static void set_succs(struct lower *l, enum terminator term, uint32_t cond, const uint32_t *succs,
                      uint32_t count)
{
    struct block *b = ir_block(l->ir, l->block);
    b->term = term;
    b->cond = cond;
    b->succs = arena_copy(l->arena, succs, count * sizeof *succs);
    b->succ_count = count;
    b->word = l->ir->word;
    b->site = lower_site(l, &(struct site){.act = ACT_BRANCH, .what = "branch"});
    CHECKED((term == TERM_BRANCH || term == TERM_SWITCH) == (cond != NONE));
}

void lower_jump(struct lower *l, uint32_t block)
{
    set_succs(l, TERM_JUMP, NONE, &block, 1);
}

void lower_switch_to(struct lower *l, uint32_t selector, const uint32_t *blocks, uint64_t *cases,
                     uint32_t count)
{
    set_succs(l, TERM_SWITCH, selector, blocks, count);
    ir_block(l->ir, l->block)->cases = cases;
}

static void lower_switch(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    uint32_t n = spv_length(l->m, word), selector = lower_scalar(l, w[1]);
    uint32_t literal = scalar_bytes(lower_type(l, selector)) == 8 ? 2 : 1;
    uint32_t count = 1 + (n - 3) / (literal + 1);
    uint32_t *succs = ARENA_ARRAY(l->arena, uint32_t, count);
    uint64_t *cases = ARENA_ARRAY(l->arena, uint64_t, count);
    succs[0] = l->label_block[w[2]];
    for (uint32_t i = 1, at = 3; i < count; i++, at += literal + 1) {
        cases[i - 1] = literal == 2 ? w[at] | (uint64_t)w[at + 1] << 32 : w[at];
        cases[i - 1] = module_bits_truncate(cases[i - 1], lower_type(l, selector));
        succs[i] = l->label_block[w[at + literal]];
    }
    if (l->ir->profile)
        profile_switch(l, selector, cases, count - 1);
    lower_switch_to(l, selector, succs, cases, count);
}

static void lower_return(struct lower *l, uint32_t value_id)
{
    CHECKED(l->call);
    struct call_frame *call = l->call;
    if (!call->caller) {
        set_succs(l, TERM_RETURN, NONE, NULL, 0);
        return;
    }
    *list_push(l->arena, &call->return_preds) = l->block;
    *list_push(l->arena, &call->return_values) = value_id ? (uint32_t *)lower_get(l, value_id) : NULL;
    set_succs(l, TERM_JUMP, NONE, &call->return_block, 1);
}

static void lower_phi(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    const struct type *type = module_type(l->m, w[1]);
    uint32_t *leaves = ARENA_ARRAY(l->arena, uint32_t, type->leaves + 1);
    for (uint32_t i = 0; i < type->leaves; i++) {
        const struct type *t = type;
        uint32_t at = i;
        while (t->kind == TYPE_STRUCT || t->kind == TYPE_ARRAY || t->kind == TYPE_VECTOR) {
            uint32_t k = 0;
            while (k + 1 < t->count && type_first_leaf(t, k + 1) <= at)
                k++;
            at -= type_first_leaf(t, k);
            t = type_part(t, k);
        }
        leaves[i] = ir_new_value(l->ir, IR_phi, t->scalar);
        ir_append(l->ir, l->block, leaves[i]);
    }
    l->leaf[w[2]] = leaves;
    *list_push(l->arena, &l->call->phis) = (struct phi_fix){word, leaves, type->leaves};
}

static void lower_control(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    switch (spv_opcode(l->m, word)) {
    case SpvOpPhi: lower_phi(l, word); break;
    case SpvOpBranch: lower_jump(l, l->label_block[w[1]]); break;
    case SpvOpBranchConditional: {
        uint32_t succs[2] = {l->label_block[w[2]], l->label_block[w[3]]};
        uint32_t cond = lower_scalar(l, w[1]);
        if (l->ir->profile)
            profile_branch(l, cond);
        if (succs[0] == succs[1])
            set_succs(l, TERM_JUMP, NONE, succs, 1);
        else
            set_succs(l, TERM_BRANCH, cond, succs, 2);
        break;
    }
    case SpvOpSwitch: lower_switch(l, word); break;
    case SpvOpReturn: lower_return(l, 0); break;
    case SpvOpReturnValue: lower_return(l, w[1]); break;
    case SpvOpUnreachable: set_succs(l, TERM_UNREACHABLE, NONE, NULL, 0); break;
    default: break;
    }
}

void lower_line(struct lower *l, uint32_t string, uint32_t line, uint32_t column)
{
    l->line_noted &= l->line == line;
    l->file = string < l->m->bound && l->m->def[string]
                  ? ir_string(l->ir, module_string(l->m, l->m->def[string] + 2))
                  : 0;
    l->line = line;
    l->column = column;
    l->line_inherited = false;
    if (!l->ir->file)
        l->ir->file = l->file;
}

void lower_no_line(struct lower *l)
{
    l->file = l->line = l->column = 0;
}

static void lower_op_line(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    if (spv_opcode(l->m, word) == SpvOpNoLine) {
        lower_no_line(l);
        return;
    }
    lower_line(l, w[1], w[2], w[3]);
    if (l->ir->debug && !l->m->debug_set)
        debug_line(l, w);
}

/* ---- functions -------------------------------------------------------------------------- */

static void lower_function(struct lower *l, const struct function *f, struct call_frame *call);

static void check_call(const struct lower *l, const struct function *callee, const char *name)
{
    const struct decoration *linkage = module_decoration(l->m, callee->id, SpvDecorationLinkageAttributes);
    if (l->ir->values.count > MAX_INSTRUCTIONS || l->ir->blocks.count > MAX_INSTRUCTIONS / 8)
        module_fail(l->m, STATUS_UNSUPPORTED,
                    "kernel %s is larger than %d instructions after its calls are inlined",
                    l->ir->entry->name, MAX_INSTRUCTIONS);
    if (callee->block_count == 0)
        module_fail(l->m, STATUS_UNSUPPORTED, "call of undefined function '%s'",
                    linkage ? module_string(l->m, linkage->word) : name);
    for (struct call_frame *c = l->call; c; c = c->caller)
        if (c->function == callee)
            module_fail(l->m, STATUS_BAD_BINARY, "function '%s' calls itself: OpenCL has no recursion", name);
}

static void pass_arguments(struct lower *l, const struct function *callee, const uint32_t *arguments)
{
    for (uint32_t i = 0; i < callee->param_count; i++) {
        uint32_t parameter = callee->params[i];
        if (module_has_attribute(l->m, parameter, SpvFunctionParameterAttributeByVal)) {
            uint32_t copy = lower_private_copy(l, arguments[i], parameter);
            lower_set(l, parameter, &copy, 1);
        } else {
            l->leaf[parameter] = (uint32_t *)lower_get(l, arguments[i]);
        }
    }
}

/* Leaf k of a call's result: a phi if the callee returns in several places. */
static uint32_t returned_leaf(struct lower *l, const struct call_frame *call, uint32_t k)
{
    const uint32_t returns = call->return_preds.count;
    CHECKED(returns == call->return_values.count);
    if (returns == 0) /* the callee never returns */
        return ir_const(l->ir, T_I64, 0);
    const uint32_t first = call->return_values.at[0][k];
    if (returns == 1)
        return first;
    const uint32_t v = ir_new_value(l->ir, IR_phi, lower_type(l, first));
    ir_append(l->ir, l->block, v);
    struct value *phi = ir_value(l->ir, v);
    phi->list_count = returns;
    phi->list = ARENA_ARRAY(l->arena, uint32_t, returns * 2);
    for (uint32_t i = 0; i < returns; i++) {
        phi->list[i] = call->return_values.at[i][k];
        phi->list[returns + i] = call->return_preds.at[i];
    }
    return v;
}

/* Lowers the callee's body; the position and the counters of the caller are restored afterwards. */
static void inline_body(struct lower *l, struct call_frame *call, const char *name, uint32_t word)
{
    uint32_t file = l->file, line = l->line, column = l->column, scope = l->scope, inlined = l->inlined;
    const uint32_t number = l->call_number, branches = l->branches;
    const bool inherited = l->line_inherited;
    l->scope = l->inlined = l->branches = 0;
    l->call_number = call->number;
    if (l->ir->profile)
        profile_function(l, name);
    lower_function(l, call->function, call);
    l->ir->word = l->ir->debug ? word : 0;
    l->file = file, l->line = line, l->column = column, l->scope = scope, l->inlined = inlined;
    l->call_number = number, l->branches = branches, l->line_inherited = inherited;
    l->block = call->return_block;
}

static void lower_call(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    const struct function *callee = module_function(l->m, w[3]);
    const char *name = l->m->names[callee->id] ? l->m->names[callee->id] : "?";
    check_call(l, callee, name);
    struct call_frame call = {.caller = l->call, .number = l->ir->calls.count, .function = callee};
    *list_push(l->arena, &l->ir->calls) = (struct code_call){l->call->number, l->file, l->line, l->column};
    *list_push(l->arena, &l->ir->functions) = name;
    debug_called(l);
    call.return_block = ir_new_block(l->ir);
    call.result_leaves = module_type(l->m, w[1])->leaves;
    pass_arguments(l, callee, w + 4);
    inline_body(l, &call, name, word);
    uint32_t *results = ARENA_ARRAY(l->arena, uint32_t, call.result_leaves + 1);
    for (uint32_t k = 0; k < call.result_leaves; k++)
        results[k] = returned_leaf(l, &call, k);
    l->leaf[w[2]] = results;
    debug_returned(l);
}

static void lower_instruction(struct lower *l, uint32_t word)
{
    l->word = word;
    if (l->ir->debug) {
        l->ir->word = word;
        debug_instruction(l, word);
    }
    if (l->ir->profile)
        profile_instruction(l, word);
    switch (spirv_op(spv_opcode(l->m, word))->lowering) {
    case LOWER_MODULE:
        if (spv_opcode(l->m, word) == SpvOpLine || spv_opcode(l->m, word) == SpvOpNoLine)
            lower_op_line(l, word);
        else if (spv_opcode(l->m, word) == SpvOpUndef)
            constant_leaves(l, l->m->words[word + 2]);
        else if (spv_opcode(l->m, word) == SpvOpLifetimeStart)
            lower_forget(l, l->m->words[word + 1]);
        break;
    case LOWER_MEMORY: lower_memory_op(l, word); break;
    case LOWER_ATOMIC: lower_atomic_op(l, word); break;
    case LOWER_IMAGE: lower_image_op(l, word); break;
    case LOWER_GROUP: lower_group_op(l, word); break;
    case LOWER_SUB_GROUP: lower_sub_group_op(l, word); break;
    case LOWER_PIPE: lower_pipe_op(l, word); break;
    case LOWER_ENQUEUE: lower_enqueue_op(l, word); break;
    case LOWER_CONTROL: lower_control(l, word); break;
    case LOWER_CALL: lower_call(l, word); break;
    case LOWER_EXTENDED: lower_extended(l, word); break;
    case LOWER_ABSENT:
        module_fail(l->m, STATUS_UNSUPPORTED, "unsupported %s at word %u",
                    spirv_op_name(spv_opcode(l->m, word)), word);
    default: lower_value_op(l, word); break;
    }
}

/* `list` holds the values, then the blocks they come from; cfg_build sorts both by predecessor. */
static void complete_phis(struct lower *l, struct call_frame *call)
{
    for (uint32_t i = 0; i < call->phis.count; i++) {
        const struct phi_fix *fix = &call->phis.at[i];
        const uint32_t *w = &l->m->words[fix->word];
        uint32_t pairs = (spv_length(l->m, fix->word) - 3) / 2;
        for (uint32_t k = 0; k < fix->count; k++) {
            uint32_t *list = ARENA_ARRAY(l->arena, uint32_t, pairs * 2);
            for (uint32_t p = 0; p < pairs; p++) {
                list[p] = lower_get(l, w[3 + 2 * p])[k];
                list[pairs + p] = l->label_end[w[4 + 2 * p]];
            }
            ir_value(l->ir, fix->leaves[k])->list = list;
            ir_value(l->ir, fix->leaves[k])->list_count = pairs;
        }
    }
}

static void lower_function(struct lower *l, const struct function *f, struct call_frame *call)
{
    if (++l->depth > 1000)
        module_fail(l->m, STATUS_UNSUPPORTED, "calls are nested deeper than 1000");
    l->call = call;
    for (uint32_t i = 0; i < f->block_count; i++)
        l->label_block[f->blocks[i].label] = ir_new_block(l->ir);
    set_succs(l, TERM_JUMP, NONE, &l->label_block[f->blocks[0].label], 1);
    for (uint32_t i = 0; i < f->block_count; i++) {
        const struct block_range *range = &f->blocks[i];
        l->block = l->label_block[range->label];
        l->line_noted = false;
        for (uint32_t word = range->first; word < range->last; word += spv_length(l->m, word))
            lower_instruction(l, word);
        l->label_end[range->label] = l->block;
    }
    complete_phis(l, call);
    if (l->ir->debug)
        debug_variables(l, f->id);
    l->call = call->caller;
    l->depth--;
}

/* ---- kernels ------------------------------------------------------------------------------ */

/* Places argument i in the argument block, and makes the values of its parameter. */
static void lower_argument(struct lower *l, const struct function *f, uint32_t i)
{
    struct ir *ir = l->ir;
    const struct kernel_arg *arg = &ir->entry->info.args[i];
    uint32_t id = f->params[i];
    const struct type *type = module_value_type(l->m, id);
    bool by_value = type->kind == TYPE_POINTER && type->storage == SpvStorageClassFunction;
    const struct type *value_type = by_value ? lower_pointee(l, id) : type;
    uint32_t align = value_type->align ? value_type->align : 1,
             offset = (ir->args_size + align - 1) / align * align;
    ir->arg_offsets[i] = offset;
    if (value_type->size > ARGS_BYTES_MAX - offset)
        module_fail(l->m, STATUS_UNSUPPORTED, "kernel %s has more than %d bytes of arguments",
                    ir->entry->name, ARGS_BYTES_MAX);
    ir->args_size = offset + (uint32_t)value_type->size;
    if (arg->kind == ARG_LOCAL) {
        *list_push(ir->arena, &ir->locals) =
            (struct local_object){.align = 128, .arg = (int32_t)i, .name = arg->name};
        *list_push(ir->arena, &ir->local_ids) = 0;
        uint32_t address = ir_new_value(ir, IR_local_address, T_I64);
        ir_value(ir, address)->imm = ir->locals.count - 1;
        lower_set(l, id, &address, 1);
        return;
    }
    uint32_t *leaves = ARENA_ARRAY(l->arena, uint32_t, value_type->leaves + 1);
    for (uint32_t k = 0; k < value_type->leaves; k++) {
        const struct type *t = value_type;
        uint32_t at = k;
        uint64_t where = offset;
        while (t->kind == TYPE_STRUCT || t->kind == TYPE_ARRAY || t->kind == TYPE_VECTOR) {
            uint32_t part = 0;
            while (part + 1 < t->count && type_first_leaf(t, part + 1) <= at)
                part++;
            at -= type_first_leaf(t, part);
            where += type_part_offset(t, part);
            t = type_part(t, part);
        }
        leaves[k] = ir_new_value(ir, IR_arg, t->scalar);
        ir_value(ir, leaves[k])->imm = where;
    }
    if (by_value) {
        uint32_t address =
            lower_new_private(l, value_type->size, module_align(l->m, id, value_type), arg->name);
        lower_store(l, value_type, address, 0, STORAGE_PRIVATE, value_type->align, leaves, "argument");
        lower_set(l, id, &address, 1);
    } else {
        l->leaf[id] = leaves;
    }
}

struct ir *lower_kernel(struct module *m, struct entry_point *entry, const struct code_request *request)
{
    struct ir *ir = ARENA_NEW(&m->work, struct ir);
    struct lower lower = {.ir = ir, .m = m, .arena = &m->work}, *l = &lower;
    ir->module = m;
    ir->arena = &m->work;
    ir->entry = entry;
    ir->preempt = request->preempt;
    ir->spurious = request->spurious;
    ir->debug = request->debug;
    ir->profile = request->profile;
    l->leaf = ARENA_ARRAY(l->arena, uint32_t *, m->bound);
    l->label_block = ARENA_ARRAY(l->arena, uint32_t, m->bound);
    l->label_end = ARENA_ARRAY(l->arena, uint32_t, m->bound);
    l->refused = request->spurious ? ARENA_ARRAY(l->arena, struct refusal, m->bound) : NULL;
    ir_new_value(ir, IR_undef, T_NONE); /* id 0: NONE */
    ir_new_block(ir);                   /* block 0 stands for no block */
    *list_push(l->arena, &ir->sites) = (struct site){.what = ""};
    *list_push(l->arena, &ir->calls) = (struct code_call){.caller = 0};
    *list_push(l->arena, &ir->functions) = entry->name;
    *list_push(l->arena, &ir->scopes) = (struct debug_scope){0};
    ir->scope_index = ARENA_ARRAY(l->arena, uint32_t, m->bound);
    ir->latest = ARENA_ARRAY(l->arena, uint32_t, m->bound);
    debug_called(l);
    ir_string(ir, "");
    const struct function *f = module_function(m, entry->function);
    ir->entry_block = l->block = ir_new_block(ir);
    ir->arg_offsets = ARENA_ARRAY(l->arena, uint32_t, f->param_count + 1);
    for (uint32_t i = 0; i < f->param_count; i++)
        lower_argument(l, f, i);
    struct call_frame call = {.function = f};
    if (ir->profile)
        profile_function(l, entry->name);
    lower_function(l, f, &call);
    debug_lowered(ir);
    ir->word = 0; /* Instructions that passes add belong to no instruction of the module. */
    return ir;
}
