// The changes that haven't been sent yet, shown as the requests that they become, with the server's problems and the
// values that others have written meanwhile.

import { button, element } from "./dom.js";
import { byteCount, size } from "./fields.js";
import { object, untyped } from "./json.js";
import { MOST } from "./staged-changes.js";

/** @typedef {import("./staged-changes.js").Change} Change */

/** The number of characters of a value beyond which only its size is shown. */
const LONGEST = 2000;

/** A value as it is shown: of a long one its size. @param {string} json */
export function shown(json) {
  if (json === "null") return element("i", {}, "null");
  return json.length <= LONGEST ? untyped(json) : element("i", {}, size(byteCount(untyped(json))));
}

/** The content of a request, with the sizes of long values in place of these. @param {Map<string, string>} values */
function content(values) {
  return object(
    new Map(Array.from(values, ([name, json]) => [
      name,
      json.length <= LONGEST ? json : JSON.stringify(`${size(byteCount(untyped(json)))}`),
    ])),
  );
}

export class ChangeList {
  /** @param {import("./staged-changes.js").StagedChanges} staged @param {{ apply: () => void, change: (change: Change) => void, fail: (error: unknown) => void }} actions */
  constructor(staged, actions) {
    this.staged = staged;
    this.actions = actions;
    this.element = element("section", { "aria-label": "Changes", class: "changes", hidden: true });
  }

  show() {
    const { changes, trouble } = this.staged;
    const hadFocus = this.element.contains(document.activeElement);
    this.element.hidden = changes.length === 0;
    const text = changes.length === 1 ? "Apply" : `Apply ${changes.length} changes`;
    this.element.replaceChildren(
      element("ul", {}, ...changes.map((change) => this.#item(change))),
      trouble === null ? "" : element("p", { role: "alert", class: "wrong" }, trouble),
      element(
        "p",
        {},
        button(text, this.actions.apply, { class: "run" }),
        " ",
        button("Discard all", () => this.staged.discard(changes)),
        changes.length > MOST ? element("small", {}, ` in transactions of ${MOST}`) : null,
      ),
    );
    if (!hadFocus) return;
    if (changes.length > 0) this.element.querySelector("button")?.focus();
    else document.querySelector("main")?.focus();
  }

  /** @param {Change} change */
  #item(change) {
    const { id, method, url, values, problem, theirs } = change;
    const item = element(
      "li",
      {},
      element(
        "code",
        { translate: "no", id: `change-${id}` },
        `${method} ${url}`,
        method === "DELETE" ? null : ` ${content(values)}`,
      ),
      " ",
      button("Undo", () => this.staged.discard([change]), { "aria-describedby": `change-${id}` }),
    );
    if (method === "POST" && change.resource !== undefined) {
      item.append(
        " ",
        button("Edit", () => this.actions.change(change), { "aria-describedby": `change-${id}` }),
      );
    }
    if (problem !== null) item.append(element("p", { role: "alert", class: "wrong" }, problem.detail));
    if (theirs !== null) item.append(this.#both(change, theirs));
    return item;
  }

  /** Both values of a record that someone else has changed. @param {Change} change @param {Map<string, string>} theirs */
  #both(change, theirs) {
    const names = new Set([...change.values.keys(), ...change.base.keys()]);
    const rows = [...names].filter((name) =>
      change.values.has(name) || theirs.get(name) !== change.base.get(name)
    ).map((name) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, name),
        ...[change.base.get(name), theirs.get(name), change.values.get(name) ?? theirs.get(name)].map((
          json,
        ) => element("td", {}, shown(json ?? "null"))),
      )
    );
    const heads = ["column", "when you read it", "now", "yours"];
    const keep = () => void this.staged.keepMine(change).catch(this.actions.fail);
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
      button(change.method === "DELETE" ? "Delete it" : "Keep mine", keep),
      " ",
      button("Keep theirs", () => this.staged.discard([change])),
    );
  }
}
