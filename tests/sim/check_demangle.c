/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++ for OpenCL as findings show them: as the source has them, and any other text as it is. */
#include <check.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "sim/interp/demangle.h"

static const struct {
    const char *mangled, *shown;
} names[] = {
    {"_Z5twicei", "twice(int)"},
    {"_Z5twicePU3AS1i", "twice(int __global*)"},
    {"_Z5twicePU3AS4Kf", "twice(float const __generic*)"},
    {"_Z3putPU3AS3iPU3AS2Kc", "put(int __local*, char const __constant*)"},
    {"_ZN4workL3putEPU3AS1iii", "work::put(int __global*, int, int)"},
    {"_ZZ1fE4tile", "f::tile"},
    {"_ZNU3AS44work4pairIiE3sumEi", "work::pair<int>::sum(int)"},
    {"_ZNU3AS4K1C3getEv", "C::get() const"},
    {"_Z2ASi", "AS(int)"},
    {"_Z4BAS1i", "BAS1(int)"},
    {"_Z5AS1_xi", "AS1_x(int)"},
    /* not mangled, or not by the ABI */
    {"f", "f"},
    {"", ""},
    {"_Z", "_Z"},
    {"_Zq", "_Zq"},
    {"_Z5twic", "_Z5twic"},
    {"f.tile", "f.tile"},
    {"__f_block_invoke", "__f_block_invoke"},
};

START_TEST(shown_as_in_the_source)
{
    jmp_buf out_of_memory;
    struct arena arena = {.out_of_memory = &out_of_memory};
    ck_assert(setjmp(out_of_memory) == 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_str_eq(demangle(&arena, names[i].mangled), names[i].shown);
    ck_assert(!demangle(&arena, NULL));
    arena_free(&arena);
}
END_TEST

/* Every beginning of a name is some text, and ends at its end. */
START_TEST(beginnings_are_names_or_themselves)
{
    jmp_buf out_of_memory;
    struct arena arena = {.out_of_memory = &out_of_memory};
    ck_assert(setjmp(out_of_memory) == 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t length = 0; length < strlen(names[i].mangled); length++) {
            char *name = strndup(names[i].mangled, length);
            ck_assert_uint_le(strlen(demangle(&arena, name)), 200);
            free(name);
        }
    arena_free(&arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("demangle");
    TCase *tcase = tcase_create("names");
    tcase_add_test(tcase, shown_as_in_the_source);
    tcase_add_test(tcase, beginnings_are_names_or_themselves);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
