/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP server of `orrery serve`: which requests are allowed, how long they may take, and the answers. */
#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tools/late_library.h"
#include "tools/serve/serve.h"
#include "tools/tools.h"

/* The functions of libmicrohttpd, without the prefix MHD_. */
#define FUNCTIONS(X)               \
    X(add_response_header)         \
    X(create_response_from_buffer) \
    X(destroy_response)            \
    X(get_connection_info)         \
    X(lookup_connection_value)     \
    X(queue_response)              \
    X(start_daemon)                \
    X(stop_daemon)

static struct {
#define POINTER(function) __typeof__(&MHD_##function) function;
    FUNCTIONS(POINTER)
#undef POINTER
} MHD;

static bool open_microhttpd(void)
{
    static const struct late_symbol symbols[] = {
#define SYMBOL(function) {"MHD_" #function, &MHD.function},
        FUNCTIONS(SYMBOL)
#undef SYMBOL
    };
    const char *reason = late_library_open(ORRERY_MICROHTTPD, symbols, sizeof symbols / sizeof symbols[0]);
    if (reason)
        tools_message("error: serve needs libmicrohttpd: %s", reason);
    return !reason;
}

static const char *const page_lines[] = {
#include "tools/serve/serve_page_lines.inc"
};

enum { ID_BYTES = 16, ID_CHARS = 2 * ID_BYTES, HOST_CHARS = INET6_ADDRSTRLEN + 16, PATH_CHARS = 4096 };

struct kept_page {
    char id[ID_CHARS + 1];
    struct MHD_Response *response; /* NULL: none yet */
};

/* An open connection; it is shut down at its deadline in any state. */
struct connection {
    int socket; /* -1: unused */
    time_t deadline;
};

struct server {
    const struct serve_options *options;
    char *examples;
    char directory[PATH_CHARS]; /* parent of the directories of runs */
    char host[HOST_CHARS];      /* as in a URL, without the port */
    unsigned port;
    bool loopback, any;   /* any: all addresses of the machine */
    int stop;             /* an eventfd: all runs end */
    pthread_mutex_t lock; /* guards the following */
    unsigned runs;
    size_t next_page;
    struct kept_page pages[SERVE_PAGES];
    struct connection connections[SERVE_CONNECTIONS];
};

/* A request while it is received. */
struct request {
    unsigned refused; /* the status of the refusal; 0: accepted */
    char *body;
    size_t size;
};

static time_t seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

/* ---- answers --------------------------------------------------------------------------------- */

#define SELF_POLICY "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors "
/* The policy also holds if the page is opened on its own: its contents come from a kernel. */
#define RUN_POLICY                                                                                       \
    SELF_POLICY "'self'; sandbox allow-scripts; style-src 'unsafe-inline'; script-src 'unsafe-inline'; " \
                "img-src data:"

static struct MHD_Response *response_new(const char *type, void *body, size_t size, const char *policy)
{
    struct MHD_Response *response = MHD.create_response_from_buffer(size, body, MHD_RESPMEM_MUST_FREE);
    if (!response)
        tools_no_memory();
    MHD.add_response_header(response, "Content-Type", type);
    MHD.add_response_header(response, "Cache-Control", "no-store");
    MHD.add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD.add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD.add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD.add_response_header(response, "Content-Security-Policy", policy ? policy : SELF_POLICY "'none'");
    MHD.add_response_header(response, "Connection",
                            "close"); /* one request per connection, so its deadline is the connection's */
    return response;
}

static enum MHD_Result send_once(struct MHD_Connection *connection, unsigned status,
                                 struct MHD_Response *response)
{
    const enum MHD_Result result = MHD.queue_response(connection, status, response);
    MHD.destroy_response(response);
    return result;
}

static enum MHD_Result send_json(struct MHD_Connection *connection, unsigned status, json_t *answer)
{
    char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
    json_decref(answer);
    if (!text)
        return MHD_NO;
    return send_once(connection, status, response_new("application/json", text, strlen(text), NULL));
}

static const char *words_of(unsigned status)
{
    switch (status) {
    case MHD_HTTP_BAD_REQUEST:
        return "expected JSON with a text, and schedule, seed, kernel and build_options as texts";
    case MHD_HTTP_UNAUTHORIZED: return "the token is missing or wrong: open the address with /?token=TOKEN";
    case MHD_HTTP_FORBIDDEN: return "the request is for another host, or comes from another page";
    case MHD_HTTP_NOT_FOUND: return "there is no such page; the last 16 runs are kept";
    case MHD_HTTP_METHOD_NOT_ALLOWED: return "expected GET or HEAD, or POST of /run";
    case MHD_HTTP_CONTENT_TOO_LARGE: return "the text is longer than 1 MiB";
    case MHD_HTTP_UNSUPPORTED_MEDIA_TYPE: return "expected Content-Type: application/json";
    case MHD_HTTP_SERVICE_UNAVAILABLE: return "two texts are being run; try again in a moment";
    default: return "the run could not be started";
    }
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status)
{
    char *text = NULL;
    json_t *answer = json_pack("{ss}", "error", words_of(status));
    if (!answer || !(text = json_dumps(answer, JSON_COMPACT)))
        tools_no_memory();
    json_decref(answer);
    struct MHD_Response *response = response_new("application/json", text, strlen(text), NULL);
    if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
        MHD.add_response_header(response, "Retry-After", "2");
    if (status == MHD_HTTP_UNAUTHORIZED)
        MHD.add_response_header(response, "WWW-Authenticate", "Bearer");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD.add_response_header(response, "Allow", "GET, HEAD, POST");
    return send_once(connection, status, response);
}

/* ---- who may ask ----------------------------------------------------------------------------- */

static const char *header(struct MHD_Connection *connection, const char *name)
{
    const char *value = MHD.lookup_connection_value(connection, MHD_HEADER_KIND, name);
    return value ? value : "";
}

/* "127.0.0.1", "[::1]". Host names are refused, since any name server can resolve a name to this address. */
static bool is_numeric(const char *host)
{
    unsigned char bytes[sizeof(struct in6_addr)];
    char inner[HOST_CHARS];
    const size_t length = strlen(host);
    if (host[0] != '[')
        return inet_pton(AF_INET, host, bytes) == 1;
    if (host[length - 1] != ']')
        return false;
    snprintf(inner, sizeof inner, "%.*s", (int)length - 2, host + 1);
    return inet_pton(AF_INET6, inner, bytes) == 1;
}

static bool is_host(const struct server *server, const char *text)
{
    char host[HOST_CHARS], port[16];
    const char *colon = strrchr(text, ':');
    snprintf(port, sizeof port, "%u", server->port);
    const bool other_port = !colon || strcmp(colon + 1, port) != 0;
    if ((other_port && server->port != 80) || strlen(text) >= sizeof host)
        return false;
    snprintf(host, sizeof host, "%.*s", other_port ? (int)strlen(text) : (int)(colon - text), text);
    if (server->any && is_numeric(host))
        return true;
    const bool is_local = (server->loopback || server->any) && strcasecmp(host, "localhost") == 0;
    return is_local || strcasecmp(host, server->host) == 0;
}

/* Without Origin, the client is no browser, or the address was typed. */
static bool is_own_page(struct MHD_Connection *connection)
{
    const char *origin = header(connection, "Origin"), *scheme = "http://";
    return !*origin || (strncmp(origin, scheme, strlen(scheme)) == 0 &&
                        strcasecmp(origin + strlen(scheme), header(connection, "Host")) == 0);
}

/* Takes the same time wherever the tokens differ. */
static bool is_token(const char *given, const char *token)
{
    const size_t length = strlen(token);
    unsigned char differs = strlen(given) != length;
    for (size_t i = 0, k = 0; i < length; i++) {
        differs |= (unsigned char)(given[k] ^ token[i]);
        k += given[k] != '\0';
    }
    return !differs;
}

static bool has_token(const struct server *server, struct MHD_Connection *connection)
{
    static const char scheme[] = "Bearer ";
    const char *token = server->options->token;
    const char *argument = MHD.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");
    const char *cookie = MHD.lookup_connection_value(connection, MHD_COOKIE_KIND, "orrery");
    const char *authorization = header(connection, "Authorization");
    if (!token)
        return true;
    if (argument)
        return is_token(argument, token);
    if (strncmp(authorization, scheme, strlen(scheme)) == 0)
        return is_token(authorization + strlen(scheme), token);
    return cookie && is_token(cookie, token);
}

static bool is_json(const char *type)
{
    static const char json[] = "application/json";
    return strncasecmp(type, json, strlen(json)) == 0 && strchr("; ", type[strlen(json)]);
}

/* The status of the refusal; 0: accepted. The address of a page is a secret that only its run printed, so
 * it needs no token: the sandboxed frame that shows it has no cookies. */
static unsigned judge(const struct server *server, struct MHD_Connection *connection, const char *url,
                      const char *method)
{
    const bool post = strcmp(method, "POST") == 0;
    const bool page = strncmp(url, "/page/", 6) == 0;
    if (!is_host(server, header(connection, "Host")))
        return MHD_HTTP_FORBIDDEN;
    if (!page && !has_token(server, connection))
        return MHD_HTTP_UNAUTHORIZED;
    if (!post && strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return MHD_HTTP_METHOD_NOT_ALLOWED;
    if (!page && strcmp(url, "/") != 0 && strcmp(url, "/run") != 0)
        return MHD_HTTP_NOT_FOUND;
    if (post != (strcmp(url, "/run") == 0))
        return MHD_HTTP_METHOD_NOT_ALLOWED;
    if (post && !is_own_page(connection))
        return MHD_HTTP_FORBIDDEN;
    if (post && !is_json(header(connection, "Content-Type")))
        return MHD_HTTP_UNSUPPORTED_MEDIA_TYPE;
    return post && strtoull(header(connection, "Content-Length"), NULL, 10) > SERVE_BODY_BYTES
               ? MHD_HTTP_CONTENT_TOO_LARGE
               : 0;
}

/* ---- GET ------------------------------------------------------------------------------------- */

static void random_id(char id[ID_CHARS + 1])
{
    unsigned char bytes[ID_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        abort();
    for (size_t i = 0; i < ID_BYTES; i++)
        snprintf(id + 2 * i, 3, "%02x", bytes[i]);
}

static void put_line(const struct server *server, const char *line, const char *nonce, FILE *stream)
{
    static const char place[] = "@NONCE@";
    const char *found = strstr(line, place);
    if (strcmp(line, "@EXAMPLES@") == 0)
        fprintf(stream, "%s\n", server->examples);
    else if (found)
        fprintf(stream, "%.*s%s%s\n", (int)(found - line), line, nonce, found + strlen(place));
    else
        fprintf(stream, "%s\n", line);
}

/* The browser runs only scripts and styles with the nonce of this answer. */
static enum MHD_Result send_editor(const struct server *server, struct MHD_Connection *connection)
{
    char nonce[ID_CHARS + 1], policy[512], *text = NULL, *cookie = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return MHD_NO;
    random_id(nonce);
    for (size_t i = 0; i < sizeof page_lines / sizeof *page_lines; i++)
        put_line(server, page_lines[i], nonce, stream);
    if (fclose(stream) != 0)
        return MHD_NO;
    snprintf(policy, sizeof policy,
             SELF_POLICY
             "'none'; connect-src 'self'; frame-src 'self'; img-src data:; script-src 'nonce-%s'; "
             "style-src 'nonce-%s'",
             nonce, nonce);
    struct MHD_Response *response = response_new("text/html; charset=utf-8", text, size, policy);
    if (server->options->token &&
        asprintf(&cookie, "orrery=%s; HttpOnly; SameSite=Strict; Path=/", server->options->token) >= 0)
        MHD.add_response_header(response, "Set-Cookie", cookie);
    free(cookie);
    return send_once(connection, MHD_HTTP_OK, response);
}

static enum MHD_Result send_page(struct server *server, struct MHD_Connection *connection, const char *id)
{
    enum MHD_Result result = MHD_NO;
    bool found = false;
    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; i < SERVE_PAGES && !found; i++) {
        found = server->pages[i].response && strcmp(server->pages[i].id, id) == 0;
        if (found)
            result = MHD.queue_response(connection, MHD_HTTP_OK, server->pages[i].response);
    }
    pthread_mutex_unlock(&server->lock);
    return found ? result : refuse(connection, MHD_HTTP_NOT_FOUND);
}

/* ---- POST /run ------------------------------------------------------------------------------- */

/* Takes ownership of the page's text; the oldest page is dropped. */
static void keep_page(struct server *server, char *text, size_t size, char id[ID_CHARS + 1])
{
    struct MHD_Response *response = response_new("text/html; charset=utf-8", text, size, RUN_POLICY);
    random_id(id);
    pthread_mutex_lock(&server->lock);
    struct kept_page *page = &server->pages[server->next_page];
    server->next_page = (server->next_page + 1) % SERVE_PAGES;
    if (page->response)
        MHD.destroy_response(page->response);
    page->response = response;
    memcpy(page->id, id, sizeof page->id);
    pthread_mutex_unlock(&server->lock);
}

static bool take_place(struct server *server)
{
    pthread_mutex_lock(&server->lock);
    const bool free_place = server->runs < SERVE_RUNS;
    server->runs += free_place;
    pthread_mutex_unlock(&server->lock);
    return free_place;
}

static void give_place(struct server *server)
{
    pthread_mutex_lock(&server->lock);
    server->runs--;
    pthread_mutex_unlock(&server->lock);
}

static json_t *report_json(struct serve_result *result)
{
    json_t *text = json_stringn(result->report ? result->report : "", result->report_size);
    for (size_t i = 0; !text && i < result->report_size; i++) {
        if (result->report[i] & 0x80) /* a kernel may print any bytes */
            result->report[i] = '?';
    }
    return text ? text : json_stringn(result->report, result->report_size);
}

static enum MHD_Result send_result(struct server *server, struct MHD_Connection *connection,
                                   struct serve_result *result)
{
    char path[ID_CHARS + 8] = "/page/";
    json_t *answer = json_pack("{si so sb sb}", "status", result->status, "text", report_json(result),
                               "timed_out", result->end == SERVE_TIMED_OUT, "cut", result->report_cut);
    const bool page = result->page != NULL;
    if (page) {
        keep_page(server, result->page, result->page_size, path + strlen(path));
        result->page = NULL;
    }
    if (answer)
        json_object_set_new(answer, "page", page ? json_string(path) : json_null());
    return send_json(connection, MHD_HTTP_OK, answer);
}

/* The text of a member, "" if it is absent; NULL: no text, or too long. */
static const char *member(const json_t *body, const char *name, size_t most)
{
    const json_t *value = json_object_get(body, name);
    if (!value)
        return "";
    return json_string_length(value) <= most ? json_string_value(value) : NULL;
}

static bool is_word(const char *text)
{
    static const char fine[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return text && text[strspn(text, fine)] == '\0';
}

static unsigned read_request(const json_t *body, struct serve_request *request)
{
    const json_t *text = json_object_get(body, "text");
    if (json_string_length(text) > SERVE_TEXT_BYTES)
        return MHD_HTTP_CONTENT_TOO_LARGE;
    request->text = json_string_value(text);
    request->schedule = member(body, "schedule", 32);
    request->seed = member(body, "seed", 32);
    request->kernel = member(body, "kernel", 256);
    request->build_options = member(body, "build_options", SERVE_OPTIONS_BYTES);
    const bool has_text = request->text && *request->text;
    const bool has_words = is_word(request->schedule) && is_word(request->seed) && is_word(request->kernel);
    return has_text && has_words && request->build_options ? 0 : MHD_HTTP_BAD_REQUEST;
}

static struct connection *place_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* The request is complete: extends the deadline for the run and the answer. */
static void extend(struct server *server, struct MHD_Connection *connection, time_t seconds)
{
    struct connection *place = place_of(connection);
    pthread_mutex_lock(&server->lock);
    if (place)
        place->deadline = seconds_now() + seconds;
    pthread_mutex_unlock(&server->lock);
}

static enum MHD_Result run_text(struct server *server, struct MHD_Connection *connection,
                                struct serve_request *request)
{
    struct serve_result result;
    const union MHD_ConnectionInfo *info =
        MHD.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    request->client = info ? info->connect_fd : -1;
    request->stop = server->stop;
    request->directory = server->directory;
    request->seconds = server->options->seconds;
    extend(server, connection, request->seconds + 4 * SERVE_REQUEST_SECONDS);
    serve_run(request, &result);
    enum MHD_Result sent = MHD_NO; /* the client has gone */
    if (result.end == SERVE_FAILED)
        sent = refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR);
    else if (result.end != SERVE_GONE)
        sent = send_result(server, connection, &result);
    serve_result_fini(&result);
    return sent;
}

static enum MHD_Result post_run(struct server *server, struct MHD_Connection *connection,
                                const struct request *request)
{
    struct serve_request run = {0};
    json_t *body = json_loadb(request->body ? request->body : "", request->size, 0, NULL);
    const unsigned refused = body ? read_request(body, &run) : MHD_HTTP_BAD_REQUEST;
    enum MHD_Result result;
    if (refused) {
        result = refuse(connection, refused);
    } else if (!take_place(server)) {
        result = refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE);
    } else {
        result = run_text(server, connection, &run);
        give_place(server);
    }
    json_decref(body);
    return result;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* A body that is refused or too long is read and dropped, so that the client receives the answer. */
static void add_body(struct request *request, const char *data, size_t size)
{
    if (!request->refused && request->size + size > SERVE_BODY_BYTES)
        request->refused = MHD_HTTP_CONTENT_TOO_LARGE;
    if (request->refused)
        return;
    char *grown = realloc(request->body, request->size + size);
    if (!grown)
        tools_no_memory();
    memcpy(grown + request->size, data, size);
    request->body = grown;
    request->size += size;
}

static enum MHD_Result answer(void *self, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data, size_t *size,
                              void **state)
{
    struct server *server = self;
    struct request *request = *state;
    (void)version;
    if (!request) {
        *state = request = calloc(1, sizeof *request);
        if (!request)
            return MHD_NO;
        request->refused = judge(server, connection, url, method);
        return request->refused == MHD_HTTP_CONTENT_TOO_LARGE ? refuse(connection, request->refused)
                                                              : MHD_YES;
    }
    if (*size) {
        add_body(request, data, *size);
        *size = 0;
        return MHD_YES;
    }
    extend(server, connection, 4 * SERVE_REQUEST_SECONDS);
    if (request->refused)
        return refuse(connection, request->refused);
    if (strcmp(method, "POST") == 0)
        return post_run(server, connection, request);
    return strcmp(url, "/") == 0 ? send_editor(server, connection)
                                 : send_page(server, connection, url + strlen("/page/"));
}

static void completed(void *self, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode how)
{
    struct request *request = *state;
    (void)self;
    (void)connection;
    (void)how;
    if (request)
        free(request->body);
    free(request);
    *state = NULL;
}

/* ---- connections ----------------------------------------------------------------------------- */

static void notified(void *self, struct MHD_Connection *connection, void **context,
                     enum MHD_ConnectionNotificationCode what)
{
    struct server *server = self;
    struct connection *place = NULL;
    const union MHD_ConnectionInfo *info =
        MHD.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    pthread_mutex_lock(&server->lock);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED && *context)
        ((struct connection *)*context)->socket = -1;
    for (size_t i = 0; what == MHD_CONNECTION_NOTIFY_STARTED && i < SERVE_CONNECTIONS && !place; i++)
        place = server->connections[i].socket < 0 ? &server->connections[i] : NULL;
    if (place && info)
        *place = (struct connection){info->connect_fd, seconds_now() + SERVE_REQUEST_SECONDS};
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        *context = place;
    pthread_mutex_unlock(&server->lock);
}

static void end_late(struct server *server)
{
    const time_t now = seconds_now();
    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; i < SERVE_CONNECTIONS; i++) {
        const struct connection *connection = &server->connections[i];
        if (connection->socket >= 0 && connection->deadline < now)
            shutdown(connection->socket, SHUT_RDWR);
    }
    pthread_mutex_unlock(&server->lock);
}

/* ---- the server ------------------------------------------------------------------------------ */

static bool is_loopback(const struct sockaddr *address)
{
    const struct sockaddr_in *four = (const void *)address;
    const struct sockaddr_in6 *six = (const void *)address;
    return address->sa_family == AF_INET ? ntohl(four->sin_addr.s_addr) >> 24 == 127
                                         : IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

static bool is_any(const struct sockaddr *address)
{
    const struct sockaddr_in *four = (const void *)address;
    const struct sockaddr_in6 *six = (const void *)address;
    return address->sa_family == AF_INET ? four->sin_addr.s_addr == htonl(INADDR_ANY)
                                         : IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr);
}

/* Notes the address as a URL has it, and the port that the system chose. */
static bool note_address(struct server *server, int listener)
{
    struct sockaddr_storage storage;
    struct sockaddr *address = (struct sockaddr *)&storage;
    socklen_t size = sizeof storage;
    char host[INET6_ADDRSTRLEN], port[16];
    if (getsockname(listener, address, &size) != 0 ||
        getnameinfo(address, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV))
        return false;
    snprintf(server->host, sizeof server->host, strchr(host, ':') ? "[%s]" : "%s", host);
    server->port = (unsigned)strtoul(port, NULL, 10);
    return true;
}

static int listen_at(struct server *server, const struct addrinfo *found)
{
    const int yes = 1;
    const int listener = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener >= 0)
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (listener >= 0 && bind(listener, found->ai_addr, found->ai_addrlen) == 0 &&
        listen(listener, 64) == 0 && note_address(server, listener))
        return listener;
    tools_message("error: %s port %s: %s", server->options->address, server->options->port, strerror(errno));
    if (listener >= 0)
        close(listener);
    return -1;
}

/* Other machines may connect only with a token, and only if a sandbox keeps runs from the user's files. */
static bool may_listen(const struct server *server)
{
    const char *address = server->options->address;
    if (!server->loopback && !server->options->token) {
        tools_message("error: --listen=%s: found no --token, expected one: %s is not a loopback address",
                      address, address);
        return false;
    }
    if (sandbox_available())
        return true;
    if (!server->loopback)
        tools_message(
            "error: --listen=%s: this kernel has no Landlock, so a text could read the files that you can "
            "read",
            address);
    else
        tools_message(
            "warning: this kernel has no Landlock: what is run can read and write the files that you can");
    return server->loopback;
}

/* -1: failed, which was printed. */
static int listener_new(struct server *server)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int listener = -1;
    if (getaddrinfo(server->options->address, server->options->port, &hints, &found) != 0) {
        tools_message("error: --listen: found '%s', expected a numeric address such as 127.0.0.1 or ::1",
                      server->options->address);
        return -1;
    }
    server->loopback = is_loopback(found->ai_addr);
    server->any = is_any(found->ai_addr);
    if (may_listen(server))
        listener = listen_at(server, found);
    freeaddrinfo(found);
    return listener;
}

static struct MHD_Daemon *daemon_new(struct server *server, int listener)
{
    return MHD.start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL, 0, NULL, NULL, answer,
        server, MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)SERVE_CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SERVE_REQUEST_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)(32 << 10), MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_NOTIFY_CONNECTION,
        notified, server, MHD_OPTION_END);
}

/* With the token, so that the printed line can be opened. */
static char *url_of(const struct server *server)
{
    const char *token = server->options->token;
    char *url = NULL;
    if (asprintf(&url, "http://%s:%u/%s%s", server->host, server->port, token ? "?token=" : "",
                 token ? token : "") < 0)
        tools_no_memory();
    return url;
}

static void announce(const struct server *server)
{
    const char *browser = getenv("BROWSER");
    char *url = url_of(server);
    char *words[] = {(char *)(uintptr_t)(browser && *browser ? browser : "xdg-open"), url, NULL};
    pid_t process;
    puts(url);
    fflush(stdout);
    if (server->options->open && posix_spawnp(&process, words[0], NULL, NULL, words, environ) != 0)
        tools_message("warning: %s cannot show %s", words[0], url);
    free(url);
}

/* Once a second, connections past their deadline are shut down. */
static void wait_for_signal(struct server *server, int signals)
{
    struct pollfd file = {.fd = signals, .events = POLLIN};
    while (poll(&file, 1, 1000) == 0 || !file.revents)
        end_late(server);
}

static void serve(struct server *server, int listener, const sigset_t *ends)
{
    struct MHD_Daemon *daemon = daemon_new(server, listener);
    const int signals = signalfd(-1, ends, SFD_CLOEXEC);
    if (!daemon || signals < 0) {
        tools_message("error: the server cannot be started");
        exit(EXIT_FAILED);
    }
    announce(server);
    wait_for_signal(server, signals);
    eventfd_write(server->stop, 1); /* never read, so every run sees it */
    MHD.stop_daemon(daemon);
    close(signals);
}

static bool make_directory(struct server *server)
{
    const char *folder = getenv("TMPDIR");
    snprintf(server->directory, sizeof server->directory, "%s/orrery-serve-XXXXXX",
             folder && *folder ? folder : "/tmp");
    if (mkdtemp(server->directory))
        return true;
    tools_message("error: %s cannot be made", server->directory);
    return false;
}

int serve_http_run(const struct serve_options *options)
{
    static struct server server; /* static, since threads use it */
    sigset_t ends;
    if (!open_microhttpd())
        return EXIT_USAGE;
    server = (struct server){.options = options, .examples = serve_examples(options->files)};
    pthread_mutex_init(&server.lock, NULL);
    for (size_t i = 0; i < SERVE_CONNECTIONS; i++)
        server.connections[i].socket = -1;
    const int listener = server.examples ? listener_new(&server) : -1;
    if (listener < 0) {
        free(server.examples);
        return EXIT_USAGE;
    }
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    server.stop = eventfd(0, EFD_CLOEXEC);
    if (server.stop < 0 || !make_directory(&server))
        return EXIT_FAILED;
    serve(&server, listener, &ends);
    serve_remove(server.directory);
    for (size_t i = 0; i < SERVE_PAGES; i++)
        if (server.pages[i].response)
            MHD.destroy_response(server.pages[i].response);
    free(server.examples);
    return 0;
}
