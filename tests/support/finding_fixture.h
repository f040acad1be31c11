/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  For tests of what the checks `api` and `misuse` find: findings are read through the control API,
 *          as a test
 * suite would.
 *
 * Interface
 *   finding_set_up    cl_set_up with checks: {api: warning, misuse: warning}
 *   findings_of(id)   how many distinct ones
 *   finding_last(id)  the last of them; the test fails when there is none
 */
#ifndef ORRERY_TESTS_SUPPORT_FINDING_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_FINDING_FIXTURE_H
#include "fail_at.h"
#include "cl_fixture.h"
#include "orrery/orrery.h"

static orrery_finding_count_fn *finding_count;
static orrery_finding_count_of_fn *findings_of;
static orrery_finding_get_fn *finding_get;

static inline void finding_functions(void)
{
    void *const functions[] = {clGetExtensionFunctionAddressForPlatform(platform, "orrery_finding_count"),
                               clGetExtensionFunctionAddressForPlatform(platform, "orrery_finding_count_of"),
                               clGetExtensionFunctionAddressForPlatform(platform, "orrery_finding_get")};
    memcpy(&finding_count, &functions[0], sizeof functions[0]);
    memcpy(&findings_of, &functions[1], sizeof functions[1]);
    memcpy(&finding_get, &functions[2], sizeof functions[2]);
}

static inline void finding_set_up(void)
{
    setenv("ORRERY_CHECK_API", "warning", 1);
    setenv("ORRERY_CHECK_MISUSE", "warning", 1);
    setenv("ORRERY_KEEP_EXIT_CODE", "1", 1);
    setenv("ORRERY_LOG", "/dev/null", 0);
    cl_set_up();
    finding_functions();
}

/* "race-commands api-leak ", for failures. */
static inline const char *finding_ids(void)
{
    static char ids[1000];
    struct orrery_finding finding;
    ids[0] = '\0';
    for (size_t i = 0; i < finding_count(); i++)
        if (finding_get(i, &finding) == 0)
            snprintf(ids + strlen(ids), sizeof ids - strlen(ids), " %s", finding.id);
    return ids;
}

/* The last finding of that id, which has to be there. */
#define finding_last(wanted) finding_last_at(__FILE__, __LINE__, wanted)
static inline struct orrery_finding finding_last_at(const char *file, int line, const char *wanted)
{
    struct orrery_finding finding = {.id = ""}, last = {.id = ""};
    for (size_t i = 0; i < finding_count(); i++)
        if (finding_get(i, &finding) == 0 && strcmp(finding.id, wanted) == 0)
            last = finding;
    if (!last.id[0])
        fail_at(file, line, "found%s, expected %s", finding_count() ? finding_ids() : " nothing", wanted);
    return last;
}
#endif
