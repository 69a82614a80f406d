// The editor of the request, with colours, completion, marked errors and corrections by a single key.

import { all, button, element } from "./dom.js";
import { linkTo, offset, readable, scalars } from "./request.js";
import { completions, description } from "./server.js";

/** A text with an error, and the corrected requests. @typedef {{ text: string, mends: string[] }} Problem */

export class UrlEditor extends HTMLElement {
  constructor() {
    super();
    /** Shows the request of a text. @type {(text: string, replaces: boolean) => void} */
    this.run = () => {};
    /** The request in the address. @type {string} */
    this.present = "";
    /** @type {Problem | null} */
    this.problem = null;
    /** @type {AbortController} */
    this.asking = new AbortController();
    /** Whether completions are on their way. */
    this.isAsking = false;
    this.timer = 0;
  }

  connectedCallback() {
    if (this.field !== undefined) return;
    this.field = element("div", {
      role: "combobox",
      contenteditable: "plaintext-only",
      "aria-label": "Request URL",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": "completions",
      "aria-haspopup": "listbox",
      spellcheck: "false",
      autocapitalize: "off",
      translate: "no",
      tabindex: 0,
    });
    if (this.field.contentEditable !== "plaintext-only") this.field.contentEditable = "true";
    this.completions = new Completions(this.field, (item) => this.#take(item));
    const run = button("Run", () => this.#run(), { class: "run" });
    this.append(this.field, this.completions.list, run);
    this.field.addEventListener("input", () => this.#changed());
    this.field.addEventListener("keydown", (event) => this.#press(event));
    this.field.addEventListener("blur", () => this.completions?.close());
    this.field.addEventListener("paste", (event) => {
      event.preventDefault();
      const text = event.clipboardData?.getData("text/plain") ?? "";
      this.#insert(text.replace(/[\r\n]+/g, "").replace(location.origin + linkTo(""), ""));
    });
  }

  get text() {
    return (this.field?.textContent ?? "").replaceAll("\u00a0", " ").replaceAll("\n", "");
  }

  /** Shows the request of the address. @param {string} url @param {Problem | null} problem */
  show(url, problem) {
    this.present = url;
    this.problem = problem;
    const field = /** @type {HTMLElement} */ (this.field);
    if (this.text !== url) {
      const hadFocus = document.activeElement === field;
      field.textContent = url;
      if (hadFocus) this.select(url.length, url.length);
    }
    this.completions?.close();
    field.setAttribute("aria-invalid", String(problem !== null));
    this.#colour();
  }

  /** Sets the text of the editor, and offers completions at its end. @param {string} text */
  begin(text) {
    const field = /** @type {HTMLElement} */ (this.field);
    field.textContent = text;
    this.select(text.length, text.length);
    this.#changed(true);
  }

  /** Selects a range of the text. @param {number} from @param {number} to */
  select(from, to) {
    const field = /** @type {HTMLElement} */ (this.field);
    field.focus();
    const node = field.firstChild;
    const range = document.createRange();
    if (node === null) range.selectNodeContents(field);
    else {
      range.setStart(node, from);
      range.setEnd(node, to);
    }
    const selection = getSelection();
    selection?.removeAllRanges();
    selection?.addRange(range);
  }

  /** The position of the caret. */
  get caret() {
    const field = /** @type {HTMLElement} */ (this.field);
    const selection = getSelection();
    if (selection === null || selection.rangeCount === 0 || !field.contains(selection.focusNode)) {
      return this.text.length;
    }
    const range = document.createRange();
    range.selectNodeContents(field);
    range.setEnd(/** @type {Node} */ (selection.focusNode), selection.focusOffset);
    return range.toString().length;
  }

  #run() {
    const text = this.text.trim();
    this.completions?.close();
    this.asking.abort();
    this.run(text === "" ? "/" : text, this.problem !== null);
  }

  /** @param {string} text */
  #insert(text) {
    // `execCommand` preserves the undo history.
    document.execCommand("insertText", false, text);
  }

  /** @param {import("./server.js").Completion} item */
  #take(item) {
    const { text } = this;
    this.select(offset(text, item.from), offset(text, item.to));
    this.#insert(item.text);
    this.completions?.close();
    this.asking.abort();
    this.#changed(false, false);
  }

  /** @param {boolean} [atOnce] @param {boolean} [completes] */
  #changed(atOnce = false, completes = true) {
    this.field?.setAttribute(
      "aria-invalid",
      String(this.problem !== null && this.text === this.problem.text),
    );
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#colour(), 120);
    if (completes) this.#complete(atOnce ? 0 : 30);
  }

  /** @param {number} delay */
  async #complete(delay) {
    this.asking.abort();
    const asking = new AbortController();
    this.asking = asking;
    const { text, caret } = this;
    this.isAsking = true;
    try {
      await new Promise((resolve) => setTimeout(resolve, delay));
      if (asking.signal.aborted) return;
      const found = await completions(text, scalars(text, caret), asking.signal);
      if (!asking.signal.aborted && this.text === text && this.contains(document.activeElement)) {
        this.completions?.show(found);
      }
    } catch {
      if (!asking.signal.aborted) this.completions?.close(); // the server can't be reached: ignore
    }
    if (this.asking === asking) this.isAsking = false;
  }

  async #colour() {
    const { text } = this;
    try {
      const found = await description(text);
      if (this.text === text) highlight(/** @type {HTMLElement} */ (this.field), text, found);
    } catch {
      // The text is readable without colours.
    }
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const list = this.completions;
    if (list === undefined || event.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      const { text, problem } = this;
      if (!event.ctrlKey && list.take()) return;
      if (!event.ctrlKey && problem !== null && problem.text === text && problem.mends.length > 0) {
        list.close();
        this.run(readable(problem.mends[0]), true);
      } else this.#run();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.isOpen) list.move(event.key === "ArrowDown" ? 1 : -1);
      else this.#complete(0);
    } else if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.#complete(0);
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.asking.abort();
      const wasOpen = list.isOpen || this.isAsking;
      this.isAsking = false;
      if (wasOpen) list.close();
      else this.show(this.present, this.problem?.text === this.present ? this.problem : null);
    } else if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) list.close();
  }
}

customElements.define("kindred-url-editor", UrlEditor);

// The list of completions at the caret. None is selected at first.

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

// The colours of a request, using the Custom Highlight API, so that the text remains a single node.

/** The colour of each kind of part. */
const COLOURS = new Map(Object.entries({
  resource: "name",
  association: "name",
  node: "name",
  key: "value",
  parameter: "parameter",
  keyword: "keyword",
  operator: "keyword",
  function: "call",
  aggregate: "call",
  text: "text",
  number: "value",
  value: "value",
  name: "alias",
  unknown: "wrong",
}));

/** @param {HTMLElement} field @param {string} text @param {import("./server.js").Description} found */
export function highlight(field, text, found) {
  const node = field.firstChild;
  if (CSS.highlights === undefined || node === null || node.nodeType !== Node.TEXT_NODE) return;
  /** @type {Map<string, Range[]>} */
  const ranges = new Map();
  const length = node.textContent?.length ?? 0;
  /** @param {string} name @param {{ from: number, to: number }} place */
  const add = (name, { from, to }) => {
    const range = document.createRange();
    range.setStart(node, Math.min(offset(text, from), length));
    range.setEnd(node, Math.min(offset(text, to), length));
    ranges.set(name, [...(ranges.get(name) ?? []), range]);
  };
  for (const part of found.parts) {
    const colour = COLOURS.get(part.kind);
    if (colour !== undefined) add(colour, part);
  }
  for (const error of found.errors) if (Number.isInteger(error.from)) add("wrong", error);
  for (const name of new Set(COLOURS.values())) {
    CSS.highlights.set(`request-${name}`, new Highlight(...(ranges.get(name) ?? [])));
  }
}
