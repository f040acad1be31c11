/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a module: refused with words, or code for every kernel. */
#include <stdlib.h>
#include <string.h>

#include "orrery/compiler.h"
#include "sim/interp/interp.h"
#include "fuzz.h"

const char fuzz_name[] = "module";

static void lower_all(struct module *module)
{
    static const uint32_t widths[] = {16, 256};
    for (size_t k = 0; k < interp_kernel_count(module) && k < 4; k++)
        for (uint32_t mode = 0; mode < 4; mode++) {
            struct code_request request = {.kernel = k,
                                           .width = widths[mode & 1],
                                           .preempt = mode == 1 || mode == 2,
                                           .poison = mode >= 2};
            struct diagnosis diagnosis = {0};
            const struct code *code;
            enum status status = interp_code(module, &request, &code, &diagnosis);
            if (status != STATUS_OK && !diagnosis.text[0] && status != STATUS_OUT_OF_MEMORY)
                abort(); /* refused without a word */
        }
}

static void load(const uint32_t *words, size_t count)
{
    struct spec_constant constant = {.id = 0, .size = 4, .value = 7};
    struct diagnosis diagnosis = {0};
    struct module *module = NULL;
    enum status status = interp_module_new(words, count, &constant, 1, &module, &diagnosis);
    if (status != STATUS_OK) {
        if (!diagnosis.text[0])
            abort();
        return;
    }
    lower_all(module);
    interp_module_free(module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count = size / 4;
    uint32_t *words = malloc(count * 4 + 1); /* the end of the block is the end of the words */
    char *log = NULL;
    memcpy(words, data, count * 4);
    module_spec_constant_size(words, count, count > 5 ? words[5] & 0xff : 0);
    load(words, count);
    if (spirv_validate(words, count, &log) == STATUS_OK)
        load(words, count);
    free(log);
    free(words);
    return 0;
}
