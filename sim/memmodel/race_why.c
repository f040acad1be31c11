/* SPDX-License-Identifier: Apache-2.0 */
#include "race_why.h"

#include <string.h>

#include "edges.h"

/* remediable: something is absent, and explain_remedy may find what; message: explain_message, before that. copy: nobody waited for the first access. no_barrier: the second
 * is a copy that began before all were there. no_fence: for images, within a work-item. narrow_barrier: the site of one that orders
 * fewer than it would have to, 0: none; narrow_regions: what it names. apart: one of the two may be on the wrong side of something. */
struct reason {
    struct wording why, fix;
    bool remediable, apart, message, copy, no_barrier, no_fence;
    uint32_t narrow_barrier, narrow_regions;
    uint32_t blamed[2], blamed_count;
};

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
    const enum memory_scope acquires = order_scope(races->order, edge->acquire_scope, edge->local, edge->svm_atomics);
    bool same = edge->release_scope != acquires && from == agent->place.group;
    wording_add(&reason->why, "the release at ");
    wording_place(&reason->why, races->host, edge->release_site);
    wording_add(&reason->why, " has ");
    wording_scope(&reason->why, race_scope(races, edge->release_site, edge->release_scope), edge->release_scope);
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
        wording_add(&reason->why, "has ");
        wording_scope(&reason->why, edge->acquire_scope, acquires);
        wording_add(&reason->why, edge->release_scope != acquires ? ": before OpenCL 3.1 the two must be the same" : "");
    }
    enum memory_scope wanted = from == agent->place.group ? SCOPE_WORK_GROUP : SCOPE_DEVICE;
    wording_add(&reason->fix, "%s at ", scope_name(wanted));
    wording_place(&reason->fix, races->host, edge->release_site);
    wording_add(&reason->fix, " and ");
    wording_place(&reason->fix, races->host, edge->acquire_site);
}

static void say_apart_scopes(struct reason *reason, const struct races *races, const struct context *earlier, const struct context *later)
{
    wording_add(&reason->why, "atomics race too when their scopes do not include each other: ");
    wording_scope(&reason->why, race_scope(races, earlier->site, (enum memory_scope)earlier->scope), (enum memory_scope)earlier->scope);
    wording_add(&reason->why, " and ");
    wording_scope(&reason->why, race_scope(races, later->site, (enum memory_scope)later->scope), (enum memory_scope)later->scope);
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

static bool is_plain(const struct races *races, uint32_t site)
{
    return strncmp(races->host->what(races->host->self, site), "atomic ", strlen("atomic ")) != 0;
}

/* The latest atomic operation there; NULL: none is remembered. */
static const struct happening *atomic_at(const struct races *races, uint32_t site)
{
    const struct history *history = races->order->history;
    for (uint32_t i = history->count; i-- > 0;)
        if (history->items[i].kind == HAPPENED_ATOMIC && history->items[i].site == site)
            return &history->items[i];
    return NULL;
}

/* What it has already is not asked for. */
static void acquire_too(struct reason *reason, const struct races *races, const struct missed_edge *edge, enum memory_scope scope)
{
    const struct happening *load = atomic_at(races, edge->acquire_site);
    const bool acquires = load && (load->order == ORDER_ACQUIRE || load->order >= ORDER_ACQ_REL);
    if (acquires && edge->acquire_scope == scope)
        return;
    wording_add(&reason->fix, acquires ? ", and %s%s at " : ", and %s, %s at ", acquires ? "" : "memory_order_acquire", scope_name(scope));
    wording_place(&reason->fix, races->host, edge->acquire_site);
}

static void not_released(struct reason *reason, const struct races *races, const struct missed_edge *edge, const struct agent *agent, int space)
{
    const bool same_group = order_unit_group(races->order, edge->release_unit) == agent->place.group, plain = is_plain(races, edge->release_site);
    const enum memory_scope least = same_group ? SCOPE_WORK_GROUP : SCOPE_DEVICE, wanted = edge->acquire_scope > least ? edge->acquire_scope : least;
    const char *scope = scope_name(wanted); /* others may need the scope that the load has */
    wording_add(&reason->why, "the store at ");
    wording_place(&reason->why, races->host, edge->release_site);
    wording_add(&reason->why, plain ? " is plain: it races with the atomic that read it, and releases nothing"
                                    : " is relaxed: what was written before it does not become visible with it");
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
    wording_add(&reason->fix, "%smemory_order_release, %s at ", plain ? "atomic_store_explicit with " : "", scope);
    wording_place(&reason->fix, races->host, edge->release_site);
    acquire_too(reason, races, edge, wanted);
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
    reason->no_barrier = now && !both;
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
        wording_line(&reason->fix, races->host, place.site, place.line);
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

bool race_same_place(const struct races *races, uint32_t a, uint32_t b)
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

static bool arrives(const struct races *races, const struct happening *happening, uint64_t unit)
{
    const uint64_t local = unit % races->order->group_items, first = happening->number;
    return happening->kind == HAPPENED_PARTED_ARRIVAL && happening->by == order_unit_group(races->order, unit) && local >= first && local < first + 64 &&
           happening->address >> (local - first) & 1;
}

/* The latest barrier behind the first access at which only one of the two waited, while others waited elsewhere. */
static bool waited_apart(const struct races *races, const struct race *race, const struct agent *agent, uint32_t *out_site)
{
    const struct history *history = races->order->history;
    bool found = false, first = false, second = false;
    for (uint32_t i = 0; i < history->count; i++) {
        const struct happening *happening = &history->items[i];
        first |= arrives(races, happening, race->unit);
        second |= arrives(races, happening, agent->unit);
        if (happening->kind != HAPPENED_PARTED_BARRIER || happening->by != agent->place.group)
            continue;
        if (first != second && happening->tick > race->context->tick) {
            *out_site = happening->site;
            found = true;
        }
        first = second = false;
    }
    return found;
}

/* By atomics: what one of the two should have come before or behind may be among them. */
static bool some_synchronise(const struct races *races)
{
    const struct history *history = races->order->history;
    for (uint32_t i = 0; i < history->count && !history->full; i++)
        if (history->items[i].kind == HAPPENED_ATOMIC)
            return true;
    return false;
}

static void explain_apart(struct reason *reason, const struct races *races, const struct race *race, const struct shadow_access *now, bool same_group)
{
    const struct agent *agent = now->agent;
    const char *flag = region_flag(race->region->space);
    uint32_t collective, barrier;
    const bool images = race->region->space == IN_IMAGE;
    reason->remediable = true;
    reason->apart = reason->message = !same_group && !images;
    if (!same_group && images) {
        wording_add(&reason->why, "nothing within a kernel orders what two work-groups do to one image");
        wording_add(&reason->fix, "let each texel belong to one work-group, or split the kernel in two");
    } else if (!same_group && one_passed_a_barrier(races, race, agent)) {
        wording_add(&reason->why, "work_group_barrier never orders different work-groups, and no atomic carries the order from one to the other");
        wording_add(&reason->fix, "two kernels, or a release and an acquire with memory_scope_device on an atomic flag");
    } else if (!same_group) {
        wording_add(&reason->why, "the two work-groups do not synchronise with each other");
        wording_add(&reason->fix, "let each byte belong to one work-item, use atomics, or split the kernel in two");
    } else if (parted_by_collective(races, race, now, &collective)) {
        wording_add(&reason->why, "%s", races->host->what(races->host->self, collective));
        if (!race_same_place(races, collective, race->context->site) && !race_same_place(races, collective, now->how.site)) { /* else its line is not known */
            wording_add(&reason->why, " at ");
            wording_place(&reason->why, races->host, collective);
        }
        wording_add(&reason->why, " comes between the two accesses, but it is no barrier: such functions order no memory");
        wording_add(&reason->fix, "work_group_barrier(%s) beside it, or let each byte belong to one work-item", flag);
    } else if (waited_apart(races, race, agent, &barrier)) {
        wording_add(&reason->why, "the barrier at ");
        wording_place(&reason->why, races->host, barrier);
        wording_add(&reason->why, " orders those who wait at it, and one of the two was not among them");
        wording_add(&reason->fix, "one work_group_barrier(%s) for all of the work-group, outside the branch", flag);
    } else {
        reason->apart = !images && some_synchronise(races);
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

static void narrow(struct reason *reason, const struct barrier_seen *barrier)
{
    reason->narrow_barrier = barrier->site;
    reason->narrow_regions = barrier->regions;
}

/* Not one that comes behind both accesses or before both, at which only one of the two has waited by now. */
static bool may_part(const struct races *races, const struct race *race, const struct shadow_access *now, uint32_t barrier)
{
    const struct checker_host *host = races->host;
    const uint32_t first = race->context->site, second = now->how.site;
    return !host->precedes || !((host->precedes(host->self, first, barrier) && host->precedes(host->self, second, barrier)) ||
                                (host->precedes(host->self, barrier, first) && host->precedes(host->self, barrier, second)));
}

/* Instead of the barrier, whose flags it keeps. */
static void say_work_group_barrier(struct reason *reason, const struct races *races, const struct barrier_seen *barrier, int space)
{
    wording_add(&reason->fix, "work_group_barrier(");
    wording_regions(&reason->fix, barrier->regions | 1u << space);
    wording_add(&reason->fix, ") at ");
    wording_place(&reason->fix, races->host, barrier->site);
    wording_add(&reason->fix, ", if all of the work-group come by there");
}

static void between_sub_groups(struct reason *reason, const struct races *races, const struct barrier_seen *barrier, int space)
{
    narrow(reason, barrier);
    wording_add(&reason->why, "the sub-group barrier at ");
    wording_place(&reason->why, races->host, barrier->site);
    wording_add(&reason->why, " orders the work-items of one sub-group; these are in two");
    say_work_group_barrier(reason, races, barrier, space);
}

static void beside_named(struct reason *reason, const struct races *races, const struct barrier_seen *barrier, int space)
{
    narrow(reason, barrier);
    wording_add(&reason->why, "the named barrier at ");
    wording_place(&reason->why, races->host, barrier->site);
    wording_add(&reason->why, " orders the sub-groups that wait at it together; these two did not");
    wording_add(&reason->fix, "let both sub-groups wait at one named barrier, or ");
    say_work_group_barrier(reason, races, barrier, space);
}

static void explain_image(struct reason *reason, bool sampled)
{
    if (sampled) {
        wording_add(&reason->why, "a read with a sampler does not see what the same kernel writes to the image, and no fence or barrier helps");
        wording_add(&reason->fix, "another kernel for the reads, or a read_write image read without a sampler");
        return;
    }
    reason->no_fence = true;
    wording_add(&reason->why, "a work-item sees what it wrote to an image only behind a fence for images, and there is none between the two");
    wording_add(&reason->fix, "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item) between them");
}

/* A sub-group barrier that the first one's sub-group has passed since, or that stands between the two in the code: in a loop it may
 * stand before both. */
static bool was_passed(const struct races *races, const struct race *race, const struct shadow_access *now, const struct barrier_seen *barrier)
{
    const struct checker_host *host = races->host;
    const struct group_order *group = now->agent->group;
    return (host->precedes && host->precedes(host->self, race->context->site, barrier->site) && host->precedes(host->self, barrier->site, now->how.site)) ||
           !group->sub_groups || race->context->tick < group->sub_groups[order_unit_sub_group(races->order, race->unit)].slice;
}

/* Fences and atomics order no images (R34), and an atomic store lacks no release where it races itself. */
static bool missed(const struct races *races, const struct race *race, const struct agent *agent, struct missed_edge *out_edge)
{
    return race->region->space != IN_IMAGE &&
           order_explain(races->order, agent, race->region->space, race->unit, race->context->tick, out_edge) &&
           !(out_edge->why == MISSED_RELEASE && out_edge->release_site == race->context->site && race->context->kind > ACCESS_WRITE);
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
    if (same_group && (race->unit >= UNIT_COPIES || agent->copy)) {
        explain_copy(reason, races, race, agent);
        return;
    }
    const struct barrier_seen *barrier = same_group && agent->group && race->context->tick < agent->group->barrier.tick &&
                                                 may_part(races, race, now, agent->group->barrier.site)
                                             ? &agent->group->barrier
                                             : NULL;
    const bool lacks_flag = barrier && !(barrier->regions >> race->region->space & 1);
    if (lacks_flag && !barrier->sub_group && (!barrier->named || races->order->history->full)) { /* else who waited there is known */
        barrier_lacks_flag(reason, races, barrier, race->region->space);
    } else if (barrier && barrier->sub_group && order_unit_sub_group(races->order, race->unit) != agent->place.sub_group &&
               was_passed(races, race, now, barrier)) {
        between_sub_groups(reason, races, barrier, race->region->space);
    } else if (barrier && barrier->named) {
        beside_named(reason, races, barrier, race->region->space);
    } else if (missed(races, race, agent, &edge)) {
        explain_edge(reason, races, &edge, agent, race->region->space);
    } else if (race->context->kind >= ACCESS_ATOMIC_READ && now->how.kind >= ACCESS_ATOMIC_READ) {
        blame(reason, race->context->site);
        blame(reason, now->how.site);
        if (race->context->size != now->how.size)
            wording_add(&reason->why, "the two atomics have different sizes: they are no operations on one atomic object");
        else
            say_apart_scopes(reason, races, race->context, &now->how);
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

struct asked race_asked(uint64_t unit, const struct context *how)
{
    return (struct asked){.unit = unit, .tick = how->tick, .site = how->site, .size = how->size,
                          .atomic = how->kind >= ACCESS_ATOMIC_READ,
                          .writes = how->kind != ACCESS_READ && how->kind != ACCESS_ATOMIC_READ, .scope = (enum memory_scope)how->scope};
}

struct question race_question(const struct races *races, const struct race_pair *pair)
{
    return (struct question){.history = races->order->history, .launch = races->launch, .host = races->host,
                             .rule = races->order->rule,
                             .region = pair->tally.space, .svm_atomics = pair->svm_atomics, .unseen = pair->tally.unseen,
                             .meetings = pair->meetings, .locks = &races->locks,
                             .meeting_count = pair->meeting_count, .one_wave = pair->one_wave,
                             .spent = races->explaining, .most = races->answer_most};
}

/* Waits for the copy that is the first access, or before the one that is the second. */
static bool waits(const struct reason *reason, const struct question *question, struct wording *fix, struct remedy *remedy)
{
    const bool found = reason->no_barrier ? explain_barrier_before(question, fix) : reason->copy && explain_wait(question, fix);
    remedy->kind = found ? REMEDY_WAIT : REMEDY_NONE;
    return found;
}

static bool remedy_of(struct reason *reason, const struct question *question, struct answer *answer, struct remedy *remedy)
{
    struct wording why, *fix = &answer->fix;
    if (reason->message && explain_message(question, &why, fix, remedy)) {
        answer->why = why;
        reason->fix = *fix;
        reason->remediable = false;
        return remedy->kind != REMEDY_NONE;
    }
    if (reason->narrow_barrier && explain_barrier_at(question, reason->narrow_barrier, reason->narrow_regions, fix, remedy))
        return true;
    return reason->remediable || reason->narrow_barrier ? explain_remedy(question, fix, remedy)
         : reason->no_fence                             ? explain_image_fence(question, fix)
                                                        : waits(reason, question, fix, remedy);
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

/* Two edits of atomics would do, and so does one barrier of the work-group where a sub-group waits. */
static void barrier_instead(const struct races *races, const struct race *race, const struct shadow_access *now, const struct question *question,
                            struct answer *answer, struct remedy *remedy)
{
    struct reason reason = {.remediable = false};
    struct wording fix;
    if (answer->amendment_count < 2)
        return;
    explain(&reason, races, race, now);
    if (!reason.narrow_barrier || !(explain_barrier_at(question, reason.narrow_barrier, reason.narrow_regions, &fix, remedy) ||
                                    (explain_remedy(question, &fix, remedy) && remedy->kind == REMEDY_BARRIER))) {
        remedy->kind = REMEDY_NONE;
        return;
    }
    answer->why = reason.why;
    answer->fix = fix;
    answer->amendment_count = answer->step_count = answer->edge_count = 0;
}

/* A barrier makes good for the flag's race, too, and for what others would announce by it. */
bool race_takes_barrier(const struct race_pair *pair)
{
    return pair->remedy.kind == REMEDY_BARRIER || pair->remedy.kind == REMEDY_TURN || pair->remedy.kind == REMEDY_NEXT_TURN ||
           pair->remedy.kind == REMEDY_TURNS || pair->remedy.kind == REMEDY_MESSAGE;
}

/* What is guarded by a flag that is no atomic object is mended there. */
static bool follows_from_flag(const struct races *races, struct race_pair *pair, const struct question *question, struct reason *reason,
                              struct answer *answer)
{
    struct wording why, fix;
    if (!races->passings.count || pair->tally.unseen || !pair->meeting_count || race_takes_barrier(pair) ||
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

/* OpenCL C 1.x has barrier() only, and no orders and scopes. */
static void word_for_language(const struct races *races, struct answer *answer)
{
    static const char *const newer[] = {"memory_order_", "memory_scope_", "atomic_work_item_fence", "_explicit"};
    const uint32_t version = races->host->opencl_c ? races->host->opencl_c(races->host->self) : 0;
    bool needs = false;
    if (!version || version >= 200)
        return;
    wording_put(&answer->why, "work_group_barrier", "barrier");
    wording_put(&answer->fix, "work_group_barrier", "barrier");
    for (size_t i = 0; i < sizeof newer / sizeof newer[0]; i++)
        needs |= strstr(answer->fix.bytes, newer[i]) != NULL;
    if (needs)
        wording_add(&answer->fix, ", which needs -cl-std=CL2.0 or later");
}

static void put_aside(struct race_pair *pair, struct answer *answer, const struct wording *why, const struct wording *fix)
{
    pair->apart = false;
    pair->remedy.kind = REMEDY_NONE;
    answer->why = *why;
    answer->fix = *fix;
}

/* Instead of what is no edit of one kernel; or of atomic accesses, which are enough for all, if it is, too. */
static bool puts_aside(struct races *races, struct race_pair *pair, const struct question *question, struct answer *answer)
{
    struct wording why, fix;
    pair->apart = !explain_side(question, &races->explaining, &pair->side, &why, &fix);
    if (pair->apart)
        return false;
    if (pair->remedy.kind == REMEDY_ATOMIC && !explain_side_covers(question, &pair->side)) {
        pair->side.operation = NO_END;
        return false;
    }
    put_aside(pair, answer, &why, &fix);
    return true;
}

/* When all has happened that may. */
static bool waits_aside(struct races *races, struct race_pair *pair, const struct question *question, struct answer *answer)
{
    struct wording why, fix;
    if (pair->remedy.kind == REMEDY_ATOMIC || pair->tally.space == IN_IMAGE || !explain_stale(question, &races->explaining, &pair->side, &why, &fix))
        return false;
    put_aside(pair, answer, &why, &fix);
    return true;
}

bool race_why_later(struct answer *answer, struct races *races, struct race_pair *pair)
{
    const struct question question = race_question(races, pair);
    if (!pair->meeting_count || !(puts_aside(races, pair, &question, answer) || waits_aside(races, pair, &question, answer)))
        return false;
    word_for_language(races, answer);
    return true;
}

static void tell_answer(struct answer *answer, const struct races *races, struct race_pair *pair, struct reason *reason, struct finding *finding)
{
    word_for_language(races, answer);
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
        blame(reason, answer->amendments[i].site);
    finding->blamed_count = reason->blamed_count;
    for (uint32_t i = 0; i < reason->blamed_count; i++)
        races->host->place(races->host->self, reason->blamed[i], &finding->blamed[i]);
    pair->amendment_count = answer->amendment_count;
    memcpy(pair->amendments, answer->amendments, sizeof pair->amendments);
}

/* The edit is for two of one work-group: others that meet in the same two places may be of two. */
static bool is_of_one_group(const struct question *question)
{
    const struct launch_info *launch = question->launch;
    const uint64_t *count = launch->group_count, first = question->meetings->first.unit, second = question->meetings->second.unit;
    return question->region != IN_LOCAL && count[0] * count[1] * count[2] > 1 && first < UNIT_COPIES && second < UNIT_COPIES &&
           unit_place(launch, first).group == unit_place(launch, second).group;
}

bool race_why_all(struct answer *answer, struct races *races, struct race_pair *pair, struct finding *finding)
{
    const struct question question = race_question(races, pair);
    struct reason reason = {.remediable = false};
    if (pair->meeting_count <= 1 || explain_covers(&question, pair->amendments, pair->amendment_count))
        return false;
    const bool found = explain_race(&question, answer) && answer->serves_all;
    races->explaining = answer->spent > races->explaining ? answer->spent : races->explaining;
    if (found)
        tell_answer(answer, races, pair, &reason, finding);
    return found;
}

/* The edit that was verified; without one the reason that the order itself keeps. */
void race_why(struct answer *answer, struct races *races, struct race_pair *pair, const struct race *race,
              const struct shadow_access *now)
{
    struct finding *finding = &pair->finding;
    struct reason reason = {.remediable = false};
    const struct question question = race_question(races, pair);
    *answer = (struct answer){.step_count = 0};
    finding->fix_verified = !(race->unseen && now->sampled) && pair->meeting_count && explain_race(&question, answer);
    races->explaining = answer->spent > races->explaining ? answer->spent : races->explaining;
    if (finding->fix_verified) {
        agree_instead(&question, answer, &pair->remedy);
        barrier_instead(races, race, now, &question, answer, &pair->remedy);
    } else {
        explain(&reason, races, race, now);
        answer->why = reason.why;
        finding->fix_verified = pair->meeting_count && remedy_of(&reason, &question, answer, &pair->remedy);
        finding->fix_verified |= follows_from_flag(races, pair, &question, &reason, answer);
        if (reason.apart && pair->meeting_count && !pair->follows &&
            (!finding->fix_verified || pair->remedy.kind == REMEDY_SPLIT || pair->remedy.kind == REMEDY_ATOMIC))
            finding->fix_verified |= puts_aside(races, pair, &question, answer);
        if (!finding->fix_verified && !(reason.remediable && pair->meeting_count && explain_advice(&question, &answer->fix)))
            answer->fix = reason.fix;
    }
    tell_answer(answer, races, pair, &reason, finding);
    pair->narrow = pair->amendment_count && is_of_one_group(&question);
}
