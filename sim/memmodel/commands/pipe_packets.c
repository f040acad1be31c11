/* SPDX-License-Identifier: Apache-2.0 */
/* A list of launches and the ends of pipes that they used, each once. */
#include "pipe_packets.h"

#include <stdio.h>
#include <stdlib.h>

#include "orrery/checked.h"
#include "sim/memmodel/explain/wording.h"

static struct packets_user *find(const struct packets *packets, uint32_t launch, uint64_t side)
{
    for (uint32_t i = packets->count; i > 0; i--)
        if (packets->users[i - 1].launch == launch && packets->users[i - 1].side == side)
            return &packets->users[i - 1];
    return NULL;
}

static struct packets_user *append(struct packets *packets)
{
    if (packets->count == packets->room) {
        const uint32_t room = 2 * packets->room + 8;
        struct packets_user *grown = realloc(packets->users, room * sizeof *grown);
        packets->failed |= !grown;
        if (!grown)
            return NULL;
        packets->users = grown;
        packets->room = room;
    }
    CHECKED(packets->count < packets->room);
    return &packets->users[packets->count++];
}

static void describe(struct packets_user *user, const struct memory *memory, const struct launch_info *launch,
                     uint32_t site)
{
    const struct region *region = memory_region(memory, user->side);
    char name[100];
    wording_region(region, user->object, sizeof user->object);
    if (launch->argument && launch->argument(launch, region->low, region->high, name, sizeof name))
        snprintf(user->argument, sizeof user->argument, ", %s", name);
    if (launch->program)
        program_site(launch->program, site, &user->place);
}

void packets_note(struct packets *packets, const struct memory *memory, const struct launch_info *launch,
                  const struct packets_use *use)
{
    struct packets_user *user = find(packets, launch->launch, use->side);
    if (user) {
        user->several |= user->group != use->group;
        return;
    }
    user = append(packets);
    if (!user)
        return;
    *user = (struct packets_user){
        .launch = launch->launch, .side = use->side, .writes = use->writes, .group = use->group};
    describe(user, memory, launch, use->site);
}

void packets_forget(struct packets *packets, uint32_t launch)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < packets->count; i++)
        if (packets->users[i].launch != launch)
            packets->users[kept++] = packets->users[i];
    packets->count = kept;
    CHECKED(!kept || packets->users[kept - 1].launch != launch);
}

void packets_fini(struct packets *packets)
{
    free(packets->users);
}
