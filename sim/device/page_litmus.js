/* The page of a litmus test: its outcomes, and an execution of each that can be stepped through; of outcomes
 * that cannot be, the cycle that an axiom refuses. */
const BOX_WIDTH = 200,
    BOX_HEIGHT = 38,
    COLUMN_WIDTH = 300,
    ROW_HEIGHT = 58,
    GRAPH_TOP = 64;

/* Short names of edges in the picture, and how far from the middle of a box they begin. */
const EDGES = {
    "reads-from": {name: "rf", shift: -8},
    "modification-order": {name: "mo", shift: 12},
    "synchronises-with": {name: "sw", shift: 4},
    "reads-before": {name: "fr", shift: -2},
    "program-order": {name: "po", shift: 0},
    "happens-before": {name: "hb", shift: 8},
    initial: {name: "hb", shift: 0},
};

function valueOf(event) {
    return event.wrote !== undefined ? event.wrote : event.read;
}

function eventWords(event) {
    const words = [];
    if (event.location && event.kind === "update")
        words.push(say("didUpdate", event.location, event.read, event.wrote));
    else if (event.kind === "update-failed") words.push(say("didFail", event.location, event.read));
    else if (event.kind === "read") words.push(say("didRead", event.location, event.read));
    else if (event.location) words.push(say("didWrite", event.location, event.wrote));
    else
        words.push(
            say(
                event.kind === "fence"
                    ? "fence"
                    : event.kind === "barrier-exit"
                      ? "barrierExit"
                      : "barrierEntry",
            ),
        );
    return words[0];
}

function eventSide(event) {
    if (event.atomic === false && event.location) return say("plainAccess");
    return [event.order, event.scope, event.regions].filter(word => word).join(", ");
}

/* Orders of the events: each an array of indices, or null where the edges form a cycle. */
function sorted(count, edges) {
    const after = Array.from({length: count}, () => []),
        waits = Array(count).fill(0),
        order = [];
    for (const [from, to] of edges) {
        after[from].push(to);
        waits[to]++;
    }
    const ready = [];
    for (let i = 0; i < count; i++) if (!waits[i]) ready.push(i);
    while (ready.length) {
        const next = ready.splice(ready.indexOf(Math.min(...ready)), 1)[0];
        order.push(next);
        for (const to of after[next]) if (!--waits[to]) ready.push(to);
    }
    return order.length === count ? order : null;
}

function executionEdges(execution, threads) {
    const {events} = execution,
        program = [],
        reads = [],
        stores = [],
        overwritten = [],
        barriers = [];
    events.forEach((event, i) => {
        if (i && event.thread !== undefined && events[i - 1].thread === event.thread)
            program.push([i - 1, i]);
        if (event.reads_from !== undefined) reads.push([event.reads_from, i]);
        events.forEach((other, k) => {
            if (
                event.kind === "barrier-entry" &&
                other.kind === "barrier-exit" &&
                event.instance === other.instance &&
                threads[event.thread].group === threads[other.thread].group
            )
                barriers.push([i, k]);
        });
    });
    for (const {stores: list} of execution.modification) {
        list.forEach((store, i) => i && stores.push([list[i - 1], store]));
        for (const [source, read] of reads)
            if (list.includes(source))
                for (const store of list.slice(list.indexOf(source) + 1))
                    if (store !== read) overwritten.push([read, store]);
    }
    return {program, reads, stores, overwritten, barriers};
}

/* The order in which the page plays it: an interleaving where there is one; else each store before the reads
 * that take it; else program order. */
function playOrder(execution, threads) {
    const {program, reads, stores, overwritten, barriers} = executionEdges(execution, threads),
        count = execution.events.length;
    const own = ([from, to]) => from !== to;
    const latest = sorted(
        count,
        [...program, ...reads, ...stores, ...overwritten, ...barriers].filter(own),
    );
    if (latest) return {order: latest, how: "orderLatest"};
    const caused = sorted(count, [...program, ...reads, ...barriers].filter(own));
    if (caused) return {order: caused, how: "orderCaused"};
    return {order: execution.events.map((event, i) => i), how: "orderNone"};
}

/* ---- the picture ---- */

function edgePath(from, to, shift) {
    const same = from.x === to.x,
        right = same || to.x > from.x;
    const x1 = from.x + (right ? BOX_WIDTH : 0),
        x2 = to.x + (same ? BOX_WIDTH : right ? 0 : BOX_WIDTH),
        y1 = from.y + BOX_HEIGHT / 2 + shift,
        y2 = to.y + BOX_HEIGHT / 2 + shift;
    if (same) {
        const bend = x1 + 24 + Math.min(50, Math.abs(y2 - y1) / 4) + 2 * shift;
        return {
            d: `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`,
            x: (x1 + 3 * bend) / 4 + 4,
            y: (y1 + y2) / 2,
        };
    }
    /* The name stands near the beginning: in the middle edges cross. */
    const middle = (x1 + x2) / 2;
    return {
        d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`,
        x: x1 + (x2 - x1) * 0.08 - (right ? 0 : 28),
        y: y1 - 5,
    };
}

function straightPath(from, to) {
    const x = from.x + BOX_WIDTH / 2,
        y1 = from.y + (to.y > from.y ? BOX_HEIGHT : 0),
        y2 = to.y + (to.y > from.y ? 0 : BOX_HEIGHT);
    return {d: `M${x} ${y1}L${to.x + BOX_WIDTH / 2} ${y2}`, x: x + 6, y: (y1 + y2) / 2 + 4};
}

function arrow(id, kind) {
    return make(
        "marker",
        {
            id,
            class: kind,
            viewBox: "0 0 10 10",
            refX: 9,
            refY: 5,
            markerWidth: 9,
            markerHeight: 9,
            markerUnits: "userSpaceOnUse",
            orient: "auto-start-reverse",
        },
        make("path", {d: "M0 0L10 5L0 10z"}),
    );
}

/* The edges to draw: those of the execution, with the number that the cycle gives them, and what the cycle
 * has besides. */
function edgesToDraw(execution, threads) {
    const {program, reads, stores} = executionEdges(execution, threads),
        drawn = [];
    const add = (kind, pairs) => pairs.forEach(([from, to]) => drawn.push({kind, from, to, numbers: []}));
    add("program-order", program);
    add("reads-from", reads);
    add(
        "modification-order",
        stores.filter(([from]) => execution.events[from].kind !== "initial"),
    );
    add("synchronises-with", execution.synchronises || []);
    (execution.cycle || []).forEach(({kind, from, to}, i) => {
        const known = drawn.find(edge => edge.kind === kind && edge.from === from && edge.to === to);
        if (known) known.numbers.push(i + 1);
        else drawn.push({kind, from, to, numbers: [i + 1]});
    });
    return drawn;
}

function graph(test, execution, order, played) {
    const {events} = execution,
        threads = test.threads,
        rank = new Map(),
        boxes = [];
    order.filter(i => events[i].thread !== undefined).forEach((i, at) => rank.set(i, at));
    const width = threads.length * COLUMN_WIDTH,
        height = GRAPH_TOP + rank.size * ROW_HEIGHT + 10;
    events.forEach((event, i) => {
        boxes[i] =
            event.thread === undefined
                ? {x: (width - BOX_WIDTH) / 2, y: 18 - BOX_HEIGHT / 2}
                : {x: event.thread * COLUMN_WIDTH + 20, y: GRAPH_TOP + rank.get(i) * ROW_HEIGHT};
    });
    const picture = make(
        "svg",
        {
            viewBox: `0 0 ${width} ${height}`,
            width,
            role: "img",
            class: "execution",
            "aria-label": say("graphLabel"),
        },
        make("defs", {}, arrow("arrow", "edge"), arrow("arrow-cycle", "cycle")),
    );
    threads.forEach((thread, t) =>
        picture.append(
            make(
                "text",
                {x: t * COLUMN_WIDTH + 20, y: GRAPH_TOP - 10, class: "thread"},
                say("threadName", t, thread.group),
            ),
        ),
    );
    const initial = events
        .filter(event => event.kind === "initial")
        .map(event => `${event.location} = ${event.wrote}`)
        .join(", ");
    picture.append(make("text", {x: 20, y: 18}, say("initially", initial)));
    for (const {kind, from, to, numbers} of edgesToDraw(execution, threads)) {
        const within = events[from].kind === "initial" || events[to].kind === "initial",
            seen = numbers.length || (played.has(from) && played.has(to));
        if (!seen || (within && !numbers.length)) continue;
        const neighbour =
            kind === "program-order" && Math.abs(rank.get(from) - rank.get(to)) <= threads.length;
        const straight = within || (kind === "program-order" && (!numbers.length || neighbour));
        const path = straight
            ? straightPath(boxes[from], boxes[to])
            : edgePath(boxes[from], boxes[to], EDGES[kind].shift);
        const marks = numbers.length ? ` ${numbers.join(",")}` : "";
        picture.append(
            make("path", {
                class: `edge ${kind}${numbers.length ? " cycle" : ""}`,
                d: path.d,
                "marker-end": `url(#arrow${numbers.length ? "-cycle" : ""})`,
            }),
            make(
                "text",
                {class: numbers.length ? "cycle" : "edge", x: path.x, y: path.y},
                kind === "program-order" && !numbers.length ? "" : EDGES[kind].name + marks,
            ),
        );
    }
    const latest = order.filter(each => played.has(each)).pop();
    for (const [i, at] of rank) {
        const event = events[i],
            {x, y} = boxes[i],
            now = i === latest;
        picture.append(
            make(
                "g",
                {class: now ? "event now" : played.has(i) ? "event" : "event later"},
                make("rect", {x, y, width: BOX_WIDTH, height: BOX_HEIGHT, rx: 4}),
                make("text", {x: x + 8, y: y + 15}, `${now ? "▶ " : ""}${at + 1}: ${eventWords(event)}`),
                make("text", {x: x + 8, y: y + 31, class: "side"}, eventSide(event)),
            ),
        );
    }
    return picture;
}

/* ---- an execution ---- */

function makeExecution(test, section, sourceBox) {
    const title = make("h3", {id: "shown-execution"}),
        how = make("p", {class: "small"}),
        picture = make("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": say("picture")}),
        head = make("thead"),
        body = make("tbody"),
        detail = make("div", {"aria-live": "polite", id: "event-detail"}),
        why = make("div", {id: "why"});
    let execution = null,
        order = [],
        steps = [],
        current = 0;

    const numberOf = i => steps.indexOf(i) + 1;
    const nameOf = i =>
        execution.events[i].kind === "initial"
            ? say("initialStore", execution.events[i].location)
            : say("stepName", numberOf(i));
    const full = i =>
        `${nameOf(i)} (${say("threadShort", execution.events[i].thread)}: ${eventWords(execution.events[i])})`;
    const named = i => (execution.events[i].kind === "initial" ? nameOf(i) : full(i));

    function drawTable(played) {
        head.replaceChildren(
            make(
                "tr",
                {},
                ...[say("number"), ...test.threads.map((thread, t) => say("threadShort", t))].map(text =>
                    make("th", {scope: "col"}, text),
                ),
            ),
        );
        body.replaceChildren(
            ...steps.map((i, at) => {
                const event = execution.events[i],
                    text = `${eventWords(event)}${eventSide(event) ? `; ${eventSide(event)}` : ""}`;
                return make(
                    "tr",
                    {
                        "aria-current": at === current ? "step" : null,
                        class: played.has(i) ? null : "later",
                        click: () => go(at),
                    },
                    make("td", {}, String(at + 1)),
                    ...test.threads.map((thread, t) =>
                        make("td", {class: "code"}, event.thread === t ? text : ""),
                    ),
                );
            }),
        );
    }

    /* Stores of the location so far, in modification order. */
    function storesSoFar(list, played) {
        return list.filter(i => played.has(i) || execution.events[i].kind === "initial");
    }

    function relations(i, played) {
        const event = execution.events[i],
            lines = [];
        if (event.reads_from !== undefined) {
            lines.push(say("takesFrom", event.location, named(event.reads_from)));
            const {stores} = execution.modification.find(each => each.location === event.location),
                newest = storesSoFar(stores, played)
                    .filter(each => each !== i)
                    .pop();
            if (newest !== undefined && stores.indexOf(newest) > stores.indexOf(event.reads_from))
                lines.push(say(execution.cycle ? "olderRefused" : "older", named(newest)));
            if (numberOf(event.reads_from) > numberOf(i)) lines.push(say("fromLater"));
        }
        for (const [from, to] of execution.synchronises || []) {
            if (to === i) lines.push(say("synchronises", named(from), named(to)));
            if (from === i) lines.push(say("willSynchronise", named(to)));
        }
        return lines;
    }

    function drawDetail(played) {
        const i = steps[current],
            event = execution.events[i];
        detail.replaceChildren(
            make(
                "h4",
                {},
                say(
                    "now",
                    current + 1,
                    steps.length,
                    `${say("threadShort", event.thread)}: ${eventWords(event)}`,
                ),
            ),
            ...relations(i, played).map(line => make("p", {}, line)),
            make("h4", {}, say("memorySoFar")),
            make(
                "ul",
                {},
                ...execution.modification.map(({location, stores}) =>
                    make(
                        "li",
                        {class: "code"},
                        `${location}: ${storesSoFar(stores, played)
                            .map(store => `${execution.events[store].wrote} (${nameOf(store)})`)
                            .join(" → ")}`,
                    ),
                ),
            ),
        );
        sourceBox.replaceChildren(testSource(test, event.line));
    }

    function draw() {
        const played = new Set(steps.slice(0, current + 1));
        picture.replaceChildren(graph(test, execution, steps, played));
        drawTable(played);
        drawDetail(played);
    }

    function go(target) {
        current = Math.max(0, Math.min(steps.length - 1, target));
        draw();
    }

    function drawWhy(refused) {
        why.replaceChildren();
        if (!refused) return;
        const links = execution.cycle || [];
        why.append(
            make("h3", {}, say("whyForbidden", say(`axiom_${refused.axiom}`))),
            make("p", {}, say(`rule_${refused.axiom}`)),
            make(
                "ol",
                {},
                ...links.map(({kind, from, to}) =>
                    make("li", {}, say(`link_${kind}`, named(from), named(to))),
                ),
            ),
            links.length ? make("p", {}, say("roundabout", named(links[0].from))) : "",
        );
    }

    function show(outcome, refused) {
        execution = refused ? refused.execution : outcome.execution;
        const played = playOrder(execution, test.threads);
        order = played.order;
        steps = order.filter(i => execution.events[i].thread !== undefined);
        current = steps.length - 1;
        title.textContent = say(
            refused ? "forbiddenExecution" : "allowedExecution",
            outcome.values.map((value, i) => `${test.names[i]}=${value}`).join(", "),
        );
        how.textContent = say(refused && played.how === "orderLatest" ? "orderRefused" : played.how);
        drawWhy(refused);
        if (steps.length) draw();
    }

    const keys = {
        ArrowLeft: () => go(current - 1),
        ArrowUp: () => go(current - 1),
        ArrowRight: () => go(current + 1),
        ArrowDown: () => go(current + 1),
        Home: () => go(0),
        End: () => go(steps.length - 1),
    };
    section.addEventListener("keydown", event => {
        const action = keys[event.key];
        if (!action || !steps.length || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        action();
    });
    const button = (key, target) => make("button", {type: "button", click: () => go(target())}, say(key));
    const table = make(
        "div",
        {class: "scroll", tabindex: 0, role: "group", "aria-label": say("execution"), id: "event-table"},
        make("table", {class: "steps"}, head, body),
    );
    section.append(
        title,
        how,
        make("p", {class: "small onscreen"}, say("eventHelp")),
        make(
            "div",
            {class: "controls"},
            button("first", () => 0),
            button("back", () => current - 1),
            button("next", () => current + 1),
            button("last", () => steps.length - 1),
        ),
        make(
            "div",
            {class: test.threads.length > 2 ? null : "beside"},
            picture,
            make("div", {}, detail, why),
        ),
        make("p", {class: "small"}, say("legend")),
        table,
    );
    return {show, focus: () => (section.scrollIntoView(), table.focus({preventScroll: true}))};
}

/* ---- the test and its outcomes ---- */

function testSource(test, line) {
    const marks = new Map(line ? [[line, {class: "now", text: "▶"}]] : []);
    return sourceTable(
        {name: test.file || test.name, lines: test.lines},
        marks.size ? marks : new Map([[1, undefined]]),
        test.lines.length,
    );
}

function outcomeRow(test, outcome, view) {
    const jump = (text, refused) =>
        make(
            "button",
            {
                type: "button",
                click: () => {
                    view.show(outcome, refused);
                    view.focus();
                },
            },
            text,
        );
    const buttons = outcome.allowed
        ? outcome.execution
            ? [jump(say("showExecution"))]
            : []
        : outcome.refused.map(refused => jump(say("showWhy", say(`axiom_${refused.axiom}`)), refused));
    const interleaving =
        !outcome.allowed || outcome.interleaving === undefined
            ? ""
            : say(outcome.interleaving ? "yes" : "onlyWeak");
    return make(
        "tr",
        {class: outcome.allowed ? "allowed" : "forbidden"},
        ...outcome.values.map(value => make("td", {class: "code"}, String(value))),
        make("td", {}, say(outcome.allowed ? "allowed" : "forbidden")),
        make("td", {}, outcome.allowed ? String(outcome.count) : ""),
        make("td", {}, interleaving),
        make("td", {}, outcome.satisfies ? say("asked") : ""),
        make("td", {}, ...buttons),
    );
}

function drawOutcomes(test, section, view) {
    const heads = [
        ...test.names,
        ...["verdict", "executions", "interleaved", "clauseHead", "showHead"].map(key => say(key)),
    ];
    const asked = test.outcomes.some(outcome => outcome.satisfies);
    const notes = [
        [test.stuck, say("stuck", test.stuck)],
        [test.cut || test.gave_up, say("notAll")],
        [test.refused_cut, say("refusedCut")],
        [!asked && !test.refused_cut && !test.gave_up && !test.cut, say("noneAsked")],
        [test.race_text || test.race === "yes", say("raceAt", test.race_text || "?")],
        [test.divergence, say("divergenceAt", test.divergence)],
    ];
    section.append(
        make("p", {}, say(`clause_${test.holds}`, test.clause)),
        ...notes.filter(([given]) => given).map(([, text]) => make("p", {}, text)),
        make(
            "div",
            {class: "scroll", tabindex: 0, role: "group", "aria-label": say("outcomes")},
            make(
                "table",
                {class: "steps outcomes"},
                make("thead", {}, make("tr", {}, ...heads.map(text => make("th", {scope: "col"}, text)))),
                make("tbody", {}, ...test.outcomes.map(outcome => outcomeRow(test, outcome, view))),
            ),
        ),
    );
}

/* What the clause asks for is shown first: that is what the test is about. */
function firstShown(test) {
    const shows = outcome => (outcome.allowed ? outcome.execution : outcome.refused.length);
    return test.outcomes.find(outcome => outcome.satisfies && shows(outcome)) || test.outcomes.find(shows);
}

function drawLitmus(data, sections) {
    const test = data.litmus,
        source = make("div", {});
    source.append(testSource(test));
    sections.test.append(source);
    const view = makeExecution(test, sections.execution, source);
    drawOutcomes(test, sections.outcomes, view);
    const first = firstShown(test);
    if (first) view.show(first, first.allowed ? undefined : first.refused[0]);
}
