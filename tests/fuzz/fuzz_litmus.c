/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a litmus test: refused with words, or printed and read again, and a kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/litmus.h"
#include "fuzz.h"

const char fuzz_name[] = "litmus";

static char *print(const struct litmus *test)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    litmus_print(test, out);
    fclose(out);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct litmus *first = NULL, *second = NULL;
    struct diagnosis diagnosis = {0};
    char *text = strndup((const char *)data, size);
    if (litmus_parse(text, "fuzz", &first, &diagnosis) == STATUS_OK) {
        char *once = print(first);
        if (litmus_parse(once, "fuzz", &second, &diagnosis) != STATUS_OK) {
            fprintf(stderr, "%s\n%s\n", once, diagnosis.text);
            abort(); /* what was printed cannot be read */
        }
        char *twice = print(second), *kernel = litmus_kernel(first);
        if (strcmp(once, twice) || !kernel) {
            fprintf(stderr, "%s\n%s\n", once, twice);
            abort();
        }
        free(kernel);
        free(once);
        free(twice);
        litmus_free(second);
    } else if (!diagnosis.text[0]) {
        abort(); /* refused without a word */
    }
    litmus_free(first);
    free(text);
    return 0;
}
