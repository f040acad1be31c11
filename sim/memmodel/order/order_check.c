/* SPDX-License-Identifier: Apache-2.0 */
/* Asserts every invariant of a launch's order (order_check): of groups, their members and copies, and of
 * lists of release clocks. */
#include "order_state.h"
#include "orrery/checked.h"

static void check_release(const struct release *release)
{
    CHECKED(release && release->references > 0);
    CHECKED(release->unit < UNIT_END);
}

void order_list_check(const struct release_clock_list *list)
{
    CHECKED(list->count <= list->room && (list->items || !list->room));
    for (uint32_t i = 0; i < list->count; i++) {
        check_release(list->items[i].release);
        CHECKED(list->items[i].scope <= SCOPE_ALL_SVM);
        CHECKED(list->items[i].flags >> ORDER_REGIONS == 0);
    }
}

/* ---- members --------------------------------------------------------------------------------- */

static void check_progress(const struct order *order, const struct item_order *item)
{
    CHECKED(item->progress_next <= LIST_PROGRESS_MOST);
    for (uint32_t i = 0; i < LIST_PROGRESS_MOST; i++) {
        const struct list_progress *progress = &item->progress[i];
        CHECKED(progress->version <= order->versions);
        for (uint32_t k = 0; progress->list_id && k < i; k++)
            CHECKED(item->progress[k].list_id != progress->list_id);
    }
}

static void check_item(const struct order *order, const struct item_order *item)
{
    CHECKED(item->slice <= order->clock && item->image_base <= order->clock);
    CHECKED(item->head_count <= item->head_room);
    CHECKED(order->launches || item->sub_group < order->sub_group_count);
    CHECKED(!order->sync_log || item->latest <= order->sync_log->count);
    order_list_check(&item->fences);
    for (int r = 0; r < ORDER_REGIONS; r++)
        order_list_check(&item->fence_buffer[r]);
    for (uint32_t i = 0; i < item->head_count; i++)
        check_release(item->heads[i].release_clock.release);
    check_progress(order, item);
}

static void check_items(const struct order *order, const struct group_order *group)
{
    uint32_t count = 0;
    CHECKED(group->items || !group->item_count);
    for (uint64_t local = 0; group->items && local < order->group_items; local++) {
        const struct item_order *item = group->items[local];
        count += item != NULL;
        if (!item)
            continue;
        CHECKED(item->unit == group->number * order->group_items + local);
        check_item(order, item);
    }
    CHECKED(count == group->item_count);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void check_copies(const struct order *order, const struct group_order *group)
{
    for (uint32_t i = 0; i < group->copy_count; i++) {
        CHECKED(group->copies[i] < order->copy_count);
        CHECKED(i == 0 || group->copies[i - 1] < group->copies[i]);
        const struct copy_order *copy = &order->copies[group->copies[i]];
        CHECKED(copy->group == group->number && copy->clock <= order->clock);
        CHECKED(!copy->absent || copy->members);
        CHECKED(copy->absent <= order->group_items);
    }
}

static void check_sub_groups(const struct order *order, const struct group_order *group)
{
    for (uint32_t i = 0; group->sub_groups && i < order->sub_group_count; i++) {
        CHECKED(group->sub_groups[i].slice <= order->clock);
        for (int r = 0; r < ORDER_REGIONS; r++)
            CHECKED(group->sub_groups[i].base[r] <= order->clock);
    }
}

static void check_group(const struct order *order, const struct group_order *group)
{
    CHECKED(group->slice > 0 && group->slice <= order->clock);
    CHECKED(group->joint <= order->clock);
    for (int r = 0; r < ORDER_REGIONS; r++) {
        CHECKED(group->base[r] > 0 && group->base[r] <= order->clock);
    }
    for (const struct group_order *other = group->next; other; other = other->next)
        CHECKED(other->number != group->number);
    CHECKED(!group->slices || group->handoff);
    if (group->waiting)
        order_list_check(&group->waiting->list);
    check_items(order, group);
    check_sub_groups(order, group);
    check_copies(order, group);
}

/* ---- the launch ------------------------------------------------------------------------------ */

static void check_barriers(const struct order *order)
{
    CHECKED(order->arrival_count <= order->arrival_room);
    for (uint32_t i = 0; i < order->arrival_count; i++)
        CHECKED(order->arrivals[i].from < order->arrivals[i].to &&
                order->arrivals[i].to <= order->group_items);
}

void order_check(const struct order *order)
{
    if (order->failed) /* without memory entries are missing, and no invariant holds */
        return;
    CHECKED(order->event_clock <= order->clock && order->copy_count <= order->copy_room);
    for (const struct group_order *group = order->groups; group; group = group->next) {
        CHECKED(order_group_find(order, group->number) == group);
        check_group(order, group);
    }
    check_barriers(order);
    order_objects_check(order);
    vclock_check(&order->pool);
    if (order->sync_log)
        sync_log_check(order->sync_log);
}
