import { asCSV, asJSON, asMarkdown } from "../../Sources/CKindredExplorer/assets/copying.js";
import { assertEquals as equal } from "./assert.js";

const ROWS = [
  '{"id":12345678901234567890,"2":1.10,"name":"a,\\"b\\"\\n|c|","books":[{"id":1},{"id":2}]}',
  '{"id":2,"2":null,"name":"","books":[]}',
];

Deno.test("rows as JSON are what the server wrote", () => {
  equal(JSON.stringify(JSON.parse(asJSON(ROWS))), JSON.stringify(ROWS.map((row) => JSON.parse(row))));
  equal(asJSON(ROWS).includes("12345678901234567890"), true);
});

Deno.test("rows as CSV tell null from an empty text, and keep all digits and the order of columns", () => {
  equal(
    asCSV(ROWS),
    'id,2,name,books\r\n12345678901234567890,1.10,"a,""b""\n|c|","[{""id"":1},{""id"":2}]"\r\n2,,"",[]\r\n',
  );
  equal(asCSV([]), "\r\n");
});

Deno.test("rows as Markdown are a table, in which nothing is markup", () => {
  equal(
    asMarkdown(['{"n":1,"text":"<b>|*x*\\n"}', '{"n":null,"text":null}']),
    "| n | text |\n| ---: | --- |\n| 1 | &lt;b>\\|\\*x\\*<br> |\n|  |  |\n",
  );
});
