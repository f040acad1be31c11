/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of a finding: kind and sentence, kernel and object, the accesses with their lines and units,
 * then labelled paragraphs: why, fix, notes, specification, count. Paragraphs are wrapped at 100 columns or
 * the terminal's width. */
#include "report_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/report_width.h"
#include "report_wrap.h"
#include "sim/base/real_text.h"

const char *report_severity_word(enum severity severity)
{
    return severity == SEVERITY_ERROR ? "error" : severity == SEVERITY_WARNING ? "warning" : "note";
}

const char *report_access_word(const struct finding_access *access)
{
    static const char *const kinds[] = {"load", "store", "atomic load", "atomic store",
                                        "atomic read-modify-write"};
    static const char *const acts[] = {
        [ACT_BARRIER] = "barrier", [ACT_FENCE] = "fence", [ACT_COLLECTIVE] = "collective",
        [ACT_COPY] = "copy",       [ACT_WAIT] = "wait",   [ACT_BRANCH] = "branch",
        [ACT_CALL] = "call"};
    return access->act == ACT_ACCESS ? kinds[access->kind] : acts[access->act];
}

/* ---- text ------------------------------------------------------------------------ */

enum { LINE_COLUMNS = 100, SOURCE_COLUMNS = 40, ACTION_COLUMNS = 32 };

/* A file's name may have characters that a terminal would obey. */
static void make_plain(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 32 || *text == 127)
            *text = '?';
}

void report_place_text(const struct source_place *place, char out[PLACE_CHARS])
{
    const char *file = place->file ? place->file : "?";
    char instruction[INSTRUCTION_CHARS];
    if (!place->line && place->instruction.name) {
        finding_instruction_text(&place->instruction, instruction);
        snprintf(out, PLACE_CHARS, "%s", instruction);
    } else if (!place->line)
        snprintf(out, PLACE_CHARS, "%s", place->file ? place->file : "(no line)");
    else if (!place->column)
        snprintf(out, PLACE_CHARS, "%s:%" PRIu32, file, place->line);
    else
        snprintf(out, PLACE_CHARS, "%s:%" PRIu32 ":%" PRIu32, file, place->line, place->column);
    make_plain(out);
}

/* Of a long line, as of generated code, the part around the column, with dots where it was cut. */
static char *excerpt(const char *text, size_t at)
{
    size_t length = strlen(text), from = at > LINE_COLUMNS / 2 ? at - LINE_COLUMNS / 2 : 0;
    if (length <= LINE_COLUMNS)
        return strdup(text);
    if (from > length - LINE_COLUMNS)
        from = length - LINE_COLUMNS;
    char *part = malloc(LINE_COLUMNS + 7);
    if (part)
        snprintf(part, LINE_COLUMNS + 7, "%s%.*s%s", from ? "..." : "", LINE_COLUMNS, text + from,
                 from + LINE_COLUMNS < length ? "..." : "");
    return part;
}

/* Without indentation, end of line and control characters that a terminal would obey. */
char *report_source_text(const struct source_place *place)
{
    const char *text = place->text ? place->text : "";
    size_t indentation = strspn(text, " \t");
    char *copy = excerpt(text + indentation, place->column > indentation ? place->column - indentation : 0);
    if (!copy)
        return NULL;
    size_t length = strlen(copy);
    while (length && strchr(" \t\r\n", copy[length - 1]))
        copy[--length] = '\0';
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)copy[i] < 32 || copy[i] == 127)
            copy[i] = ' ';
    }
    return copy;
}

static void print_ids(FILE *stream, const uint64_t ids[3])
{
    fprintf(stream, "(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", ids[0], ids[1], ids[2]);
}

static void print_unit(FILE *stream, const struct finding_access *access)
{
    if (access->by)
        fprintf(stream, "%s%s", access->by, access->has_item ? ", " : "");
    else if (!access->has_item)
        fputs("host command", stream);
    if (!access->has_item)
        return;
    fputs("work-item ", stream);
    print_ids(stream, access->item.global_id);
    fprintf(stream, ", sub-group %" PRIu32 ", work-group ", access->item.sub_group);
    print_ids(stream, access->item.group_id);
    fprintf(stream, ", compute unit %" PRIu32, access->item.compute_unit);
}

void report_print_entity(FILE *stream, const struct finding_access *access)
{
    print_unit(stream, access);
    if (access->device)
        fprintf(stream, ", %s", access->device);
}

static bool is_read(enum access_kind kind)
{
    return kind == ACCESS_READ || kind == ACCESS_ATOMIC_READ || kind == ACCESS_ATOMIC_UPDATE;
}

const char *report_number_type_word(enum number_type type)
{
    static const char *const words[] = {
        [NUMBER_HALF] = "half", [NUMBER_FLOAT] = "float", [NUMBER_DOUBLE] = "double"};
    return words[type];
}

static double half_value(uint32_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    if (exponent == 31)
        value = fraction ? NAN : INFINITY;
    return bits >> 15 & 1 ? -value : value;
}

static double number_value(enum number_type type, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float single;
    double number;
    memcpy(&single, &low, sizeof single);
    memcpy(&number, &bits, sizeof number);
    return type == NUMBER_HALF ? half_value(low) : type == NUMBER_FLOAT ? (double)single : number;
}

static void print_number(FILE *stream, enum number_type type, uint64_t bits)
{
    char text[REAL_TEXT];
    real_text(number_value(type, bits), type == NUMBER_HALF ? 2 : type == NUMBER_FLOAT ? 4 : 8, text);
    fputs(text, stream);
}

/* A number and, unless it is a small integer, its bits; of a vector the bits alone. */
static void print_value(FILE *stream, const char *verb, enum number_type type, uint64_t value)
{
    fprintf(stream, ", %s ", verb);
    if (type == NUMBER_VECTOR) {
        fprintf(stream, "0x%" PRIx64, value);
        return;
    }
    if (type != NUMBER_INTEGER)
        print_number(stream, type, value);
    else
        fprintf(stream, "%" PRIu64, value);
    if (type != NUMBER_INTEGER || value > UINT16_MAX)
        fprintf(stream, " (0x%" PRIx64 ")", value);
}

void report_print_action(FILE *stream, const struct finding_access *access)
{
    fputs(access->what && *access->what ? access->what : report_access_word(access), stream);
    if (access->size_bytes)
        fprintf(stream, ", %" PRIu32 " byte%s", access->size_bytes, access->size_bytes == 1 ? "" : "s");
    if (access->has_value)
        print_value(stream, is_read(access->kind) ? "read" : "wrote", access->type, access->value);
    if (access->has_written)
        print_value(stream, "wrote", access->type, access->written);
}

static int padded_width(const char *a, const char *b, int least)
{
    int wide = (int)strlen(a), other = b ? (int)strlen(b) : 0;
    wide = (wide > other ? wide : other) + 2;
    return wide > least ? wide : least;
}

static void print_call(FILE *stream, const struct source_place *caller)
{
    char place[PLACE_CHARS], *source = report_source_text(caller);
    report_place_text(caller, place);
    if (caller->line)
        fprintf(stream, "     called from %s%s%s\n", place, source && *source ? "  " : "",
                source ? source : "");
    free(source);
}

/* "in iteration 4 of the loop at k.cl:6, 2 of k.cl:7" */
static void print_iterations(FILE *stream, const struct finding_access *access)
{
    for (uint32_t i = 0; i < access->iteration_count; i++) {
        char place[PLACE_CHARS];
        const struct finding_iteration *iteration = &access->iterations[i];
        report_place_text(&(struct source_place){.file = iteration->file, .line = iteration->line}, place);
        fprintf(stream, "%s%" PRIu64 " of %s%s", i ? ", " : "     in iteration ", iteration->number,
                i ? "" : "the loop at ", place);
    }
    if (access->iteration_count)
        fputc('\n', stream);
}

/* The calls that led to the access, the kernel's own line last. */
static void print_calls(FILE *stream, const struct finding_access *access)
{
    for (uint32_t i = 0; i < access->call_count; i++)
        print_call(stream, &access->calls[i]);
    print_call(stream, &access->caller);
}

static void print_accesses(FILE *stream, const struct finding *finding)
{
    char place[2][PLACE_CHARS] = {"", ""};
    char *source[2] = {NULL, NULL};
    uint32_t count = finding->access_count < 2 ? finding->access_count : 2;
    for (uint32_t i = 0; i < count; i++) {
        report_place_text(&finding->access[i].place, place[i]);
        source[i] = report_source_text(&finding->access[i].place);
    }
    int place_width = padded_width(place[0], place[1], 0);
    int source_width = padded_width(source[0] ? source[0] : "", source[1], SOURCE_COLUMNS);
    for (uint32_t i = 0; i < count; i++) {
        /* there is no room for the action on the source's line */
        const bool below = place_width + source_width > LINE_COLUMNS - ACTION_COLUMNS;
        fprintf(stream, "  %" PRIu32 "  %-*s%-*s%s", i + 1, place_width, place[i], below ? 0 : source_width,
                source[i] ? source[i] : "", below ? "\n     " : "");
        report_print_action(stream, &finding->access[i]);
        fputs("\n     ", stream);
        report_print_entity(stream, &finding->access[i]);
        fputc('\n', stream);
        if (finding->access[i].values)
            fprintf(stream, "     with %s\n", finding->access[i].values);
        print_iterations(stream, &finding->access[i]);
        print_calls(stream, &finding->access[i]);
        free(source[i]);
    }
}

struct text_page {
    FILE *stream;
    unsigned columns;
};

/* A labelled paragraph, wrapped at words; a newline in the text starts a new line. */
static void print_paragraph(const struct text_page *page, const char *label, const char *text)
{
    FILE *stream = page->stream;
    const int columns = (int)page->columns;
    int column = fprintf(stream, "  %-5s ", label);
    for (bool first = true; *text; first = false) {
        size_t word = strcspn(text, " \n");
        if (!first && column + 1 + (int)word > columns)
            column = fprintf(stream, "\n%8s", "") - 1;
        else if (!first)
            column += fprintf(stream, "%s", " ");
        column += fprintf(stream, "%.*s", (int)word, text);
        text += word;
        if (*text == '\n' && text[1]) {
            column = fprintf(stream, "\n%8s", "") - 1;
            text++;
            word = strcspn(text, " \n");
            column += fprintf(stream, "%.*s", (int)word, text);
            text += word;
        }
        text += *text != '\0';
    }
    fputc('\n', stream);
}

static void print_also(const struct text_page *page, const struct finding *finding)
{
    char text[100];
    uint64_t more = finding->count - 1;
    snprintf(text, sizeof text, "%" PRIu64 " more %s", more,
             finding->access_count > 1 ? more == 1 ? "time at these two places" : "times at these two places"
             : finding->access_count == 1 ? "at this place"
                                          : "like this one");
    print_paragraph(page, "also", text);
}

const char *report_fix_label(const struct finding *finding)
{
    return finding_fix_claim(finding) >= FIX_CLAIM_COMPILES ? "fix" : "advice";
}

/* How certain the fix is, malloc'd: " (compiles; not run again)". NULL: out of memory. */
char *report_fix_claim_text(const struct finding *finding)
{
    const bool image = finding->kind == FINDING_IMAGE_READ_AFTER_WRITE;
    char *text = NULL;
    switch (finding_fix_claim(finding)) {
    case FIX_CLAIM_TRIED:
        return strdup(image ? " (tried: the read then sees what was written)"
                            : " (tried: removes this race)");
    case FIX_CLAIM_COMPILES: return strdup(" (compiles; not run again)");
    case FIX_CLAIM_ORDERS:
        return strdup(image ? " (orders the write before the read; not run again)"
                            : " (orders the two; not run again)");
    case FIX_CLAIM_FAILS:
        return asprintf(&text, " (tried: %s)", finding->fix_note ? finding->fix_note : "it fails") < 0 ? NULL
                                                                                                       : text;
    default: return strdup("");
    }
}

static void print_fix(const struct text_page *page, const struct finding *finding)
{
    char *claim = report_fix_claim_text(finding), *text = NULL;
    if (claim && asprintf(&text, "%s%s", finding->fix, claim) < 0)
        text = NULL;
    print_paragraph(page, report_fix_label(finding), text ? text : finding->fix);
    free(text);
    free(claim);
}

static void print_cause(const struct text_page *page, const struct finding *cause)
{
    char place[PLACE_CHARS], text[PLACE_CHARS + 100];
    report_place_text(&cause->access[0].place, place);
    snprintf(text, sizeof text, "may follow from %s at %s, reported before", finding_id(cause->kind), place);
    print_paragraph(page, "note", text);
}

/* A finding that the fix removes, too: its places, and the object if it is another one. */
static void print_covered(const struct text_page *page, const struct finding *finding,
                          const struct finding *covered)
{
    char first[PLACE_CHARS], second[PLACE_CHARS], text[2 * PLACE_CHARS + 200];
    const char *object = covered->object ? covered->object : "";
    const bool other = *object && (!finding->object || strcmp(finding->object, object) != 0);
    report_place_text(&covered->access[0].place, first);
    report_place_text(&covered->access[covered->access_count > 1].place, second);
    const bool two = strcmp(first, second) != 0;
    snprintf(text, sizeof text, "the fix also removes %s at %s%s%s%s%.150s", finding_id(covered->kind), first,
             two ? " and " : "", two ? second : "", other ? ", " : "", other ? object : "");
    print_paragraph(page, "note", text);
}

static void print_spec(const struct text_page *page, const struct finding *finding)
{
    char text[400];
    snprintf(text, sizeof text, "%s; `orrery explain %s`",
             finding->spec ? finding->spec : finding_spec(finding->kind), finding_id(finding->kind));
    print_paragraph(page, "spec", text);
}

static void print_bytes(FILE *stream, const struct finding *finding)
{
    int64_t first = (int64_t)finding->offset_bytes;
    int64_t size = (int64_t)finding_bytes(finding);
    if (size > 1)
        fprintf(stream, ", bytes %" PRId64 "..%" PRId64, first, first + size - 1);
    else
        fprintf(stream, ", byte %" PRId64, first);
}

static void print_object(FILE *stream, const struct finding *finding)
{
    if (!finding->kernel && !finding->object)
        return;
    fputs("  ", stream);
    if (finding->kernel)
        fprintf(stream, "kernel %s%s", finding->kernel, finding->object ? ", " : "");
    if (finding->object)
        fputs(finding->object, stream);
    if (finding->object && finding->has_offset)
        print_bytes(stream, finding);
    if (finding->object && finding->element)
        fprintf(stream, ": %s", finding->element);
    fputc('\n', stream);
}

/* The lines of the host program: where it gave the source text, and where it enqueued the launch. */
static void print_host(FILE *stream, const struct finding *finding)
{
    char place[PLACE_CHARS];
    report_place_text(&finding->made, place);
    if (finding->source)
        fprintf(stream, "  %s is the text that %s gives to OpenCL\n", finding->source, place);
    report_place_text(&finding->enqueued, place);
    if (finding->host_launch)
        fprintf(stream, "  launch %" PRIu32 "%s%s\n", finding->launch,
                finding->enqueued.line ? ", enqueued at " : "", finding->enqueued.line ? place : "");
}

static void print_finding(const struct text_page *page, const struct finding *finding, bool colour)
{
    FILE *stream = page->stream;
    const char *start = !colour ? "" : finding->severity == SEVERITY_ERROR ? "\033[1;31m" : "\033[1;33m";
    const char *end = colour ? "\033[0m" : "";
    fprintf(stream, "orrery: %s%s: %s%s: %s\n", start, report_severity_word(finding->severity),
            finding_id(finding->kind), end, finding_title(finding));
    print_object(stream, finding);
    print_host(stream, finding);
    if (finding->access_count) {
        fputc('\n', stream);
        print_accesses(stream, finding);
    }
    fputc('\n', stream);
    if (finding->why)
        print_paragraph(page, "why", finding->why);
    if (finding->fix)
        print_fix(page, finding);
    for (uint32_t i = 0; i < finding->covered_count; i++)
        print_covered(page, finding, finding->covered[i]);
    if (finding->cause)
        print_cause(page, finding->cause);
    print_spec(page, finding);
    if (finding->count > 1)
        print_also(page, finding);
}

void report_print_finding(FILE *stream, const struct finding *finding, bool colour)
{
    print_finding(&(struct text_page){stream, LINE_COLUMNS}, finding, colour);
}

void report_print_finding_wide(FILE *stream, const struct finding *finding, bool colour, unsigned columns)
{
    char *text = NULL;
    size_t size = 0;
    FILE *whole = columns ? open_memstream(&text, &size) : NULL;
    if (whole)
        print_finding(&(struct text_page){whole, columns}, finding, colour);
    if (whole && fclose(whole) == 0)
        report_wrap_text(stream, text, columns);
    else
        report_print_finding(stream, finding, colour);
    free(text);
}
