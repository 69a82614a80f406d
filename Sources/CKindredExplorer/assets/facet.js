// The most frequent values of a column, fetched when the menu is opened, and given up after a while.

import { button, element, number } from "./dom.js";
import { closeMenu, place as put } from "./menu.js";
import { adding, join, named, parameters, path, quoted, valueText } from "./request.js";
import { fetched, schema } from "./server.js";
import { literal } from "./cells.js";

/** How many values are shown. */
const MOST = 10;

/** The request for the values of a column, most frequent first.
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
    { name: "fields", value: `value:${valueText(column)},n:count()` },
    { name: "group", value: valueText(column) },
    { name: "sort", value: "-n" },
    { name: "limit", value: String(MOST) },
  ]);
}

/** The time in milliseconds after which the request for values is given up. */
const PATIENCE = 8000;

/** The columns whose values can be counted: the given one and those of referenced records.
 * @param {string} column @param {string} resource @returns {Promise<string[]>} */
async function countable(column, resource) {
  const resources = (await schema().catch(() => null))?.resources ?? [];
  const named = (/** @type {string} */ name) => resources.find((one) => one.name === name);
  const references = (named(resource)?.associations ?? []).filter(({ kind }) => kind === "belongsTo");
  const paths = references.flatMap(({ key, destination }) => {
    const { columns = [], label, associations = [], key: own = [] } = named(destination) ?? {};
    const further = associations.filter(({ kind, key: next }) => kind === "belongsTo" && next !== key)
      .flatMap((one) => {
        const end = named(one.destination)?.label;
        return end ? [`${quoted(key)}.${quoted(one.key)}.${quoted(end)}`] : [];
      });
    const names = columns.map(({ name }) => name).filter((name) => !own.includes(name));
    names.sort((left, right) => Number(right === label) - Number(left === label));
    return [...names.map((name) => `${quoted(key)}.${quoted(name)}`), ...further];
  });
  return [column, ...paths];
}

/** @param {HTMLElement} head @param {string} name @param {import("./headers.js").Place} place @param {HTMLElement} opener */
export async function openFacet(head, name, place, opener) {
  closeMenu();
  const column = head.dataset.column ?? "";
  const title = `Top values of ${name}`;
  const resource = /** @type {HTMLElement} */ (head.closest("table")).dataset.resource ?? "";
  const source = place.node === "" ? place.url : `/${resource}`;
  const list = element("ul");
  const choice = /** @type {HTMLSelectElement} */ (element("select", { "aria-label": "Values of" }));
  choice.append(element("option", { value: column }, column));
  const box = element(
    "div",
    { role: "dialog", "aria-label": title, class: "menu facet", tabindex: -1 },
    element("h2", {}, title),
    choice,
    list,
  );
  (document.querySelector("main") ?? document.body).append(box);
  put(box, opener.getBoundingClientRect());
  let leaving = new AbortController();
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
  const show = async () => {
    leaving.abort();
    leaving = new AbortController();
    const { signal } = leaving;
    const late = setTimeout(() => leaving.abort(new Error("This took too long.")), PATIENCE);
    const of = choice.value;
    list.setAttribute("aria-busy", "true");
    try {
      const response = await fetched(facetURL(source, of), { signal });
      const answer = await response.json();
      if (!response.ok) throw new Error(answer.detail);
      list.replaceChildren(...values(of, answer, (expression) => {
        close();
        place.go(adding(place.url, named(place.node, "filter"), valueText(expression)));
      }));
    } catch (error) {
      const reason = signal.aborted ? signal.reason : error;
      if (reason instanceof DOMException) return;
      list.replaceChildren(element("li", {}, reason instanceof Error ? reason.message : String(reason)));
    } finally {
      clearTimeout(late);
    }
    list.removeAttribute("aria-busy");
    put(box, opener.getBoundingClientRect());
  };
  choice.addEventListener("change", show);
  countable(column, resource).then((columns) => {
    choice.replaceChildren(...columns.map((one) => element("option", { value: one }, one)));
    choice.hidden = columns.length < 2;
  });
  await show();
}

/** @param {string} column @param {{ value: unknown, n: number }[]} answer @param {(expression: string) => void} filter */
function values(column, answer, filter) {
  if (answer.length === 0) return [element("li", {}, "no values")];
  const most = Math.max(1, ...answer.map(({ n }) => n));
  return answer.map(({ value, n }) => {
    const kind = value === null
      ? "null"
      : typeof value === "string"
      ? "text"
      : typeof value === "boolean"
      ? "boolean"
      : "number";
    const written = literal(kind, String(value));
    const expression = kind === "null" ? `${column} is null` : `${column}=${written}`;
    const choose = button(value === "" ? "(empty)" : `${value ?? "null"}`, () => filter(expression), {
      translate: "no",
      disabled: written === null,
    });
    const meter = element("meter", { "aria-hidden": "true", max: most, value: n });
    return element("li", {}, choose, meter, element("span", {}, number(n)));
  });
}
