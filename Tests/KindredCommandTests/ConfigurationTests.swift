import Foundation
import TestSupport
import Testing

@Suite("Configuration")
struct ConfigurationTests {
  private var program: Program

  init() throws {
    program = Program(directory: try TemporaryDirectory())
    try program.directory.makeLibrary()
  }

  /// How many authors `kindred query` gives: the page size in force.
  private func authors(_ arguments: String...) throws -> Int {
    let outcome = try program.run(["query", "library.sqlite", "/authors?fields=id"] + arguments)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try JSONDecoder().decode([[String: Int]].self, from: Data(outcome.output.utf8)).count
  }

  @Test
  mutating func `flags override the environment, which overrides the file, then come the defaults`() throws {
    try program.directory.write("pageSize: 3\n", to: "kindred.yaml")
    #expect(try authors() > 4)
    #expect(try authors("--config", "kindred.yaml") == 3)
    program.environment["KINDRED_PAGE_SIZE"] = "2"
    #expect(try authors() == 2)
    #expect(try authors("--config", "kindred.yaml") == 2)
    #expect(try authors("--config", "kindred.yaml", "--page-size", "1") == 1)
  }

  @Test
  mutating func `the environment can name the file`() throws {
    try program.directory.write("pageSize: 3\n", to: "kindred.yaml")
    program.environment["KINDRED_CONFIG"] = "kindred.yaml"
    #expect(try authors() == 3)
  }

  @Test
  mutating func `an empty variable is none`() throws {
    program.environment["KINDRED_PAGE_SIZE"] = ""
    #expect(try authors() > 4)
  }

  @Test
  mutating func `a variable with a wrong value is named`() throws {
    program.environment["KINDRED_PORT"] = "10.0.0.1:80"
    let outcome = try program.run("serve", "library.sqlite")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors
        == "kindred: KINDRED_PORT: '10.0.0.1:80' is not valid: it must be a number from 0 to 65535\n")
  }

  @Test
  mutating func `a secret is in no error, wherever it is set`() throws {
    let message = "the value is not valid: it must be 64 hexadecimal digits"
    let option = try program.run("query", "library.sqlite", "/", "--cursor-key", "s3cret")
    #expect(option.errors.hasPrefix("kindred: --cursor-key: \(message)"))
    try program.directory.write("cursorKey: s3cret\n", to: "kindred.yaml")
    let file = try program.run("query", "library.sqlite", "/", "--config", "kindred.yaml")
    #expect(file.errors == "kindred: kindred.yaml:1: cursorKey: \(message)\n")
    program.environment["KINDRED_CURSOR_KEY"] = "s3cret"
    #expect(
      try program.run("query", "library.sqlite", "/").errors == "kindred: KINDRED_CURSOR_KEY: \(message)\n")
  }

  @Test
  func `servers with the same cursor key in a file continue each other's pages`() async throws {
    try program.directory.write(String(repeating: "a1", count: 32) + "\n", to: "cursor.key")
    let arguments = ["library.sqlite", "--port", "0", "--cursor-key-file", "cursor.key"]
    let link = try await ServerProcess(program, arguments).headers("/books?fields=id&limit=1", sending: [:])(
      "Link")
    let next = try #require(link?.firstMatch(of: /<([^>]*)>; rel="next"/)).1
    #expect(try await ServerProcess(program, arguments).get(String(next)).body == #"[{"id":2}]"#)
  }

  @Test(arguments: [
    ("cursorKeyFile: missing.key\n", "missing.key: no such file"),
    ("cursorKeyFile: kindred.yaml\n", "kindred.yaml: it must have 64 hexadecimal digits"),
    (
      "cursorKeyFile: a.key\ncursorKey: \(String(repeating: "00", count: 32))\n",
      "--cursor-key and --cursor-key-file exclude each other"
    ),
  ])
  func `a file without a cursor key stops the start`(configuration: String, mention: String) throws {
    try program.directory.write(configuration, to: "kindred.yaml")
    for arguments in [["serve", "library.sqlite"], ["serve", "library.sqlite", "--check"]] {
      let outcome = try program.run(arguments + ["--config", "kindred.yaml"])
      #expect(outcome.status != 0)
      #expect(outcome.errors.hasPrefix("kindred: \(mention)"), "\(outcome.errors)")
      #expect(outcome.errors.filter(\.isNewline).count == 1)
    }
  }

  @Test
  func `configuration and model may come from a pipe`() throws {
    let count = "'/authors?fields=n:count()'"
    let configured = try program.shell(
      "echo 'pageSize: 3' | \"$PROGRAM\" query library.sqlite '/authors?fields=id' --config /dev/stdin")
    #expect(configured.output == "[{\"id\":1},{\"id\":2},{\"id\":3}]\n", "\(configured.errors)")
    let modelled = try program.shell(
      "echo 'resources: { writers: { table: author } }' | \"$PROGRAM\" query library.sqlite "
        + count.replacing("authors", with: "writers") + " --model /dev/stdin")
    #expect(modelled.status == 0, "\(modelled.errors)")
  }

  @Test(arguments: ["", "# nothing\n", "port:\ntls:\n"])
  func `the file may be empty, or have values that are commented out`(text: String) throws {
    try program.directory.write(text, to: "kindred.yaml")
    #expect(try authors("--config", "kindred.yaml") > 4)
  }

  @Test
  func `the example in Config is a valid one`() throws {
    let example = TemporaryDirectory.migrations.deletingLastPathComponent().appending(
      path: "Config/kindred.yaml")
    #expect(try authors("--config", example.path) > 4)
    // With every default that it shows.
    let text = try String(contentsOf: example, encoding: .utf8).replacing(/(?m)^#( *\w+:.*)$/) { $0.1 }
    // But for the model file and the keys, which are elsewhere, and what only PostgreSQL has.
    let absent = /(?m)^(model|roleClaim|anonymousRole|roleHeaders|replica|replicaLag):.*$/
    let local = text.replacing(absent, with: "").replacing(
      "algorithm: RS256", with: "algorithm: HS256"
    )
    .replacing(/keys: https:.*/, with: "secret: 0123456789abcdef0123456789abcdef0123456789")
    try program.directory.write(local, to: "kindred.yaml")
    #expect(try authors("--config", "kindred.yaml") > 4)
  }

  @Test(arguments: [
    ("host: x\nprot: 1\n", "kindred.yaml:2: there is no setting `prot`; did you mean `port`?"),
    (
      "tls:\n  certifcate: x\n",
      "kindred.yaml:2: there is no setting `tls.certifcate`; did you mean `tls.certificate`?"
    ),
    ("tlsKey: x\n", "kindred.yaml:1: there is no setting `tlsKey`; did you mean `tls.key`?"),
    ("zzz: x\n", "kindred.yaml:1: there is no setting `zzz`; `kindred serve --help` lists them"),
    ("\nport: many\n", "kindred.yaml:2: port: 'many' is not valid: it must be a number from 0 to 65535"),
    ("port: [1]\n", "kindred.yaml:1: port: it must be a single value"),
    ("port: { x: 1 }\n", "kindred.yaml:1: port: it must be a single value"),
    ("- port\n", "kindred.yaml:1: it must be a mapping such as `port: 8080`"),
    ("port: 1\nport: 2\n", "port is given twice"),
    ("log.level: info\nlog: { level: debug }\n", "kindred.yaml:2: log.level is given twice"),
    ("tls: yes\n", "kindred.yaml:1: `tls` is a section; write `certificate:`, `key:`, `hsts:` below it"),
    ("cors: [https://a.example]\n", "kindred.yaml:1: `cors` is a section; write `origins:`"),
    (
      "idleTimeout: 1000h\n",
      "kindred.yaml:1: idleTimeout: '1000h' is not valid: it must be a time of at most 298h"
    ),
    ("host: x\nport: ]\n", "kindred.yaml:2: not YAML: "),
    (
      "serverTiming: perhaps\n",
      "kindred.yaml:1: serverTiming: 'perhaps' is not valid: it must be true or false"
    ),
    ("cors:\n  origins: [example.org]\n", "kindred.yaml:2: cors.origins: 'example.org' is not valid"),
    ("cors:\n  origins: '*'\n  credentials: true\n", "--cors-credentials requires named origins"),
    (
      "access: { jwts: {} }\n", "kindred.yaml:1: access.jwts: there is no such setting; did you mean `jwt`?"
    ),
    (
      "access:\n  jwt: { algorithm: none }\n",
      "kindred.yaml:2: access.jwt.algorithm: `none` is not a supported algorithm"
    ),
    ("access:\n  jwt: { secret: x }\n", "kindred.yaml:2: access.jwt: `algorithm` is missing"),
    (
      "access:\n  jwt: { algorithm: HS256, secret: short }\n",
      "kindred.yaml:2: access.jwt: the secret has 5 bytes, and its algorithm needs at least 32"
    ),
    ("access:\n  jwt: { algorithm: RS256 }\n", "kindred.yaml:2: access.jwt: `keys` is missing"),
    (
      "access:\n  jwt: { algorithm: RS256, keys: 'http://x' }\n",
      "kindred.yaml:2: access.jwt.keys: keys must come from a file or an https URL"
    ),
    ("access:\n  keys:\n    - { sha256: 00 }\n", "kindred.yaml:3: access.keys[0].sha256: it must be 64"),
    ("access:\n  keys:\n    - { roles: [a] }\n", "kindred.yaml:3: access.keys[0]: `sha256` is missing"),
    ("config: other.yaml\n", "kindred.yaml:1: there is no setting `config`"),
  ])
  func `an error in the file names the line and the fix`(text: String, message: String) throws {
    try program.directory.write(text, to: "kindred.yaml")
    let outcome = try program.run("serve", "library.sqlite", "--port", "0", "--config", "kindred.yaml")
    #expect(outcome.status != 0)
    #expect(outcome.errors.contains(message))
    #expect(outcome.errors.filter(\.isNewline).count == 1)
  }
}
