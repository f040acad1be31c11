/* The player over the interleaving. Only the rows near the current step are in the document, so that a step
 * costs the same in long runs. */
const WINDOW = 25,
    COLUMNS = 12,
    RECENT = 6,
    FLOW_LANES = 8,
    FLOW_STEP = 7;

/** @param {Place} place */
function placeText(place) {
    return place.line
        ? `${place.file || "?"}:${place.line}${place.column ? ":" + place.column : ""}`
        : place.file || "";
}

/** @param {string | undefined} path */
function baseName(path) {
    return (path || "").split("/").pop();
}

/* The text that a place is in: the one that has its line there. */
/** @param {RunData} data @param {Place} place */
function sourceAt(data, place) {
    const sources = data.sources || [],
        text = place.text,
        line = place.line || 0;
    /** @param {SourceText} source */
    const fits = source =>
        line <= source.lines.length && (text === undefined || source.lines[line - 1] === text);
    return (
        sources.find(source => source.name === place.file && fits(source)) ||
        sources.find(source => baseName(source.name) === baseName(place.file) && fits(source)) ||
        (text === undefined ? undefined : sources.find(fits))
    );
}

/* brief: without what the element is of. */
/** @param {Step} step @param {boolean} [brief] @returns {string} */
function stepText(step, brief) {
    /** @type {string[]} */
    const words = [step.kind];
    if (step.order && step.scope) words.push(say("order", step.order, step.scope));
    else if (step.scope) words.push(step.scope);
    if (step.regions) words.push(step.regions.join("+"));
    if (step.object !== undefined) words.push(brief ? elementText(step) : objectText(step));
    if (step.found !== undefined) words.push(say("read", typedText(step, step.found)));
    if (step.wrote !== undefined) words.push(say("wrote", typedText(step, step.wrote)));
    return words.join(", ");
}

/* Of each step the one that wrote the value that it reads; -1: none of them. */
/** @param {Step[]} steps */
function writersOf(steps) {
    const writers = new Int32Array(steps.length).fill(-1);
    for (const object of memoryObjects(steps).values()) {
        /** @type {Map<number, number>} */
        const last = new Map();
        for (const i of object.steps) {
            const {offset, size} = accessAt(steps, i);
            for (let at = offset; at < offset + size; at += object.unit) {
                if (stepReads(steps[i])) writers[i] = Math.max(writers[i], last.get(at) ?? -1);
                if (stepWrites(steps[i])) last.set(at, i);
            }
        }
    }
    return writers;
}

/* The writes whose values the shown steps take, each in a lane beside the steps from the write to its last
 * reader; that of the current step first, so that it is there when lanes are not enough. */
/** @param {Int32Array} writers @param {number} from @param {number} end @param {number} current */
function flowLanes(writers, from, end, current) {
    /** @type {Map<number, number>} */
    const last = new Map(writers[current] < 0 ? [] : [[writers[current], current]]);
    for (let i = from; i < end; i++) if (writers[i] >= 0) last.set(writers[i], i);
    /** @type {FlowLane[]} */
    const lanes = [];
    for (const [writer, reader] of last) {
        let lane = 0;
        const begin = Math.max(writer, from);
        /** @param {FlowLane} each */
        const meets = each =>
            each.lane === lane && Math.max(each.writer, from) <= reader && begin <= each.last;
        while (lanes.some(meets)) lane++;
        if (lane < FLOW_LANES) lanes.push({writer, last: reader, lane});
    }
    return lanes;
}

/* The part of the lanes that is beside a step. */
/** @param {number} i @param {FlowLane[]} lanes @param {Int32Array} writers @param {number} current */
function flowCell(i, lanes, writers, current) {
    /** @type {Child[]} */
    const pieces = [];
    for (const {writer, last, lane} of lanes) {
        if (i < writer || i > last) continue;
        const now = writer === writers[current] && i <= current,
            left = `left:${FLOW_STEP * (FLOW_LANES - lane)}px`;
        /** @param {string} sort @param {boolean} [other] */
        const piece = (sort, other) =>
            pieces.push(make("span", {class: now && !other ? `${sort} now` : sort, style: left}));
        if (i > writer) piece("upper");
        if (i < last) piece("lower", i === current);
        if (i === writer) piece("source");
        if (writers[i] === writer) piece("sink", i !== current);
    }
    const text = writers[i] >= 0 ? say("readsFrom", writers[i] + 1) : null;
    return make("td", {class: "flow", title: text}, ...pieces);
}

/** @param {TraceLine} line @returns {line is Step} */
function isStep(line) {
    return line.type !== "launch";
}

/** @param {KnownRun} data @param {HTMLElement} section */
function makePlayer(data, section) {
    /** @type {Map<number, LaunchLine>} */
    const launches = new Map();
    /** @type {Step[]} */
    const steps = [];
    for (const step of data.steps || [])
        if (isStep(step)) steps.push(step);
        else launches.set(step.launch, step);
    nameSteps(data, steps);
    const total = steps.length + data.steps_left_out;
    if (!steps.length) {
        section.append(make("p", {}, say("noSteps")));
        return null;
    }

    /** @param {Step} step */
    const launchName = step => (launches.size > 1 ? say("nameLaunch", step.launch) : "");
    /** @type {Record<ColumnKind, (step: Step) => string>} */
    const namers = {
        perItem: step => launchName(step) + say("nameItem", step.group, step.item),
        perSubGroup: step => launchName(step) + say("nameSubGroup", step.group, step.sub_group),
        perGroup: step => launchName(step) + say("nameGroup", step.group),
    };
    /** @param {Step} step @returns {string} */
    const doing = step =>
        kind === "perItem" ? stepText(step, true) : say("itemDoes", step.item, stepText(step, true));
    const writers = writersOf(steps);
    /** @type {string[]} */
    let names = [];
    /** @type {number[]} */
    let columnOf = [];
    let current = 0;
    /** @type {(() => void)[]} */
    const listeners = [];

    /** @param {ColumnKind} kind */
    function arrange(kind) {
        /** @type {Map<string, number>} */
        const index = new Map();
        columnOf = steps.map(step => {
            const name = namers[kind](step),
                column = index.get(name) ?? index.size;
            index.set(name, column);
            return column;
        });
        names = [...index.keys()];
    }
    /** @type {ColumnKind[]} */
    const kinds = ["perItem", "perSubGroup", "perGroup"];
    /** @type {ColumnKind} */
    let kind =
        kinds.find(each => {
            arrange(each);
            return names.length <= COLUMNS;
        }) || "perGroup";
    arrange(kind);

    /* ---- what a step has to do with others ---- */
    /** @param {Step} a @param {ObjectAccess} b */
    const overlap = (a, b) =>
        a.object !== undefined &&
        a.object === b.object &&
        a.offset < b.offset + b.size &&
        b.offset < a.offset + a.size &&
        (a.region !== "local" || (a.group === b.group && a.launch === b.launch));
    /** @param {number} index @param {(step: Step) => boolean} accept @param {number} most */
    function before(index, accept, most) {
        /** @type {number[]} */
        const found = [];
        for (let i = index; i >= 0 && found.length < most; i--) if (accept(steps[i])) found.push(i);
        return found;
    }

    /* ---- accesses of findings ---- */
    /** @type {Map<number, string[]>} */
    const marks = new Map();
    /** @param {number[]} ids @param {number[]} sizes */
    function linear(ids, sizes) {
        return (ids[2] * sizes[1] + ids[1]) * sizes[0] + ids[0];
    }
    /** @param {Step} step @param {Finding} finding @param {FindingAccess} access */
    function isAccess(step, finding, access) {
        const launch = launches.get(step.launch);
        if (
            !launch ||
            !access.item ||
            (finding.launch && finding.launch !== step.launch) ||
            step.line !== access.line ||
            step.column !== access.column ||
            linear(access.item.local_id, launch.local) !== step.item
        )
            return false;
        const groups = launch.global.map((size, i) => Math.ceil(size / launch.local[i]));
        return linear(access.item.group_id, groups) === step.group;
    }
    /* One pass over the steps for all findings: candidates by line and column. */
    /** @type {Map<string, [number, number][]>} */
    const wanted = new Map();
    /** @type {Map<string, number>} */
    const places = new Map();
    data.findings.forEach((finding, f) =>
        finding.accesses.forEach((access, a) => {
            const key = `${access.line}:${access.column}`;
            wanted.set(key, [...(wanted.get(key) || []), [f, a]]);
        }),
    );
    steps.forEach((step, i) => {
        for (const [f, a] of wanted.get(`${step.line}:${step.column}`) || [])
            if (
                !places.has(`${f}.${a}`) &&
                isAccess(step, data.findings[f], data.findings[f].accesses[a])
            ) {
                places.set(`${f}.${a}`, i);
                marks.set(i, [...(marks.get(i) || []), say("finding", f + 1, a + 1)]);
            }
    });

    /* ---- the document ---- */
    const head = make("thead"),
        body = make("tbody"),
        detail = make("div", {"aria-live": "polite", id: "step-detail"});
    const which = make("p", {class: "small"});
    /** @type {HTMLInputElement} */
    const range = make("input", {
        type: "range",
        min: 1,
        max: steps.length,
        value: 1,
        "aria-label": say("position"),
        input: () => go(Number(range.value) - 1),
    });
    const play = makePlay("steps-speed", {
        next: () => go(current + 1),
        isLast: () => current === steps.length - 1,
        rewind: () => go(0),
    });
    /** @param {Word} key @param {() => number} target */
    const button = (key, target) => make("button", {type: "button", click: () => go(target())}, say(key));
    const choice = make(
        "select",
        {
            id: "columns-per",
            change: () => {
                kind = kinds[choice.selectedIndex];
                arrange(kind);
                go(current);
            },
        },
        ...kinds.map(each => make("option", {value: each, selected: each === kind ? "" : null}, say(each))),
    );

    function shownColumns() {
        const first = Math.floor(columnOf[current] / COLUMNS) * COLUMNS;
        return {first, last: Math.min(first + COLUMNS, names.length)};
    }

    /** @param {number} i @param {ColumnRange} columns @param {boolean} others @param {FlowLane[]} lanes */
    function row(i, {first, last}, others, lanes) {
        const cells = [];
        for (let c = first; c < last; c++)
            cells.push(make("td", {class: "code"}, columnOf[i] === c ? doing(steps[i]) : ""));
        if (others) {
            const outside = columnOf[i] < first || columnOf[i] >= last;
            cells.push(
                make("td", {class: "code"}, outside ? `${names[columnOf[i]]}: ${doing(steps[i])}` : ""),
            );
        }
        const mark = marks.get(i),
            found = mark ? make("span", {class: "badge"}, mark.join("; ")) : null,
            reader = say("readBy", current + 1),
            taken = writers[current] === i ? make("span", {class: "badge taken"}, reader) : null;
        return make(
            "tr",
            {"aria-current": i === current ? "step" : null, click: () => go(i)},
            make("td", {}, String(i + 1)),
            flowCell(i, lanes, writers, current),
            make("td", {class: "code"}, placeText(steps[i]), found ? " " : null, found, taken),
            ...cells,
        );
    }

    function drawTable() {
        const columns = shownColumns(),
            others = names.length > columns.last - columns.first;
        const titles = [
            say("number"),
            say("flow"),
            say("place"),
            ...names.slice(columns.first, columns.last),
            ...(others ? [say("others")] : []),
        ];
        head.replaceChildren(make("tr", {}, ...titles.map(title => make("th", {scope: "col"}, title))));
        const from = Math.max(0, Math.min(current - Math.floor(WINDOW / 2), steps.length - WINDOW));
        const rows = [],
            end = Math.min(from + WINDOW, steps.length),
            lanes = flowLanes(writers, from, end, current);
        for (let i = from; i < end; i++) rows.push(row(i, columns, others, lanes));
        body.replaceChildren(...rows);
        showCurrent();
        which.textContent = others ? say("columns", columns.first + 1, columns.last, names.length) : "";
    }

    /* Scrolls the table, and only the table, to the cell of the current step. */
    function showCurrent() {
        const box = table.getBoundingClientRect();
        const cell = [...body.querySelectorAll("[aria-current] td.code")]
            .slice(1)
            .find(each => each.textContent);
        const {left, right} = known(cell).getBoundingClientRect(),
            margin = known(body.querySelector("td.flow")).getBoundingClientRect().right;
        if (left < margin || right > box.right)
            table.scrollLeft += (left + right) / 2 - (box.left + box.right) / 2;
    }

    /** @param {number} i @param {string} text */
    function link(i, text) {
        return make("button", {type: "button", click: () => go(i)}, text);
    }

    /** @param {Step} step */
    function relations(step) {
        const items = [];
        if (step.type === "access" && stepReads(step) && step.object !== undefined) {
            const writer = writers[current];
            items.push(
                writer < 0
                    ? make("p", {}, say("noWriter"))
                    : make(
                          "p",
                          {},
                          link(writer, say("readsFrom", writer + 1)),
                          ` ${namers.perItem(steps[writer])}: ${stepText(steps[writer])}`,
                      ),
            );
        }
        if (step.object !== undefined) {
            const same = before(current, other => other.type === "access" && overlap(other, step), RECENT);
            items.push(
                make("h3", {}, say("recent")),
                make(
                    "ul",
                    {},
                    ...same.map(i =>
                        make(
                            "li",
                            {},
                            link(i, String(i + 1)),
                            ` ${names[columnOf[i]]}: ${doing(steps[i])}`,
                        ),
                    ),
                ),
            );
        }
        if (step.passage !== undefined) {
            const together = steps.filter(other => other.passage === step.passage).length;
            items.push(make("p", {}, say("passage", together)));
        }
        return items;
    }

    function drawDetail() {
        const step = steps[current],
            launch = launches.get(step.launch),
            source = step.line ? sourceAt(data, step) : undefined;
        detail.replaceChildren(
            make("h3", {}, say("now", current + 1, steps.length, stepText(step))),
            make("p", {}, namers.perItem(step)),
            launch
                ? make(
                      "p",
                      {class: "small"},
                      say(
                          "launch",
                          launch.launch,
                          launch.kernel,
                          launch.global.join("×"),
                          launch.local.join("×"),
                      ),
                  )
                : "",
            source && step.line
                ? sourceTable(source, new Map([[step.line, {class: "now", text: ""}]]), 4)
                : make("p", {}, placeText(step)),
            ...relations(step),
        );
    }

    /** @param {number} target */
    function go(target) {
        current = Math.max(0, Math.min(steps.length - 1, target));
        range.value = String(current + 1);
        drawTable();
        drawDetail();
        for (const listener of listeners) listener();
        play.stepped();
    }

    /** @param {1 | -1} direction */
    function sameColumn(direction) {
        let i = current + direction;
        while (i >= 0 && i < steps.length && columnOf[i] !== columnOf[current]) i += direction;
        return i >= 0 && i < steps.length ? i : current;
    }

    /** @type {Record<string, () => void>} */
    const keys = {
        ArrowLeft: () => go(current - 1),
        ArrowRight: () => go(current + 1),
        ArrowUp: () => go(current - 1),
        ArrowDown: () => go(current + 1),
        PageUp: () => go(current - 20),
        PageDown: () => go(current + 20),
        Home: () => go(0),
        End: () => go(steps.length - 1),
        p: () => go(sameColumn(-1)),
        n: () => go(sameColumn(1)),
        " ": play.toggle,
    };
    /** @param {KeyboardEvent} event */
    function press(event) {
        const action = keys[event.key];
        if (!action || usesKey(event)) return;
        event.preventDefault();
        action();
    }

    const table = make(
        "div",
        {class: "scroll", tabindex: 0, role: "group", "aria-label": say("steps"), id: "step-table"},
        make("table", {class: "steps"}, head, body),
    );
    section.addEventListener("keydown", press);
    section.append(
        make(
            "p",
            {},
            data.steps_left_out ? say("stepsSome", steps.length, total) : say("stepsAll", steps.length),
        ),
        make("p", {class: "small onscreen"}, say("stepsHelp")),
        make(
            "div",
            {class: "controls"},
            button("first", () => 0),
            button("back", () => current - 1),
            play.button,
            button("next", () => current + 1),
            button("last", () => steps.length - 1),
            ...play.speed,
            range,
            make("label", {for: "columns-per"}, say("columnsPer")),
            choice,
        ),
        which,
        make("div", {class: "beside"}, table, detail),
    );
    go(0);
    return {
        go,
        steps,
        launches,
        press,
        at: () => current,
        /** @param {number} i */
        who: i => namers.perItem(steps[i]),
        /** @param {number} i */
        marks: i => (marks.get(i) || []).join("; "),
        /** @param {() => void} listener */
        onMove: listener => listeners.push(listener),
        /** @param {number} f @param {number} a */
        find: (f, a) => places.get(`${f}.${a}`),
        focus: () => {
            section.scrollIntoView();
            table.focus({preventScroll: true});
        },
    };
}
