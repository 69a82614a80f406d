import { session } from "../../Sources/CKindredExplorer/assets/server.js";
import { StagedChanges } from "../../Sources/CKindredExplorer/assets/staged-changes.js";
import { assertEquals } from "./assert.js";

/** Without what the tests before have left. */
function staged() {
  sessionStorage.clear();
  return new StagedChanges(() => {});
}

const version = { tag: '"1"', values: new Map([["id", "1"], ["name", '"Hugo"'], ["price", "20.1"]]) };

/** Answers requests in turn while an action runs; returns the requests. @param {((url: string) => Response | null)[]} answers null loses the answer @param {() => Promise<void>} action */
async function answering(answers, action) {
  const [given, asked] = [globalThis.fetch, /** @type {string[]} */ ([])];
  globalThis.fetch = /** @type {typeof fetch} */ ((url, options) => {
    const key = new Headers(options?.headers).get("Idempotency-Key");
    asked.push(
      `${options?.method ?? "GET"} ${url} ${options?.body ?? ""} ${key === null ? "" : key.length > 4}`
        .trim(),
    );
    keys.push(key);
    const answer = answers.shift()?.(String(url)) ?? null;
    return answer === null ? Promise.reject(new TypeError("lost")) : Promise.resolve(answer);
  });
  /** @type {(string | null)[]} */
  const keys = [];
  try {
    await action();
  } finally {
    globalThis.fetch = given;
  }
  return { asked, keys };
}

Deno.test("what is as it was is no change, and the last one of a record takes it away", () => {
  const all = staged();
  all.patch("/books/1", "Hugo", version, new Map([["price", "21"], ["name", '"Hugo"']]));
  assertEquals([...all.changes[0].values], [["price", "21"]]);
  all.patch("/books/1", "Hugo", version, new Map([["price", "20.10"]]));
  assertEquals(all.changes.length, 0);
});

Deno.test("a record that is to be deleted isn't changed as well", () => {
  const all = staged();
  all.patch("/books/1", "Hugo", version, new Map([["price", "21"]]));
  all.remove("/books/1", "Hugo", version);
  all.patch("/books/1", "Hugo", version, new Map([["price", "22"]]));
  assertEquals(all.changes.map(({ method, tag }) => [method, tag]), [["DELETE", '"1"']]);
});

Deno.test("changes outlive the page, as they were, and are read again when the browser shows a page that it kept", () => {
  const all = staged();
  const other = new StagedChanges(() => {});
  all.patch("/books/1", "Hugo", version, new Map([["price", "12345678901234567890"]]));
  other.restore();
  assertEquals(other.of("/books/1")?.values.get("price"), "12345678901234567890");
  other.discard(other.changes);
  all.restore();
  assertEquals(all.changes, []);
});

Deno.test("all changes are one transaction: none is done if one is refused, and its value is marked", async () => {
  const all = staged();
  all.patch("/books/1", "Hugo", version, new Map([["price", "21"]]));
  all.patch("/books/2", "Zola", version, new Map([["name", '"x"']]));
  const problem = { detail: "taken", pointer: "#/1/body/name" };
  const { asked } = await answering([() => Response.json(problem, { status: 409 })], async () => {
    assertEquals(await all.apply(), false);
  });
  assertEquals(asked.length, 1);
  assertEquals(asked[0].startsWith('POST /-/batch [{"method":"PATCH","url":"/books/1"'), true);
  assertEquals(all.changes.map((change) => change.problem), [null, { detail: "taken", member: "name" }]);
});

Deno.test("a record that was changed meanwhile is shown with all values, to choose from", async () => {
  const all = staged();
  all.patch("/books/1", "Hugo", version, new Map([["price", "21"]]));
  const { asked } = await answering([
    () => Response.json({ detail: "other", pointer: "#/0" }, { status: 412 }),
    () => new Response('{"id":1,"name":"Hugo","price":19}', { headers: { ETag: '"2"' } }),
    () => new Response('{"id":1,"name":"Hugo","price":19}', { headers: { ETag: '"2"' } }),
    () => new Response("[]"),
  ], async () => {
    assertEquals(await all.apply(), false);
    assertEquals(all.changes[0].theirs?.get("price"), "19");
    await all.keepMine(all.changes[0]);
    assertEquals(await all.apply(), true);
  });
  assertEquals(asked.at(-1)?.includes(String.raw`"If-Match":"\"2\""`), true);
});

Deno.test("after a lost answer the same is sent again, under the same key, and nothing is done twice", async () => {
  const all = staged();
  all.add("/books", "New", new Map([["name", '"x"']]));
  const { asked, keys } = await answering(
    [() => null, () => new Response("[]"), () => new Response("[]")],
    async () => {
      assertEquals(await all.apply(), false);
      assertEquals(all.trouble?.includes("Nothing is lost"), true);
      all.add("/books", "New", new Map([["name", '"y"']]));
      assertEquals(await all.apply(), true);
    },
  );
  assertEquals([asked[0] === asked[1], keys[0] === keys[1], keys[1] === keys[2]], [true, true, false]);
});

Deno.test("what is still under way, or may have been done, is sent again under the same key", async () => {
  const all = staged();
  all.add("/books", "New", new Map([["name", '"x"']]));
  const { asked, keys } = await answering([
    () => Response.json({ detail: "under way" }, { status: 409 }),
    () => Response.json({ detail: "no answer in time" }, { status: 504 }),
    () => new Response("[]"),
  ], async () => {
    assertEquals([await all.apply(), await all.apply(), await all.apply()], [false, false, true]);
  });
  assertEquals([new Set(asked).size, new Set(keys).size], [1, 1]);
});

Deno.test("a change that is already there is no conflict, however its value is written", async () => {
  const all = staged();
  all.patch("/books/1", "Hugo", version, new Map([["price", "20.50"]]));
  await answering([
    () => Response.json({ detail: "other", pointer: "#/0" }, { status: 412 }),
    () => new Response('{"id":1,"name":"Hugo","price":20.5}', { headers: { ETag: '"2"' } }),
  ], async () => assertEquals(await all.apply(), true));
  assertEquals(all.changes, []);
});

Deno.test("a refused token is asked for once, and every request goes on with the new one", async () => {
  let times = 0;
  session.askForToken = async () => {
    times += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    session.authorize("new", false);
    return true;
  };
  const refused = () => Response.json({ detail: "expired" }, { status: 401 });
  const { fetched } = await import("../../Sources/CKindredExplorer/assets/server.js");
  await answering([refused, refused, () => Response.json(1), () => Response.json(2)], async () => {
    const found = await Promise.all(["/a", "/b"].map(async (url) => (await fetched(url)).json()));
    assertEquals(found, [1, 2]);
  });
  assertEquals(times, 1);
  session.authorize(null, false);
});

Deno.test("a busy server is asked again when it says so, and no other server is asked at all", async () => {
  const { fetched } = await import("../../Sources/CKindredExplorer/assets/server.js");
  const busy = () => new Response("{}", { status: 503, headers: { "Retry-After": "0" } });
  const { asked } = await answering([busy, busy, () => Response.json(1)], async () => {
    assertEquals(await (await fetched("/a")).json(), 1);
  });
  assertEquals(asked.length, 3);
  const other = await answering([], async () => {
    const message = await fetched("//elsewhere.example/x").then(() => "", (error) => error.message);
    assertEquals(message, "This is an address of another server.");
  });
  assertEquals(other.asked, []);
});

Deno.test("a long file is sent by itself after the transaction, as its bytes", async () => {
  const all = staged();
  const file = JSON.stringify(btoa("\u00ffx".repeat(200_000)));
  all.patch("/books/1", "Hugo", version, new Map([["price", "21"], ["a/b", file]]));
  all.patch("/books/2", "Zola", version, new Map([["cover", file]]));
  const problem = { detail: "too long" };
  const { asked } = await answering([
    () => new Response("[]"),
    () => new Response(null, { status: 204, headers: { ETag: '"2"' } }),
    () => Response.json(problem, { status: 413 }),
  ], async () => assertEquals(await all.apply(), false));
  const [batch, first, second] = asked;
  assertEquals([batch.length < 1000, batch.includes('"body":{"price":21}'), batch.includes("/books/2")], [
    true,
    true,
    false,
  ]);
  assertEquals(
    [first.startsWith("PUT /books/1/a%2Fb 255,120,255"), second.startsWith("PUT /books/2/cover ")],
    [
      true,
      true,
    ],
  );
  assertEquals(all.changes.map(({ url, problem }) => [url, problem?.member]), [["/books/2", "cover"]]);
  await answering(
    [() => new Response(null, { status: 204 })],
    async () => assertEquals(await all.apply(), true),
  );
  assertEquals([all.changes, all.done.length], [[], 1]);
});

Deno.test("a long text that could be base64 is sent as JSON where the column takes no bytes", async () => {
  const all = staged();
  const text = JSON.stringify("word".repeat(200_000));
  all.patch("/books/1", "Hugo", version, new Map([["notes", text]]));
  const { asked } = await answering([
    () => Response.json({ detail: "it takes JSON" }, { status: 415 }),
    () => new Response(null, { status: 204 }),
  ], async () => assertEquals(await all.apply(), true));
  assertEquals(asked.map((one) => one.slice(0, 30)), [
    "PUT /books/1/notes 194,138,221",
    'PUT /books/1/notes "wordwordwo',
  ]);
});
