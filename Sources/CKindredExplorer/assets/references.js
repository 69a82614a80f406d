// Fields for foreign keys: the record that is referred to is chosen by its label, or by its key.

import { quotedText } from "./cells.js";
import { all, element } from "./dom.js";
import { members, untyped } from "./json.js";
import { quoted, valueText } from "./request.js";
import { fetched, resource } from "./server.js";

/** @typedef {import("./fields.js").Field} Field */
/** @typedef {import("./server.js").Association} Association */

/** The pause in milliseconds after the last letter. */
const PAUSE = 150;

/** The number of records that are offered. */
const MOST = 10;

/** A record that can be referenced. @typedef {{ text: string, detail: string, values: Map<string, string> }} Choice */

/** The records whose label or key contains a text.
 * @param {Association} association @param {string} text @param {AbortSignal} signal @returns {Promise<Choice[]>} */
async function choices(association, text, signal) {
  const destination = await resource(association.destination);
  const pairs = Object.entries(association.columns ?? {});
  if (destination === undefined || pairs.length === 0) return [];
  const label = destination.label ?? pairs[0][1];
  const names = [...new Set([...pairs.map(([, to]) => to), label])];
  const like = quotedText(text);
  const key = pairs.map(([, to]) => `instr(cast(${quoted(to)} as text),${like})>0`).join(" or ");
  const filter = text === ""
    ? ""
    : `&filter=${valueText(`instr(lower(${quoted(label)}),lower(${like}))>0 or ${key}`)}`;
  const fields = valueText(names.map(quoted).join(","));
  const url = `${destination.link}?fields=${fields}${filter}&sort=${valueText(quoted(label))}&limit=${MOST}`;
  const response = await fetched(url, { signal, headers: { Accept: "application/x-ndjson" } });
  return (await response.text()).split("\n").filter((line) => line !== "").map((line) => {
    const found = members(line);
    const detail = pairs.map(([, to]) => untyped(found.get(to) ?? "null")).join(",");
    return {
      text: untyped(found.get(label) ?? "null") || detail,
      detail,
      values: new Map(pairs.map(([from, to]) => [from, found.get(to) ?? "null"])),
    };
  });
}

/** @param {Association} association @param {Field} plain the field of the key itself @returns {Field} */
export function referenceField(association, plain) {
  const control = /** @type {HTMLInputElement} */ (plain.control);
  const list = element("div", {
    role: "listbox",
    id: `choices-${crypto.getRandomValues(new Uint32Array(1))[0]}`,
    "aria-label": association.destination,
    hidden: true,
  });
  for (
    const [name, value] of Object.entries({
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": list.id,
    })
  ) control.setAttribute(name, value);
  /** @type {Choice[]} */
  let shown = [];
  let selected = -1;
  /** @type {Choice | null} */
  let chosen = null;
  let isTyped = false;
  /** What is being looked for, until it is found. */
  let looking = Promise.resolve();
  let asking = new AbortController();

  function close() {
    asking.abort();
    list.hidden = true;
    control.setAttribute("aria-expanded", "false");
    control.removeAttribute("aria-activedescendant");
  }

  /** @param {number} index */
  function select(index) {
    const options = all(list, "[role=option]");
    if (options.length === 0) return;
    options[selected]?.setAttribute("aria-selected", "false");
    selected = (index + options.length) % options.length;
    options[selected].setAttribute("aria-selected", "true");
    options[selected].scrollIntoView({ block: "nearest" });
    control.setAttribute("aria-activedescendant", options[selected].id);
  }

  /** @param {number} wait */
  async function offer(wait) {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    await new Promise((resolve) => setTimeout(resolve, wait));
    if (signal.aborted) return;
    try {
      const found = await choices(association, isTyped ? control.value : "", signal);
      if (signal.aborted) return;
      shown = found;
    } catch {
      return; // without choices, nothing is accepted
    }
    selected = -1;
    list.replaceChildren(...shown.map(({ text, detail }, index) =>
      element(
        "div",
        { role: "option", id: `${list.id}-${index}`, "data-index": index, "aria-selected": "false" },
        element("span", { translate: "no" }, text),
        " ",
        element("small", {}, detail),
      )
    ));
    list.hidden = shown.length === 0 || document.activeElement !== control;
    control.setAttribute("aria-expanded", String(!list.hidden));
  }

  /** @param {number} index */
  function choose(index) {
    chosen = shown[index];
    control.value = chosen.text;
    control.removeAttribute("aria-invalid");
    plain.element.querySelector(".null")?.setAttribute("aria-pressed", "false");
    close();
  }

  control.addEventListener("input", () => {
    chosen = null;
    isTyped = true;
    shown = [];
    looking = offer(PAUSE);
  });
  control.addEventListener("blur", () => {
    list.hidden = true;
    control.setAttribute("aria-expanded", "false");
  });
  control.addEventListener("keydown", (event) => {
    const key = /** @type {KeyboardEvent} */ (event).key;
    if (key === "ArrowDown" || key === "ArrowUp") {
      if (list.hidden) looking = offer(0);
      else select(selected + (key === "ArrowDown" ? 1 : selected < 0 ? 0 : -1));
    } else if (key === "Enter" && !list.hidden && selected >= 0) {
      choose(selected);
      event.stopPropagation();
    } else if (key === "Escape" && !list.hidden) {
      close();
      event.stopPropagation();
    } else return;
    event.preventDefault();
  });
  list.addEventListener("mousedown", (event) => {
    event.preventDefault(); // the field keeps the focus
    const option =
      /** @type {HTMLElement | null} */ (/** @type {HTMLElement} */ (event.target).closest("[role=option]"));
    if (option !== null) choose(Number(option.dataset.index));
  });
  plain.element.append(list);
  /** The record that the typed text names: by its key, else by its label if no other has it. */
  function named() {
    const text = control.value.trim();
    const labelled = shown.filter((one) => one.text === text);
    return shown.find(({ detail }) => detail === text) ?? (labelled.length === 1 ? labelled[0] : null);
  }
  return {
    ...plain,
    settled: () => looking,
    values() {
      if (!isTyped && chosen === null || control.value === "") return plain.values();
      const found = chosen ?? named();
      if (found !== null) return found.values;
      control.setAttribute("aria-invalid", "true");
      return null;
    },
  };
}
