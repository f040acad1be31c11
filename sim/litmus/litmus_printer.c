/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a test as text that the parser reads again. */
#include "litmus_test.h"
#include "sim/base/memory_words.h"

#include <string.h>

static const char *const space_words[] = {
    [SPACE_GENERIC] = "", [SPACE_GLOBAL] = "global ", [SPACE_LOCAL] = "local "};

/* ---- expressions ---------------------------------------------------------------------------- */

struct printer {
    const struct thread *thread;
    bool kernel;
    FILE *stream;
};

static void print(const struct printer *printer, const struct expression *expression);

static enum space pointer_space(const struct thread *thread, const struct expression *pointer)
{
    while (pointer->kind != EXPRESSION_PARAMETER)
        pointer = pointer->operand[0];
    return thread->parameters[pointer->index].space;
}

/* The parameter types of the built-in functions, whatever the test declared. */
static void print_cast(const struct printer *printer, const struct expression *pointer, const char *type)
{
    const char *space = pointer_space(printer->thread, pointer) == SPACE_LOCAL ? "local" : "global";
    fprintf(printer->stream, "(%s %s *)", space, type);
    print(printer, pointer);
}

static void print_operand(const struct printer *printer, const struct expression *call, uint32_t index)
{
    const struct expression *operand = call->operand[index];
    bool pointer = index == 0 || (index == 1 && atomic_call_operands[call->call] == 3);
    bool private_pointer = index == 1 && operand->kind == EXPRESSION_ADDRESS_OF &&
                           operand->operand[0]->kind == EXPRESSION_REGISTER;
    if (printer->kernel && pointer && !private_pointer)
        print_cast(printer, operand, index ? "int" : "atomic_int");
    else
        print(printer, operand);
}

/* SPIR-V forbids release as the failure order, and a load that releases is relaxed. */
static enum memory_ordering failure_order(const struct printer *printer, enum memory_ordering order)
{
    if (!printer->kernel)
        return order;
    return order == ORDER_RELEASE ? ORDER_RELAXED : order == ORDER_ACQ_REL ? ORDER_ACQUIRE : order;
}

static void print_call(const struct printer *printer, const struct expression *call)
{
    fprintf(printer->stream, "%s_explicit(", atomic_call_names[call->call]);
    for (uint32_t i = 0; i < atomic_call_operands[call->call]; i++) {
        fputs(i ? ", " : "", printer->stream);
        print_operand(printer, call, i);
    }
    fprintf(printer->stream, ", %s", memory_order_word(call->order));
    if (atomic_call_orders[call->call] == 2)
        fprintf(printer->stream, ", %s", memory_order_word(failure_order(printer, call->failure_order)));
    fprintf(printer->stream, ", %s)", memory_scope_word(call->scope));
}

/* A divisor that is never zero: no location is at address 0, and an access there would stop the thread. */
static void print_divisor(const struct printer *printer, const struct expression *divisor)
{
    if (!printer->kernel || divisor->kind == EXPRESSION_NUMBER) {
        print(printer, divisor);
        return;
    }
    fputs("({ int litmus_divisor = ", printer->stream);
    print(printer, divisor);
    fputs("; litmus_divisor ? litmus_divisor : *(volatile global int *)0; })", printer->stream);
}

static void print(const struct printer *printer, const struct expression *expression)
{
    FILE *stream = printer->stream;
    switch (expression->kind) {
    case EXPRESSION_NUMBER:
        fprintf(stream, expression->number < 0 ? "0x%x" : "%d", (unsigned)expression->number);
        break;
    case EXPRESSION_REGISTER: fputs(printer->thread->registers[expression->index], stream); break;
    case EXPRESSION_PARAMETER: fputs(printer->thread->parameters[expression->index].name, stream); break;
    case EXPRESSION_ADDRESS_OF:
    case EXPRESSION_DEREFERENCE:
    case EXPRESSION_UNARY:
        fprintf(stream, "(%s",
                expression->kind == EXPRESSION_ADDRESS_OF    ? "&"
                : expression->kind == EXPRESSION_DEREFERENCE ? "*"
                                                             : expression->operation);
        print(printer, expression->operand[0]);
        fputc(')', stream);
        break;
    case EXPRESSION_BINARY:
        fputc('(', stream);
        print(printer, expression->operand[0]);
        fprintf(stream, " %s ", expression->operation);
        if (*expression->operation == '/' || *expression->operation == '%')
            print_divisor(printer, expression->operand[1]);
        else
            print(printer, expression->operand[1]);
        fputc(')', stream);
        break;
    case EXPRESSION_CONDITIONAL:
        fputc('(', stream);
        for (int i = 0; i < 3; i++) {
            fputs(i == 0 ? "" : i == 1 ? " ? " : " : ", stream);
            print(printer, expression->operand[i]);
        }
        fputc(')', stream);
        break;
    case EXPRESSION_INDEX:
        print(printer, expression->operand[0]);
        fputc('[', stream);
        print(printer, expression->operand[1]);
        fputc(']', stream);
        break;
    case EXPRESSION_ATOMIC: print_call(printer, expression); break;
    }
}

void expression_print(const struct thread *thread, const struct expression *expression, bool kernel,
                      FILE *stream)
{
    print(&(struct printer){thread, kernel, stream}, expression);
}

/* ---- statements --------------------------------------------------------------------------------- */

void litmus_print_flags(uint32_t flags, FILE *stream)
{
    static const struct {
        uint32_t flag;
        const char *word;
    } words[] = {{REGION_GLOBAL, "CLK_GLOBAL_MEM_FENCE"},
                 {REGION_LOCAL, "CLK_LOCAL_MEM_FENCE"},
                 {REGION_IMAGE, "CLK_IMAGE_MEM_FENCE"}};
    const char *between = "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!(flags & words[i].flag))
            continue;
        fprintf(stream, "%s%s", between, words[i].word);
        between = " | ";
    }
    if (!flags)
        fputc('0', stream);
}

static void print_statements(const struct litmus *test, const struct thread *thread,
                             const struct litmus_statement *first, int depth, FILE *stream);

static void print_barrier(const struct litmus *test, const struct litmus_statement *barrier, FILE *stream)
{
    if (barrier->label)
        fprintf(stream, "%s: ", test->labels[barrier->label - 1]);
    fputs("work_group_barrier(", stream);
    litmus_print_flags(barrier->flags, stream);
    fprintf(stream, ", %s);\n", memory_scope_word(barrier->scope));
}

/* The statement inside braces that branches print themselves. */
static const struct litmus_statement *within_braces(const struct litmus_statement *body)
{
    return body->kind == STATEMENT_BLOCK && !body->next ? body->body : body;
}

/* An assignment or a call, without its semicolon. Registers are declared before all statements. */
static void print_simple(const struct thread *thread, const struct litmus_statement *statement, FILE *stream)
{
    if (statement->kind == STATEMENT_ASSIGN)
        fprintf(stream, "%s = ", thread->registers[statement->target]);
    if (statement->kind == STATEMENT_STORE) {
        expression_print(thread, statement->to, false, stream);
        fputs(" = ", stream);
    }
    expression_print(thread, statement->value, false, stream);
}

static void print_if(const struct litmus *test, const struct thread *thread,
                     const struct litmus_statement *branch, int depth, FILE *stream)
{
    fputs("if (", stream);
    expression_print(thread, branch->value, false, stream);
    fputs(") {\n", stream);
    print_statements(test, thread, within_braces(branch->body), depth + 1, stream);
    if (branch->otherwise) {
        fprintf(stream, "%*s} else {\n", depth * 2, "");
        print_statements(test, thread, within_braces(branch->otherwise), depth + 1, stream);
    }
    fprintf(stream, "%*s}\n", depth * 2, "");
}

static void print_loop(const struct litmus *test, const struct thread *thread,
                       const struct litmus_statement *loop, int depth, FILE *stream)
{
    if (loop->kind == STATEMENT_DO) {
        fputs("do {\n", stream);
    } else {
        fputs(loop->otherwise ? "for (; " : "while (", stream);
        expression_print(thread, loop->value, false, stream);
        for (const struct litmus_statement *step = loop->otherwise; step; step = step->next) {
            fputs(step == loop->otherwise ? "; " : ", ", stream);
            print_simple(thread, step, stream);
        }
        fputs(") {\n", stream);
    }
    print_statements(test, thread, within_braces(loop->body), depth + 1, stream);
    fprintf(stream, "%*s}", depth * 2, "");
    if (loop->kind == STATEMENT_DO) {
        fputs(" while (", stream);
        expression_print(thread, loop->value, false, stream);
        fputs(");", stream);
    }
    fputc('\n', stream);
}

static void print_statement(const struct litmus *test, const struct thread *thread,
                            const struct litmus_statement *statement, int depth, FILE *stream)
{
    switch (statement->kind) {
    case STATEMENT_NOTHING: break;
    case STATEMENT_ASSIGN:
    case STATEMENT_STORE:
    case STATEMENT_EVALUATE:
        print_simple(thread, statement, stream);
        fputs(";\n", stream);
        break;
    case STATEMENT_FENCE:
        fputs("atomic_work_item_fence(", stream);
        litmus_print_flags(statement->flags, stream);
        fprintf(stream, ", %s, %s);\n", memory_order_word(statement->order),
                memory_scope_word(statement->scope));
        break;
    case STATEMENT_BARRIER: print_barrier(test, statement, stream); break;
    case STATEMENT_IF: print_if(test, thread, statement, depth, stream); break;
    case STATEMENT_WHILE:
    case STATEMENT_DO: print_loop(test, thread, statement, depth, stream); break;
    case STATEMENT_BREAK: fputs("break;\n", stream); break;
    case STATEMENT_CONTINUE: fputs("continue;\n", stream); break;
    case STATEMENT_RETURN: fputs("return;\n", stream); break;
    case STATEMENT_BLOCK:
        fputs("{\n", stream);
        print_statements(test, thread, statement->body, depth + 1, stream);
        fprintf(stream, "%*s}\n", depth * 2, "");
        break;
    }
}

static void print_statements(const struct litmus *test, const struct thread *thread,
                             const struct litmus_statement *first, int depth, FILE *stream)
{
    for (const struct litmus_statement *statement = first; statement; statement = statement->next) {
        if (statement->kind == STATEMENT_NOTHING)
            continue;
        fprintf(stream, "%*s", depth * 2, "");
        print_statement(test, thread, statement, depth, stream);
    }
}

/* ---- all of it -------------------------------------------------------------------------------------- */

static void print_thread(const struct litmus *test, uint32_t number, FILE *stream)
{
    const struct thread *thread = &test->threads[number];
    fprintf(stream, "\nP%u@wg %u, dev %u (", number, thread->group, thread->device);
    for (uint32_t i = 0; i < thread->parameter_count; i++) {
        const struct parameter *parameter = &thread->parameters[i];
        fprintf(stream, "%s%s%s%s* %s", i ? ", " : "", parameter->is_volatile ? "volatile " : "",
                space_words[parameter->space], parameter->is_atomic ? "atomic_int" : "int", parameter->name);
    }
    fputs(") {\n", stream);
    for (uint32_t i = 0; i < thread->register_count; i++)
        fprintf(stream, "  int %s;\n", thread->registers[i]);
    print_statements(test, thread, thread->body->body, 1, stream);
    fputs("}\n", stream);
}

static void print_location(const struct location *location, FILE *stream)
{
    if (!location->is_array) {
        fprintf(stream, "  [%s] = %d;\n", location->name, location->initial[0]);
        return;
    }
    fprintf(stream, "  %s %s[%u] = {", location->atomic_type ? "atomic_int" : "int", location->name,
            location->cells);
    for (uint32_t i = 0; i < location->cells; i++)
        fprintf(stream, "%s%d", i ? ", " : "", location->initial[i]);
    fputs("};\n", stream);
}

static void print_condition(const struct litmus *test, const struct condition *condition, FILE *stream);

/* Prints a chain of any length without deep nesting, so that it can be parsed again. */
static void print_chain(const struct litmus *test, const struct condition *condition, FILE *stream)
{
    const struct condition *left = condition->operand[0];
    if (left->kind == condition->kind)
        print_chain(test, left, stream);
    else
        print_condition(test, left, stream);
    fputs(condition->kind == CONDITION_AND ? " /\\ " : " \\/ ", stream);
    print_condition(test, condition->operand[1], stream);
}

static void print_comparison(const struct litmus *test, const struct condition *equal, const char *comparison,
                             FILE *stream)
{
    fprintf(stream, "%s %s ", test->terms[equal->term].text, comparison);
    if (equal->to_address)
        fprintf(stream, "&%s", test->location_names[equal->value]);
    else
        fprintf(stream, "%lld", (long long)equal->value);
}

/* What is printed nests at most as deep as the condition, which the parser limits, and once more. */
static void print_condition(const struct litmus *test, const struct condition *condition, FILE *stream)
{
    const struct condition *operand = condition->operand[0];
    switch (condition->kind) {
    case CONDITION_TRUE: fputs("true", stream); break;
    case CONDITION_EQUAL: print_comparison(test, condition, "=", stream); break;
    case CONDITION_NOT:
        if (operand->kind == CONDITION_EQUAL) {
            print_comparison(test, operand, "!=", stream);
            break;
        }
        fputc('~', stream);
        print_condition(test, operand, stream);
        break;
    case CONDITION_AND:
    case CONDITION_OR:
        fputc('(', stream);
        print_chain(test, condition, stream);
        fputc(')', stream);
        break;
    }
}

const char *const quantifier_words[] = {
    [QUANTIFIER_EXISTS] = "exists", [QUANTIFIER_NOT_EXISTS] = "~exists", [QUANTIFIER_FORALL] = "forall"};

void litmus_print(const struct litmus *test, FILE *stream)
{
    fprintf(stream, "OPENCL %s\n\n{\n", test->name);
    for (uint32_t i = 0; i < test->location_count; i++)
        print_location(&test->locations[i], stream);
    fputs("}\n", stream);
    for (uint32_t i = 0; i < test->thread_count; i++)
        print_thread(test, i, stream);
    const bool is_chain = test->condition->kind == CONDITION_AND || test->condition->kind == CONDITION_OR;
    fprintf(stream, "\n%s (", quantifier_words[test->quantifier]);
    (is_chain ? print_chain : print_condition)(test, test->condition, stream);
    fputs(")\n", stream);
}
