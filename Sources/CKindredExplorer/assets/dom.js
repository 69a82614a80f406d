// Elements are made of names and texts: nothing is ever taken for markup.

/**
 * @param {string} name
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes] true is an empty one, false, null and undefined none
 * @param {...(Node | string | null)} children
 * @returns {HTMLElement}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(key, String(value));
    }
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** @param {string} text @param {() => void} action @param {Record<string, string | number | boolean | null | undefined>} [attributes] */
export function button(text, action, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", action);
  return made;
}

/** @template {Element} [Kind=HTMLElement] @param {ParentNode} root @param {string} selector @returns {Kind | null} */
export function find(root, selector) {
  return root.querySelector(selector);
}

/** @param {ParentNode} root @param {string} selector @returns {HTMLElement[]} */
export function all(root, selector) {
  return Array.from(root.querySelectorAll(selector));
}

/** Nodes of another document, as nodes of this one. @template {Node} Kind @param {Iterable<Kind>} nodes @returns {Kind[]} */
export function adopted(nodes) {
  // A live list loses each node that is adopted.
  return Array.from(nodes).map((node) => document.adoptNode(node));
}

/** A number for people. @param {number} value */
export function number(value) {
  return value.toLocaleString();
}

/** Puts a text where the user can paste it from, and says so. @param {string} text @param {HTMLElement} told */
export async function copy(text, told) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area =
      /** @type {HTMLTextAreaElement} */ (element("textarea", { class: "hidden", "aria-hidden": "true" }));
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const before = told.textContent;
  told.dataset.done = "";
  setTimeout(() => {
    delete told.dataset.done;
    told.textContent = before;
  }, 1200);
}
