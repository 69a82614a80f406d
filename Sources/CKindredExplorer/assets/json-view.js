// The response as JSON, as the server wrote it except for white space.

import { button, copy, element } from "./dom.js";
import { fetched } from "./server.js";

/** The length in characters beyond which a response isn't indented. */
const LONGEST = 2_000_000;

/** JSON with a line for each member and element; numbers and texts are unchanged. @param {string} text */
export function indented(text) {
  let depth = 0;
  let made = "";
  const break_ = () => "\n" + "  ".repeat(depth);
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g) ?? [];
  tokens.forEach((token, index) => {
    const next = tokens[index + 1];
    if (token === "{" || token === "[") {
      const isEmpty = next === "}" || next === "]";
      depth += 1;
      made += token + (isEmpty ? "" : break_());
    } else if (token === "}" || token === "]") {
      depth -= 1;
      const before = tokens[index - 1];
      made += (before === "{" || before === "[" ? "" : break_()) + token;
    } else if (token === ",") made += token + break_();
    else made += token === ":" ? ": " : token;
  });
  return made;
}

/** @param {HTMLElement} panel @param {string} url @param {AbortSignal} signal */
export async function showJSON(panel, url, signal) {
  const response = await fetched(url, { signal });
  const text = await response.text();
  const code = element("code", { translate: "no" }, text.length > LONGEST ? text : indented(text));
  const pre = element("pre", { tabindex: 0, "aria-label": "JSON", role: "group" }, code);
  const copying = button("Copy", () => copy(text, copying), { class: "copy" });
  panel.replaceChildren(element("div", { class: "tools" }, copying), pre);
}
