/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the host's accesses to memory that commands use. The device cannot see single stores of the host;
 * it sees that bytes have changed, or it catches an access to a protected page (a touch). Both are compared
 * with accesses of commands, byte by byte: with earlier ones at once, with later ones when these come. For
 * CL_MEM_USE_HOST_PTR buffers it also checks which copy of the bytes is current: what the host changed and
 * the device need not have, and the reverse (dirty_bytes.h). Where only a change is seen, bytes that commands
 * wrote are left out first.
 */
#include "commands_state.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- reports ------------------------------------------------------------------------------------ */

/* The host's access in a finding. touch NULL: its place is unknown. command: instead of the host, a command
 * wrote by the host's pointer. */
struct host_operation {
    const struct touch *touch;
    const char *what, *by, *why, *fix, *spec;
    const struct dirty_part *command;
};

/* facts NULL: those that the graph has of the command. */
static void report_operation(struct commands *commands, const struct command_area *area,
                             const struct byte_access *access, const struct command_facts *facts,
                             const struct byte_run *run, const struct host_operation *operation)
{
    uint64_t high = area->low + run->high;
    const struct byte_access first = commands_access_at(area, access, area->low + run->low, &high);
    const struct command_site *site = commands_site_of(commands, &first);
    const struct touch *touch = operation->touch;
    const uint32_t size = commands_clamp(high - area->low - run->low);
    struct command_name side, other;
    char object[OBJECT_CHARS];
    struct finding finding = {.kind = FINDING_RACE_HOST_DEVICE,
                              .kernel = site ? site->kernel : NULL,
                              .object = commands_object(commands, area, &first, NULL, object),
                              .has_offset = area->id != 0,
                              .offset_bytes = run->low,
                              .access_count = 2,
                              .access = {{.kind = touch && !touch->write ? ACCESS_READ : ACCESS_WRITE,
                                          .what = touch ? touch->what : operation->what,
                                          .by = operation->by}},
                              .why = operation->why,
                              .fix = operation->fix,
                              .spec = operation->spec};
    if (touch)
        finding.access[0].place = touch->place;
    if (operation->command)
        commands_describe(commands, &operation->command->writer, &operation->command->facts,
                          &finding.access[0], &other);
    commands_describe(commands, &first, facts ? facts : command_graph_facts(commands->graph, first.command),
                      &finding.access[1], &side);
    finding.access[0].size_bytes = finding.access[1].size_bytes = size;
    report_add(commands->report, &finding);
}

/* The host's access and the command are not ordered. */
static void report_host_race(struct commands *commands, const struct command_area *area,
                             const struct byte_access *access, const struct byte_run *run,
                             const struct touch *touch)
{
    const bool load = touch && !touch->write, is_mapped = touch && touch->of == TOUCH_MAPPED;
    char why[SPEC_CHARS], fix[SPEC_CHARS];
    const struct host_operation operation = {
        .touch = touch,
        .what = "store by the host",
        .by = "the host",
        .why = why,
        .fix = fix,
        .spec = area->mirror ? "OpenCL 2.2 API, 5.2.1 creating buffer objects, CL_MEM_USE_HOST_PTR"
                : area->id && !is_mapped
                    ? "OpenCL 2.2 API, 5.6.2 memory consistency of SVM"
                    : "OpenCL 2.2 API, 5.2.2 reading, writing and copying buffer objects"};
    wording_print(why, SPEC_CHARS,
                  "command %" PRIu32 " was enqueued before, and the host had not waited for it",
                  access->command);
    wording_print(fix, SPEC_CHARS,
                  "%s before command %" PRIu32 " is enqueued, or wait for its event or call clFinish first",
                  load ? "load" : "store", access->command);
    report_operation(commands, area, access, NULL, run, &operation);
}

/* ---- host changes to a buffer's storage --------------------------------------------------------- */

static const char host_pointer_section[] =
    "OpenCL 2.2 API, 5.2.1 creating buffer objects, CL_MEM_USE_HOST_PTR";

static bool is_image(const struct command_area *area)
{
    return strncmp(area->name, "image ", strlen("image ")) == 0;
}

static void report_host_dirty(struct commands *commands, const struct command_area *area,
                              const struct byte_access *access, const struct byte_run *run)
{
    const uint64_t low = area->low + run->low, high = area->low + run->high;
    const struct host_operation operation = {
        .touch = touches_store(&commands->touches, low, high),
        .what = is_image(area) ? "store through the pointer that the image was made with"
                               : "store through the pointer that the buffer was made with",
        .by = "the host, with no map",
        .why = "it was made with CL_MEM_USE_HOST_PTR: a device may work on a copy, which does not have what "
               "the host stores without a map",
        .fix = is_image(area)
                   ? "store between clEnqueueMapImage with CL_MAP_WRITE and clEnqueueUnmapMemObject, or hand "
                     "the texels over with clEnqueueWriteImage"
                   : "store between clEnqueueMapBuffer with CL_MAP_WRITE and clEnqueueUnmapMemObject, or "
                     "hand the bytes over with clEnqueueWriteBuffer",
        .spec = host_pointer_section};
    report_operation(commands, area, access, NULL, run, &operation);
}

static const enum footprint_use reads[] = {FOOTPRINT_READ, FOOTPRINT_ATOMIC_READ},
                                writes[] = {FOOTPRINT_WRITTEN, FOOTPRINT_ATOMIC};

/* Does the command have the bytes of this use anew, by a write or by a map of them? */
static bool renews(const struct command_uses *uses, enum footprint_use use)
{
    return uses->by_map || use == FOOTPRINT_WRITTEN || use == FOOTPRINT_ATOMIC;
}

/* A change that was read is forgotten, so that it is reported once. */
static void check_host_dirty(struct commands *commands, struct command_area *area,
                             const struct command_uses *uses)
{
    struct dirty_bytes *dirty = &area->host_dirty;
    for (int r = 0; r < 2 && !uses->by_map; r++)
        for (uint32_t i = dirty->count; i-- > 0;) {
            struct byte_run run;
            if (dirty->parts[i].when > uses->command ||
                !dirty_bytes_read(&dirty->parts[i], uses->bytes, reads[r], &run))
                continue;
            dirty_bytes_remove(dirty, i);
            report_host_dirty(commands, area, &uses->access[reads[r]], &run);
            break;
        }
    for (enum footprint_use use = 0; use < FOOTPRINT_USES; use++)
        if (renews(uses, use))
            dirty_bytes_forget(dirty, &uses->bytes[use], uses->command);
    if (!dirty->count)
        touches_lines(&commands->touches, area->low, area->high);
}

void commands_host_wrote(struct commands *commands, uint32_t command, uint64_t address, uint64_t size)
{
    pthread_mutex_lock(&commands->lock);
    struct command_area *area =
        commands_can_check(commands, command) ? commands_area_of(commands, address) : NULL;
    if (area)
        dirty_bytes_add(&area->host_dirty, area->high - area->low, address - area->low,
                        address + size - area->low, command, true);
    pthread_mutex_unlock(&commands->lock);
}

void commands_forget_host_writes(struct commands *commands)
{
    for (struct command_area *area = commands->areas; area; area = area->hh.next)
        dirty_bytes_fini(&area->host_dirty);
}

/* ---- commands that write a buffer's storage -------------------------------------------------- */

/* A command wrote storage of a buffer by the host's pointer, without a map. Bytes mapped for writing are the
 * host's until the unmap hands them over. If kernels can access all host memory, the device has no copy. */
void commands_wrote_storage(struct commands *commands, const struct byte_run *bytes,
                            const struct byte_access *access)
{
    struct command_area *area = commands_area_of(commands, bytes->low);
    const struct region *region = commands_region_of(commands, bytes->low);
    if (!area || !region || commands->memory->host.permits ||
        memory_map_at(region, bytes->low, bytes->high - bytes->low, DENY_KERNEL_READ))
        return;
    struct byte_run run = {bytes->low - area->low, bytes->high - area->low};
    const struct byte_set set = byte_set_of(&run, area->high - area->low);
    dirty_bytes_write(&area->written_storage, &set, access,
                      command_graph_facts(commands->graph, access->command));
}

static void report_written_storage(struct commands *commands, const struct command_area *area,
                                   const struct byte_access *access, const struct byte_run *run,
                                   const struct dirty_part *part)
{
    const struct host_operation operation = {
        .command = part,
        .why = "it was made with CL_MEM_USE_HOST_PTR: a device may work on a copy, which does not have what "
               "a command writes there by the host's pointer without a map",
        .fix = is_image(area) ? "copy to the image itself, or hand the texels over with clEnqueueWriteImage"
                              : "copy to the buffer itself, or hand the bytes over with clEnqueueWriteBuffer",
        .spec = host_pointer_section};
    report_operation(commands, area, access, NULL, run, &operation);
}

/* Does the command come after another one that wrote by the host's pointer? Else the two race. */
static bool is_after_writer(const struct commands *commands, uint32_t command, uint32_t writer)
{
    return writer != command && (writer < command_graph_first(commands->graph) ||
                                 command_graph_is_after(commands->graph, command, writer));
}

/* Reports the latest write by the host's pointer that the command reads. False: there is none. */
static bool report_written_read(struct commands *commands, const struct command_area *area,
                                const struct command_uses *uses)
{
    for (uint32_t i = area->written_storage.count; i-- > 0;)
        for (int r = 0; r < 2; r++) {
            const struct dirty_part *part = &area->written_storage.parts[i];
            struct byte_run run;
            if (!is_after_writer(commands, uses->command, part->writer.command) ||
                !dirty_bytes_read(part, uses->bytes, reads[r], &run))
                continue;
            report_written_storage(commands, area, &uses->access[reads[r]], &run, part);
            return true;
        }
    return false;
}

static void check_written_storage(struct commands *commands, struct command_area *area,
                                  const struct command_uses *uses)
{
    const bool is_reported = !uses->by_map && report_written_read(commands, area, uses);
    for (enum footprint_use use = 0; use < FOOTPRINT_USES; use++)
        if (renews(uses, use) || (use == FOOTPRINT_READ && is_reported))
            dirty_bytes_forget(&area->written_storage, &uses->bytes[use], UINT32_MAX);
}

/* ---- host stores to shared memory ------------------------------------------------------------------- */

static void report_store(struct commands *commands, const struct command_area *area,
                         const struct byte_access *access, const struct byte_run *run)
{
    report_host_race(commands, area, access, run,
                     touches_store(&commands->touches, area->low + run->low, area->low + run->high));
}

/* Bytes that the host stored, for a visit of the accesses to them. */
struct storing {
    struct commands *commands;
    const struct command_area *area;
    const struct byte_set *bytes;
    struct byte_set *written;
    struct byte_run range;
};

static void gather_written(void *self, const struct byte_set *bytes, const struct byte_access *access)
{
    const struct storing *storing = self;
    struct byte_run run = {storing->range.low, storing->range.low};
    while (!reads_only(access) && !access->opens && byte_set_next(bytes, run.high, &run) &&
           run.low < storing->range.high)
        byte_set_add(storing->written, run.low, run.high);
}

static void check_store(void *self, const struct byte_set *touched, const struct byte_access *access)
{
    const struct storing *storing = self;
    struct commands *commands = storing->commands;
    struct byte_run run;
    if (!access->by_map && !command_graph_host_is_after(commands->graph, access->command) &&
        byte_set_intersection(storing->bytes, touched, &run))
        report_store(commands, storing->area, access, &run);
}

/* The host stored after all commands that were enqueued. Commands that have begun are checked now, later
 * ones when they come. */
static void check_host_store(struct storing *storing, uint64_t low, uint64_t high)
{
    struct command_area *area = commands_area_of(storing->commands, low);
    commands_visit(area, low, high, check_store, storing);
    const struct command_graph *graph = storing->commands->graph;
    struct byte_run run = {0, 0};
    dirty_bytes_drop(&area->stores, command_graph_first_step(graph));
    /* a command that has not seen an earlier step has not seen this one, so a full list keeps the step */
    while (byte_set_next(storing->bytes, run.high, &run))
        dirty_bytes_add(&area->stores, storing->bytes->size, run.low, run.high, command_graph_step(graph),
                        false);
}

void commands_host_stored(struct commands *commands, uint64_t address, uint64_t size, bool ran)
{
    pthread_mutex_lock(&commands->lock);
    const bool judged = !commands->lost && !commands->partial && !command_graph_exhausted(commands->graph);
    struct command_area *area = judged ? commands_area_of(commands, address) : NULL;
    if (area && area->id) {
        struct byte_run run = {address - area->low, address + size - area->low};
        const struct byte_set all = byte_set_of(&run, area->high - area->low);
        struct byte_set written, rest;
        struct storing storing = {commands, area, &rest, &written, run};
        byte_set_init(&written, all.size);
        commands_apply_kept(commands, area);
        if (ran)
            commands_visit(area, address, address + size, gather_written, &storing);
        byte_set_difference(&all, &written, &rest);
        if (!written.failed && !rest.failed && !byte_set_empty(&rest))
            check_host_store(&storing, address, address + size);
        byte_set_fini(&written);
        byte_set_fini(&rest);
    }
    pthread_mutex_unlock(&commands->lock);
}

/* ---- host accesses that were caught ----------------------------------------------------------- */

/* Does a host access conflict with a command's? Stores to fine-grained memory are found by comparing bytes,
 * and maps belong to the host, except that a map or unmap for writing changes the storage of a
 * CL_MEM_USE_HOST_PTR buffer. */
static bool touch_conflicts(const struct touch *touch, const struct byte_access *access)
{
    if (access->by_map)
        return touch->of == TOUCH_HOST_PTR && touch->write && access->kind == ACCESS_WRITE;
    return touch->write || !reads_only(access);
}

/* Does the command happen before the host's access? Memory that a read or write was given may be used again
 * when a query says that the command is complete (5.2.2). */
static bool touch_is_after(const struct commands *commands, const struct touch *touch, uint32_t command)
{
    return touch->of == TOUCH_SHARED ? command_graph_host_is_after(commands->graph, command)
                                     : command_graph_reported(commands->graph, command);
}

/* A touch, for a visit of the accesses to its byte. */
struct touch_check {
    struct commands *commands;
    const struct command_area *area;
    struct touch *touch;
    bool reported;
};

/* Reports the command's access if it conflicts with the host's. */
static bool report_touch(struct commands *commands, const struct command_area *area,
                         const struct touch *touch, const struct byte_set *bytes,
                         const struct byte_access *access)
{
    const uint64_t at = touch->address - area->low;
    struct byte_run run;
    const bool has_byte = byte_set_next(bytes, at, &run) && run.low == at;
    if (!has_byte || !touch_conflicts(touch, access))
        return false;
    report_host_race(commands, area, access, &(struct byte_run){at, at + 1}, touch);
    return true;
}

static void check_touched(void *self, const struct byte_set *bytes, const struct byte_access *access)
{
    struct touch_check *check = self;
    check->reported =
        check->reported || (!touch_is_after(check->commands, check->touch, access->command) &&
                            report_touch(check->commands, check->area, check->touch, bytes, access));
}

static bool check_touch(struct commands *commands, struct command_area *area, struct touch *touch)
{
    struct touch_check check = {commands, area, touch, false};
    commands_visit(area, touch->address, touch->address + 1, check_touched, &check);
    return check.reported;
}

/* A load of bytes that a command wrote to the buffer, and that no completed map has handed over to the
 * host. */
static bool load_is_device_dirty(struct commands *commands, struct command_area *area,
                                 const struct touch *touch)
{
    const uint64_t at = touch->address - area->low;
    const struct dirty_part *part = dirty_bytes_at(&area->device_dirty, at);
    char why[SPEC_CHARS];
    const struct host_operation operation = {
        .touch = touch,
        .by = "the host, with no map",
        .why = why,
        .fix = "load between clEnqueueMapBuffer with CL_MAP_READ, once it is complete, and "
               "clEnqueueUnmapMemObject",
        .spec = "OpenCL 2.2 API, 5.2.4 mapping buffer objects, CL_MEM_USE_HOST_PTR"};
    if (!part)
        return false;
    wording_print(why, SPEC_CHARS,
                  "it was made with CL_MEM_USE_HOST_PTR: the host's memory has what command %" PRIu32
                  " wrote only when a map of these bytes is complete%s",
                  part->writer.command,
                  part->when ? "; the host has not waited for the map that was enqueued" : "");
    report_operation(commands, area, &part->writer, &part->facts, &(struct byte_run){at, at + 1}, &operation);
    return true;
}

enum { PAGE_BYTES = 4096 };

static void check_new_touch(struct commands *commands, struct command_area *area, struct touch *touch)
{
    const uint64_t at = touch->address - area->low;
    commands_apply_kept(commands, area);
    bool reported = touch->open && check_touch(commands, area, touch);
    if (!reported && !touch->write && area->mirror)
        reported = load_is_device_dirty(commands, area, touch);
    if (touch->write && area->mirror) {
        /* once caught, the page is open: what the host stores in it from now on is not seen */
        struct byte_run page = {at > PAGE_BYTES ? at - PAGE_BYTES : 0, at + PAGE_BYTES};
        const struct byte_set bytes = byte_set_of(&page, page.high);
        dirty_bytes_forget(&area->device_dirty, &bytes, UINT32_MAX);
    }
    if (reported || (!touch->write && command_graph_idle(commands->graph)))
        touches_reported(&commands->touches, touch);
}

static enum touch_of touch_of(const struct commands *commands, const struct command_area *area,
                              uint64_t address)
{
    const struct region *region = commands_region_of(commands, address);
    if (!area->id)
        return TOUCH_OF_PROGRAM;
    if (area->mirror)
        return TOUCH_HOST_PTR;
    return region && !(region->flags & REGION_FLAG_SHARED) ? TOUCH_MAPPED : TOUCH_SHARED;
}

void commands_host_touched(struct commands *commands, const struct host_access *access)
{
    pthread_mutex_lock(&commands->lock);
    const bool judged = !commands->lost && !commands->partial && !command_graph_exhausted(commands->graph);
    struct command_area *area = judged ? commands_area_of(commands, access->address) : NULL;
    if (area && (area->mirror || !command_graph_idle(commands->graph))) {
        struct touch *touch =
            touches_add(&commands->touches, access, touch_of(commands, area, access->address),
                        command_graph_step(commands->graph));
        if (touch)
            check_new_touch(commands, area, touch);
    }
    pthread_mutex_unlock(&commands->lock);
}

/* The host's access does not happen before the command. */
static bool check_open_touch(struct commands *commands, const struct command_area *area,
                             const struct command_uses *uses, const struct touch *touch)
{
    bool reported = false;
    for (int use = 0; use < FOOTPRINT_USES && !reported; use++)
        reported = report_touch(commands, area, touch, &uses->bytes[use], &uses->access[use]);
    return reported;
}

static void check_touches(struct commands *commands, struct command_area *area,
                          const struct command_uses *uses)
{
    const uint32_t saw = command_graph_seen_step(commands->graph, uses->command);
    for (uint32_t i = commands->touches.count; i-- > 0 && !commands->partial;) {
        struct touch *touch = &commands->touches.items[i];
        const bool in_area = touch->address >= area->low && touch->address < area->high;
        if (touch->open && touch->step >= saw && in_area && check_open_touch(commands, area, uses, touch))
            touches_reported(&commands->touches, touch);
    }
}

/* ---- what commands write and the host need not have --------------------------------------------- */

void commands_mirror(struct commands *commands, uint64_t address, const void *host)
{
    pthread_mutex_lock(&commands->lock);
    struct command_area *area = commands_area_of(commands, address);
    if (area && area->id) {
        commands->mirrors += host != NULL;
        commands->mirrors -= area->mirror != 0;
        area->mirror = (uint64_t)(uintptr_t)host;
        dirty_bytes_fini(&area->device_dirty);
        touches_lines(&commands->touches, area->low, area->high);
    }
    pthread_mutex_unlock(&commands->lock);
}

bool commands_device_dirty(struct commands *commands, uint64_t address)
{
    pthread_mutex_lock(&commands->lock);
    const struct command_area *area = commands_area_of(commands, address);
    const bool some = area && (area->device_dirty.count || !command_graph_idle(commands->graph));
    pthread_mutex_unlock(&commands->lock);
    return some;
}

static void check_device_dirty(struct commands *commands, struct command_area *area,
                               const struct command_uses *uses)
{
    for (int w = 0; w < 2 && !uses->by_map; w++)
        dirty_bytes_write(&area->device_dirty, &uses->bytes[writes[w]], &uses->access[writes[w]],
                          command_graph_facts(commands->graph, uses->command));
    if (uses->by_map)
        dirty_bytes_map(&area->device_dirty, &uses->bytes[FOOTPRINT_READ], uses->command);
}

void commands_host_memory(struct commands *commands, uint64_t low, uint64_t high, uint32_t command)
{
    for (struct command_area *area = commands->mirrors ? commands->areas : NULL; area; area = area->hh.next) {
        const uint64_t size = area->high - area->low;
        if (!area->mirror || low >= area->mirror + size || high <= area->mirror)
            continue;
        struct byte_run run = {low > area->mirror ? low - area->mirror : 0,
                               high - area->mirror < size ? high - area->mirror : size};
        const struct byte_set bytes = byte_set_of(&run, size);
        dirty_bytes_map(&area->device_dirty, &bytes, command);
    }
}

void commands_host_waited(struct commands *commands)
{
    for (struct command_area *area = commands->mirrors ? commands->areas : NULL; area; area = area->hh.next) {
        struct dirty_bytes *dirty = &area->device_dirty;
        for (uint32_t i = dirty->count; i-- > 0;)
            if (dirty->parts[i].when && command_graph_reported(commands->graph, dirty->parts[i].when))
                dirty_bytes_remove(dirty, i);
    }
}

/* ---- all checks of a command -------------------------------------------------------------------- */

bool commands_under_way(struct commands *commands)
{
    pthread_mutex_lock(&commands->lock);
    const bool some = !command_graph_idle(commands->graph);
    pthread_mutex_unlock(&commands->lock);
    return some;
}

static void check_stores(struct commands *commands, struct command_area *area,
                         const struct command_uses *uses)
{
    const uint32_t saw = command_graph_seen_step(commands->graph, uses->command);
    struct byte_run run;
    for (int use = 0; use < FOOTPRINT_USES && !uses->by_map && !commands->partial; use++)
        if (dirty_bytes_since(&area->stores, &uses->bytes[use], saw, &run))
            report_store(commands, area, &uses->access[use], &run);
}

void commands_check_host(struct commands *commands, struct command_area *area,
                         const struct command_uses *uses)
{
    if (area->stores.count)
        check_stores(commands, area, uses);
    if (commands->touches.count)
        check_touches(commands, area, uses);
    if (area->host_dirty.count)
        check_host_dirty(commands, area, uses);
    if (area->written_storage.count)
        check_written_storage(commands, area, uses);
    if (area->mirror)
        check_device_dirty(commands, area, uses);
}

/* Has the host made no access in the area that may be unordered with a command? */
bool commands_has_no_host_access(const struct commands *commands, const struct command_area *area)
{
    const bool all_visible =
        !area->mirror && !area->written_storage.count && !area->host_dirty.count && !area->stores.count;
    return all_visible && !touches_meet(&commands->touches, area->low, area->high);
}

/* ---- the host itself ---------------------------------------------------------------------------- */

bool commands_host_is_after(struct commands *commands, uint32_t command)
{
    pthread_mutex_lock(&commands->lock);
    bool known = command_graph_host_is_after(commands->graph, command);
    pthread_mutex_unlock(&commands->lock);
    return known;
}

bool commands_host_reported(struct commands *commands, uint32_t command)
{
    pthread_mutex_lock(&commands->lock);
    bool reported = command_graph_reported(commands->graph, command);
    pthread_mutex_unlock(&commands->lock);
    return reported;
}

void commands_host_access(struct commands *commands, const struct host_access *access)
{
    char by[BY_CHARS], text[CALL_CHARS], object[OBJECT_CHARS];
    const struct region *region = commands_region_of(commands, access->address);
    pthread_mutex_lock(&commands->lock);
    const struct command_facts *facts = command_graph_facts(commands->graph, access->command);
    wording_region(region, object, sizeof object);
    struct finding finding = {.kind = FINDING_RACE_HOST_DEVICE,
                              .object = object,
                              .has_offset = region != NULL,
                              .offset_bytes = region ? access->address - region->low : 0,
                              .access_count = facts ? 2 : 1,
                              .access = {{.place = access->place,
                                          .kind = access->write ? ACCESS_WRITE : ACCESS_READ,
                                          .what = access->what,
                                          .by = "the host"}},
                              .why = access->why,
                              .fix = access->fix,
                              .spec =
                                  region && region->flags & REGION_FLAG_SVM
                                      ? "OpenCL 2.2 API, 5.6.2 memory consistency of SVM"
                                      : "OpenCL 2.2 API, 5.5.3 accessing mapped regions of a memory object"};
    if (facts) {
        commands_name_by(facts, access->command, NULL, NULL, by);
        finding.access[1] = (struct finding_access){.act = ACT_CALL,
                                                    .what = commands_call(facts, text),
                                                    .by = by,
                                                    .device_id = facts->device,
                                                    .place = commands_enqueued_at(facts)};
    }
    report_add(commands->report, &finding);
    pthread_mutex_unlock(&commands->lock);
}
