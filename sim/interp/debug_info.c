/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines and variables for a debugger. As a kernel is lowered with code_request.debug, an IR_line stands
 * where a line of the source begins in a block, and after each call; debug records say which private
 * variable is which variable of the source. Once variables have their places, debug_describe() writes them
 * down, with their types. A module without records has lines only.
 *
 * The records are those of OpenCL.DebugInfo.100, as sim/frontend/debug_records.c or debug_sets.c keeps
 * them. A record's operands begin at word 5. Lines are literals there; sizes and counts are ids of
 * constants, sizes in bits.
 */
#include <spirv/unified1/OpenCLDebugInfo100.h>
#include <string.h>

#include "debug_info.h"
#include "lower.h"
#include "orrery/compiler.h"

enum { RECORD_HEAD = 5, HEX = 8 };
/* Instructions of NonSemantic.Shader.DebugInfo that OpenCL.DebugInfo.100 lacks. */
enum { DEBUG_LINE = 103, DEBUG_NO_LINE = 104 };

static bool hex_word(const char *text, uint32_t *out)
{
    uint32_t word = 0;
    for (int i = 0; i < HEX; i++) {
        const char c = text[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
        word = word << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *out = word;
    return true;
}

/* The first word stays free: index 0 is no record. A module that only looks as if it had records has no use
 * of them. */
void debug_take_records(struct module *m, const char *text)
{
    const size_t prefix = strlen(DEBUG_RECORDS_PREFIX);
    if (strncmp(text, DEBUG_RECORDS_PREFIX, prefix))
        return;
    const uint32_t more = (uint32_t)(strlen(text + prefix) / HEX),
                   before = m->record_words ? m->record_words : 1;
    uint32_t *records = ARENA_ARRAY(&m->arena, uint32_t, before + more + 1);
    if (m->records)
        memcpy(records, m->records, before * sizeof *records);
    for (uint32_t i = 0; i < more; i++)
        if (!hex_word(text + prefix + (size_t)i * HEX, &records[before + i]))
            return;
    m->records = records;
    m->record_words = before + more;
}

/* Past the last: 0. A record whose length cannot be ends the list. */
static uint32_t next_record(const struct module *m, uint32_t at)
{
    const uint32_t next = at ? at + (m->records[at] >> 16) : 1;
    if (!m->record_words || next + RECORD_HEAD > m->record_words)
        return 0;
    const uint32_t length = m->records[next] >> 16;
    return length >= RECORD_HEAD && length <= m->record_words - next ? next : 0;
}

static void index_records(struct module *m)
{
    if (m->record_of)
        return;
    m->record_of = ARENA_ARRAY(&m->arena, uint32_t, m->bound);
    for (uint32_t at = next_record(m, 0); at; at = next_record(m, at))
        if (m->records[at + 2] < m->bound)
            m->record_of[m->records[at + 2]] = at;
    m->record_of[0] = 0; /* our own have no id */
}

const uint32_t *debug_record(struct module *m, uint32_t id, uint32_t length)
{
    index_records(m);
    const uint32_t at = id < m->bound ? m->record_of[id] : 0;
    return at && m->records[at] >> 16 >= length ? &m->records[at] : NULL;
}

/* ---- scopes ---------------------------------------------------------------------------------- */

/* Index of a scope; 0: the program's, or none. Parents come first. */
static uint32_t scope_of(struct ir *ir, uint32_t id, uint32_t depth)
{
    const uint32_t *w = debug_record(ir->module, id, 6);
    struct debug_scope scope = {0};
    if (w && w[4] == OpenCLDebugInfo100DebugTypeTemplate && depth <= SCOPES_NESTED)
        return scope_of(ir, w[5], depth + 1);
    w = debug_record(ir->module, id, 8);
    if (!w || depth > SCOPES_NESTED)
        return 0;
    if (ir->scope_index[id])
        return ir->scope_index[id];
    const uint32_t length = w[0] >> 16;
    if (w[4] == OpenCLDebugInfo100DebugFunction && length > 10)
        scope = (struct debug_scope){scope_of(ir, w[10], depth + 1), w[8]};
    else if (w[4] == OpenCLDebugInfo100DebugLexicalBlock && length > 8)
        scope = (struct debug_scope){scope_of(ir, w[8], depth + 1), w[6]};
    else if (w[4] == OpenCLDebugInfo100DebugLexicalBlockDiscriminator)
        return scope_of(ir, w[7], depth + 1);
    else
        return 0;
    *list_push(ir->arena, &ir->scopes) = scope;
    return ir->scope_index[id] = ir->scopes.count - 1;
}

uint32_t debug_scope_of(struct ir *ir, uint32_t id)
{
    return scope_of(ir, id, 0);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool is_first(const struct ir *ir, const struct code_line *line)
{
    for (uint32_t i = ir->lines.count; i-- > 0;) {
        const struct code_line *other = &ir->lines.at[i];
        if (other->call == line->call && other->line == line->line && other->file == line->file)
            return false;
    }
    return true;
}

static void note_line(struct lower *l, bool returned)
{
    const struct code_line line = {.file = l->file,
                                   .line = l->line,
                                   .column = l->column,
                                   .call = debug_call(l),
                                   .scope = l->scope,
                                   .returned = returned};
    const bool needs_scope = l->m->record_words && !l->m->debug_set;
    if (!l->line || (needs_scope && !l->scope))
        return;
    const uint32_t v = ir_new_value(l->ir, IR_line, T_NONE);
    ir_value(l->ir, v)->imm = l->ir->lines.count;
    ir_value(l->ir, v)->word = 0; /* it carries out no instruction */
    ir_append(l->ir, l->block, v);
    const bool first = is_first(l->ir, &line);
    *list_push(l->arena, &l->ir->lines) = line;
    l->ir->lines.at[l->ir->lines.count - 1].returned |= l->left && !first;
    l->ir->lines.at[l->ir->lines.count - 1].first = !returned && first;
    l->line_noted = true;
    l->left = false;
}

void debug_returned(struct lower *l)
{
    if (l->ir->debug)
        note_line(l, true);
}

/* A line of another call begins, even if it has the same number. */
static void enter_scope(struct lower *l, uint32_t scope, uint32_t site)
{
    const uint32_t inlined = site ? debug_inlined_call(l, scope, site) : 0, before = debug_call(l);
    l->line_noted &= l->inlined == inlined;
    l->inlined = inlined;
    l->left |= debug_is_caller(l, debug_call(l), before);
    l->scope = scope_of(l->ir, scope, 0);
}

/* The scope of a position in a function; the table is in the order of the code, so the search begins where
 * the last one ended. */
void debug_line(struct lower *l, const uint32_t *w)
{
    const uint32_t function = lower_function_id(l);
    for (uint32_t at = next_record(l->m, l->position), wrapped = 0; wrapped < 2; at = next_record(l->m, at)) {
        if (!at) {
            wrapped++;
            continue;
        }
        const uint32_t *r = &l->m->records[at];
        const bool is_position = r[4] == DEBUG_RECORD_POSITION && r[0] >> 16 >= 10 && r[5] == function;
        if (!is_position || memcmp(r + 6, w + 1, 3 * sizeof *w) != 0) /* file, line, column */
            continue;
        l->position = at;
        enter_scope(l, r[9], r[0] >> 16 > 10 ? r[10] : 0);
        return;
    }
    l->scope = l->inlined = 0;
}

void debug_declare(struct lower *l, uint32_t variable, uint32_t address)
{
    if (address < l->m->bound && l->leaf[address])
        *list_push(l->arena, &l->ir->declared) =
            (struct declared){.address = l->leaf[address][0], .variable = variable, .call = debug_call(l)};
}

void debug_variables(struct lower *l, uint32_t function)
{
    for (uint32_t at = next_record(l->m, 0); at; at = next_record(l->m, at)) {
        const uint32_t *r = &l->m->records[at];
        if (r[4] != DEBUG_RECORD_VARIABLE || r[0] >> 16 <= 7 || r[5] != function)
            continue;
        l->inlined = r[0] >> 16 > 9 && r[9] ? debug_inlined_call(l, r[8], r[9]) : 0;
        debug_declare(l, r[7], r[6]);
    }
    l->inlined = 0;
}

/* Variables are declared, phis chosen and lines set before a line executes. */
static bool is_preparation(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpVariable:
    case SpvOpPhi:
    case SpvOpUndef:
    case SpvOpLabel:
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop: return true;
    default: return false;
    }
}

static bool is_debug_record(const struct module *m, uint32_t word)
{
    return spv_opcode(m, word) == SpvOpExtInst && m->debug_set && m->words[word + 3] == m->debug_set;
}

void debug_instruction(struct lower *l, uint32_t word)
{
    if (!l->line_noted && !is_preparation(spv_opcode(l->m, word)) && !is_debug_record(l->m, word))
        note_line(l, false);
}

/* DebugLine has ids: source, first and last line, first and last column. */
static void take_debug_line(struct lower *l, const uint32_t *w)
{
    const uint32_t *source = debug_record(l->m, w[5], 6);
    if (source && source[4] == OpenCLDebugInfo100DebugSource)
        lower_line(l, source[5], debug_constant(l->m, w[6]), debug_constant(l->m, w[8]));
}

/* Lines count without a debugger, too: findings name them. Scopes and variables do not. */
void debug_extended(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word], length = spv_length(l->m, word);
    if (l->m->debug_ids && w[4] == DEBUG_LINE && length > 8)
        take_debug_line(l, w);
    else if (l->m->debug_ids && w[4] == DEBUG_NO_LINE)
        lower_no_line(l);
    if (!l->ir->debug)
        return;
    if (w[4] == OpenCLDebugInfo100DebugScope && length > 5)
        enter_scope(l, w[5], length > 6 ? w[6] : 0);
    else if (w[4] == OpenCLDebugInfo100DebugNoScope)
        l->scope = l->inlined = 0;
    else if (w[4] == OpenCLDebugInfo100DebugDeclare && length > 6)
        debug_declare(l, w[5], w[6]);
    else if (w[4] == OpenCLDebugInfo100DebugValue && length > 7)
        debug_take_value(l, w, length);
}

/* ---- types ----------------------------------------------------------------------------------- */

static const struct debug_type type_unknown = {.kind = DEBUG_VOID, .name = "void"};

const char *debug_text(const struct module *m, uint32_t id)
{
    const uint32_t word = id < m->bound ? m->def[id] : 0;
    const char *text = word && spv_opcode(m, word) == SpvOpString ? module_string(m, word + 2) : "";
    return *text ? text : NULL;
}

static bool number_of(const struct module *m, uint32_t id, uint64_t *out_number)
{
    const uint32_t word = id < m->bound ? m->def[id] : 0;
    if (!word || spv_opcode(m, word) != SpvOpConstant || spv_length(m, word) < 4)
        return false;
    *out_number = m->words[word + 3];
    if (spv_length(m, word) > 4)
        *out_number |= (uint64_t)m->words[word + 4] << 32;
    return true;
}

static uint64_t bytes_of(const struct module *m, uint32_t id)
{
    uint64_t bits = 0;
    number_of(m, id, &bits);
    return (bits + 7) / 8;
}

static void take_basic(struct module *m, const uint32_t *w, struct debug_type *type)
{
    static const enum debug_kind kinds[] = {DEBUG_UNSIGNED, DEBUG_UNSIGNED, DEBUG_BOOL,     DEBUG_FLOAT,
                                            DEBUG_INTEGER,  DEBUG_INTEGER,  DEBUG_UNSIGNED, DEBUG_UNSIGNED};
    type->kind = kinds[w[7] & 7];
    type->name = debug_text(m, w[5]);
    type->size = bytes_of(m, w[6]);
}

/* Of several dimensions, one array in another: the last count is the innermost's. */
static void take_array(struct module *m, const uint32_t *w, struct debug_type *type)
{
    const struct debug_type *element = debug_type_of(m, w[5]);
    uint32_t dimensions = 0;
    uint64_t count;
    while (6 + dimensions < w[0] >> 16 && number_of(m, w[6 + dimensions], &count))
        dimensions++;
    for (uint32_t d = dimensions; d-- > 0;) {
        struct debug_type *array = d ? ARENA_NEW(&m->arena, struct debug_type) : type;
        number_of(m, w[6 + d], &count);
        *array = (struct debug_type){
            .kind = DEBUG_ARRAY, .element = element, .count = count, .size = count * element->size};
        element = array;
    }
}

static void take_vector(struct module *m, const uint32_t *w, struct debug_type *type)
{
    type->kind = DEBUG_VECTOR;
    type->element = debug_type_of(m, w[5]);
    type->count = w[6];
    type->size = type->element->size * (w[6] == 3 ? 4 : w[6]);
}

/* More inherited members than that are left out: a class may inherit many of one base. */
enum { INHERITED_MOST = 4096 };

/* The base class that a member stands for; NULL: it is an ordinary one, or no class. */
static const struct debug_type *base_class(struct module *m, uint32_t id)
{
    const uint32_t *base = debug_record(m, id, 9);
    const struct debug_type *type =
        base && base[4] == OpenCLDebugInfo100DebugTypeInheritance ? debug_type_of(m, base[6]) : NULL;
    return type && type->member_count <= INHERITED_MOST ? type : NULL;
}

/* Members of a base class are named as the class's own. */
static void add_inherited(struct module *m, uint32_t id, struct debug_type *type,
                          struct debug_member *members)
{
    const struct debug_type *base = base_class(m, id);
    const uint64_t offset = base ? bytes_of(m, debug_record(m, id, 9)[7]) : 0;
    for (uint32_t i = 0; base && i < base->member_count; i++) {
        members[type->member_count] = base->members[i];
        members[type->member_count++].offset += offset;
    }
}

static void take_composite(struct module *m, const uint32_t *w, struct debug_type *type)
{
    const uint32_t length = w[0] >> 16;
    uint32_t room = length;
    for (uint32_t i = 14; i < length; i++) {
        const struct debug_type *base = base_class(m, w[i]);
        room += base ? base->member_count : 0;
    }
    struct debug_member *members = ARENA_ARRAY(&m->arena, struct debug_member, room);
    type->kind = w[6] == OpenCLDebugInfo100Union ? DEBUG_UNION : DEBUG_STRUCT;
    type->name = debug_text(m, w[5]);
    type->size = length > 12 ? bytes_of(m, w[12]) : 0;
    type->members = members;
    for (uint32_t i = 14; i < length; i++) {
        const uint32_t *member = debug_record(m, w[i], 12);
        add_inherited(m, w[i], type, members);
        if (member && member[4] == OpenCLDebugInfo100DebugTypeMember)
            members[type->member_count++] = (struct debug_member){
                debug_text(m, member[5]), debug_type_of(m, member[6]), bytes_of(m, member[11])};
    }
}

static void take_enum(struct module *m, const uint32_t *w, struct debug_type *type)
{
    const uint32_t length = w[0] >> 16;
    struct debug_enumerator *enumerators = ARENA_ARRAY(&m->arena, struct debug_enumerator, length);
    type->kind = DEBUG_ENUM;
    type->name = debug_text(m, w[5]);
    type->size = length > 11 ? bytes_of(m, w[11]) : 4;
    type->enumerators = enumerators;
    for (uint32_t i = 13; i + 1 < length; i += 2) {
        uint64_t value = 0;
        number_of(m, w[i], &value);
        enumerators[type->enumerator_count++] =
            (struct debug_enumerator){debug_text(m, w[i + 1]), (int32_t)value};
    }
}

static void take_type(struct module *m, const uint32_t *w, struct debug_type *type)
{
    const uint32_t length = w[0] >> 16;
    if (w[4] == OpenCLDebugInfo100DebugTypeBasic && length > 7) {
        take_basic(m, w, type);
    } else if (w[4] == OpenCLDebugInfo100DebugTypePointer && length > 6) {
        const uint32_t reference =
            OpenCLDebugInfo100FlagLValueReference | OpenCLDebugInfo100FlagRValueReference;
        *type = (struct debug_type){.kind = DEBUG_POINTER,
                                    .size = 8,
                                    .element = debug_type_of(m, w[5]),
                                    .storage = lower_storage((SpvStorageClass)w[6]),
                                    .is_reference = length > 7 && (w[7] & reference) != 0};
    } else if (w[4] == OpenCLDebugInfo100DebugTypeQualifier && length > 6) {
        *type = *debug_type_of(m, w[5]);
    } else if (w[4] == OpenCLDebugInfo100DebugTypeTemplate && length > 5) {
        *type = *debug_type_of(m, w[5]);
    } else if (w[4] == OpenCLDebugInfo100DebugTypeArray && length > 6) {
        take_array(m, w, type);
    } else if (w[4] == OpenCLDebugInfo100DebugTypeVector && length > 6) {
        take_vector(m, w, type);
    } else if (w[4] == OpenCLDebugInfo100DebugTypedef && length > 6) {
        *type = *debug_type_of(m, w[6]);
        type->name = debug_text(m, w[5]);
    } else if (w[4] == OpenCLDebugInfo100DebugTypeComposite && length > 6) {
        take_composite(m, w, type);
    } else if (w[4] == OpenCLDebugInfo100DebugTypeEnum && length > 6) {
        take_enum(m, w, type);
    }
}

/* A pointer's target may be what contains the pointer: that is why a type is in the table before it is read.
 */
const struct debug_type *debug_type_of(struct module *m, uint32_t id)
{
    const uint32_t *w = debug_record(m, id, 6);
    if (!w)
        return &type_unknown;
    if (m->debug_types[id])
        return m->debug_types[id];
    struct debug_type *type = m->debug_types[id] = ARENA_NEW(&m->arena, struct debug_type);
    *type = type_unknown;
    take_type(m, w, type);
    return type;
}

/* ---- variables ------------------------------------------------------------------------------- */

const char *debug_file(const struct ir *ir, uint32_t id)
{
    const uint32_t *w = debug_record(ir->module, id, 6);
    return w && w[4] == OpenCLDebugInfo100DebugSource ? debug_text(ir->module, w[5]) : NULL;
}

/* Arguments of a call by value point to their copy; all others to a private variable. */
static bool describe_declared(struct ir *ir, const struct declared *declared, struct code_variable *out)
{
    const struct value *address = ir_value(ir, declared->address);
    const uint32_t *w = debug_record(ir->module, declared->variable, 12);
    if (!w || w[4] != OpenCLDebugInfo100DebugLocalVariable || address->op != IR_private_address)
        return false;
    *out = (struct code_variable){.name = debug_text(ir->module, w[5]),
                                  .type = debug_type_of(ir->module, w[6]),
                                  .scope = scope_of(ir, w[10], 0),
                                  .call = declared->call,
                                  .file = debug_file(ir, w[7]),
                                  .line = w[8],
                                  .number = (uint32_t)address->imm,
                                  .place = VARIABLE_PRIVATE,
                                  .where = ir->private_variables.at[address->imm].offset,
                                  .copied = declared->copied,
                                  .parameter = w[0] >> 16 > 12};
    return out->name != NULL;
}

static bool describe_global(struct ir *ir, uint32_t at, struct code_variable *out)
{
    struct module *m = ir->module;
    const uint32_t *w = &m->records[at];
    if (w[4] != OpenCLDebugInfo100DebugGlobalVariable || w[0] >> 16 < 13)
        return false;
    const uint32_t id = w[12];
    if (id >= m->bound || !m->variable_index[id])
        return false;
    const struct variable *variable = module_variable(m, id);
    *out = (struct code_variable){.name = debug_text(m, w[5]),
                                  .type = debug_type_of(m, w[6]),
                                  .scope = scope_of(ir, w[10], 0),
                                  .line = w[8],
                                  .place = VARIABLE_GLOBAL,
                                  .where = variable->address};
    if (variable->storage == SpvStorageClassWorkgroup) {
        out->place = VARIABLE_LOCAL;
        for (out->where = 0; out->where < ir->locals.count && ir->local_ids.at[out->where] != id;)
            out->where++;
        return out->name && out->where < ir->locals.count;
    }
    return out->name != NULL; /* of a module that is not to run, its address is not known */
}

static uint32_t add_globals(struct ir *ir, struct code_variable *variables)
{
    const struct module *m = ir->module;
    uint32_t count = 0;
    struct code_variable variable;
    for (uint32_t at = next_record(m, 0); at; at = next_record(m, at)) {
        if (!describe_global(ir, at, &variable))
            continue;
        if (variables)
            variables[count] = variable;
        count++;
    }
    return count;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void mark_lines(struct ir *ir, uint32_t b, struct debug_loop *loops)
{
    const struct block *block = ir_block(ir, b);
    bool begins = block->loop && ir->loops.at[block->loop - 1].header == b;
    for (uint32_t i = 0; i < block->insts.count; i++) {
        const struct value *value = ir_value(ir, block->insts.at[i]);
        if (value->op != IR_line)
            continue;
        ir->lines.at[value->imm].loop = block->loop;
        ir->lines.at[value->imm].iterates = begins;
        if (begins)
            loops[block->loop - 1].line = (uint32_t)value->imm;
        begins = false;
    }
}

/* None of an irreducible function. */
static void describe_loops(struct ir *ir, struct code_debug *debug)
{
    if (ir->irreducible)
        return;
    struct debug_loop *loops = ARENA_ARRAY(&ir->module->arena, struct debug_loop, ir->loops.count + 1);
    for (uint32_t l = 0; l < ir->loops.count; l++)
        loops[l].parent = ir->loops.at[l].parent;
    for (uint32_t o = 0; o < ir->order_count; o++)
        mark_lines(ir, ir->order[o], loops);
    debug->loops = loops;
    debug->loop_count = ir->loops.count;
}

const struct code_debug *debug_describe(struct ir *ir)
{
    struct arena *keep = &ir->module->arena;
    struct code_debug *debug = ARENA_NEW(keep, struct code_debug);
    struct code_variable *variables =
        ARENA_ARRAY(keep, struct code_variable, ir->declared.count + add_globals(ir, NULL) + 1);
    uint32_t count = add_globals(ir, variables);
    for (uint32_t i = 0; i < ir->declared.count; i++)
        count += describe_declared(ir, &ir->declared.at[i], &variables[count]);
    debug->variables = variables;
    debug->variable_count = count;
    describe_loops(ir, debug);
    debug->lines = arena_copy(keep, ir->lines.at, ir->lines.count * sizeof *ir->lines.at);
    debug->line_count = ir->lines.count;
    debug->scopes = arena_copy(keep, ir->scopes.at, ir->scopes.count * sizeof *ir->scopes.at);
    debug->scope_count = ir->scopes.count;
    debug->call_scopes =
        arena_copy(keep, ir->call_scopes.at, ir->call_scopes.count * sizeof *ir->call_scopes.at);
    debug->functions = arena_copy(keep, ir->functions.at, ir->functions.count * sizeof *ir->functions.at);
    debug->plain_private_size = ir->plain->private_size;
    return debug;
}
