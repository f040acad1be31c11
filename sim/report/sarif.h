/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The parts of a SARIF log, in the form that GitHub's code scanning accepts: one run for all
 *          processes; a physical location for each result; the same rules in every log; sizes within
 *          GitHub's limits.
 *
 * Interface
 *   sarif_tool             the tool with its rules, one for each kind of finding, in the order of the
 *                          kinds
 *   sarif_places_init      prepares locations; files are named relative to the report's root. fini
 *   sarif_location         the location of a place of the finding, or of what stands for it where no file has
 *                          the line (sarif_places.c)
 *   sarif_line_hash        GitHub's fingerprint of that location; malloc'd, NULL: out of memory
 *   sarif_base_ids         the value of %SRCROOT%; NULL: unknown
 *   sarif_root             of the run, "file:///home/me/project/"; malloc'd, NULL: unknown
 *   sarif_note             notes in the log that something was left out, once for each id
 *   sarif_text             the log as text, malloc'd, cut down to the limits; NULL: out of memory
 *   sarif_join             the log that other processes wrote, with `own` in place of this process's previous
 *                          one (NULL: none); malloc'd; NULL: out of memory, or not a log of Orrery's
 *   sarif_sum_add          adds a log to a sum, as sarif_join would; false: it is not a log of Orrery's
 *   sarif_sum_text         the sum as text, malloc'd, cut down to the limits; NULL: empty, or out of
 *                          memory. fini
 *
 * Messages are json_t objects of SARIF's type message. What is returned belongs to the caller.
 */
#ifndef ORRERY_SIM_REPORT_SARIF_H
#define ORRERY_SIM_REPORT_SARIF_H

#include <jansson.h>

#include "fingerprint.h"
#include "orrery/report.h"

/* GitHub's limits, from https://docs.github.com/code-security "SARIF support for code scanning". A file with
 * more is refused; of locations only so many are shown. A file may have 10 MB after gzip, so this limit is
 * for the text before. */
enum {
    SARIF_RESULTS_MOST = 25000,
    SARIF_BYTES_MOST = 10 * 1000 * 1000,
    SARIF_STEPS_MOST = 1000, /* locations of the thread flows of one result */
    SARIF_DESCRIPTION_MOST = 1024
};

json_t *sarif_message(const char *text);
json_t *sarif_tool(void);

struct sarif_places {
    const struct report *report;
    char *beside; /* the directory of the scenario's source; NULL: a host program */
    char *whole;  /* what ran: a source, a scenario or an executable */
    bool is_text; /* the source is a text in the scenario */
    struct line_hashes hashes;
};
void sarif_places_init(struct sarif_places *places, const struct report *report);
void sarif_places_fini(struct sarif_places *places);
json_t *sarif_location(struct sarif_places *places, const struct finding *finding,
                       const struct source_place *place, const char *text);
char *sarif_line_hash(struct sarif_places *places, const struct finding *finding);
json_t *sarif_base_ids(const struct report *report);
char *sarif_root(const struct report *report);

void sarif_note(json_t *log, const char *id, const char *text);
char *sarif_text(json_t *log);
char *sarif_join(const char *others, const char *before, const char *own);

/* All zero: no log. */
struct sarif_sum {
    json_t *log, *index; /* index: from keys to the results */
};
bool sarif_sum_add(struct sarif_sum *sum, const char *text);
char *sarif_sum_text(struct sarif_sum *sum);
void sarif_sum_fini(struct sarif_sum *sum);

#endif
