// Groups as bars. The table below has the same data in readable form.

import { cellValue } from "./cells.js";
import { all, element } from "./dom.js";

/** @typedef {{ label: string, numbers: (number | null)[], texts: string[] }} Group */
/** @typedef {{ names: string[], isOrdered: boolean, groups: Group[] }} Data the names are those of the numbers */

/** The largest number of columns that have room for labels. */
const MOST_LABELS = 16;

/** The data of a table of groups for a chart, or null if it has no numbers. @param {HTMLTableElement} table @returns {Data | null} */
export function chartData(table) {
  const heads = Array.from(table.tHead?.rows[0].cells ?? []);
  const rows = all(table, ":scope > tbody:not(.spacer) > tr:not(.below)");
  if (rows.length < 2) return null;
  const cells = rows.map((row) => heads.map((_, index) => cellValue(row.children[index])));
  const columns = heads.map((head, index) => ({
    name: head.dataset.title ?? head.textContent ?? "",
    index,
    isKey: head.dataset.key !== undefined,
    isNumber: cells.every((row) => ["number", "null"].includes(row[index].kind)) &&
      cells.some((row) => row[index].kind === "number"),
  }));
  const numbers = columns.filter(({ isKey, isNumber }) => isNumber && !isKey);
  const labels = columns.filter((column) => !numbers.includes(column));
  if (numbers.length === 0 || labels.length === 0) return null;
  const groups = cells.map((row) => ({
    label: labels.map(({ index }) => row[index].text).join(" · "),
    numbers: numbers.map(({ index }) => row[index].kind === "null" ? null : Number(row[index].text)),
    texts: numbers.map(({ index }) => row[index].text),
  }));
  const first = cells.map((row) => row[labels[0].index].text);
  const known = first.filter((text) => text !== "null");
  const isOrdered = labels.length === 1 &&
    first.every((text) => /^-?\d+(\.\d+)?$|^\d{4}-\d\d|^null$/.test(text)) &&
    known.every((text, index) => index === 0 || compare(known[index - 1], text) < 0);
  return { names: numbers.map(({ name }) => name), isOrdered, groups };
}

/** @param {string} left @param {string} right */
function compare(left, right) {
  const difference = Number(left) - Number(right);
  return Number.isNaN(difference) ? left < right ? -1 : 1 : difference;
}

/** A chart of a table of groups, or null if it has no numbers. @param {HTMLTableElement} table */
export function chart(table) {
  const data = chartData(table);
  if (data === null) return null;
  const made = element("figure", { class: "chart" });
  const show = (/** @type {number} */ index) => {
    made.querySelector("[role=img]")?.remove();
    if (index < data.names.length) made.append(bars(data, index));
  };
  const choice = /** @type {HTMLSelectElement} */ (element(
    "select",
    { "aria-label": "Chart" },
    ...[...data.names, "no chart"].map((name, index) => element("option", { value: index }, name)),
  ));
  choice.addEventListener("change", () => show(Number(choice.value)));
  made.append(element("figcaption", {}, choice));
  show(0);
  return made;
}

/** @param {Data} data @param {number} index */
function bars({ names, isOrdered, groups }, index) {
  const numbers = groups.map((group) => group.numbers[index] ?? 0);
  const [least, most] = [Math.min(0, ...numbers), Math.max(0, ...numbers)];
  const share = (/** @type {number} */ number) => `${100 * number / (most - least || 1)}%`;
  const every = Math.ceil(groups.length / MOST_LABELS);
  const made = element("div", {
    role: "img",
    "aria-label": `${names[index]}, as in the table below`,
    class: isOrdered ? "columns" : "bars",
  });
  groups.forEach((group, place) => {
    const bar = element("span", { class: "bar" });
    const [size, offset] = [share(Math.abs(numbers[place])), share(Math.min(numbers[place], 0) - least)];
    if (isOrdered) Object.assign(bar.style, { height: size, bottom: offset });
    else Object.assign(bar.style, { width: size, left: offset });
    const text = group.texts[index];
    made.append(
      element(
        "span",
        { class: "group", title: `${group.label}: ${text}` },
        element("span", { class: "label" }, isOrdered && place % every !== 0 ? null : group.label),
        element("span", { class: "track" }, bar),
        isOrdered ? null : element("span", { class: "amount" }, text),
      ),
    );
  });
  return made;
}
