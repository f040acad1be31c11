/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The interface of the interpreter: SPIR-V words to modules, modules to bytecode, and waves that
 *          run it. Independent of device and checker.
 *
 * Life     interp_module_new -> allocate its variables, interp_module_bind -> for each launch
 *          interp_code (cached in the module, thread-safe) -> wave_new, wave_start, wave_run ...
 */
#ifndef ORRERY_INTERP_H
#define ORRERY_INTERP_H

#include "orrery/device.h"
#include "orrery/status.h"
#include "cost.h"
#include "wave_enqueue.h"
#include "bytecode.h"
#include "poison_trail.h"
#include "wave.h"

struct module;

/* Copies the words. Refuses instructions that no row of spirv_ops.def has. */
enum status interp_module_new(const uint32_t *words, size_t word_count, const struct spec_constant *constants,
                              size_t constant_count, struct module **out_module, struct diagnosis *diagnosis);
void interp_module_free(struct module *module);
/* The words that the module was made of, with the values of its specialisation constants. */
/* The name of the instruction that begins at a word ("OpLoad"), and the id of its result (0: none). NULL: no
 * instruction begins there. */
const char *interp_instruction(const struct module *module, uint32_t word, uint32_t *out_result);
const uint32_t *interp_module_words(const struct module *module, size_t *out_count);

/*
 * Program-scope variables and constant data: allocate size bytes each, pass the address, then
 * interp_module_bind writes their initial bytes through write().
 */
struct module_variable {
    const char *name;
    uint64_t size;
    uint32_t align;
    bool constant;
};
size_t interp_variable_count(const struct module *module);
const struct module_variable *interp_variable(const struct module *module, size_t index);
typedef void interp_write(void *self, uint64_t address, const void *bytes, size_t size, bool initialised);
enum status interp_module_bind(struct module *module, const uint64_t *addresses, interp_write *write,
                               void *self);

size_t interp_kernel_count(const struct module *module);
const struct kernel_info *interp_kernel_info(const struct module *module, size_t kernel);

/* What a launch requires of the code. */
struct code_request {
    size_t kernel;
    uint32_t width;    /* lanes per wave: 1..256; the code's width is 16, 64 or 256 */
    bool preempt;      /* yield before memory operations, atomics and barriers */
    bool poison;       /* track uninitialised values */
    bool marks_stores; /* with poison: stored bytes count as initialised, and nothing is reported */
    bool zero_private; /* private variables begin as zeros */
    bool unoptimised;  /* every variable stays in memory, as in the module */
    /* for a debugger: unoptimised, with marks at lines; sites, loops and findings are the same */
    bool debug;
    bool profile; /* instructions are counted; sites, loops and findings are the same */
    /* weak compare-exchanges may fail spuriously: the wave's host, or the memory port, decides when */
    bool spurious;
};
enum status interp_code(struct module *module, const struct code_request *request,
                        const struct code **out_code, struct diagnosis *diagnosis);
/* The bytecode of every kernel as text, for `orrery dis`: request->kernel does not matter. malloc'd; NULL: no
 * memory. */
char *interp_listing(struct module *module, const struct code_request *request);

/* How the kernel uses its work-group: decides whether groups may share a wave. */
struct kernel_traits {
    /* it uses local or group ids and sizes, sub-group ids, barriers, local memory or collectives, waits for
     * the end of the group, or has loops that may wait for another group */
    bool sees_groups;
    /* Some loop has two entries, here or before optimisation, so that code for a debugger has the same waves:
     * of one lane, since slots do not keep what lanes that wait have. */
    bool irreducible;
    bool has_barrier, has_collective, has_atomics;
};
/* Those of request->kernel; its width does not matter. The rest says which code is asked for next: what has
 * been lowered is then emitted, not lowered again. */
enum status interp_traits(struct module *module, const struct code_request *request,
                          struct kernel_traits *out_traits, struct diagnosis *diagnosis);

/* The text of a source file that the module carries (OpSource), and its name, which places use; malloc'd.
 * False: index is past the last one; NULL text: out of memory. */
bool interp_source(const struct module *module, size_t index, const char **out_file, char **out_text);
/* The version of OpenCL C that the module declares, the lowest of several: 102 is 1.2. 0: none. */
uint32_t interp_opencl_c(const struct module *module);

/* ---- waves ------------------------------------------------------------------ */

/* Rounds memory for frame, private memory and pending masks into one block, reused by
 * wave_start. width lanes at most. */
struct wave *wave_new(const struct code *code, struct memory *memory, const struct wave_host *host,
                      const struct observer *observer);
void wave_free(struct wave *wave);

/* The values that a wave's frame begins with. */
struct wave_start {
    struct origin origin; /* tile, first lane */
    uint32_t lane_count;
    uint64_t group_id[3], local_size[3]; /* of this group; undefined for multi-group tiles */
    const struct observer *observer;     /* of this start; NULL: that of wave_new */
    const struct kernel_info *kernel;    /* of the launch, and its arguments as the host passed them */
    const struct launch_arg *arg_values;
    const uint8_t *args;             /* code->args_size bytes, laid out by interp_args */
    const uint64_t *local_addresses; /* one for each of code->local_objects */
    struct agreement *agreement;     /* shared by the waves of the group; NULL: not compared */
    struct copies_reached *reached;  /* likewise; NULL: not counted */
    /* this wave is the whole work-group, and barriers need not be scheduled */
    bool alone;
};
void wave_start(struct wave *wave, const struct wave_start *start);

/*
 * Lays launch arguments out for code->args_size bytes at out. ARG_LOCAL gives 0: their address is set by
 * local_objects (object.arg >= 0); ARG_IMAGE gives 1 + the argument's number.
 */
void interp_args(const struct code *code, const struct kernel_info *info, const struct launch_arg *args,
                 uint8_t *out);

/* Runs until the wave stops; budget = back edges and preemption points allowed. */
enum run_result wave_run(struct wave *wave, int64_t budget);

/*
 * The next operation of the lowest active lane of a stopped wave, when that is the operation after a
 * preemption point.
 */
enum next_kind {
    /* the wave is at its start, after a barrier or at a back edge: no operation comes next for certain */
    NEXT_UNSEEN,
    NEXT_ACCESS, /* address, size_bytes; how: sites[site] */
    NEXT_FENCE,
    NEXT_COPY, /* of run-time size; address is its target's */
    NEXT_PRINT
};
struct next_operation {
    enum next_kind kind;
    uint32_t site;
    uint64_t address;
    uint32_t size_bytes;
};
void wave_next(const struct wave *wave, struct next_operation *out_next);
/* The next place at or after instruction `at` where waves stop: the first operation after a preemption point,
 * barrier or group function. Sets *at to it; false: there is none. */
bool wave_code_stop(const struct code *code, uint32_t *at, uint32_t *out_site);

/* A hash of all state but memory that decides what the wave does next: frame, private memory and the places
 * of its lanes; in a loop, without values that affect nothing there. If two hashes are equal and memory has
 * not changed between them, the wave spins. */
uint64_t wave_fingerprint(const struct wave *wave);

/* After RUN_YIELD: lanes parked at blocks that never ran in this time slice; false when there are none. */
bool wave_starving(const struct wave *wave, lane_mask *out_lanes);

/* After RUN_BARRIER or RUN_COLLECTIVE with lanes parked elsewhere, or to be fair to parked
 * lanes: moves the lanes of `lanes` (active or parked) into a new wave with its own copy of the frame
 * (private memory is shared). */
struct wave *wave_split(struct wave *wave, const lane_mask *lanes);

/*
 * For a wave that stopped at a barrier or collective: a number that is equal for all waves that arrived in
 * the same iteration of the loops around it.
 */
uint64_t wave_iteration(const struct wave *wave);

/* For a wave that stopped at a named barrier: the barrier at which a lane waits, as number | sub-groups <<
 * 32. */
bool wave_at_named_barrier(const struct wave *wave);
uint64_t wave_named_barrier(const struct wave *wave, uint32_t lane);

/* Announces the end of a wait for asynchronous copies: one event of the observer for each copy event. */
void wave_announce_wait(const struct wave *wave, const struct insn *insn, bool last);

/* One group: gather, compute, scatter for RUN_COLLECTIVE: all waves of a work-group (or of
 * one sub-group: sub_group >= 0) have stopped at the same instruction. */
void collective_perform(struct wave *const *waves, size_t wave_count, uint32_t sub_group_size);

#endif
