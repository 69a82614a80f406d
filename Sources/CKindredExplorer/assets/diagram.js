// The diagram of the database, or of the surroundings of a table, which the server draws.

import { element } from "./dom.js";
import { linkTo, path } from "./request.js";
import { drawing } from "./server.js";

/** @param {HTMLElement} panel @param {string} url @param {AbortSignal} signal */
export async function show(panel, url, signal) {
  const resource = document.querySelector("main table[data-resource]")?.getAttribute("data-resource") ?? null;
  const target = resource === null || path(url) === "/"
    ? "/-/diagram.svg"
    : `/-/diagram.svg?around=${encodeURIComponent(resource)}&depth=1`;
  const svg = document.importNode((await drawing(target, signal)).documentElement, true);
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", resource === null ? "Diagram" : `Diagram around ${resource}`);
  const whole = element("a", { href: `${linkTo("/")}#view=diagram` }, "all tables");
  panel.replaceChildren(
    element(
      "div",
      { class: "tools" },
      element("a", { href: linkTo(target), target: "_blank" }, "SVG"),
      path(url) === "/" ? null : whole,
    ),
    element(
      "div",
      { class: "drawing", tabindex: 0, role: "group", "aria-label": "Diagram, scrollable" },
      svg,
    ),
  );
}
