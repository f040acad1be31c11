/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The linker of SPIRV-Tools, which has a C++ interface only.
 *
 * Interface
 *   link_run   0 and *out_words (malloc'd), or another number; calls add_line once per message of the log
 */
#ifndef ORRERY_FRONTEND_LINK_H
#define ORRERY_FRONTEND_LINK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int link_run(const uint32_t *const *modules, const size_t *word_counts, size_t count, int create_library,
             void (*add_line)(void *log, const char *line), void *log, uint32_t **out_words,
             size_t *out_word_count);

#ifdef __cplusplus
}
#endif

#endif
