#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `orrery show`: a page of whatever it is given, named as the manual says; nothing is opened unless that is asked for; a file that
# is no page stays; two runs side by side from pages, tokens and records; what is wrong is said.
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}") build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery
python3=$(command -v python3) || { echo "no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
mkdir tmp && export TMPDIR=$work/tmp
bad=0 passed=0

fail() {
    echo "$*"
    [ -s err ] && tail -5 err
    bad=1
}
# shows STATUS PAGE WORDS...: `orrery show WORDS...` ends so, and the page is there
shows() {
    local status=$1 page=$2 got
    shift 2
    timeout 100 "$orrery" show "$@" >out 2>err
    got=$?
    [ "$got" = "$status" ] && head -c 30 "$page" 2>/dev/null | grep -q '^<!DOCTYPE html>' && grep -qF "note: $page shows it" err || fail "show $*: status $got, expected $status and $page"
    passed=$((passed + 1))
}
# refuses WORDS -- ARGUMENT...: status 2 or 125, the words are said, no page
refuses() {
    local words=$1
    shift 2
    timeout 100 "$orrery" show "$@" >out 2>err
    case $? in 2 | 125) ;; *) fail "show $*: not refused" ;; esac
    grep -qF -- "$words" err || fail "show $*: does not say '$words'"
    grep -q 'shows it' err && fail "show $*: says that a page is there"
    passed=$((passed + 1))
}

cat >race.yaml <<'YAML'
orrery: 1
program: {text: "kernel void k(global int *a) { a[1] = a[0]; a[0] = (int)get_global_id(0) + 1; }"}
launch: [{kernel: k, global: 4, local: 1, args: [{buffer: {type: int, count: 2, fill: 0}, name: a}]}]
YAML
echo 'kernel void sum(global int *a) { a[get_global_id(0)] += 1; }' >kernels.cl
cp "$src/scenarios/litmus/teaching/corr.litmus" .

# A browser that notes what it is given.
printf '#!/bin/sh\necho "$@" >>%s/opened\n' "$work" >browser
chmod +x browser
export BROWSER=$work/browser PATH=$work:$PATH
cp browser xdg-open
sed -i "s/opened/desktop/" xdg-open

shows 66 race.html --quiet race.yaml
"$orrery" run --quiet --html=run.html race.yaml >/dev/null 2>&1
cmp -s race.html run.html || fail "the page is not that of run --html"
shows 0 kernels.html --quiet kernels.cl
shows 0 kernels.html --quiet kernels.cl:sum
shows 0 corr.html corr.litmus
"$orrery" litmus --html=litmus.html corr.litmus >/dev/null 2>&1
cmp -s corr.html litmus.html || fail "the page is not that of litmus --html"
shows 66 other.html --quiet --html=other.html race.yaml
shows 66 out_of_bounds.html --quiet -- "$build/examples/out_of_bounds" "$src/examples/out_of_bounds.cl"
[ -e opened ] || [ -e desktop ] && fail "something was opened"
shows 66 race.html --quiet --open --finding=2 race.yaml
[ "$(cat opened)" = "file://$work/race.html#finding-2" ] || fail "opened: $(cat opened)"
(unset BROWSER; timeout 60 "$orrery" show --quiet --open race.yaml >out 2>err)
[ "$(cat desktop 2>/dev/null)" = "file://$work/race.html" ] || fail "not opened with xdg-open: $(cat desktop err)"

# A token and a record: the page of that run, not of the scenario's own schedule.
"$orrery" run --quiet --schedule=reverse --record=reverse.record --html=reverse.html race.yaml >/dev/null 2>&1
"$orrery" run --schedule=reverse race.yaml >out 2>&1
token=$(sed -n 's/.*orrery replay \(1:[^ ]*\).*/\1/p' out | head -1)
[ -n "$token" ] || fail "no token in $(cat out)"
steps() {
    "$python3" -c '
import json, re, sys
data = json.loads(re.search(r"id=\"data\">\n(.*?)\n</script>", open(sys.argv[1]).read(), re.S)[1])
print([(s["group"], s.get("found"), s.get("wrote")) for s in data["steps"] if s["type"] != "launch"])' "$1"
}
shows 66 race.html --quiet "$token" race.yaml
[ "$(steps race.html)" = "$(steps reverse.html)" ] || fail "a token: other steps"
shows 66 race.html --quiet "$token" -- race.yaml
[ "$(steps race.html)" = "$(steps reverse.html)" ] || fail "a token, and -- before its target: other steps"
shows 66 race.html --quiet reverse.record race.yaml
[ "$(steps race.html)" = "$(steps reverse.html)" ] || fail "a record: other steps"
shows 66 race.html --quiet race.yaml
[ "$(steps race.html)" = "$(steps reverse.html)" ] && fail "the schedule of the scenario is the reverse one"

# Two runs: from pages, from a token and a record, mixed; both ways are one page but for the names.
shows 0 diff.html --diff race.html reverse.html
shows 0 mixed.html --diff --quiet --html=mixed.html race.html "$token" race.yaml
shows 0 two.html --diff --quiet --html=two.html reverse.record "$token" race.yaml
"$python3" - <<'PYTHON' || bad=1
import json, re
def runs(name):
    text = open(name).read()
    return json.loads(re.search(r'id="data">\n(.*?)\n</script>', text, re.S)[1])["diff"]
page, mixed, two = runs("diff.html"), runs("mixed.html"), runs("two.html")
assert [run["name"] for run in page] == ["race.html", "reverse.html"], page
assert [run["data"]["steps"] for run in page] == [run["data"]["steps"] for run in mixed]
assert page[0]["data"]["steps"] != page[1]["data"]["steps"]
assert two[0]["data"]["steps"] == two[1]["data"]["steps"] == page[1]["data"]["steps"]
assert all(run["data"]["findings"] for run in page)
PYTHON
bash "$src/tests/scripts/page_fits.sh" "$src" "$PWD"/{diff,mixed,corr}.html || fail "data of other types"
shows 0 race.html --diff --html=race.html race.html reverse.html # the page that is written is one of the two
[ -z "$(ls tmp)" ] || fail "left behind: $(ls tmp)"

echo mine >mine.html
refuses 'not such a report' -- --html=mine.html race.yaml
refuses 'not such a report' -- --html=mine.html corr.litmus
[ "$(cat mine.html)" = mine ] || fail "a file was replaced"
shows 66 mine.html --quiet --force --html=mine.html race.yaml
refuses 'expected the page of a run' -- --diff corr.html reverse.html
refuses 'expected the page of a run' -- --diff race.yaml reverse.html
refuses 'expected nothing' -- corr.litmus corr.litmus
refuses 'cannot be read' -- --diff reverse.html none.html
refuses 'expected what to run' -- --diff "$token" "$token"
refuses 'expected two' -- --diff reverse.html
refuses 'expected what to run' -- "$token"
refuses 'nothing to show' --
refuses '--finding' -- --finding=0 race.yaml
# A run that fails leaves no page, not even an earlier one.
echo 'orrery: 1' >nothing.yaml
shows 66 nothing.html --quiet --html=nothing.html race.yaml
refuses 'no program' -- nothing.yaml
[ -e nothing.html ] && fail "the page of an earlier run is still there"
[ "$bad" = 0 ] && echo "$passed calls"
exit "$bad"
