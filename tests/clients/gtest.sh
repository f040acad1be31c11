#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The listener of Googletest: the very test that had a finding fails, with the finding in its message, on the terminal and in the
# XML file. Without Orrery in the process all pass.
. "${ORRERY_SRCDIR:?}/tests/clients/listeners.sh"
HEADER=gtest/gtest.h LANGUAGE=c++ compiled "${CXX:-g++}" listener_gtest.cpp -I"$src/include" -lgtest_main -lgtest -lOpenCL -lpthread -lm
"$program" --gtest_output=xml:"$work/results.xml" >"$work/out" 2>"$work/err"
[ "$?" = 1 ] || fail "the exit status" "$work/out"
has "$work/out" '^\[  PASSED  \] 3 tests'
for name in listener.beyond listener.beyond_again finishes.in_the_teardown; do times "$work/out" 2 "^\[  FAILED  \] $name( |\$)"; done
times "$work/out" 3 '^Orrery: 1 finding in this test'
times "$work/out" 3 '^orrery: error: out-of-bounds-write: '
/usr/bin/python3 - "$work/results.xml" <<'PYTHON' || fail "results.xml" "$work/results.xml"
import sys, xml.etree.ElementTree as tree
failed = {case.get("name"): case.find("failure") for case in tree.parse(sys.argv[1]).iter("testcase")}
assert {name for name, failure in failed.items() if failure is not None} == {"beyond", "beyond_again", "in_the_teardown"}
assert all("orrery: error: out-of-bounds-write" in failure.get("message") for failure in failed.values() if failure is not None)
PYTHON
# In another order the findings move with their tests.
"$program" --gtest_filter='*right*:*provoked' >"$work/out" 2>&1 || fail "tests without findings" "$work/out"
[ "$bad" = 0 ] && echo "ok      3 of 6 tests fail, each with its finding"
exit "$bad"
