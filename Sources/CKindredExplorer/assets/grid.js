// Enhances the tables of a page with the roles of a treegrid, buttons in headers and cells, and nested tables.

import { addRest, makeButton, toggle } from "./associations.js";
import { cellValue, expressions } from "./cells.js";
import { all, find } from "./dom.js";
import { makeHeaders } from "./headers.js";
import { closeMenu, openMenu } from "./menu.js";
import { adding, named, parameters, quoted, valueText } from "./request.js";
import { resource } from "./server.js";
import { addRoles, GridKeys } from "./treegrid.js";

/** The request that a table shows, and a function that shows another one in its place.
 * @typedef {{ url: string, go: (url: string) => void }} Source */

/** What the grid needs of the page around it.
 * @typedef {object} Surroundings
 * @property {() => void} changed is called when something was opened or closed
 * @property {() => import("./editing.js").Editing | null} editing null until it is known that records can be changed
 * @property {(cell: HTMLTableCellElement) => void} edit
 * @property {(row: HTMLElement) => void} openForm opens the record of a row as a form
 * @property {(link: string) => void} showDiagram shows the diagram around a resource
 * @property {(error: unknown) => void} fail
 * @property {import("./selecting.js").Selection} selection
 * @property {(urls: string[], opener: HTMLElement, anchor?: DOMRect) => void} copy
 */

export class Grid {
  /** @param {HTMLElement} root @param {Surroundings} page */
  constructor(root, page) {
    this.root = root;
    this.page = page;
    this.fail = page.fail;
    /** The sources of tables that have their own. @type {WeakMap<Element, Source>} */
    this.sources = new WeakMap();
    this.keys = new GridKeys(root, (cell) => this.openCellMenu(cell), page.edit);
    root.addEventListener("click", (event) => {
      const opener = /** @type {HTMLElement} */ (event.target).closest("button.open");
      if (opener !== null) toggle(/** @type {HTMLElement} */ (opener), this);
    });
    root.addEventListener("contextmenu", (event) => {
      const cell = /** @type {HTMLElement} */ (event.target).closest("td, th");
      if (cell !== null && !event.shiftKey && this.openCellMenu(/** @type {HTMLElement} */ (cell), event)) {
        event.preventDefault();
      }
    });
  }

  /** Enhances the tables of a page. @param {Source} source */
  show(source) {
    const table = /** @type {HTMLTableElement | null} */ (find(this.root, ":scope > table[data-resource]"));
    closeMenu();
    if (table !== null) {
      this.sources.set(table, source);
      this.page.selection.show(table);
      this.#enhance(table, table.dataset.resource ?? "records");
    }
    this.changed();
  }

  /** Enhances a table that was opened in place.
   * @param {HTMLTableElement} table @param {string} name @param {string} url @param {(url: string) => void} go */
  adopt(table, name, url, go) {
    this.sources.set(table, { url, go });
    this.#enhance(table, name);
  }

  /** Enhances rows that were added to a table. @param {HTMLTableElement} table */
  adoptRows(table) {
    this.#enhanceRows(table, table.getAttribute("aria-label") ?? "");
    this.changed();
  }

  /** Call this when the tables have changed. */
  changed() {
    this.keys.refresh();
    this.page.editing()?.mark();
    this.page.changed();
  }

  /** Offers to add a record to a table. @param {HTMLElement} place @param {string} url @param {string} name @param {HTMLTableElement} table */
  offerNew(place, url, name, table) {
    this.page.editing()?.offerNew(place, url, name, table);
  }

  /** The source of a table, and the node that the table shows. @param {Element} table */
  source(table) {
    const node = valueText(/** @type {HTMLElement} */ (table).dataset.node ?? "");
    for (let at = /** @type {Element | null} */ (table); at !== null; at = at.parentElement) {
      const source = this.sources.get(at);
      if (source !== undefined) return { ...source, node };
    }
    return null;
  }

  /** Whether an association leads to many records. @param {HTMLElement} opener */
  isToMany(opener) {
    const cell = /** @type {HTMLTableCellElement} */ (opener.closest("td"));
    const head = /** @type {HTMLTableElement} */ (cell.closest("table")).tHead?.rows[0].cells[cell.cellIndex];
    return head?.dataset.association === "many";
  }

  /** @param {HTMLTableElement} table @param {string} name */
  #enhance(table, name) {
    addRoles(table, name);
    if (table.tHead?.querySelector("button") === null) makeHeaders(table, this);
    this.#enhanceRows(table, name);
    if (!table.hasAttribute("aria-rowcount")) table.setAttribute("aria-rowcount", "-1");
  }

  /** @param {HTMLTableElement} table @param {string} name */
  #enhanceRows(table, name) {
    addRoles(table, name);
    const numeric = Array.from(table.tHead?.rows[0].cells ?? []).filter((head) => head.matches(".numeric"));
    let index = 0;
    for (const row of table.querySelectorAll(":scope > tbody:not(.spacer) > tr")) {
      if (row.classList.contains("below")) {
        const [cell] = row.children;
        // The cell that selects a row came later.
        cell?.setAttribute("colspan", String(table.tHead?.rows[0].cells.length ?? 1));
        for (const nested of row.querySelectorAll(":scope > td > table")) {
          if (nested.getAttribute("role") === "treegrid") continue;
          const label = nested.getAttribute("aria-label") ?? "";
          this.#enhance(/** @type {HTMLTableElement} */ (nested), label);
        }
        this.#tellRest(/** @type {HTMLElement} */ (row));
        continue;
      }
      if (!row.hasAttribute("aria-rowindex")) {
        index = Math.max(index + 1, 1);
        row.setAttribute("aria-rowindex", String(index));
      } else index = Number(row.getAttribute("aria-rowindex"));
      this.page.selection.addTo(/** @type {HTMLTableRowElement} */ (row));
      for (const cell of row.querySelectorAll(":scope > [data-kind=association]")) {
        if (cell.querySelector("button") === null) makeButton(/** @type {HTMLTableCellElement} */ (cell));
      }
      for (const { cellIndex } of numeric) row.children[cellIndex]?.classList.add("numeric");
    }
    for (const link of all(table, ":scope > tbody a:empty")) link.setAttribute("aria-label", "empty");
    for (const button of all(table, "button.open")) {
      if (!button.hasAttribute("aria-label") && !/\d/.test(button.textContent ?? "")) {
        button.classList.add("bare");
      }
      button.classList.toggle("zero", /\s0$/.test(button.textContent ?? ""));
    }
  }

  /** Shows how many records a limit omits below a row. If the node has other parameters, its records aren't those of its
   * association, so nothing is shown. @param {HTMLElement} below */
  #tellRest(below) {
    const table = find(below, ":scope > td > table");
    const place = table === null ? null : this.source(table);
    if (below.dataset.href !== undefined || table === null || place === null || place.node === "") return;
    const own = parameters(place.url).map(({ name }) => name).filter((name) =>
      name.startsWith(`${place.node}.`)
    );
    if (own.length !== 1 || own[0] !== `${place.node}.limit`) return;
    let row = below.previousElementSibling;
    while (row?.classList.contains("below")) row = row.previousElementSibling;
    const openers = row === null ? [] : all(row, "button.open");
    const opener = openers.find((one) => one.dataset.key === below.dataset.key);
    if (opener) addRest(below, opener, this);
  }

  /** The addresses of the open associations. */
  open() {
    return all(this.root, "tr.below[data-href]:not([hidden])").map((row) => row.dataset.href ?? "");
  }

  /** Opens associations one after the other, since each may be below another. @param {string[]} addresses */
  async reopen(addresses) {
    for (const wanted of addresses.slice(0, 50)) {
      // Open only addresses that a button of the page leads to: the fragment may come from an untrusted link.
      const opener = all(this.root, "button.open[aria-expanded=false]").find((one) =>
        one.dataset.href === wanted
      );
      if (opener) await toggle(opener, this);
    }
  }

  /** Opens the menu of a cell; returns false if it has none. @param {HTMLElement} cell @param {MouseEvent} [event] */
  openCellMenu(cell, event) {
    const opener = find(cell, "[tabindex='0'], a[href], button") ?? cell;
    if (opener === cell && !cell.hasAttribute("tabindex")) cell.tabIndex = -1;
    const own = cell.closest("thead") === null ? null : find(cell, ".more-of, .include");
    if (own?.classList.contains("more-of")) {
      own.click();
      return true;
    }
    if (own !== null) {
      this.#openAssociationMenu(/** @type {HTMLElement} */ (cell), own);
      return true;
    }
    if (cell.matches(".select") && cell.closest("thead") !== null) return false;
    const found = this.#filters(cell);
    if (found === null) return false;
    const { source, texts } = found;
    const items = texts.map((expression) => ({
      text: expression,
      action: () => source.go(adding(source.url, named(source.node, "filter"), valueText(expression))),
    })).concat(this.page.editing()?.items(cell) ?? []);
    const row = /** @type {HTMLElement} */ (cell.parentElement);
    if (row.dataset.href !== undefined && !row.classList.contains("below")) {
      items.push({ text: "Open as form", action: () => this.page.openForm(row) });
    }
    const anchor = event ? new DOMRect(event.clientX, event.clientY, 0, 0) : cell.getBoundingClientRect();
    if (source.node === "") {
      items.push({
        text: "Copy rows",
        action: () => this.page.copy([source.url], opener, anchor),
      });
    }
    openMenu("Filter", items, opener, anchor);
    return true;
  }

  /** Opens the menu of an association, which also shows the foreign key that it comes from. @param {HTMLElement} head @param {HTMLElement} include */
  async #openAssociationMenu(head, include) {
    const found = await resource(/** @type {HTMLElement} */ (head.closest("table")).dataset.resource)
      .catch(() => undefined);
    const origin = found?.associations.find(({ key }) => key === head.dataset.title)?.origin;
    const items = [{ text: include.getAttribute("aria-label") ?? "", action: () => include.click() }];
    if (origin) {
      items.push({ text: `From ${origin}`, action: () => this.page.showDiagram(found?.link ?? "/") });
    }
    openMenu("Association", items, include);
  }

  /** The filters for a cell's value, else for that of its row's header; null if there are none. @param {HTMLElement} cell */
  #filters(cell) {
    let row = /** @type {HTMLElement} */ (cell.parentElement);
    const isBelow = row.classList.contains("below");
    while (row.classList.contains("below") && row.previousElementSibling) {
      row = /** @type {HTMLElement} */ (row.previousElementSibling);
    }
    const table = /** @type {HTMLTableElement | null} */ (row.closest("table[data-resource]"));
    const source = table === null ? null : this.source(table);
    if (table === null || source === null || row.parentElement?.localName !== "tbody") return null;
    const header = find(row, ":scope > [role=rowheader]");
    for (const one of [isBelow ? header : cell, header]) {
      if (one === null) continue;
      const head = table.tHead?.rows[0].cells[/** @type {HTMLTableCellElement} */ (one).cellIndex];
      const { kind, text } = cellValue(one);
      if (head?.dataset.column !== undefined) {
        return { source, texts: expressions(head.dataset.column, kind, text, head.dataset) };
      }
      if (head?.dataset.association === "many" && head.dataset.needs === undefined) {
        const key = quoted(head.dataset.title ?? "");
        return { source, texts: [`${key}.count>0`, `${key}.count=0`] };
      }
    }
    return null;
  }
}
