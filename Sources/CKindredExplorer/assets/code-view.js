// The request as programs in several languages, each of which runs unchanged.

import { button, copy, element } from "./dom.js";
import { address } from "./request.js";
import { curl, javaScript, query, swift, typeScript } from "./snippets.js";

/** @typedef {import("./snippets.js").Shape} Shape */
/** @typedef {import("./snippets.js").Field} Field */

/** The name of the type of a resource's records. @param {string} resource */
function typeName(resource) {
  const singular = resource.replace(/ies$/, "y").replace(/(ss|x|ch|sh)es$/, "$1").replace(/([^s])s$/, "$1");
  const word = singular.replace(/[^A-Za-z0-9]+/g, "");
  return word === ""
    ? "Item"
    : word.replace(/^(?=[0-9])/, "_").replace(/^./, (letter) => letter.toUpperCase());
}

/** The shape of a table's records, as far as the page shows it. @param {HTMLTableElement | null} table @returns {Shape} */
function shape(table) {
  if (table === null) return { type: "Item", fields: [], lists: [] };
  const rows = Array.from(table.querySelectorAll(":scope > tbody > tr:not(.below)"));
  /** @type {Field[]} */
  const fields = [];
  Array.from(table.tHead?.rows[0].cells ?? []).forEach((head, index) => {
    if (head.dataset.association !== undefined) return;
    const kinds = new Set(rows.map((row) => kind(row.children[index])).filter((one) => one !== null));
    const [only] = kinds;
    fields.push({
      name: head.dataset.name ?? head.textContent ?? "",
      kind: kinds.size === 1 && only ? only : "unknown",
    });
  });
  /** @type {Map<string, Shape["lists"][number]>} */
  const lists = new Map();
  for (const row of table.querySelectorAll(":scope > tbody > tr.below:not([data-href])")) {
    const nested = /** @type {HTMLTableElement | null} */ (row.querySelector(":scope > td > table"));
    const key = /** @type {HTMLElement} */ (row).dataset.key ?? "";
    const present = lists.get(key);
    if (
      nested === null ||
      present !== undefined && present.shape.fields.every((field) => field.kind !== "unknown")
    ) continue;
    const index = Array.from(table.tHead?.rows[0].cells ?? []).findIndex((head) => head.dataset.name === key);
    const isMany = index < 0 || table.tHead?.rows[0].cells[index].dataset.association === "many";
    lists.set(key, { key, shape: shape(nested), isMany });
  }
  return { type: typeName(table.dataset.resource ?? ""), fields, lists: [...lists.values()] };
}

/** @param {Element | undefined} cell @returns {Field["kind"] | null} */
function kind(cell) {
  const part = cell?.querySelector("span.n, span.z, a.n, a.z") ?? cell;
  if (!part || part.classList.contains("z")) return null;
  if (!part.classList.contains("n")) return "text";
  return part.textContent === "true" || part.textContent === "false" ? "boolean" : "number";
}

/** @param {HTMLElement} panel @param {string} url */
export function showCode(panel, url) {
  const target = address(url).replaceAll("'", "%27");
  const absolute = location.origin + target;
  const table =
    /** @type {HTMLTableElement | null} */ (document.querySelector("#panel-Table > table[data-resource]"));
  const isSingle = document.querySelector("main")?.classList.contains("single") ?? false;
  const record = shape(table);
  const snippets = {
    curl: curl(absolute),
    JavaScript: javaScript(absolute),
    TypeScript: typeScript(absolute, record, isSingle),
    Swift: swift(absolute, record, isSingle),
    "kindred query": query(target),
  };
  panel.replaceChildren(
    ...Object.entries(snippets).map(([name, text]) => {
      const copying = button("Copy", () => copy(text, copying), { class: "copy" });
      return element(
        "section",
        { "aria-label": name, class: "snippet" },
        element("h2", {}, name),
        copying,
        element(
          "pre",
          { tabindex: 0, role: "group", "aria-label": `${name}, code` },
          element("code", { translate: "no" }, text),
        ),
      );
    }),
  );
  return Promise.resolve();
}
