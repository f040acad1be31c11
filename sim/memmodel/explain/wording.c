/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of sentences about races: places, groups, scopes, fences. A piece that proposes an edit also records
 * the edit as data (struct code_change), so that the sentence and the edit that is tried cannot differ.
 */
#include "wording.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "sim/memmodel/order/order.h"
#include "orrery/checked.h"
#include "orrery/pipe.h"
#include "sim/base/memory_words.h"

void wording_add(struct wording *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int more = vsnprintf(text->bytes + text->used, sizeof text->bytes - text->used, format, args);
    va_end(args);
    text->used += more > 0 ? (size_t)more : 0;
    if (text->used >= sizeof text->bytes)
        text->used = sizeof text->bytes - 1;
}

const char *wording_print(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, size, format, args);
    va_end(args);
    return text;
}

void wording_change(struct wording *text, const struct code_change *change)
{
    if (text->change_count < CHANGES_MOST)
        text->changes[text->change_count++] = *change;
    else
        text->partial = true;
}

void wording_call(struct wording *text, uint32_t site, bool local, uint32_t regions, int order, int failure,
                  int scope)
{
    const struct code_change change = {.kind = CHANGE_CALL,
                                       .site = site,
                                       .regions = regions,
                                       .order = order,
                                       .failure = failure,
                                       .scope = scope,
                                       .local = local};
    wording_change(text, &change);
}

void wording_access_change(struct wording *text, uint32_t site, bool stores, bool local,
                           enum memory_ordering order, enum memory_scope scope)
{
    const struct code_change change = {.kind = stores ? CHANGE_STORE : CHANGE_LOAD,
                                       .site = site,
                                       .order = (int)order,
                                       .failure = NOT_GIVEN,
                                       .scope = (int)scope,
                                       .local = local};
    wording_change(text, &change);
}

void wording_statement(struct wording *text, const char *statement, const struct code_change *where)
{
    struct code_change change = *where;
    change.kind = CHANGE_STATEMENT;
    if (strlen(statement) >= sizeof change.text) {
        text->partial = true;
        return;
    }
    strcpy(change.text, statement);
    wording_change(text, &change);
}

void wording_put(struct wording *text, const char *old, const char *now)
{
    const size_t was = strlen(old), is = strlen(now);
    for (char *at = text->bytes; is <= was && (at = strstr(at, old)); at += is) {
        memcpy(at, now, is);
        memmove(at + is, at + was, strlen(at + was) + 1);
        text->used -= was - is;
    }
}

/* Prints a piece of a sentence and returns its text. */
#define PRINT(piece, ...) wording_print((piece)->bytes, sizeof(piece)->bytes, __VA_ARGS__)

const char *wording_line(struct wording_piece *piece, const struct checker_host *host, uint32_t site,
                         uint32_t line)
{
    struct source_place place;
    char instruction[INSTRUCTION_CHARS];
    host->place(host->self, site, &place);
    place.line = line ? line : place.line;
    if (place.file && place.line)
        return PRINT(piece, "%s:%" PRIu32, place.file, place.line);
    if (place.line)
        return PRINT(piece, "line %" PRIu32, place.line);
    if (!place.instruction.name)
        return "an unknown line";
    finding_instruction_text(&place.instruction, instruction);
    return PRINT(piece, "%s", instruction);
}

const char *wording_group(struct wording_piece *piece, const struct launch_info *launch, uint64_t group)
{
    const uint64_t *count = launch->group_count;
    return PRINT(piece, "work-group (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", group % count[0],
                 group / count[0] % count[1], group / count[0] / count[1]);
}

const char *wording_regions(struct wording_piece *piece, uint32_t regions)
{
    size_t used = 0;
    for (int region = 0; region < ORDER_REGIONS; region++)
        if (regions >> region & 1)
            used += (size_t)snprintf(piece->bytes + used, sizeof piece->bytes - used, "%s%s",
                                     used ? " | " : "", wording_region_flag(region));
    return used ? piece->bytes : "no flags";
}

const char *wording_scope(struct wording_piece *piece, enum memory_scope written, enum memory_scope counts)
{
    if (written == counts)
        return memory_scope_word(written);
    return PRINT(piece, "%s (counts as %s)", memory_scope_word(written), memory_scope_word(counts));
}

const char *wording_order(enum memory_ordering order)
{
    return memory_order_word(order) + strlen("memory_order_");
}

const char *wording_region_flag(int region)
{
    CHECKED(region >= 0 && region < ORDER_REGIONS);
    static const char *const names[] = {"CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE", "CLK_IMAGE_MEM_FENCE"};
    return names[region];
}

const char *wording_space_word(int region)
{
    CHECKED(region >= 0 && region < ORDER_REGIONS);
    static const char *const names[] = {"global", "local", "image"};
    return names[region];
}

void wording_one_at_a_time(bool reads, char *why, size_t size)
{
    const size_t used = strlen(why);
    snprintf(why + used, size - used, "; only one of the kernels that %s a pipe may run at a time",
             reads ? "read from" : "write into");
}

const char *wording_access(enum access_kind kind)
{
    return kind > ACCESS_WRITE ? "atomic access" : kind == ACCESS_READ ? "read" : "write";
}

void wording_action(const char *access, bool one_of_several, const char *by, char *out_text, size_t size)
{
    const size_t length = strlen(access);
    const bool sibilant = length && access[length - 1] == 's';
    wording_print(out_text, size, "%s%s%s by %s", one_of_several ? "one of the " : "", access,
                  !one_of_several ? ""
                  : sibilant      ? "es"
                                  : "s",
                  by);
}

void wording_region(const struct region *region, char *out_text, size_t size)
{
    if (!region || region->kind == REGION_NONE) {
        snprintf(out_text, size, "host memory");
        return;
    }
    const bool variable = region->kind == REGION_VARIABLE;
    const struct pipe *pipe = region->kind == REGION_PIPE && !(region->flags & REGION_FLAG_FREED)
                                  ? (const struct pipe *)(uintptr_t)region->low
                                  : NULL;
    if (pipe) {
        snprintf(out_text, size, "%s (%" PRIu32 " packets of %" PRIu32 " bytes)", region->name,
                 pipe->packet_count, pipe->packet_bytes);
        return;
    }
    snprintf(out_text, size, "%s%s%s (%" PRIu64 " bytes)", variable ? "program-scope variable '" : "",
             region->name, variable ? "'" : "", region->high - region->low);
}
