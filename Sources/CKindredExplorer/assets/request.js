// URLs as text: their parts, their escapes, and the changes that clicks make. Only the server knows what a request
// means.

/** @typedef {{ name: string, value: string }} Parameter A parameter in readable form, without needless escapes. */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
/** Characters that have a meaning in a URL or are invisible. */
const KEPT = /[%&+#/?,=;]|(?! )[\p{C}\p{Z}]/u;
const SAFE = /[A-Za-z0-9\-._~!$'()*,:;=@/?+&%]/;

/** A text without its escapes, or as it is if they are no UTF-8. @param {string} text */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A text with every byte escaped. @param {string} text */
function escaped(text) {
  return Array.from(
    encoder.encode(text),
    (byte) => "%" + byte.toString(16).toUpperCase().padStart(2, "0"),
  ).join("");
}

/** A URL in readable form, without needless escapes. @param {string} url */
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

/** The URL that a readable one stands for; existing escapes are kept. @param {string} text */
export function address(text) {
  return Array.from(
    text,
    (character) => SAFE.test(character) ? character : escaped(character),
  ).join("");
}

/** What a proxy puts before every path; inside the explorer, all requests begin at the root. */
const base = globalThis.document?.documentElement.dataset.base ?? "";

/** The link to a readable request. @param {string} url */
export function linkTo(url) {
  return base + address(url);
}

/** The readable request that a link of the server leads to. @param {string} link */
export function requestAt(link) {
  const isBelow = link === base || link.startsWith(`${base}/`) || link.startsWith(`${base}?`);
  const request = isBelow ? link.slice(base.length) : link;
  return readable(request.startsWith("/") ? request : `/${request}`);
}

/** A value for a readable URL: characters that would end or change it are escaped. @param {string} text */
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

/** A parameter as text. @param {Parameter} parameter */
export function written(parameter) {
  return `${parameter.name}=${parameter.value}`;
}

/** @param {string} path @param {Parameter[]} list */
export function join(path, list) {
  return list.length === 0 ? path : `${path}?${list.map(written).join("&")}`;
}

/** Parameters without a position: a changed request starts at its first page, because cursors belong to one request. @param {Parameter[]} list */
function fromStart(list) {
  return list.filter(({ name }) => !["after", "before", "offset"].includes(name));
}

/** The places of the parameters in a readable URL, in the order of `parameters`. @param {string} url @returns {{ from: number, to: number }[]} */
export function places(url) {
  let from = url.indexOf("?") + 1;
  return url.slice(from).split("&").map((pair) => {
    const place = { from, to: from + pair.length };
    from = place.to + 1;
    return place;
  }).filter(({ from, to }) => from > 0 && from < to);
}

/** The URL with a parameter set to a value, or removed if the value is null.
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

/** The URL without the parameter at an index. @param {string} url @param {number} index */
export function removing(url, index) {
  const list = parameters(url);
  const removed = list[index]?.name;
  const rest = list.filter((_, place) => place !== index);
  const cursors = ["after", "before"];
  return join(
    path(url),
    cursors.includes(removed) ? rest : rest.filter(({ name }) => !cursors.includes(name)),
  );
}

/** The value of a parameter, or null if it is absent. @param {string} url @param {string} name */
export function value(url, name) {
  return parameters(url).find((parameter) => parameter.name === name)?.value ?? null;
}

/** The name of a node's parameter. @param {string} node @param {string} name */
export function named(node, name) {
  return node === "" ? name : `${node}.${name}`;
}

/** A name as it is written in expressions. @param {string} name */
export function quoted(name) {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** The number of Unicode scalars before an offset in a text. @param {string} text @param {number} offset */
export function scalars(text, offset) {
  return Array.from(text.slice(0, offset)).length;
}

/** The offset in a text after a number of Unicode scalars. @param {string} text @param {number} count */
export function offset(text, count) {
  return Array.from(text).slice(0, count).join("").length;
}
