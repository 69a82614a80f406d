// The explorer: the address is the request, the server renders the page, and these scripts enhance it.

import { Chips, confirmed } from "./chips.js";
import { Count } from "./counting.js";
import { all, button, element, find } from "./dom.js";
import * as entries from "./history.js";
import { fragment } from "./history.js";
import { Live } from "./live.js";
import { PageView } from "./page-view.js";
import { openPalette } from "./palette.js";
import { address, linkTo, readable, requestAt } from "./request.js";
import { download, isOvertaken, NoPage, Page, page, Problem, session } from "./server.js";
import { themeChoice } from "./theme-choice.js";
import { Toolbar } from "./toolbar.js";
import { showTrouble } from "./trouble.js";
import "./url-editor.js";
import { Views } from "./views.js";

/** @typedef {{ replaces?: boolean }} Step */

/** The time in milliseconds after which the table is marked as loading, and after which a place is kept. */
const [LATE, SETTLED] = [60, 250];

/** The status of the document's response; if the browser doesn't report it, 400 for a problem, else 200. */
function statusOfDocument() {
  const [navigation] =
    /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType("navigation"));
  const status = navigation?.responseStatus ?? 0;
  if (status !== 0) return status;
  return document.querySelector("[role=alert]") === null ? 200 : 400;
}

class Explorer {
  constructor() {
    this.main = /** @type {HTMLElement} */ (find(document, "main"));
    this.header = /** @type {HTMLElement} */ (find(document, "body > header"));
    this.footer = /** @type {HTMLElement} */ (find(document, "body > footer"));
    this.url = entries.presentRequest();
    this.loading = new AbortController();
    /** Whether rows are still being opened, so that the fragment doesn't show the open ones yet. */
    this.isReopening = true;
    /** Removes the problem of the last request. */
    this.clear = () => {};
    this.views = new Views([
      { name: "Table" },
      { name: "JSON", load: () => import("./json-view.js") },
      { name: "Plan", load: () => import("./plan.js") },
      { name: "Diagram", load: () => import("./diagram.js") },
      { name: "Code", load: () => import("./code-view.js") },
    ], (name) => this.choose(name));
    this.editor =
      /** @type {import("./url-editor.js").UrlEditor} */ (document.createElement("kindred-url-editor"));
    this.editor.run = (text, replaces) => this.go(text, { replaces });
    const fail = (/** @type {unknown} */ error) => this.#fail(error, null);
    this.chips = new Chips({
      select: (from, to) => this.editor.select(from, to),
      begin: (text) => this.editor.begin(text),
      show: (url) => this.editor.show(url, null),
      go: (url) => this.click(url),
      fail,
    });
    this.toolbar = new Toolbar(() => ({ url: this.url, go: (url) => this.click(url), fail }));
    this.count = new Count();
    this.view = new PageView(this.main, this.footer, this.views, {
      go: (url, step) => this.go(url, step),
      click: (url) => this.click(url),
      fail,
      opened: () => this.#keepOpen(),
      showDiagram: (link) => void this.go(link).then(() => this.choose("Diagram")),
    });
    this.live = new Live(() => this.view.refresh());
    this.#build();
    this.#listen();
    this.#start(statusOfDocument());
  }

  #build() {
    const content = [...this.main.childNodes];
    this.views.table.append(...content);
    this.main.append(...this.views.panels);
    this.footer.before(this.view.selection.element);
    const home = /** @type {HTMLElement} */ (find(this.header, ".home"));
    const signOut = button("Sign out", () => {
      session.authorize(null, false);
      this.go(this.url, { replaces: true });
    }, { hidden: session.token === null });
    session.onChange = () => signOut.hidden = session.token === null;
    this.chips.element.append(this.toolbar.element);
    home.after(
      this.editor,
      this.live.element,
      themeChoice(),
      signOut,
      this.chips.element,
      element("div", { class: "tabs" }, this.views.list, this.count.element),
    );
  }

  #listen() {
    history.scrollRestoration = "manual";
    document.addEventListener("click", (event) => this.#follow(event));
    addEventListener("popstate", () => this.#restore());
    document.addEventListener("keydown", (event) => this.#press(event));
    let timer = 0;
    for (const target of [this.main, window]) {
      target.addEventListener("scroll", () => {
        clearTimeout(timer);
        timer = setTimeout(() => this.#keepPlace(), SETTLED);
      }, { passive: true });
    }
    addEventListener("pagehide", () => this.#keepPlace());
  }

  /** Shows the page that the browser has loaded. @param {number} status of its response */
  #start(status) {
    const { view, open } = fragment(location.hash);
    const { place = null } = entries.state();
    this.#take(new Page(document, status, null), this.url);
    this.views.show(this.views.named(view), this.url);
    // The browser requested the page without the token of the session, and doesn't ask for one.
    if (session.token !== null || status === 401 || status === 503) this.go(this.url, { replaces: true });
    else void this.#settle(open, place);
  }

  // Navigation.

  /** Makes a step, and shows what keeps it from being made. @param {() => Promise<void>} step */
  async #attempt(step) {
    try {
      await step();
    } catch (error) {
      this.#fail(error, step);
    }
  }

  /** Shows a request that a click has made, without the parameters that it broke. @param {string} url @returns {Promise<void>} */
  click(url) {
    return this.#attempt(async () => await this.#go(await confirmed(url, this.url), {}));
  }

  /** Shows a request and updates the address. @param {string} url readable @param {Step} [step] */
  go(url, step = {}) {
    return this.#attempt(() => this.#go(url, step));
  }

  /** @param {string} url @param {Step} step */
  async #go(url, { replaces = false }) {
    const target = readable(address(url.startsWith("/") ? url : `/${url}`));
    const loaded = await this.#load(target);
    if (loaded === null) return;
    const isSame = target === this.url;
    const { view, open } = fragment(location.hash);
    if (!isSame) this.#keepPlace();
    entries.enter(target, { replaces: replaces || isSame, open: isSame ? open : [] });
    this.#take(loaded, target);
    this.views.show(this.views.named(view), target);
    await this.#settle(isSame ? open : [], null);
  }

  /** Loads a page; returns null if it isn't one, or another one was requested meanwhile. @param {string} url @returns {Promise<Page | null>} */
  async #load(url) {
    this.loading.abort();
    const loading = new AbortController();
    this.loading = loading;
    const { table } = this.view;
    const late = setTimeout(() => table?.setAttribute("aria-busy", "true"), LATE);
    try {
      return await page(url, loading.signal);
    } catch (error) {
      if (loading.signal.aborted) return null;
      if (error instanceof NoPage) await this.#leave(url);
      else if (error instanceof Problem && !error.mayPass && error.page !== null) return error.page;
      else throw error;
      return null;
    } finally {
      clearTimeout(late);
      if (!loading.signal.aborted) table?.removeAttribute("aria-busy");
    }
  }

  /** Opens a response that isn't a page. @param {string} url */
  async #leave(url) {
    if (session.token !== null) await download(url);
    else location.assign(linkTo(url));
  }

  /** Shows the address after it has changed: back, forward, or another fragment. */
  #restore() {
    return this.#attempt(async () => {
      const url = entries.presentRequest();
      const { view, open } = fragment(location.hash);
      const { place = null } = entries.state();
      if (url !== this.url) {
        const loaded = await this.#load(url);
        if (loaded === null) return;
        this.#take(loaded, url);
        this.views.show(this.views.named(view), url);
        await this.#settle(open, place);
      } else this.views.show(this.views.named(view), url);
    });
  }

  /** @param {string} name */
  choose(name) {
    entries.keepFragment({ view: name === "Table" ? null : name.toLowerCase() });
    this.views.show(name, this.url);
  }

  /** Opens the rows that the fragment names, and returns to a place. @param {string[]} open @param {import("./history.js").Place | null} place */
  async #settle(open, place) {
    const { url } = this;
    try {
      if (place !== null) await this.view.resume(place);
      await this.view.grid.reopen(open);
      if (place !== null && open.length > 0) await this.view.resume({ ...place, spans: [] });
    } finally {
      if (url === this.url) this.isReopening = false;
    }
    this.#keepOpen();
  }

  /** Writes the open rows to the fragment. */
  #keepOpen() {
    if (!this.isReopening) entries.keepFragment({ open: this.view.grid.open() });
  }

  /** Keeps what the reader sees, for when they come back. */
  #keepPlace() {
    if (!this.isReopening && this.url === entries.presentRequest()) entries.keepPlace(this.view.place());
  }

  // Showing.

  /** @param {Page} loaded @param {string} url */
  #take(loaded, url) {
    this.url = url;
    this.isReopening = true;
    this.clear();
    const { total } = this.view.take(loaded, url);
    const { table } = this.view;
    const mends = this.view.offerMends();
    this.editor.show(url, mends === null ? null : { text: url, mends });
    this.chips.show(url);
    this.live.show(url, table !== null);
    this.toolbar.show(url, table);
    const index = find(this.views.table, ":scope > table.index");
    if (table !== null && !this.main.classList.contains("single")) void this.count.show(url, total);
    else this.count.clear();
    if (index !== null) this.count.watch(index);
  }

  /** Shows why something isn't there. @param {unknown} error @param {(() => Promise<void>) | null} again */
  #fail(error, again) {
    if (isOvertaken(error)) return;
    this.clear();
    this.clear = showTrouble(error, again, (note) => this.views.panel.prepend(note));
  }

  // The palette and links.

  /** Global keyboard shortcuts. @param {KeyboardEvent} event */
  #press(event) {
    if (
      !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k" ||
      document.querySelector("dialog[open]") !== null
    ) return;
    event.preventDefault();
    this.#openPalette();
  }

  /** Opens the palette at once, so that what is typed next goes there. */
  #openPalette() {
    const own = all(this.header, "button:not([role], .run, .remove)").filter((one) => one.checkVisibility());
    const actions = [
      ...this.views.views.map(({ name }) => ({ text: name, kind: "view", action: () => this.choose(name) })),
      { text: "Resources", kind: "page", action: () => void this.go("/") },
      {
        text: "Edit the request",
        kind: "action",
        action: () => this.editor.select(this.url.length, this.url.length),
      },
      { text: "Live", kind: "switch", action: () => this.live.element.click() },
      { text: "Sign in", kind: "action", action: () => void this.#signIn() },
      ...[...own, ...all(this.footer, "a")].map((one) => ({
        text: one.textContent ?? "",
        kind: one.localName === "a" ? "link" : "action",
        action: () => one.click(),
      })),
    ];
    openPalette(actions, (url) => void this.go(url));
  }

  async #signIn() {
    if (await session.renew(session.token)) await this.go(this.url, { replaces: true });
  }

  /** Follows links within the explorer without leaving the page. @param {MouseEvent} event */
  #follow(event) {
    const link = /** @type {Element} */ (event.target).closest("a");
    if (
      link === null || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey ||
      event.shiftKey
    ) return;
    const href = link.getAttribute("href") ?? link.getAttribute("xlink:href");
    if (href === null || !href.startsWith("/") || href.startsWith("//")) return;
    const [reference, hash] = href.split("#");
    const target = requestAt(reference);
    const isFile = link.hasAttribute("download");
    if (isFile || link.hasAttribute("target") || target.startsWith("/-/diagram")) {
      if (session.token === null) return;
      event.preventDefault();
      const format = isFile ? link.textContent ?? "" : undefined;
      void this.#attempt(() => download(target, format));
      return;
    }
    if (target.startsWith("/-/")) return;
    event.preventDefault();
    if (link.closest("svg") !== null) this.choose("Table");
    void this.go(target).then(() => {
      if (hash) this.choose(this.views.named(fragment(`#${hash}`).view));
    });
  }
}

new Explorer();
