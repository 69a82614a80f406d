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

/** Returns a data provider for the server at a URL. */
export function dataProvider(base: string, { headers, keys = {} }: Options = {}) {
  const keyOf = (resource: string) => keys[resource] ?? ["id"];
  const path = (resource: string, id: Identifier) =>
    `/${resource}/${`${id}`.split(",").map(encodeURIComponent).join(",")}`;
  const identified = (resource: string, record: { [column: string]: unknown }) =>
    ({ ...record, id: record.id ?? keyOf(resource).map((column) => record[column]).join(",") }) as RaRecord;

  async function send(
    method: string,
    url: string,
    body?: unknown,
    more: { [name: string]: string } = {},
    signal?: AbortSignal,
  ) {
    const response = await fetch(base + url, {
      method,
      signal,
      headers: {
        Accept: "application/json",
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers?.(),
        ...more,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
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
    const columns = keyOf(resource);
    const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;
    const conditions = ids.map((id) => {
      const values = columns.length === 1 ? [`${id}`] : `${id}`.split(",");
      return columns.map((column, index) => `"${column}"=${quoted(values[index])}`).join(" and ");
    });
    if (columns.length === 1) {
      return ids.map((id) => `${encodeURIComponent(columns[0])}=${encodeURIComponent(id)}`).join("&");
    }
    return `filter=${encodeURIComponent(conditions.map((one) => `(${one})`).join(" or "))}`;
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
      const field = sort.field === "id" ? keyOf(resource) : [sort.field];
      query.set("sort", field.map((name) => (sort.order === "DESC" ? "-" : "") + name).join(","));
    }
    // Values of columns, or a `filter` or `search` of its own.
    for (const [name, value] of Object.entries({ ...filter, ...fixed })) {
      for (const one of [value].flat()) query.append(name, `${one}`);
    }
    const { json, total } = await send("GET", `/${resource}?${query}`, undefined, {}, signal);
    return { data: (json as RaRecord[]).map((record) => identified(resource, record)), total };
  }

  return {
    getList: (resource: string, parameters: ListParameters) => list(resource, parameters),
    getOne: async (resource: string, { id }: { id: Identifier }) => ({
      data: identified(resource, (await send("GET", path(resource, id))).json),
    }),
    getMany: async (resource: string, { ids }: { ids: readonly Identifier[] }) => {
      if (ids.length === 0) return { data: [] };
      const { json } = await send("GET", `/${resource}?${selection(resource, ids)}&limit=${ids.length}`);
      return { data: (json as RaRecord[]).map((record) => identified(resource, record)) };
    },
    getManyReference: (
      resource: string,
      { target, id, ...rest }: ListParameters & { target: string; id: Identifier },
    ) => list(resource, rest, { [target]: id }),
    create: async (resource: string, { data }: { data: object }) => ({
      data: identified(resource, (await send("POST", `/${resource}`, data)).json),
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
      if (ids.length > 0) {
        await send("PATCH", `/${resource}?${selection(resource, ids)}`, data, { Prefer: "return=minimal" });
      }
      return { data: [...ids] };
    },
    delete: async (resource: string, { id }: { id: Identifier }) => ({
      data: identified(
        resource,
        (await send("DELETE", path(resource, id), undefined, { Prefer: "return=representation" })).json,
      ),
    }),
    deleteMany: async (resource: string, { ids }: { ids: readonly Identifier[] }) => {
      if (ids.length > 0) await send("DELETE", `/${resource}?${selection(resource, ids)}`);
      return { data: [...ids] };
    },
  };
}
