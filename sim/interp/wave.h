/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A wave: the lanes of one work-group (or a slice of it) that run one
 *          instruction together. Handlers see this struct; sim/device/group.c drives it
 *          through interp.h.
 */
#ifndef ORRERY_INTERP_WAVE_H
#define ORRERY_INTERP_WAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery/limits.h"
#include "orrery/memory.h"
#include "orrery/observer.h"
#include "bytecode.h"

typedef struct lane_mask {
    uint64_t word[LANE_MASK_WORDS];
} lane_mask;

enum run_result {
    RUN_DONE,       /* every lane has returned */
    RUN_BARRIER,    /* active lanes wait at a work-group or sub-group barrier (wave->site) */
    RUN_COLLECTIVE, /* active lanes wait at a group function; operands in wave->wait */
    RUN_YIELD,      /* the time slice is over: preemption point, or budget spent at a loop's back edge */
    RUN_ABORTED     /* a finding ended the launch */
};

/*
 * Private addresses are PRIVATE_BASE + offset, the same in every lane; there no processor has memory, so that
 * a generic address identifies its space. No address below NULL_END is allocated.
 */
#define PRIVATE_BASE UINT64_C(0x4000000000010000)
enum { NULL_END = 0x10000 };

/* Includes addresses some way beside it: those of an index that overran. */
static inline bool wave_is_private_address(uint64_t address)
{
    return address >> 32 == PRIVATE_BASE >> 32;
}

/* Callbacks of the handlers for faults. Implemented by sim/device/group.c side; mask = the lanes at fault.
 * Returns the lanes that must stop (usually mask). */
enum fault_kind {
    FAULT_READ,
    FAULT_WRITE,
    FAULT_MISALIGNED,
    FAULT_UNREACHABLE,
    FAULT_UNINITIALISED_ADDRESS,
    FAULT_UNINITIALISED_BRANCH,
    FAULT_UNINITIALISED_STORE,
    FAULT_MISSING_WAIT,
    FAULT_IMAGE,
    FAULT_ATOMIC_PRIVATE,
    FAULT_PIPE,
    FAULT_ENQUEUE,
    FAULT_NON_UNIFORM,
    FAULT_NO_WORK_ITEM,
    FAULT_INDEX,
    FAULT_EVENT,
    FAULT_PRINTF
};
/*
 * Two work-items whose values differ but must be the same. FAULT_NO_WORK_ITEM: a place in the group,
 * value[0], that is past its end, value[1].
 */
struct disagreement {
    struct origin origin; /* of the second; the first is the fault's */
    uint32_t lane;
    uint32_t argument;          /* of the function, from 1; 0: an entry of its list */
    bool is_address, sub_group; /* sub_group: of FAULT_NO_WORK_ITEM */
    uint64_t value[2];
};

/*
 * The values that must be equal for all work-items of a group, in the order in which each wave reaches them:
 * those of the first wave. At most AGREED_MOST are compared.
 */
enum { AGREED_MOST = HOSTILE(1024, 4) };
struct agreed {
    uint32_t site, argument, tile_lane;
    uint64_t value;
};
struct agreement {
    struct agreed *items;
    uint32_t count, room;
};

/* How often each work-item of a work-group reached each asynchronous copy that some work-item reached. */
struct copy_reached {
    uint32_t site, *times; /* per lane of the tile */
};
struct copies_reached {
    struct copy_reached *items;
    uint32_t count, room, lanes;
    bool reported; /* a wait for different events was reported */
};

struct fault {
    enum fault_kind kind;
    uint32_t site;
    uint32_t lane;                  /* one lane; the first of those at this instruction */
    uint64_t address;               /* of that lane, the whole access */
    uint32_t size;                  /* bytes of the whole access */
    bool private_space;             /* address is a private one */
    uint32_t private_object;        /* 1 + index, 0 = unknown */
    uint64_t lanes;                 /* the number of lanes with this fault */
    bool continues;                 /* the lanes are not stopped */
    bool leaves_part;               /* it leaves the sub-buffer of its argument, and stays in the buffer */
    bool part_denies;               /* the flags of that sub-buffer forbid it, and the buffer's do not */
    const struct image_desc *image; /* of an image instruction, or NULL */
    int32_t texel[3];               /* its coordinates in the image */
    uint32_t level;
    int64_t index;  /* FAULT_INDEX: past an array; misuse names it, and says its size */
    uint64_t count; /* FAULT_INDEX: the elements of that array */
    /* FAULT_IMAGE, FAULT_ENQUEUE, FAULT_PIPE, FAULT_PRINTF: what the specification leaves undefined */
    const char *misuse, *instead;      /* instead: FAULT_PRINTF: what fits; NULL: not known */
    const struct disagreement *differ; /* for FAULT_NON_UNIFORM and FAULT_NO_WORK_ITEM */
    /* for FAULT_UNINITIALISED_*: index into the code's lists of origins; 0: not known */
    uint32_t poison_list;
};

struct enqueue_call;
struct packets_use;

struct wave_host {
    void *self;
    void (*fault)(void *self, struct wave *wave, const struct fault *fault);
    bool (*may_print)(void *self);                                               /* the buffer has room */
    bool (*print)(void *self, struct wave *wave, const char *text, size_t size); /* false: full */
    /* see orrery/pipe.h; NULL: unused */
    void (*packets)(void *self, struct wave *wave, const struct packets_use *use);
    /* see enqueue.h; NULL: no device queues */
    void (*enqueue)(void *self, struct wave *wave, struct enqueue_call *call);
    /* simulated nanoseconds, later with each call; NULL: no time passes */
    uint64_t (*clock)(void *self, const struct wave *wave);
    bool faults_stop;                /* a faulty access ends its work-item; else it continues */
    bool (*interrupted)(void *self); /* the time slice has to end, wherever the wave is; NULL: never */
    /* For waves whose code has struct code_debug: called when a line begins, when a time slice begins, and
     * when the wave's memory is freed. */
    void *debugger;
    void (*line)(void *debugger, struct wave *wave, const struct insn *insn);
    void (*slice)(void *debugger, struct wave *wave);
    void (*gone)(void *debugger, struct wave *wave);
    /* For waves whose code has struct profile_code: the active lanes begin a straight-line piece; the lanes
     * of `lanes` leave by a branch. */
    void (*count)(void *self, struct wave *wave, uint32_t piece);
    void (*count_way)(void *self, struct wave *wave, uint32_t way, const uint64_t *lanes);
    /* makes a weak compare-exchange fail that would succeed; NULL: none fails spuriously */
    bool (*refuses)(void *self);
};

struct kernel_info;
struct launch_arg;
struct poison_trail;

/* An asynchronous copy in flight: its event and where it was begun. */
enum { WAVE_COPIES_OPEN = 16 };
struct open_copy {
    uint32_t event, site;
};

struct wave {
    /* set at creation */
    const struct code *code;
    uint8_t *frame;
    uint32_t n; /* lanes computed: lane_count rounded up to 16 */
    uint32_t lane_count;
    uint32_t row;         /* lanes per tile row: affine x = lane % row, y = lane / row */
    struct origin origin; /* origin.site is set by whoever makes an event */
    struct memory *memory;
    uint8_t *private_memory;    /* byte o of lane l: private_memory + (o / 4 * code->width + l) * 4 + o % 4 */
    uint8_t *private_undefined; /* beside it, 1 for a byte never written; NULL when that is not tracked */
    /* beside that, by o / 4: 1 if the four bytes of every live lane are known to be written */
    uint8_t *private_rows;
    const struct observer *observer;     /* NULL: no observer */
    const struct observer *own_observer; /* wave_new's */
    const struct wave_host *host;
    /* of the launch: images are identified by the number of their argument */
    const struct kernel_info *kernel;
    const struct launch_arg *arg_values;
    const int32_t *lane_x, *lane_y; /* lane % row and lane / row, n entries */
    bool alone;                     /* no other wave waits at a work-group barrier */

    /* changes while the wave runs */
    lane_mask active; /* lanes executing now */
    lane_mask live;   /* lanes that have not returned or been stopped */
    bool full;        /* active has all n lanes: no masking needed */
    /* the latest event; members that no instruction changes are set at the start */
    struct access_event reported;
    uint32_t parked_blocks;    /* blocks with pending lanes */
    lane_mask *pending;        /* per block */
    uint64_t *pending_set;     /* bit per block */
    uint32_t highest_unparked; /* lanes parked at blocks up to this one have run in this time slice */
    int64_t budget;            /* back edges and preemption points left in this time slice */
    uint32_t copies;           /* number of events of asynchronous copies created in its work-group */
    /* copies that were not waited for yet; more than these are not watched */
    struct open_copy unwaited[WAVE_COPIES_OPEN];
    uint32_t unwaited_count;
    uint32_t unwatched; /* a copy with this event, or a lower one, may be open and not among them */
    /* shared by its work-group; NULL: the group has no other wave, or the wave holds several groups */
    struct agreement *agreement;
    struct copies_reached *reached; /* likewise; NULL: the wave holds several groups */
    uint32_t agreed;                /* number of values of `agreement` that it has reached */
    struct poison_trail *trail;     /* origins of uninitialised values, its own; NULL: it read none */
    uint64_t steps;                 /* back edges taken; compared with limits */
    uint64_t work;                  /* work of its lanes, for simulated time: cost.h */
    uint64_t owed;                  /* work of each active lane that is not added to `work` yet */
    lane_mask refused;              /* lanes whose latest weak compare-exchange failed spuriously */
    uint64_t refusals;              /* number of spurious failures */

    /* why it stopped */
    enum run_result stop;
    const struct insn *resume; /* where the active lanes continue */
    uint32_t site;             /* of the barrier or collective */
    const struct insn *wait;   /* the collective instruction */
};

/* Call after origin, lane_count and row are set. */
static inline void wave_begin_events(struct wave *wave)
{
    wave->reported = (struct access_event){
        .origin = wave->origin, .lane_count = wave->lane_count, .row = wave->row, .frame = wave->frame};
}

static inline bool lane_mask_test(const lane_mask *mask, uint32_t lane)
{
    return mask->word[lane / 64] >> lane % 64 & 1;
}

/* Masks are stored word by word. A vector load of a mask just stored would wait until every word has left the
 * store buffer, so readers of fresh masks take words one by one, too. */
static inline uint64_t mask_word(const uint64_t *mask, uint32_t k)
{
    uint64_t word = mask[k];
    __asm__("" : "+r"(word));
    return word;
}

/* Removes lanes from active and live after a fault. A wave whose active lanes are all gone continues with its
 * lowest parked block: call at the end of a handler through NEXT_AFTER_FAULT (exec_control.c). */
void wave_stop_lanes(struct wave *wave, const lane_mask *lanes);
/* Call before other lanes become active, and at the end of a run: `owed` is added to `work`. */
void wave_settle(struct wave *wave);

#endif
