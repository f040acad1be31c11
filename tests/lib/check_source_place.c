/* SPDX-License-Identifier: Apache-2.0 */
/* Random files, and texts that stand in them as strings of Python do: each line and column of the placed text must be the
 * file's. And texts that do not, which get no place, or one that has their lines. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/source_place.h"
#include "sim/base/rng.h"

enum { LINES = 40, LINE_BYTES = 40 };

struct page {
    char line[LINES][2 * LINE_BYTES];
    uint32_t count;
};

static struct rng rng;
static char path[] = "/tmp/check_source_place.XXXXXX";

static uint32_t below(uint32_t limit)
{
    return (uint32_t)rng_below(&rng, limit);
}

/* Few words, so that lines are alike. */
static void random_line(char out[LINE_BYTES])
{
    static const char *const words[] = {"a",  "b ",   "{", "}",  "% ", "$x",  "{n}",
                                        "%d", "\\\\", ";", "  ", "\t", "int", "\""};
    out[0] = '\0';
    for (uint32_t words_left = below(6); words_left; words_left--) {
        const char *word = words[below(sizeof words / sizeof *words)];
        if (strlen(out) + strlen(word) < LINE_BYTES)
            strcat(out, word);
    }
}

static void random_page(struct page *page)
{
    page->count = 1 + below(LINES);
    for (uint32_t i = 0; i < page->count; i++)
        random_line(page->line[i]);
}

static void write_page(const struct page *page)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (uint32_t i = 0; i < page->count; i++)
        fprintf(file, "%s%s", page->line[i], i + 1 < page->count || below(2) ? "\n" : "");
    fclose(file);
}

/* Line `number` of a text, from 0 on. */
static const char *line_of(const char *text, uint32_t number, size_t *out_size)
{
    for (; number && text; number--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    *out_size = text ? strcspn(text, "\n") : 0;
    return text;
}

static bool is_blank_line(const char *line, size_t size)
{
    return strspn(line, " \t\r") >= size;
}

/* Of each line that is the same in text and file, the placed text has the same characters at the same columns. */
static void compare_columns(const struct page *page, const char *text, const char *placed, uint32_t from)
{
    size_t size, placed_size;
    for (uint32_t i = 0; line_of(text, i, &size); i++) {
        const char *line = line_of(text, i, &size), *moved = line_of(placed, from + i, &placed_size);
        ck_assert_ptr_nonnull(moved);
        const char *in_file = from + i < page->count ? page->line[from + i] : "";
        if (strlen(in_file) != size || strncmp(in_file, line, size) != 0 || is_blank_line(line, size))
            continue;
        ck_assert_uint_eq(placed_size, size);
        const size_t blanks = strspn(in_file, " \t");
        ck_assert(strncmp(moved + blanks, in_file + blanks, size - blanks) == 0);
    }
}

static void place(const char *text, uint32_t line, struct placed_source *out_placed)
{
    const struct script_place call = {path, "f", line};
    source_place_find(text, &call, out_placed);
    ck_assert(!out_placed->text == !out_placed->name);
}

/* A part of the file as a text; indented: without the indentation of its first line. */
static uint32_t part_of_page(const struct page *page, bool indented, char *out)
{
    const uint32_t from = below(page->count), count = 1 + below(page->count - from);
    const size_t blanks = strspn(page->line[from], " ");
    out[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        const char *line = page->line[from + i];
        strcat(out, line + (indented && strspn(line, " ") >= blanks ? blanks : 0));
        strcat(out, i + 1 < count ? "\n" : "");
    }
    return from;
}

START_TEST(each_line_of_a_placed_text_is_that_of_the_file)
{
    struct page page;
    char text[LINES * LINE_BYTES * 2];
    uint32_t placed_texts = 0;
    for (uint32_t round = 0; round < 3000; round++) {
        struct placed_source placed;
        random_page(&page);
        write_page(&page);
        part_of_page(&page, below(2), text);
        place(text, 1 + below(page.count), &placed);
        if (!placed.text)
            continue;
        placed_texts++;
        const uint32_t leading = (uint32_t)strspn(placed.text, "\n");
        ck_assert_uint_le(leading, page.count);
        /* its place is where the first line that is not empty stands */
        const uint32_t own = (uint32_t)strspn(text, "\n");
        if (leading >= own)
            compare_columns(&page, text, placed.text, leading - own);
        struct placed_source again = {strdup(placed.text), strdup(placed.name)};
        source_place_renew(&again);
        ck_assert_ptr_nonnull(again.text);
        source_place_fini(&again);
        source_place_fini(&placed);
    }
    ck_assert_uint_gt(placed_texts, 300);
}
END_TEST

START_TEST(any_text_in_any_file_is_placed_or_not)
{
    struct page page, other;
    char text[LINES * LINE_BYTES * 2];
    for (uint32_t round = 0; round < 3000; round++) {
        struct placed_source placed;
        random_page(&page);
        random_page(&other);
        write_page(&page);
        part_of_page(&other, false, text);
        place(text, below(50), &placed);
        if (placed.text && below(2)) {
            random_page(&page);
            write_page(&page);
            source_place_renew(&placed);
        }
        source_place_fini(&placed);
    }
}
END_TEST

START_TEST(a_file_that_cannot_be_read_gives_no_place)
{
    static const char *const files[] = {"/nonexistent/x.py", "/dev/null", "/", "", "/proc/self/mem"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const struct script_place call = {(char *)(uintptr_t)files[i], "f", 1};
        struct placed_source placed;
        source_place_find("kernel void k(void)\n{\n}\n", &call, &placed);
        ck_assert_ptr_null(placed.text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("source place");
    TCase *tests = tcase_create("places");
    const int file = mkstemp(path);
    if (file < 0)
        return 99;
    close(file);
    rng_init(&rng, 11, RNG_SCHEDULE_WAVES, 0);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, each_line_of_a_placed_text_is_that_of_the_file);
    tcase_add_test(tests, any_text_in_any_file_is_placed_or_not);
    tcase_add_test(tests, a_file_that_cannot_be_read_gives_no_place);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    unlink(path);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
