import Foundation
import TestSupport
import Testing

@Suite("Walks through pages of the documentation")
struct WalkthroughTests {
  /// A page whose blocks are files, commands, and what commands print.
  private final class Walk {
    private let program: Program
    private var server: ServerProcess?
    private var output: String?
    private(set) var outputs = 0

    init() throws {
      program = Program(directory: try TemporaryDirectory())
    }

    /// Takes the step that a block shows.
    ///
    /// - Parameter kind: What follows the opening fence: `sh`, a language and `title="NAME"` of a file, or nothing.
    func take(_ kind: Substring, _ text: String) throws {
      if let title = kind.firstMatch(of: /title="([^"]+)"/) {
        _ = try program.directory.write(text, to: String(title.1))
        return
      }
      switch kind {
      case "sh" where text.hasPrefix("kindred serve") && !text.contains("--check"):
        server = nil
        let arguments = text.split(whereSeparator: \.isWhitespace).dropFirst(2).map(String.init)
        server = try ServerProcess(program, arguments + ["--port", "0"])
      case "sh" where text.hasPrefix("python3 -m http.server"): break
      // Scripts and what they print, which the tests of clients run; commands and files of other programs.
      case "js", "text", "console", "nginx", "ini": break
      case "sh": output = try run(text)
      case "":
        #expect(output.map(Self.untimed) == Self.untimed(text))
        output = nil
        outputs += 1
      default: Issue.record("a block of \(kind) is no step")
      }
    }

    /// Returns what a command printed without the time that an import took.
    private static func untimed(_ text: String) -> String {
      text.replacing("\r\n", with: "\n").trimmingCharacters(in: .newlines).replacing(
        /\ in [0-9.]+ s, [0-9,]+ a second/, with: "")
    }

    /// Runs commands with the program by its name, and with the server's port in place of the default one.
    private func run(_ commands: String) throws -> String {
      let port = server?.url?.port ?? 8080
      let script = "kindred() { \"$PROGRAM\" \"$@\"; }\ncurl() { command curl --silent \"$@\"; }\n" + commands
      return try program.shell(script.replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")).output
    }
  }

  @Test(arguments: [
    ("docs/tutorial.md", 9), ("docs/browsers.md", 3), ("docs/databases.md", 8), ("docs/own-file.md", 8),
    ("docs/csv.md", 10), ("docs/react.md", 1), ("docs/production.md", 9),
    ("docs/write.md", 14), ("docs/migrations.md", 4),
  ])
  func `every command of a page prints what it shows`(path: String, outputs: Int) throws {
    let walk = try Walk()
    for block in try DocumentationPage(path).text.matches(of: /(?ms)^```([^\n]*)\n(.*?)^```$/) {
      try walk.take(block.1, String(block.2))
    }
    #expect(walk.outputs >= outputs)
  }
}
