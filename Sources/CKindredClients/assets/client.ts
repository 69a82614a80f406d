// What runs: the client.

const signalOf = (...given: readonly unknown[]) =>
  given.map((one) => isObject(one) ? one["signal"] : undefined).find((signal) =>
    signal instanceof AbortSignal
  );

// The lines of a content of an import.
async function content(given: unknown): Promise<Blob> {
  if (typeof given === "string" || given instanceof Blob) return new Blob([given]);
  if (given instanceof ReadableStream) return await new Response(given).blob();
  const lines: string[] = [];
  for await (const record of given as AsyncIterable<unknown>) lines.push(`${json(record)}\n`);
  return new Blob(lines);
}

/** Returns a client of the server at a URL. */
export function client(url: string, options: Kindred.Options = {}): Kindred.Client {
  const server = new KindredServer(url, options);
  // The methods of requests, which send them.
  const sending = (request: Kindred.Loose) =>
    Object.fromEntries(
      Object.entries(request).map(([name, make]) => [
        name,
        async (...given: unknown[]) =>
          await server.fetch(
            (make as (...given: unknown[]) => Kindred.Sendable)(...given),
            signalOf(...given),
          ),
      ]),
    );
  const batch = async (
    parts: readonly Kindred.Sendable[],
    { signal, idempotencyKey }: Kindred.Loose = {},
  ) => {
    const part: Kindred.Sendable = {
      method: "POST",
      url: "/-/batch",
      body: parts.map(({ method, url, body, headers }) => ({ method, url, body, headers })),
      headers: { "Content-Type": "application/json", ...conditions({ idempotencyKey }) },
      gives: "many",
      texts: parts.some(({ texts }) => texts) ? parts.map(({ texts }) => ({ body: texts })) : undefined,
    };
    const answers = await server.fetch(part, signalOf({ signal })) as Kindred.Loose[];
    return answers.map(({ headers, body }, index) => {
      const tag = isObject(headers) ? headers["ETag"] : undefined;
      if (parts[index]?.tagged && isObject(body) && typeof tag === "string") server.tags.set(body, tag);
      return body ?? undefined;
    });
  };
  const valueOf = (resource: string, key: unknown, column: string) => {
    const url = `/${encodeURIComponent(resource)}/${keyPath(resource, key)}/${encodeURIComponent(column)}`;
    const write = (method: string, options: Kindred.Loose = {}, body?: unknown, type?: string) => {
      const headers = { ...conditions(options), ...(type ? { "Content-Type": type } : {}) };
      return server.answer({ method, url, body, headers }, signalOf(options), async (response) => {
        const text = await response.text();
        if (text) throw unexpected(response, text);
        return response.headers.get("ETag") ?? "";
      });
    };
    const { bytes, integers } = facts(resource);
    return {
      url: server.base + url,
      get: (options: Kindred.Loose = {}) =>
        server.answer({ method: "GET", url, headers: {} }, signalOf(options), async (response) => {
          const { headers } = response;
          // A page of a proxy has no tag.
          const isBytes = bytes?.includes(column) && headers.has("ETag") && !isOf("json", response);
          return isBytes
            ? await response.blob()
            : await server.value(response, integers?.includes(column) ? true : undefined);
        }, "*/*"),
      put: async (value: unknown, options?: Kindred.Loose) => {
        if (value === undefined) refuse(`\`${column}\``, value);
        const type = value instanceof Blob
          ? value.type || "application/octet-stream"
          : value instanceof ArrayBuffer || ArrayBuffer.isView(value)
          ? "application/octet-stream"
          : "application/json";
        return await write("PUT", options, value, type);
      },
      delete: async (options?: Kindred.Loose) => await write("DELETE", options),
    };
  };
  const counted = async (response: Kindred.Answer) => {
    const total = response.headers.get("X-Total-Count");
    const text = await response.text();
    return total === null ? Promise.reject(unexpected(response, text)) : Number(total);
  };
  const resource = (name: string) => {
    const request = requests(name);
    const all = (query: Kindred.Loose) => request.fetchAll(query);
    return {
      ...sending(request),
      request,
      fetchPage: async (query: Kindred.Loose = {}) => await server.page(all(query), signalOf(query)),
      async *records(query: Kindred.Loose = {}) {
        yield* server.pages(all(query), all({ ...query, offset: undefined }), signalOf(query));
      },
      async *live(query: Kindred.Loose = {}) {
        yield* server.events(all(query), query);
      },
      etag: (record: object) => {
        const tag = server.tags.get(record);
        if (tag === undefined) {
          throw new TypeError(
            "only `fetchOne` and writes, without `fields`, `include`, `annotate`, tell a tag",
          );
        }
        return tag;
      },
      fetchCount: async (query: Kindred.Loose = {}) => {
        const part = all({ ...query, limit: 0, offset: undefined, count: true });
        return await server.answer(part, signalOf(query), counted);
      },
      value: (key: unknown, column: string) => valueOf(name, key, column),
      import: async (given: unknown, options: Kindred.Loose = {}) => {
        const { type, onConflict } = options;
        const part: Kindred.Sendable = {
          method: "POST",
          url: withQuery(`/${encodeURIComponent(name)}`, parameters(name, { onConflict })),
          body: await content(given),
          headers: {
            ...conditions({ prefer: resolution(options, false) }),
            "Content-Type": type === "csv" ? "text/csv" : "application/x-ndjson",
          },
        };
        return await server.answer(part, signalOf(options), counted);
      },
    };
  };
  const calls = actionCalls();
  const made = new Map<string, unknown>();
  return new Proxy({}, {
    get: (_, name) => {
      // A promise of a client would otherwise wait for a resource of this name.
      if (typeof name !== "string" || name === "then") return undefined;
      if (!made.has(name)) {
        const one = resource(name);
        const request = { ...one.request, ...calls };
        made.set(
          name,
          name === "batch"
            ? Object.assign(batch, one)
            : name === "actions"
            ? { ...one, ...sending(calls), request }
            : one,
        );
      }
      return made.get(name);
    },
  }) as Kindred.Client;
}
