/* SPDX-License-Identifier: Apache-2.0 */
/* The section `expect` of a scenario: findings, buffers, output, placement, counters. It is read after the
 * launches, since an expected buffer takes type and count from the argument that it names. An unknown id of
 * a finding is refused, because an expectation of it could never be met. */
#include "scenario_parse.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/report.h"
#include "sim/base/scenario_rows.h"

/* ---- expectations ---------------------------------------------------------------------------------- */

bool parse_finding_id(struct reader *reader, const yaml_node_t *node, const char *id)
{
    enum finding_kind kind;
    char expected[300];
    if (finding_from_id(id, &kind))
        return true;
    char *meant = finding_meant(id);
    snprintf(expected, sizeof expected, "%s", "the id of a finding, as `orrery explain` lists them");
    if (meant && *meant && strlen(meant) < sizeof expected / 2)
        snprintf(expected, sizeof expected, "the id of a finding, perhaps %s; `orrery explain` lists them",
                 meant);
    free(meant);
    return reader_unexpected(reader, node, "id", expected);
}

static bool read_enough(struct reader *reader, const yaml_node_t *node, struct expect_finding *finding)
{
    const char *text = node ? reader_node_text(node) : NULL;
    finding->has_enough = node != NULL;
    finding->enough = text && strcmp(text, "true") == 0;
    if (!node || finding->enough)
        return true;
    return (text && strcmp(text, "false") == 0) || reader_unexpected(reader, node, "enough", "true or false");
}

static bool read_expected_finding(struct reader *reader, const yaml_node_t *node,
                                  struct expect_finding *finding)
{
    if (!reader_keys(reader, node, "finding"))
        return false;
    const yaml_node_t *id = reader_get(reader, node, "id");
    if (!id)
        return reader_error(reader, node, "key 'id' is missing: the id of a finding, see orrery-findings(7)");
    finding->has_follows = reader_get(reader, node, "follows") != NULL;
    return reader_string(reader, id, "id", &finding->id) && parse_finding_id(reader, id, finding->id) &&
           reader_u32(reader, reader_get(reader, node, "line"), "line", &finding->line) &&
           reader_optional(reader, node, "kernel", &finding->kernel) &&
           reader_optional(reader, node, "why", &finding->why) &&
           reader_optional(reader, node, "fix", &finding->fix) &&
           reader_u32(reader, reader_get(reader, node, "follows"), "follows", &finding->follows) &&
           read_enough(reader, reader_get(reader, node, "enough"), finding);
}

static bool read_expected_findings(struct reader *reader, const yaml_node_t *node,
                                   struct scenario_expect *expect)
{
    if (!node)
        return true;
    if (node->type != YAML_SEQUENCE_NODE)
        return reader_unexpected(reader, node, "findings", "a sequence of findings {id: ..., line: ...}");
    expect->findings = calloc(reader_node_items(node) + 1, sizeof *expect->findings);
    if (!expect->findings)
        return reader_out_of_memory(reader);
    for (size_t i = 0; i < reader_node_items(node); i++) {
        if (!read_expected_finding(reader, reader_item(reader, node, i),
                                   &expect->findings[expect->finding_count++]))
            return false;
    }
    return true;
}

static bool is_launch(struct reader *reader, const yaml_node_t *node, uint32_t launch)
{
    const size_t count = reader->scenario->launch_count;
    if (!count)
        return reader_error(reader, node, "launch: found %u, but the scenario has no launches", launch);
    return launch < count ||
           reader_error(reader, node, "launch: found %u, expected less than %zu: the first is 0", launch,
                        count);
}

/* The type of an expected buffer is the argument's, unless the expectation states one. */
static bool expected_shape(struct reader *reader, const yaml_node_t *node, const struct expect_buffer *buffer,
                           struct shape *out_shape)
{
    const struct scenario *scenario = reader->scenario;
    if (!is_launch(reader, node, buffer->launch))
        return false;
    const struct scenario_launch *launch = &scenario->launches[buffer->launch];
    if (buffer->arg >= launch->arg_count)
        return reader_error(reader, node, "arg: found %u, but the launch has %zu arguments", buffer->arg,
                            launch->arg_count);
    const struct scenario_arg *arg = &launch->args[buffer->arg];
    if (arg->same_as)
        arg = scenario_named_arg(scenario, arg->same_as);
    if (arg->kind == SCENARIO_ARG_BUFFER && !arg->values.count)
        return reader_error(reader, node, "arg: found %u, which is a buffer of no elements: a null pointer",
                            buffer->arg);
    if ((arg->kind != SCENARIO_ARG_BUFFER && arg->kind != SCENARIO_ARG_IMAGE) || !arg->values.count)
        return reader_error(reader, node, "arg: found %u, which is not a buffer or image", buffer->arg);
    if (reader_get(reader, node, "type"))
        return parse_value_type(reader, node, out_shape);
    *out_shape = (struct shape){arg->values.type, 1, 1};
    return true;
}

/* An image is compared by its channels; of a buffer the bytes are known here. */
static bool fits_argument(struct reader *reader, const yaml_node_t *node, const struct expect_buffer *buffer)
{
    const struct scenario_arg *arg = &reader->scenario->launches[buffer->launch].args[buffer->arg];
    if (arg->same_as)
        arg = scenario_named_arg(reader->scenario, arg->same_as);
    const size_t bytes = buffer->values.count * value_type_size(buffer->values.type),
                 most = arg->values.count * value_type_size(arg->values.type);
    return arg->kind != SCENARIO_ARG_BUFFER || bytes <= most ||
           reader_error(reader, node,
                        "an expected buffer: found %zu bytes, expected at most the %zu of argument %u", bytes,
                        most, buffer->arg);
}

static bool read_expected_buffer(struct reader *reader, const yaml_node_t *node, struct expect_buffer *buffer)
{
    struct shape shape;
    bool nothing;
    if (!reader_keys(reader, node, "result"))
        return false;
    if (!reader_get(reader, node, "arg"))
        return reader_error(reader, node, "key 'arg' is missing: the position of a buffer argument");
    if (!reader_u32(reader, reader_get(reader, node, "launch"), "launch", &buffer->launch) ||
        !reader_u32(reader, reader_get(reader, node, "arg"), "arg", &buffer->arg) ||
        !expected_shape(reader, node, buffer, &shape) ||
        !parse_contents(reader, node, &shape, &buffer->values, &nothing))
        return false;
    if (nothing)
        return reader_error(reader, node, "an expected buffer: expected 'values' or 'fill'");
    return fits_argument(reader, node, buffer);
}

static bool read_expected_buffers(struct reader *reader, const yaml_node_t *node,
                                  struct scenario_expect *expect)
{
    if (!node)
        return true;
    if (node->type != YAML_SEQUENCE_NODE)
        return reader_unexpected(reader, node, "buffers", "a sequence of buffers {arg: ..., values: ...}");
    expect->buffers = calloc(reader_node_items(node) + 1, sizeof *expect->buffers);
    if (!expect->buffers)
        return reader_out_of_memory(reader);
    for (size_t i = 0; i < reader_node_items(node); i++) {
        if (!read_expected_buffer(reader, reader_item(reader, node, i),
                                  &expect->buffers[expect->buffer_count++]))
            return false;
    }
    return true;
}

static bool read_units(struct reader *reader, const yaml_node_t *node, struct unit_list *units)
{
    if (node->type != YAML_SEQUENCE_NODE || !reader_node_items(node))
        return reader_unexpected(reader, node, "units", "a sequence of compute units");
    units->units = calloc(reader_node_items(node), sizeof *units->units);
    if (!units->units)
        return reader_out_of_memory(reader);
    for (size_t i = 0; i < reader_node_items(node); i++)
        if (!reader_u32(reader, reader_item(reader, node, i), "units", &units->units[units->count++]))
            return false;
    return true;
}

static bool read_expected_placement(struct reader *reader, const yaml_node_t *node,
                                    struct expect_placement *placement)
{
    if (!reader_keys(reader, node, "placement") ||
        !reader_u32(reader, reader_get(reader, node, "launch"), "launch", &placement->launch))
        return false;
    if (!is_launch(reader, node, placement->launch))
        return false;
    const yaml_node_t *units = reader_get(reader, node, "units");
    if (!units)
        return reader_error(reader, node, "key 'units' is missing: the compute units of the work-groups");
    return read_units(reader, units, &placement->units);
}

static bool read_expected_placements(struct reader *reader, const yaml_node_t *node,
                                     struct scenario_expect *expect)
{
    if (!node)
        return true;
    if (node->type != YAML_SEQUENCE_NODE)
        return reader_unexpected(reader, node, "placement",
                                 "a sequence of placements {launch: ..., units: [...]}");
    expect->placements = calloc(reader_node_items(node) + 1, sizeof *expect->placements);
    if (!expect->placements)
        return reader_out_of_memory(reader);
    for (size_t i = 0; i < reader_node_items(node); i++)
        if (!read_expected_placement(reader, reader_item(reader, node, i),
                                     &expect->placements[expect->placement_count++]))
            return false;
    return true;
}

static bool read_expected_counter(struct reader *reader, struct pair pair, struct expect_counter *counter)
{
    char expected[EXPECTED_CHARS];
    if (!reader_node_text(pair.key) || !expect_counter_name(counter, reader_node_text(pair.key), expected))
        return reader_unexpected(reader, pair.key, "counters", expected);
    if (!reader_node_text(pair.value) ||
        !expect_counter_value(counter, reader_node_text(pair.value), expected))
        return reader_unexpected(reader, pair.value, reader_node_text(pair.key), expected);
    return true;
}

static bool read_expected_counters(struct reader *reader, const yaml_node_t *node,
                                   struct scenario_expect *expect)
{
    if (!node)
        return true;
    if (node->type != YAML_MAPPING_NODE)
        return reader_unexpected(reader, node, "counters",
                                 "a mapping such as {misses: 12, numa:1.remote_bytes: \">0\"}");
    expect->counters = calloc(reader_node_pairs(node) + 1, sizeof *expect->counters);
    if (!expect->counters)
        return reader_out_of_memory(reader);
    for (size_t i = 0; i < reader_node_pairs(node); i++)
        if (!read_expected_counter(reader, reader_pair(reader, node, i),
                                   &expect->counters[expect->counter_count++]))
            return false;
    return true;
}

bool parse_expect(struct reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *node = reader_get(reader, root, "expect");
    struct scenario_expect *expect = &reader->scenario->expect;
    if (!node)
        return true;
    expect->present = true;
    return reader_keys(reader, node, "expect") && reader_rows(reader, node, "expect") &&
           read_expected_findings(reader, reader_get(reader, node, "findings"), expect) &&
           read_expected_buffers(reader, reader_get(reader, node, "buffers"), expect) &&
           read_expected_placements(reader, reader_get(reader, node, "placement"), expect) &&
           read_expected_counters(reader, reader_get(reader, node, "counters"), expect);
}
