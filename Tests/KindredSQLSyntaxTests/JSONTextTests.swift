import KindredSQLSyntax
import Testing

@Suite("JSON in requests")
struct JSONTextTests {
  @Test(arguments: ["{}", "[1, -2.5e3]", #"{"a": [true, null, "\u00e9\n"]}"#, "0", #""text""#, " [ ] "])
  func `well-formed texts are JSON`(text: String) { #expect(JSONText(text) != nil) }

  @Test(arguments: [
    "", "{", "[1,]", #"{"a"}"#, "01", "+1", "nul", "'a'", "[1] 2", "\"a\nb\"", #""\x""#, "{a:1}",
  ])
  func `other texts are not`(text: String) { #expect(JSONText(text) == nil) }

  @Test
  func `what nests too deep is refused`() {
    #expect(JSONText(String(repeating: "[", count: 100_000)) == nil)
  }

  @Test(arguments: [
    (#"["a","b c"]"#, #"{"a","b c"}"#), (#"["say \"x\"\\",null]"#, #"{"say \"x\"\\",NULL}"#),
    ("[[1,2],[3,4]]", #"{{"1","2"},{"3","4"}}"#), (#"["\ud83d\ude00"]"#, #"{"😀"}"#), ("[]", "{}"),
    (#"{"a":1}"#, #"{"{\"a\":1}"}"#),
  ])
  func `elements are PostgreSQL's text of an array`(json: String, array: String) {
    #expect(JSONText(json)?.arrayText == array)
  }
}
