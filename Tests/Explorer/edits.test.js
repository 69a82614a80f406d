import { Edits } from "../../Sources/CKindredExplorer/assets/edits.js";
import { repeatedKey } from "../../Sources/CKindredExplorer/assets/outline.js";
import { assertEquals } from "./assert.js";

/** Without what the tests before have left. */
function edited() {
  sessionStorage.clear();
  return new Edits(() => {});
}

const version = { tag: '"1"', values: new Map([["id", "1"], ["name", '"Hugo"'], ["year", "1802"]]) };

Deno.test("what is as it was is no change, and the last one of a record takes it away", () => {
  const edits = edited();
  edits.patch("/authors/1", "Hugo", version, new Map([["year", "1803"], ["name", '"Hugo"']]));
  assertEquals([...edits.changes[0].values], [["year", "1803"]]);
  edits.patch("/authors/1", "Hugo", version, new Map([["year", "1802"]]));
  assertEquals(edits.changes.length, 0);
});

Deno.test("a record that is to be deleted isn't changed as well", () => {
  const edits = edited();
  edits.patch("/authors/1", "Hugo", version, new Map([["year", "1803"]]));
  edits.remove("/authors/1", "Hugo", version);
  edits.patch("/authors/1", "Hugo", version, new Map([["year", "1804"]]));
  assertEquals(edits.changes.map(({ method, tag }) => [method, tag]), [["DELETE", '"1"']]);
});

Deno.test("changes outlive the page, as they were", () => {
  const edits = edited();
  edits.patch("/authors/1", "Hugo", version, new Map([["year", "12345678901234567890"]]));
  const again = new Edits(() => {});
  assertEquals(again.of("/authors/1")?.values.get("year"), "12345678901234567890");
  again.discard(again.changes);
  assertEquals(new Edits(() => {}).changes, []);
});

Deno.test("the first change that fails stops the others, and both values are there", async () => {
  const [given, asked] = [globalThis.fetch, /** @type {string[]} */ ([])];
  globalThis.fetch = /** @type {typeof fetch} */ ((url, options) => {
    const tag = new Headers(options?.headers).get("If-Match");
    asked.push(`${options?.method ?? "GET"} ${url} ${tag}`);
    if (options?.method !== "PATCH") {
      return Promise.resolve(
        new Response('{"id":1,"name":"Hugo","year":1700}', { headers: { ETag: '"2"' } }),
      );
    }
    return Promise.resolve(
      tag === '"2"' ? new Response("{}") : Response.json({ detail: "other" }, { status: 412 }),
    );
  });
  try {
    const edits = edited();
    edits.patch("/authors/1", "Hugo", version, new Map([["year", "1803"]]));
    edits.patch("/authors/2", "Zola", version, new Map([["year", "1841"]]));
    assertEquals(await edits.apply(), 412);
    assertEquals(edits.changes[0].theirs?.get("year"), "1700");
    assertEquals(asked, ['PATCH /authors/1 "1"', "GET /authors/1 null"]);
    await edits.keepMine(edits.changes[0]);
    edits.discard([edits.changes[1]]);
    assertEquals(await edits.apply(), null);
    assertEquals(asked.at(-1), 'PATCH /authors/1 "2"');
  } finally {
    globalThis.fetch = given;
  }
});

Deno.test("what is repeated is known by its key", () => {
  assertEquals(repeatedKey("/employees?include=team:employeesByReportsTo*"), "team");
  assertEquals(repeatedKey("/employees?include=customers,employeesByReportsTo*3!"), "employeesByReportsTo");
  assertEquals(repeatedKey("/employees?include=customers"), null);
});
