/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of this adapter's own, "orrery/...": lanes, races, clocks, the schedule, the last access.
 */
#include "dap_adapter.h"

json_t *dap_host(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    return dap_query(dap, json_pack("{s:s}", "verb", "host"));
}

json_t *dap_lanes(struct dap *dap, const json_t *arguments)
{
    return dap_query(dap, json_pack("{s:s,s:s}", "verb", "lanes", "expression",
                                    TEXT(arguments, "expression") ? TEXT(arguments, "expression") : ""));
}

json_t *dap_why(struct dap *dap, const json_t *arguments)
{
    return dap_query(dap, json_pack("{s:s,s:s,s:I}", "verb", "why", "expression",
                                    TEXT(arguments, "expression") ? TEXT(arguments, "expression") : "",
                                    "thread", dap_item_of(dap, NUMBER(arguments, "threadId"))));
}

json_t *dap_may_read(struct dap *dap, const json_t *arguments)
{
    if (!dap->session)
        return dap_fail(dap, "nothing is launched");
    return dap_accepted(
        dap, session_may_read(dap->session,
                              json_pack("{s:s,s:I}", "expression",
                                        TEXT(arguments, "expression") ? TEXT(arguments, "expression") : "",
                                        "thread", dap_item_of(dap, NUMBER(arguments, "threadId")))));
}

/* Replies with the next waves. With a work-item, makes that one run next. */
json_t *dap_schedule(struct dap *dap, const json_t *arguments)
{
    const json_int_t number = NUMBER(arguments, "threadId");
    json_t *schedule = dap_query(dap, json_pack("{s:s}", "verb", "schedule"));
    if (!schedule || !number)
        return schedule;
    json_t *done = dap_accepted(dap, session_fork(dap->session, schedule, number));
    json_decref(done);
    if (done)
        return schedule;
    json_decref(schedule);
    return NULL;
}

json_t *dap_clocks(struct dap *dap, const json_t *arguments)
{
    return dap_query(dap, json_pack("{s:s,s:I}", "verb", "clocks", "thread",
                                    dap_item_of(dap, NUMBER(arguments, "threadId"))));
}

json_t *dap_hash(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    return dap_query(dap, json_pack("{s:s}", "verb", "hash"));
}

json_t *dap_last_access(struct dap *dap, const json_t *arguments)
{
    const json_int_t size = NUMBER(arguments, "count");
    if (!dap->session)
        return dap_fail(dap, "nothing is launched");
    json_decref(session_points(
        dap->session, json_pack("[{s:i,s:s,s:I,s:I,s:b,s:b}]", "id", TERMINAL_OWN_POINT, "kind", "watch",
                                "address", (json_int_t)dap_address_of(arguments), "size", size ? size : 1,
                                "read", !json_is_true(json_object_get(arguments, "writes")), "write", true)));
    json_t *answer = dap_accepted(dap, session_last(dap->session, json_pack("{s:s}", "mode", "continue")));
    json_decref(dap_send_points(dap));
    return answer;
}
