#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Boost.Compute's algorithms.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
HEADER=boost/compute/version.hpp LANGUAGE=c++ compiled "${CXX:-g++}" boost_compute.cpp -lOpenCL
without_findings "$program"
