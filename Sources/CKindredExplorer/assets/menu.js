// Menus with the keys of the ARIA Authoring Practices: arrows, Home, End, first letters, Escape. Closing restores focus.

import { all, button, element } from "./dom.js";

/** @typedef {{ text: string, action: () => void, detail?: string }} Item */

/** @type {(() => void) | null} */
let closePresent = null;

export function closeMenu() {
  closePresent?.();
}

/** Places an element below or above another, within the window. @param {HTMLElement} box @param {DOMRect} anchor */
export function place(box, anchor) {
  const { innerWidth, innerHeight } = window;
  const { width, height } = box.getBoundingClientRect();
  const below = anchor.bottom + height <= innerHeight || anchor.top < height;
  box.style.left = `${Math.max(4, Math.min(anchor.left, innerWidth - width - 4))}px`;
  box.style.top = `${Math.max(4, below ? anchor.bottom : anchor.top - height)}px`;
  box.style.maxHeight = `${Math.max(96, (below ? innerHeight - anchor.bottom : anchor.top) - 8)}px`;
}

/** @param {string} label @param {Item[]} items @param {HTMLElement} opener @param {DOMRect} [anchor] */
export function openMenu(label, items, opener, anchor = opener.getBoundingClientRect()) {
  closeMenu();
  if (items.length === 0) return;
  const menu = element("div", { role: "menu", "aria-label": label, class: "menu", tabindex: -1 });
  for (const item of items) {
    const entry = element("div", { role: "menuitem", tabindex: -1, translate: "no" }, item.text);
    if (item.detail) entry.append(element("small", { "aria-hidden": "true" }, item.detail));
    if (item.detail) entry.setAttribute("aria-label", item.text);
    entry.addEventListener("click", () => {
      close(true);
      item.action();
    });
    entry.addEventListener("pointermove", () => entry.focus());
    menu.append(entry);
  }
  const landmark = document.querySelector("main") ?? document.body;
  landmark.append(menu);
  opener.setAttribute("aria-expanded", "true");
  place(menu, anchor);
  const entries = all(menu, "[role=menuitem]");
  entries[0].focus();

  /** @param {boolean} givesBack */
  function close(givesBack) {
    if (closePresent !== dismiss) return;
    closePresent = null;
    menu.remove();
    if (opener.getAttribute("aria-haspopup") === "menu") opener.setAttribute("aria-expanded", "false");
    else opener.removeAttribute("aria-expanded");
    document.removeEventListener("pointerdown", outside, true);
    if (givesBack) opener.focus();
  }
  const dismiss = () => close(false);
  closePresent = dismiss;

  /** @param {PointerEvent} event */
  function outside(event) {
    if (!menu.contains(/** @type {Node} */ (event.target))) close(false);
  }
  document.addEventListener("pointerdown", outside, true);
  menu.addEventListener("contextmenu", (event) => event.preventDefault());
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget !== null && !menu.contains(/** @type {Node} */ (event.relatedTarget))) {
      close(false);
    }
  });
  menu.addEventListener("keydown", (event) => {
    const index = entries.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = {
      ArrowDown: (index + 1) % entries.length,
      ArrowUp: (index - 1 + entries.length) % entries.length,
      Home: 0,
      End: entries.length - 1,
    }[event.key];
    if (to !== undefined) entries[to].focus();
    else if (event.key === "Escape") close(true);
    else if (event.key === "Tab") return close(true);
    else if (event.key === "Enter" || event.key === " ") entries[index]?.click();
    else if (event.key.length === 1 && !event.ctrlKey && !event.altKey && !event.metaKey) {
      const letter = event.key.toLowerCase();
      const after = [...entries.slice(index + 1), ...entries.slice(0, index + 1)];
      after.find((entry) => entry.textContent?.toLowerCase().startsWith(letter))?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

// Modal dialogs, which close on Escape and restore the focus.

/** A dialog with a heading, fields and buttons; Enter in a field of one line is the first of them.
 * @param {string} title @param {(Node | null)[]} content @param {[string, () => void][]} actions @param {string | null} closing the button that closes it, or null if there is none */
export function openForm(title, content, actions, closing = "Cancel") {
  const buttons = actions.map(([text, action], index) =>
    button(text, action, { class: index === 0 && "run" })
  );
  if (closing !== null) buttons.push(button(closing, () => dialog.close()));
  const dialog = openDialog(
    title,
    element("h2", {}, title),
    ...content.filter((one) => one !== null),
    element("p", { class: "actions" }, ...buttons),
  );
  dialog.addEventListener("keydown", (event) => {
    const field = /** @type {HTMLElement} */ (event.target);
    if (event.key !== "Enter" || !field.matches("input:not([type=file], [type=checkbox])")) return;
    event.preventDefault();
    actions[0]?.[1]();
  });
  return dialog;
}

/** @param {string} name @param {...Node} content @returns {HTMLDialogElement} */
export function openDialog(name, ...content) {
  const dialog = /** @type {HTMLDialogElement} */ (element("dialog", { "aria-label": name }, ...content));
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.showModal();
  return dialog;
}
