/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel properties for the host's queries: arguments, sizes, attributes. One pass over a kernel and all that
 * it calls, each function once, finds its local variables, samplers, barriers and the widest scope at which
 * it releases and acquires. Names and qualifiers of arguments come from the strings that clang leaves in the
 * module.
 */
#include <stdio.h>
#include <string.h>

#include "demangle.h"
#include "module.h"

void module_finish_entries(struct module *m);

static const char *scalar_name(const struct type *type)
{
    static const char *const names[] = {"",     "bool", "char",  "short", "int",
                                        "long", "half", "float", "double"};
    return names[type->scalar];
}

static struct type *pointee(struct module *m, uint32_t id)
{
    return module_type(m, m->words[m->def[m->type_of[id]] + 3]);
}

static const char *opaque_name(struct module *m, const struct type *type)
{
    const uint32_t *w = &m->words[m->def[type->id]];
    const char *name;
    switch (type->opcode) {
    case SpvOpTypeSampler: return "sampler_t";
    case SpvOpTypeImage:
        name = image_type_name(module_image_type(m, w));
        return w[4] == 1 ? arena_format(&m->arena, "%.*s_depth_t", (int)strlen(name) - 2, name) : name;
    case SpvOpTypeQueue: return "queue_t";
    default: return "event_t";
    }
}

/* "float4*": SPIR-V has no signs, so unsigned types look signed unless the module names them. */
static const char *derived_name(struct module *m, const struct type *type)
{
    switch (type->kind) {
    case TYPE_VECTOR: return arena_format(&m->arena, "%s%u", scalar_name(type->element), type->count);
    case TYPE_STRUCT: {
        const char *name = type->name ? type->name : "struct";
        return strncmp(name, "struct.", 7) ? name : name + 7;
    }
    case TYPE_ARRAY: return derived_name(m, type->element);
    case TYPE_OPAQUE: return opaque_name(m, type);
    default: return scalar_name(type);
    }
}

/* The i-th comma-separated word of the string "<prefix>.<kernel>.a,b,c,". */
static const char *listed(struct module *m, const char *prefix, const char *kernel, uint32_t index)
{
    size_t prefix_length = strlen(prefix), name_length = strlen(kernel);
    for (uint32_t word = 5; word < m->word_count; word += spv_length(m, word)) {
        uint32_t op = spv_opcode(m, word);
        if (op == SpvOpFunction)
            break;
        if (op != SpvOpString)
            continue;
        const char *text = module_string(m, word + 2);
        if (strncmp(text, prefix, prefix_length) || text[prefix_length] != '.' ||
            strncmp(text + prefix_length + 1, kernel, name_length) ||
            text[prefix_length + 1 + name_length] != '.')
            continue;
        text += prefix_length + name_length + 2;
        for (; index && *text; text++)
            index -= *text == ',';
        size_t length = strcspn(text, ",");
        return arena_format(&m->arena, "%.*s", (int)length, text);
    }
    return NULL;
}

/* An image without access qualifier is read_only. */
static void describe_image(struct module *m, const uint32_t *w, struct kernel_arg *arg)
{
    uint32_t access = w[0] >> 16 > 9 ? w[9] : SpvAccessQualifierReadOnly;
    arg->kind = ARG_IMAGE;
    arg->image_type = module_image_type(m, w);
    arg->image_depth = w[4] == 1;
    arg->read_only = access == SpvAccessQualifierReadOnly;
    arg->write_only = access == SpvAccessQualifierWriteOnly;
}

static void describe_arg(struct module *m, struct entry_point *e, const struct function *f, uint32_t i,
                         struct kernel_arg *arg)
{
    uint32_t id = f->params[i];
    const struct type *type = module_value_type(m, id), *value = type;
    arg->name = m->names[id] ? m->names[id] : "";
    arg->kind = ARG_VALUE;
    if (type->kind == TYPE_POINTER) {
        value = pointee(m, id);
        switch (type->storage) {
        case SpvStorageClassWorkgroup: arg->kind = ARG_LOCAL; break;
        case SpvStorageClassUniformConstant: arg->kind = ARG_CONSTANT; break;
        case SpvStorageClassCrossWorkgroup: arg->kind = ARG_GLOBAL; break;
        default: break;
        }
    }
    if (type->opcode == SpvOpTypeSampler)
        arg->kind = ARG_SAMPLER;
    if (type->opcode == SpvOpTypeQueue)
        arg->kind = ARG_QUEUE;
    if (type->opcode == SpvOpTypeImage)
        describe_image(m, &m->words[m->def[type->id]], arg);
    if (type->kind == TYPE_OPAQUE && type->opcode == SpvOpTypePipe) {
        uint32_t access = m->words[m->def[type->id] + 2];
        arg->kind = ARG_PIPE;
        arg->read_only = access == SpvAccessQualifierReadOnly;
        arg->write_only = access == SpvAccessQualifierWriteOnly;
    }
    bool by_value = type->kind == TYPE_POINTER && type->storage == SpvStorageClassFunction;
    arg->size = by_value ? value->size : type->size;
    arg->align = by_value ? value->align : type->align;
    arg->element_bytes = type->kind == TYPE_POINTER && !by_value ? value->size : 0;
    const char *types = listed(m, "kernel_arg_type", e->name, i),
               *qualifiers = listed(m, "kernel_arg_type_qual", e->name, i);
    const char *star = type->kind == TYPE_POINTER && !by_value ? "*" : "";
    arg->type_name = types ? types : arena_format(&m->arena, "%s%s", derived_name(m, value), star);
    arg->is_const = qualifiers ? strstr(qualifiers, "const") != NULL
                               : arg->kind == ARG_CONSTANT ||
                                     module_has_attribute(m, id, SpvFunctionParameterAttributeNoWrite);
    const struct decoration *most = module_decoration(m, id, SpvDecorationMaxByteOffset);
    arg->max_bytes = most ? m->words[most->word] : 0;
    arg->is_volatile =
        (qualifiers && strstr(qualifiers, "volatile")) || module_decoration(m, id, SpvDecorationVolatile);
    arg->is_restrict = (qualifiers && strstr(qualifiers, "restrict")) ||
                       module_has_attribute(m, id, SpvFunctionParameterAttributeNoAlias);
}

static void append(struct module *m, const char **text, const char *more)
{
    *text = **text ? arena_format(&m->arena, "%s %s", *text, more) : more;
}

static const char *vector_hint(struct module *m, uint32_t hint)
{
    static const char *const names[] = {"char", "short", "int", "long", "half", "float", "double"};
    uint32_t kind = hint & 0xffff, count = hint >> 16;
    return count > 1 ? arena_format(&m->arena, "vec_type_hint(%s%u)", names[kind % 7], count)
                     : arena_format(&m->arena, "vec_type_hint(%s)", names[kind % 7]);
}

static void read_modes(struct module *m, struct entry_point *e)
{
    struct kernel_info *info = &e->info;
    info->attributes = "";
    for (uint32_t word = 5; word < m->word_count && spv_opcode(m, word) != SpvOpFunction;
         word += spv_length(m, word)) {
        const uint32_t *w = &m->words[word];
        if (spv_opcode(m, word) != SpvOpExecutionMode || w[1] != e->function)
            continue;
        switch (w[2]) {
        case SpvExecutionModeLocalSize:
            memcpy(info->required_size, w + 3, sizeof info->required_size);
            append(m, &info->attributes,
                   arena_format(&m->arena, "reqd_work_group_size(%u,%u,%u)", w[3], w[4], w[5]));
            break;
        case SpvExecutionModeLocalSizeHint:
            memcpy(info->work_group_hint, w + 3, sizeof info->work_group_hint);
            append(m, &info->attributes,
                   arena_format(&m->arena, "work_group_size_hint(%u,%u,%u)", w[3], w[4], w[5]));
            break;
        case SpvExecutionModeVecTypeHint: append(m, &info->attributes, vector_hint(m, w[3])); break;
        case SpvExecutionModeSubgroupSize:
            info->required_sub_group_size = w[3];
            append(m, &info->attributes, arena_format(&m->arena, "intel_reqd_sub_group_size(%u)", w[3]));
            break;
        case SpvExecutionModeInitializer: info->initializer = true; break;
        case SpvExecutionModeFinalizer: info->finalizer = true; break;
        case SpvExecutionModeSubgroupsPerWorkgroup: info->required_sub_groups = w[3]; break;
        default: break;
        }
    }
}

/* The union over a kernel and everything that it calls; samplers by their properties. */
struct scan {
    uint32_t kernel; /* 1 + its index */
    uint32_t *seen;  /* id of a function, local variable or constant -> the last kernel that uses it */
    uint32_t *uses;  /* stack: functions and constants of which the local variables are not counted yet */
    uint32_t samplers;
};

/* Is it the first time in this kernel? */
static bool scan_first(struct scan *scan, uint32_t id)
{
    const bool first = scan->seen[id] != scan->kernel;
    scan->seen[id] = scan->kernel;
    return first;
}

static void scan_function(struct module *m, struct entry_point *e, const struct function *f,
                          struct scan *scan);

/* A program that calls an undefined function fails to build, not to run. */
static void scan_call(struct module *m, struct entry_point *e, uint32_t id, struct scan *scan)
{
    const struct function *callee = module_function(m, id);
    if (callee->block_count == 0) {
        const struct decoration *linkage = module_decoration(m, id, SpvDecorationLinkageAttributes);
        const char *name = linkage ? demangle(&m->arena, module_string(m, linkage->word)) : m->names[id];
        module_fail(m, STATUS_UNSUPPORTED, "kernel '%s' calls the undefined function '%s'", e->name,
                    name ? name : "?");
    }
    if (++m->nesting > 1000)
        module_fail(m, STATUS_UNSUPPORTED, "kernel '%s': calls are nested deeper than 1000", e->name);
    scan_function(m, e, callee, scan);
    m->nesting--;
}

static void scan_samplers(struct module *m, uint32_t word, struct scan *scan)
{
    uint32_t from, to; /* the words that may name one */
    switch (spv_opcode(m, word)) {
    case SpvOpStore: from = 2, to = 3; break;
    case SpvOpPhi: from = 3, to = spv_length(m, word); break;
    case SpvOpSelect:
    case SpvOpSampledImage:
    case SpvOpFunctionCall: from = 4, to = spv_length(m, word); break;
    default: return;
    }
    for (; from < to; from++) {
        const uint32_t id = m->words[word + from], definition = id < m->bound ? m->def[id] : 0;
        const uint32_t *w = &m->words[definition];
        if (definition && spv_opcode(m, definition) == SpvOpConstantSampler)
            scan->samplers |= 1u << ((w[3] & 7) | (w[4] & 1) << 3 | (w[5] & 1) << 4);
    }
}

/* A value that is no constant may be any value. */
static uint32_t constant_or(const struct module *m, uint32_t id, uint32_t otherwise)
{
    const uint32_t definition = id < m->bound ? m->def[id] : 0;
    const uint32_t op = definition ? spv_opcode(m, definition) : SpvOpNop;
    return op == SpvOpConstant ? m->words[definition + 3] : op == SpvOpConstantNull ? 0 : otherwise;
}

/* The word of an operation's scope, before that of its memory semantics; 0: it has none. */
static uint32_t scope_operand(uint32_t op)
{
    switch (op) {
    case SpvOpMemoryBarrier: return 1;
    case SpvOpControlBarrier:
    case SpvOpMemoryNamedBarrier:
    case SpvOpAtomicStore:
    case SpvOpAtomicFlagClear: return 2;
    case SpvOpAtomicFMinEXT:
    case SpvOpAtomicFMaxEXT:
    case SpvOpAtomicFAddEXT:
    case SpvOpAtomicFlagTestAndSet: return 4;
    default: return op >= SpvOpAtomicLoad && op <= SpvOpAtomicXor ? 4 : 0;
    }
}

static void widen(enum memory_scope *widest, enum memory_scope scope)
{
    *widest = *widest > scope ? *widest : scope;
}

/* Does the pointer of an atomic operation lead to local memory, judged by its own instruction and a cast? */
static bool is_local_pointer(struct module *m, uint32_t id)
{
    const uint32_t definition = id < m->bound ? m->def[id] : 0;
    if (definition && spv_opcode(m, definition) == SpvOpPtrCastToGeneric)
        id = m->words[definition + 3];
    const struct type *type = module_value_type(m, id);
    return type && type->kind == TYPE_POINTER && type->storage == SpvStorageClassWorkgroup;
}

static void scan_pointer(struct module *m, struct entry_point *e, uint32_t word)
{
    const uint32_t op = spv_opcode(m, word),
                   pointer = op == SpvOpAtomicStore || op == SpvOpAtomicFlagClear ? 1 : 3;
    const bool barrier =
        op == SpvOpMemoryBarrier || op == SpvOpControlBarrier || op == SpvOpMemoryNamedBarrier;
    if (barrier || is_local_pointer(m, m->words[word + pointer]))
        return;
    e->info.atomics = true;
    e->info.narrow |= constant_or(m, m->words[word + scope_operand(op)], SpvScopeWorkgroup) > SpvScopeDevice;
}

static void scan_order(struct module *m, struct entry_point *e, uint32_t word)
{
    static const enum memory_scope scopes[] = {SCOPE_ALL_SVM, SCOPE_DEVICE, SCOPE_WORK_GROUP, SCOPE_SUB_GROUP,
                                               SCOPE_WORK_ITEM};
    const uint32_t op = spv_opcode(m, word), at = scope_operand(op), *const w = &m->words[word];
    if (!at || at + 1 >= spv_length(m, word))
        return;
    const uint32_t spirv_scope = constant_or(m, w[at], SpvScopeCrossDevice),
                   any = SpvMemorySemanticsAcquireReleaseMask;
    const enum memory_scope scope =
        spirv_scope < sizeof scopes / sizeof *scopes ? scopes[spirv_scope] : SCOPE_ALL_SVM;
    scan_pointer(m, e, word);
    uint32_t semantics = constant_or(m, w[at + 1], any);
    if (op == SpvOpAtomicCompareExchange || op == SpvOpAtomicCompareExchangeWeak)
        semantics |= constant_or(m, w[at + 2], any);
    const uint32_t both = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsSequentiallyConsistentMask;
    if (semantics & (both | SpvMemorySemanticsReleaseMask) && op != SpvOpAtomicLoad)
        widen(&e->info.releases, scope);
    if (semantics & (both | SpvMemorySemanticsAcquireMask) && op != SpvOpAtomicStore &&
        op != SpvOpAtomicFlagClear)
        widen(&e->info.acquires, scope);
}

/* A stack and no recursion, for a module may make constants of constants without end. */
static void scan_locals(struct module *m, struct entry_point *e, uint32_t function, struct scan *scan)
{
    uint32_t depth = 0;
    scan->uses[depth++] = function;
    while (depth) {
        uint32_t next = m->first_local_use[scan->uses[--depth]];
        while (next) {
            const struct local_use *use = &m->local_uses.at[next - 1];
            next = use->next;
            if (!scan_first(scan, use->used))
                continue;
            const struct variable *v = module_variable(m, use->used);
            e->info.local_bytes += v ? v->type->size : 0;
            scan->uses[depth++] = use->used;
        }
    }
}

/* Local variables, samplers, barriers and how far it releases and acquires: of everything the kernel
 * calls. */
static void scan_function(struct module *m, struct entry_point *e, const struct function *f,
                          struct scan *scan)
{
    if (!scan_first(scan, f->id))
        return;
    for (uint32_t i = 0; i < f->block_count; i++)
        for (uint32_t word = f->blocks[i].first; word < f->blocks[i].last; word += spv_length(m, word)) {
            uint32_t op = spv_opcode(m, word);
            const uint32_t *w = &m->words[word];
            if (op == SpvOpFunctionCall && w[3] < m->bound && m->function_index[w[3]])
                scan_call(m, e, w[3], scan);
            scan_samplers(m, word, scan);
            scan_order(m, e, word);
            e->info.enqueues |= op == SpvOpEnqueueKernel;
        }
    scan_locals(m, e, f->id, scan);
}

/* ---- blocks ------------------------------------------------------------------------- */

/* Translators declare a block's function as an entry point besides; no host could pass its argument. */
static bool is_block_entry(struct module *m, const struct entry_point *e)
{
    const struct function *f = module_function(m, e->function);
    const struct type *first = f->param_count ? module_value_type(m, f->params[0]) : NULL;
    return first && first->kind == TYPE_POINTER && first->storage == SpvStorageClassGeneric;
}

static void drop_block_entries(struct module *m)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->entries.count; i++)
        if (!is_block_entry(m, &m->entries.at[i]))
            m->entries.at[kept++] = m->entries.at[i];
    m->entries.count = kept;
}

/* Clang's "__parent_block_invoke_2_kernel" is the second block of parent: "parent_block_2". */
static const char *block_name(struct module *m, uint32_t function_id)
{
    static const char mark[] = "_block_invoke", tail[] = "_kernel";
    const char *name = m->names[function_id], *at = name ? strstr(name, mark) : NULL;
    if (!at || strncmp(name, "__", 2))
        return name ? name : "block";
    const char *rest = at + strlen(mark);
    size_t length = strlen(rest);
    if (length >= strlen(tail) && !strcmp(rest + length - strlen(tail), tail))
        length -= strlen(tail);
    return arena_format(&m->arena, "%.*s_block%.*s", (int)(at - name - 2), name + 2, (int)length, rest);
}

/* The operand of an instruction that names a block's function; 0: none. */
static uint32_t invoke_operand(uint32_t op)
{
    switch (op) {
    case SpvOpEnqueueKernel: return 9;
    case SpvOpGetKernelNDrangeSubGroupCount:
    case SpvOpGetKernelNDrangeMaxSubGroupSize:
    case SpvOpGetKernelLocalSizeForSubgroupCount: return 4;
    case SpvOpGetKernelWorkGroupSize:
    case SpvOpGetKernelPreferredWorkGroupSizeMultiple:
    case SpvOpGetKernelMaxNumSubgroups: return 3;
    default: return 0;
    }
}

uint32_t module_block(struct module *m, uint32_t function_id)
{
    for (uint32_t i = 0; i < m->entries.count; i++)
        if (m->entries.at[i].function == function_id && m->entries.at[i].info.block)
            return i;
    struct entry_point *e = list_push(&m->arena, &m->entries);
    *e =
        (struct entry_point){.function = function_id, .name = block_name(m, function_id), .info.block = true};
    return m->entries.count - 1;
}

static void find_blocks(struct module *m)
{
    for (uint32_t i = 0; i < m->functions.count; i++)
        for (uint32_t k = 0; k < m->functions.at[i].block_count; k++) {
            const struct block_range *range = &m->functions.at[i].blocks[k];
            for (uint32_t word = range->first; word < range->last; word += spv_length(m, word)) {
                uint32_t at = invoke_operand(spv_opcode(m, word));
                if (at)
                    module_block(m, m->words[word + at]);
            }
        }
}

/* Kernels that atomics may order without the host, or whose atomics may race by their scopes. */
static void find_launch_trees(struct module *m)
{
    bool some = false;
    for (uint32_t i = 0; i < m->entries.count; i++) {
        const struct kernel_info *info = &m->entries.at[i].info;
        const bool related = info->enqueues || info->block;
        some |= related && (info->releases >= SCOPE_DEVICE || info->acquires >= SCOPE_DEVICE || info->narrow);
    }
    for (uint32_t i = 0; i < m->entries.count; i++) {
        struct kernel_info *info = &m->entries.at[i].info;
        info->in_launch_tree = some && (info->enqueues || info->block);
    }
}

void module_finish_entries(struct module *m)
{
    drop_block_entries(m);
    find_blocks(m);
    struct scan scan = {.seen = ARENA_ARRAY(&m->work, uint32_t, m->bound),
                        .uses = ARENA_ARRAY(&m->work, uint32_t, m->bound)};
    for (uint32_t i = 0; i < m->entries.count; i++) {
        struct entry_point *e = &m->entries.at[i];
        const struct function *f = module_function(m, e->function);
        struct kernel_arg *args = ARENA_ARRAY(&m->arena, struct kernel_arg, f->param_count + 1);
        e->info.name = e->name;
        e->info.args = args;
        e->info.arg_count = f->param_count;
        for (uint32_t k = 0; k < f->param_count; k++)
            describe_arg(m, e, f, k, &args[k]);
        read_modes(m, e);
        scan.kernel = i + 1;
        scan.samplers = 0;
        scan_function(m, e, f, &scan);
        e->info.constant_samplers = (uint32_t)__builtin_popcount(scan.samplers);
    }
    find_launch_trees(m);
}
