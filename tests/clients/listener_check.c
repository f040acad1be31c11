/* SPDX-License-Identifier: Apache-2.0 */
/* Tests with findings and without, for the listener of Check. */
#include <orrery/listeners/check_listener.h>

#include "listeners.h"

START_TEST(right)
{
    launch("right");
}
END_TEST

START_TEST(beyond)
{
    launch("beyond");
}
END_TEST

START_TEST(provoked)
{
    launch("beyond");
    ck_assert_uint_eq(orrery_listener_take(NULL, 0), 1);
}
END_TEST

START_TEST(in_the_teardown)
{
}
END_TEST

static void finishes(void)
{
    launch("beyond");
}

int main(void)
{
    const TTest *const tests[] = {right, beyond, right, beyond, provoked};
    Suite *suite = suite_create("listener");
    TCase *tcase = tcase_create("listener"), *finishing = tcase_create("teardown");
    orrery_check_listen(tcase);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    orrery_check_listen(finishing);
    tcase_add_checked_fixture(finishing, NULL, finishes);
    tcase_add_test(finishing, in_the_teardown);
    suite_add_tcase(suite, finishing);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_VERBOSE);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
