// What the compiler refuses: it tells each mistake, or this file doesn't compile.
import { client, expression } from "./kindred.ts";

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
  const maybe = [1].find((one) => one > 1);
  // @ts-expect-error: a value that may be undefined would widen the deletion
  await api.books.deleteAll({ where: { authorId: maybe } });
  // @ts-expect-error: undefined is no value
  await api.books.deleteAll({ where: { authorId: undefined } });
  // @ts-expect-error: a value that may be undefined, below
  await api.authors.fetchAll({ include: { books: { where: { year: maybe } } } });
  // @ts-expect-error: a key that may be undefined
  await api.books.delete({ id: maybe });
  // @ts-expect-error: a key without columns
  await api.books.delete({});
  // @ts-expect-error: a condition that may be undefined
  await api.books.delete(1, { ifMatch: new Map<number, string>().get(1) });
  // @ts-expect-error: an expression with a value that may be undefined
  await api.books.fetchAll({ filter: expression`year > ${maybe}` });
  // @ts-expect-error: a cursor is a parameter of pages only
  await api.books.fetchAll({ after: "x" });
  // @ts-expect-error: only an upsert has another key
  await api.books.create({ authorId: 1, title: "x" }, { onConflict: "title" });
  // @ts-expect-error: no such column to read by itself
  await api.books.value(1, "titel").get();
  // @ts-expect-error: no such column in one of several records
  await api.books.create([{ authorId: 1, title: "x", kind: "novel", titel: "y" }]);
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
