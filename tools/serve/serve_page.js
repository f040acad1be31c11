/**
 * An example: a kernel, a scenario or a litmus test.
 * @typedef {{name: string, text: string}} Example
 */
/**
 * What /run answers: the exit status of the run, its report, and where its page is.
 * @typedef {{status: number, text: string, timed_out: boolean, cut: boolean, page: string | null}} Answer
 */

// The element with the id, which is of this type.
/** @template {Element} T @param {string} id @param {new () => T} type @returns {T} */
function part(id, type) {
    const element = document.getElementById(id);
    if (element instanceof type) return element;
    throw new Error(`the page lacks ${id}`);
}

const form = part("form", HTMLFormElement),
    example = part("example", HTMLSelectElement),
    runButton = part("run", HTMLButtonElement),
    stopButton = part("stop", HTMLButtonElement),
    state = part("state", HTMLElement),
    frameBox = part("frame", HTMLElement);
// What a run is asked with.
const fields = {
    text: part("text", HTMLTextAreaElement),
    schedule: part("schedule", HTMLSelectElement),
    seed: part("seed", HTMLInputElement),
    kernel: part("kernel", HTMLInputElement),
    build_options: part("build_options", HTMLInputElement),
};
/** @type {Example[]} */
const examples = JSON.parse(part("examples", HTMLElement).textContent || "");
const start = `// Each work-item adds one to the same number.
kernel void count(global int *sum)
{
    sum[0] = sum[0] + 1;
}
`;
// Where the texts have these names in reports.
const placePattern = /(?:kernel\.cl|scenario\.yaml|test\.litmus):(\d+)(?::(\d+))?/g;
/** @type {AbortController | null} */
let running = null;

/** @param {string} text */
function load(text) {
    fields.text.value = text;
}

function listExamples() {
    part("example-row", HTMLElement).hidden = examples.length === 0;
    for (const each of examples) {
        const option = document.createElement("option");
        option.textContent = each.name;
        example.append(option);
    }
    load(examples.length ? examples[0].text : start);
}

// The exit status of `orrery run`, in words.
/** @param {Answer} answer */
function wordsOf(answer) {
    if (answer.timed_out) return "The run took too long and was ended.";
    switch (answer.status) {
        case 0: return "The run ended without errors.";
        case 2: return "The text is wrong: it was not run to its end.";
        case 66: return "The run ended with errors.";
        case 124: return "The run made no progress and was ended.";
        default: return `The run ended with status ${answer.status}.`;
    }
}

// A page has a frame of its own: the frame of the last run would keep its place in the history.
/** @param {string | null} address */
function showPage(address) {
    frameBox.replaceChildren();
    part("page-section", HTMLElement).hidden = !address;
    if (!address) return;
    const frame = document.createElement("iframe");
    frame.title = "Steps and memory of the run";
    frame.setAttribute("sandbox", "allow-scripts");
    frame.src = address;
    frameBox.append(frame);
    part("alone", HTMLAnchorElement).href = address;
}

// From the column to the end of the line; the line comes into view.
/** @param {number} line @param {number} column */
function selectPlace(line, column) {
    const lines = fields.text.value.split("\n");
    if (line > lines.length) return;
    const begin = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0),
        end = begin + lines[line - 1].length;
    fields.text.focus();
    fields.text.setSelectionRange(Math.min(begin + column - 1, end), end);
    fields.text.scrollTop = (line - 4) * fields.text.scrollHeight / lines.length;
}

/** @param {string} text @param {number} line @param {number} column */
function placeLink(text, line, column) {
    const link = document.createElement("a");
    link.textContent = text;
    link.href = "#text";
    link.addEventListener("click", event => {
        event.preventDefault();
        selectPlace(line, column);
    });
    return link;
}

// Each place in the text that was run leads there.
/** @param {string} text */
function showReport(text) {
    const report = part("report", HTMLElement);
    let at = 0;
    report.replaceChildren();
    for (const match of text.matchAll(placePattern)) {
        const begins = match.index || 0;
        report.append(text.slice(at, begins), placeLink(match[0], Number(match[1]), Number(match[2] || 1)));
        at = begins + match[0].length;
    }
    report.append(text.slice(at));
}

/** @param {Answer} answer */
function show(answer) {
    part("report-section", HTMLElement).hidden = false;
    showReport(answer.text + (answer.cut ? "\n(the rest is left out)\n" : ""));
    showPage(answer.page);
    return wordsOf(answer);
}

// A button that is disabled loses the focus: Run stays enabled, and Stop hands the focus on.
/** @param {AbortController | null} controller */
function setRunning(controller) {
    running = controller;
    runButton.setAttribute("aria-disabled", String(controller !== null));
    if (controller === null && document.activeElement === stopButton) runButton.focus();
    stopButton.disabled = controller === null;
}

/** @param {AbortSignal} signal @returns {Promise<string>} */
async function ask(signal) {
    const body = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value]));
    const response = await fetch("/run", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
        signal,
    });
    if (response.ok) return show(await response.json());
    /** @type {{error: string}} */
    const {error} = await response.json();
    return `Not run: ${error}.`;
}

async function run() {
    if (running || !form.reportValidity()) return;
    const controller = new AbortController();
    setRunning(controller);
    state.textContent = "Running …";
    let words;
    try {
        words = await ask(controller.signal);
    } catch (error) {
        const stopped = error instanceof DOMException && error.name === "AbortError";
        words = stopped ? "Stopped." : "There is no answer: does the server still run?";
    }
    setRunning(null);
    state.textContent = words;
}

form.addEventListener("submit", event => {
    event.preventDefault();
    run();
});
stopButton.addEventListener("click", () => running && running.abort());
part("load", HTMLElement).addEventListener("click", () => load(examples[example.selectedIndex].text));
document.addEventListener("keydown", event => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run();
});
// The token is in a cookie now, and not to be seen or copied with the address.
if (location.search) history.replaceState(null, "", "/");
listExamples();
document.documentElement.dataset.ready = "yes";
