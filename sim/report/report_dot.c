/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings as a graph in Graphviz's language. Each unit of a finding is a column of boxes in program order:
 * the steps before its access, the access, the steps after. Edges that synchronise are blue; an edge that
 * the fix adds is red and dashed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report_words.h"
#include "sim/base/utf8.h"

/* The length of a multi-byte character that is valid in UTF-8 and XML; 0: these bytes are no such
 * character. */
static size_t wide_bytes(const char *text)
{
    size_t bytes;
    const uint32_t character = utf8_decode(text, strlen(text), &bytes);
    return character == UTF8_INVALID || character == 0xfffe || character == 0xffff ? 0 : bytes;
}

/* With this width two boxes and the words of the edge between them stay below 1600 points. */
enum { LABEL_COLUMNS = 56 };

/* A quoted string. \l ends a line that is aligned to the left. Graphviz reads &...; as a character, so & is
 * escaped, and bytes that are not UTF-8 become '?'. */
static void put_label(FILE *stream, const char *text)
{
    size_t column = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++, column++) {
        const size_t wide = *c > 127 ? wide_bytes((const char *)c) : 0;
        if (*c == ' ' && column + 1 + strcspn((const char *)c + 1, " ") > LABEL_COLUMNS) {
            fputs("\\l", stream);
            column = 0;
            continue;
        }
        if (*c == '"' || *c == '\\')
            fputc('\\', stream);
        fputc(*c < 32 || *c == 127 ? ' ' : *c > 127 && !wide ? '?' : *c, stream);
        if (*c == '&')
            fputs("amp;", stream);
        for (size_t more = 1; more < wide; more++)
            fputc(*++c, stream);
    }
}

static void put_place(FILE *stream, const struct source_place *place)
{
    char where[PLACE_CHARS];
    char *line = report_source_text(place);
    report_place_text(place, where);
    put_label(stream, where);
    fputs("\\l", stream);
    if (line && *line) {
        put_label(stream, line);
        fputs("\\l", stream);
    }
    free(line);
}

static void put_words(FILE *stream, void (*print)(FILE *, const struct finding_access *),
                      const struct finding_access *access)
{
    char *text = NULL;
    size_t size = 0;
    FILE *words = open_memstream(&text, &size);
    if (!words)
        return;
    print(words, access);
    fclose(words);
    put_label(stream, text);
    free(text);
}

static void put_steps(FILE *stream, size_t number, const struct finding *finding, uint32_t side, bool before)
{
    for (uint32_t i = 0; i < finding->step_count; i++) {
        const struct finding_step *step = &finding->steps[i];
        if (step->side != side || step->before != before)
            continue;
        fprintf(stream, "      f%zu_step%" PRIu32 " [style=rounded, label=\"", number, i);
        put_place(stream, &step->place);
        put_label(stream, step->text ? step->text : "");
        fputs("\\l\"]\n", stream);
    }
}

static void put_access(FILE *stream, size_t number, const struct finding *finding, uint32_t side)
{
    const struct finding_access *access = &finding->access[side];
    fprintf(stream, "    subgraph cluster_f%zu_%" PRIu32 " {\n      label=\"", number, side + 1);
    put_words(stream, report_print_entity, access);
    fputs("\\l\"\n", stream);
    put_steps(stream, number, finding, side, true);
    fprintf(stream, "      f%zu_access%" PRIu32 " [penwidth=2, label=\"%" PRIu32 "  ", number, side,
            side + 1);
    put_place(stream, &access->place);
    put_words(stream, report_print_action, access);
    fputs("\\l\"]\n", stream);
    put_steps(stream, number, finding, side, false);
    fputs("    }\n", stream);
}

static uint32_t side_count(const struct finding *finding)
{
    uint32_t count = finding->access_count < 2 ? finding->access_count : 2;
    for (uint32_t i = 0; i < finding->step_count; i++)
        count = finding->steps[i].side < count ? count : finding->steps[i].side + 1;
    return count;
}

/* The steps of a third unit, in program order. */
static void put_other(FILE *stream, size_t number, const struct finding *finding, uint32_t side)
{
    uint32_t first = 0;
    while (first < finding->step_count && finding->steps[first].side != side)
        first++;
    if (first == finding->step_count)
        return;
    const struct finding_access unit = {.has_item = true, .item = finding->steps[first].item};
    fprintf(stream, "    subgraph cluster_f%zu_%" PRIu32 " {\n      label=\"", number, side + 1);
    put_words(stream, report_print_entity, &unit);
    fputs("\\l\"\n", stream);
    put_steps(stream, number, finding, side, false);
    fprintf(stream, "    }\n    f%zu_step%" PRIu32, number, first);
    for (uint32_t i = first + 1; i < finding->step_count; i++) {
        if (finding->steps[i].side == side)
            fprintf(stream, " -> f%zu_step%" PRIu32, number, i);
    }
    fputc('\n', stream);
}

/* Edges of program order: the steps before the access, the access, the steps after. */
static void put_order(FILE *stream, size_t number, const struct finding *finding, uint32_t side)
{
    fprintf(stream, "    ");
    for (uint32_t i = 0; i < finding->step_count; i++) {
        if (finding->steps[i].side == side && finding->steps[i].before)
            fprintf(stream, "f%zu_step%" PRIu32 " -> ", number, i);
    }
    fprintf(stream, "f%zu_access%" PRIu32, number, side);
    for (uint32_t i = 0; i < finding->step_count; i++) {
        if (finding->steps[i].side == side && !finding->steps[i].before)
            fprintf(stream, " -> f%zu_step%" PRIu32, number, i);
    }
    fputc('\n', stream);
}

static void put_synchronisation(FILE *stream, size_t number, const struct finding *finding)
{
    static const char present[] = "color=blue, label=\"synchronises with\"";
    static const char missing[] = "color=red, style=dashed, label=\"does not synchronise with\"";
    for (uint32_t i = 0; i < finding->edge_count; i++) {
        const struct finding_edge *edge = &finding->edges[i];
        fprintf(stream, "    f%zu_step%" PRIu32 " -> f%zu_step%" PRIu32 " [constraint=false, %s]\n", number,
                edge->from, number, edge->to, edge->synchronises ? present : missing);
    }
}

static void put_finding(FILE *stream, size_t number, const struct finding *finding)
{
    fprintf(stream, "  subgraph cluster_f%zu {\n    label=\"%zu: %s:\\l", number, number,
            finding_id(finding->kind));
    put_label(stream, finding_title(finding));
    fputs("\\l\"\n", stream);
    for (uint32_t side = 0; side < finding->access_count && side < 2; side++) {
        put_access(stream, number, finding, side);
        put_order(stream, number, finding, side);
    }
    for (uint32_t side = 2; side < side_count(finding); side++)
        put_other(stream, number, finding, side);
    put_synchronisation(stream, number, finding);
    if (finding->access_count > 1 && finding_check(finding->kind) == CHECK_RACES)
        fprintf(stream,
                "    f%zu_access0 -> f%zu_access1 [dir=none, constraint=false, color=red, style=dashed, "
                "label=\"not ordered\"]\n",
                number, number);
    fputs("  }\n", stream);
}

/* ---- one finding below another -------------------------------------------------------------- */

/* Names the first or the last box of a column. */
static void put_end(FILE *stream, size_t number, const struct finding *finding, uint32_t side, bool last)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < finding->step_count; i++) {
        const struct finding_step *step = &finding->steps[i];
        const bool in_column = step->side == side && (side > 1 || step->before != last);
        if (in_column && (last || found == UINT32_MAX))
            found = i;
    }
    if (found != UINT32_MAX)
        fprintf(stream, "f%zu_step%" PRIu32, number, found);
    else
        fprintf(stream, "f%zu_access%" PRIu32, number, side > 1 ? 0 : side);
}

static void put_below(FILE *stream, size_t above, const struct finding *upper, size_t below,
                      const struct finding *lower)
{
    for (uint32_t from = 0; from < side_count(upper); from++)
        for (uint32_t to = 0; to < side_count(lower); to++) {
            fputs("  ", stream);
            put_end(stream, above, upper, from, true);
            fputs(" -> ", stream);
            put_end(stream, below, lower, to, false);
            fputs(" [style=invis]\n", stream);
        }
}

void report_write_dot(FILE *stream, const struct report *report)
{
    size_t above = 0; /* number of the finding drawn above; 0: none */
    fputs("digraph orrery {\n  rankdir=TB\n  size=\"16,1000\"\n  labeljust=l\n  node [shape=box, "
          "fontname=\"monospace\"]\n  edge "
          "[fontname=\"sans-serif\"]\n",
          stream);
    for (size_t i = 0; i < report_count(report); i++) {
        const struct finding *finding = report_get(report, i);
        if (!finding->access_count)
            continue;
        put_finding(stream, i + 1, finding);
        if (above)
            put_below(stream, above, report_get(report, above - 1), i + 1, finding);
        above = i + 1;
    }
    fputs("}\n", stream);
}
