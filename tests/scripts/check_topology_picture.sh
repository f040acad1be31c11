#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `orrery topology --svg` of every preset: one box for each object of the printed tree, with its text inside; two boxes lie one within
# the other or apart; all of them on the page.
set -u
build=$(realpath "${ORRERY_BUILDDIR:-build}")
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 presets=0

for preset in $("$build/orrery" topology --list-presets | sed -n 's/^\([a-z][a-z0-9-]*\) .*/\1/p'); do
    presets=$((presets + 1))
    "$build/orrery" topology --svg="$work/$preset.svg" "$preset" >"$work/$preset.txt" || { echo "$preset: status $?"; bad=1; }
    python3 - "$work/$preset" <<'END' || { echo "$preset: see above"; bad=1; }
import re, sys
import xml.etree.ElementTree as tree
page = tree.parse(sys.argv[1] + ".svg").getroot()
wide, high = float(page.get("width")), float(page.get("height"))
bad = []
boxes, texts = [], []
for one in page:
    kind = one.tag.split("}")[-1]
    if kind == "rect":
        x, y, w, h = (float(one.get(name)) for name in ("x", "y", "width", "height"))
        boxes.append((x, y, x + w, y + h))
        if x < 0 or y < 0 or x + w > wide or y + h > high:
            bad.append(f"box {boxes[-1]} is not on the page, {wide} by {high}")
    elif kind == "text":
        texts.append((float(one.get("x")), float(one.get("y")), "".join(one.itertext())))
def within(a, b):
    return a[0] >= b[0] and a[1] >= b[1] and a[2] <= b[2] and a[3] <= b[3]
def apart(a, b):
    return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
bad += [f"{a} and {b} overlap" for i, a in enumerate(boxes) for b in boxes[:i] if not (within(a, b) or within(b, a) or apart(a, b))]
for x, y, text in texts:
    around = [box for box in boxes if box[0] <= x and box[1] <= y <= box[3]]
    if not any(x + 6 * len(text) <= box[2] for box in around):
        bad.append(f"'{text}' stands in no box")
if len(boxes) != len(texts):
    bad.append(f"{len(boxes)} boxes have {len(texts)} texts")
printed = open(sys.argv[1] + ".txt").read()
units = max(int(number) for number in re.findall(r"CU L#(\d+)", printed))
drawn = sorted(int(text.split("#")[1].split()[0]) for x, y, text in texts if text.startswith("CU L#"))
if drawn != list(range(units + 1)):
    bad.append(f"units {drawn} are drawn, expected 0 to {units}")
print(*bad[:5], sep="\n", end="\n" if bad else "")
sys.exit(bool(bad))
END
done
"$build/orrery" topology --svg=/dev/full tiny >/dev/null 2>"$work/message"
[ $? = 2 ] && grep -q '/dev/full' "$work/message" || { echo "a full disk:"; cat "$work/message"; bad=1; }
"$build/orrery" topology --svg="$work/none/x.svg" tiny >/dev/null 2>"$work/message"
[ $? = 2 ] && grep -q 'none/x.svg' "$work/message" || { echo "no such folder:"; cat "$work/message"; bad=1; }
# a file that is no such picture is kept, and an earlier picture is replaced
echo notes >"$work/notes"
"$build/orrery" topology --svg="$work/notes" tiny >/dev/null 2>"$work/message"
[ $? = 2 ] && grep -q 'not such a report' "$work/message" && [ "$(cat "$work/notes")" = notes ] || { echo "another file:"; cat "$work/message"; bad=1; }
"$build/orrery" topology --force --svg="$work/notes" tiny >/dev/null && "$build/orrery" topology --svg="$work/notes" tiny >/dev/null ||
    { echo "an earlier picture is not replaced"; bad=1; }
echo "$presets presets"
[ "$presets" -gt 3 ] || bad=1
exit "$bad"
