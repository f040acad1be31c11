/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What each work-item did to memory that others see, and what synchronised, as an observer that
 * writes JSON lines while the run goes on: for programs that judge a run by themselves.  orrery-report(5) has
 * the form.
 *
 * Interface
 *   trace_new       opens the file; NULL: no memory
 *   trace_observer
 *   trace_flush     false: the file could not be opened, or a line not be written, since then
 *   trace_free      NULL is allowed
 *
 * Threads  the one that executes commands.
 */
#ifndef ORRERY_SIM_TRACE_H
#define ORRERY_SIM_TRACE_H

#include "orrery/memory.h"

struct trace;
struct trace *trace_new(const char *pattern, const struct memory *memory); /* borrowed */
struct observer trace_observer(struct trace *trace);
bool trace_flush(struct trace *trace);
void trace_free(struct trace *trace);

#endif
