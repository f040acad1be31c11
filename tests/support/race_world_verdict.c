/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a test: findings of the checker, compared with what the oracle says of the same operations. */
#include "race_world_state.h"

#include <stdlib.h>
#include <string.h>

#include "fail_at.h"

size_t world_races(void)
{
    world_finish();
    return report_count(world.report);
}

bool world_counts_at_least(void)
{
    world_finish();
    return report_at_least(world.report);
}

const struct finding *world_finding(size_t index)
{
    return report_get(world.report, index);
}

bool world_races_at(uint32_t address)
{
    world_finish();
    for (size_t i = 0; i < report_count(world.report); i++) {
        const struct finding *finding = report_get(world.report, i);
        bool image = finding->kind == FINDING_RACE_IMAGE || finding->kind == FINDING_IMAGE_READ_AFTER_WRITE;
        uint32_t base = image ? IMAGE : finding->kind == FINDING_RACE_LOCAL ? LOCAL : 0;
        if (base == address / LOCAL * LOCAL && finding->offset_bytes / 4 == address % LOCAL / 4)
            return true;
    }
    return false;
}

/* ---- the oracle's opinion ------------------------------------------------------------------ */

const char *world_disagreement(void)
{
    world_finish();
    race_oracle_order(&world.oracle);
    return race_judge_findings(&world.oracle, world.report);
}

const char *world_unreported_pair(void)
{
    return race_judge_pairs(&world.oracle, world.report);
}

const char *world_split_disagreement(void)
{
    if (!world.plain)
        return race_judge_conflicts(&world.oracle, world.conflicts, world.conflict_count);
    world.oracle.apart = true;
    race_oracle_order(&world.oracle);
    const char *difference = race_judge_conflicts(&world.oracle, world.conflicts, world.conflict_count);
    world.oracle.apart = false;
    race_oracle_order(&world.oracle);
    return difference;
}

uint32_t world_split_races(void)
{
    return world.conflict_count;
}

const char *judged(void)
{
    const char *difference = world_disagreement();
    return difference ? difference : world_unreported_pair();
}

/* What differs, and the operations that led there. */
static void fail_world(const char *file, int line, const char *difference)
{
    char trace[16384] = "";
    FILE *stream = fmemopen(trace, sizeof trace, "w");
    if (stream) {
        race_oracle_print(&world.oracle, stream);
        fclose(stream);
    }
    fail_at(file, line, "%s; %u work-groups of %u, sub-groups of %u:\n%s", difference, world.groups,
            world.items, world.sub_group_size, trace);
}

void judge_at_line(const char *file, int line, uint32_t address, bool racy)
{
    char found[100];
    const char *difference = world_disagreement();
    snprintf(found, sizeof found, "found %s at %u, expected %s", racy ? "no race" : "a race", address,
             racy ? "one" : "none");
    if (difference || world_races_at(address) != racy)
        fail_world(file, line, difference ? difference : found);
    world_end();
}

void tree_judged_line(const char *file, int line, bool racy)
{
    if ((world_tree_races() > 0) != racy)
        fail_world(file, line,
                   racy ? "found no race between launches, expected one"
                        : "found a race between launches, expected none");
    world_end();
}
