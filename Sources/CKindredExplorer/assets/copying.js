// Copies the rows of a table to the clipboard, in a format chosen from a menu.

import { copy } from "./dom.js";
import { openMenu } from "./menu.js";
import { asCSV, asJSON, asMarkdown, parts } from "./rows.js";
import { fetched, Unreachable } from "./server.js";

const FORMS = { JSON: asJSON, CSV: asCSV, Markdown: asMarkdown };

/** Fetches the records of URLs, each as JSON text. @param {string[]} urls */
async function rows(urls) {
  /** @type {string[]} */
  const found = [];
  for (const url of urls) {
    const response = await fetched(url);
    const text = await response.text();
    if (!response.ok) throw new Unreachable(`The server responded with status ${response.status}.`);
    found.push(...text.startsWith("[") ? parts(text) : [text]);
  }
  return found;
}

/** Opens a menu of formats, and copies the records of the URLs.
 * @param {string[]} urls @param {HTMLElement} opener @param {(error: unknown) => void} say @param {DOMRect} [anchor] */
export function offerCopies(urls, opener, say, anchor) {
  openMenu(
    "Copy rows as",
    Object.entries(FORMS).map(([text, form]) => ({
      text,
      action: () => {
        rows(urls).then((found) => copy(form(found), opener)).catch(say);
      },
    })),
    opener,
    anchor,
  );
}
