/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Members of JSON objects, for the forms that are JSON.
 *
 * Interface
 *   text_json    a string; bytes that are not UTF-8 become '?'
 *   put_text     adds a string as a member, or nothing when text is NULL
 *   put_number   adds a number as a member
 */
#ifndef ORRERY_SIM_REPORT_REPORT_JSON_H
#define ORRERY_SIM_REPORT_REPORT_JSON_H

#include <jansson.h>
#include <stdint.h>

json_t *text_json(const char *text);
void put_text(json_t *object, const char *key, const char *text);
void put_number(json_t *object, const char *key, uint64_t value);

#endif
