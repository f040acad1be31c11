/* SPDX-License-Identifier: Apache-2.0 */
/* Which device an access was made on. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/report_fixture.h"

START_TEST(one_device_is_not_named)
{
    report_name_device(report, 1, "device 0 'big'");
    report_launch_runs(report, 7, 1);
    struct finding finding = race();
    finding.launch = 7;
    report_add(report, &finding);
    ck_assert_ptr_null(report_get(report, 0)->access[0].device);
}
END_TEST

START_TEST(of_several_devices_each_access_names_its_own)
{
    report_name_device(report, 1, "device 0 'big'");
    report_name_device(report, 2, "sub-device 1 of device 0 'big'");
    report_launch_runs(report, 7, 2);
    struct finding finding = race();
    finding.launch = 7;
    finding.access[1].device_id = 1; /* set by the caller */
    report_add(report, &finding);
    ck_assert_ptr_nonnull(
        strstr(so_far(), "work-group (0,0,0), compute unit 0, sub-device 1 of device 0 'big'\n"));
    ck_assert_ptr_nonnull(strstr(so_far(), "work-group (1,0,0), compute unit 1, device 0 'big'\n"));
    char *json = NULL;
    size_t size;
    FILE *lines = open_memstream(&json, &size);
    report_write_json(lines, report_get(report, 0));
    fclose(lines);
    ck_assert_ptr_nonnull(strstr(json, "\"device\":\"sub-device 1 of device 0 'big'\""));
    free(json);
    lines = open_memstream(&json, &size);
    report_write_sarif(lines, report, &(struct report_end){0});
    fclose(lines);
    ck_assert_ptr_nonnull(strstr(json, "sub-device 1 of device 0 'big'"));
    free(json);
}
END_TEST

/* 512 launches later its device is forgotten. */
START_TEST(a_launch_that_is_forgotten_names_no_device)
{
    report_name_device(report, 1, "device 0");
    report_name_device(report, 2, "device 1");
    report_launch_runs(report, 7, 2);
    report_launch_runs(report, 7 + 512, 1);
    struct finding finding = race();
    finding.launch = 7;
    report_add(report, &finding);
    ck_assert_ptr_null(report_get(report, 0)->access[0].device);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        one_device_is_not_named,
        of_several_devices_each_access_names_its_own,
        a_launch_that_is_forgotten_names_no_device,
    };
    return report_tests("report, devices", tests, sizeof tests / sizeof tests[0]);
}
