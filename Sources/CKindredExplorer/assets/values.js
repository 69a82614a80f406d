// Values as the JSON in requests: numbers keep all their digits, and texts remain texts.

/** The kinds of columns by how their values are written.
 * @typedef {"text" | "number" | "boolean" | "json" | "bytes"} ColumnKind */

/** The kind of a column with a declared type. @param {string} type @returns {ColumnKind} */
export function columnKind(type) {
  const name = type.toUpperCase();
  if (/^BOOL(EAN)?$/.test(name)) return "boolean";
  if (/^JSONB?$/.test(name)) return "json";
  if (/BLOB|BYTEA/.test(name)) return "bytes";
  return /CHAR|CLOB|TEXT/.test(name) ? "text" : "number";
}

/** Typed text as JSON, or null if it is invalid. Numeric columns accept other texts as texts, as the database does.
 * @param {ColumnKind} kind @param {string} text @returns {string | null} */
export function typed(kind, text) {
  if (kind === "number" && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim())) return text.trim();
  if (kind !== "json") return JSON.stringify(text);
  try {
    JSON.parse(text);
    return text;
  } catch {
    return null;
  }
}

/** JSON in the form in which it is shown and typed. @param {string} json */
export function untyped(json) {
  if (json === "null") return "";
  return json.startsWith('"') ? JSON.parse(json) : json;
}

/** The members of a record, each as its JSON. @param {string} text @returns {Map<string, string>} */
export function members(text) {
  const { rawJSON } = /** @type {{ rawJSON?: (text: string) => unknown }} */ (/** @type {unknown} */ (JSON));
  const parse = /** @type {(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown) => unknown} */
    (JSON.parse);
  const record = parse(
    text,
    (_, value, context) =>
      typeof value === "number" && context?.source && rawJSON ? rawJSON(context.source) : value,
  );
  return new Map(
    Object.entries(/** @type {object} */ (record)).map(([name, value]) => [name, JSON.stringify(value)]),
  );
}

/** A JSON object of members that are JSON. @param {Map<string, string>} values */
export function object(values) {
  return `{${Array.from(values, ([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}

/** The top-level member that a JSON Pointer leads to or into (RFC 6901). @param {string | undefined} pointer */
export function pointedMember(pointer) {
  const token = /^#\/([^/]*)/.exec(pointer ?? "")?.[1];
  if (token === undefined) return null;
  try {
    return decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return token;
  }
}
