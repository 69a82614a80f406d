// Associations that open below their row: one request each, a few records at first, more on demand.

import { recordName } from "./cells.js";
import { adopted, button, element, find, number } from "./dom.js";
import { linkTo, requestAt, setting, value } from "./request.js";
import { isOvertaken, page, Problem, rows } from "./server.js";
import { showTrouble } from "./trouble.js";

/** How many records of an association open at first, and how many more at a time. */
const FIRST = 5;
const MORE = 50;

/** The request under way in each cell: a newer one ends it. @type {WeakMap<Element, AbortController>} */
const loading = new WeakMap();

/** Replaces the link to an association by a button that opens it. @param {HTMLTableCellElement} cell */
export function makeButton(cell) {
  const link = find(cell, "a");
  const href = link?.getAttribute("href") ?? null;
  const key = cell.dataset.key ?? "";
  if (link === null || href === null) {
    link?.remove();
    return;
  }
  const made = element("button", {
    type: "button",
    class: "open",
    "aria-expanded": "false",
    "data-href": requestAt(href),
    "data-key": key,
  });
  made.append(...link.childNodes);
  link.replaceWith(made);
  const row = /** @type {HTMLElement} */ (cell.parentElement);
  if (below(row, key) !== null) made.setAttribute("aria-expanded", "true");
}

/** The row below another that shows an association, or null if it isn't open. @param {Element} row @param {string} key */
export function below(row, key) {
  for (let next = row.nextElementSibling; next?.classList.contains("below"); next = next.nextElementSibling) {
    if (/** @type {HTMLElement} */ (next).dataset.key === key) return /** @type {HTMLElement} */ (next);
  }
  return null;
}

/** Opens or closes the association of a button.
 * @param {HTMLElement} opener @param {import("./grid.js").Grid} grid */
export async function toggle(opener, grid) {
  const row = /** @type {HTMLTableRowElement} */ (opener.closest("tr"));
  const key = opener.dataset.key ?? "";
  const present = below(row, key);
  if (present !== null) {
    const opens = present.hidden || opener.getAttribute("aria-expanded") === "false";
    present.hidden = !opens;
    opener.setAttribute("aria-expanded", String(opens));
    grid.changed();
    return;
  }
  opener.setAttribute("aria-expanded", "true");
  const cell = element("td", { role: "gridcell", colspan: row.cells.length });
  const made = element("tr", { class: "below", role: "row", "data-key": key }, cell);
  made.dataset.href = opener.dataset.href;
  let last = row;
  while (last.nextElementSibling?.classList.contains("below")) {
    last = /** @type {HTMLTableRowElement} */ (last.nextElementSibling);
  }
  last.after(made);
  const isMany = grid.isToMany(opener);
  const url = `${opener.dataset.href}${isMany ? `?limit=${FIRST}&count=true` : ""}`;
  await fill(cell, url, `${key} of ${recordName(row)}`, grid);
}

/** Says that there are no records. @param {HTMLElement} cell */
function showNone(cell) {
  const { key = "" } = /** @type {HTMLElement} */ (cell.parentElement).dataset;
  cell.replaceChildren(element("p", { class: "none" }, element("span", {}, `${key}: `), "none"));
}

/** Shows the records of a URL in a cell. @param {HTMLElement} cell @param {string} url @param {string} name @param {import("./grid.js").Grid} grid */
async function fill(cell, url, name, grid) {
  cell.setAttribute("aria-busy", "true");
  try {
    await load(cell, url, name, grid);
  } catch (error) {
    if (isOvertaken(error)) return;
    if (error instanceof Problem && error.status === 404) showNone(cell);
    else if (error instanceof Problem && error.page?.lacksParameters) {
      await ask(cell, url, name, grid).catch(grid.fail);
    } else {
      showTrouble(error, () => load(cell, url, name, grid), (note) => {
        find(cell, ":scope > .trouble")?.remove();
        cell.append(note);
      });
    }
  }
  cell.removeAttribute("aria-busy");
  grid.changed();
}

/** Asks for the parameters that records need. @param {HTMLElement} cell @param {string} url @param {string} name @param {import("./grid.js").Grid} grid */
async function ask(cell, url, name, grid) {
  const { parameterForm } = await import("./parameter-form.js");
  const form = await parameterForm(url, (to) => void fill(cell, to, name, grid));
  if (form !== null) cell.replaceChildren(form);
}

/** @param {HTMLElement} cell @param {string} url @param {string} name @param {import("./grid.js").Grid} grid */
async function load(cell, url, name, grid) {
  loading.get(cell)?.abort();
  const own = new AbortController();
  loading.set(cell, own);
  const loaded = await page(url, own.signal);
  const { key = "", href = url } = /** @type {HTMLElement} */ (cell.parentElement).dataset;
  const [table] = adopted(loaded.table === null ? [] : [loaded.table]);
  if (table === undefined) return showNone(cell);
  cell.replaceChildren(element("h2", { class: "caption" }, element("a", { href: linkTo(href) }, key)), table);
  grid.adopt(table, name, url, (next) => fill(cell, next, name, grid));
  if (loaded.total !== null) {
    const rest = footer(table, loaded.total, loaded.link("next"), grid);
    cell.append(rest);
    grid.offerNew(rest, url, key, table);
  }
  grid.changed();
}

/** Whether the total of an opened association has changed, and nothing is open below its records.
 * @param {HTMLTableElement} table @param {number} total */
export function isOtherTotal(table, total) {
  const isUsed = find(/** @type {HTMLElement} */ (table.parentElement), "tr.below, .new-record") !== null;
  return !isUsed && table.getAttribute("aria-rowcount") !== String(total);
}

/** Reads an opened association again. @param {HTMLTableElement} table @param {string} url @param {import("./grid.js").Grid} grid */
export async function refill(table, url, grid) {
  const cell = /** @type {HTMLElement} */ (table.parentElement);
  await fill(cell, url, table.getAttribute("aria-label") ?? "", grid);
}

/** Adds, below a table that a limit has cut off, how many of all records are shown, and a button that shows more.
 * @param {HTMLElement} below the row of the table @param {HTMLElement} opener @param {import("./grid.js").Grid} grid */
export function addRest(below, opener, grid) {
  const table = /** @type {HTMLTableElement | null} */ (find(below, ":scope > td > table"));
  const cell = find(below, "td");
  const count = /([\d]+)(\+?)$/.exec(opener.textContent ?? "");
  if (table === null || cell === null || count === null || find(cell, ".more") !== null) return;
  const shown = table.querySelectorAll(":scope > tbody > tr:not(.below)").length;
  if (shown === 0 || shown >= Number(count[1])) return;
  const text = `${number(shown)} of ${number(Number(count[1]))}${count[2]}`;
  const url = `${opener.dataset.href}?limit=${MORE}&count=true`;
  const more = button("More", () => {
    below.dataset.href = opener.dataset.href;
    fill(cell, url, table.getAttribute("aria-label") ?? "", grid);
  });
  cell.append(element("p", { class: "more" }, element("span", {}, text), " ", more));
}

/** A line with how many of all records are shown, and a button for more. @param {HTMLTableElement} table @param {number} total @param {string | null} next @param {import("./grid.js").Grid} grid */
function footer(table, total, next, grid) {
  const count = () => table.querySelectorAll(":scope > tbody > tr:not(.below)").length;
  const text = element("span", { role: "status" });
  const made = element("p", { class: "more" }, text);
  const tell = () => {
    text.textContent = count() < total
      ? `${number(count())} of ${number(total)}`
      : `${number(total)} ${total === 1 ? "record" : "records"}`;
    table.setAttribute("aria-rowcount", String(total));
  };
  tell();
  if (next === null) return made;
  let following = setting(requestAt(next), "limit", String(MORE));
  // The cursor is valid with any limit.
  const after = value(requestAt(next), "after");
  if (after !== null) following = `${following}&after=${after}`;
  const append = async () => {
    const loaded = await rows(following);
    const found = adopted(loaded.table.tBodies[0]?.rows ?? []);
    table.tBodies[0].append(...found);
    grid.adoptRows(table);
    tell();
    const further = loaded.link("next");
    if (further !== null) following = requestAt(further);
    else {
      const hadFocus = document.activeElement === more;
      more.remove();
      if (hadFocus) found[0]?.querySelector("a")?.focus();
    }
    grid.changed();
  };
  let isBusy = false;
  const more = button("More", async () => {
    if (isBusy) return;
    isBusy = true;
    more.setAttribute("aria-busy", "true");
    try {
      await append();
    } catch (error) {
      more.hidden = true;
      showTrouble(error, async () => {
        await append();
        more.hidden = false;
      }, (note) => made.after(note));
    } finally {
      isBusy = false;
      more.removeAttribute("aria-busy");
    }
  });
  made.append(" ", more);
  return made;
}
