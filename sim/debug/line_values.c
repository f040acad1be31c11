/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of the variables on the lines of findings. The second run announces each access to the checker first
 * and then here: a finding that is new was reported because of this access, and what was wanted of earlier
 * findings is not looked for any more. A faulty access is not announced; it reports its finding at once.
 */
#include "line_values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "debugger.h"
#include "iterations.h"
#include "sim/device/device_state.h"

enum {
    FINDINGS_MOST = 100,
    VARIABLES_MOST = 6,
    VECTOR_MOST = 4,
    NAME_ROOM = 64,
    WANTED_MOST = 2 * FINDINGS_MOST
};

/* One access of one finding of the first run. */
struct wanted {
    size_t finding;
    uint32_t access;
    char *text; /* "i = 3, stride = 4"; NULL: not met, or no variable is on its line */
    uint32_t iteration_count;
    struct finding_iteration iterations[FINDING_LOOPS_MOST]; /* owned: the program goes first */
};

struct line_values {
    struct debugger *debugger;
    const struct report *first;
    struct wanted wanted[WANTED_MOST];
    uint32_t count;
};

static const struct finding *finding_of(const struct line_values *values, const struct wanted *wanted)
{
    return report_get(values->first, wanted->finding);
}

static const struct finding_access *access_of(const struct line_values *values, const struct wanted *wanted)
{
    return &finding_of(values, wanted)->access[wanted->access];
}

/* ---- the variables of a line ----------------------------------------------------------------- */

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Names of members, of called functions and of what the line assigns to are skipped: they are no values
 * that the line uses. */
static bool is_read_here(const char *line, const char *name, const char *end)
{
    const char *before = name, *after = end + strspn(end, " \t");
    while (before > line && (before[-1] == ' ' || before[-1] == '\t'))
        before--;
    const bool by_arrow = before - line >= 2 && strncmp(before - 2, "->", 2) == 0;
    const bool member = by_arrow || (before > line && before[-1] == '.');
    return !member && *after != '(' && !(after[0] == '=' && after[1] != '=');
}

static bool is_shown(const struct debug_type *type)
{
    return type->kind <= DEBUG_FLOAT || type->kind == DEBUG_ENUM ||
           (type->kind == DEBUG_VECTOR && type->count <= VECTOR_MOST);
}

static bool add_variable(const struct view *view, const char *name, FILE *stream, bool first)
{
    const struct code_variable *variable = place_find_variable(view, name);
    struct debug_value value;
    if (!variable || !place_variable_value(view, variable, &value) || !is_shown(value.type))
        return false;
    fprintf(stream, "%s%s = ", first ? "" : ", ", name);
    value_write(view, &value, stream);
    return true;
}

/* Finds the next name from *at on that the line reads for the first time. False: there is none. */
static bool next_name(const char *line, const char **at, char out_name[NAME_ROOM])
{
    while (**at) {
        const char *name = *at, *end = name;
        if (name[0] == '/' && name[1] == '/')
            return false;
        if (!is_name_part(*name)) {
            ++*at;
            continue;
        }
        while (is_name_part(*end))
            end++;
        *at = end;
        if (!is_name_start(*name) || (size_t)(end - name) >= NAME_ROOM || !is_read_here(line, name, end))
            continue;
        memcpy(out_name, name, (size_t)(end - name));
        out_name[end - name] = '\0';
        return true;
    }
    return false;
}

static bool is_known(char names[][NAME_ROOM], uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* malloc'd; NULL: none is on the line, or there is no memory. */
static char *variables_of(const struct view *view, const char *line)
{
    char names[VARIABLES_MOST][NAME_ROOM], name[NAME_ROOM], *text = NULL;
    const char *at = line;
    uint32_t count = 0;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    while (count < VARIABLES_MOST && next_name(line, &at, name))
        if (!is_known(names, count, name) && add_variable(view, name, stream, count == 0))
            memcpy(names[count++], name, sizeof name);
    if (fclose(stream) != 0 || !count) {
        free(text);
        return NULL;
    }
    return text;
}

static void forget_iterations(struct wanted *wanted)
{
    while (wanted->iteration_count)
        free((char *)(uintptr_t)wanted->iterations[--wanted->iteration_count].file);
}

static void take_iterations(const struct line_values *values, struct wanted *wanted, const struct wave *wave)
{
    const struct seen_wave *seen = debugger_wave(values->debugger, wave);
    forget_iterations(wanted);
    if (!seen || seen->line == UINT32_MAX ||
        wave->code->debug->lines[seen->line].line != access_of(values, wanted)->place.line)
        return;
    wanted->iteration_count = iterations_get(seen, wanted->iterations);
    for (uint32_t i = 0; i < wanted->iteration_count; i++)
        wanted->iterations[i].file = strdup(wanted->iterations[i].file);
}

static void take(const struct line_values *values, struct wanted *wanted, struct wave *wave, uint32_t lane)
{
    struct view view;
    const struct source_place *place = &access_of(values, wanted)->place;
    free(wanted->text);
    wanted->text = NULL;
    take_iterations(values, wanted, wave);
    if (place->text && place_view(values->debugger, wave, lane, 0, &view) &&
        wave->code->debug->lines[view.line].line == place->line)
        wanted->text = variables_of(&view, place->text);
}

/* ---- which access it is ---------------------------------------------------------------------- */

static bool is_of_item(const struct origin *origin, uint32_t lane, const struct finding *finding,
                       const struct finding_access *access)
{
    struct item item;
    if (origin->launch->launch != finding->launch)
        return false;
    origin_item(origin, lane, &item);
    return !memcmp(item.global_id, access->item.global_id, sizeof item.global_id);
}

static bool same_place(const struct source_place *a, const struct source_place *b)
{
    return a->line == b->line && a->column == b->column && a->file && b->file && !strcmp(a->file, b->file);
}

/* The offset of a finding is counted from its object, which may begin inside an allocation. */
static bool has_bytes(const struct memory *memory, const struct access_event *event, uint32_t lane,
                      const struct finding *finding)
{
    const uint64_t address = lane_address(event, lane);
    const struct region *region = memory_region(memory, address);
    if (!finding->has_offset || region->kind == REGION_NONE || address < region->low)
        return true;
    const uint64_t offset = address - region->low, bytes = finding_bytes(finding);
    return offset < finding->offset_bytes + (bytes ? bytes : 1) &&
           finding->offset_bytes < offset + event->size_bytes;
}

static bool has_value(const struct memory *memory, const struct access_event *event, uint32_t lane,
                      const struct finding_access *access)
{
    struct lane_values found;
    if (!access->has_value)
        return true;
    lane_values(memory, event, lane, &found);
    return event->kind == ACCESS_WRITE || event->kind == ACCESS_ATOMIC_WRITE
               ? !found.has_written || found.written == access->value
               : !found.has_read || found.read == access->value;
}

static bool fits(const struct line_values *values, const struct wanted *wanted,
                 const struct access_event *event, uint32_t lane)
{
    const struct memory *memory = &values->debugger->device->arena.memory;
    const struct finding *finding = finding_of(values, wanted);
    const struct finding_access *access = access_of(values, wanted);
    return lane_in(event->mask, lane) && is_of_item(&event->origin, lane, finding, access) &&
           has_bytes(memory, event, lane, finding) && has_value(memory, event, lane, access);
}

void line_values_access(struct debugger *d, const struct access_event *event)
{
    struct line_values *values = d->values;
    struct source_place here;
    if (!d->running || event->image || event->copy)
        return;
    program_site(event->origin.launch->program, event->origin.site, &here);
    for (uint32_t i = 0; i < values->count; i++) {
        struct wanted *wanted = &values->wanted[i];
        const struct finding_access *access = access_of(values, wanted);
        if (wanted->finding < d->findings || access->kind != event->kind ||
            !same_place(&here, &access->place))
            continue;
        for (uint32_t lane = 0; lane < event->lane_count; lane++)
            if (fits(values, wanted, event, lane))
                take(values, wanted, d->running, lane);
    }
}

void line_values_fault(struct debugger *d)
{
    struct line_values *values = d->values;
    const size_t reported = report_count(d->report);
    for (uint32_t i = 0; d->running && i < values->count; i++) {
        struct wanted *wanted = &values->wanted[i];
        const struct finding *finding = finding_of(values, wanted);
        if (wanted->finding < d->findings || wanted->finding >= reported)
            continue;
        for (uint32_t lane = 0; lane < d->running->lane_count; lane++)
            if (lane_mask_test(&d->running->live, lane) &&
                is_of_item(&d->running->origin, lane, finding, access_of(values, wanted)))
                take(values, wanted, d->running, lane);
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

static void print_nothing(void *self, uint64_t position, const char *text, bool of_log_point)
{
    (void)self, (void)position, (void)text, (void)of_log_point;
}

static void never_stops(void *self, struct debugger *debugger, json_t *stop)
{
    (void)self, (void)debugger;
    json_decref(stop);
}

static bool is_wanted(const struct finding *finding, uint32_t access)
{
    CHECKED(access < finding->access_count);
    const struct finding_access *a = &finding->access[access];
    const bool by_item = finding->launch && a->has_item && a->act == ACT_ACCESS;
    return by_item && a->place.line && a->place.text;
}

struct line_values *line_values_new(const struct report *wanted, struct report *again)
{
    const struct debugger_host host = {.stopped = never_stops, .print = print_nothing};
    struct line_values *values = calloc(1, sizeof *values);
    if (!values || !(values->debugger = debugger_new(&host, again))) {
        free(values);
        return NULL;
    }
    values->first = wanted;
    values->debugger->values = values;
    const size_t count = report_count(wanted);
    for (size_t i = 0; i < count && i < FINDINGS_MOST; i++)
        for (uint32_t a = 0; a < report_get(wanted, i)->access_count; a++)
            if (is_wanted(report_get(wanted, i), a))
                values->wanted[values->count++] = (struct wanted){.finding = i, .access = a};
    return values;
}

void line_values_attend(struct line_values *values, struct scenario *scenario)
{
    debugger_attend(values->debugger, scenario);
}

/* Checks that the second run reported the same finding; otherwise its accesses are of another one. */
static bool is_same(const struct finding *a, const struct finding *b)
{
    bool same = a->kind == b->kind && a->access_count == b->access_count;
    for (uint32_t i = 0; same && i < a->access_count; i++)
        same = a->access[i].place.line == b->access[i].place.line &&
               a->access[i].place.column == b->access[i].place.column &&
               !memcmp(&a->access[i].item.global_id, &b->access[i].item.global_id,
                       sizeof a->access[i].item.global_id);
    return same;
}

void line_values_give(const struct line_values *values, struct report *report)
{
    const struct report *again = values->debugger->report;
    for (uint32_t i = 0; i < values->count; i++) {
        const struct wanted *wanted = &values->wanted[i];
        if (wanted->finding >= report_count(again) ||
            !is_same(report_get(report, wanted->finding), report_get(again, wanted->finding)))
            continue;
        if (wanted->text)
            report_values(report, wanted->finding, wanted->access, wanted->text);
        report_iterations(report, wanted->finding, wanted->access, wanted->iterations,
                          wanted->iteration_count);
    }
}

void line_values_free(struct line_values *values)
{
    if (!values)
        return;
    for (uint32_t i = 0; i < values->count; i++) {
        free(values->wanted[i].text);
        forget_iterations(&values->wanted[i]);
    }
    debugger_free(values->debugger);
    free(values);
}
