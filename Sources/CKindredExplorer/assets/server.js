// The only module that asks the server. It knows the token, waits for a new one after 401, repeats what the server was
// too busy for, and returns data or throws a problem; so no caller can take a problem for data.

import { isOvertaken, NoPage, Page, Problem } from "./answers.js";
import { linkTo, path, requestAt, valueText } from "./request.js";

export { isOvertaken, NoPage, Page, Problem };

/** @typedef {{ text: string, from: number, to: number, kind: string, detail?: string }} Completion */
/** @typedef {{ kind: string, from: number, to: number }} Part */
/** @typedef {{ type?: string, detail: string, parameter?: string, from: number, to: number, suggestions?: string[] }} Mistake */
/** @typedef {{ path?: string, fields: string[] | null, annotations: string[], nodes: Node[], resource?: string, association?: string, destination?: string }} Node A node of the request; the root has no path. */
/** @typedef {{ parts: Part[], errors: Mistake[], tree: Node | null }} Description */
/** @typedef {{ name: string, type: string, input?: string, literal?: string, values?: string[], nullable?: boolean, isGenerated?: boolean, computed?: boolean, description?: string, default?: string | null }} Column */
/** @typedef {{ name: string, type: string, required: boolean, default?: string | number | boolean | null }} Parameter */
/** @typedef {{ key: string, kind: string, destination: string, columns?: Record<string, string>, origin?: string | null, parameters?: Record<string, unknown> }} Association */
/** @typedef {{ name: string, link: string, key: string[], label?: string, columns: Column[], associations: Association[], parameters?: Parameter[] }} Resource */
/** @typedef {{ resources: Resource[], limits?: Record<string, number> }} Schema */
/** @typedef {{ method?: string, headers?: Record<string, string>, body?: BodyInit | null, signal?: AbortSignal, cache?: RequestCache, isOptional?: boolean }} Options Of what is optional, a refusal is a problem, and nothing is asked of the user. */
/** @typedef {{ status: number, header: (name: string) => string | null, response?: Response, document?: Document | null }} Answer */

const TOKEN = "kindred-token";
const POSITION = "kindred-position";

/** How often a busy server is asked again, and for how many seconds at most that is waited for. */
const REPETITIONS = 2;
const PATIENCE = 2;

/** @param {string} name */
function stored(name) {
  try {
    return globalThis.sessionStorage?.getItem(name) ?? null;
  } catch {
    return null;
  }
}

/** @param {string} name @param {string | null} text */
function store(name, text) {
  try {
    if (text === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    // Without storage, it is only in memory.
  }
}

/** Who asks: the token, and what to do when it is refused. */
class Session {
  constructor() {
    this.token = stored(TOKEN);
    /** The position of the newest answer, which an answer must not precede. */
    this.position = stored(POSITION);
    /** Asks for another token; returns false if the user gives none. @type {() => Promise<boolean>} */
    this.askForToken = async () => await (await import("./sign-in.js")).askForToken();
    /** @type {() => void} */
    this.onChange = () => {};
    /** @type {Promise<boolean> | null} */
    this.asking = null;
  }

  /** @param {string | null} token @param {boolean} isKept until the tab is closed */
  authorize(token, isKept) {
    this.token = token;
    store(TOKEN, isKept ? token : null);
    known = null;
    descriptions.clear();
    this.onChange();
  }

  /** Waits for a token other than the refused one. @param {string | null} refused */
  async renew(refused) {
    if (this.token !== refused) return true;
    this.asking ??= this.askForToken().finally(() => this.asking = null);
    return await this.asking;
  }

  /** @param {string | null} position */
  keep(position) {
    if (position === null || !isLater(position, this.position)) return;
    this.position = position;
    store(POSITION, position);
  }

  /** The fields that every request carries. @returns {[string, string][]} */
  get headers() {
    /** @type {[string, string | null][]} */
    const all = [
      ["Authorization", this.token === null ? null : `Bearer ${this.token}`],
      ["Kindred-Position", this.position],
    ];
    return /** @type {[string, string][]} */ (all.filter(([, value]) => value !== null));
  }
}

/** Whether a position of PostgreSQL's log, such as `3-16/B374D848`, is later than another one. @param {string} one @param {string | null} other */
export function isLater(one, other) {
  const number = (/** @type {string} */ text) => {
    const [timeline, position] = text.split("-");
    const [high, low] = position.split("/").map((digits) => BigInt(`0x${digits}`));
    return (BigInt(timeline) << 64n) + (high << 32n) + low;
  };
  try {
    return other === null || number(one) > number(other);
  } catch {
    return false; // no position
  }
}

/** @type {Promise<Schema> | null} */
let known = null;
/** The latest descriptions, as most texts are described more than once. @type {Map<string, Promise<Description>>} */
const descriptions = new Map();

export const session = new Session();

/** @param {number} seconds @param {AbortSignal} [signal] */
export function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const overtaken = () => reject(new DOMException("overtaken", "AbortError"));
    if (signal?.aborted) return overtaken();
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", overtaken);
      resolve(undefined);
    }, seconds * 1000);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      overtaken();
    }, { once: true });
  });
}

/** Sends a request once. @param {string} target @param {Options} options @param {boolean} asDocument @returns {Promise<Answer>} */
async function transmit(target, { method = "GET", headers = {}, body = null, signal, cache }, asDocument) {
  const fields = [...Object.entries(headers), ...session.headers];
  if (!asDocument) {
    try {
      const response = await fetch(target, { method, headers: fields, body, signal, cache });
      return { status: response.status, header: (name) => response.headers.get(name), response };
    } catch (error) {
      if (signal?.aborted || isOvertaken(error)) throw new DOMException("overtaken", "AbortError");
      throw new Problem("The server doesn't respond.");
    }
  }
  // Documents come by XMLHttpRequest, which parses them without running anything.
  return await new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, target);
    request.responseType = "document";
    if (headers.Accept === "image/svg+xml") request.overrideMimeType("image/svg+xml");
    for (const [name, value] of fields) request.setRequestHeader(name, value);
    const abort = () => request.abort();
    if (signal?.aborted) return reject(new DOMException("overtaken", "AbortError"));
    signal?.addEventListener("abort", abort, { once: true });
    request.onloadend = () => signal?.removeEventListener("abort", abort);
    request.onabort = () => reject(new DOMException("overtaken", "AbortError"));
    request.onerror = () => reject(new Problem("The server doesn't respond."));
    request.onload = () =>
      resolve({
        status: request.status,
        header: (name) => request.getResponseHeader(name),
        document: request.responseXML,
      });
    request.send();
  });
}

/** Sends a request until it is answered with the rights of the user and by a server that isn't too busy.
 * @param {string} url readable @param {Options} options @param {boolean} [asDocument] @returns {Promise<Answer>} */
async function ask(url, options, asDocument = false) {
  const target = linkTo(url);
  const origin = globalThis.location?.origin ?? "http://localhost";
  if (new URL(target, origin).origin !== origin) {
    throw new Problem("This is an address of another server.", { status: 400 });
  }
  const isRepeatable = ["GET", "HEAD", undefined].includes(options.method);
  for (let repetitions = 0;;) {
    const { token } = session;
    const answer = await transmit(target, options, asDocument);
    session.keep(answer.header("Kindred-Position"));
    if (answer.status === 401 && !options.isOptional && await session.renew(token)) {
      if (options.signal?.aborted) throw new DOMException("overtaken", "AbortError");
      continue;
    }
    const wait = Number(answer.header("Retry-After") ?? 1);
    const isBusy = answer.status === 429 || answer.status === 503;
    if (!isBusy || !isRepeatable || wait > PATIENCE || repetitions === REPETITIONS) return answer;
    repetitions += 1;
    await pause(wait, options.signal);
  }
}

/** @param {Answer} answer @param {Page | null} [page] @returns {Promise<Problem>} */
async function problem(answer, page = null) {
  const { status } = answer;
  const said = page?.document.querySelector("[role=alert] p")?.textContent;
  const found = await answer.response?.json().catch(() => null) ?? {};
  const wait = Number(answer.header("Retry-After") ?? NaN);
  return new Problem(said ?? found.detail ?? `The server responded with status ${status}.`, {
    status,
    pointer: found.pointer,
    line: found.line,
    wait: Number.isNaN(wait) ? undefined : wait,
    page,
  });
}

/** What a content is read as; one that ends early is a problem. @template Result @param {Promise<Result>} reading */
async function whole(reading) {
  try {
    return await reading;
  } catch (error) {
    if (isOvertaken(error)) throw error;
    throw new Problem("The server's response can't be read to its end.");
  }
}

/** An answer other than a page. */
export class Reply {
  /** @param {Response} response */
  constructor(response) {
    this.response = response;
    this.status = response.status;
    this.headers = response.headers;
  }

  text() {
    return whole(this.response.text());
  }

  /** Only for documents without records, whose numbers would lose digits. */
  json() {
    return whole(this.response.json());
  }

  blob() {
    return whole(this.response.blob());
  }

  /** The text in parts, as they arrive, each with its size in bytes. */
  async *parts() {
    const reader = this.response.body?.getReader();
    const decoder = new TextDecoder();
    try {
      while (reader !== undefined) {
        const { value, done } = await whole(reader.read());
        if (done) return;
        yield { text: decoder.decode(value, { stream: true }), size: value.length };
      }
    } finally {
      reader?.cancel().catch(() => {});
    }
  }
}

/** The response to a request for anything but a page. @param {string} url @param {Options} [options] @returns {Promise<Reply>} */
export async function fetched(url, options = {}) {
  const headers = { Accept: "application/json", ...options.headers };
  const answer = await ask(url, { ...options, headers });
  if (answer.response === undefined || !answer.response.ok && answer.status !== 304) {
    throw await problem(answer);
  }
  return new Reply(answer.response);
}

/** The page of a readable URL. @param {string} url @param {AbortSignal} [signal] @returns {Promise<Page>} */
export async function page(url, signal) {
  const answer = await ask(url, { headers: { Accept: "text/html" }, signal }, true);
  const total = answer.header("X-Total-Count");
  const type = answer.header("Content-Type") ?? "";
  if (answer.status === 200 && !type.startsWith("text/html")) throw new NoPage(type);
  // A page of something between browser and server has none.
  const found = answer.document?.querySelector("main")
    ? new Page(answer.document, answer.status, total === null ? null : Number(total))
    : null;
  if (found === null || answer.status !== 200) throw await problem(answer, found);
  return found;
}

/** A page of rows: whatever isn't one is a problem. @param {string} url @param {AbortSignal} [signal] @returns {Promise<Page & { table: HTMLTableElement }>} */
export async function rows(url, signal) {
  const found = await page(url, signal);
  if (found.table === null) throw new Problem("The server's response has no rows.", { status: 502 });
  return /** @type {Page & { table: HTMLTableElement }} */ (found);
}

/** A drawing. @param {string} url @param {AbortSignal} [signal] @returns {Promise<Document>} */
export async function drawing(url, signal) {
  const answer = await ask(url, { headers: { Accept: "image/svg+xml" }, signal }, true);
  if (answer.status !== 200 || !answer.document) throw await problem(answer);
  return answer.document;
}

/** The beginning of an answer as text, and whether it is all of it. @param {string} url @param {number} length in bytes @param {AbortSignal} [signal] */
export async function beginning(url, length, signal) {
  let [text, size] = ["", 0];
  for await (const part of (await fetched(url, { signal })).parts()) {
    text += part.text;
    size += part.size;
    if (size >= length) return { text, size, isWhole: false };
  }
  return { text, size, isWhole: true };
}

/** Saves a response that the browser can't download itself because it doesn't have the token. @param {string} url readable @param {string} [format] the extension of the file's name */
export async function download(url, format) {
  const response = await fetched(url, { headers: { Accept: "*/*" } });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  const name = path(url).split("/").pop() ?? "";
  link.download = format === undefined ? name : `${name}.${format.toLowerCase()}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** A document of the server's tools, which has no records. @param {string} url @param {AbortSignal} [signal] @returns {Promise<any>} */
async function tool(url, signal) {
  return await (await fetched(url, { signal })).json();
}

/** The completions at a position of a readable URL.
 * @param {string} url @param {number} position in scalars @param {AbortSignal} [signal] @returns {Promise<Completion[]>} */
export async function completions(url, position, signal) {
  return await tool(`/-/complete?url=${valueText(url)}&position=${position}`, signal);
}

/** The server's description of a readable URL. @param {string} url @returns {Promise<Description>} */
export function description(url) {
  const found = descriptions.get(url) ?? tool(`/-/describe?url=${valueText(url)}`);
  descriptions.delete(url);
  descriptions.set(url, found);
  found.catch(() => descriptions.delete(url));
  for (const oldest of descriptions.keys()) {
    if (descriptions.size <= 20) break;
    descriptions.delete(oldest);
  }
  return found;
}

/** The schema, which is fetched once for each token. @returns {Promise<Schema>} */
export function schema() {
  const asked = known ?? tool("/-/schema").catch((error) => {
    // Where only operators may see it, the index has to do.
    if (error.status === 401 || error.status === 403) return tool("/");
    throw error;
  }).then((found) => {
    for (const one of found.resources) one.link = requestAt(one.link);
    return found;
  });
  known = asked;
  asked.catch(() => {
    // A failure is not kept: the next call tries again.
    if (known === asked) known = null;
  });
  return asked;
}

/** The resource of a name. @param {string | undefined} name @returns {Promise<Resource | undefined>} */
export async function resource(name) {
  return (await schema()).resources.find((one) => one.name === name);
}

/** Whether the records of an association need parameters that only its node can give.
 * @param {Association} association @param {Resource[]} resources */
export function needsParameters({ destination, parameters: fixed = {} }, resources) {
  const { parameters = [] } = resources.find(({ name }) => name === destination) ?? {};
  return parameters.some(({ name, required }) => required && !Object.hasOwn(fixed, name));
}
