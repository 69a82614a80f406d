// The values of cells, as expressions of the request.

/** @typedef {"text" | "number" | "boolean" | "null" | "blob"} Kind */

/** The link to the record of a row, which follows the label of the record that its heading refers to. @param {Element} row */
export function recordLink(row) {
  const links = row.querySelectorAll(":scope > th a[href]");
  return /** @type {HTMLElement | null} */ (links.item(links.length - 1));
}

/** The part of a cell that shows its value; a foreign key follows the label of the record that it refers to. @param {Element} cell */
function shown(cell) {
  cell = cell.querySelector(":scope > del") ?? cell;
  return cell.querySelector(":scope > span[class]") ??
    cell.querySelector(":scope > .n, :scope > .z, :scope > .b") ??
    (cell.closest(".r") !== null ? cell.querySelector(":scope > span, :scope > a:last-child") : null) ??
    cell;
}

/** @param {Element} cell @returns {{ kind: Kind, text: string }} */
export function cellValue(cell) {
  const part = shown(cell);
  const text = part.textContent ?? "";
  if (part.classList.contains("z")) return { kind: "null", text: "null" };
  if (part.classList.contains("b")) return { kind: "blob", text };
  if (!part.classList.contains("n")) return { kind: "text", text };
  return { kind: text === "true" || text === "false" ? "boolean" : "number", text };
}

/** A value as a literal, or null if it has none. @param {Kind} kind @param {string} text */
export function literal(kind, text) {
  if (kind === "text") return text.length > 300 ? null : `'${text.replaceAll("'", "''")}'`;
  return kind === "blob" ? null : text;
}

/** The expressions that a cell's menu offers. @param {string} column as an expression has it @param {Kind} kind @param {string} text */
export function expressions(column, kind, text) {
  if (kind === "null") return [`${column} is null`, `${column} is not null`];
  const value = literal(kind, text);
  if (value === null) return [`${column} is null`, `${column} is not null`];
  const found = [`${column}=${value}`, `${column}!=${value}`];
  if (kind === "number") found.push(`${column}<${value}`, `${column}>${value}`);
  return [...found, `${column} is null`];
}
