/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of suppressions: refused with words, or printed in a scenario and read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/scenario.h"
#include "fuzz.h"
#include "fuzz_file.h"

const char fuzz_name[] = "suppressions";

static char *print(const struct scenario *scenario)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    scenario_print(scenario, out);
    fclose(out);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file;
    struct scenario first, second;
    struct diagnosis diagnosis = {0};
    scenario_default(&first);
    memset(&second, 0, sizeof second);
    fuzz_file_open(&file, data, size);
    if (scenario_load_suppressions(&first, file.path, &diagnosis) == STATUS_OK) {
        char *text = print(&first);
        if (scenario_load_text(&second, text, "fuzz.yaml", &diagnosis) != STATUS_OK ||
            second.suppression_count != first.suppression_count)
            abort(); /* what was printed is not what was read */
        free(text);
        scenario_fini(&second);
    } else if (!diagnosis.text[0]) {
        abort(); /* refused without a word */
    }
    fuzz_file_close(&file);
    scenario_fini(&first);
    return 0;
}
