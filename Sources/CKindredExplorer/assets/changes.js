// The changes that haven't been sent yet, shown as the requests that they become, with the server's problems and the
// values that others have written meanwhile.

import { button, element } from "./dom.js";
import { object, untyped } from "./values.js";

/** @typedef {import("./edits.js").Change} Change */

export class Changes {
  /** @param {import("./edits.js").Edits} edits @param {() => void} apply */
  constructor(edits, apply) {
    this.edits = edits;
    this.apply = apply;
    this.element = element("section", { "aria-label": "Changes", class: "changes", hidden: true });
  }

  show() {
    const { changes } = this.edits;
    const hadFocus = this.element.contains(document.activeElement);
    this.element.hidden = changes.length === 0;
    this.element.replaceChildren(
      element("ul", {}, ...changes.map((change) => this.#item(change))),
      element(
        "p",
        {},
        button(changes.length === 1 ? "Apply" : `Apply ${changes.length} changes`, this.apply, {
          class: "run",
        }),
        " ",
        button("Discard all", () => this.edits.discard(changes)),
      ),
    );
    if (!hadFocus) return;
    if (changes.length > 0) this.element.querySelector("button")?.focus();
    else document.querySelector("main")?.focus();
  }

  /** @param {Change} change */
  #item(change) {
    const { method, url, title, values, problem, theirs } = change;
    const item = element(
      "li",
      {},
      element(
        "code",
        { translate: "no" },
        `${method} ${url}`,
        method === "DELETE" ? null : ` ${object(values)}`,
      ),
      " ",
      button("Discard", () => this.edits.discard([change]), {
        "aria-label": `Discard the change of ${title}`,
      }),
    );
    if (problem !== null) item.append(element("p", { role: "alert", class: "wrong" }, problem.detail));
    if (theirs !== null) item.append(this.#both(change, theirs));
    return item;
  }

  /** Both values of a record that someone else has changed. @param {Change} change @param {Map<string, string>} theirs */
  #both(change, theirs) {
    const text = (/** @type {string | undefined} */ json) =>
      json === "null" ? element("i", {}, "null") : untyped(json ?? "null");
    const names = new Set([...change.values.keys(), ...change.base.keys()]);
    const rows = [...names].filter((name) =>
      change.values.has(name) || theirs.get(name) !== change.base.get(name)
    ).map((name) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, name),
        element("td", {}, text(change.base.get(name))),
        element("td", {}, text(theirs.get(name))),
        element("td", {}, text(change.values.get(name) ?? theirs.get(name))),
      )
    );
    const heads = ["column", "when you read it", "now", "yours"];
    return element(
      "div",
      { class: "both" },
      element(
        "table",
        { "aria-label": `Both values of ${change.title}` },
        element(
          "thead",
          {},
          element("tr", {}, ...heads.map((name) => element("th", { scope: "col" }, name))),
        ),
        element("tbody", {}, ...rows),
      ),
      button(change.method === "DELETE" ? "Delete it" : "Keep mine", () => this.edits.keepMine(change)),
      " ",
      button("Keep theirs", () => this.edits.discard([change])),
    );
  }
}
