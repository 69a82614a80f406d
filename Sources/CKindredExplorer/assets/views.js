// The tabs with the views of a request. The fragment contains the current one.

import { button, element } from "./dom.js";
import { showTrouble } from "./trouble.js";

/** A view, whose file is loaded when it is first chosen.
 * @typedef {{ name: string, load?: () => Promise<{ show: (panel: HTMLElement, url: string, signal: AbortSignal) => Promise<void> }> }} View */

/** The time in milliseconds after which an unfinished view is shown. */
const LATE = 1000;

export class Views {
  /** @param {View[]} views the first one needs no preparation @param {(name: string) => void} onChoice */
  constructor(views, onChoice) {
    this.views = views;
    this.onChoice = onChoice;
    this.present = views[0].name;
    this.url = "";
    this.leaving = new AbortController();
    this.tabs = views.map(({ name }) =>
      button(name, () => this.onChoice(name), {
        role: "tab",
        id: `tab-${name}`,
        "aria-controls": `panel-${name}`,
      })
    );
    this.panels = views.map(({ name }) =>
      element("div", { role: "tabpanel", id: `panel-${name}`, "aria-label": name, hidden: true })
    );
    this.list = element("div", { role: "tablist", "aria-label": "View" }, ...this.tabs);
    this.list.addEventListener("keydown", (event) => this.#press(event));
  }

  /** The panel of the first view, which has the table. */
  get table() {
    return this.panels[0];
  }

  /** The panel that is seen. */
  get panel() {
    return this.panels.find((one) => !one.hidden) ?? this.panels[0];
  }

  /** The view that a fragment names, else the first one. @param {string | null} text */
  named(text) {
    return this.views.find(({ name }) => name.toLowerCase() === text?.toLowerCase())?.name ??
      this.views[0].name;
  }

  /** @param {string} name @param {string} url */
  async show(name, url) {
    const isNew = name !== this.present || url !== this.url || name !== this.views[0].name;
    this.present = name;
    this.url = url;
    const index = this.views.findIndex((view) => view.name === name);
    this.tabs.forEach((tab, number) => {
      tab.setAttribute("aria-selected", String(number === index));
      tab.tabIndex = number === index ? 0 : -1;
    });
    const { load } = this.views[index];
    this.leaving.abort();
    const leaving = new AbortController();
    this.leaving = leaving;
    const panel = this.panels[index];
    const reveal = () => this.panels.forEach((one, number) => one.hidden = number !== index);
    if (!isNew || load === undefined) return reveal();
    // Keep the previous view until this one is ready, unless that takes long.
    const late = setTimeout(reveal, LATE);
    leaving.signal.addEventListener("abort", () => clearTimeout(late));
    panel.setAttribute("aria-busy", "true");
    const fill = async () => {
      const { show } = await load();
      if (!leaving.signal.aborted) await show(panel, url, leaving.signal);
    };
    try {
      await fill();
    } catch (error) {
      if (leaving.signal.aborted) return;
      showTrouble(error, fill, (note) => panel.replaceChildren(note));
    }
    panel.removeAttribute("aria-busy");
    clearTimeout(late);
    if (!leaving.signal.aborted) reveal();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const index = this.tabs.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const count = this.tabs.length;
    const letter = this.views.findIndex(({ name }) => name.toLowerCase().startsWith(event.key.toLowerCase()));
    const to = {
      ArrowRight: (index + 1) % count,
      ArrowLeft: (index - 1 + count) % count,
      Home: 0,
      End: count - 1,
    }[event.key] ??
      (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && letter >= 0
        ? letter
        : undefined);
    if (to === undefined) return;
    event.preventDefault();
    this.tabs[to].focus();
    this.tabs[to].click();
  }
}
