/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that the producer of a module inlined. A DebugScope names a scope of the function that was inlined
 * and a DebugInlinedAt, which has the line and the scope of the call, and the DebugInlinedAt of the caller if
 * that was inlined, too. For the debugger each of them is a call like those that lower.c inlines. Code
 * without a debugger does not know them, so their numbers follow those of all other calls.
 */
#include <spirv/unified1/OpenCLDebugInfo100.h>

#include "debug_info.h"
#include "orrery/checked.h"

/* The DebugFunction in which a scope is; 0: none. */
static uint32_t function_of(struct module *m, uint32_t id)
{
    for (uint32_t depth = 0; depth < SCOPES_NESTED; depth++) {
        const uint32_t *w = debug_record(m, id, 8);
        if (w && w[4] == OpenCLDebugInfo100DebugFunction)
            return id;
        if (w && w[4] == OpenCLDebugInfo100DebugLexicalBlock && w[0] >> 16 > 8)
            id = w[8];
        else if (w && w[4] == OpenCLDebugInfo100DebugLexicalBlockDiscriminator)
            id = w[7];
        else
            return 0;
    }
    return 0;
}

static uint32_t find(const struct lower *l, uint32_t site)
{
    uint32_t i = site < l->m->bound ? l->ir->latest[site] : 0;
    while (i && l->ir->inlined.at[i - 1].within != lower_call_number(l))
        i = l->ir->inlined.at[i - 1].before;
    return i;
}

static uint32_t add(struct lower *l, uint32_t scope, uint32_t site, uint32_t depth)
{
    const uint32_t *w = debug_record(l->m, site, 7), found = find(l, site);
    if (found || !w || w[4] != OpenCLDebugInfo100DebugInlinedAt || depth > SCOPES_NESTED)
        return found;
    const uint32_t outer = w[0] >> 16 > 7 ? add(l, w[6], w[7], depth + 1) : 0;
    const struct inlined_call call = {.site = site,
                                      .within = lower_call_number(l),
                                      .function = function_of(l->m, scope),
                                      .caller = outer ? INLINED_CALL + outer - 1 : lower_call_number(l),
                                      .line = w[5],
                                      .scope = debug_scope_of(l->ir, w[6]),
                                      .before = l->ir->latest[site]};
    *list_push(l->arena, &l->ir->inlined) = call;
    return l->ir->latest[site] = l->ir->inlined.count;
}

uint32_t debug_inlined_call(struct lower *l, uint32_t scope, uint32_t site)
{
    return add(l, scope, site, 0);
}

uint32_t debug_call(const struct lower *l)
{
    return l->inlined ? INLINED_CALL + l->inlined - 1 : lower_call_number(l);
}

bool debug_is_caller(const struct lower *l, uint32_t call, uint32_t inlined)
{
    while (inlined >= INLINED_CALL) {
        inlined = l->ir->inlined.at[inlined - INLINED_CALL].caller;
        if (inlined == call)
            return true;
    }
    return false;
}

void debug_called(struct lower *l)
{
    *list_push(l->arena, &l->ir->call_scopes) = l->scope;
    CHECKED(l->ir->call_scopes.count == l->ir->calls.count);
}

static uint32_t numbered(uint32_t call, uint32_t first)
{
    return call >= INLINED_CALL ? call - INLINED_CALL + first : call;
}

/* The file of a call is that of the function that calls. */
static uint32_t file_of_caller(struct ir *ir, const struct inlined_call *call)
{
    const uint32_t *site = debug_record(ir->module, call->site, 7),
                   *function = debug_record(ir->module, function_of(ir->module, site[6]), 9);
    const char *file = function ? debug_file(ir, function[7]) : NULL;
    return file ? ir_string(ir, file) : ir->file;
}

static void add_call(struct ir *ir, const struct inlined_call *inlined, uint32_t first)
{
    const uint32_t *function = debug_record(ir->module, inlined->function, 9);
    const char *name = function ? debug_text(ir->module, function[5]) : NULL;
    *list_push(ir->arena, &ir->calls) = (struct code_call){.caller = numbered(inlined->caller, first),
                                                           .file = file_of_caller(ir, inlined),
                                                           .line = inlined->line};
    *list_push(ir->arena, &ir->functions) = name ? name : "?";
    *list_push(ir->arena, &ir->call_scopes) = inlined->scope;
}

void debug_lowered(struct ir *ir)
{
    const uint32_t first = ir->calls.count;
    if (!ir->debug)
        return;
    for (uint32_t i = 0; i < ir->inlined.count; i++)
        add_call(ir, &ir->inlined.at[i], first);
    for (uint32_t i = 0; i < ir->lines.count; i++)
        ir->lines.at[i].call = numbered(ir->lines.at[i].call, first);
    for (uint32_t i = 0; i < ir->declared.count; i++)
        ir->declared.at[i].call = numbered(ir->declared.at[i].call, first);
    debug_place_copies(ir);
}
