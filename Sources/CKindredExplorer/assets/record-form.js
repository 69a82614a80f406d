// A record as a form, with a field for each column: a new one, one that is there, or one that is still to be added.

import { allows } from "./cells.js";
import { button, element } from "./dom.js";
import { versionWith } from "./editing.js";
import { field, reference } from "./fields.js";
import { openForm } from "./menu.js";
import { resource } from "./server.js";

/** @typedef {import("./server.js").Column} Column */
/** @typedef {import("./server.js").Resource} Resource */
/** @typedef {import("./editing.js").Editing} Editing */

/** The labelled fields of columns. @param {Resource | undefined} found @param {Column[]} columns @param {(name: string) => string} present a value as JSON, empty if there is none yet */
export function fieldsOf(found, columns, present) {
  const made = columns.map((column) => ({
    column,
    made: field(column, present(column.name), reference(found, column.name)),
  }));
  const labels = made.map(({ column, made }) => {
    const text = element("span", { translate: "no" }, column.name);
    const isFixed = column.isGenerated || column.computed;
    made.control.toggleAttribute("disabled", isFixed === true);
    if (column.default != null) made.control.setAttribute("placeholder", column.default);
    return element("label", { title: column.description }, text, made.element);
  });
  return {
    labels,
    /** @param {string[]} names */
    focus: (names) =>
      made.find(({ column, made }) => !names.includes(column.name) && !made.control.disabled)?.made.control
        .focus(),
    /** The values that are there, without waiting for any. */
    present: () => new Map(made.flatMap(({ made }) => made.control.disabled ? [] : [...made.values() ?? []])),
    /** The values, or null if one is invalid; then its field has the focus. */
    async read() {
      /** @type {Map<string, string>} */
      const values = new Map();
      for (const { made: one } of made) {
        if (one.control.disabled) continue;
        await one.settled();
        const some = one.values();
        if (some === null) {
          one.control.focus();
          return null;
        }
        for (const [name, json] of some) values.set(name, json);
      }
      return values;
    },
  };
}

/** Enter in a field of one line accepts the form. @param {HTMLElement} form @param {() => void} accept @param {() => void} close */
export function listen(form, accept, close) {
  form.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const isField = /** @type {HTMLElement} */ (event.target).localName === "input";
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && isField) accept();
    else return;
    event.preventDefault();
  });
}

/** A dialog with fields. @param {string} title @param {ReturnType<typeof fieldsOf>} fields @param {[string, (values: Map<string, string>) => void][]} actions the first is that of Enter @param {string[]} key */
function openFields(title, fields, actions, key) {
  const attempt = async (/** @type {(values: Map<string, string>) => void} */ action) => {
    const values = await fields.read();
    if (values === null) return;
    dialog.close();
    action(values);
  };
  const dialog = openForm(
    title,
    [element("div", { class: "record-form" }, ...fields.labels)],
    actions.map(([text, action]) => [text, () => void attempt(action)]),
    actions.length > 0 ? "Cancel" : "Close",
  );
  dialog.classList.add("wide");
  fields.focus(key);
}

/** Opens the record of a row as a form. @param {string} url @param {string} title @param {HTMLElement} table @param {Editing | null} editing */
export async function openRecord(url, title, table, editing) {
  const found = await resource(table.dataset.resource);
  if (found === undefined) return;
  const change = editing?.staged.of(url) ?? null;
  const version = await versionWith(url, found.columns.map(({ name }) => name));
  if (change !== null) {
    version.tag = change.tag;
    for (const [name, json] of change.base) version.values.set(name, json);
  }
  const columns = found.columns.filter(({ name }) => version.values.has(name));
  const fields = fieldsOf(
    found,
    columns,
    (name) => change?.values.get(name) ?? version.values.get(name) ?? "null",
  );
  /** @type {[string, (values: Map<string, string>) => void][]} */
  const actions = [];
  if (editing !== null && allows(table, "PATCH") && change?.method !== "DELETE") {
    actions.push(["Save", (values) => {
      // The change is based on all that was shown.
      if (change !== null) { for (const [name, json] of version.values) change.base.set(name, json); }
      editing.staged.patch(url, title, version, values);
    }]);
  }
  if (editing !== null && allows(table, "POST")) {
    actions.push(["Duplicate", (values) => {
      for (const name of found.key) values.delete(name);
      editing.staged.add(found.link, `New in ${found.name}`, values, found.name);
    }]);
  }
  openFields(title, fields, actions, found.key);
}

/** Opens a record that is to be added as a form. @param {import("./staged-changes.js").Change} change @param {Editing} editing */
export async function changeNew(change, editing) {
  const found = await resource(change.resource);
  if (found === undefined) return;
  const fields = fieldsOf(found, found.columns, (name) => change.values.get(name) ?? "");
  openFields(change.title, fields, [["Save", (values) => editing.staged.replace(change, values)]], found.key);
}

/** Opens a form for a new record below a table. @param {HTMLElement} opener @param {string} url @param {string} name @param {HTMLTableElement} table @param {Editing} editing */
export async function openNew(opener, url, name, table, editing) {
  const found = await resource(table.dataset.resource);
  if (found === undefined || !opener.isConnected) return;
  // The foreign key of a nested record is given by the record above.
  const above = /** @type {HTMLTableElement | null | undefined} */ (table.parentElement?.closest("table"));
  const parent = await resource(above?.dataset.resource);
  const association = parent?.associations.find((one) => one.key === name);
  const given = Object.values(association?.columns ?? {});
  const columns = found.columns.filter((column) =>
    !given.includes(column.name) && !column.isGenerated && !column.computed
  );
  const fields = fieldsOf(found, columns, () => "");
  const title = `New in ${name}`;
  const form = element("section", { class: "new-record", "aria-label": title });
  const keep = () => {
    const values = fields.present();
    editing.forms.delete(keep);
    if (values.size > 0) editing.staged.add(url, title, values, found.name);
  };
  const close = () => {
    editing.forms.delete(keep);
    form.remove();
    opener.hidden = false;
    opener.focus();
  };
  const stage = async () => {
    const values = await fields.read();
    if (values === null) return;
    close();
    editing.staged.add(url, title, values, found.name);
  };
  form.append(
    element("h2", {}, title),
    ...fields.labels,
    element("p", {}, button("Add", () => void stage(), { class: "run" }), " ", button("Cancel", close)),
  );
  listen(form, () => void stage(), close);
  editing.forms.add(keep);
  opener.hidden = true;
  opener.after(form);
  fields.focus(found.key);
}

// Changes of several records: each is staged as the change of one, based on the version that was read now.

/** How many records are read at a time. */
const AT_ONCE = 4;

/** @typedef {import("./selecting.js").Selected} Selected */

/** The present versions of records. @param {Selected[]} records @param {string[]} columns */
async function versions(records, columns) {
  /** @type {{ url: string, title: string, version: import("./staged-changes.js").Version }[]} */
  const found = [];
  for (let start = 0; start < records.length; start += AT_ONCE) {
    const some = records.slice(start, start + AT_ONCE).map(async (record) => ({
      ...record,
      version: await versionWith(record.url, columns),
    }));
    found.push(...await Promise.all(some));
  }
  return found;
}

/** Stages the deletion of records. @param {Selected[]} records @param {Editing} editing */
export async function removeAll(records, editing) {
  for (const { url, title, version } of await versions(records, [])) {
    editing.staged.remove(url, title, version);
  }
}

/** Asks for a column and its value in several records. @param {Selected[]} records @param {string | undefined} name of their resource @param {Editing} editing */
export async function changeAll(records, name, editing) {
  const found = await resource(name);
  const columns = found?.columns.filter((one) => !one.isGenerated && !one.computed) ?? [];
  const choice = /** @type {HTMLSelectElement} */ (element(
    "select",
    { "aria-label": "Column" },
    ...columns.map(({ name }) => element("option", { value: name }, name)),
  ));
  const place = element("div");
  const chosen = () => columns.find(({ name }) => name === choice.value) ?? columns[0];
  /** @type {import("./fields.js").Field} */
  let made;
  const show = () => {
    made = field(chosen(), "", reference(found, chosen().name));
    made.control.setAttribute("aria-label", "Value");
    place.replaceChildren(made.element);
  };
  choice.addEventListener("change", show);
  const first = columns.find(({ name }) => !found?.key.includes(name));
  if (first !== undefined) choice.value = first.name;
  const stage = async () => {
    await made.settled();
    const values = made.values();
    if (values === null || values.size === 0) return made.control.focus();
    dialog.close();
    for (const { url, title, version } of await versions(records, [...values.keys()])) {
      editing.staged.patch(url, title, version, values);
    }
  };
  const accept = () => void stage().catch(editing.page.fail);
  const title = `Change ${records.length} ${records.length === 1 ? "record" : "records"}`;
  const dialog = openForm(title, [choice, place], [["Change", accept]]);
  show();
}
