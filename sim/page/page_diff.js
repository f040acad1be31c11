/* Two runs side by side: the first step in which they differ, what each work-item then does otherwise, and
 * what memory holds in the end. A step of one run is the same step in the other when its work-item has done
 * as many before it. */
const DIFF_ROWS = 21,
    DIFF_MOST = 50;

/** @param {Step} step */
function unitKey(step) {
    return `${step.launch}.${step.group}.${step.item}`;
}

/* What a step does, without who does it. */
/** @param {Step} step */
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

/** @param {Step} step */
function resultKey(step) {
    return [step.found, step.wrote].join();
}

/* The steps of a run; those of each work-item as places in the steps; of each step its number there. */
/** @param {NamedRun["data"]} run */
function runSteps(run) {
    const steps = run.steps.filter(isStep);
    nameSteps(run, steps);
    /** @type {Map<string, number[]>} */
    const units = new Map();
    const numbers = steps.map((step, i) => {
        const key = unitKey(step),
            places = units.get(key) || [];
        units.set(key, places);
        return places.push(i) - 1;
    });
    return {steps, units, numbers, leftOut: run.steps_left_out};
}

/* "schedule": another work-item; "act": the same one does something else; "result": it reads or writes other
 * values; "": nothing differs. */
/** @param {Step | undefined} a @param {Step | undefined} b @returns {Difference} */
function difference(a, b) {
    if (!a || !b) return a === b ? "" : "end";
    if (unitKey(a) !== unitKey(b)) return "schedule";
    if (actKey(a) !== actKey(b)) return "act";
    return resultKey(a) !== resultKey(b) ? "result" : "";
}

/** @param {RunSteps} one @param {RunSteps} two */
function firstDifference(one, two) {
    const count = Math.max(one.steps.length, two.steps.length);
    for (let i = 0; i < count; i++) if (difference(one.steps[i], two.steps[i])) return i;
    return -1;
}

/* The step at a place, where there is one. */
/** @param {RunSteps} run @param {number | undefined} i */
function stepAt(run, i) {
    return i === undefined ? undefined : run.steps[i];
}

/* Of each work-item the first step that it does otherwise: places in both runs, undefined: it has ended. */
/** @param {RunSteps} one @param {RunSteps} two */
function unitDifferences(one, two) {
    /** @type {PlacePair[]} */
    const found = [];
    for (const key of new Set([...one.units.keys(), ...two.units.keys()])) {
        const a = one.units.get(key) || [],
            b = two.units.get(key) || [];
        for (let k = 0; k < Math.max(a.length, b.length); k++) {
            if (!difference(stepAt(one, a[k]), stepAt(two, b[k]))) continue;
            found.push([a[k], b[k]]);
            break;
        }
    }
    /** @param {PlacePair} pair */
    const place = ([a, b]) => Math.min(a ?? Infinity, b ?? Infinity);
    return found.sort((x, y) => place(x) - place(y));
}

/* What is written last to each element, and by which step. */
/** @param {RunSteps} run */
function lastWrites(run) {
    /** @type {Map<string, number>} */
    const last = new Map();
    run.steps.forEach((step, i) => {
        if (step.type === "access" && step.object !== undefined && step.wrote !== undefined)
            last.set(`${memoryKey(step)}+${step.offset}+${step.size}`, i);
    });
    return last;
}

/** @param {RunSteps} one @param {RunSteps} two */
function memoryDifferences(one, two) {
    const a = lastWrites(one),
        b = lastWrites(two);
    /** @type {PlacePair[]} */
    const pairs = [...new Set([...a.keys(), ...b.keys()])].map(key => [a.get(key), b.get(key)]);
    return pairs.filter(([x, y]) => stepAt(one, x)?.wrote !== stepAt(two, y)?.wrote);
}

/* Where an access of a finding is, and what it does; of one without a line, its words. */
/** @param {FindingAccess} access */
function accessPlace(access) {
    const place = access.line ? placeText(access) : access.what || access.by || "",
        caller = access.called_from ? `, ${say("calledFrom", placeText(access.called_from))}` : "";
    return `${access.access} ${place}${caller}`.trim();
}

/* What distinguishes a finding in a report; which of its accesses came first is up to the schedule. */
/** @param {Finding} finding */
function findingKey(finding) {
    return [
        finding.id,
        finding.sentence,
        finding.kernel,
        finding.object,
        ...finding.accesses.map(accessPlace).sort(),
    ].join("\n");
}

/** @param {Finding} finding */
function findingTitle(finding) {
    const parts = [
        finding.kernel ? `${say("kernel")} ${finding.kernel}` : "",
        finding.object,
        finding.accesses.map(accessPlace).sort().join("; "),
    ];
    return `${finding.id}: ${finding.sentence} (${parts.filter(part => part).join(", ")})`;
}

/* The findings of both runs by their keys: how many of each run have the key. */
/** @param {DiffData["diff"]} diff */
function findingCounts(diff) {
    /** @type {Map<string, {title: string, counts: [number, number]}>} */
    const rows = new Map();
    diff.forEach((each, r) => {
        for (const finding of each.data.findings || []) {
            const key = findingKey(finding),
                row = rows.get(key) || {title: findingTitle(finding), counts: [0, 0]};
            row.counts[r]++;
            rows.set(key, row);
        }
    });
    return [...rows.values()];
}

/* Those that only one run has come first. */
/** @param {DiffData["diff"]} diff @param {HTMLElement} section */
function drawDiffFindings(diff, section) {
    const rows = findingCounts(diff),
        total = [0, 1].map(r => rows.reduce((sum, row) => sum + row.counts[r], 0));
    /** @param {[number, number]} counts */
    const verdict = ([one, two]) =>
        one && two
            ? say(one > 1 || two > 1 ? "inBothTimes" : "inBoth", one, two)
            : say(one ? "onlyOne" : "onlyTwo");
    const alike = rows.every(({counts: [one, two]}) => one === two);
    const listed = [...rows].sort((a, b) => Number(a.counts.every(n => n)) - Number(b.counts.every(n => n)));
    section.append(
        make("p", {}, alike ? say("findingsSame", total[0]) : say("findingsDiffer", total[0], total[1])),
        make(
            "ul",
            {},
            ...listed.map(({title, counts}) =>
                make("li", {}, make("strong", {}, verdict(counts)), ` ${title}`),
            ),
        ),
    );
}

/**
 * @param {DiffData["diff"]} diff
 * @param {Sections<"sideBySide" | "followed" | "memoryEnd" | "findings">} sections
 */
function drawDiff(diff, sections) {
    const runs = diff.map(each => runSteps(each.data)),
        [one, two] = runs,
        names = diff.map(each => each.name);
    const first = firstDifference(one, two),
        count = Math.max(one.steps.length, two.steps.length);
    let current = Math.max(0, first);

    /** @param {Step} step */
    const who = step => say("diffWho", step.launch, step.group, step.item);
    /** @param {Step | undefined} step */
    const doing = step => (step ? `${who(step)}: ${stepText(step)}` : say("ended"));
    /** @param {number} r @param {number | undefined} i */
    const link = (r, i) =>
        i === undefined
            ? say("ended")
            : make("button", {type: "button", click: () => go(i)}, say("inRun", r + 1, i + 1));

    /* Where the other run has the step. */
    /** @param {number} r @param {number} i @returns {number | undefined} */
    function otherPlace(r, i) {
        const run = runs[r],
            other = runs[1 - r].units.get(unitKey(run.steps[i]));
        return other && other[run.numbers[i]];
    }

    /** @param {number} r @param {number} i */
    function cell(r, i) {
        const step = runs[r].steps[i];
        if (!step) return make("td", {class: "code"}, say("ended"));
        const place = otherPlace(r, i);
        const note = place === i ? null : make("span", {class: "small"}, " ", link(1 - r, place));
        return make("td", {class: "code"}, `${placeText(step)} ${doing(step)}`, note);
    }

    const body = make("tbody"),
        now = make("p", {id: "diff-now", "aria-live": "polite"});
    /** @param {Difference} kind @param {string} same */
    const differenceText = (kind, same) => (kind ? say(`diff_${kind}`) : same);
    /** @param {number} target */
    function go(target) {
        current = Math.max(0, Math.min(count - 1, target));
        const from = Math.max(0, Math.min(current - (DIFF_ROWS >> 1), count - DIFF_ROWS));
        /** @type {HTMLElement[]} */
        const rows = [];
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
        now.textContent = say("diffNow", current + 1, count, differenceText(kind, say("diffSame")));
    }

    /** @param {1 | -1} direction */
    function nextDifference(direction) {
        let i = current + direction;
        while (i >= 0 && i < count && !difference(one.steps[i], two.steps[i])) i += direction;
        if (i >= 0 && i < count) go(i);
    }

    /** @type {Record<string, () => void>} */
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
    /** @param {Word} key @param {() => void} action */
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
                      differenceText(difference(one.steps[first], two.steps[first]), ""),
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
    drawDiffRest(diff, sections, [one, two], link, doing);
}

/* What follows from the first difference, as lists. */
/**
 * @param {DiffData["diff"]} diff
 * @param {Sections<"followed" | "memoryEnd" | "findings">} sections
 * @param {[RunSteps, RunSteps]} runs
 * @param {(r: number, i: number | undefined) => Child} link
 * @param {(step: Step | undefined) => string} doing
 */
function drawDiffRest(diff, sections, [one, two], link, doing) {
    const units = unitDifferences(one, two),
        memory = memoryDifferences(one, two);
    /** @param {string} title @param {PlacePair} places @param {string[]} texts */
    const row = (title, places, texts) =>
        make(
            "tr",
            {},
            make("th", {scope: "row"}, title),
            ...places.map((i, r) => make("td", {class: "code"}, link(r, i), ` ${texts[r]}`)),
        );
    /** @param {"followed" | "memoryEnd"} id @param {string[]} heads @param {HTMLElement[]} rows */
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
    /** @param {Word} key */
    const heads = key => [say(key), say("runNumber", 1), say("runNumber", 2)];
    /* Of a pair the step that there is, and both. */
    /** @param {PlacePair} pair */
    const stepsOf = ([a, b]) => {
        const x = stepAt(one, a),
            y = stepAt(two, b);
        return {x, y, step: known(x || y)};
    };
    sections.followed.append(
        make("p", {}, say("followedHelp")),
        units.length
            ? table(
                  "followed",
                  heads("workItem"),
                  units.map(pair => {
                      const {x, y, step} = stepsOf(pair);
                      return row(say("diffWho", step.launch, step.group, step.item), pair, [
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
                  memory.map(pair => {
                      const {x, y, step} = stepsOf(pair),
                          local = step.region === "local" ? ` (${say("nameGroup", step.group)})` : "";
                      return row(`${elementText(known(step.object === undefined ? null : step))}${local}`, pair, [
                          x ? doing(x) : "",
                          y ? doing(y) : "",
                      ]);
                  }),
              )
            : make("p", {}, say("memoryEndNone")),
    );
    drawDiffFindings(diff, sections.findings);
}
