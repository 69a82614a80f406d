// What the server says of cells, rows and headers (`data-kind`, `data-href`, `data-column` …), and expressions of values.
// No other module reads these attributes of values.

import { find } from "./dom.js";
import { expressed } from "./json.js";
import { decoded, requestAt } from "./request.js";

/** @typedef {"text" | "number" | "boolean" | "null" | "bytes"} Kind */

/** The number of bytes after which the server shows only the beginning of a text. */
const LONGEST = 300;

/** The address of a row's record, or null if it has none. @param {Element} row */
export function recordHref(row) {
  const { href } = /** @type {HTMLElement} */ (row).dataset;
  return href === undefined ? null : requestAt(href);
}

/** The link to the record of a row. @param {Element} row */
export function recordLink(row) {
  const links = row.querySelectorAll(":scope > th a[href]:not(.whole)");
  return /** @type {HTMLElement | null} */ (links.item(links.length - 1));
}

/** What the record of a row is called. @param {Element} row */
export function recordName(row) {
  const header = find(row, ":scope > th");
  const text = header?.dataset.kind === "reference" ? null : find(header ?? row, "a[href]")?.textContent;
  return text || decoded(recordHref(row)?.split("/").at(-1) ?? "") || header?.textContent ||
    "record";
}

/** The cells of values and associations, without the one that selects the row. @param {Element} row @returns {HTMLTableCellElement[]} */
export function ownCells(row) {
  return /** @type {HTMLTableCellElement[]} */ (Array.from(row.children).filter((cell) =>
    !cell.matches(".select")
  ));
}

/** Whether a cell shows records of an association. @param {Element} cell */
export function isAssociation(cell) {
  return /** @type {HTMLElement} */ (cell).dataset.kind === "association";
}

/** Whether a cell shows the label of another record. @param {Element} cell */
export function isReference(cell) {
  return /** @type {HTMLElement} */ (cell).dataset.kind === "reference";
}

/** The part of a cell that shows its value; a foreign key follows the label of the record that it refers to. @param {Element} cell */
function shown(cell) {
  const part = cell.querySelector(":scope > del") ?? cell;
  const marked = part.querySelector(":scope > [data-kind]") ?? part.querySelector(":scope > span");
  if (marked !== null) return marked;
  return isReference(cell) ? part.querySelector(":scope > a:last-of-type") ?? part : part;
}

/** The value of a cell as text, of which a long one is only the beginning. @param {Element} cell @returns {{ kind: Kind, text: string }} */
export function cellValue(cell) {
  const part = shown(cell);
  const own = /** @type {HTMLElement} */ (part).dataset.kind;
  const kind = own === undefined || own === "reference" || own === "association" ? "text" : own;
  return { kind: /** @type {Kind} */ (kind), text: part.textContent ?? "" };
}

/** A text as a literal of an expression. @param {string} text */
export function quotedText(text) {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A value as a literal, or null if it has none. @param {Kind} kind @param {string} text */
export function literal(kind, text) {
  // Of a number that isn't one, such as NaN, there is only the text.
  if (kind === "text" || kind === "number" && !/^-?\d/.test(text)) {
    return text.length > LONGEST ? null : quotedText(text);
  }
  return kind === "bytes" ? null : text;
}

/** What a column is compared with to find a value, or null if there is nothing. @param {Kind} kind @param {string} text @param {string} [form] how the column's values are written in expressions */
export function compared(kind, text, form) {
  const shown = form === undefined || kind === "null" ? text : expressed(form, text);
  return kind === "null" || shown === null ? null : literal(kind, shown);
}

/** The expressions that a cell's menu offers.
 * @param {string} column as an expression has it @param {Kind} kind @param {string} text
 * @param {{ input?: string, literal?: string }} [written] how the column's values are typed, and written in expressions */
export function expressions(column, kind, text, { input, literal: form } = {}) {
  const absent = `${column} is null`;
  const value = compared(kind, text, form);
  if (value === null) return [absent, `${column} is not null`];
  const found = [`${column}=${value}`, `${column}!=${value}`];
  if (isOrdered(kind, input)) found.push(`${column}<${value}`, `${column}>${value}`);
  return [...found, absent];
}

/** @param {Kind} kind @param {string} [input] */
function isOrdered(kind, input) {
  return kind === "number" || kind === "text" && ["date", "time", "timestamp"].includes(input ?? "");
}

// What the user may change, as the server says.

/** Whether some records of a table can be changed by a method. @param {Element | null} table @param {string} method */
export function allows(table, method) {
  const isWritable = document.querySelector("main")?.hasAttribute("data-writable") ?? false;
  return isWritable && /** @type {HTMLElement | null} */
    (table)?.dataset.changes?.split(" ").includes(method) === true;
}
