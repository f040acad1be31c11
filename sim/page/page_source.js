/* The whole text of each file, with the findings at their lines, and the counters of lines. */
const MARKS_SHOWN = 8;

/* Rows of a text, in a box of their own that scrolls. */
/** @param {ShownText} source @param {Word[]} heads @param {HTMLElement[]} rows @param {boolean} captioned */
function sourceLines(source, heads, rows, captioned) {
    const titles = heads.map(key => make("th", {scope: "col"}, say(key)));
    return make(
        "div",
        {class: "scroll", tabindex: 0, role: "group", "aria-label": say("sourceOf", source.name)},
        make(
            "table",
            {class: "source"},
            ...(captioned ? [make("caption", {}, say("sourceOf", source.name))] : []),
            make("thead", {}, make("tr", {}, ...titles)),
            make("tbody", {}, ...rows),
        ),
    );
}

/* A sign besides the colour. */
/** @param {string} severity */
function severitySign(severity) {
    return severity === "error" ? "✖" : "▲";
}

/* Of each text the lines that accesses of findings are on. */
/** @param {KnownRun} data */
function sourceMarks(data) {
    /** @type {Map<SourceText, Map<number, SourceMark[]>>} */
    const marks = new Map((data.sources || []).map(source => [source, new Map()]));
    data.findings.forEach((finding, f) =>
        finding.accesses.forEach((access, a) => {
            const source = access.line ? sourceAt(data, access) : undefined,
                lines = source && marks.get(source);
            if (!lines || !access.line) return;
            const mark = {finding: f, access: a, severity: finding.severity};
            lines.set(access.line, [...(lines.get(access.line) || []), mark]);
        }),
    );
    return marks;
}

/* Of a text the counters of its lines, of all kernels together. */
/** @param {RunData} data @param {SourceText} source */
function countedLines(data, source) {
    /** @type {Map<number, LineCounts>} */
    const lines = new Map();
    for (const row of (data.counters && data.counters.lines) || []) {
        if (sourceAt(data, {file: row.file, line: row.line}) !== source) continue;
        const counts = lines.get(row.line) || {accesses: 0, misses: 0};
        lines.set(row.line, {accesses: counts.accesses + row.accesses, misses: counts.misses + row.misses});
    }
    return lines;
}

/** @param {string} id */
function goTo(id) {
    const target = known(document.getElementById(id));
    target.scrollIntoView({block: "center"});
    target.focus({preventScroll: true});
}

/** @param {KnownRun} data @param {HTMLElement} section */
function makeSource(data, section) {
    const marks = sourceMarks(data);
    /** @type {HTMLElement | undefined} */
    let current;
    /** @type {Map<string, HTMLElement>} */
    const rowOf = new Map();

    /** @param {SourceMark} mark */
    const link = mark => {
        const {finding, access, severity} = mark;
        return make(
            "button",
            {
                type: "button",
                class: severity,
                title: say("markTitle", severity, finding + 1, access + 1, data.findings[finding].id),
                click: () => goTo(`finding-${finding + 1}`),
            },
            `${severitySign(severity)} ${finding + 1} `,
            make("span", {class: `badge ${access ? "two" : "one"}`}, String(access + 1)),
        );
    };

    /** @param {number} number @param {string} text @param {SourceMark[]} here @param {Child[]} counts */
    function line(number, text, here, counts) {
        const more = here.length - MARKS_SHOWN,
            sides = new Set(here.map(mark => mark.access));
        return make(
            "tr",
            {
                class: sides.size > 1 ? "both" : here.length ? (sides.has(0) ? "one" : "two") : null,
                tabindex: here.length ? -1 : null,
            },
            make("td", {class: "number"}, String(number)),
            make(
                "td",
                {},
                ...here.slice(0, MARKS_SHOWN).map(link),
                more > 0 ? ` ${say("andMore", more)}` : "",
            ),
            ...counts,
            make("td", {}, text),
        );
    }

    /** @param {SourceText} source */
    function table(source) {
        const lines = known(marks.get(source)),
            counted = countedLines(data, source),
            most = Math.max(0, ...[...counted.values()].map(each => each.accesses));
        /** @param {number} number */
        const counts = number => {
            const here = counted.get(number);
            return counted.size
                ? [heatCell(here && here.accesses, most), heatCell(here && here.misses, most)]
                : [];
        };
        const rows = source.lines.map((text, i) => line(i + 1, text, lines.get(i + 1) || [], counts(i + 1)));
        for (const [number, here] of lines)
            for (const {finding, access} of here) rowOf.set(`${finding}.${access}`, rows[number - 1]);
        /** @type {Word[]} */
        const heads = ["line", "findings", ...(counted.size ? COUNTED : []), "text"];
        return sourceLines(source, heads, rows, false);
    }

    /* A text without findings is drawn when it is opened. */
    /** @param {SourceText} source */
    function box(source) {
        const lines = known(marks.get(source));
        let drawn = false;
        const element = make(
            "details",
            {toggle: () => draw()},
            make("summary", {}, say("sourceOf", source.name)),
        );
        const draw = () => {
            if (!drawn) element.append(table(source));
            drawn = true;
        };
        if (lines.size || marks.size === 1) {
            element.open = true;
            draw();
        }
        return element;
    }

    section.append(
        make("p", {class: "small"}, say("sourceHelp")),
        data.counters && data.counters.lines.length ? shadesLegend() : "",
        ...[...marks.keys()].map(box),
        marks.size ? "" : make("p", {}, say("noSource")),
    );
    return {
        /** @param {number} f @param {number} a */
        has: (f, a) => rowOf.has(`${f}.${a}`),
        /** @param {number} f @param {number} a */
        show: (f, a) => {
            const row = known(rowOf.get(`${f}.${a}`));
            for (let each = row.parentElement; each; each = each.parentElement)
                if (each instanceof HTMLDetailsElement) each.open = true;
            if (current) current.removeAttribute("aria-current");
            current = row;
            row.setAttribute("aria-current", "true");
            row.scrollIntoView({block: "center"});
            row.focus({preventScroll: true});
        },
    };
}
