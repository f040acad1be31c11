/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The sections of a scenario file that are more than rows.
 *
 * Interface
 *   parse_launches               launch: kernels, ranges, arguments (scenario_parse_launch.c)
 *   parse_expect                 expect: findings, buffers, placement, counters (scenario_parse_expect.c);
 *                                after the launches
 *   parse_finding_id             is it the id of a finding? An expectation with a misspelt id could never be
 *                                met
 *   parse_value_type, parse_contents   the type of a mapping's values, and the values; out_nothing: there
 *                                are none
 *   parse_filled                 `fill`, `values` and `file` alone, with as many elements as in_all says
 *   parse_access                 read, write or read-write
 *   parse_image, parse_sampler, parse_queue   arguments of these kinds (scenario_image.c)
 *   parse_range                  one number, or one for each of up to three dimensions
 *
 * Each returns false after an error, which is in the reader's diagnosis.
 */
#ifndef ORRERY_SIM_SCENARIO_SCENARIO_PARSE_H
#define ORRERY_SIM_SCENARIO_SCENARIO_PARSE_H

#include "scenario_reader.h"

/* A vector is its elements in a row; a vector of three has the size of four. */
struct shape {
    enum value_type type;
    uint32_t width, stride;
};

bool parse_launches(struct reader *reader, const yaml_node_t *node);
bool parse_expect(struct reader *reader, const yaml_node_t *root);
bool parse_finding_id(struct reader *reader, const yaml_node_t *node, const char *id);
bool parse_value_type(struct reader *reader, const yaml_node_t *parent, struct shape *out_shape);
bool parse_contents(struct reader *reader, const yaml_node_t *node, const struct shape *shape,
                    struct value_list *out_values, bool *out_nothing);
bool parse_filled(struct reader *reader, const yaml_node_t *node, const struct shape *shape, uint64_t in_all,
                  struct value_list *out_values, bool *out_nothing);
bool parse_access(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg);
bool parse_image(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg);
bool parse_sampler(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg);
bool parse_queue(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg);
bool parse_range(struct reader *reader, const yaml_node_t *node, const char *key, uint64_t out_range[3],
                 uint32_t *out_dim);

#endif
