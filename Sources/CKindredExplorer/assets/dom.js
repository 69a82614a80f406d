// Elements are made from names and texts: no text is ever parsed as markup.

/**
 * @param {string} name
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes] true gives an empty attribute; false, null and undefined give none
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

/** Moves nodes of another document to this one. @template {Node} Kind @param {Iterable<Kind>} nodes @returns {Kind[]} */
export function adopted(nodes) {
  // Copy the list first: a live one loses each adopted node.
  return Array.from(nodes).map((node) => document.adoptNode(node));
}

/** A number in the user's locale. @param {number} value */
export function number(value) {
  return value.toLocaleString();
}

/** Copies a text to the clipboard, and confirms it on an element. @param {string} text @param {HTMLElement} told */
export async function copy(text, told) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area =
      /** @type {HTMLTextAreaElement} */ (element("textarea", { class: "hidden", "aria-hidden": "true" }));
    area.value = text;
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    focused?.focus();
  }
  told.dataset.done = "";
  setTimeout(() => delete told.dataset.done, 1200);
}
