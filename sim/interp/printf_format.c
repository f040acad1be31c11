/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printf of OpenCL C (3.0, 6.15.14): the format is read from memory, each conversion is spelt for the C
 * library with the length modifier that fits, vectors component by component. A directive that cannot be
 * converted is printed unchanged, and so is the text between them; the sign of a NaN is left out, as it
 * differs between machines.
 */
#include "printf_format.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "half.h"

enum { FIELD_MAX = 4096, STRING_MAX = 65536 }; /* longest width or precision; longest text read from memory */
enum { MISUSE_CHARS = 200, SPELLING_CHARS = 24 };
enum argument_kind { ARGUMENT_INTEGER, ARGUMENT_FLOAT, ARGUMENT_POINTER };

struct printf_text {
    char *bytes;
    size_t size, room;
    bool cut; /* no memory for the rest */
};

struct printf_argument {
    enum argument_kind kind;
    uint32_t bytes, components;
    const uint32_t *slots;
};

/* A conversion as the format spells it. */
struct printf_conversion {
    char flags[8];
    int width, precision; /* -1: none */
    uint32_t vector;      /* 0: scalar */
    uint32_t length;      /* bytes by the length modifier; 0: none */
    char letter;
};

struct printf_printer {
    const struct insn *insn;
    const uint8_t *frame;
    struct wave *wave;
    uint32_t lane;
    const uint32_t *descriptors, *slots; /* what is left of the arguments */
    uint32_t left;
    struct printf_text text;
    char misuse[MISUSE_CHARS],
        instead[MISUSE_CHARS]; /* the first conversion that its argument does not fit */
};

/* ---- text ----------------------------------------------------------------------- */

static void append(struct printf_text *text, const char *bytes, size_t size)
{
    if (size == 0) /* there may be no memory yet */
        return;
    if (text->size + size > text->room) {
        const size_t room = 2 * (text->size + size) + 64;
        char *grown = realloc(text->bytes, room);
        text->cut |= !grown;
        if (!grown)
            return;
        text->bytes = grown;
        text->room = room;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

/* A string in device memory up to its end, or to where nothing may be read. NULL: not even its start. */
static char *read_string(struct printf_printer *p, uint64_t address)
{
    const struct region *region = memory_region(p->wave->memory, address);
    if (address < region->low || address >= region->high ||
        memory_denied(region, address, 1) & DENY_KERNEL_READ)
        return NULL;
    const uint64_t room = region->high - address < STRING_MAX ? region->high - address : STRING_MAX;
    char *copy = strndup((const char *)memory_byte(region, address), room);
    p->text.cut |= !copy;
    return copy;
}

/* ---- arguments ---------------------------------------------------------------------- */

static bool next_argument(struct printf_printer *p, struct printf_argument *out)
{
    if (!p->left)
        return false;
    const uint32_t descriptor = *p->descriptors++;
    *out = (struct printf_argument){(enum argument_kind)(descriptor & 0xff), descriptor >> 8 & 0xff,
                                    descriptor >> 16, p->slots};
    p->slots += out->components;
    p->left--;
    return true;
}

static uint64_t argument_bits(const struct printf_printer *p, const struct printf_argument *argument,
                              uint32_t component)
{
    uint64_t bits = 0;
    if (component < argument->components)
        memcpy(&bits, p->frame + argument->slots[component] + p->lane * argument->bytes, argument->bytes);
    return bits;
}

static double argument_double(const struct printf_argument *argument, uint64_t bits)
{
    double x;
    if (argument->kind != ARGUMENT_FLOAT)
        return (double)(int64_t)bits;
    if (argument->bytes == 2)
        return half_to_float((uint16_t)bits);
    if (argument->bytes == 4)
        return bits_float((uint32_t)bits);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- one conversion ---------------------------------------------------------------------- */

static const char *parse_number(const char *at, int *out)
{
    int value = 0;
    while (*at >= '0' && *at <= '9') {
        value = value * 10 + (*at++ - '0');
        if (value > FIELD_MAX)
            value = FIELD_MAX;
    }
    *out = value;
    return at;
}

static const char *parse_flags(const char *at, struct printf_conversion *c)
{
    size_t count = 0;
    while (*at && strchr("-+ #0", *at)) {
        if (!strchr(c->flags, *at) && count + 1 < sizeof c->flags)
            c->flags[count++] = *at;
        at++;
    }
    return at;
}

static const char *parse_length(const char *at, struct printf_conversion *c)
{
    static const struct {
        const char *name;
        uint32_t bytes;
    } lengths[] = {{"hh", 1}, {"hl", 4}, {"h", 2}, {"l", 8}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (!strncmp(at, lengths[i].name, strlen(lengths[i].name))) {
            c->length = lengths[i].bytes;
            return at + strlen(lengths[i].name);
        }
    return at;
}

static bool is_vector_size(int count)
{
    switch (count) {
    case 2:
    case 3:
    case 4:
    case 8:
    case 16: return true;
    default: return false;
    }
}

/* After the percent sign. NULL: no conversion of OpenCL C. */
static const char *parse_conversion(const char *at, struct printf_conversion *c)
{
    *c = (struct printf_conversion){.width = -1, .precision = -1};
    at = parse_flags(at, c);
    if (*at >= '1' && *at <= '9')
        at = parse_number(at, &c->width);
    if (*at == '.')
        at = parse_number(at + 1, &c->precision);
    if (*at == 'v') {
        int count;
        at = parse_number(at + 1, &count);
        if (!is_vector_size(count))
            return NULL;
        c->vector = (uint32_t)count;
    }
    at = parse_length(at, c);
    if (!*at || !strchr("diouxXfFeEgGaAcsp", *at) || (c->vector && strchr("csp", *at)))
        return NULL;
    c->letter = *at;
    return at + 1;
}

/* The same conversion for the C library, with its own length modifier. */
static void spell(const struct printf_conversion *c, const char *length, char letter, char out[64])
{
    char width[16] = "", precision[16] = "";
    if (c->width >= 0)
        snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(out, 64, "%%%s%s%s%s%c", c->flags, width, precision, length, letter);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#define APPEND_AS(text, format, ...)                                                                 \
    do {                                                                                             \
        char field_[2 * FIELD_MAX + 512];                                                            \
        const int size_ = snprintf(field_, sizeof field_, format, __VA_ARGS__);                      \
        if (size_ > 0)                                                                               \
            append(text, field_, (size_t)size_ < sizeof field_ ? (size_t)size_ : sizeof field_ - 1); \
    } while (0)

static uint64_t cut(uint64_t bits, uint32_t bytes, bool is_signed)
{
    const uint32_t unused = 64 - 8 * bytes;
    return is_signed ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits << unused >> unused;
}

static void print_integer(struct printf_printer *p, const struct printf_conversion *c,
                          const struct printf_argument *argument, uint64_t bits)
{
    const uint32_t bytes = c->length && c->length < argument->bytes ? c->length : argument->bytes;
    char format[64];
    spell(c, "ll", c->letter, format);
    APPEND_AS(&p->text, format, (long long)cut(bits, bytes, c->letter == 'd' || c->letter == 'i'));
}

/* The sign of a NaN has no meaning and differs between machines. */
static void print_float(struct printf_printer *p, const struct printf_conversion *c,
                        const struct printf_argument *argument, uint64_t bits)
{
    const double x = argument_double(argument, bits);
    char format[64];
    spell(c, "", c->letter, format);
    APPEND_AS(&p->text, format, x != x ? __builtin_nan("") : x);
}

static void print_pointer(struct printf_printer *p, const struct printf_conversion *c, uint64_t address)
{
    char digits[32], format[64];
    const struct printf_conversion plain = {
        .width = c->width, .precision = -1, .flags = {strchr(c->flags, '-') ? '-' : 0}};
    snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)address);
    spell(&plain, "", 's', format);
    APPEND_AS(&p->text, format, digits);
}

static void print_character(struct printf_printer *p, const struct printf_conversion *c, uint64_t bits)
{
    char format[64];
    spell(c, "", 'c', format);
    APPEND_AS(&p->text, format, (int)(unsigned char)bits);
}

static void print_string(struct printf_printer *p, const struct printf_conversion *c,
                         const struct printf_argument *argument, uint64_t address)
{
    char *string = argument->kind == ARGUMENT_POINTER ? read_string(p, address) : NULL;
    const char *shown = string ? string : address ? "(not a string)" : "(null)";
    const size_t length = strlen(shown),
                 size = c->precision >= 0 && (size_t)c->precision < length ? (size_t)c->precision : length;
    const size_t padding = c->width > 0 && (size_t)c->width > size ? (size_t)c->width - size : 0;
    const bool left = strchr(c->flags, '-');
    for (size_t i = 0; !left && i < padding; i++)
        append(&p->text, " ", 1);
    append(&p->text, shown, size);
    for (size_t i = 0; left && i < padding; i++)
        append(&p->text, " ", 1);
    free(string);
}
#pragma GCC diagnostic pop

static void print_value(struct printf_printer *p, const struct printf_conversion *c,
                        const struct printf_argument *argument, uint32_t component)
{
    const uint64_t bits = argument_bits(p, argument, component);
    switch (c->letter) {
    case 'c': print_character(p, c, bits); break;
    case 's': print_string(p, c, argument, bits); break;
    case 'p': print_pointer(p, c, bits); break;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X': print_integer(p, c, argument, bits); break;
    default: print_float(p, c, argument, bits); break;
    }
}

/* ---- misuse ----------------------------------------------------------------------------- */

/* "a vector of 3 floats" */
static void say_given(const struct printf_argument *argument, char *out, size_t size)
{
    static const char *const numbers[2][9] = {
        [ARGUMENT_INTEGER] = {[1] = "char", [2] = "short", [4] = "int", [8] = "long"},
        [ARGUMENT_FLOAT] = {[2] = "half", [4] = "float", [8] = "double"}};
    const bool number = argument->kind != ARGUMENT_POINTER;
    const char *name = number && argument->bytes <= 8 ? numbers[argument->kind][argument->bytes] : NULL;
    if (argument->components > 1)
        snprintf(out, size, "a vector of %" PRIu32 " %ss", argument->components, name ? name : "pointer");
    else if (argument->kind == ARGUMENT_FLOAT) /* a float is a double there */
        snprintf(out, size, "a floating-point value");
    else
        snprintf(out, size, "%s %s", name && name[0] == 'i' ? "an" : "a", name ? name : "pointer");
}

static void say_taken(const struct printf_conversion *c, bool real, char *out, size_t size)
{
    if (c->vector)
        snprintf(out, size, "a vector of %" PRIu32 " %s", c->vector,
                 real ? "floating-point values" : "integers");
    else
        snprintf(out, size, "%s",
                 real               ? "a floating-point value"
                 : c->letter == 's' ? "a string"
                 : c->letter == 'p' ? "a pointer"
                 : c->length == 8   ? "a long"
                                    : "an int");
}

static void say_fitting(const struct printf_argument *argument, char out[SPELLING_CHARS])
{
    const bool vector = argument->components > 1, real = argument->kind == ARGUMENT_FLOAT;
    static const char *const lengths[9] = {[1] = "hh", [2] = "h", [4] = "hl", [8] = "l"};
    char components[12] = "";
    if (vector)
        snprintf(components, sizeof components, "v%" PRIu32, argument->components);
    snprintf(out, SPELLING_CHARS, "%%%s%s%c", components,
             vector                          ? lengths[argument->bytes]
             : argument->bytes == 8 && !real ? "l"
                                             : "",
             real ? 'f' : 'd');
}

/* OpenCL C 3.0, 6.15.14. Of an integer that is longer than its conversion devices print a part, too. */
static bool fits(const struct printf_conversion *c, const struct printf_argument *argument)
{
    const bool real = strchr("fFeEgGaA", c->letter), pointer = c->letter == 's' || c->letter == 'p';
    if (argument->components != (c->vector ? c->vector : 1))
        return false;
    if (pointer || argument->kind == ARGUMENT_POINTER)
        return pointer == (argument->kind == ARGUMENT_POINTER);
    if (real != (argument->kind == ARGUMENT_FLOAT))
        return false;
    return c->vector ? !c->length || c->length == argument->bytes
                     : real || c->length != 8 || argument->bytes == 8;
}

static void note_misuse(struct printf_printer *p, const struct printf_conversion *c, const char *spelling,
                        const struct printf_argument *argument)
{
    char taken[48], given[48], fitting[SPELLING_CHARS];
    const bool real = strchr("fFeEgGaA", c->letter);
    const uint32_t number = p->insn->f - p->left;
    if (p->misuse[0] || fits(c, argument))
        return;
    say_taken(c, real, taken, sizeof taken);
    say_given(argument, given, sizeof given);
    snprintf(p->misuse, sizeof p->misuse, "%s takes %s, and argument %" PRIu32 " after the format is %s",
             spelling, taken, number, given);
    if (argument->kind == ARGUMENT_POINTER) {
        snprintf(p->instead, sizeof p->instead, "print what it points to, or write %%p");
        return;
    }
    say_fitting(argument, fitting);
    snprintf(p->instead, sizeof p->instead, "write %s, or convert the argument", fitting);
}

/* Of a directive that is no conversion: as much as was probably meant for one. */
static size_t directive_length(const char *percent)
{
    size_t length = 1 + strspn(percent + 1, "-+ #0123456789.*");
    length += strspn(percent + length, "hljztLqI64");
    return length + (isalpha((unsigned char)percent[length]) ? 1 : 0);
}

static void note_no_conversion(struct printf_printer *p, const char *spelling)
{
    const bool star = strchr(spelling, '*'), sized = strpbrk(spelling, "ljztLqI");
    if (p->misuse[0])
        return;
    snprintf(p->misuse, sizeof p->misuse, "'%s' is no conversion of OpenCL C", spelling);
    snprintf(p->instead, sizeof p->instead, "%s",
             star    ? "write width and precision as numbers: OpenCL C has no '*'"
             : sized ? "%ld and %lu are for long and size_t"
                     : "%% is a percent sign");
}

/* A directive that cannot be converted is printed unchanged. */
static const char *print_conversion(struct printf_printer *p, const char *percent)
{
    struct printf_conversion c;
    struct printf_argument argument;
    const char *end = parse_conversion(percent + 1, &c);
    char spelling[SPELLING_CHARS];
    const size_t length = end ? (size_t)(end - percent) : directive_length(percent);
    snprintf(spelling, sizeof spelling, "%.*s", (int)(length < sizeof spelling ? length : sizeof spelling),
             percent);
    if (!end) {
        note_no_conversion(p, spelling);
        append(&p->text, percent, 1);
        return percent + 1;
    }
    if (!next_argument(p, &argument)) {
        if (!p->misuse[0])
            snprintf(p->misuse, sizeof p->misuse, "there is no argument for %s", spelling);
        append(&p->text, percent, (size_t)(end - percent));
        return end;
    }
    note_misuse(p, &c, spelling, &argument);
    for (uint32_t k = 0; k < (c.vector ? c.vector : 1); k++) {
        if (k)
            append(&p->text, ",", 1);
        print_value(p, &c, &argument, k);
    }
    return end;
}

static void print_format(struct printf_printer *p, const char *format)
{
    while (*format) {
        const size_t plain = strcspn(format, "%");
        append(&p->text, format, plain);
        format += plain;
        if (format[0] == '%' && format[1] == '%') {
            append(&p->text, "%", 1);
            format += 2;
        } else if (*format) {
            format = print_conversion(p, format);
        }
    }
}

/* Was there room for it? */
static bool print_lane(struct printf_printer *p, const char *format, uint32_t lane)
{
    const uint32_t *list = &p->wave->code->operands[p->insn->d];
    p->lane = lane;
    p->left = p->insn->f;
    p->descriptors = list + 1;
    p->slots = p->descriptors + p->insn->f;
    p->text.size = 0;
    print_format(p, format);
    const char *text = p->text.bytes ? p->text.bytes : "";
    return p->wave->host->print(p->wave->host->self, p->wave, p->text.cut ? NULL : text, p->text.size);
}

static void report_misuse(const struct printf_printer *p, uint32_t lane, uint32_t lanes)
{
    const struct fault fault = {.kind = FAULT_PRINTF,
                                .site = p->insn->e,
                                .lane = lane,
                                .lanes = lanes,
                                .continues = true,
                                .misuse = p->misuse,
                                .instead = p->instead[0] ? p->instead : NULL};
    p->wave->host->fault(p->wave->host->self, p->wave, &fault);
}

/* OpenCL C 3.0, 6.15.14: printf returns 0, or -1 when it fails. Text that does not fit is not made either. */
void printf_lanes(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    const struct wave_host *host = wave->host;
    struct printf_printer printer = {.insn = insn, .frame = frame, .wave = wave};
    int32_t result[WAVE_LANES_MAX] = {0}; /* its place in the frame may be that of an operand */
    uint64_t address;
    memcpy(&address, frame + wave->code->operands[insn->d], sizeof address);
    const lane_mask active = wave->active;
    char *format = read_string(&printer, address);
    if (printer.text.cut)
        host->print(host->self, wave, NULL, 0);
    uint32_t first = 0, count = 0;
    for (uint32_t lane = wave->lane_count; lane-- > 0;) {
        first = lane_mask_test(&active, lane) ? lane : first;
        count += lane_mask_test(&active, lane);
    }
    for (uint32_t lane = 0; lane < wave->lane_count; lane++)
        if (lane_mask_test(&active, lane))
            result[lane] =
                format && host->may_print(host->self) && print_lane(&printer, format, lane) ? 0 : -1;
    if (printer.misuse[0])
        report_misuse(&printer, first, count);
    memcpy(frame + insn->a, result, wave->n * sizeof *result);
    free(printer.text.bytes);
    free(format);
}
