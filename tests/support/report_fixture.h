/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Common to the tests of reports: a report of its own for each test, which writes into memory and
 *          takes every check for an error, findings to put into it, and the output.
 */
#ifndef ORRERY_TESTS_SUPPORT_REPORT_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_REPORT_FIXTURE_H

#include <check.h>
#include <jansson.h>

#include "orrery/report.h"

extern struct scenario scenario;
extern struct report *report;

struct finding race(void);             /* message passing with too narrow a scope */
struct finding race_with_update(void); /* its later access found 7, and left more than 16 bits */
/* a release and an acquire on different objects, and the finding that all may follow from */
struct finding race_with_steps(void);
struct finding overrun(uint32_t line);
/* an overrun but for its kind */
struct finding of_launch(enum finding_kind kind, uint32_t launch, uint32_t line);

void add(const struct finding finding);
const char *so_far(void); /* the text of what was added */
const char *summary(uint64_t kernels);
const char *the_end(void); /* the output at the end, without the summary */
char *written(void (*write)(FILE *, const struct report *)); /* free() it */
#define as_json(finding) as_json_at(__FILE__, __LINE__, finding)
json_t *as_json_at(const char *file, int line, const struct finding *finding);
const char *word(json_t *object, const char *key); /* of a member */
json_int_t number(json_t *object, const char *key);

int report_tests(const char *name, const TTest *const *tests, size_t count); /* what main returns */

#endif
