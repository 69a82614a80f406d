// URLs as text: what stands where, what must be escaped, and what a click adds or takes away. What a request means only
// the server knows.

/** @typedef {{ name: string, value: string }} Parameter A parameter as people read it, without needless escapes. */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
/** Characters that mean something in a URL, or can't be seen. */
const KEPT = /[%&+#/?,=;]|(?! )[\p{C}\p{Z}]/u;
const SAFE = /[A-Za-z0-9\-._~!$'()*,:;=@/?+&%]/;

/** Every character of a text as bytes of a URL. @param {string} text */
function escaped(text) {
  return Array.from(
    encoder.encode(text),
    (byte) => "%" + byte.toString(16).toUpperCase().padStart(2, "0"),
  ).join("");
}

/** A URL as people read it: without the escapes that need not be there. @param {string} url */
export function readable(url) {
  return url.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => {
    const bytes = run.slice(1).split("%").map((digits) => parseInt(digits, 16));
    try {
      return Array.from(
        decoder.decode(new Uint8Array(bytes)),
        (character) => KEPT.test(character) ? escaped(character) : character,
      ).join("");
    } catch {
      return run; // no UTF-8
    }
  });
}

/** The URL that a readable one stands for; what is escaped in it stays. @param {string} text */
export function address(text) {
  return Array.from(
    text,
    (character) => SAFE.test(character) ? character : escaped(character),
  ).join("");
}

/** A value as it stands in a readable URL: what would end it is escaped. @param {string} text */
export function valueText(text) {
  return Array.from(
    text,
    (character) =>
      /[%&+#]/.test(character) || KEPT.test(character) && !/[/?,=;]/.test(character)
        ? escaped(character)
        : character,
  ).join("");
}

/** The path of a readable URL. @param {string} url */
export function path(url) {
  return url.split("?", 1)[0];
}

/** @param {string} url @returns {Parameter[]} */
export function parameters(url) {
  const mark = url.indexOf("?");
  if (mark < 0) return [];
  return url.slice(mark + 1).split("&").filter((pair) => pair !== "").map((pair) => {
    const sign = pair.indexOf("=");
    return sign < 0 ? { name: pair, value: "" } : { name: pair.slice(0, sign), value: pair.slice(sign + 1) };
  });
}

/** A parameter as it is written. @param {Parameter} parameter */
export function written(parameter) {
  return `${parameter.name}=${parameter.value}`;
}

/** @param {string} path @param {Parameter[]} list */
export function join(path, list) {
  return list.length === 0 ? path : `${path}?${list.map(written).join("&")}`;
}

/** Another request begins at its first page: cursors belong to the request that they come from. @param {Parameter[]} list */
function fromStart(list) {
  return list.filter(({ name }) => name !== "after" && name !== "offset");
}

/** The URL with this value of a parameter, or without it where there is no value.
 * @param {string} url @param {string} name @param {string | null} value */
export function setting(url, name, value) {
  const list = fromStart(parameters(url));
  const index = list.findIndex((parameter) => parameter.name === name);
  const rest = list.filter((parameter) => parameter.name !== name);
  if (value !== null) {
    rest.splice(index < 0 ? rest.length : index, 0, { name, value });
  }
  return join(path(url), rest);
}

/** The URL with one more parameter. @param {string} url @param {string} name @param {string} value */
export function adding(url, name, value) {
  return join(path(url), [...fromStart(parameters(url)), { name, value }]);
}

/** The URL without the parameter at this place. @param {string} url @param {number} index */
export function removing(url, index) {
  const list = parameters(url);
  const removed = list[index]?.name;
  const rest = list.filter((_, place) => place !== index);
  return join(path(url), removed === "after" ? rest : rest.filter(({ name }) => name !== "after"));
}

/** The value of a parameter; null where it isn't there. @param {string} url @param {string} name */
export function value(url, name) {
  return parameters(url).find((parameter) => parameter.name === name)?.value ?? null;
}

/** The name of a node's parameter. @param {string} node @param {string} name */
export function named(node, name) {
  return node === "" ? name : `${node}.${name}`;
}

/** A name as expressions have it. @param {string} name */
export function quoted(name) {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** The items of a list, split at the commas outside of quotes and parentheses. @param {string} text */
export function items(text) {
  /** @type {string[]} */
  const found = [""];
  let depth = 0;
  let quote = "";
  for (const character of text) {
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (character === "," && depth === 0 && quote === "") found.push("");
    else found[found.length - 1] += character;
  }
  return found.filter((item) => item !== "");
}

/** How many Unicode scalars stand before a place in a text. @param {string} text @param {number} offset */
export function scalars(text, offset) {
  return Array.from(text.slice(0, offset)).length;
}

/** The place in a text that so many scalars stand before. @param {string} text @param {number} count */
export function offset(text, count) {
  return Array.from(text).slice(0, count).join("").length;
}
