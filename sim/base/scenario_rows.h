/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The rows of scenario.def at run time, and the values of one scenario as
 *          text.  Shared by scenario.c, scenario_parse.c and scenario_print.c.
 *
 * Interface
 *   scenario_row_set     text -> field; says what was expected when it does not fit
 *   scenario_row_print   field -> text; false when there is nothing to say
 *   value_parse/print    one element of a value list
 *   value_parse_size           "64KiB"
 *   scenario_file_text   a whole file
 *   value_locale_begin   numbers mean the same whatever the program chose with setlocale
 */
#ifndef ORRERY_SIM_BASE_SCENARIO_ROWS_H
#define ORRERY_SIM_BASE_SCENARIO_ROWS_H

#include <locale.h>

#include "orrery/scenario.h"

enum row_type {
    ROW_STRING,
    ROW_BOOL,
    ROW_INT,
    ROW_UINT,
    ROW_ULONG,
    ROW_SIZE,
    ROW_SECONDS,
    ROW_SEVERITY,
    ROW_POLICY,
    ROW_THEN,
    ROW_PROGRESS,
    ROW_REPLAY,
    ROW_DEVICE_TYPE,
    ROW_ANSWERS,
    ROW_HIERARCHY,
    ROW_VERSION,
    ROW_TOPOLOGY,
    ROW_PLACEMENT,
    ROW_UNIT_LIST,
    ROW_SIZE_LIST,
    ROW_CAPABILITIES,
    ROW_TRIPLE,
    ROW_SCOPE_RULE,
    ROW_FAULTS,
    ROW_FIXES,
    ROW_COMPILER,
    ROW_CHECKS,
    ROW_FAST,
    ROW_COLOUR,
    ROW_SUPPRESSIONS,
    ROW_KERNELS,
    ROW_LAUNCHES,
    ROW_SAVED_LAUNCH
};

struct scenario_row {
    const char *section, *key;
    size_t offset;
    enum row_type type;
    uint64_t min, max;
    const char *option, *argument, *help;
};

enum { EXPECTED_CHARS = 300 };

const struct scenario_row *scenario_row(size_t index); /* NULL past the end */
/* The row that a key of a section means: by its key, its option, or another name of its option. NULL:
 * there is none. */
const struct scenario_row *scenario_row_named(const char *section, const char *key);
bool scenario_row_set(struct scenario *scenario, const struct scenario_row *row, const char *text,
                      char expected[EXPECTED_CHARS]);
bool scenario_row_print(const struct scenario *scenario, const struct scenario_row *row, FILE *stream);

/* One more root device, equal to the first; false: no memory. There is room for SCENARIO_OTHER_DEVICES. */
bool scenario_add_device(struct scenario *scenario);
/* The first device changes places with another, so that rows of `device` reach it. */
void scenario_swap_device(struct scenario *scenario, uint32_t other);

/* What follows from other settings: a buffer is never larger than the memory; compute units are numbered
 * through. */
void scenario_settle(struct scenario *scenario);

/* The text of a file without zero bytes, malloc'd; NULL when it cannot be read. */
char *scenario_file_text(const char *path);

bool value_parse_number(const char *text, uint64_t *out_value);
bool value_parse_size(const char *text, uint64_t *out_bytes);
void scenario_print_quoted(const char *text, FILE *stream);

bool value_parse(const char *text, enum value_type type, void *out_element);
void value_print(const void *element, enum value_type type, FILE *stream);
/* The legal values in words, for error texts. */
void value_expected(enum value_type type, char expected[EXPECTED_CHARS]);

/* "l1:0.misses" and ">0" of what is expected of counters. false: `expected` says what was; a place is kept
 * then, too. */
bool expect_counter_name(struct expect_counter *counter, const char *text, char expected[EXPECTED_CHARS]);
bool expect_counter_value(struct expect_counter *counter, const char *text, char expected[EXPECTED_CHARS]);
void expect_counter_print_name(const struct expect_counter *counter, FILE *stream);

/* --kernel and --launches. false: `expected` says what was. */
bool filter_set_kernels(char **kernels, const char *text, char expected[EXPECTED_CHARS]);
/* "3:FILE" */
bool saved_launch_set(char **field, const char *text, char expected[EXPECTED_CHARS]);
bool filter_set_launches(struct launch_range *launches, const char *text, char expected[EXPECTED_CHARS]);
void filter_print_launches(const struct launch_range *launches, FILE *stream);

struct plain_locale {
    locale_t plain, before;
};
struct plain_locale value_locale_begin(void);
void value_locale_end(struct plain_locale locale);

#endif
