/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Each work-item's accesses to memory that others see, and the synchronising operations, as an
 *          observer that writes JSON lines during the run, for programs that judge a run themselves.
 *          orrery-report(5) has the form.
 *
 * Interface
 *   trace_new             opens the file; NULL: out of memory
 *   trace_new_in_memory   keeps the first lines_most lines, each with its file; the others are counted
 *   trace_text            of a trace in memory, borrowed until the next event; NULL: a line was lost
 *   trace_observer
 *   trace_flush           false: the file could not be opened, or a line could not be written since the last
 *                         call
 *   trace_free            NULL is allowed
 *
 * Threads  the one that executes commands.
 */
#ifndef ORRERY_SIM_OBSERVERS_TRACE_H
#define ORRERY_SIM_OBSERVERS_TRACE_H

#include "orrery/memory.h"

struct trace;
struct trace *trace_new(const char *pattern, bool force, const struct memory *memory); /* borrows both */
struct trace *trace_new_in_memory(uint64_t lines_most, const struct memory *memory);   /* borrowed */
const char *trace_text(struct trace *trace, uint64_t *out_left_out);
struct observer trace_observer(struct trace *trace);
bool trace_flush(struct trace *trace);
void trace_free(struct trace *trace);

#endif
