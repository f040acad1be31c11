/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The words that all forms of a report have in common.
 *
 * Interface
 *   severity_word, access_word   "error", "load"; without an access "barrier", "call"
 *   place_text                   "mp.cl:7:11"
 *   source_text                  the line without indentation and control characters; malloc'd
 *   print_action                 "plain load, 4 bytes, read 42"
 *   number_type_word              "float"; NULL: none of those
 *   fix_label, fix_claim_text    "fix" or "advice"; " (tried: removes this race)", malloc'd
 *   print_entity                 "work-item (64,0,0), sub-group 0, ...", or another unit
 */
#ifndef ORRERY_SIM_REPORT_REPORT_WORDS_H
#define ORRERY_SIM_REPORT_REPORT_WORDS_H

#include "orrery/report.h"

enum { PLACE_CHARS = 256 };

const char *severity_word(enum severity severity);
const char *access_word(const struct finding_access *access);
void place_text(const struct source_place *place, char out[PLACE_CHARS]);
char *source_text(const struct source_place *place);
const char *number_type_word(enum number_type type);
const char *fix_label(const struct finding *finding);
char *fix_claim_text(const struct finding *finding);
void print_action(FILE *stream, const struct finding_access *access);
void print_entity(FILE *stream, const struct finding_access *access);

#endif
