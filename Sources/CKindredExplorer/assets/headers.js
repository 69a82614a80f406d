// The headers of a table: sorting, hiding, grouping, including.

import { button, element } from "./dom.js";
import { openFacet } from "./facet.js";
import { openMenu } from "./menu.js";
import {
  adding,
  items,
  join,
  named,
  parameters,
  path,
  quoted,
  setting,
  value,
  valueText,
} from "./request.js";

/** @typedef {import("./grid.js").Grid} Grid */
/** @typedef {import("./grid.js").Source & { node: string }} Place */

/** The number of records of an included association that are shown at first. */
const FIRST = 5;

/** The name of a column in sort terms and expressions. @param {HTMLElement} head */
function term(head) {
  const name = head.dataset.name ?? "";
  return valueText(head.dataset.column ?? quoted(name));
}

/** @param {HTMLTableElement} table @param {Grid} grid */
export function makeHeaders(table, grid) {
  const place = grid.source(table);
  if (place === null) return;
  const rows = Array.from(table.querySelectorAll(":scope > tbody > tr:not(.below)")).slice(0, 20);
  for (const head of table.tHead?.rows[0].cells ?? []) {
    const name = head.textContent ?? "";
    // The headers of numbers are aligned with them.
    const isNumeric = rows.some((row) => row.children[head.cellIndex]?.matches(".n"));
    head.classList.toggle("numeric", isNumeric);
    head.classList.toggle("heading", rows[0]?.children[head.cellIndex]?.localName === "th");
    head.dataset.name = name;
    head.setAttribute("aria-label", name);
    head.replaceChildren(
      head.dataset.association
        ? associationHeader(head, name, place)
        : columnHeader(head, name, table, place),
    );
  }
  markOrder(table, grid);
}

/** @param {HTMLElement} head @param {string} name @param {HTMLTableElement} table @param {Place} place */
function columnHeader(head, name, table, place) {
  const sort = button(name, () => {
    const next = { none: term(head), ascending: `-${term(head)}`, descending: null }[head.ariaSort ?? "none"];
    place.go(setting(place.url, named(place.node, "sort"), next ?? null));
  }, { class: "sort", translate: "no" });
  const menu = button(
    "",
    () => openMenu(`Menu of ${name}`, columnItems(head, name, table, place, menu), menu),
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

/** The items of a column's menu. @param {HTMLElement} head @param {string} name @param {HTMLTableElement} table @param {Place} place @param {HTMLElement} opener */
function columnItems(head, name, table, place, opener) {
  /** @param {string} parameter @param {string | null} text */
  const go = (parameter, text) => () => place.go(setting(place.url, named(place.node, parameter), text));
  const found = [
    { text: "Sort ascending", action: go("sort", term(head)) },
    { text: "Sort descending", action: go("sort", `-${term(head)}`) },
    { text: "Hide", action: () => place.go(hiding(head, table, place)) },
  ];
  if (head.dataset.column === undefined) return found;
  const { url, node } = place;
  const column = term(head);
  return [
    ...found,
    {
      text: "Group",
      action: () => {
        const dropped = ["sort", "include", "join", "annotate", "distinct"].map((parameter) =>
          named(node, parameter)
        );
        const kept = parameters(url).filter((one) => !dropped.includes(one.name));
        const grouped = setting(join(path(url), kept), named(node, "fields"), `${column},n:count()`);
        place.go(setting(grouped, named(node, "group"), column));
      },
    },
    { text: "Top values", action: () => openFacet(head, name, place, opener) },
  ];
}

/** The request without a column. @param {HTMLElement} head @param {HTMLTableElement} table @param {Place} place */
function hiding(head, table, { url, node }) {
  const name = valueText(head.dataset.name ?? "");
  const annotations = items(value(url, named(node, "annotate")) ?? "");
  /** @param {string} item */
  const isIt = (item) =>
    item === name || item === term(head) || item.startsWith(`${name}:`) || item.endsWith(`.${name}`);
  if (annotations.some(isIt)) {
    const rest = annotations.filter((item) => !isIt(item)).join(",");
    return setting(url, named(node, "annotate"), rest === "" ? null : rest);
  }
  const written = items(value(url, named(node, "fields")) ?? "");
  const shown = Array.from(table.tHead?.rows[0].cells ?? []).filter((one) =>
    one.dataset.association === undefined
  );
  const added = new Set(annotations.map((item) => item.split(":", 1)[0]));
  const fields = written.length > 0 && !written.includes("*")
    ? written.filter((item) => !isIt(item))
    : shown.filter((one) =>
      one !== head && one.dataset.column !== undefined && !added.has(valueText(one.dataset.name ?? ""))
    ).map(term);
  return setting(url, named(node, "fields"), fields.join(","));
}

/** Marks the column that the records are sorted by. @param {HTMLTableElement} table @param {Grid} grid */
export function markOrder(table, grid) {
  const place = grid.source(table);
  if (place === null) return;
  const order = value(place.url, named(place.node, "sort"));
  const first = order === null ? null : items(order)[0] ?? null;
  for (const head of table.tHead?.rows[0].cells ?? []) {
    if (head.dataset.association !== undefined) continue;
    const name = term(head);
    if (first === name) head.ariaSort = "ascending";
    else if (first === `-${name}`) head.ariaSort = "descending";
    else head.removeAttribute("aria-sort");
  }
}
