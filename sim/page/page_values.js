/* Places and values of steps in words: elements of arguments and variables, numbers of their types. */

/* Gives each access the words for what it accesses. */
/** @param {Pick<RunData, "objects">} data @param {Step[]} steps */
function nameSteps(data, steps) {
    const words = new Map((data.objects || []).map(each => [`${each.launch}.${each.object}`, each]));
    for (const step of steps)
        if (step.object !== undefined) step.words = words.get(`${step.launch}.${step.object}`);
}

/* "a[3]", "a[0..3]" of several, else the offset in bytes. */
/** @param {ObjectAccess} step */
function elementText({name, offset, size, words}) {
    const own = words && words.name,
        bytes = (words && words.bytes) || 0,
        at = offset - ((words && words.first) || 0);
    if (!own || !bytes || at < 0 || at % bytes || size % bytes) return `${own || name}+${offset}`;
    return size === bytes
        ? `${own}[${at / bytes}]`
        : `${own}[${at / bytes}..${at / bytes + size / bytes - 1}]`;
}

/** @param {ObjectAccess} step */
function objectText(step) {
    const {words} = step;
    return words && words.name ? say("elementOf", elementText(step), words.label) : elementText(step);
}

/** @param {number} bits */
function halfValue(bits) {
    const exponent = (bits >> 10) & 31,
        part = bits & 1023,
        sign = bits >> 15 ? -1 : 1;
    if (exponent === 31) return part ? NaN : sign * Infinity;
    return sign * (exponent ? (1 + part / 1024) * 2 ** (exponent - 15) : (part / 1024) * 2 ** -14);
}

/* As few digits as distinguish it, of a half at most 5; a point shows that it is no integer. */
/** @param {"half" | "float" | "double"} type @param {bigint} bits */
function numberText(type, bits) {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, bits);
    const value = {
        half: () => halfValue(view.getUint16(6)),
        float: () => view.getFloat32(4),
        double: () => view.getFloat64(0),
    }[type]();
    if (!Number.isFinite(value)) return String(value).replace("Infinity", "inf").replace("NaN", "nan");
    let text = Object.is(value, -0) ? "-0" : String(value);
    if (type === "half" && value) text = String(Number(value.toPrecision(5)));
    for (let digits = 9; type === "float" && value && digits > 0; digits--) {
        const less = Number(value.toPrecision(digits));
        if (Math.fround(less) === value) text = String(less);
    }
    return /[.e]/.test(text) ? text : `${text}.0`;
}

/* Of a finding's access, as the printed report has it: "3", "70000 (0x11170)", "1.0 (0x3f800000)". */
/** @param {FindingAccess["type"]} type @param {string} value */
function findingValue(type, value) {
    const bits = BigInt(value);
    if (type) return `${numberText(type, bits)} (${value})`;
    return bits > 65535n ? `${bits} (${value})` : String(bits);
}

/* "1.0 (0x3f800000)"; an integer has the sign of its elements, and digits where it is not small. */
/** @param {Step} step @param {string} value */
function typedText({number, size, words}, value) {
    const bits = BigInt(value);
    if (number) return `${numberText(number, bits)} (${value})`;
    const signed = words && words.bytes === size && /^(char|short|int|long)$/.test(words.element || "");
    const whole = signed && size ? BigInt.asIntN(8 * size, bits) : bits;
    return whole < 0n || whole > 65535n ? `${whole} (${value})` : String(whole);
}
