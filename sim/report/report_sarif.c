/* SPDX-License-Identifier: Apache-2.0 */
/* SARIF 2.1.0 (OASIS): a log has one run, the run a rule for each kind and a result for each finding. A
 * result has both accesses as locations, and code flows for the operations before them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report_json.h"
#include "report_words.h"
#include "sarif.h"
#include "suppression.h"

static const char schema[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

struct sarif_writer {
    const struct report *report;
    struct sarif_places places;
    json_t *log;
    uint32_t steps_left; /* how many locations the result may still get in its thread flows */
};

/* ---- accesses ------------------------------------------------------------------------ */

/* "plain store, 4 bytes: work-item (0,0,0), ...; with i = 3" */
static char *access_text(const struct finding_access *access)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    report_print_action(stream, access);
    fputs(": ", stream);
    report_print_entity(stream, access);
    if (access->values)
        fprintf(stream, "; with %s", access->values);
    fclose(stream);
    return text;
}

static json_t *access_location(struct sarif_writer *writer, const struct finding *finding, uint32_t index)
{
    char *text = access_text(&finding->access[index]);
    json_t *object = sarif_location(&writer->places, finding, &finding->access[index].place, text);
    free(text);
    return object;
}

/* ---- the two paths ------------------------------------------------------------------- */

static void add_step(struct sarif_writer *writer, json_t *path, const struct finding *finding,
                     const struct finding_step *step)
{
    if (!writer->steps_left) {
        sarif_note(
            writer->log, "steps-left-out",
            "The code flows of a result have more than 1000 locations in all; the last ones were left out.");
        return;
    }
    json_t *location = sarif_location(&writer->places, finding, &step->place, step->text);
    json_array_append_new(path, json_pack("{s:o}", "location", location));
    writer->steps_left--;
}

static void add_steps(struct sarif_writer *writer, json_t *path, const struct finding *finding, uint32_t side,
                      bool before)
{
    for (uint32_t i = 0; i < finding->step_count; i++)
        if (finding->steps[i].side == side && finding->steps[i].before == before)
            add_step(writer, path, finding, &finding->steps[i]);
}

/* The operations of one unit. NULL: there are none, or no more fit. */
static json_t *thread_flow(struct sarif_writer *writer, const struct finding *finding, uint32_t side)
{
    char name[12];
    json_t *path = json_array();
    snprintf(name, sizeof name, "%" PRIu32, side + 1);
    add_steps(writer, path, finding, side, true);
    if (side < 2)
        json_array_append_new(path, json_pack("{s:o,s:s}", "location", access_location(writer, finding, side),
                                              "importance", "essential"));
    add_steps(writer, path, finding, side, false);
    if (json_array_size(path))
        return json_pack("{s:s,s:o}", "id", name, "locations", path);
    json_decref(path);
    return NULL;
}

/* One code flow: a thread flow for each unit. */
static json_t *code_flows(struct sarif_writer *writer, const struct finding *finding)
{
    json_t *flows = json_array();
    uint32_t count = 2;
    writer->steps_left = SARIF_STEPS_MOST - 2;
    for (uint32_t i = 0; i < finding->step_count; i++)
        count = finding->steps[i].side < count ? count : finding->steps[i].side + 1;
    for (uint32_t side = 0; side < count; side++) {
        json_t *flow = thread_flow(writer, finding, side);
        if (flow)
            json_array_append_new(flows, flow);
    }
    return json_pack("[{s:o}]", "threadFlows", flows);
}

/* ---- results --------------------------------------------------------------------------- */

/* A message begins with a capital letter. SARIF takes [x](y) for a link, so a space goes into a text of that
 * form. */
static void put_words(FILE *stream, const char *before, const char *text, const char *after)
{
    fputs(before, stream);
    for (; *text; text++)
        fprintf(stream, text[0] == ']' && text[1] == '(' ? "%c " : "%c", *text);
    fputs(after, stream);
}

/* "(1)" is the related location with this id. */
static void put_link(FILE *stream, const struct finding *finding)
{
    char place[PLACE_CHARS];
    report_place_text(&finding->access[1].place, place);
    fprintf(stream, " The other access is [%s](1).", strpbrk(place, "[]\\") ? "here" : place);
}

static char *result_text(const struct finding *finding)
{
    const char *sentence = finding_title(finding);
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    fprintf(stream, "%c%s.", *sentence - 'a' + 'A', sentence + 1);
    if (finding->object)
        put_words(stream, " Object: ", finding->object, ".");
    if (finding->access_count > 1)
        put_link(stream, finding);
    if (finding->why)
        put_words(stream, " Why: ", finding->why, ".");
    char *claim = finding->fix ? report_fix_claim_text(finding) : NULL;
    if (finding->fix)
        put_words(stream,
                  strcmp(report_fix_label(finding), "fix") == 0 ? " Fix: " : " Advice: ", finding->fix, "");
    fputs(claim ? claim : "", stream);
    fputs(finding->fix ? "." : "", stream);
    free(claim);
    fclose(stream);
    return text;
}

/* GitHub's fingerprint, and Orrery's, which distinguishes accesses of one line and is also in JSON and
 * baselines. */
static json_t *fingerprints(struct sarif_writer *writer, const struct finding *finding)
{
    char own[FINGERPRINT_CHARS], *line = sarif_line_hash(&writer->places, finding);
    json_t *object = json_object();
    fingerprint_print(finding->fingerprint, own);
    report_put_text(object, "primaryLocationLineHash", line);
    report_put_text(object, "orrery/v2", *own ? own : NULL);
    free(line);
    return object;
}

static json_t *properties(const struct finding *finding)
{
    json_t *object = json_object();
    report_put_text(object, "test", finding->test);
    report_put_text(object, "object", finding->object);
    report_put_text(object, "element", finding->element);
    if (finding->has_offset)
        report_put_number(object, "offsetBytes", finding->offset_bytes);
    if (finding->has_offset && finding_bytes(finding))
        report_put_number(object, "lengthBytes", finding_bytes(finding));
    report_put_text(object, "why", finding->why);
    report_put_text(object, "fix", finding->fix);
    if (finding->fix)
        json_object_set_new(object, "fixVerified",
                            json_boolean(finding_fix_claim(finding) == FIX_CLAIM_TRIED));
    if (finding->fix)
        report_put_text(object, "fixClaim", fix_claim_word(finding_fix_claim(finding)));
    report_put_text(object, "fixNote", finding->fix_note);
    if (finding->fix_partial)
        json_object_set_new(object, "fixPartial", json_true());
    if (finding->count_at_least)
        json_object_set_new(object, "occurrenceCountIsAtLeast", json_true());
    report_put_text(object, "specification", finding->spec ? finding->spec : finding_spec(finding->kind));
    if (finding->cause)
        report_put_text(object, "mayFollowFrom", finding_id(finding->cause->kind));
    if (finding->covered_by)
        report_put_text(object, "coveredByFixOf", finding_id(finding->covered_by->kind));
    return object;
}

static json_t *frame(struct sarif_writer *writer, const struct finding *finding,
                     const struct source_place *place)
{
    return json_pack("{s:o}", "location", sarif_location(&writer->places, finding, place, NULL));
}

/* A call stack. SARIF wants each stack of a result to differ, so the message has a number. */
static json_t *stack(struct sarif_writer *writer, const struct finding *finding, uint32_t index)
{
    const struct finding_access *access = &finding->access[index];
    json_t *frames = json_array();
    json_array_append_new(frames, frame(writer, finding, &access->place));
    for (uint32_t i = 0; i < access->call_count; i++)
        json_array_append_new(frames, frame(writer, finding, &access->calls[i]));
    json_array_append_new(frames, frame(writer, finding, &access->caller));
    return json_pack("{s:{s:s},s:o}", "message", "text", index ? "access 2" : "access 1", "frames", frames);
}

/* The stacks of accesses in functions that the kernel calls; NULL: there are none. */
static json_t *stacks(struct sarif_writer *writer, const struct finding *finding)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < finding->access_count && i < 2; i++)
        if (finding->access[i].caller.line)
            json_array_append_new(list, stack(writer, finding, i));
    if (json_array_size(list))
        return list;
    json_decref(list);
    return NULL;
}

static json_t *first_location(struct sarif_writer *writer, const struct finding *finding)
{
    const struct source_place nowhere = {.line = 0};
    return finding->access_count ? access_location(writer, finding, 0)
                                 : sarif_location(&writer->places, finding, &nowhere, NULL);
}

/* SARIF 2.1.0, 3.27.24: either all results have a baselineState, or none has. Does this run compare with a
 * baseline? */
static bool compares(const struct scenario *scenario)
{
    return scenario->baseline_file && !scenario->update_baseline;
}

static json_t *result(struct sarif_writer *writer, const struct finding *finding)
{
    char *text = result_text(finding);
    json_t *object =
        json_pack("{s:s,s:i,s:s,s:o}", "ruleId", finding_id(finding->kind), "ruleIndex", (int)finding->kind,
                  "level", report_severity_word(finding->severity), "message", sarif_message(text));
    free(text);
    report_put_number(object, "occurrenceCount", finding->count);
    if (compares(report_scenario(writer->report)))
        report_put_text(object, "baselineState", finding->accepted ? "unchanged" : "new");
    json_object_set_new(object, "partialFingerprints", fingerprints(writer, finding));
    json_object_set_new(object, "properties", properties(finding));
    json_object_set_new(object, "locations", json_pack("[o]", first_location(writer, finding)));
    if (finding->access_count > 1) {
        json_t *second = access_location(writer, finding, 1);
        report_put_number(second, "id", 1);
        json_object_set_new(object, "relatedLocations", json_pack("[o]", second));
        json_object_set_new(object, "codeFlows", code_flows(writer, finding));
    }
    json_t *called = stacks(writer, finding);
    if (called)
        json_object_set_new(object, "stacks", called);
    return object;
}

static json_t *suppressed_result(struct sarif_writer *writer, const struct finding *finding)
{
    const struct suppression *suppression = suppression_find(report_scenario(writer->report), finding);
    json_t *object = result(writer, finding), *entry = json_object();
    report_put_text(entry, "kind", "external");
    report_put_text(entry, "justification", suppression ? suppression->reason : "it is in the baseline");
    json_object_set_new(object, "suppressions", json_pack("[o]", entry));
    return object;
}

/* ---- the log ------------------------------------------------------------------------------ */

/* SARIF 2.1.0, 3.20: an invocation. The process id is left out, since it differs in each run; the process's
 * number among those of the run is a property. */
static void put_process(json_t *object, const struct report_process *process)
{
    char *line = NULL;
    size_t size = 0;
    FILE *stream = process->program ? open_memstream(&line, &size) : NULL;
    if (!stream)
        return;
    json_t *arguments = json_array(), *more = json_object();
    for (size_t i = 0; process->words && process->words[i]; i++) {
        fprintf(stream, "%s%s", i ? " " : "", process->words[i]);
        if (i)
            json_array_append_new(arguments, report_json_text(process->words[i]));
    }
    report_put_text(more, "program", process->program);
    if (process->number)
        report_put_number(more, "number", process->number);
    if (fclose(stream) == 0)
        report_put_text(object, "commandLine", line);
    json_object_set_new(object, "arguments", arguments);
    json_object_set_new(object, "properties", json_pack("{s:o}", "process", more));
    free(line);
}

static json_t *invocation(const struct report *report, const struct report_end *end)
{
    enum { NO_PROGRESS = 124 }; /* this status and those above mean that the run itself failed */
    char *root = sarif_root(report);
    json_t *object = json_object();
    const bool successful = !end->unfinished && end->exit_status < NO_PROGRESS;
    json_object_set_new(object, "executionSuccessful", json_boolean(successful));
    if (end->exit_status >= 0)
        json_object_set_new(object, "exitCode", json_integer(end->exit_status));
    if (root) /* GitHub makes absolute names relative to it */
        json_object_set_new(object, "workingDirectory", json_pack("{s:s}", "uri", root));
    put_process(object, report_process(report));
    free(root);
    return object;
}

/* "orrery/findings/" for findings.sarif: GitHub keeps results of different categories apart. The process id
 * in a name does not count. */
static json_t *automation(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL,
               *name = slash  ? slash + 1
                       : file ? file
                              : "stdout",
               *dot = strrchr(name, '.'), *end = dot && dot > name ? dot : name + strlen(name),
               *process = strstr(name, "%p");
    char *id = NULL;
    const int before = (int)((process && process < end ? process : end) - name),
              after = process && process < end ? (int)(end - process - 2) : 0;
    if (asprintf(&id, "orrery/%.*s%.*s/", before, name, after, after ? process + 2 : "") < 0)
        id = NULL;
    json_t *object = json_object();
    report_put_text(object, "id", id);
    free(id);
    return object;
}

static json_t *empty_log(const struct report *report, const struct report_end *end)
{
    json_t *run = json_pack("{s:o,s:o,s:[o],s:s}", "tool", sarif_tool(), "automationDetails",
                            automation(report_scenario(report)->sarif_file), "invocations",
                            invocation(report, end), "columnKind", "unicodeCodePoints"),
           *ids = sarif_base_ids(report);
    if (ids)
        json_object_set_new(run, "originalUriBaseIds", ids);
    return json_pack("{s:s,s:s,s:[o]}", "$schema", schema, "version", "2.1.0", "runs", run);
}

void report_write_sarif(FILE *stream, const struct report *report, const struct report_end *end)
{
    struct sarif_writer writer = {.report = report, .log = empty_log(report, end)};
    json_t *results = json_array();
    sarif_places_init(&writer.places, report);
    for (size_t i = 0; i < report_count(report); i++)
        json_array_append_new(results, result(&writer, report_get(report, i)));
    for (size_t i = 0; i < report_suppressed_count(report); i++)
        json_array_append_new(results, suppressed_result(&writer, report_suppressed_get(report, i)));
    sarif_places_fini(&writer.places);
    json_object_set_new(json_array_get(json_object_get(writer.log, "runs"), 0), "results", results);
    char *text = sarif_text(writer.log);
    fputs(text ? text : "", stream);
    free(text);
    json_decref(writer.log);
}
