/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Pages for a browser that are made of other pages.
 *
 * Interface
 *   page_diff   of two pages of runs: where their steps first differ, and what follows.  The names are what
 *               the page calls them
 *
 * Errors   IO: a file that cannot be read; BAD_ARGUMENT: it is no page of a run; OUT_OF_MEMORY.
 */
#ifndef ORRERY_PAGE_DIFF_H
#define ORRERY_PAGE_DIFF_H

#include <stdio.h>

#include "orrery/status.h"

struct page_source {
    const char *name, *file;
};
enum status page_diff(const struct page_source sources[2], FILE *stream, struct diagnosis *diagnosis);

#endif
