import Foundation
import TestSupport
import Testing

@Suite("kindred serve --check", .timeLimit(.minutes(5)))
struct CheckTests {
  private let program: Program

  init() throws {
    program = Program(directory: try TemporaryDirectory())
    try program.directory.makeLibrary()
  }

  private func check(_ arguments: String...) throws -> (status: Int32, mistakes: [String]) {
    let outcome = try program.run(["serve", "library.sqlite", "--check"] + arguments)
    #expect(outcome.output == (outcome.status == 0 ? "the configuration is valid\n" : ""))
    return (outcome.status, outcome.errors.split(separator: "\n").map(String.init))
  }

  @Test
  func `what is valid is 0, and neither listens nor changes the database`() throws {
    let directory = program.directory
    try directory.write("resources:\n  authors: { sort: name }\n", to: "model.yaml")
    let key = String(repeating: "0", count: 64)
    try directory.write(
      "pageSize: 5\nwritable: true\naccess: { keys: [{ sha256: \(key), roles: [r] }] }\n", to: "c.yaml")
    let before = try Data(contentsOf: directory.url.appending(path: "library.sqlite"))
    let names = try directory.fileNames.filter { !$0.contains("-") }
    let (status, _) = try check("--config", "c.yaml", "--model", "model.yaml", "--port", "1")
    #expect(status == 0)
    #expect(try Data(contentsOf: directory.url.appending(path: "library.sqlite")) == before)
    let after = try directory.fileNames.filter { !$0.contains("-") }
    #expect(after == names)
  }

  @Test
  func `what other machines may do without TLS and without rules is said, unless it is intended`() throws {
    try program.directory.write("access: { read: {} }\n", to: "model.yaml")
    let open = try check("--host", "0.0.0.0").mistakes
    #expect(open.count == 2)
    #expect(open[0].hasPrefix("kindred: other machines connect without TLS"))
    #expect(open[1].hasSuffix("everybody may read everything"))
    let restricted = try check("--host", "0.0.0.0", "--model", "model.yaml", "--trusted-proxies", "10.0.0.1")
    #expect(
      restricted.mistakes.allSatisfy {
        $0.hasPrefix("kindred: everybody, also without credentials, may read")
      })
    #expect(try check().mistakes == ["kindred: no `access` is configured: everybody may read everything"])
    #expect(try check("--host", "unix:s").mistakes.count == 1)
  }

  @Test
  func `all mistakes of all files are reported with their places`() throws {
    var program = program
    program.environment["KINDRED_MAX_DEPTH"] = "many"
    try program.directory.write(
      """
      port: http
      pgeSize: 5
      model: model.yaml
      log: { level: loud }
      tls: { certificate: none.pem, key: none.pem }
      access:
        kys: []
        keys: [{ sha256: 12 }, { roles: [reader] }]
        jwt: { algorithm: none, secretFile: none.txt }
      """, to: "c.yaml")
    try program.directory.write(
      """
      resources:
        authors: { srt: name, hidden: [nme] }
        boks: {}
        books:
          sort: titel
          associations:
            writer: { belongsTo: writers }
          access: { read: { rows: yeer > 1900 } }
      """, to: "model.yaml")
    let outcome = try program.run("serve", "library.sqlite", "--check", "--config", "c.yaml")
    #expect(outcome.status == 1)
    let places = outcome.errors.split(separator: "\n").map { line in
      line.dropFirst("kindred: ".count).prefix { $0 != " " }
    }
    #expect(
      places.sorted() == [
        "KINDRED_MAX_DEPTH:", "c.yaml:1:", "c.yaml:2:", "c.yaml:4:", "c.yaml:7:", "c.yaml:8:", "c.yaml:8:",
        "c.yaml:9:", "c.yaml:9:", "model.yaml:2:", "model.yaml:2:", "model.yaml:3:", "model.yaml:5:",
        "model.yaml:7:", "model.yaml:8:", "the", "the",
      ])
  }

  @Test(arguments: [
    (["--model", "."], ".: this is a directory; name the file in it"),
    (["--model", "none.yaml"], "none.yaml: no such file; check the path"),
    (["--config", "none.yaml"], "none.yaml: no such file; check the path"),
    (["--host", "no.such.host.invalid"], "the host 'no.such.host.invalid' has no address"),
    (["--host", "unix:none/s"], "cannot listen on unix:none/s: the directory does not exist"),
    (["--host", "unix:."], "there is a directory"),
    (["--tls-certificate", "x"], "--tls-certificate and --tls-key require each other"),
    (["--role-claim", "role"], "--role-claim requires PostgreSQL"),
    (["--cors-origins", "*", "--writable"], "name the origins that may"),
  ])
  func `a single mistake is one line`(arguments: [String], text: String) throws {
    let outcome = try program.run(["serve", "library.sqlite", "--check"] + arguments)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(text))
    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
  }

  @Test
  func `a database that is missing, no database or not writable is a mistake`() throws {
    try program.directory.write("text that is no database at all, however long it may be", to: "text.db")
    for (name, text) in [
      ("none.db", "no such file"), ("text.db", "is not an SQLite database"), (".", "is a directory"),
    ] {
      let outcome = try program.run("serve", name, "--check", "--writable")
      #expect(outcome.status == 1)
      #expect(outcome.errors.hasPrefix("kindred: \(name): \(text)"))
    }
  }
}
