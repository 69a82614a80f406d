// The request as programs in several languages, each of which runs unchanged.

import { cellValue } from "./cells.js";
import { button, copy, element } from "./dom.js";
import { linkTo } from "./request.js";
import { session } from "./server.js";

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
    if (head.dataset.association !== undefined || head.matches(".select")) return;
    const kinds = new Set(rows.map((row) => kind(row.children[index])).filter((one) => one !== null));
    const [only] = kinds;
    fields.push({
      name: head.dataset.title ?? head.textContent ?? "",
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
    const index = Array.from(table.tHead?.rows[0].cells ?? []).findIndex((head) =>
      head.dataset.title === key
    );
    const isMany = index < 0 || table.tHead?.rows[0].cells[index].dataset.association === "many";
    lists.set(key, { key, shape: shape(nested), isMany });
  }
  return { type: typeName(table.dataset.resource ?? ""), fields, lists: [...lists.values()] };
}

/** @param {Element | undefined} cell @returns {Field["kind"] | null} */
function kind(cell) {
  const found = cell === undefined ? "null" : cellValue(cell).kind;
  return found === "null" ? null : found === "bytes" ? "text" : found;
}

/** @param {HTMLElement} panel @param {string} url */
export function show(panel, url) {
  const target = linkTo(url).replaceAll("'", "%27");
  const absolute = location.origin + target;
  const table =
    /** @type {HTMLTableElement | null} */ (document.querySelector("#panel-Table > table[data-resource]"));
  const isSingle = document.querySelector("main")?.classList.contains("single") ?? false;
  const record = shape(table);
  // The token itself is in no snippet: each takes it from the environment.
  const signs = session.token !== null;
  const snippets = {
    curl: curl(absolute, signs),
    JavaScript: javaScript(absolute, signs),
    TypeScript: typeScript(absolute, record, isSingle, signs),
    Swift: swift(absolute, record, isSingle, signs),
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

// Programs that make the request.

/** @typedef {{ name: string, kind: "number" | "text" | "boolean" | "unknown" }} Field */
/** @typedef {{ type: string, fields: Field[], lists: { key: string, shape: Shape, isMany: boolean }[] }} Shape The shape of a record. */

/** A text in single quotes for a shell. @param {string} text */
export function shellQuoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** @param {string} url absolute @param {boolean} [signs] whether the request needs a token, in the variable TOKEN */
export function curl(url, signs = false) {
  const token = signs ? ' \\\n  --header "Authorization: Bearer $TOKEN"' : "";
  return `curl --silent --show-error --fail-with-body \\\n  --header 'Accept: application/json'${token} \\\n  ${
    shellQuoted(url)
  }`;
}

/** The fields of a request in JavaScript. @param {boolean} signs */
function fields(signs) {
  return `{ Accept: "application/json"${signs ? ", Authorization: `Bearer ${token}`" : ""} }`;
}

/** @param {string} target path and query */
export function query(target) {
  return `kindred query "$DATABASE" ${shellQuoted(target)}`;
}

/** @param {string} url @param {boolean} [signs] */
export function javaScript(url, signs = false) {
  return `const response = await fetch(${JSON.stringify(url)}, {
  headers: ${fields(signs)},
});
if (!response.ok) throw new Error((await response.json()).detail);
const records = await response.json();`;
}

/** @param {string} name */
function member(name) {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name);
}

/** @param {Shape} shape @param {(shape: Shape) => string} one @returns {string} */
function types(shape, one) {
  const seen = new Set();
  /** @param {Shape} each @returns {string[]} */
  const collect = (each) => {
    if (seen.has(each.type)) return [];
    seen.add(each.type);
    return [one(each), ...each.lists.flatMap((list) => collect(list.shape))];
  };
  return collect(shape).join("\n\n");
}

/** @param {string} url @param {Shape} shape @param {boolean} isSingle @param {boolean} [signs] */
export function typeScript(url, shape, isSingle, signs = false) {
  const kinds = { number: "number", text: "string", boolean: "boolean", unknown: "unknown" };
  const declarations = types(shape, ({ type, fields, lists }) =>
    [
      `interface ${type} {`,
      ...fields.map(({ name, kind }) =>
        `  ${member(name)}: ${kinds[kind]}${kind === "unknown" ? "" : " | null"};`
      ),
      ...lists.map(({ key, shape, isMany }) =>
        `  ${member(key)}: ${shape.type}${isMany ? "[]" : " | null"};`
      ),
      "}",
    ].join("\n"));
  return `${declarations}

const response = await fetch(${JSON.stringify(url)}, {
  headers: ${fields(signs)},
});
if (!response.ok) throw new Error((await response.json()).detail);
const records: ${shape.type}${isSingle ? "" : "[]"} = await response.json();`;
}

/** A text as a Swift literal. @param {string} text */
function swiftText(text) {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** @param {string} name */
function swiftName(name) {
  const word = name.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=[0-9])/, "_");
  return /^(as|associatedtype|break|case|catch|class|continue|default|defer|deinit|do|else|enum|extension|fallthrough|false|for|func|guard|if|import|in|init|internal|is|let|nil|operator|private|protocol|public|repeat|return|self|static|struct|subscript|super|switch|throw|throws|true|try|var|where|while)$/
      .test(word)
    ? `\`${word}\``
    : word;
}

/** @param {string} url @param {Shape} shape @param {boolean} isSingle @param {boolean} [signs] */
export function swift(url, shape, isSingle, signs = false) {
  const kinds = { number: "Double", text: "String", boolean: "Bool", unknown: "String" };
  const declarations = types(shape, ({ type, fields, lists }) => {
    const members = [
      ...fields.map(({ name, kind }) => ({ name, text: `${kinds[kind]}?` })),
      ...lists.map(({ key, shape, isMany }) => ({
        name: key,
        text: isMany ? `[${shape.type}]` : `${shape.type}?`,
      })),
    ];
    const renamed = members.some(({ name }) => swiftName(name).replaceAll("`", "") !== name);
    const keys = renamed
      ? [
        "",
        "  enum CodingKeys: String, CodingKey {",
        ...members.map(({ name }) => `    case ${swiftName(name)} = ${swiftText(name)}`),
        "  }",
      ]
      : [];
    return [
      `struct ${type}: Decodable {`,
      ...members.map(({ name, text }) => `  var ${swiftName(name)}: ${text}`),
      ...keys,
      "}",
    ].join("\n");
  });
  return `import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

${declarations}

var request = URLRequest(url: URL(string: ${swiftText(url)})!)
request.setValue("application/json", forHTTPHeaderField: "Accept")${
    signs ? '\nrequest.setValue("Bearer \\(token)", forHTTPHeaderField: "Authorization")' : ""
  }
let (data, _) = try await URLSession.shared.data(for: request)
let records = try JSONDecoder().decode(${isSingle ? shape.type : `[${shape.type}]`}.self, from: data)`;
}
