/* The page of a litmus test: its outcomes, and an execution of each that can be stepped through; of outcomes
 * that cannot be, the cycle that an axiom refuses. */
const BOX_WIDTH = 200,
    BOX_HEIGHT = 38,
    COLUMN_WIDTH = 300,
    ROW_HEIGHT = 58,
    GRAPH_TOP = 64;

/* Short names of edges in the picture, and how far from the middle of a box they begin. */
/** @type {Record<LinkKind, {name: string, shift: number}>} */
const EDGES = {
    "reads-from": {name: "rf", shift: -8},
    "modification-order": {name: "mo", shift: 12},
    "synchronises-with": {name: "sw", shift: 4},
    "reads-before": {name: "fr", shift: -2},
    "program-order": {name: "po", shift: 0},
    "happens-before": {name: "hb", shift: 8},
    initial: {name: "hb", shift: 0},
};

/** @param {LitmusEvent} event */
function eventWords(event) {
    switch (event.kind) {
        case "update":
            return say("didUpdate", event.location, event.read, event.wrote);
        case "update-failed":
            return say("didFail", event.location, event.read);
        case "read":
            return say("didRead", event.location, event.read);
        case "initial":
        case "write":
            return say("didWrite", event.location, event.wrote);
        case "fence":
            return say("fence");
        case "barrier-entry":
            return say("barrierEntry");
        case "barrier-exit":
            return say("barrierExit");
    }
}

/** @param {LitmusEvent} event */
function eventSide(event) {
    if (event.atomic === false && event.location) return say("plainAccess");
    return [event.order, event.scope, event.regions].filter(word => word).join(", ");
}

/** @param {LitmusExecution} execution @param {LitmusThread[]} threads */
function executionEdges(execution, threads) {
    const {events} = execution;
    /** @type {Record<"program" | "reads" | "stores" | "overwritten" | "barriers", EventPair[]>} */
    const edges = {program: [], reads: [], stores: [], overwritten: [], barriers: []};
    events.forEach((event, i) => {
        if (i && event.thread !== undefined && events[i - 1].thread === event.thread)
            edges.program.push([i - 1, i]);
        if (event.reads_from !== undefined) edges.reads.push([event.reads_from, i]);
        events.forEach((other, k) => {
            if (
                event.kind === "barrier-entry" &&
                other.kind === "barrier-exit" &&
                event.instance === other.instance &&
                threads[event.thread].group === threads[other.thread].group
            )
                edges.barriers.push([i, k]);
        });
    });
    for (const {stores: list} of execution.modification) {
        list.forEach((store, i) => i && edges.stores.push([list[i - 1], store]));
        for (const [source, read] of edges.reads)
            if (list.includes(source))
                for (const store of list.slice(list.indexOf(source) + 1))
                    if (store !== read) edges.overwritten.push([read, store]);
    }
    return edges;
}

/* The order in which the page plays it: an interleaving where there is one; else each store before the reads
 * that take it; else program order. */
/**
 * @param {LitmusExecution} execution @param {LitmusThread[]} threads
 * @returns {{order: number[], how: "orderLatest" | "orderCaused" | "orderNone"}}
 */
function playOrder(execution, threads) {
    const {program, reads, stores, overwritten, barriers} = executionEdges(execution, threads),
        count = execution.events.length;
    /** @param {EventPair} pair */
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

/* The edges to draw: those of the execution, with the number that the cycle gives them, and what the cycle
 * has besides. */
/** @param {LitmusExecution} execution @param {LitmusThread[]} threads */
function edgesToDraw(execution, threads) {
    const {program, reads, stores} = executionEdges(execution, threads);
    /** @type {DrawnLink[]} */
    const drawn = [];
    /** @param {LinkKind} kind @param {EventPair[]} pairs */
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

/** @param {number} x @param {number} y @returns {Box} */
function boxAt(x, y) {
    return {x, y, width: BOX_WIDTH, height: BOX_HEIGHT};
}

/**
 * @param {LitmusTest} test @param {LitmusExecution} execution
 * @param {number[]} order @param {Set<number>} played
 */
function graph(test, execution, order, played) {
    const {events} = execution,
        threads = test.threads;
    /** @type {Map<number, number>} */
    const rank = new Map();
    /** @param {number} i */
    const rankOf = i => known(rank.get(i));
    order.filter(i => events[i].thread !== undefined).forEach((i, at) => rank.set(i, at));
    const width = threads.length * COLUMN_WIDTH,
        height = GRAPH_TOP + rank.size * ROW_HEIGHT + 10;
    const boxes = events.map((event, i) =>
        event.thread === undefined
            ? boxAt((width - BOX_WIDTH) / 2, 18 - BOX_HEIGHT / 2)
            : boxAt(event.thread * COLUMN_WIDTH + 20, GRAPH_TOP + rankOf(i) * ROW_HEIGHT),
    );
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
        .map(eventWords)
        .join(", ");
    picture.append(make("text", {x: 20, y: 18}, say("initially", initial)));
    for (const {kind, from, to, numbers} of edgesToDraw(execution, threads)) {
        const within = events[from].kind === "initial" || events[to].kind === "initial",
            seen = numbers.length || (played.has(from) && played.has(to));
        if (!seen || (within && !numbers.length)) continue;
        const neighbour =
            kind === "program-order" && Math.abs(rankOf(from) - rankOf(to)) <= threads.length;
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

/** @param {LitmusTest} test @param {HTMLElement} section @param {HTMLElement} sourceBox */
function makeExecution(test, section, sourceBox) {
    const title = make("h3", {id: "shown-execution"}),
        how = make("p", {class: "small"}),
        picture = make("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": say("picture")}),
        head = make("thead"),
        body = make("tbody"),
        detail = make("div", {"aria-live": "polite", id: "event-detail"}),
        why = make("div", {id: "why"});
    /** @type {LitmusExecution} */
    let execution = {events: [], modification: []};
    /** @type {number[]} */
    let steps = [];
    let current = 0;

    /** @param {number} i */
    const numberOf = i => steps.indexOf(i) + 1;
    /** @param {number} i */
    const nameOf = i => {
        const event = execution.events[i];
        return event.kind === "initial" ? say("initialStore", event.location) : say("stepName", numberOf(i));
    };
    /** @param {number} i */
    const named = i => {
        const event = execution.events[i];
        return event.kind === "initial" ? nameOf(i) : `${nameOf(i)} (${threadWords(event)})`;
    };
    /** @param {LitmusEvent} event */
    const threadWords = event =>
        (event.kind === "initial" ? "" : `${say("threadShort", event.thread)}: `) + eventWords(event);

    /** @param {Set<number>} played */
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
    /** @param {number[]} list @param {Set<number>} played */
    function storesSoFar(list, played) {
        return list.filter(i => played.has(i) || execution.events[i].kind === "initial");
    }

    /** @param {number} i @param {Set<number>} played */
    function relations(i, played) {
        const event = execution.events[i];
        /** @type {string[]} */
        const lines = [];
        if (event.reads_from !== undefined) {
            lines.push(say("takesFrom", event.location, named(event.reads_from)));
            const {stores} = known(execution.modification.find(each => each.location === event.location)),
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

    /** @param {Set<number>} played */
    function drawDetail(played) {
        const i = steps[current],
            event = execution.events[i];
        detail.replaceChildren(
            make("h4", {}, say("now", current + 1, steps.length, threadWords(event))),
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

    /** @param {number} target */
    function go(target) {
        if (!steps.length) return;
        current = Math.max(0, Math.min(steps.length - 1, target));
        draw();
        play.stepped();
    }

    const play = makePlay("execution-speed", {
        next: () => go(current + 1),
        isLast: () => current >= steps.length - 1,
        rewind: () => go(0),
    });

    /** @param {RefusedExecution} [refused] */
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

    /** @param {LitmusOutcome} outcome @param {LitmusExecution} shown @param {RefusedExecution} [refused] */
    function show(outcome, shown, refused) {
        play.stop();
        execution = shown;
        const played = playOrder(execution, test.threads);
        steps = played.order.filter(i => execution.events[i].thread !== undefined);
        current = steps.length - 1;
        title.textContent = say(
            refused ? "forbiddenExecution" : "allowedExecution",
            outcome.values.map((value, i) => `${test.names[i]}=${value}`).join(", "),
        );
        how.textContent = say(refused && played.how === "orderLatest" ? "orderRefused" : played.how);
        drawWhy(refused);
        if (steps.length) draw();
    }

    /** @type {Record<string, () => void>} */
    const keys = {
        ArrowLeft: () => go(current - 1),
        ArrowUp: () => go(current - 1),
        ArrowRight: () => go(current + 1),
        ArrowDown: () => go(current + 1),
        Home: () => go(0),
        End: () => go(steps.length - 1),
        " ": play.toggle,
    };
    section.addEventListener("keydown", event => {
        const action = keys[event.key];
        if (!action || !steps.length || usesKey(event)) return;
        event.preventDefault();
        action();
    });
    /** @param {Word} key @param {() => number} target */
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
            play.button,
            button("next", () => current + 1),
            button("last", () => steps.length - 1),
            ...play.speed,
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

/** @param {LitmusTest} test @param {number} [line] */
function testSource(test, line) {
    /** @type {Map<number, LineMark>} */
    const marks = new Map(line ? [[line, {class: "now", text: "▶"}]] : []);
    return sourceTable(
        {name: test.file || test.name, lines: test.lines},
        marks.size ? marks : new Map([[1, undefined]]),
        test.lines.length,
    );
}

/** @param {LitmusOutcome} outcome @param {ExecutionView} view */
function outcomeRow(outcome, view) {
    /** @param {string} text @param {LitmusExecution} execution @param {RefusedExecution} [refused] */
    const jump = (text, execution, refused) =>
        make(
            "button",
            {
                type: "button",
                click: () => {
                    view.show(outcome, execution, refused);
                    view.focus();
                },
            },
            text,
        );
    const buttons = outcome.allowed
        ? outcome.execution
            ? [jump(say("showExecution"), outcome.execution)]
            : []
        : outcome.refused.map(refused =>
              jump(say("showWhy", say(`axiom_${refused.axiom}`)), refused.execution, refused),
          );
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

/** @param {LitmusTest} test @param {HTMLElement} section @param {ExecutionView} view */
function drawOutcomes(test, section, view) {
    /** @type {Word[]} */
    const words = ["verdict", "executions", "interleaved", "clauseHead", "showHead"];
    const heads = [...test.names, ...words.map(key => say(key))];
    const asked = test.outcomes.some(outcome => outcome.satisfies);
    /** @type {[unknown, string][]} */
    const notes = [
        [test.stuck, say("stuck", test.stuck)],
        [test.cut || test.gave_up, say("notAll")],
        [test.refused_cut, say("refusedCut")],
        [!asked && !test.refused_cut && !test.gave_up && !test.cut, say("noneAsked")],
        [test.race_text || test.race === "yes", say("raceAt", test.race_text || "?")],
        [test.divergence, say("divergenceAt", test.divergence || "")],
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
                make("tbody", {}, ...test.outcomes.map(outcome => outcomeRow(outcome, view))),
            ),
        ),
    );
}

/* What the clause asks for is shown first: that is what the test is about. */
/** @param {LitmusTest} test */
function firstShown(test) {
    /** @param {LitmusOutcome} outcome */
    const shows = outcome => (outcome.allowed ? outcome.execution : outcome.refused.length);
    return test.outcomes.find(outcome => outcome.satisfies && shows(outcome)) || test.outcomes.find(shows);
}

/** @param {LitmusTest} test @param {Sections<"test" | "outcomes" | "execution">} sections */
function drawLitmus(test, sections) {
    const source = make("div", {});
    source.append(testSource(test));
    sections.test.append(source);
    const view = makeExecution(test, sections.execution, source);
    drawOutcomes(test, sections.outcomes, view);
    const first = firstShown(test);
    if (!first) return;
    const refused = first.allowed ? undefined : first.refused[0],
        execution = first.allowed ? first.execution : first.refused[0].execution;
    if (execution) view.show(first, execution, refused);
}
