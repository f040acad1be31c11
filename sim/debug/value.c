/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values: bytes of memory by type. Private memory is the wave's, four bytes of each lane beside those of the
 * next; all other addresses are the device's. Bytes in no allocation cannot be read: that is a result, not a
 * fault.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "debugger.h"
#include "sim/base/real_text.h"
#include "sim/device/device_state.h"

/* REPEATS: so many equal elements are printed once; LOOKED_AT: of an array, at most. */
enum { SHOWN_ELEMENTS = 200, SHOWN_DEPTH = 6, REPEATS = 10, LOOKED_AT = 4096 };

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

struct debug_value value_component(const struct debug_value *value, uint64_t k)
{
    const bool is_vector = value->type->kind == DEBUG_VECTOR;
    struct debug_value part = {.type = is_vector ? value->type->element : value->type};
    memcpy(part.bytes, value->bytes + (is_vector ? k * part.type->size : 0), part.type->size);
    return part;
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

/* clang describes an image or a pipe as a pointer to a struct without members, as opencl_image2d_ro_t. */
static bool is_opaque(const struct debug_type *type)
{
    return type->kind == DEBUG_POINTER && type->element->kind == DEBUG_STRUCT &&
           !type->element->member_count && type->element->name &&
           !strncmp(type->element->name, "opencl_", strlen("opencl_"));
}

/* "read_only image2d_t" */
static void print_opaque(const struct debug_type *type, FILE *stream)
{
    static const char *const accesses[][2] = {
        {"_ro_t", "read_only"}, {"_wo_t", "write_only"}, {"_rw_t", "read_write"}};
    const char *name = type->element->name + strlen("opencl_");
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        const size_t end = strlen(accesses[i][0]);
        if (length <= end || strcmp(name + length - end, accesses[i][0]) != 0)
            continue;
        fprintf(stream, "%s %.*s_t", accesses[i][1], (int)(length - end), name);
        return;
    }
    fprintf(stream, "%s%s", name, length > 2 && !strcmp(name + length - 2, "_t") ? "" : "_t");
}

void value_print_type(const struct debug_type *type, FILE *stream)
{
    static const char *const spaces[] = {"global ", "constant ", "local ", "private ", ""};
    static const char *const heads[] = {
        [DEBUG_STRUCT] = "struct", [DEBUG_UNION] = "union", [DEBUG_ENUM] = "enum"};
    if (type->name && !(type->kind == DEBUG_POINTER))
        fprintf(stream, "%s", type->name);
    else if (type->kind == DEBUG_POINTER && type->name)
        fprintf(stream, "%s", type->name);
    else if (is_opaque(type))
        print_opaque(type, stream);
    else if (type->kind == DEBUG_POINTER) {
        fprintf(stream, "%s", spaces[type->storage]);
        value_print_type(type->element, stream);
        fputs(type->is_reference ? " &" : " *", stream);
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

static const struct debug_type *without_pointers(const struct debug_type *type)
{
    while ((type->kind == DEBUG_POINTER || type->kind == DEBUG_ARRAY) && !type->name && type->element &&
           !is_opaque(type))
        type = type->element;
    return type;
}

/* "NAME" with what surrounds it in a declaration: "global int *NAME", "int NAME[4]". */
static void print_declaration(const struct debug_type *type, const char *name, FILE *stream)
{
    const struct debug_type *element = type;
    while (element->kind == DEBUG_ARRAY && !element->name)
        element = element->element;
    value_print_type(element, stream);
    fprintf(stream, "%s%s", element->kind == DEBUG_POINTER && !element->name ? "" : " ", name);
    for (element = type; element->kind == DEBUG_ARRAY && !element->name; element = element->element)
        fprintf(stream, "[%" PRIu64 "]", element->count);
}

static void print_members(const struct debug_type *type, FILE *stream)
{
    fputs(" {\n", stream);
    for (uint32_t i = 0; i < type->member_count; i++) {
        fputs("    ", stream);
        print_declaration(type->members[i].type, type->members[i].name ? type->members[i].name : "", stream);
        fputs(";\n", stream);
    }
    fputc('}', stream);
}

/* What a typedef stands for: of numbers OpenCL C's own type. */
static void print_underlying(const struct debug_type *type, FILE *stream)
{
    struct debug_type plain = *type;
    const bool is_number = type->kind >= DEBUG_INTEGER && type->kind <= DEBUG_FLOAT;
    if (type->kind == DEBUG_POINTER || type->kind == DEBUG_ARRAY || type->kind == DEBUG_VECTOR)
        plain.name = NULL;
    for (size_t i = sizeof basic_types / sizeof *basic_types; is_number && i-- > 0;) /* ulong, not size_t */
        if (type->name && !value_basic_type(type->name) && basic_types[i].kind == type->kind &&
            basic_types[i].size == type->size)
            plain.name = basic_types[i].name;
    value_print_type(&plain, stream);
}

void value_print_definition(const struct debug_type *type, FILE *stream)
{
    const struct debug_type *base = without_pointers(type);
    print_underlying(type, stream);
    if (base != type &&
        (base->kind == DEBUG_STRUCT || base->kind == DEBUG_UNION || base->kind == DEBUG_ENUM)) {
        fputc('\n', stream);
        value_print_type(base, stream);
    }
    if (base->kind == DEBUG_STRUCT || base->kind == DEBUG_UNION)
        print_members(base, stream);
    for (uint32_t i = 0; base->kind == DEBUG_ENUM && i < base->enumerator_count; i++)
        fprintf(stream, "%s%s = %" PRId64 "%s", i ? ", " : " {", base->enumerators[i].name,
                base->enumerators[i].value, i + 1 == base->enumerator_count ? "}" : "");
}

static void print_binary(uint64_t bits, FILE *stream)
{
    int top = 63;
    while (top && !(bits >> top & 1))
        top--;
    for (; top >= 0; top--)
        fputc('0' + (int)(bits >> top & 1), stream);
}

/* Prints the bits of a number in one of FORMATS. False: this format prints it by its type. */
static bool print_bits(const struct debug_value *value, char format, FILE *stream)
{
    uint64_t bits = 0;
    const bool real = value->type->kind == DEBUG_FLOAT;
    const uint64_t size = value->type->size < sizeof bits ? value->type->size : sizeof bits;
    const bool by_type = format == 'f' || format == 's' || (format == 'X' && real);
    if (!format || by_type || value->type->kind == DEBUG_VOID)
        return false;
    memcpy(&bits, value->bytes, size);
    const int64_t extended = size ? (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size) : 0;
    switch (format) {
    case 'o': fprintf(stream, "0%" PRIo64, bits); break;
    case 'u': fprintf(stream, "%" PRIu64, bits); break;
    case 'd': fprintf(stream, "%" PRId64, extended); break;
    case 't': print_binary(bits, stream); break;
    case 'c':
        fprintf(stream, isprint((int)(bits & 255)) && bits < 127 ? "'%c'" : "'\\%o'", (int)(bits & 255));
        break;
    default: fprintf(stream, "0x%" PRIx64, bits);
    }
    return true;
}

static void print_scalar(const struct debug_value *value, char format, FILE *stream)
{
    const int64_t integer = value_integer(value);
    if (print_bits(value, format, stream))
        return;
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

/* The text of element i; malloc'd. NULL: it is not shown. */
static char *element_text(const struct view *view, const struct debug_value *value, uint64_t i,
                          uint32_t depth)
{
    struct debug_value part;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = i < LOOKED_AT && part_of(value, i, &part) ? open_memstream(&text, &size) : NULL;
    if (!stream)
        return NULL;
    print_any(view, &part, depth + 1, stream);
    fclose(stream);
    return text;
}

/* Equal elements that follow one another are printed once, if they are many. */
static void print_elements(const struct view *view, const struct debug_value *value, uint32_t depth,
                           FILE *stream)
{
    const uint64_t count = value->type->count;
    uint64_t shown = 0, end;
    for (uint64_t i = 0; i < count; i = end) {
        char *text = shown < SHOWN_ELEMENTS ? element_text(view, value, i, depth) : NULL, *next = NULL;
        for (end = i + 1; text && end < count; end++) {
            next = element_text(view, value, end, depth);
            if (!next || strcmp(next, text) != 0)
                break;
            free(next);
            next = NULL;
        }
        free(next);
        const uint64_t written = end - i < REPEATS || value->type->kind == DEBUG_VECTOR ? 1 : end - i;
        fprintf(stream, "%s%s", i ? ", " : "", text ? text : "...");
        if (written >= REPEATS)
            fprintf(stream, " <repeats %" PRIu64 " times>", written);
        end = text ? i + written : count;
        shown++;
        free(text);
    }
}

static void print_parts(const struct view *view, const struct debug_value *value, uint32_t depth,
                        FILE *stream)
{
    const struct debug_type *type = value->type;
    const bool is_record = type->kind == DEBUG_STRUCT || type->kind == DEBUG_UNION;
    fputc(type->kind == DEBUG_VECTOR ? '(' : '{', stream);
    if (depth > SHOWN_DEPTH)
        fputs("...", stream);
    else if (!is_record)
        print_elements(view, value, depth, stream);
    for (uint32_t i = 0; i < type->member_count && is_record && depth <= SHOWN_DEPTH; i++) {
        struct debug_value part;
        fprintf(stream, "%s%s = ", i ? ", " : "", type->members[i].name ? type->members[i].name : "");
        if (part_of(value, i, &part))
            print_any(view, &part, depth + 1, stream);
        else
            fputs("...", stream);
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
        print_scalar(&loaded, view->format, stream);
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
    case DEBUG_POINTER: return type->element->kind != DEBUG_VOID && !is_opaque(type);
    default: return 0;
    }
}
