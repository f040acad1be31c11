/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the terminal, by libedit where it is there, else by getline. */
#include "line_editor.h"

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

#ifdef ORRERY_EDIT
#include <editline/readline.h>

static line_editor_word *completed; /* the library has no place for it */

static char *complete_word(const char *text, int again)
{
    static size_t next;
    next = again ? next : 0;
    for (const char *word; (word = completed(next)) != NULL;) {
        next++;
        if (!strncmp(word, text, strlen(text)))
            return strdup(word);
    }
    return NULL;
}

/* Only the first word is a verb. */
static char **complete(const char *text, int start, int end)
{
    (void)end;
    rl_attempted_completion_over = 1;
    return start ? NULL : rl_completion_matches(text, complete_word);
}

char *line_editor_read(const char *prompt, bool prompts, line_editor_word *words)
{
    if (!prompts)
        return read_plain();
    completed = words;
    rl_readline_name = (char *)(unsigned long)"orrery";
    rl_attempted_completion_function = complete;
    char *line = readline(prompt);
    if (line && *line)
        add_history(line);
    return line;
}
#else
char *line_editor_read(const char *prompt, bool prompts, line_editor_word *words)
{
    (void)words;
    if (prompts) {
        fputs(prompt, stdout);
        fflush(stdout);
    }
    return read_plain();
}
#endif
