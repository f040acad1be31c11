/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL C of a test: one kernel, a case for each thread. */
#include "litmus_test.h"
#include "sim/base/memory_words.h"

#include <stdlib.h>

bool kernel_passes(const struct location *location, enum space space)
{
    return space == SPACE_LOCAL ? location->local : location->global;
}

/* ---- places ---------------------------------------------------------------------------- */

static bool same_group(const struct thread *a, const struct thread *b)
{
    return a->group == b->group && a->device == b->device;
}

void litmus_place(const struct litmus *test, struct thread_places *out_places)
{
    uint32_t sizes[THREADS_MOST] = {0};
    *out_places = (struct thread_places){.group_size = 1};
    for (uint32_t i = 0; i < test->thread_count; i++) {
        uint32_t before = 0;
        while (before < i && !same_group(&test->threads[before], &test->threads[i]))
            before++;
        uint32_t group = before < i ? out_places->group[before] : out_places->group_count++;
        out_places->group[i] = group;
        out_places->device[i] = test->threads[i].device;
        out_places->item[i] = sizes[group]++;
        if (sizes[group] > out_places->group_size)
            out_places->group_size = sizes[group];
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

struct kernel_writer {
    const struct litmus *test;
    const struct thread *thread;
    FILE *stream;
};

static void write_statements(const struct kernel_writer *writer, const struct litmus_statement *first);

static void write_assignment(const struct kernel_writer *writer, const struct litmus_statement *statement)
{
    if (statement->kind == STATEMENT_ASSIGN) {
        fprintf(writer->stream, "%s = ", writer->thread->registers[statement->target]);
    } else if (statement->kind == STATEMENT_STORE) {
        expression_print(writer->thread, statement->to, true, writer->stream);
        fputs(" = ", writer->stream);
    }
    expression_print(writer->thread, statement->value, true, writer->stream);
    fputs(";\n", writer->stream);
}

static void write_barrier(const struct kernel_writer *writer, const struct litmus_statement *barrier)
{
    fprintf(writer->stream, "litmus_log[0] = %u; work_group_barrier(", barrier->label + 1);
    litmus_print_flags(barrier->flags, writer->stream);
    fprintf(writer->stream, ", %s);\n", memory_scope_word(barrier->scope));
}

static void write_if(const struct kernel_writer *writer, const struct litmus_statement *branch)
{
    fputs("if (", writer->stream);
    expression_print(writer->thread, branch->value, true, writer->stream);
    fputs(") {\n", writer->stream);
    write_statements(writer, branch->body);
    if (branch->otherwise) {
        fputs("} else {\n", writer->stream);
        write_statements(writer, branch->otherwise);
    }
    fputs("}\n", writer->stream);
}

/* The step of a for loop is a statement expression, so that it may have several lines. */
static void write_while(const struct kernel_writer *writer, const struct litmus_statement *loop)
{
    fputs(loop->otherwise ? "for (; " : "while (", writer->stream);
    expression_print(writer->thread, loop->value, true, writer->stream);
    if (loop->otherwise) {
        fputs("; ({\n", writer->stream);
        write_statements(writer, loop->otherwise);
        fputs("})", writer->stream);
    }
    fputs(") {\n", writer->stream);
    write_statements(writer, loop->body);
    fputs("}\n", writer->stream);
}

static void write_do(const struct kernel_writer *writer, const struct litmus_statement *loop)
{
    fputs("do {\n", writer->stream);
    write_statements(writer, loop->body);
    fprintf(writer->stream, "#line %u\n} while (", loop->value->place.line);
    expression_print(writer->thread, loop->value, true, writer->stream);
    fputs(");\n", writer->stream);
}

/* A return goes to where the registers are logged. */
static uint32_t number_of(const struct kernel_writer *writer)
{
    return (uint32_t)(writer->thread - writer->test->threads);
}

static void write_statement(const struct kernel_writer *writer, const struct litmus_statement *statement)
{
    if (statement->kind == STATEMENT_NOTHING)
        return;
    fprintf(writer->stream, "#line %u\n", statement->place.line);
    switch (statement->kind) {
    case STATEMENT_FENCE:
        fputs("atomic_work_item_fence(", writer->stream);
        litmus_print_flags(statement->flags, writer->stream);
        fprintf(writer->stream, ", %s, %s);\n", memory_order_word(statement->order),
                memory_scope_word(statement->scope));
        break;
    case STATEMENT_BARRIER: write_barrier(writer, statement); break;
    case STATEMENT_IF: write_if(writer, statement); break;
    case STATEMENT_WHILE: write_while(writer, statement); break;
    case STATEMENT_DO: write_do(writer, statement); break;
    case STATEMENT_BREAK: fputs("break;\n", writer->stream); break;
    case STATEMENT_CONTINUE: fputs("continue;\n", writer->stream); break;
    case STATEMENT_RETURN: fprintf(writer->stream, "goto litmus_end_%u;\n", number_of(writer)); break;
    case STATEMENT_BLOCK: write_statements(writer, statement->body); break;
    default: write_assignment(writer, statement); break;
    }
}

static void write_statements(const struct kernel_writer *writer, const struct litmus_statement *first)
{
    for (const struct litmus_statement *statement = first; statement; statement = statement->next)
        write_statement(writer, statement);
}

/* ---- the kernel ---------------------------------------------------------------------------------- */

static void write_thread(const struct kernel_writer *writer, uint32_t number, uint32_t global_id)
{
    const struct thread *thread = writer->thread;
    fprintf(writer->stream, "case %u: { /* P%u */\n", global_id, number);
    for (uint32_t i = 0; i < thread->parameter_count; i++) {
        const struct parameter *parameter = &thread->parameters[i];
        const char *space = parameter->space == SPACE_LOCAL ? "local" : "global";
        fprintf(writer->stream, "%s%s int *%s = %s_%s;\n", parameter->is_volatile ? "volatile " : "", space,
                parameter->name, space, parameter->name);
    }
    for (uint32_t i = 0; i < thread->register_count; i++)
        fprintf(writer->stream, "int %s = 0;\n", thread->registers[i]);
    write_statements(writer, thread->body->body);
    if (thread->returns)
        fprintf(writer->stream, "litmus_end_%u:;\n", number);
    for (uint32_t i = 0; i < thread->register_count; i++)
        fprintf(writer->stream, "litmus_log[%u] = %s;\n", i + 1, thread->registers[i]);
    fputs("break; }\n", writer->stream);
}

static void write_arguments(const struct kernel_writer *writer)
{
    for (uint32_t i = 0; i < writer->test->location_count; i++) {
        const struct location *location = &writer->test->locations[i];
        if (kernel_passes(location, SPACE_GLOBAL))
            fprintf(writer->stream, "global int *global_%s, ", location->name);
        if (kernel_passes(location, SPACE_LOCAL))
            fprintf(writer->stream, "local int *local_%s, ", location->name);
    }
    fputs("global int *litmus_log", writer->stream);
}

static void write_kernel(struct kernel_writer *writer)
{
    struct thread_places places;
    litmus_place(writer->test, &places);
    fputs("kernel void " LITMUS_KERNEL_NAME "(", writer->stream);
    write_arguments(writer);
    fputs(")\n{\nswitch (get_global_id(0)) {\n", writer->stream);
    for (uint32_t i = 0; i < writer->test->thread_count; i++) {
        writer->thread = &writer->test->threads[i];
        write_thread(writer, i, places.group[i] * places.group_size + places.item[i]);
    }
    fputs("}\n}\n", writer->stream);
}

char *litmus_kernel(const struct litmus *test)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    struct kernel_writer writer = {.test = test, .stream = stream};
    write_kernel(&writer);
    bool fine = !ferror(stream);
    if (fclose(stream) == 0 && fine)
        return text;
    free(text);
    return NULL;
}
