#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The line of a call in the host program is found whatever compiler built the program, and however it describes lines: gcc writes
# an index of addresses, clang does not; and clang links its sanitizers into the program.
set -u
build=${ORRERY_BUILDDIR:?}
grep -q '^#define ORRERY_LOOPING' "$build/config.h" && { echo "a program without the sanitizers cannot load the library"; exit 77; }
[ -e /usr/lib/x86_64-linux-gnu/libdw.so.1 ] || ldconfig -p | grep -q 'libdw\.so\.1' || { echo "libdw is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 tried=0
cat >"$work/refused.c" <<'END'
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
int main(void)
{
    cl_platform_id platform;
    return clGetPlatformIDs(1, &platform, NULL) ||
           clGetDeviceIDs(platform, 0, 1, NULL, NULL) != CL_INVALID_DEVICE_TYPE; /* here */
}
END
line=$(grep -n 'here' "$work/refused.c" | cut -d: -f1)

for compiler in gcc clang-14; do
    command -v $compiler >/dev/null || continue
    for form in -g -g1 -gdwarf-4 '-g -O2' '-g -no-pie' '-g -ffunction-sections -flto' '-g -fsanitize=address'; do
        # shellcheck disable=SC2086
        (cd "$work" && $compiler $form -o refused "$PWD/refused.c" -lOpenCL 2>log) || continue
        tried=$((tried + 1))
        ASAN_OPTIONS=detect_leaks=0 ORRERY_CHECK_API=warning ORRERY_JSON=$work/found "$work/refused" 2>/dev/null || { echo "$compiler $form: the program fails"; failed=1; }
        grep -q "\"line\":${line}[,}]" "$work/found" || { echo "$compiler $form: not line $line: $(cat "$work/found")"; failed=1; }
        rm -f "$work/found"
    done
done
# Compiled in another directory, and run in one above the source: the name is one that can be opened from there.
mkdir -p "$work/project/src" "$work/project/out"
cp "$work/refused.c" "$work/project/src/"
for compiler in gcc clang-14; do
    (cd "$work/project/out" && $compiler -g -o refused ../src/refused.c -lOpenCL 2>log) || continue
    (cd "$work/project" && ORRERY_CHECK_API=warning ORRERY_JSON=$work/found out/refused 2>/dev/null)
    grep -q '"file":"src/refused.c"' "$work/found" || { echo "$compiler: not src/refused.c: $(cat "$work/found")"; failed=1; }
    rm -f "$work/found"
done

# A file without debug information lies between two sections of one that has it: the call in it has no line, and main() is where it
# came from. The first section ends with an empty row of its line table, as gcc -O1 makes them.
cat >"$work/around.c" <<'END'
int refused(void);
__attribute__((section(".text.unlikely.first"))) int first(void)
{
    return 0;
}
__asm__(".section .text.unlikely.first\n\t.loc 1 4 1\n\t.loc 1 5 1\n\t.text");
int main(void)
{
    return first() + refused();
}
END
sed 's/^int main/__attribute__((section(".text.unlikely.refused"))) int refused/' "$work/refused.c" >"$work/between.c"
if (cd "$work" && gcc -g -fno-toplevel-reorder -c around.c && gcc -c between.c && gcc -o refused around.o between.o -lOpenCL) 2>"$work/log"; then
    tried=$((tried + 1))
    ORRERY_CHECK_API=warning ORRERY_JSON=$work/found "$work/refused" 2>/dev/null || { echo "no line: the program fails"; failed=1; }
    grep -q '"api-error"' "$work/found" || { echo "no line: no finding"; failed=1; }
    grep -q '"file":"[^"]*around\.c","line":9,' "$work/found" || { echo "not the line of main: $(cat "$work/found")"; failed=1; }
fi
[ "$tried" -gt 0 ] || { cat "$work/log"; exit 77; }
echo "$tried programs"
exit $failed
