// Fields for the values of columns; referenced records are chosen by their labels.

import { all, button, element } from "./dom.js";
import { quoted, valueText } from "./request.js";
import { fetched, schema } from "./server.js";
import { columnKind, members, typed, untyped } from "./values.js";

/** @typedef {import("./server.js").Column} Column */
/** @typedef {import("./server.js").Association} Association */

/** @typedef {object} Field
 * @property {HTMLElement} element
 * @property {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} control
 * @property {() => Map<string, string> | null} values the values to write, each column as JSON; null if the input is invalid
 */

/** A field for a column, or for all columns of the foreign key that it belongs to.
 * @param {Column} column @param {string} present its value as JSON; an empty text in a new record
 * @param {Association | undefined} reference @returns {Field} */
export function field(column, present, reference) {
  return reference === undefined ? valueField(column, present) : referenceField(column, present, reference);
}

/** The association whose foreign key a column belongs to; of several, the one with the fewest columns.
 * @param {import("./server.js").Resource | undefined} resource @param {string} column */
export function reference(resource, column) {
  const width = (/** @type {Association} */ one) => Object.keys(one.columns ?? {}).length;
  return resource?.associations.filter((one) => one.kind === "belongsTo" && column in (one.columns ?? {}))
    .sort((left, right) => width(left) - width(right))[0];
}

/** @param {Column} column @param {string} present @returns {Field} */
function valueField(column, present) {
  const kind = columnKind(column.type);
  const attributes = { "aria-label": column.name, autocomplete: "off", spellcheck: kind === "text" };
  /** @type {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} */
  let control;
  /** @type {string | null} */
  let bytes = null;
  if (kind === "boolean") {
    const choices = ["", "true", "false"].map((one) => element("option", { selected: one === present }, one));
    control = /** @type {HTMLSelectElement} */ (element("select", attributes, ...choices));
  } else if (kind === "bytes") {
    const input = /** @type {HTMLInputElement} */ (element("input", { ...attributes, type: "file" }));
    input.addEventListener("change", async () => {
      const [file] = input.files ?? [];
      bytes = file ? await base64(file) : null;
    });
    control = input;
  } else {
    const text = untyped(present === "" ? "null" : present);
    const isLong = kind === "json" || kind === "text" && /.{60}|\n/s.test(text);
    control = /** @type {HTMLInputElement | HTMLTextAreaElement} */ (element(isLong ? "textarea" : "input", {
      ...attributes,
      rows: isLong ? 4 : null,
      inputmode: kind === "number" ? "decimal" : null,
    }));
    control.value = text;
  }
  const none = button("null", () => {
    control.value = "";
    none.setAttribute("aria-pressed", String(none.getAttribute("aria-pressed") !== "true"));
    control.focus();
  }, { class: "null", "aria-pressed": present === "null", "aria-label": `${column.name}: null` });
  control.addEventListener("input", () => none.setAttribute("aria-pressed", "false"));
  let hasChanged = false;
  control.addEventListener("input", () => hasChanged = true);
  return {
    element: element("span", { class: "field" }, control, column.nullable === false ? null : none),
    control,
    values() {
      const result = (/** @type {string} */ json) => new Map([[column.name, json]]);
      if (none.getAttribute("aria-pressed") === "true") return result("null");
      if (kind === "bytes") return bytes === null ? new Map() : result(JSON.stringify(bytes));
      // An unchanged field keeps its value, and is absent from a new record.
      if (!hasChanged && present !== "null") return present === "" ? new Map() : result(present);
      if (control.value === "" && kind !== "text") return result("null");
      if (kind === "boolean") return result(control.value);
      const json = typed(kind, control.value);
      control.setAttribute("aria-invalid", String(json === null));
      return json === null ? null : result(json);
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

/** The number of records that are offered. */
const MOST = 10;

/** A record that can be referenced. @typedef {{ text: string, detail: string, values: Map<string, string> }} Choice */

/** The records whose label or key contains a text.
 * @param {Association} association @param {string} text @param {AbortSignal} signal @returns {Promise<Choice[]>} */
async function choices(association, text, signal) {
  const destination = (await schema())?.resources.find(({ name }) => name === association.destination);
  const pairs = Object.entries(association.columns ?? {});
  if (destination === undefined || pairs.length === 0) return [];
  const label = destination.label ?? pairs[0][1];
  const names = [...new Set([...pairs.map(([, to]) => to), label])];
  const like = `'${text.replaceAll("'", "''")}'`;
  const key = pairs.map(([, to]) => `instr(cast(${quoted(to)} as text),${like})>0`).join(" or ");
  const filter = text === ""
    ? ""
    : `&filter=${valueText(`instr(lower(${quoted(label)}),lower(${like}))>0 or ${key}`)}`;
  const fields = valueText(names.map(quoted).join(","));
  const url = `${destination.link}?fields=${fields}${filter}&sort=${valueText(quoted(label))}&limit=${MOST}`;
  const response = await fetched(url, { signal, headers: { Accept: "application/x-ndjson" } });
  if (!response.ok) return [];
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

/** @param {Column} column @param {string} present @param {Association} association @returns {Field} */
function referenceField(column, present, association) {
  const plain = valueField(column, present);
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

  async function offer() {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    try {
      const found = await choices(association, isTyped ? control.value : "", signal);
      if (signal.aborted) return;
      shown = found;
    } catch {
      return; // the key can be typed as well
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
    list.hidden = shown.length === 0;
    control.setAttribute("aria-expanded", String(!list.hidden));
  }

  /** @param {number} index */
  function choose(index) {
    chosen = shown[index];
    control.value = chosen.text;
    plain.element.querySelector(".null")?.setAttribute("aria-pressed", "false");
    close();
  }

  control.addEventListener("input", () => {
    chosen = null;
    isTyped = true;
    offer();
  });
  control.addEventListener("blur", close);
  control.addEventListener("keydown", (event) => {
    const key = /** @type {KeyboardEvent} */ (event).key;
    if (key === "ArrowDown" || key === "ArrowUp") {
      if (list.hidden) offer();
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
  return { ...plain, values: () => chosen?.values ?? plain.values() };
}
