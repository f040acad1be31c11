/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  First touch: which compute unit was the first to access a page. The page's memory is taken to be
 *          at that unit's NUMA node. The host's accesses touch nothing, and a page without a toucher is at no
 *          node.
 *
 * Interface
 *   pages_new, pages_free
 *   pages_observer   receives every access of kernels; add it before observers that query it
 *   pages_toucher    the unit, or PAGES_UNTOUCHED
 *   pages_forget     an allocation ended
 *
 * Local memory is touched like any other and does not matter: it is at its unit.
 * Without memory a page stays untouched.
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
