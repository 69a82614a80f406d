// Imports records from a file or from the clipboard: all or none, with the error at its line.

import { element, number } from "./dom.js";
import { members, untyped } from "./json.js";
import { openForm } from "./menu.js";
import { path } from "./request.js";
import { fetched, isOvertaken, Problem } from "./server.js";

/** How much is read for the preview, and how many lines of it are shown. */
const READ = 1 << 16;
const LINES = 6;

/** The cells of the lines of CSV, or of what spreadsheets copy. @param {string} text @param {string} separator @returns {string[][]} */
export function cells(text, separator) {
  /** @type {string[][]} */
  const lines = [[]];
  const field = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator}|\\r\\n|\\n|\\r|$)`,
    "y",
  );
  for (let found = field.exec(text); found !== null; found = field.exec(text)) {
    lines[lines.length - 1].push(found[1]?.replaceAll('""', '"') ?? found[2]);
    if (found[3] === "") break;
    if (found[3] !== separator) lines.push([]);
  }
  const last = lines[lines.length - 1];
  if (last.length === 0 || last.length === 1 && last[0] === "") lines.pop();
  return lines;
}

/** The format of a text, and the text as it is sent: cells of a spreadsheet become CSV. @param {string} text */
export function recognized(text) {
  if (/^\s*\{/.test(text)) return { type: "application/x-ndjson", text };
  const first = text.split(/\r?\n/, 1)[0];
  if (!first.includes("\t")) return { type: "text/csv", text };
  const quoted = (/** @type {string} */ cell) =>
    /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  const csv = cells(text, "\t").map((line) => line.map(quoted).join(",")).join("\r\n");
  return { type: "text/csv", text: `${csv}\r\n` };
}

/** The first lines of a text as names and values. @param {string} text */
function beginning(text) {
  const { type, text: sent } = recognized(text);
  if (type === "text/csv") {
    const [names = [], ...lines] = cells(sent, ",");
    return { names, lines: lines.slice(0, LINES) };
  }
  const records = sent.split(/\r?\n/).filter((line) => line.trim() !== "").slice(0, LINES).map(members);
  const names = [...new Set(records.flatMap((one) => [...one.keys()]))];
  return { names, lines: records.map((one) => names.map((name) => untyped(one.get(name) ?? "null"))) };
}

/** @param {HTMLTableElement} table @param {import("./toolbar.js").Place} place */
export function openImport(table, place) {
  const name = table.dataset.resource ?? "records";
  const file = /** @type {HTMLInputElement} */ (element("input", {
    type: "file",
    "aria-label": "File",
    accept: ".csv,.tsv,.ndjson,.jsonl,.txt,text/csv,application/x-ndjson",
  }));
  const area = /** @type {HTMLTextAreaElement} */ (element("textarea", {
    "aria-label": "Text",
    rows: 6,
    spellcheck: "false",
    placeholder: "or paste CSV with a line of names, cells of a spreadsheet, or JSON objects, one a line",
  }));
  const preview = element("div", { class: "preview" });
  const said = element("div");
  const leaving = new AbortController();
  let once = "";
  const changed = () =>
    once = Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("");
  changed();
  const show = async () => {
    changed();
    said.replaceChildren();
    const text = area.value !== "" ? area.value : await file.files?.[0]?.slice(0, READ).text() ?? "";
    if (text === "") return preview.replaceChildren();
    try {
      const { names, lines } = beginning(text.slice(0, READ));
      preview.replaceChildren(element(
        "table",
        { "aria-label": "Preview" },
        element("thead", {}, element("tr", {}, ...names.map((one) => element("th", { scope: "col" }, one)))),
        element(
          "tbody",
          {},
          ...lines.map((line) => element("tr", {}, ...line.map((one) => element("td", {}, one)))),
        ),
      ));
    } catch {
      preview.replaceChildren(element("p", {}, "The text is neither CSV nor JSON lines."));
    }
  };
  area.addEventListener("input", () => void show());
  file.addEventListener("change", () => {
    area.value = "";
    void show();
  });
  /** Shows an error with its line. @param {Problem} problem */
  const tell = (problem) => {
    const lines = area.value.split(/\r?\n/);
    const line = problem.line === undefined ? undefined : lines[problem.line - 1];
    said.replaceChildren(element(
      "div",
      { role: "alert", class: "wrong" },
      element(
        "p",
        {},
        `${
          problem.line === undefined ? "" : `Line ${problem.line}: `
        }${problem.message} Nothing is imported.`,
      ),
      line ? element("code", { translate: "no" }, line) : null,
    ));
    if (line === undefined || area.value === "") return;
    const start = lines.slice(0, Number(problem.line) - 1).reduce((sum, one) => sum + one.length + 1, 0);
    area.focus();
    area.setSelectionRange(start, start + line.length);
  };
  const send = async () => {
    const [chosen] = file.files ?? [];
    if (area.value === "" && !chosen) return area.focus();
    const { type, text } = recognized(area.value !== "" ? area.value : await chosen.slice(0, READ).text());
    const isSheet = area.value === "" && text.endsWith("\r\n") &&
      (await chosen.slice(0, READ).text()).split("\n", 1)[0].includes("\t");
    const body = area.value !== "" ? text : isSheet ? recognized(await chosen.text()).text : chosen;
    dialog.setAttribute("aria-busy", "true");
    try {
      const response = await fetched(path(place.url), {
        method: "POST",
        headers: { "Content-Type": type, Prefer: "return=minimal", "Idempotency-Key": `"${once}"` },
        body,
        signal: leaving.signal,
      });
      const count = Number(response.headers.get("X-Total-Count") ?? 0);
      preview.replaceChildren();
      area.value = "";
      file.value = "";
      changed();
      said.replaceChildren(
        element("p", { role: "status" }, `${number(count)} ${count === 1 ? "record" : "records"} imported.`),
      );
      place.go(place.url);
    } catch (error) {
      if (isOvertaken(error)) return;
      if (!(error instanceof Problem)) throw error;
      tell(error);
    } finally {
      dialog.removeAttribute("aria-busy");
    }
  };
  const dialog = openForm(
    `Import into ${name}`,
    [file, area, preview, said],
    [["Import", () => void send()]],
    "Close",
  );
  dialog.classList.add("wide");
  dialog.addEventListener("close", () => leaving.abort());
  area.focus();
}
