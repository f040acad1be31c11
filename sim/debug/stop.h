/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What a run stops at: breakpoints, watched bytes and expressions, kinds of findings.
 */
#ifndef ORRERY_DEBUG_STOP_H
#define ORRERY_DEBUG_STOP_H

#include <jansson.h>

#include "place.h"

struct access_event;
struct finding;

enum point_kind { POINT_LINE, POINT_FUNCTION, POINT_WATCH, POINT_EXPRESSION, POINT_FINDING };
/* A condition that compares a variable with an integer, as in "i >= 600". length 0: the condition is of
 * another form. */
struct simple_condition {
    char name[64];
    size_t length; /* of the name */
    char operator[3];
    int32_t number;
};
struct point {
    uint32_t id;
    enum point_kind kind;
    char *file, *function, *condition, *log, *expression;
    uint32_t line;
    struct simple_condition simple; /* what the condition is, if it is one */
    uint64_t number;                /* of the only work-item that stops there; 0: each does */
    uint64_t address, size;         /* watched bytes */
    bool read, write;
    uint64_t ignore; /* so many hits do not stop */
    uint64_t hits;
    uint64_t seen; /* mark */
    uint8_t old[VALUE_BYTES];
    bool has_old;      /* POINT_EXPRESSION: its value at the line before */
    struct item_id of; /* POINT_EXPRESSION: the work-item whose variables the expression reads */
};
struct hit {
    uint32_t point;
    struct wave *wave;
    uint32_t lane;
    char text[DEBUG_TEXT * 2];
};

/* Matches the breakpoints with the line, access or finding of this event. True: out_hit is the
 * breakpoint that stops. */
bool stop_at_line(struct debugger *d, struct wave *wave, uint32_t line, struct hit *out_hit);
bool stop_at_access(struct debugger *d, const struct access_event *event, struct hit *out_hit);
bool stop_at_finding(struct debugger *d, const struct finding *finding, struct hit *out_hit);
json_t *stop_points_set(struct debugger *d, const json_t *request);
json_t *stop_points_get(const struct debugger *d);
void stop_points_fini(struct debugger *d);
/* The first line from `line` on that the code has in any function. 0: there is none. */
uint32_t stop_next_line(const struct code *code, const char *file, uint32_t line);

#endif
