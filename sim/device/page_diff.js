/* Two runs side by side: the first step in which they differ, what each work-item then does otherwise, and
 * what memory holds in the end. A step of one run is the same step in the other when its work-item has done
 * as many before it. */
const DIFF_ROWS = 21,
    DIFF_MOST = 50;

function unitKey(step) {
    return `${step.launch}.${step.group}.${step.item}`;
}

/* What a step does, without who does it. */
function actKey(step) {
    return [
        step.kind,
        step.file,
        step.line,
        step.column,
        step.object,
        step.offset,
        step.size,
        step.order,
        step.scope,
    ].join();
}

function resultKey(step) {
    return [step.found, step.wrote].join();
}

/* The steps of a run; those of each work-item as places in the steps; of each step its number there. */
function runSteps(run) {
    const steps = run.steps.filter(step => step.type !== "launch"),
        units = new Map(),
        numbers = [];
    steps.forEach((step, i) => {
        const key = unitKey(step);
        if (!units.has(key)) units.set(key, []);
        numbers.push(units.get(key).push(i) - 1);
    });
    return {steps, units, numbers, leftOut: run.steps_left_out};
}

/* "schedule": another work-item; "act": the same one does something else; "result": it reads or writes other
 * values; "": nothing differs. */
function difference(a, b) {
    if (!a || !b) return a === b ? "" : "end";
    if (unitKey(a) !== unitKey(b)) return "schedule";
    if (actKey(a) !== actKey(b)) return "act";
    return resultKey(a) !== resultKey(b) ? "result" : "";
}

function firstDifference(one, two) {
    const count = Math.max(one.steps.length, two.steps.length);
    for (let i = 0; i < count; i++) if (difference(one.steps[i], two.steps[i])) return i;
    return -1;
}

/* Of each work-item the first step that it does otherwise: places in both runs, undefined: it has ended. */
function unitDifferences(one, two) {
    const found = [];
    for (const key of new Set([...one.units.keys(), ...two.units.keys()])) {
        const a = one.units.get(key) || [],
            b = two.units.get(key) || [];
        for (let k = 0; k < Math.max(a.length, b.length); k++) {
            if (!difference(one.steps[a[k]], two.steps[b[k]])) continue;
            found.push([a[k], b[k]]);
            break;
        }
    }
    const place = ([a, b]) => Math.min(a === undefined ? Infinity : a, b === undefined ? Infinity : b);
    return found.sort((x, y) => place(x) - place(y));
}

/* What is written last to each element, and by which step. */
function lastWrites(run) {
    const last = new Map();
    run.steps.forEach((step, i) => {
        if (step.type === "access" && step.object !== undefined && step.wrote !== undefined)
            last.set(`${memoryKey(step)}+${step.offset}+${step.size}`, i);
    });
    return last;
}

function memoryDifferences(one, two) {
    const a = lastWrites(one),
        b = lastWrites(two);
    return [...new Set([...a.keys(), ...b.keys()])]
        .map(key => [a.get(key), b.get(key)])
        .filter(([x, y]) => (one.steps[x] || {}).wrote !== (two.steps[y] || {}).wrote);
}

function findingKey(finding) {
    return `${finding.id}: ${finding.sentence}`;
}

function drawDiff(data, sections) {
    const runs = data.diff.map(each => runSteps(each.data)),
        [one, two] = runs,
        names = data.diff.map(each => each.name);
    const first = firstDifference(one, two),
        count = Math.max(one.steps.length, two.steps.length);
    let current = Math.max(0, first);

    const who = step => say("diffWho", step.launch, step.group, step.item);
    const doing = step => (step ? `${who(step)}: ${stepText(step)}` : say("ended"));
    const link = (r, i) =>
        i === undefined
            ? say("ended")
            : make("button", {type: "button", click: () => go(i)}, say("inRun", r + 1, i + 1));

    /* Where the other run has the step. */
    function otherPlace(r, i) {
        const run = runs[r],
            other = runs[1 - r].units.get(unitKey(run.steps[i]));
        return other && other[run.numbers[i]];
    }

    function cell(r, i) {
        const step = runs[r].steps[i];
        if (!step) return make("td", {class: "code"}, say("ended"));
        const place = otherPlace(r, i);
        const note = place === i ? null : make("span", {class: "small"}, " ", link(1 - r, place));
        return make("td", {class: "code"}, `${placeText(step)} ${doing(step)}`, note);
    }

    const body = make("tbody"),
        now = make("p", {id: "diff-now", "aria-live": "polite"});
    function go(target) {
        current = Math.max(0, Math.min(count - 1, target));
        const from = Math.max(0, Math.min(current - (DIFF_ROWS >> 1), count - DIFF_ROWS)),
            rows = [];
        for (let i = from; i < Math.min(from + DIFF_ROWS, count); i++) {
            const kind = difference(one.steps[i], two.steps[i]);
            rows.push(
                make(
                    "tr",
                    {"aria-current": i === current ? "step" : null},
                    make("td", {}, String(i + 1)),
                    make("td", {}, kind ? `≠ ${say(`diff_${kind}`)}` : "="),
                    cell(0, i),
                    cell(1, i),
                ),
            );
        }
        body.replaceChildren(...rows);
        const kind = difference(one.steps[current], two.steps[current]);
        now.textContent = say("diffNow", current + 1, count, kind ? say(`diff_${kind}`) : say("diffSame"));
    }

    function nextDifference(direction) {
        let i = current + direction;
        while (i >= 0 && i < count && !difference(one.steps[i], two.steps[i])) i += direction;
        if (i >= 0 && i < count) go(i);
    }

    const keys = {
        ArrowLeft: () => go(current - 1),
        ArrowUp: () => go(current - 1),
        ArrowRight: () => go(current + 1),
        ArrowDown: () => go(current + 1),
        PageUp: () => go(current - 20),
        PageDown: () => go(current + 20),
        Home: () => go(0),
        End: () => go(count - 1),
        p: () => nextDifference(-1),
        n: () => nextDifference(1),
    };
    sections.sideBySide.addEventListener("keydown", event => {
        const action = keys[event.key];
        if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        action();
    });
    const button = (key, action) => make("button", {type: "button", click: action}, say(key));
    const heads = [say("number"), "", ...names.map((name, r) => say("runName", r + 1, name))];
    const left = one.leftOut + two.leftOut;
    sections.sideBySide.append(
        make(
            "p",
            {id: "diff-first"},
            first < 0
                ? say(left ? "diffNoneShown" : "diffNone", count)
                : say(
                      "diffFirst",
                      first + 1,
                      say(`diff_${difference(one.steps[first], two.steps[first])}`),
                  ),
        ),
        left ? make("p", {}, say("diffLeftOut", left)) : "",
        make("p", {class: "small onscreen"}, say("diffHelp")),
        make(
            "div",
            {class: "controls"},
            button("firstDifference", () => go(Math.max(0, first))),
            button("previousDifference", () => nextDifference(-1)),
            button("nextDifference", () => nextDifference(1)),
            button("back", () => go(current - 1)),
            button("next", () => go(current + 1)),
        ),
        now,
        make(
            "div",
            {
                class: "scroll",
                tabindex: 0,
                role: "group",
                "aria-label": say("sideBySide"),
                id: "diff-table",
            },
            make(
                "table",
                {class: "steps diff"},
                make("thead", {}, make("tr", {}, ...heads.map(text => make("th", {scope: "col"}, text)))),
                body,
            ),
        ),
    );
    if (count) go(current);
    drawDiffRest(data, sections, runs, link, doing);
}

/* What follows from the first difference, as lists. */
function drawDiffRest(data, sections, [one, two], link, doing) {
    const units = unitDifferences(one, two),
        memory = memoryDifferences(one, two);
    const row = (title, a, b, texts) =>
        make(
            "tr",
            {},
            make("th", {scope: "row"}, title),
            ...[
                [0, a],
                [1, b],
            ].map(([r, i]) => make("td", {class: "code"}, link(r, i), ` ${texts[r]}`)),
        );
    const table = (id, heads, rows) =>
        make(
            "div",
            {class: "scroll", tabindex: 0, role: "group", "aria-label": say(id)},
            make(
                "table",
                {class: "steps diff", id: `${id}-table`},
                make("thead", {}, make("tr", {}, ...heads.map(text => make("th", {scope: "col"}, text)))),
                make("tbody", {}, ...rows.slice(0, DIFF_MOST)),
            ),
            rows.length > DIFF_MOST ? make("p", {}, say("andMore", rows.length - DIFF_MOST)) : "",
        );
    const heads = key => [say(key), say("runNumber", 1), say("runNumber", 2)];
    const stepsOf = ([a, b]) => [one.steps[a], two.steps[b]];
    sections.followed.append(
        make("p", {}, say("followedHelp")),
        units.length
            ? table(
                  "followed",
                  heads("workItem"),
                  units.map(([a, b]) => {
                      const [x, y] = stepsOf([a, b]);
                      return row(say("diffWho", (x || y).launch, (x || y).group, (x || y).item), a, b, [
                          x ? stepText(x) : "",
                          y ? stepText(y) : "",
                      ]);
                  }),
              )
            : make("p", {}, say("followedNone")),
    );
    sections.memoryEnd.append(
        memory.length
            ? table(
                  "memoryEnd",
                  heads("element"),
                  memory.map(([a, b]) => {
                      const [x, y] = stepsOf([a, b]),
                          step = x || y,
                          local = step.region === "local" ? ` (${say("nameGroup", step.group)})` : "";
                      return row(`${step.name}+${step.offset}${local}`, a, b, [
                          x ? doing(x) : "",
                          y ? doing(y) : "",
                      ]);
                  }),
              )
            : make("p", {}, say("memoryEndNone")),
    );
    const found = data.diff.map(each => new Set((each.data.findings || []).map(findingKey)));
    const only = (r, key) =>
        [...found[r]].filter(each => !found[1 - r].has(each)).map(each => make("li", {}, say(key, each)));
    const list = [...only(0, "onlyOne"), ...only(1, "onlyTwo")];
    sections.findings.append(
        list.length ? make("ul", {}, ...list) : make("p", {}, say("findingsSame", found[0].size)),
    );
}
