// The state of the page that isn't part of the request: the view and the open rows.

/** @typedef {{ view: string | null, open: string[] }} Fragment */

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Parses a fragment, ignoring everything else in it. @param {string} hash @returns {Fragment} */
export function fragment(hash) {
  /** @type {Fragment} */
  const found = { view: null, open: [] };
  for (const pair of hash.replace(/^#/, "").split("&")) {
    const sign = pair.indexOf("=");
    const name = sign < 0 ? pair : pair.slice(0, sign);
    const value = sign < 0 ? "" : decoded(pair.slice(sign + 1));
    if (name === "view") found.view ??= value;
    if (name === "open" && value !== "") found.open.push(value);
  }
  return found;
}

/** @param {Fragment} fragment */
export function writtenFragment({ view, open }) {
  const pairs = open.map((address) => `open=${encodeURIComponent(address).replaceAll("%2F", "/")}`);
  if (view !== null && view.toLowerCase() !== "table") pairs.unshift(`view=${encodeURIComponent(view)}`);
  return pairs.length === 0 ? "" : `#${pairs.join("&")}`;
}
