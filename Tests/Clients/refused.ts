// What the compiler refuses: it tells each mistake, or this file doesn't compile.
import { client } from "./kindred.ts";

const api = client("");

export async function mistakes() {
  // @ts-expect-error: no such resource
  await api.autors.fetchAll();
  // @ts-expect-error: no such association
  await api.authors.fetchAll({ include: { boks: {} } });
  // @ts-expect-error: no such association by another name
  await api.authors.fetchAll({ include: { novels: { of: "boks" } } });
  // @ts-expect-error: no such association below
  await api.authors.fetchAll({ include: { books: { include: { paintings: {} } } } });
  // @ts-expect-error: no such column
  await api.authors.fetchAll({ fields: ["nmae"] });
  // @ts-expect-error: no such column below
  await api.authors.fetchAll({ include: { books: { fields: ["titel"] } } });
  // @ts-expect-error: no such column to sort by
  await api.authors.fetchAll({ sort: ["-nmae"] });
  // @ts-expect-error: a column of a to-many association is no place in an order
  await api.authors.fetchAll({ sort: "books.title" });
  // @ts-expect-error: no such column to compare
  await api.authors.fetchAll({ where: { nmae: "x" } });
  // @ts-expect-error: a value of another type
  await api.authors.fetchAll({ where: { birthYear: "x" } });
  // @ts-expect-error: no such parameter
  await api.authors.fetchAll({ limit: 1, flter: "x" });
  // @ts-expect-error: a to-one association has no limit
  await api.books.fetchAll({ include: { author: { limit: 1 } } });
  // @ts-expect-error: no such column of a key
  await api.authors.fetchOne({ nmae: 1 });
  // @ts-expect-error: a key of another type
  await api.authors.fetchOne("1");
  // @ts-expect-error: a column without a default is missing
  await api.authors.create({});
  // @ts-expect-error: a column that must not be NULL
  await api.authors.create({ name: null });
  // @ts-expect-error: no such column to change
  await api.authors.update(1, { nmae: "x" });
  // @ts-expect-error: what isn't included isn't there
  (await api.authors.fetchAll())[0].books;
  // @ts-expect-error: what isn't selected isn't there
  (await api.authors.fetchAll({ fields: ["id"] }))[0].name;
  // @ts-expect-error: an optional to-one association may be null
  (await api.authors.fetchAll({ include: { country: {} } }))[0].country.name;
}
