/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds an index past an array inside a variable, as in s.a[4] for int a[4]. The bytes belong to the
 * variable, so its bounds alone do not reveal the error (C11 6.5.6p8).
 *
 * An access chain of a module that the front end made (module->by_components) indexes arrays as the source
 * does. Each index that may be past its array is noted at the address that the chain computes. An access to
 * exactly that address checks the notes. Pointer arithmetic makes another address, without notes: it is
 * legal to form &a[0][0] and to walk through all rows from there, and to form the address one past an
 * array's end.
 *
 * The index of a component, v[i], is checked like that of an element.
 *
 * Not noted are the first index into a variable's own array, since the bounds of the variable are those of
 * the array, and arrays of at most one element, which may be the last member of a struct of unknown size.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lower.h"

/* Is the value always below count? Recognizes constants, masks and the other forms that programs use as
 * bounds. */
static bool below(struct lower *l, uint32_t v, uint64_t count)
{
    uint64_t k;
    const struct value *value = ir_value(l->ir, v);
    switch (value->op) {
    case IR_const: return value->imm < count;
    case IR_zext: {
        const uint32_t bits = scalar_bits((enum scalar)ir_value(l->ir, value->args[0])->type);
        return bits < 32 && UINT64_C(1) << bits <= count;
    }
    case IR_and:
        return (ir_is_const(l->ir, value->args[0], &k) || ir_is_const(l->ir, value->args[1], &k)) &&
               k < count;
    case IR_urem: return ir_is_const(l->ir, value->args[1], &k) && k && k <= count;
    default: return false;
    }
}

/* The variable that a bitcast takes, else the pointer itself. clang gives the initializer of an array of
 * structs a type of its own, and casts the variable at each use. */
static uint32_t before_cast(struct lower *l, uint32_t pointer)
{
    const uint32_t word = l->m->def[pointer];
    const uint32_t base = word && spv_opcode(l->m, word) == SpvOpBitcast ? l->m->words[word + 3] : 0;
    const bool is_variable = base && l->m->def[base] && spv_opcode(l->m, l->m->def[base]) == SpvOpVariable;
    return is_variable && lower_pointee(l, base)->size == lower_pointee(l, pointer)->size ? base : pointer;
}

bool index_may_pass(struct lower *l, uint32_t pointer, const struct type *array, uint32_t index)
{
    const uint32_t word = l->m->def[before_cast(l, pointer)];
    const bool is_variable =
        word && spv_opcode(l->m, word) == SpvOpVariable && lower_pointee(l, pointer) == array;
    const bool is_inner = !is_variable && array->kind == TYPE_ARRAY && array->count > 1;
    return l->m->by_components && is_inner && !below(l, index, array->count);
}

/* The note on an address: IR_index keeps its number in `object`, which is otherwise unused there. */
static uint32_t noted(struct lower *l, uint32_t address)
{
    return ir_value(l->ir, address)->op == IR_index ? ir_value(l->ir, address)->object : 0;
}

void index_note(struct lower *l, uint32_t base, uint32_t address, const struct index_step *step)
{
    if (address == base || ir_value(l->ir, address)->op != IR_index)
        return;
    uint32_t last = noted(l, base);
    if (step) {
        if (!l->indexed.count)
            list_push(l->arena, &l->indexed); /* note 0: none */
        *list_push(l->arena, &l->indexed) = (struct indexed){.index = step->index,
                                                             .count = step->array->count,
                                                             .pointer = step->pointer,
                                                             .element = step->array->element,
                                                             .before = last};
        last = l->indexed.count - 1;
    }
    ir_value(l->ir, address)->object = last;
}

/* ---- words ------------------------------------------------------------------------------ */

/* clang's name of the address of an element or member. Generic names, and names to which clang added a
 * number, do not count. */
static const char *name_of(struct lower *l, uint32_t id)
{
    const char *name = l->m->names[id], *dot = name ? strrchr(name, '.') : NULL;
    const size_t length = name ? strlen(name) : 0;
    if (!length || !strncmp(name, "array", 5) || strchr("0123456789", name[length - 1]))
        return NULL;
    return dot && dot[1] ? dot + 1 : name;
}

static const char *plural_of(const struct type *type)
{
    static const char *const names[] = {
        [T_BOOL] = "bools", [T_I8] = "chars",  [T_I16] = "shorts", [T_I32] = "ints",
        [T_I64] = "longs",  [T_F16] = "halfs", [T_F32] = "floats", [T_F64] = "doubles"};
    if (type->kind == TYPE_SCALAR)
        return names[type->scalar];
    if (type->kind == TYPE_STRUCT)
        return "structs";
    return type->kind == TYPE_VECTOR ? "vectors" : type->kind == TYPE_ARRAY ? "rows" : "elements";
}

struct elements lower_elements(const struct type *type)
{
    if (type->kind != TYPE_ARRAY || type->element->kind != TYPE_SCALAR || type->element->scalar == T_BOOL)
        return (struct elements){NULL, 0};
    return (struct elements){plural_of(type->element), (uint32_t)type->stride};
}

/* The text of a path. full: it does not fit, or a part of it has no name. */
struct index_path {
    char text[100];
    size_t length;
    bool full;
};

__attribute__((format(printf, 2, 3))) static void path_add(struct index_path *path, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const size_t room = sizeof path->text - path->length;
    const int length = vsnprintf(path->text + path->length, room, format, list);
    va_end(list);
    path->full |= length < 0 || (size_t)length >= room;
    path->length += path->full ? 0 : (size_t)length;
}

/* The source's name of a variable or parameter. clang puts the kernel's name and a dot before a local
 * variable; ".addr" ends the variable that keeps a parameter. */
static const char *variable_name(struct lower *l, uint32_t id)
{
    static const char kept[] = ".addr";
    const char *name = l->m->names[id];
    const size_t length = name ? strlen(name) : 0, end = sizeof kept - 1;
    if (length > end && strcmp(name + length - end, kept) == 0)
        return arena_format(&l->m->arena, "%.*s", (int)(length - end), name);
    const char *dot = length ? strrchr(name, '.') : NULL;
    return dot && dot[1] ? dot + 1 : name;
}

/* Adds one step of a chain: an index into an array, or a member, whose name is that of the chain that ends
 * there. */
static void add_step(struct lower *l, struct index_path *path, const struct type *type, uint32_t index,
                     const char *member)
{
    uint64_t k;
    if (type->kind == TYPE_STRUCT && member)
        path_add(path, "%s%s", path->length && path->text[path->length - 1] == '>' ? "" : ".", member);
    else if (type->kind != TYPE_ARRAY)
        path->full = true;
    else if (ir_is_const(l->ir, lower_scalar(l, index), &k))
        path_add(path, "[%" PRIu64 "]", k);
    else
        path_add(path, "[...]");
}

/* Adds the first index, which goes from one object to another of its type. False: the index leaves the
 * named object. */
static bool add_first(struct lower *l, struct index_path *path, bool is_pointer, const struct type *type,
                      uint32_t index)
{
    uint64_t k;
    const bool constant = ir_is_const(l->ir, lower_scalar(l, index), &k);
    if (!is_pointer)
        return constant && k == 0;
    if (constant && k == 0 && type->kind == TYPE_STRUCT)
        path_add(path, "->");
    else if (constant)
        path_add(path, "[%" PRIu64 "]", k);
    else
        path_add(path, "[...]");
    return true;
}

/* Adds the path as the source has it, such as "rows[1]" or "p->s[...].f", or sets `full`. *out_pointer: the
 * path names a pointer. */
static void add_path(struct lower *l, struct index_path *path, uint32_t id, bool *out_pointer);

static void add_chain(struct lower *l, struct index_path *path, uint32_t word)
{
    const uint32_t *w = &l->m->words[word], n = spv_length(l->m, word), op = spv_opcode(l->m, word);
    const struct type *type = lower_pointee(l, w[3]);
    uint32_t i = 4;
    bool is_pointer;
    add_path(l, path, w[3], &is_pointer);
    if (!path->full && op == SpvOpInBoundsPtrAccessChain && i < n)
        path->full |= !add_first(l, path, is_pointer, type, w[i++]);
    else
        path->full |= is_pointer;
    for (; i < n && !path->full; i++) {
        uint64_t k = 0;
        add_step(l, path, type, w[i], i + 1 == n ? name_of(l, w[2]) : NULL);
        if (!path->full)
            type = type_part(type, ir_is_const(l->ir, lower_scalar(l, w[i]), &k) ? (uint32_t)k : 0);
    }
}

static void add_path(struct lower *l, struct index_path *path, uint32_t cast, bool *out_pointer)
{
    const uint32_t id = before_cast(l, cast);
    const uint32_t word = l->m->def[id], op = word ? spv_opcode(l->m, word) : SpvOpNop;
    const char *name = NULL;
    *out_pointer = op == SpvOpLoad || op == SpvOpFunctionParameter;
    if (op == SpvOpInBoundsPtrAccessChain || op == SpvOpInBoundsAccessChain)
        add_chain(l, path, word);
    else if (op == SpvOpVariable || op == SpvOpFunctionParameter)
        name = variable_name(l, id);
    else if (op == SpvOpLoad && l->m->def[l->m->words[word + 3]] &&
             spv_opcode(l->m, l->m->def[l->m->words[word + 3]]) == SpvOpVariable)
        name = variable_name(l, l->m->words[word + 3]);
    else
        path->full = true;
    if (name)
        path_add(path, "%s", name);
    path->full |= path->length == 0;
}

/* The name of the array that contains this one, or of the variable. */
static const char *name_around(struct lower *l, uint32_t id)
{
    const char *name = NULL;
    for (uint32_t word = l->m->def[id]; !name && word; word = l->m->def[id]) {
        const uint32_t op = spv_opcode(l->m, word);
        if (op != SpvOpInBoundsPtrAccessChain && op != SpvOpInBoundsAccessChain)
            break;
        id = l->m->words[word + 3];
        name = name_of(l, id);
    }
    return name;
}

/* "'rows[1]', which has 4 floats"; if the path is unknown, "an array of 4 floats inside 'rows'". */
static void put_words(struct lower *l, const struct indexed *indexed, char *text, size_t size)
{
    const char *elements = plural_of(indexed->element), *name = name_of(l, indexed->pointer), *around;
    struct index_path path = {.full = false};
    bool is_pointer;
    add_path(l, &path, indexed->pointer, &is_pointer);
    if (!path.full &&
        (!is_pointer || lower_pointee(l, indexed->pointer)->kind == TYPE_ARRAY)) /* a reference */
        snprintf(text, size, "'%s', which has %" PRIu32 " %s", path.text, indexed->count, elements);
    else if (name)
        snprintf(text, size, "'%.60s', which has %" PRIu32 " %s", name, indexed->count, elements);
    else if ((around = name_around(l, indexed->pointer)))
        snprintf(text, size, "an array of %" PRIu32 " %s inside '%.60s'", indexed->count, elements, around);
    else
        snprintf(text, size, "an array of %" PRIu32 " %s", indexed->count, elements);
}

static uint32_t words_of(struct lower *l, const struct indexed *indexed)
{
    char text[200];
    put_words(l, indexed, text, sizeof text);
    for (uint32_t i = 0; i < l->ir->strings.count; i++)
        if (!strcmp(l->ir->strings.at[i], text))
            return i;
    return ir_string(l->ir, arena_copy(&l->m->arena, text, strlen(text) + 1)); /* the code keeps the text */
}

/* ---- at an access ------------------------------------------------------------------------ */

void index_check(struct lower *l, uint32_t address, uint32_t site)
{
    const enum access_kind access = l->ir->sites.at[site].access;
    if (l->checked.address == address && l->checked.block == l->block && l->checked.access == access)
        return; /* another part of the same access, or a repeated access in the same block */
    l->checked = (struct index_checked){address, l->block, access};
    for (uint32_t at = noted(l, address); at; at = l->indexed.at[at].before) {
        const struct indexed *indexed = &l->indexed.at[at];
        const uint32_t v = ir_new_value(l->ir, IR_index_check, T_NONE), words = words_of(l, indexed);
        struct value *value = ir_value(l->ir, v);
        value->args[0] = indexed->index;
        value->imm = indexed->count | (uint64_t)words << 32;
        value->site = site;
        ir_append(l->ir, l->block, v);
    }
}

/* Checks v[i] on a vector that is a value and has no address. Vectors of the device, such as that of
 * get_global_id(3), have defined values past their end. */
void index_check_component(struct lower *l, uint32_t vector, uint32_t index, enum access_kind access)
{
    const struct type *type = module_value_type(l->m, vector);
    const uint32_t word = l->m->def[vector], chosen = lower_scalar(l, index);
    if (!l->m->by_components || below(l, chosen, type->count) ||
        ir_value(l->ir, lower_get(l, vector)[0])->op == IR_input)
        return;
    const struct site site = {.access = access,
                              .storage = STORAGE_PRIVATE,
                              .size = scalar_bytes(type->element->scalar),
                              .components = 1,
                              .type = lower_number_type(type->element->scalar),
                              .align = 1};
    const uint32_t s = lower_site(l, &site);
    const struct indexed indexed = {
        .count = type->count,
        .element = type->element,
        .pointer = word && spv_opcode(l->m, word) == SpvOpLoad ? l->m->words[word + 3] : vector};
    const uint32_t wide = lower_type(l, chosen) == T_I64
                              ? chosen
                              : lower_emit(l, IR_sext, T_I64, chosen, NONE, NONE, 0),
                   words = words_of(l, &indexed), v = ir_new_value(l->ir, IR_index_check, T_NONE);
    struct value *value = ir_value(l->ir, v);
    value->args[0] = wide;
    value->imm = type->count | (uint64_t)words << 32;
    value->site = s;
    ir_append(l->ir, l->block, v);
}
