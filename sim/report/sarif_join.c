/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps a SARIF log within GitHub's limits, and joins the logs of several processes. A log has one run for
 * all processes: GitHub refuses a file with two runs of one tool and category, or with more than 20 runs. A
 * result that several processes have, by its fingerprint, becomes one result whose occurrences add up; each
 * process has an invocation.
 *
 * A process writes its results again as they grow. The occurrences of its previous text are subtracted
 * before the new ones are added, so that no list of each process's results is needed.
 */
#include "sarif.h"

#include <stdlib.h>
#include <string.h>

#include "report_json.h"

static json_t *run_of(const json_t *log)
{
    return json_array_get(json_object_get(log, "runs"), 0);
}

static json_t *results_of(const json_t *log)
{
    return json_object_get(run_of(log), "results");
}

/* ---- what was left out --------------------------------------------------------------------- */

static bool has_note(const json_t *notes, const char *id)
{
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const json_t *descriptor = json_object_get(json_array_get(notes, i), "descriptor");
        const char *other = json_string_value(json_object_get(descriptor, "id"));
        if (other && strcmp(other, id) == 0)
            return true;
    }
    return false;
}

void sarif_note(json_t *log, const char *id, const char *text)
{
    json_t *invocation = json_array_get(json_object_get(run_of(log), "invocations"), 0),
           *notes = json_object_get(invocation, "toolExecutionNotifications");
    if (!id || !invocation)
        return;
    if (!notes) {
        notes = json_array();
        json_object_set_new(invocation, "toolExecutionNotifications", notes);
    }
    if (!has_note(notes, id))
        json_array_append_new(notes, json_pack("{s:{s:s},s:s,s:o}", "descriptor", "id", id, "level",
                                               "warning", "message", sarif_message(text)));
}

/* ---- the most severe results ----------------------------------------------------------------- */

enum { RANKS = 4 };

/* The severity of a result as a number; suppressed results come last. */
static int rank_of(const json_t *result)
{
    const char *level = json_string_value(json_object_get(result, "level"));
    if (json_object_get(result, "suppressions"))
        return 0;
    return level && strcmp(level, "error") == 0 ? 3 : level && strcmp(level, "warning") == 0 ? 2 : 1;
}

/* Keeps the `most` severest results, in their order. */
static void keep_severest(json_t *log, size_t most)
{
    const json_t *results = results_of(log);
    size_t counts[RANKS] = {0};
    json_t *kept = json_array();
    for (size_t i = 0; i < json_array_size(results); i++)
        counts[rank_of(json_array_get(results, i))]++;
    for (int rank = RANKS - 1; rank >= 0; rank--) {
        counts[rank] = counts[rank] < most ? counts[rank] : most;
        most -= counts[rank];
    }
    for (size_t i = 0; i < json_array_size(results); i++) {
        json_t *result = json_array_get(results, i);
        if (counts[rank_of(result)] && counts[rank_of(result)]--)
            json_array_append(kept, result);
    }
    json_object_set_new(run_of(log), "results", kept);
}

static void drop_paths(json_t *log)
{
    const json_t *results = results_of(log);
    for (size_t i = 0; i < json_array_size(results); i++) {
        json_object_del(json_array_get(results, i), "codeFlows");
        json_object_del(json_array_get(results, i), "stacks");
    }
    sarif_note(log, "paths-left-out",
               "The results have no code flows and no stacks: with them the file would exceed the 10 MB that "
               "GitHub accepts. The file of --json has them.");
}

/* Drops results until the log should fit. Results have about the same size; a little less than the share
 * that fits is kept. */
static void drop_results(json_t *log, size_t size)
{
    const size_t count = json_array_size(results_of(log));
    const double share = 0.98 * SARIF_BYTES_MOST / (double)size;
    keep_severest(log, (size_t)((double)count * share));
    sarif_note(log, "results-left-out",
               "There are more results than fit into the 10 MB that GitHub accepts. The most severe ones are "
               "here; the file of --json has all.");
}

static char *text_of(const json_t *log)
{
    char *dump = json_dumps(log, JSON_INDENT(2)), *text = NULL;
    if (dump && asprintf(&text, "%s\n", dump) < 0)
        text = NULL;
    free(dump);
    return text;
}

char *sarif_text(json_t *log)
{
    if (json_array_size(results_of(log)) > SARIF_RESULTS_MOST) {
        keep_severest(log, SARIF_RESULTS_MOST);
        sarif_note(
            log, "results-over-limit",
            "There are more than the 25000 results that GitHub accepts. The most severe ones are here; "
            "the file of --json has all.");
    }
    char *text = text_of(log);
    for (bool paths = true; text && strlen(text) > SARIF_BYTES_MOST && json_array_size(results_of(log));
         paths = false) {
        const size_t size = strlen(text);
        free(text);
        if (paths)
            drop_paths(log);
        else
            drop_results(log, size);
        text = text_of(log);
    }
    return text;
}

/* ---- several processes ------------------------------------------------------------------------ */

enum { KEY_CHARS = 512 };

static const char *uri_of(const json_t *result)
{
    const json_t *location = json_array_get(json_object_get(result, "locations"), 0),
                 *place = json_object_get(location, "physicalLocation");
    const char *uri = json_string_value(json_object_get(json_object_get(place, "artifactLocation"), "uri"));
    return uri ? uri : "";
}

/*
 * The key by which results are the same. A suppressed and an unsuppressed result never are, nor are results
 * of two files of one name. Of a long file name the end is in the key.
 */
static void key_of(const json_t *result, char out[KEY_CHARS])
{
    const json_t *prints = json_object_get(result, "partialFingerprints");
    const char *own = json_string_value(json_object_get(prints, "orrery/v2")), *uri = uri_of(result);
    const size_t length = strlen(uri), most = KEY_CHARS - 40;
    snprintf(out, KEY_CHARS, "%s%s %s", own ? own : "",
             json_object_get(result, "suppressions") ? " suppressed" : "",
             uri + (length > most ? length - most : 0));
}

/* An index from keys to results, which it borrows. */
static json_t *index_of(const json_t *results)
{
    char key[KEY_CHARS];
    json_t *index = json_object();
    for (size_t i = 0; i < json_array_size(results); i++) {
        key_of(json_array_get(results, i), key);
        json_object_set(index, key, json_array_get(results, i));
    }
    return index;
}

static json_int_t count_of(const json_t *result)
{
    return json_integer_value(json_object_get(result, "occurrenceCount"));
}

/* Subtracts the occurrences of this process's previous log. A result without any left is removed. */
static void subtract_results(json_t *results, const json_t *before, const json_t *now)
{
    char key[KEY_CHARS];
    json_t *ours = index_of(before), *stay = index_of(now);
    for (size_t i = json_array_size(results); i-- > 0;) {
        json_t *result = json_array_get(results, i);
        key_of(result, key);
        const json_int_t left = count_of(result) - count_of(json_object_get(ours, key));
        if (left > 0 || json_object_get(stay, key))
            json_object_set_new(result, "occurrenceCount", json_integer(left));
        else
            json_array_remove(results, i);
    }
    json_decref(ours);
    json_decref(stay);
}

/* Adds the results of a log; index: from keys to the results. */
static void add_results(json_t *results, json_t *index, const json_t *now)
{
    char key[KEY_CHARS];
    for (size_t i = 0; i < json_array_size(now); i++) {
        json_t *result = json_array_get(now, i);
        key_of(result, key);
        json_t *there = json_object_get(index, key);
        const json_int_t others = there ? count_of(there) : 0;
        if (!there) {
            json_array_append(results, result);
            json_object_set(index, key, result);
        } else if (!others) /* no other process has it, and it may have changed */
            json_object_update(there, result);
        else
            json_object_set_new(there, "occurrenceCount", json_integer(others + count_of(result)));
    }
}

/* Replaces this process's previous invocation, or adds one. */
static void put_invocation(json_t *invocations, const json_t *before, json_t *now)
{
    for (size_t i = 0; before && i < json_array_size(invocations); i++) {
        if (json_equal(json_array_get(invocations, i), before)) {
            json_array_set(invocations, i, now);
            return;
        }
    }
    json_array_append(invocations, now);
}

/* Notes on results that were left out stay in the joined log. */
static void move_notes(json_t *log, json_t *from)
{
    const json_t *notes = json_object_get(from, "toolExecutionNotifications");
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const json_t *note = json_array_get(notes, i);
        sarif_note(log, json_string_value(json_object_get(json_object_get(note, "descriptor"), "id")),
                   json_string_value(json_object_get(json_object_get(note, "message"), "text")));
    }
    json_object_del(from, "toolExecutionNotifications");
}

static json_t *invocation_of(const json_t *log)
{
    return json_array_get(json_object_get(run_of(log), "invocations"), 0);
}

static bool is_ours(const json_t *log)
{
    const json_t *driver = json_object_get(json_object_get(run_of(log), "tool"), "driver");
    const char *name = json_string_value(json_object_get(driver, "name"));
    return name && strcmp(name, "Orrery") == 0 && json_is_array(results_of(log)) && invocation_of(log);
}

/* Joins a log into the one in the file. Notes of a log belong to its first invocation, so they move
 * there. */
static void join_into(json_t *log, const json_t *old, json_t *now)
{
    json_t *first = json_copy(invocation_of(log)), *run = run_of(log), *mine = invocation_of(now);
    json_t *mine_before = old ? json_copy(invocation_of(old)) : NULL;
    json_object_del(mine_before, "toolExecutionNotifications");
    json_object_del(invocation_of(log), "toolExecutionNotifications");
    json_t *own_notes = json_copy(mine);
    json_object_del(mine, "toolExecutionNotifications");
    put_invocation(json_object_get(run, "invocations"), mine_before, mine);
    move_notes(log, first);
    move_notes(log, own_notes);
    subtract_results(results_of(log), results_of(old), results_of(now));
    json_t *index = index_of(results_of(log));
    add_results(results_of(log), index, results_of(now));
    json_decref(index);
    json_decref(first);
    json_decref(mine_before);
    json_decref(own_notes);
}

char *sarif_join(const char *others, const char *before, const char *own)
{
    json_t *log = json_loads(others, 0, NULL), *old = before ? json_loads(before, 0, NULL) : NULL,
           *now = json_loads(own, 0, NULL);
    char *text = NULL;
    if (is_ours(log) && is_ours(now)) {
        join_into(log, old, now);
        text = sarif_text(log);
    }
    json_decref(log);
    json_decref(old);
    json_decref(now);
    return text;
}

/* ---- many logs ---------------------------------------------------------------------------------- */

/* Like join_into for a log that was not joined before, with an index of results that is kept for the next
 * one. */
static void sum_log(struct sarif_sum *sum, json_t *now)
{
    json_t *invocation = invocation_of(now), *notes = json_copy(invocation);
    json_object_del(invocation, "toolExecutionNotifications");
    put_invocation(json_object_get(run_of(sum->log), "invocations"), NULL, invocation);
    move_notes(sum->log, notes);
    add_results(results_of(sum->log), sum->index, results_of(now));
    json_decref(notes);
}

bool sarif_sum_add(struct sarif_sum *sum, const char *text)
{
    json_t *now = json_loads(text, 0, NULL);
    const bool ours = is_ours(now);
    if (ours && !sum->log) {
        sum->log = json_incref(now);
        sum->index = index_of(results_of(now));
    } else if (ours) {
        sum_log(sum, now);
    }
    json_decref(now);
    return ours;
}

char *sarif_sum_text(struct sarif_sum *sum)
{
    return sum->log ? sarif_text(sum->log) : NULL;
}

void sarif_sum_fini(struct sarif_sum *sum)
{
    json_decref(sum->log);
    json_decref(sum->index);
    *sum = (struct sarif_sum){NULL, NULL};
}
