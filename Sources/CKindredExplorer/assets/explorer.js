// The explorer: the address is the request, the server renders the page, and these scripts enhance it.

import { isOtherTotal, refill } from "./associations.js";
import { chart } from "./chart.js";
import { Chips } from "./chips.js";
import { offerCopies } from "./copying.js";
import { showCode } from "./code-view.js";
import { showDiagram } from "./diagram.js";
import { adopted, all, button, element, find } from "./dom.js";
import { Editing } from "./editing.js";
import { Endless } from "./endless.js";
import { fragment, writtenFragment } from "./fragment.js";
import { Grid } from "./grid.js";
import { showJSON } from "./json-view.js";
import { Live, presentPage, synchronize } from "./live.js";
import { treeSwitch } from "./outline.js";
import { openPalette } from "./palette.js";
import { showPlan } from "./plan.js";
import { address, path, readable, value } from "./request.js";
import { confirmed, download, isAuthorized, NoPage, Page, page, Unreachable } from "./server.js";
import { openSignIn, resumeSession } from "./sign-in.js";
import { themeChoice } from "./theme-choice.js";
import "./url-editor.js";
import { Views } from "./views.js";

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
    this.url = readable(location.pathname + location.search);
    this.loading = new AbortController();
    /** Whether rows are still being opened, so that the fragment doesn't show the open ones yet. */
    this.isReopening = true;
    /** @type {Endless | null} */
    this.endless = null;
    this.views = new Views([
      { name: "Table" },
      { name: "JSON", show: showJSON },
      { name: "Plan", show: showPlan },
      { name: "Diagram", show: showDiagram },
      { name: "Code", show: showCode },
    ], (name) => this.choose(name));
    this.editor =
      /** @type {import("./url-editor.js").UrlEditor} */ (document.createElement("kindred-url-editor"));
    this.editor.run = (text, replaces) => this.go(text, { replaces });
    this.chips = new Chips({
      select: (from, to) => this.editor.select(from, to),
      begin: (text) => this.editor.begin(text),
      show: (url) => this.editor.show(url, null),
      go: (url) => this.click(url),
    });
    this.editing = new Editing(this.views.first, {
      refresh: () => this.#refresh(),
      signIn: openSignIn,
      say: (error) => this.#fail(error, () => {}),
    });
    this.grid = new Grid(this.views.first, () => this.#keepFragment(), this.editing, (link) => {
      this.go(link).then(() => this.choose("Diagram"));
    });
    this.live = new Live(() => this.#refresh());
    this.#build();
    document.addEventListener("click", (event) => this.#follow(event));
    addEventListener("popstate", () => this.#restore());
    document.addEventListener("keydown", (event) => this.#press(event));
    const { view, open } = fragment(location.hash);
    const [status, resumes] = [statusOfDocument(), resumeSession()];
    // The browser requested the page without the session's token, so it is fetched again with it.
    this.#take(new Page(document, resumes && status === 401 ? 400 : status, null), this.url);
    this.views.show(this.views.named(view), this.url);
    this.#reopen(open);
    if (resumes) this.go(this.url, { replaces: true });
  }

  #build() {
    const content = [...this.main.childNodes];
    this.views.first.append(...content);
    this.main.append(...this.views.panels);
    this.footer.before(this.editing.changes.element);
    this.editing.changes.show();
    const home = /** @type {HTMLElement} */ (find(this.header, ".home"));
    home.after(this.editor, this.live.element, themeChoice(), this.chips.element, this.views.list);
  }

  // Navigation.

  /** Shows the request that a click has made, without the parameters that the server refuses. @param {string} url */
  async click(url) {
    try {
      await this.go(await confirmed(url));
    } catch (error) {
      this.#fail(error, () => this.click(url));
    }
  }

  /** Shows a request and updates the address.
   * @param {string} url readable @param {{ replaces?: boolean, walk?: string[] }} [options] */
  async go(url, { replaces = false, walk = [] } = {}) {
    const target = readable(address(url.startsWith("/") ? url : `/${url}`));
    const loaded = await this.#load(target);
    if (loaded === null) return;
    const { view } = fragment(location.hash);
    const place = address(target).replaceAll("'", "%27") + writtenFragment({ view, open: [] });
    if (replaces || target === this.url) history.replaceState({ walk }, "", place);
    else history.pushState({ walk }, "", place);
    this.#take(loaded, target);
    this.isReopening = false;
    this.views.show(this.views.named(view), target);
  }

  /** Loads a page; returns null if another one was requested meanwhile. @param {string} url @returns {Promise<Page | null>} */
  async #load(url) {
    this.loading.abort();
    const loading = new AbortController();
    this.loading = loading;
    const grid = find(this.views.first, "table");
    const late = setTimeout(() => grid?.setAttribute("aria-busy", "true"), 60);
    try {
      return await page(url, loading.signal);
    } catch (error) {
      if (loading.signal.aborted) return null;
      if (error instanceof NoPage) this.#leave(url);
      else this.#fail(error, () => this.go(url));
      return null;
    } finally {
      clearTimeout(late);
      if (!loading.signal.aborted) grid?.removeAttribute("aria-busy");
    }
  }

  /** Opens a response that isn't a page. @param {string} url */
  #leave(url) {
    if (isAuthorized()) download(address(url)).catch((error) => this.#fail(error, () => this.#leave(url)));
    else location.assign(address(url));
  }

  /** Shows the address after it has changed: back, forward, or another fragment. */
  async #restore() {
    const url = readable(location.pathname + location.search);
    const { view, open } = fragment(location.hash);
    if (url !== this.url) {
      const loaded = await this.#load(url);
      if (loaded === null) return;
      this.#take(loaded, url);
      this.#reopen(open);
    }
    this.views.show(this.views.named(view), url);
  }

  /** @param {string} name */
  choose(name) {
    const { open } = fragment(location.hash);
    const view = name === "Table" ? null : name.toLowerCase();
    history.replaceState(
      history.state,
      "",
      location.pathname + location.search + writtenFragment({ view, open }),
    );
    this.views.show(name, this.url);
  }

  /** Opens the rows that the fragment names. @param {string[]} open */
  async #reopen(open) {
    this.isReopening = true;
    try {
      await this.grid.reopen(open);
    } finally {
      this.isReopening = false;
    }
    this.#keepFragment();
  }

  /** Writes the open rows to the fragment. */
  #keepFragment() {
    if (this.isReopening) return;
    const { view } = fragment(location.hash);
    const written = writtenFragment({ view, open: this.grid.open() });
    if (written !== location.hash) {
      history.replaceState(history.state, "", location.pathname + location.search + written);
    }
  }

  // Showing a page.

  /** @param {Page} loaded @param {string} url */
  #take(loaded, url) {
    this.url = url;
    this.isReopening = true;
    this.editing.leave();
    this.endless?.close();
    this.endless = null;
    const { document: source } = loaded;
    if (source !== document) {
      const main = find(source, "main");
      this.views.first.replaceChildren(...adopted(main?.childNodes ?? []));
      this.main.className = main?.className ?? "";
      this.main.toggleAttribute("data-writable", main?.hasAttribute("data-writable"));
      this.footer.replaceChildren(...adopted(find(source, "body > footer")?.childNodes ?? []));
      document.title = source.title;
      const heading = find(document, "h1");
      if (heading !== null) heading.textContent = find(source, "h1")?.textContent ?? url;
      this.main.scrollTop = 0;
    }
    this.#showProblem(url);
    if (loaded.status === 401) openSignIn(() => this.go(url, { replaces: true }));
    this.chips.show(url);
    this.#showPages();
    this.#offerCopies(url);
    const table =
      /** @type {HTMLTableElement | null} */ (find(this.views.first, ":scope > table[data-resource]"));
    this.live.show(url, table !== null);
    if (table !== null) {
      table.before(...[chart(table, url)].filter((one) => one !== null));
      const tree = treeSwitch(table, url);
      if (tree !== null) table.before(element("p", { class: "tools" }, tree));
    }
    const next = find(this.footer, 'a[rel="next"]')?.getAttribute("href") ?? null;
    const rows = table?.querySelectorAll(":scope > tbody > tr:not(.below)").length ?? 0;
    const isWhole = next === null && value(url, "after") === null && value(url, "offset") === null;
    table?.setAttribute("aria-rowcount", String(loaded.total ?? (isWhole ? rows : -1)));
    this.editing.isAllowed = this.main.hasAttribute("data-writable");
    this.grid.show({ url, go: (to) => void this.click(to) });
    const isOfRecords = !["group", "distinct"].some((name) => value(url, name) !== null);
    if (
      table !== null && this.editing.isAllowed && isOfRecords && !this.main.classList.contains("single")
    ) {
      const below = element("p", { class: "more" });
      this.editing.offerNew(below, path(url), table.dataset.resource ?? "", table);
      table.after(below);
    }
    if (table !== null && next !== null && value(url, "limit") === null) {
      this.endless = new Endless(this.main, table, url, readable(next), (one) => this.grid.adoptRows(one));
    }
  }

  /** Updates the tables, including opened ones. */
  async #refresh() {
    const { url } = this;
    if (this.editing.isOpen) return;
    const next = (await presentPage(url))?.table ?? null;
    const table =
      /** @type {HTMLTableElement | null} */ (find(this.views.first, ":scope > table[data-resource]"));
    if (next === null || table === null || url !== this.url || this.editing.isOpen) return;
    this.editing.clear();
    try {
      await this.#synchronize(table, next);
    } finally {
      this.grid.adoptRows(table);
    }
  }

  /** Updates a table and those that were opened below it. @param {HTMLTableElement} table @param {HTMLTableElement} next */
  async #synchronize(table, next) {
    synchronize(table, next, (this.endless?.chunks.length ?? 1) > 1);
    for (const opened of all(this.views.first, "tr.below[data-href] > td > table")) {
      const nested = /** @type {HTMLTableElement} */ (opened);
      const source = this.grid.source(nested);
      const found = source === null ? null : await presentPage(source.url);
      if (source === null || !found?.table || !nested.isConnected) continue;
      if (found.total !== null && isOtherTotal(nested, found.total)) {
        await refill(nested, source.url, this.grid);
      } else {
        synchronize(nested, found.table, nested.rows.length > found.table.rows.length);
        this.grid.adoptRows(nested);
      }
    }
  }

  /** Global keyboard shortcuts. @param {KeyboardEvent} event */
  #press(event) {
    if (
      !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k" ||
      document.querySelector("dialog[open]") !== null
    ) return;
    event.preventDefault();
    const actions = [
      ...this.views.views.map(({ name }) => ({ text: name, kind: "view", action: () => this.choose(name) })),
      { text: "Resources", kind: "page", action: () => void this.go("/") },
      {
        text: "Edit the request",
        kind: "action",
        action: () => this.editor.select(this.url.length, this.url.length),
      },
      { text: "Live", kind: "switch", action: () => this.live.element.click() },
      {
        text: "Sign in",
        kind: "action",
        action: () => openSignIn(() => this.go(this.url, { replaces: true })),
      },
      ...all(this.footer, "a").map((link) => ({
        text: link.textContent ?? "",
        kind: "link",
        action: () => link.click(),
      })),
    ];
    openPalette(actions, (url) => void this.go(url));
  }

  /** Turns the links to corrected requests into buttons; Enter in the editor takes the first. @param {string} url */
  #showProblem(url) {
    const alert = find(this.views.first, "[role=alert]");
    const mends = alert === null ? [] : all(alert, ".mends a");
    const targets = mends.map((link) => readable(link.getAttribute("href") ?? "/"));
    mends.forEach((link, index) =>
      link.replaceWith(
        button(link.textContent ?? "", () => this.go(targets[index], { replaces: true }), {
          translate: "no",
        }),
      )
    );
    this.editor.show(url, alert === null ? null : { text: url, mends: targets });
  }

  /** Adds a link to the previous page if the user came from it. */
  #showPages() {
    const walk = /** @type {string[]} */ (history.state?.walk ?? []);
    const pages = find(this.footer, 'nav[aria-label="Pages"]');
    if (pages === null || walk.length === 0) return;
    const previous = element("a", { rel: "prev", href: address(walk[walk.length - 1]) }, "previous");
    pages.querySelector("[rel=first]")?.after(" ", previous);
  }

  /** Adds a button that copies the shown rows, next to the links to the whole result. @param {string} url */
  #offerCopies(url) {
    const copies = button("Copy rows", () => {
      const urls = this.endless?.chunks.map((chunk) => chunk.url) ?? [url];
      offerCopies(urls, copies, (error) => this.#fail(error, () => copies.click()));
    }, { "aria-haspopup": "menu", "aria-expanded": "false" });
    find(this.footer, 'nav[aria-label="Downloads"]')?.append(" ", copies);
  }

  /** Shows that the server can't be reached, and tries again. @param {unknown} error @param {() => void} again */
  #fail(error, again) {
    if (!(error instanceof Unreachable)) {
      if (error instanceof DOMException && error.name === "AbortError") return;
      throw error;
    }
    find(this.views.first, ".unreachable")?.remove();
    const timer = setTimeout(retry, 3000);
    const note = element(
      "div",
      { role: "alert", class: "problem unreachable" },
      element("p", {}, error.message, " It is tried again."),
      element("p", { class: "mends" }, button("Try again", retry)),
    );
    function retry() {
      clearTimeout(timer);
      note.remove();
      again();
    }
    this.views.first.prepend(note);
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
    const isFile = link.hasAttribute("download");
    if (isFile || link.hasAttribute("target") || href.startsWith("/-/diagram")) {
      if (!isAuthorized()) return;
      event.preventDefault();
      const format = isFile ? link.textContent ?? "" : undefined;
      download(href, format).catch((error) => this.#fail(error, () => link.click()));
      return;
    }
    if (href.startsWith("/-/")) return;
    event.preventDefault();
    const [target, hash] = href.split("#");
    const relation = link.getAttribute("rel");
    const present = /** @type {string[]} */ (history.state?.walk ?? []);
    const walk = relation === "next"
      ? [...present.slice(-200), this.url]
      : relation === "prev"
      ? present.slice(0, -1)
      : [];
    if (link.closest("svg") !== null) this.choose("Table");
    this.go(readable(target), { walk }).then(() => {
      if (hash) this.choose(this.views.named(fragment(`#${hash}`).view));
    });
  }
}

new Explorer();
