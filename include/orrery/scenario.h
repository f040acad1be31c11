/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  One run as plain data: device, schedule, checks, and (for a scenario
 *          that needs no host program) program, launches and expectations.
 *
 * Interface
 *   scenario_default        every default in one place
 *   scenario_load_file/text YAML 1.1 (libyaml), every key checked; errors carry
 *                           file, line and column, what was found, what was expected
 *   scenario_apply_option   one "key", "value" as the command line and the
 *                           environment spell them ("seed", "7"); same checks
 *   scenario_option         the options there are, for help texts and the environment
 *   scenario_load_suppressions   a file with a sequence of suppressions, added to those there are
 *   scenario_print          YAML; parse(print(s)) == s
 *   scenario_fini
 *   scenario_without_outputs   for what only looks at a program
 *
 * scenario.def rows (key, field, type, min, max, help) drive parser, printer,
 * range check, option table and man page.
 *
 * Ownership  scenario_load_* start from the defaults, whatever the struct held, and
 *            leave the defaults after when they fail; scenario_fini frees the strings.
 */
#ifndef ORRERY_SCENARIO_H
#define ORRERY_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "orrery/check.h"
#include "orrery/compiler.h"
#include "orrery/counters.h"
#include "orrery/image.h"
#include "orrery/status.h"
#include "orrery/topology.h"

struct schedule_oracle; /* schedule.h, as is: */
struct schedule_fork;
enum schedule_policy {
    SCHEDULE_LOCKSTEP,
    SCHEDULE_SERIAL,
    SCHEDULE_ROUND_ROBIN,
    SCHEDULE_REVERSE,
    SCHEDULE_RANDOM,
    SCHEDULE_PCT,
    SCHEDULE_SCRIPT,
    SCHEDULE_REPLAY
};
const char *schedule_policy_name(enum schedule_policy policy); /* "round-robin" */
bool schedule_policy_from_name(const char *name, enum schedule_policy *out_policy);

enum device_type { DEVICE_CPU, DEVICE_GPU, DEVICE_ACCELERATOR, DEVICE_CUSTOM };

/* The reading that the calls that partition devices follow where texts and vendors differ. */
enum answers { ANSWERS_CTS, ANSWERS_SPEC, ANSWERS_POCL, ANSWERS_NEO };
/* The devices that the platform lists: devices with their tiles below them, or the tiles alone. */
enum hierarchy { HIERARCHY_COMPOSITE, HIERARCHY_FLAT };
/* When two memory scopes include each other: both the same (before OpenCL 3.1), or each as wide as needed. */
enum scope_rule { SCOPE_RULE_EQUAL, SCOPE_RULE_INCLUSIVE31 };

enum { SCENARIO_SUB_GROUP_SIZES = 8, SCENARIO_OTHER_DEVICES = 15 };

/* The progress that the device promises: nothing beyond OpenCL; that sub-groups of a work-group run
 * independently; or that every work-item and work-group does. */
enum progress { PROGRESS_NONE, PROGRESS_SUB_GROUP, PROGRESS_FAIR };

/* CAPABILITY(ENUM, "word", bit): of queues, as cl_intel_command_queue_families numbers them. */
#define QUEUE_CAPABILITY_LIST(CAPABILITY)              \
    CAPABILITY(SINGLE_EVENTS, "single-events", 0)      \
    CAPABILITY(CROSS_EVENTS, "cross-events", 1)        \
    CAPABILITY(SINGLE_WAITS, "single-waits", 2)        \
    CAPABILITY(CROSS_WAITS, "cross-waits", 3)          \
    CAPABILITY(TRANSFER_BUFFER, "transfer-buffer", 8)  \
    CAPABILITY(TRANSFER_RECT, "transfer-rect", 9)      \
    CAPABILITY(MAP_BUFFER, "map-buffer", 10)           \
    CAPABILITY(FILL_BUFFER, "fill-buffer", 11)         \
    CAPABILITY(TRANSFER_IMAGE, "transfer-image", 12)   \
    CAPABILITY(MAP_IMAGE, "map-image", 13)             \
    CAPABILITY(FILL_IMAGE, "fill-image", 14)           \
    CAPABILITY(BUFFER_TO_IMAGE, "buffer-to-image", 15) \
    CAPABILITY(IMAGE_TO_BUFFER, "image-to-buffer", 16) \
    CAPABILITY(MARKER, "marker", 24)                   \
    CAPABILITY(BARRIER, "barrier", 25)                 \
    CAPABILITY(KERNEL, "kernel", 26)
enum queue_capability {
#define QUEUE_CAPABILITY_ENUM(name, word, bit) QUEUE_CAN_##name = 1 << bit,
    QUEUE_CAPABILITY_LIST(QUEUE_CAPABILITY_ENUM)
#undef QUEUE_CAPABILITY_ENUM
};

/* The device. Bytes unless a name says otherwise. */
struct device_config {
    char *name;               /* NULL: the usual one */
    enum device_type type;    /* GPU */
    char *built_in_kernels;   /* file with kernels that it has of itself; NULL: none */
    struct topology topology; /* 8 compute units */
    /* the number of its unit 0 in the whole machine; follows from the others */
    uint32_t first_unit;
    enum answers errors;        /* CTS */
    enum hierarchy hierarchy;   /* COMPOSITE */
    enum scope_rule scope_rule; /* EQUAL */
    /* of the families that copy: bits of enum queue_capability, never none */
    uint32_t copy_capabilities;
    uint64_t cslice_seed; /* 0: a process gets the cslice it names; else a permutation of them */
    uint32_t version_major, version_minor;     /* 3.0 */
    enum progress progress;                    /* sub-group */
    uint64_t stated_memory, stated_allocation; /* of the two below; 0: not stated */
    uint64_t global_memory;                    /* what the NUMA nodes have; 4 GiB if not stated */
    uint64_t max_allocation;                   /* scenario_default_allocation() */
    uint64_t local_memory;                     /* 64 KiB */
    uint64_t constant_memory;                  /* 64 KiB */
    uint64_t private_memory;                   /* per work-item, 64 MiB address space */
    uint64_t printf_buffer;                    /* 1 MiB */
    uint32_t local_banks, bank_bytes;          /* 32, of 4 bytes */
    uint32_t sector_bytes;                     /* 32 */
    uint32_t max_work_group_size;              /* 1024 */
    uint32_t max_work_item_sizes[3];           /* 1024 each */
    uint32_t max_read_images, max_write_images, max_samplers; /* of a kernel: 128, 64, 16 */
    uint32_t sub_group_sizes[SCENARIO_SUB_GROUP_SIZES];       /* {32}; the first is the default; 0 ends */
    bool fp16, fp64, int64_atomics, sub_groups, svm_coarse, il, generic_address_space,
        program_scope_variables, work_group_collectives, non_uniform_groups, images, pipes, device_enqueue,
        svm_fine, svm_atomics, initialize_memory, terminate_context, kernel_clock, compiler, named_barriers,
        srgb_writes;       /* all true */
    bool cslice_partition; /* cl_orrery_cslice: false */
    bool svm_system;       /* false */
};

enum { SPURIOUS_MOST = 99 }; /* percent: else no loop would end */

/* The settings that a replay fixes, whatever else is set. */
struct schedule_settings {
    enum schedule_policy policy;
    uint64_t seed;
    uint32_t quantum, resident_groups, depth, spurious;
};

/* On which compute unit of its device a work-group runs: sim/device/placement.h. */
enum placement { PLACEMENT_ROUND_ROBIN, PLACEMENT_BLOCK, PLACEMENT_NUMA, PLACEMENT_SCRIPT };
struct unit_list {
    uint32_t count;
    uint32_t *units;
};

/* One step of a script: what runs, until what. */
enum script_unit { SCRIPT_ITEM, SCRIPT_SUB_GROUP, SCRIPT_GROUP };
enum script_until { SCRIPT_STEPS, SCRIPT_LINE, SCRIPT_BARRIER, SCRIPT_ATOMIC, SCRIPT_END };
struct script_step {
    enum script_unit unit;
    uint64_t id[3];     /* global id of the work-item, or id of the work-group */
    uint32_t sub_group; /* in that work-group */
    uint32_t launch;    /* serial number: 1 */
    enum script_until until;
    uint32_t line;                   /* in the program */
    char *file;                      /* of it; NULL: where the kernel stands */
    uint64_t count;                  /* steps, or the how manieth visit of the line */
    uint32_t file_line, file_column; /* where it stands in the scenario */
};

/* How it runs. */
struct schedule_config {
    enum schedule_policy policy;       /* lockstep */
    uint64_t seed;                     /* 0 */
    uint32_t quantum;                  /* preemption points per time slice, round-robin and random: 1 */
    uint32_t resident_groups;          /* 0: as the policy likes */
    uint32_t first_launch;             /* its number, on which what is chosen depends: 1 */
    double timeout_seconds;            /* 0 = none; wall clock, for endless loops */
    bool timeout_stated, steps_stated; /* the value was given, even if it is 0 */
    uint64_t max_steps;                /* 0 = none; loop iterations of one launch, deterministic */
    uint32_t depth;                    /* of pct: 3 */
    uint32_t spurious; /* percent of the weak compare-exchanges that would succeed: these fail; 0 */
    char *replay;      /* a token or the text of a record; NULL */
    struct schedule_settings replayed; /* of replay */
    size_t script_count;
    struct script_step *script;
    char *script_file;                    /* where it stands; NULL: nowhere */
    enum schedule_policy then;            /* when the script is over: lockstep, serial or random */
    char *record_file;                    /* what was chosen goes there; %p = pid; NULL = nowhere */
    bool keep_switches;                   /* the record of choices is to be kept; no file sets it */
    enum placement placement;             /* round-robin */
    struct unit_list placement_script;    /* of PLACEMENT_SCRIPT: positions in the device, repeated; none */
    const struct schedule_oracle *oracle; /* queried instead of the policy; NULL; no file sets it */
    const struct schedule_fork *fork;     /* called before each step; NULL: none; no key of a file */
    const struct schedule_watch *watch;   /* signals and wall clock; NULL: neither matters; no file sets it */
};

/* ---- a run without a host program ---------------------------------------- */

enum value_type {
    VALUE_I8,
    VALUE_U8,
    VALUE_I16,
    VALUE_U16,
    VALUE_I32,
    VALUE_U32,
    VALUE_I64,
    VALUE_U64,
    VALUE_F16,
    VALUE_F32,
    VALUE_F64
};
size_t value_type_size(enum value_type type);
const char *value_type_name(enum value_type type); /* "int", "uchar", ... as OpenCL C spells them */
bool value_type_from_name(const char *name, enum value_type *out_type);

struct value_list {
    enum value_type type;
    size_t count;
    void *data; /* count * size bytes, owned */
};
void value_list_print_element(const struct value_list *values, size_t index, FILE *stream); /* "-1.5" */

/* Its texels are the values of the argument, channel after channel. */
struct scenario_image {
    enum image_type type;
    const struct image_format *format;
    uint32_t size[3]; /* layers after the last dimension; else 1 */
};

enum scenario_arg_kind {
    SCENARIO_ARG_BUFFER,
    SCENARIO_ARG_SCALAR,
    SCENARIO_ARG_LOCAL,
    SCENARIO_ARG_IMAGE,
    SCENARIO_ARG_SAMPLER,
    SCENARIO_ARG_QUEUE
};
/* [low, high) */
struct byte_range {
    uint64_t low, high;
};
struct scenario_arg {
    enum scenario_arg_kind kind;
    struct value_list values; /* buffer contents (fill: repeated); scalar or vector value */
    bool uninitialised;       /* buffer without fill: or values: */
    size_t unwritten_count;   /* parts of a buffer that are uninitialised though the rest is not */
    struct byte_range *unwritten;
    uint64_t offset_bytes;      /* of the pointer that the kernel gets, in the buffer */
    uint64_t part_bytes;        /* of the sub-buffer that begins there; 0: the pointer is of the buffer */
    bool read_only, write_only; /* access: what kernels may do with the buffer */
    /* A buffer of no elements (buffer: null) is a NULL pointer. */
    size_t local_bytes;
    struct scenario_image image;
    uint64_t sampler; /* sampler_pack */
    bool own_queue;   /* a device queue that is not the default one */
    char *name;       /* "name:" lets another launch use the same buffer or image */
    char *same_as;    /* "same: NAME" */
};

struct scenario_launch {
    uint32_t line; /* of its text */
    char *kernel;
    char *device;    /* "0/numa@1", see sim/device/device_path.h; NULL: the first root device */
    bool concurrent; /* it begins together with the launch before it */
    uint32_t work_dim;
    uint64_t global[3], local[3], offset[3]; /* local 0 = chosen by the device */
    size_t arg_count;
    struct scenario_arg *args;
};

/* all NULL: a host program runs */
struct scenario_program {
    char *source_file, *source_text, *spirv_file, *options;
    /* instead of the source's, which keeps its name; no key; borrowed. NULL: none */
    const char *edited_text;
};

/* ---- what should come of it ------------------------------------------------ */

struct expect_finding {
    char *id;
    uint32_t line;   /* 0 = any */
    char *kernel;    /* NULL = any */
    char *why, *fix; /* text that must be in those sentences; NULL = any */
    bool has_follows;
    uint32_t follows;        /* line of the finding that it may follow from, 0: from none */
    bool has_enough, enough; /* is the fix enough for all pairs of its two places? */
};
struct expect_buffer {
    uint32_t launch;
    uint32_t arg;
    struct value_list values;
};
/* The units of work-groups 0, 1, 2 and so on, repeated; numbered in the whole machine. */
struct expect_placement {
    uint32_t launch;
    struct unit_list units;
};
/* A number that the counters must have. */
enum comparison { COMPARE_EQUAL, COMPARE_ABOVE, COMPARE_BELOW, COMPARE_AT_LEAST, COMPARE_AT_MOST };
struct expect_counter {
    char *place; /* "l1", "l1:0", "numa:1", "memory", "cu:3", "launch:0", "line:7"; NULL: all */
    enum counter counter;
    enum comparison comparison;
    uint64_t value;
};
const char *comparison_sign(enum comparison comparison); /* ">="; "" for EQUAL */
struct scenario_expect {
    bool present;
    size_t placement_count;
    struct expect_placement *placements;
    size_t counter_count;
    struct expect_counter *counters;
    size_t finding_count;
    struct expect_finding *findings; /* exactly these, any order */
    size_t buffer_count;
    struct expect_buffer *buffers;
    char *output;    /* what printf wrote, or NULL */
    int exit_status; /* of the host program; -1 = not stated */
};

/* ---- suppressions ---------------------------------------------------------------- */

/* Patterns in which * stands for any text; NULL fits everything. */
struct suppression {
    char *id, *kernel, *file, *object; /* file: its whole name, or the part after the last / */
    uint32_t line;                     /* of an access in file; 0 = any */
    char *reason;                      /* or NULL */
    char *origin;                      /* "known.yaml:3" */
};

/* ---- what goes wrong on purpose ------------------------------------------------ */

/* A call refused, a device lost, or a command that is complete late. */
enum scenario_fault_kind { SCENARIO_FAULT_REFUSE, SCENARIO_FAULT_LOSE_DEVICE, SCENARIO_FAULT_DELAY };
struct scenario_fault {
    enum scenario_fault_kind kind;
    /* REFUSE: "clCreateBuffer", or "allocation", "build", "enqueue": all calls that do this */
    char *call;
    /* REFUSE: the first of those that are refused, and how many; times 0: all from then on */
    uint32_t nth, times;
    int error;        /* REFUSE: negative */
    uint32_t command; /* the others: serial number */
    char *device;     /* LOSE_DEVICE: the name of the root; NULL: that which runs the command */
    uint64_t delay;   /* DELAY: simulated ns */
};
const char *scenario_api_error_name(int error); /* "CL_INVALID_VALUE"; NULL: there is none */
bool scenario_api_error_from_name(const char *name, int *out_error);

/* The use of an edit that a finding proposes. TRY: it is compiled, and a scenario's launches run again with
 * it. */
enum fixes { FIXES_TRY, FIXES_COMPILE, FIXES_OFF };

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* Serial numbers of launches, both ends included; 0: no limit at that end. */
struct launch_range {
    uint32_t first, last;
};
/* Which option leaves a launch out of the checks that cost time (check_filtered). */
enum left_out { LEFT_OUT_NOT, LEFT_OUT_BY_KERNEL, LEFT_OUT_BY_LAUNCHES };

struct debug_hook;
struct scenario {
    char *file;     /* where it came from; relative paths in it are relative to this file */
    bool has_lines; /* the file is its text: lines of launches are places there */
    char *name;
    struct device_config device; /* the first root device; options of the command line hold for every one */
    uint32_t other_device_count; /* 0 */
    struct device_config other_devices[SCENARIO_OTHER_DEVICES];
    struct schedule_config schedule;
    enum severity checks[CHECK_COUNT];
    enum severity fail_on; /* ERROR */
    int error_exitcode;    /* 66 */
    /* --kernel, "scan*,!scan_init": patterns of the kernels whose launches are checked; NULL: all */
    char *checked_kernels;
    struct launch_range checked_launches; /* --launches */
    bool shared_pages;                    /* false: the host is caught at memory that commands use */
    enum fixes fixes;
    bool values;      /* of the variables on the lines of findings */
    bool faults_stop; /* a faulty access ends its work-item; false: it continues */
    bool keep_exit_code, expect_kernels, quiet;
    /* of findings on standard error: auto, which is on a terminal without NO_COLOR */
    enum colour colour;
    uint32_t max_findings;  /* printed per kind: 10 */
    bool force_files;       /* output files replace files of any kind, also through links */
    char *log_file;         /* findings go there instead of stderr; %p = pid */
    char *json_file;        /* findings as JSON lines; NULL = none */
    char *sarif_file;       /* as SARIF 2.1.0 */
    char *dot_file;         /* as a graph; drawn when it is named .svg */
    char *gen_suppressions; /* a file of suppressions for all of them */
    char *save_launch;      /* "3:FILE": launch 3 goes to FILE, as a scenario; NULL = none */
    char *sources_folder;   /* gets the texts of host programs that no file holds; NULL = none */
    char *baseline_file;    /* findings that are accepted; NULL = none */
    bool update_baseline;   /* write them there, whatever it has */
    size_t suppression_count;
    struct suppression *suppressions;
    size_t fault_count;
    struct scenario_fault *faults;
    /* cache and memory counters: NULL, "on", "off", or a file that gets them as JSON, too */
    char *counters;
    char *instructions;       /* counts of instructions; likewise */
    char *coverage_file;      /* an lcov tracefile; NULL = none */
    bool count_idle_lines;    /* no key: the result has the lines that did not run */
    bool measure_extents;     /* no key: the result has how far accesses go into the first launch's buffers */
    char *html_file;          /* one page that shows the run; NULL = none */
    char *timeline_file;      /* what ran when and where, as Chrome's trace events; NULL = none */
    char *trace_file;         /* each access, fence and barrier as a JSON line; NULL = none */
    char *build_options;      /* appended to every build */
    uint32_t compile_seconds; /* processor time of a compiler */
    uint64_t compile_bytes;   /* its memory */
    enum compile_way compile_way;
    char *device_selector; /* which devices and sub-devices the platform lists; NULL = all roots */
    struct scenario_program program;
    size_t launch_count;
    struct scenario_launch *launches;
    struct scenario_expect expect;
    /* a debugger watches; no key: set by the caller of scenario_run. NULL: none. Borrowed */
    const struct debug_hook *debug;
};

void scenario_default(struct scenario *scenario);
enum status scenario_load_file(struct scenario *scenario, const char *path, struct diagnosis *diagnosis);
enum status scenario_load_text(struct scenario *scenario, const char *text, const char *name,
                               struct diagnosis *diagnosis);
enum status scenario_load_suppressions(struct scenario *scenario, const char *path,
                                       struct diagnosis *diagnosis);
enum status scenario_apply_option(struct scenario *scenario, const char *key, const char *value,
                                  struct diagnosis *diagnosis);
/* When all options are applied: BAD_SCENARIO for a policy that wants what is not there. */
enum status scenario_check_policy(const struct scenario *scenario, struct diagnosis *diagnosis);
/* So that no launch runs for ever: limits where none are stated, 10 s and a number of steps that takes
 * less. */
void scenario_limit(struct scenario *scenario);
/* The options of scenario_apply_option; false past the end. lib/ and tools/ read the variable of each from
 * the environment; argument "[X]" may be left out. */
enum { SCENARIO_VARIABLE_CHARS = 48 };
struct scenario_option {
    const char *name;
    char variable[SCENARIO_VARIABLE_CHARS];
    const char *argument, *help;
    const char *section; /* of a scenario: "", "device", "device.limits", "schedule", "checks", "report" */
    const char *real;    /* of another name of an option: that option; NULL */
};
bool scenario_option(size_t index, struct scenario_option *out_option);
/* Its default value; false: it has none, or the default depends on other settings. */
bool scenario_option_default(const struct scenario_option *option, FILE *stream);
/* It selects a set of checks: whatever its place, options of single checks of the same source come after
 * it. */
bool scenario_option_selects(const struct scenario_option *option);
/* Each time it is given adds to the earlier ones; a variable, and the value of scenario_apply_option, has
 * one a line. */
bool scenario_option_adds(const struct scenario_option *option);

/* The launch of this serial number: by --kernel if both options leave it out. The checks that do not hold for
 * it then are those of check_filtered (check.h). */
enum left_out scenario_leaves_out(const struct scenario *scenario, const char *kernel, uint32_t launch);
bool scenario_filters(const struct scenario *scenario); /* one of the two options is given */

/* Root devices are parts of one simulated machine: one memory, one clock, units numbered through. */
/* a quarter of it, 1 GiB at least, never more than all */
uint64_t scenario_default_allocation(uint64_t memory);
bool scenario_counts(const struct scenario *scenario);               /* counters are wanted */
const char *scenario_counters_file(const struct scenario *scenario); /* NULL: in the report alone */
bool scenario_profiles(const struct scenario *scenario); /* instructions are counted, for either option */
bool scenario_counts_instructions(const struct scenario *scenario);
const char *scenario_instructions_file(const struct scenario *scenario); /* NULL: in the report alone */
uint32_t scenario_root_count(const struct scenario *scenario);
const struct device_config *scenario_root(const struct scenario *scenario, uint32_t index);

/* OpenCL C 2.0: a device of 3.0 has it when it has everything that 3.0 made optional of it. */
bool scenario_opencl_c_20(const struct device_config *device);

/* The buffer or image of that name, NULL: there is none. */
const struct scenario_arg *scenario_named_arg(const struct scenario *scenario, const char *name);

void scenario_print(const struct scenario *scenario, FILE *stream);
/* What is not the default of device, schedule and checks; the first launch has this number. */
void scenario_print_settings(const struct scenario *scenario, uint32_t first_launch, FILE *stream);
void scenario_fini(struct scenario *scenario);
/* A shallow copy that writes no file; only the original is freed. */
struct scenario scenario_without_outputs(const struct scenario *scenario);

#endif
