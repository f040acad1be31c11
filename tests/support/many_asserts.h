/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Check with asserts that cost nothing when they hold. Check notes each one in a file, to print the
 *          last one after a crash: tests that make a million of them would do little else.
 */
#ifndef ORRERY_TESTS_SUPPORT_MANY_ASSERTS_H
#define ORRERY_TESTS_SUPPORT_MANY_ASSERTS_H

#include <check.h>

#define _mark_point(file, line) ((void)0)

#endif
