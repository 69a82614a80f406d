// The changes that haven't been sent yet, each as the request that it becomes. They name the version of the record that
// they are based on, so that nothing is overwritten, and are sent together, as one transaction.

import { isSame, members, object, pointedMember } from "./json.js";
import { identifier, keep, kept } from "./kept-state.js";
import { path } from "./request.js";
import { fetched, Problem } from "./server.js";

/** The number of requests that the server does in one transaction. */
export const MOST = 100;
/** The number of characters of a file beyond which it isn't part of a transaction, whose content the server limits. */
const LONGEST_FILE = 400_000;

/**
 * @typedef {object} Change
 * @property {"PATCH" | "POST" | "DELETE"} method
 * @property {string} url readable
 * @property {string} title the name of the record
 * @property {string} [resource] the resource of an added record
 * @property {string | null} tag the version of the record that the change is based on
 * @property {Map<string, string>} base the record as it was read, each member as JSON
 * @property {Map<string, string>} values the new values, each member as JSON
 * @property {string} id
 * @property {{ detail: string, member: string | null } | null} problem
 * @property {Map<string, string> | null} theirs the current record, if it was changed meanwhile
 */

/** A version of a record. @typedef {{ tag: string | null, values: Map<string, string> }} Version */

/** The current version of a record. @param {string} url @returns {Promise<Version>} */
export async function currentVersion(url) {
  const response = await fetched(url, { cache: "no-cache" });
  return { tag: response.headers.get("ETag"), values: members(await response.text()) };
}

/** Whether a value is sent by itself, as a file: base64, as hardly any text of that length is. @param {string} json */
function isLongFile(json) {
  return json.length > LONGEST_FILE && (json.length - 2) % 4 === 0 && /^"[A-Za-z0-9+/]*={0,2}"$/.test(json);
}

/** Whether only files of a change are left. @param {Change} change */
function isUpload({ method, values }) {
  return method === "PATCH" && Array.from(values.values()).every(isLongFile);
}

/** The bytes of a file. @param {string} json its base64 */
function bytes(json) {
  return Uint8Array.from(atob(json.slice(1, -1)), (character) => character.charCodeAt(0));
}

/** @param {Change} change */
function part({ method, url, tag, values: all }) {
  const values = method === "PATCH" ? new Map(Array.from(all).filter(([, json]) => !isLongFile(json))) : all;
  const headers = { Prefer: "return=minimal", ...tag === null ? {} : { "If-Match": tag } };
  const members = new Map([["method", JSON.stringify(method)], ["url", JSON.stringify(url)], [
    "headers",
    JSON.stringify(headers),
  ]]);
  if (method !== "DELETE") members.set("body", object(values));
  return object(members);
}

export class StagedChanges {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    /** @type {Change[]} */
    this.changes = [];
    /** What was sent without an answer: sent again as it was, it isn't done twice. @type {{ key: string, ids: string[], body: string } | null} */
    this.sent = null;
    /** The changes that were applied last. @type {Change[]} */
    this.done = [];
    /** What concerns all changes. @type {string | null} */
    this.trouble = null;
    /** The reading of long values. @type {Promise<void>} */
    this.ready = Promise.resolve();
    this.restore();
  }

  /** Reads the changes that were kept. */
  restore() {
    const { state, complete } = kept();
    this.changes = state?.changes ?? [];
    this.sent = state?.sent ?? null;
    this.ready = complete();
    this.ready.then(() => this.onChange());
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
      if (isSame(change.base.get(name), json)) change.values.delete(name);
      else change.values.set(name, json);
    }
    change.problem = null;
    if (change.values.size === 0) this.changes = this.changes.filter((one) => one !== change);
    this.#changed();
  }

  /** @param {string} url of the records that it is added to @param {string} title @param {Map<string, string>} values @param {string} [resource] */
  add(url, title, values, resource) {
    Object.assign(this.#made("POST", url, title, { tag: null, values: new Map() }), { values, resource });
    this.#changed();
  }

  /** Replaces the values of a record that is to be added. @param {Change} change @param {Map<string, string>} values */
  replace(change, values) {
    Object.assign(change, { values, problem: null });
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
    this.trouble = null;
    this.#changed();
  }

  /** Bases a change on the current version of a record that was changed meanwhile. @param {Change} change */
  async keepMine(change) {
    const version = await currentVersion(change.url);
    Object.assign(change, { tag: version.tag, base: version.values, theirs: null, problem: null });
    this.#changed();
  }

  /** Sends the changes, all or none, and then long files, one after another. @returns {Promise<boolean>} whether all are applied */
  async apply() {
    await this.ready;
    this.done = [];
    this.trouble = null;
    while (this.changes.length > 0) {
      const some = this.#next();
      if (some.length === 0) {
        if (!await this.#upload(this.changes[0])) return false;
        continue;
      }
      const body = `[${some.map(part).join(",")}]`;
      const key = this.sent?.body === body ? this.sent.key : identifier();
      this.sent = { key, ids: some.map(({ id }) => id), body };
      this.#changed();
      try {
        await fetched("/-/batch", {
          method: "POST",
          headers: { "Content-Type": "application/json", "Idempotency-Key": `"${key}"` },
          body,
        });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (!await this.#refused(some, error)) {
          this.#changed();
          return false;
        }
        continue;
      }
      this.#finish(some);
    }
    return true;
  }

  /** The changes that are sent next: those without an answer, if they are as they were. */
  #next() {
    const before = this.sent?.ids.map((id) => this.changes.find((change) => change.id === id)) ?? [];
    const again = before.filter((change) => change !== undefined);
    const isSameBatch = again.length > 0 && again.length === before.length &&
      `[${again.map(part).join(",")}]` === this.sent?.body;
    return isSameBatch ? again : this.changes.filter((change) => !isUpload(change)).slice(0, MOST);
  }

  /** Sends a file of a change. @param {Change} change @returns {Promise<boolean>} whether it is stored */
  async #upload(change) {
    const [name, json] = Array.from(change.values)[0];
    /** @type {Record<string, string>} */
    const condition = change.tag === null ? {} : { "If-Match": change.tag };
    const send = (/** @type {string} */ type, /** @type {BodyInit} */ body) =>
      fetched(`${path(change.url)}/${encodeURIComponent(name)}`, {
        method: "PUT",
        headers: { "Content-Type": type, ...condition },
        body,
      });
    try {
      const answer = await send("application/octet-stream", bytes(json)).catch((error) => {
        // A text, although it could be base64.
        if (error instanceof Problem && error.status === 415) return send("application/json", json);
        throw error;
      });
      change.tag = answer.headers.get("ETag");
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status === 0) this.trouble = `${error.message} Nothing is lost: apply it again.`;
      else change.problem = { detail: error.message, member: name };
      const isDone = error.status === 412 && await this.#isDone(change);
      this.#changed();
      return isDone;
    }
    change.values.delete(name);
    if (change.values.size === 0) this.#finish([change]);
    else this.#changed();
    return true;
  }

  /** @param {Change[]} some */
  #finish(some) {
    this.sent = null;
    for (const change of some) {
      if (change.method !== "PATCH") continue;
      const files = Array.from(change.values).filter(([, json]) => isLongFile(json));
      // The version is another one now.
      if (files.length > 0) Object.assign(change, { values: new Map(files), tag: null });
    }
    const done = some.filter((change) => change.values.size === 0 || !isUpload(change));
    this.done.push(...done);
    this.changes = this.changes.filter((change) => !done.includes(change));
    this.#changed();
  }

  /** Notes why nothing was done; returns whether the rest can be sent. @param {Change[]} some @param {Problem} problem */
  async #refused(some, problem) {
    for (const change of some) change.problem = null;
    if (problem.status === 0) {
      this.trouble = `${problem.message} Nothing is lost: apply it again.`;
      return false;
    }
    const [, index, member] = /^#\/(\d+)(?:\/body(\/.*))?$/.exec(problem.pointer ?? "") ?? [];
    const change = some[Number(index)];
    if (index === undefined || change === undefined) {
      this.trouble = problem.message;
      return false;
    }
    change.problem = { detail: problem.message, member: member ? pointedMember(`#${member}`) : null };
    if (problem.status !== 412 && problem.status !== 404 || change.method === "POST") return false;
    return await this.#isDone(change);
  }

  /** Whether the record is already as the change would make it; else both values are kept to choose from. @param {Change} change */
  async #isDone(change) {
    try {
      const version = await currentVersion(change.url);
      change.problem = { detail: "the record was changed in the meantime", member: null };
      change.theirs = version.values;
      if (change.method === "DELETE") return false;
      if (!Array.from(change.values).every(([name, json]) => isSame(version.values.get(name), json))) {
        return false;
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status !== 404) return false;
      change.problem = { detail: "the record no longer exists", member: null };
      if (change.method !== "DELETE") return false;
    }
    this.done.push(change);
    this.changes = this.changes.filter((one) => one !== change);
    return true;
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
      id: identifier(),
      problem: null,
      theirs: null,
    };
    this.changes.push(change);
    return change;
  }

  #changed() {
    const state = this.changes.length === 0 ? null : { changes: this.changes, sent: this.sent };
    keep(state).catch(() => {
      this.trouble = "The browser has no room to keep these changes: they are lost when this page is left.";
      this.onChange();
    });
    this.onChange();
  }
}
