/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as the options of a build or a link, or as the value of a scenario option. */
#include <stdlib.h>
#include <string.h>

#include "orrery/compiler.h"
#include "orrery/scenario.h"
#include "fuzz.h"

const char fuzz_name[] = "options";

static void apply_everywhere(const char *text)
{
    struct scenario_option option;
    for (size_t i = 0; scenario_option(i, &option); i++) {
        struct diagnosis diagnosis = {0};
        struct scenario scenario;
        if (!strcmp(option.name, "scenario"))
            continue; /* names a file */
        scenario_default(&scenario);
        if (scenario_apply_option(&scenario, option.name, text, &diagnosis) != STATUS_OK &&
            !diagnosis.text[0])
            abort();
        scenario_fini(&scenario);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size);
    for (int linking = 0; linking < 2; linking++) {
        struct build_options options;
        struct diagnosis diagnosis = {0};
        if (build_options_parse(text, linking, &options, &diagnosis) != STATUS_OK && !diagnosis.text[0])
            abort();
    }
    apply_everywhere(text);
    free(text);
    return 0;
}
