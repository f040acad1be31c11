/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of the process that a kernel may touch (sim/device/host_memory.h), also without information from
 * the system.
 */
#include <check.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/device/host_memory.h"

static struct host_memory *host;
static struct memory_host port;
static char *pages;
static uint64_t page;

static void set_up(void)
{
    page = (uint64_t)sysconf(_SC_PAGESIZE);
    host = host_memory_new();
    ck_assert_ptr_nonnull(host);
    port = host_memory_port(host);
    pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(pages != MAP_FAILED);
}

static void tear_down(void)
{
    host_memory_free(host);
}

static uint64_t at(uint64_t offset)
{
    return (uint64_t)(uintptr_t)pages + offset;
}

static bool permits(uint64_t address, uint64_t bytes, bool write)
{
    return port.permits(port.self, address, bytes, write);
}

START_TEST(access_to_mapped_memory_is_permitted)
{
    ck_assert(permits(at(0), 3 * page, true));
    ck_assert_int_eq(mprotect(pages + page, page, PROT_READ), 0);
    host_memory_forget(host);
    ck_assert(permits(at(0), 3 * page, false));
    ck_assert(permits(at(page), page, false) && !permits(at(page), 1, true));
    ck_assert(!permits(at(page - 1), 2, true) && permits(at(page - 1), 1, true));
    ck_assert_int_eq(mprotect(pages + page, page, PROT_NONE), 0);
    host_memory_forget(host);
    ck_assert(!permits(at(page), 1, false) && !permits(at(0), 3 * page, false));
    ck_assert(permits(at(2 * page), page, true));
    ck_assert(!permits(UINT64_MAX - 3, 8, false));
    ck_assert(host_memory_has(at(0), page) && !host_memory_has(at(page), 1));
}
END_TEST

/* A mapping made since the last check is seen at the query; a removed one only at the next launch. */
START_TEST(mapping_made_later_is_found)
{
    ck_assert(permits(at(0), 1, true));
    char *more = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(permits((uint64_t)(uintptr_t)more, page, false));
    ck_assert_int_eq(munmap(more, page), 0);
    host_memory_forget(host);
    ck_assert(!permits((uint64_t)(uintptr_t)more, page, false));
}
END_TEST

/* A process that may open no file cannot query: nothing is permitted, and later it is again. */
START_TEST(without_the_list_nothing_is_permitted)
{
    struct rlimit limit, none;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    const bool blind = permits(at(0), 1, false), has = host_memory_has(at(0), 1);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert(!blind && !has);
    host_memory_forget(host);
    ck_assert(permits(at(0), 1, false) && host_memory_has(at(0), 1));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("host_memory");
    TCase *tests = tcase_create("permits");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, access_to_mapped_memory_is_permitted);
    tcase_add_test(tests, mapping_made_later_is_found);
    tcase_add_test(tests, without_the_list_nothing_is_permitted);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
