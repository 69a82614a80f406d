// The client of the sample library: what the compiler knows of results, and what the server gives.
import { client, Problem } from "./kindred.ts";

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
