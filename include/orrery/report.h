/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Findings: what Orrery reports to the user.  One struct for all kinds; the
 *          report holds back what the scenario suppresses, de-duplicates by
 *          (kind, site, site), counts, orders by first occurrence, and prints text,
 *          JSON lines, SARIF and pictures (orrery-report(5) describes them).
 *
 * Interface
 *   report_new/free, report_add, report_stop, report_clear
 *   report_count/get        what was found; report_suppressed_count/get: what was held back
 *   report_print_finding    text, as findings arrive; report_finish: the text at the end
 *   report_write_*          one form to a stream; report_write_files: what the scenario asks for
 *   finding_*               the kinds, and their pages of orrery-findings(7)
 *
 * Ownership  report_add copies everything, strings too.  report_get borrows until
 *            the next add or clear.  Calls are safe from several threads.
 * Unknown    which check found it, and the destination of the program's own output.
 */
#ifndef ORRERY_REPORT_H
#define ORRERY_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "orrery/observer.h"
#include "orrery/scenario.h"

/* KIND(ENUM, "stable-id", check it belongs to, "one sentence that names the fault") */
/* clang-format off */
#define FINDING_LIST(KIND)                                                                          \
    KIND(OUT_OF_BOUNDS_READ,   "out-of-bounds-read",   BOUNDS, "a load reads outside every allocation or image")    \
    KIND(OUT_OF_BOUNDS_WRITE,  "out-of-bounds-write",  BOUNDS, "a store writes outside every allocation or image")  \
    KIND(NULL_READ,            "null-read",            BOUNDS, "a load goes through a null pointer")       \
    KIND(NULL_WRITE,           "null-write",           BOUNDS, "a store goes through a null pointer")      \
    KIND(USE_AFTER_FREE,       "use-after-free",       BOUNDS, "an access touches freed memory")           \
    KIND(MISALIGNED,           "misaligned",           ALIGNMENT, "an access is not aligned to its type")     \
    KIND(CONSTANT_WRITE,       "constant-write",       BOUNDS, "a store writes constant memory")           \
    KIND(READ_ONLY_WRITE,      "read-only-write",      RIGHTS, "a store writes memory that kernels may only read") \
    KIND(WRITE_ONLY_READ,      "write-only-read",      RIGHTS, "an access reads memory that kernels may only write") \
    KIND(WRONG_ADDRESS_SPACE,  "wrong-address-space",  BOUNDS, "an access goes through a pointer of another address space") \
    KIND(MAPPED_ACCESS,        "mapped-access",        BOUNDS, "a kernel or another command touches memory that the host has mapped") \
    KIND(IMAGE_MISUSE,         "image-misuse",         BOUNDS, "an image is used in a way that the specification leaves undefined") \
    KIND(UNINITIALISED_ADDRESS, "uninitialised-address", UNINITIALISED, "an address depends on uninitialised memory") \
    KIND(UNINITIALISED_BRANCH, "uninitialised-branch", UNINITIALISED, "a branch depends on uninitialised memory")   \
    KIND(UNINITIALISED_STORE,  "uninitialised-store",  UNINITIALISED, "a value stored to memory that others see depends on uninitialised memory") \
    KIND(BARRIER_DIVERGENCE,   "barrier-divergence",   DIVERGENCE, "not every work-item reaches the same barrier")  \
    KIND(COLLECTIVE_DIVERGENCE, "collective-divergence", DIVERGENCE, "not every work-item reaches the same collective function") \
    KIND(MISSING_WAIT,         "missing-wait-group-events", DIVERGENCE, "an asynchronous copy was never waited for") \
    KIND(NON_UNIFORM_ARGUMENT, "non-uniform-argument", DIVERGENCE, "work-items give different arguments to a function that needs the same from all") \
    KIND(COLLECTIVE_ARGUMENT,  "collective-argument",  DIVERGENCE, "a function of the group is given a work-item or event that the group does not have") \
    KIND(PIPE_MISUSE,          "pipe-misuse",          BOUNDS, "a pipe is used in a way that is undefined") \
    KIND(ENQUEUE_MISUSE,       "enqueue-misuse",       BOUNDS, "a device-side event is used in a way that is undefined") \
    KIND(PRINTF_MISUSE,        "printf-misuse",        BOUNDS, "printf is given what its format does not fit")     \
    KIND(PRIVATE_OVERFLOW,     "private-memory-overflow", BOUNDS, "a work-item needs more private memory than the device has") \
    KIND(UNREACHABLE,          "unreachable",          BOUNDS, "a work-item reached OpUnreachable")        \
    KIND(NO_PROGRESS,          "no-progress",          PROGRESS, "a kernel ran past its limit")            \
    KIND(RACE_GLOBAL,          "race-global",          RACES, "two work-items access the same bytes and nothing orders them") \
    KIND(RACE_LOCAL,           "race-local",           RACES, "two work-items access the same local bytes and nothing orders them") \
    KIND(RACE_COMMANDS,        "race-commands",        RACES, "two commands access the same bytes and nothing orders them") \
    KIND(RACE_HOST_DEVICE,     "race-host-device",     RACES, "the host and a command access the same bytes and nothing orders them") \
    KIND(RACE_IMAGE,           "race-image",           RACES, "two work-items access the same pixel and nothing orders them") \
    KIND(IMAGE_READ_AFTER_WRITE, "image-read-after-write", RACES, "a read of an image may not see what the same kernel wrote") \
    KIND(BARRIER_MISMATCH,     "barrier-mismatch",     DIVERGENCE, "the work-items of a group wait at different barriers") \
    KIND(ATOMIC_PRIVATE,       "atomic-private",       ATOMICS, "an atomic operation on private memory")   \
    KIND(ATOMIC_SCOPE,         "atomic-scope",         ATOMICS, "a memory scope that the operation or the device does not have") \
    KIND(ATOMIC_ORDER,         "atomic-order",         ATOMICS, "a memory order that the operation does not allow") \
    KIND(FENCE_FLAGS,          "fence-flags",          ATOMICS, "a fence with flags, order or scope that have no meaning") \
    KIND(LIVELOCK,             "livelock",             PROGRESS, "work-items wait for a value that is never written") \
    KIND(PROGRESS_ASSUMPTION,  "progress-assumption",  PROGRESS, "the program needs more progress than the device promises") \
    KIND(UNITS_SHARED,         "units-shared",         API, "two sub-devices or queues share compute units")     \
    KIND(SUB_DEVICE_CONTEXT,   "sub-device-context",   API, "a sub-device is used in a context that has only its ancestor") \
    KIND(USE_AFTER_RELEASE,    "use-after-release",    MISUSE, "a call uses an object whose last reference is gone") \
    KIND(OVER_RELEASE,         "over-release",         MISUSE, "an object is released more often than it was made or retained") \
    KIND(SVM_FREE_IN_USE,      "svm-free-in-use",      MISUSE, "shared memory is freed that a command may be using")   \
    KIND(SVM_MISUSE,           "svm-misuse",           MISUSE, "shared memory is used in a way that is undefined") \
    KIND(SEMAPHORE_MISUSE,     "semaphore-misuse",     MISUSE, "a binary semaphore is signalled or waited for twice") \
    KIND(SVM_FREE_INVALID,     "svm-free-invalid",     MISUSE, "shared memory is freed by a call that may not free it") \
    KIND(USER_EVENT_UNSET,     "user-event-unset",     MISUSE, "an object is released while a command waits for a user event that is not set") \
    KIND(COMMAND_NEVER_RAN,    "command-never-ran",    MISUSE, "the program ends, and a command never ran") \
    KIND(READ_NOT_AWAITED,     "read-not-waited-for",  MISUSE, "the program never waits for the result of a read") \
    KIND(EVENT_IN_OWN_LIST,    "event-in-own-wait-list", MISUSE, "a call returns an event into its own wait list") \
    KIND(QUEUE_NOT_FLUSHED,    "queue-not-flushed",    MISUSE, "a command waits for one of another queue that was not flushed") \
    KIND(KERNEL_SHARED,        "kernel-shared",        MISUSE, "two threads use one kernel object, and nothing orders them") \
    KIND(HOST_OVERLAP,         "overlapping-host-memory", MISUSE, "a command uses the same host memory twice") \
    KIND(MISSING_UNMAP,        "missing-unmap",        MISUSE, "a memory object goes while it is mapped")      \
    KIND(LEAKED_OBJECT,        "leaked-object",        API, "an object is never released")                  \
    KIND(BLOCKING_CALLBACK,    "blocking-callback",    MISUSE, "a callback makes a call that waits")           \
    KIND(API_ERROR,            "api-error",            API, "an OpenCL call was refused")
/* clang-format on */

enum finding_kind {
#define FINDING_ENUM(name, id, check, text) FINDING_##name,
    FINDING_LIST(FINDING_ENUM)
#undef FINDING_ENUM
    FINDING_KIND_COUNT
};

const char *finding_id(enum finding_kind kind);
const char *finding_sentence(enum finding_kind kind);
enum check finding_check(enum finding_kind kind);
bool finding_of_call(enum finding_kind kind); /* of what a call of the host does, not of an access */
/* "uninitialized-store" is taken for "uninitialised-store": is this the kind's id; does a pattern fit it? */
bool finding_id_is(enum finding_kind kind, const char *id);
bool finding_id_fits(enum finding_kind kind, const char *pattern,
                     bool (*fits)(const char *pattern, const char *text));
bool finding_from_id(const char *id, enum finding_kind *out_kind);
char *finding_meant(const char *id); /* "race-global, race-local": the ids nearest to a misspelt one, or ""; malloc'd, may be NULL */
const char *finding_page(enum finding_kind kind); /* orrery-findings(7) on it, as plain text */
const char *finding_spec(enum finding_kind kind); /* the sections of the specification that the page names */

/* An instruction of a SPIR-V module. */
struct spirv_instruction {
    const char *name;   /* "OpLoad", static; NULL: not known */
    const char *module; /* the module's file; NULL: it has none */
    uint32_t result;    /* the id of its result; 0: it has none */
    uint32_t word;      /* where it begins, in words from the module's start */
};

/* Where in the user's source; strings may be NULL. line 0 = unknown; then instruction may say more. */
struct source_place {
    const char *file;
    uint32_t line, column;
    const char *text; /* the source line, not terminated by newline */
    struct spirv_instruction instruction;
};
enum { INSTRUCTION_CHARS = 120 };
/* "OpLoad %23, word 412 of d.spv" */
void finding_instruction_text(const struct spirv_instruction *instruction, char out[INSTRUCTION_CHARS]);

enum { FINDING_CALLS_MOST = 15, FINDING_LOOPS_MOST = 8 };

/* The iteration of a loop that an access was made in; the first is 1. */
struct finding_iteration {
    uint64_t number;
    const char *file; /* where the loop is; NULL: unknown */
    uint32_t line;
};

/* One of the (up to two) accesses of a finding. */
struct finding_access {
    struct source_place place;
    uint32_t call_count; /* of the functions between place and caller: where each was called, innermost first */
    struct source_place calls[FINDING_CALLS_MOST];
    struct source_place caller; /* where the kernel called the function that place is in; empty: place is in the kernel */
    enum act act;      /* of ACT_ACCESS: */
    enum access_kind kind;
    bool has_item;     /* false: a host command */
    struct item item;
    bool has_order;    /* it is atomic: */
    enum memory_ordering order;
    enum memory_scope scope;
    uint32_t size_bytes;
    enum number_type type;
    bool has_value;
    uint64_t value;    /* that it read, or a store wrote: raw bits, size_bytes of them */
    bool has_written;  /* an update: what it wrote */
    uint64_t written;
    const char *what;  /* "plain store", "atomic_fetch_add, relaxed, device scope", "barrier" */
    uint32_t device_id;   /* serial number of the device that ran it; 0: that of the finding's launch, or none */
    const char *device;   /* set by report_add when there are several: "sub-device 1 of device 0 'big'" */
    const char *values; /* set by report_values: of the variables on the place's line, "i = 3, stride = 4"; or NULL */
    uint32_t iteration_count; /* set by report_iterations: of the loops around it, outermost first */
    struct finding_iteration iterations[FINDING_LOOPS_MOST];
    const char *by;    /* what accessed, when it is no work-item: "clEnqueueReadBuffer (command 4)", "the host", "an asynchronous copy" */
};

/* An operation on the way from or to an access: a release, an acquire, a barrier, a wait. For the paths of
 * SARIF (codeFlows) and of the picture; in program order of its side. */
struct finding_step {
    uint32_t side;     /* 0, 1: before or after access[side]; 2 and up: of another work-item each */
    bool before;
    struct source_place place;
    const char *text;  /* "release, memory_scope_work_group" */
    struct item item;  /* of side 2 and up: the work-item */
};

/* One place in memory that work-items wait for, and that nothing will change. */
struct finding_wait {
    struct item item;       /* the first that reads it */
    uint64_t work_items;    /* how many do */
    struct source_place place;
    const char *object;
    uint64_t offset_bytes;  /* from the object's start */
    uint32_t size_bytes;
    uint64_t value;         /* raw bits */
};

/* From a step that releases to one that acquires, or from one work-item at a barrier to another. */
struct finding_edge {
    uint32_t from, to; /* indices of steps */
    bool synchronises; /* false: it would have to */
};

enum fix_trial { TRIAL_NONE, TRIAL_HOLDS, TRIAL_FAILS };

/* The certainty of a fix, from least to most. Only COMPILES and TRIED are called a fix; the others are
 * advice. */
enum fix_claim {
    FIX_CLAIM_NONE,     /* general words */
    FIX_CLAIM_FAILS,    /* run again with it, something is wrong: fix_note */
    FIX_CLAIM_ORDERS,   /* orders the accesses, as far as the recorded operations say; no text to try */
    FIX_CLAIM_COMPILES, /* likewise, and its edits compile; the launches were not run again */
    FIX_CLAIM_TRIED     /* the launches were run again with its edits: the race is gone, and nothing else is worse */
};

/* Text in place of what stands in a file from one place up to another one, which is not part of it. */
struct finding_edit { const char *file; uint32_t line, column, end_line, end_column; const char *text; };

struct finding {
    enum finding_kind kind;
    const char *title;      /* one sentence that names the fault, or NULL: the kind's. Static storage */
    enum severity severity; /* set by report_add from the scenario's checks */
    uint32_t launch;        /* serial number of the launch it belongs to; 0: none */
    struct source_place enqueued; /* set by report_add: the host's call that enqueued the launch; its file may be NULL */
    bool host_launch;       /* set by report_add: a host program's call enqueued the launch */
    const char *source;     /* set by report_add: the made-up name of a text that no file is known to hold, or NULL; and */
    struct source_place made; /* the host's call that gave the text; line 0: not known */
    const char *kernel;     /* name, or NULL */
    const char *object;     /* "argument 0 'data' (buffer, 8 bytes)", "local variable 'tile'", or NULL */
    const char *element;    /* of it, what was touched, where bytes alone say little: "c[3].w[1]"; or NULL */
    uint64_t offset_bytes;  /* of the first byte touched, from the object's start */
    bool has_offset;
    uint64_t common_bytes;  /* that both accesses touched, from there on; 0: those of the first access */
    uint32_t access_count;  /* 0, 1 or 2 */
    struct finding_access access[2];
    const char *why;        /* sentence, or NULL: "4 bytes past the end of argument 0 'data' ..." */
    const char *fix;        /* sentence, or NULL; its certainty: finding_fix_claim() */
    bool fix_orders;        /* the operations as they were recorded, ordered again with it: the accesses do not race */
    enum fix_trial fix_trial; /* what came of running the launches again with the edits */
    const char *fix_note;   /* of a trial that failed: "run again with it, the race is still there"; else NULL */
    uint32_t edit_count;
    const struct finding_edit *edits; /* the fix as text, which was compiled; all of them together. None: it is words only */
    bool fix_partial;       /* set by report_not_covered */
    uint32_t step_count;
    const struct finding_step *steps;
    uint32_t edge_count;
    const struct finding_edge *edges;
    uint32_t wait_count;
    const struct finding_wait *waits; /* of a livelock, the first few */
    uint32_t blamed_count;
    struct source_place blamed[2]; /* operations that the why blames: findings that blame the same one have one cause */
    size_t known;           /* 0, or 1 + how many findings there were when it was found, of those that it may follow from */
    const struct finding *cause; /* set by the report: the earlier finding that it may follow from, or NULL */
    const struct finding *covered_by; /* set by report_covered: the finding whose fix removes this one, too; or NULL */
    uint32_t covered_count; /* of those whose covered_by is this finding, */
    const struct finding **covered; /* in the order of the report; set by report_covered */
    const char *spec;       /* "OpenCL 2.2 API, 3.3.5 ..."; NULL: finding_spec(kind) */
    uint64_t count;         /* how often at these places; to report_add 0 is once */
    bool count_at_least;    /* set by report_uncounted */
    uint64_t fingerprint;   /* set by report_add: the same in a later run; 0: not known */
    bool accepted;          /* set by report_add: the baseline has it */
    const char *test;       /* set by report_add: the test of a suite that ran then, or NULL */
    uint64_t event_number;  /* report_event_number() when the second access was made; 0: not known */
};

struct report;
struct watch;
struct report *report_new(const struct scenario *scenario);
void report_free(struct report *report);
const struct scenario *report_scenario(const struct report *report);

/* Drops findings whose check is off and keeps those that are suppressed apart.  Prints the text
 * form to the report's stream when the (kind, sites) pair is new and the limit allows it. */
uint64_t *report_add(struct report *report, const struct finding *finding); /* the finding's count, for report_came_again(); NULL: it is not kept */
/* A finding of this count came again; clears: report_clears() before it was added. False: the report was
 * cleared meanwhile. */
bool report_came_again(struct report *report, uint64_t *count, uint64_t clears, uint64_t more);
/* Likewise, the finding for which a launch is stopped. When it is not reported, since its check is off or
 * it is suppressed, a line of the text says why the launch was stopped. */
void report_stop(struct report *report, const struct finding *finding);

/* The number of findings added and repeated so far, also suppressed ones; not those of a check that is
 * off, unless they stopped a launch. */
uint64_t report_add_count(const struct report *report);
/* Was one of this kind, kernel, object and places added before? Its sentences are not compared. */
bool report_has(struct report *report, const struct finding *finding);
uint64_t report_clears(struct report *report); /* how often was it cleared? */

/* Whether a suppression would hold it back; whether the baseline did, and no suppression would. */
bool report_accepts(const struct report *report, const struct finding *finding);
bool report_suppresses(const struct report *report, const struct finding *finding);
bool report_suppresses_objects(const struct report *report); /* the object may make the difference */

/* A process that calls OpenCL, for the summary. number: which of the run's processes it is, from 1 in the
 * order in which they began; 0: not known. A line of the text names it when another one has written
 * before. */
struct report_process {
    const char *program;
    const char *const *words; /* of its command, ended by NULL */
    uint32_t number;
};
void report_set_process(struct report *report, const struct report_process *process); /* copied */
const struct report_process *report_process(const struct report *report); /* program NULL: not set */
enum { TEST_NAME_CHARS = 512 };
/* Writes the name of the test that runs, or "". */
void report_set_test(struct report *report, void (*test)(char out_name[TEST_NAME_CHARS]));

/* The devices that there are, by serial number; once there are several, findings name them. NULL: it is
 * gone. */
void report_name_device(struct report *report, uint32_t device, const char *name);
/* Which of them runs the launch. */
void report_launch_runs(struct report *report, uint32_t launch, uint32_t device);
/* It begins. --kernel and --launches may leave it out of the checks of check_filtered: findings of these are
 * dropped. */
void report_launch_begins(struct report *report, const char *kernel, uint32_t launch);
/* Which call of a host program enqueued the launch, for findings of it. NULL: not known. */
void report_launch_enqueued(struct report *report, uint32_t launch, const struct enqueuer *enqueuer);
/* The source of this name is no file but a text: the call of the host program that gave it. */
void report_source_made(struct report *report, const char *name, const struct enqueuer *maker);

/* A finding that was added before was found `times` more: at the same places, for the same kernel. If places
 * are not known the words and the object, too, have to be those that were added; where a suppression names
 * one, the object always. */
void report_again(struct report *report, const struct finding *finding, uint64_t times);
/* Findings of which more will be known are printed later, in the order in which they were added: from
 * report_hold() on, all of them or the first with edits and all after it wait until report_release(). */
enum report_hold { REPORT_HOLD_ALL, REPORT_HOLD_EDITS };
void report_hold(struct report *report, enum report_hold from);
void report_release(struct report *report);
/* The result of trying the fix of report_get(index); note: of a trial that failed, copied. */
void report_tried(struct report *report, size_t index, enum fix_trial trial, const char *note);
/* Trying the fix of report_get(by) has shown that it removes report_get(index), too, which needs no other
 * fix. The text then names the second finding at the first one, unless it was printed before. */
void report_covered(struct report *report, size_t index, size_t by);
/* The values of the variables on the line of an access of report_get(index), in its work-item; copied. */
void report_values(struct report *report, size_t index, uint32_t access, const char *values);
/* The iterations of the loops around that access; copied. */
void report_iterations(struct report *report, size_t index, uint32_t access,
                       const struct finding_iteration *iterations, uint32_t count);
/* Of those that came again, some race with the fix that was tried all the same. */
void report_not_covered(struct report *report, const struct finding *finding);
/* It came so often that it was no longer counted. */
void report_uncounted(struct report *report, const struct finding *finding);
/* There may be more of a kind, at other places: not all that was needed to find them was kept. */
void report_incomplete(struct report *report, enum finding_kind kind);
/* The length of an object's name, as in "argument 0 'a'", without what follows in parentheses: its size may differ
 * from launch to launch. */
size_t finding_object_name_length(const char *object);
/* A function that is called for two arguments or variables has a finding of each. An object without a name is one
 * of many, as of a list, and does not count. */
bool finding_is_of_object(const struct finding *finding);
const char *finding_title(const struct finding *finding); /* of this one: its title, or its kind's sentence */
uint64_t finding_bytes(const struct finding *finding); /* how many from offset_bytes on; 0: not known */

enum fix_claim finding_fix_claim(const struct finding *finding);
const char *fix_claim_word(enum fix_claim claim); /* "tried", the words of JSON */

/* "acq_rel", "work_group", the words of JSON and traces; NULL: it is not atomic. */
const char *finding_access_order(const struct finding_access *access);
const char *finding_access_scope(const struct finding_access *access);

/* The stream of text as findings arrive; NULL = collect silently (default stderr). */
void report_set_stream(struct report *report, FILE *stream, bool colour);
/* Called before anything is printed as it arrives; NULL: nothing is. */
void report_set_before(struct report *report, void (*before)(void));

/* A check could not continue, and reported that: counts as one finding of its severity, without a place. */
void report_miss(struct report *report, enum check check);
/* A note that is no finding, as that the run takes long; the first of them only. */
void report_note(struct report *report, const char *text);
/* A note on a launch's own output, each time. */
void report_note_output(struct report *report, const char *text);

size_t report_count(const struct report *report);              /* distinct findings */
bool report_at_least(const struct report *report);              /* there may be more: report_incomplete */
size_t report_total(const struct report *report, enum severity at_least); /* occurrences */
const struct finding *report_get(const struct report *report, size_t index);
/* How many distinct findings of at least this severity came, or came again, since the last call, and
 * their text to stream unless it is NULL. SEVERITY_OFF: none count. */
size_t report_take_new(struct report *report, enum severity at_least, FILE *stream);
size_t report_suppressed_count(const struct report *report);   /* distinct, not among the others; the accepted, too */
size_t report_accepted_count(const struct report *report);     /* of these, by the baseline alone */
const struct finding *report_suppressed_get(const struct report *report, size_t index);
/* Called after each finding that is new, by the thread that added it, with the number of them; 0: they were
 * cleared. NULL: no listener. */
void report_set_listener(struct report *report, void (*listener)(size_t count));
void report_clear(struct report *report);
/* Numbers the current event, for a debugger: a finding may be reported long after its accesses. */
void report_set_event_counter(struct report *report, uint64_t (*event_counter)(void *self), void *self);
uint64_t report_event_number(const struct report *report); /* of the current event; 0: events are not counted */

void report_print_finding(FILE *stream, const struct finding *finding, bool colour);

/* How a run ended, for the forms that have it. */
struct report_end {
    uint64_t kernels_run;
    int exit_status; /* -1: the program's own, which is not known here */
    bool unfinished; /* the process still runs: it may end in a way that writes nothing more */
};

void report_write_json(FILE *stream, const struct finding *finding); /* one line */
void report_write_json_summary(FILE *stream, const struct report *report, const struct report_end *end);
void report_write_sarif(FILE *stream, const struct report *report, const struct report_end *end);
void report_write_dot(FILE *stream, const struct report *report);
void report_write_baseline(FILE *stream, const struct report *report); /* one that accepts all of it */
void report_write_suppressions(FILE *stream, const struct report *report); /* a file that suppresses all of it */

#define PAGE_MAGIC "<!DOCTYPE html>\n<!-- orrery: " /* how a page of --html begins */
char *report_file_name(const char *pattern); /* %p in it is the process id; malloc'd */
/* A file for writing; %p in its name is the process id.  NULL: it cannot be written. */
FILE *report_open_file(const char *pattern, bool force);
/* mode "w" or "a"; without force, never through a symbolic link to a regular file. */
FILE *report_output_open(const char *name, const char *mode, bool force);
/* Can each output file of the scenario be written, and is it absent, empty, or an earlier report of its
 * kind? */
enum status report_outputs_check(const struct scenario *scenario, struct diagnosis *diagnosis);
/* The same for one file, NULL: there is none; key names it, and an earlier report of its kind begins so. */
enum status report_output_check(const char *key, const char *pattern, const char *begins, bool force,
                                struct diagnosis *diagnosis);
FILE *report_append_file(const char *pattern, long process); /* to what that process wrote */
/* Which rows of the baseline nothing met, in all processes and scenarios of the run. */
void report_note_baseline(FILE *stream, const struct scenario *scenario, const struct watch *watch);
/* The processes of one run share their log and, after report_share_files, their JSON, SARIF and suppressions:
 * each leaves what the others wrote. watch: their shared page, borrowed; NULL: each makes its files anew. */
FILE *report_open_log(const char *pattern, struct watch *watch, bool force);
void report_share_files(struct report *report, struct watch *watch);
/* Keeps the SARIF logs of many reports and joins them at the end of a command. watch is borrowed; NULL:
 * out of memory. report_spool_use: the report adds its log to the spool, which is borrowed; NULL: it
 * writes its file. report_spool_write: writes the files; false: one is not written or not complete, and
 * the diagnosis says which. */
struct report_spool *report_spool_new(struct watch *watch);
void report_spool_free(struct report_spool *spool);
void report_spool_use(struct report *report, struct report_spool *spool);
bool report_spool_write(struct report_spool *spool, struct diagnosis *diagnosis);
/* The directory that files are named from: in which the first process of the run began. NULL: it is not
 * known. */
const char *report_root(const struct report *report);
/* A file's name without that directory, if it is in or below it. */
const char *report_name_below_root(const struct report *report, const char *file);
/* The files that the scenario's report section names; false: one cannot be written, diagnosis says which. */
bool report_write_files(const struct report *report, const struct report_end *end, struct diagnosis *diagnosis);

/* The same while the run continues: beside, and then in their places, so that they are whole whenever it
 * ends. No picture is drawn, and a pipe or terminal waits for the end. */
void report_save_files(const struct report *report, const struct report_end *end);

/* The text at the end: how often findings were repeated, how many were not printed, which suppressions
 * matched nothing, and, unless the scenario says quiet, the summary. */
void report_finish(FILE *stream, const struct report *report, uint64_t kernels_run);
/* Printed before the summary, "orrery: replay with: COMMAND", when the run failed; copied. NULL: nothing.
 * loose: a replay leaves something to chance, which is printed. */
void report_set_replay(struct report *report, const char *command, bool loose);
const char *report_loose_note(void); /* the words of loose */

/* The one summary line: "orrery: SUMMARY errors=2 warnings=0 suppressed=0 kernels=4 seed=7
 * schedule=lockstep checks=all\n" (and count=at-least before checks= if there may be more), of distinct
 * findings; the suppressed are in none of the other counts. */
void report_summary(FILE *stream, const struct report *report, uint64_t kernels_run);
struct report_counts {
    uint64_t errors, warnings, suppressed, kernels, seed;
    uint64_t accepted; /* of the suppressed, those that are so by the baseline */
    int policy; /* enum schedule_policy */
    bool at_least; /* there may be more errors or warnings */
    uint64_t left_out[2]; /* of the kernels, by --kernel and by --launches */
    enum severity checks[CHECK_COUNT];
};
void report_get_counts(const struct report *report, uint64_t kernels_run, struct report_counts *out_counts);
void report_print_counts(FILE *stream, const struct report_counts *counts);
/* One line on the checks that were off, and the option that turns them on; nothing when all were on. */
void report_note_off(FILE *stream, const struct scenario *scenario);
size_t report_distinct(const struct report *report, enum severity severity);

#endif
