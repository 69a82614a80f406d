// Filters without knowing the grammar: a column, an operator and a value, by the type of the column.

import { quotedText } from "./cells.js";
import { element } from "./dom.js";
import { picker } from "./fields.js";
import { expressed } from "./json.js";
import { openForm } from "./menu.js";
import { adding, quoted, valueText } from "./request.js";
import { needsParameters, schema } from "./server.js";

/** @typedef {import("./server.js").Column} Column */
/** A term that can be compared. @typedef {{ term: string, column: Column }} Term */

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** A typed value as a literal. @param {Column} column @param {string} text */
function literal({ input, literal: form }, text) {
  const isBare = input === "boolean" || (input === "number" || input === "any") && NUMBER.test(text.trim());
  return isBare ? text.trim() : quotedText(expressed(form, text) ?? text);
}

/** The items of a list. @param {string} text */
function list(text) {
  return text.split(",").map((item) => item.trim()).filter((item) => item !== "");
}

/** An operator: its name, how many values it takes, and its expression. @typedef {{ name: string, values: number, written: (term: string, literals: string[], text: string, column: Column) => string }} Operator */

/** @param {string} sign @returns {Operator} */
function comparison(sign) {
  return { name: sign, values: 1, written: (term, [value]) => `${term}${sign}${value}` };
}

/** @type {Operator[]} */
const OF_ALL = [
  { name: "is null", values: 0, written: (term) => `${term} is null` },
  { name: "is not null", values: 0, written: (term) => `${term} is not null` },
];
/** @type {Operator} */
const IN = {
  name: "in",
  values: 1,
  written: (term, _, text, input) =>
    `${term} in (${list(text).map((item) => literal(input, item)).join(",")})`,
};
/** @type {Operator} */
const BETWEEN = {
  name: "between",
  values: 2,
  written: (term, [low, high]) => `${term} between ${low} and ${high}`,
};
const EQUAL = ["=", "!="].map(comparison);
const ORDERED = [...EQUAL, ...["<", "<=", ">", ">="].map(comparison), BETWEEN, IN];
/** @type {Operator[]} */
const OF_TEXTS = [
  { name: "contains", values: 1, written: (term, [value]) => `instr(lower(${term}),lower(${value}))>0` },
  {
    name: "begins with",
    values: 1,
    written: (term, [value]) => `substr(lower(${term}),1,length(${value}))=lower(${value})`,
  },
];
/** The operators of a column, by how its values are written. @param {string | undefined} input @returns {Operator[]} */
export function operators(input) {
  switch (input) {
    case "bytes":
      return OF_ALL;
    case "json":
    case "array":
    case "boolean":
      return [...EQUAL, ...OF_ALL];
    case "enum":
      return [...EQUAL, IN, ...OF_ALL];
    case "text":
      return [...EQUAL, ...OF_TEXTS, ...ORDERED.slice(2), ...OF_ALL];
    case "any":
    case undefined:
      return [...ORDERED, ...OF_TEXTS, ...OF_ALL];
    default:
      return [...ORDERED, ...OF_ALL];
  }
}

/** A filter as an expression. @param {Term} term @param {Operator} operator @param {string[]} texts */
export function expression({ term, column }, operator, texts) {
  return operator.written(term, texts.map((text) => literal(column, text)), texts[0] ?? "", column);
}

/** A field for a value. @param {Column} column @param {string} name @param {Operator} operator @returns {HTMLInputElement | HTMLSelectElement} */
function valueField({ input, values = [] }, name, operator) {
  const choices = input === "boolean"
    ? ["true", "false"]
    : input === "enum" && operator !== IN
    ? values
    : null;
  if (choices !== null) {
    const options = choices.map((one) => element("option", { value: one }, one));
    return /** @type {HTMLSelectElement} */ (element("select", { "aria-label": name }, ...options));
  }
  return /** @type {HTMLInputElement} */ (element("input", {
    "aria-label": name,
    type: operator === IN ? null : picker(input, "")?.type,
    step: input === "time" || input === "timestamp" ? "any" : null,
    placeholder: operator === IN ? "1, 2, 3" : null,
    autocomplete: "off",
    spellcheck: "false",
  }));
}

/** What can be compared: the columns of the records, those of the records that they refer to, and how many belong to them.
 * @param {string | undefined} name @returns {Promise<Term[]>} */
async function terms(name) {
  const { resources } = await schema();
  const named = (/** @type {string | undefined} */ wanted) => resources.find((one) => one.name === wanted);
  const own = named(name);
  const columns = (/** @type {string | undefined} */ of, /** @type {string} */ prefix) =>
    named(of)?.columns.map((column) => ({ term: prefix + quoted(column.name), column })) ?? [];
  const reached = own?.associations.filter((one) => !needsParameters(one, resources)) ?? [];
  const count = { name: "count", type: "INTEGER", input: "number" };
  return [
    ...columns(name, ""),
    ...reached.filter(({ kind }) => kind === "belongsTo" || kind.startsWith("hasOne")).flatMap((one) =>
      columns(one.destination, `${quoted(one.key)}.`)
    ),
    ...reached.filter(({ kind }) => kind.startsWith("hasMany")).map(({ key }) => ({
      term: `${quoted(key)}.count`,
      column: count,
    })),
  ];
}

/** @param {HTMLTableElement} table @param {import("./toolbar.js").Place} place */
export async function openFilter(table, place) {
  const all = await terms(table.dataset.resource);
  if (all.length === 0) return;
  const column = /** @type {HTMLSelectElement} */ (element(
    "select",
    { "aria-label": "Column" },
    ...all.map(({ term, column }) => element("option", { value: term, title: column.description }, term)),
  ));
  const operator = /** @type {HTMLSelectElement} */ (element("select", { "aria-label": "Operator" }));
  const values = element("span", { class: "values" });
  const shown = element("code", { translate: "no" });
  /** @type {(HTMLInputElement | HTMLSelectElement)[]} */
  let fields = [];
  const chosen = () => all.find(({ term }) => term === column.value) ?? all[0];
  const chosenOperator = () => {
    const some = operators(chosen().column.input);
    return some.find(({ name }) => name === operator.value) ?? some[0];
  };
  const written = () => {
    const texts = fields.map((field) => field.value);
    const isComplete = texts.every((text) => text !== "") || chosen().column.input === "text";
    return isComplete ? expression(chosen(), chosenOperator(), texts) : null;
  };
  const tell = () => shown.textContent = written() ?? "";
  const showFields = () => {
    const names = ["Value", "To"].slice(0, chosenOperator().values);
    const before = fields.map((field) => field.value);
    fields = names.map((name) => valueField(chosen().column, name, chosenOperator()));
    fields.forEach((field, index) => {
      if (before[index] && field.localName === "input") field.value = before[index];
      field.addEventListener("input", tell);
    });
    values.replaceChildren(...fields);
    tell();
  };
  const showOperators = () => {
    const some = operators(chosen().column.input);
    const before = operator.value;
    operator.replaceChildren(...some.map(({ name }) => element("option", { value: name }, name)));
    if (some.some(({ name }) => name === before)) operator.value = before;
    fields = [];
    showFields();
  };
  column.addEventListener("change", showOperators);
  operator.addEventListener("change", showFields);
  const add = () => {
    const text = written();
    if (text === null) return fields.find((field) => field.value === "")?.focus();
    dialog.close();
    place.go(adding(place.url, "filter", valueText(text)));
  };
  const row = element("div", { class: "filter-row" }, column, operator, values);
  const dialog = openForm("Filter", [row, element("p", {}, shown)], [["Add filter", add]]);
  showOperators();
  column.focus();
}
