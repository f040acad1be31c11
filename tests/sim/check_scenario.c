/* SPDX-License-Identifier: Apache-2.0 */
/* Scenario files: defaults, every key, every complaint with its position, print and parse back. */
#include <check.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orrery/scenario.h"

static struct scenario scenario;
static struct diagnosis diagnosis;

static void setup(void)
{
    memset(&diagnosis, 0, sizeof diagnosis);
    scenario_default(&scenario);
}

static void teardown(void)
{
    scenario_fini(&scenario);
}

static void load(const char *text)
{
    scenario_fini(&scenario);
    memset(&diagnosis, 0, sizeof diagnosis);
    enum status status = scenario_load_text(&scenario, text, "t.yaml", &diagnosis);
    ck_assert_msg(status == STATUS_OK, "%s", diagnosis.text);
}

/* The complaint starts with the position and holds each of the words. */
static void rejects(const char *text, const char *position, const char *word, const char *other)
{
    scenario_fini(&scenario);
    memset(&diagnosis, 0, sizeof diagnosis);
    enum status status = scenario_load_text(&scenario, text, "t.yaml", &diagnosis);
    ck_assert_msg(status == STATUS_BAD_SCENARIO, "accepted: %s", text);
    ck_assert_int_eq(diagnosis.status, STATUS_BAD_SCENARIO);
    ck_assert_msg(strncmp(diagnosis.text, position, strlen(position)) == 0, "expected %s, got: %s", position,
                  diagnosis.text);
    ck_assert_msg(strstr(diagnosis.text, word) != NULL, "no '%s' in: %s", word, diagnosis.text);
    ck_assert_msg(strstr(diagnosis.text, other) != NULL, "no '%s' in: %s", other, diagnosis.text);
}

static void option(const char *key, const char *value)
{
    memset(&diagnosis, 0, sizeof diagnosis);
    ck_assert_msg(scenario_apply_option(&scenario, key, value, &diagnosis) == STATUS_OK, "%s",
                  diagnosis.text);
}

static void option_rejects(const char *key, const char *value, const char *word)
{
    memset(&diagnosis, 0, sizeof diagnosis);
    ck_assert_int_eq(scenario_apply_option(&scenario, key, value, &diagnosis), STATUS_BAD_SCENARIO);
    ck_assert_msg(strstr(diagnosis.text, word) != NULL, "no '%s' in: %s", word, diagnosis.text);
}

static char *printed(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    scenario_print(&scenario, stream);
    fclose(stream);
    return text;
}

/* Texts are equal when the structs are: every field is printed, strings quoted, floats exactly. */
static void survives_printing(void)
{
    char *first = printed();
    load(first);
    char *second = printed();
    ck_assert_str_eq(first, second);
    free(first);
    free(second);
}

/* ---- defaults ------------------------------------------------------------------- */

START_TEST(defaults_are_those_of_the_header)
{
    const struct device_config *device = &scenario.device;
    ck_assert_int_eq(device->type, DEVICE_GPU);
    ck_assert_uint_eq(device->topology.compute_units, 8);
    ck_assert_uint_eq(device->topology.cache_line_bytes, 64);
    ck_assert_uint_eq(device->version_major, 3);
    ck_assert_uint_eq(device->version_minor, 0);
    ck_assert_uint_eq(device->global_memory, UINT64_C(4) << 30);
    ck_assert_uint_eq(device->max_allocation, UINT64_C(1) << 30);
    ck_assert_uint_eq(device->local_memory, 65536);
    ck_assert_uint_eq(device->constant_memory, 65536);
    ck_assert_uint_eq(device->private_memory, 64 << 20);
    ck_assert_uint_eq(device->printf_buffer, 1 << 20);
    ck_assert_uint_eq(device->local_banks, 32);
    ck_assert_uint_eq(device->bank_bytes, 4);
    ck_assert_uint_eq(device->sector_bytes, 32);
    ck_assert(device->max_read_images == 128 && device->max_write_images == 64 && device->max_samplers == 16);
    ck_assert_uint_eq(device->max_work_group_size, 1024);
    for (int i = 0; i < 3; i++)
        ck_assert_uint_eq(device->max_work_item_sizes[i], 1024);
    ck_assert_uint_eq(device->sub_group_sizes[0], 32);
    ck_assert_uint_eq(device->sub_group_sizes[1], 0);
    ck_assert(device->fp16 && device->fp64 && device->int64_atomics && device->sub_groups &&
              device->svm_coarse && device->il);
    ck_assert(device->svm_fine && device->svm_atomics && !device->svm_system);
    ck_assert(device->generic_address_space && device->program_scope_variables &&
              device->work_group_collectives);
    ck_assert(device->non_uniform_groups && device->images && device->pipes && device->device_enqueue);
    ck_assert(device->initialize_memory && device->terminate_context && device->kernel_clock &&
              device->compiler && device->named_barriers && device->srgb_writes && !device->built_in_kernels);
}
END_TEST

START_TEST(defaults_of_the_run)
{
    ck_assert_int_eq(scenario.schedule.policy, SCHEDULE_LOCKSTEP);
    ck_assert_uint_eq(scenario.schedule.seed, 0);
    ck_assert_uint_eq(scenario.schedule.quantum, 1);
    ck_assert_uint_eq(scenario.schedule.resident_groups, 0);
    ck_assert_uint_eq(scenario.schedule.max_steps, 0);
    ck_assert(scenario.schedule.timeout_seconds == 0.0);
    for (int check = 0; check < CHECK_COUNT; check++) {
        const enum severity usual = check == CHECK_API      ? SEVERITY_OFF
                                    : check == CHECK_RIGHTS ? SEVERITY_WARNING
                                                            : SEVERITY_ERROR;
        ck_assert_int_eq(scenario.checks[check], usual);
    }
    ck_assert_int_eq(scenario.fail_on, SEVERITY_ERROR);
    ck_assert_int_eq(scenario.error_exitcode, 66);
    ck_assert_uint_eq(scenario.max_findings, 10);
    ck_assert(!scenario.keep_exit_code && !scenario.force_files && !scenario.expect_kernels &&
              !scenario.quiet && !scenario.shared_pages && !scenario.faults_stop);
    ck_assert_int_eq(scenario.fixes, FIXES_TRY);
    ck_assert_ptr_null(scenario.log_file);
    ck_assert_int_eq(scenario.expect.exit_status, -1);
}
END_TEST

START_TEST(smallest_scenario_is_the_defaults)
{
    char *before = printed();
    load("orrery: 1\n");
    char *after = printed();
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
}
END_TEST

/* ---- keys ------------------------------------------------------------------------ */

static const char everything[] =
    "orrery: 1\n"
    "name: \"all keys: \\\"quoted\\\"\"\n"
    "build_options: -DN=4\n"
    "compile_time: 7\n"
    "compile_memory: 512MiB\n"
    "device_selector: \"0.1,1.*\"\n"
    "device:\n"
    "  type: cpu\n"
    "  name: the one\n"
    "  topology: \"cu:3\"\n"
    "  errors: neo\n"
    "  hierarchy: flat\n"
    "  scope_rule: inclusive31\n"
    "  cslice_seed: 18446744073709551614\n"
    "  built_in_kernels: fixed functions.cl\n"
    "  copy_capabilities: [single-events, transfer-buffer, kernel]\n"
    "  version: \"2.1\"\n"
    "  progress: fair\n"
    "  sub_group_sizes: [16, 8]\n"
    "  limits:\n"
    "    global_memory: 2GiB\n"
    "    max_allocation: 512MiB\n"
    "    local_memory: 32 KiB\n"
    "    constant_memory: 128KiB\n"
    "    private_memory: 1MiB\n"
    "    printf_buffer: 2048\n"
    "    local_banks: 16\n"
    "    bank_bytes: 8\n"
    "    sector_bytes: 64\n"
    "    work_group_size: 256\n"
    "    work_item_sizes: [256, 128, 64]\n"
    "    read_images: 12\n"
    "    write_images: 5\n"
    "    samplers: 6\n"
    "    cache: 2MiB\n"
    "    cache_line: 128\n"
    "  features:\n"
    "    {fp16: false, fp64: no, int64_atomics: off, sub_groups: false, svm_coarse: false, svm_fine: false, "
    "svm_atomics: false, svm_system: true, il: false,\n"
    "     generic_address_space: false, program_scope_variables: false, work_group_collectives: false,\n"
    "     non_uniform_groups: false, cslice_partition: true, images: off, pipes: off, device_enqueue: off,\n"
    "     initialize_memory: off, terminate_context: off, kernel_clock: off, compiler: off, named_barriers: "
    "off, srgb_writes: off}\n"
    "schedule: {policy: round-robin, seed: 18446744073709551615, quantum: 5, resident_groups: 4, "
    "first_launch: 6,\n"
    "           placement: script, placement_script: [3, 0, 3], timeout: 2.5, max_steps: 1000, depth: 4, "
    "spurious: 30, record: turns-%p.txt}\n"
    "checks: {bounds: warning, rights: error, uninitialised: error, divergence: off, races: warning, "
    "atomics: warning, progress: off, api: error, fixes: compile, faults: stop, shared_pages: on, kernel: "
    "[\"scan*\", \"!scan_init\"], "
    "launches: 2..4}\n"
    "report: {fail_on: warning, error_exitcode: 9, keep_exit_code: true, force: true, expect_kernels: yes, "
    "quiet: on,\n"
    "         max_findings: 3, log: out-%p.txt, json: out.json, counters: c.json, instructions: i.json, "
    "coverage: c.info, timeline: t.json, trace: "
    "t.txt, sarif: out.sarif, html: out.html, dot: out.svg,\n"
    "         gen_suppressions: out.yaml, save_sources: made, save_launch: \"3:l.yaml\", baseline: "
    "known.txt, update_baseline: true}\n"
    "suppressions:\n"
    "  - {id: \"race-*\", kernel: k, file: \"*.cl\", line: 4, object: \"*'a'*\", reason: \"it's benign\"}\n"
    "  - {id: \"*\"}\n"
    "faults:\n"
    "  - {fail: allocation, nth: 3}\n"
    "  - {fail: clFinish, times: 0, error: CL_OUT_OF_HOST_MEMORY}\n"
    "  - {lose_device: 12}\n"
    "  - {lose_device: 13, device: the one}\n"
    "  - {delay: 5000, command: 4}\n"
    "program: {text: \"kernel void k(){}\", options: -cl-std=CL2.0}\n";

START_TEST(every_key_of_device_is_read)
{
    load(everything);
    const struct device_config *device = &scenario.device;
    ck_assert_str_eq(scenario.name, "all keys: \"quoted\"");
    ck_assert_str_eq(scenario.build_options, "-DN=4");
    ck_assert_uint_eq(scenario.compile_seconds, 7);
    ck_assert_uint_eq(scenario.compile_bytes, 512 << 20);
    ck_assert_str_eq(scenario.device_selector, "0.1,1.*");
    ck_assert_str_eq(scenario.file, "t.yaml");
    ck_assert_int_eq(device->type, DEVICE_CPU);
    ck_assert_uint_eq(device->copy_capabilities,
                      QUEUE_CAN_SINGLE_EVENTS | QUEUE_CAN_TRANSFER_BUFFER | QUEUE_CAN_KERNEL);
    ck_assert_uint_eq(device->topology.compute_units, 3);
    ck_assert_uint_eq(device->topology.cache_bytes, 2 << 20);
    ck_assert_uint_eq(device->topology.cache_line_bytes, 128);
    ck_assert_uint_eq(device->version_major * 10 + device->version_minor, 21);
    ck_assert_uint_eq(device->sub_group_sizes[0], 16);
    ck_assert_uint_eq(device->sub_group_sizes[1], 8);
    ck_assert_uint_eq(device->sub_group_sizes[2], 0);
    ck_assert_uint_eq(device->global_memory, UINT64_C(2) << 30);
    ck_assert_uint_eq(device->max_allocation, 512 << 20);
    ck_assert_uint_eq(device->local_memory, 32 << 10);
    ck_assert_uint_eq(device->constant_memory, 128 << 10);
    ck_assert_uint_eq(device->private_memory, 1 << 20);
    ck_assert_uint_eq(device->printf_buffer, 2048);
    ck_assert_uint_eq(device->local_banks, 16);
    ck_assert_uint_eq(device->bank_bytes, 8);
    ck_assert_uint_eq(device->sector_bytes, 64);
    ck_assert(device->max_read_images == 12 && device->max_write_images == 5 && device->max_samplers == 6);
    ck_assert_uint_eq(device->max_work_group_size, 256);
    ck_assert_uint_eq(device->max_work_item_sizes[0], 256);
    ck_assert_uint_eq(device->max_work_item_sizes[1], 128);
    ck_assert_uint_eq(device->max_work_item_sizes[2], 64);
    ck_assert(!device->fp16 && !device->fp64 && !device->int64_atomics && !device->sub_groups &&
              !device->svm_coarse && !device->il);
    ck_assert(!device->svm_fine && !device->svm_atomics && device->svm_system);
    ck_assert(!device->generic_address_space && !device->program_scope_variables &&
              !device->work_group_collectives);
    ck_assert(!device->non_uniform_groups && device->cslice_partition && !device->images && !device->pipes &&
              !device->device_enqueue);
    ck_assert(!device->initialize_memory && !device->terminate_context && !device->kernel_clock &&
              !device->compiler && !device->named_barriers && !device->srgb_writes);
    ck_assert_int_eq(device->progress, PROGRESS_FAIR);
    ck_assert_int_eq(device->errors, ANSWERS_NEO);
    ck_assert_int_eq(device->hierarchy, HIERARCHY_FLAT);
    ck_assert_int_eq(device->scope_rule, SCOPE_RULE_INCLUSIVE31);
    ck_assert_uint_eq(device->cslice_seed, UINT64_MAX - 1);
    ck_assert_str_eq(device->built_in_kernels, "fixed functions.cl");
}
END_TEST

START_TEST(a_script_is_read_and_printed)
{
    static const struct {
        enum script_until until;
        uint32_t line;
        uint64_t count;
    } wanted[] = {{SCRIPT_LINE, 12, 2},  {SCRIPT_END, 0, 0},   {SCRIPT_BARRIER, 0, 0},
                  {SCRIPT_ATOMIC, 0, 0}, {SCRIPT_STEPS, 0, 5}, {SCRIPT_LINE, 3, 1}};
    load("orrery: 1\n"
         "schedule:\n"
         "  then: random\n"
         "  script:\n"
         "    - {item: [3, 1], until: {line: 12, visit: 2}}\n"
         "    - {group: 1, until: end}\n"
         "    - {group: [0, 0, 2], sub_group: 4, until: barrier}\n"
         "    - {item: 7, until: atomic, launch: 3}\n"
         "    - {item: 8, steps: 5}\n"
         "    - {item: 8, until: {line: a dir/x.h:3}}\n");
    for (int printed_once = 0; printed_once < 2; printed_once++) {
        const struct schedule_config *schedule = &scenario.schedule;
        ck_assert_int_eq(schedule->policy, SCHEDULE_SCRIPT);
        ck_assert_int_eq(schedule->then, SCHEDULE_RANDOM);
        ck_assert_uint_eq(schedule->script_count, 6);
        for (int i = 0; i < 6; i++) {
            ck_assert_int_eq(schedule->script[i].until, wanted[i].until);
            ck_assert_uint_eq(schedule->script[i].line, wanted[i].line);
            ck_assert_uint_eq(schedule->script[i].count, wanted[i].count);
            ck_assert_uint_eq(schedule->script[i].launch, i == 3 ? 3 : 1);
        }
        ck_assert_int_eq(schedule->script[0].unit, SCRIPT_ITEM);
        ck_assert_uint_eq(schedule->script[0].id[1], 1);
        ck_assert_int_eq(schedule->script[1].unit, SCRIPT_GROUP);
        ck_assert_int_eq(schedule->script[2].unit, SCRIPT_SUB_GROUP);
        ck_assert_uint_eq(schedule->script[2].sub_group, 4);
        ck_assert_uint_eq(schedule->script[2].id[2], 2);
        ck_assert(printed_once || schedule->script[3].file_line == 8);
        ck_assert_ptr_null(schedule->script[0].file);
        ck_assert_str_eq(schedule->script[5].file, "a dir/x.h");
        char *text = printed();
        scenario_fini(&scenario);
        load(text);
        free(text);
    }
}
END_TEST

#define SCRIPT(step) "orrery: 1\nschedule: {script: [" step "]}\n"
START_TEST(invalid_script_step_is_refused)
{
    rejects("orrery: 1\nschedule: {script: 7}\n", "t.yaml:2:20: ", "'7'", "a sequence of steps");
    rejects("orrery: 1\nschedule: {then: reverse}\n", "t.yaml:2:18: ", "'reverse'",
            "lockstep, serial, random");
    rejects(SCRIPT("{until: end}"), "t.yaml:2:21: ", "neither item nor group", "which work-items run");
    rejects(SCRIPT("{item: 1, group: 1, until: end}"), "t.yaml:2:21: ", "item and group", "one of them");
    rejects(SCRIPT("{item: 1, sub_group: 1, until: end}"), "t.yaml:2:42: ", "sub_group", "expected a group");
    rejects(SCRIPT("{item: 1}"), "t.yaml:2:21: ", "neither until nor steps", "one of them");
    rejects(SCRIPT("{item: 1, until: end, steps: 1}"), "t.yaml:2:21: ", "until and steps", "one of them");
    rejects(SCRIPT("{item: 1, until: soon}"), "t.yaml:2:38: ", "'soon'", "end, barrier, atomic, {line: N}");
    rejects(SCRIPT("{item: 1, until: {visit: 1}}"), "t.yaml:2:38: ", "'line'", "missing");
    rejects(SCRIPT("{item: 1, until: {line: 0}}"), "t.yaml:2:45: ", "'0'", "from 1");
    rejects(SCRIPT("{item: 1, until: {line: 1, visit: 0}}"), "t.yaml:2:55: ", "'0'",
            "1 to 18446744073709551615");
    rejects(SCRIPT("{item: 1, until: {line: \":3\"}}"), "t.yaml:2:45: ", "':3'", "FILE:LINE");
    rejects(SCRIPT("{item: 1, until: {line: \"x.h:0\"}}"), "t.yaml:2:45: ", "'x.h:0'", "FILE:LINE");
    rejects(SCRIPT("{item: 1, until: {line: x.h}}"), "t.yaml:2:45: ", "'x.h'", "FILE:LINE");
    rejects(SCRIPT("{item: 1, until: end, launch: 0}"), "t.yaml:2:51: ", "'0'", "1 to 4294967295");
    rejects(SCRIPT("{item: 1, steps: 0}"), "t.yaml:2:38: ", "'0'", "1 to 18446744073709551615");
    rejects("orrery: 1\nschedule: {script: [], policy: random}\n", "t.yaml:2:32: ", "'random'",
            "script, or no policy");
    rejects("orrery: 1\nschedule: {policy: script}\n", "t.yaml:2:20: ", "'script'", "a script: beside it");
    rejects("orrery: 1\nschedule: {policy: replay}\n", "t.yaml:2:20: ", "'replay'", "a replay: beside it");
    rejects(SCRIPT("{item: [1, 2, 3, 4], until: end}"), "t.yaml:2:28: ", "a sequence", "1 to 3 numbers");
    rejects(SCRIPT("{item: 1, steps: x}"), "t.yaml:2:38: ", "'x'", "1 to");
    rejects("orrery: 1\nschedule: {replay: \"1:x\"}\n", "t.yaml:2:20: ", "'1:x'", "a seed and ':'");
}
END_TEST

START_TEST(a_policy_wants_its_script_or_replay)
{
    load("orrery: 1\nschedule: {script: [{item: 1, until: end}]}\n");
    ck_assert_int_eq(scenario_check_policy(&scenario, NULL), STATUS_OK);
    ck_assert_int_eq(scenario_apply_option(&scenario, "schedule", "random", NULL), STATUS_OK);
    ck_assert_int_eq(scenario_check_policy(&scenario, NULL), STATUS_OK);
    scenario_fini(&scenario);
    load("orrery: 1\n");
    ck_assert_int_eq(scenario_apply_option(&scenario, "schedule", "script", NULL), STATUS_OK);
    ck_assert_int_eq(scenario_check_policy(&scenario, &diagnosis), STATUS_BAD_SCENARIO);
    ck_assert_ptr_nonnull(strstr(diagnosis.text, "found no script"));
    ck_assert_int_eq(scenario_apply_option(&scenario, "schedule", "replay", NULL), STATUS_OK);
    ck_assert_int_eq(scenario_check_policy(&scenario, NULL), STATUS_BAD_SCENARIO);
    ck_assert_int_eq(scenario_apply_option(&scenario, "replay", "1:7:replay:0000abcd", NULL), STATUS_OK);
    ck_assert_int_eq(scenario_check_policy(&scenario, NULL), STATUS_OK);
}
END_TEST

START_TEST(replay_sets_the_schedule)
{
    load("orrery: 1\nschedule: {replay: \"1:7:pct,q2,r3,d5,w40:0000abcd:1,0.1@2-3.4\", policy: lockstep, "
         "seed: 9, quantum: 8, spurious: 3}\n");
    ck_assert_int_eq(scenario.schedule.policy, SCHEDULE_PCT);
    ck_assert_uint_eq(scenario.schedule.seed, 7);
    ck_assert_uint_eq(scenario.schedule.quantum, 2);
    ck_assert_uint_eq(scenario.schedule.resident_groups, 3);
    ck_assert_uint_eq(scenario.schedule.depth, 5);
    ck_assert_uint_eq(scenario.schedule.spurious, 40);
    ck_assert_int_eq(scenario_apply_option(&scenario, "seed", "11", NULL), STATUS_OK);
    ck_assert_uint_eq(scenario.schedule.seed, 7);
}
END_TEST

START_TEST(every_key_of_the_run_is_read)
{
    load(everything);
    ck_assert_int_eq(scenario.schedule.policy, SCHEDULE_ROUND_ROBIN);
    ck_assert_uint_eq(scenario.schedule.seed, UINT64_MAX);
    ck_assert_uint_eq(scenario.schedule.quantum, 5);
    ck_assert_uint_eq(scenario.schedule.resident_groups, 4);
    ck_assert_uint_eq(scenario.schedule.first_launch, 6);
    ck_assert_int_eq(scenario.schedule.placement, PLACEMENT_SCRIPT);
    ck_assert_uint_eq(scenario.schedule.placement_script.count, 3);
    ck_assert_uint_eq(scenario.schedule.placement_script.units[0], 3);
    ck_assert_uint_eq(scenario.schedule.placement_script.units[1], 0);
    ck_assert(scenario.schedule.timeout_seconds == 2.5);
    ck_assert_uint_eq(scenario.schedule.max_steps, 1000);
    ck_assert_uint_eq(scenario.schedule.depth, 4);
    ck_assert_uint_eq(scenario.schedule.spurious, 30);
    ck_assert_str_eq(scenario.schedule.record_file, "turns-%p.txt");
    ck_assert_int_eq(scenario.checks[CHECK_BOUNDS], SEVERITY_WARNING);
    ck_assert_int_eq(scenario.checks[CHECK_RIGHTS], SEVERITY_ERROR);
    ck_assert_int_eq(scenario.checks[CHECK_UNINITIALISED], SEVERITY_ERROR);
    ck_assert_int_eq(scenario.checks[CHECK_DIVERGENCE], SEVERITY_OFF);
    ck_assert_int_eq(scenario.checks[CHECK_RACES], SEVERITY_WARNING);
    ck_assert_int_eq(scenario.checks[CHECK_ATOMICS], SEVERITY_WARNING);
    ck_assert_int_eq(scenario.checks[CHECK_PROGRESS], SEVERITY_OFF);
    ck_assert_int_eq(scenario.checks[CHECK_API], SEVERITY_ERROR);
    ck_assert_int_eq(scenario.fail_on, SEVERITY_WARNING);
    ck_assert(scenario_counts(&scenario));
    ck_assert_str_eq(scenario_counters_file(&scenario), "c.json");
    ck_assert_str_eq(scenario.timeline_file, "t.json");
    ck_assert_str_eq(scenario.trace_file, "t.txt");
    ck_assert_int_eq(scenario.error_exitcode, 9);
    ck_assert(scenario.keep_exit_code && scenario.force_files && scenario.expect_kernels && scenario.quiet &&
              scenario.shared_pages);
    ck_assert_uint_eq(scenario.max_findings, 3);
    ck_assert_str_eq(scenario.log_file, "out-%p.txt");
    ck_assert_str_eq(scenario.json_file, "out.json");
    ck_assert_str_eq(scenario.html_file, "out.html");
    ck_assert_str_eq(scenario.sarif_file, "out.sarif");
    ck_assert_str_eq(scenario.dot_file, "out.svg");
    ck_assert_str_eq(scenario.checked_kernels, "scan*,!scan_init");
    ck_assert_uint_eq(scenario.checked_launches.first, 2);
    ck_assert_uint_eq(scenario.checked_launches.last, 4);
    ck_assert_str_eq(scenario.gen_suppressions, "out.yaml");
    ck_assert_str_eq(scenario.sources_folder, "made");
    ck_assert_str_eq(scenario.save_launch, "3:l.yaml");
    ck_assert_str_eq(scenario.baseline_file, "known.txt");
    ck_assert(scenario.update_baseline);
    ck_assert_uint_eq(scenario.suppression_count, 2);
    ck_assert_str_eq(scenario.suppressions[0].id, "race-*");
    ck_assert_str_eq(scenario.suppressions[0].kernel, "k");
    ck_assert_str_eq(scenario.suppressions[0].file, "*.cl");
    ck_assert_uint_eq(scenario.suppressions[0].line, 4);
    ck_assert_str_eq(scenario.suppressions[0].object, "*'a'*");
    ck_assert_str_eq(scenario.suppressions[0].reason, "it's benign");
    ck_assert_str_eq(scenario.suppressions[1].id, "*");
    ck_assert_ptr_null(scenario.suppressions[1].kernel);
    ck_assert_uint_eq(scenario.fault_count, 5);
    ck_assert_int_eq(scenario.faults[0].kind, SCENARIO_FAULT_REFUSE);
    ck_assert_str_eq(scenario.faults[0].call, "allocation");
    ck_assert_uint_eq(scenario.faults[0].nth, 3);
    ck_assert_uint_eq(scenario.faults[0].times, 1);
    ck_assert_str_eq(scenario_api_error_name(scenario.faults[0].error), "CL_MEM_OBJECT_ALLOCATION_FAILURE");
    ck_assert_str_eq(scenario.faults[1].call, "clFinish");
    ck_assert_uint_eq(scenario.faults[1].nth, 1);
    ck_assert_uint_eq(scenario.faults[1].times, 0);
    ck_assert_int_eq(scenario.faults[1].error, -6);
    ck_assert_int_eq(scenario.faults[2].kind, SCENARIO_FAULT_LOSE_DEVICE);
    ck_assert_uint_eq(scenario.faults[2].command, 12);
    ck_assert_ptr_null(scenario.faults[2].device);
    ck_assert_uint_eq(scenario.faults[3].command, 13);
    ck_assert_str_eq(scenario.faults[3].device, "the one");
    ck_assert_int_eq(scenario.faults[4].kind, SCENARIO_FAULT_DELAY);
    ck_assert_uint_eq(scenario.faults[4].command, 4);
    ck_assert_uint_eq(scenario.faults[4].delay, 5000);
    ck_assert_str_eq(scenario.program.source_text, "kernel void k(){}");
    ck_assert_str_eq(scenario.program.options, "-cl-std=CL2.0");
}
END_TEST

START_TEST(program_is_source_or_spirv)
{
    load("orrery: 1\nprogram: {source: a.cl}\n");
    ck_assert_str_eq(scenario.program.source_file, "a.cl");
    load("orrery: 1\nprogram: {spirv: a.spv}\n");
    ck_assert_str_eq(scenario.program.spirv_file, "a.spv");
    rejects("orrery: 1\nprogram: {source: a.cl, spirv: b.spv}\n", "t.yaml:2:10: ", "found 2",
            "exactly one of: source, text, spirv");
    rejects("orrery: 1\nprogram:\n  options: -w\n", "t.yaml:3:3: ", "found 0", "exactly one");
}
END_TEST

START_TEST(max_allocation_never_exceeds_the_memory)
{
    load("orrery: 1\ndevice: {limits: {global_memory: 16MiB}}\n");
    ck_assert_uint_eq(scenario.device.max_allocation, 16 << 20);
}
END_TEST

/* ---- launches ------------------------------------------------------------------------ */

#define PROGRAM "orrery: 1\nprogram: {text: \"\"}\n"

static enum left_out leaves_out(const char *kernels, const char *launches, const char *kernel,
                                uint32_t launch)
{
    scenario_default(&scenario);
    ck_assert(!scenario_filters(&scenario));
    if (kernels)
        ck_assert_int_eq(scenario_apply_option(&scenario, "kernel", kernels, NULL), STATUS_OK);
    if (launches)
        ck_assert_int_eq(scenario_apply_option(&scenario, "launches", launches, NULL), STATUS_OK);
    ck_assert_int_eq(scenario_filters(&scenario), kernels || launches);
    const enum left_out left_out = scenario_leaves_out(&scenario, kernel, launch);
    scenario_fini(&scenario);
    return left_out;
}

START_TEST(a_launch_is_checked_when_both_filters_allow_it)
{
    ck_assert_int_eq(leaves_out(NULL, NULL, "scan", 1), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out("scan", NULL, "scan", 1), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out("scan", NULL, "scan2", 1), LEFT_OUT_BY_KERNEL);
    ck_assert_int_eq(leaves_out("scan*", NULL, "scan2", 1), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out("s?an[12]", NULL, "scan2", 1), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out("fill\nscan", NULL, "scan", 1), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out("!scan", NULL, "scan", 1), LEFT_OUT_BY_KERNEL);
    ck_assert_int_eq(leaves_out("!scan", NULL, "fill", 1), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out("!scan_init,scan*", NULL, "scan_init", 1), LEFT_OUT_BY_KERNEL);
    ck_assert_int_eq(leaves_out("scan*, !scan_init", NULL, "scan_sum", 1), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out(NULL, "3", "scan", 2), LEFT_OUT_BY_LAUNCHES);
    ck_assert_int_eq(leaves_out(NULL, "3", "scan", 3), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out(NULL, "3", "scan", 4), LEFT_OUT_BY_LAUNCHES);
    ck_assert_int_eq(leaves_out(NULL, "2..3", "scan", 2), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out(NULL, "2..3", "scan", 3), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out(NULL, "..3", "scan", 4), LEFT_OUT_BY_LAUNCHES);
    ck_assert_int_eq(leaves_out(NULL, "3..", "scan", 2), LEFT_OUT_BY_LAUNCHES);
    ck_assert_int_eq(leaves_out(NULL, "3..", "scan", UINT32_MAX), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out("scan", "3..", "fill", 1), LEFT_OUT_BY_KERNEL);
}
END_TEST

START_TEST(invalid_launch_filter_is_refused)
{
    static const char *const launches[] = {"",   "..",    "0",       "0..2",       "3..2", "1-2",
                                           "-1", "1...2", "1..2..3", "4294967296", "a",    "1 .. 2"};
    static const char *const kernels[] = {"", " ", "!", "a,!", "!!a", "!,a"};
    scenario_default(&scenario);
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        diagnosis = (struct diagnosis){0};
        ck_assert_int_eq(scenario_apply_option(&scenario, "launches", launches[i], &diagnosis),
                         STATUS_BAD_SCENARIO);
        ck_assert_msg(strstr(diagnosis.text, "A..B with A not above B"), "%s", diagnosis.text);
    }
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        diagnosis = (struct diagnosis){0};
        ck_assert_int_eq(scenario_apply_option(&scenario, "kernel", kernels[i], &diagnosis),
                         STATUS_BAD_SCENARIO);
        ck_assert_msg(strstr(diagnosis.text, "!NAME leaves that kernel out"), "%s", diagnosis.text);
    }
    ck_assert(!scenario_filters(&scenario));
    scenario_fini(&scenario);
}
END_TEST

START_TEST(launch_ranges_are_read)
{
    load(PROGRAM "launch:\n  - {kernel: k, global: [128, 4], local: [64, 2], offset: [1, 0]}\n  - {kernel: "
                 "j, global: 7}\n");
    ck_assert_uint_eq(scenario.launch_count, 2);
    const struct scenario_launch *k = &scenario.launches[0], *j = &scenario.launches[1];
    ck_assert_str_eq(k->kernel, "k");
    ck_assert_uint_eq(k->work_dim, 2);
    ck_assert_uint_eq(k->global[0], 128);
    ck_assert_uint_eq(k->global[1], 4);
    ck_assert_uint_eq(k->local[0], 64);
    ck_assert_uint_eq(k->local[1], 2);
    ck_assert_uint_eq(k->offset[0], 1);
    ck_assert_uint_eq(j->work_dim, 1);
    ck_assert_uint_eq(j->global[0], 7);
    ck_assert_uint_eq(j->local[0], 0);
    ck_assert_uint_eq(j->arg_count, 0);
}
END_TEST

static const struct scenario_arg *load_arg(const char *arg)
{
    char text[600];
    snprintf(text, sizeof text, PROGRAM "launch:\n  - kernel: k\n    global: 1\n    args:\n      - %s\n",
             arg);
    load(text);
    ck_assert_uint_eq(scenario.launches[0].arg_count, 1);
    return &scenario.launches[0].args[0];
}

static void holds(const struct value_list *values, enum value_type type, const void *expected, size_t count)
{
    ck_assert_int_eq(values->type, type);
    ck_assert_uint_eq(values->count, count);
    ck_assert_mem_eq(values->data, expected, count * value_type_size(type));
}

START_TEST(buffers_are_filled)
{
    const struct scenario_arg *arg = load_arg("{buffer: {type: int, count: 3, fill: -7}}");
    ck_assert_int_eq(arg->kind, SCENARIO_ARG_BUFFER);
    ck_assert(!arg->uninitialised && !arg->read_only && !arg->write_only);
    holds(&arg->values, VALUE_I32, (int32_t[]){-7, -7, -7}, 3);
    arg = load_arg("{buffer: {type: uchar, values: [1, 0xff]}}");
    holds(&arg->values, VALUE_U8, (uint8_t[]){1, 255}, 2);
    arg = load_arg("{buffer: {type: short, count: 4, fill: 9, values: [1, 2]}}");
    holds(&arg->values, VALUE_I16, (int16_t[]){1, 2, 9, 9}, 4);
    arg = load_arg("{buffer: {values: [1, 2], type: double, count: 3}}");
    holds(&arg->values, VALUE_F64, (double[]){1, 2, 0}, 3);
    arg = load_arg("{buffer: {type: ulong, count: 2}}");
    ck_assert(arg->uninitialised);
    ck_assert_uint_eq(arg->values.count, 2);
}
END_TEST

START_TEST(buffers_may_be_null_or_guarded)
{
    const struct scenario_arg *arg = load_arg("{buffer: null}");
    ck_assert_int_eq(arg->kind, SCENARIO_ARG_BUFFER);
    ck_assert_uint_eq(arg->values.count, 0);
    ck_assert(load_arg("{buffer: {type: int, count: 1, access: read}}")->read_only);
    ck_assert(load_arg("{buffer: {type: int, count: 1, access: write}}")->write_only);
}
END_TEST

START_TEST(vectors_are_their_elements)
{
    holds(&load_arg("{scalar: {type: float4, value: [1, 2, 3, 4]}}")->values, VALUE_F32,
          (float[]){1, 2, 3, 4}, 4);
    holds(&load_arg("{scalar: {type: int3, value: [1, 2, 3]}}")->values, VALUE_I32, (int32_t[]){1, 2, 3, 0},
          4);
    holds(&load_arg("{buffer: {type: int3, values: [1, 2, 3, 4, 5, 6]}}")->values, VALUE_I32,
          (int32_t[]){1, 2, 3, 0, 4, 5, 6, 0}, 8);
    holds(&load_arg("{buffer: {type: uint2, count: 2, fill: 5}}")->values, VALUE_U32,
          (uint32_t[]){5, 5, 5, 5}, 4);
    ck_assert_uint_eq(load_arg("{buffer: {type: char16, count: 2}}")->values.count, 32);
}
END_TEST

START_TEST(structs_are_laid_out_as_in_c)
{
    struct sample {
        int8_t c;
        int32_t i;
        int16_t s;
        double d;
        int8_t end;
    } sample = {0};
    memset(&sample, 0, sizeof sample);
    sample.c = -1;
    sample.i = 2;
    sample.s = 3;
    sample.d = 0.5;
    sample.end = 4;
    const struct scenario_arg *arg =
        load_arg("{struct: [{type: char, value: -1}, {type: int, value: 2}, {type: short, value: 3},"
                 " {type: double, value: 0.5}, {type: char, value: 4}]}");
    ck_assert_int_eq(arg->kind, SCENARIO_ARG_SCALAR);
    holds(&arg->values, VALUE_U8, &sample, sizeof sample);
    arg = load_arg("{struct: [{type: char, value: 1}, {type: float4, value: [1, 2, 3, 4]}]}");
    ck_assert_uint_eq(arg->values.count, 32);
}
END_TEST

START_TEST(local_and_same)
{
    ck_assert_uint_eq(load_arg("{local: 2KiB}")->local_bytes, 2048);
    load(PROGRAM "launch:\n- {kernel: a, global: 1, args: [{buffer: {type: int, count: 1}, name: x}]}\n"
                 "- {kernel: b, global: 1, args: [{same: x}]}\n");
    ck_assert_str_eq(scenario.launches[0].args[0].name, "x");
    ck_assert_str_eq(scenario.launches[1].args[0].same_as, "x");
    rejects(PROGRAM "launch:\n- {kernel: a, global: 1, args: [{same: x, name: x}]}\n",
            "t.yaml:4:40: ", "no buffer before", "'x'");
}
END_TEST

START_TEST(numbers_of_every_type_reach_their_ends)
{
    holds(&load_arg("{buffer: {type: char, values: [-128, 127]}}")->values, VALUE_I8, (int8_t[]){-128, 127},
          2);
    holds(&load_arg("{buffer: {type: ushort, values: [0, 65535]}}")->values, VALUE_U16,
          (uint16_t[]){0, 65535}, 2);
    holds(&load_arg("{buffer: {type: int, values: [-2147483648, 2147483647]}}")->values, VALUE_I32,
          (int32_t[]){INT32_MIN, INT32_MAX}, 2);
    holds(&load_arg("{buffer: {type: uint, values: [4294967295]}}")->values, VALUE_U32,
          (uint32_t[]){UINT32_MAX}, 1);
    holds(&load_arg("{buffer: {type: long, values: [-9223372036854775808, 9223372036854775807]}}")->values,
          VALUE_I64, (int64_t[]){INT64_MIN, INT64_MAX}, 2);
    holds(&load_arg("{buffer: {type: ulong, values: [18446744073709551615]}}")->values, VALUE_U64,
          (uint64_t[]){UINT64_MAX}, 1);
    holds(&load_arg("{buffer: {type: uint, values: [true, false]}}")->values, VALUE_U32, (uint32_t[]){1, 0},
          2);
}
END_TEST

START_TEST(floats_round_once)
{
    holds(&load_arg("{buffer: {type: float, values: [0.1, -0.0, inf, -.inf, 0x1p-149, 16777217]}}")->values,
          VALUE_F32, (float[]){0.1f, -0.0f, INFINITY, -INFINITY, 0x1p-149f, 16777216.0f}, 6);
    /* to double it would be a tie, to float it is above the tie */
    holds(&load_arg("{scalar: {type: float, value: 1.00000005960464477540}}")->values, VALUE_F32,
          (float[]){0x1.000002p0f}, 1);
    float nan_value;
    memcpy(&nan_value, load_arg("{scalar: {type: float, value: .nan}}")->values.data, sizeof nan_value);
    ck_assert(isnan(nan_value));
}
END_TEST

START_TEST(halves_round_to_even)
{
    /* bit patterns by the definition of binary16 */
    holds(
        &load_arg("{buffer: {type: half, values: [1, -2, 65504, 65519, 65520, 6.103515625e-5, "
                  "5.960464477539063e-8, 2.98e-8,"
                  " 1.00048828125, 1.00146484375, inf]}}")
             ->values,
        VALUE_F16,
        (uint16_t[]){0x3c00, 0xc000, 0x7bff, 0x7bff, 0x7c00, 0x0400, 0x0001, 0x0000, 0x3c00, 0x3c02, 0x7c00},
        11);
}
END_TEST

/* ---- expectations ----------------------------------------------------------------------- */

START_TEST(expectations_are_read)
{
    load(PROGRAM "launch:\n  - {kernel: k, global: 1, args: [{buffer: {type: short, count: 2, fill: 0}}]}\n"
                 "expect:\n  findings: [{id: null-read, line: 9}, {id: unreachable, kernel: k, follows: 9, "
                 "enough: false}]\n"
                 "  buffers: [{arg: 0, values: [1, -2]}, {launch: 0, arg: 0, type: uint, values: [3]}, {arg: "
                 "0, count: 2, fill: 4}]\n"
                 "  output: \"a\\nb\"\n  exit_status: 3\n");
    const struct scenario_expect *expect = &scenario.expect;
    ck_assert(expect->present);
    ck_assert_uint_eq(expect->finding_count, 2);
    ck_assert_str_eq(expect->findings[0].id, "null-read");
    ck_assert_uint_eq(expect->findings[0].line, 9);
    ck_assert_ptr_null(expect->findings[0].kernel);
    ck_assert_uint_eq(expect->findings[1].line, 0);
    ck_assert_str_eq(expect->findings[1].kernel, "k");
    ck_assert(!expect->findings[0].has_follows && !expect->findings[0].has_enough);
    ck_assert(expect->findings[1].has_enough && !expect->findings[1].enough);
    ck_assert(expect->findings[1].has_follows);
    ck_assert_uint_eq(expect->findings[1].follows, 9);
    ck_assert_uint_eq(expect->buffer_count, 3);
    holds(&expect->buffers[0].values, VALUE_I16, (int16_t[]){1, -2}, 2);
    holds(&expect->buffers[1].values, VALUE_U32, (uint32_t[]){3}, 1);
    holds(&expect->buffers[2].values, VALUE_I16, (int16_t[]){4, 4}, 2);
    ck_assert_str_eq(expect->output, "a\nb");
    ck_assert_int_eq(expect->exit_status, 3);
}
END_TEST

START_TEST(no_expectation_is_not_an_empty_one)
{
    load("orrery: 1\n");
    ck_assert(!scenario.expect.present);
    load("orrery: 1\nexpect: {findings: []}\n");
    ck_assert(scenario.expect.present);
    ck_assert_uint_eq(scenario.expect.finding_count, 0);
}
END_TEST

/* ---- print and parse back ------------------------------------------------------------------- */

START_TEST(everything_survives_printing)
{
    load(everything);
    survives_printing();
    ck_assert_uint_eq(scenario.schedule.seed, UINT64_MAX);
    ck_assert_str_eq(scenario.log_file, "out-%p.txt");
}
END_TEST

static void rejects_arg(const char *arg, unsigned column, const char *word, const char *other)
{
    char text[400], position[32];
    snprintf(text, sizeof text, PROGRAM "launch: [{kernel: k, global: 1, args: [\n%s]}]\n", arg);
    snprintf(position, sizeof position, "t.yaml:4:%u: ", column);
    rejects(text, position, word, other);
}

START_TEST(contents_are_read_from_files)
{
    FILE *file = fopen("check_scenario.bin", "w");
    ck_assert(file && fwrite("\1\2\3\4\5\6\7\10", 1, 8, file) == 8 && fclose(file) == 0);
    load(
        PROGRAM
        "launch:\n  - kernel: k\n    global: 1\n    args:\n      - {buffer: {type: ushort, count: 4, file: "
        "check_scenario.bin}}\n"
        "      - {image: {type: 1d, order: RGBA, data: UNSIGNED_INT8, size: 2, file: check_scenario.bin}}\n");
    survives_printing();
    const struct scenario_arg *args = scenario.launches[0].args;
    ck_assert(!args[0].uninitialised && ((const uint16_t *)args[0].values.data)[3] == 0x0807);
    ck_assert(!args[1].uninitialised && args[1].values.count == 8 &&
              ((const uint8_t *)args[1].values.data)[7] == 8);
    rejects_arg("{buffer: {type: int, count: 3, file: check_scenario.bin}}", 38,
                "found 8 bytes in 'check_scenario.bin'", "expected 12");
    rejects_arg("{buffer: {type: int, count: 1, file: check_scenario.bin}}", 38, "found more than 4 bytes",
                "expected 4");
    rejects_arg("{buffer: {type: int, count: 2, file: check_scenario.nowhere}}", 38, "check_scenario.nowhere",
                "can be read");
    rejects_arg("{buffer: {type: int, count: 2, fill: 1, file: check_scenario.bin}}", 47, "beside fill",
                "one of them");
    rejects_arg("{buffer: {type: int, count: 2, file: [1]}}", 38, "file", "can be read");
    remove("check_scenario.bin");
}
END_TEST

START_TEST(unwritten_bytes_and_offsets_survive_printing)
{
    load(PROGRAM
         "launch:\n  - kernel: k\n    global: 1\n    args:\n"
         "      - {buffer: {type: int, count: 4, fill: 1, unwritten: [0..3, 4..5, 12..15]}, name: b}\n"
         "      - {same: b, offset: 8}\n");
    survives_printing();
    const struct scenario_arg *args = scenario.launches[0].args;
    ck_assert_uint_eq(args[0].unwritten_count, 3);
    ck_assert(args[0].unwritten[1].low == 4 && args[0].unwritten[1].high == 6);
    ck_assert(args[0].unwritten[2].low == 12 && args[0].unwritten[2].high == 16);
    ck_assert(args[0].offset_bytes == 0 && args[1].offset_bytes == 8);
    rejects_arg("{buffer: {type: int, count: 1, fill: 1, unwritten: [0..4]}}", 53, "found byte 4", "has 4");
    rejects_arg("{buffer: {type: int, count: 2, fill: 1, unwritten: [4..7, 7..7]}}", 59, "'7..7'",
                "ascending");
    rejects_arg("{buffer: {type: int, count: 2, fill: 1, unwritten: [5..4]}}", 53, "'5..4'",
                "ranges of bytes");
    rejects_arg("{buffer: {type: int, count: 2, fill: 1, unwritten: [4]}}", 53, "'4'", "ranges of bytes");
    rejects_arg("{buffer: {type: int, count: 2, unwritten: [0..1]}}", 43, "unwritten", "no byte");
    rejects_arg("{scalar: {type: int, value: 1}, offset: 4}", 41, "offset", "beside no buffer");
}
END_TEST

START_TEST(a_launch_to_save_has_a_number_and_a_file)
{
    rejects("orrery: 1\nreport: {save_launch: l.yaml}\n", "t.yaml:2:23: ", "'l.yaml'", "3:launch.yaml");
    rejects("orrery: 1\nreport: {save_launch: \"0:l.yaml\"}\n", "t.yaml:2:23: ", "'0:l.yaml'", "from 1");
    rejects("orrery: 1\nreport: {save_launch: \"3:\"}\n", "t.yaml:2:23: ", "'3:'", "a file");
}
END_TEST

START_TEST(images_samplers_and_queues_survive_printing)
{
    load(PROGRAM "launch:\n  - kernel: k\n    global: 1\n    args:\n"
                 "      - {image: {type: 3d, order: RG, data: SNORM_INT16, size: [2, 1, 3], values: [5, "
                 "-7]}, name: picture}\n"
                 "      - {image: {type: 1d-array, order: DEPTH, data: FLOAT, size: [2, 1], access: read}}\n"
                 "      - {image: {type: 2d, order: RGB, data: UNORM_INT_101010, size: [4, 4], fill: 9, "
                 "access: write}}\n"
                 "      - {sampler: {addressing: mirrored-repeat, filter: linear, coordinates: normalized}}\n"
                 "      - {queue: own}\n      - {queue: default}\n      - {same: picture}\n"
                 "expect: {buffers: [{arg: 6, values: [5, -7, 0]}]}\n");
    survives_printing();
    const struct scenario_arg *args = scenario.launches[0].args;
    ck_assert(args[0].kind == SCENARIO_ARG_IMAGE && args[0].image.type == IMAGE_3D &&
              args[0].image.format->order == IMAGE_RG);
    ck_assert(args[0].image.size[0] == 2 && args[0].image.size[1] == 1 && args[0].image.size[2] == 3);
    ck_assert_uint_eq(args[0].values.count, 12);
    ck_assert_int_eq(args[0].values.type, VALUE_I16);
    ck_assert_int_eq(((const int16_t *)args[0].values.data)[1], -7);
    ck_assert_int_eq(((const int16_t *)args[0].values.data)[2], 0);
    ck_assert(args[1].uninitialised && args[1].read_only && args[1].values.type == VALUE_F32);
    ck_assert(!args[2].uninitialised && args[2].write_only && args[2].values.type == VALUE_U32 &&
              args[2].values.count == 16);
    const struct sampler sampler = sampler_unpack(args[3].sampler);
    ck_assert(sampler.addressing == ADDRESSING_MIRRORED_REPEAT && sampler.linear && sampler.normalized);
    ck_assert(args[4].kind == SCENARIO_ARG_QUEUE && args[4].own_queue && !args[5].own_queue &&
              args[6].kind == SCENARIO_ARG_IMAGE);
    ck_assert_int_eq(scenario.expect.buffers[0].values.type, VALUE_I16);
}
END_TEST

START_TEST(launches_survive_printing)
{
    load(PROGRAM
         "launch:\n"
         "  - kernel: k\n    device: 0/numa@1\n    global: [8, 2, 3]\n    local: [4, 1, 1]\n    offset: [0, "
         "9, 0]\n    args:\n"
         "      - {buffer: {type: float, values: [0.1, -0.0, inf, 1e-45]}, name: \"the \\\"x\\\"\"}\n"
         "      - {buffer: {type: int, count: 100000, fill: 3, values: []}}\n"
         "      - {buffer: {type: double, count: 5, access: write}}\n"
         "      - {buffer: null}\n      - {same: \"the \\\"x\\\"\"}\n      - {local: 17}\n"
         "      - {scalar: {type: half, value: 0.333}}\n      - {scalar: {type: int3, value: [1, -2, 3]}}\n"
         "      - {struct: [{type: char, value: 1}, {type: ulong, value: 0xffffffffffffffff}]}\n"
         "expect:\n  findings: [{id: null-read, line: 3, kernel: k}, {id: unreachable}]\n"
         "  buffers: [{arg: 0, values: [0.25, 1, nan]}, {arg: 1, count: 9, fill: 1}]\n  output: "
         "\"tab\\there\\n\"\n"
         "  placement: [{launch: 0, units: [4, 5]}]\n  counters: {hits: 3, l1:2.misses: \">=4\"}\n");
    float before[4];
    memcpy(before, scenario.launches[0].args[0].values.data, sizeof before);
    survives_printing();
    const struct scenario_launch *launch = &scenario.launches[0];
    ck_assert_uint_eq(launch->arg_count, 9);
    ck_assert_mem_eq(launch->args[0].values.data, before, sizeof before);
    ck_assert_uint_eq(launch->args[1].values.count, 100000);
    ck_assert_int_eq(((const int32_t *)launch->args[1].values.data)[99999], 3);
    ck_assert(launch->args[2].uninitialised && launch->args[2].write_only);
    ck_assert_uint_eq(launch->args[3].values.count, 0);
    ck_assert_uint_eq(launch->args[8].values.count, 16);
    ck_assert_str_eq(scenario.expect.output, "tab\there\n");
    ck_assert_str_eq(launch->device, "0/numa@1");
    ck_assert_uint_eq(scenario.expect.placements[0].units.count, 2);
    ck_assert_uint_eq(scenario.expect.placements[0].units.units[1], 5);
    const struct expect_counter *counter = scenario.expect.counters;
    ck_assert_uint_eq(scenario.expect.counter_count, 2);
    ck_assert(!counter[0].place && counter[0].counter == COUNTER_HITS &&
              counter[0].comparison == COMPARE_EQUAL);
    ck_assert_str_eq(counter[1].place, "l1:2");
    ck_assert_int_eq(counter[1].comparison, COMPARE_AT_LEAST);
    ck_assert_uint_eq(counter[1].value, 4);
    ck_assert(scenario_counts(&scenario) && !scenario_counters_file(&scenario));
}
END_TEST

START_TEST(numbers_do_not_follow_the_locale)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        return; /* not installed here */
    holds(&load_arg("{scalar: {type: float, value: 1.5}}")->values, VALUE_F32, (float[]){1.5f}, 1);
    survives_printing();
    setlocale(LC_ALL, "C");
}
END_TEST

/* ---- complaints -------------------------------------------------------------------------------- */

START_TEST(root_devices_are_a_list)
{
    load("orrery: 1\ndevice: {version: \"2.0\", name: base, topology: \"cu:3\"}\n"
         "devices:\n- {topology: \"numa:2 cu:2\"}\n- {name: second}\n- {topology: tiny, limits: "
         "{global_memory: 1MiB}}\n");
    ck_assert_uint_eq(scenario_root_count(&scenario), 3);
    const struct device_config *first = scenario_root(&scenario, 0), *second = scenario_root(&scenario, 1),
                               *third = scenario_root(&scenario, 2);
    ck_assert_ptr_eq(first, &scenario.device);
    ck_assert_uint_eq(first->topology.compute_units, 4);
    ck_assert_uint_eq(second->topology.compute_units, 3);
    ck_assert_uint_eq(third->topology.compute_units, 2);
    ck_assert_uint_eq(first->first_unit, 0);
    ck_assert_uint_eq(second->first_unit, 4);
    ck_assert_uint_eq(third->first_unit, 7);
    ck_assert_str_eq(first->name, "base");
    ck_assert_str_eq(second->name, "second");
    ck_assert_str_eq(third->name, "base");
    ck_assert_uint_eq(third->version_major, 2);
    ck_assert_uint_eq(third->max_allocation, 1 << 20); /* settled */
    ck_assert_uint_eq(first->max_allocation, 1 << 30);
    survives_printing();
    ck_assert_uint_eq(scenario_root_count(&scenario), 3);
    ck_assert_uint_eq(scenario_root(&scenario, 2)->first_unit, 7);
    option("topology", "cu:10");
    option("device-name", "all");
    ck_assert_uint_eq(scenario_root(&scenario, 2)->first_unit, 20);
    ck_assert_str_eq(scenario_root(&scenario, 2)->name, "all");

    rejects("orrery: 1\ndevices: {}\n", "t.yaml:2:10: ", "a mapping", "1 to 16 devices");
    rejects("orrery: 1\ndevices: []\n", "t.yaml:2:10: ", "a sequence", "1 to 16 devices");
    rejects("orrery: 1\ndevices: [{}, {topology: x}]\n", "t.yaml:2:26: ", "'x'", "character 1");
    rejects("orrery: 1\ndevices: [{}, {seed: 1}]\n", "t.yaml:2:16: ", "'seed'", "topology");
}
END_TEST

START_TEST(topologies_are_read_from_files)
{
    FILE *file = fopen("check_scenario.xml", "w");
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
          "<topology version=\"2.0\">\n"
          "<object type=\"Machine\" os_index=\"0\" cpuset=\"0x3\" complete_cpuset=\"0x3\" "
          "allowed_cpuset=\"0x3\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
          "allowed_nodeset=\"0x1\" gp_index=\"1\">\n"
          "<object type=\"Core\" os_index=\"0\" cpuset=\"0x3\" complete_cpuset=\"0x3\" "
          "nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"2\">\n"
          "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x3\" complete_cpuset=\"0x3\" "
          "nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"3\" "
          "local_memory=\"4096\"></object>\n"
          "<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" "
          "nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"4\"/>\n"
          "<object type=\"PU\" os_index=\"1\" cpuset=\"0x2\" complete_cpuset=\"0x2\" "
          "nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"5\"/>\n"
          "</object>\n"
          "</object>\n"
          "</topology>\n",
          file);
    fclose(file);
    load("orrery: 1\ndevice: {topology: {xml: check_scenario.xml}}\n");
    ck_assert_uint_eq(scenario.device.topology.compute_units, 1);
    survives_printing();
    option("topology", "xml:check_scenario.xml");
    remove("check_scenario.xml");
    option_rejects("topology", "xml:check_scenario.xml", "check_scenario.xml");
    rejects("orrery: 1\ndevice: {topology: {xml: a.xml}}\n", "t.yaml:2:26: ", "'a.xml'", "a.xml: No such");
    rejects("orrery: 1\ndevice: {topology: {xml: }}\n", "t.yaml:2:", "xml: found", "name of a file");
    rejects("orrery: 1\ndevice: {topology: {}}\n", "t.yaml:2:20: ", "a mapping", "name of a file");
    rejects("orrery: 1\ndevice: {topology: {yaml: x}}\n", "t.yaml:2:21: ", "'yaml'", "xml");
}
END_TEST

START_TEST(counters_are_on_or_off_or_a_file)
{
    ck_assert(!scenario_counts(&scenario));
    load("orrery: 1\nreport: {counters: on}\n");
    ck_assert(scenario_counts(&scenario));
    ck_assert_ptr_null(scenario_counters_file(&scenario));
    option("counters", "off");
    ck_assert(!scenario_counts(&scenario));
    option("counters", NULL);
    ck_assert(scenario_counts(&scenario));
    ck_assert_ptr_null(scenario_counters_file(&scenario));
    option("counters", "x.json");
    ck_assert_str_eq(scenario_counters_file(&scenario), "x.json");
}
END_TEST

START_TEST(file_that_is_no_scenario_is_refused)
{
    rejects("", "t.yaml:1:1: ", "found nothing", "orrery: 1");
    rejects("[1]", "t.yaml:1:1: ", "a sequence", "orrery, device, devices, schedule");
    rejects("hello", "t.yaml:1:1: ", "'hello'", "a mapping");
    rejects("name: x\n", "t.yaml:1:1: ", "'orrery' is missing", "orrery: 1");
    rejects("orrery: 2\n", "t.yaml:1:9: ", "'2'", "the only version");
    rejects("orrery: 1\nname: [\n", "t.yaml:3:1: ", "not YAML", ":");
    rejects("orrery: 1\n\tname: x\n", "t.yaml:2:", "not YAML", "");
}
END_TEST

START_TEST(rejects_unknown_keys_and_lists_the_legal_ones)
{
    rejects("orrery: 1\nchekcs: {}\n", "t.yaml:2:1: ", "'chekcs'",
            "schedule, checks, report, suppressions, faults, program");
    rejects("orrery: 1\ndevice:\n  limit: 3\n", "t.yaml:3:3: ", "'limit'",
            "limits, features, name, type, topology");
    rejects("orrery: 1\ndevice:\n  limits:\n    local: 3\n", "t.yaml:4:5: ", "'local'", "local_memory");
    rejects("orrery: 1\ndevice:\n  features: {fp8: on}\n", "t.yaml:3:14: ", "'fp8'", "fp16, fp64");
    rejects("orrery: 1\nschedule: {polcy: random}\n", "t.yaml:2:12: ", "'polcy'", "policy, seed, quantum");
    rejects("orrery: 1\nchecks: {bound: error}\n", "t.yaml:2:10: ", "'bound'",
            "bounds, alignment, rights, uninitialised, divergence");
    rejects("orrery: 1\nreport: {json_file: x}\n", "t.yaml:2:10: ", "'json_file'", "log, json");
    rejects("orrery: 1\nprogram: {file: x}\n", "t.yaml:2:11: ", "'file'", "source, text, spirv, options");
    rejects("orrery: 1\ndevice: {copy_capabilities: [cross-events]}\n",
            "t.yaml:2:29: ", "found 'cross-events'", "cross- with single-");
    rejects("orrery: 1\ndevice: {copy_capabilities: [single-waits, copy]}\n",
            "t.yaml:2:29: ", "copy_capabilities", "some of: single-events, ");
    rejects("orrery: 1\nexpect: {finding: x}\n", "t.yaml:2:10: ", "'finding'",
            "findings, buffers, placement, counters, output");
    rejects("orrery: 1\nexpect: {findings: [{id: misaligned, lin: 1}]}\n", "t.yaml:2:38: ", "'lin'",
            "id, line, kernel");
    rejects(PROGRAM "launch: [{kernl: x}]\n", "t.yaml:3:11: ", "'kernl'",
            "kernel, device, concurrent, global, local");
    rejects(PROGRAM "launch: [{kernel: x, global: 1, args: [{bufer: 1}]}]\n", "t.yaml:3:41: ", "'bufer'",
            "buffer, scalar, struct");
}
END_TEST

START_TEST(rejects_keys_given_twice)
{
    rejects("orrery: 1\nschedule:\n  seed: 1\n  policy: serial\n  seed: 2\n", "t.yaml:5:3: ", "'seed'",
            "first at line 3");
    rejects("orrery: 1\norrery: 1\n", "t.yaml:2:1: ", "twice", "line 1");
}
END_TEST

START_TEST(bad_value_is_refused_with_the_legal_ones)
{
    rejects("orrery: 1\nschedule: {policy: fifo}\n", "t.yaml:2:20: ", "'fifo'",
            "lockstep, serial, round-robin, reverse, random");
    rejects("orrery: 1\nschedule: {seed: -1}\n", "t.yaml:2:18: ", "'-1'", "0 to 18446744073709551615");
    rejects("orrery: 1\nschedule: {seed: 18446744073709551616}\n", "t.yaml:2:18: ", "expected", "0 to");
    rejects("orrery: 1\nschedule: {placement: here}\n", "t.yaml:2:23: ", "'here'",
            "round-robin, block, numa, script");
    rejects("orrery: 1\nschedule: {placement_script: [1, x]}\n", "t.yaml:2:30: ", "'1,x'", "0 to 4095");
    rejects("orrery: 1\nschedule: {placement_script: [4096]}\n", "t.yaml:2:30: ", "'4096'", "0 to 4095");
    rejects("orrery: 1\nschedule: {quantum: 0}\n", "t.yaml:2:21: ", "'0'", "1 to 1000000");
    rejects("orrery: 1\nschedule: {timeout: soon}\n", "t.yaml:2:21: ", "'soon'", "seconds");
    rejects("orrery: 1\nschedule: {policy: [serial]}\n", "t.yaml:2:20: ", "a sequence", "one value");
    rejects("orrery: 1\nschedule: {policy: }\n", "t.yaml:2:", "''", "lockstep");
    rejects("orrery: 1\nschedule: random\n", "t.yaml:2:11: ", "'random'",
            "a mapping with these keys: script, policy");
    rejects("orrery: 1\nchecks: {bounds: fatal}\n", "t.yaml:2:18: ", "'fatal'", "off, warning, error");
    rejects("orrery: 1\nreport: {quiet: maybe}\n", "t.yaml:2:17: ", "'maybe'", "true, false");
    rejects("orrery: 1\nreport: {error_exitcode: 256}\n", "t.yaml:2:26: ", "'256'", "0 to 255");
    rejects("orrery: 1\ndevice: {type: fpga}\n", "t.yaml:2:16: ", "'fpga'", "cpu, gpu, accelerator, custom");
    rejects("orrery: 1\ndevice: {version: \"1.1\"}\n", "t.yaml:2:19: ", "'1.1'", "1.2, 2.0, 2.1, 2.2 or 3.0");
    rejects("orrery: 1\ndevice: {topology: \"numa:2 cx:2\"}\n", "t.yaml:2:20: ", "'numa:2 cx:2'",
            "character 8: found 'cx'");
    rejects("orrery: 1\ndevice: {topology: \"cu:0\"}\n", "t.yaml:2:20: ", "'cu:0'", "1 to 4096");
    rejects("orrery: 1\ndevice: {sub_group_sizes: [32, 0]}\n", "t.yaml:2:27: ", "'32,0'", "each 1 to 128");
    rejects("orrery: 1\ndevice: {sub_group_sizes: []}\n", "t.yaml:2:27: ", "expected", "1 to 8 numbers");
    rejects("orrery: 1\ndevice: {limits: {work_item_sizes: [1, 2]}}\n", "t.yaml:2:36: ", "'1,2'",
            "3 numbers");
    rejects("orrery: 1\ndevice: {limits: {local_memory: 64KB}}\n", "t.yaml:2:33: ", "'64KB'", "64KiB");
    rejects("orrery: 1\ndevice: {limits: {local_memory: 0}}\n", "t.yaml:2:33: ", "'0'", "1 to");
    rejects("orrery: 1\ndevice: {limits: {global_memory: 99999999999GiB}}\n", "t.yaml:2:34: ", "expected",
            "GiB");
}
END_TEST

START_TEST(rejects_impossible_launches)
{
    rejects("orrery: 1\nlaunch: [{kernel: k, global: 1}]\n", "t.yaml:2:9: ", "no 'program'", "launch");
    rejects(PROGRAM "launch: k\n", "t.yaml:3:9: ", "'k'", "a sequence");
    rejects(PROGRAM "launch: [{global: 1}]\n", "t.yaml:3:10: ", "'kernel' is missing", "kernel");
    rejects(PROGRAM "launch: [{kernel: k}]\n", "t.yaml:3:10: ", "'global' is missing", "1 to 3");
    rejects(PROGRAM "launch: [{kernel: k, global: [1, 2, 3, 4]}]\n", "t.yaml:3:30: ", "a sequence",
            "1 to 3 numbers");
    rejects(PROGRAM "launch: [{kernel: k, concurrent: true, global: 1}]\n", "t.yaml:3:34: ", "concurrent",
            "before the first");
    rejects(PROGRAM "launch: [{kernel: k, concurrent: both, global: 1}]\n", "t.yaml:3:34: ", "'both'",
            "true or false");
    rejects(PROGRAM "launch: [{kernel: k, global: [1, x]}]\n", "t.yaml:3:34: ", "'x'", "0 to");
    rejects(PROGRAM "launch: [{kernel: k, global: [1, 2], local: [1]}]\n", "t.yaml:3:45: ", "found 1 numbers",
            "global has 2");
    rejects(PROGRAM "launch: [{kernel: k, global: 1, args: 3}]\n", "t.yaml:3:39: ", "'3'",
            "a sequence of arguments");
    rejects(PROGRAM "launch: [{kernel: k, global: 1, args: [{}]}]\n", "t.yaml:3:40: ", "exactly one of",
            "buffer, scalar, struct, local, same");
    rejects(PROGRAM "launch: [{kernel: k, global: 1, args: [{local: 4, same: x}]}]\n",
            "t.yaml:3:40: ", "several", "exactly one of");
}
END_TEST

START_TEST(rejects_impossible_arguments)
{
    rejects_arg("{buffer: {count: 1}}", 10, "'type' is missing", "char, uchar");
    rejects_arg("{buffer: {type: integer, count: 1}}", 17, "'integer'", "char, uchar, short");
    rejects_arg("{buffer: {type: int5, count: 1}}", 17, "'int5'", "2, 3, 4, 8 or 16");
    rejects_arg("{buffer: {type: int}}", 10, "'count' or 'values'", "size");
    rejects_arg("{buffer: {type: int, count: 1, values: [1, 2]}}", 40, "found 2", "count is 1");
    rejects_arg("{buffer: {type: int2, values: [1, 2, 3]}}", 31, "found 3", "multiple of 2");
    rejects_arg("{buffer: {type: int, values: [1, 2.5]}}", 34, "'2.5'", "int: -2147483648 to 2147483647");
    rejects_arg("{buffer: {type: uchar, values: [256]}}", 33, "'256'", "uchar: 0 to 255");
    rejects_arg("{buffer: {type: char, values: [-129]}}", 32, "'-129'", "-128 to 127");
    rejects_arg("{buffer: {type: uint, fill: -1, count: 1}}", 29, "'-1'", "0 to 4294967295");
    rejects_arg("{buffer: {type: float, fill: one, count: 1}}", 30, "'one'", "a float such as");
    rejects_arg("{buffer: {type: double, count: 999999999}}", 10, "999999999", "at most");
    rejects_arg("{buffer: {type: int, count: 1, access: all}}", 40, "'all'", "read, write or read-write");
    rejects_arg("{scalar: {type: int}}", 10, "'value' is missing", "value");
    rejects_arg("{scalar: {type: int4, value: [1, 2]}}", 30, "found 2", "multiple of 4");
    rejects_arg("{struct: 3}", 10, "'3'", "a sequence of members");
    rejects_arg("{local: lots}", 9, "'lots'", "4KiB");
    rejects_arg("{same: nobody}", 8, "'nobody'", "no buffer before");
    rejects_arg("5", 1, "'5'", "buffer, scalar");
    rejects_arg("{image: 3}", 9, "image", "mapping");
    rejects_arg("{image: {order: R, data: FLOAT, size: 1}}", 9, "'type' is missing",
                "1d, 1d-buffer, 1d-array, 2d, 2d-array, 3d");
    rejects_arg("{image: {type: 4d, order: R, data: FLOAT, size: 1}}", 16, "'4d'", "2d-array");
    rejects_arg("{image: {type: 1d, order: r, data: FLOAT, size: 1}}", 27, "'r'", "R, A, RG, RA");
    rejects_arg("{image: {type: 1d, order: R, data: float, size: 1}}", 36, "'float'", "UNORM_INT8, ");
    rejects_arg("{image: {type: 1d, order: RGB, data: FLOAT, size: 1}}", 38, "no images", "RGB and FLOAT");
    rejects_arg("{image: {type: 2d, order: R, data: FLOAT}}", 9, "'size' is missing", "2 numbers");
    rejects_arg("{image: {type: 2d, order: R, data: FLOAT, size: 4}}", 49, "found 1 numbers",
                "image2d_t has 2");
    rejects_arg("{image: {type: 2d, order: R, data: FLOAT, size: [4, 0]}}", 49, "found 0", "1 to 1048576");
    rejects_arg("{image: {type: 2d, order: RG, data: FLOAT, size: [1, 1], values: [1, 2, 3]}}", 66, "found 3",
                "there are 2");
    rejects_arg("{image: {type: 1d, order: R, data: SIGNED_INT8, size: 1, fill: 128}}", 64, "'128'",
                "-128 to 127");
    rejects_arg("{image: {type: 1d, order: RGB, data: UNORM_SHORT_565, size: 1, values: [0, 1]}}", 72,
                "found 2", "there are 1");
    rejects_arg("{image: {type: 1d, order: R, data: FLOAT, size: 1, access: all}}", 60, "'all'",
                "read-write");
    rejects_arg("{sampler: {filter: linear, coordinates: pixels}}", 11, "'addressing' is missing",
                "clamp-to-edge");
    rejects_arg("{sampler: {addressing: clamp, filter: cubic, coordinates: pixels}}", 39, "'cubic'",
                "nearest, linear");
    rejects_arg("{sampler: {addressing: repeat, filter: linear, coordinates: pixels}}", 24, "repeat",
                "normalized");
    rejects_arg("{queue: 3}", 9, "'3'", "default");
}
END_TEST

START_TEST(rejects_impossible_expectations)
{
    rejects("orrery: 1\nexpect: {findings: 3}\n", "t.yaml:2:20: ", "'3'", "a sequence of findings");
    rejects("orrery: 1\nexpect: {findings: [{line: 3}]}\n", "t.yaml:2:21: ", "'id' is missing",
            "orrery-findings(7)");
    rejects("orrery: 1\nexpect: {findings: [{id: unaligned}]}\n", "t.yaml:2:26: ", "'unaligned'",
            "perhaps misaligned");
    rejects("orrery: 1\nsuppressions: {id: misaligned}\n", "t.yaml:2:15: ", "a mapping",
            "a sequence of suppressions");
    rejects("orrery: 1\nsuppressions: [{id: nothing-*}]\n", "t.yaml:2:21: ", "'nothing-*'", "orrery explain");
    rejects("orrery: 1\nsuppressions: [{line: 3}]\n", "t.yaml:2:16: ", "'id' is missing", "\"*\"");
    rejects("orrery: 1\nfaults: {fail: build}\n", "t.yaml:2:9: ", "a mapping", "a sequence of faults");
    rejects("orrery: 1\nfaults: [{fail: nothing}]\n", "t.yaml:2:17: ", "'nothing'",
            "allocation, build, enqueue");
    rejects("orrery: 1\nfaults: [{fail: build, error: CL_NO}]\n", "t.yaml:2:31: ", "'CL_NO'",
            "the name of an error");
    rejects("orrery: 1\nfaults: [{fail: build, nth: 0}]\n", "t.yaml:2:29: ", "'0'", "1 to");
    rejects("orrery: 1\nfaults: [{delay: 3}]\n", "t.yaml:2:10: ", "a mapping", "{delay: NS, command: N}");
    rejects("orrery: 1\nfaults: [{lose_device: 3, error: CL_OUT_OF_RESOURCES}]\n",
            "t.yaml:2:10: ", "a mapping", "lose_device");
    rejects("orrery: 1\nfaults: [{lose_device: 3, device: x}]\n", "t.yaml:2:35: ", "'x'",
            "the name of a root device");
    rejects("orrery: 1\nfaults: [{fail: build, device: x}]\n", "t.yaml:2:10: ", "a mapping", "lose_device");
    rejects("orrery: 1\nfaults: [{lose: 3}]\n", "t.yaml:2:11: ", "'lose'", "lose_device");
    rejects("orrery: 1\nreport: {suppressions: nowhere.yaml}\n", "t.yaml:2:24: ", "nowhere.yaml",
            "cannot be read");
    rejects("orrery: 1\nexpect: {findings: [{id: misaligned, line: y}]}\n", "t.yaml:2:44: ", "'y'",
            "0 to 4294967295");
    rejects("orrery: 1\nexpect: {buffers: [{arg: 0, values: [1]}]}\n", "t.yaml:2:20: ", "launch",
            "less than 0");
    rejects("orrery: 1\nexpect: {buffers: [{values: [1]}]}\n", "t.yaml:2:20: ", "'arg' is missing",
            "argument");
    rejects("orrery: 1\nexpect: {exit_status: -1}\n", "t.yaml:2:23: ", "'-1'", "0 to 255");
    rejects(
        PROGRAM
        "launch: [{kernel: k, global: 1, args: [{local: 4}]}]\nexpect:\n  buffers: [{arg: 1, values: [1]}]\n",
        "t.yaml:5:13: ", "found 1", "1 arguments");
    rejects(
        PROGRAM
        "launch: [{kernel: k, global: 1, args: [{local: 4}]}]\nexpect:\n  buffers: [{arg: 0, values: [1]}]\n",
        "t.yaml:5:13: ", "found 0", "not a buffer");
    rejects(PROGRAM "launch: [{kernel: k, global: 1, args: [{buffer: {type: int, count: 1}}]}]\nexpect:\n  "
                    "buffers: [{arg: 0, count: 1}]\n",
            "t.yaml:5:13: ", "'values' or 'fill'", "expected");
}
END_TEST

START_TEST(a_failed_load_leaves_the_defaults)
{
    rejects("orrery: 1\nname: x\nschedule: {seed: 4, policy: z}\n", "t.yaml:3:", "'z'", "");
    ck_assert_ptr_null(scenario.name);
    ck_assert_uint_eq(scenario.schedule.seed, 0);
    ck_assert_int_eq(scenario_load_file(&scenario, "/nonexistent/x.yaml", NULL), STATUS_IO);
    ck_assert_int_eq(scenario_load_file(&scenario, "/", NULL), STATUS_IO);
}
END_TEST

START_TEST(files_are_read)
{
    char path[] = "/tmp/orrery-scenario-XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, "orrery: 1\nname: f\n", 18), 18);
    close(file);
    ck_assert_int_eq(scenario_load_file(&scenario, path, &diagnosis), STATUS_OK);
    ck_assert_str_eq(scenario.name, "f");
    ck_assert_str_eq(scenario.file, path);
    unlink(path);
}
END_TEST

START_TEST(suppressions_of_several_files_add_up)
{
    char path[] = "/tmp/orrery-suppressions-XXXXXX";
    static const char text[] = "- {id: misaligned}\n- {id: null-read, kernel: k}\n";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    load("orrery: 1\nsuppressions: [{id: unreachable}]\n");
    option("suppressions", path);
    option("suppressions", path);
    ck_assert_uint_eq(scenario.suppression_count, 5);
    ck_assert_str_eq(scenario.suppressions[0].origin, "t.yaml:2");
    ck_assert_str_eq(scenario.suppressions[4].id, "null-read");
    ck_assert_str_eq(scenario.suppressions[4].origin + strlen(path), ":2");
    unlink(path);
}
END_TEST

/* ---- options ---------------------------------------------------------------------------------------- */

START_TEST(options_set_the_fields_of_keys)
{
    option("seed", "7");
    ck_assert_uint_eq(scenario.schedule.seed, 7);
    option("schedule", "random");
    ck_assert_int_eq(scenario.schedule.policy, SCHEDULE_RANDOM);
    option("max_steps", "12");
    ck_assert_uint_eq(scenario.schedule.max_steps, 12);
    option("local-mem-size", "1KiB");
    ck_assert_uint_eq(scenario.device.local_memory, 1024);
    option("compute-units", "5");
    ck_assert_uint_eq(scenario.device.topology.compute_units, 5);
    option("topology", "cu:6");
    ck_assert_uint_eq(scenario.device.topology.compute_units, 6);
    option("sub-group-sizes", "16, 8");
    ck_assert_uint_eq(scenario.device.sub_group_sizes[1], 8);
    option("build-options", "-DA -DB");
    ck_assert_str_eq(scenario.build_options, "-DA -DB");
    option("global-mem-size", "1MiB");
    ck_assert_uint_eq(scenario.device.max_allocation, 1 << 20);
}
END_TEST

START_TEST(bare_switches_enable)
{
    option("uninitialized", "");
    ck_assert_int_eq(scenario.checks[CHECK_UNINITIALISED], SEVERITY_ERROR);
    option("uninitialized", "warning");
    ck_assert_int_eq(scenario.checks[CHECK_UNINITIALISED], SEVERITY_WARNING);
    option("uninitialized", "0");
    ck_assert_int_eq(scenario.checks[CHECK_UNINITIALISED], SEVERITY_OFF);
    option("check-api", "1");
    ck_assert_int_eq(scenario.checks[CHECK_API], SEVERITY_ERROR);
    option("check-bounds", "off");
    ck_assert_int_eq(scenario.checks[CHECK_BOUNDS], SEVERITY_OFF);
    option("keep-exit-code", NULL);
    ck_assert(scenario.keep_exit_code);
    option("keep-exit-code", "0");
    ck_assert(!scenario.keep_exit_code);
}
END_TEST

/* ---- sets of checks ----------------------------------------------------------------- */

static char *looked_for(void)
{
    static char text[400];
    FILE *stream = fmemopen(text, sizeof text, "w");
    checks_print(scenario.checks, stream);
    fclose(stream);
    return text;
}

START_TEST(a_list_of_checks_is_the_same_everywhere)
{
    static const struct {
        const char *list, *on;
    } rows[] = {
        {"all", "all"},
        {"none", "none"},
        {"fast", "bounds,alignment,rights,divergence,atomics,progress"},
        {"races", "races"},
        {"data-races", "races"},
        {"races, bounds", "bounds,races"},
        {"uninitialized", "uninitialised"},
        {"uninitialised", "uninitialised"},
        {"api", "api"},
        {"all,api", "all,api"},
        {"no-races", "bounds,alignment,rights,uninitialised,divergence,atomics,progress,misuse"},
        {"all,no-races,no-uninitialized,no-misuse", "bounds,alignment,rights,divergence,atomics,progress"},
        {"fast,races", "bounds,alignment,rights,divergence,races,atomics,progress"},
        {"races=warning", "races"},
        {"races,none", "none"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        option("checks", rows[i].list);
        ck_assert_str_eq(looked_for(), rows[i].on);
        snprintf(text, sizeof text, "orrery: 1\nchecks: \"%s\"\n", rows[i].list);
        load(text);
        ck_assert_str_eq(looked_for(), rows[i].on);
        snprintf(text, sizeof text, "orrery: 1\nchecks: [%s]\n", rows[i].list);
        load(text);
        ck_assert_str_eq(looked_for(), rows[i].on);
        snprintf(text, sizeof text, "orrery: 1\nchecks: {profile: \"%s\"}\n", rows[i].list);
        load(text);
        ck_assert_str_eq(looked_for(), rows[i].on);
        survives_printing();
        ck_assert_str_eq(looked_for(), rows[i].on);
    }
    option("checks", "all,races=warning");
    ck_assert_int_eq(scenario.checks[CHECK_RACES], SEVERITY_WARNING);
}
END_TEST

START_TEST(profile_is_applied_before_single_checks)
{
    load("orrery: 1\nchecks: {races: warning, profile: none}\n");
    ck_assert_str_eq(looked_for(), "races");
    ck_assert_int_eq(scenario.checks[CHECK_RACES], SEVERITY_WARNING);
    load("orrery: 1\nchecks: {uninitialized: error, fast: true}\n");
    ck_assert_str_eq(looked_for(), "bounds,alignment,rights,uninitialised,divergence,atomics,progress");
    option("fast", NULL);
    ck_assert_str_eq(looked_for(), "bounds,alignment,rights,divergence,atomics,progress");
    option("fast", "off");
    ck_assert_str_eq(looked_for(), "all");
}
END_TEST

START_TEST(colour_and_limits_are_read_and_printed)
{
    load("orrery: 1\nreport: {color: always}\nschedule: {timeout: 0, max_steps: 0}\n");
    ck_assert_int_eq(scenario.colour, COLOUR_ALWAYS);
    scenario_limit(&scenario);
    ck_assert(scenario.schedule.timeout_seconds == 0 && scenario.schedule.max_steps == 0);
    survives_printing();
    ck_assert(scenario.schedule.timeout_stated && scenario.schedule.steps_stated &&
              scenario.colour == COLOUR_ALWAYS);
    option("colour", "never");
    ck_assert_int_eq(scenario.colour, COLOUR_NEVER);
    load("orrery: 1\n");
    survives_printing();
    ck_assert(!scenario.schedule.timeout_stated);
    scenario_limit(&scenario);
    ck_assert(scenario.schedule.timeout_seconds == 10 && scenario.schedule.max_steps == 20000000);
    option_rejects("color", "red", "auto, always, never");
}
END_TEST

START_TEST(a_wrong_list_changes_nothing)
{
    static const char *const wrong[] = {"",        "race",        "races,", "races=loud", "no-races=error",
                                        "no-none", "all no-races"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        option_rejects("checks", wrong[i], "all, fast, none, or a list of bounds, alignment");
        ck_assert_str_eq(looked_for(), "all");
    }
    rejects("orrery: 1\nchecks: race\n", "t.yaml:2:9: ", "race", "no-NAME");
}
END_TEST

/* An option, its other names and its key in a scenario are names of one thing, and are taken everywhere. */
START_TEST(each_name_of_a_thing_is_taken_everywhere)
{
    static const char *const checks[][4] = {
        {"uninitialised", "uninitialized", "check-uninitialised", "check-uninitialized"},
        {"races", "data-races", "check-races", "check-data-races"},
    };
    static const enum check which[] = {CHECK_UNINITIALISED, CHECK_RACES};
    char text[200];
    for (int i = 0; i < 2; i++) {
        for (int n = 0; n < 4; n++) {
            option("checks", "none");
            option(checks[i][n], "warning");
            ck_assert_int_eq(scenario.checks[which[i]], SEVERITY_WARNING);
            snprintf(text, sizeof text, "orrery: 1\nchecks: {%s: warning}\n", checks[i][n]);
            for (char *c = text; *c; c++)
                *c = *c == '-' ? '_' : *c;
            load(text);
            ck_assert_int_eq(scenario.checks[which[i]], SEVERITY_WARNING);
        }
    }
    load("orrery: 1\nreport: {max_errors: 3}\ndevice: {limits: {max_wgsize: 64}}\n");
    ck_assert(scenario.max_findings == 3 && scenario.device.max_work_group_size == 64);
    option("max-findings", "4");
    option("work-group-size", "32");
    ck_assert(scenario.max_findings == 4 && scenario.device.max_work_group_size == 32);
    option("max-errors", "5");
    option("max-wgsize", "16");
    ck_assert(scenario.max_findings == 5 && scenario.device.max_work_group_size == 16);
    rejects("orrery: 1\nchecks: {races: error, data_races: error}\n", "t.yaml:2:24: ", "is there twice",
            "data_races");
}
END_TEST

START_TEST(options_are_checked_like_keys)
{
    option_rejects("hue", "red", "'hue'");
    option_rejects("seed", "x", "0 to 18446744073709551615");
    option_rejects("seed", "", "option seed: found ''");
    option_rejects("schedule", "fair", "lockstep, serial");
    option_rejects("error-exitcode", "300", "0 to 255");
    option_rejects("topology", "l3:2", "character 5: found the end");
    option_rejects("quiet", "perhaps", "true, false");
}
END_TEST

/* Each option has a variable of its own, and each row with an option is among them. */
START_TEST(the_option_table_is_complete)
{
    struct scenario_option one, other;
    size_t count = 0;
    for (; scenario_option(count, &one); count++) {
        char name[64];
        snprintf(name, sizeof name, "ORRERY_%s", one.name);
        for (char *c = name; *c; c++)
            *c = *c == '-' ? '_' : (*c >= 'a' && *c <= 'z') ? (char)(*c - 'a' + 'A') : *c;
        ck_assert_str_eq(one.variable, name);
        ck_assert(one.argument && *one.argument && one.help && *one.help);
        for (size_t i = 0; i < count; i++) {
            ck_assert(scenario_option(i, &other));
            ck_assert_str_ne(one.name, other.name);
        }
    }
    static const char *const wanted[] = {
        "uninitialized",
        "max-errors",
        "log",
        "build-options",
        "compute-units",
        "max-wgsize",
        "work-group-size",
        "max-findings",
        "checks",
        "fast",
        "check-misuse",
        "check-alignment",
        "global-mem-size",
        "constant-mem-size",
        "local-mem-size",
        "check-api",
        "check-rights",
        "seed",
        "schedule",
        "fail-on",
        "error-exitcode",
        "keep-exit-code",
        "expect-kernels",
        "timeout",
        "json",
        "sarif",
        "dot",
        "suppressions",
        "gen-suppressions",
        "baseline",
        "update-baseline",
        "quiet",
        "max-steps",
        "topology",
        "device-type",
        "device-version",
        "max-alloc-size",
        "data-races",
    };
    for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++) {
        bool found = false;
        for (size_t i = 0; scenario_option(i, &one); i++)
            found |= strcmp(one.name, wanted[w]) == 0;
        ck_assert_msg(found, "no option %s", wanted[w]);
    }
}
END_TEST

START_TEST(value_types_have_names_and_sizes)
{
    enum value_type type;
    for (int i = VALUE_I8; i <= VALUE_F64; i++) {
        ck_assert(value_type_from_name(value_type_name((enum value_type)i), &type));
        ck_assert_int_eq(type, i);
    }
    ck_assert_uint_eq(value_type_size(VALUE_I8), 1);
    ck_assert_uint_eq(value_type_size(VALUE_F16), 2);
    ck_assert_uint_eq(value_type_size(VALUE_U32), 4);
    ck_assert_uint_eq(value_type_size(VALUE_F64), 8);
    ck_assert(!value_type_from_name("size_t", &type));
    ck_assert_str_eq(schedule_policy_name(SCHEDULE_ROUND_ROBIN), "round-robin");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        defaults_are_those_of_the_header,
        defaults_of_the_run,
        smallest_scenario_is_the_defaults,
        every_key_of_device_is_read,
        every_key_of_the_run_is_read,
        a_script_is_read_and_printed,
        a_policy_wants_its_script_or_replay,
        invalid_script_step_is_refused,
        replay_sets_the_schedule,
        program_is_source_or_spirv,
        max_allocation_never_exceeds_the_memory,
        launch_ranges_are_read,
        a_launch_is_checked_when_both_filters_allow_it,
        invalid_launch_filter_is_refused,
        buffers_are_filled,
        buffers_may_be_null_or_guarded,
        vectors_are_their_elements,
        structs_are_laid_out_as_in_c,
        local_and_same,
        numbers_of_every_type_reach_their_ends,
        floats_round_once,
        halves_round_to_even,
        expectations_are_read,
        no_expectation_is_not_an_empty_one,
        everything_survives_printing,
        launches_survive_printing,
        images_samplers_and_queues_survive_printing,
        contents_are_read_from_files,
        unwritten_bytes_and_offsets_survive_printing,
        a_launch_to_save_has_a_number_and_a_file,
        numbers_do_not_follow_the_locale,
        root_devices_are_a_list,
        topologies_are_read_from_files,
        counters_are_on_or_off_or_a_file,
        file_that_is_no_scenario_is_refused,
        rejects_unknown_keys_and_lists_the_legal_ones,
        rejects_keys_given_twice,
        bad_value_is_refused_with_the_legal_ones,
        rejects_impossible_launches,
        rejects_impossible_arguments,
        rejects_impossible_expectations,
        a_failed_load_leaves_the_defaults,
        files_are_read,
        suppressions_of_several_files_add_up,
        options_set_the_fields_of_keys,
        bare_switches_enable,
        a_list_of_checks_is_the_same_everywhere,
        profile_is_applied_before_single_checks,
        a_wrong_list_changes_nothing,
        colour_and_limits_are_read_and_printed,
        each_name_of_a_thing_is_taken_everywhere,
        options_are_checked_like_keys,
        the_option_table_is_complete,
        value_types_have_names_and_sizes,
    };
    Suite *suite = suite_create("scenario");
    TCase *tcase = tcase_create("scenario");
    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
