#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# PoCL itself is the judge of errors: pocl. Its device is given as many compute units as the scenario's.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
vendors=$OCL_ICD_VENDORS
HEADER=CL/cl.h compiled "${CC:-gcc}" partition_pocl.c -lOpenCL
for units in 1 2 5 8; do
    OCL_ICD_VENDORS=/etc/OpenCL/vendors POCL_DEVICES=pthread POCL_MAX_PTHREAD_COUNT=$units "$program" Portable >"$work/pocl" 2>/dev/null
    [ $? != 77 ] || skip "no PoCL"
    grep -q "^root: units $units," "$work/pocl" || skip "this PoCL does not take POCL_MAX_PTHREAD_COUNT"
    OCL_ICD_VENDORS=$vendors ORRERY_ERRORS=pocl ORRERY_TOPOLOGY=cu:$units "$program" Orrery >"$work/orrery" || exit 1
    diff "$work/pocl" "$work/orrery" || { echo "FAILED  $units units: PoCL <, Orrery >"; exit 1; }
    echo "$units units: $(wc -l <"$work/pocl") answers alike"
done
