/* SPDX-License-Identifier: Apache-2.0 */
/* JSON lines: one object for each finding, then the summary. orrery-report(5) lists the members. */
#include "report_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fingerprint.h"
#include "report_words.h"

/* Jansson refuses text that is not UTF-8, so such bytes become '?'. */
json_t *report_json_text(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    char *copy = strdup(text);
    for (char *c = copy; c && *c; c++)
        *c = (signed char)*c < 0 ? '?' : *c;
    value = json_string(copy);
    free(copy);
    return value;
}

/* Without a text the member is absent, not null. */
void report_put_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, report_json_text(text));
}

void report_put_number(json_t *object, const char *key, uint64_t value)
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
    report_put_number(object, "sub_group", item->sub_group);
    report_put_number(object, "compute_unit", item->compute_unit);
    return object;
}

static json_t *instruction_json(const struct spirv_instruction *instruction)
{
    json_t *object = json_object();
    report_put_text(object, "name", instruction->name);
    if (instruction->result)
        report_put_number(object, "result", instruction->result);
    report_put_number(object, "word", instruction->word);
    report_put_text(object, "module", instruction->module);
    return object;
}

static void put_place(json_t *object, const struct source_place *place)
{
    report_put_text(object, "file", place->file);
    report_put_number(object, "line", place->line);
    report_put_number(object, "column", place->column);
    report_put_text(object, "text", place->text);
    if (!place->line && place->instruction.name)
        json_object_set_new(object, "instruction", instruction_json(&place->instruction));
}

static json_t *place_json(const struct source_place *place)
{
    json_t *object = json_object();
    put_place(object, place);
    return object;
}

/* `caller`, the kernel's own line, and `calls`, all calls with that line as the last. */
static void put_calls(json_t *object, const struct finding_access *access)
{
    if (!access->caller.line)
        return;
    json_t *calls = json_array();
    for (uint32_t i = 0; i < access->call_count; i++)
        json_array_append_new(calls, place_json(&access->calls[i]));
    json_array_append_new(calls, place_json(&access->caller));
    json_object_set_new(object, "called_from", place_json(&access->caller));
    json_object_set_new(object, "calls", calls);
}

static void put_iterations(json_t *object, const struct finding_access *access)
{
    json_t *iterations = access->iteration_count ? json_array() : NULL;
    for (uint32_t i = 0; i < access->iteration_count; i++) {
        json_t *iteration = json_object();
        report_put_text(iteration, "file", access->iterations[i].file);
        report_put_number(iteration, "line", access->iterations[i].line);
        report_put_number(iteration, "iteration", access->iterations[i].number);
        json_array_append_new(iterations, iteration);
    }
    if (iterations)
        json_object_set_new(object, "iterations", iterations);
}

static void put_order(json_t *object, const struct finding_access *access)
{
    report_put_text(object, "order", finding_access_order(access));
    report_put_text(object, "scope", finding_access_scope(access));
}

static json_t *access_json(const struct finding_access *access)
{
    char value[24];
    json_t *object = json_object();
    put_place(object, &access->place);
    put_calls(object, access);
    report_put_text(object, "access", report_access_word(access));
    report_put_text(object, "what", access->what);
    report_put_text(object, "by", access->by);
    report_put_text(object, "device", access->device);
    put_order(object, access);
    report_put_number(object, "size_bytes", access->size_bytes);
    if (access->has_value || access->has_written)
        report_put_text(object, "type", report_number_type_word(access->type));
    if (access->has_value) { /* a string, since JSON readers lose bits of large numbers */
        snprintf(value, sizeof value, "0x%" PRIx64, access->value);
        report_put_text(object, "value", value);
    }
    if (access->has_written) {
        snprintf(value, sizeof value, "0x%" PRIx64, access->written);
        report_put_text(object, "written", value);
    }
    if (access->has_item)
        json_object_set_new(object, "item", item_json(&access->item));
    report_put_text(object, "values", access->values);
    put_iterations(object, access);
    return object;
}

static json_t *step_json(const struct finding_step *step)
{
    json_t *object = json_object();
    report_put_number(object, "side", step->side);
    json_object_set_new(object, "before", json_boolean(step->before));
    report_put_text(object, "step", step->text);
    if (step->side > 1)
        json_object_set_new(object, "item", item_json(&step->item));
    put_place(object, &step->place);
    return object;
}

static json_t *edge_json(const struct finding_edge *edge)
{
    json_t *object = json_object();
    report_put_number(object, "from", edge->from);
    report_put_number(object, "to", edge->to);
    json_object_set_new(object, "synchronises", json_boolean(edge->synchronises));
    return object;
}

static json_t *wait_json(const struct finding_wait *wait)
{
    char value[24];
    json_t *object = json_object();
    snprintf(value, sizeof value, "0x%" PRIx64, wait->value);
    json_object_set_new(object, "item", item_json(&wait->item));
    report_put_number(object, "work_items", wait->work_items);
    put_place(object, &wait->place);
    report_put_text(object, "object", wait->object);
    report_put_number(object, "offset_bytes", wait->offset_bytes);
    report_put_number(object, "length_bytes", wait->size_bytes);
    report_put_text(object, "value", value);
    return object;
}

/* Another finding, as kind and place. */
static json_t *reference_json(const struct finding *finding)
{
    json_t *object = json_object();
    report_put_text(object, "id", finding_id(finding->kind));
    put_place(object, &finding->access[0].place);
    return object;
}

static json_t *edit_json(const struct finding_edit *edit)
{
    json_t *object = json_object();
    report_put_text(object, "file", edit->file);
    report_put_number(object, "line", edit->line);
    report_put_number(object, "column", edit->column);
    report_put_number(object, "end_line", edit->end_line);
    report_put_number(object, "end_column", edit->end_column);
    report_put_text(object, "text", edit->text);
    return object;
}

/* A member for a call of the host program, if its line is known. */
static void put_call(json_t *object, const char *name, const struct source_place *place)
{
    json_t *call = place->line ? json_object() : NULL;
    if (call)
        put_place(call, place);
    if (call)
        json_object_set_new(object, name, call);
}

static void put_fix(json_t *object, const struct finding *finding)
{
    report_put_text(object, "fix", finding->fix);
    if (finding->fix) {
        json_object_set_new(object, "fix_verified",
                            json_boolean(finding_fix_claim(finding) == FIX_CLAIM_TRIED));
        report_put_text(object, "fix_claim", fix_claim_word(finding_fix_claim(finding)));
    }
    report_put_text(object, "fix_note", finding->fix_note);
    const bool shown = finding->edit_count && finding_fix_claim(finding) >= FIX_CLAIM_COMPILES;
    json_t *edits = shown ? json_array() : NULL;
    for (uint32_t i = 0; shown && i < finding->edit_count; i++)
        json_array_append_new(edits, edit_json(&finding->edits[i]));
    if (edits)
        json_object_set_new(object, "edits", edits);
    if (finding->fix_partial)
        json_object_set_new(object, "fix_partial", json_true());
}

static json_t *finding_json(const struct finding *finding)
{
    char fingerprint[FINGERPRINT_CHARS];
    json_t *object = json_object(), *accesses = json_array(), *steps = json_array(), *edges = json_array();
    report_put_text(object, "type", "finding");
    report_put_text(object, "id", finding_id(finding->kind));
    report_put_text(object, "severity", report_severity_word(finding->severity));
    report_put_text(object, "sentence", finding_title(finding));
    if (finding->launch)
        report_put_number(object, "launch", finding->launch);
    put_call(object, "enqueued", &finding->enqueued);
    report_put_text(object, "source", finding->source);
    put_call(object, "made", &finding->made);
    report_put_text(object, "test", finding->test);
    report_put_text(object, "kernel", finding->kernel);
    report_put_text(object, "object", finding->object);
    report_put_text(object, "element", finding->element);
    if (finding->has_offset)
        report_put_number(object, "offset_bytes", finding->offset_bytes);
    if (finding->has_offset && finding_bytes(finding))
        report_put_number(object, "length_bytes", finding_bytes(finding));
    for (uint32_t i = 0; i < finding->access_count && i < 2; i++)
        json_array_append_new(accesses, access_json(&finding->access[i]));
    json_object_set_new(object, "accesses", accesses);
    for (uint32_t i = 0; i < finding->step_count; i++)
        json_array_append_new(steps, step_json(&finding->steps[i]));
    json_object_set_new(object, "steps", steps);
    for (uint32_t i = 0; i < finding->edge_count; i++)
        json_array_append_new(edges, edge_json(&finding->edges[i]));
    json_object_set_new(object, "edges", edges);
    json_t *waits = finding->wait_count ? json_array() : NULL;
    for (uint32_t i = 0; i < finding->wait_count; i++)
        json_array_append_new(waits, wait_json(&finding->waits[i]));
    if (waits)
        json_object_set_new(object, "waits", waits);
    report_put_text(object, "why", finding->why);
    put_fix(object, finding);
    report_put_text(object, "spec", finding->spec ? finding->spec : finding_spec(finding->kind));
    if (finding->cause)
        json_object_set_new(object, "cause", reference_json(finding->cause));
    if (finding->covered_by)
        json_object_set_new(object, "covered_by", reference_json(finding->covered_by));
    fingerprint_print(finding->fingerprint, fingerprint);
    report_put_text(object, "fingerprint", *fingerprint ? fingerprint : NULL);
    if (finding->accepted)
        json_object_set_new(object, "accepted", json_true());
    report_put_number(object, "count", finding->count);
    if (finding->count_at_least)
        json_object_set_new(object, "count_at_least", json_true());
    return object;
}

void report_write_json(FILE *stream, const struct finding *finding)
{
    json_t *object = finding_json(finding);
    json_dumpf(object, stream, JSON_COMPACT);
    fputc('\n', stream);
    json_decref(object);
}

static void put_process(json_t *object, const struct report_process *process)
{
    json_t *command = process->program ? json_array() : NULL, *named = command ? json_object() : NULL;
    if (!command)
        return;
    report_put_text(named, "program", process->program);
    if (process->number)
        report_put_number(named, "number", process->number);
    json_object_set_new(object, "process", named);
    for (size_t i = 0; process->words && process->words[i]; i++)
        json_array_append_new(command, report_json_text(process->words[i]));
    json_object_set_new(object, "command", command);
}

void report_write_json_summary(FILE *stream, const struct report *report, const struct report_end *end)
{
    json_t *object = json_object();
    report_put_text(object, "type", "summary");
    report_put_number(object, "errors", report_distinct(report, SEVERITY_ERROR));
    report_put_number(object, "warnings", report_distinct(report, SEVERITY_WARNING));
    report_put_number(object, "suppressed", report_suppressed_count(report));
    if (report_scenario(report)->baseline_file)
        report_put_number(object, "accepted", report_accepted_count(report));
    if (report_at_least(report))
        json_object_set_new(object, "count_at_least", json_true());
    report_put_number(object, "kernels", end->kernels_run);
    if (scenario_filters(report_scenario(report))) {
        struct report_counts counts;
        report_get_counts(report, end->kernels_run, &counts);
        report_put_number(object, "left_out_by_kernel", counts.left_out[0]);
        report_put_number(object, "left_out_by_launches", counts.left_out[1]);
    }
    if (end->exit_status >= 0)
        report_put_number(object, "exit_status", (uint64_t)end->exit_status);
    put_process(object, report_process(report));
    json_dumpf(object, stream, JSON_COMPACT);
    fputc('\n', stream);
    json_decref(object);
}
