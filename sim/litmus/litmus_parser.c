/* SPDX-License-Identifier: Apache-2.0 */
/* A test: name, initial values, threads, clause. The C parts are parsed in litmus_c_parser.c. */
#include "litmus_c_parser.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING_MOST = 100, CONDITIONS_MOST = 10000 };

/* A list in the pool that doubles; the old one stays until the end. */
void *parser_grown(struct pool *pool, const void *items, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return (void *)(uintptr_t)items;
    *room = *room ? *room * 2 : 8;
    void *grown = pool_take(pool, *room * size);
    if (count)
        memcpy(grown, items, count * size);
    return grown;
}

void parser_enter(struct parser *parser)
{
    if (++parser->nesting > NESTING_MOST)
        lexer_fail(&parser->lexer, parser->lexer.word.place, "nested too deeply");
}

void parser_leave(struct parser *parser)
{
    parser->nesting--;
}

/* ---- locations --------------------------------------------------------------------------- */

static uint32_t find_location(const struct litmus *test, const char *name)
{
    for (uint32_t i = 0; i < test->location_count; i++)
        if (strcmp(test->locations[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

static uint32_t add_location(struct parser *parser, struct litmus_place place, const char *name,
                             uint32_t cells)
{
    struct litmus *test = parser->test;
    if (test->cell_count + cells > CELLS_MOST)
        lexer_fail(&parser->lexer, place, "more than %d cells of memory", CELLS_MOST);
    test->locations = parser_grown(&test->pool, test->locations, test->location_count, &test->location_room,
                                   sizeof *test->locations);
    struct location *location = &test->locations[test->location_count];
    *location = (struct location){.name = name, .first_cell = test->cell_count, .cells = cells};
    location->initial = pool_take(&test->pool, cells * sizeof *location->initial);
    test->cell_count += cells;
    return test->location_count++;
}

static uint32_t parser_location(struct parser *parser, struct litmus_place place, const char *name)
{
    uint32_t found = find_location(parser->test, name);
    return found != UINT32_MAX ? found : add_location(parser, place, name, 1);
}

/* ---- types ------------------------------------------------------------------------------------ */

static bool take_type(struct lexer *lexer, bool *out_atomic)
{
    static const char *const plain[] = {"int", "uint", "unsigned"}, *const atomic[] = {"atomic_int",
                                                                                       "atomic_uint"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (lexer_take(lexer, plain[i]))
            return lexer_take(lexer, "int"), *out_atomic = false, true;
    for (size_t i = 0; i < sizeof atomic / sizeof *atomic; i++)
        if (lexer_take(lexer, atomic[i]))
            return *out_atomic = true, true;
    return false;
}

bool parser_at_type(const struct parser *parser)
{
    const struct litmus_word *word = &parser->lexer.word;
    return lexer_word_is(word, "int") || lexer_word_is(word, "uint") || lexer_word_is(word, "unsigned") ||
           lexer_word_is(word, "const");
}

void parser_plain_type(struct parser *parser)
{
    bool atomic = false, constant = lexer_take(&parser->lexer, "const");
    if ((!take_type(&parser->lexer, &atomic) && constant) || atomic)
        lexer_expected(&parser->lexer, "int or uint");
}

/* Address spaces and qualifiers, in any order, on both sides of the type. */
static bool take_qualifier(struct lexer *lexer, struct parameter *parameter)
{
    if (lexer_take(lexer, "global") || lexer_take(lexer, "__global"))
        parameter->space = SPACE_GLOBAL;
    else if (lexer_take(lexer, "local") || lexer_take(lexer, "__local"))
        parameter->space = SPACE_LOCAL;
    else if (lexer_take(lexer, "volatile"))
        parameter->is_volatile = true;
    else if (!lexer_take(lexer, "const") && !lexer_take(lexer, "restrict"))
        return false;
    return true;
}

/* ---- { [x] = 0; atomic_int y[2] = {0, 0}; } -------------------------------------------------------- */

static void parse_elements(struct parser *parser, struct location *location)
{
    struct lexer *lexer = &parser->lexer;
    lexer_need(lexer, "{");
    for (uint32_t i = 0; !lexer_word_is(&lexer->word, "}"); i++) {
        if (i == location->cells)
            lexer_fail(lexer, lexer->word.place, "'%s' has %u element%s", location->name, location->cells,
                       location->cells == 1 ? "" : "s");
        location->initial[i] = lexer_number(lexer);
        if (!lexer_take(lexer, ","))
            break;
    }
    lexer_need(lexer, "}");
}

static uint32_t parse_extent(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct litmus_place place = lexer->word.place;
    int32_t cells = lexer_number(lexer);
    lexer_need(lexer, "]");
    if (cells < 1 || cells > CELLS_MOST)
        lexer_fail(lexer, place, "an array has 1 to %d elements", CELLS_MOST);
    return (uint32_t)cells;
}

static void parse_initial(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct parameter ignored = {.name = NULL};
    bool atomic = false, array = false;
    uint32_t cells = 1;
    while (take_qualifier(lexer, &ignored))
        ;
    bool typed = take_type(lexer, &atomic);
    bool bracket = !typed && lexer_take(lexer, "[");
    struct litmus_place place = lexer->word.place;
    const char *name = lexer_name(lexer, "a location");
    if (bracket)
        lexer_need(lexer, "]");
    else if (lexer_take(lexer, "["))
        cells = parse_extent(parser), array = true;
    if (find_location(parser->test, name) != UINT32_MAX)
        lexer_fail(lexer, place, "'%s' has a value already", name);
    uint32_t index = add_location(parser, place, name, cells);
    struct location *location = &parser->test->locations[index];
    location->is_array = array;
    location->atomic_type = atomic;
    if (!lexer_take(lexer, "="))
        return;
    if (array)
        parse_elements(parser, location);
    else
        location->initial[0] = lexer_number(lexer);
}

static void parse_initials(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    if (!lexer_take(lexer, "{"))
        lexer_expected(lexer, "the initial values in braces, as in '{ [x] = 0; }'");
    while (!lexer_take(lexer, "}")) {
        parse_initial(parser);
        if (!lexer_word_is(&lexer->word, "}"))
            lexer_need(lexer, ";");
    }
}

/* ---- threads ------------------------------------------------------------------------------------------- */

static void parse_parameter(struct parser *parser, struct parameter *parameter)
{
    struct lexer *lexer = &parser->lexer;
    *parameter = (struct parameter){.space = SPACE_GENERIC};
    while (take_qualifier(lexer, parameter))
        ;
    if (!take_type(lexer, &parameter->is_atomic))
        lexer_expected(lexer, "int or atomic_int");
    while (take_qualifier(lexer, parameter))
        ;
    lexer_need(lexer, "*");
    while (take_qualifier(lexer, parameter))
        ;
    struct litmus_place place = lexer->word.place;
    parameter->name = c_parse_new_name(parser, "a parameter");
    parameter->location = parser_location(parser, place, parameter->name);
    struct location *location = &parser->test->locations[parameter->location];
    location->local |= parameter->space == SPACE_LOCAL;
    location->global |= parameter->space != SPACE_LOCAL;
}

static void parse_parameters(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct thread *thread = parser->thread;
    thread->parameters = pool_take(lexer->pool, CELLS_MOST * sizeof *thread->parameters);
    lexer_need(lexer, "(");
    while (!lexer_word_is(&lexer->word, ")")) {
        struct litmus_place place = lexer->word.place;
        if (thread->parameter_count == CELLS_MOST)
            lexer_fail(lexer, place, "more than %d parameters", CELLS_MOST);
        struct parameter *parameter = &thread->parameters[thread->parameter_count];
        parse_parameter(parser, parameter);
        for (uint32_t i = 0; i < thread->parameter_count; i++)
            if (strcmp(thread->parameters[i].name, parameter->name) == 0)
                lexer_fail(lexer, place, "'%s' is a parameter already", parameter->name);
        thread->parameter_count++;
        if (!lexer_take(lexer, ","))
            break;
    }
    lexer_need(lexer, ")");
}

static uint32_t parse_number_after(struct parser *parser, const char *word)
{
    struct lexer *lexer = &parser->lexer;
    lexer_need(lexer, word);
    struct litmus_place place = lexer->word.place;
    int32_t number = lexer_number(lexer);
    if (number < 0)
        lexer_fail(lexer, place, "a negative %s", word);
    return (uint32_t)number;
}

bool parser_at_thread(const struct parser *parser)
{
    const struct litmus_word *word = &parser->lexer.word;
    return word->kind == WORD_NAME && word->length > 1 && *word->start == 'P' &&
           strspn(word->start + 1, "0123456789") >= word->length - 1;
}

static void parse_thread(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct litmus *test = parser->test;
    struct litmus_place place = lexer->word.place;
    if (test->thread_count == THREADS_MOST)
        lexer_fail(lexer, place, "more than %d threads", THREADS_MOST);
    if (strtoul(lexer->word.start + 1, NULL, 10) != test->thread_count)
        lexer_fail(lexer, place, "expected P%u, found '%.*s'", test->thread_count, (int)lexer->word.length,
                   lexer->word.start);
    parser->thread = &test->threads[test->thread_count++];
    parser->thread->place = place;
    parser->thread->registers = pool_take(&test->pool, REGISTERS_MOST * sizeof *parser->thread->registers);
    lexer_next(lexer);
    if (lexer_take(lexer, "@")) {
        parser->thread->group = parse_number_after(parser, "wg");
        if (lexer_take(lexer, ","))
            parser->thread->device = parse_number_after(parser, "dev");
    }
    parse_parameters(parser);
    parser->visible = 0;
    parser->loops = 0;
    parser->thread->body = c_parse_body(parser);
}

/* ---- the clause ------------------------------------------------------------------------------ */

static uint32_t add_term(struct parser *parser, struct litmus_place place, const struct litmus_term *term)
{
    struct litmus *test = parser->test;
    for (uint32_t i = 0; i < test->term_count; i++)
        if (test->terms[i].kind == term->kind && test->terms[i].thread == term->thread &&
            test->terms[i].index == term->index)
            return i;
    if (test->term_count == TERMS_MOST)
        lexer_fail(&parser->lexer, place, "a clause about more than %d values", TERMS_MOST);
    test->terms[test->term_count] = *term;
    return test->term_count++;
}

static const char *term_text(struct parser *parser, const char *format, uint32_t number, const char *name)
{
    char text[120];
    int length = snprintf(text, sizeof text, format, number, name);
    return pool_text(&parser->test->pool, text,
                     (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

static uint32_t parse_thread_term(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct litmus_place place = lexer->word.place;
    int32_t number = lexer_number(lexer);
    if (number < 0 || (uint32_t)number >= parser->test->thread_count)
        lexer_fail(lexer, place, "there is no thread %d", number);
    lexer_need(lexer, ":");
    const struct thread *thread = &parser->test->threads[number];
    place = lexer->word.place;
    const char *name = lexer_name(lexer, "a register");
    struct litmus_term term = {.thread = (uint32_t)number,
                               .text = term_text(parser, "%u:%s", (uint32_t)number, name)};
    for (term.index = 0; term.index < thread->register_count; term.index++)
        if (strcmp(thread->registers[term.index], name) == 0)
            return add_term(parser, place, &term);
    term.kind = TERM_PARAMETER;
    for (uint32_t i = 0; i < thread->parameter_count; i++) {
        term.index = thread->parameters[i].location;
        if (strcmp(thread->parameters[i].name, name) == 0)
            return add_term(parser, place, &term);
    }
    lexer_fail(lexer, place, "thread %d has no register '%s'", number, name);
}

_Noreturn static void refuse_location(struct parser *parser, struct litmus_place place, const char *name)
{
    for (uint32_t i = 0; i < parser->test->thread_count; i++)
        for (uint32_t k = 0; k < parser->test->threads[i].register_count; k++)
            if (strcmp(parser->test->threads[i].registers[k], name) == 0)
                lexer_fail(&parser->lexer, place, "there is no location '%s'; the register of P%u is %u:%s",
                           name, i, i, name);
    lexer_fail(&parser->lexer, place, "there is no location '%s'", name);
}

static uint32_t parse_cell_term(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    bool bracket = lexer_take(lexer, "[");
    struct litmus_place place = lexer->word.place;
    const char *name = lexer_name(lexer, "a register or a location");
    uint32_t found = find_location(parser->test, name);
    if (found == UINT32_MAX)
        refuse_location(parser, place, name);
    const struct location *location = &parser->test->locations[found];
    struct litmus_term term = {.kind = TERM_CELL, .index = location->first_cell, .text = name};
    if (bracket)
        lexer_need(lexer, "]");
    if (lexer_take(lexer, "[")) {
        place = lexer->word.place;
        int32_t element = lexer_number(lexer);
        if (element < 0 || (uint32_t)element >= location->cells)
            lexer_fail(lexer, place, "'%s' has %u element%s", name, location->cells,
                       location->cells == 1 ? "" : "s");
        lexer_need(lexer, "]");
        term.index += (uint32_t)element;
        char text[120];
        snprintf(text, sizeof text, "%s[%d]", name, element);
        term.text = pool_text(lexer->pool, text, strlen(text));
    }
    return add_term(parser, place, &term);
}

/* A chain is read and printed without nesting, and so is x != 1. */
static uint32_t condition_depth(enum condition_kind kind, const struct condition *a,
                                const struct condition *b)
{
    if (!a || (kind == CONDITION_NOT && a->kind == CONDITION_EQUAL))
        return 0;
    const uint32_t left = a->depth + (a->kind != kind || kind == CONDITION_NOT), right = b ? b->depth + 1 : 0;
    return left > right ? left : right;
}

static struct condition *condition_new(struct parser *parser, enum condition_kind kind, struct condition *a,
                                       struct condition *b)
{
    if (++parser->condition_count > CONDITIONS_MOST)
        lexer_fail(&parser->lexer, parser->lexer.word.place, "the clause has more than %d parts",
                   CONDITIONS_MOST);
    struct condition *condition = pool_take(&parser->test->pool, sizeof *condition);
    *condition = (struct condition){.kind = kind, .depth = condition_depth(kind, a, b), .operand = {a, b}};
    if (condition->depth >= NESTING_MOST)
        lexer_fail(&parser->lexer, parser->lexer.word.place, "nested too deeply");
    return condition;
}

static void parse_wanted(struct parser *parser, struct condition *equal)
{
    struct lexer *lexer = &parser->lexer;
    lexer_take(lexer, "&");
    if (lexer->word.kind == WORD_NUMBER || lexer_word_is(&lexer->word, "-")) {
        equal->value = lexer_number(lexer);
        return;
    }
    struct litmus_place place = lexer->word.place;
    const char *name = lexer_name(lexer, "a number or a location");
    uint32_t found = find_location(parser->test, name);
    if (found == UINT32_MAX)
        lexer_fail(lexer, place, "there is no location '%s'", name);
    equal->to_address = true;
    equal->value = found;
}

static struct condition *parse_disjunction(struct parser *parser);

static struct condition *parse_atom(struct parser *parser);

static struct condition *parse_nested(struct parser *parser, bool negated)
{
    parser_enter(parser);
    struct condition *inner = negated ? parse_atom(parser) : parse_disjunction(parser);
    if (!negated)
        lexer_need(&parser->lexer, ")");
    parser_leave(parser);
    return negated ? condition_new(parser, CONDITION_NOT, inner, NULL) : inner;
}

static struct condition *parse_atom(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    const bool negated = lexer_take(lexer, "~") || lexer_take(lexer, "not");
    if (negated || lexer_take(lexer, "("))
        return parse_nested(parser, negated);
    if (lexer_take(lexer, "true"))
        return condition_new(parser, CONDITION_TRUE, NULL, NULL);
    struct condition *equal = condition_new(parser, CONDITION_EQUAL, NULL, NULL);
    equal->term = lexer->word.kind == WORD_NUMBER ? parse_thread_term(parser) : parse_cell_term(parser);
    bool differs = lexer_take(lexer, "!=");
    if (!differs && !lexer_take(lexer, "==") && !lexer_take(lexer, "="))
        lexer_expected(lexer, "= or !=");
    parse_wanted(parser, equal);
    return differs ? condition_new(parser, CONDITION_NOT, equal, NULL) : equal;
}

static struct condition *parse_conjunction(struct parser *parser)
{
    struct condition *left = parse_atom(parser);
    while (lexer_take(&parser->lexer, "/\\") || lexer_take(&parser->lexer, "&&"))
        left = condition_new(parser, CONDITION_AND, left, parse_atom(parser));
    return left;
}

static struct condition *parse_disjunction(struct parser *parser)
{
    struct condition *left = parse_conjunction(parser);
    while (lexer_take(&parser->lexer, "\\/") || lexer_take(&parser->lexer, "||"))
        left = condition_new(parser, CONDITION_OR, left, parse_conjunction(parser));
    return left;
}

static void parse_clause(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    bool negated = lexer_take(lexer, "~");
    if (!negated && lexer_take(lexer, "forall"))
        parser->test->quantifier = QUANTIFIER_FORALL;
    else if (lexer_take(lexer, "exists"))
        parser->test->quantifier = negated ? QUANTIFIER_NOT_EXISTS : QUANTIFIER_EXISTS;
    else
        lexer_expected(lexer, "another thread or a clause, as in 'exists (0:r0=1)'");
    parser->test->condition = parse_disjunction(parser);
    if (lexer->word.kind != WORD_END)
        lexer_expected(lexer, "/\\, \\/ or the end of the file");
}

/* ---- all ------------------------------------------------------------------------------------- */

static void list_names(struct litmus *test)
{
    test->location_names = pool_take(&test->pool, (test->location_count + 1) * sizeof *test->location_names);
    for (uint32_t i = 0; i < test->location_count; i++)
        test->location_names[i] = test->locations[i].name;
}

static void parse(struct parser *parser, const char *text, struct diagnosis *diagnosis)
{
    struct litmus *test = parser->test;
    struct lexer *lexer = &parser->lexer;
    lexer_init(lexer, &test->pool, text, test->file, diagnosis);
    if (!lexer_word_is(&lexer->word, "OPENCL") && !lexer_word_is(&lexer->word, "OpenCL"))
        lexer_expected(lexer, "OPENCL and the name of the test");
    test->name = lexer_rest_of_line(lexer);
    parse_initials(parser);
    test->threads = pool_take(&test->pool, THREADS_MOST * sizeof *test->threads);
    test->terms = pool_take(&test->pool, TERMS_MOST * sizeof *test->terms);
    while (parser_at_thread(parser))
        parse_thread(parser);
    if (!test->thread_count)
        lexer_expected(lexer, "a thread P0");
    parse_clause(parser);
    list_names(test);
    litmus_survey(test);
}

enum status litmus_parse(const char *text, const char *name, struct litmus **out_test,
                         struct diagnosis *diagnosis)
{
    jmp_buf fail;
    struct diagnosis local = {STATUS_OK, ""};
    struct litmus *volatile test = calloc(1, sizeof *test);
    if (!test)
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "%s: no memory", name);
    test->pool.fail = &fail;
    if (setjmp(fail)) {
        enum status status = local.text[0] ? STATUS_BAD_ARGUMENT : STATUS_OUT_OF_MEMORY;
        litmus_free(test);
        return diagnose(diagnosis, status, "%s", local.text[0] ? local.text : "no memory for a litmus test");
    }
    struct parser parser = {.test = test};
    test->file = pool_text(&test->pool, name, strlen(name));
    test->text = pool_text(&test->pool, text, strlen(text));
    parse(&parser, test->text, &local);
    test->pool.fail = NULL;
    *out_test = test;
    return STATUS_OK;
}

static enum status read_text(FILE *file, char **out_text)
{
    char chunk[4096];
    size_t size;
    FILE *stream = open_memstream(out_text, &size);
    if (!stream)
        return STATUS_OUT_OF_MEMORY;
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        fwrite(chunk, 1, got, stream);
    bool fine = !ferror(stream);
    fine = fclose(stream) == 0 && fine;
    return !fine ? STATUS_OUT_OF_MEMORY : ferror(file) ? STATUS_IO : STATUS_OK;
}

enum status litmus_load(const char *path, struct litmus **out_test, struct diagnosis *diagnosis)
{
    char *text = NULL;
    FILE *file = fopen(path, "re");
    if (!file)
        return diagnose(diagnosis, STATUS_IO, "%s: %s", path, strerror(errno));
    enum status status = read_text(file, &text);
    fclose(file);
    if (status == STATUS_OK)
        status = litmus_parse(text, path, out_test, diagnosis);
    else
        diagnose(diagnosis, status, "%s: %s", path, status_name(status));
    free(text);
    return status;
}

void litmus_free(struct litmus *test)
{
    if (!test)
        return;
    pool_fini(&test->pool);
    free(test);
}
