import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Files of the explorer")
struct ExplorerAssetsTests {
  @Test
  func `comments are not sent, and texts stay as they are`() {
    let source = [
      "// A line.", "/** Several", " * lines. */", "const path = /** @type {string} */ (found); // stays",
      "  // Indented.", #"const texts = ["/*/", "// text", "a */ b"];"#,
    ]
    let sent = ["", "", "const path =  (found); // stays", "  ", source[5]]
    let content = ExplorerAssets.withoutComments(Array(source.joined(separator: "\n").utf8))
    #expect(String(decoding: content, as: UTF8.self) == sent.joined(separator: "\n"))
  }

  @Test
  func `a file is found under the hash of all of them only, and kept for ever`() throws {
    let database = try Library.database()
    let path = ExplorerAssets.shared.path
    let script = try database.answer("\(path)/explorer.js")
    #expect(script.status == 200)
    #expect(script.headers["Cache-Control"] == "public, max-age=31536000, immutable")
    #expect(!script.text.contains("/**"))
    #expect(try database.answer("/-/explorer/0/explorer.js").status == 404)
    #expect(try database.answer("\(path)/nothing.js").status == 404)
  }
}
