// The most frequent values of a column: asked for when they are opened, and given up alone when they take long.

import { button, element, number } from "./dom.js";
import { closeMenu, place as put } from "./menu.js";
import { adding, join, named, parameters, path } from "./request.js";
import { fetched } from "./server.js";
import { literal } from "./cells.js";

/** How many values are shown. */
const MOST = 10;

/** The request for the values of a column, most frequent first; null where it can't be counted by the request.
 * @param {string} url @param {string} column */
export function facetURL(url, column) {
  const kept = parameters(url).filter(({ name }) =>
    ["filter", "search", "join"].includes(name) || /^[^.]*$/.test(name) &&
      ![
        "sort",
        "fields",
        "annotate",
        "include",
        "limit",
        "offset",
        "after",
        "group",
        "having",
        "distinct",
        "count",
        "format",
        "explain",
      ].includes(name)
  );
  return join(path(url), [
    ...kept,
    { name: "fields", value: `value:${column},n:count()` },
    { name: "group", value: column },
    { name: "sort", value: "-n" },
    { name: "limit", value: String(MOST) },
  ]);
}

/** @param {HTMLElement} head @param {string} name @param {import("./headers.js").Place} place @param {HTMLElement} opener */
export async function openFacet(head, name, place, opener) {
  closeMenu();
  const column = head.dataset.column ?? "";
  const title = `Top values of ${name}`;
  const list = element("ul", { "aria-busy": "true" });
  const box = element(
    "div",
    { role: "dialog", "aria-label": title, class: "menu facet", tabindex: -1 },
    element("h2", {}, title),
    list,
  );
  (document.querySelector("main") ?? document.body).append(box);
  put(box, opener.getBoundingClientRect());
  const leaving = new AbortController();
  const close = () => {
    leaving.abort();
    box.remove();
    document.removeEventListener("pointerdown", outside, true);
    opener.focus();
  };
  /** @param {PointerEvent} event */
  const outside = (event) => {
    if (!box.contains(/** @type {Node} */ (event.target))) close();
  };
  document.addEventListener("pointerdown", outside, true);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  });
  box.focus();
  try {
    const source = place.node === ""
      ? place.url
      : `/${/** @type {HTMLElement} */ (head.closest("table")).dataset.resource}`;
    const response = await fetched(facetURL(source, column), { signal: leaving.signal });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.detail);
    const most = Math.max(1, ...answer.map((/** @type {{ n: number }} */ one) => one.n));
    for (const { value, n } of answer) {
      const kind = value === null ? "null" : typeof value === "string" ? "text" : "number";
      const written = kind === "null" ? "null" : literal(/** @type {any} */ (kind), String(value));
      const expression = kind === "null" ? `${column} is null` : `${column}=${written}`;
      const meter = element("meter", { "aria-hidden": "true", max: most, value: n });
      const choose = button(value === "" ? "(empty)" : `${value ?? "null"}`, () => {
        close();
        place.go(adding(place.url, named(place.node, "filter"), expression));
      }, { translate: "no" });
      if (written === null) choose.setAttribute("disabled", "");
      list.append(element("li", {}, choose, meter, element("span", {}, number(n))));
    }
    if (answer.length === 0) list.append(element("li", {}, "no values"));
  } catch (error) {
    if (leaving.signal.aborted) return;
    list.append(element("li", {}, error instanceof Error ? error.message : String(error)));
  }
  list.removeAttribute("aria-busy");
  put(box, opener.getBoundingClientRect());
}
