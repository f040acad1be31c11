# SPDX-License-Identifier: Apache-2.0
"""pytest: the test in which Orrery found something fails, with the finding as its message.

    PYTHONPATH=$(pkg-config --variable=listeners orrery) orrery run -- python3 -m pytest -p orrery_pytest

A finding belongs to a test when its command is complete before the test ends: finish(), or a blocking call. Setup and
teardown are phases of their own: a finding there is an error of the test. What is found outside all tests, while
modules are imported for instance, is printed at the end and fails the session.

orrery_pytest.take() returns how many findings came since the last call, and their text: for a test that provokes one.
The library is used when it is in the process. Elsewhere there are no findings, and tests are as they were.
"""
import ctypes
import os

import pytest

_TEXT_SIZE = 1 << 16
_outside = []  # texts of findings that came in no test


def take():
    """(count, text) of the findings since the last call; see orrery_new_findings in orrery(3)."""
    try:
        library = ctypes.CDLL("liborrery.so.0", mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        new_findings = library.orrery_new_findings
    except (OSError, AttributeError):
        return 0, ""
    text = ctypes.create_string_buffer(_TEXT_SIZE)
    new_findings.restype = ctypes.c_size_t
    new_findings.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    count = new_findings(text, _TEXT_SIZE)
    return count, text.value.decode(errors="replace")


def _sentence(count, where):
    return "Orrery: %d %s %s\n" % (count, "finding" if count == 1 else "findings", where)


def _take_outside():
    count, text = take()
    if count:
        _outside.append(_sentence(count, "outside the tests") + text)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart():
    _take_outside()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Called after each phase of a test. A phase that passed gets the failure here, before its report is made, so
    that marks as xfail, JUnit files and options as --maxfail see it as any other."""
    count, text = take()
    message = _sentence(count, "in this test") + text
    failed_by_findings = count and call.excinfo is None
    if failed_by_findings:
        try:
            pytest.fail(message, pytrace=False)
        except pytest.fail.Exception:
            call.excinfo = pytest.ExceptionInfo.from_current()
    outcome = yield
    if count and not failed_by_findings:  # the test has a failure of its own: the findings may say why
        outcome.get_result().sections.append(("Orrery", message))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    _take_outside()
    if _outside and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    if _outside:
        terminalreporter.section("Orrery: findings outside the tests")
        for text in _outside:
            terminalreporter.write_line(text)
