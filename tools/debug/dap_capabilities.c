/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request initialize: what this adapter supports, and a filter of exception breakpoints per kind of
 * finding.
 */
#include "dap_adapter.h"

json_t *dap_initialize(struct dap *dap, const json_t *arguments)
{
    static const char *const supported[] = {
        "supportsConfigurationDoneRequest",
        "supportsCompletionsRequest",
        "supportsFunctionBreakpoints",
        "supportsConditionalBreakpoints",
        "supportsHitConditionalBreakpoints",
        "supportsEvaluateForHovers",
        "supportsStepBack",
        "supportsRestartFrame",
        "supportsSetVariable",
        "supportsSetExpression",
        "supportsExceptionInfoRequest",
        "supportsDataBreakpoints",
        "supportsDataBreakpointBytes",
        "supportsReadMemoryRequest",
        "supportsWriteMemoryRequest",
        "supportsDisassembleRequest",
        "supportsLogPoints",
        "supportsLoadedSourcesRequest",
        "supportsModulesRequest",
        "supportsTerminateRequest",
        "supportsRestartRequest",
        "supportsValueFormattingOptions",
        "supportsExceptionFilterOptions",
        "supportsBreakpointLocationsRequest",
        "supportsCancelRequest",
    };
    dap->progress.supported = json_is_true(json_object_get(arguments, "supportsProgressReporting"));
    dap->client.takes_invalidated = json_is_true(json_object_get(arguments, "supportsInvalidatedEvent"));
    dap->client.takes_memory = json_is_true(json_object_get(arguments, "supportsMemoryEvent"));
    dap_take_client_forms(dap, arguments);
    json_t *body = json_object(), *filters = json_array();
    for (size_t i = 0; i < sizeof supported / sizeof *supported; i++)
        json_object_set_new(body, supported[i], json_true());
    json_array_append_new(
        filters, json_pack("{s:s,s:s,s:b}", "filter", "findings", "label", "All findings", "default", false));
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++)
        json_array_append_new(filters,
                              json_pack("{s:s,s:s,s:s,s:b}", "filter", finding_id((enum finding_kind)kind),
                                        "label", finding_id((enum finding_kind)kind), "description",
                                        finding_sentence((enum finding_kind)kind), "default", false));
    json_object_set_new(body, "exceptionBreakpointFilters", filters);
    return body;
}
