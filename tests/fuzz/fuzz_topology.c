/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as the hardware: refused with words, or printed and read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/topology.h"
#include "fuzz.h"

const char fuzz_name[] = "topology";

static char *print(const struct topology *topology)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    topology_print(topology, out);
    fclose(out);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct topology first = {0}, second = {0};
    struct diagnosis diagnosis = {0};
    char *text = strndup((const char *)data, size);
    if (topology_parse(text, &first, &diagnosis) == STATUS_OK) {
        char *once = print(&first);
        if (topology_parse(once, &second, &diagnosis) != STATUS_OK || !topology_equal(&first, &second))
            abort(); /* what was printed is another one */
        free(once);
    } else if (!diagnosis.text[0]) {
        abort(); /* refused without a word */
    }
    topology_fini(&second);
    topology_fini(&first);
    free(text);
    return 0;
}
