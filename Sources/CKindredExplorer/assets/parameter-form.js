// A form for the parameters of resources that are queries with parameters, where a request lacks some.

import { button, element } from "./dom.js";
import { untyped } from "./json.js";
import { fieldsOf, listen } from "./record-form.js";
import { decoded, named, setting, value, valueText } from "./request.js";
import { description, schema } from "./server.js";

/** @typedef {import("./server.js").Association} Association */
/** @typedef {import("./server.js").Column} Column */

/** The parameters of all nodes of a request, as columns with the names that they have in it, without those that the
 * model fixes. @param {string} url @returns {Promise<Column[]>} */
async function declared(url) {
  const [{ tree }, { resources }] = await Promise.all([description(url), schema()]);
  const of = (/** @type {string | undefined} */ wanted) => resources.find(({ name }) => name === wanted);
  /** @param {import("./server.js").Node} node @param {string | undefined} name @param {Association} [by] @returns {Column[]} */
  const walk = (node, name, by) => [
    ...(of(name)?.parameters ?? []).filter((one) => !Object.hasOwn(by?.parameters ?? {}, one.name)).map((
      one,
    ) => ({
      name: named(valueText(node.path ?? ""), one.name),
      type: one.type,
      input: /text|boolean/.test(one.type) ? one.type : "number",
      nullable: false,
      default: one.default == null ? null : String(one.default),
    })),
    ...node.nodes.flatMap((child) =>
      walk(child, child.destination, of(name)?.associations.find(({ key }) => key === child.association))
    ),
  ];
  return tree === null ? [] : walk(tree, tree.resource);
}

/** A form for the parameters of a request, or null if it has none.
 * @param {string} url @param {(url: string) => void} go shows the request with the values */
export async function parameterForm(url, go) {
  const columns = await declared(url);
  if (columns.length === 0) return null;
  const fields = fieldsOf(undefined, columns, (name) => {
    const text = value(url, name);
    return text === null ? "" : JSON.stringify(decoded(text));
  });
  const run = async () => {
    const text = (/** @type {string} */ json) => json === "null" ? null : valueText(untyped(json));
    const values = await fields.read();
    if (values !== null) go([...values].reduce((made, [name, json]) => setting(made, name, text(json)), url));
  };
  const form = element(
    "section",
    { "aria-label": "Parameters", class: "new-record" },
    ...fields.labels,
    element("p", {}, button("Run", () => void run(), { class: "run" })),
  );
  listen(form, () => void run(), () => {});
  return form;
}
