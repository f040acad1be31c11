/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The host program's calls that findings name: the one that enqueued a launch, the one that gave a
 *          source text.
 *
 * Interface
 *   report_places_enqueued   notes the call that enqueued the launch of this number
 *   report_places_made       notes the call that gave a source text, by the name that was made up for it
 *   report_places_set        sets `enqueued`, `source` and `made` of a finding; strings stay valid until fini
 */
#ifndef ORRERY_SIM_REPORT_REPORT_PLACES_H
#define ORRERY_SIM_REPORT_REPORT_PLACES_H

#include "orrery/report.h"

enum { PLACES_KEPT = 512 };

struct made_source;
struct report_places {
    /* a ring of the latest launches, by number */
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
