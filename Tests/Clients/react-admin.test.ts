import { dataProvider } from "../../Examples/react-admin.ts";

const provider = dataProvider(Deno.env.get("SERVER") ?? "", {
  keys: { countries: ["code"], citizenships: ["citizenId", "countryCode"] },
});
function equal(expected: unknown, got: unknown) {
  const [wanted, seen] = [expected, got].map((value) => JSON.stringify(value));
  if (wanted !== seen) throw new Error(`expected ${wanted}, got ${seen}`);
}

Deno.test("a list has a page in its order, and the total", async () => {
  const parameters = {
    pagination: { page: 2, perPage: 3 },
    sort: { field: "id", order: "DESC" as const },
    filter: { kind: ["novel", "poem"] },
  };
  const { data, total } = await provider.getList("books", parameters);
  equal(3, data.length);
  equal(true, total > 6 && data[0].id > data[1].id);
});

Deno.test("records are found by their keys, whatever the keys are called", async () => {
  equal("France", (await provider.getOne("countries", { id: "FR" })).data.name);
  equal(["FR"], (await provider.getMany("countries", { ids: ["FR"] })).data.map((record) => record.id));
  const [one] = (await provider.getList("citizenships", { pagination: { page: 1, perPage: 1 } })).data;
  equal(
    [one.id],
    (await provider.getMany("citizenships", { ids: [one.id] })).data.map((record) => record.id),
  );
  const references = await provider.getManyReference("books", { target: "authorId", id: 1 });
  equal(true, references.data.every((book) => book.authorId === 1));
});

Deno.test("null is a condition, and 1,500 keys are one request", async () => {
  const none = await provider.getList("authors", { filter: { countryCode: null } });
  equal(true, none.data.every((author) => author.countryCode === null));
  const ids = Array.from({ length: 1500 }, (_, index) => index + 1);
  const all = await provider.getList("books", { pagination: { page: 1, perPage: 1000 } });
  equal(all.total, (await provider.getMany("books", { ids })).data.length);
  const path = await provider.getList("books", { sort: { field: "author.name", order: "ASC" } });
  equal(true, path.data.length > 0);
});

Deno.test("records are created, changed and deleted, one or many", async () => {
  const { data } = await provider.create("authors", { data: { name: "Colette" } });
  const changed = await provider.update("authors", {
    id: data.id,
    data: { ...data, name: "Sidonie-Gabrielle Colette" },
    previousData: data,
  });
  equal("Sidonie-Gabrielle Colette", changed.data.name);
  await provider.updateMany("authors", { ids: [data.id], data: { birthYear: 1873 } });
  equal(1873, (await provider.getOne("authors", { id: data.id })).data.birthYear);
  equal(data.id, (await provider.delete("authors", { id: data.id })).data.id);
  await provider.deleteMany("authors", { ids: [] });
  const error = await provider.getOne("authors", { id: data.id }).catch((error) => error);
  equal(404, error.status);
});
