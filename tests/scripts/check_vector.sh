#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Disassembles handlers of the AVX2 and AVX-512 builds: the loop must be vector code. A lost restrict or a reload in the
# loop makes the compiler fall back to scalar code without a word.
set -u
build=${ORRERY_BUILDDIR:-build}
command -v objdump >/dev/null || { echo "objdump is missing"; exit 77; }
[ -f "$build/sim/interp/libisa1_a-exec_table.o" ] || { echo "no vector builds on this machine"; exit 77; }
grep -q '^#define ORRERY_LOOPING' "$build/config.h" && { echo "a sanitizer build"; exit 77; }
grep -qE '^CFLAGS = .*-O[23]' "$build/Makefile" || { echo "not an optimised build"; exit 77; }

# handler, what its disassembly must contain
table='
add_32_vv      vpaddd
mul_32_vv      vpmulld
fadd_32_vv     vaddps
fmul_64_vv     vmulpd
mad_32_vvv     vmulps
folt_32_vv     vcmp.*ps
select_32_vv   (vblendv|vpblend|vmovaps.*\{%k|vmovdqa32.*\{%k|vblendm|vmovups.*\{%k|vpand)
ld_a_32        (%ymm|%zmm|memcpy)
st_a_32        (%ymm|%zmm|memcpy)
'

bad=0
check_handler() { # ISA HANDLER PATTERN
    local symbol=exec_$2_isa$1 text
    text=$(objdump -d --no-show-raw-insn --disassemble="$symbol" "$build"/sim/interp/libisa"$1"_a-*.o 2>/dev/null |
        sed -n "/<$symbol>:/,/^\$/p")
    if [ -z "$text" ]; then
        echo "$symbol: no such handler"
        bad=1
    elif ! grep -Eq "$3" <<<"$text"; then
        echo "$symbol: no instruction like $3"
        bad=1
    elif [ "$3" != "${3/vcmp/}" ] || grep -Eq '%ymm|%zmm|memcpy' <<<"$text"; then
        return
    else
        echo "$symbol: no 256 or 512 bit register"
        bad=1
    fi
}

while read -r handler pattern; do
    [ -n "$handler" ] || continue
    check_handler 1 "$handler" "$pattern"
    check_handler 2 "$handler" "$pattern"
done <<<"$table"
[ "$bad" = 0 ] || exit 1

# Bit-identical results: no fused multiply-add but in the function that is one.
fused=$(objdump -d --no-show-raw-insn "$build"/sim/interp/libisa[12]_a-*.o |
    awk '/^[0-9a-f]+ <.*>:$/ { name = $2 } /vf(n?m)(add|sub)[0-9]/ && name !~ /fma/ { print name }' | sort -u)
[ -z "$fused" ] || { echo "fused multiply-add in: $fused"; exit 1; }
