// The diagram of the database, or of the surroundings of a table, which the server draws.

import { element } from "./dom.js";
import { path } from "./request.js";
import { authorizedHeaders } from "./server.js";

/** @param {HTMLElement} panel @param {string} url @param {AbortSignal} signal */
export async function showDiagram(panel, url, signal) {
  const resource = document.querySelector("main table[data-resource]")?.getAttribute("data-resource") ?? null;
  const target = resource === null || path(url) === "/"
    ? "/-/diagram.svg"
    : `/-/diagram.svg?around=${encodeURIComponent(resource)}&depth=1`;
  const drawing = await load(target, signal);
  const svg = document.importNode(drawing.documentElement, true);
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", resource === null ? "Diagram" : `Diagram around ${resource}`);
  const whole = element("a", { href: "/#view=diagram" }, "all tables");
  panel.replaceChildren(
    element(
      "div",
      { class: "tools" },
      element("a", { href: target, target: "_blank" }, "SVG"),
      path(url) === "/" ? null : whole,
    ),
    element(
      "div",
      { class: "drawing", tabindex: 0, role: "group", "aria-label": "Diagram, scrollable" },
      svg,
    ),
  );
}

/** @param {string} url @param {AbortSignal} signal @returns {Promise<Document>} */
function load(url, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", url);
    request.responseType = "document";
    request.overrideMimeType("image/svg+xml");
    for (const [name, value] of authorizedHeaders()) request.setRequestHeader(name, value);
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.onabort = () => reject(new DOMException("overtaken", "AbortError"));
    request.onerror = () => reject(new Error("The server doesn't respond."));
    request.onload = () => {
      if (request.status === 200 && request.responseXML?.documentElement.localName === "svg") {
        resolve(request.responseXML);
      } else reject(new Error("There is no diagram of this resource."));
    };
    request.send();
  });
}
