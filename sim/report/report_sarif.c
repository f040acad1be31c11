/* SPDX-License-Identifier: Apache-2.0 */
/* SARIF 2.1.0 (OASIS): one run, a rule for each kind, a result for each finding. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "report_json.h"
#include "report_words.h"
#include "suppression.h"

static const char schema[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

static json_t *message(const char *text)
{
    json_t *object = json_object();
    put_text(object, "text", text ? text : "");
    return object;
}

/* ---- rules ----------------------------------------------------------------------- */

static json_t *rule(enum finding_kind kind, const struct scenario *scenario)
{
    json_t *object = json_object();
    enum severity severity = scenario->checks[finding_check(kind)];
    put_text(object, "id", finding_id(kind));
    json_object_set_new(object, "shortDescription", message(finding_sentence(kind)));
    json_object_set_new(object, "help", message(finding_page(kind)));
    json_object_set_new(object, "defaultConfiguration",
                        json_pack("{s:b,s:s}", "enabled", severity != SEVERITY_OFF, "level",
                                  severity == SEVERITY_OFF ? "none" : severity_word(severity)));
    return object;
}

static json_t *tool(const struct scenario *scenario)
{
    json_t *rules = json_array();
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++)
        json_array_append_new(rules, rule((enum finding_kind)kind, scenario));
    return json_pack("{s:{s:s,s:s,s:o}}", "driver", "name", "Orrery", "version", ORRERY_VERSION, "rules",
                     rules);
}

/* ---- places ------------------------------------------------------------------------- */

static bool is_uri_character(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~/", c);
}

/* A path as a URI reference: absolute ones get a scheme, odd bytes are escaped. */
static json_t *uri(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    fputs(*path == '/' ? "file://" : "", stream);
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        fprintf(stream, is_uri_character(*c) ? "%c" : "%%%02X", *c);
    fclose(stream);
    json_t *value = json_string(text);
    free(text);
    return value;
}

/* The column in code points, as columnKind says, where the text is known; it counts bytes, up to the end
 * of the text. */
static uint32_t column_of(const struct source_place *place)
{
    uint32_t column = place->column;
    for (const char *at = place->text; at && *at && at - place->text + 1 < (ptrdiff_t)place->column; at++)
        column -= (*at & 0xc0) == 0x80;
    return column;
}

static json_t *region(const struct source_place *place)
{
    json_t *object = json_object();
    put_number(object, "startLine", place->line);
    if (place->column)
        put_number(object, "startColumn", column_of(place));
    if (place->text)
        json_object_set_new(object, "snippet", message(place->text));
    return object;
}

static json_t *physical_location(const struct source_place *place)
{
    json_t *object = json_pack("{s:{s:o}}", "artifactLocation", "uri", uri(place->file));
    if (object && place->line)
        json_object_set_new(object, "region", region(place));
    return object;
}

static json_t *location(const struct source_place *place, const char *kernel, const char *text)
{
    json_t *object = json_object();
    if (place->file)
        json_object_set_new(object, "physicalLocation", physical_location(place));
    if (kernel)
        json_object_set_new(object, "logicalLocations",
                            json_pack("[{s:s,s:s}]", "name", kernel, "kind", "function"));
    if (text)
        json_object_set_new(object, "message", message(text));
    return object;
}

/* "plain store, 4 bytes: work-item (0,0,0), ..." */
static char *access_text(const struct finding_access *access)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    print_action(stream, access);
    fputs(": ", stream);
    print_entity(stream, access);
    fclose(stream);
    return text;
}

static json_t *access_location(const struct finding *finding, uint32_t index)
{
    char *text = access_text(&finding->access[index]);
    json_t *object = location(&finding->access[index].place, finding->kernel, text);
    free(text);
    return object;
}

/* ---- the two paths ------------------------------------------------------------------- */

static void add_steps(json_t *path, const struct finding *finding, uint32_t side, bool before)
{
    for (uint32_t i = 0; i < finding->step_count; i++) {
        const struct finding_step *step = &finding->steps[i];
        if (step->side == side && step->before == before)
            json_array_append_new(
                path, json_pack("{s:o}", "location", location(&step->place, finding->kernel, step->text)));
    }
}

static json_t *thread_flow(const struct finding *finding, uint32_t side)
{
    char name[12];
    json_t *path = json_array();
    snprintf(name, sizeof name, "%" PRIu32, side + 1);
    add_steps(path, finding, side, true);
    if (side < 2)
        json_array_append_new(path, json_pack("{s:o,s:s}", "location", access_location(finding, side),
                                              "importance", "essential"));
    add_steps(path, finding, side, false);
    return json_pack("{s:s,s:o}", "id", name, "locations", path);
}

/* Of the two, and of those between them. */
static json_t *code_flows(const struct finding *finding)
{
    json_t *flows = json_array();
    uint32_t count = 2;
    for (uint32_t i = 0; i < finding->step_count; i++)
        count = finding->steps[i].side < count ? count : finding->steps[i].side + 1;
    for (uint32_t side = 0; side < count; side++)
        json_array_append_new(flows, thread_flow(finding, side));
    return json_pack("[{s:o}]", "threadFlows", flows);
}

/* ---- results --------------------------------------------------------------------------- */

static char *result_text(const struct finding *finding)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    fprintf(stream, "%s.", finding_sentence(finding->kind));
    if (finding->object)
        fprintf(stream, " Object: %s.", finding->object);
    if (finding->why)
        fprintf(stream, " Why: %s.", finding->why);
    char *claim = finding->fix ? fix_claim_text(finding) : NULL;
    if (finding->fix)
        fprintf(stream, " %s: %s%s.", strcmp(fix_label(finding), "fix") == 0 ? "Fix" : "Advice", finding->fix,
                claim ? claim : "");
    free(claim);
    fclose(stream);
    return text;
}

/* The column counts from the first character that is no space. */
static uint32_t column_in_text(const struct source_place *place)
{
    const uint32_t indent = place->text ? (uint32_t)strspn(place->text, " \t") : 0;
    return place->column > indent ? place->column - indent : place->column;
}

/* What tells the accesses of one line apart; calls, and those without a line, by their words. Malloc'd. */
static char *access_print(const struct finding *finding, uint32_t index)
{
    const struct finding_access *access = &finding->access[index];
    const struct source_place *place = &access->place;
    const bool by_words = !place->line || finding_of_call(finding->kind);
    const char *slash = place->file ? strrchr(place->file, '/') : NULL,
               *file = place->file ? place->file : "";
    char *line = source_text(place), *text = NULL;
    if (asprintf(&text, "%s\n%s\n%" PRIu32 "\n%d\n%s\n", slash ? slash + 1 : file, line ? line : "",
                 column_in_text(place), (int)access->kind, by_words && access->what ? access->what : "") < 0)
        text = NULL;
    free(line);
    return text;
}

/* Which of the two came first is an accident of the schedule. */
static void put_accesses(FILE *stream, const struct finding *finding)
{
    char *first = access_print(finding, 0),
         *second = finding->access_count > 1 ? access_print(finding, 1) : NULL;
    const bool swapped = first && second && strcmp(first, second) > 0;
    fputs(first && !swapped ? first : "", stream);
    fputs(second ? second : "", stream);
    fputs(first && swapped ? first : "", stream);
    free(first);
    free(second);
}

/* Of the text of the lines, not their numbers: it outlives edits above them. 0: no memory. */
static uint64_t fingerprint(const struct finding *finding)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return 0;
    fprintf(stream, "%s\n%s\n", finding_id(finding->kind), finding->kernel ? finding->kernel : "");
    if (finding->access_count)
        put_accesses(stream, finding);
    else
        fputs(finding->why ? finding->why : "", stream);
    fclose(stream);
    const uint64_t print = XXH3_64bits(text, size);
    free(text);
    return print;
}

/* Of lines that are written alike, as in copies of a function, the later ones have their number in it. */
struct prints {
    uint64_t *seen;
    size_t count;
};

static json_t *fingerprints(const struct finding *finding, struct prints *prints)
{
    uint64_t print = fingerprint(finding), numbered[2] = {print, 1};
    char hexadecimal[20];
    for (size_t i = 0; prints->seen && i < prints->count; i++)
        numbered[1] += prints->seen[i] == print;
    if (prints->seen)
        prints->seen[prints->count++] = print;
    if (numbered[1] > 1)
        print = XXH3_64bits(numbered, sizeof numbered);
    snprintf(hexadecimal, sizeof hexadecimal, "%016" PRIx64, print);
    return json_pack("{s:s}", "orrery/v2", hexadecimal);
}

static json_t *properties(const struct finding *finding)
{
    json_t *object = json_object();
    put_text(object, "object", finding->object);
    if (finding->has_offset)
        put_number(object, "offsetBytes", finding->offset_bytes);
    if (finding->has_offset && finding_bytes(finding))
        put_number(object, "lengthBytes", finding_bytes(finding));
    put_text(object, "why", finding->why);
    put_text(object, "fix", finding->fix);
    if (finding->fix)
        json_object_set_new(object, "fixVerified",
                            json_boolean(finding_fix_claim(finding) == FIX_CLAIM_TRIED));
    if (finding->fix)
        put_text(object, "fixClaim", fix_claim_word(finding_fix_claim(finding)));
    put_text(object, "fixNote", finding->fix_note);
    if (finding->fix_partial)
        json_object_set_new(object, "fixPartial", json_true());
    if (finding->count_at_least)
        json_object_set_new(object, "occurrenceCountIsAtLeast", json_true());
    put_text(object, "specification", finding->spec ? finding->spec : finding_spec(finding->kind));
    if (finding->cause)
        put_text(object, "mayFollowFrom", finding_id(finding->cause->kind));
    return object;
}

static json_t *frame(const struct source_place *place, const char *kernel)
{
    return json_pack("{s:o}", "location", location(place, kernel, NULL));
}

/* No two are the same: they have numbers. */
static json_t *stack(const struct finding *finding, uint32_t index)
{
    const struct finding_access *access = &finding->access[index];
    return json_pack("{s:{s:s},s:[o,o]}", "message", "text", index ? "access 2" : "access 1", "frames",
                     frame(&access->place, NULL), frame(&access->caller, finding->kernel));
}

/* Of accesses in functions that the kernel calls; NULL: of none. */
static json_t *stacks(const struct finding *finding)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < finding->access_count && i < 2; i++)
        if (finding->access[i].caller.line)
            json_array_append_new(list, stack(finding, i));
    if (json_array_size(list))
        return list;
    json_decref(list);
    return NULL;
}

static json_t *result(const struct finding *finding, struct prints *prints)
{
    char *text = result_text(finding);
    json_t *object =
        json_pack("{s:s,s:i,s:s,s:o}", "ruleId", finding_id(finding->kind), "ruleIndex", (int)finding->kind,
                  "level", severity_word(finding->severity), "message", message(text));
    free(text);
    put_number(object, "occurrenceCount", finding->count);
    json_object_set_new(object, "partialFingerprints", fingerprints(finding, prints));
    json_object_set_new(object, "properties", properties(finding));
    json_t *first = finding->access_count
                        ? access_location(finding, 0)
                        : location(&(struct source_place){NULL, 0, 0, NULL}, finding->kernel, NULL);
    json_object_set_new(object, "locations", json_pack("[o]", first));
    if (finding->access_count > 1) {
        json_t *second = access_location(finding, 1);
        put_number(second, "id", 1);
        json_object_set_new(object, "relatedLocations", json_pack("[o]", second));
        json_object_set_new(object, "codeFlows", code_flows(finding));
    }
    json_t *called = stacks(finding);
    if (called)
        json_object_set_new(object, "stacks", called);
    return object;
}

static json_t *suppressed_result(const struct finding *finding, const struct scenario *scenario,
                                 struct prints *prints)
{
    const struct suppression *suppression = suppression_find(scenario, finding);
    json_t *object = result(finding, prints), *entry = json_object();
    put_text(entry, "kind", "external");
    put_text(entry, "justification", suppression ? suppression->reason : NULL);
    json_object_set_new(object, "suppressions", json_pack("[o]", entry));
    return object;
}

/* ---- the log ------------------------------------------------------------------------------ */

static json_t *invocation(const struct report_end *end)
{
    enum { NO_PROGRESS = 124 }; /* this status and those above say that the run itself failed */
    json_t *object = json_object();
    json_object_set_new(object, "executionSuccessful", json_boolean(end->exit_status < NO_PROGRESS));
    if (end->exit_status >= 0)
        json_object_set_new(object, "exitCode", json_integer(end->exit_status));
    return object;
}

void report_write_sarif(FILE *stream, const struct report *report, const struct report_end *end)
{
    const struct scenario *scenario = report_scenario(report);
    const size_t count = report_count(report), suppressed = report_suppressed_count(report);
    struct prints prints = {.seen = calloc(count + suppressed + 1, sizeof *prints.seen)};
    json_t *results = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(results, result(report_get(report, i), &prints));
    for (size_t i = 0; i < suppressed; i++)
        json_array_append_new(results,
                              suppressed_result(report_suppressed_get(report, i), scenario, &prints));
    free(prints.seen);
    json_t *log = json_pack("{s:s,s:s,s:[{s:o,s:[o],s:s,s:o}]}", "$schema", schema, "version", "2.1.0",
                            "runs", "tool", tool(scenario), "invocations", invocation(end), "columnKind",
                            "unicodeCodePoints", "results", results);
    json_dumpf(log, stream, JSON_INDENT(2));
    fputc('\n', stream);
    json_decref(log);
}
