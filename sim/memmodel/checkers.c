/* SPDX-License-Identifier: Apache-2.0 */
/* One checker for each launch that runs. An event goes to the checker of its launch, and to the inter-launch
 * detector if other launches run meanwhile. Footprints go to commands/. A checker is kept for the next
 * launch. */
#include "checkers.h"

#include <stdio.h>
#include <stdlib.h>

#include "checker_inquiry.h"
#include "checker_state.h"
#include "sim/memmodel/launches/inter_launch.h"
#include "sim/memmodel/common/footprint.h"

/* A checker and its launch. is_followed: the inter-launch detector receives the launch, too, and is asked
 * whether other launches order a pair. beside: other launches may run meanwhile, and both receive events
 * through `both`. */
struct checkers_post {
    struct checkers *of;
    struct checker *checker;
    struct observer own, both;
    bool is_followed, beside;
    struct order_queries order_queries;
    const struct launch_info *launch;
    struct checkers_post *next;
};

struct checkers {
    const struct memory *memory;
    struct report *report;
    const struct scenario *scenario;
    struct checker_host host;
    struct footprint_sink sink;
    struct inter_launch *inter_launch; /* NULL: there are no commands */
    struct observer follower;
    bool has_sink, reported;
    struct checkers_post *first, *latest; /* latest: of the last event, NULL: none */
};

static void both_received(const struct checkers_post *post)
{
    if (post->is_followed)
        inter_launch_received(post->of->inter_launch, post->launch, checker_clock(post->checker));
}

static void announce_to_others(const struct checkers_post *post, const struct access_event *event)
{
    for (struct checkers_post *other = post->of->first; other; other = other->next)
        if (other != post && other->launch)
            checker_receive_other(other->checker, event);
}

static void both_access(void *self, const struct access_event *event)
{
    struct checkers_post *post = self;
    if (post->is_followed)
        post->of->follower.access(post->of->inter_launch, event);
    post->own.access(post->checker, event);
    both_received(post);
    if (event->kind != ACCESS_READ && event->kind != ACCESS_ATOMIC_READ)
        announce_to_others(post, event);
}

static void both_before(void *self)
{
    const struct checkers_post *post = self;
    if (post->is_followed)
        post->of->follower.before(post->of->inter_launch);
}

static void both_sync(void *self, const struct sync_event *event)
{
    struct checkers_post *post = self;
    if (post->is_followed)
        post->of->follower.sync(post->of->inter_launch, event);
    post->own.sync(post->checker, event);
    both_received(post);
}

static bool is_ordered(void *self, const struct order_query *query)
{
    const struct checkers_post *post = self;
    return inter_launch_orders(post->of->inter_launch, post->launch, query);
}

static struct checkers_post *post_new(struct checkers *checkers)
{
    struct checkers_post *post = calloc(1, sizeof *post);
    if (post)
        post->checker = checker_new(checkers->memory, checkers->report, checkers->scenario, &checkers->host);
    if (!post || !post->checker) {
        free(post);
        return NULL;
    }
    if (checkers->first)
        checker_want(post->checker, checkers->first->checker);
    post->of = checkers;
    post->both =
        (struct observer){.self = post, .access = both_access, .before = both_before, .sync = both_sync};
    post->order_queries = (struct order_queries){post, is_ordered};
    checker_observer(post->checker, &post->own);
    if (checkers->has_sink)
        checker_set_sink(post->checker, &checkers->sink);
    return post;
}

struct checkers *checkers_new(const struct memory *memory, struct report *report,
                              const struct scenario *scenario, const struct checker_host *host)
{
    struct checkers *checkers = calloc(1, sizeof *checkers);
    if (!checkers)
        return NULL;
    *checkers = (struct checkers){.memory = memory, .report = report, .scenario = scenario, .host = *host};
    checkers->first = post_new(checkers);
    if (checkers->first)
        return checkers;
    free(checkers);
    return NULL;
}

void checkers_free(struct checkers *checkers)
{
    if (!checkers)
        return;
    for (struct checkers_post *post = checkers->first, *next; post; post = next) {
        next = post->next;
        checker_free(post->checker);
        free(post);
    }
    free(checkers);
}

static void say_unchecked(struct checkers *checkers)
{
    fputs("orrery: a launch is not checked for races: out of memory\n", stderr);
    report_miss(checkers->report, CHECK_RACES);
}

/* NULL: no memory; reported once. */
static struct checkers_post *take_post(struct checkers *checkers, const struct launch_info *launch)
{
    struct checkers_post **link = &checkers->first;
    while (*link && (*link)->launch)
        link = &(*link)->next;
    if (!*link)
        *link = post_new(checkers);
    if (*link)
        (*link)->launch = launch;
    else if (!checkers->reported)
        say_unchecked(checkers);
    checkers->reported |= !*link;
    return *link;
}

static struct checkers_post *post_of(struct checkers *checkers, const struct launch_info *launch)
{
    struct checkers_post *post = checkers->latest;
    if (post && post->launch == launch)
        return post;
    for (post = checkers->first; post && post->launch != launch;)
        post = post->next;
    checkers->latest = post;
    return post;
}

static const struct observer *ears(const struct checkers_post *post)
{
    return post->beside ? &post->both : &post->own;
}

static void on_access(void *self, const struct access_event *event)
{
    const struct checkers_post *post = post_of(self, event->origin.launch);
    if (post)
        ears(post)->access(ears(post)->self, event);
}

static void on_before(void *self)
{
    const struct checkers *checkers = self;
    if (checkers->inter_launch)
        checkers->follower.before(checkers->inter_launch);
}

static void on_sync(void *self, const struct sync_event *event)
{
    const struct checkers_post *post = post_of(self, event->origin.launch);
    if (post)
        ears(post)->sync(ears(post)->self, event);
}

/* Other launches run beside this one: they may have written the values that its work-items find in memory. */
static void run_beside(struct checkers *checkers, struct checkers_post *post)
{
    for (struct checkers_post *other = checkers->first; other; other = other->next) {
        if (other == post || !other->launch)
            continue;
        checker_accompany(other->checker);
        checker_accompany(post->checker);
    }
}

/* Launches that overlap with the new one may order it, and it may order them. */
static void announce_overlap(const struct checkers *checkers, struct checkers_post *post)
{
    const struct launch_info *launch = post->launch;
    post->is_followed = checkers->inter_launch && inter_launch_begin(checkers->inter_launch, launch);
    post->beside = post->is_followed || launch->in_launch_tree || !launch->alone;
    checker_set_order_queries(post->checker, post->is_followed || (checkers->inter_launch && !launch->alone &&
                                                                   launch->acquires >= SCOPE_DEVICE)
                                                 ? &post->order_queries
                                                 : NULL);
}

/* May operations of a launch that is left out of the checks order other launches? Then it is checked all the
 * same, and the report drops its findings. */
static bool orders_others(const struct checkers_post *post)
{
    const struct launch_info *launch = post->launch;
    const bool synchronises = launch->releases >= SCOPE_DEVICE || launch->acquires >= SCOPE_DEVICE,
               is_in_tree = launch->in_launch_tree || launch->enqueues || launch->parent;
    return post->is_followed || is_in_tree || (synchronises && !launch->alone);
}

/* NULL: no observer of the launch. */
static struct checkers_post *launch_begins(struct checkers *checkers, const struct launch_info *launch)
{
    struct checkers_post *post = take_post(checkers, launch);
    if (!post)
        return NULL;
    announce_overlap(checkers, post);
    if (!launch->left_out || orders_others(post))
        return post;
    post->launch = NULL;
    checkers->latest = NULL;
    return NULL;
}

/* The commands' order needs every launch, so one that is left out has an empty footprint. */
static void end_left_out(struct checkers *checkers, const struct launch_info *launch)
{
    if (checkers->has_sink && launch->left_out)
        checkers->sink.launch_ended(checkers->sink.self, &(struct footprint){.launch = launch});
}

static void on_launch(void *self, const struct launch_event *event)
{
    struct checkers *checkers = self;
    struct checkers_post *post = event->phase == LAUNCH_BEGIN ? launch_begins(checkers, event->launch)
                                                              : post_of(checkers, event->launch);
    if (!post && event->phase == LAUNCH_END)
        end_left_out(checkers, event->launch);
    if (!post)
        return;
    post->own.launch(post->checker, event);
    if (post->is_followed)
        checkers->follower.launch(checkers->inter_launch, event);
    if (event->phase != LAUNCH_END)
        both_received(post);
    if (event->phase == LAUNCH_BEGIN)
        run_beside(checkers, post);
    if (event->phase != LAUNCH_END)
        return;
    post->launch = NULL;
    checkers->latest = NULL;
}

/* The observer of a launch. NULL: it is left out of the checks, and its waves need not make events. */
static const struct observer *observer_for(void *self, const struct launch_info *launch)
{
    static const struct observer none;
    const struct checkers_post *post = post_of(self, launch);
    return post ? ears(post) : launch->left_out ? &none : NULL;
}

void checkers_observer(struct checkers *checkers, struct observer *out_observer)
{
    *out_observer = (struct observer){.self = checkers,
                                      .access = on_access,
                                      .before = on_before,
                                      .sync = on_sync,
                                      .launch = on_launch,
                                      .for_launch = observer_for};
}

/*
 * Units of work-items end where those of copies begin; a group that is cut has the numbers of a whole one. A
 * launch without work-items needs none, and may have no local size.
 */
bool checkers_can_number(const uint64_t global_size[3], const uint64_t local_size[3])
{
    uint64_t items = 1;
    if (!global_size[0] || !global_size[1] || !global_size[2])
        return true;
    for (int i = 0; i < 3; i++) {
        const uint64_t groups = global_size[i] / local_size[i] + (global_size[i] % local_size[i] != 0);
        if (__builtin_mul_overflow(items, groups, &items) ||
            __builtin_mul_overflow(items, local_size[i], &items))
            return false;
    }
    return items <= UNIT_COPIES;
}

void checkers_set_sink(struct checkers *checkers, const struct footprint_sink *sink)
{
    checkers->sink = *sink;
    checkers->has_sink = true;
    for (struct checkers_post *post = checkers->first; post; post = post->next)
        checker_set_sink(post->checker, sink);
}

uint32_t checkers_enqueue(struct checkers *checkers, const struct origin *origin, uint32_t lane_count,
                          uint32_t lane)
{
    const struct checkers_post *post = post_of(checkers, origin->launch);
    const uint32_t number = post ? checker_keep_clock_snapshot(post->checker, origin, lane_count, lane) : 0;
    if (number && post->is_followed)
        inter_launch_enqueue(checkers->inter_launch, origin, lane, number);
    return number;
}

void checkers_packets(struct checkers *checkers, const struct origin *origin, const struct packets_use *use)
{
    const struct checkers_post *post = post_of(checkers, origin->launch);
    if (post && post->is_followed)
        inter_launch_packets(checkers->inter_launch, origin, use);
}

enum inquiry_answer checkers_why(struct checkers *checkers, const struct race_inquiry *inquiry,
                                 const struct inquiry_sink *sink)
{
    const struct checkers_post *post = post_of(checkers, inquiry->origin->launch);
    return post ? checker_why(post->checker, inquiry, sink) : INQUIRY_UNCHECKED;
}

enum inquiry_answer checkers_clocks(struct checkers *checkers, const struct race_inquiry *inquiry,
                                    const struct inquiry_sink *sink)
{
    const struct checkers_post *post = post_of(checkers, inquiry->origin->launch);
    return post ? checker_clocks(post->checker, inquiry, sink) : INQUIRY_UNCHECKED;
}

enum inquiry_answer checkers_epoch(struct checkers *checkers, const struct inquiry_actor *actor,
                                   struct inquiry_epoch *out_epoch)
{
    const struct checkers_post *post = post_of(checkers, actor->origin->launch);
    return post ? checker_epoch(post->checker, actor, out_epoch) : INQUIRY_UNCHECKED;
}

enum inquiry_answer checkers_before(struct checkers *checkers, const struct inquiry_actor *actor, bool local,
                                    const struct inquiry_epoch *epochs, uint32_t count, bool *out_before)
{
    const struct checkers_post *post = post_of(checkers, actor->origin->launch);
    return post ? checker_before(post->checker, actor, local, epochs, count, out_before) : INQUIRY_UNCHECKED;
}

void checkers_set_inter_launch(struct checkers *checkers, struct inter_launch *inter_launch)
{
    checkers->inter_launch = inter_launch;
    inter_launch_observer(inter_launch, &checkers->follower);
}
