#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Accesses inside, across and outside the bounds of an object of 29 bytes, in each address space, against a model: a load gives
# zeros for the bytes outside, a store drops them, an atomic returns 0 and writes nothing. Each work-item prints what it read and
# the object afterwards; where faults stop, one at fault prints nothing. A table gives the kinds of access.
set -eu
orrery=${ORRERY_BUILDDIR:-build}/orrery
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# kind, bytes, unit of offsets, OpenCL C that reads v or writes it at p
cat >"$scratch/table" <<'END'
load 1 1 w.c[0] = *(SPACE uchar *)p;
load 2 2 w.s[0] = *(SPACE ushort *)p;
load 4 4 w.i[0] = *(SPACE uint *)p;
load 8 8 w.l[0] = *(SPACE ulong *)p;
load 4 1 vstore4(vload4(0, (SPACE uchar *)p), 0, w.c);
load 6 2 vstore3(vload3(0, (SPACE ushort *)p), 0, w.s);
load 16 4 vstore4(vload4(0, (SPACE uint *)p), 0, w.i);
load 16 8 vstore2(vload2(0, (SPACE ulong *)p), 0, w.l);
load 12 1 *(struct twelve *)w.c = *(SPACE struct twelve *)p;
store 1 1 *(SPACE uchar *)p = w.c[0];
store 2 2 *(SPACE ushort *)p = w.s[0];
store 4 4 *(SPACE uint *)p = w.i[0];
store 8 8 *(SPACE ulong *)p = w.l[0];
store 4 1 vstore4(vload4(0, w.c), 0, (SPACE uchar *)p);
store 6 2 vstore3(vload3(0, w.s), 0, (SPACE ushort *)p);
store 16 4 vstore4(vload4(0, w.i), 0, (SPACE uint *)p);
store 16 8 vstore2(vload2(0, w.l), 0, (SPACE ulong *)p);
store 12 1 *(SPACE struct twelve *)p = *(struct twelve *)w.c;
atomic 4 4 w.i[0] = atomic_fetch_add((volatile SPACE atomic_uint *)p, 1);
END

# Writes the scenario and the output expected under continue and stop. The object is in memory OWN, and the pointer says SPACE.
write_case() { # SPACE OWN
    awk -v space="$1" -v own="$2" -v dir="$scratch" '
    function hex(text, bytes, n,    i) { for (i = 0; i < n; i++) text = text sprintf("%02x", bytes[i]); return text }
    BEGIN {
        base = dir "/" space "_" own; yaml = base ".yaml"; SIZE = 29
        print "orrery: 1\nname: faulty accesses, " space " " own "\nprogram:\n  options: -cl-std=" (space == "private" ? "CL1.2" : "CL2.0") "\n  text: |" >yaml
        print "    struct twelve { uchar byte[12]; };" >yaml
        print "    union words { uchar c[16]; ushort s[8]; uint i[4]; ulong l[2]; };" >yaml
    }
    {
        kind = $1; bytes = $2; unit = $3; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "")
        if ((own == "constant" && kind != "load") || (own == "private" && kind == "atomic"))
            next
        gsub(/SPACE/, space == "generic" ? "" : space)
        name = "k" ++count
        object = own == "constant" ? "constant uchar *given" : "global uchar *given"
        print "    kernel void " name "(" object ", int at, int n) {\n      union words w;" >yaml
        print "      for (int i = 0; i < 16; i++) w.c[i] = " (kind == "store" ? "128 + i" : "0") ";" >yaml
        if (own == "local" || own == "private") {
            print "      " own " uchar o[29] __attribute__((aligned(16)));" >yaml
            print "      for (int i = 0; i < n; i++) o[i] = given[i];" >yaml
        } else
            print "      " own " uchar *o = given;" >yaml
        print "      " (space == "generic" ? "" : space) " uchar *p = o + at;\n      " $0 >yaml
        print "      for (int i = 0; i < 16; i++) printf(\"%02x\", w.c[i]);\n      printf(\" \");" >yaml
        print "      for (int i = 0; i < n; i++) printf(\"%02x\", o[i]);\n      printf(\"\\n\");\n    }" >yaml
        for (at = -2 * int((bytes + unit - 1) / unit) * unit; at < SIZE + 2 * bytes; at += unit) {
            launches = launches "  - {kernel: " name ", global: [1], local: [1], args: [{buffer: {type: uchar, values: [" values() "]" \
  "}}, {scalar: {type: int, value: " at "}}, {scalar: {type: int, value: 29}}]}\n"
            inside = at >= 0 && at + bytes <= SIZE
            for (i = 0; i < 16; i++) w[i] = kind == "store" ? 128 + i : 0
            for (i = 0; i < SIZE; i++) o[i] = i + 1
            for (i = 0; i < bytes; i++) {
                if (at + i < 0 || at + i >= SIZE) continue
                if (kind == "load") w[i] = o[at + i]
                else if (kind == "store") o[at + i] = w[i]
                else if (inside) w[i] = o[at + i]
            }
            if (kind == "atomic" && inside) o[at]++
            line = hex("", w, 16) " " hex("", o, SIZE)
            print line >(base ".continue")
            if (inside) print line >(base ".stop")
        }
    }
    function values(    i, text) { for (i = 1; i <= SIZE; i++) text = text (i > 1 ? ", " : "") i; return text }
    END { printf "launch:\n%s", launches >yaml }' "$scratch/table"
}

failed=0
for space in global_global constant_constant local_local private_private generic_global generic_local generic_private; do
    write_case ${space%_*} ${space#*_}
    for faults in continue stop; do
        timeout 60 "$orrery" run --faults=$faults --check-api=off "$scratch/$space.yaml" >"$scratch/out" 2>"$scratch/err" && status=0 || status=$?
        if [ "$status" != 66 ] || ! cmp -s "$scratch/out" "$scratch/$space.$faults"; then
            echo "$space, $faults: status $status; found and expected:"
            head -3 "$scratch/err"
            diff "$scratch/out" "$scratch/$space.$faults" | head -6
            failed=1
        fi
        timeout 60 "$orrery" run --faults=$faults --check-bounds=off --data-races "$scratch/$space.yaml" >"$scratch/out" 2>/dev/null || true
        cmp -s "$scratch/out" "$scratch/$space.$faults" || { echo "$space, $faults: the checks make a difference"; failed=1; }
    done
done
exit $failed
