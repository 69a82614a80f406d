// How many records there are: asked for after the page, and given up where counting takes long.

import { all, element, find, number } from "./dom.js";
import { join, parameters, path, requestAt, setting } from "./request.js";
import { fetched } from "./server.js";

/** How records are counted: `true`, or `estimated` where the server can estimate. */
const COUNT = "true";
/** The time in milliseconds after which counting is given up. */
const PATIENCE = 5000;
/** How many tables of the index are counted at a time. */
const AT_ONCE = 2;

/** The number of a request's records as text, or null if it takes too long. @param {string} url @param {AbortSignal} signal */
async function counted(url, signal) {
  const kept = parameters(url).filter(({ name }) => !["limit", "offset", "after", "sort"].includes(name));
  const target = setting(setting(join(path(url), kept), "limit", "1"), "count", COUNT);
  try {
    const response = await fetched(target, {
      method: "HEAD",
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
    const exact = response.headers.get("X-Total-Count");
    const estimated = response.headers.get("X-Estimated-Count");
    if (exact !== null) return records(Number(exact));
    return estimated === null ? null : `about ${records(Number(estimated))}`;
  } catch {
    return null; // a number is not worth a problem
  }
}

/** @param {number} count */
export function records(count) {
  return `${number(count)} ${count === 1 ? "record" : "records"}`;
}

/** The number of the records of a page. */
export class Count {
  constructor() {
    this.element = element("span", { class: "count" });
    this.leaving = new AbortController();
  }

  /** @param {string} url @param {number | null} known null if they must be counted */
  async show(url, known) {
    this.clear();
    const { signal } = this.leaving;
    const text = known === null ? await counted(url, signal) : records(known);
    if (!signal.aborted) this.element.textContent = text;
  }

  clear() {
    this.leaving.abort();
    this.leaving = new AbortController();
    this.element.textContent = "";
  }

  /** Counts the records of the tables of the index that are seen. @param {Element} index */
  watch(index) {
    const { signal } = this.leaving;
    /** @type {HTMLElement[]} */
    const waiting = [];
    let running = 0;
    const next = async () => {
      const link = running < AT_ONCE ? waiting.shift() : undefined;
      if (link === undefined || signal.aborted) return;
      running += 1;
      const text = await counted(requestAt(link.getAttribute("href") ?? "/"), signal);
      if (text !== null && !signal.aborted) link.after(" ", element("small", { class: "count" }, text));
      running -= 1;
      await next();
    };
    const seen = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        waiting.push(/** @type {HTMLElement} */ (target));
        void next();
      }
    });
    signal.addEventListener("abort", () => seen.disconnect());
    for (const head of all(index, "tbody > tr > th")) {
      const link = find(head, "a");
      if (link !== null) seen.observe(link);
    }
  }
}
