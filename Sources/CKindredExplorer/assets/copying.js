// Copies the rows of a table to the clipboard, in a format chosen from a menu.

import { copy } from "./dom.js";
import { members, parts, untyped } from "./json.js";
import { openMenu } from "./menu.js";
import { fetched, Problem } from "./server.js";

const FORMS = { JSON: asJSON, CSV: asCSV, Markdown: asMarkdown };

/** Records of a request: all of them, or those at some places of as many as there were.
 * @typedef {{ url: string, places?: number[], count?: number }} Source */

/** Fetches records, each as JSON text. @param {Source[]} sources */
async function rows(sources) {
  /** @type {string[]} */
  const found = [];
  for (const { url, places, count } of sources) {
    const text = await (await fetched(url)).text();
    const all = text.startsWith("[") ? parts(text) : [text];
    if (count !== undefined && all.length !== count) {
      throw new Problem("The records have changed meanwhile: load the page again.", { status: 409 });
    }
    found.push(...places === undefined ? all : places.map((place) => all[place]));
  }
  return found;
}

/** Opens a menu of formats, and copies the records.
 * @param {Source[]} sources @param {HTMLElement} opener @param {(error: unknown) => void} say @param {DOMRect} [anchor] */
export function offerCopies(sources, opener, say, anchor) {
  openMenu(
    "Copy rows as",
    Object.entries(FORMS).map(([text, form]) => ({
      text,
      action: () => {
        rows(sources).then((found) => copy(form(found), opener)).catch(say);
      },
    })),
    opener,
    anchor,
  );
}

// Rows as JSON, CSV and Markdown. Values keep the text that the server wrote, so that numbers lose no digits.

/** Lays records out as lines of values, with `missing` in place of null. @param {string[]} rows @param {string} missing @param {(json: string) => string} written */
function table(rows, missing, written) {
  const records = rows.map(members);
  const names = [...new Set(records.flatMap((one) => [...one.keys()]))];
  const lines = records.map((one) =>
    names.map((name) => {
      const json = one.get(name) ?? "null";
      return json === "null" ? missing : written(json);
    })
  );
  return { records, names, lines };
}

/** @param {string[]} rows each as JSON text */
export function asJSON(rows) {
  return `[${rows.join(",\n")}]\n`;
}

/** CSV (RFC 4180); null is an empty field, and an empty text is `""`. @param {string[]} rows */
export function asCSV(rows) {
  const field = (/** @type {string} */ text) =>
    /[",\r\n]|^$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const { names, lines } = table(rows, "", (json) => field(untyped(json)));
  return [names.map(field), ...lines].map((line) => `${line.join(",")}\r\n`).join("");
}

/** A Markdown table; what would be markup in values is escaped. @param {string[]} rows */
export function asMarkdown(rows) {
  const cell = (/** @type {string} */ text) =>
    text.replace(/[\\`*_[\]|~]/g, "\\$&").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replace(
      /\r\n|\r|\n/g,
      "<br>",
    );
  const { records, names, lines } = table(rows, "", (json) => cell(untyped(json)));
  const rules = names.map((name) =>
    records.every((one) => /^(-?\d.*|null)$/.test(one.get(name) ?? "null")) ? "---:" : "---"
  );
  return [names.map(cell), rules, ...lines].map((line) => `| ${line.join(" | ")} |\n`).join("");
}
