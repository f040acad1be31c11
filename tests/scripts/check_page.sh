#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The page of --html: well-formed, without a network, with the data of the run; no text of the run becomes
# markup; the same bytes each time; and, where Chromium is installed, drawn without an error.
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}") build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery
python3=$(command -v python3) || { echo "no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# Names, comments and strings that would end the element of the data, or be elements themselves.
cat >"$work/run.yaml" <<'YAML'
orrery: 1
name: "</script><script>document.title='broken'</script><!--"
device: {name: "<b>&amp;\u2028", topology: "numa:2 l2:1(size=4KiB) l1:2(size=1KiB) cu:1"}
program:
  text: |
    kernel void k(global int *a, local int *t) { // </script><img src=x onerror=alert(1)> <!--<script> ]]>
        t[get_local_id(0)] = a[1];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[0] = t[0] + (int)get_global_id(0);
    }
launch:
  - kernel: k
    global: 16
    local: 4
    args: [{buffer: {type: int, count: 4, fill: 0}, name: "</ScRiPt >"}, {local: 16}]
checks: {races: error}
YAML

page() { # NAME STATUS ARGUMENT...
    local name=$1 wanted=$2 got
    shift 2
    timeout 60 "$orrery" run --quiet "$@" --html="$work/$name.html" --json="$work/$name.json" \
        "$work/run.yaml" >/dev/null 2>"$work/err"
    got=$?
    [ "$got" = "$wanted" ] || { echo "$name: status $got, expected $wanted"; cat "$work/err"; bad=1; }
}
page one 66
page two 66
page random 66 --schedule=random --seed=3
page clean 0 --checks=none
cmp -s "$work/one.html" "$work/two.html" || { echo "two pages of one run differ"; bad=1; }
grep -q COUNTERS "$work/err" && { echo "--html prints counters"; bad=1; }

# Many steps: the page keeps the first, and says so.
cat >"$work/long.yaml" <<'YAML'
orrery: 1
program: {text: "kernel void k(global int *a) { for (int i = 0; i < 200; i++) a[get_global_id(0)] += i; }"}
launch: [{kernel: k, global: 256, local: 64, args: [{buffer: {type: int, count: 256, fill: 0}}]}]
YAML
timeout 60 "$orrery" run --quiet --html="$work/long.html" "$work/long.yaml" || bad=1

# The key of a scenario, the variable, a check, a program of the host.
{
    cat "$work/run.yaml"
    printf 'report: {html: key.html}\nexpect: {findings: [{id: race-global}]}\n'
} >"$work/key.yaml"
(cd "$work" && timeout 60 "$orrery" check key.yaml >out 2>&1) || { echo "check: $(cat "$work/out")"; bad=1; }
ORRERY_HTML=$work/host.html timeout 60 "$orrery" run --quiet -- \
    "$build/examples/out_of_bounds" "$src/examples/out_of_bounds.cl" >/dev/null 2>&1
[ $? = 66 ] || { echo "host program: not 66"; bad=1; }

# A file whose name is not UTF-8: it is shown with other characters.
mkdir "$work/folder" && cd "$work/folder" || exit 99
odd=$(printf 'a\377.cl')
cp "$src/examples/out_of_bounds.cl" "$odd"
timeout 60 "$orrery" run --quiet --html="$work/odd.html" --trace="$work/odd.trace" \
    --counters="$work/odd.json" -- "$build/examples/out_of_bounds" "$odd" >/dev/null 2>"$work/err"
grep -a 'cannot be written' "$work/err" && { echo "a name that is not UTF-8"; bad=1; }

cat >"$work/check.py" <<'PYTHON'
import html.parser, json, re, sys

VOID = {"meta", "link", "input", "br", "img"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.scripts, self.names = [], [], []

    def handle_starttag(self, name, attributes):
        self.names.append(name)
        for key, value in attributes:
            assert key not in ("src", "srcset", "action") and not key.startswith("on"), (name, key)
            assert key != "href" or value == "data:,", value
        if name not in VOID:
            self.open.append(name)
        if name == "script":
            self.scripts.append([dict(attributes), ""])

    def handle_endtag(self, name):
        assert self.open and self.open.pop() == name, name

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1] += data


def read(name):
    text = open(name, encoding="utf-8").read()
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open and text.startswith("<!DOCTYPE html>\n"), page.open
    assert len(page.scripts) == 2 and page.names.count("img") == 0 and page.names.count("b") == 0, page.names
    (attributes, data), (_, code) = page.scripts
    assert attributes == {"type": "application/json", "id": "data"} and "<" not in data
    assert "default-src 'none'" in text
    rest = text.replace(data, "").replace("http://www.w3.org/2000/svg", "")  # a name, not an address
    asks = r"https?:|//[a-z]+\.|url\((?!#)|@import|innerHTML|document\.write|eval\(|fetch\(|XMLHttp"
    assert not re.search(asks, rest), re.search(asks, rest)
    used = set(re.findall(r'say\("(\w+)"', code))
    table = set(re.findall(r"(?:^    |, )(\w+):", code[:code.index("};")], re.M))
    assert used <= table, used - table
    return json.loads(data)


folder = sys.argv[1]
for name in ("one", "random", "key"):
    run = read(f"{folder}/{name}.html")
    assert run["run"]["name"].endswith("</script><!--") and run["run"]["errors"] == len(run["findings"]) > 0
    if name != "key":
        found = [json.loads(line) for line in open(f"{folder}/{name}.json")]
        assert [f for f in found if f["type"] == "finding"] == run["findings"]
    (source,) = run["sources"]
    assert "</script><img src=x onerror=alert(1)> <!--<script>" in source["lines"][0]
    for finding in run["findings"]:
        for access in finding["accesses"]:
            assert source["lines"][access["line"] - 1] == access["text"] and source["name"] == access["file"]
    steps = [s for s in run["steps"] if s["type"] != "launch"]
    assert len(steps) == 16 * 5 and run["steps_left_out"] == 0, len(steps)
    assert all(s["file"] == source["name"] and s["line"] for s in steps)
    assert {s["name"] for s in steps if s["type"] == "access"} == {"</ScRiPt >", "t"}
    assert {(o["label"], o["name"], o["element"], o["bytes"], o["first"]) for o in run["objects"]} == {
        ("argument 0 'a'", "a", "int", 4, 0), ("argument 1 't'", "t", "int", 4, 0)}, run["objects"]
    assert {o["object"] for o in run["objects"]} == {s["object"] for s in steps if s["type"] == "access"}
    assert len([e for e in run["timeline"]["traceEvents"] if e.get("cat") == "group"]) == 4
    # A read, a write, a read and a write of each work-item: two of them of global memory.
    assert run["counters"]["total"]["accesses"] == 32 and run["topology"][0]["name"].startswith("<b>&amp;")
    assert [n["level"] for n in run["topology"][0]["nodes"]].count("cu") == 4
assert read(f"{folder}/clean.html")["findings"] == []
long = read(f"{folder}/long.html")
assert len(long["steps"]) == 100000 and len(long["steps"]) + long["steps_left_out"] == 1 + 256 * 400
host = read(f"{folder}/host.html")
odd = read(f"{folder}/odd.html")
assert len(odd["steps"]) == len(host["steps"]) and "a?.cl" in json.dumps(odd["findings"])
assert host["findings"] and host["steps"] and host["sources"]
PYTHON
"$python3" "$work/check.py" "$work" || bad=1

# draw FILE: the document that Chromium makes of it in $work/dom, its console in $work/console
draw() {
    timeout 300 "$chromium" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
        --virtual-time-budget=2000 --enable-logging=stderr --dump-dom "file://$1" \
        >"$work/dom" 2>"$work/console"
}

# Drawn: every view has what it shows, nothing is an element that should be text, the console stays empty.
if chromium=$(command -v chromium); then
    for name in one long host clean; do
        draw "$work/$name.html"
        grep -q 'data-ready="yes"' "$work/dom" || { echo "$name: not drawn"; bad=1; }
        grep CONSOLE "$work/console" && { echo "$name: the console is not empty"; bad=1; }
        for view in 'id="findings"' 'aria-current="step"' 'class="slice"' 'class="topology"'; do
            grep -q "$view" "$work/dom" || { echo "$name: no $view"; bad=1; }
        done
        grep -q '<img\|<title>broken\|<b>' "$work/dom" && { echo "$name: text became an element"; bad=1; }
    done
fi

# The player: keys go forwards and backwards, a finding leads to its accesses. A step of a long run is quick:
# it changes the elements that show it, not the table of all steps.
cat >"$work/keys.html" <<'HTML'
<script>
const table = document.getElementById("step-table");
const at = () => table.querySelector("[aria-current] td").textContent;
const press = key => table.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
const there = ["ArrowRight", "ArrowRight", "ArrowLeft", "PageDown", "PageUp", "End", "ArrowRight"];
const seen = [...there, "p", "Home", "ArrowLeft", "n"].map(key => { press(key); return at(); });
press("End");
const watch = new MutationObserver(() => {});
watch.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
for (let i = 0; i < 20; i++) press("ArrowLeft");
const elements = list => [...list].reduce((sum, node) => sum + 1 + (node.querySelectorAll?.("*").length ?? 0), 0);
const changes = watch.takeRecords().reduce((sum, one) => sum + 1 + elements(one.addedNodes) + elements(one.removedNodes), 0);
watch.disconnect();
for (const button of document.querySelectorAll("#findings button")) { button.click(); seen.push(at()); }
document.body.dataset.seen = seen.join(" ");
document.body.dataset.changes = changes / 20;
</script>
HTML
keys() { # NAME SEEN
    cat "$work/$1.html" "$work/keys.html" >"$work/played.html"
    draw "$work/played.html"
    changes=$(sed -n 's/.*data-changes="\([0-9]*\).*/\1/p' "$work/dom")
    [ "${changes:-999999}" -lt 4000 ] || { echo "$1: a step changes $changes elements"; bad=1; }
    seen=$(grep -o 'data-seen="[^"]*"' "$work/dom")
    [ "$seen" = "data-seen=\"$2\"" ] || { echo "$1: $seen, expected $2"; bad=1; }
}
bash "$src/tests/scripts/page_fits.sh" "$src" "$work"/{one,random,clean,host,odd}.html || { echo "data of other types"; bad=1; }
if [ -n "$chromium" ]; then
    keys one "2 3 2 22 2 80 80 79 1 1 2 17 17 18 18"
    keys long "2 3 2 22 2 99999 99999 99998 1 1 2"
fi
exit "$bad"
