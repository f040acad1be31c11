/* SPDX-License-Identifier: Apache-2.0 */
#include "checkers.h"

#include <stdio.h>
#include <stdlib.h>

#include "footprint.h"

/* One checker, and the launch it hears. */
struct post { struct checker *checker; struct observer hears; const struct launch_info *launch; struct post *next; };

struct checkers {
    const struct memory *memory;
    struct report *report;
    const struct scenario *scenario;
    struct checker_host host;
    struct footprint_sink sink;
    bool has_sink, told;
    struct post *first, *latest; /* latest: of the last event, NULL: none */
};

static struct post *post_new(struct checkers *checkers)
{
    struct post *post = calloc(1, sizeof *post);
    if (post)
        post->checker = checker_new(checkers->memory, checkers->report, checkers->scenario, &checkers->host);
    if (!post || !post->checker) {
        free(post);
        return NULL;
    }
    checker_observer(post->checker, &post->hears);
    if (checkers->has_sink)
        checker_set_sink(post->checker, &checkers->sink);
    return post;
}

struct checkers *checkers_new(const struct memory *memory, struct report *report, const struct scenario *scenario,
                              const struct checker_host *host)
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
    for (struct post *post = checkers->first, *next; post; post = next) {
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

/* NULL: no memory; it is said once. */
static struct post *take_post(struct checkers *checkers, const struct launch_info *launch)
{
    struct post **link = &checkers->first;
    while (*link && (*link)->launch)
        link = &(*link)->next;
    if (!*link)
        *link = post_new(checkers);
    if (*link)
        (*link)->launch = launch;
    else if (!checkers->told)
        say_unchecked(checkers);
    checkers->told |= !*link;
    return *link;
}

static struct post *post_of(struct checkers *checkers, const struct launch_info *launch)
{
    struct post *post = checkers->latest;
    if (post && post->launch == launch)
        return post;
    for (post = checkers->first; post && post->launch != launch;)
        post = post->next;
    checkers->latest = post;
    return post;
}

static void on_access(void *self, const struct access_event *event)
{
    struct post *post = post_of(self, event->origin.launch);
    if (post)
        post->hears.access(post->checker, event);
}

static void on_sync(void *self, const struct sync_event *event)
{
    struct post *post = post_of(self, event->origin.launch);
    if (post)
        post->hears.sync(post->checker, event);
}

/* What one finds in memory the other may have written. */
static void accompany(struct checkers *checkers, struct post *post)
{
    for (struct post *other = checkers->first; other; other = other->next) {
        if (other == post || !other->launch)
            continue;
        checker_accompany(other->checker);
        checker_accompany(post->checker);
    }
}

static void on_launch(void *self, const struct launch_event *event)
{
    struct checkers *checkers = self;
    struct post *post = event->phase == LAUNCH_BEGIN ? take_post(checkers, event->launch) : post_of(checkers, event->launch);
    if (!post)
        return;
    post->hears.launch(post->checker, event);
    if (event->phase == LAUNCH_BEGIN)
        accompany(checkers, post);
    if (event->phase != LAUNCH_END)
        return;
    post->launch = NULL;
    checkers->latest = NULL;
}

static const struct observer *deputy(void *self, const struct launch_info *launch)
{
    const struct post *post = post_of(self, launch);
    return post ? &post->hears : NULL;
}

void checkers_observer(struct checkers *checkers, struct observer *out_observer)
{
    *out_observer = (struct observer){.self = checkers, .access = on_access, .sync = on_sync, .launch = on_launch, .deputy = deputy};
}

void checkers_set_sink(struct checkers *checkers, const struct footprint_sink *sink)
{
    checkers->sink = *sink;
    checkers->has_sink = true;
    for (struct post *post = checkers->first; post; post = post->next)
        checker_set_sink(post->checker, sink);
}
