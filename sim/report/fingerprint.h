/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Identifies a finding in a later run, also when lines were added above it: the fingerprints of
 *          SARIF and JSON, and the rows of a baseline.
 *
 * Interface
 *   fingerprint_of      a hash of kind, kernel, file name and the text of the lines; 0: out of memory
 *   fingerprints_next   makes fingerprints of a run distinct: the first finding keeps its own, later ones
 *                       with the same get a number hashed in. 0 stays 0
 *   fingerprint_print   16 hexadecimal digits, as in JSON, SARIF and baselines; 0: ""
 *   line_hashes_of      GitHub's hash of a line and of the lines after it, by which its code scanning
 *                       identifies a result: "c129715d7a2bc9a3:1", malloc'd; NULL: the file has no such line.
 *                       Files are read once
 *   line_hashes_of_text the hash of a line alone, without its file
 */
#ifndef ORRERY_SIM_REPORT_FINGERPRINT_H
#define ORRERY_SIM_REPORT_FINGERPRINT_H

#include "orrery/report.h"

enum { FINGERPRINT_CHARS = 17 };

uint64_t fingerprint_of(const struct finding *finding);
void fingerprint_print(uint64_t fingerprint, char out[FINGERPRINT_CHARS]);

struct fingerprint_seen;
struct fingerprints {
    struct fingerprint_seen *seen; /* NULL: none yet */
};
uint64_t fingerprints_next(struct fingerprints *fingerprints, uint64_t fingerprint);
void fingerprints_fini(struct fingerprints *fingerprints);

struct hashed_file;
struct line_hashes {
    struct hashed_file *files;
};
char *line_hashes_of(struct line_hashes *hashes, const char *path, uint32_t line);
char *line_hashes_of_text(const char *text);
void line_hashes_fini(struct line_hashes *hashes);

#endif
