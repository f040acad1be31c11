/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Iterations are counted as loops' heads begin. The lanes of a wave are in one iteration at any time
 * (sim/interp/diverge.c), so one number for each loop is enough. A loop within another one is entered at most
 * once in each iteration of that.
 */
#include "iterations.h"

#include <stdlib.h>

#include "debugger.h"

void iterations_line(struct seen_wave *seen, uint32_t line)
{
    const struct code_debug *debug = seen->wave->code->debug;
    const uint32_t loop = debug->lines[line].loop;
    if (!debug->lines[line].iterates)
        return;
    if (!seen->iterations)
        seen->iterations = calloc(debug->loop_count, sizeof *seen->iterations);
    if (!seen->iterations)
        return;
    seen->iterations[loop - 1]++;
    for (uint32_t i = 0; i < debug->loop_count; i++)
        if (debug->loops[i].parent == loop)
            seen->iterations[i] = 0;
}

void iterations_clear(struct seen_wave *seen)
{
    free(seen->iterations);
    seen->iterations = NULL;
}

static struct finding_iteration iteration_of(const struct seen_wave *seen, uint32_t loop)
{
    const struct code *code = seen->wave->code;
    const struct code_line *line = &code->debug->lines[code->debug->loops[loop].line];
    return (struct finding_iteration){
        seen->iterations[loop],
        program_file(seen->wave->origin.launch->program, place_code_file(code, line->file), line->line),
        line->line};
}

uint32_t iterations_get(const struct seen_wave *seen,
                        struct finding_iteration out_iterations[FINDING_LOOPS_MOST])
{
    const struct code_debug *debug = seen->wave->code->debug;
    struct finding_iteration inside_out[FINDING_LOOPS_MOST];
    uint32_t count = 0;
    if (!seen->iterations || seen->line == UINT32_MAX)
        return 0;
    for (uint32_t loop = debug->lines[seen->line].loop; loop && count < FINDING_LOOPS_MOST;
         loop = debug->loops[loop - 1].parent)
        if (seen->iterations[loop - 1])
            inside_out[count++] = iteration_of(seen, loop - 1);
    for (uint32_t i = 0; i < count; i++)
        out_iterations[i] = inside_out[count - 1 - i];
    return count;
}
