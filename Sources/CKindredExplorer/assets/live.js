// Live results: after each commit that changes the result, the page is told, and reads it again.

import { cellValue, ownCells, recordHref } from "./cells.js";
import { adopted, button, find } from "./dom.js";
import { fetched, isOvertaken, pause, Problem } from "./server.js";

/** How many streams the tabs of a browser have together: it opens six connections to a server, for everything. */
const STREAMS = 3;
/** The pause in seconds between questions of a tab that has no stream. */
const PAUSE = 2;

/** Runs an action while one of the streams is this tab's; returns false if none is free. @param {() => Promise<void>} action */
async function withStream(action) {
  // Locks exist only where the connection is secure, or local.
  for (let number = 0; navigator.locks !== undefined && number < STREAMS; number += 1) {
    const isDone = await navigator.locks.request(
      `kindred-live-${number}`,
      { ifAvailable: true },
      async (lock) => {
        if (lock !== null) await action();
        return lock !== null;
      },
    );
    if (isDone) return true;
  }
  return false;
}

/** The switch for live results. */
export class Live {
  /** @param {() => Promise<void>} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    this.url = "";
    this.leaving = new AbortController();
    /** The tag of the result that is shown. @type {string | null} */
    this.tag = null;
    this.element = button("Live", () => this.#toggle(), {
      role: "switch",
      "aria-checked": "false",
      class: "live",
    });
    document.addEventListener("visibilitychange", () => this.#resume());
  }

  get isOn() {
    return this.element.getAttribute("aria-checked") === "true";
  }

  /** Listens to another request. @param {string} url @param {boolean} hasRecords only these have live results */
  show(url, hasRecords) {
    const isOther = url !== this.url;
    this.url = url;
    this.element.toggleAttribute("disabled", !hasRecords);
    if (!hasRecords) this.leaving.abort();
    else if (this.isOn && (isOther || this.leaving.signal.aborted)) this.#listen();
  }

  #toggle() {
    const turnsOn = !this.isOn;
    this.element.setAttribute("aria-checked", String(turnsOn));
    if (turnsOn) this.#resume();
    else this.leaving.abort();
  }

  /** Listens while the page is seen, and reads what has changed meanwhile. */
  #resume() {
    if (document.hidden) this.leaving.abort();
    else if (this.isOn && !this.element.hasAttribute("disabled")) this.#listen();
  }

  async #listen() {
    this.leaving.abort();
    const leaving = new AbortController();
    const { signal } = leaving;
    this.leaving = leaving;
    this.tag = null;
    for (let wait = 0.5; !signal.aborted; wait = Math.min(wait * 2, 15)) {
      try {
        const started = performance.now();
        if (!await withStream(() => this.#stream(signal))) await this.#look(signal);
        wait = 0.5;
        // A stream that was open for a while has only come to its end.
        if (performance.now() - started < 5000) await pause(PAUSE, signal);
      } catch (error) {
        if (isOvertaken(error) && signal.aborted) return;
        if (error instanceof Problem && !error.mayPass) return this.#end(error);
        await pause(wait, signal).catch(() => {});
      }
    }
  }

  /** @param {Problem} problem */
  #end(problem) {
    this.element.setAttribute("aria-checked", "false");
    this.element.title = problem.status === 406
      ? "This server, or this request, has no live results."
      : problem.message;
  }

  /** Reads events, each of which means that the result has changed. @param {AbortSignal} signal */
  async #stream(signal) {
    const response = await fetched(this.url, {
      headers: { Accept: "text/event-stream", Prefer: "return=minimal" },
      signal,
    });
    let rest = "";
    for await (const part of response.parts()) {
      const events = (rest + part.text).split(/\r?\n\r?\n/);
      // Of an event that isn't complete, only the beginning matters.
      rest = (events.pop() ?? "").slice(0, 200);
      for (const event of events) await this.#change(/^id: ?(.*)$/m.exec(event)?.[1] ?? null);
    }
  }

  /** Asks whether the result has changed. @param {AbortSignal} signal */
  async #look(signal) {
    /** @type {Record<string, string>} */
    const headers = this.tag === null ? {} : { "If-None-Match": this.tag };
    const response = await fetched(this.url, { method: "HEAD", headers, signal, cache: "no-store" });
    if (response.status !== 304) await this.#change(response.headers.get("ETag"));
  }

  /** @param {string | null} tag of the new result; a comment has none */
  async #change(tag) {
    if (tag === null || tag === this.tag) return;
    await this.onChange();
    this.tag = tag;
  }
}

// Updates tables in place, without moving what the user reads.

/** Identifies a row. @param {Element} row */
function key(row) {
  return recordHref(row) ?? row.textContent ?? "";
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
  const [present, other] = [cell, next].map((one) => cellValue(one).kind);
  if (cell.textContent === next.textContent && present === other) return;
  const hadFocus = cell.contains(document.activeElement);
  const opener = find(cell, "button.open");
  const link = find(next, "a");
  if (opener !== null && link !== null) {
    opener.replaceChildren(...adopted(link.childNodes));
    return;
  }
  const { kind } = next.dataset;
  if (kind === undefined) delete cell.dataset.kind;
  else cell.dataset.kind = kind;
  cell.replaceChildren(...adopted(next.childNodes));
  if (hadFocus) (find(cell, "a[href], button") ?? cell).focus();
}

/** Numbers the rows anew after some came or went. @param {HTMLTableElement} table */
function renumber(table) {
  const rows = table.querySelectorAll(":scope > tbody:not(.spacer) > tr:not(.below)");
  rows.forEach((row, index) => row.setAttribute("aria-rowindex", String(index + 1)));
  if (Number(table.getAttribute("aria-rowcount")) >= 0) {
    table.setAttribute("aria-rowcount", String(rows.length));
  }
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
    const others = ownCells(group.row);
    ownCells(known.row).forEach((cell, index) => {
      if (others[index]) update(cell, others[index]);
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
  renumber(table);
}
