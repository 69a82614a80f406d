// The selection of rows, and what can be done with the selected ones.

import { recordHref, recordName } from "./cells.js";
import { all, button, element, find } from "./dom.js";

/** A record whose row is selected, also while the row isn't present. @typedef {{ url: string, title: string }} Selected */
/** What can be done with selected records: a name, and an action with a button that menus open at.
 * @typedef {{ text: string, action: (records: Selected[], opener: HTMLElement) => void }} Action */

export class Selection {
  /** @param {() => Action[]} actions those for the present table */
  constructor(actions) {
    this.actions = actions;
    /** The names of the selected records, by their addresses. @type {Map<string, string>} */
    this.selected = new Map();
    /** @type {HTMLTableElement | null} */
    this.table = null;
    /** The row from which a range is selected. @type {HTMLElement | null} */
    this.start = null;
    this.count = element("span", { role: "status" });
    this.bar = element("div", { role: "toolbar", "aria-label": "Selection" });
    this.element = element(
      "section",
      { "aria-label": "Selected rows", class: "selection", hidden: true },
      this.bar,
    );
  }

  /** Offers to select rows of a table. @param {HTMLTableElement} table */
  show(table) {
    this.table = null;
    this.selected.clear();
    this.start = null;
    this.element.hidden = true;
    const head = table.tHead?.rows[0];
    const isSingle = table.closest("main")?.classList.contains("single") ?? false;
    if (head === undefined || isSingle || find(table, ":scope > tbody > tr[data-href]") === null) return;
    this.table = table;
    table.setAttribute("aria-multiselectable", "true");
    if (find(head, ".select") !== null) return;
    this.whole =
      /** @type {HTMLInputElement} */ (element("input", { type: "checkbox", "aria-label": "Select all" }));
    this.whole.addEventListener("change", () => this.#selectAll());
    head.prepend(element("th", { class: "select", scope: "col" }, this.whole));
    for (const row of all(table, ":scope > tbody > tr:not(.below)")) {
      this.addTo(/** @type {HTMLTableRowElement} */ (row));
    }
  }

  /** Adds the cell that selects a row. @param {HTMLTableRowElement} row */
  addTo(row) {
    if (
      this.table === null || row.parentElement?.parentElement !== this.table || find(row, ":scope > .select")
    ) return;
    const href = recordHref(row);
    const cell = element("td", { class: "select", role: "gridcell" });
    row.prepend(cell);
    if (href === null) return;
    const box = /** @type {HTMLInputElement} */ (element("input", {
      type: "checkbox",
      "aria-label": `Select ${recordName(row)}`,
    }));
    box.checked = this.selected.has(href);
    row.setAttribute("aria-selected", String(box.checked));
    box.addEventListener("click", (event) => this.#click(row, box.checked, event.shiftKey));
    cell.append(box);
  }

  /** The rows that can be selected. */
  #rows() {
    return /** @type {HTMLTableRowElement[]} */ (this.table === null
      ? []
      : all(this.table, ":scope > tbody:not(.spacer) > tr[data-href]:not(.below)"));
  }

  /** @param {HTMLElement} row @param {boolean} isOn @param {boolean} isRange */
  #click(row, isOn, isRange) {
    const rows = this.#rows();
    const [one, other] = [row, isRange && this.start?.isConnected ? this.start : row]
      .map((place) => rows.indexOf(/** @type {HTMLTableRowElement} */ (place))).sort((left, right) =>
        left - right
      );
    for (const each of rows.slice(Math.max(one, 0), other + 1)) this.#set(each, isOn);
    this.start = row;
    this.#tell();
  }

  /** @param {HTMLElement} row @param {boolean} isOn */
  #set(row, isOn) {
    const href = recordHref(row) ?? "";
    if (isOn) this.selected.set(href, recordName(row));
    else this.selected.delete(href);
    row.setAttribute("aria-selected", String(isOn));
    const box = /** @type {HTMLInputElement | null} */ (find(row, ":scope > .select > input"));
    if (box !== null) box.checked = isOn;
  }

  #selectAll() {
    for (const row of this.#rows()) this.#set(row, this.whole?.checked ?? false);
    this.#tell();
  }

  /** Selects nothing. */
  clear() {
    for (const row of this.#rows()) this.#set(row, false);
    this.selected.clear();
    this.#tell();
  }

  #tell() {
    const { size } = this.selected;
    if (this.whole) {
      this.whole.checked = size > 0 && this.#rows().every((row) => this.selected.has(recordHref(row) ?? ""));
      this.whole.indeterminate = size > 0 && !this.whole.checked;
    }
    this.count.textContent = `${size} selected`;
    if (this.element.hidden && size > 0) {
      const buttons = this.actions().map(({ text, action }) => {
        const made = button(text, () => action(this.records(), made));
        return made;
      });
      this.bar.replaceChildren(this.count, ...buttons, button("Select none", () => this.clear()));
    }
    this.element.hidden = size === 0;
  }

  /** Selects some records no longer, as they are gone. @param {{ url: string }[]} some */
  forget(some) {
    for (const { url } of some) this.selected.delete(url);
    this.#tell();
  }

  /** The selected records. @returns {Selected[]} */
  records() {
    return Array.from(this.selected, ([url, title]) => ({ url, title }));
  }
}
