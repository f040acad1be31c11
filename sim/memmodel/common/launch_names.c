/* SPDX-License-Identifier: Apache-2.0 */
/* Names of instructions and arguments: the launch and its program are asked, and texts are copied. */
#include "launch_names.h"

#include <stdlib.h>
#include <string.h>

struct source_place launch_names_place(const struct launch_info *launch, uint32_t site)
{
    struct source_place place = {0};
    if (launch->program)
        program_site(launch->program, site, &place);
    return place;
}

const char *launch_names_argument(const struct launch_info *launch, uint64_t low, uint64_t high,
                                  char out[ARGUMENT_CHARS])
{
    return launch->argument && launch->argument(launch, low, high, out, ARGUMENT_CHARS) ? out : NULL;
}

bool launch_names_keep(struct source_place *place)
{
    const struct source_place lent = *place;
    place->file = lent.file ? strdup(lent.file) : NULL;
    place->text = lent.text ? strdup(lent.text) : NULL;
    if (!place->file == !lent.file && !place->text == !lent.text)
        return true;
    launch_names_free(place);
    return false;
}

void launch_names_free(struct source_place *place)
{
    free((char *)(uintptr_t)place->file);
    free((char *)(uintptr_t)place->text);
    place->file = place->text = NULL;
}
