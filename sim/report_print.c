/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two forms of a finding.  Text is for people: what, where, who, why, what to do.
 * JSON lines carry the same fields for programs.
 */
#include "orrery/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *id, *sentence; enum check check; } kinds[FINDING_KIND_COUNT] = {
#define FINDING_ROW(name, id, check, text) [FINDING_##name] = {id, text, CHECK_##check},
    FINDING_LIST(FINDING_ROW)
#undef FINDING_ROW
};

const char *finding_id(enum finding_kind kind)
{
    return kinds[kind].id;
}

const char *finding_sentence(enum finding_kind kind)
{
    return kinds[kind].sentence;
}

enum check finding_check(enum finding_kind kind)
{
    return kinds[kind].check;
}

bool finding_from_id(const char *id, enum finding_kind *out_kind)
{
    for (int i = 0; i < FINDING_KIND_COUNT; i++) {
        if (strcmp(kinds[i].id, id) == 0) {
            *out_kind = (enum finding_kind)i;
            return true;
        }
    }
    return false;
}

static const char *severity_word(enum severity severity)
{
    return severity == SEVERITY_ERROR ? "error" : severity == SEVERITY_WARNING ? "warning" : "note";
}

static const char *access_word(enum access_kind kind)
{
    static const char *const words[] = {"load", "store", "atomic load", "atomic store", "atomic read-modify-write"};
    return words[kind];
}

/* ---- text ------------------------------------------------------------------------ */

enum { LINE_COLUMNS = 100, SOURCE_COLUMNS = 40, PLACE_CHARS = 256 };

static void place_text(const struct source_place *place, char out[PLACE_CHARS])
{
    const char *file = place->file ? place->file : "?";
    if (!place->line)
        snprintf(out, PLACE_CHARS, "%s", place->file ? place->file : "(no line)");
    else if (!place->column)
        snprintf(out, PLACE_CHARS, "%s:%" PRIu32, file, place->line);
    else
        snprintf(out, PLACE_CHARS, "%s:%" PRIu32 ":%" PRIu32, file, place->line, place->column);
}

/* Of a long line (generated code, macros) the part around the column, with dots where it was cut. */
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

/* Without the indentation of the source, its end of line and anything a terminal would obey. */
static char *source_text(const struct source_place *place)
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

static void print_entity(FILE *stream, const struct finding_access *access)
{
    if (!access->has_item) {
        fputs("     host command\n", stream);
        return;
    }
    fputs("     work-item ", stream);
    print_ids(stream, access->item.global_id);
    fprintf(stream, ", sub-group %" PRIu32 ", work-group ", access->item.sub_group);
    print_ids(stream, access->item.group_id);
    fprintf(stream, ", compute unit %" PRIu32 "\n", access->item.compute_unit);
}

static bool is_read(enum access_kind kind)
{
    return kind == ACCESS_READ || kind == ACCESS_ATOMIC_READ || kind == ACCESS_ATOMIC_UPDATE;
}

/* "plain load, 4 bytes, read 42" */
static void print_action(FILE *stream, const struct finding_access *access)
{
    fputs(access->what && *access->what ? access->what : access_word(access->kind), stream);
    if (access->size_bytes)
        fprintf(stream, ", %" PRIu32 " byte%s", access->size_bytes, access->size_bytes == 1 ? "" : "s");
    if (!access->has_value)
        return;
    fprintf(stream, ", %s %" PRIu64, is_read(access->kind) ? "read" : "wrote", access->value);
    if (access->value > UINT16_MAX)
        fprintf(stream, " (0x%" PRIx64 ")", access->value);
}

static int padded_width(const char *a, const char *b, int least)
{
    int wide = (int)strlen(a), other = b ? (int)strlen(b) : 0;
    wide = (wide > other ? wide : other) + 2;
    return wide > least ? wide : least;
}

static void print_accesses(FILE *stream, const struct finding *finding)
{
    char place[2][PLACE_CHARS] = {"", ""};
    char *source[2] = {NULL, NULL};
    uint32_t count = finding->access_count < 2 ? finding->access_count : 2;
    for (uint32_t i = 0; i < count; i++) {
        place_text(&finding->access[i].place, place[i]);
        source[i] = source_text(&finding->access[i].place);
    }
    int place_width = padded_width(place[0], place[1], 0);
    int source_width = padded_width(source[0] ? source[0] : "", source[1], SOURCE_COLUMNS);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(stream, "  %" PRIu32 "  %-*s%-*s", i + 1, place_width, place[i], source_width, source[i] ? source[i] : "");
        print_action(stream, &finding->access[i]);
        fputc('\n', stream);
        print_entity(stream, &finding->access[i]);
        free(source[i]);
    }
}

/* A labelled paragraph, wrapped at words; a newline in the text starts a new line. */
static void print_paragraph(FILE *stream, const char *label, const char *text)
{
    int column = fprintf(stream, "  %-6s", label);
    for (bool first = true; *text; first = false) {
        size_t word = strcspn(text, " \n");
        if (!first && column + 1 + (int)word > LINE_COLUMNS)
            column = fprintf(stream, "\n%8s", "") - 1;
        else if (!first)
            column += fprintf(stream, "%s", " ");
        column += fprintf(stream, "%.*s", (int)word, text);
        text += word;
        if (*text == '\n' && text[1]) {
            column = fprintf(stream, "\n%8s", "") - 1;
            first = true;
            text++;
            word = strcspn(text, " \n");
            column += fprintf(stream, "%.*s", (int)word, text);
            text += word;
        }
        text += *text != '\0';
    }
    fputc('\n', stream);
}

static void print_also(FILE *stream, const struct finding *finding)
{
    char text[100];
    uint64_t more = finding->count - 1;
    snprintf(text, sizeof text, "%" PRIu64 " more %s", more,
             finding->access_count > 1    ? "pairs at these two places"
             : finding->access_count == 1 ? "at this place"
                                          : "like this one");
    print_paragraph(stream, "also", text);
}

static void print_bytes(FILE *stream, const struct finding *finding)
{
    int64_t first = (int64_t)finding->offset_bytes;
    uint32_t size = finding->access_count ? finding->access[0].size_bytes : 0;
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
    fputc('\n', stream);
}

void report_print_finding(FILE *stream, const struct finding *finding, bool colour)
{
    const char *start = !colour ? "" : finding->severity == SEVERITY_ERROR ? "\033[1;31m" : "\033[1;33m";
    const char *end = colour ? "\033[0m" : "";
    fprintf(stream, "orrery: %s%s: %s%s: %s\n", start, severity_word(finding->severity), finding_id(finding->kind), end,
            finding_sentence(finding->kind));
    print_object(stream, finding);
    if (finding->access_count) {
        fputc('\n', stream);
        print_accesses(stream, finding);
    }
    if (finding->why || finding->fix || finding->spec || finding->count > 1)
        fputc('\n', stream);
    if (finding->why)
        print_paragraph(stream, "why", finding->why);
    if (finding->fix)
        print_paragraph(stream, "fix", finding->fix);
    if (finding->spec)
        print_paragraph(stream, "spec", finding->spec);
    if (finding->count > 1)
        print_also(stream, finding);
}

/* ---- JSON -------------------------------------------------------------------------- */

/* Absent rather than null; what is not UTF-8 becomes visible instead of losing the field. */
static void put_text(json_t *object, const char *key, const char *text)
{
    if (!text)
        return;
    json_t *value = json_string(text);
    if (!value) {
        char *copy = strdup(text);
        for (char *c = copy; c && *c; c++)
            *c = (signed char)*c < 0 ? '?' : *c;
        value = json_string(copy);
        free(copy);
    }
    json_object_set_new(object, key, value);
}

static void put_number(json_t *object, const char *key, uint64_t value)
{
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

static json_t *ids_json(const uint64_t ids[3])
{
    return json_pack("[I,I,I]", (json_int_t)ids[0], (json_int_t)ids[1], (json_int_t)ids[2]);
}

static json_t *item_json(const struct item *item)
{
    json_t *object = json_object();
    json_object_set_new(object, "global_id", ids_json(item->global_id));
    json_object_set_new(object, "local_id", ids_json(item->local_id));
    json_object_set_new(object, "group_id", ids_json(item->group_id));
    put_number(object, "sub_group", item->sub_group);
    put_number(object, "compute_unit", item->compute_unit);
    return object;
}

static json_t *access_json(const struct finding_access *access)
{
    char value[24];
    json_t *object = json_object();
    put_text(object, "file", access->place.file);
    put_number(object, "line", access->place.line);
    put_number(object, "column", access->place.column);
    put_text(object, "text", access->place.text);
    put_text(object, "access", access_word(access->kind));
    put_text(object, "what", access->what);
    put_number(object, "size_bytes", access->size_bytes);
    if (access->has_value) { /* text: JSON readers lose bits of large numbers */
        snprintf(value, sizeof value, "0x%" PRIx64, access->value);
        put_text(object, "value", value);
    }
    if (access->has_item)
        json_object_set_new(object, "item", item_json(&access->item));
    return object;
}

static json_t *finding_json(const struct finding *finding)
{
    json_t *object = json_object(), *accesses = json_array();
    put_text(object, "id", finding_id(finding->kind));
    put_text(object, "severity", severity_word(finding->severity));
    put_text(object, "sentence", finding_sentence(finding->kind));
    put_text(object, "kernel", finding->kernel);
    put_text(object, "object", finding->object);
    if (finding->has_offset)
        put_number(object, "offset_bytes", finding->offset_bytes);
    for (uint32_t i = 0; i < finding->access_count && i < 2; i++)
        json_array_append_new(accesses, access_json(&finding->access[i]));
    json_object_set_new(object, "accesses", accesses);
    put_text(object, "why", finding->why);
    put_text(object, "fix", finding->fix);
    put_text(object, "spec", finding->spec);
    put_number(object, "count", finding->count);
    return object;
}

void report_write_json(FILE *stream, const struct finding *finding)
{
    json_t *object = finding_json(finding);
    json_dumpf(object, stream, JSON_COMPACT);
    fputc('\n', stream);
    json_decref(object);
}
