#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The C++ bindings.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
HEADER=CL/opencl.hpp LANGUAGE=c++ DEFINES=-DCL_HPP_TARGET_OPENCL_VERSION=300 compiled "${CXX:-g++}" opencl_hpp.cpp -lOpenCL
without_findings "$program"
