// The choice of theme: the system's, or one that is remembered.

import { element } from "./dom.js";

const STORED = "kindred-theme";

export function themeChoice() {
  const root = document.documentElement;
  const select =
    /** @type {HTMLSelectElement} */ (element("select", { "aria-label": "Theme", class: "theme" }));
  for (const name of ["System", "Light", "Dark"]) {
    select.append(element("option", { value: name.toLowerCase() }, name));
  }
  select.value = root.dataset.theme ?? "system";
  select.addEventListener("change", () => {
    if (select.value === "system") delete root.dataset.theme;
    else root.dataset.theme = select.value;
    try {
      if (select.value === "system") localStorage.removeItem(STORED);
      else localStorage.setItem(STORED, select.value);
    } catch {
      // Without storage, the choice applies to this page only.
    }
  });
  return select;
}
