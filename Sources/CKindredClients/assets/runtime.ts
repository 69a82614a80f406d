// What runs.

/** An answer that isn't a result: `application/problem+json` (RFC 9457). */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly type: string;
  readonly title: string;
  readonly detail?: string;
  readonly parameter?: string;
  readonly position?: number;
  readonly suggestions?: readonly string[];
  readonly instance?: string;
  readonly line?: number;
  readonly pointer?: string;
  readonly hint?: string;
  /** The seconds after which the server asks to try again. */
  readonly retryAfter?: number;

  constructor(status: number, members: { readonly [name: string]: unknown }) {
    const title = `${members.title ?? `HTTP ${status}`}`;
    super(`${members.detail ?? title}`);
    this.status = status;
    this.type = `${members.type ?? "about:blank"}`;
    this.title = title;
    for (
      const name of ["detail", "parameter", "position", "suggestions", "instance", "line", "pointer", "hint"]
    ) {
      if (members[name] !== undefined) {
        Object.defineProperty(this, name, { value: members[name], enumerable: true });
      }
    }
    if (Number(members.retryAfter) > 0) this.retryAfter = Number(members.retryAfter);
  }
}

const list = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [value];
const quoted = (name: string) => name === "*" ? name : `"${name.replaceAll('"', '""')}"`;
const literal = (value: unknown) =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : `${value}`;

function term(sort: unknown): string {
  if (typeof sort !== "string") {
    const { expression, descending } = sort as { expression: string; descending?: boolean };
    return `${descending ? "-" : ""}(${expression})`;
  }
  const [, minus, path, suffix] = /^(-?)(.*?)((?::(?:nocase|nullsfirst|nullslast))*)$/s.exec(sort) ?? [];
  return minus + path.split(".").map(quoted).join(".") + suffix;
}

function condition(column: string, value: unknown): string {
  const name = quoted(column);
  if (value === null) return `${name} is null`;
  return Array.isArray(value)
    ? `${name} in (${value.map(literal).join(",")})`
    : `${name} = ${literal(value)}`;
}

const items = (named: unknown) =>
  Array.isArray(named)
    ? named.map(quoted).join(",")
    : Object.entries(named as Kindred.Loose).map(([name, expression]) => `${quoted(name)}:${expression}`)
      .join(",");

const clauses: { readonly [name: string]: (value: unknown) => string[] } = {
  fields: (value) => [items(value)],
  annotate: (value) => Object.keys(value as Kindred.Loose).length ? [items(value)] : [],
  filter: (value) => list(value).map(String),
  having: (value) => list(value).map(String),
  sort: (value) => list(value).length ? [list(value).map(term).join(",")] : [],
  group: (value) => [list(value).join(",")],
};

// The parameters of a query or of a node, whose path comes before their names.
function parameters(query: Kindred.Loose, at: readonly string[], into: Kindred.Pair[]): Kindred.Pair[] {
  const add = (name: string, value: string) => into.push([[...at, name].join("."), value]);
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || ["signal", "of", "required", "depth"].includes(name)) continue;
    if (name === "include" || name === "join") nodes(name, value as Kindred.Loose, at, into);
    else if (name === "where") {
      for (const [column, one] of Object.entries(value as Kindred.Loose)) {
        if (one !== undefined) add("filter", condition(column, one));
      }
    } else if (name === "values") {
      add(name, /^[\p{L}_][\p{L}\p{N}_]*$/u.test(`${value}`) ? quoted(`${value}`) : `${value}`);
    } else for (const one of clauses[name]?.(value) ?? [`${value}`]) add(name, one);
  }
  return into;
}

function nodes(parameter: string, all: Kindred.Loose, at: readonly string[], into: Kindred.Pair[]) {
  for (const [key, value] of Object.entries(all)) {
    if (value === undefined) continue;
    const node = value as Kindred.Loose;
    const depth = node.depth === undefined ? "" : `*${node.depth === true ? "" : node.depth}`;
    const path = [...at, node.of ?? key].join(".");
    into.push([
      parameter,
      `${node.of === undefined ? "" : `${key}:`}${path}${depth}${node.required ? "!" : ""}`,
    ]);
    parameters(node, [...at, key], into);
  }
}

const encoded = (pairs: readonly Kindred.Pair[]) =>
  pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");

function keyPath(key: unknown): string {
  if (typeof key === "object" && key !== null) {
    return Object.entries(key).filter(([, value]) => value !== undefined)
      .map(([column, value]) => `${encodeURIComponent(column)}=${encodeURIComponent(`${value}`)}`).join(",");
  }
  const text = `${key}`;
  // Servers and proxies resolve these segments before anybody sees them as keys (RFC 3986 §6.2.2.3).
  if (["", ".", ".."].includes(text)) throw new TypeError(`write the key "${text}" as { column: "${text}" }`);
  return encodeURIComponent(text);
}

// Requests without their results' types: what the server is sent.
function requests(resource: string) {
  const path = `/${encodeURIComponent(resource)}`;
  const part = (
    method: string,
    url: string,
    pairs: Kindred.Pair[],
    options: Kindred.Loose = {},
    body?: unknown,
  ) => ({
    method,
    url: pairs.length ? `${url}?${encoded(pairs)}` : url,
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(options.ifMatch === undefined ? {} : { "If-Match": `${options.ifMatch}` }),
      ...(options.idempotencyKey === undefined
        ? {}
        : { "Idempotency-Key": JSON.stringify(options.idempotencyKey) }),
      ...(options.prefer === undefined ? {} : { Prefer: list(options.prefer).join(", ") }),
    },
  });
  const shape = ({ fields, include, annotate }: Kindred.Loose) =>
    parameters({ fields, include, annotate }, [], []);
  const one = (key: unknown) => `${path}/${keyPath(key)}`;
  return {
    fetchAll: (query: Kindred.Loose = {}) => part("GET", path, parameters(query, [], [])),
    fetchOne: (key: unknown, query: Kindred.Loose = {}) => part("GET", one(key), parameters(query, [], [])),
    create: (record: unknown, options: Kindred.Loose = {}) =>
      part("POST", path, shape(options), options, record),
    update: (key: unknown, change: unknown, options: Kindred.Loose = {}) =>
      part("PATCH", one(key), shape(options), options, change),
    replace: (key: unknown, record: unknown, options: Kindred.Loose = {}) =>
      part("PUT", one(key), shape(options), options, record),
    delete: (key: unknown, options: Kindred.Loose = {}) => part("DELETE", one(key), shape(options), options),
    updateAll: (selection: Kindred.Loose, change: unknown) =>
      part("PATCH", path, parameters(selection, [], []), {}, change),
    deleteAll: (selection: Kindred.Loose) => part("DELETE", path, parameters(selection, [], [])),
  };
}

class KindredServer {
  readonly tags = new WeakMap<object, string>();
  // The greatest position that an answer has come with, so that no later answer shows less.
  private position = "";
  private readonly base: string;
  private readonly options: Kindred.Options;

  constructor(url: string, options: Kindred.Options) {
    this.base = url.replace(/\/+$/, "");
    this.options = options;
  }

  async send(part: Kindred.Sendable, signal: unknown, accept = "application/json"): Promise<Kindred.Answer> {
    const { token, headers, fetch: send = fetch } = this.options;
    const bearer = typeof token === "function" ? await token() : token;
    let { method, url } = part;
    let body = part.body === undefined ? undefined : JSON.stringify(part.body);
    const sent: Kindred.Fields = { Accept: accept, ...headers, ...part.headers };
    if (bearer !== undefined) sent.Authorization = `Bearer ${bearer}`;
    if (this.position) sent["Kindred-Position"] = this.position;
    // A query that may be too long for a URL is content (RFC 10008).
    if (method === "GET" && url.length > 6000 && url.includes("?")) {
      [url, body] = [url.slice(0, url.indexOf("?")), url.slice(url.indexOf("?") + 1)];
      method = "QUERY";
      sent["Content-Type"] = "application/x-www-form-urlencoded";
    }
    const response = await send(/^https?:/.test(url) ? url : this.base + url, {
      method,
      headers: sent,
      body,
      signal: signal instanceof AbortSignal ? signal : undefined,
    });
    const position = response.headers.get("Kindred-Position");
    if (position && !isBefore(position, this.position)) this.position = position;
    if (response.ok) return response;
    const text = await response.text();
    let members: Kindred.Loose = { detail: text.slice(0, 1000) };
    if (response.headers.get("Content-Type")?.includes("json")) members = JSON.parse(text);
    throw new Problem(response.status, { retryAfter: response.headers.get("Retry-After"), ...members });
  }

  async result(part: Kindred.Sendable, signal: unknown): Promise<unknown> {
    const response = await this.send(part, signal);
    const text = await response.text();
    const result = text ? JSON.parse(text) : undefined;
    const tag = response.headers.get("ETag");
    if (tag && typeof result === "object" && result && !Array.isArray(result)) this.tags.set(result, tag);
    return result;
  }

  // The pages of a collection, by the links between them.
  async *pages(part: Kindred.Sendable, signal: unknown): AsyncGenerator<unknown> {
    const query = part.url.split("?")[1] ?? "";
    let [url, rest] = [part.url, ""];
    while (url) {
      let response: Kindred.Answer;
      try {
        response = await this.send({ ...part, url: url + rest }, signal);
      } catch (error) {
        // The link to a page of a very long request has only its place; the request is sent again with it.
        const isPlace = error instanceof Problem && error.status === 400 && error.parameter === "after";
        if (!isPlace || url === part.url || rest) throw error;
        rest = `&${query}`;
        continue;
      }
      yield* await response.json() as unknown[];
      const link = /<([^>]*)>\s*;[^<]*rel="?next/.exec(response.headers.get("Link") ?? "")?.[1];
      url = link ? new URL(link, response.url || this.base).href : "";
    }
  }

  // The results of a stream of events (WHATWG HTML, §9.2), which goes on after it has broken off.
  async *events(part: Kindred.Sendable, signal: unknown): AsyncGenerator<unknown> {
    let [id, pause] = ["", 1000];
    for (;;) {
      const ended = new AbortController();
      const both = signal instanceof AbortSignal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
      try {
        const headers = { ...part.headers, ...(id ? { "Last-Event-ID": id } : {}) };
        const response = await this.send({ ...part, headers }, both, "text/event-stream");
        pause = 1000;
        for await (const event of messages(response)) {
          id = event.id;
          yield JSON.parse(event.data);
        }
      } catch (error) {
        const status = error instanceof Problem ? error.status : 503;
        if (both.aborted || (status !== 429 && status < 500)) throw error;
        if (error instanceof Problem && error.retryAfter) pause = Math.max(pause, error.retryAfter * 1000);
      } finally {
        ended.abort();
      }
      await wait(pause, signal);
      pause = Math.min(pause * 2, 30_000);
    }
  }
}

// Waits for a time in milliseconds, or until the signal.
const wait = (time: number, signal: unknown) =>
  new Promise<void>((resume) => {
    const end = () => {
      clearTimeout(timer);
      resume();
    };
    const timer = setTimeout(end, time);
    if (signal instanceof AbortSignal) signal.addEventListener("abort", end, { once: true });
  });

// Whether a position of PostgreSQL's log, two hexadecimal numbers, comes before another.
function isBefore(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => (text || "0/0").split("/").map((half) => parseInt(half, 16)));
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
}

async function* messages(response: Kindred.Answer): AsyncGenerator<{ id: string; data: string }> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader?.read() ?? { done: true, value: "" };
    if (done) return;
    const events = (text + value).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const field = (name: string) =>
        event.split("\n").filter((line) => line.startsWith(`${name}: `)).map((line) =>
          line.slice(name.length + 2)
        ).join("\n");
      if (field("data")) yield { id: field("id"), data: field("data") };
    }
  }
}

const signalOf = (given: readonly unknown[]) =>
  given.map((one) => (one as Kindred.Loose | undefined)?.signal).find((signal) =>
    signal instanceof AbortSignal
  );

/** Returns a client of the server at a URL. */
export function client(url: string, options: Kindred.Options = {}): Kindred.Client {
  const server = new KindredServer(url, options);
  const batch = async (
    parts: readonly Kindred.Sendable[],
    { signal, idempotencyKey }: Kindred.Loose = {},
  ) => {
    const body = parts.map(({ method, url, body, headers }) => ({ method, url, body, headers }));
    const headers: Kindred.Fields = { "Content-Type": "application/json" };
    if (idempotencyKey !== undefined) headers["Idempotency-Key"] = JSON.stringify(idempotencyKey);
    const answers = await server.result(
      { method: "POST", url: "/-/batch", body, headers },
      signal,
    ) as Kindred.Loose[];
    return answers.map((answer) => answer.body ?? undefined);
  };
  const resource = (name: string) => {
    const request = requests(name);
    const sent = Object.entries(request).map(([name, make]) => [
      name,
      (...given: unknown[]) =>
        server.result((make as (...given: unknown[]) => Kindred.Sendable)(...given), signalOf(given)),
    ]);
    return {
      ...Object.fromEntries(sent),
      request,
      records: (query: Kindred.Loose = {}) => server.pages(request.fetchAll(query), query.signal),
      live: (query: Kindred.Loose = {}) => server.events(request.fetchAll(query), query.signal),
      etag: (record: object) => server.tags.get(record),
      fetchCount: async (query: Kindred.Loose = {}) => {
        const { url } = request.fetchAll({ ...query, limit: 1 });
        const answer = await server.send(
          { method: "HEAD", url: `${url}&count=true`, headers: {} },
          query.signal,
        );
        return Number(answer.headers.get("X-Total-Count"));
      },
    };
  };
  return new Proxy({}, {
    // A promise of a client would otherwise wait for a resource of this name.
    get: (_, name) =>
      typeof name !== "string" || name === "then"
        ? undefined
        : name === "batch"
        ? Object.assign(batch, resource(name))
        : resource(name),
  }) as Kindred.Client;
}
