#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A finding of a host program names the file that holds the kernel's text, or the call that gave the text, and the call that
# enqueued the launch.
set -u
build=$(cd "${ORRERY_BUILDDIR:-.}" && pwd)
source=$(cd "${srcdir:-.}" && pwd)/examples
export OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-$build/icd}
work=$(mktemp -d "${TMPDIR:-/tmp}/check_source_name.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail=0

# names WANTED [FILE]: the finding's line when the program reads FILE, given by its absolute path, and runs in $work/here
names() {
    (cd "$work/here" && "$build/orrery" run -- "$build/examples/out_of_bounds" "${2:-$work/elsewhere/k.kernel}") > "$work/out" 2> "$work/err"
    grep -Eq "^  1  $1:[0-9]+:[0-9]+ " "$work/err" || { echo "expected a finding in $1, found: $(cat "$work/err")"; fail=1; }
}

mkdir -p "$work/here/a/b/c" "$work/here/.hidden" "$work/elsewhere"
cp "$source/out_of_bounds.cl" "$work/elsewhere/k.kernel"

# A source that is an argument of the command line is called as there, wherever it is.
cp "$source/out_of_bounds.cl" "$work/elsewhere/argument.cl"
names ../elsewhere/argument.cl ../elsewhere/argument.cl

# No file of the three: another text of the same size, too deep, hidden.
tr '[:lower:]' '[:upper:]' < "$work/elsewhere/k.kernel" > "$work/here/same_size.cl"
cp "$work/elsewhere/k.kernel" "$work/here/a/b/c/deep.cl"
cp "$work/elsewhere/k.kernel" "$work/here/.hidden/k.cl"
mkfifo "$work/here/fifo.cl"
names program.cl
grep -Eq '^  launch 1' "$work/err" || { echo "no launch: $(cat "$work/err")"; fail=1; }
if grep -Eq 'enqueued at' "$work/err"; then # libdw and debug information are there
    grep -Eq '^  program.cl is the text that [^ ]*start\.h:[0-9]+(:[0-9]+)? gives to OpenCL$' "$work/err" &&
        grep -Eq '^  launch 1, enqueued at [^ ]*(start\.h|out_of_bounds\.c):[0-9]+' "$work/err" ||
        { echo "no line of the host program: $(cat "$work/err")"; fail=1; }
fi

# A text has its own name, not that of a file that holds another one.
echo > "$work/here/program.cl"
names program2.cl
rm "$work/here/program.cl"

# The nearest file, then the first by name.
cp "$work/elsewhere/k.kernel" "$work/here/a/b/two.cl"
names a/b/two.cl
cp "$work/elsewhere/k.kernel" "$work/here/a/z.txt"
names a/z.txt
cp "$work/elsewhere/k.kernel" "$work/here/y y.cl"
names 'y y.cl'
cp "$work/elsewhere/k.kernel" "$work/here/x.cl"
names x.cl
grep -q 'gives to OpenCL' "$work/err" && { echo "a file is called a text: $(cat "$work/err")"; fail=1; }

# The text's own #line counts most.
{ echo '#line 100 "generated.in"'; cat "$work/elsewhere/k.kernel"; } > "$work/here/line.cl"
names generated.in "$work/here/line.cl"
grep -Eq '^  1  generated.in:[0-9]+:[0-9]+ +shifted\[i \+ 1\] = in\[i\];' "$work/err" || { echo "a #line takes the text away: $(cat "$work/err")"; fail=1; }

# Lines of a text with markers in it are those that its positions mean: of other files, of its own with other numbers, and of none.
cat > "$work/here/marked.yaml" <<'YAML'
orrery: 1
program: {source: marked.cl}
launch: [{kernel: k, global: 1, args: [{buffer: {type: int, count: 1, fill: 0}}]}]
YAML
cat > "$work/here/marked.cl" <<'CL'
void low(global int *a)
{
    a[1] = 1;
}
# 7 "dir/other.h" 1
void middle(global int *a)
{
    a[2] = 2;
}
#line 3
void same(global int *a)
{
    a[3] = 3;
}
#line 20 "marked.cl"
kernel void k(global int *a)
{
    low(a), middle(a), same(a);
    a[4] = 4;
}
CL
(cd "$work/here" && "$build/orrery" run --html=marked.html --sarif=marked.sarif marked.yaml) > "$work/out" 2> "$work/err"
for line in 'marked.cl:3:10 +a\[1\] = 1;' 'dir/other.h:9:10 +a\[2\] = 2;' 'dir/other.h:5:10 +a\[3\] = 3;' 'marked.cl:23:10 +a\[4\] = 4;'; do
    grep -Eq "^  1  $line" "$work/err" || { echo "expected $line, found: $(cat "$work/err")"; fail=1; }
done
python3 - "$work/here/marked.html" <<'END' || fail=1
import json, re, sys
text = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', open(sys.argv[1]).read(), re.S).group(1)
sources = {source["name"]: source["lines"] for source in json.loads(text)["sources"]}
for name, line, wanted in (("dir/other.h", 9, "    a[2] = 2;"), ("dir/other.h", 5, "    a[3] = 3;"), ("marked.cl", 23, "    a[4] = 4;")):
    found = [lines[line - 1] for source, lines in sources.items() if source == name and len(lines) >= line]
    if found != [wanted]:
        sys.exit(f"{name}:{line} of the page: {found}, expected {wanted}; there are {sorted(sources)}")
END

# A text that no file holds is written to the folder that save_sources names, byte by byte, and the finding names it there. The
# same text is the same file, a file of another text is left alone, and what cannot be a folder ends the run before it begins.
saves() { # STATUS OPTION...
    local wanted=$1 got
    shift
    (cd "$work/here" && "$build/orrery" run "$@" -- "$build/examples/out_of_bounds" "$work/elsewhere/k.kernel") >"$work/out" 2>"$work/err"
    got=$?
    [ "$got" = "$wanted" ] || { echo "$*: status $got, expected $wanted: $(cat "$work/err")"; fail=1; }
}
rm -rf "$work/here"
mkdir "$work/here"
saves 66 --save-sources=made
saved=$(cd "$work/here" && echo made/*)
cmp "$work/here/$saved" "$work/elsewhere/k.kernel" || fail=1
grep -Eq "^  1  $saved:[0-9]+:[0-9]+ " "$work/err" || { echo "expected a finding in $saved, found: $(cat "$work/err")"; fail=1; }
saves 66 --save-sources=made
[ "$(cd "$work/here" && echo made/*)" = "$saved" ] || { echo "the same text has two files: $(ls "$work/here/made")"; fail=1; }
echo mine >"$work/here/$saved"
saves 66 --save-sources=made
grep -q "$saved was not written: another text has its name" "$work/err" && [ "$(cat "$work/here/$saved")" = mine ] &&
    grep -Eq '^  1  program.cl:' "$work/err" || { echo "a file of the user: $(cat "$work/err")"; fail=1; }
saves 2 --save-sources=here/no/such
saves 2 "--save-sources=$saved"
grep -q "save_sources: $saved: Not a directory" "$work/err" || { echo "not a folder: $(cat "$work/err")"; fail=1; }

# A directory with too many entries is left out as a whole.
mkdir "$work/many"
(cd "$work/many" && seq 5000 | xargs touch && cp "$work/elsewhere/k.kernel" 0.cl)
rm -r "$work/here"
mv "$work/many" "$work/here"
names program.cl
exit $fail
