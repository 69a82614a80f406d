// The entries of the browser's history: the request, the view and the open rows in the address; in the entry's state, the
// place that the reader has left.

import { decoded, linkTo, requestAt } from "./request.js";

/** A part of the table that was read. @typedef {{ url: string, first: number, count: number, height: number }} Span */
/** A place in the table: the first row in sight, its distance from the top, and the cell that had the focus.
 * @typedef {{ spans: Span[], next: string | null, index: number, key: string, top: number, focus: { key: string, column: number } | null }} Place */
/** @typedef {{ place?: Place | null }} State */

/** @returns {State} */
export function state() {
  return history.state ?? {};
}

/** The readable request of the address. */
export function presentRequest() {
  return requestAt(location.pathname + location.search);
}

/** The request as it is written in the address. @param {string} url */
export function written(url) {
  return linkTo(url).replaceAll("'", "%27");
}

/** Adds an entry, or replaces the present one. @param {string} url @param {{ replaces: boolean, open?: string[] }} how */
export function enter(url, { replaces, open = [] }) {
  const place = written(url) + writtenFragment({ view: fragment(location.hash).view, open });
  if (replaces) history.replaceState({}, "", place);
  else history.pushState({}, "", place);
}

/** Changes the fragment of the present entry. @param {Partial<Fragment>} some */
export function keepFragment(some) {
  const next = writtenFragment({ ...fragment(location.hash), ...some });
  if (next !== location.hash) {
    history.replaceState(history.state, "", location.pathname + location.search + next);
  }
}

/** Keeps the place that the reader sees, for when they come back. @param {Place | null} place */
export function keepPlace(place) {
  try {
    history.replaceState({ ...state(), place }, "");
  } catch {
    // A browser has little room for an entry: without the parts that were read, the place is found among the first rows.
    history.replaceState({ ...state(), place: place && { ...place, spans: [] } }, "");
  }
}

// The state of the page that isn't part of the request: the view and the open rows.

/** @typedef {{ view: string | null, open: string[] }} Fragment */

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
