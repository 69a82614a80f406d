// Requests to the server. Pages are parsed as documents, whose scripts never run.

import { address, join, parameters, path, readable } from "./request.js";

/** @typedef {{ text: string, from: number, to: number, kind: string, detail?: string }} Completion */
/** @typedef {{ kind: string, from: number, to: number }} Part */
/** @typedef {{ detail: string, parameter?: string, from: number, to: number, suggestions?: string[] }} Mistake */
/** @typedef {{ parts: Part[], errors: Mistake[] }} Description */
/** @typedef {{ name: string, type: string, nullable?: boolean, default?: string | null }} Column */
/** @typedef {{ key: string, kind: string, destination: string, columns?: Record<string, string>, origin?: string | null }} Association */
/** @typedef {{ name: string, link: string, key: string[], label?: string, columns: Column[], associations: Association[] }} Resource */
/** @typedef {{ resources: Resource[], limits?: Record<string, number> }} Schema */

/** A page with its status and total. */
export class Page {
  /** @param {Document} document @param {number} status @param {number | null} total */
  constructor(document, status, total) {
    this.document = document;
    this.status = status;
    this.total = total;
  }

  get table() {
    return /** @type {HTMLTableElement | null} */ (this.document.querySelector("main > table"));
  }

  /** The link to another page of the same result. @param {string} relation */
  link(relation) {
    return this.document.querySelector(`footer a[rel="${relation}"]`)?.getAttribute("href") ?? null;
  }
}

/** Thrown if the server can't be reached or doesn't answer. */
export class Unreachable extends Error {}

/** Thrown if the response is not a page but a value or a file. */
export class NoPage extends Error {}

/** @type {string | null} */
let token = null;
/** @type {Promise<Schema | null> | null} */
let known = null;

/** Sets the token that every request carries. @param {string | null} value */
export function authorize(value) {
  token = value;
  known = null;
}

export function isAuthorized() {
  return token !== null;
}

/** The fields that every request carries. @returns {[string, string][]} */
export function authorizedHeaders() {
  return token === null ? [] : [["Authorization", `Bearer ${token}`]];
}

/** The page of a readable URL, whatever its status.
 * @param {string} url @param {AbortSignal} [signal] @returns {Promise<Page>} */
export function page(url, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", address(url));
    request.responseType = "document";
    request.setRequestHeader("Accept", "text/html");
    for (const [name, value] of authorizedHeaders()) request.setRequestHeader(name, value);
    const abort = () => request.abort();
    signal?.addEventListener("abort", abort, { once: true });
    request.onloadend = () => signal?.removeEventListener("abort", abort);
    request.onabort = () => reject(new DOMException("overtaken", "AbortError"));
    request.onerror = () => reject(new Unreachable("The server doesn't respond."));
    request.onload = () => {
      const total = request.getResponseHeader("X-Total-Count");
      if (request.responseXML === null) {
        const type = request.getResponseHeader("Content-Type") ?? "";
        const isOther = request.status === 200 && !type.startsWith("text/html");
        reject(isOther ? new NoPage(type) : new Unreachable("The server's response is not a page."));
      } else resolve(new Page(request.responseXML, request.status, total === null ? null : Number(total)));
    };
    request.send();
  });
}

/** The response to a request for anything but a page. @param {string} url @param {RequestInit} [options] */
export async function fetched(url, options = {}) {
  const headers = new Headers({ Accept: "application/json", ...options.headers });
  for (const [name, value] of authorizedHeaders()) headers.set(name, value);
  try {
    return await fetch(address(url), { ...options, headers });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unreachable("The server doesn't respond.");
  }
}

/** Saves a response that the browser can't download itself because it doesn't have the token. @param {string} url @param {string} [format] the extension of the file's name */
export async function download(url, format) {
  const response = await fetched(readable(url), { headers: { Accept: "*/*" } });
  if (!response.ok) throw new Unreachable(`The server responded with status ${response.status}.`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  const name = path(url).split("/").pop() ?? "";
  link.download = format === undefined ? name : `${name}.${format.toLowerCase()}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** @param {string} url @param {AbortSignal} [signal] @returns {Promise<any>} */
async function json(url, signal) {
  const response = await fetched(url, { signal });
  return response.ok ? await response.json() : null;
}

/** The completions at a position of a readable URL.
 * @param {string} url @param {number} position in scalars @param {AbortSignal} [signal] @returns {Promise<Completion[]>} */
export async function completions(url, position, signal) {
  const target = `/-/complete?url=${encodeURIComponent(url)}&position=${position}`;
  return await json(target, signal) ?? [];
}

/** The server's description of a readable URL.
 * @param {string} url @param {AbortSignal} [signal] @returns {Promise<Description>} */
export async function description(url, signal) {
  return await json(`/-/describe?url=${encodeURIComponent(url)}`, signal) ?? { parts: [], errors: [] };
}

/** The request without the parameters that the server finds wrong, because they no longer apply.
 * @param {string} url @returns {Promise<string>} */
export async function confirmed(url) {
  let present = url;
  for (let round = 0; round < 8; round += 1) {
    const { errors } = await description(present);
    const wrong = new Set(errors.map((error) => error.parameter).filter((name) => name !== undefined));
    if (wrong.size === 0) return present;
    const kept = parameters(present).filter(({ name }) => !wrong.has(name));
    const next = join(path(present), kept);
    if (next === present) return present;
    present = next;
  }
  return present;
}

/** The schema, which is fetched once for each token. @returns {Promise<Schema | null>} */
export function schema() {
  const asked = known ?? json("/-/schema").then((found) => found ?? json("/"));
  known = asked;
  // A failure is not kept: the next call tries again.
  const forget = () => {
    if (known === asked) known = null;
  };
  asked.then((found) => found ?? forget(), forget);
  return asked;
}
