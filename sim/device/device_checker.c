/* SPDX-License-Identifier: Apache-2.0 */
/* The race checker of a device, and the answers to its questions about the code of the launch that runs
 * (struct checker_host). */
#include <stdio.h>

#include "orrery/checked.h"
#include "device_state.h"
#include "element_name.h"
#include "object_name.h"

static void host_place(void *self, uint32_t site, struct source_place *out_place)
{
    const struct device *device = self;
    launch_place(device->launch, site, out_place);
}

static void host_access(void *self, uint32_t site, struct finding_access *out_access)
{
    const struct device *device = self;
    launch_access(device->launch, site, out_access);
}

static const char *host_what(void *self, uint32_t site)
{
    const struct device *device = self;
    return launch_site(device->launch, site)->what;
}

static void host_object(void *self, uint64_t address, char *out_name, size_t size)
{
    const struct device *device = self;
    const struct region *region = memory_region(&device->arena.memory, address);
    struct sentence name;
    if (region->kind == REGION_NONE) {
        snprintf(out_name, size, "host memory");
        return;
    }
    object_name(device->launch, region, &name);
    snprintf(out_name, size, "%s", name.bytes);
}

static void host_element(void *self, uint64_t address, uint64_t bytes, char *out_name, size_t size)
{
    const struct device *device = self;
    struct sentence name;
    sentence_init(&name);
    const bool found = element_of_region(device->launch, address, bytes, &name);
    snprintf(out_name, size, "%s", found ? name.bytes : "");
}

static bool host_between(void *self, uint32_t a, uint32_t b, struct code_place *out_place)
{
    const struct device *device = self;
    return launch_between(device->launch, a, b, out_place);
}

static bool host_in_iteration(void *self, uint32_t a, uint32_t b, uint32_t since,
                              struct code_place *out_place)
{
    const struct device *device = self;
    return launch_in_iteration(device->launch, a, b, since, out_place);
}

static bool host_next_iteration(void *self, uint32_t a, uint32_t b, struct code_place *out_place)
{
    const struct device *device = self;
    return launch_next_iteration(device->launch, a, b, out_place);
}

static bool host_each_iteration(void *self, uint32_t a, uint32_t b, struct code_place out_places[2])
{
    const struct device *device = self;
    return launch_each_iteration(device->launch, a, b, out_places);
}

static bool host_precedes(void *self, uint32_t a, uint32_t b)
{
    const struct device *device = self;
    return launch_precedes(device->launch, a, b);
}

static bool host_collective(void *self, uint32_t a, uint32_t b, uint32_t *out_site)
{
    const struct device *device = self;
    return launch_collective(device->launch, a, b, out_site);
}

static bool host_same_for_all(void *self, uint32_t site)
{
    const struct device *device = self;
    return launch_same_for_all(device->launch, site);
}

static bool host_controls_branch(void *self, uint32_t site)
{
    const struct device *device = self;
    return launch_site(device->launch, site)->controls_branch;
}

static bool host_waits(void *self, uint32_t site)
{
    const struct device *device = self;
    return launch_site(device->launch, site)->waits;
}

static bool host_takes(void *self, uint32_t site)
{
    const struct device *device = self;
    return launch_site(device->launch, site)->takes;
}

static bool host_last_iteration(void *self, uint32_t a, const struct code_place *place, uint32_t b)
{
    const struct device *device = self;
    return launch_last_iteration(device->launch, a, place, b);
}

static bool host_decides(void *self, uint32_t a, uint32_t b)
{
    const struct device *device = self;
    return launch_decides(device->launch, a, b);
}

static bool host_spins_on(void *self, uint32_t a, uint32_t b)
{
    const struct device *device = self;
    return launch_spins_on(device->launch, a, b);
}

static bool host_beside(void *self, uint32_t operation, uint32_t access, bool past,
                        struct fence_place *out_place)
{
    const struct device *device = self;
    return launch_beside(device->launch, operation, access, past, out_place);
}

static bool host_order(void *self, uint32_t a, uint32_t b, struct code_order *out_order)
{
    const struct device *device = self;
    return launch_order(device->launch, a, b, out_order);
}

static uint32_t host_opencl_c(void *self)
{
    const struct device *device = self;
    return launch_opencl_c(device->launch);
}

static bool host_update(void *self, uint32_t site, uint32_t *out_load, uint32_t *out_store)
{
    const struct device *device = self;
    return launch_update(device->launch, site, out_load, out_store);
}

static bool host_rewrite(void *self, uint32_t load, uint32_t store, bool local, bool one_group,
                         struct code_rewrite *out_rewrite)
{
    const struct device *device = self;
    return launch_rewrite(device->launch, load, store, local, one_group, out_rewrite);
}

static enum code_builds host_builds(void *self, uint32_t site, const struct code_edit *edits, uint32_t count)
{
    const struct device *device = self;
    return (enum code_builds)launch_builds(device->launch, site, edits, count);
}

static bool host_other_buffer(void *self, uint32_t first, uint32_t later, char *out_name, size_t size)
{
    const struct device *device = self;
    return launch_other_buffer(device->launch, first, later, out_name, size);
}

static bool host_change(void *self, const struct code_change *change, struct code_rewrite *rewrite)
{
    const struct device *device = self;
    return launch_change(device->launch, change, rewrite);
}

static bool host_uniform(void *self, uint32_t site)
{
    const struct device *device = self;
    return launch_uniform(device->launch, site);
}

static bool host_even(void *self, uint32_t site)
{
    const struct device *device = self;
    return launch_even(device->launch, site);
}

static void attach_checker(struct device *device)
{
    struct observer observer;
    checkers_observer(device->checkers, &observer);
    device_add_observer(device, &observer);
    device->checker_listens = true;
}

bool device_make_checker(struct device *device)
{
    const struct scenario *scenario = device->scenario;
    const struct checker_host host = {device,
                                      host_place,
                                      host_access,
                                      host_what,
                                      host_object,
                                      host_element,
                                      host_between,
                                      host_in_iteration,
                                      host_next_iteration,
                                      host_each_iteration,
                                      host_last_iteration,
                                      host_precedes,
                                      host_collective,
                                      host_controls_branch,
                                      host_waits,
                                      host_takes,
                                      host_decides,
                                      host_spins_on,
                                      host_beside,
                                      host_order,
                                      host_opencl_c,
                                      host_update,
                                      host_rewrite,
                                      host_builds,
                                      host_other_buffer,
                                      host_change,
                                      host_uniform,
                                      host_even,
                                      host_same_for_all};
    bool races = scenario->checks[CHECK_RACES] != SEVERITY_OFF;
    if (!races && scenario->checks[CHECK_ATOMICS] == SEVERITY_OFF)
        return true;
    device->checkers = checkers_new(&device->arena.memory, device->report, scenario, &host);
    if (device->checkers && races)
        attach_checker(device);
    return device->checkers != NULL;
}

void device_check_code(struct device *device, const struct code *code)
{
    if (device->checkers && !device->checker_listens && code->suspect)
        attach_checker(device);
}
