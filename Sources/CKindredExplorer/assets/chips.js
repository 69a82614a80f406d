// The parameters of the request, one chip each, and a menu of those that can be added.

import { button, element } from "./dom.js";
import { openMenu } from "./menu.js";
import { parameters, removing, scalars, written } from "./request.js";
import { completions } from "./server.js";

/** @typedef {{ select: (from: number, to: number) => void, begin: (text: string) => void, show: (url: string) => void, go: (url: string) => void }} Actions */

export class Chips {
  /** @param {Actions} actions */
  constructor(actions) {
    this.actions = actions;
    this.url = "";
    /** @type {import("./menu.js").Item[]} */
    this.items = [];
    this.preparing = new AbortController();
    this.list = element("ul", { role: "list", "aria-label": "Request" });
    this.add = button("Add", () => openMenu("Parameters", this.items, this.add), {
      class: "add",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
    });
    this.element = element("div", { class: "chips" }, this.list, this.add);
  }

  /** @param {string} url */
  show(url) {
    if (url !== this.url) {
      this.url = url;
      this.#prepare();
    }
    let start = url.indexOf("?") + 1;
    this.list.replaceChildren(
      ...parameters(url).map((parameter, index) => {
        const text = written(parameter);
        const from = url.indexOf(parameter.name, start);
        const to = url.indexOf("&", from) < 0 ? url.length : url.indexOf("&", from);
        start = to + 1;
        return element(
          "li",
          {},
          button(text, () => {
            this.actions.show(url);
            this.actions.select(from, to);
          }, { translate: "no", title: text.length > 40 ? text : null }),
          button("", () => this.actions.go(removing(this.url, index)), {
            class: "remove",
            "aria-label": `Remove ${text}`,
          }),
        );
      }),
    );
  }

  /** Fetches in advance what can be added, so that the menu opens at once. */
  async #prepare() {
    this.preparing.abort();
    const preparing = new AbortController();
    this.preparing = preparing;
    this.add.setAttribute("disabled", "");
    const begun = `${this.url}${this.url.includes("?") ? "&" : "?"}`;
    /** @type {Set<string>} */
    const names = new Set();
    /** @type {Set<string>} */
    const columns = new Set();
    /** @param {string} prefix @param {number} depth */
    const collect = async (prefix, depth) => {
      const text = begun + prefix;
      /** @type {string[]} */
      const nodes = [];
      for (const item of await completions(text, scalars(text, text.length), preparing.signal)) {
        const whole = Array.from(text).slice(0, item.from).join("").slice(begun.length) + item.text;
        if (whole.endsWith(".")) nodes.push(whole);
        else (item.kind === "column" ? columns : names).add(whole.replace(/=$/, ""));
      }
      if (depth < 4) await Promise.all(nodes.map((node) => collect(node, depth + 1)));
    };
    try {
      await collect("", 0);
    } catch {
      // The server can't be reached, or another request is shown: offer what is known so far.
    }
    if (preparing.signal.aborted) return;
    this.items = Array.from([...names, ...columns], (name) => ({
      text: name,
      action: () => this.actions.begin(`${begun}${name}=`),
    }));
    this.add.removeAttribute("disabled");
  }
}
