// What is done with the records of a page: searching, filtering, importing, and requests that are kept by name.

import { allows } from "./cells.js";
import { button, element } from "./dom.js";
import { openColumns } from "./headers.js";
import { decoded, setting, value, valueText } from "./request.js";

/** @typedef {{ url: string, go: (url: string) => void, fail: (error: unknown) => void }} Place */

export class Toolbar {
  /** @param {() => Place} place */
  constructor(place) {
    this.place = place;
    this.search = /** @type {HTMLInputElement} */ (element("input", {
      type: "search",
      "aria-label": "Search",
      placeholder: "Search",
      autocomplete: "off",
      hidden: true,
    }));
    /** What the page was searched for, or will be. */
    this.searched = "";
    /** @type {HTMLTableElement | null} */
    this.table = null;
    this.filter = button("Filter", () =>
      this.#with(async (place) => {
        if (this.table) await (await import("./filter-builder.js")).openFilter(this.table, place);
      }), { hidden: true });
    this.columns = button("Columns", () =>
      this.#with(async (place) => {
        if (this.table) await openColumns(this.table, this.columns, place);
      }), { hidden: true, "aria-haspopup": "menu", "aria-expanded": "false" });
    this.import = button("Import", () =>
      this.#with(async (place) => {
        if (this.table) (await import("./importing.js")).openImport(this.table, place);
      }), { hidden: true });
    this.kept = button(
      "Requests",
      () => this.#with(async (place) => (await import("./kept-requests.js")).openKept(this.kept, place)),
      {
        "aria-haspopup": "menu",
        "aria-expanded": "false",
      },
    );
    this.element = element(
      "div",
      { class: "toolbar" },
      this.search,
      this.filter,
      this.columns,
      this.import,
      this.kept,
    );
    const find = () => {
      const { url, go } = this.place();
      const text = this.search.value.trim();
      if (text !== this.searched) {
        this.searched = text;
        go(setting(url, "search", text === "" ? null : valueText(text)));
      }
    };
    this.search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      find();
    });
    // The button of the field that empties it.
    this.search.addEventListener("search", find);
  }

  /** @param {(place: Place) => Promise<void>} action */
  #with(action) {
    const place = this.place();
    action(place).catch(place.fail);
  }

  /** @param {string} url @param {HTMLTableElement | null} table */
  show(url, table) {
    this.table = table;
    const isSingle = table?.closest("main")?.classList.contains("single") ?? true;
    this.search.hidden = isSingle || table?.dataset.searchable === undefined;
    this.searched = decoded(value(url, "search") ?? "");
    this.search.value = this.searched;
    this.filter.hidden = isSingle;
    this.columns.hidden = table?.dataset.resource === undefined ||
      table.querySelector("thead [data-key]") !== null;
    this.import.hidden = isSingle || !allows(table, "POST");
  }
}
