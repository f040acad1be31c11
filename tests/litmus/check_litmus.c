/* SPDX-License-Identifier: Apache-2.0 */
/* Litmus tests: the parser's errors, conditions, spinning; random tests where the engines must agree. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/litmus/litmus_test.h"
#include "orrery/compiler.h"

/* ---- parsing --------------------------------------------------------------------------------- */

static const struct {
    const char *text, *error;
} refused[] = {
    {"", "t:1:1: expected OPENCL and the name of the test, found the end of the file"},
    {"OPENCL\n{ }", "t:1:1: the test has no name"},
    {"OPENCL t\nP0 (int* x) { }",
     "t:2:1: expected the initial values in braces, as in '{ [x] = 0; }', found 'P0'"},
    {"OPENCL t\n{ [x]=0 [y]=1; }", "t:2:9: expected ';', found '['"},
    {"OPENCL t\n{ [x]=0; [x]=1; }", "t:2:11: 'x' has a value already"},
    {"OPENCL t\n{ int x[2]={1,2,3}; }", "t:2:17: 'x' has 2 elements"},
    {"OPENCL t\n{ int x[0]; }", "t:2:9: an array has 1 to 64 elements"},
    {"OPENCL t\n{ }\nexists (x=1)", "t:3:1: expected a thread P0, found 'exists'"},
    {"OPENCL t\n{ }\nP1@wg 0, dev 0 () { }", "t:3:1: expected P0, found 'P1'"},
    {"OPENCL t\n{ }\nP0@wg -1, dev 0 () { }", "t:3:7: a negative wg"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (float* x) { }", "t:3:17: expected int or atomic_int, found 'float'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x, int* x) { }", "t:3:25: 'x' is a parameter already"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { y = 1; }",
     "t:3:27: 'y' is neither a register nor a parameter of this thread"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int x = 1; }", "t:3:31: 'x' is a parameter"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int r = x; }", "t:3:35: expected a value, found an address"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int r = *1; }", "t:3:36: expected a pointer to a location"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { 1 = 2; }", "t:3:27: this cannot be assigned to"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { f(x); }",
     "t:3:27: the function 'f' is not supported; litmus tests have atomic_load, atomic_store, "
     "atomic_exchange, atomic_fetch_* and atomic_compare_exchange_*, also with _explicit"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { atomic_load(3); }",
     "t:3:39: expected a pointer to a location"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int r = atomic_load_explicit(x, memory_order_release); }",
     "t:3:35: a load cannot release"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { atomic_store_explicit(x, 1, memory_order_acq_rel); }",
     "t:3:27: a store cannot acquire"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int r = atomic_load_explicit(x, strict); }",
     "t:3:59: expected a memory order, found 'strict'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int r = atomic_load_explicit(x, memory_order_relaxed, wide); "
     "}",
     "t:3:81: expected a memory scope, found 'wide'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { barrier(FENCE); }",
     "t:3:35: expected flags of a fence, found 'FENCE'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { B1: *x = 1; }",
     "t:3:31: expected a barrier after the label, found '*'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { *x = 1 }", "t:3:34: expected ';', found '}'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { *x = 99999999999; }",
     "t:3:32: a number that does not fit 32 bits"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { *x = 1a; }", "t:3:32: 'a' in a number"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { *x = $; }", "t:3:32: an unexpected character '$'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { *x = \200; }", "t:3:32: an unexpected byte 0x80"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { /* ", "t:3:27: a comment without end"},
    {"OPENCL t\n{ } (* ", "t:2:5: a comment without end"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { }",
     "t:3:28: expected another thread or a clause, as in 'exists (0:r0=1)', found the end of the file"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { }\nexists (z=1)", "t:4:9: there is no location 'z'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { }\nexists (1:r=1)", "t:4:9: there is no thread 1"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { }\nexists (0:r=1)", "t:4:11: thread 0 has no register 'r'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { }\nexists (x[1]=1)", "t:4:11: 'x' has 1 element"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int atomic_load; }\nexists (x=0)",
     "t:3:31: expected a register, found 'atomic_load'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int r, global = 0; }",
     "t:3:34: expected a register, found 'global'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int exists = 0; }",
     "t:3:31: expected a register, found 'exists'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* forall) { }", "t:3:22: expected a parameter, found 'forall'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* while) { }\nexists (x=0)",
     "t:3:22: expected a parameter, found 'while'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { }\nexists (x=)",
     "t:4:11: expected a number or a location, found ')'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { }\nexists (x=1) x",
     "t:4:14: expected /\\, \\/ or the end of the file, found 'x'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { }\nexists (x<1)", "t:4:10: expected = or !=, found '<'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int r = 1; }\nexists (r=1)",
     "t:4:9: there is no location 'r'; the register of P0 is 0:r"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int r = 1;\nexists (x=1)",
     "t:4:1: expected '}', found 'exists'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int r = 1;\nP1 (int* x) { }\nexists (x=1)",
     "t:4:1: expected '}', found 'P1'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int r = 1;",
     "t:3:37: expected '}', found the end of the file"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { switch (*x) { } }",
     "t:3:27: expected a statement (if, while, do, for, break, continue, return, an assignment, a call, a "
     "fence or a barrier), found 'switch'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { bool r = *x; }",
     "t:3:27: expected int or uint, the types of registers, found 'bool'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { if (*x) break; }", "t:3:35: 'break' outside of a loop"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { while (*x) { } continue; }",
     "t:3:42: 'continue' outside of a loop"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { do *x = 1; }", "t:3:38: expected 'while', found '}'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { for (int i = 0) { } }", "t:3:41: expected ';', found ')'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { *x++; }",
     "t:3:29: ++ would change the pointer; parentheses are missing, as in (*x)++"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { ++*x; }", "t:3:29: expected a register after '++', found '*'"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { --x; }", "t:3:29: expected a register, found an address"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int r = 1; r /= 0; }", "t:3:43: a division by zero"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { x[atomic_load(x)] += 1; }",
     "t:3:28: an atomic call in the place that is updated: assign its value to a register before"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { if ((*x = 1)) { } }",
     "t:3:35: among other operators, only registers are assigned to"},
    {"OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { int r = 1; { int r = 2; } }",
     "t:3:44: 'r' is declared already; a register of an inner block needs another name"},
};

START_TEST(refuses_with_a_place)
{
    struct litmus *test = NULL;
    struct diagnosis diagnosis = {STATUS_OK, ""};
    ck_assert_int_eq(litmus_parse(refused[_i].text, "t", &test, &diagnosis), STATUS_BAD_ARGUMENT);
    ck_assert_str_eq(diagnosis.text, refused[_i].error);
}
END_TEST

START_TEST(refuses_deep_nesting)
{
    char text[1000] = "OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { *x = ";
    struct litmus *test = NULL;
    struct diagnosis diagnosis = {STATUS_OK, ""};
    size_t length = strlen(text);
    memset(text + length, '(', sizeof text - length - 1);
    ck_assert_int_eq(litmus_parse(text, "t", &test, &diagnosis), STATUS_BAD_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(diagnosis.text, "nested too deeply"));
}
END_TEST

/* A chain of operators is as deep as parentheses are: what was printed of longer ones could not be read. */
static enum status parse_chain(const char *again, size_t times, struct litmus **out_test,
                               struct diagnosis *diagnosis)
{
    const char *head = "OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { *x = ", *tail = "1; }\nexists (x=0)";
    char *text = malloc(strlen(head) + times * strlen(again) + strlen(tail) + 1), *end = stpcpy(text, head);
    for (size_t i = 0; i < times; i++)
        end = stpcpy(end, again);
    strcpy(end, tail);
    const enum status status = litmus_parse(text, "t", out_test, diagnosis);
    free(text);
    return status;
}

static char *printed_test(const struct litmus *test)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    litmus_print(test, stream);
    fclose(stream);
    return text;
}

enum { CLOSED = 4 }; /* chains without parentheses */
static const char *const chains[] = {"- ", "1 + ", "~ !", "2 * 1 + ", "1 + 2 * (", "(1 + "};

START_TEST(what_is_printed_of_deep_expressions_is_read_again)
{
    uint32_t read = 0;
    for (size_t times = 1; times < 200; times++) {
        struct litmus *test = NULL, *again = NULL;
        struct diagnosis diagnosis = {STATUS_OK, ""};
        if (parse_chain(chains[_i], times, &test, &diagnosis) == STATUS_OK) {
            char *text = printed_test(test);
            ck_assert_msg(litmus_parse(text, "t", &again, &diagnosis) == STATUS_OK, "%zu times '%s': %s",
                          times, chains[_i], diagnosis.text);
            free(text);
            litmus_free(test);
            litmus_free(again);
            read++;
        }
    }
    ck_assert_uint_ge(read, 31);
    ck_assert_uint_lt(read, 199);
}
END_TEST

START_TEST(refuses_long_chains_of_operators)
{
    struct litmus *test = NULL;
    struct diagnosis diagnosis = {STATUS_OK, ""};
    ck_assert_int_eq(parse_chain(chains[_i], 500000, &test, &diagnosis), STATUS_BAD_ARGUMENT);
    ck_assert_msg(strstr(diagnosis.text, "nested too deeply") ||
                      strstr(diagnosis.text, "more than 64 operators in one another"),
                  "%s", diagnosis.text);
}
END_TEST

/* A clause that begins so, and repeats the same words. */
static void refuses_clause(const char *begin, const char *again, size_t times, const char *error)
{
    const char *head = "OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { }\nexists (";
    char *text = malloc(strlen(head) + strlen(begin) + times * strlen(again) + 1), *end = text;
    struct litmus *test = NULL;
    struct diagnosis diagnosis = {STATUS_OK, ""};
    end = stpcpy(stpcpy(end, head), begin);
    for (size_t i = 0; i < times; i++)
        end = stpcpy(end, again);
    ck_assert_int_eq(litmus_parse(text, "t", &test, &diagnosis), STATUS_BAD_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(diagnosis.text, error));
    free(text);
}

/* They ran over the stack. */
START_TEST(refuses_deep_and_long_clauses)
{
    refuses_clause("", "(", 2000000, "nested too deeply");
    refuses_clause("", "~", 2000000, "nested too deeply");
    refuses_clause("x=1", " /\\ x=1", 2000000, "the clause has more than 10000 parts");
}
END_TEST

static const struct {
    const char *before, *after;
} nests[] = {{"~", ""},
             {"not ", ""},
             {"(", ")"},
             {"~(", ")"},
             {"x=0 \\/ ", ""},
             {"(x=0 /\\ ", ")"},
             {"x=0 \\/ x=1 /\\ (", ")"},
             {"x=0 /\\ ~(x=1 \\/ ", ")"},
             {"~(x!=1 /\\ x=2 \\/ ", ")"}};

static enum status parse_nest(int kind, uint32_t times, struct litmus **out_test)
{
    struct diagnosis diagnosis = {STATUS_OK, ""};
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    fputs("OPENCL t\n{ }\nP0@wg 0, dev 0 (int* x) { }\nexists ", stream);
    for (uint32_t i = 0; i < times; i++)
        fputs(nests[kind].before, stream);
    fputs("x!=0", stream);
    for (uint32_t i = 0; i < times; i++)
        fputs(nests[kind].after, stream);
    fclose(stream);
    const enum status status = litmus_parse(text, "t", out_test, &diagnosis);
    free(text);
    return status;
}

START_TEST(what_is_printed_of_deep_clauses_is_read_again)
{
    uint32_t read = 0;
    for (uint32_t times = 1; times < 300; times++) {
        struct litmus *test = NULL, *again = NULL;
        struct diagnosis diagnosis = {STATUS_OK, ""};
        if (parse_nest(_i, times, &test) != STATUS_OK)
            continue;
        char *text = printed_test(test);
        ck_assert_msg(litmus_parse(text, "t", &again, &diagnosis) == STATUS_OK, "%u times '%s': %s", times,
                      nests[_i].before, diagnosis.text);
        char *twice = printed_test(again);
        ck_assert_str_eq(text, twice);
        for (int64_t x = 0; x < 3; x++) {
            const struct term_value value = {x, false};
            ck_assert(condition_holds(test->condition, &value) == condition_holds(again->condition, &value));
        }
        free(text);
        free(twice);
        litmus_free(test);
        litmus_free(again);
        read++;
    }
    ck_assert_uint_ge(read, 33);
}
END_TEST

static struct litmus *parsed(const char *text)
{
    struct litmus *test = NULL;
    struct diagnosis diagnosis = {STATUS_OK, ""};
    ck_assert_msg(litmus_parse(text, "t", &test, &diagnosis) == STATUS_OK, "%s\n%s", diagnosis.text, text);
    return test;
}

/* ---- conditions --------------------------------------------------------------------------------- */

static bool holds(const char *clause, int64_t x, int64_t y)
{
    char text[300];
    struct term_value values[4] = {{0, false}};
    snprintf(text, sizeof text,
             "OPENCL t\n{ [x]=0; [y]=0; }\nP0@wg 0, dev 0 (int* x, int* y) { }\nexists (%s)", clause);
    struct litmus *test = parsed(text);
    for (uint32_t i = 0; i < test->term_count; i++) {
        const struct litmus_term *term = &test->terms[i];
        values[i] = term->kind == TERM_PARAMETER ? (struct term_value){term->index, true}
                                                 : (struct term_value){term->index ? y : x, false};
    }
    bool result = condition_holds(test->condition, values);
    litmus_free(test);
    return result;
}

START_TEST(conditions_hold)
{
    ck_assert(holds("x=1", 1, 0));
    ck_assert(!holds("x=1", 2, 0));
    ck_assert(holds("x!=1", 2, 0));
    ck_assert(holds("[x]=-1", -1, 0));
    ck_assert(holds("~(x=1)", 2, 0));
    ck_assert(!holds("~x=1", 1, 0));
    ck_assert(!holds("x=1 /\\ y=1", 1, 0));
    ck_assert(holds("x=1 \\/ y=1", 1, 0));
    /* and binds more tightly than or, not most tightly */
    ck_assert(holds("x=1 \\/ x=2 /\\ y=1", 1, 0));
    ck_assert(!holds("(x=1 \\/ x=2) /\\ y=1", 1, 0));
    ck_assert(holds("~x=1 \\/ x=1", 1, 0));
    ck_assert(holds("true", 0, 0));
    /* a parameter is the address of its location, and no number */
    ck_assert(holds("0:x=&x", 0, 0));
    ck_assert(holds("0:y=y", 0, 0));
    ck_assert(!holds("0:x=y", 0, 0));
    ck_assert(!holds("0:x=0", 0, 0));
}
END_TEST

/* ---- runs ------------------------------------------------------------------------------------------ */

static void run(const char *text, enum litmus_engine engine, struct litmus_result *out_result)
{
    struct litmus *test = parsed(text);
    struct litmus_options options = {.engine = engine, .confirm = true};
    struct diagnosis diagnosis = {STATUS_OK, ""};
    enum status status = litmus_run(test, &options, out_result, &diagnosis);
    ck_assert_msg(status == STATUS_OK, "%s\n%s", diagnosis.text, text);
    litmus_free(test);
}

static enum litmus_answer answer_of(const char *clause, enum litmus_answer *out_exists)
{
    char text[300];
    struct litmus_result result;
    snprintf(text, sizeof text,
             "OPENCL t\n{ [x]=0; }\nP0@wg 0, dev 0 (global atomic_int* x) { atomic_store(x, 1); }\n"
             "P1@wg 0, dev 0 (global atomic_int* x) { int r = atomic_load(x); }\n%s",
             clause);
    run(text, LITMUS_INTERLEAVINGS, &result);
    enum litmus_answer answer = result.holds;
    ck_assert_uint_eq(strlen(result.clause), strcspn(clause, " "));
    ck_assert_int_eq(strncmp(result.clause, clause, strlen(result.clause)), 0);
    *out_exists = result.exists;
    litmus_result_fini(&result);
    return answer;
}

START_TEST(quantifiers_decide)
{
    static const struct {
        const char *clause;
        enum litmus_answer holds, exists;
    } clauses[] = {
        {"exists (1:r=0)", LITMUS_YES, LITMUS_YES}, {"exists (1:r=2)", LITMUS_NO, LITMUS_NO},
        {"~exists (1:r=0)", LITMUS_NO, LITMUS_YES}, {"~exists (1:r=2)", LITMUS_YES, LITMUS_NO},
        {"forall (x=1)", LITMUS_YES, LITMUS_YES},   {"forall (1:r=1)", LITMUS_NO, LITMUS_YES},
        {"forall (1:r=2)", LITMUS_NO, LITMUS_NO},
    };
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        enum litmus_answer exists;
        ck_assert_int_eq(answer_of(clauses[i].clause, &exists), clauses[i].holds);
        ck_assert_int_eq(exists, clauses[i].exists);
    }
}
END_TEST

/* One value of the only register of the only thread, for C's operators. */
static int64_t computed(const char *expression)
{
    char text[400];
    struct litmus_result result;
    snprintf(text, sizeof text,
             "OPENCL t\n{ int x[3] = {5, 6, 7}; }\nP0@wg 0, dev 0 (global int* x) { int a = 12; int b = -5; "
             "int r = %s; }\nexists (0:r=0)",
             expression);
    run(text, LITMUS_INTERLEAVINGS, &result);
    ck_assert_uint_eq(result.outcome_count, 1);
    int64_t value = result.outcomes[0].values[0];
    litmus_result_fini(&result);
    return value;
}

START_TEST(c_computes)
{
    ck_assert_int_eq(computed("a + b * 2"), 2);
    ck_assert_int_eq(computed("(a + b) * 2 - a / 5 - a % 5"), 10);
    ck_assert_int_eq(computed("(a & 6) | (a ^ 8) | !a"), 4);
    ck_assert_int_eq(computed("a > b && b <= -5 && a != 12 || ~a == -13"), 1);
    ck_assert_int_eq(computed("(1 << 4) - (a >> 2)"), 13);
    ck_assert_int_eq(computed("*x + x[1] * *(x + 2)"), 47);
    ck_assert_int_eq(computed("*&x[2]"), 7);
}
END_TEST

/* ---- what C abbreviates --------------------------------------------------------------------------- */

/* The same with if, while and plain assignments alone. */
static const struct {
    const char *text, *written_out;
} same[] = {
    {"int r = 0; for (int i = 0; i < 2; i++) r += atomic_fetch_add(l, 1);",
     "int r = 0; int i = 0; while (i < 2) { r = r + atomic_fetch_add(l, 1); i = i + 1; }"},
    {"int r = 0; for (int i = 0; i < 3; ++i) { if (i == 1) continue; r += atomic_fetch_add(l, i); }",
     "int r = 0; int i = 0; while (i < 3) { if (i != 1) { r = r + atomic_fetch_add(l, i); } i = i + 1; }"},
    {"int r = 0, i, k; for (i = 3, k = 1; ; i--, k <<= 1) { if (!i) break; r |= k; } atomic_fetch_or(l, r);",
     "int r = 7; atomic_fetch_or(l, r);"},
    {"int r; do r = atomic_exchange(l, 1); while (r); (*x)++; atomic_store(l, 0);",
     "int r = atomic_exchange(l, 1); while (r) { r = atomic_exchange(l, 1); } *x = *x + 1; atomic_store(l, "
     "0);"},
    {"int r = 2; do { if (--r) continue; atomic_store(l, 1); } while (r > 0);",
     "int r = 0; atomic_store(l, 1);"},
    {"int r = 5; while (1) { if (!atomic_exchange(l, 1)) break; } r = *x; *x += 1; atomic_store(l, 0);",
     "int r = 5; while (atomic_exchange(l, 1)) { } r = *x; *x = r + 1; atomic_store(l, 0);"},
    {"int r; while ((r = atomic_exchange(l, 1)) != 0) ; x[0]++; atomic_store(l, 0);",
     "int r = atomic_exchange(l, 1); while (r) { r = atomic_exchange(l, 1); } x[0] = x[0] + 1; "
     "atomic_store(l, 0);"},
    {"int r = atomic_fetch_add(l, 1); if (r) return; atomic_store(l, 7);",
     "int r = atomic_fetch_add(l, 1); if (!r) { atomic_store(l, 7); }"},
    {"const int r = atomic_load(l) ? 4 : atomic_exchange(l, 3);",
     "int r = atomic_load(l); if (r) { r = 4; } else { r = atomic_exchange(l, 3); }"},
    {"uint r = 3, s = r++ * 10 + --r; r -= s; r *= 2; r /= 3; r %= 5; r ^= 8; r &= 12; r >>= 1; *x = r;",
     "int r = 3; int s = 33; r = ((((3 - 33) * 2 / 3) % 5 ^ 8) & 12) >> 1; *x = r;"},
    {"int r = 0; for (int i = 0; i < 2; i++) for (int k = 0; ; k++) { if (k == i) break; r++; } *x = r;",
     "int r = 1; *x = r;"},
};

static char *two_threads(const char *body)
{
    char *text = NULL;
    ck_assert_int_ge(
        asprintf(&text,
                 "OPENCL t\n{ [x]=0; [l]=0; }\nP0@wg 0, dev 0 (global int* x, global atomic_int* l) "
                 "{ %s }\nP1@wg 1, dev 0 (global int* x, global atomic_int* l) { %s }\n"
                 "exists (x=2 /\\ l=0 /\\ 0:r=0 /\\ 1:r=0)",
                 body, body),
        0);
    return text;
}

static bool has_outcome(const struct litmus_result *result, const struct litmus_outcome *wanted);

static void have_same_outcomes(const char *a_text, const char *b_text, enum litmus_engine engine)
{
    struct litmus_result a, b;
    run(a_text, engine, &a);
    run(b_text, engine, &b);
    ck_assert_uint_gt(a.outcome_count, 0);
    ck_assert_msg(a.outcome_count == b.outcome_count && a.race == b.race && a.holds == b.holds,
                  "outcomes %zu and %zu, races %d and %d\n%s", a.outcome_count, b.outcome_count, a.race,
                  b.race, a_text);
    for (size_t i = 0; i < a.outcome_count; i++)
        ck_assert_msg(has_outcome(&b, &a.outcomes[i]), "outcome %zu\n%s", i, a_text);
    litmus_result_fini(&a);
    litmus_result_fini(&b);
}

START_TEST(abbreviations_do_what_they_abbreviate)
{
    char *text = two_threads(same[_i].text), *written_out = two_threads(same[_i].written_out);
    struct litmus *test = parsed(text);
    char *printed = printed_test(test);
    have_same_outcomes(text, written_out, LITMUS_INTERLEAVINGS);
    have_same_outcomes(text, written_out, LITMUS_AXIOMS);
    have_same_outcomes(text, printed, LITMUS_INTERLEAVINGS);
    litmus_free(test);
    free(printed);
    free(text);
    free(written_out);
}
END_TEST

START_TEST(device_of_a_thread_may_be_left_out)
{
    struct litmus *test =
        parsed("OPENCL t\n{ }\nP0@wg 3 (int* x) { }\nP1@wg 1, dev 2 (int* x) { }\nexists (x=1)");
    ck_assert_uint_eq(test->threads[0].group, 3);
    ck_assert_uint_eq(test->threads[0].device, 0);
    ck_assert_uint_eq(test->threads[1].device, 2);
    litmus_free(test);
}
END_TEST

/* A block that ends frees its names. */
START_TEST(registers_may_be_declared_again_after_their_block)
{
    litmus_free(parsed("OPENCL t\n{ }\nP0 (int* x) { { int r = 1; } { int r = 2; } "
                       "for (int i = 0; i < 1; i++) ; for (int i = 0; i < 1; i++) ; int i = 4; }\n"
                       "exists (0:r=1)"));
}
END_TEST

/* ---- random tests ------------------------------------------------------------------------------------- */

struct dice {
    uint64_t state;
};

static uint32_t throw(struct dice * dice, uint32_t sides)
{
    dice->state ^= dice->state << 13;
    dice->state ^= dice->state >> 7;
    dice->state ^= dice->state << 17;
    return (uint32_t)((dice->state >> 11) % sides);
}

/* strict: all atomics seq_cst and of one scope, all on one device. */
struct author {
    struct dice dice;
    FILE *stream;
    bool strict;
    uint32_t registers;
};

static const char *order_for(struct author *author, bool loads, bool stores)
{
    static const char *const words[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
    if (author->strict)
        return "seq_cst";
    for (;;) {
        uint32_t order = throw(&author->dice, 5);
        if ((order == 1 && !loads) || (order == 2 && !stores) || (order == 3 && !(loads && stores)))
            continue;
        return words[order];
    }
}

static const char *scope_for(struct author *author)
{
    static const char *const words[] = {"work_group", "device", "device", "all_svm_devices"};
    return author->strict ? "device" : words[throw(&author->dice, 4)];
}

static void write_operation(struct author *author)
{
    const char *p = throw(&author->dice, 2) ? "x" : "y", *scope = scope_for(author);
    uint32_t number = 1 + throw(&author->dice, 2), in = author->registers;
    FILE *stream = author->stream;
    switch (throw(&author->dice, author->strict ? 6 : 8)) {
    case 0: fprintf(stream, "  *%s = %u;\n", p, number); break;
    case 1: fprintf(stream, "  int r%u = *%s;\n", author->registers++, p); break;
    case 2:
        fprintf(stream, "  atomic_store_explicit(%s, %u, memory_order_%s, memory_scope_%s);\n", p, number,
                order_for(author, false, true), scope);
        break;
    case 3:
        fprintf(stream, "  int r%u = atomic_load_explicit(%s, memory_order_%s, memory_scope_%s);\n",
                author->registers++, p, order_for(author, true, false), scope);
        break;
    case 4:
        fprintf(stream, "  int r%u = atomic_fetch_add_explicit(%s, %u, memory_order_%s, memory_scope_%s);\n",
                author->registers++, p, number, order_for(author, true, true), scope);
        break;
    case 5: /* guarded: the pattern of message passing */
        fprintf(stream,
                "  int r%u = atomic_load_explicit(%s, memory_order_%s, memory_scope_%s);\n  int r%u = -1;\n  "
                "if (r%u) {\n    r%u = *%s;\n  }\n",
                in, p, order_for(author, true, false), scope, in + 1, in, in + 1, *p == 'x' ? "y" : "x");
        author->registers += 2;
        break;
    case 6:
        fprintf(stream, "  atomic_work_item_fence(%s, memory_order_%s, memory_scope_%s);\n",
                throw(&author->dice, 3) ? "CLK_GLOBAL_MEM_FENCE"
                                        : "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE",
                order_for(author, true, true), scope);
        break;
    case 7:
        fprintf(stream,
                "  int e%u = 0;\n  int r%u = atomic_compare_exchange_%s_explicit(%s, &e%u, %u, "
                "memory_order_%s, memory_order_%s, memory_scope_%s);\n",
                in, in, throw(&author->dice, 2) ? "weak" : "strong", p, in, number,
                order_for(author, true, true), throw(&author->dice, 2) ? "relaxed" : "acquire", scope);
        author->registers++;
        break;
    }
}

static char *random_test(uint32_t seed, bool strict)
{
    char *text = NULL;
    size_t size;
    struct author author = {.dice = {0x9e3779b97f4a7c15ull * (seed + 1)},
                            .stream = open_memstream(&text, &size),
                            .strict = strict};
    uint32_t threads = 2 + (throw(&author.dice, 3) == 0), registers[4];
    bool local = throw(&author.dice, 3) == 0;
    fputs("OPENCL random\n{ [x]=0; [y]=0; }\n", author.stream);
    for (uint32_t i = 0; i < threads; i++) {
        author.registers = 0;
        fprintf(author.stream, "P%u@wg %u, dev %u (global int* x, %s int* y) {\n", i, throw(&author.dice, 2),
                strict ? 0 : throw(&author.dice, 6) == 0, local ? "local" : "global");
        for (uint32_t k = 1 + throw(&author.dice, threads == 2 ? 4 : 2); k > 0; k--)
            write_operation(&author);
        fputs("}\n", author.stream);
        registers[i] = author.registers;
    }
    fputs("exists (x=9 /\\ y=9", author.stream);
    for (uint32_t i = 0; i < threads; i++)
        for (uint32_t k = 0; k < registers[i]; k++)
            fprintf(author.stream, " /\\ %u:r%u=9", i, k);
    fputs(")\n", author.stream);
    fclose(author.stream);
    return text;
}

static bool has_outcome(const struct litmus_result *result, const struct litmus_outcome *wanted)
{
    for (size_t i = 0; i < result->outcome_count; i++)
        if (memcmp(result->outcomes[i].values, wanted->values, result->name_count * sizeof *wanted->values) ==
            0)
            return true;
    return false;
}

static void compare_engines(const char *text, bool strict)
{
    struct litmus_result strong, weak;
    run(text, LITMUS_INTERLEAVINGS, &strong);
    run(text, LITMUS_AXIOMS, &weak);
    ck_assert_msg(strong.race != LITMUS_YES || weak.race == LITMUS_YES, "a race of interleavings only\n%s",
                  text);
    for (size_t i = 0; i < strong.outcome_count; i++)
        ck_assert_msg(has_outcome(&weak, &strong.outcomes[i]), "outcome %zu of interleavings only\n%s", i,
                      text);
    /* Sequentially consistent atomics and no race: nothing but interleavings. */
    if (strict) {
        ck_assert_msg(strong.race == weak.race, "races %d and %d\n%s", strong.race, weak.race, text);
        ck_assert_msg(strong.race == LITMUS_YES || strong.outcome_count == weak.outcome_count,
                      "outcomes %zu and %zu without a race\n%s", strong.outcome_count, weak.outcome_count,
                      text);
    }
    litmus_result_fini(&strong);
    litmus_result_fini(&weak);
}

/* CHECK_LITMUS_FIRST, CHECK_LITMUS_PROGRAMS: other ones, and more. */
static uint32_t setting(const char *name, uint32_t usual)
{
    const char *value = getenv(name);
    return value ? (uint32_t)strtoul(value, NULL, 10) : usual;
}

START_TEST(engines_agree)
{
    uint32_t first = setting("CHECK_LITMUS_FIRST", 0), count = setting("CHECK_LITMUS_PROGRAMS", 24);
    for (uint32_t seed = first; seed < first + count; seed++) {
        char *text = random_test(seed, _i);
        compare_engines(text, _i);
        free(text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("litmus");
    TCase *parse = tcase_create("parse"), *runs = tcase_create("run");
    tcase_add_loop_test(parse, refuses_with_a_place, 0, sizeof refused / sizeof *refused);
    tcase_add_test(parse, refuses_deep_nesting);
    tcase_add_loop_test(parse, what_is_printed_of_deep_expressions_is_read_again, 0, CLOSED);
    tcase_add_loop_test(parse, refuses_long_chains_of_operators, 0, 6);
    tcase_add_test(parse, refuses_deep_and_long_clauses);
    tcase_add_loop_test(parse, what_is_printed_of_deep_clauses_is_read_again, 0,
                        sizeof nests / sizeof *nests);
    tcase_add_test(parse, conditions_hold);
    tcase_add_test(parse, device_of_a_thread_may_be_left_out);
    tcase_add_test(parse, registers_may_be_declared_again_after_their_block);
    suite_add_tcase(suite, parse);
    if (compiler_available()) {
        compiler_configure(&(struct compiler_settings){.cache_directory = getenv("ORRERY_CACHE_DIR")});
        tcase_set_timeout(runs, 60);
        tcase_add_test(runs, quantifiers_decide);
        tcase_add_test(runs, c_computes);
        tcase_add_loop_test(runs, abbreviations_do_what_they_abbreviate, 0, sizeof same / sizeof *same);
        tcase_add_loop_test(runs, engines_agree, 0, 2);
        suite_add_tcase(suite, runs);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
