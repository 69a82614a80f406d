// What runs: requests.

// A column as a request names it.
const column = (resource: string | undefined, text: string) =>
  facts(resource).quoted?.includes(text) ? quoted(text) : text;

function term(sort: unknown, resource: string | undefined): string {
  if (typeof sort !== "string") {
    const { expression, descending } = sort as { expression: unknown; descending?: boolean };
    return `${descending ? "-" : ""}(${expression})`;
  }
  const isColumn = (name: string) => facts(resource).quoted?.includes(name) ?? false;
  const [, minus = "", path = "", suffix = ""] =
    /^(-?)(.*?)((?::(?:nocase|nullsfirst|nullslast))*)$/s.exec(isColumn(sort) ? "" : sort) ?? [];
  if (isColumn(sort)) return quoted(sort);
  return minus + steps(path, resource).map(quoted).join(".") + suffix;
}

// The names of a path, whose last one may have dots itself.
function steps(path: string, resource: string | undefined): string[] {
  const dot = path.indexOf(".");
  if (dot < 0 || facts(resource).quoted?.includes(path)) return [path];
  const first = path.slice(0, dot);
  return [first, ...steps(path.slice(dot + 1), destination(resource, first))];
}

function condition(column: string, value: unknown, resource: string | undefined): string {
  const name = quoted(column);
  const isText = facts(resource).integers?.includes(column);
  const one = (value: unknown) =>
    isText && typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value)
      ? value
      : literal(value, `\`${column}\``);
  if (value === null) return `${name} is null`;
  if (!Array.isArray(value)) return `${name} = ${one(value)}`;
  if (value.includes(null)) refuse(`\`${column}\``, null, " in a list, which equals nothing");
  return `${name} in (${Array.from(value, one).join(",")})`;
}

const items = (named: unknown, resource: string | undefined) =>
  Array.isArray(named)
    ? named.map(quoted).join(",")
    : Object.entries(named as Kindred.Loose).map(([name, text]) =>
      `${quoted(name)}:${column(resource, `${text}`)}`
    ).join(",");

const clauses: { readonly [name: string]: (value: unknown, resource: string | undefined) => string[] } = {
  fields: (value, resource) => [items(value, resource)],
  annotate: (value, resource) => Object.keys(value as Kindred.Loose).length ? [items(value, resource)] : [],
  filter: (value) => list(value).map(String),
  having: (value) => list(value).map(String),
  sort: (value, resource) =>
    list(value).length ? [list(value).map((one) => term(one, resource)).join(",")] : [],
  group: (value, resource) => [list(value).map((one) => column(resource, `${one}`)).join(",")],
  onConflict: (value) => [list(value).map((name) => identifier(`${name}`)).join(",")],
  values: (value, resource) => [isIdentifier(`${value}`) ? quoted(`${value}`) : column(resource, `${value}`)],
  where: (value, resource) =>
    Object.entries(value as Kindred.Loose).map(([column, one]) => condition(column, one, resource)),
};

// The parameters of a query or of a node, whose path comes before their names.
function parameters(
  resource: string | undefined,
  query: Kindred.Loose,
  at: readonly string[] = [],
  into: Kindred.Pair[] = [],
): Kindred.Pair[] {
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || ["signal", "onStatus", "of", "required", "depth"].includes(name)) continue;
    if (name === "include" || name === "join") nodes(resource, name, value as Kindred.Loose, at, into);
    else {
      const parameter = [...at, name === "where" ? "filter" : name].join(".");
      for (const one of clauses[name]?.(value, resource) ?? [`${value}`]) into.push([parameter, one]);
    }
  }
  return into;
}

function nodes(
  resource: string | undefined,
  parameter: string,
  all: Kindred.Loose,
  at: readonly string[],
  into: Kindred.Pair[],
) {
  for (const [key, value] of Object.entries(all)) {
    if (value === undefined) continue;
    const { of, depth, required } = value as Kindred.Loose;
    const association = `${of ?? key}`;
    const path = [...at, association].map(identifier).join(".");
    const repeated = depth === undefined ? "" : `*${depth === true ? "" : depth}`;
    into.push([
      parameter,
      `${of === undefined ? "" : `${identifier(key)}:`}${path}${repeated}${required ? "!" : ""}`,
    ]);
    parameters(destination(resource, association), value as Kindred.Loose, [...at, key], into);
  }
}

const encoded = (pairs: readonly Kindred.Pair[]) =>
  pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
const withQuery = (url: string, pairs: readonly Kindred.Pair[]) =>
  pairs.length ? `${url}${url.includes("?") ? "&" : "?"}${encoded(pairs)}` : url;

function keyPath(resource: string, key: unknown): string {
  const encode = (name: string, value: unknown) => {
    if (value === null || Object(value) === value) refuse(name, value);
    if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
      refuse(name, value, ", which may have been rounded: write it as bigint");
    }
    return literal(value, name) && encodeURIComponent(`${value}`);
  };
  if (isObject(key)) {
    const columns = Object.entries(key);
    if (!columns.length) throw new TypeError("a key has at least one column");
    return columns.map(([column, one]) => `${encodeURIComponent(column)}=${encode(`\`${column}\``, one)}`)
      .join(",");
  }
  const text = encode("the key", key === "" ? refuse("the key", key, ': write { column: "" }') : key);
  // Servers and proxies resolve these segments before any program sees them as keys (RFC 3986 §6.2.2.3).
  return text === "." || text === ".." ? `${encodeURIComponent(facts(resource).key ?? "")}=${text}` : text;
}

const isMinimal = (prefer: unknown) => list(prefer).some((one) => `${one}`.includes("return=minimal"));

// What the headers of a request are: a condition is sent or refused, never left out.
function conditions(options: Kindred.Loose): Kindred.Fields {
  const { ifMatch, idempotencyKey, prefer } = options;
  const headers: Kindred.Fields = {};
  if ("ifMatch" in options) {
    if (typeof ifMatch !== "string" || ifMatch === "") {
      refuse("`ifMatch`", ifMatch);
    }
    headers["If-Match"] = ifMatch;
  }
  if (idempotencyKey !== undefined) headers["Idempotency-Key"] = JSON.stringify(idempotencyKey);
  if (prefer !== undefined) headers["Prefer"] = list(prefer).join(", ");
  return headers;
}

const resolution = ({ onConflict, duplicates, prefer }: Kindred.Loose, always: boolean) =>
  always || onConflict !== undefined || duplicates !== undefined
    ? [
      `resolution=${duplicates === "ignore" ? "ignore" : "merge"}-duplicates`,
      ...(prefer === undefined ? [] : list(prefer)),
    ]
    : prefer;

// Requests without their results' types: what the server is sent, and what its answer must be.
function requests(resource: string) {
  const path = `/${encodeURIComponent(resource)}`;
  const one = (key: unknown) => `${path}/${keyPath(resource, key)}`;
  const shapeless = ({ fields, include, annotate }: Kindred.Loose) =>
    fields === undefined && include === undefined && annotate === undefined;
  const read = (url: string, query: Kindred.Loose, gives: "one" | "many"): Kindred.Sendable => ({
    method: "GET",
    url: withQuery(url, parameters(resource, query)),
    headers: {},
    gives,
    tagged: gives === "one" &&
      Object.values(query).every((clause) => clause === undefined || clause instanceof AbortSignal),
    texts: textsOf(resource, query),
  });
  const write = (
    method: string,
    url: string,
    pairs: Kindred.Pair[],
    options: Kindred.Loose,
    gives: "one" | "many" | "any",
    body?: unknown,
  ): Kindred.Sendable => {
    const { fields, include, annotate, onConflict } = options;
    return {
      method,
      url: withQuery(url, [...pairs, ...parameters(resource, { onConflict, fields, include, annotate })]),
      ...(body === undefined ? {} : { body }),
      headers: {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...conditions(options),
      },
      gives: isMinimal(options["prefer"]) ? "any" : gives,
      tagged: gives === "one" && shapeless(options),
      texts: textsOf(resource, options),
    };
  };
  const count = (record: unknown) => Array.isArray(record) ? "many" : "one";
  return {
    fetchAll: (query: Kindred.Loose = {}) => read(path, query, "many"),
    fetchOne: (key: unknown, query: Kindred.Loose = {}) => read(one(key), query, "one"),
    create: (record: unknown, options: Kindred.Loose = {}) =>
      write("POST", path, [], options, count(record), record),
    upsert: (record: unknown, options: Kindred.Loose = {}) =>
      write("POST", path, [], { ...options, prefer: resolution(options, true) }, count(record), record),
    update: (key: unknown, change: unknown, options: Kindred.Loose = {}) =>
      write("PATCH", one(key), [], options, "one", change),
    replace: (key: unknown, record: unknown, options: Kindred.Loose = {}) =>
      write("PUT", one(key), [], options, "one", record),
    delete: (key: unknown, options: Kindred.Loose = {}) => write("DELETE", one(key), [], options, "any"),
    updateAll: (selection: Kindred.Loose, change: unknown, options: Kindred.Loose = {}) =>
      write("PATCH", path, parameters(resource, selection), options, "many", change),
    deleteAll: (selection: Kindred.Loose, options: Kindred.Loose = {}) =>
      write("DELETE", path, parameters(resource, selection), options, "any"),
  };
}
