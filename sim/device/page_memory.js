/* The memory at the current step: what each element holds, and its last accesses. An element is as large as
 * the smallest access of the object allows, so that all of its bytes have the same accesses. Values are those
 * that steps read and wrote; what no step has read or written is not known. */
const MEMORY_ROWS = 24,
    READS_SHOWN = 4,
    BYTES_MOST = 16;

/* Local memory is another one in each work-group and launch. */
function memoryKey(step) {
    return step.region === "local" ? `${step.launch}.${step.group}.${step.object}` : String(step.object);
}

function divisor(a, b) {
    return b ? divisor(b, a % b) : a;
}

/* The bytes of a value as memory has them; undefined where the trace has none. */
function bytesOf(value, size) {
    if (value === undefined || size > 8) return undefined;
    const digits = value
            .slice(2)
            .padStart(2 * size, "0")
            .slice(-2 * size),
        bytes = [];
    for (let i = size; i-- > 0;) bytes.push(parseInt(digits.substr(2 * i, 2), 16));
    return bytes;
}

const MEMORY_FORMS = {
    signed: (view, size) => (size === 8 ? view.getBigInt64(0, true) : view[`getInt${8 * size}`](0, true)),
    unsigned: (view, size) =>
        size === 8 ? view.getBigUint64(0, true) : view[`getUint${8 * size}`](0, true),
    float: (view, size) =>
        size === 8
            ? view.getFloat64(0, true)
            : size === 4
              ? +view.getFloat32(0, true).toPrecision(9)
              : null,
};

function valueText(bytes, form) {
    if (!bytes) return "?";
    if (![1, 2, 4, 8].includes(bytes.length)) return "";
    const view = new DataView(new Uint8Array(bytes).buffer),
        value = MEMORY_FORMS[form](view, bytes.length);
    return value === null ? "" : String(value);
}

function bytesHex(bytes, size) {
    return bytes
        ? bytes.map(byte => byte.toString(16).padStart(2, "0")).join(" ")
        : Array(size).fill("??").join(" ");
}

/* The objects that steps access, each with its elements: offset to the indices of the steps. */
function memoryObjects(steps) {
    const objects = new Map();
    steps.forEach((step, i) => {
        if (step.type !== "access" || step.object === undefined) return;
        const key = memoryKey(step);
        if (!objects.has(key)) objects.set(key, {key, step, unit: 0, steps: [], elements: null});
        const object = objects.get(key);
        object.unit = divisor(divisor(object.unit, step.size), step.offset);
        object.steps.push(i);
    });
    return objects;
}

function elementsOf(object, steps) {
    if (object.elements) return object.elements;
    const elements = new Map();
    for (const i of object.steps)
        for (let at = steps[i].offset; at < steps[i].offset + steps[i].size; at += object.unit) {
            if (!elements.has(at)) elements.set(at, []);
            elements.get(at).push(i);
        }
    object.elements = new Map([...elements].sort((a, b) => a[0] - b[0]));
    object.offsets = [...object.elements.keys()];
    return object.elements;
}

/* How many of the ascending indices are at most i. */
function countUpTo(indices, i) {
    let low = 0,
        high = indices.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (indices[middle] <= i) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Of the element at `offset`, the part of what the step read or wrote. */
function partOf(step, offset, unit, value) {
    const bytes = bytesOf(value, step.size);
    return bytes && bytes.slice(offset - step.offset, offset - step.offset + unit);
}

/* What the element holds after step i. The host may have written between launches: the next read says so. */
function holds(steps, indices, count, offset, unit, now) {
    const last = count ? steps[indices[count - 1]] : undefined,
        next = count < indices.length ? steps[indices[count]] : undefined;
    const left = last && partOf(last, offset, unit, last.wrote !== undefined ? last.wrote : last.found);
    const ahead =
        next && next.found !== undefined && (!last || (last.launch !== next.launch && next.launch === now));
    return ahead ? partOf(next, offset, unit, next.found) : left;
}

function stepWrites(step) {
    return step.wrote !== undefined || /write|update/.test(step.kind);
}

function stepReads(step) {
    return /read|update/.test(step.kind);
}

/* The last write of the element, and the reads since. */
function lastAccesses(steps, indices, count) {
    const reads = [];
    for (let k = count; k-- > 0;) {
        if (stepWrites(steps[indices[k]])) return {write: indices[k], reads};
        reads.push(indices[k]);
    }
    return {write: undefined, reads};
}

function makeMemory(player, section) {
    if (!player) {
        section.append(make("p", {}, say("noSteps")));
        return null;
    }
    const {steps} = player,
        objects = memoryObjects(steps);
    if (!objects.size) {
        section.append(make("p", {}, say("noObjects")));
        return null;
    }
    const launches = new Set(steps.map(step => step.launch)).size;
    const title = ({step}) =>
        step.region === "local"
            ? say(
                  "localObject",
                  step.name,
                  (launches > 1 ? say("nameLaunch", step.launch) : "") + say("nameGroup", step.group),
              )
            : say("globalObject", step.name, step.object);
    let shown = objects.get(objects.keys().next().value),
        first = 0;

    const body = make("tbody"),
        now = make("p", {id: "memory-now", "aria-live": "polite"}),
        which = make("p", {class: "small"});
    const choice = make(
        "select",
        {id: "memory-object", change: () => show(objects.get(choice.value))},
        ...[...objects.values()].map(object => make("option", {value: object.key}, title(object))),
    );
    const form = make(
        "select",
        {id: "memory-form", change: () => draw()},
        ...Object.keys(MEMORY_FORMS).map(key => make("option", {value: key}, say(key))),
    );
    const follow = make("input", {
        type: "checkbox",
        id: "memory-follow",
        checked: "",
        change: () => draw(true),
    });

    function show(object) {
        shown = object;
        follow.checked = memoryKey(steps[player.at()]) === object.key;
        first = 0;
        draw();
    }

    const link = i =>
        make(
            "button",
            {type: "button", click: () => player.go(i)},
            say("byStep", i + 1, player.who(i)),
            player.marks(i) ? make("span", {class: "badge"}, player.marks(i)) : null,
        );

    function readers(reads) {
        const links = reads.slice(0, READS_SHOWN).map(link);
        if (reads.length > READS_SHOWN) links.push(` ${say("andMore", reads.length - READS_SHOWN)}`);
        return links;
    }

    function row(offset, current) {
        const indices = shown.elements.get(offset),
            count = countUpTo(indices, current),
            step = steps[current],
            size = Math.min(shown.unit, BYTES_MOST);
        const touched = count && indices[count - 1] === current;
        const value = holds(steps, indices, count, offset, shown.unit, step.launch),
            {write, reads} = lastAccesses(steps, indices, count);
        const before =
            touched &&
            stepWrites(step) &&
            holds(steps, indices, count - 1, offset, shown.unit, step.launch);
        const change =
            touched && stepWrites(step)
                ? say(
                      stepReads(step) ? "nowUpdated" : "nowWritten",
                      valueText(before || undefined, form.value),
                  )
                : touched
                  ? say("nowRead")
                  : "";
        return make(
            "tr",
            {"aria-current": touched ? "true" : null},
            make("th", {scope: "row"}, String(offset)),
            make("td", {class: "code"}, bytesHex(value, size)),
            make("td", {class: "code"}, valueText(value, form.value)),
            make("td", {}, change),
            make("td", {}, write === undefined ? say("noWrite") : link(write)),
            make("td", {}, ...(reads.length ? readers(reads) : [say("noRead")])),
        );
    }

    /* Of the step's object, if the reader has not chosen another one. */
    function draw(moved) {
        const current = player.at(),
            step = steps[current],
            own = objects.get(step.object === undefined ? "" : memoryKey(step));
        if (follow.checked && own) shown = own;
        choice.value = shown.key;
        elementsOf(shown, steps);
        const {offsets} = shown,
            most = Math.max(0, offsets.length - MEMORY_ROWS);
        if (moved && own === shown) {
            const at = offsets.indexOf(step.offset);
            if (at < first || at >= first + MEMORY_ROWS) first = at - (MEMORY_ROWS >> 1);
        }
        first = Math.max(0, Math.min(first, most));
        body.replaceChildren(
            ...offsets.slice(first, first + MEMORY_ROWS).map(offset => row(offset, current)),
        );
        now.textContent = say(
            "memoryNow",
            current + 1,
            steps.length,
            `${player.who(current)}: ${stepText(step)}`,
        );
        which.textContent = say(
            "memoryShown",
            first + 1,
            Math.min(first + MEMORY_ROWS, offsets.length),
            offsets.length,
            shown.unit,
        );
    }

    const move = by => {
        first += by;
        draw();
    };
    const button = (key, action) => make("button", {type: "button", click: action}, say(key));
    const heads = ["offset", "bytesHead", "value", "thisStep", "lastWrite", "readsSince"];
    const table = make(
        "div",
        {class: "scroll", tabindex: 0, role: "group", "aria-label": say("memory"), id: "memory-table"},
        make(
            "table",
            {class: "steps memory"},
            make("thead", {}, make("tr", {}, ...heads.map(key => make("th", {scope: "col"}, say(key))))),
            body,
        ),
    );
    section.addEventListener("keydown", player.press);
    section.append(
        make("p", {class: "small"}, say("memoryHelp")),
        make(
            "div",
            {class: "controls"},
            make("label", {for: "memory-object"}, say("memoryObject")),
            choice,
            make("label", {for: "memory-form"}, say("valueAs")),
            form,
            follow,
            make("label", {for: "memory-follow"}, say("followStep")),
            button("back", () => player.go(player.at() - 1)),
            button("next", () => player.go(player.at() + 1)),
            button("earlier", () => move(-MEMORY_ROWS)),
            button("later", () => move(MEMORY_ROWS)),
        ),
        now,
        table,
        which,
    );
    player.onMove(() => draw(true));
    draw(true);
    return {};
}
