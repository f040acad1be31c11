/* SPDX-License-Identifier: Apache-2.0 */
/* Counts how often straight pieces of kernels are executed, and examines the addresses of each access per
 * sub-group. A kernel is identified by its name and instructions, so a program that is built again adds to
 * the same counters. */
#include "execution_profile.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/device.h"
#include "sim/topology/access_lanes.h"

/* The most bytes of a work-item's access: a vector of 16 components of 8 bytes. A unit (a word or sector)
 * has at least 4. */
enum {
    LAUNCHES_MOST = 64,
    BANKS_MOST = 1024,
    ACCESS_BYTES_MOST = 128,
    UNITS_OF_LANE = ACCESS_BYTES_MOST / 4 + 1
};

/* The words or sectors that one request accesses, each once. */
struct profile_units {
    uint64_t number[UNITS_OF_LANE * WAVE_LANES_MAX];
    uint32_t count;
};

/* Lanes [first, end) of an access are of one sub-group; `active` is the lowest lane that takes part. */
struct profile_request {
    const struct access_event *event;
    uint32_t first, end, active;
};

/* A running launch, and per site its line + 1; 0: not looked up yet. */
struct profile_launch {
    const struct launch_info *launch; /* NULL: unused */
    struct profile_kernel *kernel;
    uint32_t *line_of_site;
    uint32_t site_room;
};

struct profile {
    const struct memory *memory;
    const struct scenario *scenario;
    struct profile_kernel **kernels;
    size_t kernel_count, kernel_room;
    struct profile_launch running[LAUNCHES_MOST];
    struct profile_units units; /* of the current request */
    bool lost;
};

struct profile *profile_new(const struct scenario *scenario, const struct memory *memory)
{
    struct profile *profile = calloc(1, sizeof *profile);
    if (profile)
        *profile = (struct profile){.memory = memory, .scenario = scenario};
    return profile;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* Frees the copied names; names that are NULL stay NULL. */
static void names_free(struct profile_kernel *kernel)
{
    const struct profile_code *code = &kernel->code;
    for (uint32_t i = 0; code->rows && i < code->row_count; i++)
        free((char *)(uintptr_t)code->rows[i].place.file);
    for (uint32_t i = 0; code->ways && i < code->way_count; i++)
        free((char *)(uintptr_t)code->ways[i].place.file);
    for (uint32_t i = 0; code->functions && i < code->function_count; i++)
        free((char *)(uintptr_t)code->functions[i].name);
    for (uint32_t i = 0; i < kernel->line_count; i++)
        free((char *)(uintptr_t)kernel->lines[i].file);
}

static void kernel_free(struct profile_kernel *kernel)
{
    names_free(kernel);
    free((void *)(uintptr_t)kernel->code.rows);
    free((void *)(uintptr_t)kernel->code.ways);
    free((void *)(uintptr_t)kernel->code.functions);
    free(kernel->executed);
    free(kernel->issued);
    free(kernel->taken);
    free(kernel->lines);
    free(kernel->name);
    free(kernel);
}

void profile_free(struct profile *profile)
{
    if (!profile)
        return;
    for (size_t i = 0; i < profile->kernel_count; i++)
        kernel_free(profile->kernels[i]);
    for (size_t i = 0; i < LAUNCHES_MOST; i++)
        free(profile->running[i].line_of_site);
    free(profile->kernels);
    free(profile);
}

static bool name_place(struct profile_place *place, const struct profile_namer *namer)
{
    const char *file = namer->file(namer->self, place);
    place->file = strdup(file ? file : "");
    return place->file != NULL;
}

/* Copies the names one by one; after a failure the copies so far are freed. */
static bool copy_code(struct profile_kernel *kernel, const struct profile_code *code,
                      const struct profile_namer *namer)
{
    struct profile_row *rows = calloc(code->row_count + 1, sizeof *rows);
    struct profile_way *ways = calloc(code->way_count + 1, sizeof *ways);
    struct profile_function *functions = calloc(code->function_count + 1, sizeof *functions);
    bool fine = rows && ways && functions;
    kernel->code = *code;
    kernel->code.rows = rows;
    kernel->code.ways = ways;
    kernel->code.functions = functions;
    for (uint32_t i = 0; fine && i < code->row_count; i++) {
        rows[i] = code->rows[i];
        fine = name_place(&rows[i].place, namer);
    }
    for (uint32_t i = 0; fine && i < code->way_count; i++) {
        ways[i] = code->ways[i];
        fine = name_place(&ways[i].place, namer);
    }
    for (uint32_t i = 0; fine && i < code->function_count; i++) {
        functions[i] = code->functions[i];
        functions[i].name = strdup(code->functions[i].name);
        fine = functions[i].name != NULL;
    }
    return fine;
}

static struct profile_kernel *kernel_new(const char *name, const struct profile_code *code,
                                         const struct profile_namer *namer)
{
    struct profile_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return NULL;
    kernel->name = strdup(name);
    kernel->executed = calloc(code->piece_count + 1, sizeof *kernel->executed);
    kernel->issued = calloc(code->piece_count + 1, sizeof *kernel->issued);
    kernel->taken = calloc(code->way_count + 1, sizeof *kernel->taken);
    const bool copied = copy_code(kernel, code, namer) && kernel->name;
    if (copied && kernel->executed && kernel->issued && kernel->taken)
        return kernel;
    kernel_free(kernel);
    return NULL;
}

static bool same_row(const struct profile_row *kept, const struct profile_row *row,
                     const struct profile_namer *namer)
{
    const char *file = namer->file(namer->self, &row->place);
    const bool same_place = kept->place.line == row->place.line && kept->place.call == row->place.call &&
                            strcmp(kept->place.file, file ? file : "") == 0;
    return same_place && kept->piece == row->piece && kept->what == row->what && kept->count == row->count;
}

static bool same_kernel(const struct profile_kernel *kernel, const char *name,
                        const struct profile_code *code, const struct profile_namer *namer)
{
    bool same = strcmp(kernel->name, name) == 0 && kernel->code.piece_count == code->piece_count &&
                kernel->code.row_count == code->row_count && kernel->code.way_count == code->way_count;
    for (uint32_t i = 0; same && i < code->row_count; i++)
        same = same_row(&kernel->code.rows[i], &code->rows[i], namer);
    return same;
}

static bool kernels_room(struct profile *profile)
{
    if (profile->kernel_count < profile->kernel_room)
        return true;
    const size_t room = 2 * profile->kernel_room + 8;
    struct profile_kernel **grown = realloc(profile->kernels, room * sizeof(struct profile_kernel *));
    if (!grown)
        return false;
    profile->kernels = grown;
    profile->kernel_room = room;
    return true;
}

struct profile_kernel *profile_add(struct profile *profile, const char *name, const struct profile_code *code,
                                   const struct profile_namer *namer)
{
    for (size_t i = 0; i < profile->kernel_count; i++)
        if (same_kernel(profile->kernels[i], name, code, namer))
            return profile->kernels[i];
    struct profile_kernel *kernel = kernels_room(profile) ? kernel_new(name, code, namer) : NULL;
    if (kernel)
        profile->kernels[profile->kernel_count++] = kernel;
    profile->lost |= !kernel;
    return kernel;
}

const struct profile_kernel *profile_kernel_at(const struct profile *profile, size_t index)
{
    return index < profile->kernel_count ? profile->kernels[index] : NULL;
}

const struct scenario *profile_scenario(const struct profile *profile)
{
    return profile->scenario;
}

bool profile_lost(const struct profile *profile)
{
    return profile->lost;
}

/* ---- instructions ----------------------------------------------------------------------------- */

static struct profile_launch *running_of(struct profile *profile, const struct launch_info *launch)
{
    for (size_t i = 0; i < LAUNCHES_MOST; i++)
        if (profile->running[i].launch == launch)
            return &profile->running[i];
    return NULL;
}

void profile_launch(struct profile *profile, struct profile_kernel *kernel, const struct launch_info *launch)
{
    struct profile_launch *running = running_of(profile, NULL);
    uint64_t items = 1;
    for (int i = 0; i < 3; i++)
        items *= launch->global_size[i];
    kernel->launches++;
    kernel->work_items += items;
    profile->lost |= !running;
    if (running) {
        running->launch = launch;
        running->kernel = kernel;
        if (running->site_room)
            memset(running->line_of_site, 0, running->site_room * sizeof *running->line_of_site);
    }
}

static uint32_t lanes_in(const uint64_t *mask, uint32_t first, uint32_t end)
{
    uint32_t count = 0;
    for (uint32_t lane = first; lane < end;) {
        const uint32_t bit = lane % 64, some = end - lane < 64 - bit ? end - lane : 64 - bit;
        const uint64_t bits = mask[lane / 64] >> bit;
        count += ones_of(some == 64 ? bits : bits & ((UINT64_C(1) << some) - 1));
        lane += some;
    }
    return count;
}

/* The end of the lanes of the sub-group that lane `first` is in. */
static uint32_t sub_group_end(const struct profile_lanes *lanes, uint32_t first)
{
    const uint32_t size = lanes->sub_group_size ? lanes->sub_group_size : 1;
    const uint32_t end = first + size - (lanes->first_lane + first) % size;
    return end < lanes->lane_count ? end : lanes->lane_count;
}

void profile_count(struct profile_kernel *kernel, uint32_t piece, const struct profile_lanes *lanes)
{
    for (uint32_t first = 0, end; first < lanes->lane_count; first = end) {
        end = sub_group_end(lanes, first);
        const uint32_t active = lanes_in(lanes->mask, first, end);
        kernel->executed[piece] += active;
        kernel->issued[piece] += active ? end - first : 0;
    }
}

void profile_count_way(struct profile_kernel *kernel, uint32_t way, const struct profile_lanes *lanes)
{
    kernel->taken[way] += lanes_in(lanes->mask, 0, lanes->lane_count);
}

/* ---- accesses ----------------------------------------------------------------------------------- */

static struct profile_line *new_line(struct profile_kernel *kernel, const struct source_place *place)
{
    if (kernel->line_count == kernel->line_room) {
        const uint32_t room = 2 * kernel->line_room + 16;
        struct profile_line *grown = realloc(kernel->lines, room * sizeof *grown);
        if (!grown)
            return NULL;
        kernel->lines = grown;
        kernel->line_room = room;
    }
    struct profile_line *line = &kernel->lines[kernel->line_count];
    *line = (struct profile_line){.file = strdup(place->file ? place->file : ""), .line = place->line};
    kernel->line_count += line->file != NULL;
    return line->file ? line : NULL;
}

static struct profile_line *line_at(struct profile_kernel *kernel, const struct source_place *place)
{
    for (uint32_t i = 0; i < kernel->line_count; i++)
        if (kernel->lines[i].line == place->line &&
            strcmp(kernel->lines[i].file, place->file ? place->file : "") == 0)
            return &kernel->lines[i];
    return new_line(kernel, place);
}

static bool sites_room(struct profile_launch *running, uint32_t site)
{
    if (site < running->site_room)
        return true;
    const uint32_t room = 2 * site + 64;
    uint32_t *grown = realloc(running->line_of_site, room * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + running->site_room, 0, (room - running->site_room) * sizeof *grown);
    running->line_of_site = grown;
    running->site_room = room;
    return true;
}

static struct profile_line *line_of(struct profile_launch *running, const struct origin *origin)
{
    struct source_place place;
    if (!sites_room(running, origin->site))
        return NULL;
    uint32_t *known = &running->line_of_site[origin->site];
    if (*known)
        return &running->kernel->lines[*known - 1];
    program_site(origin->launch->program, origin->site, &place);
    struct profile_line *line = line_at(running->kernel, &place);
    if (line)
        *known = (uint32_t)(line - running->kernel->lines) + 1;
    return line;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void keep_each_once(struct profile_units *units)
{
    uint32_t kept = 0;
    if (units->count)
        qsort(units->number, units->count, sizeof *units->number, compare_numbers);
    for (uint32_t i = 0; i < units->count; i++)
        if (!kept || units->number[kept - 1] != units->number[i])
            units->number[kept++] = units->number[i];
    units->count = kept;
}

static void gather(struct profile_units *units, const struct profile_request *request, uint32_t unit_bytes)
{
    const struct access_event *event = request->event;
    units->count = 0;
    for (uint32_t lane = request->first; lane < request->end; lane++) {
        if (!event_has_lane(event, lane))
            continue;
        const uint64_t low = event_address(event, lane), last = low + event->size_bytes - 1;
        for (uint64_t number = low / unit_bytes; number <= last / unit_bytes; number++)
            units->number[units->count++] = number;
    }
    keep_each_once(units);
}

/* All accesses of a request have the same size. */
static uint64_t bytes_of(struct profile_units *units, const struct profile_request *request)
{
    CHECKED(request->first < request->end && request->active < request->end);
    uint64_t bytes = 0, end = 0;
    const uint64_t size = request->event->size_bytes;
    units->count = 0;
    for (uint32_t lane = request->first; lane < request->end; lane++)
        if (event_has_lane(request->event, lane))
            units->number[units->count++] = event_address(request->event, lane);
    keep_each_once(units);
    for (uint32_t i = 0; i < units->count; i++) {
        const uint64_t low = units->number[i] > end ? units->number[i] : end;
        bytes += units->number[i] + size - low;
        end = units->number[i] + size;
    }
    return bytes;
}

/* The most different words in one bank. */
static uint32_t passes(const struct profile_units *words, uint32_t banks)
{
    uint16_t in_bank[BANKS_MOST] = {0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < words->count; i++) {
        const uint32_t count = ++in_bank[words->number[i] % banks];
        most = count > most ? count : most;
    }
    return most;
}

static const struct device_config *config_of(const struct profile *profile, const struct access_event *event)
{
    const struct scenario *scenario = profile->scenario;
    uint32_t root = 0;
    while (root + 1 < scenario_root_count(scenario) &&
           scenario_root(scenario, root + 1)->first_unit <= event->origin.compute_unit)
        root++;
    return scenario_root(scenario, root);
}

static void count_request(struct profile *profile, uint64_t memory[PROFILE_MEMORY_COUNT],
                          const struct profile_request *request)
{
    const struct device_config *config = config_of(profile, request->event);
    const uint64_t address = event_address(request->event, request->active);
    struct profile_units *units = &profile->units;
    if (memory_region(profile->memory, address)->kind == REGION_LOCAL_VARIABLE) {
        CHECKED(config->bank_bytes > 0 && config->local_banks > 0 && config->local_banks <= BANKS_MOST);
        gather(units, request, config->bank_bytes);
        memory[PROFILE_LOCAL_REQUESTS]++;
        memory[PROFILE_BANK_CONFLICTS] += passes(units, config->local_banks) - 1;
        return;
    }
    CHECKED(config->sector_bytes > 0);
    gather(units, request, config->sector_bytes);
    memory[PROFILE_GLOBAL_REQUESTS]++;
    memory[PROFILE_GLOBAL_SECTORS] += units->count;
    memory[PROFILE_GLOBAL_BYTES] += bytes_of(units, request);
}

/* Copies belong to no work-item, and texels have no address in the kernel. */
static bool is_counted(const struct access_event *event)
{
    return !event->image && !event->copy && event->size_bytes && event->size_bytes <= ACCESS_BYTES_MOST;
}

static void on_access(void *self, const struct access_event *event)
{
    struct profile *profile = self;
    struct profile_launch *running = is_counted(event) ? running_of(profile, event->origin.launch) : NULL;
    struct profile_line *line = running ? line_of(running, &event->origin) : NULL;
    const struct profile_lanes lanes = {.lane_count = event->lane_count,
                                        .first_lane = event->origin.first_lane,
                                        .sub_group_size = event->origin.launch->sub_group_size};
    profile->lost |= running && !line;
    for (uint32_t first = 0, end; line && first < event->lane_count; first = end) {
        struct profile_request request = {event, first, end = sub_group_end(&lanes, first), first};
        while (request.active < end && !event_has_lane(event, request.active))
            request.active++;
        if (request.active < end)
            count_request(profile, line->memory, &request);
    }
}

static void on_launch(void *self, const struct launch_event *event)
{
    struct profile_launch *running = event->phase == LAUNCH_END ? running_of(self, event->launch) : NULL;
    if (running)
        running->launch = NULL;
}

struct observer profile_observer(struct profile *profile)
{
    return (struct observer){.self = profile, .access = on_access, .launch = on_launch};
}
