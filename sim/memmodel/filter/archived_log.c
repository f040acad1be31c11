/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of an ended launch, kept until another launch touches the allocation. */
#include "archived_log.h"

#include <stdlib.h>
#include <string.h>

struct retired {
    struct footprint_keeper keeper;
    uint64_t low; /* of the allocation */
    uint32_t count;
    struct affine_filter_line lines[]; /* and after them their boxes */
};

/* Of each instruction by itself, where there are several that can be reported apart. */
static bool collect_use(const struct retired *retired, enum footprint_use use, struct footprint_part *part)
{
    struct footprint_sites *sites = &part->sites[use];
    struct byte_set *bytes = &part->bytes[use];
    bool whole = sites->count < 2 || footprint_sites_part(sites, part->high - part->low);
    for (uint32_t i = 0; sites->bytes && i < sites->count; i++) {
        affine_filter_lines_collect(retired->lines, retired->count, retired->low, use, &sites->site[i],
                                    &sites->bytes[i]);
        byte_set_join(bytes, &sites->bytes[i]);
        whole &= !sites->bytes[i].failed;
    }
    if (!whole)
        footprint_sites_fini(sites);
    if (!sites->bytes || sites->more)
        affine_filter_lines_collect(retired->lines, retired->count, retired->low, use, NULL, bytes);
    return !bytes->failed;
}

static bool collect(void *self, struct footprint_part *part)
{
    bool whole = true;
    for (int use = 0; use < FOOTPRINT_USES; use++)
        whole &= collect_use(self, use, part);
    return whole;
}

static bool same_line(const struct affine_filter_line *a, const struct affine_filter_line *b)
{
    bool same = a->size == b->size && a->write == b->write && a->base == b->base && a->count == b->count &&
                memcmp(a->step, b->step, sizeof a->step) == 0;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = memcmp(a->boxes[i].low, b->boxes[i].low, sizeof a->boxes[i].low) == 0 &&
               memcmp(a->boxes[i].high, b->boxes[i].high, sizeof a->boxes[i].high) == 0;
    return same;
}

/* The same accesses once more: as when a kernel runs again and again. */
static bool covers(const struct footprint_keeper *keeper, const struct footprint_keeper *earlier)
{
    const struct retired *a = keeper->self, *b = earlier->self;
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = same_line(&a->lines[i], &b->lines[i]);
    return same;
}

static void drop(void *self)
{
    free(self);
}

static uint32_t count_boxes(const struct affine_filter *affine_filter)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < affine_filter->count; i++)
        count += affine_filter->lines[i].count;
    return count;
}

/* The affine filter keeps its room for the next launch. */
struct footprint_keeper *retired_new(const struct affine_filter *affine_filter, uint32_t region_id,
                                     uint64_t low)
{
    const size_t lines_bytes = affine_filter->count * sizeof(struct affine_filter_line),
                 boxes = count_boxes(affine_filter);
    struct retired *retired =
        malloc(sizeof *retired + lines_bytes + boxes * sizeof(struct affine_filter_box));
    if (!retired)
        return NULL;
    *retired = (struct retired){
        .keeper = {retired, region_id, collect, covers, drop}, .low = low, .count = affine_filter->count};
    struct affine_filter_box *box = (struct affine_filter_box *)(retired->lines + affine_filter->count);
    for (uint32_t i = 0; i < affine_filter->count; i++) {
        retired->lines[i] = affine_filter->lines[i];
        memcpy(box, affine_filter->lines[i].boxes, affine_filter->lines[i].count * sizeof *box);
        retired->lines[i].boxes = box;
        box += affine_filter->lines[i].count;
    }
    return &retired->keeper;
}
