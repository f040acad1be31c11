/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `orrery serve`: reads options and the token, which is removed from the words of the process, as other users
 * see them; then serve_http.c serves until a signal comes. Limits are checked here, so that the server begins
 * with valid ones.
 */
#include <stdlib.h>
#include <string.h>

#include "tools.h"
#include "tools/serve/serve.h"

enum { KEY_PORT = 0x100, KEY_LISTEN, KEY_TOKEN, KEY_OPEN, KEY_SECONDS, TOKEN_CHARS = 16 };

struct serve_arguments {
    struct serve_options options;
    char *token, **files;
    size_t file_count;
};

static unsigned number(struct argp_state *state, const char *option, const char *text, unsigned least,
                       unsigned most)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    const bool is_number = !*end && end != text && *text != '-';
    if (!is_number || value < least || value > most)
        argp_error(state, "%s: found '%s', expected a number from %u to %u", option, text, least, most);
    return (unsigned)value;
}

/* It stands in a URL and in a cookie as it is. Other users see the words of a process: it goes from there. */
static char *read_token(struct argp_state *state, char *text)
{
    static const char fine[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    if (strlen(text) < TOKEN_CHARS || text[strspn(text, fine)])
        argp_error(state, "--token: expected at least %d letters, digits and - . _ ~", TOKEN_CHARS);
    char *token = strdup(text);
    if (!token)
        tools_no_memory();
    memset(text, 'x', strlen(text));
    return token;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct serve_arguments *arguments = state->input;
    switch (key) {
    case KEY_PORT:
        number(state, "--port", argument, 0, 65535);
        arguments->options.port = argument;
        return 0;
    case KEY_LISTEN: arguments->options.address = argument; return 0;
    case KEY_TOKEN: arguments->token = read_token(state, argument); return 0;
    case KEY_OPEN: arguments->options.open = true; return 0;
    case KEY_SECONDS: arguments->options.seconds = number(state, "--seconds", argument, 1, 600); return 0;
    case ARGP_KEY_ARG: arguments->files[arguments->file_count++] = argument; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static int serve_them(struct serve_arguments *arguments)
{
    arguments->options.token = arguments->token;
    arguments->options.files = arguments->files;
#ifdef ORRERY_MICROHTTPD
    return serve_http_run(&arguments->options);
#else
    tools_message(
        "error: serve needs libmicrohttpd: install libmicrohttpd-dev, then configure and build Orrery again");
    return EXIT_USAGE;
#endif
}

int cmd_serve(int argc, char **argv)
{
    struct serve_arguments arguments = {.options = {.address = "127.0.0.1", .port = "0", .seconds = 30}};
    const struct argp_option options[] = {
        {"listen", KEY_LISTEN, "ADDRESS", 0, "serve at ADDRESS; beyond loopback with --token (127.0.0.1)", 0},
        {"open", KEY_OPEN, NULL, 0, "open the page with $BROWSER or xdg-open", 0},
        {"port", KEY_PORT, "N", 0, "serve at port N; 0 is any that is free (0)", 0},
        {"seconds", KEY_SECONDS, "N", 0, "a run ends after N seconds (30)", 0},
        {"token", KEY_TOKEN, "TOKEN", 0, "answer only those who know TOKEN, of at least 16 characters", 0},
        {NULL, 0, NULL, 0, NULL, 0},
    };
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[FILE...]",
        .doc = "Serves a page with an editor that runs kernels, scenarios and litmus tests. FILEs are its "
               "examples.",
    };
    arguments.files = calloc((size_t)argc + 1, sizeof *arguments.files);
    if (!arguments.files)
        tools_no_memory();
    const bool fine = arguments_parse(&argp, argc, argv, &arguments) == 0 && tools_check_environment();
    const int code = fine ? serve_them(&arguments) : EXIT_USAGE;
    free(arguments.token);
    free(arguments.files);
    return code;
}
