/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses that the fast paths do not handle: every lane is checked, faults are reported, and observers get
 * one event.
 */
#include "access.h"
#include "orrery/checked.h"
#include "poison_trail.h"

#include <stdlib.h>
#include <string.h>

#include "affine.h"
#include "cost.h"

/* One instruction that is being executed. */
struct access {
    struct wave *wave;
    const struct site *site;
    uint32_t site_index, object;
    uint32_t component_bytes, components, bytes, align;
    uint32_t copy; /* number of the asynchronous copy, or 0 */
    enum access_form form;
    bool write, read; /* updates do both */
    uint64_t address[WAVE_LANES_MAX];
    lane_mask flat, private_lanes; /* lanes whose access takes place */
    lane_mask faulty;
    struct fault fault;
    struct fault passed, misaligned; /* reported, but the access takes place */
};

static void set_lane(lane_mask *mask, uint32_t lane)
{
    mask->word[lane / 64] |= (uint64_t)1 << lane % 64;
}

static bool mask_any(const lane_mask *mask)
{
    uint64_t any = 0;
    for (int w = 0; w < LANE_MASK_WORDS; w++)
        any |= mask->word[w];
    return any != 0;
}

#define EACH_SET_LANE(mask, lane)                     \
    for (uint32_t w_ = 0; w_ < LANE_MASK_WORDS; w_++) \
        for (uint64_t rest_ = (mask)->word[w_], lane; \
             rest_ && (lane = w_ * 64 + (uint64_t)__builtin_ctzll(rest_), true); rest_ &= rest_ - 1)

/* ---- addresses ------------------------------------------------------------------------ */

static void lay_out_addresses(struct access *access, const uint8_t *frame, uint32_t operand, int32_t offset)
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

static bool is_private(const struct access *access, uint64_t address)
{
    if (access->form == FORM_PRIVATE_U || access->form == FORM_PRIVATE_V)
        return true;
    return access->form == FORM_GENERIC && wave_is_private_address(address);
}

/* ---- checks ------------------------------------------------------------------------------ */

static bool inside(uint64_t low, uint64_t high, uint64_t address, uint64_t bytes)
{
    return address >= low && address <= high && bytes <= high - address;
}

struct private_range {
    uint64_t low, high;
};

/* The bytes of the private object, if it is known, or of all private memory. */
static struct private_range private_span(const struct access *access)
{
    const struct code *code = access->wave->code;
    if (!access->object || access->object > code->private_object_count)
        return (struct private_range){PRIVATE_BASE, PRIVATE_BASE + (uint64_t)code->private_size};
    const struct private_object *object = &code->private_objects[access->object - 1];
    return (struct private_range){PRIVATE_BASE + object->low, PRIVATE_BASE + object->high};
}

static bool private_permits(const struct access *access, uint64_t address, uint64_t bytes)
{
    const struct private_range span = private_span(access);
    return inside(span.low, span.high, address, bytes);
}

static bool flat_permits(const struct wave *wave, uint64_t address, uint64_t bytes, uint32_t deny)
{
    const struct region *region = memory_region(wave->memory, address);
    const struct memory_host *host = &wave->memory->host;
    if (__builtin_expect(host->permits != NULL, 0) && address - wave->memory->base >= wave->memory->size)
        return host->permits(host->self, address, bytes, deny & DENY_KERNEL_WRITE);
    return inside(region->low, region->high, address, bytes) &&
           (!(region->deny & deny) || !(memory_denied(region, address, bytes) & deny));
}

static uint32_t denials(const struct access *access)
{
    return (access->read ? DENY_KERNEL_READ : 0u) | (access->write ? DENY_KERNEL_WRITE : 0u);
}

/* Live memory that the host has mapped or created without this access right. Devices perform such an
 * access, so the work-item continues after the finding. */
static bool only_forbidden(const struct wave *wave, uint64_t address, uint64_t bytes)
{
    const struct region *region = memory_region(wave->memory, address);
    return inside(region->low, region->high, address, bytes) && !(region->flags & REGION_FLAG_FREED) &&
           (region->kind == REGION_BUFFER || region->kind == REGION_VARIABLE);
}

static void note_fault(const struct access *access, struct fault *fault, uint32_t lane, enum fault_kind kind,
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

static void add_fault(struct access *access, uint32_t lane, enum fault_kind kind, bool private_space)
{
    note_fault(access, &access->fault, lane, kind, private_space);
    set_lane(&access->faulty, lane);
}

/* A vector whose components are aligned: devices load and store it by its components, or trap. */
static bool only_vector_misaligned(const struct access *access, uint64_t address)
{
    return access->components > 1 && !(address & (access->align - 1) & (access->component_bytes - 1));
}

static void check_lane(struct access *access, uint32_t lane)
{
    const uint64_t address = access->address[lane];
    const bool private_space = is_private(access, address);
    const bool permitted = private_space
                               ? private_permits(access, address, access->bytes)
                               : flat_permits(access->wave, address, access->bytes, denials(access));
    const enum fault_kind kind = access->write ? FAULT_WRITE : FAULT_READ;
    const bool passes = permitted || (!private_space && only_forbidden(access->wave, address, access->bytes));
    const bool aligned = !(address & (access->align - 1));
    const bool continues = passes && (aligned || only_vector_misaligned(access, address));
    if (!passes)
        add_fault(access, lane, kind, private_space);
    else if (!continues)
        add_fault(access, lane, FAULT_MISALIGNED, private_space);
    else if (!aligned)
        note_fault(access, &access->misaligned, lane, FAULT_MISALIGNED, private_space);
    if (passes && !permitted)
        note_fault(access, &access->passed, lane, kind, false);
    if (continues)
        set_lane(private_space ? &access->private_lanes : &access->flat, lane);
}

/* ---- events ------------------------------------------------------------------------------- */

static const uint32_t *slots_of(const struct insn *insn, const struct wave *wave)
{
    return insn->f == 1 ? &insn->d : &wave->code->operands[insn->d];
}

/* Member by member: an assignment of the whole struct clears it first, which costs measurable time for each
 * access. */
static inline __attribute__((always_inline)) void
begin_event(struct access_event *event, const struct wave *wave, uint32_t site_index, const lane_mask *lanes)
{
    const struct site *site = &wave->code->sites[site_index];
    event->origin = wave->origin;
    event->origin.site = site_index;
    event->kind = site->access;
    event->order = site->order;
    event->failure_order = ORDER_RELAXED;
    event->scope = site->scope;
    event->failed = NULL;
    event->image = event->sampled = false;
    event->copy = 0;
    event->size_bytes = site->size * site->components;
    event->lane_count = wave->lane_count;
    event->mask = lanes->word;
    event->shape = ADDRESS_UNIFORM;
    event->base = 0;
    event->step_x = event->step_y = 0;
    event->row = wave->row;
    event->address = NULL;
    event->frame = NULL;
    event->slots = NULL;
    event->component_bytes = site->size;
}

static void announce(const struct wave *wave, const struct access_event *event)
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
    announce(wave, next_event(wave, insn->e, ADDRESS_UNIFORM, address, slots_of(insn, wave)));
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
    announce(wave, event);
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
    announce(wave, event);
}

void access_announce_atomics(struct wave *wave, const struct insn *insn, const uint64_t *addresses,
                             const uint64_t *failed)
{
    struct access_event *event = next_event(wave, insn->e, ADDRESS_LIST, addresses[0], &insn->d);
    event->address = addresses;
    event->failed = failed;
    announce(wave, event);
}

void access_announce_atomic(struct wave *wave, const struct insn *insn, uint64_t address,
                            const uint64_t *failed)
{
    struct access_event *event = next_event(wave, insn->e, ADDRESS_UNIFORM, address, &insn->d);
    event->failed = failed;
    announce(wave, event);
}

void access_announce_image(const struct wave *wave, uint32_t site, const uint64_t *addresses, uint32_t bytes,
                           const lane_mask *lanes)
{
    struct access_event event;
    begin_event(&event, wave, site, lanes);
    event.shape = ADDRESS_LIST;
    event.address = addresses;
    event.size_bytes = bytes;
    event.image = true;
    event.sampled = wave->code->sites[site].sampled;
    if (mask_any(lanes))
        announce(wave, &event);
}

void access_announce_texels(struct wave *wave, uint32_t site, const struct affine *address, uint32_t bytes)
{
    if (!mask_any(&wave->active))
        return;
    struct access_event *event = next_event(wave, site, ADDRESS_AFFINE, (uint64_t)address->base, NULL);
    event->step_x = address->step_x;
    event->step_y = address->step_y;
    event->size_bytes = bytes;
    event->image = true;
    event->sampled = wave->code->sites[site].sampled;
    announce(wave, event);
    event->image = event->sampled = false; /* members that other accesses leave unset */
}

static struct access_event event_of_access(const struct access *access)
{
    struct access_event event;
    begin_event(&event, access->wave, access->site_index, &access->flat);
    event.size_bytes = access->bytes;
    event.shape = access->form == FORM_U ? ADDRESS_UNIFORM : ADDRESS_LIST;
    event.base = access->address[0];
    event.address = access->address;
    return event;
}

/* ---- one instruction -------------------------------------------------------------------------- */

static void begin(struct access *access, struct wave *wave, uint32_t site_index, enum access_form form,
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
static bool report_faulty(struct access *access, bool stops)
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
static bool check(struct access *access)
{
    struct wave *wave = access->wave;
    EACH_SET_LANE(&wave->active, lane) check_lane(access, (uint32_t)lane);
    if (access->passed.lanes)
        wave->host->fault(wave->host->self, wave, &access->passed);
    if (access->misaligned.lanes)
        wave->host->fault(wave->host->self, wave, &access->misaligned);
    return report_faulty(access, wave->host->faults_stop);
}

static void announce_flat(const struct access *access, const uint32_t *slots)
{
    if (!access_observed(access->wave) || !mask_any(&access->flat))
        return;
    struct access_event event = event_of_access(access);
    event.frame = access->wave->frame;
    event.slots = access->write ? slots : NULL;
    announce(access->wave, &event);
}

static uint8_t *private_byte(const struct wave *wave, uint32_t lane, uint64_t address)
{
    const uint64_t offset = address - PRIVATE_BASE;
    return wave->private_memory + (offset / 4 * wave->code->width + lane) * 4 + offset % 4;
}

static bool private_defined(const struct wave *wave, uint32_t lane, uint64_t address, uint64_t bytes)
{
    for (uint64_t i = 0; wave->private_undefined && i < bytes; i++)
        if (wave->private_undefined[private_byte(wave, lane, address + i) - wave->private_memory])
            return false;
    return true;
}

static void set_private_defined(const struct wave *wave, uint32_t lane, uint64_t address, uint64_t bytes,
                                bool defined)
{
    for (uint64_t i = 0; wave->private_undefined && i < bytes; i++)
        wave->private_undefined[private_byte(wave, lane, address + i) - wave->private_memory] = !defined;
}

static void read_private(const struct wave *wave, uint32_t lane, uint64_t address, uint8_t *out,
                         uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        out[i] = *private_byte(wave, lane, address + i);
}

static void write_private(const struct wave *wave, uint32_t lane, uint64_t address, const uint8_t *from,
                          uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        *private_byte(wave, lane, address + i) = from[i];
}

static uint8_t *flat_byte(const struct wave *wave, uint64_t address)
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

static uint32_t first_lane(const lane_mask *mask)
{
    EACH_SET_LANE(mask, lane) return (uint32_t)lane;
    return 0;
}

/* The port returns the whole value of each lane, lane after lane. */
static void load_through_port(struct access *access, uint8_t *frame, const uint32_t *slots)
{
    const struct memory_port *port = &access->wave->memory->port;
    uint8_t values[WAVE_LANES_MAX * BYTES_MAX];
    struct access_event event = event_of_access(access);
    port->load(port->self, &event, values);
    EACH_SET_LANE(&access->flat, lane)
    scatter_components(access, frame, slots, access->form == FORM_U ? 0 : (uint32_t)lane,
                       values + lane * access->bytes);
}

/* ---- what a faulty access still does --------------------------------------------------------- */

/* Bytes of an access, counted from its address. */
struct access_part {
    uint64_t low, high;
};

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
            const bool open = flat_permits(access->wave, low, size, denials(access)) ||
                              only_forbidden(access->wave, low, size);
            return open ? part : (struct access_part){0, 0};
        }
    }
    return (struct access_part){0, 0};
}

/* The longest beginning of the access that the host permits, by bisection. */
static struct access_part part_of_host(const struct access *access, uint64_t address, uint64_t bytes)
{
    uint64_t most = bytes > UINT64_MAX - address ? UINT64_MAX - address : bytes, least = 0;
    while (least < most) {
        const uint64_t middle = most - (most - least) / 2;
        if (flat_permits(access->wave, address, middle, denials(access)))
            least = middle;
        else
            most = middle - 1;
    }
    return (struct access_part){0, least};
}

/* The bytes of a faulty access that are inside one object which it may access. */
static struct access_part permitted_part(const struct access *access, uint64_t address, uint64_t bytes)
{
    const struct memory *memory = access->wave->memory;
    if (!access_flat(access->wave) || !bytes)
        return (struct access_part){0, 0};
    if (is_private(access, address)) {
        const struct private_range span = private_span(access);
        return part_within(span.low, span.high, address, bytes);
    }
    return memory->host.permits && address - memory->base >= memory->size
               ? part_of_host(access, address, bytes)
               : part_of_region(access, address, bytes);
}

/* Announces byte by byte, since the address may have any alignment. */
static void announce_part(const struct access *access, const lane_mask *lanes, uint64_t address,
                          uint64_t bytes)
{
    if (!access_observed(access->wave) || !bytes || is_private(access, address))
        return;
    struct access_event event;
    begin_event(&event, access->wave, access->site_index, lanes);
    event.kind = access->write ? ACCESS_WRITE : ACCESS_READ;
    event.copy = access->copy;
    event.size_bytes = (uint32_t)bytes;
    event.component_bytes = 1;
    event.shape = ADDRESS_UNIFORM;
    event.base = address;
    announce(access->wave, &event);
}

/* All faulty lanes if they have one address, else one lane. */
static lane_mask lanes_of_part(const struct access *access, uint32_t lane)
{
    lane_mask one = {{0}};
    set_lane(&one, lane);
    return access->form == FORM_U ? access->faulty : one;
}

/* Bytes outside read as zeros. */
static void load_part(const struct access *access, uint8_t *frame, const uint32_t *slots, uint32_t lane)
{
    const struct wave *wave = access->wave;
    const uint64_t address = access->address[lane];
    const struct access_part part = permitted_part(access, address, access->bytes);
    const uint64_t size = part.high - part.low;
    uint8_t value[BYTES_MAX] = {0};
    if (!size)
        return; /* the slots are cleared */
    const lane_mask lanes = lanes_of_part(access, lane);
    announce_part(access, &lanes, address + part.low, size);
    if (is_private(access, address))
        read_private(wave, lane, address + part.low, value + part.low, size);
    else
        memcpy(value + part.low, flat_byte(wave, address + part.low), size);
    scatter_components(access, frame, slots, access->form == FORM_U ? 0 : lane, value);
}

static void load_faulty(const struct access *access, uint8_t *frame, const uint32_t *slots)
{
    if (access->form == FORM_U)
        load_part(access, frame, slots, first_lane(&access->faulty));
    else
        EACH_SET_LANE(&access->faulty, lane) load_part(access, frame, slots, (uint32_t)lane);
}

/* Bytes outside are dropped. */
static void store_part(const struct access *access, uint32_t lane, const uint8_t *value)
{
    const struct wave *wave = access->wave;
    const uint64_t address = access->address[lane];
    const struct access_part part = permitted_part(access, address, access->bytes);
    const uint64_t low = address + part.low, size = part.high - part.low;
    lane_mask one = {{0}};
    set_lane(&one, lane);
    if (!size)
        return;
    announce_part(access, &one, low, size);
    if (is_private(access, address)) {
        write_private(wave, lane, low, value + part.low, size);
        set_private_defined(wave, lane, low, size, true);
        return;
    }
    struct region *region = memory_region(wave->memory, low);
    memcpy(flat_byte(wave, low), value + part.low, size);
    if (wave->memory->track_validity && region->valid)
        memory_set_valid(region, low, size, true);
}

bool access_load(const struct insn *insn, uint8_t *frame, struct wave *wave, enum access_form form,
                 uint32_t component_bytes)
{
    struct access access;
    const uint32_t *slots = slots_of(insn, wave);
    begin(&access, wave, insn->e, form, component_bytes, insn->f);
    access.read = true;
    access.object = form == FORM_PRIVATE_U || form == FORM_PRIVATE_V ? insn->c : 0;
    lay_out_addresses(&access, frame, insn->a, (int32_t)insn->b);
    const bool stopped = check(&access);
    announce_flat(&access, slots);
    for (uint32_t k = 0; k < insn->f; k++)
        memset(frame + slots[k], 0, form == FORM_U ? 8 : wave->n * component_bytes);
    if (!access_flat(wave) && mask_any(&access.flat)) {
        load_through_port(&access, frame, slots);
    } else if (form == FORM_U) {
        if (mask_any(&access.flat))
            scatter_components(&access, frame, slots, 0,
                               flat_byte(wave, access.address[first_lane(&access.flat)]));
    } else {
        EACH_SET_LANE(&access.flat, lane)
        scatter_components(&access, frame, slots, (uint32_t)lane, flat_byte(wave, access.address[lane]));
    }
    EACH_SET_LANE(&access.private_lanes, lane)
    {
        uint8_t value[BYTES_MAX];
        read_private(wave, (uint32_t)lane, access.address[lane], value, access.bytes);
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
    begin(&access, wave, insn->e, form, component_bytes, insn->f);
    access.write = true;
    access.object = form == FORM_PRIVATE_U || form == FORM_PRIVATE_V ? insn->c : 0;
    lay_out_addresses(&access, frame, insn->a, (int32_t)insn->b);
    const bool stopped = check(&access);
    announce_flat(&access, slots);
    for (uint32_t lane = 0; lane < wave->n; lane++)
        gather_components(&access, frame, slots, lane, values + lane * access.bytes);
    if (!access_flat(wave) && mask_any(&access.flat)) {
        struct access_event event = event_of_access(&access);
        wave->memory->port.store(wave->memory->port.self, &event, values);
    } else {
        EACH_SET_LANE(&access.flat, lane)
        memcpy(flat_byte(wave, access.address[lane]), values + lane * access.bytes, access.bytes);
    }
    EACH_SET_LANE(&access.private_lanes, lane)
    write_private(wave, (uint32_t)lane, access.address[lane], values + lane * access.bytes, access.bytes);
    if (access.fault.lanes && !stopped)
        EACH_SET_LANE(&access.faulty, lane) store_part(&access, (uint32_t)lane, values + lane * access.bytes);
    return stopped;
}

/* ---- atomics ------------------------------------------------------------------------------------- */

#define ATOMIC_FLOAT(bits, F)                                                                              \
    uint##bits##_t atomic_float_##bits(enum atomic_op operation, uint##bits##_t old, uint##bits##_t value) \
    {                                                                                                      \
        F a, b, r;                                                                                         \
        memcpy(&a, &old, sizeof a);                                                                        \
        memcpy(&b, &value, sizeof b);                                                                      \
        r = operation == ATOMIC_FADD   ? a + b                                                             \
            : operation == ATOMIC_FMIN ? (((a < b) | (b != b)) ? a : b)                                    \
                                       : (((a > b) | (b != b)) ? a : b);                                   \
        memcpy(&old, &r, sizeof r);                                                                        \
        return old;                                                                                        \
    }
ATOMIC_FLOAT(32, float)
ATOMIC_FLOAT(64, double)

static uint64_t updated(uint32_t operation, uint64_t old, uint64_t value, uint64_t comparator, uint32_t bits)
{
    const uint32_t unused = 64 - bits;
    const int64_t signed_old = (int64_t)(old << unused) >> unused,
                  signed_value = (int64_t)(value << unused) >> unused;
    switch ((enum atomic_op)operation) {
    case ATOMIC_LOAD: return old;
    case ATOMIC_STORE:
    case ATOMIC_EXCHANGE: return value;
    case ATOMIC_COMPARE_EXCHANGE:
    case ATOMIC_COMPARE_EXCHANGE_WEAK: return old == comparator ? value : old;
    case ATOMIC_ADD: return old + value;
    case ATOMIC_SUB: return old - value;
    case ATOMIC_SMIN: return signed_value < signed_old ? value : old;
    case ATOMIC_SMAX: return signed_value > signed_old ? value : old;
    case ATOMIC_UMIN: return value < old ? value : old;
    case ATOMIC_UMAX: return value > old ? value : old;
    case ATOMIC_AND: return old & value;
    case ATOMIC_OR: return old | value;
    case ATOMIC_XOR: return old ^ value;
    case ATOMIC_FADD:
    case ATOMIC_FMIN:
    case ATOMIC_FMAX:
        return bits == 32 ? atomic_float_32((enum atomic_op)operation, (uint32_t)old, (uint32_t)value)
                          : atomic_float_64((enum atomic_op)operation, old, value);
    }
    return old;
}

static uint64_t read_slot(const uint8_t *slot, uint32_t lane, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, slot + lane * bytes, bytes);
    return value;
}

/* The host may change this memory at any time. */
static bool is_shared(const struct access *access, uint64_t address)
{
    const struct memory *memory = access->wave->memory;
    return memory_region(memory, address)->flags & REGION_FLAG_SHARED ||
           address - memory->base >= memory->size;
}

#define UPDATE_SHARED(bits)                                                                                 \
    static uint64_t update_shared_##bits(const struct access *access, uint32_t operation, uint64_t address, \
                                         uint64_t b, uint64_t c)                                            \
    {                                                                                                       \
        uint##bits##_t *const p = (uint##bits##_t *)(void *)flat_byte(access->wave, address);               \
        uint##bits##_t old = __atomic_load_n(p, __ATOMIC_SEQ_CST);                                          \
        while (access->write &&                                                                             \
               !__atomic_compare_exchange_n(p, &old, (uint##bits##_t)updated(operation, old, b, c, bits),   \
                                            false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))                     \
            ;                                                                                               \
        return old;                                                                                         \
    }
UPDATE_SHARED(32)
UPDATE_SHARED(64)

static bool refuses(const struct access *access, uint32_t lane, uint64_t old, uint64_t comparator)
{
    struct wave *wave = access->wave;
    if (old != comparator || !wave->host->refuses || !wave->host->refuses(wave->host->self))
        return false;
    set_lane(&wave->refused, lane);
    wave->refusals++;
    return true;
}

/* A compare-exchange that fails counts as a load. */
static uint32_t operation_of(const struct access *access, const struct insn *insn, uint32_t lane,
                             uint64_t old, uint64_t comparator)
{
    return insn->f == ATOMIC_COMPARE_EXCHANGE_WEAK && refuses(access, lane, old, comparator) ? ATOMIC_LOAD
                                                                                             : insn->f;
}

static void update_lane(const struct access *access, const struct insn *insn, uint8_t *frame, uint32_t lane,
                        bool private_space)
{
    const uint32_t bytes = access->bytes;
    const uint64_t address = access->address[lane];
    const uint64_t b = read_slot(frame + insn->b, lane, bytes), c = read_slot(frame + insn->c, lane, bytes);
    uint64_t old = 0;
    if (!private_space && is_shared(access, address)) {
        memcpy(&old, flat_byte(access->wave, address), bytes);
        const uint32_t operation = operation_of(access, insn, lane, old, c);
        old = (bytes == 4 ? update_shared_32 : update_shared_64)(access, operation, address, b, c);
        memcpy(frame + insn->d + lane * bytes, &old, bytes);
        return;
    }
    if (private_space)
        read_private(access->wave, lane, address, (uint8_t *)&old, bytes);
    else
        memcpy(&old, flat_byte(access->wave, address), bytes);
    const uint64_t value = updated(operation_of(access, insn, lane, old, c), old, b, c, 8 * bytes);
    if (access->write && private_space) {
        write_private(access->wave, lane, address, (const uint8_t *)&value, bytes);
        set_private_defined(access->wave, lane, address, bytes, true);
    } else if (access->write)
        memcpy(flat_byte(access->wave, address), &value, bytes);
    memcpy(frame + insn->d + lane * bytes, &old, bytes);
}

static bool any_shared(const struct access *access)
{
    EACH_SET_LANE(&access->flat, lane) if (is_shared(access, access->address[lane])) return true;
    return false;
}

static void zero_lanes(uint8_t *slot, const lane_mask *lanes, uint32_t bytes)
{
    EACH_SET_LANE(lanes, lane) memset(slot + lane * bytes, 0, bytes);
}

static void report_private_atomic(struct access *access)
{
    struct fault fault = {.continues = true};
    EACH_SET_LANE(&access->private_lanes, lane)
    note_fault(access, &fault, (uint32_t)lane, FAULT_ATOMIC_PRIVATE, true);
    access->wave->host->fault(access->wave->host->self, access->wave, &fault);
}

static void find_failed(const struct access *access, const uint8_t *comparators, const uint8_t *found,
                        lane_mask *out_failed)
{
    EACH_SET_LANE(&access->flat, lane)
    if (memcmp(comparators + lane * access->bytes, found + lane * access->bytes, access->bytes) != 0)
        set_lane(out_failed, (uint32_t)lane);
}

bool access_atomic(const struct insn *insn, uint8_t *frame, struct wave *wave, enum access_form form,
                   uint32_t bytes)
{
    struct access access;
    begin(&access, wave, insn->e, form, bytes, 1);
    access.read = insn->f != ATOMIC_STORE;
    access.write = insn->f != ATOMIC_LOAD;
    if (access.align < bytes)
        access.align = bytes;
    lay_out_addresses(&access, frame, insn->a, 0);
    const bool stopped = check(&access);
    if (mask_any(&access.private_lanes))
        report_private_atomic(&access);
    const bool weak = insn->f == ATOMIC_COMPARE_EXCHANGE_WEAK;
    const bool compares = access_observed(wave) && (insn->f == ATOMIC_COMPARE_EXCHANGE || weak);
    for (uint32_t w = 0; weak && w * 64 < wave->n; w++)
        wave->refused.word[w] &= ~wave->active.word[w];
    uint8_t comparators[WAVE_LANES_MAX * 8];
    if (compares) /* the result may overwrite the operands */
        memcpy(comparators, frame + insn->c, wave->n * bytes);
    if (access.write && access_observed(wave) && wave->observer->before && any_shared(&access))
        wave->observer->before(wave->observer->self);
    if (!access_flat(wave) && mask_any(&access.flat)) {
        uint8_t old[WAVE_LANES_MAX * 8];
        struct access_event event = event_of_access(&access);
        const struct memory_port *port = &wave->memory->port;
        port->update(port->self, &event, insn->f, frame + insn->b, frame + insn->c, old);
        EACH_SET_LANE(&access.flat, lane) memcpy(frame + insn->d + lane * bytes, old + lane * bytes, bytes);
        EACH_SET_LANE(&access.flat, lane)
        if (weak && port->refused && port->refused(port->self, (uint32_t)lane))
            set_lane(&wave->refused, (uint32_t)lane);
        EACH_SET_LANE(&access.private_lanes, lane) update_lane(&access, insn, frame, (uint32_t)lane, true);
    } else {
        EACH_SET_LANE(&access.flat, lane) update_lane(&access, insn, frame, (uint32_t)lane, false);
        EACH_SET_LANE(&access.private_lanes, lane) update_lane(&access, insn, frame, (uint32_t)lane, true);
    }
    zero_lanes(frame + insn->d, &access.faulty, bytes);
    if (access_observed(wave) && mask_any(&access.flat)) {
        struct access_event event = event_of_access(&access);
        lane_mask failed = {{0}};
        if (compares)
            find_failed(&access, comparators, frame + insn->d, &failed);
        for (uint32_t w = 0; weak && w * 64 < wave->n; w++)
            failed.word[w] |= wave->refused.word[w] & access.flat.word[w];
        event.failure_order = access.site->failure_order;
        event.failed = mask_any(&failed) ? failed.word : NULL;
        event.frame = frame;
        event.slots = access_flat(wave) ? &insn->d : NULL;
        announce(wave, &event);
    }
    return stopped;
}

/* ---- copies ---------------------------------------------------------------------------------------- */

/* Checks one side of one lane's copy. */
static bool side_permitted(struct access *access, uint32_t lane, uint64_t address, uint64_t bytes)
{
    access->address[lane] = address;
    access->bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
    const bool private_space = is_private(access, address);
    const bool permitted = private_space ? private_permits(access, address, bytes)
                                         : flat_permits(access->wave, address, bytes, denials(access));
    if (!permitted)
        add_fault(access, lane, access->write ? FAULT_WRITE : FAULT_READ, private_space);
    return permitted;
}

static void announce_side(const struct access *access, uint32_t lane, uint64_t address, uint64_t bytes)
{
    if (!access_observed(access->wave) || is_private(access, address))
        return;
    lane_mask one = {{0}};
    set_lane(&one, lane);
    struct access_event event;
    begin_event(&event, access->wave, access->site_index, &one);
    event.kind = access->write ? ACCESS_WRITE : ACCESS_READ;
    event.copy = access->copy;
    event.size_bytes = (uint32_t)bytes;
    event.shape = ADDRESS_UNIFORM;
    event.base = address;
    announce(access->wave, &event);
}

static uint8_t read_byte(const struct access *access, uint32_t lane, uint64_t address)
{
    return is_private(access, address) ? *private_byte(access->wave, lane, address)
                                       : *flat_byte(access->wave, address);
}

static bool byte_valid(const struct access *from, uint32_t lane, uint64_t address)
{
    if (is_private(from, address))
        return private_defined(from->wave, lane, address, 1);
    const struct region *region = memory_region(from->wave->memory, address);
    return !region->valid || memory_range_valid(region, address, 1);
}

/* Copies the validity of the bytes. */
static void copy_validity(const struct access *from, const struct access *to, uint32_t lane, uint64_t source,
                          uint64_t target, uint64_t bytes)
{
    const struct memory *memory = to->wave->memory;
    if (!memory->track_validity)
        return;
    const bool private_target = is_private(to, target);
    struct region *region = private_target ? NULL : memory_region(memory, target);
    if (region && !region->valid)
        return;
    for (uint64_t i = 0; i < bytes; i++) {
        const bool valid = byte_valid(from, lane, source + i);
        if (private_target)
            set_private_defined(to->wave, lane, target + i, 1, valid);
        else
            memory_set_valid(region, target + i, 1, valid);
        if (!valid && private_target)
            poison_trail_left(to->wave, 0, lane, target + i, 1);
        else if (!valid)
            memory_became_unset(region, target + i, 1, 0);
    }
}

static void copy_bytes(const struct access *from, const struct access *to, uint32_t lane, uint64_t source,
                       uint64_t target, uint64_t bytes)
{
    if (!is_private(from, source) && !is_private(to, target)) {
        memmove(flat_byte(to->wave, target), flat_byte(from->wave, source), bytes);
        return;
    }
    for (uint64_t i = 0; i < bytes; i++)
        *(is_private(to, target) ? private_byte(to->wave, lane, target + i)
                                 : flat_byte(to->wave, target + i)) = read_byte(from, lane, source + i);
}

static bool finish_copy(struct access *side)
{
    return report_faulty(side, side->wave->host->faults_stop);
}

static void zero_bytes(const struct access *to, uint32_t lane, uint64_t target, uint64_t bytes)
{
    struct region *region = is_private(to, target) ? NULL : memory_region(to->wave->memory, target);
    if (!region) {
        for (uint64_t i = 0; i < bytes; i++)
            *private_byte(to->wave, lane, target + i) = 0;
        set_private_defined(to->wave, lane, target, bytes, true);
    } else if (bytes) {
        memset(memory_byte(region, target), 0, bytes);
        if (to->wave->memory->track_validity && region->valid)
            memory_set_valid(region, target, bytes, true);
    }
}

/* One side or both are faulty: bytes outside the source read as zeros; bytes outside the target are
 * dropped. */
static void copy_parts(const struct access *from, const struct access *to, uint32_t lane, uint64_t source,
                       uint64_t target, uint64_t bytes)
{
    const struct access_part in = permitted_part(from, source, bytes),
                             out = permitted_part(to, target, bytes);
    uint64_t low = in.low > out.low ? in.low : out.low, high = in.high < out.high ? in.high : out.high;
    if (low >= high)
        low = high = out.low;
    lane_mask one = {{0}};
    set_lane(&one, lane);
    announce_part(from, &one, source + in.low, in.high - in.low);
    announce_part(to, &one, target + out.low, out.high - out.low);
    if (low < high) {
        copy_bytes(from, to, lane, source + low, target + low, high - low);
        copy_validity(from, to, lane, source + low, target + low, high - low);
    }
    if (out.low < low)
        zero_bytes(to, lane, target + out.low, low - out.low);
    if (high < out.high)
        zero_bytes(to, lane, target + high, out.high - high);
}

static void copy_lane(struct access *from, struct access *to, uint32_t lane, uint64_t source, uint64_t target,
                      uint64_t bytes)
{
    const bool stops = from->wave->host->faults_stop;
    if (!bytes)
        return;
    const bool readable = side_permitted(from, lane, source, bytes);
    const bool writable = (readable || !stops) && side_permitted(to, lane, target, bytes);
    if (!readable || !writable) {
        if (!stops)
            copy_parts(from, to, lane, source, target, bytes);
        return;
    }
    announce_side(from, lane, source, bytes);
    announce_side(to, lane, target, bytes);
    copy_bytes(from, to, lane, source, target, bytes);
    copy_validity(from, to, lane, source, target, bytes);
}

/* ---- packets ----------------------------------------------------------------------------------------- */

/* One side is the user's, the other the pipe's, which no observer sees. Reads of a faulty side return zeros,
 * writes to it are dropped. */

_Static_assert(sizeof(struct access) <= sizeof(((struct access_copy *)0)->state),
               "struct access_copy has room for it");

void access_copy_begin(struct access_copy *copy, struct wave *wave, uint32_t site)
{
    begin((struct access *)(void *)copy->state, wave, site, FORM_GENERIC, 1, 1);
}

static void copy_packet(struct access *user, uint32_t lane, uint64_t source, uint64_t target, uint64_t bytes,
                        bool out)
{
    const uint64_t address = out ? target : source;
    user->read = !out;
    user->write = out;
    struct access_part part = {0, bytes};
    if (side_permitted(user, lane, address, bytes)) {
        announce_side(user, lane, address, bytes);
    } else {
        lane_mask one = {{0}};
        set_lane(&one, lane);
        part = permitted_part(user, address, bytes);
        announce_part(user, &one, address + part.low, part.high - part.low);
        if (!out)
            zero_bytes(user, lane, target, bytes);
    }
    copy_bytes(user, user, lane, source + part.low, target + part.low, part.high - part.low);
    copy_validity(user, user, lane, source + part.low, target + part.low, part.high - part.low);
}

void access_copy_in(struct access_copy *copy, uint32_t lane, uint64_t source, uint64_t packet, uint64_t bytes)
{
    copy_packet((struct access *)(void *)copy->state, lane, source, packet, bytes, false);
}

void access_copy_out(struct access_copy *copy, uint32_t lane, uint64_t packet, uint64_t target,
                     uint64_t bytes)
{
    copy_packet((struct access *)(void *)copy->state, lane, packet, target, bytes, true);
}

/* Host addresses are not generic addresses: they may look like private ones. */
void access_fetch(struct access_copy *copy, uint32_t lane, uint64_t source, void *target, uint64_t bytes)
{
    struct access *user = (struct access *)(void *)copy->state;
    uint8_t *out = target;
    user->read = true;
    user->write = false;
    memset(out, 0, bytes);
    if (!side_permitted(user, lane, source, bytes))
        return;
    announce_side(user, lane, source, bytes);
    for (uint64_t i = 0; i < bytes; i++)
        out[i] = read_byte(user, lane, source + i);
}

void access_hand(struct access_copy *copy, uint32_t lane, const void *source, uint64_t target, uint64_t bytes)
{
    struct access *user = (struct access *)(void *)copy->state;
    const uint8_t *in = source;
    const bool is_own = is_private(user, target);
    user->read = false;
    user->write = true;
    if (!side_permitted(user, lane, target, bytes))
        return;
    announce_side(user, lane, target, bytes);
    for (uint64_t i = 0; i < bytes; i++)
        *(is_own ? private_byte(user->wave, lane, target + i) : flat_byte(user->wave, target + i)) = in[i];
    if (!user->wave->memory->track_validity)
        return;
    struct region *region = is_own ? NULL : memory_region(user->wave->memory, target);
    if (is_own)
        set_private_defined(user->wave, lane, target, bytes, true);
    else if (region->valid)
        memory_set_valid(region, target, bytes, true);
}

bool access_copy_end(struct access_copy *copy)
{
    return finish_copy((struct access *)(void *)copy->state);
}

bool access_copy(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    struct access from, to;
    const uint64_t *target = (const uint64_t *)(const void *)(frame + insn->d),
                   *source = (const uint64_t *)(const void *)(frame + insn->a);
    const uint64_t *bytes = (const uint64_t *)(const void *)(frame + insn->c);
    begin(&from, wave, insn->e, FORM_GENERIC, 1, 1);
    begin(&to, wave, insn->f, FORM_GENERIC, 1, 1);
    from.read = to.write = true;
    const lane_mask active = wave->active;
    EACH_SET_LANE(&active, lane)
    copy_lane(&from, &to, (uint32_t)lane, source[lane], target[lane], bytes[lane]);
    const bool stopped = finish_copy(&from);
    return finish_copy(&to) || stopped;
}

static void announce_copy(const struct wave *wave, uint32_t site, uint32_t number, bool performs)
{
    if (!wave->observer || !wave->observer->sync)
        return;
    struct sync_event event = {.origin = wave->origin,
                               .kind = SYNC_COPY,
                               .scope = SCOPE_WORK_GROUP,
                               .lane_count = wave->lane_count,
                               .mask = wave->active.word,
                               .last = performs,
                               .copy = number};
    event.origin.site = site;
    wave->observer->sync(wave->observer->self, &event);
}

/* Numbers of events are the same in each wave, because all work-items of a group reach the same copies. */
static uint32_t give_event(const uint32_t *operands, uint8_t *frame, struct wave *wave)
{
    uint64_t event, *const out = (uint64_t *)(void *)(frame + operands[0]);
    const lane_mask active = wave->active;
    memcpy(&event, frame + operands[5], sizeof event);
    if (!event || event > wave->copies)
        event = ++wave->copies;
    EACH_SET_LANE(&active, lane) out[lane] = event;
    return (uint32_t)event;
}

/* If out of memory the copy is not counted. */
static uint32_t *times_reached(struct copies_reached *all, uint32_t site)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->items[i].site == site)
            return all->items[i].times;
    if (all->count == all->room) {
        const uint32_t room = all->room ? 2 * all->room : HOSTILE(8, 1);
        struct copy_reached *items = realloc(all->items, room * sizeof *items);
        if (!items)
            return NULL;
        all->items = items;
        all->room = room;
    }
    uint32_t *times = calloc(all->lanes, sizeof *times);
    if (times)
        all->items[all->count++] = (struct copy_reached){site, times};
    return times;
}

static void count_reached(const struct wave *wave, uint32_t site)
{
    uint32_t *times = wave->reached ? times_reached(wave->reached, site) : NULL;
    if (times)
        EACH_SET_LANE(&wave->active, lane) times[wave->origin.first_lane + lane]++;
}

/* The wave that performs the copy watches its event. */
static void note_unwaited(struct wave *wave, uint32_t event, uint32_t site, bool performs)
{
    if (performs && wave->unwaited_count < WAVE_COPIES_OPEN)
        wave->unwaited[wave->unwaited_count++] = (struct open_copy){event, site};
    else if (event > wave->unwatched)
        wave->unwatched = event;
}

/* A strided copy stops after so many elements in a row outside memory: its count is not plausible. */
enum { MISSES_MOST = 1 << 20 };

/* The work-group's first work-item copies for all; the wait for the event orders it. */
/* A count that exceeds memory is a fault and is not charged. */
static void charge_copy(struct wave *wave, uint64_t count, uint64_t size)
{
    enum { COUNT_MOST = 1 << 30 };
    if (count < COUNT_MOST)
        wave->work += count * size * WORK_GLOBAL_BYTE;
}

bool access_async(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    struct access from, to;
    uint64_t value[4];
    const uint32_t *const operands = wave->code->operands + insn->d,
                          event = give_event(operands, frame, wave);
    const bool performs = wave->origin.first_lane == 0 && lane_mask_test(&wave->active, 0);
    count_reached(wave, insn->e);
    announce_copy(wave, insn->e, event, performs);
    note_unwaited(wave, event, insn->e, performs);
    if (!performs)
        return false;
    for (int i = 0; i < 4; i++)
        memcpy(&value[i], frame + operands[1 + i], 8);
    /* `far` is past every region, whatever is added to it */
    const uint64_t bytes = insn->f & 0xffff, far = 1ull << 62;
    const uint64_t stride = value[3] > far / bytes ? far : value[3] * bytes;
    const uint64_t to_step = insn->f >> 16 & 1 ? stride : bytes,
                   from_step = insn->f >> 17 & 1 ? stride : bytes;
    begin(&from, wave, insn->e, FORM_GENERIC, 1, 1);
    begin(&to, wave, insn->e, FORM_GENERIC, 1, 1);
    uint64_t misses = 0, faulty = 0;
    from.read = to.write = true;
    from.copy = to.copy = event;
    charge_copy(wave, value[2], bytes);
    if (to_step == bytes && from_step == bytes)
        copy_lane(&from, &to, 0, value[1], value[0],
                  value[2] > UINT64_MAX / bytes ? UINT64_MAX : value[2] * bytes);
    else
        for (uint64_t i = 0; i < value[2] && misses < (wave->host->faults_stop ? 1 : MISSES_MOST); i++) {
            copy_lane(&from, &to, 0, value[1] + i * from_step, value[0] + i * to_step, bytes);
            misses = from.fault.lanes + to.fault.lanes > faulty ? misses + 1 : 0;
            faulty = from.fault.lanes + to.fault.lanes;
        }
    const bool stopped = finish_copy(&from);
    return finish_copy(&to) || stopped;
}

/* other: a lane of the tile. */
static void report_difference(const struct insn *insn, struct wave *wave, uint32_t first, uint64_t own,
                              uint32_t other, uint64_t its)
{
    struct disagreement differ = {.origin = wave->origin,
                                  .lane = other,
                                  .argument = insn->f & 255,
                                  .is_address = insn->f >> 8,
                                  .value = {own, its}};
    differ.origin.first_lane = 0;
    const struct fault fault = {.kind = FAULT_NON_UNIFORM,
                                .site = insn->e,
                                .lane = first,
                                .lanes = 1,
                                .continues = true,
                                .differ = &differ};
    if (!differ.argument && wave->reached)
        wave->reached->reported = true;
    wave->host->fault(wave->host->self, wave, &fault);
}

static bool agreement_room(struct agreement *all)
{
    if (all->count < all->room)
        return true;
    const uint32_t room = all->room ? 2 * all->room : HOSTILE(16, 1);
    struct agreed *items = all->count < AGREED_MOST ? realloc(all->items, room * sizeof *items) : NULL;
    if (!items) /* out of memory, or too many events */
        return false;
    all->items = items;
    all->room = room;
    return true;
}

/* The first wave of the group sets the values with which the others are compared. */
static void compare_waves(const struct insn *insn, struct wave *wave, uint32_t first, uint64_t value)
{
    struct agreement *all = wave->agreement;
    const uint32_t at = wave->agreed++;
    if (at < all->count) {
        const struct agreed *before = &all->items[at];
        if (before->site == insn->e && before->argument == insn->f && before->value != value)
            report_difference(insn, wave, first, value, before->tile_lane, before->value);
    } else if (at == all->count && agreement_room(all)) {
        all->items[all->count++] = (struct agreed){insn->e, insn->f, wave->origin.first_lane + first, value};
    }
}

void access_same(const struct insn *insn, const uint8_t *frame, struct wave *wave)
{
    const uint64_t *value = (const uint64_t *)(const void *)(frame + insn->a);
    const lane_mask active = wave->active;
    const uint32_t first = first_lane(&active);
    EACH_SET_LANE(&active, lane)
    if (__builtin_expect(value[lane] != value[first], 0)) {
        report_difference(insn, wave, first, value[first], wave->origin.first_lane + (uint32_t)lane,
                          value[lane]);
        break;
    }
    if (wave->agreement)
        compare_waves(insn, wave, first, value[first]);
}

/* ---- indices past an array inside a variable ------------------------------------------------- */

void access_check_index(const struct insn *insn, const uint8_t *frame, struct wave *wave,
                        enum access_form form)
{
    struct access access;
    begin(&access, wave, insn->e, form, 1, 1);
    lay_out_addresses(&access, frame, insn->a, 0);
    access.bytes = access.site->size * access.site->components;
    EACH_SET_LANE(&wave->active, lane)
    if (access.address[lane] >= insn->f)
        note_fault(&access, &access.passed, (uint32_t)lane, FAULT_INDEX, false);
    if (!access.passed.lanes)
        return;
    access.passed.index = (int64_t)access.passed.address;
    access.passed.address = 0;
    access.passed.misuse = wave->code->strings[insn->d];
    wave->host->fault(wave->host->self, wave, &access.passed);
}

/* ---- uninitialised bytes ------------------------------------------------------------------------------ */

/* operands[list]: form, bytes, offset, then the reader of the bytes, or the origin of the stored value */
enum { LIST_FROM = 3 };

static uint32_t poison_from(const struct wave *wave, const struct insn *insn)
{
    return wave->code->operands[insn->b + LIST_FROM];
}

static void begin_poison(struct access *access, const struct insn *insn, const uint8_t *frame,
                         const struct wave *wave)
{
    const uint32_t *list = &wave->code->operands[insn->b];
    begin(access, (struct wave *)(uintptr_t)wave, insn->e, (enum access_form)list[0], list[1], 1);
    lay_out_addresses(access, frame, insn->a, (int32_t)list[2]);
}

static struct region *tracked_region(const struct access *access, uint32_t lane)
{
    const struct memory *memory = access->wave->memory;
    const uint64_t address = access->address[lane];
    if (!memory->track_validity)
        return NULL;
    struct region *region = memory_region(memory, address);
    return region->valid && inside(region->low, region->high, address, access->bytes) ? region : NULL;
}

/* A lane whose access missed got zeros or was stopped: neither is uninitialised. */
static bool lane_is_poison(const struct access *access, uint32_t lane)
{
    const uint64_t address = access->address[lane];
    if (is_private(access, address))
        return private_permits(access, address, access->bytes) &&
               !private_defined(access->wave, lane, address, access->bytes);
    const struct region *region = tracked_region(access, lane);
    return region && !memory_range_valid(region, address, access->bytes);
}

static void note_read(const struct access *access, uint32_t source, uint32_t lane)
{
    poison_trail_read(access->wave, source, lane, access->address[lane], access->bytes);
}

/* The first byte from `from` on that differs from it in being uninitialised; at most bytes. */
static uint32_t run_end(uint64_t bits, uint32_t from, uint32_t bytes)
{
    const bool unset = bits >> 8 * from & 0xff;
    uint32_t end = from + 1;
    while (end < bytes && unset == ((bits >> 8 * end & 0xff) != 0))
        end++;
    return end;
}

/* Notes the first bytes that are uninitialised, not the initialised ones around them. */
static void note_bits(struct access *access, uint32_t source, uint32_t lane, uint64_t bits)
{
    CHECKED(bits);
    const uint32_t bytes = access->bytes, first = (uint32_t)__builtin_ctzll(bits) / 8;
    access->bytes = run_end(bits, first, bytes) - first;
    access->address[lane] += first;
    note_read(access, source, lane);
    access->address[lane] -= first;
    access->bytes = bytes;
}

/* Ones where bytes of the lane are not initialised; none of an access that missed. */
static uint64_t undefined_bits(struct access *access, uint32_t lane)
{
    const uint32_t bytes = access->bytes;
    uint64_t bits = 0;
    if (!lane_is_poison(access, lane))
        return 0;
    access->bytes = 1;
    for (uint32_t k = 0; k < bytes; k++, access->address[lane]++)
        bits |= lane_is_poison(access, lane) ? UINT64_C(0xff) << 8 * k : 0;
    access->address[lane] -= access->bytes = bytes;
    return bits;
}

void access_poison(const struct insn *insn, uint8_t *frame, const struct wave *wave, bool uniform)
{
    struct access access;
    lane_mask poison = {{0}};
    begin_poison(&access, insn, frame, wave);
    if (uniform && !lane_is_poison(&access, first_lane(&wave->active))) {
        frame[insn->d] = 0;
        return;
    }
    EACH_SET_LANE(&wave->active, lane)
    if (uniform || lane_is_poison(&access, (uint32_t)lane)) {
        set_lane(&poison, (uint32_t)lane);
        note_bits(&access, poison_from(wave, insn), (uint32_t)lane, undefined_bits(&access, (uint32_t)lane));
    }
    if (uniform)
        frame[insn->d] = 1;
    else
        memcpy(frame + insn->d, &poison, sizeof poison);
}

void access_poison_bits(const struct insn *insn, uint8_t *frame, const struct wave *wave, bool uniform)
{
    struct access access;
    begin_poison(&access, insn, frame, wave);
    const uint32_t bytes = access.bytes, first = first_lane(&wave->active);
    const uint64_t one = uniform ? undefined_bits(&access, first) : 0;
    memset(frame + insn->d, 0, uniform ? bytes : (size_t)bytes * wave->n);
    EACH_SET_LANE(&wave->active, lane)
    {
        const uint32_t i = (uint32_t)lane;
        const uint64_t bits = uniform ? one : undefined_bits(&access, i);
        memcpy(frame + insn->d + (uniform ? 0 : (size_t)bytes * i), &bits, bytes);
        if (bits)
            note_bits(&access, poison_from(wave, insn), i, bits);
    }
}

/* Memory that one work-group uses alone: uninitialised values there are reported where they are used. */
static bool hands_on(const struct region *region)
{
    return region->kind == REGION_LOCAL_VARIABLE;
}

/* A mistake is reported once: what was reported counts as initialised from then on. */
static void mark_lane(struct access *access, uint32_t lane, bool bad, bool reported, uint32_t list)
{
    const uint64_t address = access->address[lane];
    if (is_private(access, address)) {
        if (private_permits(access, address, access->bytes)) {
            set_private_defined(access->wave, lane, address, access->bytes, !bad);
            if (bad)
                poison_trail_left(access->wave, list, lane, address, access->bytes);
        }
        return;
    }
    struct region *region = tracked_region(access, lane);
    const bool unset = bad && region && (!reported || hands_on(region));
    if (region)
        memory_set_valid(region, address, access->bytes, !unset);
    if (unset)
        memory_became_unset(region, address, access->bytes, 0);
}

static bool is_reported(const struct access *access, uint32_t lane)
{
    const struct region *region =
        is_private(access, access->address[lane]) ? NULL : tracked_region(access, lane);
    return region && !hands_on(region);
}

/* Of a value whose uninitialised bits are known: by runs of bytes. */
static void mark_bits(struct access *access, uint32_t lane, uint64_t bits, bool reported, uint32_t list)
{
    const uint32_t bytes = access->bytes;
    for (uint32_t from = 0, end; from < bytes; from = end) {
        end = run_end(bits, from, bytes);
        access->bytes = end - from;
        mark_lane(access, lane, bits >> 8 * from & 0xff, reported, list);
        access->address[lane] += access->bytes;
    }
    access->address[lane] -= access->bytes = bytes;
}

static void access_mark_bits(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    struct access access;
    lane_mask reported;
    memcpy(&reported, frame + insn->d, sizeof reported);
    begin_poison(&access, insn, frame, wave);
    const uint32_t list = poison_from(wave, insn);
    EACH_SET_LANE(&wave->active, lane)
    {
        const uint32_t i = (uint32_t)lane;
        const bool report = lane_mask_test(&reported, i);
        uint64_t bits = 0;
        memcpy(&bits, frame + insn->c + (size_t)access.bytes * i, access.bytes);
        mark_bits(&access, i, bits, report, list);
        if (report && insn->f == POISON_BITS && is_reported(&access, i))
            add_fault(&access, i, FAULT_UNINITIALISED_STORE, false);
    }
    access.fault.poison_list = list;
    if (access.fault.lanes)
        wave->host->fault(wave->host->self, wave, &access.fault);
}

void access_mark(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    if (insn->f >= POISON_BITS) {
        access_mark_bits(insn, frame, wave);
        return;
    }
    struct access access;
    lane_mask poison, reported;
    memcpy(&poison, frame + insn->c, sizeof poison);
    memcpy(&reported, frame + (insn->f == POISON_REPORTS_ALL ? insn->c : insn->d), sizeof reported);
    begin_poison(&access, insn, frame, wave);
    const uint32_t list = poison_from(wave, insn);
    EACH_SET_LANE(&wave->active, lane)
    {
        const bool report = lane_mask_test(&reported, (uint32_t)lane);
        mark_lane(&access, (uint32_t)lane, lane_mask_test(&poison, (uint32_t)lane), report, list);
        if (report && insn->f != POISON_REPORTED && is_reported(&access, (uint32_t)lane))
            add_fault(&access, (uint32_t)lane, FAULT_UNINITIALISED_STORE, false);
    }
    access.fault.poison_list = list;
    if (access.fault.lanes)
        wave->host->fault(wave->host->self, wave, &access.fault);
}

/* Is what the atomic leaves uninitialised? An exchange and a store put their own value there. */
static bool leaves_poison(uint32_t operation, bool found, bool value)
{
    return operation == ATOMIC_STORE || operation == ATOMIC_EXCHANGE ? value : found || value;
}

static uint32_t atomic_list(const struct wave *wave, uint32_t source)
{
    return source < wave->code->poison_source_count ? wave->code->poison_sources[source].list : 0;
}

/* An update of uninitialised memory of one work-group leaves it so, and what it found is reported where
 * something uses it. Elsewhere it has stored what depends on it, which is reported at once and counts as
 * initialised from then on. */
void access_poison_atomic(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    struct access access;
    lane_mask value, found = {{0}};
    memcpy(&value, frame + insn->c, sizeof value);
    begin_poison(&access, insn, frame, wave);
    const uint32_t source = poison_from(wave, insn), list = atomic_list(wave, source);
    EACH_SET_LANE(&wave->active, lane)
    {
        const uint32_t i = (uint32_t)lane;
        const bool poison = lane_is_poison(&access, i);
        if (poison)
            note_bits(&access, source, i, undefined_bits(&access, i));
        const bool leaves =
            insn->f != ATOMIC_LOAD && leaves_poison(insn->f, poison, lane_mask_test(&value, i));
        const bool reported = leaves && is_reported(&access, i);
        if (insn->f != ATOMIC_LOAD)
            mark_lane(&access, i, leaves, true, list);
        if (reported)
            add_fault(&access, i, FAULT_UNINITIALISED_STORE, false);
        else if (poison)
            set_lane(&found, i);
    }
    memcpy(frame + insn->d, &found, sizeof found);
    access.fault.poison_list = list;
    if (access.fault.lanes)
        wave->host->fault(wave->host->self, wave, &access.fault);
}
