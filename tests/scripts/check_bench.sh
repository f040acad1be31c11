#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benchmark's kernels at a hundredth of their size: the results must be those that PoCL gave (bench/expected: case,
# hash of the bytes or - where devices may round differently, sum). Times are not looked at.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
[ -x "$build/orrery-bench" ] || { echo "bench: orrery-bench was not built"; exit 77; }
out=$(mktemp)
trap 'rm -f "$out"' EXIT
ORRERY_FAST=1 "$build/orrery-bench" --platform Orrery --scale 0.01 --runs 1 --warm-ups 0 >"$out" || exit 1
awk '
    NR == FNR { hash[$1] = $2; sum[$1] = $3; next }
    $3 !~ /^[0-9]+$/ { next }
    { seen[$1] = 1; off = $6 - sum[$1] }
    hash[$1] != $5 && hash[$1] != "-" { print "bench: " $1 ": hash " $5 ", expected " hash[$1]; bad = 1 }
    off * off > (1e-5 * sum[$1]) ^ 2 { print "bench: " $1 ": sum " $6 ", expected " sum[$1]; bad = 1 }
    END {
        for (name in hash) if (!(name in seen)) { print "bench: " name " did not run"; bad = 1 }
        exit bad
    }' "$src/bench/expected" "$out" && echo "bench: all results as expected"
