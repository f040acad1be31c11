/* SPDX-License-Identifier: Apache-2.0 */
/* Counted instructions as tables and as JSON: rows of straight pieces, summed by kernel and by line. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "execution_profile.h"
#include "sim/report/report_json.h"

static const char *const class_names[] = {
#define CLASS_NAME(name, text) text,
    INSTRUCTION_CLASS_LIST(CLASS_NAME)
#undef CLASS_NAME
};
static const char *const memory_names[] = {
#define MEMORY_NAME(name, text) text,
    PROFILE_MEMORY_LIST(MEMORY_NAME)
#undef MEMORY_NAME
};

/* ---- sums ------------------------------------------------------------------------------------ */

/* Of a kernel (line 0), or of one of its lines. */
struct sum {
    const struct profile_kernel *kernel;
    const char *file;
    uint32_t line;
    uint64_t executed, issued, by_class[INSTRUCTION_CLASS_COUNT], memory[PROFILE_MEMORY_COUNT];
};
struct sums {
    struct sum *at;
    size_t count;
};

static int compare_places(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    const int files = strcmp(x->file, y->file);
    return files ? files : x->line < y->line ? -1 : x->line > y->line;
}

/* Most expensive first, by the instructions that sub-groups issue. */
static int compare_costs(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    if (x->issued != y->issued)
        return x->issued > y->issued ? -1 : 1;
    const int places = compare_places(a, b);
    return places ? places : strcmp(x->kernel->name, y->kernel->name);
}

static void add(struct sum *to, const struct sum *more)
{
    to->executed += more->executed;
    to->issued += more->issued;
    for (int i = 0; i < INSTRUCTION_CLASS_COUNT; i++)
        to->by_class[i] += more->by_class[i];
    for (int i = 0; i < PROFILE_MEMORY_COUNT; i++)
        to->memory[i] += more->memory[i];
}

static struct sum of_row(const struct profile_kernel *kernel, const struct profile_row *row)
{
    struct sum sum = {.kernel = kernel,
                      .file = row->place.file,
                      .line = row->place.line,
                      .executed = kernel->executed[row->piece] * row->count,
                      .issued = kernel->issued[row->piece] * row->count};
    sum.by_class[row->what] = sum.executed;
    return sum;
}

static struct sum of_line(const struct profile_kernel *kernel, const struct profile_line *line)
{
    struct sum sum = {.kernel = kernel, .file = line->file, .line = line->line};
    memcpy(sum.memory, line->memory, sizeof sum.memory);
    return sum;
}

/* The lines of a kernel, each once, in the order of files and lines; `at` is malloc'd, NULL: out of
 * memory. */
static struct sums sums_of(const struct profile_kernel *kernel)
{
    struct sums sums = {.count = 0};
    const size_t most = (size_t)kernel->code.row_count + kernel->line_count;
    size_t kept = 0;
    sums.at = calloc(most + 1, sizeof *sums.at);
    for (uint32_t i = 0; sums.at && i < kernel->code.row_count; i++)
        sums.at[sums.count++] = of_row(kernel, &kernel->code.rows[i]);
    for (uint32_t i = 0; sums.at && i < kernel->line_count; i++)
        sums.at[sums.count++] = of_line(kernel, &kernel->lines[i]);
    if (!sums.count)
        return sums;
    qsort(sums.at, sums.count, sizeof *sums.at, compare_places);
    for (size_t i = 1; i < sums.count; i++) {
        if (compare_places(&sums.at[kept], &sums.at[i]) == 0)
            add(&sums.at[kept], &sums.at[i]);
        else
            sums.at[++kept] = sums.at[i];
    }
    sums.count = kept + 1;
    return sums;
}

static struct sum sum_of(const struct profile_kernel *kernel)
{
    struct sum sum = {.kernel = kernel, .file = ""}, one;
    for (uint32_t i = 0; i < kernel->code.row_count; i++) {
        one = of_row(kernel, &kernel->code.rows[i]);
        add(&sum, &one);
    }
    for (uint32_t i = 0; i < kernel->line_count; i++) {
        one = of_line(kernel, &kernel->lines[i]);
        add(&sum, &one);
    }
    return sum;
}

/* ---- text --------------------------------------------------------------------------------------- */

static const enum instruction_class columns[] = {
    INSTRUCTION_INTEGER, INSTRUCTION_FLOAT,  INSTRUCTION_MATH,   INSTRUCTION_GLOBAL, INSTRUCTION_LOCAL,
    INSTRUCTION_PRIVATE, INSTRUCTION_ATOMIC, INSTRUCTION_BRANCH, INSTRUCTION_BARRIER};
static const enum profile_memory memory_columns[] = {PROFILE_GLOBAL_REQUESTS, PROFILE_GLOBAL_SECTORS,
                                                     PROFILE_BANK_CONFLICTS};

static void print_head(FILE *stream, const char *title)
{
    fprintf(stream, "  %-28s %12s %12s %8s", title, "executed", "issued", "active");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        fprintf(stream, " %10s", class_names[columns[i]]);
    for (size_t i = 0; i < sizeof memory_columns / sizeof *memory_columns; i++)
        fprintf(stream, " %15s", memory_names[memory_columns[i]]);
    fputc('\n', stream);
}

static void print_row(FILE *stream, const char *label, const struct sum *sum)
{
    const uint64_t tenths = sum->issued ? sum->executed * 1000 / sum->issued : 0;
    fprintf(stream, "  %-28s %12" PRIu64 " %12" PRIu64 " %5" PRIu64 ".%" PRIu64 "%%", label, sum->executed,
            sum->issued, tenths / 10, tenths % 10);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        fprintf(stream, " %10" PRIu64, sum->by_class[columns[i]]);
    for (size_t i = 0; i < sizeof memory_columns / sizeof *memory_columns; i++)
        fprintf(stream, " %15" PRIu64, sum->memory[memory_columns[i]]);
    fputc('\n', stream);
}

/* The lines of all kernels that ran; malloc'd, NULL: out of memory. */
static struct sums all_lines(const struct profile *profile)
{
    struct sums all = {NULL, 0};
    const struct profile_kernel *kernel;
    for (size_t k = 0; (kernel = profile_kernel_at(profile, k)) != NULL; k++) {
        struct sums some = sums_of(kernel);
        struct sum *grown = realloc(all.at, (all.count + some.count + 1) * sizeof *grown);
        all.at = grown ? grown : all.at;
        for (size_t i = 0; grown && i < some.count; i++)
            if (some.at[i].issued)
                all.at[all.count++] = some.at[i];
        free(some.at);
    }
    if (all.count)
        qsort(all.at, all.count, sizeof *all.at, compare_costs);
    return all;
}

static void print_kernels(const struct profile *profile, FILE *stream)
{
    size_t count = 0;
    while (profile_kernel_at(profile, count))
        count++;
    struct sum *sums = calloc(count + 1, sizeof *sums);
    for (size_t i = 0; sums && i < count; i++)
        sums[i] = sum_of(profile_kernel_at(profile, i));
    if (sums && count)
        qsort(sums, count, sizeof *sums, compare_costs);
    print_head(stream, "kernel");
    for (size_t i = 0; sums && i < count; i++)
        if (sums[i].kernel->launches)
            print_row(stream, sums[i].kernel->name, &sums[i]);
    free(sums);
}

void profile_print(const struct profile *profile, FILE *stream)
{
    struct sum total = {.file = ""};
    char label[96];
    const struct profile_kernel *kernel;
    for (size_t i = 0; (kernel = profile_kernel_at(profile, i)) != NULL; i++) {
        const struct sum sum = sum_of(kernel);
        add(&total, &sum);
    }
    fprintf(stream, "orrery: INSTRUCTIONS executed=%" PRIu64 " issued=%" PRIu64 "\n", total.executed,
            total.issued);
    if (profile_lost(profile))
        fputs("orrery: memory ran out: the counts of instructions are too low\n", stream);
    if (!total.executed)
        return;
    print_kernels(profile, stream);
    struct sums lines = all_lines(profile);
    print_head(stream, "source line");
    for (size_t i = 0; i < lines.count; i++) {
        snprintf(label, sizeof label, "%s:%" PRIu32 " %s", *lines.at[i].file ? lines.at[i].file : "?",
                 lines.at[i].line, lines.at[i].kernel->name);
        print_row(stream, label, &lines.at[i]);
    }
    free(lines.at);
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

static json_t *names_json(void)
{
    json_t *names = json_array();
    for (int i = 0; names && i < INSTRUCTION_CLASS_COUNT; i++)
        json_array_append_new(names, json_string(class_names[i]));
    return names;
}

static void put_sum(json_t *object, const struct sum *sum)
{
    json_t *classes = json_object();
    report_put_number(object, "executed", sum->executed);
    report_put_number(object, "issued", sum->issued);
    for (int i = 0; i < INSTRUCTION_CLASS_COUNT; i++)
        if (sum->by_class[i])
            report_put_number(classes, class_names[i], sum->by_class[i]);
    json_object_set_new(object, "by_class", classes);
    for (int i = 0; i < PROFILE_MEMORY_COUNT; i++)
        report_put_number(object, memory_names[i], sum->memory[i]);
}

static json_t *kernel_json(const struct profile_kernel *kernel)
{
    json_t *object = json_object(), *lines = json_array();
    struct sums sums = sums_of(kernel);
    const struct sum whole = sum_of(kernel);
    report_put_text(object, "kernel", kernel->name);
    report_put_number(object, "launches", kernel->launches);
    report_put_number(object, "work_items", kernel->work_items);
    put_sum(object, &whole);
    for (size_t i = 0; i < sums.count; i++) {
        json_t *line = json_object();
        report_put_text(line, "file", sums.at[i].file);
        report_put_number(line, "line", sums.at[i].line);
        put_sum(line, &sums.at[i]);
        json_array_append_new(lines, line);
    }
    json_object_set_new(object, "lines", lines);
    const bool fine = object && lines && sums.at && json_array_size(lines) == sums.count;
    free(sums.at);
    if (fine)
        return object;
    json_decref(object);
    return NULL;
}

bool profile_write_json(const struct profile *profile, FILE *stream)
{
    json_t *root = json_object(), *kernels = json_array();
    const struct profile_kernel *kernel;
    bool fine = root && kernels && json_object_set_new(root, "classes", names_json()) == 0 &&
                json_object_set_new(root, "complete", json_boolean(!profile_lost(profile))) == 0;
    for (size_t i = 0; fine && (kernel = profile_kernel_at(profile, i)) != NULL; i++)
        fine = !kernel->launches || json_array_append_new(kernels, kernel_json(kernel)) == 0;
    fine = fine && json_object_set(root, "kernels", kernels) == 0 &&
           json_dumpf(root, stream, JSON_INDENT(1)) == 0;
    fputc('\n', stream);
    json_decref(kernels);
    json_decref(root);
    return fine;
}
