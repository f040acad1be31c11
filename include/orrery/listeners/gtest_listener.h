/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Googletest: the test in which Orrery found something fails, with the finding as its message.
 *
 * Including this header in one source file of the test program is all; any main will do, that of gtest_main
 * too. A finding belongs to a test when its command is complete before the test ends: clFinish, or a blocking
 * call.
 */
#ifndef ORRERY_LISTENERS_GTEST_LISTENER_H
#define ORRERY_LISTENERS_GTEST_LISTENER_H

#include <string>

#include <gtest/gtest.h>

#include "listener.h"

namespace orrery
{

class GtestListener : public ::testing::EmptyTestEventListener
{
    static const size_t text_size = 1 << 16;
    char text[text_size];

    void OnTestStart(const ::testing::TestInfo &info) override
    {
        orrery_listener_take(nullptr, 0);
        orrery_listener_begin((std::string(info.test_suite_name()) + "." + info.name()).c_str());
    }

    /* After the fixture's TearDown, and before the printer reports how the test ended. */
    void OnTestEnd(const ::testing::TestInfo &) override
    {
        const size_t count = orrery_listener_take(text, sizeof text);
        orrery_listener_begin(nullptr);
        if (count)
            ADD_FAILURE() << "Orrery: " << count << (count == 1 ? " finding" : " findings")
                          << " in this test\n"
                          << text;
    }
};

/* Several source files may include this header: one listener is enough. */
inline int gtest_listen()
{
    static const int once = (::testing::UnitTest::GetInstance()->listeners().Append(new GtestListener), 1);
    return once;
}

static const int gtest_listens = gtest_listen();

} // namespace orrery

#endif
