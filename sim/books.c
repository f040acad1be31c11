/* SPDX-License-Identifier: Apache-2.0 */
#include "books.h"

#include "counters_report.h"
#include "timeline.h"
#include "topology/cache.h"
#include "trace.h"

static void attach(struct device *device, struct observer observer)
{
    device_add_observer(device, &observer);
}

/* Who asks where a page is hears of an access after the pages do. */
bool books_init(struct device *device)
{
    const struct scenario *scenario = device->scenario;
    bool count = scenario_counts(scenario);
    if (count || scenario->schedule.placement == PLACEMENT_NUMA) {
        device->pages = pages_new();
        if (!device->pages)
            return false;
        attach(device, pages_observer(device->pages));
    }
    if (count) {
        device->caches = caches_new(scenario, &device->arena.memory, device->pages);
        if (!device->caches)
            return false;
        attach(device, caches_observer(device->caches));
    }
    if (scenario->timeline_file) {
        device->timeline = timeline_new(scenario);
        if (!device->timeline)
            return false;
        attach(device, timeline_observer(device->timeline));
    }
    if (scenario->trace_file) {
        device->trace = trace_new(scenario->trace_file, &device->arena.memory);
        if (!device->trace)
            return false;
        attach(device, trace_observer(device->trace));
    }
    return true;
}

void books_forget(struct device *device, const struct region *region)
{
    if (device->pages)
        pages_forget(device->pages, region->low, region->high - region->low);
    if (device->caches)
        caches_forget(device->caches, region->low, region->high - region->low);
}

void books_fini(struct device *device)
{
    trace_free(device->trace);
    timeline_free(device->timeline);
    caches_free(device->caches);
    pages_free(device->pages);
}

bool device_counters(const struct device *device, uint32_t command, struct counters *out_counters)
{
    const struct command_counters *row;
    *out_counters = (struct counters){{0}};
    if (!device->caches)
        return false;
    if (!command)
        *out_counters = *caches_total(device->caches);
    for (size_t i = 0; command && (row = caches_of_command(device->caches, i)) != NULL; i++)
        for (int c = 0; c < COUNTER_COUNT && row->command == command; c++)
            out_counters->value[c] += row->counters.value[c];
    return true;
}

/* ---- files --------------------------------------------------------------------------- */

static bool write_file(const struct device *device, const char *pattern, bool (*put)(const struct device *, FILE *),
                       struct diagnosis *diagnosis)
{
    FILE *stream = report_open_file(pattern);
    bool fine = stream && put(device, stream);
    fine = stream && fclose(stream) == 0 && fine;
    if (!fine)
        diagnose(diagnosis, STATUS_IO, "%s cannot be written", pattern);
    return fine;
}

bool device_write_counters(const struct device *device, FILE *stream)
{
    return device->caches && counters_write_json(device->caches, stream) && !ferror(stream);
}

static bool put_timeline(const struct device *device, FILE *stream)
{
    return timeline_write(device->timeline, stream) && !ferror(stream);
}

bool device_write_books(const struct device *device, FILE *stream, struct diagnosis *diagnosis)
{
    const char *file = scenario_counters_file(device->scenario);
    bool fine = true;
    if (device->caches && stream)
        counters_print(device->caches, stream);
    if (device->caches && file)
        fine = write_file(device, file, device_write_counters, diagnosis);
    if (device->timeline && device->scenario->timeline_file)
        fine &= write_file(device, device->scenario->timeline_file, put_timeline, diagnosis);
    if (device->trace && !trace_flush(device->trace))
        fine = diagnose(diagnosis, STATUS_IO, "%s cannot be written", device->scenario->trace_file) == STATUS_OK;
    return fine;
}
