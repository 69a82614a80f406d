// Recursive associations as a tree with the keys of the ARIA Authoring Practices. The nested tables contain the same
// data.

import { cellValue, isAssociation, isReference, ownCells, recordLink } from "./cells.js";
import { all, button, element, find } from "./dom.js";

/** The number of values after a name. */
const MOST_VALUES = 3;

/** A button that shows a table as a tree. @param {HTMLTableElement} table @param {string} key of the recursive association */
export function treeSwitch(table, key) {
  /** @type {HTMLElement | null} */
  let tree = null;
  const made = button("Tree", () => {
    if (tree === null) {
      tree = element("ul", { role: "tree", "aria-label": table.getAttribute("aria-label") ?? key });
      tree.append(...branches(table, key, 1));
      tree.addEventListener("keydown", press);
      tree.addEventListener("click", click);
      find(tree, "[role=treeitem]")?.setAttribute("tabindex", "0");
      table.after(tree);
    } else {
      tree.remove();
      tree = null;
    }
    table.hidden = tree !== null;
    made.setAttribute("aria-pressed", String(tree !== null));
  }, { "aria-pressed": "false" });
  return made;
}

/** @param {Element} table @param {string} key @param {number} level @returns {HTMLElement[]} */
function branches(table, key, level) {
  return all(table, ":scope > tbody:not(.spacer) > tr:not(.below)").map((row) => {
    /** @type {Element | null} */
    let below = row.nextElementSibling;
    while (below?.classList.contains("below") && /** @type {HTMLElement} */ (below).dataset.key !== key) {
      below = below.nextElementSibling;
    }
    const nested = below?.classList.contains("below") ? below.querySelector(":scope > td > table") : null;
    const children = nested ? branches(nested, key, level + 1) : [];
    const link = recordLink(row);
    const label = link?.textContent ?? ownCells(row)[0]?.textContent ?? "";
    const values = ownCells(row).filter((cell) =>
      cell.localName === "td" && !isAssociation(cell) && !isReference(cell) && cellValue(cell).kind !== "null"
    ).slice(0, MOST_VALUES).map((cell) => (find(cell, "a") ?? cell).textContent);
    return element(
      "li",
      {
        role: "treeitem",
        tabindex: -1,
        "aria-level": level,
        "aria-label": label,
        "aria-expanded": children.length > 0 ? "true" : null,
      },
      element(
        "span",
        { class: "leaf" },
        link === null ? label : element("a", { href: link.getAttribute("href"), tabindex: -1 }, label),
        " ",
        element("small", {}, values.join(" · ")),
      ),
      children.length > 0 ? element("ul", { role: "group" }, ...children) : null,
    );
  });
}

/** @param {HTMLElement} item @param {boolean} opens */
function expand(item, opens) {
  item.setAttribute("aria-expanded", String(opens));
}

/** Opens and closes a branch on a click outside its link. @param {MouseEvent} event */
function click(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  const item = /** @type {HTMLElement | null} */ (target.closest("[role=treeitem]"));
  if (item === null || target.closest("a") !== null) return;
  if (item.hasAttribute("aria-expanded")) expand(item, item.getAttribute("aria-expanded") === "false");
  focus(item);
}

/** @param {HTMLElement | null | undefined} item */
function focus(item) {
  if (!item) return;
  for (const one of all(/** @type {HTMLElement} */ (item.closest("[role=tree]")), "[tabindex='0']")) {
    one.tabIndex = -1;
  }
  item.tabIndex = 0;
  item.focus();
}

/** @param {KeyboardEvent} event */
function press(event) {
  const item = /** @type {HTMLElement} */ (event.target);
  if (item.getAttribute("role") !== "treeitem" || event.ctrlKey || event.altKey || event.metaKey) return;
  const shown = all(/** @type {HTMLElement} */ (item.closest("[role=tree]")), "[role=treeitem]").filter((
    one,
  ) => one.parentElement?.closest("[aria-expanded=false]") === null);
  const at = shown.indexOf(item);
  const expanded = item.getAttribute("aria-expanded");
  const letter = event.key.length === 1 && event.key !== " " ? event.key.toLowerCase() : null;
  if (event.key === "ArrowDown") focus(shown[at + 1]);
  else if (event.key === "ArrowUp") focus(shown[at - 1]);
  else if (event.key === "Home") focus(shown[0]);
  else if (event.key === "End") focus(shown.at(-1));
  else if (event.key === "ArrowRight") {
    if (expanded === "false") expand(item, true);
    else if (expanded === "true") focus(shown[at + 1]);
  } else if (event.key === "ArrowLeft") {
    if (expanded === "true") expand(item, false);
    else focus(item.parentElement?.closest("[role=treeitem]"));
  } else if (event.key === "Enter") find(item, ":scope > .leaf a")?.click();
  else if (letter !== null) {
    focus(
      [...shown.slice(at + 1), ...shown.slice(0, at)].find((one) =>
        one.getAttribute("aria-label")?.toLowerCase().startsWith(letter)
      ),
    );
  } else return;
  event.preventDefault();
}
