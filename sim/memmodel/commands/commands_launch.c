/* SPDX-License-Identifier: Apache-2.0 */
/* The footprints of launches: which bytes a launch read, wrote and accessed atomically, by which
 * instructions. They are compared when the launch ends; bytes that the checker's filters keep are fetched
 * only if a command comes that may not be after the launch. */
#include "commands_state.h"

/* A kernel's access by a pointer to host memory: parts that are the storage of a buffer are accesses to the
 * buffer. */
static void touch_storages(struct commands *commands, const struct command_area *host,
                           const struct command_uses *uses)
{
    for (int use = 0; use < FOOTPRINT_USES; use++)
        for (struct byte_run run = {0, 0}; byte_set_next(&uses->bytes[use], run.high, &run);)
            commands_touch_storages(commands, host, uses->low + run.low, uses->low + run.high,
                                    &uses->access[use], 0);
}

static void take_part(struct commands *commands, const struct launch_info *launch,
                      struct footprint_part *part)
{
    struct command_area *area = commands_area_of(commands, part->low);
    struct kept_access kept = {
        .access = {.command = launch->command, .releases = launch->releases, .acquires = launch->acquires},
        .part = *part};
    if (!area) {
        commands->lost = true;
        return;
    }
    char name[ARGUMENT_CHARS];
    commands_number_sites(commands, launch, part, launch_names_argument(launch, part->low, part->high, name),
                          kept.numbers);
    const bool known = commands_follows(commands, area, launch->command);
    const bool of_host = !area->id && commands->storages.count;
    if (part->keeper && known && !of_host && commands_has_no_host_access(commands, area)) {
        commands_keep_access(commands, area, &kept);
        return;
    }
    commands_apply_kept(commands, area);
    if (part->keeper)
        commands->lost |= !footprint_fetch(part);
    const struct command_uses uses = commands_part_uses(commands, area, part, &kept.access, kept.numbers);
    if (!commands_has_no_host_access(commands, area))
        commands_check_host(commands, area, &uses);
    if (of_host)
        touch_storages(commands, area, &uses);
    commands_touch_uses(commands, area, &uses);
}

static bool shares_atomics(const struct memory *memory)
{
    for (uint32_t i = 1; i < memory_region_count(memory); i++)
        if (region_is_there(&memory->regions[i]) && memory->regions[i].flags & REGION_FLAG_SVM_ATOMICS)
            return true;
    return false;
}

/* The launch counts as after all that the host had waited for by now, since it may have acquired from the
 * host. inter_launch.h checks accesses before that acquire, from the predecessors announced here. */
static void count_as_after_host(struct commands *commands, uint32_t command)
{
    if (inter_launch_wants_predecessors(commands->inter_launch, INTER_LAUNCH_HOST))
        commands_announce_predecessors(commands, INTER_LAUNCH_HOST);
    command_graph_assume_host(commands->graph, command);
}

static void on_launch_ended(void *self, const struct footprint *footprint)
{
    struct commands *commands = self;
    const struct footprint_sink trees = tree_races_footprints(commands->tree_races);
    trees.launch_ended(trees.self, footprint);
    pthread_mutex_lock(&commands->lock);
    if (footprint->launch->left_out) /* a launch without a footprint may have written any of these bytes */
        commands_forget_host_writes(commands);
    if (footprint->launch->acquires >= SCOPE_ALL_SVM && shares_atomics(commands->memory))
        count_as_after_host(commands, footprint->launch->command);
    commands->partial |= footprint->partial;
    if (footprint->launch->acquires >=
        SCOPE_DEVICE) /* it may have acquired from any kernel that released by then */
        command_graph_set_seen_step(commands->graph, footprint->launch->command, commands->released);
    for (uint32_t i = 0; i < footprint->count && commands_can_check(commands, footprint->launch->command);
         i++)
        take_part(commands, footprint->launch, &footprint->parts[i]);
    commands_say_loss(commands);
    pthread_mutex_unlock(&commands->lock);
}

/* The area's latest kept access of that keeper; NULL: none. */
static struct kept_access *latest_of(const struct command_area *area, const struct footprint_keeper *keeper)
{
    for (size_t i = area ? area->kept.count : 0; i > 0; i--)
        if (area->kept.items[i - 1].part.keeper == keeper)
            return &area->kept.items[i - 1];
    return NULL;
}

static void on_settle(void *self, struct footprint_keeper *keeper)
{
    struct commands *commands = self;
    pthread_mutex_lock(&commands->lock);
    struct command_area *area = commands_area_with(commands, keeper->region_id);
    if (area)
        commands_drop_kept(commands, area);
    if (latest_of(area, keeper))
        commands_apply_kept(commands, area);
    pthread_mutex_unlock(&commands->lock);
}

static bool on_follows(void *self, const struct launch_info *launch, const struct footprint_keeper *keeper)
{
    struct commands *commands = self;
    pthread_mutex_lock(&commands->lock);
    const struct kept_access *kept = latest_of(commands_area_with(commands, keeper->region_id), keeper);
    const bool known = !kept || kept->access.command == launch->command ||
                       command_graph_is_after(commands->graph, launch->command, kept->access.command);
    pthread_mutex_unlock(&commands->lock);
    return known;
}

struct tree_races *commands_tree_races(struct commands *commands)
{
    return commands->tree_races;
}

struct footprint_sink commands_footprints(struct commands *commands)
{
    return (struct footprint_sink){commands, on_launch_ended, on_settle, on_follows};
}
