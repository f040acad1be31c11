/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Members of JSON objects, for the forms that are JSON.
 *
 * Interface
 *   report_json_text    a string; bytes that are not UTF-8 become '?'
 *   report_put_text     adds a string as a member, or nothing when text is NULL
 *   report_put_number   adds a number as a member
 */
#ifndef ORRERY_SIM_REPORT_REPORT_JSON_H
#define ORRERY_SIM_REPORT_REPORT_JSON_H

#include <jansson.h>
#include <stdint.h>

json_t *report_json_text(const char *text);
void report_put_text(json_t *object, const char *key, const char *text);
void report_put_number(json_t *object, const char *key, uint64_t value);

#endif
