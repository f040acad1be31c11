#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The listener of Catch2: the very test case that had a finding fails, with the finding in its message, on the terminal and in the
# JUnit file. CATCH2_FLAGS may name another version than the installed one.
. "${ORRERY_SRCDIR:?}/tests/clients/listeners.sh"
if [ -n "${CATCH2_FLAGS-}" ]; then
    # shellcheck disable=SC2086
    ${CXX:-g++} -O0 -w -std=c++17 "$src/tests/clients/listener_catch2.cpp" -o "$work/client" -I"$src/include" $CATCH2_FLAGS -lOpenCL -lm || exit 1
    program=$work/client
else
    HEADER=catch2/catch.hpp LANGUAGE=c++ compiled "${CXX:-g++}" listener_catch2.cpp -I"$src/include" -lOpenCL -lm
fi
"$program" >"$work/out" 2>"$work/err"
[ "$?" != 0 ] || fail "the exit status" "$work/out"
has "$work/out" '^test cases: *8 *\| *3 passed *\| *4 failed *\| *1 failed as expected'
times "$work/out" 5 '^ *Orrery: 1 finding in this test case'
times "$work/out" 5 '^ *orrery: error: out-of-bounds-write: '
"$program" -r junit >"$work/results.xml" 2>"$work/err"
/usr/bin/python3 - "$work/results.xml" <<'PYTHON' || fail "results.xml" "$work/results.xml"
import sys, xml.etree.ElementTree as tree
failed = {case.get("name").split("/")[0] for case in tree.parse(sys.argv[1]).iter("testcase")
          if any("out-of-bounds-write" in failure.text for failure in case.iter("failure"))}
assert {"beyond", "beyond again", "sections"} <= failed <= {"beyond", "beyond again", "sections", "thrown", "may fail"}, failed
PYTHON
"$program" 'right*,provoked' >"$work/out" 2>&1 || fail "test cases without findings" "$work/out"
[ "$bad" = 0 ] && echo "ok      5 of 8 test cases fail, each with its finding"
exit "$bad"
