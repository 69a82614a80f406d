// Rows as JSON, CSV and Markdown. Values keep the text that the server wrote, so that numbers lose no digits.

import { untyped } from "./values.js";

/** Splits the text of an array or an object at its own commas. @param {string} json @returns {string[]} */
export function parts(json) {
  /** @type {string[]} */
  const found = [];
  let depth = 0;
  let start = 0;
  for (const token of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]/g)) {
    const [sign] = token;
    if (sign === "[" || sign === "{") {
      depth += 1;
      if (depth === 1) start = token.index + 1;
    } else if (sign === "]" || sign === "}") {
      depth -= 1;
      const last = json.slice(start, token.index).trim();
      if (depth === 0 && (last !== "" || found.length > 0)) found.push(last);
    } else if (sign === "," && depth === 1) {
      found.push(json.slice(start, token.index).trim());
      start = token.index + 1;
    }
  }
  return found;
}

/** The members of a record in order, each value as JSON text. @param {string} json @returns {Map<string, string>} */
function record(json) {
  return new Map(
    parts(json).map((part) => {
      const name = /^"[^"\\]*(?:\\.[^"\\]*)*"/.exec(part)?.[0] ?? '""';
      return [JSON.parse(name), part.slice(name.length).replace(/^\s*:\s*/, "")];
    }),
  );
}

/** Lays records out as lines of values, with `missing` in place of null. @param {string[]} rows @param {string} missing @param {(json: string) => string} written */
function table(rows, missing, written) {
  const records = rows.map(record);
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
