import { moment, picker, reference, size, typed } from "../../Sources/CKindredExplorer/assets/fields.js";
import { cells, recognized } from "../../Sources/CKindredExplorer/assets/importing.js";
import { assertEquals as equal } from "./assert.js";

Deno.test("what is typed is a value as the server says that the column has them", () => {
  equal(typed("text", "12"), '"12"');
  equal(typed("number", " 12 "), "12");
  equal(typed("number", "012"), '"012"');
  equal(typed("number", "NaN"), '"NaN"');
  equal(typed("date", "2024-01-02"), '"2024-01-02"');
  equal(typed("enum", "sad"), '"sad"');
  equal(typed("json", '{"a":1.00}'), '{"a":1.00}');
  equal(typed("json", "{a}"), null);
  equal(typed("array", "[1,null]"), "[1,null]");
  equal(typed("array", "1"), null);
});

Deno.test("an untyped column keeps the kind of its value", () => {
  equal(typed("any", "13", '"012"'), '"13"');
  equal(typed("any", "13", "12"), "13");
  equal(typed("any", "x", "12"), '"x"');
  equal(typed("any", "13", "null"), "13");
});

Deno.test("a picker is for moments that it can show, which keep their form", () => {
  equal(picker("date", "2024-01-02")?.type, "date");
  equal(picker("date", "infinity"), null);
  equal(picker("timestamp", "2024-01-02 03:04:05")?.value, "2024-01-02T03:04:05");
  equal(picker("timestamp", "2024-01-02T03:04:05.6+00:00"), null);
  equal(picker("text", "2024-01-02"), null);
  equal(moment("2024-01-03T03:04", "2024-01-02 03:04:05"), "2024-01-03 03:04:00");
  equal(moment("2024-01-03T03:04:05", "2024-01-02T03:04:05"), "2024-01-03T03:04:05");
});

Deno.test("a column refers to a record only if the association has it, whatever it is called", () => {
  const author = { key: "author", kind: "belongsTo", destination: "authors", columns: { authorId: "id" } };
  const resource = { name: "books", link: "/books", key: ["id"], columns: [], associations: [author] };
  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty", "title"]) {
    equal(reference(resource, name), undefined);
  }
  equal(reference(resource, "authorId")?.key, "author");
});

Deno.test("sizes are told in a unit that is easy to read", () => {
  equal([size(12), size(6_000_000)].map((text) => text.replace(",", ".")), ["12 bytes", "6 MB"]);
});

Deno.test("cells are read from CSV, and from what spreadsheets copy", () => {
  equal(cells('a,b\r\n"x ""y"", z",\n', ","), [["a", "b"], ['x "y", z', ""]]);
  equal(cells("", ","), []);
  equal(recognized('a\tb\n1,5\t"x\ny"\n').text, 'a,b\r\n"1,5","x\ny"\r\n');
  equal(recognized('{"a":1}').type, "application/x-ndjson");
});
