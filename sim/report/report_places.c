/* SPDX-License-Identifier: Apache-2.0 */
/* The host program's calls. Their lines are looked up only when a finding names them, since each costs
 * milliseconds. */
#include "report_places.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct made_source {
    char *name;
    const struct enqueuer *maker;
    UT_hash_handle hh;
};

static void made_free(struct made_source *made)
{
    if (made)
        free(made->name);
    free(made);
}

void report_places_fini(struct report_places *places)
{
    struct made_source *made, *next;
    HASH_ITER(hh, places->made, made, next)
    {
        HASH_DEL(places->made, made);
        made_free(made);
    }
}

void report_places_enqueued(struct report_places *places, uint32_t launch, const struct enqueuer *enqueuer)
{
    places->enqueued[launch % PLACES_KEPT].launch = launch;
    places->enqueued[launch % PLACES_KEPT].enqueuer = enqueuer;
}

/* Out of memory: findings name the source, but not the call that gave it. */
void report_places_made(struct report_places *places, const char *name, const struct enqueuer *maker)
{
    struct made_source *made = calloc(1, sizeof *made), *added = NULL;
    if (made && (made->name = strdup(name))) {
        made->maker = maker;
        HASH_ADD_KEYPTR(hh, places->made, made->name, strlen(made->name), made);
        HASH_FIND_STR(places->made, name, added);
    }
    if (!added)
        made_free(made);
}

static const struct made_source *made_of(const struct report_places *places, const struct finding *finding)
{
    struct made_source *made = NULL;
    for (uint32_t i = 0; i < finding->access_count && i < 2 && !made; i++)
        if (finding->access[i].place.file)
            HASH_FIND_STR(places->made, finding->access[i].place.file, made);
    return made;
}

void report_places_set(const struct report_places *places, struct finding *finding)
{
    const uint32_t at = finding->launch % PLACES_KEPT;
    const struct enqueuer *enqueuer = finding->launch && places->enqueued[at].launch == finding->launch
                                          ? places->enqueued[at].enqueuer
                                          : NULL;
    const struct made_source *made = made_of(places, finding);
    finding->host_launch = enqueuer != NULL;
    finding->source = NULL;
    if (!enqueuer || !enqueuer->find(enqueuer, &finding->enqueued))
        finding->enqueued = (struct source_place){.line = 0};
    if (!made || !made->maker->find(made->maker, &finding->made))
        finding->made = (struct source_place){.line = 0};
    else
        finding->source = made->name;
}
