/* SPDX-License-Identifier: Apache-2.0 */
/* The graph: the operations of each unit in their order, and the missing edge. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/report_fixture.h"

static const char golden_graph[] =
    "digraph orrery {\n"
    "  rankdir=TB\n"
    "  size=\"16,1000\"\n"
    "  labeljust=l\n"
    "  node [shape=box, fontname=\"monospace\"]\n"
    "  edge [fontname=\"sans-serif\"]\n"
    "  subgraph cluster_f1 {\n"
    "    label=\"1: race-global:\\ltwo work-items access the same bytes and nothing orders\\lthem\\l\"\n"
    "    subgraph cluster_f1_1 {\n"
    "      label=\"work-item (0,0,0), sub-group 0, work-group (0,0,0),\\lcompute unit 0\\l\"\n"
    "      f1_access0 [penwidth=2, label=\"1  mp.cl:7:11\\ldata[0] = 42;\\lplain store, 4 bytes\\l\"]\n"
    "      f1_step0 [style=rounded, label=\"mp.cl:8:5\\latomic_store(...)\\lrelease, work_group\\l\"]\n"
    "    }\n"
    "    f1_access0 -> f1_step0\n"
    "    subgraph cluster_f1_2 {\n"
    "      label=\"somebody, work-item (64,0,0), sub-group 0, work-group\\l(1,0,0), compute unit 1\\l\"\n"
    "      f1_step1 [style=rounded, label=\"mp.cl:11:9\\latomic_load(...)\\lacquire, "
    "\\\"work_group\\\"\\l\"]\n"
    "      f1_access1 [penwidth=2, label=\"2  mp.cl:12:13\\lout[0] = data[0];\\lplain load, 4 bytes, read "
    "42\\l\"]\n"
    "    }\n"
    "    f1_step1 -> f1_access1\n"
    "    f1_step0 -> f1_step1 [constraint=false, color=red, style=dashed, label=\"does not synchronise "
    "with\"]\n"
    "    f1_access0 -> f1_access1 [dir=none, constraint=false, color=red, style=dashed, label=\"not "
    "ordered\"]\n"
    "  }\n"
    "}\n";

START_TEST(the_graph_has_orders_and_the_missing_edge)
{
    add(race_with_steps());
    add((struct finding){.kind = FINDING_API_ERROR, .why = "no place, no box"});
    char *out = written(report_write_dot);
    ck_assert_str_eq(out, golden_graph);
    free(out);
}
END_TEST

/* Sources may be of any bytes; what Graphviz draws of them is XML. */
START_TEST(labels_are_text)
{
    struct finding finding = race_with_steps();
    finding.access[0].place.text = "/* caf\xe9 caf\xc3\xa9 \xc0\xaf \xed\xa0\x80 \xef\xbf\xbf "
                                   "\xf0\x9f\x98\x80 \xe2\x82 &#8; && */ data[0] = 42;";
    add(finding);
    char *out = written(report_write_dot);
    ck_assert_msg(strstr(out, "\\l/* caf? caf\xc3\xa9 ?? ??? ??? \xf0\x9f\x98\x80 ?? &amp;#8; &amp;&amp; */ "
                              "data[0] = 42;\\l") != NULL,
                  "%s", out);
    free(out);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        the_graph_has_orders_and_the_missing_edge,
        labels_are_text,
    };
    return report_tests("report, dot", tests, sizeof tests / sizeof tests[0]);
}
