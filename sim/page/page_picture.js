/* What pictures of boxes and edges share: their order, the paths of edges, and arrows. */
/* An order of what the edges connect, the lowest first of those that may be next; null: they form a cycle. */
/** @param {number} count @param {EventPair[]} edges */
function sorted(count, edges) {
    /** @type {number[][]} */
    const after = Array.from({length: count}, () => []);
    /** @type {number[]} */
    const waits = Array(count).fill(0);
    /** @type {number[]} */
    const order = [];
    for (const [from, to] of edges) {
        after[from].push(to);
        waits[to]++;
    }
    /** @type {number[]} */
    const ready = [];
    for (let i = 0; i < count; i++) if (!waits[i]) ready.push(i);
    while (ready.length) {
        const next = ready.splice(ready.indexOf(Math.min(...ready)), 1)[0];
        order.push(next);
        for (const to of after[next]) if (!--waits[to]) ready.push(to);
    }
    return order.length === count ? order : null;
}

/** @param {Box} from @param {Box} to @param {number} shift */
function edgePath(from, to, shift) {
    const same = from.x === to.x,
        right = same || to.x > from.x;
    const x1 = from.x + (right ? from.width : 0),
        x2 = to.x + (same || !right ? to.width : 0),
        y1 = from.y + from.height / 2 + shift,
        y2 = to.y + to.height / 2 + shift;
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

/** @param {Box} from @param {Box} to */
function straightPath(from, to) {
    const x = from.x + from.width / 2,
        y1 = from.y + (to.y > from.y ? from.height : 0),
        y2 = to.y + (to.y > from.y ? 0 : to.height);
    return {d: `M${x} ${y1}L${to.x + to.width / 2} ${y2}`, x: x + 6, y: (y1 + y2) / 2 + 4};
}

/** @param {string} id @param {string} kind */
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
