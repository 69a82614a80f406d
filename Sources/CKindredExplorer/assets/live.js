// Live results: the table is updated after each commit that changes the result, without moving what the user reads.

import { recordLink } from "./cells.js";
import { adopted, button, find } from "./dom.js";
import { fetched, page } from "./server.js";

/** Identifies a row. @param {Element} row */
function key(row) {
  return recordLink(row)?.getAttribute("href") ?? row.textContent ?? "";
}

/** The rows of a table, each with those below it. @param {HTMLTableElement} table */
function groups(table) {
  /** @type {{ key: string, row: HTMLTableRowElement, below: HTMLTableRowElement[] }[]} */
  const found = [];
  for (const row of table.querySelectorAll(":scope > tbody:not(.spacer) > tr")) {
    const one = /** @type {HTMLTableRowElement} */ (row);
    if (one.classList.contains("below")) found.at(-1)?.below.push(one);
    else found.push({ key: key(one), row: one, below: [] });
  }
  return found;
}

/** Updates a cell if its content has changed. @param {HTMLElement} cell @param {HTMLElement} next */
function update(cell, next) {
  if (cell.textContent === next.textContent) return;
  const hadFocus = cell.contains(document.activeElement);
  const opener = find(cell, "button.open");
  const link = find(next, "a");
  if (opener !== null && link !== null) {
    opener.replaceChildren(...adopted(link.childNodes));
    return;
  }
  for (const name of ["n", "z", "b", "r"]) cell.classList.toggle(name, next.classList.contains(name));
  cell.replaceChildren(...adopted(next.childNodes));
  if (hadFocus) (find(cell, "a[href]") ?? cell).focus();
}

/** Updates a table. @param {HTMLTableElement} table @param {HTMLTableElement} next @param {boolean} isPart whether the table shows more rows than `next` has */
export function synchronize(table, next, isPart) {
  const body = find(table, ":scope > tbody:not(.spacer)");
  if (body === null) return;
  const present = new Map(groups(table).map((group) => [group.key, group]));
  /** @type {Element | null} */
  let last = null;
  for (const group of groups(next)) {
    const known = present.get(group.key);
    present.delete(group.key);
    if (known === undefined) {
      if (isPart) continue;
      const rows = adopted([group.row, ...group.below]);
      if (last === null) body.prepend(...rows);
      else last.after(...rows);
      last = rows[rows.length - 1];
      continue;
    }
    Array.from(known.row.cells).forEach((cell, index) => {
      const other = group.row.cells[index];
      if (other) update(cell, other);
    });
    for (const below of group.below) {
      const shown = known.below.find((row) =>
        row.dataset.key === below.dataset.key && row.dataset.href === undefined
      );
      const [tables, others] = [shown, below].map((row) => row?.querySelector(":scope > td > table"));
      if (tables && others) {
        synchronize(
          /** @type {HTMLTableElement} */ (tables),
          /** @type {HTMLTableElement} */ (others),
          false,
        );
      }
    }
    // A row that is in its place isn't touched, because moving it would lose the focus.
    /** @type {Element | null} */
    const expected = last === null ? body.firstElementChild : last.nextElementSibling;
    if (!isPart && expected !== known.row) {
      if (last === null) body.prepend(known.row, ...known.below);
      else last.after(known.row, ...known.below);
    }
    last = known.below.at(-1) ?? known.row;
  }
  if (isPart) return;
  for (const { row, below } of present.values()) {
    for (const gone of [row, ...below]) gone.remove();
  }
}

/** The switch for live results, and their stream. */
export class Live {
  /** @param {() => Promise<void>} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    this.url = "";
    this.leaving = new AbortController();
    this.element = button("Live", () => this.#toggle(), {
      role: "switch",
      "aria-checked": "false",
      class: "live",
    });
  }

  get isOn() {
    return this.element.getAttribute("aria-checked") === "true";
  }

  /** Listens to another request. @param {string} url @param {boolean} hasRecords only these have live results */
  show(url, hasRecords) {
    this.url = url;
    this.element.toggleAttribute("disabled", !hasRecords);
    if (!hasRecords) this.leaving.abort();
    else if (this.isOn) this.#listen();
  }

  #toggle() {
    const turnsOn = !this.isOn;
    this.element.setAttribute("aria-checked", String(turnsOn));
    if (turnsOn) this.#listen();
    else this.leaving.abort();
  }

  async #listen() {
    this.leaving.abort();
    const leaving = new AbortController();
    this.leaving = leaving;
    for (let wait = 500; !leaving.signal.aborted; wait = Math.min(wait * 2, 15000)) {
      try {
        const response = await fetched(this.url, {
          headers: { Accept: "text/event-stream" },
          signal: leaving.signal,
        });
        if (response.status === 406 || response.status === 400) {
          this.element.setAttribute("aria-checked", "false");
          this.element.title = "This server, or this request, has no live results.";
          return;
        }
        if (response.ok && response.body !== null) {
          wait = 500;
          await this.#read(response.body.pipeThrough(new TextDecoderStream()));
        }
      } catch {
        // The server can't be reached: try again.
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /** Reads events, each of which means that the result has changed. @param {ReadableStream<string>} stream */
  async #read(stream) {
    let rest = "";
    const reader = stream.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      // Only the arrival of an event matters, so its content isn't kept.
      const text = rest + part.value;
      const ends = text.split(/\r?\n\r?\n/);
      rest = /^data/m.test(ends[ends.length - 1]) ? "data" : ends[ends.length - 1].slice(-8);
      if (ends.slice(0, -1).some((event) => /^data/m.test(event))) await this.onChange();
    }
  }
}

/** The current page of a URL, or null if it is a problem. @param {string} url */
export async function presentPage(url) {
  const loaded = await page(url);
  return loaded.status === 200 ? loaded : null;
}
