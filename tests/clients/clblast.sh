#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# CLBlast's own kernels, three precisions.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
HEADER=clblast_c.h compiled "${CC:-gcc}" clblast.c -lclblast -lOpenCL -lm
without_findings "$program"
