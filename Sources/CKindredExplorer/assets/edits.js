// The changes that haven't been sent yet, each as the request that it becomes. They outlive the page, so that nothing
// is lost, and name the version of the record that they are based on, so that nothing is overwritten.

import { fetched, Unreachable } from "./server.js";
import { members, object, pointedMember } from "./values.js";

const STORED = "kindred-edits";

/**
 * @typedef {object} Change
 * @property {"PATCH" | "POST" | "DELETE"} method
 * @property {string} url readable
 * @property {string} title the name of the record
 * @property {string | null} tag the version of the record that the change is based on
 * @property {Map<string, string>} base the record as it was read, each member as JSON
 * @property {Map<string, string>} values the new values, each member as JSON
 * @property {string} once the idempotency key of an added record, in case it is sent again
 * @property {{ detail: string, member: string | null } | null} problem
 * @property {Map<string, string> | null} theirs the current record, if it was changed meanwhile
 */

/** A version of a record. @typedef {{ tag: string | null, values: Map<string, string> }} Version */

/** The current version of a record, or null if it is gone. @param {string} url @returns {Promise<Version | null>} */
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
    /** The changes that were applied last. @type {Change[]} */
    this.done = [];
  }

  /** The pending change of a record. @param {string} url */
  of(url) {
    return this.changes.find((change) => change.url === url && change.method !== "POST") ?? null;
  }

  /** Adds values to the change of a record; values equal to the stored ones are removed from it.
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

  /** Bases a change on the current version of a record that was changed meanwhile. @param {Change} change */
  async keepMine(change) {
    const version = await present(change.url);
    if (version === null) return;
    Object.assign(change, { tag: version.tag, base: version.values, theirs: null, problem: null });
    this.#changed();
  }

  /** Sends the changes in order, up to the first that fails. @returns {Promise<number | null>} the status of that one */
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

  /** Sends a change; returns null if it succeeded. @param {Change} change @returns {Promise<number | null>} */
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
      change.problem.detail = "the record no longer exists";
      // A record to be deleted is already gone.
      return method === "DELETE" ? null : 412;
    }
    // The answer to the first attempt may have been lost.
    const isDone = method === "PATCH" &&
      Array.from(values).every(([name, json]) => version.values.get(name) === json);
    change.problem.detail = "the record was changed in the meantime";
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
      // Without storage, the changes are only in memory.
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
