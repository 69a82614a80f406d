// The form of an action: its values become the content of a call, whose answer or problem is shown below it.

import { all, element } from "./dom.js";
import { fetched, Problem } from "./server.js";

/** The text of a field as a value of JSON; undefined for none, which leaves the parameter out. @param {string} text @param {string} type @param {boolean} isRequired */
export function argument(text, type, isRequired) {
  if (type === "text") return text === "" && !isRequired ? undefined : JSON.stringify(text);
  return text.trim() === "" ? (isRequired ? "null" : undefined) : text.trim();
}

/** The content of a call. @param {{ name: string, text: string, type: string, isRequired: boolean }[]} fields */
export function content(fields) {
  const members = fields.flatMap(({ name, text, type, isRequired }) => {
    const value = argument(text, type, isRequired);
    return value === undefined ? [] : [`${JSON.stringify(name)}:${value}`];
  });
  return `{${members.join(",")}}`;
}

/** Makes a form call its action. @param {HTMLFormElement} form */
export function enhance(form) {
  const output = element("output", { "aria-live": "polite" });
  form.append(output);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = all(form, "[data-type]").map((node) => {
      const field = /** @type {HTMLInputElement} */ (node);
      return {
        name: field.name,
        text: field.value,
        type: field.dataset.type ?? "text",
        isRequired: field.required,
      };
    });
    form.toggleAttribute("aria-busy", true);
    try {
      const reply = await fetched(form.dataset.action ?? "", {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        body: content(fields),
      });
      const text = await reply.text();
      output.replaceChildren(text === "" ? element("p", {}, "Done.") : element("pre", {}, text));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      output.replaceChildren(element("p", { role: "alert" }, error.message));
    } finally {
      form.removeAttribute("aria-busy");
    }
  });
}
