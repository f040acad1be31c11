#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each check at each severity, as an option and as a key of the scenario: what is counted, and the exit status.
# The check "api" needs a host program: tests/lib/check_runtime.c.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 passed=0

cat >"$work/atomics.cl" <<'END'
kernel void k(global atomic_int *p)
{
    atomic_store_explicit(p, 1, memory_order_relaxed, memory_scope_work_item);
}
END
cat >"$work/atomics.yaml" <<'END'
orrery: 1
program: {source: atomics.cl, options: "-cl-std=CL3.0"}
launch:
  - {kernel: k, global: [1], local: [1], args: [{buffer: {type: int, count: 1, fill: 0}}]}
END

# expect NAME STATUS PATTERN COMMAND...
expect() {
    local name=$1 status=$2 pattern=$3 got
    shift 3
    "$@" >"$work/out" 2>&1
    got=$?
    if [ "$got" != "$status" ] || ! grep -Eq "SUMMARY $pattern" "$work/out"; then
        echo "$name: status $got, expected $status; expected $pattern in:"
        tail -n 3 "$work/out"
        bad=1
    else
        passed=$((passed + 1))
    fi
}

# severities KEY OPTION SCENARIO [STATUS-WHATEVER-IS-FOUND]
severities() {
    local key=$1 option=$2 scenario=$3 always=${4-}
    local none='errors=0 warnings=0' warned='errors=0 warnings=[1-9]' failed='errors=[1-9][0-9]* warnings=0'
    expect "$key off" "${always:-0}" "$none" "$build/orrery" run "--$option=off" "$scenario"
    expect "$key warning" "${always:-0}" "$warned" "$build/orrery" run "--$option=warning" "$scenario"
    expect "$key error" "${always:-66}" "$failed" "$build/orrery" run "--$option=error" "$scenario"
    expect "$key bare" "${always:-66}" "$failed" "$build/orrery" run "--$option" "$scenario"
    expect "$key fail-on" "${always:-66}" "$warned" "$build/orrery" run "--$option=warning" --fail-on=warning "$scenario"
    for severity in off warning error; do
        sed '/^checks:/d' "$scenario" >"$work/keyed.yaml"
        echo "checks: {$key: $severity}" >>"$work/keyed.yaml"
        case $severity in
        off) expect "$key: off" "${always:-0}" "$none" "$build/orrery" run "$work/keyed.yaml" ;;
        warning) expect "$key: warning" "${always:-0}" "$warned" "$build/orrery" run "$work/keyed.yaml" ;;
        error) expect "$key: error" "${always:-66}" "$failed" "$build/orrery" run "$work/keyed.yaml" ;;
        esac
    done
}

cp "$src"/scenarios/{faulty,racy}/*.{cl,yaml} "$work"
severities bounds check-bounds "$work/global_write.yaml"
severities bounds check-bounds "$work/private_overflow.yaml"
severities rights check-rights "$work/read_only_write.yaml"
severities rights check-rights "$work/write_only_read.yaml"
severities uninitialised uninitialized "$work/uninitialised_store.yaml"
severities divergence check-divergence "$work/barrier_divergence.yaml"
severities races data-races "$work/mp_plain.yaml"
severities atomics check-atomics "$work/atomics.yaml"
severities progress check-progress "$work/endless_loop.yaml" 124
echo "$passed passed"
exit "$bad"
