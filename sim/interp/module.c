/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a validated module: one pass over the words fills tables by id. */
#define SPV_ENABLE_UTILITY_CODE
#include "demangle.h"
#include "ir.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spirv_ops.h"
#include "verify.h"

extern void SpvHasResultAndType(SpvOp opcode, bool *has_result, bool *has_type); /* emitted here once */

enum { DECORATIONS_MAX = 1 << 20 };

_Noreturn void module_fail(struct module *module, enum status status, const char *format, ...)
{
    char text[800];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    module->fail_status = diagnose(module->diagnosis, status, "%s", text);
    longjmp(*module->fail, 1);
}

/* ---- decorations and names -------------------------------------------------- */

const char *module_string(const struct module *module, uint32_t word)
{
    return (const char *)&module->words[word];
}

const struct decoration *module_decoration(const struct module *module, uint32_t id, uint32_t kind)
{
    for (uint32_t i = module->first_decoration[id]; i; i = module->decorations.at[i - 1].next)
        if (module->decorations.at[i - 1].kind == kind && module->decorations.at[i - 1].member < 0)
            return &module->decorations.at[i - 1];
    return NULL;
}

bool module_has_attribute(const struct module *module, uint32_t id, uint32_t attribute)
{
    for (uint32_t d = module->first_decoration[id]; d; d = module->decorations.at[d - 1].next)
        if (module->decorations.at[d - 1].kind == SpvDecorationFuncParamAttr &&
            module->words[module->decorations.at[d - 1].word] == attribute)
            return true;
    return false;
}

static void add_decoration(struct module *m, uint32_t id, uint32_t kind, uint32_t word, uint32_t count,
                           int32_t member)
{
    if (m->decorations.count >= DECORATIONS_MAX)
        module_fail(m, STATUS_UNSUPPORTED, "the module has more than %d decorations", DECORATIONS_MAX);
    struct decoration *d = list_push(&m->arena, &m->decorations);
    *d = (struct decoration){m->first_decoration[id], kind, word, count, member};
    m->first_decoration[id] = m->decorations.count;
}

/* ---- functions, variables, entry points ------------------------------------------ */

struct variable *module_variable(struct module *m, uint32_t id)
{
    return id < m->bound && m->variable_index[id] ? &m->variables.at[m->variable_index[id] - 1] : NULL;
}

struct function *module_function(struct module *m, uint32_t id)
{
    if (id >= m->bound || !m->function_index[id])
        module_fail(m, STATUS_BAD_BINARY, "id %u is not a function", id);
    return &m->functions.at[m->function_index[id] - 1];
}

static bool is_terminator(uint32_t op)
{
    return (op >= SpvOpBranch && op <= SpvOpUnreachable);
}

static uint32_t read_function(struct module *m, uint32_t word)
{
    struct function *f = list_push(&m->arena, &m->functions);
    LIST(uint32_t) params = {0};
    LIST(struct block_range) blocks = {0};
    f->id = m->words[word + 2];
    f->word = word;
    m->function_index[f->id] = m->functions.count;
    for (word += spv_length(m, word); word < m->word_count; word += spv_length(m, word)) {
        uint32_t op = spv_opcode(m, word);
        if (op == SpvOpFunctionParameter)
            *list_push(&m->arena, &params) = m->words[word + 2];
        else if (op == SpvOpLabel)
            *list_push(&m->arena, &blocks) = (struct block_range){m->words[word + 1], word, 0};
        else if (is_terminator(op) && blocks.count)
            blocks.at[blocks.count - 1].last = word + spv_length(m, word);
        else if (op == SpvOpFunctionEnd)
            break;
        if (!spirv_op_supported(op))
            module_fail(m, STATUS_UNSUPPORTED, "unsupported %s at word %u", spirv_op_name(op), word);
    }
    f->params = params.at;
    f->param_count = params.count;
    f->blocks = blocks.at;
    f->block_count = blocks.count;
    return word;
}

static void read_variable(struct module *m, uint32_t word)
{
    struct variable *v = list_push(&m->arena, &m->variables);
    memset(v, 0, sizeof *v);
    v->id = m->words[word + 2];
    v->storage = m->words[word + 3];
    v->initializer = spv_length(m, word) > 4 ? m->words[word + 4] : 0;
    m->variable_index[v->id] = m->variables.count;
}

/* Names, decorations and definitions of one instruction. */
static uint32_t read_instruction(struct module *m, uint32_t word)
{
    const uint32_t *w = &m->words[word];
    uint32_t op = spv_opcode(m, word), n = spv_length(m, word);
    switch (op) {
    case SpvOpName: m->names[w[1]] = demangle(&m->arena, module_string(m, word + 2)); break;
    case SpvOpModuleProcessed: debug_take_records(m, module_string(m, word + 1)); break;
    case SpvOpSourceExtension:
        m->by_components |= !strcmp(module_string(m, word + 1), MODULE_COMPONENTS);
        break;
    case SpvOpExtInstImport:
        if (!strcmp(module_string(m, word + 2), "OpenCL.std"))
            m->opencl_std = w[1];
        else
            debug_note_set(m, w[1], module_string(m, word + 2));
        break;
    case SpvOpMemoryModel:
        if (w[1] == SpvAddressingModelPhysical32) /* CL_DEVICE_ADDRESS_BITS is 64 */
            module_fail(
                m, STATUS_UNSUPPORTED,
                "addressing model Physical32 at word %u is not supported: the device has 64-bit addresses; "
                "translate the program for spir64 (Physical64)",
                word);
        break;
    case SpvOpDecorate:
    case SpvOpDecorateString: add_decoration(m, w[1], w[2], word + 3, n - 3, -1); break;
    case SpvOpMemberDecorate:
    case SpvOpMemberDecorateString: add_decoration(m, w[1], w[3], word + 4, n - 4, (int32_t)w[2]); break;
    case SpvOpGroupDecorate:
        for (uint32_t i = 2; i < n; i++)
            for (uint32_t d = m->first_decoration[w[1]]; d; d = m->decorations.at[d - 1].next) {
                struct decoration copy = m->decorations.at[d - 1];
                add_decoration(m, w[i], copy.kind, copy.word, copy.word_count, copy.member);
            }
        break;
    case SpvOpEntryPoint:
        if (w[1] == SpvExecutionModelKernel) {
            struct entry_point *e = list_push(&m->arena, &m->entries);
            memset(e, 0, sizeof *e);
            e->function = w[2];
            e->name = module_string(m, word + 3);
        }
        break;
    case SpvOpVariable: read_variable(m, word); break;
    case SpvOpFunction: return read_function(m, word);
    default:
        if (!spirv_op_supported(op))
            module_fail(m, STATUS_UNSUPPORTED, "unsupported %s at word %u", spirv_op_name(op), word);
    }
    return word;
}

static void record_results(struct module *m)
{
    for (uint32_t word = 5; word < m->word_count; word += spv_length(m, word)) {
        uint32_t op = spv_opcode(m, word), n = spv_length(m, word);
        if (n == 0 || word + n > m->word_count)
            module_fail(m, STATUS_BAD_BINARY, "instruction at word %u has a bad length", word);
        bool result, type;
        SpvHasResultAndType((SpvOp)op, &result, &type);
        uint32_t at = word + 1 + type;
        if (!result)
            continue;
        if (n < 2u + type || m->words[at] == 0 || m->words[at] >= m->bound)
            module_fail(m, STATUS_BAD_BINARY, "%s at word %u has a bad result id", spirv_op_name(op), word);
        m->def[m->words[at]] = word;
        if (type)
            m->type_of[m->words[at]] = m->words[word + 1];
    }
}

static void check_header(struct module *m)
{
    if (m->word_count < 5)
        module_fail(m, STATUS_BAD_BINARY, "%zu words are too few for a SPIR-V module", m->word_count);
    if (m->words[0] == 0x03022307)
        for (size_t i = 0; i < m->word_count; i++)
            m->words[i] = __builtin_bswap32(m->words[i]);
    if (m->words[0] != SpvMagicNumber)
        module_fail(m, STATUS_BAD_BINARY, "bad magic number 0x%08x at word 0, expected 0x%08x", m->words[0],
                    SpvMagicNumber);
    m->bound = m->words[3];
    if (m->bound == 0 || m->bound > m->word_count * 4)
        module_fail(m, STATUS_BAD_BINARY, "bad id bound %u at word 3", m->bound);
}

/* Large arrays of zeros need no list of their scalars. */
static bool is_null(const struct module *m, uint32_t id)
{
    return spv_opcode(m, m->def[id]) == SpvOpConstantNull;
}

uint32_t module_align(struct module *m, uint32_t id, const struct type *type)
{
    const struct decoration *d = module_decoration(m, id, SpvDecorationAlignment);
    uint32_t align = d ? m->words[d->word] : 0;
    if (align & (align - 1) || align > 65536)
        module_fail(m, STATUS_BAD_BINARY, "%s at word %u is aligned to %u bytes",
                    spirv_op_name(spv_opcode(m, m->def[id])), m->def[id], align);
    return align > type->align ? align : type->align;
}

static void finish_variables(struct module *m)
{
    m->bindable = ARENA_ARRAY(&m->arena, uint32_t, m->variables.count + 1);
    for (uint32_t i = 0; i < m->variables.count; i++) {
        struct variable *v = &m->variables.at[i];
        const struct decoration *builtin = module_decoration(m, v->id, SpvDecorationBuiltIn);
        const struct type *pointer = module_value_type(m, v->id);
        if (pointer->kind != TYPE_POINTER || pointer->storage != v->storage)
            module_fail(m, STATUS_BAD_BINARY, "OpVariable at word %u is not of its pointer type",
                        m->def[v->id]);
        v->type = module_part_type(m, m->words[m->def[pointer->id] + 3], m->def[v->id]);
        if (v->initializer && !is_null(m, v->initializer) &&
            module_constant(m, v->initializer)->count != v->type->leaves)
            module_fail(m, STATUS_BAD_BINARY, "OpVariable at word %u has an initialiser of another type",
                        m->def[v->id]);
        v->builtin = builtin ? (int32_t)m->words[builtin->word] : -1;
        bool constant = v->storage == SpvStorageClassUniformConstant;
        v->info = (struct module_variable){m->names[v->id] ? m->names[v->id] : "", v->type->size,
                                           module_align(m, v->id, v->type), constant};
        if (v->builtin < 0 && (constant || v->storage == SpvStorageClassCrossWorkgroup))
            m->bindable[m->bindable_count++] = i;
    }
}

void module_finish_entries(struct module *m); /* kernel_info.c */

static void read_module(struct module *m)
{
    check_header(m);
    struct arena *a = &m->arena;
    m->def = ARENA_ARRAY(a, uint32_t, m->bound);
    m->type_of = ARENA_ARRAY(a, uint32_t, m->bound);
    m->types = ARENA_ARRAY(a, struct type *, m->bound);
    m->debug_types = ARENA_ARRAY(a, struct debug_type *, m->bound);
    m->constants = ARENA_ARRAY(a, struct constant *, m->bound);
    m->names = ARENA_ARRAY(a, const char *, m->bound);
    m->first_decoration = ARENA_ARRAY(a, uint32_t, m->bound);
    m->function_index = ARENA_ARRAY(a, uint32_t, m->bound);
    m->variable_index = ARENA_ARRAY(a, uint32_t, m->bound);
    m->address_bits = 64;
    record_results(m);
    verify_grammar(m);
    for (uint32_t word = 5; word < m->word_count; word += spv_length(m, word))
        word = read_instruction(m, word);
    debug_read_records(m);
    for (uint32_t i = 0; i < m->functions.count; i++) {
        struct function *f = &m->functions.at[i];
        f->type = module_type(m, m->words[f->word + 4]);
    }
    finish_variables(m);
    verify_functions(m);
    module_finish_entries(m);
}

/* A kernel that cannot be lowered is an error of the build, not of the first launch. */
static void try_lowering(struct module *m)
{
    for (uint32_t i = 0; i < m->entries.count; i++) {
        lower_kernel(m, &m->entries.at[i], &(struct code_request){0});
        arena_free(&m->work);
    }
}

enum status interp_module_new(const uint32_t *words, size_t word_count, const struct spec_constant *constants,
                              size_t constant_count, struct module **out_module, struct diagnosis *diagnosis)
{
    struct module *m = calloc(1, sizeof *m);
    if (!m)
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "no memory for a module");
    jmp_buf fail;
    pthread_mutex_init(&m->lock, NULL);
    m->fail = &fail;
    m->arena.out_of_memory = m->work.out_of_memory = &fail;
    m->fail_status = STATUS_OUT_OF_MEMORY;
    m->diagnosis = diagnosis;
    if (setjmp(fail)) {
        enum status status = m->fail_status;
        interp_module_free(m);
        return diagnose(diagnosis, status, "%s", status_name(status));
    }
    m->words = ARENA_ARRAY(&m->arena, uint32_t, word_count + 1);
    memcpy(m->words, words, word_count * 4);
    m->word_count = word_count;
    module_specialise(m->words, word_count, constants, constant_count);
    read_module(m);
    try_lowering(m);
    m->diagnosis = NULL;
    m->fail = m->arena.out_of_memory = NULL;
    *out_module = m;
    return STATUS_OK;
}

void interp_module_free(struct module *m)
{
    pthread_mutex_destroy(&m->lock);
    arena_free(&m->work);
    arena_free(&m->arena);
    free(m);
}

/* The result follows the type, if there is one. */
const char *interp_instruction(const struct module *m, uint32_t word, uint32_t *out_result)
{
    *out_result = 0;
    if (word < 5 || word >= m->word_count || word + spv_length(m, word) > m->word_count)
        return NULL;
    const uint32_t op = spv_opcode(m, word);
    bool result, type;
    SpvHasResultAndType((SpvOp)op, &result, &type);
    if (result && spv_length(m, word) > 1u + type)
        *out_result = m->words[word + 1 + type];
    return spirv_op(op)->name;
}

const uint32_t *interp_module_words(const struct module *m, size_t *out_count)
{
    *out_count = m->word_count;
    return m->words;
}

/* ---- variables and their initial bytes -------------------------------------------- */

size_t interp_variable_count(const struct module *m)
{
    return m->bindable_count;
}

const struct module_variable *interp_variable(const struct module *m, size_t index)
{
    return &m->variables.at[m->bindable[index]].info;
}

static void constant_bytes(struct module *m, const struct type *type, const struct leaf **leaf, uint8_t *out)
{
    if (type->kind == TYPE_STRUCT || type->kind == TYPE_ARRAY || type->kind == TYPE_VECTOR) {
        for (uint32_t i = 0; i < type->count; i++)
            constant_bytes(m, type_part(type, i), leaf, out + type_part_offset(type, i));
        return;
    }
    uint64_t bits = (*leaf)->bits;
    if ((*leaf)->variable)
        bits += module_variable(m, (*leaf)->variable)->address;
    memcpy(out, &bits, type->size);
    (*leaf)++;
}

enum status interp_module_bind(struct module *m, const uint64_t *addresses, interp_write *write, void *self)
{
    jmp_buf fail;
    m->fail = m->arena.out_of_memory = &fail;
    if (setjmp(fail))
        return STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < m->bindable_count; i++)
        m->variables.at[m->bindable[i]].address = addresses[i];
    for (uint32_t i = 0; i < m->bindable_count; i++) {
        struct variable *v = &m->variables.at[m->bindable[i]];
        uint8_t *bytes = arena_alloc(&m->arena, v->type->size);
        if (v->initializer && !is_null(m, v->initializer)) {
            const struct leaf *leaf = module_constant(m, v->initializer)->leaves;
            constant_bytes(m, v->type, &leaf, bytes);
        }
        /* Program-scope variables without an initialiser are zero (OpenCL C 6.7.1). */
        write(self, v->address, bytes, v->type->size, true);
    }
    m->fail = m->arena.out_of_memory = NULL;
    return STATUS_OK;
}
