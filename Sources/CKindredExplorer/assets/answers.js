// What the server answers: pages, other contents, and why there is none.

/** Why there is no data: a problem of the server (RFC 9457), or none of it within reach, with status 0. */
export class Problem extends Error {
  /** @param {string} detail @param {{ status?: number, pointer?: string, line?: number, wait?: number, page?: Page | null }} [more] */
  constructor(detail, { status = 0, pointer, line, wait, page = null } = {}) {
    super(detail);
    this.status = status;
    this.pointer = pointer;
    this.line = line;
    /** After how many seconds the server wants to be asked again. */
    this.wait = wait;
    /** The problem as a page. */
    this.page = page;
  }

  /** Whether the same request may succeed later. */
  get mayPass() {
    return [0, 429, 502, 503, 504].includes(this.status);
  }
}

/** Thrown if the response is not a page but a value or a file. */
export class NoPage extends Error {}

/** Whether an error only means that something else was asked instead. @param {unknown} error */
export function isOvertaken(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/** A page of the server. */
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

  /** Whether the request needs parameters that it doesn't have. */
  get lacksParameters() {
    return this.document.querySelector("[role=alert] a[href$='#missing-parameter']") !== null;
  }

  /** The link to another page of the same result. @param {string} relation */
  link(relation) {
    return this.document.querySelector(`footer a[rel="${relation}"]`)?.getAttribute("href") ?? null;
  }
}
