/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The different sets of compute units that queues have had, each once. Every new set is compared with all of
 * them, until two are disjoint.
 */
#include "queue_units.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "object.h"

static struct {
    struct unit_set *sets;
    size_t count;
    bool disjoint;
} seen; /* under runtime_lock */

static bool add(const struct unit_set *units)
{
    CHECKED(units->count > 0);
    for (size_t i = 0; i < seen.count; i++) {
        const struct unit_set *set = &seen.sets[i];
        if (!unit_set_intersects(set, units)) {
            seen.disjoint = true;
            return true;
        }
        if (set->count == units->count &&
            memcmp(set->units, units->units, units->count * sizeof *units->units) == 0)
            return true;
    }
    struct unit_set *sets = realloc(seen.sets, (seen.count + 1) * sizeof *sets);
    seen.sets = sets ? sets : seen.sets;
    uint32_t *copy = sets ? malloc((units->count + 1) * sizeof *copy) : NULL;
    if (!copy)
        return false;
    memcpy(copy, units->units, units->count * sizeof *copy);
    seen.sets[seen.count++] = (struct unit_set){units->count, copy};
    return true;
}

bool queue_units_add(const struct unit_set *units)
{
    runtime_lock();
    bool added = seen.disjoint || add(units);
    runtime_unlock();
    return added;
}

bool queue_units_disjoint(void)
{
    return seen.disjoint;
}

void queue_units_free(void)
{
    while (seen.count)
        free(seen.sets[--seen.count].units);
    free(seen.sets);
    seen.sets = NULL;
}
