/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Shared by the files that detect endless waits; schedule_state.h has what the schedule calls.
 *
 * Interface
 *   schedule_cycle.c      cycle_*: has the launch returned to an earlier state? A proof if only launches
 *                         write
 *   schedule_spinner.c    spinner_*: what a spinning wave reads
 *   schedule_livelock.c   no unit can make progress any more: the finding
 *   schedule_progress.c   progress_*: units that continued only by progress that is not promised
 */
#ifndef ORRERY_SIM_SCHEDULE_SCHEDULE_LIVELOCK_H
#define ORRERY_SIM_SCHEDULE_SCHEDULE_LIVELOCK_H

#include "sim/device/barrier.h"
#include "schedule_state.h"
#include "sim/base/sentence.h"

enum {
    IDLE_PASSES = 16, /* idle passes before states are compared */
    CYCLE_PASSES = 8  /* the least number of passes that are compared with a mark */
};

bool cycle_is_proof(const struct concurrent *concurrent, const struct memory *memory);
uint64_t cycle_memory_hash(const struct memory *memory); /* a hash of its contents */
bool cycle_of_launch(struct schedule *schedule);
bool cycle_of_wave(struct schedule *schedule, const struct wave *wave); /* of a wave that runs alone */
/* of a group while no other one has begun */
bool cycle_of_group(struct schedule *schedule, const struct group *group);
bool cycle_of_all(struct concurrent *concurrent);

enum { STOPS_MOST = 16, READS_MOST = 256 };

/* How likely a read is the one that a wave waits for, ascending: of an object that the kernel cannot
 * write, of one that it may write; the same, and a branch depends on the value; an atomic. */
enum wait_rank { WAIT_NONE, WAIT_CONSTANT, WAIT_PLAIN, WAIT_BRANCH_CONSTANT, WAIT_BRANCH_PLAIN, WAIT_ATOMIC };
struct observed_read {
    uint64_t address, value;
    uint32_t size, lane;
    struct origin origin;
    enum access_kind kind;
};

/* What a spinning wave was observed to read. The pointers in `event` are no longer valid. */
struct observed {
    const struct observer *listener;     /* the wave's own observer, which still gets its barriers */
    const struct insn *stop[STOPS_MOST]; /* the instructions at which it stopped during one cycle */
    uint32_t stop_count;                 /* 0: not known */
    const struct launch *launch;
    enum wait_rank rank;
    struct observed_read read[READS_MOST]; /* reads of that rank, one per address, the first READS_MOST */
    uint32_t read_count;
    bool known;   /* some read was observed: event, lane, address and at are its values */
    bool updates; /* that is a read-modify-write which succeeds */
    struct access_event event;
    uint32_t lane;               /* the first active lane */
    uint64_t address;            /* that it reads */
    uint64_t at[WAVE_LANES_MAX]; /* the address of each lane; 0: inactive */
};
/* Runs the wave until it has read; laps: runs its whole group until the wave is back in its state, past
 * barriers. */
void spinner_observe(struct group *group, uint32_t index, bool laps, struct observed *out_observed);
/* The same in time slices of the schedule, with all their effects: the wave may not spin any more. */
void spinner_observe_in_slice(struct schedule *schedule, struct group *group, uint32_t index,
                              struct observed *out_observed);
/* The observed read is of memory that other work-groups could write. */
bool spinner_observes_others(const struct launch *launch, const struct observed *observed);
/* Fills access with the observed read, or with the wave's place if no read is known. */
void spinner_access(const struct launch *launch, const struct wave *wave, const struct observed *observed,
                    struct finding_access *access);
/* Makes one of the observed reads the one that the wave waits for. */
void spinner_set_read(struct observed *observed, const struct observed_read *read);
/* The loop around the read may also write; true if that is not known. */
bool spinner_may_write(const struct launch *launch, const struct observed *observed);
void spinner_object(const struct launch *launch, const struct observed *observed, struct finding *finding,
                    struct sentence *object);

/* The waves that do not end. lowest: the group with the lowest id, not the one admitted first: a replay may
 * admit groups in another order and has to name the same one. */
struct spinners {
    struct group *lowest;
    uint32_t groups;
    uint64_t spin, wait; /* work-items */
};
void spinners_count(struct schedule *schedule, struct spinners *out);

/* The resident units wait for a helper that has not begun: observes whether it ends their wait. */
void progress_wait(struct schedule *schedule, enum helper helper);

#endif
