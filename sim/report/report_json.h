/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Members of JSON objects, for the forms that are JSON.
 *
 * Interface
 *   text_json    a string; what is not UTF-8 becomes '?'
 *   put_text     absent when text is NULL; what is not UTF-8 becomes '?'
 *   put_number
 */
#ifndef ORRERY_SIM_REPORT_REPORT_JSON_H
#define ORRERY_SIM_REPORT_REPORT_JSON_H

#include <jansson.h>
#include <stdint.h>

json_t *text_json(const char *text);
void put_text(json_t *object, const char *key, const char *text);
void put_number(json_t *object, const char *key, uint64_t value);

#endif
