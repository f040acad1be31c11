/* The player over the interleaving. Only the rows near the current step are in the document, so that a step
 * costs the same in long runs. */
const WINDOW = 25,
    COLUMNS = 12,
    RECENT = 6;

function placeText(place) {
    return place.line
        ? `${place.file || "?"}:${place.line}${place.column ? ":" + place.column : ""}`
        : place.file || "";
}

function baseName(path) {
    return (path || "").split("/").pop();
}

/* The text that a place is in: the one that has its line there. */
function sourceAt(data, place) {
    const sources = data.sources || [],
        text = place.text;
    const fits = source =>
        place.line <= source.lines.length && (text === undefined || source.lines[place.line - 1] === text);
    return (
        sources.find(source => source.name === place.file && fits(source)) ||
        sources.find(source => baseName(source.name) === baseName(place.file) && fits(source)) ||
        (text === undefined ? undefined : sources.find(fits))
    );
}

function stepText(step) {
    const words = [step.kind];
    if (step.order && step.scope) words.push(say("order", step.order, step.scope));
    else if (step.scope) words.push(step.scope);
    if (step.regions) words.push(step.regions.join("+"));
    if (step.name) words.push(`${step.name}+${step.offset}`);
    if (step.found !== undefined) words.push(say("read", step.found));
    if (step.wrote !== undefined) words.push(say("wrote", step.wrote));
    return words.join(", ");
}

function makePlayer(data, section) {
    const launches = new Map(),
        steps = [];
    for (const step of data.steps)
        if (step.type === "launch") launches.set(step.launch, step);
        else steps.push(step);
    const total = steps.length + data.steps_left_out;
    if (!steps.length) {
        section.append(make("p", {}, say("noSteps")));
        return null;
    }

    const launchName = step => (launches.size > 1 ? say("nameLaunch", step.launch) : "");
    const namers = {
        perItem: step => launchName(step) + say("nameItem", step.group, step.item),
        perSubGroup: step => launchName(step) + say("nameSubGroup", step.group, step.sub_group),
        perGroup: step => launchName(step) + say("nameGroup", step.group),
    };
    const doing = step =>
        kind === "perItem" ? stepText(step) : say("itemDoes", step.item, stepText(step));
    let names = [],
        columnOf = [],
        current = 0,
        timer = null;
    const listeners = [];

    function arrange(kind) {
        const index = new Map();
        columnOf = steps.map(step => {
            const name = namers[kind](step);
            if (!index.has(name)) index.set(name, index.size);
            return index.get(name);
        });
        names = [...index.keys()];
    }
    const kinds = ["perItem", "perSubGroup", "perGroup"];
    let kind =
        kinds.find(each => {
            arrange(each);
            return names.length <= COLUMNS;
        }) || "perGroup";
    arrange(kind);

    /* ---- what a step has to do with others ---- */
    const overlap = (a, b) =>
        a.object !== undefined &&
        a.object === b.object &&
        a.offset < b.offset + b.size &&
        b.offset < a.offset + a.size &&
        (a.region !== "local" || (a.group === b.group && a.launch === b.launch));
    function before(index, accept, most) {
        const found = [];
        for (let i = index; i >= 0 && found.length < most; i--) if (accept(steps[i])) found.push(i);
        return found;
    }

    /* ---- accesses of findings ---- */
    const marks = new Map();
    function linear(ids, sizes) {
        return (ids[2] * sizes[1] + ids[1]) * sizes[0] + ids[0];
    }
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
    const wanted = new Map(),
        places = new Map();
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
    const range = make("input", {
        type: "range",
        min: 1,
        max: steps.length,
        value: 1,
        "aria-label": say("position"),
        input: () => go(Number(range.value) - 1),
    });
    const playButton = make("button", {type: "button", click: toggle}, say("play"));
    const button = (key, target) => make("button", {type: "button", click: () => go(target())}, say(key));
    const choice = make(
        "select",
        {
            id: "columns-per",
            change: () => {
                kind = choice.value;
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

    function row(i, {first, last}, others) {
        const cells = [];
        for (let c = first; c < last; c++)
            cells.push(make("td", {class: "code"}, columnOf[i] === c ? doing(steps[i]) : ""));
        if (others) {
            const outside = columnOf[i] < first || columnOf[i] >= last;
            cells.push(
                make("td", {class: "code"}, outside ? `${names[columnOf[i]]}: ${doing(steps[i])}` : ""),
            );
        }
        const found = marks.has(i) ? make("span", {class: "badge"}, marks.get(i).join("; ")) : null;
        return make(
            "tr",
            {"aria-current": i === current ? "step" : null, click: () => go(i)},
            make("td", {}, String(i + 1)),
            make("td", {class: "code"}, placeText(steps[i]), found ? " " : null, found),
            ...cells,
        );
    }

    function drawTable() {
        const columns = shownColumns(),
            others = names.length > columns.last - columns.first;
        const titles = [
            say("number"),
            say("place"),
            ...names.slice(columns.first, columns.last),
            ...(others ? [say("others")] : []),
        ];
        head.replaceChildren(make("tr", {}, ...titles.map(title => make("th", {scope: "col"}, title))));
        const from = Math.max(0, Math.min(current - Math.floor(WINDOW / 2), steps.length - WINDOW));
        const rows = [];
        for (let i = from; i < Math.min(from + WINDOW, steps.length); i++)
            rows.push(row(i, columns, others));
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
        const {left, right} = cell.getBoundingClientRect();
        if (left < box.left || right > box.right)
            table.scrollLeft += (left + right) / 2 - (box.left + box.right) / 2;
    }

    function link(i, text) {
        return make("button", {type: "button", click: () => go(i)}, text);
    }

    function relations(step) {
        const items = [];
        if (/read|update/.test(step.kind) && step.type === "access" && step.object !== undefined) {
            const [writer] = before(
                current - 1,
                other => other.type === "access" && stepWrites(other) && overlap(other, step),
                1,
            );
            items.push(
                writer === undefined
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
            source
                ? sourceTable(source, new Map([[step.line, {class: "now", text: ""}]]), 4)
                : make("p", {}, placeText(step)),
            ...relations(step),
        );
    }

    function go(target) {
        current = Math.max(0, Math.min(steps.length - 1, target));
        range.value = current + 1;
        drawTable();
        drawDetail();
        for (const listener of listeners) listener();
        if (current === steps.length - 1) stop();
    }

    function stop() {
        clearInterval(timer);
        timer = null;
        playButton.textContent = say("play");
    }

    function toggle() {
        if (timer) return stop();
        if (current === steps.length - 1) go(0);
        timer = setInterval(() => go(current + 1), 500);
        playButton.textContent = say("pause");
    }

    function sameColumn(direction) {
        let i = current + direction;
        while (i >= 0 && i < steps.length && columnOf[i] !== columnOf[current]) i += direction;
        return i >= 0 && i < steps.length ? i : current;
    }

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
        " ": toggle,
    };
    function press(event) {
        const own =
            /^(BUTTON|SELECT)$/.test(event.target.tagName) &&
            /^( |Arrow)/.test(event.key) &&
            event.target !== document.body;
        const action = keys[event.key];
        if (
            !action ||
            event.ctrlKey ||
            event.altKey ||
            event.metaKey ||
            (own && (event.key === " " || event.target.tagName === "SELECT")) ||
            (event.target.type === "checkbox" && event.key === " ")
        )
            return;
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
            playButton,
            button("next", () => current + 1),
            button("last", () => steps.length - 1),
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
        who: i => namers.perItem(steps[i]),
        marks: i => (marks.get(i) || []).join("; "),
        onMove: listener => listeners.push(listener),
        find: (f, a) => places.get(`${f}.${a}`),
        focus: () => {
            section.scrollIntoView();
            table.focus({preventScroll: true});
        },
    };
}
