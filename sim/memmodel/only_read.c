/* SPDX-License-Identifier: Apache-2.0 */
#include "only_read.h"

/* Notes of more instructions than are kept apart tell none of them. */
static bool collect_notes(struct only_read *reads, struct notes *notes)
{
    bool whole = true;
    if (reads->sites.more)
        return notes_collect(notes, FOOTPRINT_READ, NULL, &reads->rest);
    for (uint32_t i = 0; whole && i < reads->sites.count; i++)
        whole = notes_collect(notes, FOOTPRINT_READ, &reads->sites.site[i], &reads->sites.bytes[i]);
    return whole;
}

bool only_read_open(struct only_read *reads, struct notes *notes)
{
    reads->sites = notes->sites[FOOTPRINT_READ];
    byte_set_init(&reads->rest, notes->size);
    reads->open = footprint_sites_part(&reads->sites, notes->size);
    if (reads->open && collect_notes(reads, notes)) {
        notes_release(notes);
        return true;
    }
    footprint_sites_fini(&reads->sites);
    byte_set_fini(&reads->rest);
    return reads->open = false;
}

void only_read_add(struct only_read *reads, uint32_t site, uint64_t offset, uint64_t size)
{
    const uint32_t i = footprint_sites_add(&reads->sites, site);
    byte_set_add(i < FOOTPRINT_SITES ? &reads->sites.bytes[i] : &reads->rest, offset, offset + size);
}

void only_read_collect(const struct only_read *reads, const uint32_t *site, struct byte_set *bytes)
{
    if (!reads->open)
        return;
    for (uint32_t i = 0; i < reads->sites.count; i++)
        if (!site || reads->sites.site[i] == *site)
            byte_set_join(bytes, &reads->sites.bytes[i]);
    if (!site)
        byte_set_join(bytes, &reads->rest);
}

void only_read_forget(struct only_read *reads)
{
    if (!reads->open)
        return;
    footprint_sites_fini(&reads->sites);
    byte_set_fini(&reads->rest);
    reads->open = false;
}
