// Fields for the values of columns.

import { button, element } from "./dom.js";
import { untyped } from "./json.js";
import { referenceField } from "./references.js";

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
  const plain = valueField(column, present);
  return reference === undefined ? plain : referenceField(reference, plain);
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
