// Large tables: the next page is fetched before the end is reached, and distant pages lose their rows.

import { adopted, element, find } from "./dom.js";
import { readable } from "./request.js";
import { page } from "./server.js";

/** The largest number of elements in all rows, and how far ahead pages are fetched, in pixels. */
const MOST_ELEMENTS = 6000;
const AHEAD = 2400;

/** A page of rows, which are present or must be fetched again. @typedef {{ url: string, rows: HTMLTableRowElement[], height: number, first: number, count: number }} Chunk */

export class Endless {
  /**
   * @param {HTMLElement} scroller @param {HTMLTableElement} table
   * @param {string} url of the present rows @param {string | null} next of the following ones
   * @param {(table: HTMLTableElement) => void} adopt
   */
  constructor(scroller, table, url, next, adopt) {
    this.scroller = scroller;
    this.table = table;
    this.next = next;
    this.adopt = adopt;
    this.leaving = new AbortController();
    this.isBusy = false;
    this.above = this.#spacer();
    this.below = this.#spacer();
    const body = table.tBodies[0];
    body.before(this.above);
    body.after(this.below);
    const rows = Array.from(body.rows);
    /** @type {Chunk[]} */
    this.chunks = [{ url, rows, height: 0, first: 1, count: this.#records(rows) }];
    scroller.addEventListener("scroll", () => this.#fill(), { signal: this.leaving.signal, passive: true });
  }

  /** Stops fetching. */
  close() {
    this.leaving.abort();
  }

  #spacer() {
    return element(
      "tbody",
      { class: "spacer", "aria-hidden": "true", hidden: true },
      element("tr", {}, element("td")),
    );
  }

  /** @param {HTMLTableRowElement[]} rows */
  #records(rows) {
    return rows.filter((row) => !row.classList.contains("below")).length;
  }

  async #fill() {
    if (
      this.isBusy || this.leaving.signal.aborted || !this.table.isConnected ||
      this.table.closest("[hidden]") !== null
    ) return;
    this.isBusy = true;
    try {
      let found = await this.#step();
      while (found && !this.leaving.signal.aborted) found = await this.#step();
    } catch {
      // The server can't be reached, or the page was left: the next scroll event tries again.
    }
    this.isBusy = false;
  }

  /** Fetches the missing page that is nearest; returns false if there is none. */
  async #step() {
    const { scrollTop, clientHeight } = this.scroller;
    const body = this.table.tBodies[1] ?? this.table.tBodies[0];
    const box = body.getBoundingClientRect();
    const frame = this.scroller.getBoundingClientRect();
    const present = this.chunks.filter((chunk) => chunk.rows.length > 0);
    const first = this.chunks.indexOf(present[0]);
    const last = this.chunks.indexOf(present[present.length - 1]);
    if (first > 0 && box.top - frame.top > -AHEAD / 2) return await this.#restore(first - 1, false);
    if (box.bottom - frame.bottom < AHEAD) {
      if (last + 1 < this.chunks.length) return await this.#restore(last + 1, true);
      if (this.next !== null && scrollTop + clientHeight > 0) return await this.#append(this.next);
    }
    return false;
  }

  /** @param {string} url */
  async #append(url) {
    this.#freeze();
    const loaded = await page(url, this.leaving.signal);
    const rows = adopted(loaded.table?.tBodies[0]?.rows ?? []);
    const before = this.chunks[this.chunks.length - 1];
    const next = loaded.link("next");
    this.next = next === null || rows.length === 0 ? null : readable(next);
    const chunk = { url, rows, height: 0, first: before.first + before.count, count: this.#records(rows) };
    this.chunks.push(chunk);
    this.#insert(chunk, true);
    if (this.next === null) this.table.setAttribute("aria-rowcount", String(chunk.first + chunk.count - 1));
    return true;
  }

  /** @param {number} index @param {boolean} atEnd */
  async #restore(index, atEnd) {
    const chunk = this.chunks[index];
    const loaded = await page(chunk.url, this.leaving.signal);
    chunk.rows = adopted(loaded.table?.tBodies[0]?.rows ?? []);
    if (chunk.rows.length === 0) return false;
    this.#insert(chunk, atEnd);
    return true;
  }

  /** @param {Chunk} chunk @param {boolean} atEnd */
  #insert(chunk, atEnd) {
    const body = /** @type {HTMLElement} */ (find(this.table, ":scope > tbody:not(.spacer)"));
    let index = chunk.first;
    for (const row of chunk.rows) {
      if (row.classList.contains("below")) continue;
      row.setAttribute("aria-rowindex", String(index));
      index += 1;
    }
    const { scrollTop } = this.scroller;
    const height = this.table.getBoundingClientRect().height;
    if (atEnd) body.append(...chunk.rows);
    else body.prepend(...chunk.rows);
    this.adopt(this.table);
    this.#trim(chunk);
    this.#space();
    if (!atEnd) {
      // Keep the visible rows in place.
      const grown = this.table.getBoundingClientRect().height - height;
      if (Math.abs(grown) > 1) this.scroller.scrollTop = scrollTop + grown;
    }
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
      far.height = far.rows[far.rows.length - 1].getBoundingClientRect().bottom -
        far.rows[0].getBoundingClientRect().top;
      for (const row of far.rows) {
        // Rows opened below are removed too.
        while (row.nextElementSibling?.classList.contains("below")) row.nextElementSibling.remove();
        row.remove();
      }
      far.rows = [];
    }
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

  /** Fixes the widths of the columns. */
  #freeze() {
    if (this.table.classList.contains("frozen")) return;
    const heads = Array.from(this.table.tHead?.rows[0].cells ?? []);
    const widths = heads.map((head) => head.getBoundingClientRect().width);
    const width = this.table.getBoundingClientRect().width;
    heads.forEach((head, index) => {
      head.style.width = `${widths[index]}px`;
    });
    this.table.style.width = `${width}px`;
    this.table.classList.add("frozen");
  }
}
