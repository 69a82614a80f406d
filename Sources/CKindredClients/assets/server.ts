// What runs: what is sent and what comes back.

class KindredServer {
  readonly tags = new WeakMap<object, string>();
  readonly base: string;
  // The greatest position that an answer has come with, so that no later answer shows less.
  #position = "";
  readonly #options: Kindred.Options;

  constructor(url: string, options: Kindred.Options) {
    this.base = url.replace(/\/+$/, "");
    this.#options = options;
  }

  async #token(): Promise<string | undefined> {
    const { token } = this.#options;
    return typeof token === "function" ? await token() : token;
  }

  async #send(
    part: Kindred.Sendable,
    signal: AbortSignal | undefined,
    bearer: string | undefined,
    accept = "application/json",
  ): Promise<Kindred.Answer> {
    const { headers, fetch: send = fetch } = this.#options;
    let { method, url } = part;
    let body = (part.body ?? null) as Kindred.Content | null;
    const sent: Kindred.Fields = { Accept: accept, ...headers, ...part.headers };
    if (bearer !== undefined) sent["Authorization"] = `Bearer ${bearer}`;
    if (this.#position) sent["Kindred-Position"] = this.#position;
    // A query that may be too long for a URL is content (RFC 10008).
    if (method === "GET" && url.length > 6000 && url.includes("?")) {
      [url, body] = [url.slice(0, url.indexOf("?")), url.slice(url.indexOf("?") + 1)];
      method = "QUERY";
      sent["Content-Type"] = "application/x-www-form-urlencoded";
    }
    const response = await send(this.base + url, { method, headers: sent, body, signal: signal ?? null });
    const position = response.headers.get("Kindred-Position");
    if (position && order(position) > order(this.#position)) this.#position = position;
    if (response.ok) return response;
    const text = await response.text();
    const members = isOf("problem+json", response) && parsed(text, response, undefined);
    if (!isObject(members)) throw unexpected(response, text);
    throw new Problem(response.status, { ...retryAfter(response.headers), ...members });
  }

  /** Sends a request and takes its answer; a read again after errors of the network and 503. */
  async answer<T>(
    part: Kindred.Sendable,
    signal: AbortSignal | undefined,
    take: (response: Kindred.Answer) => Promise<T>,
    accept?: string,
  ): Promise<T> {
    const { retries = 3 } = this.#options;
    const content = part.method === "GET" || part.headers["Content-Type"] !== "application/json"
      ? part.body
      : json(part.body);
    for (let tries = 0;; tries++) {
      const bearer = await this.#token();
      try {
        return await take(await this.#send({ ...part, body: content }, signal, bearer, accept));
      } catch (error) {
        let pause = 200 * 2 ** tries;
        if (error instanceof Problem) {
          if (error.status !== 503) throw error;
          if (error.retryAfter) pause = error.retryAfter * 1000;
        }
        if (part.method !== "GET" || tries >= retries || pause > 30_000 || signal?.aborted) throw error;
        await waiting(signal, pause);
      }
    }
  }

  /** Returns the result of an answer; what is none is a problem. */
  async result(
    response: Kindred.Answer,
    { method, gives, tagged, texts }: Kindred.Sendable,
  ): Promise<unknown> {
    const isMinimal = response.status === 204 ||
      response.headers.get("Preference-Applied")?.includes("return=minimal");
    if (isMinimal) return await response.text() || undefined;
    const result = await this.value(response, texts);
    const isNone = result === null && method !== "GET";
    if (!isNone && (gives === "one" && !isObject(result) || gives === "many" && !Array.isArray(result))) {
      throw unexpected(response, JSON.stringify(result));
    }
    const tag = response.headers.get("ETag");
    if (tag && tagged && isObject(result)) this.tags.set(result, tag);
    return result;
  }

  async value(response: Kindred.Answer, texts: Kindred.Texts): Promise<unknown> {
    const text = await response.text();
    return isOf("json", response)
      ? parsed(text, response, texts)
      : Promise.reject(unexpected(response, text));
  }

  fetch(part: Kindred.Sendable, signal: AbortSignal | undefined): Promise<unknown> {
    return this.answer(part, signal, (response) => this.result(response, part));
  }

  page(part: Kindred.Sendable, signal: AbortSignal | undefined): Promise<Kindred.Page<unknown>> {
    return this.answer(part, signal, async (response) => {
      const records = await this.result(response, part) as unknown[];
      const cursor = (relation: string, name: string) => {
        const link = new RegExp(`<([^>]*)>\\s*;[^<]*rel="?${relation}`).exec(
          response.headers.get("Link") ?? "",
        )?.[1];
        if (link === undefined) return {};
        const cursor = new URLSearchParams(link.split("?")[1] ?? "").get(name);
        if (cursor === null) {
          throw unexpected(response, `a link to the ${relation} page without a cursor: ${link}`);
        }
        return { [relation]: cursor };
      };
      const total = response.headers.get("X-Total-Count") ?? response.headers.get("X-Estimated-Count");
      return {
        records,
        ...cursor("next", "after"),
        ...cursor("prev", "before"),
        ...(total === null ? {} : { total: Number(total) }),
      };
    });
  }

  /** Returns the records of all pages. */
  async *pages(
    first: Kindred.Sendable,
    further: Kindred.Sendable,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<unknown> {
    let part = first;
    for (;;) {
      const { records, next } = await this.page(part, signal);
      yield* records;
      if (next === undefined) return;
      part = { ...further, url: withQuery(further.url, [["after", next]]) };
    }
  }

  /** Returns the results of a stream of events (WHATWG HTML, §9.2), which goes on after it has broken off. */
  async *events(part: Kindred.Sendable, query: Kindred.Loose): AsyncGenerator<unknown> {
    const signal = signalOf(query);
    const onStatus = query["onStatus"] as Kindred.LiveClauses<Kindred.AnyResource>["onStatus"];
    const silence = 3 * (this.#options.heartbeat ?? 15_000);
    let [id, pause] = ["", 1000];
    for (;;) {
      signal?.throwIfAborted();
      onStatus?.("connecting");
      const connection = new AbortController();
      const within = <T>(promise: Promise<T>) => inTime(promise, silence, signal);
      let reason: unknown = new Error("the server has ended the connection");
      try {
        const bearer = await within(this.#token());
        const headers = { ...part.headers, ...(id ? { "Last-Event-ID": id } : {}) };
        const response = await within(
          this.#send({ ...part, headers }, connection.signal, bearer, "text/event-stream"),
        );
        if (!response.body || !isOf("event-stream", response)) {
          throw unexpected(response, await within(response.text()));
        }
        onStatus?.("live");
        pause = 1000;
        const reader = response.body.getReader();
        for await (const event of messages(() => within(reader.read()))) {
          id = event.id;
          const result = parsed(event.data, response, part.texts);
          yield result;
        }
      } catch (error) {
        const { status, retryAfter = 0 } = error instanceof Problem ? error : { status: 503 };
        if (signal?.aborted || (status !== 429 && status < 500)) throw error;
        pause = Math.max(pause, retryAfter * 1000);
        reason = error;
      } finally {
        connection.abort();
      }
      onStatus?.("waiting", reason);
      await waiting(signal, pause, ["online", "visibilitychange"]);
      pause = Math.min(pause * 2, 30_000);
    }
  }
}

// Returns what a promise gives, unless a time in milliseconds has passed or the signal has come before.
function inTime<T>(promise: Promise<T>, time: number, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    const abort = () => {
      end();
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      end();
      reject(new Error(`the server has said nothing for ${time / 1000} s`));
    }, time);
    signal?.addEventListener("abort", abort);
    promise.finally(end).then(resolve, reject);
    if (signal?.aborted) abort();
  });
}

// Waits for a time in milliseconds, or until one of the events of the window while it can be seen; the signal ends it.
async function waiting(
  signal: AbortSignal | undefined,
  time: number,
  events: readonly string[] = [],
): Promise<void> {
  let wake = () => {};
  const early = new Promise<void>((resolve) => {
    wake = () => {
      const { document } = globalThis as { document?: { visibilityState: string } };
      if (document?.visibilityState !== "hidden") resolve();
    };
  });
  for (const event of events) globalThis.addEventListener?.(event, wake);
  try {
    await inTime(early, time, signal).catch(() => signal?.throwIfAborted());
  } finally {
    for (const event of events) globalThis.removeEventListener?.(event, wake);
  }
}

// A position of PostgreSQL's log, a timeline and two hexadecimal numbers, as texts are compared.
const order = (position: string) => position.split(/[-/]/).map((part) => part.padStart(10, "0")).join("");

async function* messages(
  read: () => Promise<{ done: boolean; value?: Uint8Array<ArrayBuffer> | undefined }>,
): AsyncGenerator<{ id: string; data: string }> {
  const decoder = new TextDecoder();
  let [parts, id, data]: [string[], string, string[]] = [[], "", []];
  for (;;) {
    const { done, value } = await read();
    if (done) return;
    for (const [index, piece] of decoder.decode(value, { stream: true }).split("\n").entries()) {
      if (index > 0) {
        const line = parts.join("");
        parts = [];
        if (line.startsWith("id: ")) id = line.slice(4);
        else if (line.startsWith("data: ")) data.push(line.slice(6));
        else if (!line && data.length) {
          yield { id, data: data.join("\n") };
          data = [];
        }
      }
      parts.push(piece);
    }
  }
}
