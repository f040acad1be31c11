/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  First touch: the compute unit that first accessed a page. The page's memory counts as that of the
 *          unit's NUMA node. Accesses of the host touch nothing, and an untouched page is at no node.
 *
 * Interface
 *   pages_new, pages_free
 *   pages_observer          receives every access of kernels; add it before observers that query it
 *   pages_toucher           the unit, or PAGES_UNTOUCHED
 *   pages_forget            an allocation ended
 *
 * Local memory is touched like any other, which has no effect: it is at its unit. Out of memory, a page
 * stays untouched.
 */
#ifndef ORRERY_TOPOLOGY_PAGES_H
#define ORRERY_TOPOLOGY_PAGES_H

#include "orrery/observer.h"

enum { PAGE_SHIFT = 12 };
#define PAGES_UNTOUCHED UINT32_MAX

struct pages;
struct pages *pages_new(void);
void pages_free(struct pages *pages);
struct observer pages_observer(struct pages *pages);
uint32_t pages_toucher(const struct pages *pages, uint64_t address);
void pages_forget(struct pages *pages, uint64_t address, uint64_t size);

#endif
