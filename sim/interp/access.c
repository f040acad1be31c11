/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses that the fast paths do not handle: every lane is checked, faults are reported, and observers get
 * one event. Loads and stores are here; access_atomic.c, access_copy.c and access_poison.c have the others.
 */
#include "access_state.h"

/* ---- addresses ------------------------------------------------------------------------ */

void access_lay_out(struct access *access, const uint8_t *frame, uint32_t operand, int32_t offset)
{
    const struct wave *wave = access->wave;
    const uint8_t *cell = frame + operand;
    uint64_t *address = access->address;
    const struct affine *affine = (const struct affine *)(const void *)cell;
    if (access->form == FORM_U || access->form == FORM_PRIVATE_U) {
        for (uint32_t i = 0; i < wave->n; i++)
            address[i] = *(const uint64_t *)(const void *)cell + (uint64_t)(int64_t)offset;
        return;
    }
    if (access->form == FORM_A && !affine->general) {
        for (uint32_t i = 0; i < wave->n; i++)
            address[i] = affine_lane(affine, wave->lane_x[i], wave->lane_y[i]) + (uint64_t)(int64_t)offset;
        return;
    }
    const uint64_t *lanes =
        (const uint64_t *)(const void *)(access->form == FORM_A ? frame + affine->slot : cell);
    for (uint32_t i = 0; i < wave->n; i++)
        address[i] = lanes[i] + (uint64_t)(int64_t)offset;
}

/* ---- checks ------------------------------------------------------------------------------ */

struct private_range {
    uint64_t low, high;
};

/* The bytes of the private object that the pointer derives from; if that is not known, of the object at the
 * address or before it. */
static struct private_range private_span(const struct access *access, uint64_t address)
{
    const struct code *code = access->wave->code;
    const bool known = access->object && access->object <= code->private_object_count;
    const struct private_object *object = known ? &code->private_objects[access->object - 1]
                                                : code_private_object(code, address - PRIVATE_BASE);
    if (!object) /* before the first one; code without objects has private memory as a whole */
        return (struct private_range){
            PRIVATE_BASE, PRIVATE_BASE + (code->private_object_count ? 0 : (uint64_t)code->private_size)};
    return (struct private_range){PRIVATE_BASE + object->low, PRIVATE_BASE + object->high};
}

bool access_private_permits(const struct access *access, uint64_t address, uint64_t bytes)
{
    const struct private_range span = private_span(access, address);
    return access_inside(span.low, span.high, address, bytes);
}

bool access_flat_permits(const struct wave *wave, uint64_t address, uint64_t bytes, uint32_t deny)
{
    const struct region *region = memory_region(wave->memory, address);
    const struct memory_host *host = &wave->memory->host;
    if (__builtin_expect(host->permits != NULL, 0) && address - wave->memory->base >= wave->memory->size)
        return host->permits(host->self, address, bytes, deny & DENY_KERNEL_WRITE);
    return access_inside(region->low, region->high, address, bytes) &&
           (!(region->deny & deny) || !(memory_denied(region, address, bytes) & deny));
}

uint32_t access_denials(const struct access *access)
{
    return (access->read ? DENY_KERNEL_READ : 0u) | (access->write ? DENY_KERNEL_WRITE : 0u);
}

/* Live memory that the host has mapped or created without this access right. Devices perform such an
 * access, so the work-item continues after the finding. */
static bool only_forbidden(const struct wave *wave, uint64_t address, uint64_t bytes)
{
    const struct region *region = memory_region(wave->memory, address);
    return access_inside(region->low, region->high, address, bytes) && !(region->flags & REGION_FLAG_FREED) &&
           (region->kind == REGION_BUFFER || region->kind == REGION_VARIABLE);
}

void access_note_fault(const struct access *access, struct fault *fault, uint32_t lane, enum fault_kind kind,
                       bool private_space)
{
    if (fault->lanes++)
        return;
    fault->kind = kind;
    fault->site = access->site_index;
    fault->lane = lane;
    fault->address = access->address[lane];
    fault->size = access->bytes;
    fault->private_space = private_space;
    fault->private_object = private_space ? access->object : 0;
}

void access_add_fault(struct access *access, uint32_t lane, enum fault_kind kind, bool private_space)
{
    access_note_fault(access, &access->fault, lane, kind, private_space);
    access_set_lane(&access->faulty, lane);
}

/* A vector whose components are aligned: devices load and store it by its components, or trap. */
static bool only_vector_misaligned(const struct access *access, uint64_t address)
{
    return access->components > 1 && !(address & (access->align - 1) & (access->component_bytes - 1));
}

static void check_lane(struct access *access, uint32_t lane)
{
    const uint64_t address = access->address[lane];
    const bool private_space = access_is_private(access, address);
    const bool permitted =
        private_space ? access_private_permits(access, address, access->bytes)
                      : access_flat_permits(access->wave, address, access->bytes, access_denials(access));
    const enum fault_kind kind = access->write ? FAULT_WRITE : FAULT_READ;
    const bool passes = permitted || (!private_space && only_forbidden(access->wave, address, access->bytes));
    const bool aligned = !(address & (access->align - 1));
    const bool continues = passes && (aligned || only_vector_misaligned(access, address));
    if (!passes)
        access_add_fault(access, lane, kind, private_space);
    else if (!continues)
        access_add_fault(access, lane, FAULT_MISALIGNED, private_space);
    else if (!aligned)
        access_note_fault(access, &access->misaligned, lane, FAULT_MISALIGNED, private_space);
    if (passes && !permitted)
        access_note_fault(access, &access->passed, lane, kind, false);
    if (continues)
        access_set_lane(private_space ? &access->private_lanes : &access->flat, lane);
}

/* ---- events ------------------------------------------------------------------------------- */

static const uint32_t *slots_of(const struct insn *insn, const struct wave *wave)
{
    return insn->f == 1 ? &insn->d : &wave->code->operands[insn->d];
}

void access_announce(const struct wave *wave, const struct access_event *event)
{
    wave->observer->access(wave->observer->self, event);
}

/* Fills the event of the active lanes. The wave has set the common members. slots: of the values; NULL: no
 * event. */
static inline __attribute__((always_inline)) struct access_event *
next_event(struct wave *wave, uint32_t site_index, enum address_shape shape, uint64_t base,
           const uint32_t *slots)
{
    const struct site *site = &wave->code->sites[site_index];
    struct access_event *event = &wave->reported;
    event->origin.site = site_index;
    event->kind = site->access;
    event->order = site->order;
    event->failure_order = site->failure_order;
    event->scope = site->scope;
    event->failed = NULL;
    event->size_bytes = site->size * site->components;
    event->mask = wave->active.word;
    event->shape = shape;
    event->base = base;
    event->step_x = event->step_y = 0;
    event->address = NULL;
    event->slots = slots;
    event->component_bytes = site->size;
    return event;
}

void access_announce_uniform(struct wave *wave, const struct insn *insn, uint64_t address)
{
    access_announce(wave, next_event(wave, insn->e, ADDRESS_UNIFORM, address, slots_of(insn, wave)));
}

/* Prefetches the rows that the access needs while the observer runs. Processors fetch lines in pairs. */
static void fetch_row(const struct access_event *event)
{
    enum { TWO_LINES = 128 };
    const uint64_t end = event->base + (uint64_t)event->lane_count * event->size_bytes;
    if (event->step_x != (int64_t)event->size_bytes)
        return;
    for (uint64_t at = event->base; at < end; at += TWO_LINES)
        __builtin_prefetch((const void *)(uintptr_t)at);
}

void access_announce_affine(struct wave *wave, const struct insn *insn, const struct affine *address)
{
    struct access_event *event =
        next_event(wave, insn->e, ADDRESS_AFFINE,
                   (uint64_t)address->base + (uint64_t)(int64_t)(int32_t)insn->b, slots_of(insn, wave));
    event->step_x = address->step_x;
    event->step_y = address->step_y;
    fetch_row(event);
    access_announce(wave, event);
}

void access_announce_list(struct wave *wave, const struct insn *insn, const uint64_t *addresses)
{
    struct access_event *event = next_event(wave, insn->e, ADDRESS_LIST, 0, slots_of(insn, wave));
    const int32_t offset = (int32_t)insn->b;
    uint64_t moved[WAVE_LANES_MAX];
    event->address = addresses;
    if (offset) {
        for (uint32_t i = 0; i < wave->n; i++)
            moved[i] = addresses[i] + (uint64_t)(int64_t)offset;
        event->address = moved;
    }
    access_announce(wave, event);
}

void access_announce_atomics(struct wave *wave, const struct insn *insn, const uint64_t *addresses,
                             const uint64_t *failed)
{
    struct access_event *event = next_event(wave, insn->e, ADDRESS_LIST, addresses[0], &insn->d);
    event->address = addresses;
    event->failed = failed;
    access_announce(wave, event);
}

void access_announce_atomic(struct wave *wave, const struct insn *insn, uint64_t address,
                            const uint64_t *failed)
{
    struct access_event *event = next_event(wave, insn->e, ADDRESS_UNIFORM, address, &insn->d);
    event->failed = failed;
    access_announce(wave, event);
}

void access_announce_image(const struct wave *wave, uint32_t site, const uint64_t *addresses, uint32_t bytes,
                           const lane_mask *lanes)
{
    struct access_event event;
    access_begin_event(&event, wave, site, lanes);
    event.shape = ADDRESS_LIST;
    event.address = addresses;
    event.size_bytes = bytes;
    event.image = true;
    event.sampled = wave->code->sites[site].sampled;
    if (access_mask_any(lanes))
        access_announce(wave, &event);
}

void access_announce_texels(struct wave *wave, uint32_t site, const struct affine *address, uint32_t bytes)
{
    if (!access_mask_any(&wave->active))
        return;
    struct access_event *event = next_event(wave, site, ADDRESS_AFFINE, (uint64_t)address->base, NULL);
    event->step_x = address->step_x;
    event->step_y = address->step_y;
    event->size_bytes = bytes;
    event->image = true;
    event->sampled = wave->code->sites[site].sampled;
    access_announce(wave, event);
    event->image = event->sampled = false; /* members that other accesses leave unset */
}

struct access_event access_event(const struct access *access)
{
    struct access_event event;
    access_begin_event(&event, access->wave, access->site_index, &access->flat);
    event.size_bytes = access->bytes;
    event.shape = access->form == FORM_U ? ADDRESS_UNIFORM : ADDRESS_LIST;
    event.base = access->address[0];
    event.address = access->address;
    return event;
}

/* ---- one instruction -------------------------------------------------------------------------- */

void access_begin(struct access *access, struct wave *wave, uint32_t site_index, enum access_form form,
                  uint32_t component_bytes, uint32_t components)
{
    access->wave = wave;
    access->site_index = site_index;
    access->site = &wave->code->sites[site_index];
    access->form = form;
    access->component_bytes = component_bytes;
    access->components = components;
    access->bytes = component_bytes * components;
    access->align = access->site->align ? access->site->align : 1;
    access->object = access->copy = 0;
    access->read = access->write = false;
    access->flat = access->private_lanes = access->faulty = (lane_mask){{0}};
    access->fault = (struct fault){0};
    access->passed = access->misaligned = (struct fault){.continues = true};
}

/* Reports the faulty lanes. True: they are stopped. */
bool access_report_faulty(struct access *access, bool stops)
{
    struct wave *wave = access->wave;
    if (!access->fault.lanes)
        return false;
    access->fault.continues = !stops;
    wave->host->fault(wave->host->self, wave, &access->fault);
    if (stops)
        wave_stop_lanes(wave, &access->faulty);
    return stops;
}

/* Checks the active lanes, reports faulty ones, and stops them if faults stop work-items. */
bool access_check(struct access *access)
{
    struct wave *wave = access->wave;
    EACH_SET_LANE(&wave->active, lane) check_lane(access, (uint32_t)lane);
    if (access->passed.lanes)
        wave->host->fault(wave->host->self, wave, &access->passed);
    if (access->misaligned.lanes)
        wave->host->fault(wave->host->self, wave, &access->misaligned);
    return access_report_faulty(access, wave->host->faults_stop);
}

static void announce_flat(const struct access *access, const uint32_t *slots)
{
    if (!access_observed(access->wave) || !access_mask_any(&access->flat))
        return;
    struct access_event event = access_event(access);
    event.frame = access->wave->frame;
    event.slots = access->write ? slots : NULL;
    access_announce(access->wave, &event);
}

uint8_t *access_private_byte(const struct wave *wave, uint32_t lane, uint64_t address)
{
    const uint64_t offset = address - PRIVATE_BASE;
    return wave->private_memory + (offset / 4 * wave->code->width + lane) * 4 + offset % 4;
}

bool access_private_defined(const struct wave *wave, uint32_t lane, uint64_t address, uint64_t bytes)
{
    for (uint64_t i = 0; wave->private_undefined && i < bytes; i++)
        if (wave->private_undefined[access_private_byte(wave, lane, address + i) - wave->private_memory])
            return false;
    return true;
}

void access_set_private_defined(const struct wave *wave, uint32_t lane, uint64_t address, uint64_t bytes,
                                bool defined)
{
    const uint64_t offset = address - PRIVATE_BASE;
    for (uint64_t i = 0; wave->private_undefined && i < bytes; i++)
        wave->private_undefined[access_private_byte(wave, lane, address + i) - wave->private_memory] =
            !defined;
    for (uint64_t row = offset / 4; wave->private_undefined && !defined && row * 4 < offset + bytes; row++)
        wave->private_rows[row] = 0;
}

void access_read_private(const struct wave *wave, uint32_t lane, uint64_t address, uint8_t *out,
                         uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        out[i] = *access_private_byte(wave, lane, address + i);
}

void access_write_private(const struct wave *wave, uint32_t lane, uint64_t address, const uint8_t *from,
                          uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        *access_private_byte(wave, lane, address + i) = from[i];
}

uint8_t *access_flat_byte(const struct wave *wave, uint64_t address)
{
    return memory_byte(memory_region(wave->memory, address), address);
}

enum { BYTES_MAX = 128 }; /* sixteen 64-bit components */

static void scatter_components(const struct access *access, uint8_t *frame, const uint32_t *slots,
                               uint32_t lane, const uint8_t *value)
{
    const uint32_t size = access->component_bytes;
    for (uint32_t k = 0; k < access->components; k++)
        memcpy(frame + slots[k] + lane * size, value + k * size, size);
}

static void gather_components(const struct access *access, const uint8_t *frame, const uint32_t *slots,
                              uint32_t lane, uint8_t *value)
{
    const uint32_t size = access->component_bytes;
    for (uint32_t k = 0; k < access->components; k++)
        memcpy(value + k * size, frame + slots[k] + lane * size, size);
}

/* The port returns the whole value of each lane, lane after lane. */
static void load_through_port(struct access *access, uint8_t *frame, const uint32_t *slots)
{
    const struct memory_port *port = &access->wave->memory->port;
    uint8_t values[WAVE_LANES_MAX * BYTES_MAX];
    struct access_event event = access_event(access);
    port->load(port->self, &event, values);
    EACH_SET_LANE(&access->flat, lane)
    scatter_components(access, frame, slots, access->form == FORM_U ? 0 : (uint32_t)lane,
                       values + lane * access->bytes);
}

/* ---- what a faulty access still does --------------------------------------------------------- */

static struct access_part part_within(uint64_t low, uint64_t high, uint64_t address, uint64_t bytes)
{
    const uint64_t end = bytes > UINT64_MAX - address ? UINT64_MAX : address + bytes;
    const uint64_t from = address > low ? address : low, to = end < high ? end : high;
    return from < to ? (struct access_part){from - address, to - address} : (struct access_part){0, 0};
}

/* The part of the access inside the region of its first byte, or else of its last byte: an access touches
 * at most one. */
static struct access_part part_of_region(const struct access *access, uint64_t address, uint64_t bytes)
{
    const struct memory *memory = access->wave->memory;
    const uint64_t last = bytes - 1 > UINT64_MAX - address ? UINT64_MAX : address + bytes - 1;
    const uint64_t ends[] = {address, last};
    for (int i = 0; i < 2; i++) {
        const struct region *region = memory_region(memory, ends[i]);
        const struct access_part part = part_within(region->low, region->high, address, bytes);
        if (part.low < part.high) {
            const uint64_t low = address + part.low, size = part.high - part.low;
            const bool open = access_flat_permits(access->wave, low, size, access_denials(access)) ||
                              only_forbidden(access->wave, low, size);
            return open ? part : (struct access_part){0, 0};
        }
    }
    return (struct access_part){0, 0};
}

/* Likewise, of private memory. */
static struct access_part part_of_private(const struct access *access, uint64_t address, uint64_t bytes)
{
    const struct private_range at_first = private_span(access, address),
                               at_last = private_span(access, address + bytes - 1);
    const struct access_part part = part_within(at_first.low, at_first.high, address, bytes);
    return part.low < part.high ? part : part_within(at_last.low, at_last.high, address, bytes);
}

/* The longest beginning of the access that the host permits, by bisection. */
static struct access_part part_of_host(const struct access *access, uint64_t address, uint64_t bytes)
{
    uint64_t most = bytes > UINT64_MAX - address ? UINT64_MAX - address : bytes, least = 0;
    while (least < most) {
        const uint64_t middle = most - (most - least) / 2;
        if (access_flat_permits(access->wave, address, middle, access_denials(access)))
            least = middle;
        else
            most = middle - 1;
    }
    return (struct access_part){0, least};
}

/* The bytes of a faulty access that are inside one object which it may access. */
struct access_part access_permitted_part(const struct access *access, uint64_t address, uint64_t bytes)
{
    const struct memory *memory = access->wave->memory;
    if (!access_flat(access->wave) || !bytes)
        return (struct access_part){0, 0};
    if (access_is_private(access, address))
        return part_of_private(access, address, bytes);
    return memory->host.permits && address - memory->base >= memory->size
               ? part_of_host(access, address, bytes)
               : part_of_region(access, address, bytes);
}

/* Announces byte by byte, since the address may have any alignment. */
void access_announce_part(const struct access *access, const lane_mask *lanes, uint64_t address,
                          uint64_t bytes)
{
    if (!access_observed(access->wave) || !bytes || access_is_private(access, address))
        return;
    struct access_event event;
    access_begin_event(&event, access->wave, access->site_index, lanes);
    event.kind = access->write ? ACCESS_WRITE : ACCESS_READ;
    event.copy = access->copy;
    event.size_bytes = (uint32_t)bytes;
    event.component_bytes = 1;
    event.shape = ADDRESS_UNIFORM;
    event.base = address;
    access_announce(access->wave, &event);
}

/* All faulty lanes if they have one address, else one lane. */
static lane_mask lanes_of_part(const struct access *access, uint32_t lane)
{
    lane_mask one = {{0}};
    access_set_lane(&one, lane);
    return access->form == FORM_U ? access->faulty : one;
}

/* Bytes outside read as zeros. */
static void load_part(const struct access *access, uint8_t *frame, const uint32_t *slots, uint32_t lane)
{
    const struct wave *wave = access->wave;
    const uint64_t address = access->address[lane];
    const struct access_part part = access_permitted_part(access, address, access->bytes);
    const uint64_t size = part.high - part.low;
    uint8_t value[BYTES_MAX] = {0};
    if (!size)
        return; /* the slots are cleared */
    const lane_mask lanes = lanes_of_part(access, lane);
    access_announce_part(access, &lanes, address + part.low, size);
    if (access_is_private(access, address))
        access_read_private(wave, lane, address + part.low, value + part.low, size);
    else
        memcpy(value + part.low, access_flat_byte(wave, address + part.low), size);
    scatter_components(access, frame, slots, access->form == FORM_U ? 0 : lane, value);
}

static void load_faulty(const struct access *access, uint8_t *frame, const uint32_t *slots)
{
    if (access->form == FORM_U)
        load_part(access, frame, slots, access_first_lane(&access->faulty));
    else
        EACH_SET_LANE(&access->faulty, lane) load_part(access, frame, slots, (uint32_t)lane);
}

/* Bytes outside are dropped. */
static void store_part(const struct access *access, uint32_t lane, const uint8_t *value)
{
    const struct wave *wave = access->wave;
    const uint64_t address = access->address[lane];
    const struct access_part part = access_permitted_part(access, address, access->bytes);
    const uint64_t low = address + part.low, size = part.high - part.low;
    lane_mask one = {{0}};
    access_set_lane(&one, lane);
    if (!size)
        return;
    access_announce_part(access, &one, low, size);
    if (access_is_private(access, address)) {
        access_write_private(wave, lane, low, value + part.low, size);
        access_set_private_defined(wave, lane, low, size, true);
        return;
    }
    struct region *region = memory_region(wave->memory, low);
    memcpy(access_flat_byte(wave, low), value + part.low, size);
    if (wave->memory->track_validity && region->valid)
        memory_set_valid(region, low, size, true);
}

static uint32_t object_of(const struct insn *insn, enum access_form form)
{
    return form == FORM_PRIVATE_U || form == FORM_PRIVATE_V || form == FORM_GENERIC ? insn->c : 0;
}

bool access_load(const struct insn *insn, uint8_t *frame, struct wave *wave, enum access_form form,
                 uint32_t component_bytes)
{
    struct access access;
    const uint32_t *slots = slots_of(insn, wave);
    access_begin(&access, wave, insn->e, form, component_bytes, insn->f);
    access.read = true;
    access.object = object_of(insn, form);
    access_lay_out(&access, frame, insn->a, (int32_t)insn->b);
    const bool stopped = access_check(&access);
    announce_flat(&access, slots);
    for (uint32_t k = 0; k < insn->f; k++)
        memset(frame + slots[k], 0, form == FORM_U ? 8 : wave->n * component_bytes);
    if (!access_flat(wave) && access_mask_any(&access.flat)) {
        load_through_port(&access, frame, slots);
    } else if (form == FORM_U) {
        if (access_mask_any(&access.flat))
            scatter_components(&access, frame, slots, 0,
                               access_flat_byte(wave, access.address[access_first_lane(&access.flat)]));
    } else {
        EACH_SET_LANE(&access.flat, lane)
        scatter_components(&access, frame, slots, (uint32_t)lane,
                           access_flat_byte(wave, access.address[lane]));
    }
    EACH_SET_LANE(&access.private_lanes, lane)
    {
        uint8_t value[BYTES_MAX];
        access_read_private(wave, (uint32_t)lane, access.address[lane], value, access.bytes);
        scatter_components(&access, frame, slots, (uint32_t)lane, value);
    }
    if (access.fault.lanes && !stopped)
        load_faulty(&access, frame, slots);
    return stopped;
}

bool access_store(const struct insn *insn, uint8_t *frame, struct wave *wave, enum access_form form,
                  uint32_t component_bytes)
{
    struct access access;
    uint8_t values[WAVE_LANES_MAX * BYTES_MAX];
    const uint32_t *slots = slots_of(insn, wave);
    access_begin(&access, wave, insn->e, form, component_bytes, insn->f);
    access.write = true;
    access.object = object_of(insn, form);
    access_lay_out(&access, frame, insn->a, (int32_t)insn->b);
    const bool stopped = access_check(&access);
    announce_flat(&access, slots);
    for (uint32_t lane = 0; lane < wave->n; lane++)
        gather_components(&access, frame, slots, lane, values + lane * access.bytes);
    if (!access_flat(wave) && access_mask_any(&access.flat)) {
        struct access_event event = access_event(&access);
        wave->memory->port.store(wave->memory->port.self, &event, values);
    } else {
        EACH_SET_LANE(&access.flat, lane)
        memcpy(access_flat_byte(wave, access.address[lane]), values + lane * access.bytes, access.bytes);
    }
    EACH_SET_LANE(&access.private_lanes, lane)
    access_write_private(wave, (uint32_t)lane, access.address[lane], values + lane * access.bytes,
                         access.bytes);
    if (access.fault.lanes && !stopped)
        EACH_SET_LANE(&access.faulty, lane) store_part(&access, (uint32_t)lane, values + lane * access.bytes);
    return stopped;
}

/* ---- indices past an array inside a variable ------------------------------------------------- */

void access_check_index(const struct insn *insn, const uint8_t *frame, struct wave *wave,
                        enum access_form form)
{
    struct access access;
    access_begin(&access, wave, insn->e, form, 1, 1);
    access_lay_out(&access, frame, insn->a, 0);
    access.bytes = access.site->size * access.site->components;
    EACH_SET_LANE(&wave->active, lane)
    if (access.address[lane] >= insn->f)
        access_note_fault(&access, &access.passed, (uint32_t)lane, FAULT_INDEX, false);
    if (!access.passed.lanes)
        return;
    access.passed.index = (int64_t)access.passed.address;
    access.passed.address = 0;
    access.passed.count = insn->f;
    access.passed.misuse = wave->code->strings[insn->d];
    wave->host->fault(wave->host->self, wave, &access.passed);
}
