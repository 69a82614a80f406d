import {
  columnKind,
  members,
  object,
  pointedMember,
  typed,
  untyped,
} from "../../Sources/CKindredExplorer/assets/values.js";
import { assertEquals as equal } from "./assert.js";

Deno.test("a number keeps all of its digits on the way through a field", () => {
  const record = members('{"id":12345678901234567890,"price":1.10,"title":"1","tags":[1,null]}');
  equal(record.get("id"), "12345678901234567890");
  equal(untyped(/** @type {string} */ (record.get("price"))), "1.10");
  equal(object(record), '{"id":12345678901234567890,"price":1.10,"title":"1","tags":[1,null]}');
});

Deno.test("members may have any name", () => {
  equal(
    object(members('{"__proto__":1,"constructor":"x","a\\"b":null}')),
    '{"__proto__":1,"constructor":"x","a\\"b":null}',
  );
});

Deno.test("what is typed is a value of the column's kind", () => {
  equal(typed(columnKind("VARCHAR(20)"), "12"), '"12"');
  equal(typed(columnKind("INTEGER"), " 12 "), "12");
  equal(typed(columnKind("NUMERIC"), "012"), '"012"');
  equal(typed(columnKind("DATE"), "2024-01-02"), '"2024-01-02"');
  equal(typed(columnKind("JSON"), '{"a":1}'), '{"a":1}');
  equal(typed(columnKind("JSON"), "{a}"), null);
});

Deno.test("a pointer names the member that is wrong", () => {
  equal(pointedMember("#/name"), "name");
  equal(pointedMember("#/a~1b%20c/0"), "a/b c");
  equal(pointedMember("#"), null);
  equal(pointedMember(undefined), null);
});
