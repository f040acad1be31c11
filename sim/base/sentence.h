/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A sentence of a finding, put together piece by piece in fixed room; what
 *          does not fit is cut.
 */
#ifndef ORRERY_SIM_BASE_SENTENCE_H
#define ORRERY_SIM_BASE_SENTENCE_H

#include <stddef.h>
#include <stdint.h>

struct sentence {
    size_t used;
    char bytes[600];
};

void sentence_init(struct sentence *sentence);
void sentence_add(struct sentence *sentence, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sentence_ids(struct sentence *sentence, const uint64_t ids[3]); /* "(1,0,0)" */
void sentence_bytes(struct sentence *sentence, uint64_t count);      /* "1 byte", "64 bytes" */

#endif
