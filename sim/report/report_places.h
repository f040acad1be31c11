/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The host program's calls that findings name: the one that enqueued a launch, the one that gave a
 *          source text.
 *
 * Interface
 *   report_places_fini
 *   report_places_enqueued   of a launch, by its number
 *   report_places_made       of a source text, by the name that was made up for it
 *   report_places_set        these fields of a finding; its strings are borrowed for good
 */
#ifndef ORRERY_SIM_REPORT_REPORT_PLACES_H
#define ORRERY_SIM_REPORT_REPORT_PLACES_H

#include "orrery/report.h"

enum { PLACES_KEPT = 512 };

struct made_source;
struct report_places {
    /* by the launch's number: the last ones */
    struct {
        uint32_t launch;
        const struct enqueuer *enqueuer;
    } enqueued[PLACES_KEPT];
    struct made_source *made;
};

void report_places_fini(struct report_places *places);
void report_places_enqueued(struct report_places *places, uint32_t launch, const struct enqueuer *enqueuer);
void report_places_made(struct report_places *places, const char *name, const struct enqueuer *maker);
void report_places_set(const struct report_places *places, struct finding *finding);

#endif
