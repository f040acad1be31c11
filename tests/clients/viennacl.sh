#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ViennaCL's vectors and solvers.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
HEADER=viennacl/version.hpp LANGUAGE=c++ compiled "${CXX:-g++}" viennacl_solve.cpp -lOpenCL
without_findings "$program"
