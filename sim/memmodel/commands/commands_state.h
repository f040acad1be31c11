/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the parts of the judge of commands share: commands.c lets commands judge each other,
 *          commands_areas.c has the touched bytes, commands_sites.c the instructions, commands_report.c
 *          words it, commands_atomics.c what inter_launch.h found, and commands_host.c judges the host and
 *          commands. All of it with commands->lock held.
 *
 * Interface
 *   commands_bring_in     the kept accesses of an area become segments: a command comes that may not be after
 *                         all of them
 *   commands_judges       the command is in the graph, and nothing is lost
 *
 *   commands_region_of, commands_area_of   of an address; NULL: memory of the host, and no memory left
 *   commands_name_area    as findings show it
 *   commands_storage_next   a range of the host's memory that is a buffer's, too: the buffer's bytes. *at
 *                           counts up; false: no more
 *   commands_give, commands_take_back   a map is complete; so is its unmap
 *   commands_is_given     the command comes after maps that gave it the pointer to all of these bytes
 *   commands_lacks_map    it uses the pointer that this map gives, and comes after none that did
 *   commands_reserve      space for one more in a list of `count`; false: out of memory
 *   commands_area_free, commands_areas_free   its open accesses are over; of all
 *   commands_number_sites   of a launch's instructions, from 1; 0: no memory left
 *   commands_take_sites     access.site of each use of a part
 *   commands_access_at      the access to the byte at an address, by one instruction; *high: no further than
 *                           it did
 *   commands_number_site    of one instruction of a launch, that goes by an area
 *   commands_site_of        of such an access; NULL: no kernel's
 *   commands_same_line      two of them are of one line of a kernel and one argument, and alike
 *   commands_drop_several   without accesses
 *   commands_several_free, commands_sites_free   of an area, of all
 *
 *   commands_report_all     reports the conflicts of commands that are complete: by then it is known whether
 *                         atomics may have ordered them
 *   commands_object       the allocation and the arguments by which kernels reached it
 *   commands_describe     an access as a finding shows it, by a command of these facts; the texts are in
 *                         `side`
 *   commands_enqueued_at  the line of the program that did; nothing, if it is not known
 *   commands_are_ordered  one happens before the other
 *   commands_report_cross   races of launches that count as ordered, since atomics may have ordered them
 *
 *   commands_judge_host   a command touches these bytes, by use, at these sites: against the host's accesses
 *                         there
 *   commands_is_calm      the host has made no access in the area that may be unordered with a command
 *   commands_host_memory  a command wrote memory of the host
 *   commands_wrote_after  ... that an area has as its own, at these bytes of it
 *   commands_host_learned    more is complete for the host: bytes handed over to it are settled
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_COMMANDS_STATE_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_COMMANDS_STATE_H

#include <pthread.h>

#include "sim/memmodel/order/byte_map.h"
#include "sim/memmodel/order/command_graph.h"
#include "sim/memmodel/order/command_log.h"
#include "commands.h"
#include "sim/memmodel/launches/inter_launch.h"
#include "host_dirty.h"
#include "touched_bytes.h"
#include "device_dirty.h"

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

enum { SPEC_CHARS = 480, OBJECT_CHARS = 480, CALL_CHARS = 64, ARGUMENT_CHARS = 120 };

/* The open accesses of one allocation. id 0: memory of the host. */
struct area {
    uint32_t id;
    uint64_t low, high;
    bool guaranteed; /* atomics of different launches follow the rules */
    char name[120];  /* "buffer 3 (64 bytes)" */
    struct byte_map *map;
    struct loose *loose; /* ascending in time */
    size_t loose_count, loose_room;
    uint32_t latest;              /* the command that touched it last; 0: none */
    bool in_order;                /* and that is after all others whose accesses are here */
    struct host_dirty host_dirty; /* what the host changed after it */
    struct host_dirty stores;     /* what it stored while commands were under way that have not ended */
    uint64_t mirror;              /* where the host has these bytes, too, and is watched; 0: nowhere */
    /* what commands wrote where the host has these bytes, and the device need not have */
    struct device_dirty past;
    struct device_dirty device_dirty; /* what commands wrote, and it need not have there */
    struct several *several;          /* by id, ascending */
    size_t several_count, several_room;
    uint64_t several_bytes, several_most; /* memory they take; when to drop those without a use */
    struct kept *kept; /* accesses that are not in map and loose yet; each is after those before it, and after
                        * those there */
    size_t kept_count, kept_room;
    UT_hash_handle hh;
};

/* struct site's, of a part's instructions; the last is one of them, not known which. */
struct site_numbers {
    uint32_t of[FOOTPRINT_SITES + 1];
};

/* Instructions of one launch that used an area in one way: their access.site is the id. */
#define SITE_SEVERAL (UINT32_C(1) << 31)
struct several {
    uint32_t id;
    bool wanted;
    uint64_t low; /* from where sites.bytes count */
    struct site_numbers numbers;
    struct footprint_sites sites;
};

/* An access without a conflict yet: bytes [low, high), or of a launch those that its keeper has. */
struct kept {
    struct byte_access access;
    uint64_t low, high;
    struct footprint_part part; /* part.keeper NULL: none; no bytes here */
    struct site_numbers numbers[FOOTPRINT_USES];
};

/* An access to bytes so scattered that they are kept as the launch left them, not as segments. Offsets
 * from low. */
struct loose {
    struct byte_set bytes;
    struct byte_access access;
};

/* A launch's instruction, kept after its program is gone. */
struct site {
    char *key; /* kernel, file, line, column, argument */
    char *kernel;
    char *argument; /* "argument 0 'data'", through which it reached the allocation; NULL: none */
    struct source_place place;
    bool one_of_several; /* not known which: no place */
    uint32_t number;
    UT_hash_handle hh;
};

/* Two accesses of the command that ends now, or of an earlier one. */
struct conflict {
    struct byte_access later, earlier;
    uint64_t low, high, bytes;
    const struct area *area;
    bool before_map; /* they are ordered: the earlier one comes before the map whose pointer it uses */
};

/* Kernels whose atomic operations met where they are guaranteed: one may wait for the other in them. */
struct talk {
    uint32_t a, b;
};

/* A map that ran and whose unmap has not. */
struct mapping {
    uint32_t command;
    uint64_t address;
    struct command_facts facts;
};
/* Memory of the host that a buffer was made with: CL_MEM_USE_HOST_PTR. */
struct storage {
    uint64_t host, address, size;
};

/* A map of a buffer, or of a row of an image, that is not over: the pointer to its bytes is worth
 * something. */
struct given {
    uint32_t command;
    uint64_t low, high;
};

struct commands {
    const struct memory *memory;
    struct report *report;
    pthread_mutex_t lock; /* guards what follows */
    struct command_graph *graph;
    struct command_log *log;
    struct inter_launch *inter_launch;
    uint32_t tries;
    uint64_t tries_since; /* of edits, since the report was cleared so often */
    struct area *areas;
    struct site *sites_by_key, **sites; /* sites[number - 1] */
    uint32_t site_count, site_room, several_latest;
    struct conflict *conflicts; /* of the command that runs */
    size_t conflict_count, conflict_room;
    struct talk *talks; /* likewise */
    size_t talk_count, talk_room;
    const struct area *asked; /* of the command whose map queries */
    uint64_t added;           /* segments since the last sweep */
    bool lost, reported_loss; /* memory ran out: nothing is judged from here on */
    bool partial;             /* nor, in any case, what the host stores */
    /* up to this step of the host a kernel has seen that may have released it for others */
    uint32_t released;
    struct touches touches; /* the host was caught */
    uint32_t mirrors;       /* areas that have one */
    struct mapping *mappings;
    size_t mapping_count, mapping_room;
    struct storage *storages;
    size_t storage_count, storage_room;
    struct command_event moved; /* what the command that moves bytes reads of the device's */
    struct given *given;
    size_t given_count, given_room;
};

struct side {
    char what[80], by[240];
};

static inline bool reads_only(const struct byte_access *access)
{
    return access->kind == ACCESS_READ || access->kind == ACCESS_ATOMIC_READ;
}

static inline bool is_atomic(const struct byte_access *access)
{
    return access->kind != ACCESS_READ && access->kind != ACCESS_WRITE;
}

void commands_bring_in(struct commands *commands, struct area *area);
bool commands_judges(const struct commands *commands, uint32_t command);

const struct region *commands_region_of(const struct commands *commands, uint64_t address);
struct area *commands_area_of(struct commands *commands, uint64_t address);
void commands_name_area(struct area *area, const struct region *region);
bool commands_reserve(void **list, size_t *room, size_t count, size_t item);
bool commands_storage_next(const struct commands *commands, uint64_t low, uint64_t high, size_t *at,
                           struct byte_run *out_bytes);
void commands_give(struct commands *commands, uint32_t command, uint64_t low, uint64_t high);
void commands_take_back(struct commands *commands, uint32_t map, uint64_t low, uint64_t high);
bool commands_lacks_map(const struct byte_access *access, const struct byte_access *map);
bool commands_is_given(const struct commands *commands, uint32_t command, uint64_t low, uint64_t high);
void commands_area_free(struct commands *commands, struct area *area);
void commands_areas_free(struct commands *commands);
/* what the host changed after buffers, without a map: memory may have other bytes by now */
void commands_forget_host_writes(struct commands *commands);
void commands_number_sites(struct commands *commands, const struct launch_info *launch,
                           const struct footprint_part *part, const char *argument,
                           struct site_numbers out[FOOTPRINT_USES]);
uint32_t commands_number_site(struct commands *commands, const struct launch_info *launch, uint32_t site,
                              const struct area *area);
void commands_take_sites(struct commands *commands, struct area *area, struct footprint_part *part,
                         const struct site_numbers numbers[FOOTPRINT_USES],
                         uint32_t out_site[FOOTPRINT_USES]);
struct byte_access commands_access_at(const struct area *area, const struct byte_access *access,
                                      uint64_t address, uint64_t *high);
const struct site *commands_site_of(const struct commands *commands, const struct byte_access *access);
bool commands_same_line(const struct commands *commands, const struct byte_access *a,
                        const struct byte_access *b);
void commands_drop_several(struct area *area);
void commands_several_free(struct area *area);
void commands_sites_free(struct commands *commands);

void commands_report_all(struct commands *commands, uint32_t ending);
void commands_explain(const struct commands *commands, bool atomics, uint32_t first, uint32_t second,
                      char why[SPEC_CHARS]);
/* was it tried? */
bool commands_fix(struct commands *commands, uint32_t first, uint32_t second, char fix[SPEC_CHARS]);
/* of a command buffer: by which it was recorded */
const char *commands_call(const struct command_facts *facts, char out[CALL_CHARS]);
void commands_describe(const struct commands *commands, const struct byte_access *access,
                       const struct command_facts *facts, struct finding_access *out_access,
                       struct side *side);
const char *commands_object(const struct commands *commands, const struct area *area,
                            const struct byte_access *a, const struct byte_access *b, char out[OBJECT_CHARS]);
struct source_place commands_enqueued_at(const struct command_facts *facts);
uint32_t commands_clamp(uint64_t bytes);
void commands_format(char *text, size_t size, const char *pattern, ...) __attribute__((format(printf, 3, 4)));

bool commands_are_ordered(const struct commands *commands, uint32_t a, uint32_t b);
/* what others did that it comes after, to inter_launch.h */
void commands_announce_predecessors(struct commands *commands, uint32_t command);
struct inter_launch_predecessors commands_predecessors(struct commands *commands);
void commands_report_cross(struct commands *commands, uint32_t command); /* that has ended */

void commands_judge_host(struct commands *commands, struct area *area, const struct byte_set *sets,
                         const struct byte_access *access, const uint32_t site[FOOTPRINT_USES]);
bool commands_is_calm(const struct commands *commands, const struct area *area);
void commands_host_memory(struct commands *commands, uint64_t low, uint64_t high, uint32_t command);
void commands_wrote_after(struct commands *commands, const struct byte_run *bytes,
                          const struct byte_access *access);
void commands_host_learned(struct commands *commands);

#endif
