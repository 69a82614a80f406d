// The most frequent values of a column, fetched when the menu is opened, and given up after a while.

import { literal } from "./cells.js";
import { button, element, number } from "./dom.js";
import { members, parts, untyped } from "./json.js";
import { closeMenu, place as put } from "./menu.js";
import { adding, join, named, parameters, path, places, quoted, scalars, valueText } from "./request.js";
import { description, fetched, schema } from "./server.js";

/** How many values are shown. */
const MOST = 10;

/** The parameters that decide which records there are. */
const KEPT = new Set(["filter", "search", "join"]);

/** The request for the values of a column, most frequent first.
 * @param {string} url @param {string} column @param {Set<number>} kept the indexes of the parameters that are conditions on columns */
export function facetURL(url, column, kept) {
  const conditions = parameters(url).filter(({ name }, index) => KEPT.has(name) || kept.has(index));
  return join(path(url), [
    ...conditions,
    { name: "fields", value: `value:${valueText(column)},n:count()` },
    { name: "group", value: valueText(column) },
    { name: "sort", value: "-n" },
    { name: "limit", value: String(MOST) },
  ]);
}

/** The indexes of the parameters that are columns, as the server says. @param {string} url */
async function conditions(url) {
  const starts = new Map(places(url).map(({ from }, index) => [scalars(url, from), index]));
  const { parts } = await description(url);
  const found = parts.filter(({ kind }) => kind === "column").map(({ from }) => starts.get(from));
  return new Set(found.filter((index) => index !== undefined));
}

/** The time in milliseconds after which the request for values is given up. */
const PATIENCE = 8000;

/** Whether a dialog asks for a token meanwhile. */
function isAsking() {
  return document.querySelector("dialog[open]") !== null;
}

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
    if (!box.contains(/** @type {Node} */ (event.target)) && !isAsking()) close();
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
    const late = setInterval(() => {
      if (!isAsking()) leaving.abort(new Error("This took too long."));
    }, PATIENCE);
    const of = choice.value;
    list.setAttribute("aria-busy", "true");
    try {
      const response = await fetched(facetURL(source, of, await conditions(source)), { signal });
      list.replaceChildren(...values(of, parts(await response.text()).map(members), (expression) => {
        close();
        place.go(adding(place.url, named(place.node, "filter"), valueText(expression)));
      }));
    } catch (error) {
      const reason = signal.aborted ? signal.reason : error;
      if (reason instanceof DOMException) return;
      list.replaceChildren(element("li", {}, reason instanceof Error ? reason.message : String(reason)));
    } finally {
      clearInterval(late);
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

/** @param {string} column @param {Map<string, string>[]} answer each member as JSON @param {(expression: string) => void} filter */
function values(column, answer, filter) {
  if (answer.length === 0) return [element("li", {}, "no values")];
  const counts = answer.map((one) => Number(one.get("n")));
  const most = Math.max(1, ...counts);
  return answer.map((one, index) => {
    const json = one.get("value") ?? "null";
    const text = untyped(json);
    const kind = json.startsWith('"') ? "text" : /^[tf]/.test(json) ? "boolean" : "number";
    // Arrays and objects aren't compared as a whole.
    const written = /^[[{]/.test(json) ? null : literal(kind, text);
    const expression = json === "null"
      ? `${column} is null`
      : written === null
      ? null
      : `${column}=${written}`;
    const choose = button(
      json === "null" ? "null" : text === "" ? "(empty)" : text,
      () => filter(expression ?? ""),
      {
        translate: "no",
        disabled: expression === null,
      },
    );
    const meter = element("meter", { "aria-hidden": "true", max: most, value: counts[index] });
    return element("li", {}, choose, meter, element("span", {}, number(counts[index])));
  });
}
