import { matchesIn, requestForMatches } from "../../Sources/CKindredExplorer/assets/matches.js";
import { assertEquals } from "./assert.js";

Deno.test("the places between marks are those of the text without them", () => {
  assertEquals(matchesIn("a \uE000whale\uE001, a \uE000sea\uE001"), {
    text: "a whale, a sea",
    places: [{ from: 2, to: 7 }, { from: 11, to: 14 }],
  });
  assertEquals(matchesIn("\uE000sea\uE001"), { text: "sea", places: [{ from: 0, to: 3 }] });
  assertEquals(matchesIn("none"), { text: "none", places: [] });
});

Deno.test("the marked texts are requested for the same page", () => {
  assertEquals(
    requestForMatches("/books?search=sea&fields=id&sort=-year", ["title"]),
    "/books?search=sea&sort=-year&fields=m0:highlight(title,'\uE000','\uE001')",
  );
});
