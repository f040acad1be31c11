/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a page, as its writers leave it, and the types of its scripts, page_*.js, for `tsc`.
 * An optional member is one that the writer leaves out; a part is null where memory ran out for it. */

/* ---- pictures: page_picture.js ---- */

/** Two things of a picture, the earlier one first. */
type EventPair = [number, number];

/** A box of a picture. */
interface Box {
    x: number;
    y: number;
    width: number;
    height: number;
}

/* ---- words and elements: page_text.js ---- */

/** The name of a text of the page. */
type Word = keyof typeof TEXT;

/** The elements that are made in the namespace of SVG. */
type PictureName = "svg" | "rect" | "text" | "title" | "line" | "g" | "path" | "defs" | "marker";

/** What `make` makes of a name. */
type Made<Name extends string> = Name extends PictureName
    ? SVGElementTagNameMap[Name]
    : Name extends keyof HTMLElementTagNameMap
      ? HTMLElementTagNameMap[Name]
      : never;

/** The attributes of an element, null or undefined for none; and by the names of events what handles them. */
type Attributes = Record<string, string | number | null | undefined | (() => void)>;

/** A child of an element: text, which never becomes markup, or none. */
type Child = Node | string | null | undefined;

/** The part of the page for each view. */
type Sections<View extends string> = Record<View, HTMLElement>;

/* ---- a run: sim/device/page.c ---- */

/** What the element with the id `data` has. */
type PageData = RunData | LitmusData | DiffData;

/** Of a run. */
interface RunData {
    page: 1;
    litmus?: undefined;
    diff?: undefined;
    run: RunSummary | null;
    findings: Finding[] | null;
    findings_left_out: number;
    sources: SourceText[] | null;
    steps: TraceLine[] | null;
    steps_left_out: number;
    objects: ObjectWords[] | null;
    topology: DeviceData[] | null;
    timeline?: TimelineData | null;
    counters?: CountersData | null;
}

/** Of a run, with the findings or none. */
type KnownRun = RunData & { findings: Finding[] };

/** The end of a run. */
interface RunSummary {
    name: string;
    errors: number;
    warnings: number;
    suppressed: number;
    kernels: number;
    seed: number;
    schedule: string;
}

/** A text of a program. */
interface SourceText {
    name: string;
    lines: string[];
}

/** A text to show; `only`: of a text that the page does not have, the line of the access. */
interface ShownText extends SourceText {
    only?: string;
}

/** What marks a line of a source: its class, and a badge. */
interface LineMark {
    class: string;
    text: string;
}

/** An access of a finding, by their indices, at a line of a text. */
interface SourceMark {
    finding: number;
    access: number;
    severity: string;
}

/** The counters of a line that stand beside it. */
interface LineCounts {
    accesses: number;
    misses: number;
}

/** The texts with the findings in them. */
type SourceView = ReturnType<typeof makeSource>;

/** The views that findings lead to. */
interface Links {
    player: Player | null;
    source: SourceView;
}

/** A place in a source. Of a finding: line 0 is none, and `text` is the line itself. */
interface Place {
    file?: string;
    line?: number;
    column?: number;
    text?: string;
}

/* ---- findings: sim/report/report_json.c, JSON LINES of orrery-report(5) ---- */

/** Of each dimension one. */
type Triple = [number, number, number];

/** A work-item and where it ran. */
interface WorkItem {
    global_id: Triple;
    local_id: Triple;
    group_id: Triple;
    sub_group: number;
    compute_unit: number;
}

/** One of the accesses of a finding, at a place. */
interface FindingAccess extends Place {
    access: string;
    what?: string;
    by?: string;
    device?: string;
    called_from?: Place;
    calls?: Place[];
    order?: string;
    scope?: string;
    size_bytes: number;
    type?: "half" | "float" | "double";
    value?: string;
    written?: string;
    item?: WorkItem;
    values?: string;
}

/** What happened before or after an access, in program order; side 2 and up: of another work-item. */
interface FindingStep extends Place {
    side: number;
    before: boolean;
    step?: string;
    item?: WorkItem;
}

/** Between two steps of a finding, by their indices: does the first synchronise with the second? */
interface FindingEdge {
    from: number;
    to: number;
    synchronises: boolean;
}

/** A box of a finding's picture: an access (of that index), or a step. */
interface OrderNode {
    side: number;
    access?: number;
    step?: number;
    title: string;
    place: Place;
}

/** How the picture of a finding connects two boxes. */
type OrderLink = "program-order" | "synchronises-with" | "happens-before" | "missing" | "unordered" | "fix";

/** A change of the source that a fix makes. */
interface FindingEdit {
    file?: string;
    line: number;
    column: number;
    end_line: number;
    end_column: number;
    text?: string;
}

/** What is known of a suggested fix. */
type FixClaim = "none" | "fails" | "orders" | "compiles" | "tried";

/** Of a livelock: what is read again and again, and by how many work-items. */
interface FindingWait extends Place {
    item: WorkItem;
    work_items: number;
    object?: string;
    offset_bytes: number;
    length_bytes: number;
    value: string;
}

/** A finding. */
interface Finding {
    type: "finding";
    id: string;
    severity: string;
    sentence: string;
    launch?: number;
    enqueued?: Place;
    source?: string;
    made?: Place;
    kernel?: string;
    object?: string;
    offset_bytes?: number;
    length_bytes?: number;
    accesses: FindingAccess[];
    steps: FindingStep[];
    edges: FindingEdge[];
    waits?: FindingWait[];
    why?: string;
    fix?: string;
    fix_verified?: boolean;
    fix_claim?: FixClaim;
    fix_note?: string;
    edits?: FindingEdit[];
    fix_partial?: true;
    spec?: string;
    cause?: Place & { id: string };
    covered_by?: Place & { id: string };
    fingerprint?: string;
    accepted?: true;
    count: number;
    count_at_least?: true;
}

/* ---- steps: sim/observers/trace.c, TRACES of orrery-report(5) ---- */

/** A line of the trace. */
type TraceLine = LaunchLine | Step;

/** A launch that begins. */
interface LaunchLine {
    type: "launch";
    launch: number;
    kernel: string;
    global: Triple;
    local: Triple;
    sub_group_size: number;
}

/** What a launch accesses: `element`, `bytes`, `first` are of its elements. */
interface ObjectWords {
    launch: number;
    object: number;
    label: string;
    name?: string;
    element?: string;
    bytes?: number;
    first?: number;
}

/** What a work-item did. */
type Step = ObjectAccess | HostAccess | SyncStep;

/** Which work-item a step is of, and where; no line where the program has no line table. */
interface StepOrigin {
    launch: number;
    group: number;
    item: number;
    sub_group: number;
    file?: string;
    line?: number;
    column?: number;
    text?: undefined;
}

/** An access; found, wrote: the values as hexadecimal digits after 0x. words: see nameSteps. */
interface AccessStep extends StepOrigin {
    type: "access";
    kind: "read" | "write" | "atomic-read" | "atomic-write" | "atomic-update";
    order?: string;
    scope?: string;
    image?: true;
    copy?: number;
    size: number;
    number?: "half" | "float" | "double";
    found?: string;
    wrote?: string;
    words?: ObjectWords;
    regions?: undefined;
    passage?: undefined;
}

/** An access of an allocation of the device. */
interface ObjectAccess extends AccessStep {
    object: number;
    name: string;
    region: "local" | "global";
    offset: number;
}

/** An access of the host's own memory. */
interface HostAccess extends AccessStep {
    object?: undefined;
    name?: undefined;
    region?: undefined;
    offset?: undefined;
}

/** A fence, a barrier, a collective, or an asynchronous copy. Lines of one passage pass together. */
interface SyncStep extends StepOrigin {
    type: "sync";
    kind:
        | "fence"
        | "work-group-barrier"
        | "sub-group-barrier"
        | "named-barrier"
        | "collective"
        | "copy"
        | "copy-wait";
    order?: string;
    scope?: string;
    regions?: string[];
    passage?: number;
    copy?: number;
    object?: undefined;
    name?: undefined;
    region?: undefined;
    offset?: undefined;
    size?: undefined;
    found?: undefined;
    wrote?: undefined;
    number?: undefined;
    words?: undefined;
}

/** A write that shown steps read from: the last of them, and in which lane the line from it stands. */
interface FlowLane {
    writer: number;
    last: number;
    lane: number;
}

/** What the steps have a column for each of. */
type ColumnKind = "perItem" | "perSubGroup" | "perGroup";

/** The columns that are shown, from `first` to before `last`. */
interface ColumnRange {
    first: number;
    last: number;
}

/** The player over the steps: other views follow it. */
type Player = NonNullable<ReturnType<typeof makePlayer>>;
type Columns = ReturnType<typeof makeColumns>;

/** An object that steps access: one of them, the indices of all, the size of an element, and the elements. */
interface MemoryObject {
    key: string;
    step: ObjectAccess;
    unit: number;
    steps: number[];
    elements: [offset: number, indices: number[]][] | null;
}

/* ---- timeline and topology: sim/observers/timeline.c, counters_report.c ---- */

/** The timeline, in the form of Chromium's traces. */
interface TimelineData {
    displayTimeUnit: "ns";
    otherData: { dropped: number };
    traceEvents: (TimelineTitle | TimelineSpan)[];
}

/** The name of a process (a device, or the host) or a thread (a unit, a queue). */
interface TimelineTitle {
    ph: "M";
    name: "process_name" | "thread_name";
    pid: number;
    tid: number;
    args: { name: string };
}

/** A span of time, in microseconds. */
interface TimelineSpan {
    ph: "X";
    name: string;
    cat: "command" | "launch" | "group" | "sub-group";
    pid: number;
    tid: number;
    ts: number;
    dur: number;
    args: Record<string, number>;
}

/** A device: its first node is the root, and parents are indices of nodes. */
interface DeviceData {
    name: string;
    first_unit: number;
    nodes: TopologyNode[];
}

/** A box of the topology. */
interface TopologyNode {
    level: string;
    index: number;
    parent: number;
    first_unit: number;
    bytes: number;
}

/** A counter: include/orrery/counters.h. */
type CounterKey =
    | "accesses"
    | "writes"
    | "bytes"
    | "hits"
    | "misses"
    | "evictions"
    | "write_backs"
    | "invalidations"
    | "false_sharing"
    | "memory_accesses"
    | "remote_accesses"
    | "remote_bytes";

/** The counters of one row. */
type CounterRow = Record<CounterKey, number>;

/** A launch, or another command by what it is. */
type CountedCommand =
    | { command: number; what: string }
    | { command: number; launch: number; device: number; kernel: string };

/** The counters of caches, memories, compute units, commands and source lines. */
interface CountersData {
    total: CounterRow;
    complete: boolean;
    caches: (CounterRow & { device: number; name: string })[];
    memories: (CounterRow & { device: number; name: string })[];
    units: (CounterRow & { unit: number })[];
    commands: (CounterRow & CountedCommand)[];
    lines: (CounterRow & { file: string; line: number; kernel: string })[];
}

/* ---- a litmus test: sim/litmus/litmus_page.c ---- */

/** Of a litmus test. */
interface LitmusData {
    page: 1;
    litmus: LitmusTest;
    diff?: undefined;
}

/** An answer of a litmus test. */
type LitmusAnswer = "no" | "yes" | "unknown";

/** The test, and its outcomes. */
interface LitmusTest {
    name: string;
    file?: string;
    lines: string[];
    model: "opencl" | "interleavings" | "thin-air";
    clause: "exists" | "~exists" | "forall";
    holds: LitmusAnswer;
    exists: LitmusAnswer;
    race: LitmusAnswer;
    race_text?: string;
    divergence?: string;
    stuck: number;
    cut: number;
    gave_up: boolean;
    refused_cut: boolean;
    threads: LitmusThread[];
    names: string[];
    outcomes: LitmusOutcome[];
}

/** Where a thread runs. */
interface LitmusThread {
    group: number;
    device: number;
}

/** What the terms of the clause are in the end: allowed, or refused by axioms. */
type LitmusOutcome = AllowedOutcome | ForbiddenOutcome;

/** What allowed and forbidden outcomes have; interleaving: not where these were not all visited. */
interface OutcomeValues {
    values: (number | string)[];
    satisfies: boolean;
    count: number;
    interleaving?: boolean;
}

/** An outcome of some execution; none is kept of outcomes past the most that are shown. */
interface AllowedOutcome extends OutcomeValues {
    allowed: true;
    execution?: LitmusExecution;
}

/** An outcome that axioms refuse, with an execution of each. */
interface ForbiddenOutcome extends OutcomeValues {
    allowed: false;
    refused: RefusedExecution[];
}

/** An axiom of the memory model. */
type Axiom = "atomic-update" | "cause" | "coherence" | "seq-cst" | "visible";

/** An execution that an axiom refuses, and how many it refuses with this outcome. */
interface RefusedExecution {
    axiom: Axiom;
    count: number;
    execution: LitmusExecution;
}

/** An execution: indices are those of its events. `cycle` is why it is refused. */
interface LitmusExecution {
    events: LitmusEvent[];
    modification: { location: string; stores: number[] }[];
    synchronises?: EventPair[];
    cycle?: CycleLink[];
    race?: true;
}

/** An edge from one event to another, in the picture and in a cycle. */
type LinkKind =
    | "program-order"
    | "initial"
    | "synchronises-with"
    | "reads-from"
    | "modification-order"
    | "reads-before"
    | "happens-before";

/** A link of the cycle that refuses an execution. */
interface CycleLink {
    kind: LinkKind;
    from: number;
    to: number;
}

/** A link to draw, with its numbers in the cycle. */
interface DrawnLink extends CycleLink {
    numbers: number[];
}

/** An event of an execution. */
type LitmusEvent = InitialEvent | ThreadEvent;

/** What a thread does. */
type ThreadEvent = ReadEvent | WriteEvent | UpdateEvent | OrderEvent;

/** The initial value of a location. */
interface InitialEvent {
    kind: "initial";
    thread?: undefined;
    location: string;
    wrote: number;
    reads_from?: undefined;
    line?: undefined;
    order?: undefined;
    scope?: undefined;
    regions?: undefined;
    atomic?: undefined;
}

/** What all events of threads have; order and scope: those that are atomic, fences and barriers. */
interface ThreadStep {
    thread: number;
    line: number;
    order?: string;
    scope?: string;
    regions?: string;
    atomic: boolean;
}

/** A read, or a compare-exchange that fails. */
interface ReadEvent extends ThreadStep {
    kind: "read" | "update-failed";
    location: string;
    read: number;
    reads_from: number;
    wrote?: undefined;
}

/** A write. */
interface WriteEvent extends ThreadStep {
    kind: "write";
    location: string;
    wrote: number;
    reads_from?: undefined;
}

/** An atomic operation that reads and writes. */
interface UpdateEvent extends ThreadStep {
    kind: "update";
    location: string;
    read: number;
    reads_from: number;
    wrote: number;
}

/** A fence or a side of a barrier; instance: which barrier. */
interface OrderEvent extends ThreadStep {
    kind: "fence" | "barrier-entry" | "barrier-exit";
    location?: undefined;
    reads_from?: undefined;
    wrote?: undefined;
    instance?: number;
}

/** The picture and table of an execution. */
type ExecutionView = ReturnType<typeof makeExecution>;

/* ---- two runs: sim/device/page_diff.c ---- */

/** Of two runs. */
interface DiffData {
    page: 1;
    litmus?: undefined;
    diff: [NamedRun, NamedRun];
}

/** A run under its name: parts of the data of its page. */
interface NamedRun {
    name: string;
    data: Pick<RunData, "run" | "findings" | "sources" | "steps_left_out" | "objects"> & { steps: TraceLine[] };
}

/** The steps of one of the two runs. */
type RunSteps = ReturnType<typeof runSteps>;

/** Two places in the steps of both runs; undefined: that run has none. */
type PlacePair = [number | undefined, number | undefined];

/** How two steps differ; nothing: they do not. */
type Difference = "" | "schedule" | "act" | "result" | "end";
