// The response as JSON, as the server wrote it except for white space.

import { button, copy, element } from "./dom.js";
import { linkTo } from "./request.js";
import { beginning } from "./server.js";

/** The number of bytes beyond which only the beginning of a response is shown. */
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
export async function show(panel, url, signal) {
  const { text, isWhole } = await beginning(url, LONGEST, signal);
  const code = element(
    "code",
    { translate: "no" },
    isWhole ? indented(text) : `${text.slice(0, LONGEST / 4)}…`,
  );
  const pre = element("pre", { tabindex: 0, "aria-label": "JSON", role: "group" }, code);
  const copying = button("Copy", () => copy(text, copying), { class: "copy" });
  const rest = element(
    "p",
    {},
    "This is only the beginning. ",
    element("a", { href: linkTo(url), download: "" }, "JSON"),
  );
  panel.replaceChildren(isWhole ? element("div", { class: "tools" }, copying) : rest, pre);
}
