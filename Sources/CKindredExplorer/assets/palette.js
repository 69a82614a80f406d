// The palette: finds tables, columns and actions by a few letters.

import { all, element } from "./dom.js";
import { openDialog } from "./menu.js";
import { quoted, valueText } from "./request.js";
import { schema } from "./server.js";
import { showTrouble } from "./trouble.js";

/** @typedef {{ text: string, kind: string, isColumn?: boolean, action: () => void }} Entry */

/** How well the typed letters match a text: less is better, null is no match. @param {string} typed @param {string} text */
export function fit(typed, text) {
  const letters = typed.toLowerCase();
  const name = text.toLowerCase();
  if (name === letters) return 0;
  if (name.startsWith(letters)) return 1 + name.length / 1000;
  const initials = text.replace(/([A-Z])|[^A-Za-z0-9]+(.)|^(.)|./g, "$1$2$3").toLowerCase();
  if (initials.startsWith(letters)) return 2 + name.length / 1000;
  const place = name.indexOf(letters);
  if (place >= 0) return 3 + place / 100 + name.length / 1000;
  let at = -1;
  for (const letter of letters) {
    at = name.indexOf(letter, at + 1);
    if (at < 0) return null;
  }
  return 5 + name.length / 1000;
}

/** Ranks an entry; tables precede columns that match as well or slightly better. @param {string} typed @param {Entry} entry */
function rank(typed, entry) {
  const found = fit(typed, entry.text);
  return found === null ? null : found + (entry.isColumn ? 3.5 : 0);
}

/** @param {Entry[]} actions @param {(url: string) => void} go */
export function openPalette(actions, go) {
  const input = /** @type {HTMLInputElement} */ (element("input", {
    role: "combobox",
    "aria-label": "Go to",
    "aria-controls": "palette",
    "aria-expanded": "true",
    "aria-autocomplete": "list",
    placeholder: "A table, a column, an action",
    spellcheck: "false",
    autocomplete: "off",
  }));
  const list = element("div", { role: "listbox", id: "palette", "aria-label": "Places" });
  const dialog = openDialog("Go to", input, list);
  let entries = actions;
  /** @type {Entry[]} */
  let shown = [];
  let selected = 0;

  function show() {
    const typed = input.value.trim();
    shown = entries.map((entry) => ({ entry, rank: typed === "" ? 1 : rank(typed, entry) }))
      .filter(({ rank }) => rank !== null)
      .sort((left, right) => Number(left.rank) - Number(right.rank))
      .slice(0, 50).map(({ entry }) => entry);
    list.replaceChildren(...shown.map((entry, index) =>
      element(
        "div",
        { role: "option", id: `place-${index}`, "data-index": index, "aria-selected": "false" },
        element("span", { translate: "no" }, entry.text),
        " ",
        element("small", {}, entry.kind),
      )
    ));
    select(0);
  }

  /** @param {number} index */
  function select(index) {
    const options = all(list, "[role=option]");
    options[selected]?.setAttribute("aria-selected", "false");
    selected = Math.max(0, Math.min(index, options.length - 1));
    options[selected]?.setAttribute("aria-selected", "true");
    options[selected]?.scrollIntoView({ block: "nearest" });
    if (options.length > 0) input.setAttribute("aria-activedescendant", `place-${selected}`);
    else input.removeAttribute("aria-activedescendant");
  }

  /** @param {number} index */
  function take(index) {
    const entry = shown[index];
    if (entry === undefined) return;
    dialog.close();
    entry.action();
  }

  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") select(selected + 1);
    else if (event.key === "ArrowUp") select(selected - 1);
    else if (event.key === "Enter") loading.then(() => dialog.open && take(selected));
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", (event) => {
    const option = /** @type {HTMLElement} */ (event.target).closest("[role=option]");
    if (option !== null) take(Number(/** @type {HTMLElement} */ (option).dataset.index));
  });
  show();
  // Enter waits for the schema, because what was typed may name one of its tables.
  const loading = Promise.all([import("./kept-requests.js"), schema()]).then(([{ keptRequests }, found]) => {
    const kept = Array.from(
      keptRequests(),
      ([text, url]) => ({ text, kind: "request", action: () => go(url) }),
    );
    const places = found.resources.flatMap((resource) => [
      { text: resource.name, kind: "table", action: () => go(resource.link) },
      ...resource.columns.map((column) => ({
        text: `${resource.name}.${column.name}`,
        kind: column.type || "column",
        isColumn: true,
        action: () => go(`${resource.link}?sort=${valueText(quoted(column.name))}`),
      })),
    ]);
    entries = [...kept, ...actions, ...places];
    show();
  }).catch((error) => showTrouble(error, null, (note) => list.before(note)));
}
