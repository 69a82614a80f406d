import Foundation
import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredExplorer

@Suite("Files of the explorer")
struct ExplorerAssetsTests {
  @Test(arguments: [
    (
      ["// A line.", "/** Several", " * lines. */", "const a = /** @type {string} */ (b); // more"],
      "const a=(b);"
    ),
    (["if (a) {", "  b();", "", "}", "c = [", "  d,", "  e,", "]"], "if(a){b();}\nc=[d,e]"),
    (["a = b", "(c)", "d", "  .e(", "f)"], "a=b\n(c)\nd.e(f)"),
    ([#"const texts = ["/*/", '// "text', "a */ b\""];"#], #"const texts=["/*/",'// "text',"a */ b\""];"#),
    (
      ["const a = `", "  x // y ${{ b: `/* ${c} */` }.b} ", "  /* z */`;"],
      "const a=`\n  x // y ${{b:`/* ${c} */`}.b} \n  /* z */`;"
    ),
    ([#"a.replace(/[/"'*]\//g, "  ") / b; // c"#], #"a.replace(/[/"'*]\//g,"  ")/ b;"#),
    ([#"return /`/.test(x) ? (a) / 2 / b : /\/\*/;"#], #"return /`/.test(x)?(a)/ 2 / b:/\/\*/;"#),
  ])
  func `comments, indentation and needless spaces are not sent, and texts stay as they are`(
    lines: [String], sent: String
  ) {
    let text = SourceText(Array(lines.joined(separator: "\n").utf8), isScript: true).shortened
    #expect(String(decoding: text, as: UTF8.self) == sent)
  }

  @Test
  func `every file of the explorer is embedded`() throws {
    let assets = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../Sources/CKindredExplorer/assets")
    let names = try FileManager.default.contentsOfDirectory(atPath: assets.path)
    #expect(!names.isEmpty)
    let database = try Library.database()
    for name in names {
      #expect(try database.answer("\(ExplorerAssets.shared.path)/\(name)").status == 200, "\(name)")
    }
  }

  @Test
  func `a page asks at once for all scripts that it starts with`() throws {
    let page = try Library.database().answer("/tags", headers: ["Accept": "text/html"]).text
    let path = ExplorerAssets.shared.path
    for name in ["explorer.js", "server.js", "dom.js"] {
      #expect(page.contains("<link rel=\"modulepreload\" href=\"\(path)/\(name)\">"))
    }
    // What only some readers need is loaded when they need it.
    #expect(!page.contains("importing.js"))
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
