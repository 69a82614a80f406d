// Large tables: the next page is fetched before the end is reached, and distant pages lose their rows.

import { recordHref } from "./cells.js";
import { adopted, all, element, find } from "./dom.js";
import { freeze } from "./headers.js";
import { readable, setting, value } from "./request.js";
import { rows } from "./server.js";
import { showTrouble } from "./trouble.js";

/** The largest number of elements in all rows, and in those of one page. */
const MOST_ELEMENTS = 6000;
const MOST_OF_PAGE = 3000;
/** How far ahead pages are fetched, in pixels: before the reader has scrolled, and then. */
const NEAR = 300;
const AHEAD = 2400;

/** A page of rows, which are present or must be fetched again. @typedef {{ url: string, rows: HTMLTableRowElement[], height: number, first: number, count: number }} Chunk */

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
    this.ahead = NEAR;
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
    this.chunks = [{ url, rows: own, height: 0, first: 1, count: this.#records(own) }];
    const options = { signal: this.leaving.signal, passive: true };
    for (const target of [scroller, window]) {
      target.addEventListener("scroll", () => {
        this.ahead = AHEAD;
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

  /** @param {HTMLTableRowElement[]} rows */
  #records(rows) {
    return rows.filter((row) => !row.classList.contains("below")).length;
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
    if (first > 0 && box.top - frame.top > -AHEAD / 2) return await this.#restore(first - 1, false);
    if (box.bottom - frame.bottom < this.ahead) {
      if (last + 1 < this.chunks.length) return await this.#restore(last + 1, true);
      if (this.next !== null) return await this.#append(this.next);
    }
    return false;
  }

  #body() {
    return /** @type {HTMLElement} */ (find(this.table, ":scope > tbody:not(.spacer)"));
  }

  /** The following page, shorter if its rows have many cells. @param {string} url */
  #bounded(url) {
    const row = this.#body().querySelector(":scope > tr:not(.below)");
    const most = Math.floor(MOST_OF_PAGE / Math.max(1, row?.querySelectorAll("*").length ?? 1));
    const cursor = value(url, "after");
    // The cursor is valid with any limit.
    return most >= 100 || cursor === null
      ? url
      : `${setting(url, "limit", String(Math.max(10, most)))}&after=${cursor}`;
  }

  /** @param {string} url */
  async #append(url) {
    freeze(this.table);
    const loaded = await rows(this.#bounded(url), this.leaving.signal);
    const found = adopted(loaded.table.tBodies[0]?.rows ?? []);
    const next = loaded.link("next");
    this.next = next === null || found.length === 0 ? null : readable(next);
    const chunk = { url, rows: found, height: 0, first: this.count + 1, count: this.#records(found) };
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
    if (chunk.rows.length === 0) return false;
    this.#insert(chunk, atEnd);
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
      if (present.length < 3) return;
      const ends = [present[0], present[present.length - 1]];
      const far =
        Math.abs(this.chunks.indexOf(ends[0]) - place) >= Math.abs(this.chunks.indexOf(ends[1]) - place)
          ? ends[0]
          : ends[1];
      if (far.rows.some((row) => row.contains(document.activeElement))) return;
      this.#unload(far);
    }
  }

  /** Removes the rows of a page, and remembers their height. @param {Chunk} chunk */
  #unload(chunk) {
    chunk.height = chunk.rows[chunk.rows.length - 1].getBoundingClientRect().bottom -
      chunk.rows[0].getBoundingClientRect().top;
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
    Object.assign(this.chunks[0], { rows, count: this.#records(rows) });
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
      this.chunks = spans.map((span) => ({ ...span, rows: [] }));
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

  /** The requests of the rows that are present, each with its records. */
  present() {
    return this.chunks.filter(({ rows }) => rows.length > 0).map(({ url, rows }) => ({
      url: this.#bounded(url),
      rows: rows.filter((row) => !row.classList.contains("below")),
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
  const active = document.activeElement?.closest("td, th");
  const focused = active?.closest("tr[data-href]");
  return {
    spans: endless?.spans() ?? [],
    next: endless?.next ?? null,
    index: endless?.indexOf(row) ?? 0,
    key: recordHref(row) ?? "",
    top: row.getBoundingClientRect().top - top,
    focus: focused && table.contains(focused)
      ? {
        key: recordHref(focused) ?? "",
        column: /** @type {HTMLTableCellElement} */ (active).cellIndex,
      }
      : null,
  };
}

/** Returns to a place. @param {HTMLTableElement} table @param {HTMLElement} scroller @param {import("./history.js").Place} place */
export function returnTo(table, scroller, { key, top, focus }) {
  const rowOf = (/** @type {string} */ wanted) =>
    all(table, ":scope > tbody > tr[data-href]").find((row) => recordHref(row) === wanted);
  const row = rowOf(key);
  if (row !== undefined) {
    const present = Math.max(0, scroller.getBoundingClientRect().top) + (table.tHead?.offsetHeight ?? 0);
    const scrolls = scroller.scrollHeight > scroller.clientHeight + 1 ? scroller : document.scrollingElement;
    if (scrolls !== null) scrolls.scrollTop += row.getBoundingClientRect().top - present - top;
  }
  const cell = focus === null ? undefined : rowOf(focus.key)?.children[focus.column];
  const target = cell?.querySelector("a[href], button") ?? cell;
  if (target) /** @type {HTMLElement} */ (target).focus({ preventScroll: true });
}
