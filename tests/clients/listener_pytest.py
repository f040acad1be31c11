# SPDX-License-Identifier: Apache-2.0
"""Tests with findings and without, for the plugin of pytest; pytest.sh says what becomes of each."""
import numpy
import pyopencl as cl
import pytest

import orrery_pytest

SOURCE = """
kernel void right(global int *p) { p[get_global_id(0)] = 1; }
kernel void beyond(global int *p) { p[get_global_id(0) + 1] = 1; }
"""
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, SOURCE).build()


def launch(name):
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 16)
    getattr(program, name)(queue, (4,), None, buffer)
    queue.finish()


launch("beyond")  # outside all tests


@pytest.fixture
def finding_in_setup():
    launch("beyond")


@pytest.fixture
def finding_in_teardown():
    yield
    launch("beyond")


@pytest.mark.parametrize("name", ["right", "beyond", "right", "beyond"])
def test_kernel(name):
    launch(name)


def test_in_setup(finding_in_setup):
    pass


def test_in_teardown(finding_in_teardown):
    pass


def test_provoked():
    launch("beyond")
    count, text = orrery_pytest.take()
    assert count == 1 and text.startswith("orrery: error: out-of-bounds-write: ")


@pytest.mark.xfail(strict=True)
def test_known():
    launch("beyond")


def test_own_failure():
    launch("beyond")
    assert numpy.zeros(1)[0] == 1


@pytest.mark.skip
def test_skipped():
    launch("beyond")
