/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverage as an lcov tracefile (geninfo(1), FILES): the functions, branches and lines of each source file.
 *
 * Several straight pieces of a function may have one line: a loop's line has its initialisation, condition
 * and step. The line counts as often as the piece that was executed most. A function that is called at
 * several places, or by several kernels, counts the sum of all.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "execution_profile.h"

/* One record of the file, before equal records are merged. */
enum record_kind { RECORD_FUNCTION, RECORD_BRANCH, RECORD_LINE };
struct lcov_record {
    enum record_kind kind;
    const char *file, *function; /* function: of FUNCTION and BRANCH */
    uint32_t line, branch, way;
    bool reached; /* BRANCH: a work-item reached it */
    uint64_t count;
    /* LINE, until the records of one call are merged: */
    size_t kernel;
    uint32_t call;
};
struct records {
    struct lcov_record *at;
    size_t count;
};

static const char *function_of(const struct profile_kernel *kernel, uint32_t call)
{
    for (uint32_t i = 0; i < kernel->code.function_count; i++)
        if (kernel->code.functions[i].call == call)
            return kernel->code.functions[i].name;
    return kernel->name;
}

/* ---- what there is ------------------------------------------------------------------------------- */

static void add_lines(const struct profile_kernel *kernel, size_t number, struct records *records)
{
    for (uint32_t i = 0; i < kernel->code.row_count; i++) {
        const struct profile_row *row = &kernel->code.rows[i];
        if (row->place.line)
            records->at[records->count++] = (struct lcov_record){.kind = RECORD_LINE,
                                                                 .file = row->place.file,
                                                                 .function = "",
                                                                 .line = row->place.line,
                                                                 .count = kernel->executed[row->piece],
                                                                 .kernel = number,
                                                                 .call = row->place.call};
    }
}

/* A function begins at the first line of its first piece. */
static const struct profile_place *first_place(const struct profile_kernel *kernel,
                                               const struct profile_function *function)
{
    const struct profile_place *first = NULL;
    for (uint32_t i = 0; i < kernel->code.row_count; i++) {
        const struct profile_row *row = &kernel->code.rows[i];
        if (row->place.call == function->call && row->place.line && (!first || row->place.line < first->line))
            first = &row->place;
    }
    return first;
}

static void add_functions(const struct profile_kernel *kernel, struct records *records)
{
    for (uint32_t i = 0; i < kernel->code.function_count; i++) {
        const struct profile_function *function = &kernel->code.functions[i];
        const struct profile_place *place = first_place(kernel, function);
        if (place && function->piece < kernel->code.piece_count)
            records->at[records->count++] = (struct lcov_record){.kind = RECORD_FUNCTION,
                                                                 .file = place->file,
                                                                 .function = function->name,
                                                                 .line = place->line,
                                                                 .count = kernel->executed[function->piece]};
    }
}

static bool same_branch(const struct profile_way *a, const struct profile_way *b)
{
    return a->branch == b->branch && a->place.call == b->place.call;
}

/* The ways out of a branch are consecutive. */
static bool is_reached(const struct profile_kernel *kernel, uint32_t way)
{
    const struct profile_way *ways = kernel->code.ways;
    uint32_t first = way;
    bool reached = false;
    while (first && same_branch(&ways[first - 1], &ways[way]))
        first--;
    for (uint32_t i = first; i < kernel->code.way_count && same_branch(&ways[i], &ways[way]); i++)
        reached |= kernel->taken[i] != 0;
    return reached;
}

static void add_branches(const struct profile_kernel *kernel, struct records *records)
{
    for (uint32_t i = 0; i < kernel->code.way_count; i++) {
        const struct profile_way *way = &kernel->code.ways[i];
        if (way->place.line)
            records->at[records->count++] =
                (struct lcov_record){.kind = RECORD_BRANCH,
                                     .file = way->place.file,
                                     .function = function_of(kernel, way->place.call),
                                     .line = way->place.line,
                                     .branch = way->branch,
                                     .way = way->way,
                                     .reached = is_reached(kernel, i),
                                     .count = kernel->taken[i]};
    }
}

static bool gather(const struct profile *profile, struct records *records)
{
    const struct profile_kernel *kernel;
    size_t most = 0;
    for (size_t i = 0; (kernel = profile_kernel_at(profile, i)) != NULL; i++)
        most += (size_t)kernel->code.row_count + kernel->code.way_count + kernel->code.function_count;
    *records = (struct records){calloc(most + 1, sizeof *records->at), 0};
    for (size_t i = 0; records->at && (kernel = profile_kernel_at(profile, i)) != NULL; i++) {
        add_functions(kernel, records);
        add_branches(kernel, records);
        add_lines(kernel, i, records);
    }
    return records->at != NULL;
}

/* ---- equal ones are one --------------------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_records(const void *a, const void *b)
{
    const struct lcov_record *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    order = order ? order : compare(x->kind, y->kind);
    order = order
                ? order
                : compare(x->kind == RECORD_FUNCTION ? 0 : x->line, y->kind == RECORD_FUNCTION ? 0 : y->line);
    order = order ? order : strcmp(x->function, y->function);
    order = order ? order : compare(x->branch, y->branch);
    return order ? order : compare(x->way, y->way);
}

/* Orders by line, then by call. */
static int compare_calls(const void *a, const void *b)
{
    const struct lcov_record *x = a, *y = b;
    int order = compare_records(a, b);
    order = order ? order : compare(x->kernel, y->kernel);
    return order ? order : compare(x->call, y->call);
}

static void join_calls(struct records *records)
{
    size_t kept = 0;
    for (size_t i = 1; i < records->count; i++) {
        struct lcov_record *last = &records->at[kept];
        const struct lcov_record *next = &records->at[i];
        if (next->kind != RECORD_LINE || compare_calls(last, next) != 0)
            records->at[++kept] = *next;
        else if (next->count > last->count)
            last->count = next->count;
    }
    records->count = kept + 1;
}

static void join_equal(struct records *records)
{
    size_t kept = 0;
    for (size_t i = 1; i < records->count; i++) {
        struct lcov_record *last = &records->at[kept];
        const struct lcov_record *next = &records->at[i];
        if (compare_records(last, next) != 0) {
            records->at[++kept] = *next;
            continue;
        }
        last->count += next->count;
        last->reached |= next->reached;
        last->line = next->line < last->line ? next->line : last->line;
    }
    records->count = kept + 1;
}

/* False: out of memory. */
static bool gather_joined(const struct profile *profile, struct records *records)
{
    if (!gather(profile, records))
        return false;
    if (records->count) {
        qsort(records->at, records->count, sizeof *records->at, compare_calls);
        join_calls(records);
        qsort(records->at, records->count, sizeof *records->at, compare_records);
        join_equal(records);
    }
    return true;
}

/* ---- lines that did not run ---------------------------------------------------------------------------- */

static void print_range(FILE *stream, uint32_t first, uint32_t last, bool more)
{
    fprintf(stream, more ? ", %" PRIu32 : "%" PRIu32, first);
    if (last > first)
        fprintf(stream, "..%" PRIu32, last);
}

/* Lines without instructions do not end a range. */
static void print_idle(const struct records *records, struct idle_lines *idle, FILE *stream)
{
    uint32_t first = 0, last = 0;
    bool more = false;
    for (size_t i = 0; i < records->count; i++) {
        const struct lcov_record *record = &records->at[i];
        if (record->kind != RECORD_LINE)
            continue;
        if (!record->count) {
            first = first ? first : record->line;
            last = record->line;
            idle->count++;
        } else if (first) {
            print_range(stream, first, last, more);
            more = true;
            first = 0;
        }
    }
    if (first)
        print_range(stream, first, last, more);
}

bool profile_idle_lines(const struct profile *profile, struct idle_lines *out_idle)
{
    struct records records;
    size_t size = 0;
    *out_idle = (struct idle_lines){.count = 0};
    if (!gather_joined(profile, &records))
        return false;
    FILE *stream = open_memstream(&out_idle->lines, &size);
    if (stream)
        print_idle(&records, out_idle, stream);
    free(records.at);
    const struct profile_kernel *kernel;
    for (size_t i = 0; (kernel = profile_kernel_at(profile, i)) != NULL; i++)
        for (uint32_t row = 0; row < kernel->code.row_count; row++)
            out_idle->executed +=
                kernel->executed[kernel->code.rows[row].piece] * kernel->code.rows[row].count;
    return stream && fclose(stream) == 0;
}

/* ---- the file ---------------------------------------------------------------------------------------- */

/* A line may have branches of several functions, so its blocks are numbered across functions. */
static uint32_t block_of(const struct lcov_record *first, const struct lcov_record *record)
{
    uint32_t block = 0;
    for (const struct lcov_record *at = first; at < record; at++)
        if (at->line == record->line && at[1].line == record->line &&
            (at->branch != at[1].branch || strcmp(at->function, at[1].function) != 0))
            block++;
    return block;
}

/* Names are relative to the scenario, if there is one; readers of the file look for them. */
static void write_source(const struct profile *profile, const char *file, FILE *stream)
{
    const struct scenario *scenario = profile_scenario(profile);
    const char *slash = scenario->program.source_file && scenario->file ? strrchr(scenario->file, '/') : NULL;
    const bool beside = slash && *file && *file != '/';
    fprintf(stream, "TN:\nSF:%.*s%s\n", beside ? (int)(slash - scenario->file + 1) : 0,
            beside ? scenario->file : "", *file ? file : "?");
}

static void write_functions(const struct lcov_record *at, size_t count, FILE *stream)
{
    uint64_t hit = 0;
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "FN:%" PRIu32 ",%s\n", at[i].line, at[i].function);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "FNDA:%" PRIu64 ",%s\n", at[i].count, at[i].function);
        hit += at[i].count > 0;
    }
    fprintf(stream, "FNF:%zu\nFNH:%" PRIu64 "\n", count, hit);
}

static void write_branches(const struct lcov_record *at, size_t count, FILE *stream)
{
    uint64_t hit = 0;
    for (size_t i = 0, line = 0; i < count; i++) {
        line = at[i].line == at[line].line ? line : i;
        fprintf(stream, "BRDA:%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", at[i].line, block_of(&at[line], &at[i]),
                at[i].way);
        if (at[i].reached)
            fprintf(stream, "%" PRIu64 "\n", at[i].count);
        else
            fputs("-\n", stream);
        hit += at[i].count > 0;
    }
    if (count)
        fprintf(stream, "BRF:%zu\nBRH:%" PRIu64 "\n", count, hit);
}

static void write_lines(const struct lcov_record *at, size_t count, FILE *stream)
{
    uint64_t hit = 0;
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "DA:%" PRIu32 ",%" PRIu64 "\n", at[i].line, at[i].count);
        hit += at[i].count > 0;
    }
    fprintf(stream, "LF:%zu\nLH:%" PRIu64 "\n", count, hit);
}

static size_t run_of(const struct lcov_record *at, size_t count, enum record_kind kind, const char *file)
{
    size_t length = 0;
    while (length < count && at[length].kind == kind && strcmp(at[length].file, file) == 0)
        length++;
    return length;
}

bool profile_write_lcov(const struct profile *profile, FILE *stream)
{
    static void (*const write[])(const struct lcov_record *, size_t, FILE *) = {write_functions,
                                                                                write_branches, write_lines};
    struct records records;
    if (!gather_joined(profile, &records))
        return false;
    for (size_t i = 0; i < records.count;) {
        const char *file = records.at[i].file;
        write_source(profile, file, stream);
        for (int kind = RECORD_FUNCTION; kind <= RECORD_LINE; kind++) {
            const size_t count = run_of(&records.at[i], records.count - i, (enum record_kind)kind, file);
            write[kind](&records.at[i], count, stream);
            i += count;
        }
        fputs("end_of_record\n", stream);
    }
    free(records.at);
    return true;
}
