// What is changed and not yet sent: each change is the request that it becomes. They outlive the page, so that nothing
// is lost; the server is told which version of a record they are meant for, so that nothing is overwritten.

import { fetched, Unreachable } from "./server.js";
import { members, object, pointedMember } from "./values.js";

const STORED = "kindred-edits";

/**
 * @typedef {object} Change
 * @property {"PATCH" | "POST" | "DELETE"} method
 * @property {string} url readable
 * @property {string} title what the record is called
 * @property {string | null} tag the version of the record that it is meant for
 * @property {Map<string, string>} base the record as it was read, each member as JSON
 * @property {Map<string, string>} values what is written, each member as JSON
 * @property {string} once tells a record that is added from others, when it is sent again
 * @property {{ detail: string, member: string | null } | null} problem
 * @property {Map<string, string> | null} theirs the record as it is now, where it was changed meanwhile
 */

/** What came of a record. @typedef {{ tag: string | null, values: Map<string, string> }} Version */

/** A record as it is now; null where it is gone. @param {string} url @returns {Promise<Version | null>} */
export async function present(url) {
  const response = await fetched(url, { cache: "no-cache" });
  if (!response.ok) return null;
  return { tag: response.headers.get("ETag"), values: members(await response.text()) };
}

export class Edits {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    /** @type {Change[]} */
    this.changes = this.#stored();
    /** What the latest sending has done. @type {Change[]} */
    this.done = [];
  }

  /** The change of a record. @param {string} url */
  of(url) {
    return this.changes.find((change) => change.url === url && change.method !== "POST") ?? null;
  }

  /** Adds to what is changed of a record; what is as it was is no change.
   * @param {string} url @param {string} title @param {Version} version @param {Map<string, string>} values */
  patch(url, title, version, values) {
    const change = this.of(url) ?? this.#made("PATCH", url, title, version);
    if (change.method !== "PATCH") return;
    for (const [name, json] of values) {
      if (change.base.get(name) === json) change.values.delete(name);
      else change.values.set(name, json);
    }
    change.problem = null;
    if (change.values.size === 0) this.changes = this.changes.filter((one) => one !== change);
    this.#changed();
  }

  /** @param {string} url of the records that it is added to @param {string} title @param {Map<string, string>} values */
  add(url, title, values) {
    this.#made("POST", url, title, { tag: null, values: new Map() }).values = values;
    this.#changed();
  }

  /** @param {string} url @param {string} title @param {Version} version */
  remove(url, title, version) {
    this.changes = this.changes.filter((one) => one !== this.of(url));
    this.#made("DELETE", url, title, version);
    this.#changed();
  }

  /** @param {Change[]} some */
  discard(some) {
    this.changes = this.changes.filter((change) => !some.includes(change));
    this.#changed();
  }

  /** After a record was changed meanwhile: what is written goes over what is there now. @param {Change} change */
  async keepMine(change) {
    const version = await present(change.url);
    if (version === null) return;
    Object.assign(change, { tag: version.tag, base: version.values, theirs: null, problem: null });
    this.#changed();
  }

  /** Sends the changes, one after the other, up to the first that fails. @returns {Promise<number | null>} the status of that one */
  async apply() {
    this.done = [];
    while (this.changes.length > 0) {
      const [change] = this.changes;
      try {
        const status = await this.#send(change);
        if (status !== null) return status;
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        change.problem = { detail: `${error.message} Nothing is lost: apply it again.`, member: null };
        return 0;
      } finally {
        this.#changed();
      }
      this.done.push(change);
      this.changes = this.changes.filter((one) => one !== change);
      this.#changed();
    }
    return null;
  }

  /** Null where it was done. @param {Change} change @returns {Promise<number | null>} */
  async #send(change) {
    const { method, url, tag, values, once } = change;
    const response = await fetched(url, {
      method,
      headers: {
        ...method === "DELETE" ? {} : { "Content-Type": "application/json" },
        ...tag === null ? {} : { "If-Match": tag },
        ...method === "POST" ? { "Idempotency-Key": `"${once}"` } : {},
      },
      body: method === "DELETE" ? null : object(values),
    });
    if (response.ok) return null;
    const problem = await response.json().catch(() => ({ detail: response.statusText }));
    change.problem = { detail: problem.detail, member: pointedMember(problem.pointer) };
    if (response.status !== 412) return response.status;
    const version = await present(url);
    if (version === null) {
      change.problem.detail = "the record is gone";
      // What was to be removed is removed.
      return method === "DELETE" ? null : 412;
    }
    // The answer to the first attempt may have been lost.
    const isDone = method === "PATCH" &&
      Array.from(values).every(([name, json]) => version.values.get(name) === json);
    change.problem.detail = "the record was changed meanwhile";
    change.theirs = version.values;
    return isDone ? null : 412;
  }

  /** @param {Change["method"]} method @param {string} url @param {string} title @param {Version} version @returns {Change} */
  #made(method, url, title, version) {
    /** @type {Change} */
    const change = {
      method,
      url,
      title,
      tag: version.tag,
      base: version.values,
      values: new Map(),
      once: Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join(""),
      problem: null,
      theirs: null,
    };
    this.changes.push(change);
    return change;
  }

  #changed() {
    try {
      const maps = (/** @type {string} */ _, /** @type {unknown} */ value) =>
        value instanceof Map ? { map: [...value] } : value;
      if (this.changes.length === 0) sessionStorage.removeItem(STORED);
      else sessionStorage.setItem(STORED, JSON.stringify(this.changes, maps));
    } catch {
      // They are kept in memory.
    }
    this.onChange();
  }

  /** @returns {Change[]} */
  #stored() {
    try {
      const maps = (/** @type {string} */ _, /** @type {any} */ value) =>
        Array.isArray(value?.map) ? new Map(value.map) : value;
      return JSON.parse(sessionStorage.getItem(STORED) ?? "[]", maps);
    } catch {
      return [];
    }
  }
}
