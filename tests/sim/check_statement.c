/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where statements begin and end in source text (sim/source/statement.c), on which edits of fixes rely: each
 * text is a table row with the expected kind of each line as a letter, written by hand from the grammar of C.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/source/statement.h"

enum { LINES_MOST = 64 };

/*
 * A letter per line: u unknown, o outside, b between, w within, B body; with the line where the continuation
 * begins, E before else, and ! for a jump out.
 */
static void write_line(char *out, const struct source_line *line)
{
    static const char letters[] = {'u', 'o', 'b', 'w', 'B'};
    char begins[16] = "";
    if (line->begins)
        snprintf(begins, sizeof begins, "%u", (unsigned)line->begins);
    sprintf(out + strlen(out), "%s%c%s%s%s%s", *out ? " " : "", letters[line->kind], begins,
            line->loops ? "L" : "",
            line->closes      ? "}"
            : line->otherwise ? "E"
                              : "",
            line->leaves ? "!" : "");
}

static const char *kinds(const char *text)
{
    static char out[1000];
    char *copy = strdup(text), *lines[LINES_MOST] = {NULL};
    struct source_line found[LINES_MOST];
    uint32_t count = 0;
    for (char *at = copy; at; count++) {
        lines[count] = at;
        at = strchr(at, '\n');
        if (at)
            *at++ = '\0';
    }
    memset(found, 0, sizeof found);
    statements_read(lines, count, found);
    *out = '\0';
    for (uint32_t i = 0; i < count; i++)
        write_line(out, &found[i]);
    free(copy);
    return out;
}

static const struct {
    const char *text, *kinds;
} texts[] = {
    {"void f(void)\n{\nx = 1;\ny =\n2;\nz = 3;\n}\nint a;", "o o b b w4 b b} o"},
    /* Brackets of values, not of blocks. */
    {"void f(void) {\nint x[] = {\n1,\n2};\nx = (int2){\n1, 2};\nreturn (int2){\n1,\n2}; }",
     "o b w2 w2 b w5 b! w7! w7!"},
    {"void f(void) {\nif (a == (int2){1, 2}.x) {\nb;\n}\ng((int2){\n1, 2});\nh[\n1]++; }",
     "o b b b} b w5 b w7"},
    /* Statements without braces. */
    {"void f(void) {\nif (a)\nx;\nelse\ny;\nz; }", "o b B BE B b"},
    {"void f(void) {\nfor (;;)\nif (a)\nx =\n1;\nz; }", "o bL B B B4 b"},
    {"void f(void) {\nfor (a;\nb; c) {\nx; }\nwhile (b);\nz; }", "o bL w2 b bL b"},
    {"void f(void) {\ndo\nx;\nwhile (y);\nz; }", "o bL B bL b"},
    {"void f(void) {\ndo {\nx;\n} while (\ny);\nz; }", "o bL b bL} w2 b"},
    {"void f(void) {\nif (a) {\nx;\n} else if (b) {\ny;\n}\nz; }", "o b b b} b b} b"},
    /* Labels and choices. */
    {"void f(void) {\nswitch (a) {\ncase 1:\nx;\ndefault: y =\nz;\n}\nout:\nw; }", "o b b b b w5 b} b b"},
    {"void f(void) {\nx = a ?\nb :\nc;\nd; }", "o b w2 w2 b"},
    /* Jumps. */
    {"void f(void) {\nreturn a +\ng(\nb);\nc; }", "o b! w2! w2! b"},
    {"void f(void) {\nwhile (a) {\nif (b) break;\nif (c)\ncontinue;\nx; goto d;\nbreaks; // return\n}\nd: y; "
     "}",
     "o bL b! b B! b! b b} b"},
    /* Text that is no code. */
    {"void f(void) {\nx; /* a\nb */ y;\nz = \"/*{\";\nw = '{'; // {\nv; }", "o b w b b b"},
    {"#define A { \\\n  (\nvoid f(void) {\nx = 1 +\n#define B }\n2;\n}", "o o o b w4 w4 b}"},
    {"void f(void) {\n#if A\nif (x) {\n#else\nif (y) {\n#endif\nz; }\nw; }", "o b b b b b b b"},
    /* A type of its own. */
    {"struct s { int a;\nint b; };\nvoid f(void) {\nstruct s x = {\n1, 2};\nstruct { int a; }\ny;\nz; }",
     "o b o b w4 b w6 b"},
    /* Unknown. */
    {"void f(void) {\nx; ))\n}", "u u u"},
    {"void f(void) {\n#line 30\nx; }", "u u u"},
    {"void f(void) {\n#ifdef A\nif (x) {\n#endif\ny; }\n}", "u u u u u u"},
    {"void f(void) {\nx;", "u u"},
};

START_TEST(lines_begin_between_statements)
{
    ck_assert_str_eq(kinds(texts[_i].text), texts[_i].kinds);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("statement");
    TCase *tcase = tcase_create("statement");
    tcase_add_loop_test(tcase, lines_begin_between_statements, 0, sizeof texts / sizeof texts[0]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
