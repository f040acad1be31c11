/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Memory files that become the streams of a tool: no pipe that fills up or breaks.
 *
 * Interface
 *   memory_file_open()    a descriptor of at least MEMORY_FILE_LOWEST, closed at exec; -1: errno
 *   memory_file_write()   everything, and back to the beginning
 *   memory_file_read()    everything that is in it, wherever its offset stands; the text is terminated
 */
#ifndef ORRERY_SIM_FRONTEND_MEMORY_FILE_H
#define ORRERY_SIM_FRONTEND_MEMORY_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* Above the numbers that a tool has its streams at. */
enum { MEMORY_FILE_LOWEST = 4 };

int memory_file_open(void);
bool memory_file_write(int file, const void *bytes, size_t size);
void memory_file_read(int file, struct text *out_text);

#endif
