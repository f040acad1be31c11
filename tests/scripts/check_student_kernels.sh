#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `orrery run kernel.cl` finds the usual mistakes of students with the sizes that it chooses itself, and nothing in right kernels.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$src/tests/scripts/student_kernels.py" "$build/orrery" "$work"
bad=$?

# Sizes are looked for with buffers of at most 64 MiB each, whatever their elements are: here 4 KiB, of which one lies far away.
shim=$build/.libs/peak_alloc.so
if [ -f "$shim" ] && ! grep -q '^#define ORRERY_LOOPING' "$build/config.h"; then
    cat >"$work/pages.cl" <<'END'
typedef struct { int word[1024]; } page;
kernel void pages(global page *p, global int *out, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = p[i * 1000].word[i];
}
END
    LD_PRELOAD=$shim PEAK_BYTES_FILE=$work/peak "$build/orrery" run "$work/pages.cl" >"$work/out" 2>&1
    peak=$(cat "$work/peak")
    [ "$peak" -lt $((1 << 28)) ] || { echo "FAIL: to find the sizes of pages.cl took $peak bytes"; bad=1; }
    grep -q 'SUMMARY' "$work/out" || { cat "$work/out"; bad=1; }
fi
exit $bad
