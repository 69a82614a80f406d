// The roles of a treegrid for tables that the server rendered, and their keyboard navigation.

import { all, element } from "./dom.js";

/** Gives a table and all in it the roles of a treegrid. @param {HTMLTableElement} table @param {string} name */
export function addRoles(table, name) {
  table.setAttribute("role", "treegrid");
  table.setAttribute("aria-label", name);
  // A treegrid may contain only rows.
  const { caption } = table;
  if (caption !== null) {
    table.before(element("h2", { class: "caption" }, ...caption.childNodes));
    caption.remove();
  }
  for (const part of table.querySelectorAll(":scope > thead, :scope > tbody:not(.spacer)")) {
    part.setAttribute("role", "rowgroup");
  }
  for (const row of table.querySelectorAll(":scope > :not(.spacer) > tr")) {
    if (row.getAttribute("role") === "row") continue;
    row.setAttribute("role", "row");
    for (const cell of row.children) {
      cell.setAttribute(
        "role",
        row.parentElement?.localName === "thead"
          ? "columnheader"
          : cell.localName === "th"
          ? "rowheader"
          : "gridcell",
      );
    }
  }
}

/** A stop of the arrow keys: a control in a cell, or the cell itself. @typedef {{ target: HTMLElement, cell: HTMLTableCellElement }} Stop */

/** @param {HTMLTableRowElement} row @returns {Stop[]} */
function stops(row) {
  return Array.from(row.cells).flatMap((cell) => {
    if (row.classList.contains("below")) {
      return all(cell, ":scope > .more > button:not([hidden]), :scope > .caption a, :scope > .trouble button")
        .map((target) => ({ target, cell }));
    }
    const inner = all(cell, ":scope a[href], :scope button, :scope > input");
    return (inner.length > 0 ? inner : [cell]).map((target) => ({ target, cell }));
  });
}

/** Elements within a grid that have their own tab stops. */
const OWN = ".cell-editor, .new-record, .tools, .chart, [role=toolbar]";

/** The keyboard navigation of a grid, which is a single tab stop whatever is open in it. */
export class GridKeys {
  /**
   * @param {HTMLElement} root the parent of the outermost table
   * @param {(cell: HTMLTableCellElement) => void} openCellMenu @param {(cell: HTMLTableCellElement) => void} edit
   */
  constructor(root, openCellMenu, edit) {
    this.root = root;
    this.openCellMenu = openCellMenu;
    this.edit = edit;
    /** @type {HTMLElement | null} */
    this.present = null;
    root.addEventListener("keydown", (event) => this.#press(event));
    root.addEventListener("focusin", (event) => this.#mark(/** @type {HTMLElement} */ (event.target)));
    root.addEventListener("mousedown", (event) => this.#point(event));
  }

  /** Makes the whole grid a single tab stop; call this when something was added. */
  refresh() {
    for (const target of all(this.root, "a[href], button, input")) {
      if (target !== this.present && target.closest(OWN) === null) target.tabIndex = -1;
    }
    if (this.present === null || !this.present.isConnected || this.present.closest("tr[hidden]") !== null) {
      const [row] = this.#rows();
      const all = row === undefined ? [] : stops(row);
      const first = all.find(({ cell }) => !cell.matches(".select")) ?? all[0];
      if (first !== undefined) this.#mark(first.target);
    }
  }

  /** @param {HTMLElement} target */
  focus(target) {
    this.#mark(target);
    target.focus();
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** @param {HTMLElement} target */
  #mark(target) {
    if (!this.root.contains(target) || target === this.present || target.closest(OWN) !== null) return;
    if (this.present !== null) this.present.tabIndex = -1;
    target.tabIndex = 0;
    this.present = target;
  }

  /** Focuses a cell without controls when it is clicked. @param {MouseEvent} event */
  #point(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const cell = /** @type {HTMLElement | null} */ (target.closest("td, th"));
    if (cell === null || target.closest("a, button, input") !== null || event.button !== 0) return;
    const stop = stops(/** @type {HTMLTableRowElement} */ (cell.parentElement)).find((one) =>
      one.cell === cell
    );
    if (stop?.target !== cell) return;
    this.#mark(cell);
    cell.focus({ preventScroll: true });
  }

  /** The visible rows, including those of nested tables. @returns {HTMLTableRowElement[]} */
  #rows() {
    return /** @type {HTMLTableRowElement[]} */ (all(this.root, "tr")).filter((row) =>
      row.closest("tr[hidden], .spacer") === null &&
      // Each cell of a record has a stop, which is not looked for: there may be thousands.
      (row.classList.contains("below") ? stops(row).length : row.cells.length) > 0
    );
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.altKey || event.metaKey || event.defaultPrevented) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const row = /** @type {HTMLTableRowElement | null} */ (target.closest("tr"));
    if (row === null) return;
    const inRow = stops(row);
    const at = inRow.findIndex((stop) => stop.target === target);
    if (at < 0) return;
    const cell = inRow[at].cell;
    if (event.key === "F10" && event.shiftKey || event.key === "ContextMenu") {
      event.preventDefault();
      this.openCellMenu(cell);
      return;
    }
    if (event.key === "F2") {
      event.preventDefault();
      this.edit(cell);
      return;
    }
    const to = this.#destination(event, row, inRow, at);
    if (to === undefined) return;
    event.preventDefault();
    if (to !== null) this.focus(to);
  }

  /** The destination of a key: null for none, undefined for keys that the grid doesn't handle.
   * @param {KeyboardEvent} event @param {HTMLTableRowElement} row @param {Stop[]} inRow @param {number} at */
  #destination(event, row, inRow, at) {
    const { target, cell } = inRow[at];
    const expanded = target.getAttribute("aria-expanded");
    const isAssociation = target.classList.contains("open");
    const columns = this.root.closest("main")?.classList.contains("single") && row.closest(".below") === null;
    switch (event.key) {
      case "ArrowRight":
        if (isAssociation && expanded === "false") {
          target.click();
          return null;
        }
        return inRow[at + 1]?.target ?? null;
      case "ArrowLeft":
        if (isAssociation && expanded === "true") {
          target.click();
          return null;
        }
        return inRow[at - 1]?.target ?? null;
      case "Home":
        return (event.ctrlKey ? stops(this.#rows()[0]) : inRow)[0].target;
      case "End": {
        const last = event.ctrlKey ? stops(/** @type {HTMLTableRowElement} */ (this.#rows().at(-1))) : inRow;
        return /** @type {Stop} */ (last.at(-1)).target;
      }
      case "ArrowDown":
      case "ArrowUp":
      case "PageDown":
      case "PageUp": {
        const down = event.key.endsWith("Down");
        if (columns && event.key.startsWith("Arrow")) {
          const next = inRow[at + (down ? 1 : -1)];
          if (next) return next.target;
        }
        const rows = this.#rows();
        const step = event.key.startsWith("Page") ? 20 : 1;
        const index = Math.max(0, Math.min(rows.length - 1, rows.indexOf(row) + (down ? step : -step)));
        const there = stops(rows[index]);
        return (there.find((stop) => stop.cell.cellIndex >= cell.cellIndex) ?? there[there.length - 1])
          .target;
      }
      case "Enter":
      case " ":
        if (target === cell) return null;
        if (event.key === " ") {
          target.click();
          return null;
        }
        return undefined;
      default:
        return undefined;
    }
  }
}
