/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Runs a list of tests that share a fixture, each in a process of its own.
 *
 * Interface
 *   run_tests   the number of tests that fail. set_up and tear_down surround each of them; timeout_s 0: the
 *               default of Check
 */
#ifndef ORRERY_TESTS_SUPPORT_RUN_TESTS_H
#define ORRERY_TESTS_SUPPORT_RUN_TESTS_H

#include <check.h>
#include <stddef.h>

static inline int run_tests(const char *name, const TTest *const *tests, size_t count, void (*set_up)(void),
                            void (*tear_down)(void), double timeout_s)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    if (timeout_s > 0)
        tcase_set_timeout(tcase, timeout_s);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed;
}

#endif
