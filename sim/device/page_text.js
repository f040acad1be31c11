/* All words of the page, for whoever translates it; {0}, {1} stand for what is filled in. */
const TEXT = {
    title: "Orrery: {0}",
    untitled: "a run",
    summary: "Errors: {0}. Warnings: {1}. Suppressed: {2}. Kernels run: {3}. Schedule: {4}, seed {5}.",
    findings: "Findings",
    steps: "Steps",
    timeline: "Timeline",
    topology: "Topology",
    noFindings: "Nothing was found.",
    findingsLeftOut: "{0} more findings are not on this page.",
    why: "Why",
    fix: "Fix",
    advice: "Advice",
    tried: "tried: removes this fault",
    compiles: "compiles; not run again",
    orders: "orders the two; not run again",
    fails: "tried: {0}",
    spec: "Specification",
    object: "Object",
    kernel: "Kernel",
    times: "Times",
    caused: "May follow from",
    access: "Access {0}",
    calledFrom: "called from {0}",
    sourceOf: "Source: {0}",
    marks: "Accesses",
    line: "Line",
    text: "Text",
    item: "work-item ({0}), sub-group {1}, work-group ({2}), compute unit {3}",
    bytes: "bytes {0} to {1}",
    byte: "byte {0}",
    read: "read {0}",
    wrote: "wrote {0}",
    size: "{0} bytes",
    atLeast: "at least {0}",
    enqueued: "Enqueued at",
    edits: "Changed text",
    edit: "{0}:{1}:{2}: {3}",
    nothing: "(nothing)",
    toStep: "Show access {0} in the steps",
    notInSteps: "Access {0} is not among the steps on this page.",
    noSteps: "No kernel accessed memory that others see.",
    lostSteps: "The steps are not known: memory ran out.",
    stepsAll: "All {0} steps.",
    stepsSome: "The first {0} of {1} steps.",
    stepsHelp:
        "Left and right arrow: one step; page up and page down: 20 steps; Home and End: first and last; " +
        "P and N: the previous and next step of the same column; space: play or pause.",
    first: "First",
    back: "Back",
    play: "Play",
    pause: "Pause",
    next: "Next",
    last: "Last",
    position: "Step",
    columnsPer: "A column for each",
    perItem: "work-item",
    perSubGroup: "sub-group",
    perGroup: "work-group",
    others: "Others",
    number: "Step",
    place: "Place",
    columns: "Columns {0} to {1} of {2}.",
    nameLaunch: "launch {0}, ",
    nameItem: "group {0}, item {1}",
    nameSubGroup: "group {0}, sub-group {1}",
    nameGroup: "group {0}",
    itemDoes: "item {0}: {1}",
    launch: "launch {0}: kernel {1}, {2} work-items in groups of {3}",
    readsFrom: "Reads from step {0}",
    noWriter: "Reads what was there before the first step",
    recent: "Accesses of these bytes up to here",
    passage: "passes together: {0}",
    orderOf: "Order",
    beforeAccess: "before access {0}",
    afterAccess: "after access {0}",
    ofOther: "of another work-item",
    synchronises: "{0} synchronises with {1}",
    missing: "{0} does not synchronise with {1}, and would have to",
    finding: "finding {0}, access {1}",
    now: "Step {0} of {1}: {2}",
    order: "{0}, {1} scope",
    noTimeline: "Nothing ran on a compute unit.",
    timelineSome: "{0} spans are left out.",
    timelineLabel:
        "Simulated time from {0} to {1} microseconds; a bar for each work-group on its compute unit, and " +
        "in it its time slices",
    timelineTable: "The timeline as a table",
    what: "What",
    where: "Where",
    from: "From (µs)",
    lasts: "Lasts (µs)",
    device: "device {0} {1}",
    accesses: "accesses",
    hits: "hits",
    misses: "misses",
    evictions: "evictions",
    bytesMoved: "bytes",
    remote: "remote bytes",
    hitRate: "{0}% hits",
    capacity: "{0} bytes",
    counted: "Counters of source lines",
    incomplete: "Not all accesses are counted: memory ran out.",
    file: "File",
};

function say(key, ...values) {
    return TEXT[key].replace(/\{(\d)\}/g, (mark, index) => values[index]);
}

/* An element with attributes and children; strings become text, never markup. */
function make(name, attributes, ...children) {
    const svg = ["svg", "rect", "text", "title", "line", "g"].includes(name);
    const element = svg
        ? document.createElementNS("http://www.w3.org/2000/svg", name)
        : document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {}))
        if (typeof value === "function") element.addEventListener(key, value);
        else if (value !== null && value !== undefined) element.setAttribute(key, value);
    element.append(...children.filter(child => child !== null && child !== undefined));
    return element;
}
