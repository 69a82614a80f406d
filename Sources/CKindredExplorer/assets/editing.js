// Editing in place: F2 or a double click opens a field in a cell. A change is shown in its cell and, below the page, as
// the request that it becomes.

import { allows, recordHref, recordLink, recordName } from "./cells.js";
import { ChangeList, shown } from "./change-list.js";
import { all, button, element, find } from "./dom.js";
import { field, reference } from "./fields.js";
import { columnName } from "./headers.js";
import { untyped } from "./json.js";
import { path, quoted, valueText } from "./request.js";
import { isOvertaken, Problem, resource } from "./server.js";
import { currentVersion, StagedChanges } from "./staged-changes.js";

/** @typedef {import("./server.js").Resource} Resource */

/** The record and the column of a cell. @typedef {{ url: string, title: string, column: string | null, isFixed: boolean }} Place */

/** The present version of a record, with all of the given columns: by default, the model file may leave some out.
 * @param {string} url @param {string[]} columns */
export async function versionWith(url, columns) {
  const version = await currentVersion(url);
  const missing = columns.filter((name) => !version.values.has(name));
  if (missing.length === 0) return version;
  const more = await currentVersion(`${url}?fields=${valueText(missing.map(quoted).join(","))}`);
  return { tag: version.tag, values: new Map([...version.values, ...more.values]) };
}

/** Moves nodes without losing the focus that one of them has. @param {() => void} action */
function keepingFocus(action) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  action();
  if (focused !== document.activeElement && focused?.isConnected) focused.focus({ preventScroll: true });
}

/** Shows a value that was written in its cell, whose link stays. @param {HTMLElement} cell @param {string} json */
function setValue(cell, json) {
  const row = /** @type {HTMLElement} */ (cell.parentElement);
  const link = cell.localName === "th" ? recordLink(row) : null;
  if (link !== null && json !== "null") {
    link.textContent = untyped(json);
    return;
  }
  if (link !== null) return;
  cell.replaceChildren(shown(json));
  if (json === "null") cell.dataset.kind = "null";
  else if (/^["[{]/.test(json)) delete cell.dataset.kind;
  else cell.dataset.kind = /^[tf]/.test(json) ? "boolean" : "number";
}

export class Editing {
  /**
   * @param {HTMLElement} root what holds the tables
   * @param {{ refresh: () => Promise<void>, fail: (error: unknown) => void }} page
   */
  constructor(root, page) {
    this.root = root;
    this.page = page;
    /** Ends the editing of a cell; returns false if the value is invalid. @type {(() => boolean) | null} */
    this.finish = null;
    /** Whether a refresh was skipped while a cell was being edited. */
    this.isLate = false;
    /** Functions that keep what was typed into forms of new records. @type {Set<() => void>} */
    this.forms = new Set();
    this.staged = new StagedChanges(() => this.show());
    this.list = new ChangeList(this.staged, {
      apply: () => void this.apply().catch(page.fail),
      change: (change) => void this.#form((form) => form.changeNew(change, this)),
      fail: page.fail,
    });
    root.addEventListener("dblclick", (event) => {
      const cell = /** @type {HTMLElement} */ (event.target).closest("td, th");
      if (cell !== null) this.open(/** @type {HTMLTableCellElement} */ (cell));
    });
    addEventListener("pagehide", () => this.leave());
    // The browser may show a page that it has kept, while the changes were applied on another one.
    addEventListener("pageshow", (event) => {
      if (event.persisted) this.staged.restore();
    });
  }

  /** Keeps what was typed, before the tables are removed. */
  leave() {
    this.finish?.();
    for (const keep of this.forms) keep();
  }

  /** Whether a cell is being edited, so that tables must not be refreshed. */
  get isOpen() {
    return this.finish !== null;
  }

  /** Refreshes the tables after the cell that is being edited. */
  refreshLater() {
    this.isLate = true;
  }

  /** @param {(form: typeof import("./record-form.js")) => Promise<void>} action */
  async #form(action) {
    try {
      await action(await import("./record-form.js"));
    } catch (error) {
      if (!isOvertaken(error)) this.page.fail(error);
    }
  }

  /** @param {HTMLElement} cell @returns {Place | null} */
  place(cell) {
    const row = /** @type {HTMLTableRowElement} */ (cell.closest("tr"));
    const table = /** @type {HTMLTableElement | null} */ (row.closest("table[data-resource]"));
    const url = recordHref(row);
    if (url === null || row.classList.contains("below")) return null;
    const head = table?.tHead?.rows[0].cells[/** @type {HTMLTableCellElement} */ (cell).cellIndex];
    return {
      url,
      title: recordName(row),
      column: columnName(head),
      isFixed: head?.dataset.fixed !== undefined,
    };
  }

  /** Opens a field in a cell; returns false if it can't be edited. @param {HTMLTableCellElement} cell */
  open(cell) {
    const place = allows(cell.closest("table"), "PATCH") ? this.place(cell) : null;
    if (place === null || place.column === null || this.finish !== null && !this.finish()) return false;
    this.#edit(cell, place, place.column).catch(this.page.fail).finally(() =>
      cell.removeAttribute("aria-busy")
    );
    return true;
  }

  /** @param {HTMLTableCellElement} cell @param {Place} place @param {string} column */
  async #edit(cell, { url, title }, column) {
    const change = this.staged.of(url);
    if (change?.method === "DELETE") return;
    cell.setAttribute("aria-busy", "true");
    const [found, version] = await Promise.all([
      resource(/** @type {HTMLElement} */ (cell.closest("table")).dataset.resource),
      change?.base.has(column) ? { tag: change.tag, values: change.base } : versionWith(url, [column]),
    ]);
    const known = found?.columns.find((one) => one.name === column);
    const before = change?.values.get(column) ?? version.values.get(column);
    cell.removeAttribute("aria-busy");
    if (known === undefined || known.isGenerated || known.computed) {
      throw new Problem(`The column ${column} is computed, so it can't be changed.`, { status: 422 });
    }
    if (before === undefined || !cell.isConnected || this.finish !== null) return;
    if (change !== null) { for (const [name, json] of version.values) change.base.set(name, json); }
    const made = field(known, before, reference(found, column));
    const box = element("div", { class: "cell-editor" }, made.element);
    const target = find(cell, "[tabindex='0'], a[href], button") ?? cell;
    cell.append(box);
    cell.classList.add("editing");
    made.control.focus();
    if (made.control instanceof HTMLInputElement || made.control instanceof HTMLTextAreaElement) {
      made.control.select();
    }

    const close = () => {
      this.finish = null;
      const hadFocus = box.contains(document.activeElement);
      box.remove();
      cell.classList.remove("editing");
      if (hadFocus) target.focus();
      if (this.isLate) this.page.refresh();
      this.isLate = false;
    };
    this.finish = () => {
      const values = made.values();
      if (values === null) {
        made.control.focus();
        return false;
      }
      close();
      this.staged.patch(url, title, version, values);
      return true;
    };
    /** Waits for the choices of a picker, then takes the value. */
    const take = async () => {
      await made.settled();
      if (box.isConnected) this.finish?.();
    };
    box.addEventListener("keydown", (event) => {
      event.stopPropagation();
      const isLong = made.control.localName === "textarea";
      if (event.key === "Escape") close();
      else if (event.key === "Enter" && !(isLong && event.shiftKey) && event.target === made.control) {
        void take();
      } else return;
      event.preventDefault();
    });
    for (const type of ["contextmenu", "dblclick", "mousedown", "click"]) {
      box.addEventListener(type, (event) => event.stopPropagation());
    }
    box.addEventListener("focusout", (event) => {
      if (event.relatedTarget !== null && !box.contains(/** @type {Node} */ (event.relatedTarget))) {
        void take();
      }
    });
  }

  /** The additional items of a cell's menu. @param {HTMLElement} cell */
  items(cell) {
    const place = this.place(cell);
    const table = cell.closest("table");
    if (place === null) return [];
    return [
      ...place.column !== null && !place.isFixed && allows(table, "PATCH")
        ? [{ text: "Edit", action: () => void this.open(/** @type {HTMLTableCellElement} */ (cell)) }]
        : [],
      ...allows(table, "DELETE")
        ? [{ text: `Delete ${place.title}`, action: () => void this.#remove(place) }]
        : [],
    ];
  }

  /** @param {Place} place */
  async #remove({ url, title }) {
    try {
      this.staged.remove(url, title, await currentVersion(url));
    } catch (error) {
      this.page.fail(error);
    }
  }

  // New records.

  /** A button that adds a record to a table. @param {HTMLElement} place @param {string} url @param {string} name @param {HTMLTableElement} table */
  offerNew(place, url, name, table) {
    if (!allows(table, "POST")) return;
    const add = button(`Add to ${name}`, () => {
      void this.#form((form) => form.openNew(add, path(url), name, table, this));
    });
    place.append(" ", add);
  }

  // Changes.

  async apply() {
    if (this.finish !== null && !this.finish()) return;
    await this.staged.apply();
    this.#showDone();
    this.mark();
    await this.page.refresh();
  }

  /** The rows of a record. @param {string} url */
  #rows(url) {
    return all(this.root, "tbody > tr[data-href]:not(.below)").filter((row) => recordHref(row) === url);
  }

  /** The cells of a change, with their new values.
   * @param {HTMLElement} row @param {import("./staged-changes.js").Change} change */
  *#cells(row, { values }) {
    for (const head of /** @type {HTMLTableElement} */ (row.closest("table")).tHead?.rows[0].cells ?? []) {
      const column = columnName(head);
      const json = column === null ? undefined : values.get(column);
      const cell = /** @type {HTMLElement | undefined} */ (row.children[head.cellIndex]);
      if (json !== undefined && cell) yield { cell, column, json };
    }
  }

  /** Shows the changes in their cells and below the page. */
  show() {
    this.mark();
    this.list.show();
  }

  /** Shows the changes in their cells; call it when the tables have been replaced. */
  mark() {
    keepingFocus(() => {
      this.clear();
      for (const change of this.staged.changes) {
        for (const row of change.method === "POST" ? [] : this.#rows(change.url)) {
          row.classList.toggle("removed", change.method === "DELETE");
          for (const { cell, column, json } of this.#cells(row, change)) {
            const is = element("ins", {}, shown(json));
            cell.replaceChildren(element("del", {}, ...cell.childNodes), is);
            cell.classList.add("staged");
            if (change.problem?.member !== column) continue;
            cell.setAttribute("aria-invalid", "true");
            is.append(element("small", {}, change.problem?.detail ?? ""));
          }
        }
      }
    });
  }

  /** Shows applied changes, even in rows that a refresh doesn't read again. */
  #showDone() {
    keepingFocus(() => {
      this.clear();
      for (const change of this.staged.done) {
        for (const row of change.method === "POST" ? [] : this.#rows(change.url)) {
          for (const { cell, json } of this.#cells(row, change)) setValue(cell, json);
          if (change.method !== "DELETE") continue;
          while (row.nextElementSibling?.classList.contains("below")) row.nextElementSibling.remove();
          row.remove();
        }
      }
    });
  }

  /** Restores the tables as they were read. */
  clear() {
    for (const row of all(this.root, "tr.removed")) row.classList.remove("removed");
    for (const cell of all(this.root, ".staged")) {
      const was = find(cell, ":scope > del");
      // Its content may have been replaced by a refresh.
      if (was !== null) cell.replaceChildren(...was.childNodes);
      cell.classList.remove("staged");
      cell.removeAttribute("aria-invalid");
    }
  }
}
