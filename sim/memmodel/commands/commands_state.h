/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of commands.h share. Each function is called with commands->lock held.
 *
 * Interface, by file
 *   commands.c
 *     commands_say_loss       says once that memory ran out
 *   commands_compare.c
 *     commands_touch          compares an access to bytes with those of the area, and adds it
 *     commands_touch_uses     likewise all accesses of a launch, whose bytes it takes
 *     commands_visit          iterates over the accesses of an area: those in the map by segments that
 *                             overlap [low, high), then the scattered ones, wherever they are
 *     commands_keep_access    keeps an access that is after all others of its area
 *     commands_follows        the command accesses the area. Do all accesses there happen before it?
 *     commands_drop_kept, commands_sweep   drop what happens before all that may come: of an area; of all
 *     commands_apply_kept       applies the kept accesses of an area, which become segments
 *     commands_can_check         can the command be checked? It is in the graph, and memory was never out
 *     commands_uses           a command's accesses by use, of each instruction that `site` names
 *     commands_is_early       is the later access that of a map which waits for the earlier one, by the map's
 *                             pointer?
 *     commands_lacks_map      does an access use the pointer of that map without being after the map (R33)?
 *   commands_areas.c
 *     commands_region_of      the allocation at an address, also a freed one; NULL: host memory
 *     commands_area_with      the area of the region with that number; 0: host memory; NULL: there is none
 *     commands_area_of        its area, made on demand; NULL: out of memory
 *     commands_storage_next   the next buffer whose storage overlaps a range of host memory: the bytes of the
 *                             buffer. *at counts up from 0; false: there are no more
 *     commands_touch_storages   an access to host memory is one to buffers of which the host memory is the
 *                             storage, too. first: the index of the first storage that counts
 *     commands_may_use_pointer       is the command after maps whose pointers cover all of the bytes?
 *     commands_area_free, commands_areas_free   free an area with its accesses; all areas
 *   commands_sites.c
 *     commands_number_sites   the numbers, from 1, of a launch's instructions; 0: out of memory
 *     commands_number_site    the number of one instruction that accesses an area
 *     commands_part_uses      the accesses of a launch's part. It takes the bytes of each instruction
 *     commands_access_at      the access to one byte, by one instruction; *high is lowered to the end of the
 *                             bytes that this instruction accessed
 *     commands_site_of        the instruction of such an access; NULL: the access is not a kernel's
 *     commands_same_line      are two accesses of one kind, kernel line and argument?
 *     commands_drop_several   drops lists of instructions that no access uses
 *     commands_several_free, commands_sites_free   free the lists of an area; all instructions
 *   commands_report.c
 *     commands_report_all     reports conflicts whose commands are both complete: only then it is known
 *                             whether atomics may have ordered them
 *     commands_explain        why two commands are not ordered
 *     commands_object         the name of the allocation, with the arguments by which kernels reached it
 *     commands_describe       an access as a finding has it; its texts are in `side`
 *     commands_describe_call  likewise of a command that is no launch, or by its call; facts NULL: not known
 *     commands_name_by        a command as findings name it, with its kernel and the argument
 *     commands_call           the name of the command's call; of a command buffer the one that recorded it
 *     commands_enqueued_at    the program's line that enqueued the command; line 0: unknown
 *     commands_are_ordered    does one of two commands happen before the other?
 *     commands_clamp          a size as 32 bits
 *   commands_fix.c
 *     commands_fix            a fix for two commands; true: it was tried on the log
 *     commands_fix_pair       likewise; if one is a map or unmap, by its place between or beside the two
 *   commands_atomics.c
 *     commands_report_inter_launch   reports races that inter_launch.h found for a command that has ended
 *     commands_announce_predecessors   announces to inter_launch.h the accesses that happen before the
 *                                      command; commands_report_predecessors: likewise, without the lock
 *   commands_host.c
 *     commands_check_host     checks a command's accesses against the host's
 *     commands_has_no_host_access        has the host made no access in the area that may be unordered with
 *                                        a command?
 *     commands_host_memory    a command wrote host memory
 *     commands_wrote_storage    a command wrote these bytes of a buffer through the host memory that is its
 *                               storage
 *     commands_host_waited   more commands are complete for the host: bytes that they handed over are settled
 *     commands_forget_host_writes   drops what the host changed in buffers: other bytes may be there by now
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_COMMANDS_STATE_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_COMMANDS_STATE_H

#include <pthread.h>

#include "sim/memmodel/order/byte_map.h"
#include "sim/memmodel/order/command_graph.h"
#include "sim/memmodel/order/command_log.h"
#include "commands.h"
#include "sim/memmodel/explain/wording.h"
#include "sim/memmodel/launches/inter_launch.h"
#include "sim/memmodel/common/launch_names.h"
#include "sim/memmodel/common/list.h"
#include "launch_tree_races.h"
#include "touched_bytes.h"
#include "dirty_bytes.h"

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

enum { SPEC_CHARS = 480, OBJECT_CHARS = 480, CALL_CHARS = 64 };

/* The accesses to one allocation that may still race. id 0: host memory. */
struct command_area {
    uint32_t id;
    uint64_t low, high;
    bool guaranteed; /* atomics of different launches follow the rules: SVM or a program-scope variable */
    char name[120];  /* "buffer 3 (64 bytes)" */
    struct byte_map map;
    LIST(struct scattered_access) scattered; /* ascending in time */
    uint32_t latest;                         /* the latest command that accessed it; 0: none */
    bool in_order;                 /* `latest` is after all other commands whose accesses are here */
    struct dirty_bytes host_dirty; /* bytes that the host changed without a map */
    struct dirty_bytes stores;     /* bytes that the host stored while commands ran that have not ended */
    uint64_t mirror;               /* where the host has these bytes, too, and is caught; 0: nowhere */
    /* bytes that commands wrote in the storage by the host's pointer, and the device need not have */
    struct dirty_bytes written_storage;
    struct dirty_bytes device_dirty;    /* bytes that commands wrote, and the host need not have */
    LIST(struct several_sites) several; /* ascending by id */
    uint32_t several_most;              /* with so many, unused ones are dropped */
    /* Accesses that are not in map and scattered yet. Each is after all accesses that came before it. */
    LIST(struct kept_access) kept;
    UT_hash_handle hh;
};

/* Numbers of a part's instructions. The last one stands for one of them, not known which. */
struct site_numbers {
    uint32_t of[FOOTPRINT_SITES + 1];
};

/* The instructions of one launch that used an area in one way, with the bytes of each: access.site is the
 * id. */
#define SITE_SEVERAL (UINT32_C(1) << 31)
struct several_sites {
    uint32_t id;
    bool wanted;  /* an access uses the list */
    uint64_t low; /* the address from which sites.bytes count */
    struct site_numbers numbers;
    struct footprint_sites sites;
};

/* An access that was not compared with others: bytes [low, high), or of a launch those that its keeper
 * has. */
struct kept_access {
    struct byte_access access;
    uint64_t low, high;
    struct footprint_part part; /* without bytes; part.keeper NULL: [low, high) counts */
    struct site_numbers numbers[FOOTPRINT_USES];
};

/* An access to bytes in many runs, which is kept as a set instead of as segments. Offsets count from
 * area.low. */
struct scattered_access {
    struct byte_set bytes;
    struct byte_access access;
};

/* An instruction, kept after its program is released. */
struct command_site {
    char *kernel;
    char *argument; /* "argument 0 'data'", by which it reached the allocation; NULL: none */
    struct source_place place;
    bool one_of_several; /* stands for one of several instructions, so it has no place */
};

/* The accesses of a command to an area, by use, and the bytes of each. */
struct command_uses {
    uint64_t low;           /* the address from which offsets count */
    struct byte_set *bytes; /* FOOTPRINT_USES sets */
    struct byte_access access[FOOTPRINT_USES];
    uint32_t command;
    bool by_map; /* as in each access */
};

/* Two accesses that conflict and that nothing orders so far. */
struct conflict {
    struct byte_access later, earlier;
    uint64_t low, high;
    const struct command_area *area;
};

/* Two kernels with atomics on one object that follow the rules: one may wait there for the other. */
struct atomic_pair {
    uint32_t a, b;
};

/* Bytes of a map that is complete and not unmapped: its pointer may be used. lent: the host may use the bytes
 * only while they are mapped. */
struct command_mapping {
    uint32_t command;
    uint64_t low, high;
    bool lent;
    struct command_facts facts;
};
/* Host memory that a buffer was made with (CL_MEM_USE_HOST_PTR). */
struct host_storage {
    uint64_t host, address, size;
};

struct commands {
    const struct memory *memory;
    struct report *report;
    pthread_mutex_t lock; /* guards what follows */
    struct command_graph *graph;
    struct command_log *log;
    struct inter_launch *inter_launch;
    struct tree_races *tree_races;
    uint32_t tries;
    uint64_t tries_since; /* report_clears() when `tries`, the number of trials, was 0 */
    struct command_area *areas;
    LIST(struct command_site) sites; /* by number - 1 */
    uint32_t several_latest;
    LIST(struct conflict) conflicts;         /* of commands that are not both complete */
    LIST(struct atomic_pair) atomic_pairs;   /* cleared with the conflicts */
    const struct command_area *queried_area; /* the area whose byte map calls back */
    uint64_t added;                          /* accesses since the last sweep */
    bool lost, reported_loss;                /* out of memory: nothing is checked from here on */
    bool partial; /* some footprint was partial: host stores are not checked from here on */
    /* The latest step of the host that a kernel saw which may have released it to other kernels. */
    uint32_t released;
    struct touches touches; /* host accesses that were caught */
    uint32_t mirrors;       /* how many areas have a mirror */
    LIST(struct command_mapping) mappings;
    LIST(struct host_storage) storages;
    struct command_event moved; /* the latest read of device bytes by a command that moves bytes */
};

static inline bool reads_only(const struct byte_access *access)
{
    return access->kind == ACCESS_READ || access->kind == ACCESS_ATOMIC_READ;
}

static inline bool is_atomic(const struct byte_access *access)
{
    return access->kind != ACCESS_READ && access->kind != ACCESS_WRITE;
}

void commands_say_loss(struct commands *commands);
void commands_touch(struct commands *commands, struct command_area *area, uint64_t low, uint64_t high,
                    const struct byte_access *access);
void commands_touch_uses(struct commands *commands, struct command_area *area,
                         const struct command_uses *uses);
void commands_visit(const struct command_area *area, uint64_t low, uint64_t high,
                    void (*visit)(void *self, const struct byte_set *bytes, const struct byte_access *access),
                    void *self);
void commands_keep_access(struct commands *commands, struct command_area *area,
                          const struct kept_access *kept);
bool commands_follows(const struct commands *commands, struct command_area *area, uint32_t command);
void commands_drop_kept(struct commands *commands, struct command_area *area);
void commands_sweep(struct commands *commands);
void commands_apply_kept(struct commands *commands, struct command_area *area);
bool commands_can_check(const struct commands *commands, uint32_t command);

const struct region *commands_region_of(const struct commands *commands, uint64_t address);
struct command_area *commands_area_with(const struct commands *commands, uint32_t id);
struct command_area *commands_area_of(struct commands *commands, uint64_t address);
bool commands_storage_next(const struct commands *commands, uint64_t low, uint64_t high, size_t *at,
                           struct byte_run *out_bytes);
void commands_touch_storages(struct commands *commands, const struct command_area *host, uint64_t low,
                             uint64_t high, const struct byte_access *access, size_t first);
bool commands_is_early(const struct commands *commands, const struct byte_access *later,
                       const struct byte_access *earlier);
bool commands_lacks_map(const struct byte_access *access, const struct byte_access *map);
bool commands_may_use_pointer(const struct commands *commands, uint32_t command, uint64_t low, uint64_t high);
void commands_area_free(struct commands *commands, struct command_area *area);
void commands_areas_free(struct commands *commands);
void commands_forget_host_writes(struct commands *commands);
struct command_uses commands_uses(uint64_t low, struct byte_set bytes[FOOTPRINT_USES],
                                  const struct byte_access *by, const uint32_t site[FOOTPRINT_USES]);
void commands_number_sites(struct commands *commands, const struct launch_info *launch,
                           const struct footprint_part *part, const char *argument,
                           struct site_numbers out[FOOTPRINT_USES]);
uint32_t commands_number_site(struct commands *commands, const struct launch_info *launch, uint32_t site,
                              const struct command_area *area);
struct command_uses commands_part_uses(struct commands *commands, struct command_area *area,
                                       struct footprint_part *part, const struct byte_access *by,
                                       const struct site_numbers numbers[FOOTPRINT_USES]);
struct byte_access commands_access_at(const struct command_area *area, const struct byte_access *access,
                                      uint64_t address, uint64_t *high);
const struct command_site *commands_site_of(const struct commands *commands,
                                            const struct byte_access *access);
bool commands_same_line(const struct commands *commands, const struct byte_access *a,
                        const struct byte_access *b);
void commands_drop_several(struct command_area *area);
void commands_several_free(struct command_area *area);
void commands_sites_free(struct commands *commands);

void commands_report_all(struct commands *commands, uint32_t ending);
void commands_explain(const struct commands *commands, bool atomics, uint32_t first, uint32_t second,
                      char why[SPEC_CHARS]);
bool commands_fix(struct commands *commands, uint32_t first, uint32_t second, char fix[SPEC_CHARS]);
bool commands_fix_pair(struct commands *commands, const struct byte_access *first,
                       const struct byte_access *second, char fix[SPEC_CHARS]);
void commands_name_by(const struct command_facts *facts, uint32_t command, const char *kernel,
                      const char *argument, char out_by[BY_CHARS]);
const char *commands_call(const struct command_facts *facts, char out[CALL_CHARS]);
void commands_describe(const struct commands *commands, const struct byte_access *access,
                       const struct command_facts *facts, struct finding_access *out_access,
                       struct command_name *side);
void commands_describe_call(const struct command_facts *facts, uint32_t command, const char *action,
                            struct finding_access *access, struct command_name *side);
const char *commands_object(const struct commands *commands, const struct command_area *area,
                            const struct byte_access *a, const struct byte_access *b, char out[OBJECT_CHARS]);
struct source_place commands_enqueued_at(const struct command_facts *facts);
uint32_t commands_clamp(uint64_t bytes);

bool commands_are_ordered(const struct commands *commands, uint32_t a, uint32_t b);
void commands_announce_predecessors(struct commands *commands, uint32_t command);
void commands_report_predecessors(void *self, uint32_t command);
void commands_report_inter_launch(struct commands *commands, uint32_t command);

void commands_check_host(struct commands *commands, struct command_area *area,
                         const struct command_uses *uses);
bool commands_has_no_host_access(const struct commands *commands, const struct command_area *area);
void commands_host_memory(struct commands *commands, uint64_t low, uint64_t high, uint32_t command);
void commands_wrote_storage(struct commands *commands, const struct byte_run *bytes,
                            const struct byte_access *access);
void commands_host_waited(struct commands *commands);

#endif
