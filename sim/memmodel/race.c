/* SPDX-License-Identifier: Apache-2.0 */
#include "race.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- who ------------------------------------------------------------------------------ */

static uint64_t group_extent(const struct launch_info *info, uint64_t group, int dimension)
{
    uint64_t left = info->global_size[dimension] - group * info->local_size[dimension];
    return left < info->local_size[dimension] ? left : info->local_size[dimension];
}

void race_item(const struct races *races, uint64_t unit, struct item *out_item)
{
    const struct launch_info *info = races->launch;
    uint64_t group = order_unit_group(races->order, unit), local = unit % races->order->group_items;
    const uint64_t *count = info->group_count;
    memset(out_item, 0, sizeof *out_item);
    out_item->group_linear = group;
    out_item->local_linear = local;
    out_item->sub_group = (uint32_t)(local / races->order->sub_group_size);
    out_item->compute_unit = races->compute_units ? races->compute_units[group] : 0;
    out_item->group_id[0] = group % count[0];
    out_item->group_id[1] = group / count[0] % count[1];
    out_item->group_id[2] = group / count[0] / count[1];
    for (int i = 0; i < 3; i++) {
        uint64_t extent = group_extent(info, out_item->group_id[i], i);
        out_item->local_id[i] = local % extent;
        local /= extent;
        out_item->global_id[i] = out_item->group_id[i] * info->local_size[i] + out_item->local_id[i] + info->global_offset[i];
    }
}

/* ---- what ------------------------------------------------------------------------------- */

static const char *order_word(uint8_t order)
{
    static const char *const words[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
    return words[order];
}

static void say_what(struct wording *text, const struct races *races, const struct context *how, bool copy)
{
    if (copy) {
        wording_add(text, "%s by async_work_group_copy", how->kind == ACCESS_READ ? "load" : "store");
        return;
    }
    wording_add(text, "%s", races->host->what(races->host->self, how->site));
    if (how->kind >= ACCESS_ATOMIC_READ)
        wording_add(text, ", %s, %s", order_word(how->order), scope_name((enum memory_scope)how->scope));
}

static void fill_access(const struct races *races, uint64_t unit, const struct context *how, struct finding_access *access,
                        struct wording *what, struct wording *by)
{
    bool copy = unit >= UNIT_COPIES;
    races->host->place(races->host->self, how->site, &access->place);
    access->kind = (enum access_kind)how->kind;
    access->size_bytes = how->size;
    access->has_order = how->kind >= ACCESS_ATOMIC_READ;
    access->order = (enum memory_order)how->order;
    access->scope = (enum memory_scope)how->scope;
    access->has_item = !copy;
    if (copy) {
        wording_add(by, "an asynchronous copy of ");
        wording_group(by, races->launch, order_unit_group(races->order, unit));
        access->by = by->bytes;
    } else {
        race_item(races, unit, &access->item);
    }
    say_what(what, races, how, copy);
    access->what = what->bytes;
}

/* ---- why ----------------------------------------------------------------------------------- */

/* remediable: something is absent, and explain_remedy may find what. copy: nobody waited for the first access.
 * narrow_barrier: the site of one that orders fewer than it would have to; 0: none. */
struct reason { struct wording why, fix; bool remediable, copy; uint32_t narrow_barrier; uint32_t blamed[2], blamed_count; };

static void blame(struct reason *reason, uint32_t site)
{
    if (site != UINT32_MAX)
        reason->blamed[reason->blamed_count++] = site;
}

static void barrier_lacks_flag(struct reason *reason, const struct races *races, const struct barrier_seen *barrier, int space)
{
    const char *other = barrier->regions & REGION_LOCAL    ? "CLK_LOCAL_MEM_FENCE"
                        : barrier->regions & REGION_GLOBAL ? "CLK_GLOBAL_MEM_FENCE"
                        : barrier->regions & REGION_IMAGE  ? "CLK_IMAGE_MEM_FENCE"
                                                           : NULL;
    blame(reason, barrier->site);
    wording_add(&reason->why, "the barrier at ");
    wording_place(&reason->why, races->host, barrier->site);
    if (other)
        wording_add(&reason->why, " has %s only; these are %s accesses", other, space_word(space));
    else
        wording_add(&reason->why, " has no flags: it orders no memory");
    wording_add(&reason->fix, other ? "%s | %s at " : "%s%s at ", other ? other : "", region_flag(space));
    wording_place(&reason->fix, races->host, barrier->site);
}

static void too_narrow(struct reason *reason, const struct races *races, const struct missed_edge *edge,
                       const struct agent *agent)
{
    uint64_t from = order_unit_group(races->order, edge->release_unit);
    bool same = edge->release_scope != edge->acquire_scope && from == agent->place.group;
    wording_add(&reason->why, "the release at ");
    wording_place(&reason->why, races->host, edge->release_site);
    wording_add(&reason->why, " has %s", scope_name(edge->release_scope));
    if (!same && edge->release_scope == SCOPE_WORK_ITEM) {
        wording_add(&reason->why, ": it reaches no other work-item, and the acquire at ");
    } else if (!same && edge->release_scope <= SCOPE_WORK_GROUP) {
        wording_add(&reason->why, ": it reaches ");
        if (edge->release_scope == SCOPE_SUB_GROUP)
            wording_add(&reason->why, "its sub-group of ");
        wording_group(&reason->why, races->launch, from);
        wording_add(&reason->why, " only, and the acquire at ");
    } else {
        wording_add(&reason->why, ", and the acquire at ");
    }
    wording_place(&reason->why, races->host, edge->acquire_site);
    wording_add(&reason->why, " that read its value ");
    if (!same && edge->release_scope <= SCOPE_WORK_GROUP && from != agent->place.group) {
        wording_add(&reason->why, "is in ");
        wording_group(&reason->why, races->launch, agent->place.group);
    } else {
        wording_add(&reason->why, "has %s%s", scope_name(edge->acquire_scope),
            edge->release_scope != edge->acquire_scope ? ": before OpenCL 3.1 the two must be the same" : "");
    }
    enum memory_scope wanted = from == agent->place.group ? SCOPE_WORK_GROUP : SCOPE_DEVICE;
    wording_add(&reason->fix, "%s at ", scope_name(wanted));
    wording_place(&reason->fix, races->host, edge->release_site);
    wording_add(&reason->fix, " and ");
    wording_place(&reason->fix, races->host, edge->acquire_site);
}

static void other_region(struct reason *reason, const struct races *races, const struct missed_edge *edge, int space)
{
    wording_add(&reason->why, "the release at ");
    wording_place(&reason->why, races->host, edge->release_site);
    wording_add(&reason->why, " and the acquire at ");
    wording_place(&reason->why, races->host, edge->acquire_site);
    wording_add(&reason->why, " meet at a flag in %s memory; the data is %s, and only fences with both flags on both sides order "
                      "one region by the other (seq_cst alone does not)",
        edge->local ? "local" : "global", space_word(space));
    wording_add(&reason->fix, "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, ...) on both sides, or a flag in %s memory",
        space_word(space));
}

static void not_acquired(struct reason *reason, const struct races *races, const struct missed_edge *edge)
{
    wording_add(&reason->why, "the reader took the value released at ");
    wording_place(&reason->why, races->host, edge->release_site);
    wording_add(&reason->why, " with a relaxed operation, and no acquire fence followed");
    wording_add(&reason->fix, "memory_order_acquire for the atomic that reads the flag, or an acquire fence after it");
}

static void not_released(struct reason *reason, const struct races *races, const struct missed_edge *edge, const struct agent *agent, int space)
{
    const bool same_group = order_unit_group(races->order, edge->release_unit) == agent->place.group;
    const char *scope = scope_name(same_group ? SCOPE_WORK_GROUP : SCOPE_DEVICE);
    wording_add(&reason->why, "the store at ");
    wording_place(&reason->why, races->host, edge->release_site);
    wording_add(&reason->why, " is relaxed: what was written before it does not become visible with it");
    if (edge->local != (space == IN_LOCAL)) {
        wording_add(&reason->why, "; it is in %s memory, the data is %s, so that only fences with both flags on both sides would do",
                    edge->local ? "local" : "global", space_word(space));
        wording_add(&reason->fix, "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_release, %s) before ", scope);
        wording_place(&reason->fix, races->host, edge->release_site);
        wording_add(&reason->fix, ", and the same with memory_order_acquire behind ");
        wording_place(&reason->fix, races->host, edge->acquire_site);
        wording_add(&reason->fix, ", with %s for both atomics, or a flag in %s memory", scope, space_word(space));
        return;
    }
    wording_add(&reason->fix, "memory_order_release, %s at ", scope);
    wording_place(&reason->fix, races->host, edge->release_site);
    wording_add(&reason->fix, ", and memory_order_acquire, %s at ", scope);
    wording_place(&reason->fix, races->host, edge->acquire_site);
}

static void explain_edge(struct reason *reason, const struct races *races, const struct missed_edge *edge,
                         const struct agent *agent, int space)
{
    blame(reason, edge->release_site);
    blame(reason, edge->acquire_site);
    switch (edge->why) {
    case MISSED_SCOPE: too_narrow(reason, races, edge, agent); break;
    case MISSED_REGION: other_region(reason, races, edge, space); break;
    case MISSED_ACQUIRE: not_acquired(reason, races, edge); break;
    default: not_released(reason, races, edge, agent, space); break;
    }
}

static void explain_copy(struct reason *reason, const struct races *races, const struct race *race, const struct agent *agent)
{
    struct code_place place;
    const bool second = agent->copy != NULL;
    const bool early = second && races->host->between && races->host->between(races->host->self, race->context->site, agent->copy->site, &place) &&
                       place.before && place.first == 1; /* who was ahead used the bytes before the others had called */
    const bool now = second && !early;
    const bool both = second && race->unit >= UNIT_COPIES;
    reason->copy = !second || both;
    if (both) {
        wording_add(&reason->why, "the copy at ");
        wording_place(&reason->why, races->host, race->context->site);
        wording_add(&reason->why, " was not waited for before the copy at ");
        wording_place(&reason->why, races->host, agent->copy->site);
        wording_add(&reason->why, ", and copies are ordered by wait_group_events only");
        wording_add(&reason->fix, "wait_group_events before ");
        wording_place(&reason->fix, races->host, agent->copy->site);
        return;
    }
    uint32_t site = second ? agent->copy->site : race->context->site;
    wording_add(&reason->why, "the copy at ");
    wording_place(&reason->why, races->host, site);
    wording_add(&reason->why, now ? " is ordered only after what every work-item of the group knew when it started"
                          : " was not waited for before the other access");
    if (early) {
        wording_add(&reason->fix, "wait_group_events before ");
        wording_place(&reason->fix, races->host, place.site);
        return;
    }
    wording_add(&reason->fix, now ? "a barrier with %s before the copy" : "wait_group_events, then a barrier, before the bytes are used",
        region_flag(race->region->space));
}

static bool passed_barrier(const struct history *history, uint64_t group)
{
    for (uint32_t i = 0; i < history->count; i++) {
        if (history->items[i].kind == HAPPENED_BARRIER && history->items[i].by == group)
            return true;
    }
    return false;
}

static bool one_passed_a_barrier(const struct races *races, const struct race *race, const struct agent *agent)
{
    const struct history *history = races->order->history;
    return passed_barrier(history, order_unit_group(races->order, race->unit)) || passed_barrier(history, agent->place.group);
}

static bool same_place(const struct races *races, uint32_t a, uint32_t b)
{
    struct source_place x, y;
    if (a == b)
        return true;
    races->host->place(races->host->self, a, &x);
    races->host->place(races->host->self, b, &y);
    return x.line && x.line == y.line && x.column == y.column && (x.file == y.file || (x.file && y.file && strcmp(x.file, y.file) == 0));
}

/* Reduce, scan, broadcast and their like exchange values, and order no memory. */
static bool parted_by_collective(const struct races *races, const struct race *race, const struct shadow_access *now, uint32_t *out_site)
{
    const struct checker_host *host = races->host;
    return host->collective && host->collective(host->self, race->context->site, now->how.site, out_site) &&
           (strncmp(host->what(host->self, *out_site), "sub_", 4) != 0 ||
            order_unit_sub_group(races->order, race->unit) == now->agent->place.sub_group);
}

static void explain_apart(struct reason *reason, const struct races *races, const struct race *race, const struct shadow_access *now, bool same_group)
{
    const struct agent *agent = now->agent;
    const char *flag = region_flag(race->region->space);
    uint32_t collective;
    reason->remediable = true;
    if (!same_group && one_passed_a_barrier(races, race, agent)) {
        wording_add(&reason->why, "work_group_barrier never orders different work-groups, and no atomic carries the order from one to the other");
        wording_add(&reason->fix, "two kernels, or a release and an acquire with memory_scope_device on an atomic flag");
    } else if (!same_group) {
        wording_add(&reason->why, "the two work-groups do not synchronise with each other");
        wording_add(&reason->fix, "let each byte belong to one work-item, use atomics, or split the kernel in two");
    } else if (parted_by_collective(races, race, now, &collective)) {
        wording_add(&reason->why, "%s", races->host->what(races->host->self, collective));
        if (!same_place(races, collective, race->context->site) && !same_place(races, collective, now->how.site)) { /* else its line is not known */
            wording_add(&reason->why, " at ");
            wording_place(&reason->why, races->host, collective);
        }
        wording_add(&reason->why, " comes between the two accesses, but it is no barrier: such functions order no memory");
        wording_add(&reason->fix, "work_group_barrier(%s) beside it, or let each byte belong to one work-item", flag);
    } else {
        wording_add(&reason->why, "no barrier, fence or atomic lies between the two accesses that orders %s memory", space_word(race->region->space));
        wording_add(&reason->fix, "work_group_barrier(%s) between them, or let each byte belong to one work-item", flag);
    }
}

/* The history is full: which operation should have ordered them cannot be told any more. */
static void explain_lost(struct reason *reason, bool same_group, int space)
{
    wording_add(&reason->why, "nothing that the second work-item acquired was released by the first behind its access to %s memory",
        space_word(space));
    wording_add(&reason->fix, "a release behind the first access and an acquire before the second, of one atomic object and with %s",
        scope_name(same_group ? SCOPE_WORK_GROUP : SCOPE_DEVICE));
}

static void between_sub_groups(struct reason *reason, const struct races *races, const struct barrier_seen *barrier, int space)
{
    reason->narrow_barrier = barrier->site;
    wording_add(&reason->why, "the sub-group barrier at ");
    wording_place(&reason->why, races->host, barrier->site);
    wording_add(&reason->why, " orders the work-items of one sub-group; these are in two");
    wording_add(&reason->fix, "work_group_barrier(%s) at ", region_flag(space));
    wording_place(&reason->fix, races->host, barrier->site);
}

static void beside_named(struct reason *reason, const struct races *races, const struct barrier_seen *barrier, int space)
{
    reason->narrow_barrier = barrier->site;
    wording_add(&reason->why, "the named barrier at ");
    wording_place(&reason->why, races->host, barrier->site);
    wording_add(&reason->why, " orders the sub-groups that wait at it together; these two did not");
    wording_add(&reason->fix, "let both sub-groups wait at one named barrier, or work_group_barrier(%s) at ", region_flag(space));
    wording_place(&reason->fix, races->host, barrier->site);
}

static void explain_image(struct reason *reason, bool sampled)
{
    if (sampled) {
        wording_add(&reason->why, "a read with a sampler does not see what the same kernel writes to the image, and no fence or barrier helps");
        wording_add(&reason->fix, "another kernel for the reads, or a read_write image read without a sampler");
        return;
    }
    wording_add(&reason->why, "a work-item sees what it wrote to an image only behind a fence for images, and there is none between the two");
    wording_add(&reason->fix, "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item) between them");
}

static void explain(struct reason *reason, const struct races *races, const struct race *race, const struct shadow_access *now)
{
    const struct agent *agent = now->agent;
    struct missed_edge edge;
    bool same_group = order_unit_group(races->order, race->unit) == agent->place.group;
    if (race->unseen) {
        explain_image(reason, now->sampled);
        return;
    }
    if (race->unit >= UNIT_COPIES || agent->copy) {
        explain_copy(reason, races, race, agent);
        return;
    }
    const struct barrier_seen *barrier = agent->group ? &agent->group->barrier : NULL;
    if (same_group && barrier && race->context->tick < barrier->tick && !barrier->sub_group &&
        !(barrier->regions >> race->region->space & 1)) {
        barrier_lacks_flag(reason, races, barrier, race->region->space);
    } else if (same_group && barrier && race->context->tick < barrier->tick && barrier->sub_group &&
               order_unit_sub_group(races->order, race->unit) != agent->place.sub_group) {
        between_sub_groups(reason, races, barrier, race->region->space);
    } else if (same_group && barrier && race->context->tick < barrier->tick && barrier->named) {
        beside_named(reason, races, barrier, race->region->space);
    } else if (order_explain(races->order, agent, race->region->space, race->unit, race->context->tick, &edge)) {
        explain_edge(reason, races, &edge, agent, race->region->space);
    } else if (race->context->kind >= ACCESS_ATOMIC_READ && now->how.kind >= ACCESS_ATOMIC_READ) {
        blame(reason, race->context->site);
        blame(reason, now->how.site);
        wording_add(&reason->why, race->context->size != now->how.size
                              ? "the two atomics have different sizes: they are no operations on one atomic object"
                              : "atomics race too when their scopes do not include each other: %s and %s",
            scope_name((enum memory_scope)race->context->scope), scope_name((enum memory_scope)now->how.scope));
        wording_add(&reason->fix, race->context->size != now->how.size ? "one type for one atomic object"
                                                                : "the same scope for both, one that holds both work-items");
    } else if (race->context->kind >= ACCESS_ATOMIC_READ || now->how.kind >= ACCESS_ATOMIC_READ) {
        reason->remediable = true;
        wording_add(&reason->why, "one access is atomic, the other is plain, and nothing orders them");
        wording_add(&reason->fix, "make both accesses atomic, or order them by a barrier");
    } else if (races->order->history->full && agent->item) {
        explain_lost(reason, same_group, race->region->space);
    } else {
        explain_apart(reason, races, race, now, same_group);
    }
}

static struct asked asked_of(uint64_t unit, const struct context *how)
{
    return (struct asked){.unit = unit, .tick = how->tick, .site = how->site, .size = how->size,
                          .atomic = how->kind >= ACCESS_ATOMIC_READ,
                          .writes = how->kind != ACCESS_READ && how->kind != ACCESS_ATOMIC_READ, .scope = (enum memory_scope)how->scope};
}

static struct question question_of(const struct races *races, const struct race_pair *pair)
{
    return (struct question){.history = races->order->history, .launch = races->launch, .host = races->host,
                             .rule = races->order->rule,
                             .region = pair->tally.space, .svm_atomics = pair->svm_atomics, .meetings = pair->meetings,
                             .meeting_count = pair->meeting_count, .one_wave = pair->one_wave,
                             .spent = races->explaining, .most = races->answer_most};
}

static bool remedy_of(const struct reason *reason, const struct question *question, struct wording *fix, struct remedy *remedy)
{
    return reason->remediable ? explain_remedy(question, fix, remedy)
         : reason->narrow_barrier ? explain_barrier_at(question, reason->narrow_barrier, fix, remedy)
                                  : reason->copy && explain_wait(question, fix);
}

/* One access is atomic, and the edit orders some of those that met at once: to make the other atomic, too, may serve them all. */
static void agree_instead(const struct question *question, struct answer *answer, struct remedy *remedy)
{
    struct wording fix;
    if (answer->serves_all || question->meetings->first.atomic == question->meetings->second.atomic ||
        !explain_remedy(question, &fix, remedy))
        return;
    answer->why = answer->fix = (struct wording){.used = 0};
    wording_add(&answer->why, "one access is atomic, the other is plain, and nothing orders them");
    answer->fix = fix;
    answer->amendment_count = answer->step_count = answer->edge_count = 0;
}

/* A barrier makes good for the flag's race, too, and for what others would announce by it. */
static bool is_barrier_remedy(const struct race_pair *pair)
{
    return pair->remedy.kind == REMEDY_BARRIER || pair->remedy.kind == REMEDY_TURN || pair->remedy.kind == REMEDY_NEXT_TURN;
}

/* What is guarded by a flag that is no atomic object is mended there. */
static bool follows_from_flag(const struct races *races, struct race_pair *pair, const struct question *question, struct reason *reason,
                              struct answer *answer)
{
    struct wording why, fix;
    if (!races->passings.count || pair->tally.unseen || !pair->meeting_count || is_barrier_remedy(pair) ||
        !explain_flag(question, &races->passings, &pair->flag, &why, &fix))
        return false;
    pair->follows = true;
    pair->remedy.kind = REMEDY_NONE;
    answer->why = why;
    answer->fix = fix;
    reason->blamed_count = 0;
    blame(reason, pair->flag.store);
    blame(reason, pair->flag.load);
    return true;
}

/* The edit that was verified; without one the reason that the order itself keeps. */
static void answer_why(struct answer *answer, struct races *races, struct race_pair *pair, const struct race *race,
                       const struct shadow_access *now)
{
    struct finding *finding = &pair->finding;
    struct reason reason = {.remediable = false};
    const struct question question = question_of(races, pair);
    *answer = (struct answer){.step_count = 0};
    finding->fix_verified = !race->unseen && pair->meeting_count && explain_race(&question, answer);
    races->explaining = answer->spent > races->explaining ? answer->spent : races->explaining;
    if (finding->fix_verified) {
        agree_instead(&question, answer, &pair->remedy);
    } else {
        explain(&reason, races, race, now);
        answer->why = reason.why;
        finding->fix_verified = pair->meeting_count && remedy_of(&reason, &question, &answer->fix, &pair->remedy);
        finding->fix_verified |= follows_from_flag(races, pair, &question, &reason, answer);
        if (!finding->fix_verified && !(reason.remediable && pair->meeting_count && explain_advice(&question, &answer->fix)))
            answer->fix = reason.fix;
    }
    finding->why = answer->why.bytes;
    finding->fix = answer->fix.bytes;
    finding->step_count = answer->step_count;
    finding->steps = answer->steps;
    for (uint32_t i = 0; i < answer->step_count; i++) {
        if (answer->steps[i].side > 1)
            race_item(races, answer->step_unit[i], &answer->steps[i].item);
    }
    finding->edge_count = answer->edge_count;
    finding->edges = answer->edges;
    for (uint32_t i = 0; i < answer->amendment_count; i++)
        blame(&reason, answer->amendments[i].site);
    finding->blamed_count = reason.blamed_count;
    for (uint32_t i = 0; i < reason.blamed_count; i++)
        races->host->place(races->host->self, reason.blamed[i], &finding->blamed[i]);
    pair->amendment_count = answer->amendment_count;
    memcpy(pair->amendments, answer->amendments, sizeof pair->amendments);
}

/* ---- pairs ------------------------------------------------------------------------------------- */

static enum finding_kind kind_in(int space)
{
    return space == IN_LOCAL ? FINDING_RACE_LOCAL : space == IN_IMAGE ? FINDING_RACE_IMAGE : FINDING_RACE_GLOBAL;
}

static enum finding_kind kind_of(const struct race *race)
{
    return race->unseen ? FINDING_IMAGE_READ_AFTER_WRITE : kind_in(race->region->space);
}

/* A loop may touch the bytes behind by the same instruction, in a turn of its own: at the next multiple of its size. Of an
 * earlier access that is not aligned only a part is told. */
static uint64_t common_bytes(const struct race_news *news)
{
    const uint64_t bytes = news->end - news->race.address, offset = news->race.address - news->race.region->low;
    const uint64_t earlier = news->context.size - offset % news->context.size, later = news->now.address + news->now.how.size - news->race.address;
    const uint64_t least = earlier < later ? earlier : later;
    return bytes < least ? bytes : least;
}

/* A finding with its texts. */
struct telling {
    struct finding finding;
    struct wording what[2], by[2];
    struct answer answer;
    char object[CHECKER_NAME_CHARS];
    struct race_pair *pair;
    struct telling *next;
};

static void prepare(struct races *races, const struct race_event *under_way, struct race_pair *pair, const struct race *race, const struct shadow_access *now, struct telling *telling)
{
    struct finding *finding = &pair->finding;
    *telling = (struct telling){.pair = pair};
    finding->kind = kind_of(race);
    finding->launch = races->launch->launch;
    finding->kernel = races->launch->kernel;
    finding->access_count = 2;
    finding->has_offset = !race->region->of_host;
    finding->offset_bytes = race->region->of_host ? 0 : race->address - race->region->low;
    finding->common_bytes = common_bytes(&pair->news);
    races->host->object(races->host->self, race->address, telling->object, sizeof telling->object);
    finding->object = telling->object[0] ? telling->object : NULL;
    fill_access(races, race->unit, race->context, &finding->access[0], &telling->what[0], &telling->by[0]);
    fill_access(races, now->agent->unit, &now->how, &finding->access[1], &telling->what[1], &telling->by[1]);
    race_values(races->memory, under_way, !races->accompanied, race, now, pair->news.end, finding);
    answer_why(&telling->answer, races, pair, race, now);
    finding->spec = race->unseen ? "OpenCL C 3.0, 6.15.15.1 reading and writing to the same image in a kernel" : "OpenCL 2.2 API, 3.3.6 data race";
    finding->known = 1 + report_count(races->report);
    telling->finding = *finding;
    finding->object = finding->why = finding->fix = NULL;
    finding->steps = NULL;
    finding->edges = NULL;
    finding->step_count = finding->edge_count = 0;
    for (int i = 0; i < 2; i++) {
        snprintf(pair->what[i], sizeof pair->what[i], "%.95s", telling->what[i].bytes);
        finding->access[i].what = pair->what[i];
        finding->access[i].by = NULL;
    }
}

/* ---- what waits for those that may follow from it ------------------------------------------ */

enum { HELD_MOST = HOSTILE(32, 2), ASKS_MOST = 1024 };

static void tell_held(struct races *races)
{
    for (struct telling *telling = races->held, *next; telling; telling = next) {
        next = telling->next;
        report_add(races->report, &telling->finding);
        free(telling);
    }
    races->held = NULL;
    races->held_count = 0;
}

/* A load that a branch depends on, and somebody's store. */
static bool may_be_flag(const struct races *races, const struct race_pair *pair)
{
    const struct finding_access *access = pair->finding.access;
    const bool first_reads = access[0].kind == ACCESS_READ || access[0].kind == ACCESS_ATOMIC_READ;
    const bool second_reads = access[1].kind == ACCESS_READ || access[1].kind == ACCESS_ATOMIC_READ;
    return first_reads != second_reads && access[0].size_bytes == 4 && access[1].size_bytes == 4 && access[0].has_item && access[1].has_item &&
           (access[0].kind < ACCESS_ATOMIC_READ || access[1].kind < ACCESS_ATOMIC_READ) && pair->tally.space != IN_IMAGE && !is_barrier_remedy(pair) &&
           races->host->steers && races->host->steers(races->host->self, pair->tally.site[second_reads]);
}

static bool is_of_flag(const struct race_pair *pair, const struct flag *flag)
{
    return tally_is_of(&pair->tally, flag->store, flag->load, flag->region, false);
}

/* One edit mends both. */
static void amend_flag(struct races *races, const struct telling *follower)
{
    const struct flag *flag = &follower->pair->flag;
    struct telling *telling = races->held;
    while (telling && !is_of_flag(telling->pair, flag))
        telling = telling->next;
    if (!telling)
        return;
    struct race_pair *pair = telling->pair;
    struct finding *finding = &telling->finding;
    telling->answer.fix = follower->answer.fix;
    pair->finding.fix_verified = finding->fix_verified = true;
    pair->finding.blamed_count = finding->blamed_count = follower->finding.blamed_count;
    memcpy(finding->blamed, follower->finding.blamed, sizeof finding->blamed);
    pair->remedy = (struct remedy){.kind = REMEDY_ATOMIC, .scope = flag->scope};
    pair->amendment_count = 0;
    pair->not_served = false;
    for (uint32_t i = 0; i < pair->meeting_count; i++)
        pair->not_served |= !explain_serves(races->launch, races->order->rule, &pair->remedy, pair->meetings[i].first.unit, pair->meetings[i].second.unit);
}

static void tell(struct races *races, const struct race_event *under_way, struct race_pair *pair, const struct race *race, const struct shadow_access *now)
{
    struct telling spare, *telling = malloc(sizeof *telling);
    const bool own = !telling;
    telling = own ? &spare : telling;
    prepare(races, under_way, pair, race, now, telling);
    if (pair->follows)
        amend_flag(races, telling);
    if (pair->follows || own || races->held_count == HELD_MOST)
        tell_held(races);
    pair->asks = may_be_flag(races, pair);
    if (!own && !pair->follows && (races->held || pair->asks)) {
        *(races->held ? races->held_end : &races->held) = telling;
        races->held_end = &telling->next;
        races->held_count++;
        return;
    }
    report_add(races->report, &telling->finding);
    if (!own)
        free(telling);
}

static struct race_pair *find_pair(struct races *races, uint32_t a, uint32_t b, const struct race *race)
{
    struct race_pair *pair = races->pairs;
    while (pair && !tally_is_of(&pair->tally, a, b, race->region->space, race->unseen))
        pair = pair->next;
    if (pair)
        races->recent[(a + b) % TALLIES] = &pair->tally;
    return pair;
}

/* Of the same two places of the source. */
static struct race_pair *find_like(const struct races *races, const struct race_pair *pair)
{
    struct race_pair *other = pair->next;
    for (; other; other = other->next)
        if (!other->like && other->tally.space == pair->tally.space && other->tally.unseen == pair->tally.unseen &&
            ((same_place(races, other->tally.site[0], pair->tally.site[0]) && same_place(races, other->tally.site[1], pair->tally.site[1])) ||
             (same_place(races, other->tally.site[0], pair->tally.site[1]) && same_place(races, other->tally.site[1], pair->tally.site[0]))))
            break;
    return other;
}

void races_begin(struct races *races, const struct launch_info *launch)
{
    races->launch = launch;
    races->explaining = 0;
    races->accompanied = false;
    races->passings.count = races->passings.next = 0;
    races->passings.lost = false;
}

static bool may_pass(const struct races *races, const struct race *race, const struct shadow_access *now)
{
    const struct context *store = race->context, *load = &now->how;
    const bool latest = race->in_memory || store->kind > ACCESS_WRITE; /* of atomics the history knows who read what */
    return latest && store->size == 4 && load->size == 4 && race->address == now->address && race->bytes == 4 &&
           store->kind != ACCESS_READ && store->kind != ACCESS_ATOMIC_READ && load->kind != ACCESS_WRITE && load->kind != ACCESS_ATOMIC_WRITE &&
           (store->kind == ACCESS_WRITE || load->kind == ACCESS_READ) && race->unit < UNIT_COPIES && !now->agent->copy && !race->unseen &&
           race->region->space != IN_IMAGE && races->host->steers && races->host->steers(races->host->self, load->site);
}

/* A store's value was read by who may act on it. */
static void note_passing(struct races *races, const struct race *race, const struct shadow_access *now, uint64_t time)
{
    struct passings *passings = &races->passings;
    if (!may_pass(races, race, now))
        return;
    passings->lost |= passings->count == PASSINGS_MOST;
    passings->items[passings->next] = (struct passing){.store = asked_of(race->unit, race->context),
                                                       .load = asked_of(now->agent->unit, &now->how),
                                                       .region = race->region->space, .address = race->address,
                                                       .end = races->order->history->count, .when = time,
                                                       .order = {(enum memory_order)race->context->order, (enum memory_order)now->how.order}};
    passings->next = (passings->next + 1) % PASSINGS_MOST;
    passings->count += passings->count < PASSINGS_MOST;
}

static void meet(const struct races *races, struct race_pair *pair, const struct race *race, const struct shadow_access *now, uint64_t time)
{
    if (!pair->meetings || pair->meeting_count == MEETINGS_MOST)
        return;
    pair->meetings[pair->meeting_count++] = (struct meeting){.first = asked_of(race->unit, race->context),
                                                             .second = asked_of(now->agent->unit, &now->how),
                                                             .end = races->order->history->count, .when = time};
}

static bool in_one_wave(const struct races *races, uint64_t a, uint64_t b)
{
    return a - races->wave.first < races->wave.count && b - races->wave.first < races->wave.count;
}

/* Of every pair that comes later. */
static void ask_remedy(const struct races *races, struct race_pair *pair, const struct race *race, const struct shadow_access *now)
{
    if (pair->remedy.kind == REMEDY_NEXT_TURN && (!in_one_wave(races, race->unit, now->agent->unit) || race->context->site != pair->tally.site[0]))
        pair->not_served = true;
    if (pair->remedy.kind != REMEDY_NONE && !pair->not_served)
        pair->not_served = !explain_serves(races->launch, races->order->rule, &pair->remedy, race->unit, now->agent->unit);
}

/* Other instructions of the same two places: is what is to be added between them, too? */
static void ask_like(const struct races *races, const struct race_pair *pair)
{
    const struct remedy *remedy = &pair->like->remedy;
    struct code_place place;
    if (remedy->kind == REMEDY_TURN || remedy->kind == REMEDY_NEXT_TURN) {
        pair->like->not_served = true;
        return;
    }
    if ((remedy->kind != REMEDY_BARRIER && remedy->kind != REMEDY_SPLIT) || pair->like->not_served)
        return;
    pair->like->not_served = !races->host->between(races->host->self, pair->tally.site[0], pair->tally.site[1], &place) ||
                             place.before != remedy->place.before || !same_place(races, place.site, remedy->place.site);
}

static void stop_meeting(struct race_pair *pair)
{
    free(pair->meetings);
    pair->meetings = NULL;
    pair->meeting_count = 0;
}

static struct race_pair *new_pair(struct races *races, const struct race *race, const struct shadow_access *now)
{
    struct race_pair *pair = calloc(1, sizeof *pair);
    if (!pair || !(pair->meetings = calloc(MEETINGS_MOST, sizeof *pair->meetings))) {
        free(pair);
        races->failed = true;
        return NULL;
    }
    pair->tally.site[0] = race->context->site;
    pair->tally.site[1] = now->how.site;
    pair->tally.space = race->region->space;
    pair->svm_atomics = race->region->svm_atomics;
    pair->tally.unseen = race->unseen;
    pair->news = (struct race_news){*race, *race->context, *now, now->agent->unit, race->address + race->bytes};
    pair->next = races->pairs;
    races->pairs = pair;
    pair->like = find_like(races, pair);
    if (pair->like) {
        stop_meeting(pair);
        return pair;
    }
    *(races->untold ? races->untold_end : &races->untold) = pair;
    races->untold_end = &pair->next_untold;
    return pair;
}

/* The next bytes of what is news. */
static bool continues(const struct race_pair *pair, const struct race *race, const struct shadow_access *now)
{
    return pair->news.race.region == race->region && pair->news.end == race->address && pair->news.race.unit == race->unit &&
           pair->news.unit == now->agent->unit && pair->news.now.address == now->address;
}

static void continue_news(struct race_news *news, const struct race *race)
{
    news->end += race->bytes;
    news->race.in_memory &= race->in_memory;
}

void races_add(struct races *races, const struct race *race, const struct shadow_access *now, uint64_t time)
{
    struct race_pair *pair = find_pair(races, race->context->site, now->how.site, race);
    note_passing(races, race, now, time);
    if (!pair && !(pair = new_pair(races, race, now)))
        return;
    if (pair->like) {
        pair->like->tally.count++;
        ask_remedy(races, pair->like, race, now);
        return;
    }
    if (pair->tally.count && continues(pair, race, now))
        continue_news(&pair->news, race);
    if (tally_add(&pair->tally, race->unit, now->agent->unit, time))
        return;
    meet(races, pair, race, now, time);
    ask_remedy(races, pair, race, now);
    pair->tally.settled = pair->told && (!pair->asks || pair->tally.count >= ASKS_MOST) && (!pair->meetings || pair->meeting_count == MEETINGS_MOST) &&
                    (pair->remedy.kind == REMEDY_NONE || pair->not_served || explain_serves_all(races->launch, &pair->remedy));
}

void races_tell(struct races *races, const struct race_event *under_way)
{
    struct race_pair *next = races->untold;
    races->untold = NULL;
    for (struct race_pair *pair = next; pair; pair = next) {
        struct agent agent;
        next = pair->next_untold;
        pair->news.race.context = &pair->news.context;
        pair->news.now.agent = &agent;
        order_agent(races->order, pair->news.unit, &agent);
        pair->one_wave = under_way->event && !under_way->event->origin.parted && in_one_wave(races, pair->news.race.unit, pair->news.unit);
        tell(races, under_way, pair, &pair->news.race, &pair->news.now);
        pair->told = true;
        if (!pair->amendment_count && !pair->follows)
            stop_meeting(pair);
    }
}

static void tell_lost(struct races *races)
{
    for (int space = 0; space < ORDER_REGIONS; space++)
        if (races->lost[space])
            report_incomplete(races->report, kind_in(space));
    memset(races->lost, 0, ORDER_REGIONS * sizeof *races->lost);
}

/* Those that were located, while the edits that were told of it could be tried. */
static bool covers(const struct races *races, const struct race_pair *pair)
{
    const struct question question = question_of(races, pair);
    return pair->meeting_count <= 1 || (pair->follows ? explain_flag_covers(&question, &races->passings, &pair->flag)
                                                      : explain_covers(&question, pair->amendments, pair->amendment_count));
}

void races_end(struct races *races)
{
    tell_held(races);
    for (const struct race_pair *pair = races->pairs; pair; pair = pair->next) {
        if (pair->like)
            ask_like(races, pair);
    }
    for (struct race_pair *pair = races->pairs, *next; pair; pair = next) {
        next = pair->next;
        if (pair->tally.count > 1) /* of those that are like another none */
            report_again(races->report, &pair->finding, pair->tally.count - 1);
        if (pair->tally.uncounted)
            report_uncounted(races->report, pair->like ? &pair->like->finding : &pair->finding);
        if (pair->not_served || !covers(races, pair))
            report_not_covered(races->report, &pair->finding);
        free(pair->meetings);
        free(pair);
    }
    tell_lost(races);
    races->pairs = races->untold = NULL;
    memset(races->recent, 0, sizeof races->recent);
}
