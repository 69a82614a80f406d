import { assertEquals } from "./assert.js";
import { expressions } from "../../Sources/CKindredExplorer/assets/cells.js";
import { facetURL } from "../../Sources/CKindredExplorer/assets/facet.js";
import { fragment, writtenFragment } from "../../Sources/CKindredExplorer/assets/history.js";
import { expression, operators } from "../../Sources/CKindredExplorer/assets/filter-builder.js";
import { indented } from "../../Sources/CKindredExplorer/assets/json-view.js";
import { isLater } from "../../Sources/CKindredExplorer/assets/server.js";
import { advice } from "../../Sources/CKindredExplorer/assets/plan.js";
import {
  curl,
  javaScript,
  query,
  swift,
  typeScript,
} from "../../Sources/CKindredExplorer/assets/code-view.js";

Deno.test("a cell offers the expressions of its value", () => {
  assertEquals(expressions("kind", "text", "it's"), ["kind='it''s'", "kind!='it''s'", "kind is null"]);
  assertEquals(expressions("year", "number", "1851").slice(2, 4), ["year<1851", "year>1851"]);
  assertEquals(expressions("year", "null", "null"), ["year is null", "year is not null"]);
  assertEquals(expressions("f", "number", "NaN")[0], "f='NaN'");
  const first = (/** @type {string} */ text, /** @type {string} */ literal) =>
    expressions("x", "text", text, { literal })[0];
  assertEquals(first('[1,null,["a,\\"b"]]', "array"), `x='{1,NULL,{"a,\\"b"}}'`);
  assertEquals(first('[{"a":1}]', "array"), "x is null");
  assertEquals(first('{"a":1.0,"b":["c"]}', "jsonb"), `x='{"a": 1.0, "b": ["c"]}'`);
  assertEquals(first('"it\'s"', "json"), "x='it''s'");
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
    facetURL("/books?filter=year>1&kind=x&sort=year&limit=3&include=author", "kind", new Set([1])),
    "/books?filter=year>1&kind=x&fields=value:kind,n:count()&group=kind&sort=-count()&limit=10",
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

Deno.test("a filter is built by the type of the column", () => {
  const built = (
    /** @type {string} */ input,
    /** @type {string} */ name,
    /** @type {string[]} */ ...texts
  ) => {
    const found = operators(input).find((operator) => operator.name === name);
    return found === undefined
      ? null
      : expression({ term: "x", column: { name: "x", type: "", input } }, found, texts);
  };
  assertEquals(built("number", "between", "1", "2.5"), "x between 1 and 2.5");
  assertEquals(built("number", "=", "NaN"), "x='NaN'");
  assertEquals(built("text", "=", "it's"), "x='it''s'");
  assertEquals(built("text", "in", "a, b"), "x in ('a','b')");
  assertEquals(built("number", "in", "1,2"), "x in (1,2)");
  assertEquals(built("boolean", "=", "true"), "x=true");
  assertEquals(built("json", "=", "{}"), "x='{}'");
  assertEquals(built("json", "<", "{}"), null);
  assertEquals(built("bytes", "is null"), "x is null");
});

Deno.test("a position is later than another one by its number", () => {
  assertEquals(isLater("1-10/0", "1-F/FFFFFFFF"), true);
  assertEquals(isLater("1-0/9", "1-0/A"), false);
  assertEquals(isLater("10-0/1", "9-F/0"), true);
  assertEquals(isLater("1-0/1", null), true);
  assertEquals(isLater("x", "1-0/1"), false);
});
