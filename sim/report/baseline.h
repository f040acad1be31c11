/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Findings that are accepted: a file with a row for each, by its fingerprint. The rest of a row is
 *          for its readers.
 *
 * Interface
 *   baseline_load    the rows of a file; a line that is no row is an error with its position
 *   baseline_meet    a row has this fingerprint: it counts as met from now on
 *   baseline_note    the rows without a finding, in one note
 *   baseline_join    the rows of both texts; malloc'd, NULL: out of memory
 */
#ifndef ORRERY_SIM_REPORT_BASELINE_H
#define ORRERY_SIM_REPORT_BASELINE_H

#include "orrery/report.h"

struct baseline_row;
struct baseline {
    struct baseline_row *rows; /* in the order of the file; NULL: none */
    size_t count;
};

enum status baseline_load(struct baseline *baseline, const char *path, struct diagnosis *diagnosis);
void baseline_fini(struct baseline *baseline);
bool baseline_meet(struct baseline *baseline, uint64_t fingerprint, size_t *out_index);
void baseline_note(FILE *stream, const struct baseline *baseline, const char *path);
char *baseline_join(const char *others, const char *own);

#endif
