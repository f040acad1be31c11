/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Why two accesses of a launch are unordered, and the smallest edit of the kernel that
 *          orders them: the launch's history is ordered again with one operation changed, then
 *          with two, until the first access is known to whoever makes the second.
 *
 * Interface
 *   explain_race     false: no edit of an operation that is there orders them, or the history
 *                    does not reach; the answer then has steps, but no sentences
 *
 * Edits      of all operations at one place of the source, in this order: flags of a barrier or
 *            fence; a wider scope; a fence on the other side of its atomic; release and acquire for
 *            relaxed; fences with both flags beside a flag in the other memory; a read-modify-write
 *            for a store that broke a release sequence. Single ones first, then pairs.
 * Exactness  What is told was verified under the interleaving that ran: the same operations read
 *            the same values.
 */
#ifndef ORRERY_MEMMODEL_EXPLAIN_H
#define ORRERY_MEMMODEL_EXPLAIN_H

#include "history.h"
#include "order.h"
#include "wording.h"

struct question {
    const struct history *history;
    const struct launch_info *launch;
    const struct checker_host *host;
    enum scope_rule rule;
    int region;                    /* of the bytes */
    struct asked {
        uint64_t unit;
        uint64_t tick;             /* of the slice in which it was; of the second: not used */
        uint32_t site, size;
        bool atomic;
        enum memory_scope scope;   /* as the shadow has it: reduced */
    } first, second;               /* the second is what the history ends with */
};

enum { ANSWER_STEPS = 8 };

struct answer {
    struct wording why, fix;
    uint32_t step_count;
    struct finding_step steps[ANSWER_STEPS];
    struct wording step_text[ANSWER_STEPS];
};

bool explain_race(const struct question *question, struct answer *out_answer);
/* Where no edit does: a barrier, a second launch or an atomic access that orders the pair or makes it agree. */
bool explain_remedy(const struct question *question, struct wording *out_fix);

#endif
