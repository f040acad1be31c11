/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Where findings and notes go that have no file of their own.
 *
 * Under `orrery run` that is the standard error output that the program began with, also while the program
 * sends its own elsewhere, as test frameworks do. Without the preloaded library, or when the program has
 * closed that file, it is standard error as it is at the time.
 *
 * Interface
 *   message_stream   to print to; not buffered, never closed
 *   message_file     its number now, for isatty()
 */
#ifndef ORRERY_LIB_MESSAGE_STREAM_H
#define ORRERY_LIB_MESSAGE_STREAM_H

#include <stdio.h>

FILE *message_stream(void);
int message_file(void);

#endif
