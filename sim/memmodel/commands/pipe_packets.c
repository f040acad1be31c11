/* SPDX-License-Identifier: Apache-2.0 */
/* A list of launches and the ends of pipes that they used, each once. */
#include "pipe_packets.h"

#include <stdio.h>

#include "orrery/checked.h"
#include "sim/memmodel/explain/wording.h"

static struct packets_user *find(const struct packets *packets, uint32_t launch, uint64_t side)
{
    for (uint32_t i = packets->users.count; i > 0; i--)
        if (packets->users.items[i - 1].launch == launch && packets->users.items[i - 1].side == side)
            return &packets->users.items[i - 1];
    return NULL;
}

static void describe(struct packets_user *user, const struct memory *memory, const struct launch_info *launch,
                     uint32_t site)
{
    const struct region *region = memory_region(memory, user->side);
    char name[ARGUMENT_CHARS];
    wording_region(region, user->object, sizeof user->object);
    if (launch_names_argument(launch, region->low, region->high, name))
        snprintf(user->argument, sizeof user->argument, ", %s", name);
    user->place = launch_names_place(launch, site);
}

bool packets_note(struct packets *packets, const struct memory *memory, const struct launch_info *launch,
                  const struct packets_use *use)
{
    struct packets_user *known = find(packets, launch->launch, use->side);
    struct packets_user user = {
        .launch = launch->launch, .side = use->side, .writes = use->writes, .group = use->group};
    CHECKED(!known || known->writes == use->writes); /* a side is for reading or for writing */
    if (known) {
        known->several |= known->group != use->group;
        return true;
    }
    describe(&user, memory, launch, use->site);
    return list_add(&packets->users, user);
}

void packets_forget(struct packets *packets, uint32_t launch)
{
    list_keep(&packets->users, user, user->launch != launch);
}

void packets_fini(struct packets *packets)
{
    list_fini(&packets->users);
}
