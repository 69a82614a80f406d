// JSON as text: values keep what the server wrote, so that numbers lose no digits.

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]/g;

/** The parts of the text of an array or an object, split at its own commas. @param {string} json @returns {string[]} */
export function parts(json) {
  /** @type {string[]} */
  const found = [];
  let depth = 0;
  let start = 0;
  for (const token of json.matchAll(TOKENS)) {
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

/** The members of an object in order, each value as JSON text. @param {string} json @returns {Map<string, string>} */
export function members(json) {
  return new Map(
    parts(json).map((part) => {
      const name = /^"[^"\\]*(?:\\.[^"\\]*)*"/.exec(part)?.[0] ?? '""';
      return [JSON.parse(name), part.slice(name.length).replace(/^\s*:\s*/, "")];
    }),
  );
}

/** A JSON object of members that are JSON. @param {Map<string, string>} values */
export function object(values) {
  return `{${Array.from(values, ([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}

/** A number without needless digits: its digits and its exponent. @param {string} json */
function digits(json) {
  const [, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(json) ??
      [];
  if (whole === undefined) return json;
  const all = `${whole}${fraction}`.replace(/^0+/, "");
  const kept = all.replace(/0+$/, "");
  return kept === ""
    ? "0"
    : `${sign}${kept}e${Number(exponent) - fraction.length + all.length - kept.length}`;
}

/** The same text for all ways to write a value. @param {string} json @returns {string} */
function canonical(json) {
  if (json.startsWith("[")) return `[${parts(json).map(canonical).join(",")}]`;
  if (json.startsWith("{")) {
    const sorted = [...members(json)].sort(([left], [right]) => left < right ? -1 : 1);
    return object(new Map(sorted.map(([name, value]) => [name, canonical(value)])));
  }
  return json.startsWith('"') ? JSON.stringify(JSON.parse(json)) : digits(json);
}

/** Whether both are the same value, however written: `20.1` is `20.10`. @param {string | undefined} left @param {string | undefined} right */
export function isSame(left, right) {
  return left === right || left !== undefined && right !== undefined && canonical(left) === canonical(right);
}

/** JSON in the form in which it is shown and typed. @param {string} json */
export function untyped(json) {
  if (json === "null") return "";
  return json.startsWith('"') ? JSON.parse(json) : json;
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

/** JSON as PostgreSQL writes it, with spaces. @param {string} json @returns {string} */
function spaced(json) {
  if (json.startsWith("[")) return `[${parts(json).map(spaced).join(", ")}]`;
  if (!json.startsWith("{")) return json;
  return `{${
    Array.from(members(json), ([name, one]) => `${JSON.stringify(name)}: ${spaced(one)}`).join(", ")
  }}`;
}

/** An array as PostgreSQL writes it, or null if an element is an object. @param {string} json @returns {string | null} */
function braced(json) {
  const found = parts(json).map((one) => {
    if (one === "null") return "NULL";
    if (one.startsWith("[")) return braced(one);
    if (one.startsWith("{")) return null;
    return one.startsWith('"') ? `"${untyped(one).replace(/["\\]/g, "\\$&")}"` : one;
  });
  return found.includes(null) ? null : `{${found.join(",")}}`;
}

/** The text that stands for a JSON value in expressions on a column, or null if none does.
 * @param {string | undefined} form how the column's values are written there, as the server says (`literal`) @param {string} json */
export function expressed(form, json) {
  if (form === "array") return json.startsWith("[") ? braced(json) : null;
  if (form === undefined) return json;
  // JSON's null is as good as none.
  if (form === "none" || json === "null") return null;
  if (json.startsWith('"')) return untyped(json);
  return form === "jsonb" ? spaced(json) : json;
}
