/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files about waits that do not end share; schedule_state.h has what others see of them.
 *
 * Interface
 *   schedule_circle.c     circle_*: has it returned to an earlier state? A proof if only the launches write
 *   schedule_spinner.c    spinner_*: the reads of a wave that spins
 *   schedule_livelock.c   no unit can continue any more
 *   schedule_progress.c   progress_*: units that continued only by progress that is not promised
 */
#ifndef ORRERY_SIM_SCHEDULE_SCHEDULE_LIVELOCK_H
#define ORRERY_SIM_SCHEDULE_SCHEDULE_LIVELOCK_H

#include "sim/device/barrier.h"
#include "schedule_state.h"
#include "sim/base/sentence.h"

enum {
    IDLE_PASSES = 16, /* that brought nothing, until states are compared */
    CIRCLE_PASSES = 8 /* that are compared with one, at least */
};

bool circle_is_proof(const struct concurrent *concurrent, const struct memory *memory);
uint64_t circle_memory(const struct memory *memory); /* a hash of its contents */
bool circle_of_launch(struct schedule *schedule);
bool circle_of_wave(struct schedule *schedule, const struct wave *wave); /* that has its group to itself */
/* of a group that is the only one begun */
bool circle_of_group(struct schedule *schedule, const struct group *group);
bool circle_of_all(struct concurrent *concurrent);

enum { STOPS_MOST = 16, READS_MOST = 256 };

/* How likely it is that a read is what a wave waits for: of what its kernel cannot write, of what it may,
 * an atomic. */
enum wait_rank { WAIT_NONE, WAIT_CONSTANT, WAIT_PLAIN, WAIT_ATOMIC };
struct observed_read {
    uint64_t address, value;
    uint32_t size, lane;
    struct origin origin;
    enum access_kind kind;
};

/* The event's own pointers are not valid any more. */
struct observed {
    const struct observer *listener;     /* the wave's own, which is reported of barriers */
    const struct insn *stop[STOPS_MOST]; /* the place from which it continues, all the way round */
    uint32_t stop_count;                 /* 0: that is not known */
    const struct launch *launch;
    enum wait_rank rank;
    struct observed_read read[READS_MOST]; /* of that rank, each address once, as far as there is room */
    uint32_t read_count;
    bool known, updates; /* it is a read-modify-write that does not fail */
    struct access_event event;
    uint32_t lane; /* the first that takes part, and where */
    uint64_t address;
    uint64_t at[WAVE_LANES_MAX]; /* of all lanes; 0: takes no part */
};
/* Lets it continue until it reads; laps: with its group all the way round, past barriers. */
void spinner_listen(struct group *group, uint32_t index, bool laps, struct observed *out_observed);
/* The first in a time slice of its own: the place that it reaches counts, for it may not spin any more. */
void spinner_overhear(struct schedule *schedule, struct group *group, uint32_t index,
                      struct observed *out_observed);
/* It reads what others than its own work-group could write. */
bool spinner_observes_others(const struct launch *launch, const struct observed *observed);
/* Of a wave: its observed reads, or its place. */
void spinner_access(const struct launch *launch, const struct wave *wave, const struct observed *observed,
                    struct finding_access *access);
/* One of those observed is the one that it waits for. */
void spinner_waits_for(struct observed *observed, const struct observed_read *read);
/* Whether the loop that it reads in has the write, too, as far as that is known. */
bool spinner_may_write(const struct launch *launch, const struct observed *observed);
void spinner_object(const struct launch *launch, const struct observed *observed, struct finding *finding,
                    struct sentence *object);

/* Whoever came first: a replay lets groups come in another order, and is to name the same one. */
struct spinners {
    struct group *lowest;
    uint32_t groups;
    uint64_t spin, wait;
};
void spinners_count(struct schedule *schedule, struct spinners *out);

/* Resident units wait for one that is still to arrive. */
void progress_wait(struct schedule *schedule, enum helper helper);

#endif
