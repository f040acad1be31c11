/* SPDX-License-Identifier: Apache-2.0 */
/* Memory as units of a size and format, and the instructions around the one that runs. Bytes come from
 * the engine as hexadecimal text. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"
#include "tools/tools.h"

/* Finds the address that an expression means: of an lvalue that is no pointer its own, else its value. */
static bool address_of(struct terminal *t, const char *expression, json_int_t *out_address,
                       json_int_t *out_size)
{
    json_t *value = terminal_evaluate(t, expression, false);
    if (!value)
        return false;
    const json_t *target = json_object_get(value, "points_to"), *own = json_object_get(value, "address"),
                 *bits = json_object_get(value, "bits");
    const json_t *address = target ? target : own && !bits ? own : bits;
    *out_address = json_integer_value(address);
    *out_size = NUMBER(value, "size");
    json_decref(value);
    if (!address)
        terminal_refuse(t, "the expression is no address");
    return address != NULL;
}

static uint64_t unit_value(const char *hex, size_t size)
{
    uint64_t value = 0;
    for (size_t k = size; k-- > 0;) {
        const char pair[3] = {hex[2 * k], hex[2 * k + 1], '\0'};
        value = value << 8 | strtoul(pair, NULL, 16);
    }
    return value;
}

static void print_binary(FILE *out, uint64_t bits)
{
    int top = 63;
    while (top && !(bits >> top & 1))
        top--;
    for (; top >= 0; top--)
        fputc('0' + (int)(bits >> top & 1), out);
}

static void print_unit(struct terminal *t, uint64_t value, size_t size, char format)
{
    const int64_t signed_value = (int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size);
    float single;
    double real;
    memcpy(&single, &value, sizeof single);
    memcpy(&real, &value, sizeof real);
    switch (format) {
    case 'd': fprintf(t->out, "\t%" PRId64, signed_value); break;
    case 'u': fprintf(t->out, "\t%" PRIu64, value); break;
    case 'o': fprintf(t->out, "\t0%" PRIo64, value); break;
    case 'f': fprintf(t->out, "\t%.9g", size == 8 ? real : (double)single); break;
    case 'c':
        fprintf(t->out, isprint((int)(value & 127)) && value < 127 ? "\t'%c'" : "\t'\\%o'",
                (int)(value & 255));
        break;
    case 't':
        fputc('\t', t->out);
        print_binary(t->out, value);
        break;
    default: fprintf(t->out, "\t0x%0*" PRIx64, (int)size * 2, value);
    }
}

static void examine(struct terminal *t, json_int_t address, json_int_t count, size_t size, char format)
{
    json_t *answer =
        terminal_ask(t, "read", json_pack("{s:I,s:I}", "address", address, "size", count * (json_int_t)size));
    if (!answer)
        return;
    const char *hex = TEXT(answer, "bytes");
    const size_t units = strlen(hex) / 2 / size, row = 16 / size;
    for (size_t i = 0; i < units; i++) {
        if (i % row == 0)
            fprintf(t->out, "%s0x%" PRIx64 ":", i ? "\n" : "", (uint64_t)address + i * size);
        print_unit(t, unit_value(hex + 2 * i * size, size), size, format);
    }
    if (units)
        fputc('\n', t->out);
    if ((json_int_t)units < count)
        terminal_refuse(t, "cannot read memory at 0x%" PRIx64, (uint64_t)address + units * size);
    json_decref(answer);
}

void do_examine(struct terminal *t, const char *arguments)
{
    json_int_t count = 1, address, bytes;
    size_t size = 4;
    char format = 'x';
    if (*arguments == '/') {
        char *end;
        arguments++;
        const long given = strtol(arguments, &end, 10);
        count = given > 0 ? given : 1;
        for (arguments = end; *arguments && !isspace((unsigned char)*arguments); arguments++) {
            const char *unit = strchr("bhwg", *arguments);
            if (unit)
                size = (size_t)1 << (unit - strchr("bhwg", 'b'));
            else
                format = *arguments;
        }
        while (isspace((unsigned char)*arguments))
            arguments++;
    }
    if (!strchr("xduotfc", format)) {
        terminal_refuse(t, "found format '%c', expected one of d u x o t c f", format);
        return;
    }
    if (terminal_needs_expression(t, arguments) && address_of(t, arguments, &address, &bytes))
        examine(t, address, count, size, format);
}

/* Takes a size, "16", off the end of "EXPRESSION 16"; 0: there is none. */
static json_int_t take_size(char *text)
{
    char *space = strrchr(text, ' '), *end;
    const json_int_t size = space ? (json_int_t)strtoull(space + 1, &end, 0) : 0;
    if (!size || *end || !isalnum((unsigned char)space[1]))
        return 0;
    *space = '\0';
    return size;
}

static void dump(struct terminal *t, const char *arguments, json_int_t base)
{
    char *text = strdup(arguments), *end;
    if (!text)
        tools_no_memory();
    const json_int_t given = take_size(text), address = (json_int_t)strtoull(text, &end, 0);
    json_int_t place, bytes;
    if (end != text && !*end)
        examine(t, base + address, given ? given : 8, 1, 'x');
    else if (terminal_needs_expression(t, text) && address_of(t, text, &place, &bytes))
        examine(t, place, given ? given : 8, 1, 'x');
    free(text);
}

void do_global_memory(struct terminal *t, const char *arguments)
{
    dump(t, arguments, 0);
}

/* Addresses below the private base are offsets in the work-item's private memory. */
void do_private_memory(struct terminal *t, const char *arguments)
{
    const json_int_t base = INT64_C(0x4000000000010000);
    dump(t, arguments, strtoull(arguments, NULL, 0) >= (uint64_t)base ? 0 : base);
}

/* Prints bytecode, and each SPIR-V instruction once, above the bytecode that carries it out. */
void do_disassemble(struct terminal *t, const char *arguments)
{
    (void)arguments;
    json_t *answer = terminal_ask(t, "disassemble",
                                  json_pack("{s:i,s:i,s:b}", "start", -8, "count", 24, "relative", true));
    const json_t *list = json_object_get(answer, "list");
    json_int_t word = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        if (TEXT(row, "spirv") && NUMBER(row, "word") != word)
            fprintf(t->out, "          %s\n", TEXT(row, "spirv"));
        word = NUMBER(row, "word") ? NUMBER(row, "word") : word;
        fprintf(t->out, "%s %5" PRId64 "  %s\n", json_is_true(json_object_get(row, "here")) ? "=>" : "  ",
                (int64_t)NUMBER(row, "index"), TEXT(row, "text"));
    }
    json_decref(answer);
}
