/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A run of a scenario's launches with edits of its text, and the comparison of its findings with
 *          those of the original text. Places within an edit count as the edit's beginning.
 *
 * Interface: beside each function. The caller owns a struct fix_rerun, and ends it with fix_rerun_fini.
 */
#ifndef ORRERY_SIM_SCENARIO_FIX_RERUN_H
#define ORRERY_SIM_SCENARIO_FIX_RERUN_H

#include "scenario_again.h"
#include "scenario_launch.h"
#include "sim/source/rewrite.h"

enum { EDITS_MOST = 16 };

/* Sorted by their beginnings; no two overlap. */
struct fix_edits {
    struct code_edit items[EDITS_MOST];
    uint32_t count;
};

/* A finding of one run. */
enum { OBJECT_CHARS = 80 };
struct rerun_finding {
    enum finding_kind kind;
    char *kernel, *name; /* name: kind and place, for sentences */
    uint32_t count;
    struct rewrite_place places[2];
    bool in_text[2]; /* The place is in the text that is edited. */
    uint32_t callers[2];
    char object[OBJECT_CHARS]; /* "": one finding is of all objects */
};

struct fix_rerun {
    struct rerun_finding *findings;
    size_t finding_count;
    struct contents contents;
    bool ends;  /* Every launch ended. */
    bool races; /* Races were found. */
    bool other; /* Findings besides races were found. */
};

bool fix_edits_same(const struct code_edit *a, const struct code_edit *b);
bool fix_edits_add_all(struct fix_edits *edits, const struct fix_edits *more);
/* False: no edit, an edit of another file, or too many or too long edits. */
bool fix_edits_of(const struct finding *finding, const char *name, struct fix_edits *out_edits);
void fix_rerun_fini(struct fix_rerun *again);
bool rerun_finding_init(struct rerun_finding *found, const struct finding *finding, const char *file);
/* Is it the same finding, once in the original text and once in the edited one? The schedule decides which
 * of two accesses is first, so the accesses may be swapped. */
bool fix_rerun_same_finding(const struct fix_edits *edits, const struct rerun_finding *original,
                            const struct rerun_finding *edited);
/* A copy for trials: all checks are on, nothing is suppressed or written to a file, so that findings caused
 * by the edits are seen. It borrows from the scenario. */
struct scenario fix_rerun_checked_copy(const struct scenario *scenario, uint64_t steps);
void fix_rerun_set_policy(struct scenario *scenario, enum schedule_policy policy);
/* Adds the findings of one run to out_again. False: out of memory, or the user interrupted the run. */
bool fix_rerun_run(const struct scenario *scenario, const struct built *built, struct fix_rerun *out_again);

#endif
