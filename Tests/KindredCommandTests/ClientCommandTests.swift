import Foundation
import TestSupport
import Testing

@Suite("Clients of the sample library")
struct ClientCommandTests {
  private let program: Program

  init() throws {
    program = Program(directory: try TemporaryDirectory())
    try program.directory.makeLibrary()
  }

  @Test(arguments: ["typescript", "swift"])
  func `a client is the same, whether it is made of the database or of its server`(language: String) throws {
    let printed = try program.run("client", language, "library.sqlite")
    #expect(printed.status == 0 && printed.output.contains("Author"))
    let server = try ServerProcess(program, "library.sqlite", "--port", "0")
    let url = try #require(server.readyLine.split(separator: " ").last).trimmingCharacters(in: .newlines)
    #expect(try program.run("client", language, url + "/").output == printed.output)
  }

  @Test
  func `a client is written to a file`() throws {
    let outcome = try program.run("client", "typescript", "library.sqlite", "--output", "kindred.ts")
    #expect(outcome.status == 0 && outcome.output.isEmpty)
    let written = try String(
      contentsOf: program.directory.url.appending(path: "kindred.ts"), encoding: .utf8)
    #expect(try program.run("client", "typescript", "library.sqlite").output == written)
  }

  @Test
  func `a client of a server has what its token may read`() throws {
    try program.directory.write(
      """
      resources:
        authors: { access: { read: { fields: [id, name] } } }
        books: { access: { read: { roles: [reader] } } }
      """, to: "model.yaml")
    try program.directory.write(
      "access:\n  keys:\n    - { key: secret, roles: [reader] }\n", to: "config.yaml")
    let server = try ServerProcess(
      program, "library.sqlite", "--port", "0", "--model", "model.yaml", "--config", "config.yaml")
    let url = try #require(server.readyLine.split(separator: " ").last).trimmingCharacters(in: .newlines)
    let anonymous = try program.run("client", "typescript", url).output
    #expect(anonymous.contains("interface Author {\n  id: number;\n  name: string;\n}"))
    #expect(!anonymous.contains("interface Book "))
    let reader = try program.run("client", "typescript", url, "--token", "secret").output
    #expect(reader.contains("interface Book "))
    #expect(try program.run("client", "typescript", url, "--token", "wrong").errors.contains("401"))
  }

  @Test
  func `a server that doesn't answer, or answers something else, is reported in one line`() throws {
    for database in ["http://127.0.0.1:1", "missing.sqlite"] {
      let outcome = try program.run("client", "typescript", database)
      #expect(outcome.status == 1 && outcome.output.isEmpty)
      #expect(outcome.errors.filter(\.isNewline).count == 1)
    }
  }

  @Test
  func `mcp answers each line of its input, and writes only if it may`() throws {
    let messages = [
      #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
      #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
      #"{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"fetch","arguments":{"url":"/authors/1?fields=id"}}}"#,
      #"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    ]
    try program.directory.write(messages.joined(separator: "\n") + "\n", to: "messages")
    let reading = try program.shell(#""$PROGRAM" mcp library.sqlite < messages"#)
    let replies = reading.output.split(separator: "\n")
    #expect(replies.count == 3)
    #expect(replies[0].contains(#""protocolVersion":"2025-11-25""#))
    #expect(
      replies[1].contains(#""id":"two""#) && replies[1].contains(#""structuredContent":{"record":{"id":1}}"#))
    #expect(replies[2].contains(#""resultType":"complete""#) && !replies[2].contains(#""name":"write""#))
    let writing = try program.shell(#""$PROGRAM" mcp library.sqlite --writable < messages"#)
    #expect(writing.output.contains(#""name":"write""#))
  }
}
