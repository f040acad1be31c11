/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A helper that asserts fails at the line of the test that calls it: the helper is a macro that passes
 *          __FILE__ and __LINE__ to a function, which fails here. ck_assert_msg in the helper would name the
 *          helper's line for every test.
 */
#ifndef ORRERY_TESTS_SUPPORT_FAIL_AT_H
#define ORRERY_TESTS_SUPPORT_FAIL_AT_H

#include <check.h>
#include <stdarg.h>
#include <stdio.h>

static inline void fail_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static inline void fail_at(const char *file, int line, const char *format, ...)
{
    static char text[20000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    _ck_assert_failed(file, line, "Failed", "%s", text);
}

#endif
