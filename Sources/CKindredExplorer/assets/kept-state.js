// Staged changes outlive the page: in the session's storage, and long values, such as files, in a database of the browser.

const STORED = "kindred-edits";
const DATABASE = "kindred";
const STORE = "values";
/** The number of characters beyond which a value isn't kept in the session's storage. */
const LONGEST = 20_000;
/** The time in milliseconds for which the database keeps what a tab has left. */
const KEPT = 7 * 24 * 3600 * 1000;

/** A random text that nothing else has. */
export function identifier() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("");
}

/** @returns {Promise<IDBObjectStore>} */
function values() {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => resolve(opening.result.transaction(STORE, "readwrite").objectStore(STORE));
  });
}

/** @template Result @param {(store: IDBObjectStore) => IDBRequest<Result>} action @returns {Promise<Result>} */
async function inDatabase(action) {
  const request = action(await values());
  return await new Promise((resolve, reject) => {
    request.onerror = () => reject(request.error);
    request.onsuccess = () => resolve(request.result);
  });
}

/** A long value that is in the database, by its key. */
class Elsewhere {
  /** @param {string} key */
  constructor(key) {
    this.key = key;
  }
}

/** The keys of the long values that are in the database, or on their way, and when they are there.
 * @type {Map<string, { key: string, stored: Promise<unknown> }>} */
const written = new Map();

/** Writes a long value; the keys begin with the time, so that what closed tabs have left can be found. @param {string} value */
function write(value) {
  const key = `${Date.now()} ${identifier()}`;
  const old = IDBKeyRange.upperBound(String(Date.now() - KEPT));
  const stored = inDatabase((store) => store.delete(old)).then(() =>
    inDatabase((store) => store.put(value, key))
  );
  written.set(value, { key, stored });
  return written.get(value);
}

/** Keeps a state of plain objects, Maps and texts. @param {unknown} state null removes it @throws if there is no room for it */
export async function keep(state) {
  /** @type {Set<string>} */
  const used = new Set();
  const text = state === null ? null : JSON.stringify(state, (_, value) => {
    if (value instanceof Map) return { map: [...value] };
    if (typeof value !== "string" || value.length <= LONGEST) return value;
    used.add(value);
    return { elsewhere: (written.get(value) ?? write(value))?.key };
  });
  for (const [value, { key }] of [...written].filter(([one]) => !used.has(one))) {
    written.delete(value);
    inDatabase((store) => store.delete(key)).catch(() => {});
  }
  // What was kept before must not come back.
  sessionStorage.removeItem(STORED);
  if (text !== null) sessionStorage.setItem(STORED, text);
  await Promise.all([...used].map((value) => written.get(value)?.stored));
}

/** What was kept, without the long values, and a function that reads them. @returns {{ state: any, complete: () => Promise<void> }} */
export function kept() {
  /** @type {{ map: Map<unknown, unknown>, name: unknown, key: string }[]} */
  const missing = [];
  const revive = (/** @type {string} */ _, /** @type {any} */ value) => {
    if (typeof value?.elsewhere === "string") return new Elsewhere(value.elsewhere);
    if (!Array.isArray(value?.map)) return value;
    const map = new Map(value.map);
    for (const [name, one] of map) {
      if (one instanceof Elsewhere) missing.push({ map, name, key: one.key });
    }
    for (const { name } of missing) map.delete(name);
    return map;
  };
  let state = null;
  try {
    state = JSON.parse(sessionStorage.getItem(STORED) ?? "null", revive);
  } catch {
    // Without storage, nothing is kept.
  }
  return {
    state,
    async complete() {
      for (const { map, name, key } of missing) {
        const value = await inDatabase((store) => store.get(key)).catch(() => undefined);
        if (value === undefined) continue;
        written.set(value, { key, stored: Promise.resolve() });
        map.set(name, value);
      }
    },
  };
}
