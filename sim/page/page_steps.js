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

/* The launches of a run, and its steps, with names. */
/** @param {KnownRun} data */
function readSteps(data) {
    /** @type {Map<number, LaunchLine>} */
    const launches = new Map();
    /** @type {Step[]} */
    const steps = [];
    for (const step of data.steps || [])
        if (isStep(step)) steps.push(step);
        else launches.set(step.launch, step);
    nameSteps(data, steps);
    return {steps, launches};
}

/* Which column each step stands in: one for each work-item, or, if these are too many, for each sub-group or
 * each work-group. */
/** @param {Step[]} steps @param {Map<number, LaunchLine>} launches */
function makeColumns(steps, launches) {
    /** @param {Step} step */
    const launchName = step => (launches.size > 1 ? say("nameLaunch", step.launch) : "");
    /** @type {Record<ColumnKind, (step: Step) => string>} */
    const namers = {
        perItem: step => launchName(step) + say("nameItem", step.group, step.item),
        perSubGroup: step => launchName(step) + say("nameSubGroup", step.group, step.sub_group),
        perGroup: step => launchName(step) + say("nameGroup", step.group),
    };
    /** @type {ColumnKind[]} */
    const kinds = ["perItem", "perSubGroup", "perGroup"];
    /** @type {ColumnKind} */
    let kind = "perItem";
    /** @type {string[]} */
    let names = [];
    /** @type {number[]} */
    let columnOf = [];

    /** @param {ColumnKind} newKind */
    function arrange(newKind) {
        kind = newKind;
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
    for (const each of kinds) {
        arrange(each);
        if (names.length <= COLUMNS) break;
    }
    return {
        kinds,
        arrange,
        kind: () => kind,
        names: () => names,
        /** @param {number} i */
        of: i => columnOf[i],
        /** @param {number} i */
        nameOf: i => names[columnOf[i]],
        itemName: namers.perItem,
        /** @param {Step} step @returns {string} */
        doing: step =>
            kind === "perItem" ? stepText(step, true) : say("itemDoes", step.item, stepText(step, true)),
        /* The columns that are shown with that of a step. */
        /** @param {number} current */
        shownWith: current => {
            const first = Math.floor(columnOf[current] / COLUMNS) * COLUMNS;
            return {first, last: Math.min(first + COLUMNS, names.length)};
        },
    };
}

/** @param {number[]} ids @param {number[]} sizes */
function linearId(ids, sizes) {
    return (ids[2] * sizes[1] + ids[1]) * sizes[0] + ids[0];
}

/* Is the step this access of the finding? */
/** @param {LaunchLine | undefined} launch @param {Step} step @param {Finding} finding @param {FindingAccess} access */
function isAccess(launch, step, finding, access) {
    if (!launch || !access.item) return false;
    if (finding.launch && finding.launch !== step.launch) return false;
    if (step.line !== access.line || step.column !== access.column) return false;
    const groups = launch.global.map((size, i) => Math.ceil(size / launch.local[i]));
    return (
        linearId(access.item.local_id, launch.local) === step.item &&
        linearId(access.item.group_id, groups) === step.group
    );
}

/* The first step of each access of a finding, in one pass over the steps: candidates by line and column.
 * places: the step of access A of finding F, by "F.A"; marks: what stands beside a step. */
/** @param {KnownRun} data @param {Step[]} steps @param {Map<number, LaunchLine>} launches */
function stepsOfFindings(data, steps, launches) {
    /** @type {Map<string, [number, number][]>} */
    const wanted = new Map();
    /** @type {Map<string, number>} */
    const places = new Map();
    /** @type {Map<number, string[]>} */
    const marks = new Map();
    data.findings.forEach((finding, f) =>
        finding.accesses.forEach((access, a) => {
            const key = `${access.line}:${access.column}`;
            wanted.set(key, [...(wanted.get(key) || []), [f, a]]);
        }),
    );
    steps.forEach((step, i) => {
        for (const [f, a] of wanted.get(`${step.line}:${step.column}`) || []) {
            const finding = data.findings[f];
            if (places.has(`${f}.${a}`)) continue;
            if (!isAccess(launches.get(step.launch), step, finding, finding.accesses[a])) continue;
            places.set(`${f}.${a}`, i);
            marks.set(i, [...(marks.get(i) || []), say("finding", f + 1, a + 1)]);
        }
    });
    return {places, marks};
}

/* The table of the steps around the current one. */
/** @param {Step[]} steps @param {Columns} columns @param {Map<number, string[]>} marks @param {Int32Array} writers
 * @param {(target: number) => void} go */
function makeStepTable(steps, columns, marks, writers, go) {
    const head = make("thead"),
        body = make("tbody"),
        which = make("p", {class: "small"}),
        table = make(
            "div",
            {class: "scroll", tabindex: 0, role: "group", "aria-label": say("steps"), id: "step-table"},
            make("table", {class: "steps"}, head, body),
        );

    /** @param {number} i @param {number} current @param {ColumnRange} range @param {boolean} others @param {FlowLane[]} lanes */
    function row(i, current, {first, last}, others, lanes) {
        const cells = [],
            column = columns.of(i);
        for (let c = first; c < last; c++)
            cells.push(make("td", {class: "code"}, column === c ? columns.doing(steps[i]) : ""));
        if (others) {
            const outside = column < first || column >= last,
                text = outside ? `${columns.nameOf(i)}: ${columns.doing(steps[i])}` : "";
            cells.push(make("td", {class: "code"}, text));
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

    /** @param {number} current */
    function draw(current) {
        const range = columns.shownWith(current),
            names = columns.names(),
            others = names.length > range.last - range.first;
        const titles = [
            say("number"),
            say("flow"),
            say("place"),
            ...names.slice(range.first, range.last),
            ...(others ? [say("others")] : []),
        ];
        head.replaceChildren(make("tr", {}, ...titles.map(title => make("th", {scope: "col"}, title))));
        const from = Math.max(0, Math.min(current - Math.floor(WINDOW / 2), steps.length - WINDOW)),
            end = Math.min(from + WINDOW, steps.length),
            lanes = flowLanes(writers, from, end, current),
            rows = [];
        for (let i = from; i < end; i++) rows.push(row(i, current, range, others, lanes));
        body.replaceChildren(...rows);
        showCurrent();
        which.textContent = others ? say("columns", range.first + 1, range.last, names.length) : "";
    }
    return {table, which, draw};
}

/** @param {Step} a @param {ObjectAccess} b */
function stepsOverlap(a, b) {
    const same = a.object !== undefined && a.object === b.object;
    if (!same || a.offset >= b.offset + b.size || b.offset >= a.offset + a.size) return false;
    return a.region !== "local" || (a.group === b.group && a.launch === b.launch);
}

/* Of the steps up to one, the last ones that access the same bytes, the latest first. */
/** @param {Step[]} steps @param {number} current @param {ObjectAccess} step */
function recentAccesses(steps, current, step) {
    /** @type {number[]} */
    const found = [];
    for (let i = current; i >= 0 && found.length < RECENT; i--)
        if (steps[i].type === "access" && stepsOverlap(steps[i], step)) found.push(i);
    return found;
}

/* What the current step does, and what it has to do with others. */
/** @param {RunData} data @param {Step[]} steps @param {Map<number, LaunchLine>} launches @param {Columns} columns
 * @param {Int32Array} writers @param {(target: number) => void} go */
function makeStepDetail(data, steps, launches, columns, writers, go) {
    const detail = make("div", {"aria-live": "polite", id: "step-detail"});

    /** @param {number} i @param {string} text */
    const link = (i, text) => make("button", {type: "button", click: () => go(i)}, text);

    /** @param {number} writer */
    function writerText(writer) {
        if (writer < 0) return make("p", {}, say("noWriter"));
        const text = ` ${columns.itemName(steps[writer])}: ${stepText(steps[writer])}`;
        return make("p", {}, link(writer, say("readsFrom", writer + 1)), text);
    }

    /** @param {Step} step @param {number} current */
    function relations(step, current) {
        const items = [];
        if (step.type === "access" && stepReads(step) && step.object !== undefined)
            items.push(writerText(writers[current]));
        if (step.object !== undefined) {
            const same = recentAccesses(steps, current, step).map(i =>
                make("li", {}, link(i, String(i + 1)), ` ${columns.nameOf(i)}: ${columns.doing(steps[i])}`),
            );
            items.push(make("h3", {}, say("recent")), make("ul", {}, ...same));
        }
        if (step.passage !== undefined) {
            const together = steps.filter(other => other.passage === step.passage).length;
            items.push(make("p", {}, say("passage", together)));
        }
        return items;
    }

    /** @param {LaunchLine} launch */
    const launchText = ({launch, kernel, global, local}) =>
        say("launch", launch, kernel, global.join("×"), local.join("×"));

    /** @param {number} current */
    function draw(current) {
        const step = steps[current],
            launch = launches.get(step.launch),
            source = step.line ? sourceAt(data, step) : undefined;
        detail.replaceChildren(
            make("h3", {}, say("now", current + 1, steps.length, stepText(step))),
            make("p", {}, columns.itemName(step)),
            launch ? make("p", {class: "small"}, launchText(launch)) : "",
            source && step.line
                ? sourceTable(source, new Map([[step.line, {class: "now", text: ""}]]), 4)
                : make("p", {}, placeText(step)),
            ...relations(step, current),
        );
    }
    return {detail, draw};
}

/* What the keys of the player do. */
/** @param {number} count @param {Columns} columns @param {() => number} at @param {(target: number) => void} go
 * @param {() => void} toggle */
function playerKeys(count, columns, at, go, toggle) {
    /** @param {1 | -1} direction */
    function sameColumn(direction) {
        let i = at() + direction;
        while (i >= 0 && i < count && columns.of(i) !== columns.of(at())) i += direction;
        return i >= 0 && i < count ? i : at();
    }
    /** @type {Record<string, () => void>} */
    const keys = {
        ArrowLeft: () => go(at() - 1),
        ArrowRight: () => go(at() + 1),
        ArrowUp: () => go(at() - 1),
        ArrowDown: () => go(at() + 1),
        PageUp: () => go(at() - 20),
        PageDown: () => go(at() + 20),
        Home: () => go(0),
        End: () => go(count - 1),
        p: () => go(sameColumn(-1)),
        n: () => go(sameColumn(1)),
        " ": toggle,
    };
    return keys;
}

/** @param {KnownRun} data @param {HTMLElement} section */
function makePlayer(data, section) {
    const {steps, launches} = readSteps(data),
        total = steps.length + data.steps_left_out;
    if (!steps.length) {
        section.append(make("p", {}, say("noSteps")));
        return null;
    }
    const columns = makeColumns(steps, launches),
        writers = writersOf(steps),
        {places, marks} = stepsOfFindings(data, steps, launches);
    let current = 0;
    /** @type {(() => void)[]} */
    const listeners = [];

    const {table, which, draw: drawTable} = makeStepTable(steps, columns, marks, writers, go),
        {detail, draw: drawDetail} = makeStepDetail(data, steps, launches, columns, writers, go);
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
    /** @param {ColumnKind} kind */
    const option = kind =>
        make("option", {value: kind, selected: kind === columns.kind() ? "" : null}, say(kind));
    const choice = make(
        "select",
        {
            id: "columns-per",
            change: () => {
                columns.arrange(columns.kinds[choice.selectedIndex]);
                go(current);
            },
        },
        ...columns.kinds.map(option),
    );

    /** @param {number} target */
    function go(target) {
        current = Math.max(0, Math.min(steps.length - 1, target));
        range.value = String(current + 1);
        drawTable(current);
        drawDetail(current);
        for (const listener of listeners) listener();
        play.stepped();
    }

    const keys = playerKeys(steps.length, columns, () => current, go, play.toggle);
    /** @param {KeyboardEvent} event */
    function press(event) {
        const action = keys[event.key];
        if (!action || usesKey(event)) return;
        event.preventDefault();
        action();
    }

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
        who: i => columns.itemName(steps[i]),
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
