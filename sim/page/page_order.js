/* The order around the accesses of a finding, as a picture: a column for each work-item, its operations from top
 * to bottom, and edges between them: those that order, the one that is missing, and what the fix adds. */
const ORDER_WIDTH = 1560,
    ORDER_MARGIN = 80,
    ORDER_GAP = 230,
    ORDER_BOX = 390,
    ORDER_HEIGHT = 86,
    ORDER_ROW = 122,
    ORDER_TOP = 48,
    ORDER_OPEN = 20;

/** @param {Finding} finding @returns {OrderNode[]} */
function orderNodes(finding) {
    /** @param {number} side @param {boolean} before */
    const stepsOf = (side, before) =>
        finding.steps.flatMap((step, i) =>
            step.side === side && step.before === before
                ? [{side, step: i, title: step.step || "", place: step}]
                : [],
        );
    const sides = Math.max(1, ...finding.steps.map(step => step.side)) + 1;
    return Array.from({length: sides}, (none, side) => side).flatMap(side => {
        const access = side < 2 ? finding.accesses[side] : undefined;
        /** @type {OrderNode[]} */
        const own = access
            ? [{side, access: side, title: accessTitle(access, side), place: access}]
            : [];
        return [...stepsOf(side, true), ...own, ...stepsOf(side, false)];
    });
}

/** @param {FindingAccess} access @param {number} a */
function accessTitle(access, a) {
    const done = accessText({
        ...access,
        item: undefined,
        by: undefined,
        values: undefined,
        called_from: undefined,
    });
    return `${say("access", a + 1)}: ${done}`;
}

/* Whose column it is. */
/** @param {Finding} finding @param {OrderNode} node */
function columnTitle(finding, {side, step}) {
    const access = finding.accesses[side],
        item = access ? access.item : step === undefined ? undefined : finding.steps[step].item;
    return item
        ? say("itemShort", idsText(item.global_id), item.sub_group, idsText(item.group_id))
        : (access && (access.by || access.device)) || "";
}

/* What the boxes are reached by, in any number of edges. */
/** @param {number} count @param {EventPair[]} edges */
function reachedFrom(count, edges) {
    const order = sorted(count, edges) || [];
    /** @type {Set<number>[]} */
    const reached = Array.from({length: count}, () => new Set());
    for (const at of order.reverse())
        for (const [from, to] of edges)
            if (from === at) for (const each of [to, ...reached[to]]) reached[at].add(each);
    return reached;
}

/* Of an access the first box of each other column that it happens before, unless it synchronises with it. */
/** @param {OrderNode[]} nodes @param {EventPair[]} program @param {EventPair[]} synchronises */
function happensBefore(nodes, program, synchronises) {
    const reached = reachedFrom(nodes.length, [...program, ...synchronises]);
    /** @type {EventPair[]} */
    const pairs = [];
    nodes.forEach((node, i) => {
        if (node.access === undefined) return;
        /** @type {Set<number>} */
        const sides = new Set([node.side]);
        for (const to of [...reached[i]].sort((a, b) => a - b)) {
            if (sides.has(nodes[to].side)) continue;
            sides.add(nodes[to].side);
            if (!synchronises.some(pair => pair[0] === i && pair[1] === to)) pairs.push([i, to]);
        }
    });
    return pairs;
}

/**
 * @param {Finding} finding @param {OrderNode[]} nodes
 * @returns {{kind: OrderLink, from: number, to: number}[]}
 */
function orderLinks(finding, nodes) {
    /** @type {EventPair[]} */
    const program = [];
    nodes.forEach((node, i) => i && nodes[i - 1].side === node.side && program.push([i - 1, i]));
    /** @param {number} step */
    const nodeOf = step => nodes.findIndex(node => node.step === step);
    /** @param {boolean} present @returns {EventPair[]} */
    const edges = present =>
        finding.edges
            .filter(edge => edge.synchronises === present)
            .map(edge => [nodeOf(edge.from), nodeOf(edge.to)]);
    const accesses = nodes.flatMap((node, i) => (node.access === undefined ? [] : [i]));
    /** @type {EventPair[]} */
    const both = accesses.length === 2 ? [[accesses[0], accesses[1]]] : [];
    const fixed = /^(tried|compiles|orders)$/.test(finding.fix_claim || "");
    /** @type {[OrderLink, EventPair[]][]} */
    const kinds = [
        ["program-order", program],
        ["synchronises-with", edges(true)],
        ["happens-before", happensBefore(nodes, program, edges(true))],
        ["missing", edges(false)],
        ["unordered", /^race/.test(finding.id) ? both : []],
        ["fix", fixed ? both : []],
    ];
    return kinds.flatMap(([kind, pairs]) => pairs.map(([from, to]) => ({kind, from, to})));
}

/* In which row each box stands: below all that come before it. */
/** @param {OrderNode[]} nodes @param {{kind: OrderLink, from: number, to: number}[]} links */
function orderRows(nodes, links) {
    /** @param {(kind: OrderLink) => boolean} accept @returns {EventPair[]} */
    const pairs = accept => links.filter(link => accept(link.kind)).map(link => [link.from, link.to]);
    const all = pairs(kind => kind !== "unordered" && kind !== "fix"),
        some = pairs(kind => kind === "program-order"),
        edges = sorted(nodes.length, all) ? all : some;
    /** @type {number[]} */
    const row = Array(nodes.length).fill(0);
    for (const at of known(sorted(nodes.length, edges)))
        for (const [from, to] of edges) if (from === at) row[to] = Math.max(row[to], row[at] + 1);
    return row;
}

/** @param {string} text @param {number} width @param {number} size */
function cutText(text, width, size) {
    const most = Math.floor(width / (size * 0.61));
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/* An edge, and where its name stands: at this part of the gap between columns that it enters first. */
/** @param {Box} from @param {Box} to @param {number} shift @param {number} gap @param {number} place */
function orderPath(from, to, shift, gap, place) {
    const path = edgePath(from, to, shift);
    if (from.x === to.x) return {...path, anchor: "start"};
    const right = to.x > from.x,
        x1 = right ? from.x + from.width : from.x,
        x2 = right ? to.x : to.x + to.width,
        part = Math.min(1, (gap * place) / Math.abs(x2 - x1));
    /* Of the curve with both control points in the middle x grows as 1.5t - 1.5t² + t³, y as 3t² - 2t³. */
    let t = 0;
    while (1.5 * t - 1.5 * t ** 2 + t ** 3 < part) t += 0.01;
    const y1 = from.y + from.height / 2,
        y = y1 + (to.y + to.height / 2 - y1) * (3 * t ** 2 - 2 * t ** 3);
    return {d: path.d, x: x1 + (x2 - x1) * part, y: y + shift - 4, anchor: "middle"};
}

/* Down until it hides no other name. */
/** @param {{x: number, y: number}} at @param {{x: number, y: number}[]} names */
function freePlace({x, y}, names) {
    while (names.some(name => Math.abs(name.x - x) < 50 && Math.abs(name.y - y) < 18)) y += 6;
    names.push({x, y});
    return {x, y};
}

/* Short names, as of a litmus test's edges; the legend has the words. */
/** @type {Record<OrderLink, string>} */
const EDGE_NAMES = {
    "program-order": "",
    "synchronises-with": "sw",
    "happens-before": "hb",
    missing: "✗ sw",
    unordered: "✗ hb",
    fix: "✓ hb",
};

/** @type {Record<OrderLink, number>} */
const ORDER_SHIFTS = {
    "program-order": 0,
    "synchronises-with": 0,
    "happens-before": 18,
    missing: -4,
    unordered: -14,
    fix: 14,
};

/* Names stand side by side where the edges between two boxes cross. */
/** @type {Record<OrderLink, number>} */
const NAME_PLACES = {
    "program-order": 0.5,
    "synchronises-with": 0.5,
    "happens-before": 0.5,
    missing: 0.5,
    unordered: 0.2,
    fix: 0.8,
};

/* And on which side of its edge a name stands that is not on it. */
/** @type {Partial<Record<OrderLink, string>>} */
const NAME_SIDES = {missing: "start", unordered: "start", fix: "end"};

/** @param {OrderNode} node @param {Box} box */
function orderBox(node, box) {
    const place = placeText(node.place),
        text = (node.place.text || "").trim();
    return make(
        "g",
        {class: node.access === undefined ? "event" : `event access ${node.access ? "two" : "one"}`},
        make("title", {}, `${node.title}\n${place} ${text}`),
        make("rect", {...box, rx: 6}),
        make("text", {x: box.x + 12, y: box.y + 26}, cutText(node.title, box.width - 24, 15)),
        make(
            "text",
            {x: box.x + 12, y: box.y + 50, class: "side"},
            cutText(place, box.width - 24, 14),
        ),
        make(
            "text",
            {x: box.x + 12, y: box.y + 72, class: "side"},
            cutText(text, box.width - 24, 14),
        ),
    );
}

/** @param {Finding} finding @param {number} f */
function orderPicture(finding, f) {
    const nodes = orderNodes(finding),
        links = orderLinks(finding, nodes),
        rows = orderRows(nodes, links);
    /* Those on the way stand between the two. */
    /** @param {number} side */
    const rank = side => (side === 1 ? Infinity : side);
    const sides = [...new Set(nodes.map(node => node.side))].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
    const gap = sides.length > 2 ? ORDER_GAP / 2 : ORDER_GAP,
        width = Math.min(ORDER_BOX, (ORDER_WIDTH - gap * (sides.length - 1)) / sides.length - 40);
    const boxes = nodes.map((node, i) => ({
        x: 20 + sides.indexOf(node.side) * (width + gap),
        y: ORDER_TOP + rows[i] * ORDER_ROW,
        width,
        height: ORDER_HEIGHT,
    }));
    const total = 20 + ORDER_MARGIN + sides.length * width + (sides.length - 1) * gap,
        height = ORDER_TOP + (Math.max(...rows) + 1) * ORDER_ROW - (ORDER_ROW - ORDER_HEIGHT) + 20;
    const ids = ["order", "sync", "bad", "good"].map(each => `arrow-${each}-${f}`);
    /** @type {Record<OrderLink, string>} */
    const heads = {
        "program-order": ids[0],
        "synchronises-with": ids[1],
        "happens-before": ids[1],
        missing: ids[2],
        unordered: "",
        fix: ids[3],
    };
    const sorts = ["edge", "sync", "cycle", "fix"];
    const picture = make(
        "svg",
        {
            viewBox: `0 0 ${total} ${height}`,
            width: total,
            role: "img",
            class: "execution order",
            "aria-label": say("orderLabel", f + 1),
        },
        make("defs", {}, ...ids.map((id, i) => arrow(id, sorts[i]))),
    );
    for (const side of sides) {
        const node = known(nodes.find(each => each.side === side)),
            x = 20 + sides.indexOf(side) * (width + gap),
            room = width + Math.min(gap, ORDER_MARGIN);
        picture.append(
            make("text", {x, y: 26, class: "thread"}, cutText(columnTitle(finding, node), room, 15)),
        );
    }
    /** @type {{x: number, y: number}[]} */
    const taken = [];
    const names = links.map(({kind, from, to}) => {
        const plain = kind === "program-order",
            path = plain
                ? {...straightPath(boxes[from], boxes[to]), anchor: "start"}
                : orderPath(boxes[from], boxes[to], ORDER_SHIFTS[kind], gap, NAME_PLACES[kind]);
        picture.append(
            make("path", {
                class: `edge ${kind}`,
                d: path.d,
                "marker-end": heads[kind] ? `url(#${heads[kind]})` : null,
            }),
        );
        if (plain) return "";
        const place = freePlace(path, taken),
            beside = from !== to && boxes[from].x !== boxes[to].x ? NAME_SIDES[kind] : undefined;
        if (beside) place.x += beside === "start" ? 10 : -10;
        return make(
            "text",
            {class: `name ${kind}`, ...place, "text-anchor": beside || path.anchor},
            EDGE_NAMES[kind],
        );
    });
    nodes.forEach((node, i) => picture.append(orderBox(node, boxes[i])));
    picture.append(...names);
    return picture;
}

/* The same as text. */
/** @param {Finding} finding */
function orderList(finding) {
    /** @param {FindingStep} step */
    const key = step => (step.side > 1 ? "ofOther" : step.before ? "beforeAccess" : "afterAccess");
    /** @param {WorkItem} item */
    const who = item =>
        say("item", idsText(item.global_id), item.sub_group, idsText(item.group_id), item.compute_unit);
    const rows = finding.steps.map((step, i) =>
        make(
            "li",
            {value: i + 1},
            `${step.step || ""}, ${say(key(step), step.side + 1)}, `,
            step.item ? `${who(step.item)}, ` : "",
            placeText(step),
        ),
    );
    const pairs = finding.edges.map(edge =>
        make("li", {}, say(edge.synchronises ? "synchronises" : "missing", edge.from + 1, edge.to + 1)),
    );
    return rows.length
        ? make(
              "details",
              {},
              make("summary", {}, say("orderAsText")),
              make("ol", {}, ...rows),
              make("ul", {}, ...pairs),
          )
        : "";
}

/* Of findings past the first ones the picture is drawn once it is opened. */
/** @param {Finding} finding @param {number} f */
function orderEntries(finding, f) {
    if (!finding.steps.length && !(/^race/.test(finding.id) && finding.accesses.length > 1)) return null;
    let drawn = false;
    const box = make("details", {toggle: () => draw()}, make("summary", {}, say("orderOf")));
    const draw = () => {
        if (!drawn)
            box.append(
                make(
                    "div",
                    {class: "scroll", tabindex: 0, role: "group", "aria-label": say("orderLabel", f + 1)},
                    orderPicture(finding, f),
                ),
                make("p", {class: "small"}, say("orderLegend")),
                orderList(finding),
            );
        drawn = true;
    };
    if (f < ORDER_OPEN) {
        box.open = true;
        draw();
    }
    return box;
}
