import { assertEquals } from "./assert.js";
import { facetURL } from "../../Sources/CKindredExplorer/assets/facet.js";
import {
  adding,
  address,
  offset,
  parameters,
  places,
  quoted,
  readable,
  removing,
  scalars,
  setting,
  valueText,
} from "../../Sources/CKindredExplorer/assets/request.js";

Deno.test("a readable URL has no escapes but those of what means something", () => {
  assertEquals(
    readable("/authors?filter=name%3D%27%E5%A4%8F%27%20and%20x"),
    "/authors?filter=name%3D'夏' and x",
  );
  assertEquals(readable("/a%2Fb?x=%26%2B%25%23"), "/a%2Fb?x=%26%2B%25%23");
  assertEquals(readable("/x?y=%E2%80%AE%00%FF%zz"), "/x?y=%E2%80%AE%00%FF%zz");
});

Deno.test("a readable URL stands for the one that it was made of", () => {
  for (const url of ["/a?f=x>'y' and 日本%25", "/%zz", "/t?f=a%26b%2Bc", "/😀?s=-x:nocase"]) {
    assertEquals(readable(address(url)), url);
  }
  assertEquals(address('/a?f="x" <y>#'), "/a?f=%22x%22%20%3Cy%3E%23");
});

Deno.test("another request begins at its first page", () => {
  assertEquals(setting("/books?sort=year&limit=5&after=abc", "sort", "-year"), "/books?sort=-year&limit=5");
  assertEquals(setting("/books?sort=year&offset=4", "sort", null), "/books");
  assertEquals(adding("/books?filter=a&after=x", "filter", "b"), "/books?filter=a&filter=b");
  assertEquals(removing("/books?filter=a&offset=3", 0), "/books?offset=3");
});

Deno.test("parameters keep what they hold", () => {
  assertEquals(parameters("/x?filter=a=b&count"), [{ name: "filter", value: "a=b" }, {
    name: "count",
    value: "",
  }]);
});

Deno.test("each parameter has its place", () => {
  const url = "/books?filter=a&&sort=b";
  assertEquals(places(url).map(({ from, to }) => url.slice(from, to)), ["filter=a", "sort=b"]);
  assertEquals(places("/books"), []);
});

Deno.test("places are counted in scalars", () => {
  assertEquals([scalars("a😀b", 3), offset("a😀b", 2)], [2, 3]);
  assertEquals([quoted("year"), quoted('a "b"')], ["year", '"a ""b"""']);
});

Deno.test("what a value holds stays in the parameter that it becomes", () => {
  for (const text of ["R&B", "50%25", "a+b", "#1", "a=b", "x\ny"]) {
    const url = adding("/genres?limit=5", "filter", valueText(`name='${text}'`));
    assertEquals(parameters(url).length, 2);
    assertEquals(new URL(address(url), "http://localhost").searchParams.get("filter"), `name='${text}'`);
    const values =
      new URL(address(facetURL("/genres", `"${text}"`, new Set())), "http://localhost").searchParams;
    assertEquals(values.get("group"), `"${text}"`);
  }
});
