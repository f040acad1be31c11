/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the terminal, by libedit where it is there, else by getline. */
#include "line_editor.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_plain(void)
{
    char *line = NULL;
    size_t room = 0;
    if (getline(&line, &room, stdin) <= 0) {
        free(line);
        return NULL;
    }
    line[strcspn(line, "\n")] = '\0';
    return line;
}

static char *read_after_prompt(const char *prompt, bool prompts)
{
    if (prompts) {
        fputs(prompt, stdout);
        fflush(stdout);
    }
    return read_plain();
}

#ifdef ORRERY_EDIT
#include <editline/readline.h>

#include "tools/late_library.h"

/* The functions of libedit that are used. */
static struct {
    __typeof__(&readline) readline;
    __typeof__(&add_history) add_history;
    __typeof__(&rl_completion_matches) matches;
    __typeof__(&rl_attempted_completion_over) completion_over;
    __typeof__(&rl_attempted_completion_function) completion;
    __typeof__(&rl_readline_name) name;
    __typeof__(&rl_line_buffer) buffer;
} edit;

/* The library has no place for these. */
static struct {
    line_editor_word *words;
    void *self;
    char *line; /* up to the cursor */
} completed;

static char *complete_word(const char *text, int again)
{
    static size_t next;
    next = again ? next : 0;
    for (const char *word; (word = completed.words(completed.self, completed.line, next)) != NULL;) {
        next++;
        if (!strncmp(word, text, strlen(text)))
            return strdup(word);
    }
    return NULL;
}

static char **complete(const char *text, int start, int end)
{
    (void)start;
    *edit.completion_over = 1;
    completed.line = strndup(*edit.buffer, end > 0 ? (size_t)end : 0);
    char **matches = completed.line ? edit.matches(text, complete_word) : NULL;
    free(completed.line);
    completed.line = NULL;
    return matches;
}

/* The library is looked for once. */
static bool open_edit(void)
{
    static const struct late_symbol symbols[] = {
        {"readline", &edit.readline},
        {"add_history", &edit.add_history},
        {"rl_completion_matches", &edit.matches},
        {"rl_attempted_completion_over", &edit.completion_over},
        {"rl_attempted_completion_function", &edit.completion},
        {"rl_readline_name", &edit.name},
        {"rl_line_buffer", &edit.buffer},
    };
    static bool tried, is_open;
    if (!tried)
        is_open = !late_library_open(ORRERY_EDIT, symbols, sizeof symbols / sizeof symbols[0]);
    tried = true;
    return is_open;
}

char *line_editor_read(const char *prompt, bool prompts, line_editor_word *words, void *self)
{
    if (!prompts || !open_edit())
        return read_after_prompt(prompt, prompts);
    completed.words = words;
    completed.self = self;
    *edit.name = (char *)(uintptr_t) "orrery";
    *edit.completion = complete;
    char *line = edit.readline(prompt);
    if (line && *line)
        edit.add_history(line);
    return line;
}
#else
char *line_editor_read(const char *prompt, bool prompts, line_editor_word *words, void *self)
{
    (void)words;
    (void)self;
    return read_after_prompt(prompt, prompts);
}
#endif
