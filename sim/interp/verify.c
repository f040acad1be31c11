/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lowering's assumptions about functions, which a validator may not have checked: their blocks are
 * complete, and each instruction's operands fit (verify_values.c, verify_groups.c, verify_extended.c). A
 * module that fails here is refused by instruction and word; after it, nothing checks these things again.
 */
#include "verify.h"

#include <spirv/unified1/OpenCLDebugInfo100.h>

#include "verify_shapes.h"

/* ---- control ------------------------------------------------------------------------------------- */

static void label(const struct verify *v, uint32_t i)
{
    uint32_t at = v->m->def[v->w[i]], last = v->f->block_count - 1;
    need(v,
         spv_opcode(v->m, at) == SpvOpLabel && at >= v->f->blocks[0].first && at <= v->f->blocks[last].first,
         "it names a block that the function does not have");
}

static void verify_control(const struct verify *v)
{
    const struct type *returned = v->f->type->element;
    switch (v->op) {
    case SpvOpPhi:
        need(v, v->n % 2 == 1, "its operands are not pairs");
        for (uint32_t i = 3; i < v->n; i += 2) {
            need(v, same_shape(result(v), operand(v, i)), "operand types do not fit");
            label(v, i + 1);
        }
        break;
    case SpvOpBranch: label(v, 1); break;
    case SpvOpBranchConditional:
        need(v, operand(v, 1)->kind == TYPE_SCALAR && is_bool(operand(v, 1)),
             "the condition is not a boolean");
        label(v, 2), label(v, 3);
        break;
    case SpvOpSwitch: {
        whole_number(v, 1);
        uint32_t step = scalar_bytes(operand(v, 1)->scalar) == 8 ? 3 : 2;
        label(v, 2);
        for (uint32_t i = 3; i < v->n; i += step)
            label(v, i + step - 1);
        break;
    }
    case SpvOpReturn: need(v, returned->kind == TYPE_VOID, "the function returns a value"); break;
    case SpvOpReturnValue:
        need(v, is_value(returned) && same_shape(returned, operand(v, 1)),
             "the function returns another type");
        break;
    default: break;
    }
}

static void verify_call(const struct verify *v)
{
    const struct type *t = module_function(v->m, v->w[3])->type, *r = module_type(v->m, v->w[1]);
    need(v, v->n - 4 == t->count && same_shape(r, t->element), "the function is of another type");
    for (uint32_t i = 0; i < t->count; i++)
        need(v, same_shape(operand(v, 4 + i), t->members[i]), "an argument is of another type");
}

/* ---- functions --------------------------------------------------------------------------------------- */

static void verify_instruction(const struct verify *v)
{
    const struct spirv_op *row = spirv_op(v->op);
    switch (row->lowering) {
    case LOWER_MODULE:
    case LOWER_ABSENT:
        if (v->op == SpvOpUndef)
            result(v);
        break;
    case LOWER_UNARY:
    case LOWER_TEST:
    case LOWER_BINARY:
    case LOWER_BINARY_SWAPPED: verify_arithmetic(v, row); break;
    case LOWER_CONVERT: verify_convert(v); break;
    case LOWER_SAME: need(v, same_shape(result(v), operand(v, 3)), "operand types do not fit"); break;
    case LOWER_SELECT: verify_select(v); break;
    case LOWER_COMPOSITE: verify_composite(v); break;
    case LOWER_MEMORY: verify_memory(v); break;
    case LOWER_ATOMIC: verify_atomic(v); break;
    case LOWER_IMAGE: verify_image(v); break;
    case LOWER_GROUP: verify_group(v); break;
    case LOWER_SUB_GROUP: verify_sub_group(v); break;
    case LOWER_PIPE: verify_pipe(v); break;
    case LOWER_ENQUEUE: verify_enqueue(v); break;
    case LOWER_CONTROL: verify_control(v); break;
    case LOWER_CALL: verify_call(v); break;
    case LOWER_EXTENDED: verify_extended(v); break;
    case LOWER_OTHER: verify_other(v); break;
    }
}

static void verify_parameters(const struct verify *v)
{
    const struct type *t = module_type(v->m, v->w[4]);
    need(v, t->kind == TYPE_FUNCTION && t->count == v->f->param_count,
         "it has another number of parameters than its type");
    need(v, same_shape(t->element, module_type(v->m, v->w[1])), "it returns another type than its type says");
    for (uint32_t i = 0; i < t->count; i++)
        need(v,
             is_value(t->members[i]) && same_shape(t->members[i], module_value_type(v->m, v->f->params[i])),
             "a parameter is of another type than its type says");
}

static bool is_terminator(uint32_t op)
{
    return op >= SpvOpBranch && op <= SpvOpUnreachable;
}

/* The translator writes the scope of a phi between phis. */
static bool is_scope_or_line(const struct verify *v)
{
    enum { DEBUG_LINE = 103, DEBUG_NO_LINE = 104 }; /* of NonSemantic.Shader.DebugInfo */
    const bool is_record = v->op == SpvOpExtInst && v->n > 4 && v->m->debug_set && v->w[3] == v->m->debug_set;
    return is_record &&
           (v->w[4] == OpenCLDebugInfo100DebugScope || v->w[4] == OpenCLDebugInfo100DebugNoScope ||
            v->w[4] == DEBUG_LINE || v->w[4] == DEBUG_NO_LINE);
}

/* Blocks begin with a label, end with a terminator, and have nothing between them. */
static void verify_function(struct module *m, const struct function *f)
{
    bool in_block = false, phis = false;
    struct verify v = {.m = m,
                       .f = f,
                       .word = f->word,
                       .w = &m->words[f->word],
                       .n = spv_length(m, f->word),
                       .op = SpvOpFunction};
    verify_parameters(&v);
    for (;;) {
        v.word += v.n;
        if (v.word >= m->word_count)
            module_fail(m, STATUS_BAD_BINARY, "OpFunction at word %u has no end", f->word);
        v.w = &m->words[v.word];
        v.n = spv_length(m, v.word);
        v.op = spv_opcode(m, v.word);
        if (v.op == SpvOpFunctionEnd)
            break;
        if (v.op == SpvOpLine || v.op == SpvOpNoLine)
            continue;
        if (v.op == SpvOpLabel || v.op == SpvOpFunctionParameter) {
            need(&v, !in_block && (v.op == SpvOpLabel || !f->block_count || v.word < f->blocks[0].first),
                 "it is inside a block");
            in_block = phis = v.op == SpvOpLabel;
            continue;
        }
        need(&v, in_block, "it is outside every block");
        need(&v, v.op != SpvOpPhi || phis, "it is not at the start of its block");
        phis &= v.op == SpvOpPhi || is_scope_or_line(&v);
        verify_instruction(&v);
        in_block = !is_terminator(v.op);
    }
    need(&v, !in_block, "the last block has no end");
}

void verify_functions(struct module *m)
{
    for (uint32_t i = 0; i < m->functions.count; i++)
        verify_function(m, &m->functions.at[i]);
    for (uint32_t i = 0; i < m->entries.count; i++)
        if (module_function(m, m->entries.at[i].function)->block_count == 0)
            module_fail(m, STATUS_BAD_BINARY, "entry point '%s' has no body", m->entries.at[i].name);
}
