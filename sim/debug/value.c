/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values: bytes of memory by type. Private memory is the wave's, four bytes of each lane beside those of the
 * next; all other addresses are the device's. Bytes in no allocation cannot be read: that is a result, not a
 * fault.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "debugger.h"
#include "sim/base/real_text.h"
#include "sim/device/device_state.h"

enum { SHOWN_ELEMENTS = 200, SHOWN_DEPTH = 6 };

/* ---- memory ---------------------------------------------------------------------------------- */

static uint64_t private_at(const struct wave *wave, uint64_t offset, uint32_t lane)
{
    return (offset / 4 * wave->code->width + lane) * 4 + offset % 4;
}

static bool is_private(const struct view *view, uint64_t address, uint64_t size)
{
    const uint64_t offset = address - PRIVATE_BASE;
    return address >= PRIVATE_BASE && offset < view->wave->code->private_size &&
           size <= view->wave->code->private_size - offset;
}

/* Returns NULL if the bytes are not all in one allocation. */
static struct region *region_of(const struct debugger *d, uint64_t address, uint64_t size)
{
    struct region *region = d->device ? memory_region(&d->device->arena.memory, address) : NULL;
    return region && region->kind != REGION_NONE && address >= region->low && address < region->high &&
                   size <= region->high - address
               ? region
               : NULL;
}

bool value_read_memory(const struct view *view, uint64_t address, void *out_bytes, uint64_t size)
{
    uint8_t *out = out_bytes;
    if (view->wave && is_private(view, address, size)) {
        for (uint64_t i = 0; i < size; i++)
            out[i] =
                view->wave->private_memory[private_at(view->wave, address - PRIVATE_BASE + i, view->lane)];
        return true;
    }
    const struct region *region = region_of(view->debugger, address, size);
    if (region)
        memcpy(out, memory_byte(region, address), size);
    return region != NULL;
}

bool value_write_memory(const struct view *view, uint64_t address, const void *bytes, uint64_t size)
{
    view->debugger->changed = true;
    const uint8_t *in = bytes;
    if (view->wave && is_private(view, address, size)) {
        for (uint64_t i = 0; i < size; i++) {
            const uint64_t at = private_at(view->wave, address - PRIVATE_BASE + i, view->lane);
            view->wave->private_memory[at] = in[i];
            if (view->wave->private_undefined)
                view->wave->private_undefined[at] = 0;
        }
        return true;
    }
    struct region *region = region_of(view->debugger, address, size);
    if (!region)
        return false;
    memcpy(memory_byte(region, address), in, size);
    if (region->valid)
        memory_set_valid(region, address, size, true);
    return true;
}

bool value_memory_undefined(const struct view *view, uint64_t address, uint64_t size)
{
    bool all = size != 0;
    if (view->wave && is_private(view, address, size)) {
        for (uint64_t i = 0; i < size && all; i++)
            all =
                view->wave->private_undefined &&
                view->wave->private_undefined[private_at(view->wave, address - PRIVATE_BASE + i, view->lane)];
        return all;
    }
    const struct region *region = region_of(view->debugger, address, size);
    for (uint64_t i = 0; i < size && all; i++)
        all = region && region->valid && !memory_range_valid(region, address + i, 1);
    return all;
}

bool value_load(const struct view *view, struct debug_value *value)
{
    if (!value->lvalue)
        return true;
    return value->type->size <= VALUE_BYTES &&
           value_read_memory(view, value->address, value->bytes, value->type->size);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static const struct debug_type basic_types[] = {
    {.kind = DEBUG_BOOL, .name = "bool", .size = 1},
    {.kind = DEBUG_INTEGER, .name = "char", .size = 1},
    {.kind = DEBUG_UNSIGNED, .name = "uchar", .size = 1},
    {.kind = DEBUG_INTEGER, .name = "short", .size = 2},
    {.kind = DEBUG_UNSIGNED, .name = "ushort", .size = 2},
    {.kind = DEBUG_INTEGER, .name = "int", .size = 4},
    {.kind = DEBUG_UNSIGNED, .name = "uint", .size = 4},
    {.kind = DEBUG_INTEGER, .name = "long", .size = 8},
    {.kind = DEBUG_UNSIGNED, .name = "ulong", .size = 8},
    {.kind = DEBUG_UNSIGNED, .name = "size_t", .size = 8},
    {.kind = DEBUG_FLOAT, .name = "float", .size = 4},
    {.kind = DEBUG_FLOAT, .name = "double", .size = 8},
    {.kind = DEBUG_FLOAT, .name = "half", .size = 2},
    {.kind = DEBUG_VOID, .name = "void", .size = 0},
};

const struct debug_type *value_basic_type(const char *name)
{
    for (size_t i = 0; i < sizeof basic_types / sizeof *basic_types; i++)
        if (basic_types[i].name[0] == name[0] && !strcmp(basic_types[i].name, name))
            return &basic_types[i];
    return NULL;
}

const struct debug_type *value_integer_type(uint64_t size, bool is_unsigned)
{
    enum { CHAR = 1 }; /* its row, before the others in pairs */
    const size_t pair = size == 8 ? 3 : size >> 1;
    return &basic_types[CHAR + 2 * pair + is_unsigned];
}

static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == 31)
        return mantissa ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24));
}

int64_t value_integer(const struct debug_value *value)
{
    uint64_t bits = 0;
    const struct debug_type *type = value->type;
    if (type->kind == DEBUG_FLOAT)
        return (int64_t)value_double(value);
    memcpy(&bits, value->bytes, type->size < 8 ? type->size : 8);
    if ((type->kind == DEBUG_INTEGER || type->kind == DEBUG_ENUM) && type->size < 8 && type->size)
        return (int64_t)(bits << (64 - 8 * type->size)) >> (64 - 8 * type->size);
    return (int64_t)bits;
}

double value_double(const struct debug_value *value)
{
    float single;
    double real;
    uint16_t half;
    if (value->type->kind != DEBUG_FLOAT)
        return value->type->kind == DEBUG_UNSIGNED || value->type->kind == DEBUG_POINTER
                   ? (double)(uint64_t)value_integer(value)
                   : (double)value_integer(value);
    memcpy(&single, value->bytes, sizeof single);
    memcpy(&real, value->bytes, sizeof real);
    memcpy(&half, value->bytes, sizeof half);
    return value->type->size == 8 ? real : value->type->size == 4 ? (double)single : half_value(half);
}

bool value_is_true(const struct debug_value *value)
{
    return value->type->kind == DEBUG_FLOAT ? value_double(value) != 0 : value_integer(value) != 0;
}

bool value_set_number(struct debug_value *value, const struct debug_type *type,
                      const struct debug_value *from)
{
    const bool numbers =
        type->kind >= DEBUG_INTEGER && (type->kind <= DEBUG_POINTER || type->kind == DEBUG_ENUM);
    struct debug_value out = {.type = type};
    if (!numbers || (from->type->kind > DEBUG_POINTER && from->type->kind != DEBUG_ENUM) ||
        from->type->kind == DEBUG_VOID)
        return false;
    if (type->kind == DEBUG_FLOAT) {
        const double real = value_double(from);
        const float single = (float)real;
        if (type->size == 2)
            return false;
        memcpy(out.bytes, type->size == 8 ? (const void *)&real : (const void *)&single, type->size);
    } else {
        const int64_t bits = type->kind == DEBUG_BOOL ? value_is_true(from) : value_integer(from);
        memcpy(out.bytes, &bits, type->size);
    }
    *value = out;
    return true;
}

/* ---- printing -------------------------------------------------------------------------------- */

void value_print_type(const struct debug_type *type, FILE *stream)
{
    static const char *const spaces[] = {"global ", "constant ", "local ", "private ", ""};
    static const char *const heads[] = {
        [DEBUG_STRUCT] = "struct", [DEBUG_UNION] = "union", [DEBUG_ENUM] = "enum"};
    if (type->name && !(type->kind == DEBUG_POINTER))
        fprintf(stream, "%s", type->name);
    else if (type->kind == DEBUG_POINTER && type->name)
        fprintf(stream, "%s", type->name);
    else if (type->kind == DEBUG_POINTER) {
        fprintf(stream, "%s", spaces[type->storage]);
        value_print_type(type->element, stream);
        fputs(" *", stream);
    } else if (type->kind == DEBUG_ARRAY) {
        const struct debug_type *element = type;
        while (element->kind == DEBUG_ARRAY && !element->name)
            element = element->element;
        value_print_type(element, stream);
        fputc(' ', stream);
        for (element = type; element->kind == DEBUG_ARRAY && !element->name; element = element->element)
            fprintf(stream, "[%" PRIu64 "]", element->count);
    } else if (type->kind == DEBUG_VECTOR) {
        value_print_type(type->element, stream);
        fprintf(stream, "%" PRIu64, type->count);
    } else {
        fputs(type->kind < sizeof heads / sizeof *heads && heads[type->kind] ? heads[type->kind] : "void",
              stream);
    }
}

/* Prints as few digits as give the same number when they are read. */
static void print_real(double real, uint64_t bytes, FILE *stream)
{
    char text[REAL_TEXT];
    real_text(real, bytes, text);
    fputs(text, stream);
}

static void print_character(int64_t value, FILE *stream)
{
    if (value >= 32 && value < 127 && value != '\'' && value != '\\')
        fprintf(stream, " '%c'", (int)value);
}

static void print_enum(const struct debug_value *value, FILE *stream)
{
    const int64_t number = value_integer(value);
    for (uint32_t i = 0; i < value->type->enumerator_count; i++) {
        if (value->type->enumerators[i].value == number) {
            fprintf(stream, "%s", value->type->enumerators[i].name);
            return;
        }
    }
    fprintf(stream, "%" PRId64, number);
}

static void print_scalar(const struct debug_value *value, FILE *stream)
{
    const int64_t integer = value_integer(value);
    switch (value->type->kind) {
    case DEBUG_BOOL: fputs(integer ? "true" : "false", stream); break;
    case DEBUG_INTEGER: fprintf(stream, "%" PRId64, integer); break;
    case DEBUG_UNSIGNED: fprintf(stream, "%" PRIu64, (uint64_t)integer); break;
    case DEBUG_FLOAT: print_real(value_double(value), value->type->size, stream); break;
    case DEBUG_ENUM: print_enum(value, stream); break;
    case DEBUG_POINTER: fprintf(stream, integer ? "0x%" PRIx64 : "NULL", (uint64_t)integer); break;
    default: fputs("void", stream);
    }
    if (value->type->size == 1 && (value->type->kind == DEBUG_INTEGER || value->type->kind == DEBUG_UNSIGNED))
        print_character(integer, stream);
}

/* Makes element or member i of a value: an lvalue, or a copy of its bytes. */
static bool part_of(const struct debug_value *value, uint64_t i, struct debug_value *out)
{
    const struct debug_type *type = value->type;
    const bool is_record = type->kind == DEBUG_STRUCT || type->kind == DEBUG_UNION;
    const uint64_t offset = is_record ? type->members[i].offset : i * type->element->size;
    *out = (struct debug_value){.type = is_record ? type->members[i].type : type->element,
                                .lvalue = value->lvalue,
                                .address = value->address + offset};
    if (!value->lvalue && offset + out->type->size > VALUE_BYTES)
        return false;
    if (!value->lvalue)
        memcpy(out->bytes, value->bytes + offset, out->type->size);
    return true;
}

static void print_any(const struct view *view, const struct debug_value *value, uint32_t depth, FILE *stream);

static void print_parts(const struct view *view, const struct debug_value *value, uint32_t depth,
                        FILE *stream)
{
    const struct debug_type *type = value->type;
    const bool is_record = type->kind == DEBUG_STRUCT || type->kind == DEBUG_UNION;
    const uint64_t count = is_record ? type->member_count : type->count;
    fputc(type->kind == DEBUG_VECTOR ? '(' : '{', stream);
    for (uint64_t i = 0; i < count; i++) {
        struct debug_value part;
        if (i)
            fputs(", ", stream);
        if (i == SHOWN_ELEMENTS || depth > SHOWN_DEPTH || !part_of(value, i, &part)) {
            fputs("...", stream);
            break;
        }
        if (is_record)
            fprintf(stream, "%s = ", type->members[i].name ? type->members[i].name : "");
        print_any(view, &part, depth + 1, stream);
    }
    fputc(type->kind == DEBUG_VECTOR ? ')' : '}', stream);
}

static void print_any(const struct view *view, const struct debug_value *value, uint32_t depth, FILE *stream)
{
    struct debug_value loaded = *value;
    if (value->type->kind == DEBUG_ARRAY || value->type->kind == DEBUG_STRUCT ||
        value->type->kind == DEBUG_UNION || value->type->kind == DEBUG_VECTOR)
        print_parts(view, value, depth, stream);
    else if (!value_load(view, &loaded))
        fprintf(stream, "<cannot be read at 0x%" PRIx64 ">", value->address);
    else if (value->lvalue && value_memory_undefined(view, value->address, value->type->size))
        fputs("<uninitialised>", stream);
    else
        print_scalar(&loaded, stream);
}

void value_write(const struct view *view, const struct debug_value *value, FILE *stream)
{
    print_any(view, value, 0, stream);
}

uint32_t value_children(const struct debug_value *value)
{
    const struct debug_type *type = value->type;
    switch (type->kind) {
    case DEBUG_STRUCT:
    case DEBUG_UNION: return type->member_count;
    case DEBUG_ARRAY:
    case DEBUG_VECTOR: return (uint32_t)type->count;
    case DEBUG_POINTER: return type->element->kind != DEBUG_VOID;
    default: return 0;
    }
}
