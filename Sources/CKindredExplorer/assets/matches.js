// What a search has found, marked in the cells of the table. The server marks it, by `highlight`; the marks become ranges
// of the cells' texts, so that no text becomes markup.

import { all } from "./dom.js";
import { join, parameters, path, value } from "./request.js";
import { fetched } from "./server.js";

// Characters for private use, which texts hardly have.
const [OPENING, CLOSING] = ["\uE000", "\uE001"];

/** The request for the marked texts of some columns, in the order of the page. @param {string} url @param {string[]} columns */
export function requestForMatches(url, columns) {
  const items = columns.map((column, index) => `m${index}:highlight(${column},'${OPENING}','${CLOSING}')`);
  const others = parameters(url).filter(({ name }) => !["fields", "count", "format"].includes(name));
  return join(path(url), [...others, { name: "fields", value: items.join(",") }]);
}

/** The text without marks, and the places between them. @param {string} marked */
export function matchesIn(marked) {
  let text = "";
  /** @type {{ from: number, to: number }[]} */
  const places = [];
  marked.split(OPENING).forEach((part, number) => {
    const end = part.indexOf(CLOSING);
    if (number > 0 && end >= 0) places.push({ from: text.length, to: text.length + end });
    text += part.replaceAll(CLOSING, "");
  });
  return { text, places };
}

/** The first text of a cell. @param {Element | undefined} cell @returns {Text | null} */
function textOf(cell) {
  if (cell === undefined) return null;
  return /** @type {Text | null} */ (document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode());
}

/** Marks what a search has found in the first rows of a table. @param {HTMLTableElement} table @param {string} url */
export async function markMatches(table, url) {
  if (CSS.highlights === undefined) return;
  CSS.highlights.delete("matches");
  const heads = /** @type {HTMLElement[]} */ (all(table, ":scope > thead th"));
  const searched = heads.filter((head) => head.dataset.searched !== undefined);
  if (value(url, "search") === null || searched.length === 0) return;
  const reply = await fetched(requestForMatches(url, searched.map((head) => head.dataset.column ?? "")));
  // Texts, and no numbers.
  // deno-lint-ignore explorer/no-lossy-json
  const found = /** @type {Record<string, string | null>[]} */ (await reply.json());
  const rows = all(table, ":scope > tbody > tr:not(.below)");
  /** @type {Range[]} */
  const ranges = [];
  found.forEach((record, number) => {
    searched.forEach((head, index) => {
      const node = textOf(rows[number]?.children[heads.indexOf(head)]);
      const { text, places } = matchesIn(record[`m${index}`] ?? "");
      // Of a long text, the beginning is shown; a row that has changed meanwhile has no marks.
      if (node === null || !text.startsWith(node.data)) return;
      for (const { from, to } of places.filter((place) => place.to <= node.length)) {
        const range = document.createRange();
        range.setStart(node, from);
        range.setEnd(node, to);
        ranges.push(range);
      }
    });
  });
  CSS.highlights.set("matches", new Highlight(...ranges));
}
