/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions of OpenCL C over the variables that a frame sees: a recursive-descent parser that evaluates as
 * it goes.
 *
 *   assignment   conditional ["=" assignment]
 *   conditional  binary ["?" conditional ":" conditional]
 *   binary       unary {operator unary} by precedence
 *   unary        ("-" | "!" | "~" | "*" | "&" | "+" | "(" type ")" | "sizeof") unary | postfix
 *   postfix      primary {"[" e "]" | "." name | "->" name}
 *   primary      number | character | name | "(" e ")" | "(" vector type ")" "(" list ")" |
 *                get_global_id(e) and its like | a function of functions.c "(" list ")"
 *
 * Operators of two operands are computed in operators.c. Both sides of && and || are evaluated: nothing but
 * "=" has an effect.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "debugger.h"
#include "operators.h"

enum { NESTED_MOST = 200, NAME_MOST = 128, ELEMENTS_MOST = 100000, TYPES_NESTED = 8 };

static bool conditional(struct evaluation *e, struct debug_value *out);
static bool unary(struct evaluation *e, struct debug_value *out);

/* Keeps the first error, since it is the one nearest to the cause; outer rules fail after it. */
static bool fail(struct evaluation *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct evaluation *e, const char *format, ...)
{
    va_list arguments;
    if (e->error[0])
        return false;
    va_start(arguments, format);
    vsnprintf(e->error, sizeof e->error, format, arguments);
    va_end(arguments);
    return false;
}

static void skip(struct evaluation *e)
{
    while (*e->at == ' ' || *e->at == '\t')
        e->at++;
}

static bool take(struct evaluation *e, const char *token)
{
    skip(e);
    if (*e->at != token[0])
        return false; /* most are none: conditions are evaluated millions of times */
    const size_t length = strlen(token);
    if (strncmp(e->at, token, length))
        return false;
    if (isalpha((unsigned char)token[0]) && (isalnum((unsigned char)e->at[length]) || e->at[length] == '_'))
        return false;
    e->at += length;
    return true;
}

static bool expect(struct evaluation *e, const char *token)
{
    return take(e, token) ||
           fail(e, *e->at ? "found '%.16s', expected '%s'" : "found the end%.0s, expected '%s'", e->at,
                token);
}

static bool take_name(struct evaluation *e, char name[NAME_MOST])
{
    size_t length = 0;
    skip(e);
    if (!isalpha((unsigned char)*e->at) && *e->at != '_')
        return false;
    while ((isalnum((unsigned char)e->at[length]) || e->at[length] == '_') && length < NAME_MOST - 1)
        length++;
    memcpy(name, e->at, length);
    name[length] = '\0';
    e->at += length;
    return true;
}

/* Of "Mode::On" the last name alone: variables and enumerators are known without their classes. */
static bool take_qualified_name(struct evaluation *e, char name[NAME_MOST])
{
    bool found = take_name(e, name);
    while (found && take(e, "::"))
        found =
            take_name(e, name) ||
            fail(e, *e->at ? "found '%.16s', expected a name" : "found the end%.0s, expected a name", e->at);
    return found;
}

static bool load(struct evaluation *e, struct debug_value *value)
{
    if (value_load(e->view, value))
        return true;
    return value->type->size > VALUE_BYTES
               ? fail(e, "the value has %" PRIu64 " bytes: name a part of it", value->type->size)
               : fail(e, "cannot read %" PRIu64 " bytes at 0x%" PRIx64, value->type->size, value->address);
}

static const struct debug_type *pointer_to(struct evaluation *e, const struct debug_type *element,
                                           enum storage storage)
{
    if (e->made_count == sizeof e->made / sizeof *e->made)
        return NULL;
    struct debug_type *type = calloc(1, sizeof *type);
    if (!type)
        return NULL;
    *type = (struct debug_type){.kind = DEBUG_POINTER, .size = 8, .element = element, .storage = storage};
    return e->made[e->made_count++] = type;
}

static const struct debug_type *list_type(struct evaluation *e, enum debug_kind kind,
                                          const struct debug_type *element, uint64_t count)
{
    if (e->made_count == sizeof e->made / sizeof *e->made)
        return NULL;
    struct debug_type *type = calloc(1, sizeof *type);
    if (!type)
        return NULL;
    *type = (struct debug_type){.kind = kind,
                                .size = element->size * (kind == DEBUG_VECTOR && count == 3 ? 4 : count),
                                .element = element,
                                .count = count};
    return e->made[e->made_count++] = type;
}

const struct debug_type *expression_vector_type(struct evaluation *e, const struct debug_type *element,
                                                uint64_t count)
{
    return list_type(e, DEBUG_VECTOR, element, count);
}

const struct debug_type *expression_type_named(struct evaluation *e, const char *name)
{
    char element[NAME_MOST];
    const size_t length = strcspn(name, "0123456789");
    const struct debug_type *type = value_basic_type(name);
    if (type || !name[length] || length >= sizeof element)
        return type;
    memcpy(element, name, length);
    element[length] = '\0';
    const uint64_t count = strtoull(name + length, NULL, 10);
    const bool fits = !strcmp(name + length, "2") || !strcmp(name + length, "3") ||
                      !strcmp(name + length, "4") || !strcmp(name + length, "8") ||
                      !strcmp(name + length, "16");
    type = fits ? value_basic_type(element) : NULL;
    return type && type->kind != DEBUG_VOID && type->kind != DEBUG_BOOL && strcmp(element, "size_t")
               ? expression_vector_type(e, type, count)
               : NULL;
}

void evaluation_fini(struct evaluation *e)
{
    while (e->made_count)
        free(e->made[--e->made_count]);
}

static void set_integer(struct debug_value *out, const char *type, int64_t number)
{
    *out = (struct debug_value){.type = value_basic_type(type)};
    memcpy(out->bytes, &number, out->type->size);
}

/* ---- primary --------------------------------------------------------------------------------- */

static bool number(struct evaluation *e, struct debug_value *out)
{
    char *end, *real_end;
    errno = 0;
    const unsigned long long integer = strtoull(e->at, &end, 0);
    const bool is_hex = e->at[0] == '0' && (e->at[1] | 32) == 'x';
    const bool may_be_real = !is_hex && *end && strchr(".eE", *end); /* a suffix alone makes no real number */
    const double real = may_be_real ? strtod(e->at, &real_end) : 0;
    if (may_be_real && real_end > end) {
        const bool single = (*real_end | 32) == 'f';
        const float narrow = (float)real;
        *out = (struct debug_value){.type = value_basic_type(single ? "float" : "double")};
        memcpy(out->bytes, single ? (const void *)&narrow : (const void *)&real, out->type->size);
        e->at = real_end + single;
        return true;
    }
    if (errno)
        return fail(e, "'%.24s' is too large for ulong", e->at);
    bool is_unsigned = false, is_long = false;
    for (; (*end | 32) == 'u' || (*end | 32) == 'l'; end++) {
        is_unsigned |= (*end | 32) == 'u';
        is_long |= (*end | 32) == 'l';
    }
    is_long |= integer > UINT32_MAX || (integer > INT32_MAX && !is_hex && !is_unsigned);
    is_unsigned |= integer > INT64_MAX || (is_hex && !is_long && integer > INT32_MAX);
    set_integer(out,
                is_long       ? (is_unsigned ? "ulong" : "long")
                : is_unsigned ? "uint"
                              : "int",
                (int64_t)integer);
    e->at = end;
    return true;
}

static bool character(struct evaluation *e, struct debug_value *out)
{
    static const char escapes[] = "n\nt\tr\r0\0\\\\'\'";
    char c = e->at[1];
    e->at += 2;
    if (c == '\\') {
        const char *found = memchr(escapes, *e->at, sizeof escapes - 1);
        c = found && (found - escapes) % 2 == 0 ? found[1] : *e->at;
        e->at++;
    }
    set_integer(out, "char", c);
    return expect(e, "'");
}

/* The values of OpenCL C's work-item functions. */
static bool work_item_function(struct evaluation *e, const char *name, struct debug_value *out)
{
    struct item item;
    const struct wave *wave = e->view->wave;
    const struct launch_info *l = wave->origin.launch;
    origin_item(&wave->origin, e->view->lane, &item);
    uint64_t size[3];
    for (int k = 0; k < 3; k++) {
        const uint64_t left = l->global_size[k] - item.group_id[k] * l->local_size[k];
        size[k] = left < l->local_size[k] ? left : l->local_size[k];
    }
    const struct {
        const char *name;
        const uint64_t *of;
        uint64_t beyond;
    } rows[] = {
        {"get_global_id", item.global_id, 0},
        {"get_local_id", item.local_id, 0},
        {"get_group_id", item.group_id, 0},
        {"get_global_size", l->global_size, 1},
        {"get_local_size", size, 1},
        {"get_num_groups", l->group_count, 1},
        {"get_global_offset", l->global_offset, 0},
        {"get_enqueued_local_size", l->local_size, 1},
    };
    const struct {
        const char *name;
        const char *type;
        uint64_t value;
    } plain[] = {
        {"get_work_dim", "uint", l->work_dim},
        {"get_sub_group_id", "uint", item.sub_group},
        {"get_local_linear_id", "size_t", item.local_linear},
        {"get_global_linear_id", "size_t", place_item_number(&wave->origin, e->view->lane) - 1},
        {"get_sub_group_local_id", "uint", item.local_linear % l->sub_group_size},
        {"get_max_sub_group_size", "uint", l->sub_group_size},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct debug_value argument;
        if (strcmp(rows[i].name, name))
            continue;
        if (!conditional(e, &argument) || !load(e, &argument) || !expect(e, ")"))
            return false;
        const uint64_t k = (uint64_t)value_integer(&argument);
        set_integer(out, "size_t", (int64_t)(k < l->work_dim ? rows[i].of[k] : rows[i].beyond));
        return true;
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (strcmp(plain[i].name, name))
            continue;
        set_integer(out, plain[i].type, (int64_t)plain[i].value);
        return expect(e, ")");
    }
    return fail(e, "function '%s' cannot be called here: orrery-debug(1) lists those that can", name);
}

static bool as_operand(struct evaluation *e, struct debug_value *value);

static bool built_in_function(struct evaluation *e, const char *name, struct debug_value *out)
{
    struct debug_value arguments[3];
    uint32_t count = 0;
    for (bool more = !take(e, ")"); more; count++) {
        if (count == sizeof arguments / sizeof *arguments)
            return fail(e, "function '%s': found more than three arguments", name);
        if (!conditional(e, &arguments[count]) || !as_operand(e, &arguments[count]))
            return false;
        more = take(e, ",");
        if (!more && !expect(e, ")"))
            return false;
    }
    const char *wrong = function_call(e, name, arguments, count, out);
    return !wrong || fail(e, "function '%s': %s", name, wrong);
}

/* The enumerator in a type, or in those that it is made of. */
static bool enumerator_in(const struct debug_type *type, const char *name, uint32_t depth,
                          struct debug_value *out)
{
    for (; type && depth < TYPES_NESTED; type = type->element, depth++) {
        for (uint32_t i = 0; i < type->enumerator_count; i++) {
            if (strcmp(type->enumerators[i].name, name))
                continue;
            *out = (struct debug_value){.type = type};
            memcpy(out->bytes, &type->enumerators[i].value, type->size < 8 ? type->size : 8);
            return true;
        }
        for (uint32_t i = 0; i < type->member_count; i++)
            if (enumerator_in(type->members[i].type, name, depth + 1, out))
                return true;
    }
    return false;
}

static bool enumerator(const struct evaluation *e, const char *name, struct debug_value *out)
{
    const struct code_debug *debug = e->view->wave->code->debug;
    for (uint32_t i = 0; i < debug->variable_count; i++)
        if (enumerator_in(debug->variables[i].type, name, 0, out))
            return true;
    return false;
}

static bool dereferenced(struct evaluation *e, struct debug_value *value, int64_t index);

/* A reference of C++ is what it refers to; before it is bound, it is shown as it is. */
static bool without_reference(struct evaluation *e, struct debug_value *value)
{
    const bool is_bound = value->type->is_reference && value->lvalue &&
                          !value_memory_undefined(e->view, value->address, value->type->size);
    return !is_bound || dereferenced(e, value, 0);
}

/* Names in capitals are macros by custom. */
static bool no_such_name(struct evaluation *e, const char *name)
{
    const bool is_capital = name[strcspn(name, "abcdefghijklmnopqrstuvwxyz")] == '\0';
    return fail(e, "no variable '%s' is in sight%s", name, is_capital ? "; macros are not known" : "");
}

static bool named(struct evaluation *e, const char *name, struct debug_value *out)
{
    if (!strcmp(name, "true") || !strcmp(name, "false")) {
        set_integer(out, "bool", name[0] == 't');
        return true;
    }
    if (take(e, "("))
        return function_is_known(name) ? built_in_function(e, name, out) : work_item_function(e, name, out);
    const struct code_variable *variable = place_find_variable(e->view, name);
    if (!variable)
        return enumerator(e, name, out) || no_such_name(e, name);
    if (!place_variable_value(e->view, variable, out))
        return fail(e,
                    variable->copied ? "'%s' has no known value here: the program was optimised"
                                     : "'%s' has no address here",
                    name);
    return without_reference(e, out);
}

/* ---- types ----------------------------------------------------------------------------------- */

/* The type of that name among those that a type is made of. */
static const struct debug_type *type_in(const struct debug_type *type, const char *name, uint32_t depth)
{
    const struct debug_type *found = NULL;
    for (; type && !found && depth < TYPES_NESTED; type = type->element, depth++) {
        if (type->name && !strcmp(type->name, name))
            return type;
        for (uint32_t i = 0; i < type->member_count && !found; i++)
            found = type_in(type->members[i].type, name, depth + 1);
    }
    return found;
}

/* Parses a type's name: qualifiers, name, stars. If there is none, returns NULL and leaves the cursor. */
static const struct debug_type *take_type(struct evaluation *e)
{
    static const char *const spaces[] = {"global", "constant", "local", "private"};
    const char *begin = e->at;
    enum storage storage = STORAGE_GLOBAL;
    const struct debug_type *type = NULL;
    char name[NAME_MOST];
    for (bool again = true; again;) {
        again = take(e, "const") || take(e, "volatile") || take(e, "struct") || take(e, "union") ||
                take(e, "enum");
        for (int i = 0; i < 4; i++) {
            char reserved[16];
            snprintf(reserved, sizeof reserved, "__%s", spaces[i]);
            if (take(e, spaces[i]) || take(e, reserved)) {
                storage = (enum storage)i;
                again = true;
            }
        }
    }
    const char *at = e->at;
    if (take(e, "unsigned"))
        type = take(e, "char")    ? value_basic_type("uchar")
               : take(e, "short") ? value_basic_type("ushort")
               : take(e, "long")  ? value_basic_type("ulong")
                                  : (take(e, "int"), value_basic_type("uint"));
    else if (take_name(e, name))
        type = expression_type_named(e, name);
    const struct code_debug *debug = e->view->wave->code->debug;
    for (uint32_t i = 0; !type && e->at != at && i < debug->variable_count; i++)
        type = place_find_variable(e->view, name) ? NULL : type_in(debug->variables[i].type, name, 0);
    while (type && take(e, "*"))
        type = pointer_to(e, type, storage);
    if (!type)
        e->at = begin;
    return type;
}

static bool converted(struct evaluation *e, const struct debug_type *type, struct debug_value *value)
{
    if (value->type->kind == DEBUG_ARRAY && value->lvalue && type->kind == DEBUG_POINTER) {
        const uint64_t address = value->address;
        *value = (struct debug_value){.type = type};
        memcpy(value->bytes, &address, sizeof address);
        return true;
    }
    return load(e, value) &&
           (value_set_number(value, type, value) || fail(e, "the value cannot be converted to this type"));
}

/* ---- postfix --------------------------------------------------------------------------------- */

static bool dereferenced(struct evaluation *e, struct debug_value *value, int64_t index)
{
    const struct debug_type *type = value->type;
    uint64_t address = value->address;
    if (type->kind == DEBUG_POINTER) {
        if (!load(e, value))
            return false;
        memcpy(&address, value->bytes, sizeof address);
    } else if (type->kind != DEBUG_ARRAY || !value->lvalue) {
        return fail(e, "only pointers and arrays have elements");
    }
    if (type->element->kind == DEBUG_VOID)
        return fail(e, "a pointer to void has no elements");
    *value = (struct debug_value){
        .type = type->element, .lvalue = true, .address = address + (uint64_t)index * type->element->size};
    return true;
}

static int component(const char *name, uint64_t count)
{
    static const char letters[] = "xyzw";
    const char *letter = name[0] && !name[1] ? strchr(letters, name[0]) : NULL;
    if (letter && (uint64_t)(letter - letters) < count)
        return (int)(letter - letters);
    if ((name[0] | 32) == 's' && isxdigit((unsigned char)name[1]) && !name[2]) {
        const int k = (int)strtol(name + 1, NULL, 16);
        return (uint64_t)k < count ? k : -1;
    }
    return -1;
}

static bool is_vector_length(size_t count)
{
    return count == 2 || count == 3 || count == 4 || count == 8 || count == 16;
}

/* ".xyz", ".s01f", ".lo", ".hi", ".even", ".odd" of a vector of count components: which ones. 0: none. */
static size_t swizzle(const char *name, uint64_t count, uint32_t out[16])
{
    static const struct {
        const char *name;
        uint32_t first, step; /* first: in halves of the vector, where step is 1 */
    } halves[] = {{"lo", 0, 1}, {"hi", 1, 1}, {"even", 0, 2}, {"odd", 1, 2}};
    const uint32_t half = (uint32_t)(count + 1) / 2;
    size_t length = 0;
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        for (; !strcmp(halves[i].name, name) && length < half; length++)
            out[length] = halves[i].step == 1 ? halves[i].first * half + (uint32_t)length
                                              : halves[i].first + 2 * (uint32_t)length;
    if (length)
        return length;
    const bool is_numbered = (name[0] | 32) == 's';
    for (const char *at = name + is_numbered; *at; at++) {
        const char one[3] = {is_numbered ? 's' : *at, is_numbered ? *at : '\0', '\0'};
        const int k = component(one, count);
        if (k < 0 || length == 16)
            return 0;
        out[length++] = (uint32_t)k;
    }
    return length;
}

/* A vector of three has no fourth component, which .hi and .odd would read: it is 0 here. */
static bool swizzled(struct evaluation *e, const char *name, struct debug_value *value)
{
    uint32_t from[16];
    const struct debug_type *whole = value->type;
    const size_t length = swizzle(name, whole->count, from), size = whole->element->size;
    if (!is_vector_length(length))
        return fail(e, "the vector of %" PRIu64 " components has no '%s'", whole->count, name);
    struct debug_value out = {.type = expression_vector_type(e, whole->element, length)};
    if (!load(e, value))
        return false;
    if (!out.type)
        return fail(e, "no memory for the vector");
    for (size_t i = 0; i < length; i++) {
        if (value->lvalue && value_memory_undefined(e->view, value->address + from[i] * size, size))
            return fail(e, "component %" PRIu32 " of the vector is uninitialised", from[i]);
        if (from[i] < whole->count)
            memcpy(out.bytes + i * size, value->bytes + from[i] * size, size);
    }
    *value = out;
    return true;
}

static bool member(struct evaluation *e, struct debug_value *value)
{
    char name[NAME_MOST];
    const struct debug_type *type = value->type;
    uint64_t offset = 0;
    const struct debug_type *found = NULL;
    if (!take_name(e, name))
        return fail(e, "found '%.16s', expected a member's name", e->at);
    for (uint32_t i = 0; i < type->member_count && !found; i++) {
        if (type->members[i].name && !strcmp(type->members[i].name, name)) {
            found = type->members[i].type;
            offset = type->members[i].offset;
        }
    }
    if (type->kind == DEBUG_VECTOR && component(name, type->count) >= 0) {
        found = type->element;
        offset = (uint64_t)component(name, type->count) * found->size;
    }
    if (!found && type->kind == DEBUG_VECTOR)
        return swizzled(e, name, value);
    if (!found)
        return fail(e, "the value has no member '%s'", name);
    struct debug_value part = {.type = found, .lvalue = value->lvalue, .address = value->address + offset};
    if (!value->lvalue)
        memcpy(part.bytes, value->bytes + offset, found->size);
    *value = part;
    return without_reference(e, value);
}

static bool postfix(struct evaluation *e, struct debug_value *out)
{
    char name[NAME_MOST];
    skip(e);
    bool fine;
    if (take(e, "("))
        fine = conditional(e, out) && expect(e, ")");
    else if (isdigit((unsigned char)*e->at) || (*e->at == '.' && isdigit((unsigned char)e->at[1])))
        fine = number(e, out);
    else if (*e->at == '\'' && e->at[1])
        fine = character(e, out);
    else if (take_qualified_name(e, name))
        fine = named(e, name, out);
    else
        fine = fail(
            e, *e->at ? "found '%.16s', expected an expression" : "found the end%.0s, expected an expression",
            e->at);
    while (fine) {
        struct debug_value index;
        if (take(e, "[")) {
            fine = conditional(e, &index) && load(e, &index) && expect(e, "]") &&
                   dereferenced(e, out, value_integer(&index));
        } else if (take(e, "->")) {
            fine = dereferenced(e, out, 0) && member(e, out);
        } else if (take(e, ".")) {
            fine = member(e, out);
        } else {
            break;
        }
    }
    return fine;
}

/* ---- operators ------------------------------------------------------------------------------- */

/* Longer tokens first. */
static const struct {
    const char *token;
    enum operator operator;
    int precedence;
} operators[] = {
    {"||", OR, 1},         {"&&", AND, 2},    {"==", EQUAL, 6},     {"!=", UNEQUAL, 6}, {"<=", LESS_EQUAL, 7},
    {">=", MORE_EQUAL, 7}, {"<<", LEFT, 8},   {">>", RIGHT, 8},     {"|", BIT_OR, 3},   {"^", BIT_XOR, 4},
    {"&", BIT_AND, 5},     {"<", LESS, 7},    {">", MORE, 7},       {"+", ADD, 9},      {"-", SUBTRACT, 9},
    {"*", MULTIPLY, 10},   {"/", DIVIDE, 10}, {"%", REMAINDER, 10},
};

static bool operation(struct evaluation *e, enum operator op, const struct debug_value *a,
                      const struct debug_value *b, struct debug_value *out)
{
    const char *wrong = operator_apply(e, op, a, b, out);
    return !wrong || fail(e, "%s", wrong);
}

/* An array decays to a pointer to its first element, except as the operand of sizeof or &. */
static bool as_operand(struct evaluation *e, struct debug_value *value)
{
    if (value->type->kind != DEBUG_ARRAY || !value->lvalue)
        return load(e, value);
    const struct debug_type *type = pointer_to(e, value->type->element, STORAGE_GENERIC);
    return type ? converted(e, type, value) : fail(e, "the expression is too large");
}

static bool binary(struct evaluation *e, int least, struct debug_value *out)
{
    if (!unary(e, out))
        return false;
    for (bool found = true; found;) {
        found = false;
        skip(e);
        if (!*e->at || !strchr("|&=!<>^+-*/%", *e->at))
            return true;
        for (size_t i = 0; i < sizeof operators / sizeof *operators && !found; i++) {
            struct debug_value right;
            const char *begin = e->at;
            if (!take(e, operators[i].token))
                continue;
            if (operators[i].precedence < least) {
                e->at = begin;
                return true;
            }
            found = true;
            if (!binary(e, operators[i].precedence + 1, &right) || !as_operand(e, out) ||
                !as_operand(e, &right) || !operation(e, operators[i].operator, out, &right, out))
                return false;
        }
    }
    return true;
}

static bool address_of(struct evaluation *e, struct debug_value *out)
{
    if (!out->lvalue)
        return fail(e, "only what is in memory has an address");
    const uint64_t address = out->address;
    const struct debug_type *type = pointer_to(
        e, out->type,
        address >= PRIVATE_BASE && address >> 32 == PRIVATE_BASE >> 32 ? STORAGE_PRIVATE : STORAGE_GENERIC);
    if (!type)
        return fail(e, "the expression is too large");
    *out = (struct debug_value){.type = type};
    memcpy(out->bytes, &address, sizeof address);
    return true;
}

static bool size_of(struct evaluation *e, struct debug_value *out)
{
    const char *begin = e->at;
    const struct debug_type *type = take(e, "(") ? take_type(e) : NULL;
    if (type) {
        set_integer(out, "size_t", (int64_t)type->size);
        return expect(e, ")");
    }
    e->at = begin;
    if (!unary(e, out))
        return false;
    set_integer(out, "size_t", (int64_t)out->type->size);
    return true;
}

/* Parses a vector literal as in "(float4)(a, b.x, 1)": components and vectors in order, or one scalar
 * for all. */
static bool vector_literal(struct evaluation *e, const struct debug_type *type, struct debug_value *out)
{
    struct debug_value result = {.type = type};
    uint64_t count = 0;
    for (bool more = true; more;) {
        struct debug_value part, one;
        if (!conditional(e, &part) || !as_operand(e, &part))
            return false;
        const uint64_t parts = part.type->kind == DEBUG_VECTOR ? part.type->count : 1;
        more = take(e, ",");
        for (uint64_t k = 0; k < parts; k++, count++) {
            one = value_component(&part, k);
            if (count == type->count || !value_set_number(&one, type->element, &one))
                return fail(e, "expected numbers for %" PRIu64 " components", type->count);
            memcpy(result.bytes + count * type->element->size, one.bytes, type->element->size);
        }
    }
    const uint64_t given = count;
    for (; given == 1 && count < type->count; count++)
        memcpy(result.bytes + count * type->element->size, result.bytes, type->element->size);
    *out = result;
    return expect(e, ")") && (count == type->count ||
                              fail(e, "found %" PRIu64 " components, expected %" PRIu64, given, type->count));
}

/* Casts to a vector: a scalar is repeated in each component; a vector must have that type. */
static bool cast_to_vector(struct evaluation *e, const struct debug_type *type, struct debug_value *value)
{
    if (!as_operand(e, value))
        return false;
    if (value->type->kind == DEBUG_VECTOR)
        return (value->type->count == type->count && value->type->element->kind == type->element->kind &&
                value->type->size == type->size) ||
               fail(e, "a cast does not convert vectors: convert_... does");
    struct debug_value one, result = {.type = type};
    if (!value_set_number(&one, type->element, value))
        return fail(e, "the value cannot be converted to this type");
    for (uint64_t k = 0; k < type->count; k++)
        memcpy(result.bytes + k * type->element->size, one.bytes, type->element->size);
    *value = result;
    return true;
}

static bool cast_or_postfix(struct evaluation *e, struct debug_value *out)
{
    const char *begin = e->at;
    const struct debug_type *type = take(e, "(") ? take_type(e) : NULL;
    if (type && take(e, ")")) {
        if (type->kind == DEBUG_VECTOR && take(e, "("))
            return vector_literal(e, type, out);
        return unary(e, out) &&
               (type->kind == DEBUG_VECTOR ? cast_to_vector(e, type, out) : converted(e, type, out));
    }
    e->at = begin;
    return postfix(e, out);
}

static bool of_integer(struct evaluation *e, int64_t left, enum operator op, struct debug_value *out)
{
    struct debug_value number;
    set_integer(&number, "int", left);
    return unary(e, out) && as_operand(e, out) && operation(e, op, &number, out, out);
}

static bool unary(struct evaluation *e, struct debug_value *out)
{
    if (++e->depth > NESTED_MOST)
        return fail(e, "the expression is nested too deeply");
    bool fine;
    skip(e);
    if (isalnum((unsigned char)*e->at)) { /* most are: conditions are evaluated millions of times */
        fine = take(e, "sizeof") ? size_of(e, out) : postfix(e, out);
    } else if (take(e, "-")) {
        fine = of_integer(e, 0, SUBTRACT, out);
    } else if (take(e, "+")) {
        fine = of_integer(e, 0, ADD, out);
    } else if (*e->at == '!' && e->at[1] != '=' && take(e, "!")) {
        fine = of_integer(e, 0, EQUAL, out);
    } else if (take(e, "~")) {
        fine = of_integer(e, -1, BIT_XOR, out);
    } else if (take(e, "*")) {
        fine = unary(e, out) && dereferenced(e, out, 0);
    } else if (*e->at == '&' && e->at[1] != '&' && take(e, "&")) {
        fine = unary(e, out) && address_of(e, out);
    } else {
        fine = cast_or_postfix(e, out);
    }
    e->depth--;
    return fine;
}

static bool assigned(struct evaluation *e, const struct debug_value *target, const struct debug_value *from,
                     struct debug_value *out)
{
    struct debug_value value = *from;
    if (!e->assigns)
        return fail(e, "found '=': an assignment is for 'set var'");
    if (!target->lvalue)
        return fail(e, "only what is in memory can be assigned to");
    if (place_is_copy(e->view, target->address))
        return fail(e,
                    "the program was optimised and keeps this variable in no memory: it cannot be changed");
    if (target->type->kind == DEBUG_VECTOR || target->type->kind == DEBUG_STRUCT) {
        if (from->type->size != target->type->size || from->type->kind != target->type->kind ||
            !load(e, &value))
            return fail(e, "the value is of another type");
    } else if (!converted(e, target->type, &value)) {
        return false;
    }
    if (!value_write_memory(e->view, target->address, value.bytes, target->type->size))
        return fail(e, "cannot write %" PRIu64 " bytes at 0x%" PRIx64, target->type->size, target->address);
    *out = *target;
    return true;
}

/* gdb's "first@count": so many objects that follow one another in memory, as an array. */
static bool repeated(struct evaluation *e, struct debug_value *out)
{
    struct debug_value count;
    if (!binary(e, 1, &count) || !as_operand(e, &count))
        return false;
    const int64_t number = value_integer(&count);
    if (!out->lvalue)
        return fail(e, "only what is in memory has others after it");
    if (number < 1 || number > ELEMENTS_MOST)
        return fail(e, "found %" PRId64 " after '@', expected 1 to %d", number, ELEMENTS_MOST);
    out->type = list_type(e, DEBUG_ARRAY, out->type, (uint64_t)number);
    return out->type || fail(e, "no memory for the array");
}

static bool conditional(struct evaluation *e, struct debug_value *out)
{
    struct debug_value yes, no;
    if (++e->depth > NESTED_MOST)
        return fail(e, "the expression is nested too deeply");
    bool fine = binary(e, 1, out);
    skip(e);
    if (fine && take(e, "@"))
        fine = repeated(e, out);
    if (fine && take(e, "?")) {
        fine = as_operand(e, out) && conditional(e, &yes) && expect(e, ":") && conditional(e, &no);
        if (fine)
            *out = value_is_true(out) ? yes : no;
    } else if (fine && *e->at == '=' && e->at[1] != '=' && take(e, "=")) {
        fine = conditional(e, &yes) && assigned(e, out, &yes, out);
    }
    e->depth--;
    return fine;
}

static void begin(struct evaluation *e, const struct view *view, const char *text, bool assigns)
{
    e->view = view;
    e->at = text;
    e->assigns = assigns;
    e->depth = e->made_count = 0;
    e->error[0] = '\0';
}

bool expression_type(struct evaluation *e, const struct view *view, const char *text,
                     const struct debug_type **out_type)
{
    struct debug_value value;
    begin(e, view, text, false);
    *out_type = take_type(e);
    skip(e);
    if (*out_type && !*e->at)
        return true;
    evaluation_fini(e);
    if (!expression_evaluate(e, view, text, false, &value))
        return false;
    *out_type = value.type;
    return true;
}

bool expression_evaluate(struct evaluation *e, const struct view *view, const char *expression, bool assigns,
                         struct debug_value *out_value)
{
    begin(e, view, expression, assigns);
    if (!conditional(e, out_value))
        return false;
    skip(e);
    return !*e->at || fail(e, "found '%.16s', expected the end", e->at);
}
