// SPDX-License-Identifier: Apache-2.0
// Tests with findings and without, for the listener of Catch2, version 2 or 3.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
#include <orrery/listeners/catch2_listener.h>

#include "listeners.h"

TEST_CASE("right") { launch("right"); }
TEST_CASE("beyond") { launch("beyond"); }
TEST_CASE("right again") { launch("right"); }
TEST_CASE("beyond again") { launch("beyond"); }

TEST_CASE("provoked")
{
    launch("beyond");
    REQUIRE(orrery_listener_take(nullptr, 0) == 1);
}

TEST_CASE("sections")
{
    SECTION("right") { launch("right"); }
    SECTION("beyond") { launch("beyond"); }
}

TEST_CASE("thrown")
{
    SECTION("beyond")
    {
        launch("beyond");
        throw 1;
    }
}

TEST_CASE("may fail", "[!mayfail]") { launch("beyond"); }
