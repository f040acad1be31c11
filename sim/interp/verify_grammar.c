/* SPDX-License-Identifier: Apache-2.0 */
/* The first pass over a module's words: SPIRV-Tools parses them by the grammar. All ids must be defined, and
 * before their uses where the lowering needs that. Uses of local variables are collected on the way. */
#include <spirv-tools/libspirv.h>
#include <stdio.h>

#include "ir.h"
#include "spirv_ops.h"
#include "verify.h"

/* Parsing calls back through C++: what went wrong is kept, not thrown. */
struct parse {
    struct module *m;
    uint32_t word, function; /* the function that is open, or 0 */
    bool *made_of_local;     /* per id of a constant */
    char text[200];
};

static bool is_id_operand(spv_operand_type_t type)
{
    return type == SPV_OPERAND_TYPE_ID || type == SPV_OPERAND_TYPE_TYPE_ID ||
           type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID || type == SPV_OPERAND_TYPE_SCOPE_ID;
}

/* Types, constants and variables are made of earlier definitions; only pointers may refer to later ones. */
static bool must_follow(const struct parse *p, const spv_parsed_instruction_t *inst, uint32_t id)
{
    uint32_t op = inst->opcode;
    if (p->function || op == SpvOpTypePointer || op == SpvOpTypeForwardPointer)
        return false;
    const bool type = op >= SpvOpTypeVoid && op <= SpvOpTypePipe;
    const bool constant = op >= SpvOpConstantTrue && op <= SpvOpSpecConstantOp;
    const bool declares = type || constant || op == SpvOpVariable || op == SpvOpUndef;
    return declares && spv_opcode(p->m, p->m->def[id]) != SpvOpTypePointer;
}

static bool is_local_variable(const struct module *m, uint32_t id)
{
    const uint32_t word = m->def[id];
    return spv_opcode(m, word) == SpvOpVariable && m->words[word + 3] == SpvStorageClassWorkgroup;
}

static void see_local(struct parse *p, const spv_parsed_instruction_t *inst, uint32_t id)
{
    struct module *m = p->m;
    const uint32_t user = p->function ? p->function : inst->result_id;
    if (!user || !(p->made_of_local[id] || is_local_variable(m, id)))
        return;
    if (!p->function)
        p->made_of_local[user] = true;
    *list_push(&m->arena, &m->local_uses) = (struct local_use){id, m->first_local_use[user]};
    m->first_local_use[user] = m->local_uses.count;
}

static spv_result_t see_instruction(void *self, const spv_parsed_instruction_t *inst)
{
    struct parse *p = self;
    for (uint16_t i = 0; i < inst->num_operands; i++) {
        const spv_parsed_operand_t *operand = &inst->operands[i];
        if (!is_id_operand(operand->type))
            continue;
        uint32_t id = inst->words[operand->offset], def = id < p->m->bound ? p->m->def[id] : 0;
        if (!def || (must_follow(p, inst, id) && def >= p->word)) {
            snprintf(p->text, sizeof p->text, "%s at word %u: id %u is not defined%s",
                     spirv_op_name(inst->opcode), p->word, id, def ? " before" : "");
            return SPV_ERROR_INVALID_ID;
        }
        see_local(p, inst, id);
    }
    if (inst->opcode == SpvOpFunction || inst->opcode == SpvOpFunctionEnd)
        p->function = inst->result_id;
    p->word += inst->num_words;
    return SPV_SUCCESS;
}

void verify_grammar(struct module *m)
{
    struct parse parse = {.m = m, .word = 5, .made_of_local = ARENA_ARRAY(&m->work, bool, m->bound)};
    m->first_local_use = ARENA_ARRAY(&m->arena, uint32_t, m->bound);
    spv_diagnostic diagnostic = NULL;
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    spv_result_t result = SPV_ERROR_OUT_OF_MEMORY;
    if (context)
        result = spvBinaryParse(context, &parse, m->words, m->word_count, NULL, see_instruction, &diagnostic);
    if (result != SPV_SUCCESS && !parse.text[0])
        snprintf(parse.text, sizeof parse.text, "word %zu: %s",
                 diagnostic ? diagnostic->position.index : parse.word,
                 diagnostic ? diagnostic->error : "the words cannot be read");
    spvDiagnosticDestroy(diagnostic);
    if (context)
        spvContextDestroy(context);
    if (result != SPV_SUCCESS)
        module_fail(m, STATUS_BAD_BINARY, "%s", parse.text);
}
