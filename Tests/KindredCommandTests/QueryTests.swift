import Foundation
import TestSupport
import Testing

@Suite("kindred query", .timeLimit(.minutes(5)))
struct QueryTests {
  private let program: Program

  init() throws {
    program = Program(directory: try TemporaryDirectory())
    try program.directory.makeLibrary()
  }

  private func query(_ arguments: String...) throws -> Program.Outcome {
    try program.run(["query", "library.sqlite"] + arguments)
  }

  @Test
  func `it writes with a method and a body, from the line, a file or standard input`() throws {
    let created = try query("/countries?fields=code", "--body", #"{"code": "ZZ", "name": "Z"}"#)
    #expect(created.output == "{\"code\":\"ZZ\"}\n")
    try program.directory.write(#"{"name": "Zed"}"#, to: "body.json")
    let changed = try query("/countries/ZZ", "--method", "PATCH", "--body", "@body.json")
    #expect(changed.output == "{\"code\":\"ZZ\",\"name\":\"Zed\"}\n")
    let replaced = try program.shell(
      #"echo '{"code":"ZZ","name":"Zet"}' | "$PROGRAM" query library.sqlite /countries/ZZ --method put --body @-"#
    )
    #expect(replaced.output == "{\"code\":\"ZZ\",\"name\":\"Zet\"}\n")
    #expect(try query("/countries/ZZ", "--method", "DELETE").status == 0)
    #expect(try query("/countries/ZZ").status == 1)
  }

  @Test
  func `fields of the request are sent`() throws {
    let outcome = try query(
      "/countries/CA", "--method", "PATCH", "--body", "{}", "--header", #"If-Match: "none""#)
    #expect(outcome.errors.hasPrefix("kindred: 412 "))
    #expect(try query("/", "--header", "no field").status == 64)
  }

  @Test
  func `the next page is on standard error`() throws {
    let outcome = try query("/countries?limit=1&fields=code")
    #expect(outcome.output == "[{\"code\":\"CA\"}]\n")
    let next = try #require(outcome.errors.wholeMatch(of: /next: (\S+)\n/)).1
    #expect(next.hasPrefix("/countries?limit=1&fields=code&after="))
    #expect(try query("/countries?limit=1000").errors.isEmpty)
  }

  @Test
  func `each line of standard input is a URL`() throws {
    let outcome = try program.shell(
      #"printf '/countries/CA?fields=code\n\n/none\n/countries/FR?fields=code\n' | "$PROGRAM" query library.sqlite -"#
    )
    #expect(outcome.output == "{\"code\":\"CA\"}\n{\"code\":\"FR\"}\n")
    #expect(outcome.errors == "kindred: /none: 404 Unknown resource: there is no resource `none`\n")
    #expect(outcome.status == 1)
  }

  @Test
  func `the exit code is 1 after an error, or its class where that is wanted`() throws {
    #expect(try query("/none").status == 1)
    #expect(try query("/none", "--check-status").status == 4)
    #expect(try query("/countries", "--check-status").status == 0)
    #expect(try query("/countries", "--method", "BREW").status == 64)
  }
}
