// Editing in place: F2 or a double click opens a field in a cell. A change is shown in its cell and, below the page, as
// the request that it becomes.

import { Changes } from "./changes.js";
import { recordLink } from "./cells.js";
import { all, button, element, find } from "./dom.js";
import { Edits, present } from "./edits.js";
import { field, reference } from "./fields.js";
import { path, quoted, readable, valueText } from "./request.js";
import { schema } from "./server.js";
import { untyped } from "./values.js";

/** @typedef {import("./server.js").Resource} Resource */

/** The record and the column of a cell. @typedef {{ url: string, title: string, column: string }} Place */

/** A name without the quotes that expressions need. @param {string} term */
function unquoted(term) {
  return term.startsWith('"') ? term.slice(1, -1).replaceAll('""', '"') : term;
}

/** A value as a cell shows it. @param {string} json */
function shown(json) {
  return json === "null" ? element("i", {}, "null") : untyped(json);
}

export class Editing {
  /**
   * @param {HTMLElement} root what holds the tables
   * @param {{ refresh: () => Promise<void>, signIn: (again: () => void) => void, say: (error: unknown) => void }} page
   */
  constructor(root, page) {
    this.root = root;
    this.page = page;
    /** Whether the server allows changes. */
    this.isAllowed = false;
    this.edits = new Edits(() => this.show());
    this.changes = new Changes(this.edits, () => this.apply());
    /** Ends the editing of a cell; returns false if the value is invalid. @type {(() => boolean) | null} */
    this.finish = null;
    /** Whether a refresh was skipped while a cell was being edited. */
    this.isLate = false;
    root.addEventListener("dblclick", (event) => {
      const cell = /** @type {HTMLElement} */ (event.target).closest("td, th");
      if (cell !== null) this.open(/** @type {HTMLTableCellElement} */ (cell));
    });
    /** Functions that keep what was typed into forms of new records. @type {Set<() => void>} */
    this.forms = new Set();
    addEventListener("pagehide", () => this.leave());
  }

  /** Keeps what was typed, before the tables are removed. */
  leave() {
    this.finish?.();
    for (const keep of this.forms) keep();
  }

  /** Whether a cell is being edited, so that tables must not be refreshed. */
  get isOpen() {
    if (this.finish !== null) this.isLate = true;
    return this.finish !== null;
  }

  /** @param {HTMLElement} cell @returns {Place | null} */
  place(cell) {
    const row = /** @type {HTMLTableRowElement} */ (cell.closest("tr"));
    const table = /** @type {HTMLTableElement | null} */ (row.closest("table[data-resource]"));
    const link = row.parentElement?.localName === "tbody" ? recordLink(row) : null;
    const head = table?.tHead?.rows[0].cells[/** @type {HTMLTableCellElement} */ (cell).cellIndex];
    const href = link?.getAttribute("href") ?? null;
    if (!this.isAllowed || href === null || link === null || row.classList.contains("below")) return null;
    return {
      url: readable(href),
      title: link.textContent ?? href,
      column: head?.dataset.column === undefined ? "" : unquoted(head.dataset.column),
    };
  }

  /** Opens a field in a cell; returns false if it can't be edited. @param {HTMLTableCellElement} cell */
  open(cell) {
    const place = this.place(cell);
    if (place === null || place.column === "" || this.finish !== null && !this.finish()) return false;
    this.#edit(cell, place).catch((error) => {
      cell.removeAttribute("aria-busy");
      this.page.say(error);
    });
    return true;
  }

  /** @param {HTMLTableCellElement} cell @param {Place} place */
  async #edit(cell, { url, title, column }) {
    const change = this.edits.of(url);
    if (change?.method === "DELETE") return;
    cell.setAttribute("aria-busy", "true");
    const [known, version] = await Promise.all([
      schema(),
      change === null ? present(url) : { tag: change.tag, values: change.base },
    ]);
    const name = /** @type {HTMLElement} */ (cell.closest("table")).dataset.resource;
    const resource = known?.resources.find((one) => one.name === name);
    const found = resource?.columns.find((one) => one.name === column);
    // The default fields of the model file may omit the column.
    if (version !== null && !version.values.has(column)) {
      const more = await present(`${url}?fields=${valueText(quoted(column))}`);
      for (const [name, json] of more?.values ?? []) version.values.set(name, json);
    }
    const before = change?.values.get(column) ?? version?.values.get(column);
    cell.removeAttribute("aria-busy");
    if (version === null || before === undefined || found === undefined || !cell.isConnected) return;
    const made = field(found, before, reference(resource, column));
    const box = element("div", { class: "cell-editor" }, made.element);
    const target = find(cell, "[tabindex='0'], a[href], button") ?? cell;
    cell.append(box);
    cell.classList.add("editing");
    made.control.focus();
    if ("select" in made.control) made.control.select();

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
      this.edits.patch(url, title, version, values);
      return true;
    };
    box.addEventListener("keydown", (event) => {
      event.stopPropagation();
      const isLong = made.control.localName === "textarea";
      if (event.key === "Escape") close();
      else if (event.key === "Enter" && !(isLong && event.shiftKey) && event.target === made.control) {
        this.finish?.();
      } else return;
      event.preventDefault();
    });
    for (const type of ["contextmenu", "dblclick", "mousedown", "click"]) {
      box.addEventListener(type, (event) => event.stopPropagation());
    }
    box.addEventListener("focusout", (event) => {
      if (event.relatedTarget !== null && !box.contains(/** @type {Node} */ (event.relatedTarget))) {
        this.finish?.();
      }
    });
  }

  /** The additional items of a cell's menu. @param {HTMLElement} cell */
  items(cell) {
    const place = this.place(cell);
    if (place === null) return [];
    const edit = { text: "Edit", action: () => void this.open(/** @type {HTMLTableCellElement} */ (cell)) };
    const remove = { text: `Delete ${place.title}`, action: () => void this.#remove(place) };
    return place.column === "" ? [remove] : [edit, remove];
  }

  /** @param {Place} place */
  async #remove({ url, title }) {
    try {
      const version = await present(url);
      if (version !== null) this.edits.remove(url, title, version);
    } catch (error) {
      this.page.say(error);
    }
  }

  // New records.

  /** A button that adds a record to a table. @param {HTMLElement} place @param {string} url @param {string} name @param {HTMLTableElement} table */
  offerNew(place, url, name, table) {
    if (!this.isAllowed) return;
    const add = button(`Add to ${name}`, () => {
      this.#openForm(add, path(url), name, table).catch((error) => this.page.say(error));
    });
    place.append(" ", add);
  }

  /** @param {HTMLElement} opener @param {string} url @param {string} name @param {HTMLTableElement} table */
  async #openForm(opener, url, name, table) {
    const resources = (await schema())?.resources ?? [];
    const found = resources.find((one) => one.name === table.dataset.resource);
    if (found === undefined || !opener.isConnected) return;
    // The foreign key of a nested record is given by the record above.
    const above = /** @type {HTMLTableElement | null | undefined} */ (table.parentElement?.closest("table"));
    const parent = resources.find((one) => one.name === above?.dataset.resource);
    const association = parent?.associations.find((one) => one.key === name);
    const given = Object.values(association?.columns ?? {});
    const fields = found.columns.filter((column) => !given.includes(column.name)).map((column) => ({
      column,
      made: field(column, "", reference(found, column.name)),
    }));
    const title = `New in ${name}`;
    const form = element("section", { class: "new-record", "aria-label": title });
    const keep = () => {
      const values = new Map(fields.flatMap(({ made }) => [...made.values() ?? []]));
      this.forms.delete(keep);
      if (values.size > 0) this.edits.add(url, title, values);
    };
    const close = () => {
      this.forms.delete(keep);
      form.remove();
      opener.hidden = false;
      opener.focus();
    };
    const stage = () => {
      const values = new Map();
      for (const { made } of fields) {
        const some = made.values();
        if (some === null) return made.control.focus();
        for (const [name, json] of some) values.set(name, json);
      }
      close();
      this.edits.add(url, title, values);
    };
    form.append(
      element("h2", {}, title),
      ...fields.map(({ column, made }) => {
        if (column.default != null) made.control.setAttribute("placeholder", column.default);
        return element("label", {}, element("span", { translate: "no" }, column.name), made.element);
      }),
      element("p", {}, button("Add", stage, { class: "run" }), " ", button("Cancel", close)),
    );
    form.addEventListener("keydown", (event) => {
      event.stopPropagation();
      const isField = /** @type {HTMLElement} */ (event.target).localName === "input";
      if (event.key === "Escape") close();
      else if (event.key === "Enter" && isField) stage();
      else return;
      event.preventDefault();
    });
    this.forms.add(keep);
    opener.hidden = true;
    opener.after(form);
    fields.find(({ column }) => !found.key.includes(column.name))?.made.control.focus();
  }

  // Changes.

  async apply() {
    if (this.finish !== null && !this.finish()) return;
    const status = await this.edits.apply();
    this.#showDone();
    this.mark();
    if (status === 401) this.page.signIn(() => this.apply());
    await this.page.refresh();
  }

  /** The rows of a record. @param {string} url */
  #rows(url) {
    return all(this.root, "tbody > tr:not(.below)").filter((row) => {
      const href = recordLink(row)?.getAttribute("href");
      return href && readable(href) === url;
    });
  }

  /** The cells of a change, with their new values.
   * @param {HTMLElement} row @param {import("./edits.js").Change} change */
  *#cells(row, { values }) {
    for (const head of /** @type {HTMLTableElement} */ (row.closest("table")).tHead?.rows[0].cells ?? []) {
      const column = unquoted(head.dataset.column ?? "");
      const json = head.dataset.column === undefined ? undefined : values.get(column);
      const cell = row.children[head.cellIndex];
      if (json !== undefined && cell) yield { cell, column, json };
    }
  }

  /** Shows the changes in their cells and below the page. */
  show() {
    this.mark();
    this.changes.show();
  }

  /** Shows the changes in their cells; call it when the tables have been replaced. */
  mark() {
    this.clear();
    for (const change of this.edits.changes) {
      for (const row of change.method === "POST" ? [] : this.#rows(change.url)) {
        row.classList.toggle("removed", change.method === "DELETE");
        for (const { cell, column, json } of this.#cells(row, change)) {
          const is = element("ins", {}, shown(json));
          cell.replaceChildren(element("del", {}, ...cell.childNodes), is);
          cell.classList.add("staged");
          if (change.problem?.member !== column) continue;
          cell.setAttribute("aria-invalid", "true");
          is.append(element("small", {}, change.problem.detail));
        }
      }
    }
  }

  /** Shows applied changes, even in rows that a refresh doesn't read again. */
  #showDone() {
    this.clear();
    for (const change of this.edits.done) {
      for (const row of change.method === "POST" ? [] : this.#rows(change.url)) {
        for (const { cell, json } of this.#cells(row, change)) cell.replaceChildren(shown(json));
        if (change.method !== "DELETE") continue;
        while (row.nextElementSibling?.classList.contains("below")) row.nextElementSibling.remove();
        row.remove();
      }
    }
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
