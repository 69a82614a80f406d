// A data provider for react-admin (https://marmelab.com/react-admin/DataProviders.html).

/** A record; react-admin wants it to have an `id`. */
export type RaRecord = { id: string | number; [column: string]: unknown };
type Identifier = string | number;
type Sort = { field: string; order: "ASC" | "DESC" };
type ListParameters = {
  pagination?: { page: number; perPage: number };
  sort?: Sort;
  filter?: { [column: string]: unknown };
  signal?: AbortSignal;
};

export interface Options {
  /** The header fields of each request, such as `Authorization`. */
  headers?: () => { [name: string]: string };
  /** The columns of the primary keys that aren't called `id`, by resource; several make a composite key. */
  keys?: { [resource: string]: readonly string[] };
}

/** The length of a URL that every proxy takes. */
const longest = 6000;

/** Returns a data provider for the server at a URL. */
export function dataProvider(base: string, { headers, keys = {} }: Options = {}) {
  const keyOf = (resource: string) => keys[resource] ?? ["id"];
  // The values of a key: several are encoded parts, so that a comma in one is no end of it.
  const valuesOf = (resource: string, id: Identifier) =>
    keyOf(resource).length === 1 ? [`${id}`] : `${id}`.split(",").map(decodeURIComponent);
  const path = (resource: string, id: Identifier) => {
    const values = valuesOf(resource, id);
    const columns = keyOf(resource).map((column, index) =>
      `${encodeURIComponent(column)}=${encodeURIComponent(values[index] ?? "")}`
    );
    return `/${encodeURIComponent(resource)}/${columns.join(",")}`;
  };
  const identified = (resource: string, record: { [column: string]: unknown }) => {
    const columns = keyOf(resource);
    const id = columns.length === 1
      ? record[columns[0]]
      : columns.map((column) => encodeURIComponent(`${record[column]}`)).join(",");
    return { ...record, id } as RaRecord;
  };
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

  async function send(
    method: string,
    url: string,
    body?: unknown,
    more: { [name: string]: string } = {},
    signal?: AbortSignal,
  ) {
    let content = body === undefined ? undefined : JSON.stringify(body);
    let type = body === undefined ? undefined : "application/json";
    // A query that may be too long for a URL is content (RFC 10008).
    if (method === "GET" && url.length > longest) {
      [method, type] = ["QUERY", "application/x-www-form-urlencoded"];
      [url, content] = [url.slice(0, url.indexOf("?")), url.slice(url.indexOf("?") + 1)];
    }
    const response = await fetch(base + url, {
      method,
      signal,
      headers: {
        Accept: "application/json",
        ...(type === undefined ? {} : { "Content-Type": type }),
        ...headers?.(),
        ...more,
      },
      body: content,
    });
    const text = await response.text();
    const json = text ? JSON.parse(text) : undefined;
    // react-admin shows the message, and looks at the status and the body of an error.
    if (!response.ok) {
      throw Object.assign(new Error(json?.detail ?? response.statusText), {
        status: response.status,
        body: json,
      });
    }
    return { json, total: Number(response.headers.get("X-Total-Count") ?? 0) };
  }

  // The records whose keys are among these.
  function selection(resource: string, ids: readonly Identifier[]) {
    const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
    const conditions = ids.map((id) => {
      const values = valuesOf(resource, id);
      return keyOf(resource).map((column, index) => `${quoted(column)}=${text(values[index] ?? "")}`);
    });
    const filter = keyOf(resource).length === 1
      ? `${quoted(keyOf(resource)[0])} in (${ids.map((id) => text(`${id}`)).join(",")})`
      : conditions.map((one) => `(${one.join(" and ")})`).join(" or ");
    return `filter=${encodeURIComponent(filter)}`;
  }

  // Changes or deletes the records with these keys: all of them, or none.
  async function sendMany(
    method: string,
    resource: string,
    ids: readonly Identifier[],
    body?: unknown,
    more: { [name: string]: string } = {},
  ) {
    const url = (some: readonly Identifier[]) =>
      `/${encodeURIComponent(resource)}?${selection(resource, some)}&limit=${some.length}`;
    if (ids.length === 0) return;
    if (url(ids).length <= longest) return void await send(method, url(ids), body, more);
    const parts = Array.from({ length: Math.ceil(ids.length / 50) }, (_, index) => ({
      method,
      url: url(ids.slice(index * 50, index * 50 + 50)),
      headers: more,
      ...(body === undefined ? {} : { body }),
    }));
    await send("POST", "/-/batch", parts);
  }

  async function list(
    resource: string,
    { pagination, sort, filter, signal }: ListParameters,
    fixed: { [column: string]: unknown } = {},
  ) {
    const query = new URLSearchParams({ count: "true" });
    if (pagination) {
      query.set("limit", `${pagination.perPage}`);
      query.set("offset", `${(pagination.page - 1) * pagination.perPage}`);
    }
    if (sort) {
      const field = sort.field === "id"
        ? keyOf(resource).map(quoted)
        : [sort.field.split(".").map(quoted).join(".")];
      query.set("sort", field.map((name) => (sort.order === "DESC" ? "-" : "") + name).join(","));
    }
    // Values of columns, or a `filter` or `search` of its own; `q` is the text of react-admin's search inputs.
    for (const [name, value] of Object.entries({ ...filter, ...fixed })) {
      if (value === null) query.append("filter", `${quoted(name)} is null`);
      else if (value !== undefined) {
        for (const one of [value].flat()) query.append(name === "q" ? "search" : name, `${one}`);
      }
    }
    const { json, total } = await send(
      "GET",
      `/${encodeURIComponent(resource)}?${query}`,
      undefined,
      {},
      signal,
    );
    return { data: (json as RaRecord[]).map((record) => identified(resource, record)), total };
  }

  return {
    getList: (resource: string, parameters: ListParameters) => list(resource, parameters),
    getOne: async (resource: string, { id }: { id: Identifier }) => ({
      data: identified(resource, (await send("GET", path(resource, id))).json),
    }),
    getMany: async (resource: string, { ids }: { ids: readonly Identifier[] }) => {
      const data: RaRecord[] = [];
      // A page has at most 1,000 records.
      for (let start = 0; start < ids.length; start += 1000) {
        const some = ids.slice(start, start + 1000);
        const url = `/${encodeURIComponent(resource)}?${selection(resource, some)}&limit=${some.length}`;
        for (const record of (await send("GET", url)).json) data.push(identified(resource, record));
      }
      return { data };
    },
    getManyReference: (
      resource: string,
      { target, id, ...rest }: ListParameters & { target: string; id: Identifier },
    ) => list(resource, rest, { [target]: id }),
    create: async (resource: string, { data }: { data: object }) => ({
      data: identified(resource, (await send("POST", `/${encodeURIComponent(resource)}`, data)).json),
    }),
    update: async (
      resource: string,
      { id, data, previousData = {} }: { id: Identifier; data: object; previousData?: object },
    ) => {
      const before = previousData as { [column: string]: unknown };
      const changed = Object.entries(data).filter(([name, value]) => name !== "id" && value !== before[name]);
      return {
        data: identified(
          resource,
          (await send("PATCH", path(resource, id), Object.fromEntries(changed))).json,
        ),
      };
    },
    updateMany: async (resource: string, { ids, data }: { ids: readonly Identifier[]; data: object }) => {
      await sendMany("PATCH", resource, ids, data, { Prefer: "return=minimal" });
      return { data: [...ids] };
    },
    delete: async (resource: string, { id }: { id: Identifier }) => ({
      data: identified(
        resource,
        (await send("DELETE", path(resource, id), undefined, { Prefer: "return=representation" })).json,
      ),
    }),
    deleteMany: async (resource: string, { ids }: { ids: readonly Identifier[] }) => {
      await sendMany("DELETE", resource, ids);
      return { data: [...ids] };
    },
  };
}
