// The colours of a request, using the Custom Highlight API, so that the text remains a single node.

import { offset } from "./request.js";

/** The colour of each kind of part. @type {Record<string, string>} */
const COLOURS = {
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
};

/** @param {HTMLElement} field @param {string} text @param {import("./server.js").Description} found */
export function highlight(field, text, found) {
  const node = field.firstChild;
  if (!("highlights" in CSS) || node === null || node.nodeType !== Node.TEXT_NODE) return;
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
  for (const part of found.parts) if (part.kind in COLOURS) add(COLOURS[part.kind], part);
  for (const error of found.errors) if (Number.isInteger(error.from)) add("wrong", error);
  for (const name of new Set(Object.values(COLOURS))) {
    CSS.highlights.set(`request-${name}`, new Highlight(...(ranges.get(name) ?? [])));
  }
}
