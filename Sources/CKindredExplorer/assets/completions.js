// The list of completions at the caret. None is selected at first.

import { all, element } from "./dom.js";

/** @typedef {import("./server.js").Completion} Completion */

export class Completions {
  /** @param {HTMLElement} field @param {(item: Completion) => void} take */
  constructor(field, take) {
    this.field = field;
    this.choose = take;
    /** @type {Completion[]} */
    this.items = [];
    this.selected = -1;
    this.list = element("div", {
      role: "listbox",
      id: "completions",
      "aria-label": "Completions",
      hidden: true,
    });
    // The field keeps the focus.
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => {
      const option = /** @type {HTMLElement} */ (event.target).closest("[role=option]");
      if (option !== null) this.choose(this.items[Number(/** @type {HTMLElement} */ (option).dataset.index)]);
    });
  }

  get isOpen() {
    return !this.list.hidden;
  }

  /** @param {Completion[]} items */
  show(items) {
    this.items = items;
    this.selected = -1;
    this.field.removeAttribute("aria-activedescendant");
    if (items.length === 0) return this.close();
    this.list.replaceChildren(...items.map((item, index) =>
      element(
        "div",
        {
          role: "option",
          id: `completion-${index}`,
          "aria-selected": "false",
          "data-index": index,
          "data-kind": item.kind,
        },
        element("span", { translate: "no" }, item.text),
        " ",
        element("small", {}, item.detail || item.kind),
      )
    ));
    this.list.hidden = false;
    this.list.scrollTop = 0;
    this.field.setAttribute("aria-expanded", "true");
  }

  close() {
    this.list.hidden = true;
    this.selected = -1;
    this.field.setAttribute("aria-expanded", "false");
    this.field.removeAttribute("aria-activedescendant");
  }

  /** @param {number} step */
  move(step) {
    const options = all(this.list, "[role=option]");
    const from = this.selected < 0 && step < 0 ? 0 : this.selected;
    options[this.selected]?.setAttribute("aria-selected", "false");
    this.selected = (from + step + options.length) % options.length;
    options[this.selected].setAttribute("aria-selected", "true");
    options[this.selected].scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant", options[this.selected].id);
  }

  /** Takes the selected completion; returns false if there is none. */
  take() {
    if (!this.isOpen || this.selected < 0) return false;
    this.choose(this.items[this.selected]);
    return true;
  }
}
