/* Playing: a button, and how many steps a second; the same for the steps of a run and of a litmus test. */
const SPEEDS = [1, 2, 5, 10, 20],
    FIRST_SPEED = 2;

/* next: one step; isLast: is there none; rewind: to the first. */
/** @param {string} id @param {{next: () => void, isLast: () => boolean, rewind: () => void}} steps */
function makePlay(id, {next, isLast, rewind}) {
    let timer = 0;
    const button = make("button", {type: "button", click: () => toggle()}, say("play"));
    const speed = make(
        "select",
        {id, change: () => timer && begin()},
        ...SPEEDS.map(each => {
            const selected = each === FIRST_SPEED ? "" : null;
            return make("option", {value: each, selected}, say("stepsASecond", each));
        }),
    );
    function begin() {
        clearInterval(timer);
        timer = setInterval(next, 1000 / Number(speed.value));
        button.textContent = say("pause");
    }
    function stop() {
        clearInterval(timer);
        timer = 0;
        button.textContent = say("play");
    }
    function toggle() {
        if (timer) return stop();
        if (isLast()) rewind();
        begin();
    }
    return {
        button,
        speed: [make("label", {for: id}, say("speed")), speed],
        toggle,
        stop,
        /* To be called after each step. */
        stepped: () => isLast() && stop(),
    };
}

/* Does what has the focus use the key itself? */
/** @param {KeyboardEvent} event */
function usesKey({target, key, ctrlKey, altKey, metaKey}) {
    const isSelect = target instanceof HTMLSelectElement,
        isBox = target instanceof HTMLInputElement && target.type === "checkbox",
        isButton = target instanceof HTMLButtonElement;
    return (
        ctrlKey ||
        altKey ||
        metaKey ||
        (isSelect && /^( |Arrow)/.test(key)) ||
        ((isButton || isBox) && key === " ")
    );
}
