// What runs: problems and values.

/** An answer that isn't a result: `application/problem+json` (RFC 9457), or what no Kindred server says. */
export class Problem extends Error {
  declare readonly status: number;
  declare readonly type: string;
  /** What follows `#` in `type`: `"conflict"`, `"unexpected-answer"`, …. */
  declare readonly code: string;
  declare readonly title: string;
  declare readonly detail?: string;
  declare readonly parameter?: string;
  declare readonly position?: number;
  declare readonly suggestions?: readonly string[];
  declare readonly instance?: string;
  declare readonly line?: number;
  declare readonly pointer?: string;
  declare readonly hint?: string;
  /** The seconds after which the server asks to try again. */
  declare readonly retryAfter?: number;

  constructor(status: number, members: { readonly [name: string]: unknown }) {
    const { type = "about:blank", title = `HTTP ${status}`, detail } = members;
    const message = `${detail || title}`;
    super(message);
    const code = `${type}`.split("#")[1] ?? "";
    Object.assign(this, { type, title }, members, { status, code, message, name: "Problem" });
  }
}

const own = ({ status, headers }: Kindred.Answer, code: string, detail: string) =>
  new Problem(status, { type: `/-/errors#${code}`, title: code, detail, ...retryAfter(headers) });
const unexpected = (response: Kindred.Answer, said: string) =>
  own(response, "unexpected-answer", said.slice(0, 1000) || "no content");
// `Retry-After`: seconds or a date (RFC 9110 §10.2.3).
const retryAfter = (headers: Headers) => {
  const after = headers.get("Retry-After") ?? "";
  const seconds = Number(after) || Math.ceil((Date.parse(after) - Date.now()) / 1000);
  return seconds > 0 ? { retryAfter: seconds } : {};
};

function refuse(name: string, value: unknown, hint = ""): never {
  const said = value === ""
    ? "empty"
    : Object(value) === value
    ? `of the type ${typeof value}`
    : String(value);
  throw new TypeError(`${name} is ${said}${hint}`);
}

const list = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [value];
const isObject = (value: unknown): value is Kindred.Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const quoted = (name: string) => name === "*" ? name : `"${name.replaceAll('"', '""')}"`;
const isIdentifier = (name: string) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name);
const identifier = (name: string) => isIdentifier(name) ? name : quoted(name);
const facts = (resource: string | undefined): Kindred.Facts =>
  resource !== undefined && Object.hasOwn(kindredFacts, resource) ? kindredFacts[resource] ?? {} : {};
const destination = (resource: string | undefined, association: string) => {
  const to = facts(resource).to ?? {};
  return Object.hasOwn(to, association) ? to[association] : undefined;
};

/** An expression with its values in it. */
class KindredExpression {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

/** Returns an expression whose values are bound as literals: `` expression`name like ${pattern}` ``. */
export function expression(
  parts: TemplateStringsArray,
  ...values: readonly Kindred.Bindable[]
): Kindred.Expression {
  const one = (value: unknown) => literal(value, "a value of an expression");
  const bound = values.map((value) => {
    const text = Array.isArray(value) ? `(${value.map(one).join(",")})` : one(value);
    return text.startsWith("-") ? `(${text})` : text;
  });
  return new KindredExpression(parts.map((part, index) => part + (bound[index] ?? "")).join(""));
}

function literal(value: unknown, name: string): string {
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (value instanceof Uint8Array) {
    return `x'${Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("")}'`;
  }
  if (value instanceof KindredExpression) return `(${value})`;
  return typeof value === "number" && Number.isFinite(value) || typeof value === "bigint" ||
      typeof value === "boolean" || value === null
    ? `${value}`
    : refuse(name, value);
}

// What a content says: as `JSON.stringify`, but with integers of any size, and never `null` for what isn't.
function json(value: unknown, name = "the content"): string | undefined {
  if (typeof value === "bigint") return `${value}`;
  if (typeof value === "number" && !Number.isFinite(value)) refuse(name, value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if ("toJSON" in value && typeof value.toJSON === "function") return json(value.toJSON(), name);
  if (Array.isArray(value)) return `[${value.map((one) => json(one, name) ?? refuse(name, one)).join(",")}]`;
  const members = Object.entries(value).map(([key, one]) => [JSON.stringify(key), json(one, `\`${key}\``)]);
  return `{${members.filter(([, text]) => text).map((member) => member.join(":")).join(",")}}`;
}

// Returns a JSON text whose numbers are what a function makes of each: it gets the names and indexes that lead there.
function scanned(
  text: string,
  number: (token: string, path: readonly (string | number)[]) => string,
): string {
  const path: (string | number)[] = [];
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\d[\d.eE+-]*|[{}[\],]/g;
  return text.replace(tokens, (token: string, colon: string | undefined) => {
    const last = path.length - 1;
    const step = path[last];
    if (token === "{" || token === "[") path.push(token === "{" ? "" : 0);
    else if (token === "}" || token === "]") path.pop();
    else if (token === ",") {
      if (typeof step === "number") path[last] = step + 1;
    } else if (colon) path[last] = JSON.parse(token.slice(0, -colon.length));
    else if (!token.startsWith('"')) return number(token, path);
    return token;
  });
}

const isOf = (type: string, { headers }: Kindred.Answer) =>
  headers.get("Content-Type")?.includes(type) ?? false;

// Returns the value of an answer's JSON. Integers are texts where `texts` says so; elsewhere, none is ever rounded.
function parsed(text: string, response: Kindred.Answer, texts: Kindred.Texts): unknown {
  const number = (token: string, path: readonly (string | number)[]) => {
    if (isTextAt(path, texts)) return `"${token}"`;
    if (!/^-?\d+$/.test(token) || Number.isSafeInteger(Number(token))) return token;
    const name = path.filter((step) => typeof step === "string").join(".");
    throw own(
      response,
      "unsafe-integer",
      `\`${name}\` is ${token}, beyond 2^53: select \`cast(… as text)\` or print with \`--integers text\``,
    );
  };
  try {
    return JSON.parse(texts || /\d{16}/.test(text) ? scanned(text, number) : text);
  } catch (error) {
    throw error instanceof Problem ? error : unexpected(response, text);
  }
}
