/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Findings that are accepted: a file with a row for each, by its fingerprint. The rest of a row is
 *          for its readers.
 *
 * Interface
 *   baseline_load    reads the rows of a file; a line that is not a row is an error with its position
 *   baseline_use    true: a row has this fingerprint, and counts as used from now on
 *   baseline_note    prints one note on the rows that no finding used
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
bool baseline_use(struct baseline *baseline, uint64_t fingerprint, size_t *out_index);
void baseline_note(FILE *stream, const struct baseline *baseline, const char *path);
char *baseline_join(const char *others, const char *own);

#endif
