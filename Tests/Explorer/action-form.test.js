import { argument, content } from "../../Sources/CKindredExplorer/assets/action-form.js";
import { assertEquals } from "./assert.js";

Deno.test("a field is a value of its parameter's type, and an empty optional one is left out", () => {
  assertEquals(argument("5", "text", true), '"5"');
  assertEquals(argument("", "text", true), '""');
  assertEquals(argument("", "text", false), undefined);
  assertEquals(argument(" 5 ", "integer", true), "5");
  assertEquals(argument("", "integer", true), "null");
  assertEquals(argument("", "real", false), undefined);
  assertEquals(argument('{"a": 1}', "json", true), '{"a": 1}');
});

Deno.test("the content of a call keeps every digit", () => {
  const fields = [
    { name: 'a"b', text: "9007199254740993", type: "integer", isRequired: true },
    { name: "c", text: "", type: "boolean", isRequired: false },
  ];
  assertEquals(content(fields), '{"a\\"b":9007199254740993}');
});
