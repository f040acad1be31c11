/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The protocol between the library and its compile server.
 *
 * The library sends one datagram (SOCK_SEQPACKET) for each build: a compile_order, and with it descriptors
 * (SCM_RIGHTS) of the files in memory that become the tools' streams, of a directory to run in, and of a
 * pipe for the replies. Nothing is copied. Any number of builds may run at a time, each with a pipe of its
 * own. Replies are shorter than PIPE_BUF, so those of the server and of its child do not mix:
 *
 *     BEGUN     the build's process and its number
 *     ENDED     one for each tool that ran
 *     REFUSED   the server cannot do this; the library runs the programs
 *
 * If the pipe ends without an ENDED of the last tool, the server has ended. The library closes the pipe to
 * cancel a build: the server then kills it.
 *
 * A server of the host's own gets a connection as descriptor 0, and the number of the host's process as
 * argument. A shared server gets the listening socket as descriptor 0, the directory of the socket as
 * descriptor 1, and as arguments COMPILE_SHARED_OPTION, the name of the socket, and the milliseconds without
 * a build after which it ends. Servers in one directory start and end under a lock on a file in it.
 */
#ifndef ORRERY_SIM_FRONTEND_COMPILE_PROTOCOL_H
#define ORRERY_SIM_FRONTEND_COMPILE_PROTOCOL_H

#include <stdint.h>

enum compile_tool { COMPILE_CLANG, COMPILE_LLVM_SPIRV, COMPILE_TOOL_COUNT };

/* The library and the server must come from one build; the revision below is compared. */
#define COMPILE_PROTOCOL_MAGIC 0x6f727279u
enum { COMPILE_REVISION_SIZE = 40 };
extern const char compile_revision[COMPILE_REVISION_SIZE];

#define COMPILE_SHARED_OPTION "--shared"
#define COMPILE_LOCK_NAME "lock"

/* Descriptors of an order. The OUTPUT of a tool is the input of the next one. */
enum compile_file {
    COMPILE_REPLIES,   /* write end of the pipe for replies */
    COMPILE_DIRECTORY, /* the directory to run in */
    COMPILE_ARGUMENTS, /* of all tools; each argument ends with a zero byte */
    COMPILE_INPUT,
    COMPILE_OUTPUT, /* from here on, three descriptors for each tool */
    COMPILE_ERROR,
    COMPILE_EXTRA,
    COMPILE_FILES_SHARED = COMPILE_OUTPUT,
    COMPILE_FILES_OF_TOOL = 3,
    COMPILE_FILES_MOST = COMPILE_FILES_SHARED + COMPILE_FILES_OF_TOOL * COMPILE_TOOL_COUNT,
};

struct compile_order {
    uint32_t magic;
    char revision[COMPILE_REVISION_SIZE];
    uint32_t tool_count;
    struct {
        uint32_t tool, argument_count;
    } tools[COMPILE_TOOL_COUNT];
    uint32_t seconds; /* limits of each tool; 0: none */
    uint64_t bytes;
};

enum compile_reply_kind { COMPILE_BEGUN = 1, COMPILE_ENDED, COMPILE_REFUSED };

struct compile_reply {
    uint32_t magic;
    uint32_t kind;
    int32_t process; /* BEGUN */
    int32_t status;  /* ENDED: as of wait() */
    double seconds;  /* ENDED: processor time of the tool */
    uint64_t bytes;  /* ENDED: largest resident size */
};

#endif
