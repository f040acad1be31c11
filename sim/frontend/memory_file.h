/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Files in memory as the streams of a tool: unlike a pipe, they do not fill up or break.
 *
 * Interface
 *   memory_file_open    a descriptor of at least MEMORY_FILE_LOWEST, closed at exec; -1: errno
 *   memory_file_write   writes everything, and seeks back to the beginning
 *   memory_file_read    reads the whole file, wherever its offset is; the text is terminated
 */
#ifndef ORRERY_SIM_FRONTEND_MEMORY_FILE_H
#define ORRERY_SIM_FRONTEND_MEMORY_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* Above the numbers of a tool's streams. */
enum { MEMORY_FILE_LOWEST = 4 };

int memory_file_open(void);
bool memory_file_write(int file, const void *bytes, size_t size);
void memory_file_read(int file, struct text *out_text);

#endif
