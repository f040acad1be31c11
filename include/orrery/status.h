/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  One list of all errors below lib/, and the text that travels beside it. lib/ alone converts a
 *          status into a cl_int.
 *
 * Interface
 *   enum status           returned by functions; results travel in out_ arguments
 *   struct diagnosis      the deepest cause, in words; the first writer wins
 *   status_name()         "out of memory"
 *   diagnose()            fills a diagnosis unless one is there; returns the status
 */
#ifndef ORRERY_STATUS_H
#define ORRERY_STATUS_H

/* clang-format off */
#define STATUS_LIST(STATUS)                                                    \
    STATUS(OK,                 "success")                                      \
    STATUS(OUT_OF_MEMORY,      "out of host memory")                           \
    STATUS(OUT_OF_DEVICE_MEMORY, "out of device memory")                       \
    STATUS(OUT_OF_RESOURCES,   "out of resources")                             \
    STATUS(BAD_ARGUMENT,       "invalid argument")                             \
    STATUS(BAD_BINARY,         "invalid SPIR-V")                               \
    STATUS(UNSUPPORTED,        "not supported")                                \
    STATUS(NOT_FOUND,          "not found")                                    \
    STATUS(BAD_OPTIONS,        "invalid build options")                        \
    STATUS(COMPILE_FAILED,     "compilation failed")                           \
    STATUS(LINK_FAILED,        "link failed")                                  \
    STATUS(COMPILER_MISSING,   "compiler not available")                       \
    STATUS(BAD_SCENARIO,       "invalid scenario")                             \
    STATUS(IO,                 "input/output error")                           \
    STATUS(NO_PROGRESS,        "no progress")                                  \
    STATUS(ABORTED,            "launch ended by a finding")                      \
    STATUS(STOPPED,            "launch stopped from outside")
/* clang-format on */

enum status {
#define STATUS_ENUM(code, text) STATUS_##code,
    STATUS_LIST(STATUS_ENUM)
#undef STATUS_ENUM
        STATUS_COUNT
};

/* Owned by the caller, zero-initialised; text is always terminated. */
struct diagnosis {
    enum status status;
    char text[1000];
};

const char *status_name(enum status status);

/* Returns status.  Writes text only when diagnosis is not NULL and still empty. */
enum status diagnose(struct diagnosis *diagnosis, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
