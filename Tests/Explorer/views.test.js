import { assertEquals } from "./assert.js";
import { expressions } from "../../Sources/CKindredExplorer/assets/cells.js";
import { facetURL } from "../../Sources/CKindredExplorer/assets/facet.js";
import { fragment, writtenFragment } from "../../Sources/CKindredExplorer/assets/fragment.js";
import { indented } from "../../Sources/CKindredExplorer/assets/json-view.js";
import { advice } from "../../Sources/CKindredExplorer/assets/plan.js";
import {
  curl,
  javaScript,
  query,
  swift,
  typeScript,
} from "../../Sources/CKindredExplorer/assets/snippets.js";

Deno.test("a cell offers the expressions of its value", () => {
  assertEquals(expressions("kind", "text", "it's"), ["kind='it''s'", "kind!='it''s'", "kind is null"]);
  assertEquals(expressions("year", "number", "1851").slice(2, 4), ["year<1851", "year>1851"]);
  assertEquals(expressions("year", "null", "null"), ["year is null", "year is not null"]);
});

Deno.test("indented JSON is the same JSON, numbers to the last digit", () => {
  const text = '[{"a":9007199254740993,"b":[],"c":{},"d":"x, {y}: \\"z\\"","1":null}]';
  assertEquals(indented(text).replace(/\n\s*/g, "").replaceAll(": ", ":").includes("9007199254740993"), true);
  assertEquals(JSON.parse(indented(text)), JSON.parse(text));
});

Deno.test("a fragment holds the view and the open rows, and nothing else", () => {
  const state = { view: "plan", open: ["/authors/1/books", "/a%2Fb/c"] };
  assertEquals(fragment(writtenFragment(state)), state);
  assertEquals(fragment("#%&=&view=<b>&view=x&open="), { view: "<b>", open: [] });
});

Deno.test("a missing index stands at the statement that scans its table", () => {
  const statement = (/** @type {string[]} */ ...plan) => ({ node: "", sql: "", arguments: [], plan });
  const index = 'CREATE INDEX "x" ON "painting" ("authorId")';
  assertEquals(advice([statement("SCAN author"), statement("SCAN painting")], [index]), [[], [index]]);
});

Deno.test("the values of a column are those of the request's records", () => {
  assertEquals(
    facetURL("/books?filter=year>1&kind=x&sort=year&limit=3&include=author", "kind"),
    "/books?filter=year>1&kind=x&fields=value:kind,n:count()&group=kind&sort=-n&limit=10",
  );
});

Deno.test("no request ends the quotes of a program", () => {
  const url = `http://localhost/a?f='$(x)"\\\``;
  assertEquals(curl(url).endsWith(`'http://localhost/a?f='\\''$(x)"\\\`'`), true);
  assertEquals(query("/a'b"), `kindred query "$DATABASE" '/a'\\''b'`);
  const shape = { type: "A", fields: [{ name: 'x"y', kind: /** @type {const} */ ("text") }], lists: [] };
  assertEquals(javaScript(url).includes(JSON.stringify(url)), true);
  assertEquals(typeScript(url, shape, false).includes('"x\\"y": string | null;'), true);
  assertEquals(swift(url, shape, true).includes('case x_y = "x\\"y"'), true);
});
