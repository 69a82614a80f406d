import {
  isSame,
  members,
  object,
  parts,
  pointedMember,
  untyped,
} from "../../Sources/CKindredExplorer/assets/json.js";
import { assertEquals as equal } from "./assert.js";

Deno.test("a number keeps all of its digits on the way through a field", () => {
  const record = members('{"id":12345678901234567890,"price":1.10,"title":"1","tags":[1,null]}');
  equal(record.get("id"), "12345678901234567890");
  equal(untyped(/** @type {string} */ (record.get("price"))), "1.10");
  equal(object(record), '{"id":12345678901234567890,"price":1.10,"title":"1","tags":[1,null]}');
});

Deno.test("members may have any name", () => {
  const record = members('{"__proto__":1,"constructor":"x","a\\"b":null,"":2}');
  equal(object(record), '{"__proto__":1,"constructor":"x","a\\"b":null,"":2}');
});

Deno.test("an array is divided at its own commas", () => {
  equal(parts('[{"a":[1,2]}, "b,c" ,3]'), ['{"a":[1,2]}', '"b,c"', "3"]);
  equal(parts("[]"), []);
  equal(parts('["a]\\\\","{,",[1,2]]'), ['"a]\\\\"', '"{,"', "[1,2]"]);
  equal(parts(`["${"\\n".repeat(2_000_000)}"]`).length, 1);
});

Deno.test("values are compared as values, however they are written, to the last digit", () => {
  for (
    const [left, right] of [["20.10", "20.1"], ["1e3", "1000"], ["-0.0", "0"], ["0.5e1", "5.0"], [
      '{"a":1.0,"b":[1]}',
      '{ "b": [1.00], "a": 1 }',
    ], ['"\\u0041"', '"A"']]
  ) equal(isSame(left, right), true);
  for (
    const [left, right] of [["9007199254740993", "9007199254740992"], ["1", '"1"'], ["null", '"null"'], [
      "1",
      "-1",
    ], ["[1,2]", "[2,1]"]]
  ) equal(isSame(left, right), false);
  equal(isSame(undefined, "1"), false);
});

Deno.test("a pointer names the member that is wrong", () => {
  equal(pointedMember("#/name"), "name");
  equal(pointedMember("#/a~1b%20c/0"), "a/b c");
  equal(pointedMember("#"), null);
  equal(pointedMember(undefined), null);
});
