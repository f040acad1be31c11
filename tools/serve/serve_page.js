const part = id => document.getElementById(id);
const examples = JSON.parse(part("examples").textContent);
const start = `// Each work-item adds one to the same number.
kernel void count(global int *sum)
{
    sum[0] = sum[0] + 1;
}
`;
let running = null;

function load(text) {
    part("text").value = text;
}

function listExamples() {
    part("example-row").hidden = examples.length === 0;
    for (const each of examples) {
        const option = document.createElement("option");
        option.textContent = each.name;
        part("example").append(option);
    }
    load(examples.length ? examples[0].text : start);
}

// The exit status of `orrery run`, in words.
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
function showPage(address) {
    part("frame").replaceChildren();
    part("page-section").hidden = !address;
    if (!address) return;
    const frame = document.createElement("iframe");
    frame.title = "Steps and memory of the run";
    frame.setAttribute("sandbox", "allow-scripts");
    frame.src = address;
    part("frame").append(frame);
    part("alone").href = address;
}

function show(answer) {
    part("report-section").hidden = false;
    part("report").textContent = answer.text + (answer.cut ? "\n(the rest is left out)\n" : "");
    showPage(answer.page);
    return wordsOf(answer);
}

// A button that is disabled loses the focus: Run stays enabled, and Stop hands the focus on.
function setRunning(controller) {
    running = controller;
    part("run").setAttribute("aria-disabled", String(controller !== null));
    if (controller === null && document.activeElement === part("stop")) part("run").focus();
    part("stop").disabled = controller === null;
}

async function ask(signal) {
    const body = {};
    for (const name of ["text", "schedule", "seed", "kernel"]) body[name] = part(name).value;
    const response = await fetch("/run", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
        signal,
    });
    const answer = await response.json();
    return response.ok ? show(answer) : `Not run: ${answer.error}.`;
}

async function run() {
    if (running || !part("form").reportValidity()) return;
    setRunning(new AbortController());
    part("state").textContent = "Running …";
    let words;
    try {
        words = await ask(running.signal);
    } catch (error) {
        words = error.name === "AbortError" ? "Stopped." : "There is no answer: does the server still run?";
    }
    setRunning(null);
    part("state").textContent = words;
}

part("form").addEventListener("submit", event => {
    event.preventDefault();
    run();
});
part("stop").addEventListener("click", () => running && running.abort());
part("load").addEventListener("click", () => load(examples[part("example").selectedIndex].text));
document.addEventListener("keydown", event => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run();
});
// The token is in a cookie now, and not to be seen or copied with the address.
if (location.search) history.replaceState(null, "", "/");
listExamples();
document.documentElement.dataset.ready = "yes";
