// Shows a page of the server: its table, its problem, its links, and what can be done with them.

import { isOtherTotal, refill } from "./associations.js";
import { allows, recordHref, recordName } from "./cells.js";
import { adopted, all, button, element, find } from "./dom.js";
import { Endless, presentPlace, returnTo, shorten } from "./endless.js";
import { Grid } from "./grid.js";
import { synchronize } from "./live.js";
import { path, requestAt, value } from "./request.js";
import { Selection } from "./selecting.js";
import { isOvertaken, page, Problem, rows } from "./server.js";

/** @typedef {import("./server.js").Page} Page */

/** What a page needs of the explorer.
 * @typedef {object} Surroundings
 * @property {(url: string, options?: { replaces?: boolean }) => void} go
 * @property {(url: string) => void} click goes to a request that a click has made
 * @property {(error: unknown) => void} fail
 * @property {() => void} opened is called when rows were opened or closed
 * @property {(link: string) => void} showDiagram
 */

export class PageView {
  /** @param {HTMLElement} main @param {HTMLElement} footer @param {import("./views.js").Views} views @param {Surroundings} explorer */
  constructor(main, footer, views, explorer) {
    this.main = main;
    this.footer = footer;
    this.views = views;
    this.explorer = explorer;
    this.url = "";
    /** @type {Endless | null} */
    this.endless = null;
    /** @type {import("./editing.js").Editing | null} */
    this.editing = null;
    /** The same, as soon as it is asked for. @type {Promise<import("./editing.js").Editing> | null} */
    this.prepared = null;
    this.selection = new Selection(() => this.#actions());
    this.grid = new Grid(views.table, {
      changed: explorer.opened,
      editing: () => this.editing,
      edit: (cell) => void this.#edit(cell),
      showDiagram: explorer.showDiagram,
      fail: explorer.fail,
      selection: this.selection,
      copy: (urls, opener, anchor) => this.#copy(urls.map((url) => ({ url })), opener, anchor),
      openForm: (row) => void this.#openForm(row),
    });
  }

  /** The table of the request. */
  get table() {
    return /** @type {HTMLTableElement | null} */ (find(this.views.table, ":scope > table[data-resource]"));
  }

  // Showing.

  /** @param {Page} loaded @param {string} url */
  take(loaded, url) {
    // Its content is moved to this page.
    const { document: source, total, lacksParameters } = loaded;
    this.url = url;
    this.editing?.leave();
    this.endless?.close();
    this.endless = null;
    if (source !== document) this.#adopt(source, url);
    this.#offerCopies();
    const { table } = this;
    if (table !== null) this.#decorate(table);
    const link = find(this.footer, 'a[rel="next"]')?.getAttribute("href") ?? null;
    const next = link === null ? null : requestAt(link);
    const count = table?.querySelectorAll(":scope > tbody > tr:not(.below)").length ?? 0;
    const isWhole = next === null && ["after", "before", "offset"].every((name) => value(url, name) === null);
    table?.setAttribute("aria-rowcount", String(total ?? (isWhole ? count : -1)));
    const part = table === null || value(url, "limit") !== null
      ? { url, next: null }
      : shorten(table, url, next);
    this.grid.show({ url, go: (to) => this.explorer.click(to) });
    if (table !== null) this.#offerNew(table);
    if (this.main.hasAttribute("data-writable")) this.#prepareEditing().catch(() => {});
    if (table !== null && part.next !== null) {
      this.endless = new Endless(this.main, table, part.url, part.next, {
        adopt: (one) => this.grid.adoptRows(one),
        tell: () => {
          if (this.endless?.isWhole) table.setAttribute("aria-rowcount", String(this.endless.count));
        },
      });
    }
    if (table !== null && value(url, "search") !== null) {
      // Without marks, the page is complete, too.
      import("./matches.js").then(({ markMatches }) => markMatches(table, url)).catch(() => {});
    }
    const form = find(this.views.table, "form[data-action]");
    if (form !== null) {
      import("./action-form.js").then(({ enhance }) => enhance(/** @type {HTMLFormElement} */ (form)))
        .catch(this.explorer.fail);
    }
    if (lacksParameters) this.#askForParameters().catch(this.explorer.fail);
    return { total: total ?? (isWhole && table !== null ? count : null) };
  }

  /** Takes over the content of a page. @param {Document} source @param {string} url */
  #adopt(source, url) {
    const main = find(source, "main");
    this.views.table.replaceChildren(...adopted(main?.childNodes ?? []));
    this.main.className = main?.className ?? "";
    this.main.toggleAttribute("data-writable", main?.hasAttribute("data-writable"));
    this.footer.replaceChildren(...adopted(find(source, "body > footer")?.childNodes ?? []));
    document.title = source.title;
    const heading = find(document, "h1");
    if (heading !== null) heading.textContent = find(source, "h1")?.textContent ?? url;
    this.main.scrollTop = 0;
  }

  /** Shows a form for what the request lacks in place of the problem. */
  async #askForParameters() {
    const { url } = this;
    const { parameterForm } = await import("./parameter-form.js");
    const form = await parameterForm(url, (to) => this.explorer.go(to, { replaces: true }));
    if (form === null || url !== this.url) return;
    find(this.views.table, "[role=alert]")?.replaceWith(form);
    find(form, "input, select")?.focus();
  }

  /** The chart of groups, and the tree of what repeats. @param {HTMLTableElement} table */
  #decorate(table) {
    const { repeats } = table.dataset;
    const add = async () => {
      if (repeats !== undefined) {
        const { treeSwitch } = await import("./outline.js");
        if (table.isConnected) table.before(element("p", { class: "tools" }, treeSwitch(table, repeats)));
      }
      if (find(table, "thead th[data-key]") === null) return;
      const { chart } = await import("./chart.js");
      const drawn = chart(table);
      if (drawn !== null && table.isConnected) table.before(drawn);
    };
    add().catch(this.explorer.fail);
  }

  /** @param {HTMLTableElement} table */
  #offerNew(table) {
    const isOfRecords = !["group", "distinct"].some((name) => value(this.url, name) !== null);
    if (!allows(table, "POST") || !isOfRecords || this.main.classList.contains("single")) return;
    const below = element("p", { class: "more" });
    table.after(below);
    this.#prepareEditing().then((editing) => {
      if (below.isConnected) editing.offerNew(below, path(this.url), table.dataset.resource ?? "", table);
    }, this.explorer.fail);
  }

  /** Adds a button that copies the shown rows, next to the links to the whole result. */
  #offerCopies() {
    const copies = button("Copy rows", () => {
      this.#copy(this.endless?.parts().map(({ url }) => ({ url })) ?? [{ url: this.url }], copies);
    }, { "aria-haspopup": "menu", "aria-expanded": "false" });
    find(this.footer, 'nav[aria-label="Downloads"]')?.append(" ", copies);
  }

  /** @param {import("./copying.js").Source[]} sources @param {HTMLElement} opener @param {DOMRect} [anchor] */
  #copy(sources, opener, anchor) {
    import("./copying.js").then(({ offerCopies }) => offerCopies(sources, opener, this.explorer.fail, anchor))
      .catch(this.explorer.fail);
  }

  // Selected rows.

  /** @returns {import("./selecting.js").Action[]} */
  #actions() {
    const { table } = this;
    /** @typedef {import("./selecting.js").Selected[]} Records */
    /** @param {(bulk: typeof import("./record-form.js"), records: Records, editing: import("./editing.js").Editing) => Promise<void>} action */
    const change = (action) => async (/** @type {Records} */ records) => {
      try {
        const editing = await this.#prepareEditing();
        await action(await import("./record-form.js"), records, editing);
      } catch (error) {
        if (!isOvertaken(error)) this.explorer.fail(error);
      }
    };
    const name = table?.dataset.resource;
    return [
      { text: "Copy", action: (records, opener) => this.#copy(this.#sources(records), opener) },
      ...allows(table, "DELETE")
        ? [{ text: "Delete", action: change((bulk, records, editing) => bulk.removeAll(records, editing)) }]
        : [],
      ...allows(table, "PATCH")
        ? [{
          text: "Change",
          action: change((bulk, records, editing) => bulk.changeAll(records, name, editing)),
        }]
        : [],
    ];
  }

  /** The requests of selected records, and their places in the answers. @param {import("./selecting.js").Selected[]} selected */
  #sources(selected) {
    const wanted = new Set(selected.map(({ url }) => url));
    const own = all(/** @type {HTMLElement} */ (this.table), ":scope > tbody > tr:not(.below)");
    const parts = this.endless?.parts() ?? [{ url: this.url, keys: own.map(recordHref) }];
    return parts.map(({ url, keys }) => ({
      url,
      count: keys.length,
      places: keys.flatMap((key, index) => key !== null && wanted.has(key) ? [index] : []),
    })).filter(({ places }) => places.length > 0);
  }

  // Editing.

  /** The editing of cells, whose files are loaded when records can be changed. */
  #prepareEditing() {
    this.prepared ??= import("./editing.js").then(({ Editing }) => {
      const editing = new Editing(this.views.table, {
        refresh: () => this.refresh(),
        fail: this.explorer.fail,
      });
      this.editing = editing;
      this.footer.before(editing.list.element);
      editing.show();
      return editing;
    });
    const { prepared } = this;
    // A failure is not kept: the next call tries again.
    prepared.catch(() => this.prepared = null);
    return prepared;
  }

  /** @param {HTMLTableCellElement} cell */
  async #edit(cell) {
    if (!allows(cell.closest("table"), "PATCH")) return;
    try {
      (await this.#prepareEditing()).open(cell);
    } catch (error) {
      this.explorer.fail(error);
    }
  }

  /** @param {HTMLElement} row */
  async #openForm(row) {
    const [url, table] = [recordHref(row), /** @type {HTMLElement | null} */ (row.closest("table"))];
    if (url === null || table === null) return;
    try {
      const { openRecord } = await import("./record-form.js");
      await openRecord(url, recordName(row), table, this.editing);
    } catch (error) {
      this.explorer.fail(error);
    }
  }

  // Refreshing.

  /** Updates the tables, including opened ones. */
  async refresh() {
    const { url, table } = this;
    if (table === null) return;
    if (this.editing?.isOpen) return this.editing.refreshLater();
    const parts = this.endless?.parts().filter(({ isPresent }) => isPresent).map((part) => part.url) ?? [url];
    const found = await Promise.all(parts.map((part) => rows(part)));
    if (url !== this.url || !table.isConnected) return;
    if (this.editing?.isOpen) return this.editing.refreshLater();
    const [{ table: next }, ...others] = found;
    next.tBodies[0]?.append(...others.flatMap((one) => adopted(one.table.tBodies[0]?.rows ?? [])));
    this.editing?.clear();
    try {
      synchronize(table, next, (this.endless?.chunks.length ?? 1) > 1);
      await this.#refreshOpened();
    } finally {
      this.endless?.recount();
      this.selection.forget(this.editing?.staged.done.filter(({ method }) => method === "DELETE") ?? []);
      this.grid.adoptRows(table);
    }
  }

  async #refreshOpened() {
    for (const opened of all(this.views.table, "tr.below[data-href] > td > table")) {
      const nested = /** @type {HTMLTableElement} */ (opened);
      const source = this.grid.source(nested);
      if (source === null || !nested.isConnected) continue;
      const found = await page(source.url).catch((error) => {
        if (error instanceof Problem && error.status === 404) return null;
        throw error;
      });
      if (!found?.table || !nested.isConnected) continue;
      if (found.total !== null && isOtherTotal(nested, found.total)) {
        await refill(nested, source.url, this.grid);
      } else {
        synchronize(nested, found.table, nested.rows.length > found.table.rows.length);
        this.grid.adoptRows(nested);
      }
    }
  }

  // Places.

  /** What the reader sees. */
  place() {
    const { table } = this;
    return table === null || this.main.classList.contains("single")
      ? null
      : presentPlace(table, this.main, this.endless);
  }

  /** Returns to what the reader saw. @param {import("./history.js").Place} place */
  async resume(place) {
    const { table } = this;
    if (table === null) return;
    await this.endless?.resume(place).catch((error) => {
      if (!isOvertaken(error)) this.explorer.fail(error);
    });
    if (table.isConnected) returnTo(table, this.main, place);
  }

  /** Turns the links to corrected requests into buttons. @returns {string[] | null} the corrected requests; null if there is no problem */
  offerMends() {
    const alert = find(this.views.table, "[role=alert]");
    if (alert === null) return null;
    const mends = all(alert, ".mends a");
    const targets = mends.map((link) => requestAt(link.getAttribute("href") ?? "/"));
    mends.forEach((link, index) => {
      const mend = () => this.explorer.go(targets[index], { replaces: true });
      link.replaceWith(button(link.textContent ?? "", mend, { translate: "no" }));
    });
    return targets;
  }
}
