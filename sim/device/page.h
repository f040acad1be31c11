/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The form of --html: one file for a browser, which shows a run without a network: findings in
 *          their source, the first steps of the interleaving, the compute units over time, and the
 *          topology with its counters.
 *
 * Interface
 *   page_new              NULL: no memory
 *   page_observer         keeps the source text of each program that is launched, and names of its objects
 *   page_trace_observer   keeps the first PAGE_STEPS_MOST steps
 *   page_write            false: no memory
 *   page_free             NULL is allowed
 *   page_write_json       the page of other data than a run's, which its script detects by their keys
 *
 * Form     page.html with page.css and page_*.js in it, and the run as JSON in an element that is not
 *          executed.  In JSON, '<' stands in strings only: there it is written \u003c, so that no text of
 *          the run can end the element.
 * Threads  the one that executes commands.
 */
#ifndef ORRERY_SIM_PAGE_H
#define ORRERY_SIM_PAGE_H

#include <jansson.h>
#include <stdio.h>

#include "orrery/memory.h"
#include "orrery/report.h"

enum {
    PAGE_STEPS_MOST = 100000,
    PAGE_SPANS_MOST = 5000,
    PAGE_SOURCES_MOST = 64,
    PAGE_FINDINGS_MOST = 1000,
    PAGE_OBJECTS_MOST = 1000
};

struct caches;
struct timeline;
/* What else the page shows; caches and timeline NULL: left out. */
struct page_run {
    const struct scenario *scenario;
    struct report *report;
    const struct caches *caches;
    struct timeline *timeline;
    uint64_t kernels_run;
};

struct page;
struct page *page_new(const struct memory *memory); /* borrowed */
void page_free(struct page *page);
struct observer page_observer(struct page *page);
struct observer page_trace_observer(struct page *page);
bool page_write(struct page *page, const struct page_run *run, FILE *stream);
bool page_write_json(const json_t *data, FILE *stream);

#endif
