// The most frequent values of a column, fetched when the menu is opened, and given up after a while.

import { compared } from "./cells.js";
import { button, element, number } from "./dom.js";
import { members, parts, untyped } from "./json.js";
import { closeMenu, place as put } from "./menu.js";
import { adding, join, named, parameters, path, places, quoted, scalars, valueText } from "./request.js";
import { description, fetched, needsParameters, Problem, schema } from "./server.js";
import { showTrouble } from "./trouble.js";

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
    { name: "sort", value: "-count()" },
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

/** A column whose values can be counted, as an expression has it. @typedef {{ term: string, column: import("./server.js").Column }} Term */

/** The columns of the records that a resource refers to, and their labels' columns. @param {string} resource @returns {Promise<Term[]>} */
async function further(resource) {
  const { resources } = await schema();
  const named = (/** @type {string} */ name) => resources.find((one) => one.name === name);
  const references = (named(resource)?.associations ?? []).filter((one) =>
    one.kind === "belongsTo" && !needsParameters(one, resources)
  );
  return references.flatMap(({ key, destination }) => {
    const { columns = [], label, associations = [], key: own = [] } = named(destination) ?? {};
    const ends = associations.filter(({ kind, key: next }) => kind === "belongsTo" && next !== key)
      .flatMap((one) => {
        const end = named(one.destination);
        const column = end?.columns.find(({ name }) => name === end.label);
        return column ? [{ term: [key, one.key, column.name].map(quoted).join("."), column }] : [];
      });
    const others = columns.filter(({ name }) => !own.includes(name));
    others.sort((left, right) => Number(right.name === label) - Number(left.name === label));
    return [...others.map((column) => ({ term: [key, column.name].map(quoted).join("."), column })), ...ends];
  });
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
  const own = { term: column, column: { name, type: "", ...head.dataset } };
  let terms = [own];
  const ask = async () => {
    leaving.abort();
    const asking = new AbortController();
    leaving = asking;
    let isLate = false;
    const late = setInterval(() => {
      isLate = !isAsking();
      if (isLate) asking.abort();
    }, PATIENCE);
    const of = terms.find(({ term }) => term === choice.value) ?? own;
    list.setAttribute("aria-busy", "true");
    try {
      const response = await fetched(facetURL(source, of.term, await conditions(source)), asking);
      list.replaceChildren(...values(of, parts(await response.text()).map(members), (expression) => {
        close();
        place.go(adding(place.url, named(place.node, "filter"), valueText(expression)));
      }));
    } catch (error) {
      throw isLate ? new Problem("This took too long.", { status: 408 }) : error;
    } finally {
      clearInterval(late);
      if (leaving === asking) list.removeAttribute("aria-busy");
    }
    put(box, opener.getBoundingClientRect());
  };
  const show = () =>
    ask().catch((error) => showTrouble(error, ask, (note) => list.replaceChildren(element("li", {}, note))));
  choice.addEventListener("change", show);
  further(resource).then((found) => {
    terms = [own, ...found];
    choice.replaceChildren(...terms.map(({ term }) => element("option", { value: term }, term)));
    choice.hidden = terms.length < 2;
  }).catch(() => choice.hidden = true); // the column itself is enough
  await show();
}

/** @param {Term} of @param {Map<string, string>[]} answer each member as JSON @param {(expression: string) => void} filter */
function values({ term, column }, answer, filter) {
  if (answer.length === 0) return [element("li", {}, "no values")];
  const counts = answer.map((one) => Number(one.get("n")));
  const most = Math.max(1, ...counts);
  return answer.map((one, index) => {
    const json = one.get("value") ?? "null";
    const text = untyped(json);
    const expression = json === "null" ? `${term} is null` : equality(term, json, column);
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

/** The expression that finds a value, or null if none does. @param {string} term @param {string} json @param {import("./server.js").Column} column */
function equality(term, json, { input, literal: form }) {
  // Without a form, arrays and objects aren't compared as a whole.
  if (form === undefined && /^[[{]/.test(json)) return null;
  const kind = input === "bytes"
    ? "bytes"
    : json.startsWith('"')
    ? "text"
    : /^[tf]/.test(json)
    ? "boolean"
    : "number";
  const value = compared(kind, form === undefined ? untyped(json) : json, form);
  return value === null ? null : `${term}=${value}`;
}
