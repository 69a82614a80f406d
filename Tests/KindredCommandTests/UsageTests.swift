import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import KindredCommand

@Suite("The command line")
struct UsageTests {
  private let program: Program

  init() throws {
    program = Program(directory: try TemporaryDirectory())
  }

  @Test(arguments: [
    (["frobnicate"], "there is no command `frobnicate`; the commands are serve, model, "),
    (["chinook.db"], "did you mean `kindred serve chinook.db`?"),
    (["my library.db", "--port", "0"], "did you mean `kindred serve 'my library.db'`?"),
    (["serv", "x.db"], "there is no command `serv`; did you mean `kindred serve`?"),
    (["serve", ""], "argument 2 is empty"), (["serve", "--", ""], "the name of the database is empty"),
    (["query", "x.db", "--as=", "/"], "--as: the value is empty"),
    (["query", "x.db", "/", "--as", "{bad"], "--as: it must be a JSON object"),
    (["query", "x.db", "/", "--as", "[1]"], "--as: it must be a JSON object"),
    (["query", "x.db", "/", "--format", "xml"], "'csv' or 'pretty'; see `kindred query --help`"),
    (["serve", "--frobnicate"], "--frobnicate"),
    (["serve", "--prot", "1"], "--port"),
    (
      ["serve", "x.db", "--port", "many"],
      "--port: 'many' is not valid: it must be a number from 0 to 65535"
    ),
    (["serve", "x.db", "--port=65536"], "--port: '65536' is not valid"),
    (["serve", "--page-size", "x"], "--page-size: 'x' is not valid: it must be a whole number"),
    (["serve", "--page-size=-1"], "--page-size"),
    (["serve", "--max-body-size", "1TiB"], "it must be a size"),
    (["serve", "--idle-timeout", "0"], "it must be a time"),
    (["serve", "--max-connections", "99999999999999999999"], "--max-connections"),
    (["serve", "--log-level", "loud"], "debug"),
    (["serve", "--tls-key", "key.pem"], "--tls-certificate"),
    (["serve", "--tls-hsts"], "--tls-key"),
    (["serve", "--base-path", "library"], "--base-path: 'library' is not valid: it must be a path"),
    (["serve", "--trusted-proxies", "10.0.0.0/33"], "--trusted-proxies: '10.0.0.0/33' is not valid"),
    (["serve", "one.db", "two.db"], "two.db"),
    (["query", "x.db"], "<url>"),
    (["migrate"], "<database>"),
    (["model"], "<database>"),
    (["client", "typescript"], "<database>"),
    (["client", "typescript", "x.db", "--token", "t"], "--token: only a server asks for one"),
    (
      ["client", "swift", "http://127.0.0.1:1", "--model", "m.yaml"],
      "--model: a server has its model file itself"
    ),
    (["mcp", "x.db", "--as", "[1]"], "--as: it must be a JSON object"),
  ])
  func `invalid arguments are reported in one line, with exit code 64`(arguments: [String], mention: String)
    throws
  {
    let outcome = try program.run(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("kindred: "))
    #expect(outcome.errors.contains(mention))
    #expect(outcome.errors.filter(\.isNewline).count == 1)
  }

  @Test(arguments: [
    ["postgres://u:s3cret@h/d"], ["serve", "x.db", "postgres://u:s3cret@h/d"],
    ["model", "postgre://u:s3cret@h/d"], ["model", "mysql://s3cret@h/d"],
    ["model", "host=h password=s3cret dbname=d"], ["model", "host=h PASSWORD=s3cret"],
    ["model", "POSTGRES://u:s3cret@127.0.0.1:1/d"], ["model", "postgres://u:s3cret/s3cret@127.0.0.1:1/d"],
    ["model", "postgres://u:s3cret@s3cret@127.0.0.1:1/d"], ["model", "postgres://u:s3cret%zz@127.0.0.1:1/d"],
    ["model", "postgres://u:s3cret@[::1/d"], ["model", "postgres://127.0.0.1:1/d?password=s3cret%zz"],
  ])
  func `what may be a password is in no error`(arguments: [String]) throws {
    let outcome = try program.run(arguments)
    #expect(outcome.status != 0)
    #expect(outcome.errors.hasPrefix("kindred: "))
    #expect(!outcome.errors.contains("cret"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("no such file"))
  }

  @Test(arguments: ["2>&-", "2>/dev/full", "<&- >&- 2>&-", "2>&1 >/dev/null | true"])
  func `an error has its exit code, also if standard error can't be written`(redirection: String) throws {
    // The exit code of the program, not that of the pipeline.
    let outcome = try program.shell(
      "( \"$PROGRAM\" serve missing.db; echo $? > status ) \(redirection)")
    #expect(outcome.errors.isEmpty)
    let status = try String(contentsOf: program.directory.url.appending(path: "status"), encoding: .utf8)
    #expect(status == "1\n")
  }

  @Test(arguments: [[], ["--help"], ["serve", "--help"], ["help", "query"], ["--version"]])
  func `help is no error`(arguments: [String]) throws {
    let outcome = try program.run(arguments)
    #expect(outcome.status == 0)
    #expect(!outcome.output.isEmpty)
    #expect(outcome.errors.isEmpty)
  }

  @Test(arguments: [
    (["serve", "missing.db"], "missing.db: no such file"),
    (["serve", "."], "is a directory"),
    (["serve", "text.db"], "text.db: is not an SQLite database"),
    (["query", "missing.db", "/authors"], "missing.db: no such file"),
    (["model", "text.db"], "text.db: is not an SQLite database"),
    (["migrate", "new.db"], "--migrations"),
    (["migrate", "new.db", "--migrations", "."], "--migrations"),
    (["migrate", "new.db", "--migrations", "wrong"], "wrong/0001-wrong.sql:2: near \"CRATE\""),
    (["serve", "text.db", "--config", "missing.yaml"], "missing.yaml: no such file"),
    (["serve", "--migrations", "missing"], "missing"),
  ])
  func `failures at run time are reported in one line, with exit code 1`(arguments: [String], mention: String)
    throws
  {
    try program.directory.write(
      "This is a text, and a longer one than the head of a database.", to: "text.db")
    try program.directory.write(
      "-- A mistake in the next line.\nCRATE TABLE x (y);\n", to: "wrong/0001-wrong.sql")
    let outcome = try program.run(arguments)
    #expect(outcome.status == 1)
    #expect(outcome.errors.hasPrefix("kindred: "))
    #expect(outcome.errors.contains(mention))
    #expect(outcome.errors.filter(\.isNewline).count == 1)
  }

  @Test
  func `the help of serve begins with the ten common options`() throws {
    let sections = ServeCommand.helpMessage(columns: 1000).components(separatedBy: "\n\n")
    let options = try #require(sections.first { $0.contains("--") && $0.hasPrefix("COMMON OPTIONS:") })
    #expect(options.matches(of: /(?m)^  --/).count == 10)
    #expect(sections.first { $0.contains("\n  --") } == options)
  }
}
