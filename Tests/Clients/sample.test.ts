// The client of the sample library: what the compiler knows of results, and what the server gives.
import { client, expression, Problem } from "./kindred.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Fails to compile unless its argument is `true`. */
function type<_ extends true>() {}
function equal(expected: unknown, got: unknown) {
  const [wanted, seen] = [expected, got].map((value) => JSON.stringify(value));
  if (wanted !== seen) throw new Error(`expected ${wanted}, got ${seen}`);
}

const url = Deno.env.get("SERVER") ?? "";
const api = client(url);
const first = { sort: "id", limit: 2 } as const;

Deno.test("what is included below a joined association appears in the record above", async () => {
  const books = await api.books.fetchAll({
    fields: ["title"],
    join: { author: { include: { country: { fields: ["code"] } } } },
    limit: 1,
  });
  type<Equal<(typeof books)[number]["country"], { code: string } | null>>();
  equal(["title", "country"], Object.keys(books[0]));
});

Deno.test("a required to-one association isn't null, and an optional one may be", async () => {
  const books = await api.books.fetchAll({
    include: { author: { required: true, fields: ["id"] } },
    limit: 1,
  });
  type<Equal<(typeof books)[number]["author"], { id: number }>>();
  const authors = await api.authors.fetchAll({ include: { mentor: { fields: ["id"] } }, limit: 1 });
  type<Equal<(typeof authors)[number]["mentor"], { id: number } | null>>();
});

Deno.test("groups and aggregates have the types of their values", async () => {
  const groups = await api.books.fetchAll({
    fields: { kind: "kind", n: "count()" },
    group: ["kind"],
    sort: "-n",
  });
  type<Equal<(typeof groups)[number]["n"], number>>();
  const counted = await api.authors.fetchAll({
    fields: ["id"],
    annotate: { n: "books.count", none: "books.isEmpty", last: "books.max(year)", text: "lower(name)" },
    ...first,
  });
  type<
    Equal<
      (typeof counted)[number],
      { id: number; n: number; none: boolean; last: number | null; text: unknown }
    >
  >();
});

Deno.test("an association of a table to itself repeats to its depth", async () => {
  const employees = await api.employees.fetchAll({
    fields: ["id"],
    where: { reportsTo: null },
    include: { below: { of: "employeesByReportsTo", depth: true, fields: ["id"] } },
  });
  const second: number | undefined = employees[0].below[0]?.below[0]?.id;
  equal(true, second === undefined || second > 0);
});

Deno.test("values of conditions are never part of an expression", async () => {
  equal([], await api.authors.fetchAll({ where: { name: "x' or 'a'='a" } }));
  equal([], await api.authors.fetchAll({ where: { name: "&filter=true#%" } }));
});

/** What is thrown. */
async function thrown(
  body: () => unknown,
): Promise<Error & { status?: number; code?: string; detail?: string }> {
  try {
    await body();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing is thrown");
}

/** A `fetch` whose answers are these, one after the other. */
const answering = (...answers: (() => Response)[]) =>
  (() => {
    const answer = answers.shift();
    return answer ? Promise.resolve(answer()) : Promise.reject(new TypeError("no further answer"));
  }) as typeof fetch;

Deno.test("what can't be sent is refused before anything is", async () => {
  const nothing = undefined as unknown as number;
  for (
    const request of [
      () => api.books.deleteAll({ where: { authorId: nothing } }),
      () => api.books.deleteAll({ where: { authorId: [1, NaN] } }),
      () => api.books.fetchOne({ id: nothing }),
      () => api.books.delete({} as { id: number }),
      () => api.books.update(1, { price: NaN }),
      () => api.books.update(1, { pages: 1 }, { ifMatch: "" }),
      () => api.books.etag({ id: 1 }),
      () => api.books.fetchAll({ filter: expression`year > ${nothing}` }),
      () => api.books.fetchOne(2 ** 53),
    ]
  ) equal("TypeError", (await thrown(request)).name);
});

Deno.test("values of expressions are bound, wherever an expression stands", async () => {
  equal([], await api.authors.fetchAll({ filter: expression`name = ${"x' or 'a'='a"}` }));
  const [book] = await api.books.fetchAll({
    fields: { id: "id", is: expression`title || ${"'"}` },
    filter: expression`id in ${[1, 2]} and ${expression`id = ${1} or id = ${7}`}`,
  });
  equal(1, book.id);
});

Deno.test("integers are never rounded", async () => {
  const big = () => new Response('[{"title":"1234567890123456789","books":[{"id":9007199254740993}]}]', json);
  const json = { headers: { "Content-Type": "application/json" } };
  const error = await thrown(() => client("http://x", { fetch: answering(big) }).authors.fetchAll());
  equal(["unsafe-integer", true], [error.code, error.detail?.includes("`books.id`")]);
  equal([], await api.books.fetchAll({ where: { id: 9007199254740993n } }));
  equal(404, (await thrown(() => api.books.fetchOne(9007199254740993n))).status);
});

Deno.test("what no Kindred server says is a problem, and a read is tried again", async () => {
  const page = () => new Response("<html>", { headers: { "Content-Type": "text/html" } });
  const busy = () => new Response(null, { status: 503 });
  const other = client("http://x", { fetch: answering(busy, page) });
  equal("unexpected-answer", (await thrown(() => other.books.fetchAll())).code);
  const write = client("http://x", { fetch: answering(busy, page) });
  equal(503, (await thrown(() => write.authors.create({ name: "x" }))).status);
});

Deno.test("a live result is requested again after silence", async () => {
  const stream = (text: string) => () =>
    new Response(new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode(text)) }), {
      headers: { "Content-Type": "text/event-stream" },
    });
  const heard: string[] = [];
  const other = client("http://x", {
    heartbeat: 20,
    fetch: answering(stream('id: 1\ndata: [{"id":1}]\n\n'), stream('id: 2\ndata: [{"id":2}]\n\n')),
  });
  const seen: number[] = [];
  for await (const [book] of other.books.live({ onStatus: (status) => heard.push(status) })) {
    seen.push(book.id);
    if (seen.length === 2) break;
  }
  equal([[1, 2], "connecting live waiting connecting live"], [seen, heard.join(" ")]);
});

Deno.test("pages have cursors, in both directions", async () => {
  const page = await api.books.fetchPage({ ...first, count: true, fields: ["id"] });
  const next = await api.books.fetchPage({ ...first, fields: ["id"], after: page.next });
  equal(true, next.records[0].id > page.records[1].id && (page.total ?? 0) > 4);
});

Deno.test("records are imported, upserted and read by their values", async () => {
  equal(2, await api.countries.import([{ code: "X1", name: "one" }, { code: "X2", name: "two" }]));
  const changed = await api.countries.upsert({ code: "X1", name: "first" });
  equal("first", changed.name);
  equal("first", await api.countries.value("X1", "name").get());
  await api.countries.update("X1", { name: "last" }, {
    ifMatch: api.countries.etag(await api.countries.fetchOne("X1")),
  });
  await api.countries.deleteAll({ where: { code: ["X1", "X2"] } });
});

Deno.test("a request that is too long for a URL has pages, too", async () => {
  const ids = Array.from({ length: 4000 }, (_, index) => index * 7919 + 1);
  let count = 0;
  for await (const _ of api.books.records({ where: { id: [1, 2, 3, ...ids] }, limit: 1 })) count++;
  equal(true, count >= 3);
});

Deno.test("a tree is written and returned as it is asked for", async () => {
  const author = await api.authors.create(
    { name: "Colette", books: [{ title: "Chéri", kind: "novel" }] },
    { include: { titles: { of: "books", values: "title" } } },
  );
  type<Equal<(typeof author)["titles"], string[]>>();
  equal(["Chéri"], author.titles);
  await api.books.deleteAll({ where: { authorId: author.id } });
  await api.authors.delete(author.id);
});

Deno.test("a batch gives the results of its parts, or the problem of the first that fails", async () => {
  const [author, books] = await api.batch([
    api.authors.request.fetchOne(1, { fields: ["id"] }),
    api.books.request.fetchAll({ fields: ["title"], limit: 1 }),
  ]);
  type<Equal<typeof author, { id: number }>>();
  type<Equal<typeof books, { title: string }[]>>();
  equal(1, author.id);
  try {
    await api.batch([api.authors.request.fetchOne(1), api.authors.request.delete(99999)]);
    throw new Error("it is done");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    equal([404, "#/1"], [error.status, error.pointer]);
  }
});

Deno.test("a stale change is refused", async () => {
  const book = await api.books.fetchOne(1);
  const changed = await api.books.update(1, { pages: (book.pages ?? 0) + 1 }, {
    ifMatch: api.books.etag(book),
  });
  try {
    await api.books.update(1, { pages: 1 }, { ifMatch: api.books.etag(book) });
    throw new Error("it is done");
  } catch (error) {
    equal(412, error instanceof Problem ? error.status : error);
  }
  await api.books.update(1, { pages: book.pages }, {
    ifMatch: api.books.etag(changed),
    prefer: "return=minimal",
  });
});

Deno.test("a live result follows the database until its loop ends", async () => {
  const ending = new AbortController();
  const seen: (number | null)[] = [];
  for await (const [book] of api.books.live({ where: { id: 2 }, signal: ending.signal })) {
    seen.push(book.pages);
    if (seen.length > 1) break;
    await api.books.update(2, { pages: (book.pages ?? 0) + 1 });
  }
  equal(1, (seen[1] ?? 0) - (seen[0] ?? 0));
});

Deno.test("an answer that isn't a result is a problem with its members", async () => {
  try {
    await api.authors.fetchAll({ filter: "nmae='x'" });
    throw new Error("it is answered");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    equal([400, "filter", true], [error.status, error.parameter, error.suggestions?.includes("name")]);
  }
});

Deno.test("the token is asked for before each request, and a signal ends one", async () => {
  let asked = 0;
  const tokens = client(url, { token: () => `${++asked}` });
  await tokens.authors.fetchAll({ limit: 1 });
  await tokens.authors.fetchCount();
  equal(2, asked);
  try {
    await api.authors.fetchAll({ signal: AbortSignal.abort() });
    throw new Error("it is answered");
  } catch (error) {
    equal("AbortError", (error as Error).name);
  }
});
