/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  When "run" is fulfilled: the ways to step, and a plan of one.
 */
#ifndef ORRERY_DEBUG_PLAN_H
#define ORRERY_DEBUG_PLAN_H

#include <jansson.h>

#include "place.h"

enum plan_mode {
    PLAN_CONTINUE,
    PLAN_GOTO,
    PLAN_STEP,
    PLAN_NEXT,
    PLAN_FINISH,
    PLAN_UNTIL,
    PLAN_BARRIER,
    PLAN_LAUNCH,
    PLAN_ENTRY
};
struct plan {
    enum plan_mode mode;
    struct item_id item;
    uint32_t call, line; /* where it began; UNTIL: the line */
    uint64_t limit;      /* position at which it ends in any case; 0: none */
    /* likewise: once so many launches and work-groups have begun or ended, and so many slices since;
     * 0: none */
    uint64_t phases, slices;
    bool plain;    /* nothing can stop it: launches that begin run without marks */
    bool collect;  /* does not stop: notes the last place before limit */
    bool points;   /* breakpoints count */
    uint64_t last; /* noted; 0: none */
    uint32_t last_point;
    uint64_t last_number;                  /* of the work-item that hit last_point; 0: none */
    uint32_t previous_call, previous_line; /* of the item's line before, for collecting */
    uint64_t count;                        /* places that were noted */
    bool fresh;                            /* collecting began where no work-item had begun a line */
    bool unsure;               /* a line of the item was met, and whether it began there is unknown */
    char text[DEBUG_TEXT * 2]; /* of the last hit */
};
json_t *plan_set(struct debugger *d, const json_t *request); /* NULL: it is set */
bool plan_met_at_line(struct debugger *d, struct wave *wave, uint32_t line, uint32_t *out_lane);

#endif
