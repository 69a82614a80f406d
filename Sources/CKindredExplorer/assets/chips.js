// The parameters of the request, one chip each, and a menu of those that can be added.

import { button, element } from "./dom.js";
import { openMenu } from "./menu.js";
import { join, offset, parameters, path, places, removing, scalars, written } from "./request.js";
import { completions, description, Problem } from "./server.js";

/** @typedef {{ select: (from: number, to: number) => void, begin: (text: string) => void, show: (url: string) => void, go: (url: string) => void, fail: (error: unknown) => void }} Actions */

export class Chips {
  /** @param {Actions} actions */
  constructor(actions) {
    this.actions = actions;
    this.url = "";
    /** @type {import("./menu.js").Item[]} */
    this.items = [];
    this.preparing = new AbortController();
    this.list = element("ul", { role: "list", "aria-label": "Request" });
    /** The collection of what can be added, once it is asked for. @type {Promise<void> | null} */
    this.prepared = null;
    this.add = button("Add", () => this.#open(), {
      class: "add",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
    });
    for (const type of ["pointerenter", "focus"]) {
      this.add.addEventListener(type, () => this.#prepare().catch(() => {}));
    }
    this.element = element("div", { class: "chips" }, this.list, this.add);
  }

  /** @param {string} url */
  show(url) {
    if (url !== this.url) {
      this.url = url;
      this.preparing.abort();
      this.prepared = null;
      this.items = [];
    }
    const found = places(url);
    this.list.replaceChildren(
      ...parameters(url).map((parameter, index) => {
        const text = written(parameter);
        const { from, to } = found[index];
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

  async #open() {
    const { url } = this;
    this.add.setAttribute("aria-busy", "true");
    try {
      await this.#prepare();
      if (url === this.url) openMenu("Parameters", this.items, this.add);
    } catch (error) {
      this.actions.fail(error);
    }
    this.add.removeAttribute("aria-busy");
  }

  /** Fetches what can be added, when the button is pointed at. */
  #prepare() {
    this.prepared ??= this.#collect().catch((error) => {
      // A failure is not kept: the next time asks again.
      this.prepared = null;
      throw error;
    });
    return this.prepared;
  }

  async #collect() {
    const preparing = new AbortController();
    this.preparing = preparing;
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
    await collect("", 0);
    if (preparing.signal.aborted) return;
    this.items = Array.from([...names, ...columns], (name) => ({
      text: name,
      action: () => this.actions.begin(`${begun}${name}=`),
    }));
  }
}

// What a click has made is shown only without the parameters that it broke.

/** The errors of a request, each with the index of its parameter, or -1 if it isn't about one. @param {string} url */
async function mistakes(url) {
  const all = parameters(url);
  const found = places(url);
  const { errors } = await description(url);
  // What lacks parameters isn't broken: the page asks for them.
  return errors.filter(({ type }) => !type?.endsWith("#missing-parameter")).map((error) => {
    const at = offset(url, error.from);
    const index = found.findIndex(({ from, to }) => from <= at && at < to);
    return { index, text: `${index < 0 ? path(url) : written(all[index])} ${error.detail}` };
  });
}

/** The request without the parameters that a click broke. What was wrong before stays, as an error: without it, the
 * request would have another meaning. @param {string} url @param {string} before the request that was clicked on @returns {Promise<string>} */
export async function confirmed(url, before) {
  let present = url;
  try {
    const known = new Set((await mistakes(before)).map(({ text }) => text));
    for (let round = 0; round < 8; round += 1) {
      const found = await mistakes(present);
      const broken = new Set(
        found.filter(({ text, index }) => index >= 0 && !known.has(text)).map(({ index }) => index),
      );
      if (broken.size === 0) return present;
      present = join(path(present), parameters(present).filter((_, index) => !broken.has(index)));
    }
  } catch (error) {
    // A request that is too long to be described may still be answered.
    if (!(error instanceof Problem) || error.status !== 414) throw error;
  }
  return present;
}
