/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of the footprints of launches whose tree is not complete: by allocation and by use of its bytes,
 * with the places of the accesses and the names of objects and arguments. A launch whose children start
 * before it ends also leaves what does not happen before the end of each work-group, and before each call of
 * enqueue_kernel. */
#include "launch_tree_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "sim/memmodel/explain/wording.h"

/* ---- life ---------------------------------------------------------------------------------- */

static void record_fini(struct launch_record *record)
{
    for (uint32_t i = 0; i < record->count; i++)
        footprint_part_fini(&record->operations[i].part);
    free(record->operations);
}

void launch_tree_records_free(struct ended_launch *ended)
{
    record_fini(&ended->all);
    for (uint32_t i = 0; i < ended->tree_launch.group_count; i++)
        record_fini(&ended->rests[i]);
    for (uint32_t i = 0; i < ended->tree_launch.caller_count; i++)
        record_fini(&ended->clock_snapshots[i]);
    free(ended->rests);
    free(ended->clock_snapshots);
    free(ended->tree_launch.groups);
    free(ended->tree_launch.callers);
    free(ended->tree_launch.after);
    free(ended);
}

/* ---- copies of footprints ---------------------------------------------------------------------- */

static void name_object(const struct memory *memory, struct tree_operations *operations)
{
    const struct region *region = memory_region(memory, operations->part.low);
    operations->of_host = region->kind == REGION_NONE;
    operations->fine = operations->of_host || region->flags & REGION_FLAG_SHARED;
    wording_region(region, operations->object, sizeof operations->object);
}

static bool copy_set(struct byte_set *to, const struct byte_set *from)
{
    byte_set_init(to, from->size);
    byte_set_join(to, from);
    return !to->failed;
}

static bool copy_sites(const struct launch_info *launch, const struct footprint_sites *from,
                       struct footprint_sites *to, struct source_place place[FOOTPRINT_SITES])
{
    bool whole = true;
    *to = *from;
    to->bytes = NULL;
    for (uint32_t i = 0; i < from->count; i++)
        place[i] = launch_names_place(launch, from->site[i]);
    if (!from->bytes || !footprint_sites_part(to, from->bytes[0].size))
        return !from->bytes;
    for (uint32_t i = 0; i < from->count; i++)
        whole &= copy_set(&to->bytes[i], &from->bytes[i]);
    return whole;
}

static bool copy_part(const struct memory *memory, const struct launch_info *launch,
                      const struct footprint_part *part, struct tree_operations *operations)
{
    bool whole = true;
    operations->part =
        (struct footprint_part){.region_id = part->region_id, .low = part->low, .high = part->high};
    name_object(memory, operations);
    char name[ARGUMENT_CHARS];
    if (!operations->of_host && launch_names_argument(launch, part->low, part->high, name))
        snprintf(operations->argument, sizeof operations->argument, ", %s", name);
    for (int use = 0; use < FOOTPRINT_USES; use++) {
        whole &= copy_set(&operations->part.bytes[use], &part->bytes[use]);
        whole &= copy_sites(launch, &part->sites[use], &operations->part.sites[use], operations->place[use]);
    }
    return whole;
}

static bool copy_record(const struct memory *memory, const struct launch_info *launch,
                        const struct footprint_part *parts, uint32_t count, struct launch_record *record)
{
    bool whole = true;
    record->operations = calloc(count + 1, sizeof *record->operations);
    for (uint32_t i = 0; record->operations && i < count; i++)
        whole &= copy_part(memory, launch, &parts[i], &record->operations[record->count++]);
    return whole && record->operations;
}

/* What each rest is of, and its accesses. */
static bool copy_rests(const struct memory *memory, const struct launch_info *launch,
                       const struct footprint_rest *rests, uint32_t count, uint64_t **out_of,
                       struct launch_record **out_records, uint32_t *out_count)
{
    bool whole = true;
    *out_of = calloc(count + 1, sizeof **out_of);
    *out_records = calloc(count + 1, sizeof **out_records);
    for (uint32_t i = 0; *out_of && *out_records && i < count; i++) {
        (*out_of)[i] = rests[i].of;
        whole &= copy_record(memory, launch, rests[i].parts, rests[i].count, &(*out_records)[i]);
        *out_count = i + 1;
    }
    return whole && *out_of && *out_records;
}

static bool copy_after(const struct launch_info *launch, struct tree_launch *tree_launch)
{
    size_t size = launch->after_count * sizeof *tree_launch->after;
    tree_launch->after = malloc(size + 1);
    if (tree_launch->after && size)
        memcpy(tree_launch->after, launch->after, size);
    tree_launch->after_count = tree_launch->after ? launch->after_count : 0;
    return tree_launch->after != NULL;
}

bool launch_tree_records_add(struct ended_launch **list, const struct memory *memory,
                             const struct footprint *footprint)
{
    const struct launch_info *launch = footprint->launch;
    struct ended_launch *ended = calloc(1, sizeof *ended);
    if (!ended)
        return false;
    *ended = (struct ended_launch){.next = *list,
                                   .tree = launch->tree_root,
                                   .device = launch->device,
                                   .kernel = launch->kernel,
                                   .releases = launch->releases,
                                   .acquires = launch->acquires};
    ended->tree_launch = (struct tree_launch){.launch = launch->launch,
                                              .parent = launch->parent,
                                              .start = launch->start,
                                              .parent_group = launch->parent_group,
                                              .parent_clock_snapshot = launch->parent_clock_snapshot};
    *list = ended;
    bool whole = copy_after(launch, &ended->tree_launch);
    whole &= copy_record(memory, launch, footprint->parts, footprint->count, &ended->all);
    whole &= copy_rests(memory, launch, footprint->rests, footprint->rest_count, &ended->tree_launch.groups,
                        &ended->rests, &ended->tree_launch.group_count);
    whole &=
        copy_rests(memory, launch, footprint->clock_snapshots, footprint->clock_snapshot_count,
                   &ended->tree_launch.callers, &ended->clock_snapshots, &ended->tree_launch.caller_count);
    return whole;
}

/* ---- a complete tree ------------------------------------------------------------------------------- */

/* The accesses of `earlier` that are not ordered; NULL: none. */
const struct launch_record *launch_tree_record(const struct complete_tree *tree, uint32_t earlier,
                                               struct unordered unordered)
{
    const struct ended_launch *ended = tree->members[earlier];
    switch (unordered.what) {
    case UNORDERED_ALL: return &ended->all;
    case UNORDERED_AFTER_GROUP: return &ended->rests[unordered.index];
    case UNORDERED_AFTER_CALL: return &ended->clock_snapshots[unordered.index];
    case UNORDERED_NONE: break;
    }
    return NULL;
}
