// The plan of a request: the SQL of each node, the database's plan for it, and missing indexes.

import { button, copy, element, number } from "./dom.js";
import { members, parts } from "./json.js";
import { adding, parameters } from "./request.js";
import { beginning, fetched, Problem, session } from "./server.js";

/** @typedef {{ node: string, sql: string, arguments: string[], plan: string[], missingIndexes?: string[] }} Statement */

/** The number of bytes after which an answer is no longer timed. */
const MEASURED = 4_000_000;

/** @param {HTMLElement} panel @param {string} url @param {AbortSignal} signal */
export async function show(panel, url, signal) {
  if (url === "/" || url.startsWith("/-/")) {
    panel.replaceChildren(element("p", {}, "This page needs no query."));
    return;
  }
  const isExplained = parameters(url).some(({ name }) => name === "explain");
  const target = isExplained ? url : adding(url, "explain", "true");
  const response = await fetched(target, { signal, isOptional: true }).catch((error) => {
    if (error instanceof Problem && [401, 403].includes(error.status)) return null;
    throw error;
  });
  if (response === null) return refuse(panel, url, signal);
  const found = members(await response.text());
  const started = performance.now();
  const { size, isWhole } = await beginning(url, MEASURED, signal);
  const time = performance.now() - started;
  const statements = parts(found.get("statements") ?? "[]").map(statement);
  /** @type {string[]} */
  const missing = JSON.parse(found.get("missingIndexes") ?? "[]");
  const places = advice(statements, missing);
  panel.replaceChildren(
    element(
      "p",
      { class: "summary" },
      isWhole
        ? `Answered in ${time.toFixed(1)} ms, ${number(size)} bytes; `
        : `The first ${number(size)} bytes took ${time.toFixed(1)} ms; `,
      statements.length === 1
        ? "one statement."
        : `${statements.length} statements, each for the records above it.`,
    ),
    ...statements.map((one, index) => node(one, places[index])),
  );
}

/** Plans need another role than the page, which goes on without them. @param {HTMLElement} panel @param {string} url @param {AbortSignal} signal */
function refuse(panel, url, signal) {
  const signIn = button("Sign in", async () => {
    if (await session.renew(session.token)) await show(panel, url, signal);
  });
  panel.replaceChildren(
    element("p", {}, "Plans are for operations: the server shows them to the roles that it names so."),
    element("p", { class: "mends" }, signIn),
  );
}

/** A statement whose arguments keep their digits. @param {string} json @returns {Statement} */
function statement(json) {
  return { ...JSON.parse(json), arguments: parts(members(json).get("arguments") ?? "[]") };
}

/** For each statement, the missing indexes of the tables that it scans. @param {Statement[]} statements @param {string[]} missing */
export function advice(statements, missing) {
  const rest = new Set(missing);
  const places = statements.map((statement) => {
    const own = statement.missingIndexes ?? missing.filter((index) => {
      const table = /\bON "((?:[^"]|"")*)"/.exec(index)?.[1] ?? "";
      return rest.has(index) &&
        statement.plan.some((line) => line.includes(table) && /SCAN|AUTOMATIC/.test(line));
    });
    own.forEach((index) => rest.delete(index));
    return own;
  });
  if (rest.size > 0) places.at(-1)?.push(...rest);
  return places;
}

/** @param {Statement} statement @param {string[]} missing */
function node(statement, missing) {
  const made = element(
    "section",
    { "aria-label": statement.node, class: "node" },
    element("h2", {}, statement.node),
    element(
      "pre",
      { tabindex: 0, role: "group", "aria-label": `SQL of ${statement.node}` },
      element("code", { translate: "no" }, statement.sql),
    ),
  );
  if (statement.arguments.length > 0) {
    made.append(
      element(
        "p",
        { class: "arguments" },
        "with ",
        element("code", {}, statement.arguments.map((one) => argument(one)).join(", ")),
      ),
    );
  }
  made.append(element(
    "ul",
    { class: "steps" },
    ...statement.plan.map((line) => {
      const depth = (line.length - line.trimStart().length) / 2;
      const step = element("li", { class: /^\s*SCAN/.test(line) ? "scan" : null }, line.trim());
      step.style.marginInlineStart = `${depth * 1.5}em`;
      return step;
    }),
  ));
  for (const index of missing) {
    const copying = button("Copy index", () => copy(index, copying), { class: "copy" });
    made.append(element("div", { class: "advice" }, element("code", { translate: "no" }, index), copying));
  }
  return made;
}

/** @param {string} json an argument */
function argument(json) {
  const { level, column } = json.startsWith("{") ? JSON.parse(json) : {};
  if (level === undefined || column === undefined) return json;
  const levels = Math.abs(Number(level));
  return `column ${Number(column) + 1} of the record ${levels > 1 ? `${levels} ` : ""}above`;
}
