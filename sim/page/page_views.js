/* Findings, timeline and topology; and the start of it all. */
const AROUND = 3,
    GAP_LINES = 12;

/** @param {ShownText} source @param {number} number @param {LineMark} [mark] */
function sourceRow(source, number, mark) {
    return make(
        "tr",
        {class: mark ? mark.class : null},
        make("td", {class: "number"}, String(number)),
        make("td", {}, mark && mark.text ? make("span", {class: "badge"}, mark.text) : ""),
        make("td", {}, source.lines[number - 1]),
    );
}

/* The marked lines and some around each; what lies between them is cut where it is long. */
/** @param {ShownText} source @param {Map<number, LineMark | undefined>} marks @param {number} around */
function sourceTable(source, marks, around) {
    /** @type {Set<number>} */
    const shown = new Set();
    /** @type {HTMLElement[]} */
    const rows = [];
    for (const line of marks.keys())
        for (let i = line - around; i <= line + around; i++)
            if (i >= 1 && i <= source.lines.length) shown.add(i);
    const numbers = [...shown].sort((a, b) => a - b);
    numbers.forEach((number, i) => {
        const gap = i ? number - numbers[i - 1] : 1;
        for (let k = 1; k < gap && gap <= GAP_LINES; k++) rows.push(sourceRow(source, numbers[i - 1] + k));
        if (gap > GAP_LINES)
            rows.push(make("tr", {}, make("td", {class: "number"}, "…"), make("td"), make("td")));
        rows.push(sourceRow(source, number, marks.get(number)));
    });
    return sourceLines(source, ["line", "marks", "text"], rows, true);
}

/* ---- findings ---- */

/** @param {Triple} ids */
function idsText(ids) {
    return ids.join(",");
}

/** @param {FindingAccess} access */
function accessText(access) {
    const words = [access.what || access.access];
    if (access.size_bytes) words.push(say("size", access.size_bytes));
    if (access.value !== undefined)
        words.push(
            say(
                /load|modify/.test(access.access) ? "read" : "wrote",
                findingValue(access.type, access.value),
            ),
        );
    if (access.written !== undefined)
        words.push(say("wrote", findingValue(access.type, access.written)));
    if (access.by) words.push(access.by);
    if (access.item)
        words.push(
            say(
                "item",
                idsText(access.item.global_id),
                access.item.sub_group,
                idsText(access.item.group_id),
                access.item.compute_unit,
            ),
        );
    if (access.device) words.push(access.device);
    if (access.values) words.push(say("withValues", access.values));
    for (const call of access.calls || []) words.push(say("calledFrom", placeText(call)));
    return words.join(", ");
}

/* A table for each text that an access is in. */
/** @param {RunData} data @param {Finding} finding */
function findingSources(data, finding) {
    /** @type {Map<ShownText, Map<number, LineMark>>} */
    const bySource = new Map();
    finding.accesses.forEach((access, i) => {
        /** @type {ShownText | undefined} */
        const source = sourceAt(data, access) || onlyLine(access);
        if (!source || !access.line) return;
        const key =
            [...bySource.keys()].find(each => each.name === source.name && each.lines === source.lines) ||
            source;
        /** @type {Map<number, LineMark>} */
        const marks = bySource.get(key) || new Map(),
            mark = marks.get(access.line);
        marks.set(
            access.line,
            mark
                ? {class: "both", text: `${mark.text} ${i + 1}`}
                : {class: i ? "two" : "one", text: String(i + 1)},
        );
        bySource.set(key, marks);
    });
    return [...bySource].map(([source, marks]) =>
        source.only ? lineTable(source, marks) : sourceTable(source, marks, AROUND),
    );
}

/* Of a text that is not here: the line of the access. */
/** @param {FindingAccess} access */
function onlyLine(access) {
    return access.text === undefined ? undefined : {name: access.file || "", only: access.text, lines: []};
}

/** @param {ShownText} source @param {Map<number, LineMark>} marks */
function lineTable(source, marks) {
    const [line] = marks.keys();
    /** @type {string[]} */
    const lines = [];
    lines[line - 1] = source.only || "";
    return sourceTable({name: source.name, lines}, marks, 0);
}

/** @param {[Word, string | undefined][]} pairs */
function entries(pairs) {
    const list = make("dl");
    for (const [key, value] of pairs)
        if (value) list.append(make("dt", {}, say(key)), make("dd", {}, value));
    return list;
}

/** @param {Finding} finding */
function bytesText(finding) {
    const first = finding.offset_bytes,
        length = finding.length_bytes || 1;
    return first === undefined
        ? ""
        : length > 1
          ? ", " + say("bytes", first, first + length - 1)
          : ", " + say("byte", first);
}

/** @param {FindingAccess} access @param {number} a */
function missing(access, a) {
    return access.item ? make("span", {class: "small"}, say("notInSteps", a + 1)) : null;
}

/** @param {SourceView} source @param {number} f @param {number} a */
function toSource(source, f, a) {
    return source.has(f, a)
        ? make("button", {type: "button", click: () => source.show(f, a)}, say("toSource", a + 1))
        : null;
}

/** @param {Finding} finding @param {number} f @param {Player | null} player @param {SourceView} source */
function accessEntries(finding, f, player, source) {
    const list = make("dl");
    finding.accesses.forEach((access, a) => {
        const at = player ? player.find(f, a) : undefined;
        const jump =
            !player || at === undefined
                ? missing(access, a)
                : make(
                      "button",
                      {
                          type: "button",
                          click: () => {
                              player.go(at);
                              player.focus();
                          },
                      },
                      say("toStep", a + 1),
                  );
        list.append(
            make("dt", {}, say("access", a + 1)),
            make("dd", {}, `${placeText(access)}: ${accessText(access)} `, jump, " ", toSource(source, f, a)),
        );
    });
    return list;
}

/** @param {KnownRun} data @param {Links} links @param {Finding} finding @param {number} f */
function findingArticle(data, {player, source}, finding, f) {
    const image = finding.id === "image-read-after-write";
    const claim = {
        tried: say(image ? "triedImage" : "tried"),
        compiles: say("compiles"),
        orders: say(image ? "ordersImage" : "orders"),
        fails: say("fails", finding.fix_note || ""),
        none: "",
    }[finding.fix_claim || "none"];
    const fix = finding.fix && claim ? `${finding.fix} (${claim})` : finding.fix;
    const edits = (finding.edits || []).map(edit =>
        say("edit", edit.file || "", edit.line, edit.column, edit.text || say("nothing")),
    );
    const title = `finding-${f + 1}`;
    return make(
        "article",
        {"aria-labelledby": title},
        make(
            "h3",
            {id: title, tabindex: -1},
            `${f + 1}. `,
            make(
                "span",
                {class: finding.severity},
                `${severitySign(finding.severity)} ${finding.severity}: ${finding.id}`,
            ),
            `: ${finding.sentence}`,
        ),
        entries([
            ["kernel", finding.kernel],
            ["object", finding.object ? finding.object + bytesText(finding) : ""],
            ["enqueued", finding.enqueued ? placeText(finding.enqueued) : ""],
        ]),
        accessEntries(finding, f, player, source),
        ...findingSources(data, finding),
        orderEntries(finding, f),
        entries([
            ["why", finding.why],
            [/^(tried|compiles)$/.test(finding.fix_claim || "") ? "fix" : "advice", fix],
            ["edits", edits.join("\n")],
            ["caused", finding.cause ? `${finding.cause.id}, ${placeText(finding.cause)}` : ""],
            ["covered", finding.covered_by ? `${finding.covered_by.id}, ${placeText(finding.covered_by)}` : ""],
            ["spec", finding.spec],
            [
                "times",
                finding.count > 1
                    ? finding.count_at_least
                        ? say("atLeast", finding.count)
                        : String(finding.count)
                    : "",
            ],
        ]),
    );
}

/** @param {KnownRun} data @param {HTMLElement} section @param {Links} links */
function drawFindings(data, section, links) {
    if (!data.findings.length) section.append(make("p", {}, say("noFindings")));
    data.findings.forEach((finding, f) => section.append(findingArticle(data, links, finding, f)));
    if (data.findings_left_out)
        section.append(make("p", {}, say("findingsLeftOut", data.findings_left_out)));
}

/* ---- timeline ---- */

const LABEL = 150,
    WIDTH = 900,
    TRACK = 26;

/** @param {RunData} data @param {HTMLElement} section */
function drawTimeline(data, section) {
    const timeline = data.timeline || {traceEvents: [], otherData: {dropped: 0}};
    /** @type {Map<string, string>} */
    const titles = new Map();
    /** @type {Map<string, number>} */
    const tracks = new Map();
    /** @type {TimelineSpan[]} */
    const spans = [];
    /** @param {{pid: number, tid: number}} event */
    const key = event => `${event.pid}.${event.tid}`;
    for (const event of timeline.traceEvents)
        if (event.ph === "X") spans.push(event);
        else titles.set(event.name === "thread_name" ? key(event) : `${event.pid}`, event.args.name);
    if (!spans.length) {
        section.append(make("p", {}, say("noTimeline")));
        return;
    }
    const shown = [...spans].sort((a, b) => a.pid - b.pid || a.tid - b.tid);
    for (const span of shown) if (!tracks.has(key(span))) tracks.set(key(span), tracks.size);
    let end = 0,
        begin = Infinity;
    for (const span of spans) {
        end = Math.max(end, span.ts + span.dur);
        begin = Math.min(begin, span.ts);
    }
    const scale = WIDTH / (end - begin || 1);
    /** @param {string} id */
    const trackTitle = id => `${titles.get(id.split(".")[0])}: ${titles.get(id)}`;
    const picture = make("svg", {
        viewBox: `0 0 ${LABEL + WIDTH + 10} ${(tracks.size + 1) * TRACK}`,
        role: "img",
        width: "100%",
        "aria-label": say("timelineLabel", begin, end),
    });
    for (const [id, at] of tracks)
        picture.append(
            make("text", {x: 0, y: at * TRACK + 17}, trackTitle(id).slice(0, 26)),
            make("line", {
                class: "axis",
                x1: LABEL,
                x2: LABEL + WIDTH,
                y1: (at + 1) * TRACK - 1,
                y2: (at + 1) * TRACK - 1,
            }),
        );
    /** @param {TimelineSpan} span */
    const isSlice = span => span.cat === "sub-group";
    for (const span of [...spans].sort((a, b) => Number(isSlice(a)) - Number(isSlice(b)))) {
        const slice = isSlice(span),
            y = known(tracks.get(key(span))) * TRACK + (slice ? 14 : 3);
        picture.append(
            make(
                "rect",
                {
                    class: slice ? "slice" : "group",
                    x: LABEL + (span.ts - begin) * scale,
                    y,
                    height: slice ? 6 : TRACK - 7,
                    width: Math.max(span.dur * scale, 1),
                },
                make("title", {}, `${span.name}, ${span.ts} µs + ${span.dur} µs`),
            ),
        );
    }
    picture.append(
        make("text", {x: LABEL, y: tracks.size * TRACK + 17}, `${+begin.toFixed(3)} µs`),
        make(
            "text",
            {x: LABEL + WIDTH, y: tracks.size * TRACK + 17, "text-anchor": "end"},
            `${+end.toFixed(3)} µs`,
        ),
    );
    const rows = spans
        .slice(0, 500)
        .map(span =>
            make(
                "tr",
                {},
                ...[span.name, trackTitle(key(span)), span.ts, span.dur].map(cell =>
                    make("td", {}, String(cell)),
                ),
            ),
        );
    /** @type {Word[]} */
    const words = ["what", "where", "from", "lasts"],
        heads = words.map(each => make("th", {scope: "col"}, say(each)));
    if (timeline.otherData.dropped)
        section.append(make("p", {}, say("timelineSome", timeline.otherData.dropped)));
    section.append(
        make("div", {class: "scroll"}, picture),
        make(
            "details",
            {},
            make("summary", {}, say("timelineTable")),
            make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)),
        ),
    );
}

/* ---- topology ---- */

/** @type {[CounterKey, Word][]} */
const COUNTER_WORDS = [
    ["accesses", "accesses"],
    ["hits", "hits"],
    ["misses", "misses"],
    ["evictions", "evictions"],
    ["bytes", "bytesMoved"],
    ["remote_accesses", "remoteAccesses"],
    ["remote_bytes", "remote"],
];

/** @type {Word[]} */
const COUNTED = ["accesses", "misses"];
const HEAT_STEPS = 5;

/* One of five shades: the share of the most, from nothing to all. */
/** @param {number} value @param {number} most */
function heatClass(value, most) {
    return value && most ? `heat${Math.ceil((HEAT_STEPS * value) / most)}` : "";
}

/* What the shades of heatClass stand for. */
/** @param {"shades" | "shadesShare"} [key] */
function shadesLegend(key = "shades") {
    const samples = Array.from({length: HEAT_STEPS}, (none, i) =>
        make("span", {class: `shade heat${i + 1}`}, say("shade", (100 / HEAT_STEPS) * (i + 1))),
    );
    return make("p", {class: "small shades"}, say(key), ...samples);
}

/* A number in the shade of its share; undefined: none was counted. */
/** @param {number | undefined} value @param {number} most */
function heatCell(value, most) {
    return value === undefined
        ? make("td", {class: "count"}, "")
        : make("td", {class: `count ${heatClass(value, most)}`}, String(value));
}

/** @param {CounterRow} counters */
function countersText(counters) {
    return COUNTER_WORDS.filter(([key]) => counters[key])
        .map(([key, word]) => `${counters[key]} ${say(word)}`)
        .join(", ");
}

/* Rows of caches and memories are named as the node, after the device where there are several. */
/**
 * @param {CountersData | null | undefined} counters @param {number} d
 * @param {DeviceData} device @param {TopologyNode} node
 */
function countersOf(counters, d, device, node) {
    if (!counters) return undefined;
    if (node.level === "cu")
        return counters.units.find(row => row.unit === device.first_unit + node.first_unit);
    const name = `${node.level} ${node.index}`;
    return [...counters.caches, ...counters.memories].find(
        row => row.device === d && row.name.replace(/^device \d+ /, "") === name,
    );
}

/**
 * @param {RunData} data @param {DeviceData} device @param {number} d @param {number} index
 * @returns {HTMLElement}
 */
function nodeItem(data, device, d, index) {
    const node = device.nodes[index],
        counters = countersOf(data.counters, d, device, node);
    const name = index ? `${node.level} ${node.index}` : say("device", d, device.name);
    const children = device.nodes.map((child, i) => (i && child.parent === index ? i : 0)).filter(i => i);
    const hits = counters ? counters.hits : 0,
        lookups = counters ? hits + counters.misses : 0,
        rate = lookups ? Math.round((100 * hits) / lookups) : 0,
        remote = counters ? counters.remote_accesses : 0;
    const size = node.bytes ? ` (${say("capacity", node.bytes)})` : "";
    return make(
        "li",
        {},
        make("strong", {}, name),
        size,
        " ",
        make("span", {class: "small"}, counters ? countersText(counters) : ""),
        lookups
            ? make(
                  "span",
                  {class: "small"},
                  " ",
                  make("meter", {min: 0, max: 100, value: rate, "aria-label": say("hits")}),
                  ` ${say("hitRate", rate)} `,
                  shadeOf(counters && counters.misses, lookups, "missShare"),
              )
            : null,
        remote ? " " : null,
        remote && counters ? shadeOf(remote, counters.memory_accesses, "remoteShare") : null,
        children.length ? make("ul", {}, ...children.map(i => nodeItem(data, device, d, i))) : null,
    );
}

/* A share in words, in its shade. */
/** @param {number | undefined} value @param {number} whole @param {"missShare" | "remoteShare"} key */
function shadeOf(value, whole, key) {
    const part = value || 0;
    return make(
        "span",
        {class: `small shade ${heatClass(part, whole)}`},
        say(key, part, whole, whole ? Math.round((100 * part) / whole) : 0),
    );
}

/** @param {CountersData["lines"]} lines */
function lineCounters(lines) {
    const most = COUNTER_WORDS.map(([key]) => Math.max(...lines.map(row => row[key])));
    const heads = [say("file"), say("line"), say("kernel"), ...COUNTER_WORDS.map(([, word]) => say(word))];
    const rows = lines.map(row =>
        make(
            "tr",
            {},
            ...[row.file, row.line, row.kernel].map(cell => make("td", {}, String(cell))),
            ...COUNTER_WORDS.map(([key], i) => heatCell(row[key] ?? 0, most[i])),
        ),
    );
    return make(
        "div",
        {class: "scroll", tabindex: 0, role: "group", "aria-label": say("counted")},
        make(
            "table",
            {},
            make("caption", {}, say("counted")),
            make("thead", {}, make("tr", {}, ...heads.map(text => make("th", {scope: "col"}, text)))),
            make("tbody", {}, ...rows),
        ),
    );
}

/** @param {RunData} data @param {HTMLElement} section */
function drawTopology(data, section) {
    if (data.counters)
        section.append(make("p", {class: "small"}, say("topologyShades")), shadesLegend("shadesShare"));
    section.append(
        make(
            "ul",
            {class: "topology"},
            ...(data.topology || []).map((device, d) => nodeItem(data, device, d, 0)),
        ),
    );
    if (!data.counters) return;
    if (!data.counters.complete) section.append(make("p", {}, say("incomplete")));
    if (data.counters.lines.length) section.append(shadesLegend(), lineCounters(data.counters.lines));
}

/* ---- start ---- */

/* A section for a view, and a link to it. */
/** @param {Word} id */
function makeSection(id) {
    const section = make(
        "section",
        {id, "aria-labelledby": `${id}-title`},
        make("h2", {id: `${id}-title`}, say(id)),
    );
    part("contents").append(make("a", {href: `#${id}`}, say(id)), " ");
    part("main").append(section);
    return section;
}

/* An element of the page itself. */
/** @param {string} id */
function part(id) {
    return known(document.getElementById(id));
}

/** @param {string} name @param {string} summary */
function setTitle(name, summary) {
    document.title = say("title", name);
    part("title").textContent = document.title;
    part("summary").textContent = summary;
}

/** @param {RunSummary} run */
function summaryText({errors, warnings, suppressed, kernels, schedule, seed}) {
    return say("summary", errors, warnings, suppressed, kernels, schedule, seed);
}

/** @param {RunData} given */
function drawRun(given) {
    const data = {...given, findings: given.findings || []},
        run = data.run;
    setTitle((run && run.name) || say("untitled"), run ? summaryText(run) : say("lostSummary"));
    const sections = {
        findings: makeSection("findings"),
        source: makeSection("source"),
        steps: makeSection("steps"),
        memory: makeSection("memory"),
        timeline: makeSection("timeline"),
        topology: makeSection("topology"),
    };
    if (!data.steps) sections.steps.append(make("p", {}, say("lostSteps")));
    const player = data.steps ? makePlayer(data, sections.steps) : null;
    drawFindings(data, sections.findings, {player, source: makeSource(data, sections.source)});
    if (player) makeMemory(player, sections.memory);
    else sections.memory.append(make("p", {}, say("noSteps")));
    drawTimeline(data, sections.timeline);
    drawTopology(data, sections.topology);
}

/* The part that the address names, as in #memory. */
function showTarget() {
    const target = document.getElementById(location.hash.slice(1));
    if (target) target.scrollIntoView();
}

function start() {
    /** @type {PageData} */
    const data = JSON.parse(part("data").textContent || "");
    if (data.litmus) {
        setTitle(data.litmus.name, say("litmusSummary", data.litmus.threads.length, data.litmus.model));
        drawLitmus(data.litmus, {
            test: makeSection("test"),
            outcomes: makeSection("outcomes"),
            execution: makeSection("execution"),
        });
    } else if (data.diff) {
        const counts = data.diff.flatMap(each => [each.name, each.data.steps.filter(isStep).length]);
        setTitle(say("diffTitle"), say("diffSummary", ...counts));
        drawDiff(data.diff, {
            sideBySide: makeSection("sideBySide"),
            followed: makeSection("followed"),
            memoryEnd: makeSection("memoryEnd"),
            findings: makeSection("findings"),
        });
    } else drawRun(data);
    showTarget();
    document.documentElement.dataset.ready = "yes";
}

start();
