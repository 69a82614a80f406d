// The headers of a table: sorting, hiding, grouping, including.

import { ownCells } from "./cells.js";
import { button, element } from "./dom.js";
import { openMenu } from "./menu.js";
import { adding, join, named, parameters, path, quoted, setting, value, valueText } from "./request.js";
import { description, resource } from "./server.js";

/** @typedef {import("./grid.js").Grid} Grid */
/** @typedef {import("./grid.js").Source & { node: string }} Place */

/** The number of records of an included association that are shown at first. */
const FIRST = 5;

/** The name of a column in sort terms and expressions. @param {HTMLElement} head */
function term(head) {
  return valueText(head.dataset.column ?? quoted(head.dataset.title ?? ""));
}

/** The name of the column that a header stands for, or null if it stands for none. @param {HTMLElement | undefined} head */
export function columnName(head) {
  return head?.dataset.column === undefined ? null : head.dataset.name ?? head.dataset.title ?? "";
}

/** @param {HTMLTableElement} table @param {Grid} grid */
export function makeHeaders(table, grid) {
  const place = grid.source(table);
  if (place === null) return;
  const rows = Array.from(table.querySelectorAll(":scope > tbody > tr:not(.below)")).slice(0, 20);
  for (const head of ownCells(table.tHead?.rows[0] ?? table)) {
    const name = head.textContent ?? "";
    // The headers of numbers are aligned with them.
    const isNumeric = rows.some((row) => row.children[head.cellIndex]?.matches("[data-kind=number]"));
    head.classList.toggle("numeric", isNumeric);
    head.classList.toggle("heading", rows[0]?.children[head.cellIndex]?.localName === "th");
    head.dataset.title = name;
    head.setAttribute("aria-label", name);
    head.replaceChildren(
      head.dataset.association ? associationHeader(head, name, place) : columnHeader(head, name, table, grid),
    );
    if (!head.dataset.association) head.append(edge(head));
  }
  requestAnimationFrame(() => restoreWidths(table));
}

/** @param {HTMLElement} head @param {string} name @param {HTMLTableElement} table @param {Grid} grid */
function columnHeader(head, name, table, grid) {
  const place = /** @type {Place} */ (grid.source(table));
  const sort = button(name, () => {
    const next = { none: term(head), ascending: `-${term(head)}`, descending: null }[head.ariaSort ?? "none"];
    place.go(setting(place.url, named(place.node, "sort"), next ?? null));
  }, { class: "sort", translate: "no" });
  const menu = button(
    "",
    () => openMenu(`Menu of ${name}`, columnItems(head, name, table, place, grid, menu), menu),
    {
      class: "more-of",
      "aria-label": `Menu of ${name}`,
      "aria-haspopup": "menu",
      "aria-expanded": "false",
    },
  );
  return element("span", { class: "head" }, sort, menu);
}

/** @param {HTMLElement} head @param {string} name @param {Place} place */
function associationHeader(head, name, place) {
  const include = button("", () => {
    const key = named(place.node, valueText(quoted(name)));
    const url = adding(place.url, "include", key);
    place.go(head.dataset.association === "many" ? adding(url, named(key, "limit"), String(FIRST)) : url);
  }, { class: "include", "aria-label": `Include ${name}` });
  return element("span", { class: "head" }, element("span", { translate: "no" }, name), include);
}

/** The items of a column's menu. @param {HTMLElement} head @param {string} name @param {HTMLTableElement} table @param {Place} place @param {Grid} grid @param {HTMLElement} opener */
function columnItems(head, name, table, place, grid, opener) {
  /** @param {string} parameter @param {string | null} text */
  const go = (parameter, text) => () => place.go(setting(place.url, named(place.node, parameter), text));
  const hide = async () => place.go(await hiding(head, table, place));
  const found = [
    { text: "Sort ascending", action: go("sort", term(head)) },
    { text: "Sort descending", action: go("sort", `-${term(head)}`) },
    { text: "Hide", action: () => void hide().catch(grid.fail) },
    ...widthItems(head),
  ];
  if (head.dataset.column === undefined) return found;
  const facet = async () => (await import("./facet.js")).openFacet(head, name, place, opener);
  return [
    ...found,
    { text: "Group", action: () => place.go(grouping(head, place)) },
    { text: "Top values", action: () => void facet().catch(grid.fail) },
  ];
}

/** The request for the groups of a column. @param {HTMLElement} head @param {Place} place */
function grouping(head, { url, node }) {
  const dropped = ["sort", "include", "join", "annotate", "distinct"].map((parameter) =>
    named(node, parameter)
  );
  const kept = parameters(url).filter((one) => !dropped.includes(one.name));
  const column = term(head);
  // A column of the same name needs the name itself.
  const count = columnName(head) === "n" ? "count" : "n";
  const grouped = setting(join(path(url), kept), named(node, "fields"), `${column},${count}:count()`);
  return setting(grouped, named(node, "group"), column);
}

/** A node of a request and all below it. @param {import("./server.js").Node} node @returns {import("./server.js").Node[]} */
function nodes(node) {
  return [node, ...node.nodes.flatMap(nodes)];
}

/** The request without a column: the server says what is selected. @param {HTMLElement} head @param {HTMLTableElement} table @param {Place} place */
async function hiding(head, table, { url, node }) {
  const { tree } = await description(url);
  const found = tree === null
    ? null
    : nodes(tree).find((one) => (one.path ?? "") === (table.dataset.node ?? ""));
  const heads = Array.from(table.tHead?.rows[0].cells ?? []).filter((one) =>
    one.dataset.association === undefined && one.dataset.title !== undefined
  );
  const { annotations = [], fields = null } = found ?? {};
  const at = heads.indexOf(/** @type {HTMLTableCellElement} */ (head));
  const ofFields = heads.length - annotations.length;
  if (at >= ofFields) {
    const rest = annotations.filter((_, index) => index !== at - ofFields).map(valueText).join(",");
    return setting(url, named(node, "annotate"), rest === "" ? null : rest);
  }
  const isExplicit = fields !== null && fields.length === ofFields && !fields.includes("*");
  const items = isExplicit ? fields.map(valueText) : heads.slice(0, ofFields).map(term);
  return setting(url, named(node, "fields"), items.filter((_, index) => index !== at).join(","));
}

/** Offers to add the columns that a table doesn't show: computed ones, those that the model file leaves out, hidden ones.
 * @param {HTMLTableElement} table @param {HTMLElement} opener @param {import("./toolbar.js").Place} place */
export async function openColumns(table, opener, { url, go }) {
  const columns = (await resource(table.dataset.resource))?.columns ?? [];
  const heads = ownCells(table.tHead?.rows[0] ?? table);
  const missing = columns.filter(({ name }) => !heads.some((head) => columnName(head) === name));
  const shown = missing.every(({ computed }) => computed)
    ? "*"
    : heads.filter((head) => head.dataset.column !== undefined).map(term).join(",");
  const fields = value(url, "fields") ?? shown;
  const items = missing.map(({ name, type, computed, description }) => ({
    text: name,
    detail: description ?? (computed ? "computed" : type),
    action: () => go(setting(url, "fields", `${fields}${fields && ","}${valueText(quoted(name))}`)),
  }));
  if (items.length === 0) items.push({ text: "All columns are shown", detail: "", action: () => {} });
  openMenu("Columns", items, opener);
}

// Widths of columns, which are kept in the browser for each resource.

const STORED = "kindred-widths";
const [LEAST, STEP] = [40, 40];

/** @returns {Record<string, number>} */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? "{}");
  } catch {
    return {};
  }
}

/** @param {HTMLElement} head */
function key(head) {
  const table = /** @type {HTMLElement} */ (head.closest("table"));
  return JSON.stringify([table.dataset.resource ?? "", head.dataset.title ?? ""]);
}

/** Fixes the widths of all columns as they are. @param {HTMLTableElement} table */
export function freeze(table) {
  if (table.classList.contains("frozen")) return;
  const heads = Array.from(table.tHead?.rows[0].cells ?? []);
  const widths = heads.map((head) => head.getBoundingClientRect().width);
  heads.forEach((head, index) => head.style.width = `${widths[index]}px`);
  fit(table);
  table.classList.add("frozen");
}

/** Makes a table as wide as its columns. @param {HTMLTableElement} table */
function fit(table) {
  const widths = Array.from(table.tHead?.rows[0].cells ?? [], (head) => parseFloat(head.style.width));
  table.style.width = `${widths.reduce((sum, width) => sum + width, 0)}px`;
}

/** @param {HTMLElement} head @param {number} width */
function set(head, width) {
  const table = /** @type {HTMLTableElement} */ (head.closest("table"));
  freeze(table);
  head.style.width = `${Math.max(LEAST, Math.round(width))}px`;
  fit(table);
}

/** @param {HTMLElement} head @param {number} width */
function keep(head, width) {
  set(head, width);
  try {
    const all = new Map(Object.entries(kept()));
    all.set(key(head), parseFloat(head.style.width));
    localStorage.setItem(STORED, JSON.stringify(Object.fromEntries(all)));
  } catch {
    // Without storage, the width applies to this page only.
  }
}

/** Applies the kept widths. @param {HTMLTableElement} table */
export function restoreWidths(table) {
  const all = new Map(Object.entries(kept()));
  for (const head of table.tHead?.rows[0].cells ?? []) {
    const width = all.get(key(head));
    if (width !== undefined) set(head, width);
  }
}

/** The edge of a header, which the pointer drags. @param {HTMLElement} head */
export function edge(head) {
  const made = element("span", { class: "edge", "aria-hidden": "true" });
  made.addEventListener("click", (event) => event.stopPropagation());
  made.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    made.setPointerCapture(event.pointerId);
    const [start, width] = [event.clientX, head.getBoundingClientRect().width];
    const sign = getComputedStyle(head).direction === "rtl" ? -1 : 1;
    /** @param {PointerEvent} moved */
    const move = (moved) => set(head, width + sign * (moved.clientX - start));
    made.addEventListener("pointermove", move);
    made.addEventListener("lostpointercapture", () => {
      made.removeEventListener("pointermove", move);
      keep(head, head.getBoundingClientRect().width);
    }, { once: true });
  });
  return made;
}

/** The items of a column's menu that change its width. @param {HTMLElement} head */
export function widthItems(head) {
  const width = () => head.getBoundingClientRect().width;
  return [
    { text: "Wider", action: () => keep(head, width() + STEP) },
    { text: "Narrower", action: () => keep(head, width() - STEP) },
  ];
}
