/* SPDX-License-Identifier: Apache-2.0 */
/* Options and variables that set fields of a scenario, and sets of checks. */

#include "tests/support/scenario_fixture.h"

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

int main(void)
{
    const TTest *const tests[] = {
        options_set_the_fields_of_keys,
        bare_switches_enable,
        a_list_of_checks_is_the_same_everywhere,
        profile_is_applied_before_single_checks,
        a_wrong_list_changes_nothing,
        colour_and_limits_are_read_and_printed,
        each_name_of_a_thing_is_taken_everywhere,
        options_are_checked_like_keys,
        the_option_table_is_complete,
    };
    return scenario_failures("options", tests, sizeof tests / sizeof *tests) ? EXIT_FAILURE : EXIT_SUCCESS;
}
