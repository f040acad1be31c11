/* SPDX-License-Identifier: Apache-2.0 */
/* Attaches the observers that the scenario asks for: pages, caches, timeline, trace, the page of --html. */
#include "device_observers.h"

#include "sim/device/page.h"
#include "sim/observers/counters_report.h"
#include "sim/observers/execution_profile.h"
#include "sim/observers/timeline.h"
#include "sim/topology/cache_model.h"
#include "sim/observers/trace.h"

static void attach(struct device *device, struct observer observer)
{
    device_add_observer(device, &observer);
}

/* An observer that queries the place of a page receives an access after the pages do. */
bool device_observers_init(struct device *device)
{
    const struct scenario *scenario = device->scenario;
    bool count = scenario_counts(scenario) || scenario->html_file;
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
    if (scenario_profiles(scenario)) {
        device->profile = profile_new(scenario, &device->arena.memory);
        if (!device->profile)
            return false;
        attach(device, profile_observer(device->profile));
    }
    if (scenario->timeline_file || scenario->html_file) {
        device->timeline = timeline_new(scenario);
        if (!device->timeline)
            return false;
        attach(device, timeline_observer(device->timeline));
    }
    if (scenario->trace_file) {
        device->trace = trace_new(scenario->trace_file, scenario->force_files, &device->arena.memory);
        if (!device->trace)
            return false;
        attach(device, trace_observer(device->trace));
    }
    if (scenario->html_file) {
        device->page = page_new(&device->arena.memory);
        if (!device->page)
            return false;
        attach(device, page_trace_observer(device->page));
        attach(device, page_observer(device->page));
    }
    return true;
}

void device_observers_forget(struct device *device, const struct region *region)
{
    if (device->pages)
        pages_forget(device->pages, region->low, region->high - region->low);
    if (device->caches)
        caches_forget(device->caches, region->low, region->high - region->low);
}

void device_observers_fini(struct device *device)
{
    page_free(device->page);
    trace_free(device->trace);
    timeline_free(device->timeline);
    profile_free(device->profile);
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

static bool write_file(const struct device *device, const char *pattern,
                       bool (*put)(const struct device *, FILE *), struct diagnosis *diagnosis)
{
    FILE *stream = report_open_file(pattern, device->scenario->force_files);
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

bool device_idle_lines(const struct device *device, struct idle_lines *out_idle)
{
    return device->profile && profile_idle_lines(device->profile, out_idle);
}

static bool put_instructions(const struct device *device, FILE *stream)
{
    return profile_write_json(device->profile, stream) && !ferror(stream);
}

static bool put_coverage(const struct device *device, FILE *stream)
{
    return profile_write_lcov(device->profile, stream) && !ferror(stream);
}

static bool put_timeline(const struct device *device, FILE *stream)
{
    return timeline_write(device->timeline, SIZE_MAX, stream) && !ferror(stream);
}

static bool put_page(const struct device *device, FILE *stream)
{
    const struct page_run run = {device->scenario, device->report, device->caches, device->timeline,
                                 device_kernels_run(device)};
    return page_write(device->page, &run, stream) && !ferror(stream);
}

bool device_write_results(const struct device *device, FILE *stream, struct diagnosis *diagnosis)
{
    const char *file = scenario_counters_file(device->scenario);
    const char *instructions = scenario_instructions_file(device->scenario);
    bool fine = true;
    if (device->profile && stream && scenario_counts_instructions(device->scenario))
        profile_print(device->profile, stream);
    if (device->profile && instructions)
        fine = write_file(device, instructions, put_instructions, diagnosis);
    if (device->profile && device->scenario->coverage_file)
        fine &= write_file(device, device->scenario->coverage_file, put_coverage, diagnosis);
    if (device->caches && stream && scenario_counts(device->scenario))
        counters_print(device->caches, stream);
    if (device->caches && file)
        fine &= write_file(device, file, device_write_counters, diagnosis);
    if (device->timeline && device->scenario->timeline_file)
        fine &= write_file(device, device->scenario->timeline_file, put_timeline, diagnosis);
    if (device->page)
        fine &= write_file(device, device->scenario->html_file, put_page, diagnosis);
    if (device->trace && !trace_flush(device->trace))
        fine =
            diagnose(diagnosis, STATUS_IO, "%s cannot be written", device->scenario->trace_file) == STATUS_OK;
    return fine;
}
