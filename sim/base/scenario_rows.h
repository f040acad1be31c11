/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The rows of scenario.def at run time, and the values of one scenario as
 *          text: what the parser, the printer and the options share.
 *
 * Interface
 *   scenario_row_set     text -> field; false: it does not fit, and `expected` says what would
 *   scenario_row_print   field -> "key: text"; false: nothing to print
 *   value_parse/print    one element of a value list
 *   value_parse_size     "64KiB"
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
/* The row of a section that a key names: by the row's key, its option, or an alias of the option. NULL:
 * none. */
const struct scenario_row *scenario_row_named(const char *section, const char *key);
bool scenario_row_set(struct scenario *scenario, const struct scenario_row *row, const char *text,
                      char expected[EXPECTED_CHARS]);
/* Prints "key: text". false: the row is absent, prints elsewhere (suppressions, profiles of checks), or
 * only counts when it was stated. */
bool scenario_row_print(const struct scenario *scenario, const struct scenario_row *row, FILE *stream);
/* The text alone, without the key. */
void scenario_row_print_value(const struct scenario *scenario, const struct scenario_row *row, FILE *stream);
bool scenario_row_is_text(const struct scenario_row *row); /* the field owns a malloc'd text, or is NULL */
bool scenario_row_is_list(const struct scenario_row *row); /* the text is a list with commas */
bool scenario_row_is_absent(const struct scenario *scenario, const struct scenario_row *row);
void scenario_rows_free_texts(struct scenario *scenario);
/* "yes", "off", "1"...; false: the text is no such word. */
bool scenario_row_truth(const char *text, bool *out_truth);

/* Adds a root device equal to the first; false: out of memory. At most SCENARIO_OTHER_DEVICES can be
 * added. */
bool scenario_add_device(struct scenario *scenario);
/* Swaps the first device and another one, so that rows of `device` reach the other. */
void scenario_swap_device(struct scenario *scenario, uint32_t other);

/* Computes the settings that follow from others: the policy of a replay, the sizes of memory and of the
 * largest buffer, and the first compute unit of each root device. */
void scenario_settle(struct scenario *scenario);

/* The text of a file, malloc'd; NULL: it cannot be read, or has a zero byte. */
char *scenario_file_text(const char *path);

bool value_parse_number(const char *text, uint64_t *out_value);
bool value_parse_size(const char *text, uint64_t *out_bytes);
void scenario_print_quoted(const char *text, FILE *stream);

bool value_parse(const char *text, enum value_type type, void *out_element);
void value_print(const void *element, enum value_type type, FILE *stream);
/* The legal values in words, for errors. */
void value_expected(enum value_type type, char expected[EXPECTED_CHARS]);

/* Parts of an expected counter: "l1:0.misses" and ">0". false: `expected` says what fits; the place may be
 * set all the same. */
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
