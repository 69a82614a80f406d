// A problem where something is missing: what is wrong, and a button that tries again. What may pass is also tried again
// by itself, ever more seldom; meanwhile the element stays, so that it is announced only once.

import { button, element } from "./dom.js";
import { isOvertaken, Problem } from "./server.js";

/** The first wait in seconds, and the longest. */
const FIRST = 3;
const LONGEST = 60;

/** An error as a problem; anything else is a defect. @param {unknown} error */
function asProblem(error) {
  if (error instanceof Problem) return error;
  // A script that is loaded when it is needed may be out of reach too.
  if (error instanceof TypeError && /dynamically imported/.test(error.message)) {
    return new Problem("The server doesn't respond.");
  }
  throw error;
}

/**
 * @param {unknown} error
 * @param {(() => Promise<unknown>) | null} again throws the next problem; null if nothing can be tried again
 * @param {(element: HTMLElement) => void} place puts the element into the page; it isn't called for what was overtaken
 * @returns {() => void} removes the element and stops trying
 */
export function showTrouble(error, again, place) {
  if (isOvertaken(error)) return () => {};
  const problem = asProblem(error);
  const text = element("p", {}, problem.message);
  const retry = again === null ? button("Close", () => close()) : button("Try again", () => attempt());
  const made = element(
    "div",
    { role: "alert", class: "problem trouble" },
    text,
    element("p", { class: "mends" }, retry),
  );
  let timer = 0;
  let wait = FIRST;
  let isTrying = false;
  const close = () => {
    clearTimeout(timer);
    made.remove();
  };
  /** @param {Problem} problem */
  const plan = (problem) => {
    clearTimeout(timer);
    if (!problem.mayPass || again === null) return;
    timer = setTimeout(() => made.isConnected && attempt(), Math.max(wait, problem.wait ?? 0) * 1000);
    wait = Math.min(wait * 2, LONGEST);
  };
  async function attempt() {
    if (isTrying) return;
    isTrying = true;
    clearTimeout(timer);
    try {
      await again?.();
      close();
    } catch (next) {
      if (isOvertaken(next)) return close();
      const other = asProblem(next);
      if (text.textContent !== other.message) text.textContent = other.message;
      plan(other);
    } finally {
      isTrying = false;
    }
  }
  place(made);
  plan(problem);
  return close;
}
