/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Catch2, version 2 or 3: the test case in which Orrery found something fails, with the finding as
 *          its message.
 *
 * Include it in one source file of the test program. In version 2 it comes after catch.hpp, in the file that
 * defines CATCH_CONFIG_MAIN or CATCH_CONFIG_RUNNER, since listeners are declared only there.
 * A finding belongs to a test case when its command is complete before the test case ends: clFinish, or a
 * blocking call.
 */
#ifndef ORRERY_LISTENERS_CATCH2_LISTENER_H
#define ORRERY_LISTENERS_CATCH2_LISTENER_H

#if __has_include(<catch2/catch_all.hpp>) && !defined(CATCH_VERSION_MAJOR)
#include <catch2/catch_all.hpp>
#elif !defined(CATCH_VERSION_MAJOR)
#include <catch2/catch.hpp>
#endif

#include "listener.h"

namespace orrery
{

#if CATCH_VERSION_MAJOR >= 3
typedef Catch::EventListenerBase CatchListenerBase;
#else
typedef Catch::TestEventListenerBase CatchListenerBase;
#endif

#ifdef CATCH_CONFIG_PREFIX_ALL
#define ORRERY_FAIL_CHECK CATCH_FAIL_CHECK
#else
#define ORRERY_FAIL_CHECK FAIL_CHECK
#endif

class CatchListener : public CatchListenerBase
{
    static const size_t text_size = 1 << 16;
    char text[text_size];
    int depth = 0; /* of sections; the test case itself is the outermost */

  public:
    using CatchListenerBase::CatchListenerBase;

    void sectionStarting(const Catch::SectionInfo &info) override
    {
        CatchListenerBase::sectionStarting(info);
        if (depth++ > 0)
            return;
        orrery_listener_take(nullptr, 0);
        orrery_listener_begin(std::string(info.name).c_str());
    }

    /* The test case's totals are taken after its outermost section ended, so an assertion counts here. The
     * section's were taken before; JUnit's reporter leaves sections without assertions out. */
    void sectionEnded(const Catch::SectionStats &stats) override
    {
        const size_t count = --depth == 0 ? orrery_listener_take(text, sizeof text) : 0;
        if (depth == 0)
            orrery_listener_begin(nullptr);
        const char *noun = count == 1 ? " finding" : " findings";
        if (count) {
            ORRERY_FAIL_CHECK("Orrery: " << count << noun << " in this test case\n" << text);
            const_cast<Catch::SectionStats &>(stats).assertions.failed++;
        }
        CatchListenerBase::sectionEnded(stats);
    }
};

CATCH_REGISTER_LISTENER(CatchListener)

} // namespace orrery

#endif
