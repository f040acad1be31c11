/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links modules with the linker of SPIRV-Tools, whose interface is C++ alone. Exceptions end here, as the
 * callers are C: each becomes a line of the log and a failure.
 */
#include "link.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

#include <spirv-tools/linker.hpp>

static int run(const uint32_t *const *modules, const size_t *word_counts, size_t count, int create_library,
               void (*add_line)(void *, const char *), void *log, uint32_t **out_words,
               size_t *out_word_count)
{
    spvtools::Context context(SPV_ENV_UNIVERSAL_1_6);
    context.SetMessageConsumer(
        [=](spv_message_level_t level, const char *, const spv_position_t &, const char *message) {
            if (level <= SPV_MSG_WARNING)
                add_line(log, message);
        });
    spvtools::LinkerOptions options;
    options.SetCreateLibrary(create_library != 0);
    options.SetAllowPartialLinkage(create_library != 0);
    std::vector<uint32_t> linked;
    spv_result_t result = spvtools::Link(context, modules, word_counts, count, &linked, options);
    if (result != SPV_SUCCESS && result != SPV_WARNING)
        return 1;
    *out_words = static_cast<uint32_t *>(std::malloc(linked.size() * sizeof(uint32_t)));
    if (!*out_words)
        return 2;
    std::memcpy(*out_words, linked.data(), linked.size() * sizeof(uint32_t));
    *out_word_count = linked.size();
    return 0;
}

/* No exception may reach the C side. */
int link_run(const uint32_t *const *modules, const size_t *word_counts, size_t count, int create_library,
               void (*add_line)(void *, const char *), void *log, uint32_t **out_words,
               size_t *out_word_count)
{
    try {
        return run(modules, word_counts, count, create_library, add_line, log, out_words, out_word_count);
    } catch (const std::exception &failure) {
        add_line(log, failure.what());
        return 1;
    }
}
