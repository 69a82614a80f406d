// Requests that are kept in the browser by name.

import { element } from "./dom.js";
import { openForm, openMenu } from "./menu.js";

const STORED = "kindred-requests";

/** The kept requests, by name. @returns {Map<string, string>} */
export function keptRequests() {
  try {
    return new Map(JSON.parse(localStorage.getItem(STORED) ?? "[]"));
  } catch {
    return new Map();
  }
}

/** @param {Map<string, string>} all */
function store(all) {
  localStorage.setItem(STORED, JSON.stringify([...all]));
}

/** @param {HTMLElement} opener @param {import("./toolbar.js").Place} place */
export function openKept(opener, place) {
  const all = keptRequests();
  const names = [...all.keys()];
  openMenu(
    "Requests",
    [
      ...names.map((name) => ({
        text: name,
        detail: all.get(name),
        action: () => place.go(all.get(name) ?? "/"),
      })),
      { text: "Keep this request", action: () => openNaming(place) },
      ...names.filter((name) => all.get(name) === place.url).map((name) => ({
        text: `Forget ${name}`,
        action: () => {
          all.delete(name);
          store(all);
        },
      })),
    ],
    opener,
  );
}

/** @param {import("./toolbar.js").Place} place */
function openNaming(place) {
  const input =
    /** @type {HTMLInputElement} */ (element("input", { "aria-label": "Name", autocomplete: "off" }));
  input.value = document.title.replace(/ · Kindred$/, "").slice(0, 80);
  const keep = () => {
    const name = input.value.trim();
    if (name === "") return input.focus();
    try {
      store(keptRequests().set(name, place.url));
      dialog.close();
    } catch {
      dialog.append(
        element("p", { role: "alert", class: "wrong" }, "The browser keeps nothing for this page."),
      );
    }
  };
  const shown = element("code", { translate: "no" }, place.url);
  const dialog = openForm("Keep this request", [input, shown], [["Keep", keep]]);
  input.select();
}
