/* SPDX-License-Identifier: Apache-2.0 */
/* A compile server only in its libraries: FALSE_SERVER sets its behaviour in a build. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim/frontend/compile_protocol.h"

static void answer(int pipe_end, struct compile_reply answer)
{
    if (write(pipe_end, &answer, sizeof answer) != (ssize_t)sizeof answer)
        exit(1);
}

static void misbehave(const char *habit, int pipe_end)
{
    const struct compile_reply begun = {
        .magic = COMPILE_PROTOCOL_MAGIC, .kind = COMPILE_BEGUN, .process = getpid()};
    struct compile_reply wrong = begun;
    if (!strcmp(habit, "refuses"))
        wrong.kind = COMPILE_REFUSED;
    else if (!strcmp(habit, "stranger"))
        wrong.magic ^= 1;
    else if (!strcmp(habit, "kind"))
        wrong.kind = 1000;
    else if (!strcmp(habit, "early"))
        wrong.kind = COMPILE_ENDED;
    else if (!strcmp(habit, "nonsense"))
        memset(&wrong, 0x55, sizeof wrong);
    if (!strcmp(habit, "short") && write(pipe_end, "answer", 6) != 6)
        exit(1);
    if (!strcmp(habit, "ends"))
        exit(3);
    if (strcmp(habit, "short") && strcmp(habit, "closes"))
        answer(pipe_end, wrong);
}

int main(void)
{
    const char *habit = getenv("FALSE_SERVER");
    struct compile_order order;
    union {
        char bytes[CMSG_SPACE(sizeof(int) * COMPILE_FILES_MOST)];
        struct cmsghdr aligned;
    } control;
    struct iovec part = {&order, sizeof order};
    for (;;) {
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        int files[COMPILE_FILES_MOST];
        if (recvmsg(0, &message, 0) <= 0)
            return 0;
        const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        const size_t count = header ? (header->cmsg_len - CMSG_LEN(0)) / sizeof *files : 0;
        if (!habit || !count)
            return 1;
        memcpy(files, CMSG_DATA(header), count * sizeof *files);
        misbehave(habit, files[0]);
        for (size_t i = 0; i < count; i++)
            close(files[i]);
    }
}
