/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The protocol between the library and its compile server.
 *
 * The library sends one datagram (SOCK_SEQPACKET) for each build: a compile_order, and with it descriptors
 * (SCM_RIGHTS) of memory files that become the streams of the tools, of a directory to run in, and of a pipe
 * for the answers.  Nothing is copied, any number of builds is in flight, and each has a pipe of its own.
 * Replies are shorter than PIPE_BUF, so that those of the server and its child do not mix:
 *
 *     BEGUN     the build's process and its number
 *     ENDED     one for each tool that ran
 *     REFUSED   the server cannot do this; the library runs the programs
 *
 * The pipe's end without an ENDED of the last tool: the server ended. The library closes the pipe to give a
 * build up: the server kills it.
 *
 * A server of the process's own has a connection as descriptor 0 and the number of the process as its word. A
 * shared one has the listening socket as descriptor 0, the directory that it is in as descriptor 1, and these
 * words: COMPILE_SHARED_OPTION, the name of the socket, milliseconds after which it ends when it has no
 * build. It ends, and others start one there, with a lock on a file in the directory.
 */
#ifndef ORRERY_SIM_FRONTEND_COMPILE_PROTOCOL_H
#define ORRERY_SIM_FRONTEND_COMPILE_PROTOCOL_H

#include <stdint.h>

enum compile_tool { COMPILE_CLANG, COMPILE_LLVM_SPIRV, COMPILE_TOOL_COUNT };

/* The library and the server are of one build, or do not talk. */
#define COMPILE_PROTOCOL_MAGIC 0x6f727279u
enum { COMPILE_REVISION_SIZE = 40 };
extern const char compile_revision[COMPILE_REVISION_SIZE];

#define COMPILE_SHARED_OPTION "--shared"
#define COMPILE_LOCK_NAME "lock"

/* Descriptors of a message. OUTPUT of one tool is the input of the next. */
enum compile_file {
    COMPILE_REPLIES,   /* a pipe to write to */
    COMPILE_DIRECTORY, /* to run in */
    COMPILE_ARGUMENTS, /* of all tools, each argument with its NUL */
    COMPILE_INPUT,
    COMPILE_OUTPUT, /* from here on three for each tool */
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
    uint32_t seconds; /* limits of each tool, 0: none */
    uint64_t bytes;
};

enum compile_reply_kind { COMPILE_BEGUN = 1, COMPILE_ENDED, COMPILE_REFUSED };

struct compile_reply {
    uint32_t magic;
    uint32_t kind;
    int32_t process; /* BEGUN */
    int32_t status;  /* ENDED: as wait() gives it */
    double seconds;  /* ENDED: processor time of the tool */
    uint64_t bytes;  /* ENDED: resident at most */
};

#endif
