/* The memory at the current step: what each element holds, and its last accesses. An element is as large as
 * the smallest access of the object allows, so that all of its bytes have the same accesses. Values are those
 * that steps read and wrote; what no step has read or written is not known. */
const MEMORY_ROWS = 24,
    READS_SHOWN = 4,
    BYTES_MOST = 16;

/* Local memory is another one in each work-group and launch. */
/** @param {ObjectAccess} step */
function memoryKey(step) {
    return step.region === "local" ? `${step.launch}.${step.group}.${step.object}` : String(step.object);
}

/** @param {number} a @param {number} b @returns {number} */
function divisor(a, b) {
    return b ? divisor(b, a % b) : a;
}

/* The bytes of a value as memory has them; undefined where the trace has none. */
/** @param {string | undefined} value @param {number} size */
function bytesOf(value, size) {
    if (value === undefined || size > 8) return undefined;
    const digits = value
        .slice(2)
        .padStart(2 * size, "0")
        .slice(-2 * size);
    /** @type {number[]} */
    const bytes = [];
    for (let i = size; i-- > 0;) bytes.push(parseInt(digits.substr(2 * i, 2), 16));
    return bytes;
}

/* For each size how a value is read. */
/** @type {Record<string, Record<number, (view: DataView) => number | bigint>>} */
const MEMORY_FORMS = {
    signed: {
        1: view => view.getInt8(0),
        2: view => view.getInt16(0, true),
        4: view => view.getInt32(0, true),
        8: view => view.getBigInt64(0, true),
    },
    unsigned: {
        1: view => view.getUint8(0),
        2: view => view.getUint16(0, true),
        4: view => view.getUint32(0, true),
        8: view => view.getBigUint64(0, true),
    },
    float: {
        4: view => +view.getFloat32(0, true).toPrecision(9),
        8: view => view.getFloat64(0, true),
    },
};

/** @param {number[] | undefined} bytes @param {string} form */
function valueText(bytes, form) {
    if (!bytes) return "?";
    const read = MEMORY_FORMS[form][bytes.length];
    return read ? String(read(new DataView(new Uint8Array(bytes).buffer))) : "";
}

/** @param {number[] | undefined} bytes @param {number} size */
function bytesHex(bytes, size) {
    return bytes
        ? bytes.map(byte => byte.toString(16).padStart(2, "0")).join(" ")
        : Array(size).fill("??").join(" ");
}

/* The objects that steps access, each with its elements: offset to the indices of the steps. */
/** @param {Step[]} steps */
function memoryObjects(steps) {
    /** @type {Map<string, MemoryObject>} */
    const objects = new Map();
    steps.forEach((step, i) => {
        if (step.type !== "access" || step.object === undefined) return;
        const key = memoryKey(step),
            object = objects.get(key) || {key, step, unit: 0, steps: [], elements: null};
        objects.set(key, object);
        object.unit = divisor(divisor(object.unit, step.size), step.offset);
        object.steps.push(i);
    });
    return objects;
}

/* The step, which is one of those that memoryObjects kept. */
/** @param {Step[]} steps @param {number} i */
function accessAt(steps, i) {
    const step = steps[i];
    if (step.type !== "access" || step.object === undefined) throw new Error("not an access of an object");
    return step;
}

/** @param {MemoryObject} object @param {Step[]} steps */
function elementsOf(object, steps) {
    if (object.elements) return object.elements;
    /** @type {Map<number, number[]>} */
    const elements = new Map();
    for (const i of object.steps) {
        const {offset, size} = accessAt(steps, i);
        for (let at = offset; at < offset + size; at += object.unit) {
            const indices = elements.get(at);
            if (indices) indices.push(i);
            else elements.set(at, [i]);
        }
    }
    object.elements = [...elements].sort((a, b) => a[0] - b[0]);
    return object.elements;
}

/* How many of the ascending indices are at most i. */
/** @param {number[]} indices @param {number} i */
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
/** @param {ObjectAccess} step @param {number} offset @param {number} unit @param {string} [value] */
function partOf(step, offset, unit, value) {
    const bytes = bytesOf(value, step.size);
    return bytes && bytes.slice(offset - step.offset, offset - step.offset + unit);
}

/* What the element holds after step i. The host may have written between launches: the next read says so. */
/**
 * @param {Step[]} steps @param {number[]} indices @param {number} count
 * @param {number} offset @param {number} unit @param {number} now
 */
function holds(steps, indices, count, offset, unit, now) {
    const last = count ? accessAt(steps, indices[count - 1]) : undefined,
        next = count < indices.length ? accessAt(steps, indices[count]) : undefined;
    const left = last && partOf(last, offset, unit, last.wrote !== undefined ? last.wrote : last.found);
    const ahead =
        next && next.found !== undefined && (!last || (last.launch !== next.launch && next.launch === now));
    return ahead ? partOf(next, offset, unit, next.found) : left;
}

/** @param {Step} step */
function stepWrites(step) {
    return step.wrote !== undefined || /write|update/.test(step.kind);
}

/** @param {Step} step */
function stepReads(step) {
    return /read|update/.test(step.kind);
}

/* The last write of the element, and the reads since. */
/** @param {Step[]} steps @param {number[]} indices @param {number} count */
function lastAccesses(steps, indices, count) {
    /** @type {number[]} */
    const reads = [];
    for (let k = count; k-- > 0;) {
        if (stepWrites(steps[indices[k]])) return {write: indices[k], reads};
        reads.push(indices[k]);
    }
    return {write: undefined, reads};
}

/** @param {Player} player @param {HTMLElement} section */
function makeMemory(player, section) {
    const {steps} = player,
        objects = memoryObjects(steps);
    if (!objects.size) {
        section.append(make("p", {}, say("noObjects")));
        return;
    }
    const launches = new Set(steps.map(step => step.launch)).size;
    /** @param {MemoryObject} object */
    const title = ({step}) =>
        step.region === "local"
            ? say(
                  "localObject",
                  step.name,
                  (launches > 1 ? say("nameLaunch", step.launch) : "") + say("nameGroup", step.group),
              )
            : say("globalObject", step.name, step.object);
    let [shown] = objects.values(),
        first = 0;

    const body = make("tbody"),
        now = make("p", {id: "memory-now", "aria-live": "polite"}),
        which = make("p", {class: "small"});
    /** @type {HTMLSelectElement} */
    const choice = make(
        "select",
        {id: "memory-object", change: () => show(known(objects.get(choice.value)))},
        ...[...objects.values()].map(object => make("option", {value: object.key}, title(object))),
    );
    /** @type {("signed" | "unsigned" | "float")[]} */
    const forms = ["signed", "unsigned", "float"];
    const form = make(
        "select",
        {id: "memory-form", change: () => draw()},
        ...forms.map(key => make("option", {value: key}, say(key))),
    );
    const follow = make("input", {
        type: "checkbox",
        id: "memory-follow",
        checked: "",
        change: () => draw(true),
    });

    /** @param {MemoryObject} object */
    function show(object) {
        shown = object;
        follow.checked = keyAt(player.at()) === object.key;
        first = 0;
        draw();
    }

    /* The object of a step; of one without there is none. */
    /** @param {number} i */
    function keyAt(i) {
        const step = steps[i];
        return step.object === undefined ? "" : memoryKey(step);
    }

    /** @param {number} i */
    const link = i =>
        make(
            "button",
            {type: "button", click: () => player.go(i)},
            say("byStep", i + 1, player.who(i)),
            player.marks(i) ? make("span", {class: "badge"}, player.marks(i)) : null,
        );

    /** @param {number[]} reads */
    function readers(reads) {
        /** @type {Child[]} */
        const links = reads.slice(0, READS_SHOWN).map(link);
        if (reads.length > READS_SHOWN) links.push(` ${say("andMore", reads.length - READS_SHOWN)}`);
        return links;
    }

    /** @param {number} offset @param {number[]} indices @param {number} current */
    function row(offset, indices, current) {
        const count = countUpTo(indices, current),
            step = steps[current],
            size = Math.min(shown.unit, BYTES_MOST);
        const touched = count && indices[count - 1] === current;
        const value = holds(steps, indices, count, offset, shown.unit, step.launch),
            {write, reads} = lastAccesses(steps, indices, count);
        const before =
            touched && stepWrites(step)
                ? holds(steps, indices, count - 1, offset, shown.unit, step.launch)
                : undefined;
        const change =
            touched && stepWrites(step)
                ? say(
                      stepReads(step) ? "nowUpdated" : "nowWritten",
                      valueText(before, form.value),
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
    /** @param {boolean} [moved] */
    function draw(moved) {
        const current = player.at(),
            step = steps[current],
            own = objects.get(keyAt(current));
        if (follow.checked && own) shown = own;
        choice.value = shown.key;
        const elements = elementsOf(shown, steps),
            most = Math.max(0, elements.length - MEMORY_ROWS);
        if (moved && own === shown) {
            const at = elements.findIndex(([offset]) => offset === step.offset);
            if (at < first || at >= first + MEMORY_ROWS) first = at - (MEMORY_ROWS >> 1);
        }
        first = Math.max(0, Math.min(first, most));
        body.replaceChildren(
            ...elements
                .slice(first, first + MEMORY_ROWS)
                .map(([offset, indices]) => row(offset, indices, current)),
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
            Math.min(first + MEMORY_ROWS, elements.length),
            elements.length,
            shown.unit,
        );
    }

    /** @param {number} by */
    const move = by => {
        first += by;
        draw();
    };
    /** @param {Word} key @param {() => void} action */
    const button = (key, action) => make("button", {type: "button", click: action}, say(key));
    /** @type {Word[]} */
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
}
