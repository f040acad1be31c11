# SPDX-License-Identifier: Apache-2.0
"""page_views.py FOLDER: opens the pages that check_page_browser.sh wrote there, and judges what they show.

Memory is worked out from the trace and from what the buffers are filled with; the litmus pages and the difference from the data of
the pages."""
import json, pathlib, re, struct, sys, time
from page_browser import Browser

folder = pathlib.Path(sys.argv[1])
checks = 0


def same(found, wanted, what):
    global checks
    checks += 1
    assert found == wanted, f"{what}: found {found!r}, expected {wanted!r}"


def holds(truth, what):
    same(bool(truth), True, what)


def data_of(name):
    text = (folder / name).read_text()
    return json.loads(re.search(r'id="data">\n(.*?)\n</script>', text, re.S)[1])


# ---- what holds of every page ----

STRUCTURE = """
const bad = [];
const name = element => element.tagName + "#" + element.id + " " + element.textContent.slice(0, 40);
for (const each of document.querySelectorAll("button, a"))
    if (!each.textContent.trim()) bad.push("no text: " + name(each));
for (const each of document.querySelectorAll("select, input"))
    if (!each.getAttribute("aria-label") && !document.querySelector(`label[for="${each.id}"]`)) bad.push("no label: " + name(each));
for (const each of document.querySelectorAll("th")) if (!each.scope) bad.push("no scope: " + name(each));
for (const each of document.querySelectorAll("svg[role=img], .scroll[tabindex]"))
    if (!each.getAttribute("aria-label")) bad.push("no name: " + name(each));
for (const each of document.querySelectorAll("section"))
    if (!document.getElementById(each.getAttribute("aria-labelledby"))) bad.push("no heading: " + name(each));
for (const each of document.querySelectorAll("[aria-current]"))
    if (!each.textContent.includes("▶") && !getComputedStyle(each.firstElementChild, "::before").content.includes("▶"))
        bad.push("colour alone: " + name(each));
const ids = [...document.querySelectorAll("[id]")].map(each => each.id);
for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) bad.push("twice: " + id);
if (/undefined|NaN|\\[object/.test(document.body.innerText.replace("behaviour is undefined", ""))) bad.push("a value that is none");
return bad;
"""

# The contrast of each text with what is behind it (WCAG 2: at least 4.5); dimmed steps and gradients aside.
CONTRAST = """
const light = text => {
    const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
};
const behind = element => {
    for (; element; element = element.parentElement) {
        const colour = getComputedStyle(element).backgroundColor;
        if (!/, 0\\)|transparent/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
};
let worst = 99, who = "";
for (const element of document.querySelectorAll("main *, header *")) {
    if (element.closest("svg, .later, .both, meter") || ![...element.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < worst) { worst = (a + .05) / (b + .05); who = element.tagName + " " + element.textContent.slice(0, 30); }
}
return [worst, who];
"""


def check_structure(browser, name, views):
    same(browser.script(STRUCTURE), [], f"{name}: structure")
    links = browser.script("return [...document.querySelectorAll('nav a')].map(a => a.getAttribute('href').slice(1))")
    same(links, views, f"{name}: views")
    for view in views:
        browser.script("document.querySelector(`nav a[href='#${arguments[0]}']`).click()", view)
        holds(browser.script("""const section = document.getElementById(arguments[0]), top = section.getBoundingClientRect().top;
            return section.children.length > 1 && top < innerHeight""", view), f"{name}: {view} is empty")
    worst, who = browser.script(CONTRAST)
    holds(worst >= 4.5, f"{name}: contrast {worst:.2f} of {who}")


def check_print(browser, name):
    browser.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"media": "print"}})
    shown = browser.script("return [...document.querySelectorAll('nav, button, .controls')].filter(e => e.offsetParent).length")
    browser.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"media": ""}})
    same(shown, 0, f"{name}: controls in print")


# ---- a run ----

FILLS = {"a": 5, "c": 0, "sum": 0}  # run.yaml; t is not filled


class Memory:
    """Each byte: its value, the step that wrote it last, the steps that read it since."""

    def __init__(self, steps):
        self.value, self.write, self.reads = {}, {}, {}
        self.steps = steps

    @staticmethod
    def places(step):
        group = (step["launch"], step["group"]) if step["region"] == "local" else ()
        return [(step["object"], *group, step["offset"] + i) for i in range(step["size"])]

    def do(self, number):
        step = self.steps[number]
        if step["type"] != "access":
            return
        places = self.places(step)
        if "read" in step["kind"] or "update" in step["kind"]:
            for place in places:
                self.reads.setdefault(place, []).append(number)
        if "wrote" in step:
            for place, byte in zip(places, int(step["wrote"], 16).to_bytes(step["size"], "little")):
                self.value[place] = byte
                self.write[place] = number
                self.reads[place] = []

    def fill(self, step):
        if step["type"] == "access" and step["name"] in FILLS:
            size = step["size"]
            for place, byte in zip(self.places(step), FILLS[step["name"]].to_bytes(size, "little")):
                self.value.setdefault(place, byte)


ROWS = """
return {object: document.getElementById("memory-object").selectedOptions[0].textContent,
        now: document.getElementById("memory-now").textContent,
        rows: [...document.querySelectorAll("#memory-table tbody tr")].map(row => ({
            cells: [...row.cells].map(cell => cell.textContent), current: row.hasAttribute("aria-current"),
            write: [...row.cells[4].querySelectorAll("button")].map(b => parseInt(b.textContent.match(/\\d+/)[0]) - 1),
            reads: [...row.cells[5].querySelectorAll("button")].map(b => parseInt(b.textContent.match(/\\d+/)[0]) - 1)}))};
"""


def check_memory(browser, steps):
    """At each step, forwards by key strokes; then back."""
    memory, shown = Memory(steps), []
    for step in steps:
        memory.fill(step)
    browser.press("memory-table", "Home")
    for number, step in enumerate(steps):
        if number:
            browser.press(None, "ArrowRight")
        memory.do(number)
        view = browser.script(ROWS)
        shown.append(view)
        holds(view["now"].startswith(f"After step {number + 1} of {len(steps)}:"), view["now"])
        if step["type"] != "access":
            continue
        group = f", local memory of launch {step['launch']}, group {step['group']}" if step["region"] == "local" else f" (object {step['object']})"
        same(view["object"], step["name"] + group, f"step {number + 1}: object")
        key = memory.places(step)[0][:-1]
        for row in view["rows"]:
            offset, size = int(row["cells"][0]), len(row["cells"][1].split())
            what = f"step {number + 1}, {step['name']}+{offset}"
            places = [(*key, offset + i) for i in range(size)]
            same(row["current"], step["offset"] <= offset < step["offset"] + step["size"], f"{what}: current")
            same(row["write"], [memory.write[places[0]]] if places[0] in memory.write else [], f"{what}: last write")
            reads = [r for r in reversed(memory.reads.get(places[0], []))][:4]
            same(row["reads"], reads, f"{what}: reads")
            if row["cells"][1].startswith("??"):
                later = [s for s in steps[number + 1:] if s["type"] == "access" and places[0] in Memory.places(s)]
                holds(places[0] not in memory.write and not memory.reads.get(places[0]) and "found" not in later[0], f"{what}: not known")
                continue
            bytes_ = bytes(memory.value[place] for place in places)
            same(row["cells"][1], bytes_.hex(" "), f"{what}: bytes")
            same(row["cells"][2], str(int.from_bytes(bytes_, "little", signed=True)), f"{what}: value")
    for number in range(len(steps) - 2, len(steps) - 12, -1):
        browser.press(None, "ArrowLeft")
        same(browser.script(ROWS), shown[number], f"back to step {number + 1}")


CHOOSE = """const select = document.getElementById(arguments[0]);
select.value = arguments[1]; select.dispatchEvent(new Event("change"))"""


def check_run(browser):
    browser.open("run.html")
    check_structure(browser, "run", ["findings", "source", "steps", "memory", "timeline", "topology"])
    steps = [json.loads(line) for line in (folder / "run.trace").read_text().splitlines()]
    steps = [step for step in steps if step["type"] != "launch"]
    check_memory(browser, steps)
    # Another object than the step's: it stays until the reader follows again.
    sum_ = next(step for step in steps if step.get("name") == "sum")
    browser.script(CHOOSE, "memory-object", str(sum_["object"]))
    browser.press("memory-table", "Home")
    view = browser.script(ROWS)
    same((view["object"], view["rows"][0]["cells"][2], view["rows"][0]["write"]), (f"sum (object {sum_['object']})", "0", []), "an object that was chosen")
    browser.script("document.getElementById('memory-follow').click()")
    same(browser.script(ROWS)["object"].split(",")[0], steps[0]["name"] if steps[0]["region"] == "local" else f"{steps[0]['name']} (object {steps[0]['object']})", "following")
    # A link leads to its step, a finding to its access.
    browser.press("memory-table", "End")
    number = browser.script("const b = document.querySelector('#memory-table button'); b.click(); return b.textContent.match(/\\d+/)[0]")
    same(browser.script("return document.querySelector('#step-table [aria-current] td').textContent"), number, "a link of the memory view")
    holds(browser.script("return document.querySelectorAll('#findings article').length") > 0, "findings")
    browser.script("document.querySelector('#findings dd button').click()")
    holds("finding 1" in browser.script("return document.querySelector('#step-table [aria-current]').textContent"), "the step of a finding")
    holds(browser.script("return document.querySelectorAll('#timeline rect.slice').length") > 0, "timeline")
    holds(browser.script("return document.querySelectorAll('#topology li').length") > 2, "topology")
    check_print(browser, "run")
    browser.close_page()


def check_source(browser):
    """Every line of the text; each access of a finding at its line, with its severity; both ways between the two."""
    browser.open("sum0.html")
    data = data_of("sum0.html")
    (text,) = data["sources"]
    rows = browser.script("return [...document.querySelectorAll('#source tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    same([[row[0], row[-1]] for row in rows], [[str(i + 1), line] for i, line in enumerate(text["lines"])], "the lines of the text")
    marks = {}
    for f, finding in enumerate(data["findings"], 1):
        for a, access in enumerate(finding["accesses"], 1):
            marks.setdefault(access["line"], []).append(f"✖ {f} {a}")
    same({int(row[0]): row[1] for row in rows if row[1]}, {line: "".join(each) for line, each in marks.items()}, "accesses at their lines")
    counted = {str(row["line"]): [str(row["accesses"]), str(row["misses"])] for row in data["counters"]["lines"]}
    same({row[0]: row[2:4] for row in rows if row[2]}, counted, "counters of lines")
    shades = browser.script("return [...document.querySelectorAll('#source td.count')].filter(c => /heat/.test(c.className)).map(c => [c.textContent, c.className.slice(-1)])")
    holds(["192", "5"] in shades and ["1", "1"] in shades, f"shades of the counters: {shades}")
    at = "return document.querySelector('#source [aria-current] td').textContent"
    for f, finding in enumerate(data["findings"]):
        for a, access in enumerate(finding["accesses"]):
            browser.script("""[...document.querySelectorAll('#findings article')][arguments[0]].querySelectorAll('dd')
                .forEach(d => d.querySelectorAll('button').forEach(b => b.textContent === arguments[1] && b.click()))""", f, f"Show access {a + 1} in the source")
            same(browser.script(at), str(access["line"]), f"from finding {f + 1} to its access {a + 1}")
        browser.script("[...document.querySelectorAll('#source td button')].find(b => b.title.includes(arguments[0])).click()", f"finding {f + 1}, access 1")
        same(browser.script("return document.activeElement.id"), f"finding-{f + 1}", "from the source to the finding")
    same(browser.script(STRUCTURE), [], "sum: structure")
    browser.close_page()


PICTURE = """
const svg = document.querySelector("svg.order"), [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
const boxes = [...svg.querySelectorAll("rect")].map(r => ["x", "y", "width", "height"].map(k => Number(r.getAttribute(k))));
const outside = [...svg.querySelectorAll("rect, text")].filter(e => {
    const b = e.getBBox();
    return b.x < 0 || b.y < 0 || b.x + b.width > width || b.y + b.height > height;
}).map(e => e.textContent);
const count = kind => svg.querySelectorAll("path.edge." + kind).length;
return {width, boxes, outside, columns: [...svg.querySelectorAll("text.thread")].map(t => t.textContent),
        names: [...svg.querySelectorAll("text.name")].map(t => t.textContent),
        edges: Object.fromEntries(["program-order", "synchronises-with", "happens-before", "missing", "unordered", "fix"].map(k => [k, count(k)]))};
"""


def ordered(finding):
    """Of each access, the other columns in which something happens after it: program order and what synchronises, transitively."""
    columns = {}
    for side in {step["side"] for step in finding["steps"]} | {0, 1}:
        steps = [(i, step) for i, step in enumerate(finding["steps"]) if step["side"] == side]
        own = [("access", side)] if side < 2 else []
        columns[side] = [("step", i) for i, s in steps if s["before"]] + own + [("step", i) for i, s in steps if not s["before"]]
    after = {pair for column in columns.values() for pair in zip(column, column[1:])}
    after |= {(("step", e["from"]), ("step", e["to"])) for e in finding["edges"] if e["synchronises"]}
    side_of = {node: side for side, column in columns.items() for node in column}
    reached = {}
    for access in (("access", 0), ("access", 1)):
        seen, left = set(), [access]
        while left:
            left = [b for a, b in after if a in left and b not in seen]
            seen |= set(left)
        reached[access] = {side_of[node] for node in seen} - {side_of[access]}
    return columns, reached


def check_order(browser):
    browser.open("order.html")
    (finding,) = data_of("order.html")["findings"]
    columns, reached = ordered(finding)
    picture = browser.script(PICTURE)
    holds(picture["width"] <= 1600, f"a slide can show it: {picture['width']}")
    same(picture["outside"], [], "what is outside of the picture")
    same(len(picture["boxes"]), len(finding["steps"]) + 2, "a box for each operation")
    holds(all(a[0] + a[2] <= b[0] or b[0] + b[2] <= a[0] or a[1] + a[3] <= b[1] or b[1] + b[3] <= a[1]
              for i, a in enumerate(picture["boxes"]) for b in picture["boxes"][:i]), "boxes over each other")
    same(len(picture["columns"]), len(columns), "a column for each work-item")
    first, last = (",".join(map(str, finding["accesses"][a]["item"]["global_id"])) for a in (0, 1))
    holds(f"({first})" in picture["columns"][0] and f"({last})" in picture["columns"][-1], f"the accesses' columns: {picture['columns']}")
    same(picture["edges"], {"program-order": len(finding["steps"]) + 2 - len(columns),
                            "synchronises-with": sum(e["synchronises"] for e in finding["edges"]),
                            "happens-before": sum(len(sides) for sides in reached.values()),
                            "missing": sum(not e["synchronises"] for e in finding["edges"]), "unordered": 1,
                            "fix": finding["fix_claim"] in ("tried", "compiles", "orders")}, "edges")
    same(sorted(picture["names"]), ["hb", "hb", "sw", "sw", "✓ hb", "✗ hb", "✗ sw"], "names of edges")
    check_structure(browser, "order", ["findings", "source", "steps", "memory", "timeline", "topology"])
    browser.close_page()


def typed(step, array):
    """A value as the steps have it: array is the argument's name, type and bytes."""
    def text(value):
        bits = int(value, 16)
        if step.get("number"):
            form = {"half": "<e", "float": "<f", "double": "<d"}[step["number"]]
            number = struct.unpack(form, bits.to_bytes(step["size"], "little"))[0]
            short = f"{number:.5g}" if form == "<e" else next(t for t in (f"{number:.{digits}g}" for digits in range(1, 18)) if struct.pack(form, float(t)) == struct.pack(form, number))
            return f"{short if '.' in short or 'e' in short else short + '.0'} ({value})"
        whole = int.from_bytes(bits.to_bytes(step["size"], "little"), "little", signed=array[1] == "int")
        return f"{whole} ({value})" if whole < 0 or whole > 65535 else str(whole)
    return [f"{verb} {text(step[key])}" for key, verb in (("found", "read"), ("wrote", "wrote")) if key in step]


def writer_of(steps, number):
    step = steps[number]
    if "found" not in step or step["kind"] == "atomic-write":
        return None
    for before in range(number - 1, -1, -1):
        other = steps[before]
        if "wrote" in other and other["object"] == step["object"] and other["offset"] < step["offset"] + step["size"] and step["offset"] < other["offset"] + other["size"]:
            return before
    return None


FLOW = """return [...document.querySelectorAll("#step-table tbody tr")].map(row => ({
    number: Number(row.cells[0].textContent), sink: !!row.cells[1].querySelector(".sink"), source: !!row.cells[1].querySelector(".source"),
    now: [...row.cells[1].querySelectorAll(".now")].map(s => s.className.split(" ")[0]), taken: row.querySelector(".taken")?.textContent}))"""


def check_values(browser):
    """Each step's element, object and values in words; arrows from each write to the reads of its value, as worked out from the steps."""
    arrays = {0: ("a", "float", 4), 1: ("b", "int", 4), 2: ("t", "double", 8), 3: ("h", "half", 2), 4: ("v", None, 16)}
    browser.open("values.html")
    data = data_of("values.html")
    steps = [step for step in data["steps"] if step["type"] != "launch"]
    objects = {each["object"]: each for each in data["objects"]}
    same([objects[o]["label"] for o in sorted(objects)], [f"argument {i} '{arrays[i][0]}'" for i in sorted(arrays, key=lambda i: [o for o in sorted(objects) if objects[o]["name"] == arrays[i][0]])], "objects")
    seen = set()
    browser.press("step-table", "Home")
    for number, step in enumerate(steps):
        if number:
            browser.press(None, "ArrowRight")
        title = browser.script("return document.querySelector('#step-detail h3').textContent")
        if step["type"] == "access":
            label = objects[step["object"]]["label"]
            array = next(each for i, each in arrays.items() if label == f"argument {i} '{each[0]}'")
            place = f"{array[0]}[{step['offset'] // array[2]}]" if array[1] else f"{array[0]}+{step['offset']}"
            wanted = ", ".join([step["kind"], f"{place} of {label}", *typed(step, array)])
            same(title, f"Step {number + 1} of {len(steps)}: {wanted}", "a step in words")
            seen.add((array[0], step.get("number")))
        rows = {row["number"] - 1: row for row in browser.script(FLOW)}
        writer = writer_of(steps, number)
        for i, row in rows.items():
            same(row["taken"], f"✎ read by step {number + 1}" if i == writer else None, f"step {i + 1}, read by {number + 1}")
            same("sink" in row["now"], i == number and writer is not None, f"the arrow's end at step {i + 1}, now {number + 1}")
            same("source" in row["now"], i == writer, f"the arrow's begin at step {i + 1}, now {number + 1}")
            holds(not row["sink"] or writer_of(steps, i) is not None, f"an arrow to step {i + 1}")
    same(seen, {("a", "float"), ("t", "double"), ("b", None), ("h", "half"), ("v", None)}, "types that were compared")
    same(browser.script(STRUCTURE), [], "values: structure")
    browser.close_page()


def check_topology(browser):
    """Misses and remote accesses as shares with their numbers, in shades of 20% each; counters of lines by the column's largest."""
    def percent(part, whole):
        return int(100 * part / whole + 0.5)
    browser.open("numa.html")
    counters = data_of("numa.html")["counters"]
    wanted = []
    for row in counters["caches"] + counters["units"] + counters["memories"]:
        looked = row["hits"] + row["misses"]
        if looked:
            wanted.append([f"misses {row['misses']} of {looked}: {percent(row['misses'], looked)}%", -(-5 * row["misses"] // looked)])
        if row["remote_accesses"]:
            remote = row["remote_accesses"], row["memory_accesses"]
            wanted.append([f"remote {remote[0]} of {remote[1]}: {percent(*remote)}%", -(-5 * remote[0] // remote[1])])
    shade = "Number((e.className.match(/heat(\\d)/) || [0, 0])[1])"
    found = browser.script(f"return [...document.querySelectorAll('.topology .shade')].map(e => [e.textContent, {shade}])")
    same(sorted(found), sorted(wanted), "shares in shades")
    holds({1, 5} <= {each[1] for each in found} and any("remote" in each[0] for each in found), "shades of all sorts")
    keys = ["accesses", "hits", "misses", "evictions", "bytes", "remote_accesses", "remote_bytes"]
    most = {key: max(row[key] for row in counters["lines"]) for key in keys}
    cells = browser.script(f"return [...document.querySelectorAll('#topology tbody tr')].map(r => [...r.querySelectorAll('td.count')].map(e => [e.textContent, {shade}]))")
    same(cells, [[[str(row[key]), -(-5 * row[key] // most[key]) if row[key] else 0] for key in keys] for row in counters["lines"]], "counters of lines")
    legends = browser.script("return [...document.querySelectorAll('#topology .shades')].map(p => p.textContent.replace(/to .*/, ''))")
    same(legends, ["Shades of shares: ", "Shades of numbers, of the largest one in the column: "], "what the shades are of")
    check_structure(browser, "numa", ["findings", "source", "steps", "memory", "timeline", "topology"])
    browser.close_page()


def check_play(browser, name, view, table, count):
    """Play goes on by itself at the speed that is chosen, stops at the last step, and begins anew from there; the space bar does it, too."""
    at = f"return [...document.querySelectorAll('#{table} [aria-current] td')][0].textContent"
    play = f"[...document.querySelectorAll('#{view} .controls button')].find(b => /^(Play|Pause)$/.test(b.textContent))"
    browser.open(f"{name}.html")
    speeds = browser.script(f"return [...document.getElementById('{view}-speed').options].map(o => [o.value, o.selected])")
    same([speed for speed, chosen in speeds if chosen], ["2"], f"{name}: the first speed")
    speed = 20 if count > 20 else 2  # on a busy machine the player is asked seldom
    browser.script(CHOOSE, f"{view}-speed", str(speed))
    browser.press(table, "End")
    begin = time.monotonic()
    browser.script(play + ".click()")
    seen = []
    while browser.script(f"return {play}.textContent") == "Pause" and time.monotonic() < begin + 30:
        seen.append(int(browser.script(at)))
    took = time.monotonic() - begin
    same(browser.script(at), str(count), f"{name}: plays to the last step")
    holds(seen == sorted(seen) and seen[0] < count, f"{name}: plays from the first step: {seen}")
    holds(took >= (count - 1) / speed * 0.9, f"{name}: no faster than was chosen: {took}")
    browser.press(table, "Home", " ")
    same(browser.script(f"return {play}.textContent"), "Pause", f"{name}: space plays")
    browser.press(table, " ")
    same(browser.script(f"return {play}.textContent"), "Play", f"{name}: space pauses")
    browser.close_page()


QUICK = """
const times = [], table = document.getElementById(arguments[0]);
for (const key of ["End", "ArrowLeft", "PageUp", "Home", "PageDown", "n", "End", "p"]) {
    const begin = performance.now();
    table.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    document.body.offsetHeight;
    times.push(performance.now() - begin);
}
return Math.max(...times);
"""


def check_long(browser):
    browser.open("long.html")
    data = data_of("long.html")
    same(len(data["steps"]), 100000, "steps of a long run")
    holds("The first 99999 of" in browser.script("return document.getElementById('steps').textContent"), "what is left out is said")
    for table in ("step-table", "memory-table"):
        took = min(browser.script(QUICK, table) for _ in range(5))  # of the page, not of what else runs
        print(f"{table}: at most {took:.0f} ms a key")
        holds(took < 100, f"{table}: {took:.0f} ms")
    browser.script("[...document.querySelectorAll('#memory button')].find(b => b.textContent === 'Later elements').click()")
    holds(browser.script("return document.querySelectorAll('#memory-table tbody tr').length") <= 24, "rows of the memory view")
    browser.close_page()


# ---- litmus tests ----

def check_execution(browser, name, execution, threads):
    steps = [event for event in execution["events"] if event["kind"] != "initial"]
    count = browser.script("return document.querySelectorAll('#event-table tbody tr').length")
    same(count, len(steps), f"{name}: steps")
    at = "return [...document.querySelectorAll('#event-table tbody tr')].findIndex(row => row.hasAttribute('aria-current'))"
    browser.press("event-table", "End", "ArrowLeft")
    same(browser.script(at), max(0, len(steps) - 2), f"{name}: one back")
    browser.press(None, "Home")
    same(browser.script(at), 0, f"{name}: first")
    for number in range(1, len(steps)):
        browser.press(None, "ArrowRight")
        same(browser.script(at), number, f"{name}: forwards")
    same(browser.script("return document.querySelectorAll('svg.execution rect').length"), len(steps), f"{name}: boxes")
    cycle = execution.get("cycle", [])
    same(browser.script("return document.querySelectorAll('#why li').length"), len(cycle), f"{name}: reasons")
    drawn = {(link["kind"], link["from"], link["to"]) for link in cycle}
    same(browser.script("return document.querySelectorAll('svg.execution path.cycle').length"), len(drawn), f"{name}: cycle")
    reads = sum("reads_from" in event and execution["events"][event["reads_from"]]["kind"] != "initial" for event in execution["events"])
    same(browser.script("return document.querySelectorAll('svg.execution path.reads-from').length"), reads, f"{name}: reads-from")
    order = browser.script("return [...document.querySelectorAll('#event-table tbody tr')].map(r => [...r.cells].findIndex((c, i) => i && c.textContent) - 1)")
    same(sorted(order), sorted(event["thread"] for event in steps), f"{name}: columns")


def check_litmus(browser, name):
    browser.open(f"{name}.html")
    check_structure(browser, name, ["test", "outcomes", "execution"])
    test = data_of(f"{name}.html")["litmus"]
    rows = browser.script("return [...document.querySelectorAll('.outcomes tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    same([row[:len(test["names"])] for row in rows], [[str(v) for v in o["values"]] for o in test["outcomes"]], f"{name}: outcomes")
    same(["✓" in "".join(row) for row in rows], [o["allowed"] for o in test["outcomes"]], f"{name}: verdicts")
    shows = [(o, o["execution"]) for o in test["outcomes"] if o.get("execution")]
    shows += [(o, why["execution"]) for o in test["outcomes"] for why in o.get("refused", [])]
    buttons = browser.script("return document.querySelectorAll('.outcomes button').length")
    same(buttons, len(shows), f"{name}: buttons")
    for number, (outcome, execution) in enumerate(shows):
        browser.script("document.querySelectorAll('.outcomes button')[arguments[0]].focus()", number)
        browser.press(None, "Enter")
        title = browser.script("return document.getElementById('shown-execution').textContent")
        values = ", ".join(f"{n}={v}" for n, v in zip(test["names"], outcome["values"]))
        same(title, f"{'Allowed' if outcome['allowed'] else 'Forbidden'}: {values}", f"{name}: title")
        check_execution(browser, f"{name}, {values}", execution, test["threads"])
    same(browser.script(STRUCTURE), [], f"{name}: structure in the end")
    check_print(browser, name)
    browser.close_page()


# ---- two runs ----

def check_diff(browser):
    browser.open("diff.html")
    check_structure(browser, "diff", ["sideBySide", "followed", "memoryEnd", "findings"])
    one, two = [[step for step in data_of(f"{name}.html")["steps"] if step["type"] != "launch"] for name in ("serial", "reverse")]
    differ = [i for i, (a, b) in enumerate(zip(one, two)) if a != b]
    at = "return document.querySelector('#diff-table [aria-current] td').textContent"
    same(browser.script(at), str(differ[0] + 1), "the first difference")
    holds("another work-item" in browser.script("return document.getElementById('diff-first').textContent"), "what differs first")
    for step in differ[1:4]:
        browser.press("diff-table", "n")
        same(browser.script(at), str(step + 1), "the next difference")
    browser.press("diff-table", "p")
    same(browser.script(at), str(differ[2] + 1), "the previous difference")
    ends = [{(s["name"], s["offset"]): s["wrote"] for s in steps if "wrote" in s} for steps in (one, two)]
    changed = sorted(f"{name}[{offset // 4}]" for name, offset in ends[0] if ends[0][name, offset] != ends[1][name, offset])
    rows = browser.script("return [...document.querySelectorAll('#memoryEnd-table tbody th')].map(th => th.textContent)")
    same(sorted(rows), changed, "memory in the end")
    units = {(s["launch"], s["group"], s["item"]) for s in one}
    acts = [{u: [(s.get("found"), s.get("wrote")) for s in steps if (s["launch"], s["group"], s["item"]) == u] for u in units} for steps in (one, two)]
    same(browser.script("return document.querySelectorAll('#followed-table tbody tr').length"), sum(acts[0][u] != acts[1][u] for u in units), "work-items that differ")
    check_print(browser, "diff")
    browser.close_page()
    browser.open("same.html")
    same(browser.script("return document.getElementById('diff-first').textContent"), f"All {len(one)} steps are the same.", "one run twice")
    browser.close_page()


def check_diff_findings(browser):
    """A finding is one of both runs when its kind, kernel, object and the places of its accesses are the same."""
    read = "const s = document.getElementById('findings'); return [s.querySelector('p').textContent, ...[...s.querySelectorAll('li')].map(li => li.textContent)]"
    places = [sorted(f"{a['access']} {a['file']}:{a['line']}:{a['column']}" for a in f["accesses"]) for f in data_of("sum0.html")["findings"]]
    same(len(places), 2, "findings of the sum")
    browser.open("sums.html")
    said = browser.script(read)
    same(said[0], "Both runs have the same findings: 2.", "two findings at one object")
    same([line.startswith("In both: ") and "; ".join(place) in line for line, place in zip(said[1:], places)], [True, True], "their places")
    browser.close_page()
    browser.open("less.html")
    said = browser.script(read)
    same(said[0], "Run 1 has 2 findings, run 2 has 1.", "one finding less")
    same([line.split(":")[0] for line in said[1:]], ["Only in run 1", "In both"], "which one")
    holds("; ".join(places[0]) in said[1] and "; ".join(places[1]) in said[2], "the one at the place that was fixed")
    browser.close_page()


def check_target(browser):
    """The address of a finding: the page opens there."""
    browser.open("run.html#finding-1")
    holds(browser.script("const top = document.getElementById('finding-1').getBoundingClientRect().top; return top >= 0 && top < innerHeight"), "the finding of the address")


TESTS = ["mp_release_acquire", "mp_relaxed", "sb_seq_cst", "lb_thin_air", "rseq_update"]
with Browser(folder) as browser:
    check_run(browser)
    check_source(browser)
    check_order(browser)
    check_values(browser)
    check_topology(browser)
    check_play(browser, "values", "steps", "step-table", 96)
    check_play(browser, "sb_seq_cst", "execution", "event-table", 4)
    check_long(browser)
    for name in TESTS:
        check_litmus(browser, name)
    check_diff(browser)
    check_diff_findings(browser)
    check_target(browser)
with Browser(folder, dark=True) as browser:
    for name in ("run", "order", "numa", "sb_seq_cst", "diff"):
        browser.open(f"{name}.html")
        holds(browser.script("return matchMedia('(prefers-color-scheme: dark)').matches"), "dark")
        worst, who = browser.script(CONTRAST)
        holds(worst >= 4.5, f"{name}, dark: contrast {worst:.2f} of {who}")
        browser.close_page()
print(f"{checks} comparisons")
