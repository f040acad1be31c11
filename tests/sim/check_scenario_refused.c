/* SPDX-License-Identifier: Apache-2.0 */
/* Scenario files that are refused, each with the position, what was found and what is allowed. */
#include "tests/support/scenario_fixture.h"

START_TEST(file_that_is_no_scenario_is_refused)
{
    rejects("", "t.yaml:1:1: ", "found nothing", "orrery: 1");
    rejects("[1]", "t.yaml:1:1: ", "a sequence", "orrery, device, devices, schedule");
    rejects("hello", "t.yaml:1:1: ", "'hello'", "a mapping");
    rejects("name: x\n", "t.yaml:1:1: ", "'orrery' is missing", "orrery: 1");
    rejects("orrery: 2\n", "t.yaml:1:9: ", "'2'", "the only version");
    rejects("orrery: 1\nname: [\n", "t.yaml:3:1: ", "not YAML", ":");
    rejects("orrery: 1\n\tname: x\n", "t.yaml:2:1: not YAML: ", "found a tab", "only spaces indent");
    rejects("orrery: 1\nname: @x\n", "t.yaml:2:", "not YAML", "cannot start any token");
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
            "has no launches");
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

int main(void)
{
    const TTest *const tests[] = {
        file_that_is_no_scenario_is_refused,
        rejects_unknown_keys_and_lists_the_legal_ones,
        rejects_keys_given_twice,
        bad_value_is_refused_with_the_legal_ones,
        rejects_impossible_expectations,
        a_failed_load_leaves_the_defaults,
    };
    return scenario_failures("scenario: refused", tests, sizeof tests / sizeof *tests) ? EXIT_FAILURE
                                                                                       : EXIT_SUCCESS;
}
