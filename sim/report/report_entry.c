/* SPDX-License-Identifier: Apache-2.0 */
/* A finding as the report keeps it: a copy with all its strings and arrays. change_texts() visits every
 * string of a finding, once to copy each, once to free each. */
#include "report_entry.h"

#include <stdlib.h>
#include <string.h>

typedef void change_text(const char **text);

static void copy_text(const char **text)
{
    *text = *text ? strdup(*text) : NULL;
}

static void free_text(const char **text)
{
    free((char *)(uintptr_t)*text);
    *text = NULL;
}

static void change_place(struct source_place *place, change_text *change)
{
    change(&place->file);
    change(&place->text);
    change(&place->instruction.module);
}

static void change_iterations(struct finding_access *access, change_text *change)
{
    for (uint32_t i = 0; i < access->iteration_count; i++)
        change(&access->iterations[i].file);
}

static void change_access(struct finding_access *access, change_text *change)
{
    change_place(&access->place, change);
    change_place(&access->caller, change);
    for (uint32_t i = 0; i < access->call_count; i++)
        change_place(&access->calls[i], change);
    change(&access->what);
    change(&access->by);
    change(&access->device);
    change(&access->values);
    change_iterations(access, change);
}

/* The arrays are the entry's own, so their elements may be changed. */
static void change_lists(struct finding *finding, change_text *change)
{
    struct finding_step *steps = (struct finding_step *)(uintptr_t)finding->steps;
    struct finding_edit *edits = (struct finding_edit *)(uintptr_t)finding->edits;
    struct finding_wait *waits = (struct finding_wait *)(uintptr_t)finding->waits;
    for (uint32_t i = 0; i < finding->step_count; i++) {
        change_place(&steps[i].place, change);
        change(&steps[i].text);
    }
    for (uint32_t i = 0; i < finding->edit_count; i++) {
        change(&edits[i].file);
        change(&edits[i].text);
    }
    for (uint32_t i = 0; i < finding->wait_count; i++) {
        change_place(&waits[i].place, change);
        change(&waits[i].object);
    }
}

static void change_texts(struct finding *finding, change_text *change)
{
    for (int i = 0; i < 2; i++)
        change_access(&finding->access[i], change);
    for (uint32_t i = 0; i < finding->blamed_count; i++)
        change_place(&finding->blamed[i], change);
    change_place(&finding->enqueued, change);
    change_place(&finding->made, change);
    change_lists(finding, change);
    change(&finding->source);
    change(&finding->kernel);
    change(&finding->object);
    change(&finding->element);
    change(&finding->why);
    change(&finding->fix);
    change(&finding->fix_note);
    change(&finding->spec);
    change(&finding->test);
}

/* Out of memory: the finding is kept without the array. */
static const void *copy_array(const void *items, uint32_t *count, size_t bytes)
{
    void *copy = *count ? calloc(*count, bytes) : NULL;
    if (copy)
        memcpy(copy, items, *count * bytes);
    else
        *count = 0;
    return copy;
}

/* The edges are those between the steps. */
static void copy_arrays(struct finding *finding)
{
    finding->steps = copy_array(finding->steps, &finding->step_count, sizeof *finding->steps);
    if (!finding->steps)
        finding->edge_count = 0;
    finding->edges = copy_array(finding->edges, &finding->edge_count, sizeof *finding->edges);
    finding->edits = copy_array(finding->edits, &finding->edit_count, sizeof *finding->edits);
    finding->waits = copy_array(finding->waits, &finding->wait_count, sizeof *finding->waits);
}

struct report_entry *report_entry_new(const struct finding *finding, char *key)
{
    struct report_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->finding = *finding;
    entry->finding.covered = NULL;
    entry->finding.covered_count = 0;
    entry->key = key;
    for (uint32_t i = finding->access_count; i < 2; i++)
        entry->finding.access[i] = (struct finding_access){.size_bytes = 0};
    copy_arrays(&entry->finding);
    change_texts(&entry->finding, copy_text);
    return entry;
}

void report_entry_free(struct report_entry *entry)
{
    struct finding *finding = &entry->finding;
    change_texts(finding, free_text);
    free((void *)(uintptr_t)finding->steps);
    free((void *)(uintptr_t)finding->edges);
    free((void *)(uintptr_t)finding->edits);
    free((void *)(uintptr_t)finding->waits);
    free(finding->covered);
    free(entry->key);
    free(entry);
}

void report_entry_set_text(const char **text, const char *to)
{
    free_text(text);
    *text = to;
    copy_text(text);
}

void report_entry_set_iterations(struct finding_access *access, const struct finding_iteration *iterations,
                                 uint32_t count)
{
    change_iterations(access, free_text);
    access->iteration_count = count < FINDING_LOOPS_MOST ? count : FINDING_LOOPS_MOST;
    memcpy(access->iterations, iterations, access->iteration_count * sizeof *iterations);
    change_iterations(access, copy_text);
}

bool report_list_add(struct report_list *list, struct report_entry *entry)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        struct report_entry **entries = realloc(list->entries, room * sizeof(struct report_entry *));
        if (!entries)
            return false;
        list->entries = entries;
        list->room = room;
    }
    list->entries[list->count++] = entry;
    return true;
}

void report_list_clear(struct report_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        report_entry_free(list->entries[i]);
    list->count = 0;
}
