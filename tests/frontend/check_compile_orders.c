/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders to a shared compile server, sent by hand to its socket: a malformed one begins no build, leaves nothing open, and does
 * not keep the server from building for others; past a number of connections the server refuses.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "sim/frontend/shared_server.h"
#include "tests/support/shared_servers.h"

/* ---- by hand ----------------------------------------------------------------------------------- */

static void find_socket(char *out_path, size_t size)
{
    DIR *files = opendir(sockets);
    ck_assert_ptr_nonnull(files);
    *out_path = '\0';
    for (struct dirent *file; (file = readdir(files));)
        if (strlen(file->d_name) == SHARED_NAME_SIZE - 1)
            snprintf(out_path, size, "%.60s/%.32s", sockets, file->d_name);
    closedir(files);
    ck_assert_str_ne(out_path, "");
}

static int connect_by_hand(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    find_socket(address.sun_path, sizeof address.sun_path);
    ck_assert_int_eq(connect(made, (struct sockaddr *)&address, sizeof address), 0);
    return made;
}

struct message {
    struct compile_order order;
    size_t size;
    int files[COMPILE_FILES_MOST];
    size_t file_count;
    int replies;
};

static int memory_file(const char *bytes, size_t size)
{
    const int file = memfd_create("test", MFD_CLOEXEC);
    ck_assert_int_eq(write(file, bytes, size), (ssize_t)size);
    return file;
}

/* An order that a server takes: it ends with a status. */
static struct message good_message(void)
{
    static const char words[] = "clang\0-cc1\0-version";
    struct message message = {.order = {.magic = COMPILE_PROTOCOL_MAGIC, .tool_count = 1},
                              .size = sizeof message.order,
                              .file_count = COMPILE_FILES_SHARED + COMPILE_FILES_OF_TOOL};
    int ends[2];
    memcpy(message.order.revision, compile_revision, sizeof message.order.revision);
    message.order.tools[0].tool = COMPILE_CLANG;
    message.order.tools[0].argument_count = 3;
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    message.replies = ends[0];
    message.files[COMPILE_REPLIES] = ends[1];
    message.files[COMPILE_DIRECTORY] = open("/", O_PATH | O_CLOEXEC);
    message.files[COMPILE_ARGUMENTS] = memory_file(words, sizeof words);
    for (size_t i = COMPILE_INPUT; i < COMPILE_FILES_MOST; i++)
        message.files[i] = memory_file("", 0);
    return message;
}

static void replace(struct message *message, enum compile_file which, int file)
{
    ck_assert_int_ge(file, 0);
    close(message->files[which]);
    message->files[which] = file;
}

/* Of numbers. */
static void spoil_numbers(struct message *message, int which)
{
    switch (which) {
    case 0: message->order.magic ^= 1; break;
    case 1: message->order.revision[0] ^= 1; break;
    case 2: message->order.tool_count = 0; break;
    case 3: message->order.tool_count = UINT32_MAX; break;
    case 4: message->order.tools[0].tool = 77; break;
    case 5: message->order.tools[0].argument_count = UINT32_MAX; break;
    case 6: message->order.tools[0].argument_count = 4; break;
    case 7: message->order.tools[0].argument_count = 2; break;
    case 8: message->size = 5; break;
    case 9: message->size = 0; break;
    case 10: message->file_count--; break;
    case 11: message->file_count++; break;
    case 12: message->file_count = 0; break;
    default: ck_abort_msg("no such field");
    }
}

static void spoil_words(struct message *message)
{
    replace(message, COMPILE_ARGUMENTS, memory_file("clang", 5));
}

static void spoil_huge_words(struct message *message)
{
    replace(message, COMPILE_ARGUMENTS, memory_file("clang", 5));
    ck_assert_int_eq(ftruncate(message->files[COMPILE_ARGUMENTS], (off_t)1 << 40), 0);
}

/* Reading it would wait. */
static void spoil_words_by_pipe(struct message *message)
{
    make_pipe();
    replace(message, COMPILE_ARGUMENTS, open(pipe_path, O_RDWR | O_CLOEXEC));
}

static void spoil_replies(struct message *message)
{
    replace(message, COMPILE_REPLIES, memory_file("", 0));
}

/* Writing to it would wait. */
static void spoil_replies_full(struct message *message)
{
    char bytes[4096] = "";
    const int file = message->files[COMPILE_REPLIES];
    message->order.magic ^= 1;
    ck_assert_int_eq(fcntl(file, F_SETFL, O_NONBLOCK), 0);
    while (write(file, bytes, sizeof bytes) > 0)
        ;
    ck_assert_int_eq(fcntl(file, F_SETFL, 0), 0);
}

static void (*const spoilers[])(struct message *) = {spoil_words, spoil_huge_words, spoil_words_by_pipe,
                                                     spoil_replies, spoil_replies_full};
enum { NUMBERS = 13, SPOILERS = sizeof spoilers / sizeof *spoilers };

static void spoil(struct message *message, int which)
{
    if (which < NUMBERS)
        spoil_numbers(message, which);
    else
        spoilers[which - NUMBERS](message);
}

static void send_message(int connection, struct message *message)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int) * COMPILE_FILES_MOST)];
        struct cmsghdr aligned;
    } control = {{0}};
    const size_t size = sizeof(int) * message->file_count;
    struct iovec part = {&message->order, message->size};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (message->file_count) {
        header.msg_control = &control;
        header.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *files = CMSG_FIRSTHDR(&header);
        files->cmsg_level = SOL_SOCKET;
        files->cmsg_type = SCM_RIGHTS;
        files->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(files), message->files, size);
    }
    ck_assert_int_eq(sendmsg(connection, &header, MSG_NOSIGNAL), (ssize_t)message->size);
    for (size_t i = 0; i < COMPILE_FILES_MOST; i++)
        close(message->files[i]);
}

/* The kinds of the replies until no process can write one. */
static size_t read_replies(const struct message *message, uint32_t kinds[4])
{
    struct compile_reply reply;
    size_t count = 0;
    for (ssize_t size; count < 4 && (size = read(message->replies, &reply, sizeof reply)) > 0;)
        if (size == sizeof reply && reply.magic == COMPILE_PROTOCOL_MAGIC)
            kinds[count++] = reply.kind;
    close(message->replies);
    return count;
}

static size_t descriptors_of(pid_t process)
{
    char path[64];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", process);
    DIR *files = opendir(path);
    ck_assert_ptr_nonnull(files);
    while (readdir(files))
        count++;
    closedir(files);
    return count;
}

static void expect_good_message(int connection)
{
    uint32_t kinds[4] = {0};
    struct message message = good_message();
    send_message(connection, &message);
    ck_assert_uint_eq(read_replies(&message, kinds), 2);
    ck_assert_uint_eq(kinds[0], COMPILE_BEGUN);
    ck_assert_uint_eq(kinds[1], COMPILE_ENDED);
}

/* After it the server builds for others, and has nothing open that came with it. */
START_TEST(malformed_order_begins_no_build)
{
    uint32_t kinds[4] = {0};
    expect_shared();
    const pid_t process = the_server();
    const int other = connect_by_hand(), connection = connect_by_hand();
    expect_good_message(other);
    expect_good_message(connection);
    const size_t before = descriptors_of(process);
    struct message message = good_message();
    spoil(&message, _i);
    send_message(connection, &message);
    const size_t count = read_replies(&message, kinds);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(kinds[i], COMPILE_REFUSED);
    expect_good_message(other);
    ck_assert_uint_le(descriptors_of(process), before);
    expect_shared();
    ck_assert_int_eq(the_server(), process);
}
END_TEST

enum { FEW_DESCRIPTORS = 64, CONNECTIONS = FEW_DESCRIPTORS / 2 };

/* So few descriptors that half of them are soon in use. */
START_TEST(past_its_connections_a_server_refuses)
{
    struct rlimit limit;
    int held[CONNECTIONS];
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = FEW_DESCRIPTORS;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    expect_shared();
    const pid_t process = the_server();
    for (int i = 0; i < CONNECTIONS; i++)
        held[i] = connect_by_hand();
    in_child(expect_own);
    expect_shared(); /* it was connected before */
    for (int i = 0; i < CONNECTIONS; i++)
        close(held[i]);
    in_child(expect_shared);
    ck_assert_int_eq(the_server(), process);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("orders to a shared compile server");
    TCase *orders = tcase_create("orders");
    tcase_add_loop_test(orders, malformed_order_begins_no_build, 0, NUMBERS + SPOILERS);
    tcase_add_test(orders, past_its_connections_a_server_refuses);
    return run_with_servers(suite, &orders, 1);
}
