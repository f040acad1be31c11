#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What looking for races takes: at most 6 bytes for each byte that kernels touch, and SPARE. Counted is what the process has
# allocated at most, with the race checker and without (tests/support/peak_alloc.c): the same number in each run. A quarter of a million
# work-items, thousands of work-groups, a hundred launches. CHECK_RACE_MEMORY_ALL=1 has a million, and more shapes: what is allocated
# grows with the work-items, so a quarter of them may take a quarter of SPARE, a limit that finds the same faults. Where SPARE is what
# limits the checker itself, all of them run. Where words have several readers in the shadow, or the units of
# neighbouring bytes are far apart, twice as much may be used (twice=1): a set of readers belongs to one word, since
# sharing sets among words took 600 lines more, and such bytes have full cells. Under sanitizers
# nothing is counted: fewer work-items, which are
# enough for what is kept of many words to take its other forms, must touch no memory that is not theirs.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
shim=$build/.libs/peak_alloc.so
[ -f "$shim" ] || { echo "peak_alloc.so was not built"; exit 77; }
sanitized=
grep -q '^#define ORRERY_LOOPING' "$build/config.h" && sanitized=1
grep -q -e -DORRERY_HOSTILE "$build/Makefile" && { echo "its tables are of other sizes"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$src/tests/support/race_memory.cl" "$work"
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1 # large pages, where there are some: most of the time it waits for memory
SPARE=$((64 << 20)) # SPARE_BYTES of sim/memmodel/checker_state.h: for tables that many work-items read, and bytes by themselves
items=${sanitized:+131072}
items=${items:-1048576}
bad=0
part=4
[ -z "${CHECK_RACE_MEMORY_ALL:-$sanitized}" ] || part=1

# scenario KERNEL TYPE LAUNCHES LOCAL OTHER: other: elements of the buffer of atomic objects, 0: none
scenario() {
    local i a=
    echo "orrery: 1"
    echo "program: {source: race_memory.cl, options: '-cl-std=CL3.0 -DT=$2 -DOTHERS=$5 -DITEMS=$items ${defines:-}'}"
    echo "launch:"
    for ((i = 0; i < $3; i++)); do
        if [ "$i" = 0 ]; then
            for name in a b c; do a="$a{buffer: {type: $2, count: $items, fill: 1}, name: $name}, "; done
            [ "$5" = 0 ] || a="$a{buffer: {type: uint, count: $5, fill: 0}, name: other}"
        else
            a="{same: a}, {same: b}, {same: c}"
            [ "$5" = 0 ] || a="$a, {same: other}"
        fi
        echo "  - {kernel: $1, global: [$items], local: [$4], args: [$a]}"
    done
}

peak() {
    LD_PRELOAD=$shim PEAK_BYTES_FILE=$work/peak "$build/orrery" run "$1" "$work/x.yaml" >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
    cat "$work/peak"
}

# Without the checker it is the buffers that count: kernels and launches differ by less than a hundredth of SPARE. So it is
# measured once for all with the same buffers, by one launch.
declare -A peak_without
measure_without() { # KERNEL TYPE LOCAL OTHER
    local key="$2 $4 $items"
    [ -z "${peak_without[$key]:-}" ] || return 0
    scenario "$1" "$2" 1 "$3" "$4" >"$work/x.yaml"
    "$build/orrery" run "$work/x.yaml" >/dev/null 2>&1 # into the compile cache
    peak_without[$key]=$(peak --data-races=off)
}

# measure KERNEL TYPE LAUNCHES LOCAL OTHER TOUCHED: bytes of each element of the three buffers
measure() {
    local without with most items=$((items / part)) other=$5 # a part of what is large; a few places stay a few
    [ "$other" -lt 1024 ] || other=$(((other + part - 1) / part))
    set -- "$1" "$2" "$3" "$4" "$other" "$6"
    if [ -n "$sanitized" ]; then
        scenario "$1" "$2" "$(($3 < 3 ? $3 : 3))" "$4" "$5" >"$work/x.yaml"
        "$build/orrery" run --data-races=error "$work/x.yaml" >"$work/out" 2>&1 || { echo "$1 $2:"; cat "$work/out"; bad=1; }
        return
    fi
    measure_without "$1" "$2" "$4" "$5" || { echo "$1 $2: ${peak_without["$2 $5 $items"]}"; bad=1; return; }
    without=${peak_without["$2 $5 $items"]}
    scenario "$1" "$2" "$3" "$4" "$5" >"$work/x.yaml"
    with=$(peak --data-races=error) || { echo "$1 $2: $with"; bad=1; return; }
    most=$(((6 * ($6 * items + 4 * $5) + SPARE / part) * (${twice:-0} + 1)))
    printf '%-14s %-6s %3d launches of %5d groups: %9d bytes, %9d at most\n' "$1" "$2" "$3" $((items / $4)) $((with - without)) "$most"
    [ $((with - without)) -le "$most" ] || { echo "$1 $2: more than is allowed"; bad=1; }
}

# more COMMAND...: what has come out as its neighbours did for as long as it is measured; CHECK_RACE_MEMORY_ALL=1 runs it, too.
more() { [ -z "${CHECK_RACE_MEMORY_ALL:-}" ] || "$@"; }

measure rows float 100 100 0 12
more measure rows uchar 100 100 0 3
measure scattered float 10 100 0 12
measure in_place float 1 100 0 12
measure masked float 1 100 0 8
measure local_memory float 2 100 0 12
measure neighbours float 2 100 1 12
measure chain float 1 100 10486 8
twice=1 measure beside_atomics uchar 1 100 0 3
more measure scattered uchar 10 100 0 3
measure in_place uchar 1 100 0 3
for kernel in masked chain; do
    other=0
    [ $kernel = chain ] && other=10486
    more measure $kernel uchar 1 100 $other 2
done
more measure local_memory uchar 2 100 0 3
more measure neighbours uchar 2 100 1 3
more measure beside_atomics float 1 100 0 12
measure mixed_sizes float 2 64 0 8
# Minutes with a million: what has many bytes by themselves.
[ -n "${CHECK_RACE_MEMORY_ALL:-$sanitized}" ] || items=$((1 << 18))
twice=1 measure table_beside_atomics float 1 100 0 12
measure gathers_beside_atomics float 1 100 0 12
more measure gathers_after_barrier float 1 100 0 12
twice=1 measure random_beside_atomics float 1 100 0 12
twice=1 measure random_after_barrier float 1 100 0 12
twice=1 measure random_beside_atomics uchar 1 100 0 3
[ -n "$sanitized" ] || items=1048576
measure flags_after_barrier uchar 1 100 "$items" 3
twice=1 measure flags_passed uchar 1 100 "$items" 3
for kernel in flags flags_fenced flags_relaxed flags_handed; do
    more measure $kernel uchar 1 100 "$items" 3
done
measure sums_of_groups float 1 128 64 12
measure histogram float 2 100 "$items" 12
for local in 64 256; do
    more measure histogram float 2 "$local" "$items" 12
done
for kernel in bins pairs fours; do
    measure $kernel float 1 100 "$items" 12
    more measure $kernel float 1 100 65536 12
    more measure $kernel float 1 100 256 12
done
for kernel in bins pairs; do
    more measure $kernel float 1 100 64 12
done
more measure bins float 1 100 4096 12
measure eights float 1 100 256 12
more measure eights float 1 100 65536 12
measure inserts float 2 100 65536 12
measure looks float 2 100 "$items" 12
more measure inserts float 2 100 "$items" 12
more measure looks float 2 100 65536 12
part=1 measure wander float 1 64 0 4
# raced KERNEL: its race is found, and a sanitizer has nothing to say
raced() {
    "$build/orrery" run --data-races=error "$work/x.yaml" >"$work/out" 2>&1
    grep -q 'error: race-global' "$work/out" && grep -q 'at least' "$work/out" && grep -q '^orrery: SUMMARY' "$work/out" || { echo "the race of $1:"; cat "$work/out"; bad=1; }
}
items=$((items / part)) defines=-DRACY scenario wander float 1 64 0 >"$work/x.yaml"
raced wander
items=65536 scenario written_twice float 1 64 16384 >"$work/x.yaml"
raced written_twice
measure locks float 1 64 65536 12
more measure locks float 1 64 1024 12
twice=1 measure waits float 1 64 16384 12
[ -n "$sanitized" ] && for locks in 8192 16384; do
    measure transfers float 1 64 "$locks" 12
done
items=$((1 << 18))
measure transfers float 1 64 65536 12
[ -n "$sanitized" ] && exit "$bad"
items=$((8 << 20)) # SPARE would hide too much of fewer
measure mixed_sizes uchar 1 64 0 2
[ -n "${CHECK_RACE_MEMORY_ALL:-}" ] || items=$((4 << 20)) part=1
twice=1 measure spread uchar 1 64 0 3
exit "$bad"
