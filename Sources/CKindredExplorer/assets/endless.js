// Large tables: the next page is fetched before the end is reached, and distant pages lose their rows.

import { recordHref } from "./cells.js";
import { adopted, all, element, find } from "./dom.js";
import { freeze } from "./headers.js";
import { requestAt, setting, value } from "./request.js";
import { rows } from "./server.js";
import { showTrouble } from "./trouble.js";

/** The largest number of elements in all rows, in those of one page, and in those of the first one. */
const MOST_ELEMENTS = 6000;
const MOST_OF_PAGE = 3000;
const MOST_OF_FIRST = 10_000;
/** The number of rows that a page has however wide they are. */
const LEAST = 10;
/** How far ahead pages are fetched, in pixels: before the reader has scrolled, or if rows are very wide, and else; and
 * the usual height of a row. */
const NEAR = 300;
const AHEAD = 2400;
const HEIGHT = 28;

/** A page of rows, which are present or must be fetched again; their keys are known once they were read.
 * @typedef {{ url: string, rows: HTMLTableRowElement[], keys: (string | null)[], height: number, first: number, count: number }} Chunk */

/** The records among rows. @param {HTMLTableRowElement[]} rows */
function records(rows) {
  return rows.filter((row) => !row.classList.contains("below"));
}

/** The addresses of the records among rows. @param {HTMLTableRowElement[]} rows */
function keys(rows) {
  return records(rows).map(recordHref);
}

/** Removes the last rows of a first page whose rows are so wide that it would be slow.
 * @param {HTMLTableElement} table @param {string} url @param {string | null} next the following page
 * @returns {{ url: string, next: string | null }} the request of the rows that are left, and that of the following ones */
export function shorten(table, url, next) {
  const body = table.tBodies[0];
  const own = records(Array.from(body?.rows ?? []));
  const size = (body?.querySelectorAll("*").length ?? 0) / Math.max(1, own.length);
  const most = Math.max(LEAST, Math.floor(MOST_OF_FIRST / size));
  if (own.length <= most || ["after", "offset"].some((name) => value(url, name) !== null)) {
    return { url, next };
  }
  const range = document.createRange();
  range.setStartBefore(own[most]);
  range.setEnd(body, body.childNodes.length);
  range.deleteContents();
  const shown = setting(url, "limit", String(most));
  return { url: shown, next: `${shown}&offset=${most}` };
}

export class Endless {
  /**
   * @param {HTMLElement} scroller what scrolls, unless the document does
   * @param {HTMLTableElement} table
   * @param {string} url of the present rows @param {string | null} next of the following ones
   * @param {{ adopt: (table: HTMLTableElement) => void, tell: () => void }} page
   */
  constructor(scroller, table, url, next, page) {
    this.scroller = scroller;
    this.table = table;
    this.next = next;
    this.page = page;
    this.leaving = new AbortController();
    this.isBusy = false;
    this.hasScrolled = false;
    /** The cell that had the focus when its row was removed. @type {{ key: string, column: number } | null} */
    this.focus = null;
    /** Whether a problem stands at the end of the rows, which is tried again there. */
    this.isStuck = false;
    /** Removes that problem. @type {() => void} */
    this.clear = () => {};
    this.above = this.#spacer();
    this.below = this.#spacer();
    const body = table.tBodies[0];
    body.before(this.above);
    body.after(this.below);
    const own = Array.from(body.rows);
    /** @type {Chunk[]} */
    this.chunks = [{ url, rows: own, keys: keys(own), height: 0, first: 1, count: records(own).length }];
    const options = { signal: this.leaving.signal, passive: true };
    for (const target of [scroller, window]) {
      target.addEventListener("scroll", () => {
        this.hasScrolled = true;
        this.#fill();
      }, options);
    }
    addEventListener("resize", () => this.#fill(), options);
    // Also when the table comes to be seen.
    this.sizes = new ResizeObserver(() => this.#fill());
    this.sizes.observe(table);
  }

  /** Stops fetching. */
  close() {
    this.leaving.abort();
    this.sizes.disconnect();
    this.clear();
  }

  /** Whether all records have been read. */
  get isWhole() {
    return this.next === null;
  }

  /** How many records have been read. */
  get count() {
    const last = this.chunks[this.chunks.length - 1];
    return last.first + last.count - 1;
  }

  #spacer() {
    const row = element("tr", {}, element("td"));
    return element("tbody", { class: "spacer", "aria-hidden": "true", hidden: true }, row);
  }

  /** The part of the window in which rows are seen. */
  #frame() {
    const { top, bottom } = this.scroller.getBoundingClientRect();
    return { top: Math.max(0, top), bottom: Math.min(innerHeight, bottom) };
  }

  async #fill() {
    if (
      this.isBusy || this.isStuck || this.leaving.signal.aborted || !this.table.isConnected ||
      this.table.closest("[hidden]") !== null
    ) return;
    this.isBusy = true;
    try {
      await this.#steps();
    } catch (error) {
      this.isStuck = true;
      this.clear = showTrouble(error, () => this.#steps(), (note) => this.table.after(note));
    } finally {
      this.isBusy = false;
    }
  }

  async #steps() {
    while (!this.leaving.signal.aborted && await this.#step());
    this.isStuck = false;
  }

  /** Fetches the missing page that is nearest; returns false if there is none. */
  async #step() {
    const box = this.#body().getBoundingClientRect();
    const frame = this.#frame();
    const present = this.chunks.filter((chunk) => chunk.rows.length > 0);
    const first = this.chunks.indexOf(present[0]);
    const last = this.chunks.indexOf(present[present.length - 1]);
    if (first > 0 && box.top - frame.top > -this.#reach() / 2) return await this.#restore(first - 1, false);
    if (box.bottom - frame.bottom < (this.hasScrolled ? this.#reach() : NEAR)) {
      if (last + 1 < this.chunks.length) return await this.#restore(last + 1, true);
      if (this.next !== null) return await this.#append(this.next);
    }
    return false;
  }

  #body() {
    return /** @type {HTMLElement} */ (find(this.table, ":scope > tbody:not(.spacer)"));
  }

  /** The number of elements in a row. */
  #width() {
    const row = this.#body().querySelector(":scope > tr:not(.below)");
    return Math.max(1, row?.querySelectorAll("*").length ?? 1);
  }

  /** How far around the frame there are rows: pages within it aren't removed, as they would be fetched again at once. */
  #reach() {
    return Math.max(NEAR, Math.min(AHEAD, MOST_ELEMENTS / 3 / this.#width() * HEIGHT));
  }

  /** The following page, shorter if its rows have many cells. @param {string} url */
  #bounded(url) {
    const most = Math.floor(MOST_OF_PAGE / this.#width());
    const cursor = value(url, "after");
    // The cursor is valid with any limit.
    return most >= 100 || cursor === null
      ? url
      : `${setting(url, "limit", String(Math.max(LEAST, most)))}&after=${cursor}`;
  }

  /** @param {string} url */
  async #append(url) {
    freeze(this.table);
    const loaded = await rows(this.#bounded(url), this.leaving.signal);
    const found = adopted(loaded.table.tBodies[0]?.rows ?? []);
    const next = loaded.link("next");
    this.next = next === null || found.length === 0 ? null : requestAt(next);
    const count = records(found).length;
    const chunk = { url, rows: found, keys: keys(found), height: 0, first: this.count + 1, count };
    this.chunks.push(chunk);
    this.#insert(chunk, true);
    this.page.tell();
    return true;
  }

  /** @param {number} index @param {boolean} atEnd */
  async #restore(index, atEnd) {
    const chunk = this.chunks[index];
    const loaded = await rows(this.#bounded(chunk.url), this.leaving.signal);
    chunk.rows = adopted(loaded.table.tBodies[0]?.rows ?? []);
    chunk.keys = keys(chunk.rows);
    // Others have deleted all of them.
    if (chunk.rows.length === 0) this.chunks.splice(index, 1);
    else this.#insert(chunk, atEnd);
    return true;
  }

  /** @param {Chunk} chunk @param {boolean} atEnd */
  #insert(chunk, atEnd) {
    let index = chunk.first;
    for (const row of chunk.rows) {
      if (row.classList.contains("below")) continue;
      row.setAttribute("aria-rowindex", String(index));
      index += 1;
    }
    const height = this.table.getBoundingClientRect().height;
    if (atEnd) this.#body().append(...chunk.rows);
    else this.#body().prepend(...chunk.rows);
    this.page.adopt(this.table);
    if (this.focus !== null && document.activeElement === this.scroller) {
      if (refocus(this.table, this.focus)) this.focus = null;
    } else this.focus = null;
    this.#trim(chunk);
    this.#space();
    if (!atEnd) {
      // Keep the visible rows in place.
      const grown = this.table.getBoundingClientRect().height - height;
      if (Math.abs(grown) > 1) this.#scroll(grown);
    }
  }

  /** @param {number} distance */
  #scroll(distance) {
    const { scrollHeight, clientHeight } = this.scroller;
    const scrolls = scrollHeight > clientHeight + 1 ? this.scroller : document.scrollingElement;
    if (scrolls !== null) scrolls.scrollTop += distance;
  }

  /** Removes the rows that are furthest from the latest page. @param {Chunk} latest */
  #trim(latest) {
    const place = this.chunks.indexOf(latest);
    const count = () => this.table.querySelectorAll("*").length;
    for (let total = count(); total > MOST_ELEMENTS; total = count()) {
      const present = this.chunks.filter((chunk) => chunk.rows.length > 0);
      if (present.length < 2) return;
      const ends = [present[0], present[present.length - 1]];
      const far =
        Math.abs(this.chunks.indexOf(ends[0]) - place) >= Math.abs(this.chunks.indexOf(ends[1]) - place)
          ? ends[0]
          : ends[1];
      const { top, bottom } = this.#frame();
      const isNear = far === ends[0]
        ? top - far.rows[far.rows.length - 1].getBoundingClientRect().bottom <= this.#reach() / 2
        : far.rows[0].getBoundingClientRect().top - bottom <= this.#reach();
      if (isNear || far.rows.some((row) => find(row, ".cell-editor") !== null)) return;
      this.#unload(far);
    }
  }

  /** Removes the rows of a page, and remembers their height. @param {Chunk} chunk */
  #unload(chunk) {
    chunk.height = chunk.rows[chunk.rows.length - 1].getBoundingClientRect().bottom -
      chunk.rows[0].getBoundingClientRect().top;
    const focused = focusIn(this.table);
    if (focused !== null && chunk.keys.includes(focused.key)) {
      this.focus = focused;
      this.scroller.focus({ preventScroll: true });
    }
    for (const row of chunk.rows) {
      // Rows opened below are removed too.
      while (row.nextElementSibling?.classList.contains("below")) row.nextElementSibling.remove();
      row.remove();
    }
    chunk.rows = [];
  }

  /** Reserves the space of the pages that aren't present. */
  #space() {
    const first = this.chunks.findIndex((chunk) => chunk.rows.length > 0);
    const height = { above: 0, below: 0 };
    this.chunks.forEach((chunk, index) => {
      if (chunk.rows.length === 0) height[index < first ? "above" : "below"] += chunk.height;
    });
    for (const side of /** @type {const} */ (["above", "below"])) {
      this[side].hidden = height[side] === 0;
      /** @type {HTMLElement} */ (find(this[side], "td")).style.height = `${height[side]}px`;
    }
  }

  /** Counts the rows anew after some came or went, while there is only one page of them. */
  recount() {
    if (this.chunks.length > 1) return;
    const rows = /** @type {HTMLTableRowElement[]} */ (all(this.#body(), ":scope > tr"));
    Object.assign(this.chunks[0], { rows, keys: keys(rows), count: records(rows).length });
  }

  // Coming back.

  /** What has been read, for another visit. @returns {import("./history.js").Span[]} */
  spans() {
    return this.chunks.map(({ url, rows, height, first, count }) => ({
      url,
      first,
      count,
      height: rows.length === 0
        ? height
        : rows[rows.length - 1].getBoundingClientRect().bottom - rows[0].getBoundingClientRect().top,
    }));
  }

  /** Shows the page of rows that was seen at an earlier visit. @param {import("./history.js").Place} place */
  async resume({ spans, index, next }) {
    if (spans.length < 2 || index < 1 || index >= spans.length) return;
    this.isBusy = true;
    try {
      freeze(this.table);
      const loaded = await rows(this.#bounded(spans[index].url), this.leaving.signal);
      this.#unload(this.chunks[0]);
      this.chunks = spans.map((span) => ({ ...span, rows: [], keys: [] }));
      this.chunks[index].rows = adopted(loaded.table.tBodies[0]?.rows ?? []);
      this.next = next;
      this.#insert(this.chunks[index], true);
      this.page.tell();
    } finally {
      this.isBusy = false;
    }
  }

  /** The page that has a row. @param {Element} row */
  indexOf(row) {
    return this.chunks.findIndex((chunk) => chunk.rows.some((one) => one === row));
  }

  /** The requests of the rows that were read, each with the addresses of its records, and whether they are present. */
  parts() {
    return this.chunks.map(({ url, rows, keys }) => ({
      url: this.#bounded(url),
      keys,
      isPresent: rows.length > 0,
    }));
  }
}

/** The row in sight, its distance from the top of the frame, and the cell that has the focus.
 * @param {HTMLTableElement} table @param {HTMLElement} scroller @param {Endless | null} endless @returns {import("./history.js").Place | null} */
export function presentPlace(table, scroller, endless) {
  const top = Math.max(0, scroller.getBoundingClientRect().top) + (table.tHead?.offsetHeight ?? 0);
  const own = all(table, ":scope > tbody:not(.spacer) > tr[data-href]");
  const row = own.find((one) => one.getBoundingClientRect().bottom > top + 1);
  if (row === undefined) return null;
  return {
    spans: endless?.spans() ?? [],
    next: endless?.next ?? null,
    index: endless?.indexOf(row) ?? 0,
    key: recordHref(row) ?? "",
    top: row.getBoundingClientRect().top - top,
    focus: focusIn(table),
  };
}

/** The row of a record. @param {HTMLTableElement} table @param {string} key */
function rowOf(table, key) {
  return all(table, ":scope > tbody > tr[data-href]").find((row) => recordHref(row) === key);
}

/** The cell of a table that has the focus, by its record. @param {HTMLTableElement} table */
function focusIn(table) {
  const cell = /** @type {HTMLTableCellElement | null | undefined} */
    (document.activeElement?.closest("td, th"));
  const row = cell?.closest("tr[data-href]");
  return cell && row && table.contains(row) ? { key: recordHref(row) ?? "", column: cell.cellIndex } : null;
}

/** Gives the focus back to a cell; returns false if it isn't there. @param {HTMLTableElement} table @param {{ key: string, column: number }} place */
function refocus(table, { key, column }) {
  const cell = rowOf(table, key)?.children[column];
  const target =
    /** @type {HTMLElement | undefined} */ (cell?.querySelector("a[href], button, input") ?? cell);
  target?.focus({ preventScroll: true });
  return target !== undefined;
}

/** Returns to a place. @param {HTMLTableElement} table @param {HTMLElement} scroller @param {import("./history.js").Place} place */
export function returnTo(table, scroller, { key, top, focus }) {
  const row = rowOf(table, key);
  if (row !== undefined) {
    const present = Math.max(0, scroller.getBoundingClientRect().top) + (table.tHead?.offsetHeight ?? 0);
    const scrolls = scroller.scrollHeight > scroller.clientHeight + 1 ? scroller : document.scrollingElement;
    if (scrolls !== null) scrolls.scrollTop += row.getBoundingClientRect().top - present - top;
  }
  if (focus !== null) refocus(table, focus);
}
