/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A sentence of a finding, put together piece by piece in fixed room; what
 *          does not fit is cut.
 */
#ifndef ORRERY_SIM_TEXT_H
#define ORRERY_SIM_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text { size_t used; char bytes[600]; };

void text_init(struct text *text);
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_ids(struct text *text, const uint64_t ids[3]);  /* "(1,0,0)" */
void text_bytes(struct text *text, uint64_t count);       /* "1 byte", "64 bytes" */

#endif
