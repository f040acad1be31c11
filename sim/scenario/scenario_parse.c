/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a struct scenario from YAML. libyaml's document tree is walked against the rows of scenario.def.
 * Each error has the position of its node, what was found and what was expected. */
#include "scenario_parse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/report.h"
#include "sim/base/scenario_rows.h"
#include "sim/report/suppression.h"

/* ---- scripts ---------------------------------------------------------------------------------------- */

/* A number from 1 to `most`. */
static bool read_count(struct reader *reader, const yaml_node_t *node, const char *key, uint64_t most,
                       uint64_t *out_value)
{
    char expected[EXPECTED_CHARS];
    snprintf(expected, sizeof expected, "1 to %" PRIu64, most);
    if (!node)
        return true;
    const char *text = reader_node_text(node);
    const bool is_number = text && value_parse_number(text, out_value);
    return (is_number && *out_value >= 1 && *out_value <= most) ||
           reader_unexpected(reader, node, key, expected);
}

static bool read_ordinal(struct reader *reader, const yaml_node_t *node, const char *key, uint32_t *out_value)
{
    uint64_t value = *out_value;
    bool fine = read_count(reader, node, key, UINT32_MAX, &value);
    *out_value = (uint32_t)value;
    return fine;
}

/* One number, or one for each of up to three dimensions. */
static bool read_ids(struct reader *reader, const yaml_node_t *node, const char *key, uint64_t out_id[3])
{
    uint32_t dimensions;
    return parse_range(reader, node, key, out_id, &dimensions);
}

static bool read_unit(struct reader *reader, const yaml_node_t *node, struct script_step *step)
{
    const yaml_node_t *item = reader_get(reader, node, "item"), *group = reader_get(reader, node, "group"),
                      *sub_group = reader_get(reader, node, "sub_group");
    if ((item != NULL) == (group != NULL))
        return reader_error(reader, node,
                            "a step of the script: found %s, expected one of them: which work-items run",
                            item ? "item and group" : "neither item nor group");
    if (sub_group && !group)
        return reader_error(reader, sub_group, "sub_group: expected a group, too, that it is of");
    step->unit = item ? SCRIPT_ITEM : sub_group ? SCRIPT_SUB_GROUP : SCRIPT_GROUP;
    return read_ids(reader, item ? item : group, item ? "item" : "group", step->id) &&
           reader_u32(reader, sub_group, "sub_group", &step->sub_group);
}

/* "LINE" or "FILE:LINE". */
static bool read_place(struct reader *reader, const yaml_node_t *node, struct script_step *step)
{
    const char *text = reader_node_text(node) ? reader_node_text(node) : "", *colon = strrchr(text, ':');
    uint64_t line = 0;
    if (!value_parse_number(colon ? colon + 1 : text, &line) || !line || line > UINT32_MAX || colon == text)
        return reader_unexpected(reader, node, "line",
                                 "a line of the program, from 1, or FILE:LINE of a file that it includes");
    step->line = (uint32_t)line;
    step->file = colon ? strndup(text, (size_t)(colon - text)) : NULL;
    return !colon || step->file || reader_out_of_memory(reader);
}

static bool read_line(struct reader *reader, const yaml_node_t *node, struct script_step *step)
{
    const yaml_node_t *line = reader_get(reader, node, "line"), *visit = reader_get(reader, node, "visit");
    step->until = SCRIPT_LINE;
    step->count = 1;
    if (!line)
        return reader_error(reader, node, "until: key 'line' is missing: a line of the program");
    return read_place(reader, line, step) && read_count(reader, visit, "visit", UINT64_MAX, &step->count);
}

static bool read_until(struct reader *reader, const yaml_node_t *node, struct script_step *step)
{
    static const char *const words[] = {
        [SCRIPT_BARRIER] = "barrier", [SCRIPT_ATOMIC] = "atomic", [SCRIPT_END] = "end"};
    if (node->type == YAML_MAPPING_NODE)
        return reader_keys(reader, node, "until") && read_line(reader, node, step);
    for (int until = SCRIPT_BARRIER; until <= SCRIPT_END; until++) {
        step->until = (enum script_until)until;
        if (reader_node_text(node) && strcmp(reader_node_text(node), words[until]) == 0)
            return true;
    }
    return reader_unexpected(reader, node, "until", "end, barrier, atomic, {line: N} or {line: N, visit: N}");
}

static bool read_step(struct reader *reader, const yaml_node_t *node, struct script_step *step)
{
    *step = (struct script_step){.launch = 1,
                                 .file_line = (uint32_t)node->start_mark.line + 1,
                                 .file_column = (uint32_t)node->start_mark.column + 1};
    if (!reader_keys(reader, node, "step") || !read_unit(reader, node, step) ||
        !read_ordinal(reader, reader_get(reader, node, "launch"), "launch", &step->launch))
        return false;
    const yaml_node_t *until = reader_get(reader, node, "until"), *steps = reader_get(reader, node, "steps");
    if ((until != NULL) == (steps != NULL))
        return reader_error(reader, node, "a step of the script: found %s, expected one of them",
                            until ? "until and steps" : "neither until nor steps");
    return until ? read_until(reader, until, step)
                 : read_count(reader, steps, "steps", UINT64_MAX, &step->count);
}

static bool read_script(struct reader *reader, const yaml_node_t *node)
{
    struct schedule_config *schedule = &reader->scenario->schedule;
    if (node->type != YAML_SEQUENCE_NODE)
        return reader_unexpected(reader, node, "script", "a sequence of steps {item: ..., until: ...}");
    schedule->script = calloc(reader_node_items(node) + 1, sizeof *schedule->script);
    schedule->script_file = strdup(reader->file);
    if (!schedule->script || !schedule->script_file)
        return reader_out_of_memory(reader);
    for (size_t i = 0; i < reader_node_items(node); i++)
        if (!read_step(reader, reader_item(reader, node, i), &schedule->script[schedule->script_count++]))
            return false;
    return true;
}

/* Refuses a policy that the rest of the section makes useless, or contradicts. */
static bool policy_fits(struct reader *reader, const yaml_node_t *schedule, bool script)
{
    const yaml_node_t *node = reader_get_row(reader, schedule, "schedule", "policy");
    const bool replay = reader_get_row(reader, schedule, "schedule", "replay");
    const enum schedule_policy policy = reader->scenario->schedule.policy;
    if (!node || replay)
        return true;
    if (script && policy != SCHEDULE_SCRIPT)
        return reader_unexpected(reader, node, "policy",
                                 "script, or no policy: beside script:, which says which work-items run");
    if (!script && policy == SCHEDULE_SCRIPT)
        return reader_unexpected(reader, node, "policy",
                                 "a script: beside it, which says which work-items run");
    return policy != SCHEDULE_REPLAY ||
           reader_unexpected(reader, node, "policy", "a replay: beside it: a token, or a file with a record");
}

/* A list of compute units without a placement means the placement script. */
static bool placement_fits(struct reader *reader, const yaml_node_t *schedule, bool script)
{
    const yaml_node_t *node = reader_get_row(reader, schedule, "schedule", "placement");
    return !script || reader->scenario->schedule.placement == PLACEMENT_SCRIPT ||
           reader_unexpected(reader, node, "placement",
                             "script, or no placement: beside placement_script:, which says where they run");
}

/* A script without a policy means the policy script. */
static bool read_schedule(struct reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *node = reader_get(reader, root, "schedule");
    if (!node)
        return true;
    if (!reader_keys(reader, node, "schedule"))
        return false;
    const yaml_node_t *script = reader_get(reader, node, "script");
    if (script)
        reader->scenario->schedule.policy = SCHEDULE_SCRIPT;
    const yaml_node_t *units = reader_get_row(reader, node, "schedule", "placement_script");
    const bool places = units && reader_node_items(units);
    if (places)
        reader->scenario->schedule.placement = PLACEMENT_SCRIPT;
    return reader_rows(reader, node, "schedule") && policy_fits(reader, node, script != NULL) &&
           placement_fits(reader, node, places) && (!script || read_script(reader, script));
}

/* ---- suppressions -------------------------------------------------------------------------------------- */

/* An id with a star stands for several ids, so only ids without one must be known. */
static bool check_id_pattern(struct reader *reader, const yaml_node_t *node, const char *id)
{
    for (int i = 0; strchr(id, '*') && i < FINDING_KIND_COUNT; i++) {
        if (finding_id_fits((enum finding_kind)i, id, suppression_glob_matches))
            return true;
    }
    return parse_finding_id(reader, node, id);
}

static bool read_suppression(struct reader *reader, const yaml_node_t *node, struct suppression *suppression)
{
    if (!reader_keys(reader, node, "suppression"))
        return false;
    const yaml_node_t *id = reader_get(reader, node, "id");
    if (!id)
        return reader_error(reader, node,
                            "key 'id' is missing: the id of a finding, see orrery-findings(7), or \"*\"");
    if (asprintf(&suppression->origin, "%s:%zu", reader->file, node->start_mark.line + 1) < 0) {
        suppression->origin = NULL;
        return reader_out_of_memory(reader);
    }
    return reader_string(reader, id, "id", &suppression->id) &&
           check_id_pattern(reader, id, suppression->id) &&
           reader_optional(reader, node, "kernel", &suppression->kernel) &&
           reader_optional(reader, node, "file", &suppression->file) &&
           reader_u32(reader, reader_get(reader, node, "line"), "line", &suppression->line) &&
           reader_optional(reader, node, "object", &suppression->object) &&
           reader_optional(reader, node, "reason", &suppression->reason);
}

static bool read_suppressions(struct reader *reader, const yaml_node_t *node)
{
    struct scenario *scenario = reader->scenario;
    if (!node)
        return true;
    if (node->type != YAML_SEQUENCE_NODE)
        return reader_unexpected(reader, node, "suppressions",
                                 "a sequence of suppressions {id: ..., kernel: ..., file: ..., line: ...}");
    struct suppression *grown = realloc(
        scenario->suppressions, (scenario->suppression_count + reader_node_items(node) + 1) * sizeof *grown);
    if (!grown)
        return reader_out_of_memory(reader);
    scenario->suppressions = grown;
    for (size_t i = 0; i < reader_node_items(node); i++) {
        struct suppression *suppression = &grown[scenario->suppression_count++];
        *suppression = (struct suppression){.id = NULL};
        if (!read_suppression(reader, reader_item(reader, node, i), suppression))
            return false;
    }
    return true;
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* Calls that a fault can refuse, with the default error. The last row is for calls by their names. */
static const struct {
    const char *name;
    const char *error;
} refusals[] = {
    {"allocation", "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {"build", "CL_BUILD_PROGRAM_FAILURE"},
    {"enqueue", "CL_OUT_OF_RESOURCES"},
    {"cl", "CL_OUT_OF_RESOURCES"},
};
enum { REFUSAL_COUNT = sizeof refusals / sizeof refusals[0] };

static bool is_call_name(const char *text)
{
    static const char letters[] = "0123456789"
                                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return strncmp(text, "cl", 2) == 0 && text[2] && strspn(text, letters) == strlen(text);
}

static bool read_refused(struct reader *reader, const yaml_node_t *node, struct scenario_fault *fault)
{
    const char *text = reader_node_text(node) ? reader_node_text(node) : "";
    size_t i = 0;
    while (i < REFUSAL_COUNT - 1 && strcmp(refusals[i].name, text) != 0)
        i++;
    if (i == REFUSAL_COUNT - 1 && !is_call_name(text))
        return reader_unexpected(reader, node, "fail",
                                 "allocation, build, enqueue, or the name of a call as in clCreateBuffer");
    scenario_api_error_from_name(refusals[i].error, &fault->error);
    return reader_string(reader, node, "fail", &fault->call);
}

static bool read_error(struct reader *reader, const yaml_node_t *node, struct scenario_fault *fault)
{
    if (!node)
        return true;
    return (reader_node_text(node) && scenario_api_error_from_name(reader_node_text(node), &fault->error)) ||
           reader_unexpected(reader, node, "error", "the name of an error as in CL_OUT_OF_RESOURCES");
}

static bool read_refusal(struct reader *reader, const yaml_node_t *node, struct scenario_fault *fault)
{
    fault->kind = SCENARIO_FAULT_REFUSE;
    return read_refused(reader, reader_get(reader, node, "fail"), fault) &&
           read_ordinal(reader, reader_get(reader, node, "nth"), "nth", &fault->nth) &&
           reader_u32(reader, reader_get(reader, node, "times"), "times", &fault->times) &&
           read_error(reader, reader_get(reader, node, "error"), fault);
}

static bool has_device(const struct scenario *scenario, const char *name)
{
    for (uint32_t i = 0; i < scenario_root_count(scenario); i++) {
        const char *other = scenario_root(scenario, i)->name;
        if (other && strcmp(other, name) == 0)
            return true;
    }
    return false;
}

static bool read_loss(struct reader *reader, const yaml_node_t *mapping, const yaml_node_t *loss,
                      struct scenario_fault *fault)
{
    if (!read_ordinal(reader, loss, "lose_device", &fault->command) ||
        !reader_optional(reader, mapping, "device", &fault->device))
        return false;
    return !fault->device || has_device(reader->scenario, fault->device) ||
           reader_unexpected(reader, reader_get(reader, mapping, "device"), "device",
                             "the name of a root device");
}

static bool read_fault(struct reader *reader, const yaml_node_t *node, struct scenario_fault *fault)
{
    if (!reader_keys(reader, node, "fault"))
        return false;
    const yaml_node_t *fail = reader_get(reader, node, "fail"),
                      *loss = reader_get(reader, node, "lose_device"),
                      *delay = reader_get(reader, node, "delay"),
                      *command = reader_get(reader, node, "command");
    const bool has_refusal_keys = reader_get(reader, node, "nth") || reader_get(reader, node, "times") ||
                                  reader_get(reader, node, "error");
    const bool one_kind = !fail + !loss + !delay == 2;
    const bool has_foreign_keys =
        (!fail && has_refusal_keys) || (!loss && reader_get(reader, node, "device"));
    if (!one_kind || has_foreign_keys || !delay != !command)
        return reader_unexpected(reader, node, "a fault",
                                 "{fail: ..., nth: N, times: N, error: ...}, {lose_device: N, device: NAME} "
                                 "or {delay: NS, command: N}");
    if (fail)
        return read_refusal(reader, node, fault);
    fault->kind = loss ? SCENARIO_FAULT_LOSE_DEVICE : SCENARIO_FAULT_DELAY;
    if (loss)
        return read_loss(reader, node, loss, fault);
    return read_ordinal(reader, command, "command", &fault->command) &&
           reader_number(reader, delay, "delay", UINT32_MAX, &fault->delay);
}

static bool read_faults(struct reader *reader, const yaml_node_t *node)
{
    struct scenario *scenario = reader->scenario;
    if (!node)
        return true;
    if (node->type != YAML_SEQUENCE_NODE)
        return reader_unexpected(
            reader, node, "faults",
            "a sequence of faults {fail: ...}, {lose_device: N} or {delay: NS, command: N}");
    scenario->faults = calloc(reader_node_items(node) + 1, sizeof *scenario->faults);
    if (!scenario->faults)
        return reader_out_of_memory(reader);
    for (size_t i = 0; i < reader_node_items(node); i++) {
        struct scenario_fault *fault = &scenario->faults[scenario->fault_count++];
        *fault = (struct scenario_fault){.nth = 1, .times = 1};
        if (!read_fault(reader, reader_item(reader, node, i), fault))
            return false;
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool read_format(struct reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *node = reader_get(reader, root, "orrery");
    if (!node)
        return reader_error(reader, root, "key 'orrery' is missing: a scenario starts with \"orrery: 1\"");
    if (!reader_node_text(node) || strcmp(reader_node_text(node), "1") != 0)
        return reader_unexpected(reader, node, "orrery", "1, the only version of the format there is");
    return true;
}

/* Reads the rows of scenario.device from a mapping. */
static bool read_device(struct reader *reader, const yaml_node_t *node)
{
    return reader_keys(reader, node, "device") && reader_rows(reader, node, "device") &&
           reader_section(reader, node, "limits", "device.limits") &&
           reader_section(reader, node, "features", "device.features");
}

/* Item 0 sets scenario.device itself; the others start from a copy of it. */
static bool read_item(struct reader *reader, const yaml_node_t *node, size_t index)
{
    if (index == 0)
        return read_device(reader, node);
    scenario_swap_device(reader->scenario, (uint32_t)index - 1);
    bool fine = read_device(reader, node);
    scenario_swap_device(reader->scenario, (uint32_t)index - 1);
    return fine;
}

static bool read_devices(struct reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *device = reader_get(reader, root, "device"),
                      *list = reader_get(reader, root, "devices");
    char expected[64];
    if (device && !read_device(reader, device))
        return false;
    if (!list)
        return true;
    snprintf(expected, sizeof expected, "a list of 1 to %d devices", 1 + SCENARIO_OTHER_DEVICES);
    if (list->type != YAML_SEQUENCE_NODE || reader_node_items(list) < 1 ||
        reader_node_items(list) > 1 + SCENARIO_OTHER_DEVICES)
        return reader_unexpected(reader, list, "devices", expected);
    for (size_t i = 1; i < reader_node_items(list); i++) {
        if (!scenario_add_device(reader->scenario))
            return reader_out_of_memory(reader);
    }
    for (size_t i = 0; i < reader_node_items(list); i++) {
        if (!read_item(reader, reader_item(reader, list, i), i))
            return false;
    }
    return true;
}

static bool read_program(struct reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *node = reader_get(reader, root, "program");
    if (!node)
        return !reader->scenario->launch_count ||
               reader_error(reader, reader_get(reader, root, "launch"),
                            "launch: there is no 'program' whose kernels could be launched");
    if (!reader_section(reader, root, "program", "program"))
        return false;
    const struct scenario_program *program = &reader->scenario->program;
    int given =
        (program->source_file != NULL) + (program->source_text != NULL) + (program->spirv_file != NULL);
    return given == 1 ||
           reader_error(reader, node,
                        "program: found %d of them, expected exactly one of: source, text, spirv", given);
}

static bool read_scenario(struct reader *reader, const yaml_node_t *root)
{
    return reader_keys(reader, root, "") && read_format(reader, root) && reader_rows(reader, root, "") &&
           read_devices(reader, root) && read_schedule(reader, root) && reader_checks(reader, root) &&
           reader_section(reader, root, "report", "report") &&
           read_suppressions(reader, reader_get(reader, root, "suppressions")) &&
           read_faults(reader, reader_get(reader, root, "faults")) &&
           parse_launches(reader, reader_get(reader, root, "launch")) && read_program(reader, root) &&
           parse_expect(reader, root);
}

static bool is_at_tab(const yaml_parser_t *parser)
{
    return parser->error == YAML_SCANNER_ERROR && parser->buffer.pointer && *parser->buffer.pointer == '\t';
}

static bool parse_failed(struct reader *reader, const yaml_parser_t *parser)
{
    const char *problem = is_at_tab(parser) ? "found a tab, where only spaces indent"
                          : parser->problem ? parser->problem
                                            : "the text cannot be read";
    if (parser->error == YAML_READER_ERROR)
        diagnose(reader->diagnosis, STATUS_BAD_SCENARIO, "%s: byte %zu: not YAML: %s", reader->file,
                 parser->problem_offset, problem);
    else
        diagnose(reader->diagnosis, STATUS_BAD_SCENARIO, "%s:%zu:%zu: not YAML: %s", reader->file,
                 parser->problem_mark.line + 1, parser->problem_mark.column + 1, problem);
    return false;
}

typedef bool read_root_function(struct reader *reader, const yaml_node_t *root);

static bool read_document(struct reader *reader, const char *text, read_root_function *read_root,
                          const char *expected)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return reader_out_of_memory(reader);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    bool fine = yaml_parser_load(&parser, &reader->document) || parse_failed(reader, &parser);
    yaml_parser_delete(&parser);
    if (!fine)
        return false;
    const yaml_node_t *root = yaml_document_get_root_node(&reader->document);
    if (root)
        fine = read_root(reader, root);
    else
        diagnose(reader->diagnosis, STATUS_BAD_SCENARIO, "%s:1:1: found nothing, expected %s", reader->file,
                 expected);
    fine = fine && root;
    yaml_document_delete(&reader->document);
    return fine;
}

enum status scenario_load_text(struct scenario *scenario, const char *text, const char *name,
                               struct diagnosis *diagnosis)
{
    struct diagnosis local = {0};
    struct reader reader = {.file = name, .scenario = scenario, .diagnosis = diagnosis ? diagnosis : &local};
    scenario_default(scenario);
    struct plain_locale locale = value_locale_begin();
    bool fine = read_document(&reader, text, read_scenario, "\"orrery: 1\"");
    value_locale_end(locale);
    scenario->file = fine ? strdup(name) : NULL;
    if (fine && (scenario->file || reader_out_of_memory(&reader))) {
        scenario_settle(scenario);
        return STATUS_OK;
    }
    scenario_fini(scenario);
    scenario_default(scenario);
    return reader.diagnosis->status != STATUS_OK ? reader.diagnosis->status : STATUS_BAD_SCENARIO;
}

char *scenario_file_text(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    char chunk[4096];
    FILE *file = fopen(path, "rb"), *stream = file ? open_memstream(&text, &size) : NULL;
    if (!stream)
        goto out;
    bool zero = false; /* no text; a device of zeros has no end */
    for (size_t got; !zero && (got = fread(chunk, 1, sizeof chunk, file)) > 0;) {
        fwrite(chunk, 1, got, stream);
        zero = memchr(chunk, 0, got) != NULL;
    }
    bool fine = !ferror(file);
    fclose(stream);
    if (!fine || strlen(text) != size) { /* A directory cannot be read; a zero byte cannot occur in YAML. */
        free(text);
        text = NULL;
    }
out:
    if (file)
        fclose(file);
    return text;
}

static const char *unread_reason(void)
{
    return errno ? strerror(errno) : "it is no text";
}

/* After an error, the settings before it stay; the caller gives up. */
enum status scenario_load_suppressions(struct scenario *scenario, const char *path,
                                       struct diagnosis *diagnosis)
{
    struct diagnosis local = {0};
    struct reader reader = {.file = path, .scenario = scenario, .diagnosis = diagnosis ? diagnosis : &local};
    errno = 0;
    char *text = scenario_file_text(path);
    if (!text)
        return diagnose(diagnosis, STATUS_IO, "%s: the suppressions cannot be read: %s", path,
                        unread_reason());
    struct plain_locale locale = value_locale_begin();
    bool fine = read_document(&reader, text, read_suppressions, "a sequence of suppressions, or []");
    value_locale_end(locale);
    free(text);
    return fine                                    ? STATUS_OK
           : reader.diagnosis->status != STATUS_OK ? reader.diagnosis->status
                                                   : STATUS_BAD_SCENARIO;
}

enum status scenario_load_file(struct scenario *scenario, const char *path, struct diagnosis *diagnosis)
{
    errno = 0;
    char *text = scenario_file_text(path);
    if (!text) {
        scenario_default(scenario);
        return diagnose(diagnosis, STATUS_IO, "%s: the scenario cannot be read: %s", path, unread_reason());
    }
    enum status status = scenario_load_text(scenario, text, path, diagnosis);
    scenario->has_lines = status == STATUS_OK;
    free(text);
    return status;
}
