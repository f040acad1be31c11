/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of allocations that the kernel does not write: a set of bytes for each instruction. */
#include "read_only_set.h"
#include "orrery/checked.h"

static struct byte_set *bytes_of(struct read_only_set *reads, uint32_t site)
{
    const uint32_t i = footprint_sites_add(&reads->sites, site);
    CHECKED(reads->open && i <= FOOTPRINT_SITES);
    return i < FOOTPRINT_SITES ? &reads->sites.bytes[i] : &reads->rest;
}

static bool open_set(struct read_only_set *reads, uint64_t size)
{
    reads->sites = (struct footprint_sites){.count = 0};
    byte_set_init(&reads->rest, size);
    return reads->open = footprint_sites_part(&reads->sites, size);
}

/* Once there are more instructions than are kept apart, the log's reads all count as of one further
 * instruction. */
bool read_only_set_take(struct read_only_set *reads, struct access_log *access_log)
{
    const struct footprint_sites *sites = &access_log->sites[FOOTPRINT_READ];
    bool whole = reads->open || open_set(reads, access_log->size);
    if (whole && sites->more)
        whole = access_log_collect(access_log, FOOTPRINT_READ, NULL, &reads->rest);
    for (uint32_t i = 0; whole && !sites->more && i < sites->count; i++)
        whole =
            access_log_collect(access_log, FOOTPRINT_READ, &sites->site[i], bytes_of(reads, sites->site[i]));
    if (!whole)
        return false;
    reads->sites.more |= sites->more;
    access_log_release(access_log);
    return true;
}

void read_only_set_add(struct read_only_set *reads, uint32_t site, uint64_t offset, uint64_t size)
{
    byte_set_add(bytes_of(reads, site), offset, offset + size);
}

void read_only_set_collect(const struct read_only_set *reads, const uint32_t *site, struct byte_set *bytes)
{
    if (!reads->open)
        return;
    for (uint32_t i = 0; i < reads->sites.count; i++)
        if (!site || reads->sites.site[i] == *site)
            byte_set_join(bytes, &reads->sites.bytes[i]);
    if (!site)
        byte_set_join(bytes, &reads->rest);
}

void read_only_set_forget(struct read_only_set *reads)
{
    if (!reads->open)
        return;
    footprint_sites_fini(&reads->sites);
    byte_set_fini(&reads->rest);
    reads->open = false;
}
