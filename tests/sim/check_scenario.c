/* SPDX-License-Identifier: Apache-2.0 */
/* Scenario files: defaults, every key, print and parse back. Refusals: check_scenario_refused.c. */
#include <unistd.h>

#include "tests/support/scenario_fixture.h"

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
    rejects("orrery: 1\nschedule: {placement: numa, placement_script: [1]}\n", "t.yaml:2:23: ", "'numa'",
            "script, or no placement");
    /* by the other names of the keys */
    rejects("orrery: 1\nschedule: {script: [], schedule: random}\n", "t.yaml:2:34: ", "'random'",
            "script, or no policy");
    rejects("orrery: 1\nschedule: {placement: numa, placement-script: [1]}\n", "t.yaml:2:23: ", "'numa'",
            "script, or no placement");
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

/* As escapes, a string can have each character but halves of pairs of UTF-16. */
START_TEST(every_character_survives_printing)
{
    enum { TOGETHER = 64 };
    for (uint32_t first = 0; first < 0x11000; first += TOGETHER) {
        char text[40 + TOGETHER * 10] = "orrery: 1\nname: \"", *end = text + strlen(text);
        for (uint32_t c = first ? first : 1; c < first + TOGETHER; c++)
            end += (c & 0x1ff800) == 0xd800 ? 0 : sprintf(end, "\\U%08x", c);
        strcpy(end, "\"\n");
        load(text);
        char *name = strdup(scenario.name ? scenario.name : "");
        survives_printing();
        ck_assert_str_eq(scenario.name ? scenario.name : "", name);
        ck_assert(first >= 0xd800 || strlen(name) >= TOGETHER - 1);
        free(name);
    }
}
END_TEST

START_TEST(a_name_of_the_first_device_alone_survives_printing)
{
    load("orrery: 1\ndevices:\n- {name: first, topology: \"cu:2\"}\n- {topology: \"cu:3\"}\n- {name: "
         "third}\n");
    survives_printing();
    ck_assert_str_eq(scenario_root(&scenario, 0)->name, "first");
    ck_assert_ptr_null(scenario_root(&scenario, 1)->name);
    ck_assert_str_eq(scenario_root(&scenario, 2)->name, "third");
    ck_assert_uint_eq(scenario_root(&scenario, 1)->topology.compute_units, 3);
}
END_TEST

/* ---- several devices, and files ------------------------------------------------------------------ */

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
    rejects("orrery: 1\ndevices: []\n", "t.yaml:2:10: ", "an empty sequence", "1 to 16 devices");
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
        expectations_are_read,
        no_expectation_is_not_an_empty_one,
        everything_survives_printing,
        every_character_survives_printing,
        a_name_of_the_first_device_alone_survives_printing,
        root_devices_are_a_list,
        topologies_are_read_from_files,
        counters_are_on_or_off_or_a_file,
        files_are_read,
        suppressions_of_several_files_add_up,
        value_types_have_names_and_sizes,
    };
    return scenario_failures("scenario", tests, sizeof tests / sizeof *tests) ? EXIT_FAILURE : EXIT_SUCCESS;
}
