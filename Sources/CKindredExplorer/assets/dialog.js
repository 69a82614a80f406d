// Modal dialogs, which close on Escape and restore the focus.

import { element } from "./dom.js";

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
