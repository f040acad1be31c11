/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a scenario: refused with words, or printed and read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/scenario.h"
#include "fuzz.h"

const char fuzz_name[] = "scenario";

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
    struct scenario first, second;
    struct diagnosis diagnosis = {0};
    char *text = strndup((const char *)data, size);
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    if (scenario_load_text(&first, text, "fuzz.yaml", &diagnosis) == STATUS_OK) {
        char *once = print(&first);
        if (scenario_load_text(&second, once, "fuzz.yaml", &diagnosis) != STATUS_OK) {
            fprintf(stderr, "%s\n%s\n", once, diagnosis.text);
            abort(); /* what was printed cannot be read */
        }
        char *twice = print(&second);
        if (strcmp(once, twice)) {
            fprintf(stderr, "%s\n%s\n", once, twice);
            abort();
        }
        free(once);
        free(twice);
        scenario_fini(&second);
    } else if (!diagnosis.text[0]) {
        abort();
    }
    scenario_fini(&first);
    free(text);
    return 0;
}
