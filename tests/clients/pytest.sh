#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The plugin of pytest: the very test that had a finding fails, with the finding in its message, whatever is captured. Without
# Orrery in the process it prints nothing.
. "${ORRERY_SRCDIR:?}/tests/clients/listeners.sh"
unset PYTHONUNBUFFERED
export PYOPENCL_NO_CACHE=1 PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME=$work PYTHONPATH=$src/include/orrery/listeners PYTHONWARNINGS=ignore COLUMNS=200
/usr/bin/python3 -c 'import pytest, pyopencl, numpy' 2>/dev/null || skip "no pytest or no PyOpenCL of /usr/bin/python3"
cp "$src/tests/clients/listener_pytest.py" "$work/test_listener.py"
cd "$work" || exit 99
run() { # FILE [OPTION...]
    local out=$1
    shift
    /usr/bin/python3 -m pytest -p no:cacheprovider "$@" >"$out" 2>"$work/err"
}

for capture in fd sys no; do
    run "$work/out" -p orrery_pytest -v -rA --capture=$capture --junitxml="$work/results.xml" test_listener.py
    [ "$?" = 1 ] || fail "the exit status with --capture=$capture" "$work/out"
    has "$work/out" '=+ 3 failed, 4 passed, 1 skipped, 1 xfailed, 2 errors in '
    has "$work/out" '^FAILED test_listener.py::test_kernel\[beyond[01]?\]'
    has "$work/out" '^FAILED test_listener.py::test_own_failure - '
    has "$work/out" '^ERROR test_listener.py::test_in_setup'
    has "$work/out" '^ERROR test_listener.py::test_in_teardown'
    times "$work/out" 5 '^(E +)?Orrery: 1 finding in this test'
    has "$work/out" '^=+ Orrery: findings outside the tests =+'
    times "$work/out" 1 '^Orrery: 1 finding outside the tests'
    /usr/bin/python3 - "$work/results.xml" <<'PYTHON' || fail "results.xml" "$work/results.xml"
import sys, xml.etree.ElementTree as tree
found = {}
for case in tree.parse(sys.argv[1]).iter("testcase"):
    texts = [(part.get("message") or "") + (part.text or "") for part in case if part.tag in ("failure", "error")]
    found.setdefault(case.get("name").rstrip("0123456789]").split("[")[-1], []).append(any("orrery: error: out-of-bounds-write: " in text for text in texts))
assert found["beyond"] == [True, True] and found["right"] == [False, False], found
assert found["test_in_setup"] == [True] and found["test_in_teardown"][-1] is True, found
assert found["test_provoked"] == found["test_known"] == found["test_skipped"] == [False], found
PYTHON
done
# A finding outside the tests fails a session whose tests pass.
run "$work/out" -p orrery_pytest -k provoked test_listener.py
[ "$?" = 1 ] || fail "the exit status of a finding at import" "$work/out"
has "$work/out" '1 passed, '
# As a conftest.
cp "$src/include/orrery/listeners/orrery_pytest.py" conftest.py
printf 'import conftest\nimport sys\nsys.modules["orrery_pytest"] = conftest\n' | cat - "$src/tests/clients/listener_pytest.py" >test_listener.py
run "$work/out" -k 'kernel' test_listener.py
has "$work/out" '^FAILED test_listener.py::test_kernel\[beyond[01]?\]'
has "$work/out" '^Orrery: 1 finding in this test'
# Without Orrery there is no finding, and no failure.
printf 'def test_nothing():\n    pass\n' >test_nothing.py
run "$work/out" test_nothing.py || fail "a session without OpenCL" "$work/out"
[ "$bad" = 0 ] && echo "ok      findings in setup, call, teardown and outside, with three ways to capture"
exit "$bad"
