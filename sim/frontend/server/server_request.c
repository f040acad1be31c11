/* SPDX-License-Identifier: Apache-2.0 */
/* Receives orders. Sizes, descriptors and words are checked before anything is done with them. */
#include "server_request.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clang_tools.h"

/* The kernel gives no program more. */
enum { WORDS_MOST = 64 << 20 };

void request_close(struct server_request *request)
{
    for (size_t i = 0; i < request->file_count; i++)
        close(request->files[i]);
    free(request->words);
    free(request->arguments);
}

static void take_files(struct msghdr *message, struct server_request *request)
{
    const struct cmsghdr *header = CMSG_FIRSTHDR(message);
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
        return;
    request->file_count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(request->files, CMSG_DATA(header), request->file_count * sizeof(int));
}

/* An empty message means the end, even if descriptors come with it. */
bool request_receive(int connection, struct server_request *request)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int) * COMPILE_FILES_MOST)];
        struct cmsghdr aligned;
    } control;
    struct iovec part = {&request->order, sizeof request->order};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *request = (struct server_request){.file_count = 0};
    const ssize_t size = recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (size < 0)
        return errno == EINTR || errno == EAGAIN;
    take_files(&message, request);
    if (size != (ssize_t)sizeof request->order || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
        request->order.magic = 0;
    return size > 0;
}

int request_replies(const struct server_request *request)
{
    struct stat about;
    const int file = request->file_count ? request->files[COMPILE_REPLIES] : -1;
    if (file < 0 || fstat(file, &about) != 0 || !S_ISFIFO(about.st_mode))
        return -1;
    return fcntl(file, F_SETFL, O_NONBLOCK) == 0 ? file : -1;
}

static bool is_order(const struct server_request *request)
{
    const struct compile_order *order = &request->order;
    if (order->magic != COMPILE_PROTOCOL_MAGIC ||
        memcmp(order->revision, compile_revision, sizeof order->revision) != 0)
        return false;
    const bool has_tools = order->tool_count >= 1 && order->tool_count <= COMPILE_TOOL_COUNT;
    return has_tools &&
           request->file_count == COMPILE_FILES_SHARED + order->tool_count * COMPILE_FILES_OF_TOOL;
}

static size_t argument_count(const struct compile_order *order)
{
    size_t count = 0;
    for (uint32_t i = 0; i < order->tool_count; i++)
        count += order->tools[i].argument_count;
    return count;
}

/* Reading a file in memory never waits. */
static bool is_memory_file(int file)
{
    return fcntl(file, F_GET_SEALS) >= 0;
}

static bool read_arguments(struct server_request *request)
{
    const int file = request->files[COMPILE_ARGUMENTS];
    const size_t count = argument_count(&request->order);
    const off_t size = is_memory_file(file) ? lseek(file, 0, SEEK_END) : -1;
    if (size <= 0 || size > WORDS_MOST || count > (size_t)size)
        return false;
    request->words = malloc((size_t)size);
    request->arguments = calloc(count + 1, sizeof *request->arguments);
    if (!request->words || !request->arguments || pread(file, request->words, (size_t)size, 0) != size ||
        request->words[size - 1] != '\0')
        return false;
    const char *at = request->words, *end = request->words + size;
    for (size_t i = 0; i < count; i++) {
        if (at == end)
            return false;
        request->arguments[i] = at;
        at += strlen(at) + 1;
    }
    return at == end;
}

static bool is_accepted(const struct server_request *request)
{
    const struct compile_order *order = &request->order;
    const char *const *arguments = request->arguments;
    for (uint32_t i = 0; i < order->tool_count; i++) {
        const int count = (int)order->tools[i].argument_count;
        if (!tool_accepts((enum compile_tool)order->tools[i].tool, count, arguments))
            return false;
        arguments += count;
    }
    return true;
}

bool request_read(struct server_request *request)
{
    return is_order(request) && request_replies(request) >= 0 && read_arguments(request) &&
           is_accepted(request);
}
