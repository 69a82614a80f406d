// Fields for the values of columns.

import { quotedText } from "./cells.js";
import { all, button, element } from "./dom.js";
import { members, untyped } from "./json.js";
import { quoted, valueText } from "./request.js";
import { fetched, resource } from "./server.js";
import { showTrouble } from "./trouble.js";

/** @typedef {import("./server.js").Column} Column */
/** @typedef {import("./server.js").Association} Association */
/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */

/** @typedef {object} Field
 * @property {HTMLElement} element
 * @property {Control} control
 * @property {() => Map<string, string> | null} values the values to write, each column as JSON; null if the input is invalid
 * @property {() => Promise<void>} settled waits for what decides whether the input is valid
 */

/** A field for a column, or for all columns of the foreign key that it belongs to.
 * @param {Column} column @param {string} present its value as JSON; an empty text in a new record
 * @param {Association | undefined} reference @returns {Field} */
export function field(column, present, reference) {
  if (reference === undefined) return valueField(column, present);
  // A record is chosen by its label, whatever its key is.
  const input = column.input === "number" || column.input === "any" ? column.input : "text";
  return referenceField(reference, valueField({ ...column, input }, present));
}

/** The association whose foreign key a column belongs to; of several, the one with the fewest columns.
 * @param {import("./server.js").Resource | undefined} resource @param {string} column */
export function reference(resource, column) {
  const width = (/** @type {Association} */ one) => Object.keys(one.columns ?? {}).length;
  return resource?.associations.filter((one) =>
    one.kind === "belongsTo" && Object.hasOwn(one.columns ?? {}, column)
  ).sort((left, right) => width(left) - width(right))[0];
}

/** A choice of values. @param {string[]} values @param {string} present @param {Record<string, string>} attributes */
function choice(values, present, attributes) {
  const all = present === "" || values.includes(present) ? values : [present, ...values];
  const options = ["", ...all].map((one) =>
    element("option", { value: one, selected: one === present }, one)
  );
  return /** @type {HTMLSelectElement} */ (element("select", attributes, ...options));
}

/** @param {Column} column @param {string} text the present value @param {Record<string, string>} attributes @returns {Control} */
function control(column, text, attributes) {
  const { input } = column;
  if (input === "boolean") return choice(["true", "false"], text, attributes);
  if (input === "enum") return choice(column.values ?? [], text, attributes);
  if (input === "bytes") return /** @type {Control} */ (element("input", { ...attributes, type: "file" }));
  const isLong = input === "json" || input === "array" || input === "text" && /.{60}|\n/s.test(text);
  const picked = isLong ? null : picker(input, text);
  const made = /** @type {HTMLInputElement | HTMLTextAreaElement} */ (element(isLong ? "textarea" : "input", {
    ...attributes,
    rows: isLong ? 4 : null,
    type: picked?.type,
    step: picked !== null && picked.type !== "date" ? "any" : null,
    inputmode: input === "number" ? "decimal" : null,
  }));
  made.value = picked?.value ?? text;
  return made;
}

/** @param {Column} column @param {string} present @returns {Field} */
function valueField(column, present) {
  const { input } = column;
  const text = untyped(present === "" ? "null" : present);
  const attributes = { "aria-label": column.name, autocomplete: "off", spellcheck: String(input === "text") };
  const made = control(column, text, attributes);
  const isPicker = made.localName === "input" && /date|time/.test(made.type);
  /** @type {Promise<string | null>} */
  let reading = Promise.resolve(null);
  /** @type {string | null} */
  let bytes = null;
  if (input === "bytes") {
    made.addEventListener("change", () => {
      const [file] = /** @type {HTMLInputElement} */ (made).files ?? [];
      reading = file ? base64(file) : Promise.resolve(null);
      reading.then((found) => bytes = found);
    });
  }
  const none = button("null", () => {
    made.value = "";
    none.setAttribute("aria-pressed", String(none.getAttribute("aria-pressed") !== "true"));
    made.removeAttribute("aria-invalid");
    made.focus();
  }, { class: "null", "aria-pressed": present === "null", "aria-label": `${column.name}: null` });
  let hasChanged = false;
  const json = () => typed(input, isPicker ? moment(made.value, text) : made.value, present);
  const check = () => {
    const isInvalid = made.value !== "" && json() === null;
    if (isInvalid) made.setAttribute("aria-invalid", "true");
    else made.removeAttribute("aria-invalid");
    return !isInvalid;
  };
  made.addEventListener("input", () => {
    none.setAttribute("aria-pressed", "false");
    hasChanged = true;
    // What is being typed is seldom valid before its end, but JSON is long.
    if (input === "json" || input === "array") check();
  });
  return {
    element: element("span", { class: "field" }, made, column.nullable === false ? null : none),
    control: made,
    settled: async () => {
      await reading;
    },
    values() {
      const result = (/** @type {string} */ value) => new Map([[column.name, value]]);
      if (none.getAttribute("aria-pressed") === "true") return result("null");
      if (input === "bytes") return bytes === null ? new Map() : result(JSON.stringify(bytes));
      // An unchanged field keeps its value, and is absent from a new record.
      if (!hasChanged && present !== "null") return present === "" ? new Map() : result(present);
      if (made.value === "" && input !== "text" && (input !== "any" || !present.startsWith('"'))) {
        return result("null");
      }
      return check() ? result(/** @type {string} */ (json())) : null;
    },
  };
}

/** @param {Blob} file @returns {Promise<string>} */
function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

// Typed text as the JSON of a column's value. How its values are written is said by the server (`input` in `/-/schema`).

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Typed text as JSON, or null if it is invalid. Numeric columns accept other texts as texts, as the database does.
 * @param {string | undefined} input @param {string} text @param {string} [present] the value as it is, whose kind an untyped column keeps
 * @returns {string | null} */
export function typed(input, text, present = "") {
  const isText = input === "any" && present.startsWith('"');
  if ((input === "number" || input === "any") && !isText && NUMBER.test(text.trim())) return text.trim();
  if (input === "boolean") return text;
  if (input !== "json" && input !== "array") return JSON.stringify(text);
  try {
    const value = JSON.parse(text);
    return input === "array" && !Array.isArray(value) ? null : text;
  } catch {
    return null;
  }
}

/** The picker for a column's moments: its type, and the text of a present one; null if a picker can't show that.
 * @param {string | undefined} input @param {string} text */
export function picker(input, text) {
  const shape = new Map([
    ["date", ["date", /^\d{4}-\d\d-\d\d$/]],
    ["time", ["time", /^\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/]],
    ["timestamp", ["datetime-local", /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/]],
  ]).get(input ?? "");
  if (shape === undefined || text !== "" && !(/** @type {RegExp} */ (shape[1]).test(text))) return null;
  return { type: String(shape[0]), value: text.replace(" ", "T") };
}

/** The text of a picker in the form of the present one: its separator, and seconds where it has them. @param {string} text @param {string} present */
export function moment(text, present) {
  const isShort = /:/.test(present) && /:\d\d:\d\d/.test(present) && !/:\d\d:\d\d/.test(text) &&
    /:\d\d/.test(text);
  const whole = isShort ? `${text}:00` : text;
  return / /.test(present) ? whole.replace("T", " ") : whole;
}

/** How many bytes a text in base64 stands for. @param {string} base64 */
export function byteCount(base64) {
  return Math.floor(base64.replace(/=+$/, "").length * 3 / 4);
}

/** A number of bytes for readers. @param {number} count */
export function size(count) {
  const power = count < 1000 ? 0 : count < 1_000_000 ? 1 : 2;
  const text = (count / 1000 ** power).toLocaleString(undefined, {
    maximumFractionDigits: power === 0 ? 0 : 1,
  });
  return `${text} ${["bytes", "kB", "MB"][power]}`;
}

// Fields for foreign keys: the record that is referred to is chosen by its label, or by its key.

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
    : `&filter=${valueText(`instr(lower(cast(${quoted(label)} as text)),lower(${like}))>0 or ${key}`)}`;
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
  /** Removes the problem of the last question. */
  let clear = () => {};

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
    clear();
    try {
      await ask(signal);
    } catch (error) {
      // Without choices, nothing is accepted.
      clear = showTrouble(error, () => ask(signal), (note) => plain.element.after(note));
    }
  }

  /** @param {AbortSignal} signal */
  async function ask(signal) {
    const found = await choices(association, isTyped ? control.value : "", signal);
    if (signal.aborted) return;
    shown = found;
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
