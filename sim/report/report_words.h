/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The words that all forms of a report have in common.
 *
 * Interface
 *   report_severity_word    "error"
 *   report_access_word             "load"; of what is no access "barrier" or "call"
 *   report_place_text       "mp.cl:7:11"
 *   report_source_text      the line without indentation and control characters; malloc'd
 *   report_print_action     "plain load, 4 bytes, read 42"
 *   report_number_type_word "float"; NULL: the bits have no number type
 *   report_fix_label        "fix", or "advice" where nothing was compiled
 *   report_fix_claim_text   " (tried: removes this race)", malloc'd
 *   report_print_entity     "work-item (64,0,0), sub-group 0, ...", or another unit
 */
#ifndef ORRERY_SIM_REPORT_REPORT_WORDS_H
#define ORRERY_SIM_REPORT_REPORT_WORDS_H

#include "orrery/report.h"

enum { PLACE_CHARS = 256 };

const char *report_severity_word(enum severity severity);
const char *report_access_word(const struct finding_access *access);
void report_place_text(const struct source_place *place, char out[PLACE_CHARS]);
char *report_source_text(const struct source_place *place);
const char *report_number_type_word(enum number_type type);
const char *report_fix_label(const struct finding *finding);
char *report_fix_claim_text(const struct finding *finding);
void report_print_action(FILE *stream, const struct finding_access *access);
void report_print_entity(FILE *stream, const struct finding_access *access);

#endif
