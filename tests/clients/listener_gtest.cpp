// SPDX-License-Identifier: Apache-2.0
// Tests with findings and without, for the listener of Googletest. The main is gtest_main's.
#include <orrery/listeners/gtest_listener.h>

#include "listeners.h"

TEST(listener, right) { launch("right"); }
TEST(listener, beyond) { launch("beyond"); }
TEST(listener, right_again) { launch("right"); }
TEST(listener, beyond_again) { launch("beyond"); }

TEST(listener, provoked)
{
    launch("beyond");
    EXPECT_EQ(orrery_listener_take(nullptr, 0), 1u);
}

class finishes : public ::testing::Test
{
    void TearDown() override { launch("beyond"); }
};
TEST_F(finishes, in_the_teardown) {}
