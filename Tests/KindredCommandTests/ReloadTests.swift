import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("SIGHUP", .timeLimit(.minutes(10)))
struct ReloadTests {
  private let program: Program
  private var directory: TemporaryDirectory { program.directory }

  init() throws {
    program = Program(directory: try TemporaryDirectory())
    try directory.makeLibrary()
    try write(keys: ["one", "two"])
    try write(fields: "name")
  }

  private func write(keys: [String]) throws {
    let entries = keys.map { "    - { key: \($0), roles: [reader] }\n" }.joined()
    try directory.write("access:\n  keys:\n\(entries)", to: "c.yaml")
  }

  private func write(fields: String) throws {
    try directory.write(
      "resources:\n  countries: { fields: [\(fields)], sort: code, access: { read: { roles: [reader] } } }\n",
      to: "m.yaml")
  }

  private func start() throws -> ServerProcess {
    try ServerProcess(program, "library.sqlite", "--port", "0", "--config", "c.yaml", "--model", "m.yaml")
  }

  /// Sends SIGHUP, and waits until the log has another line about it.
  private func reload(_ server: ServerProcess) async throws {
    func count() throws -> Int {
      try server.log.matches(of: /notice\ kindred: (reloaded: .*|nothing was reloaded)\n/).count
    }
    let before = try count()
    server.send(SIGHUP)
    while try count() == before { try await Task.sleep(for: .milliseconds(10)) }
  }

  private func answer(_ server: ServerProcess, _ key: String) async throws -> (status: Int, body: String) {
    try await server.get("/countries?limit=1", sending: ["Authorization": "Bearer \(key)"])
  }

  @Test
  func `the model file and the keys are read again`() async throws {
    let server = try start()
    #expect(try await answer(server, "one").body == #"[{"name":"Canada"}]"#)
    #expect(try await answer(server, "two").status == 200)
    try write(keys: ["one", "three"])
    try write(fields: "code")
    try await reload(server)
    #expect(try await answer(server, "one").body == #"[{"code":"CA"}]"#)
    #expect(try await answer(server, "two").status == 401)
    #expect(try await answer(server, "three").status == 200)
  }

  @Test(arguments: [
    ("m.yaml", "resources:\n  countries: { fields: [nme] }\n", "m.yaml: it has no `access` any more"),
    ("m.yaml", "resources:\n  countries: { srt: nme, access: {} }\n", "m.yaml:2: a resource has no `srt`"),
    ("m.yaml", "resources: [", "m.yaml:2: this is not YAML"),
    ("m.yaml", "", "m.yaml: it has no `access` any more"),
    ("c.yaml", "access: { keys: [{ roles: [reader] }] }", "c.yaml:1: access.keys[0]: `sha256` is missing"),
    ("c.yaml", "pgeSize: 1\naccess: { keys: [] }", "c.yaml:1: there is no setting `pgeSize`"),
    ("c.yaml", "", "c.yaml: the section `access` is missing"),
  ])
  func `what is wrong is logged with its place, and the old stays`(
    file: String, content: String, text: String
  ) async throws {
    let server = try start()
    try directory.write(content, to: file)
    try await reload(server)
    #expect(try await answer(server, "one").body == #"[{"name":"Canada"}]"#)
    #expect(try await answer(server, "two").status == 200)
    #expect(try await answer(server, "three").status == 401)
    let errors = try server.log.split(separator: "\n").filter { $0.contains(" error kindred: ") }
    #expect(errors.count == 1)
    #expect(errors.first?.contains(text) == true, "\(errors)")
  }

  @Test
  func `a missing file keeps the old, and the other file is reloaded`() async throws {
    let server = try start()
    try FileManager.default.removeItem(atPath: directory.path("m.yaml"))
    try write(keys: ["one"])
    try await reload(server)
    #expect(try await answer(server, "one").status == 200)
    #expect(try await answer(server, "two").status == 401)
    #expect(try server.log.contains("m.yaml: no such file; check the path"))
  }

  @Test
  func `a setting that needs a restart is named`() async throws {
    let server = try start()
    try directory.write("pageSize: 7\naccess: { keys: [{ key: one, roles: [reader] }] }", to: "c.yaml")
    try await reload(server)
    #expect(try server.log.contains("c.yaml: after a restart, pageSize will take effect"))
  }

  @Test(.timeLimit(.minutes(1)))
  func `a second SIGTERM ends the process while a file that is read again gives nothing`() throws {
    let server = try start()
    try FileManager.default.removeItem(atPath: directory.path("c.yaml"))
    try directory.write("access:\n  jwt: { algorithm: HS256, secretFile: secret }\n", to: "c.yaml")
    #expect(mkfifo(directory.path("secret"), 0o600) == 0)
    server.send(SIGHUP)
    // A signal that comes while the same one is pending is lost.
    let signals = DispatchSource.makeTimerSource(queue: .global())
    signals.schedule(deadline: .now(), repeating: .milliseconds(20))
    signals.setEventHandler { server.send(SIGTERM) }
    signals.resume()
    #expect(server.wait() == SIGTERM)
    signals.cancel()
  }

  @Test
  func `events go on for a key that stays, with the new model, and end for one that is withdrawn`()
    async throws
  {
    let server = try start()
    let url = try #require(server.url)
    func listen(_ key: String) throws -> Process {
      let curl = Process()
      curl.executableURL = URL(filePath: "/bin/sh")
      curl.arguments = [
        "-c",
        "exec curl -sN -H 'Accept: text/event-stream' -H 'Authorization: Bearer \(key)' '\(url)/countries?limit=1' > \(key)",
      ]
      curl.currentDirectoryURL = directory.url
      try curl.run()
      return curl
    }
    func data(_ key: String) throws -> [Substring] {
      guard let text = try? String(contentsOfFile: directory.path(key), encoding: .utf8) else { return [] }
      return text.split(separator: "\n").filter { $0.hasPrefix("data: ") }
    }
    let (one, two) = (try listen("one"), try listen("two"))
    while try data("one").isEmpty || data("two").isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    try write(keys: ["one"])
    try write(fields: "code")
    try await reload(server)
    two.waitUntilExit()
    #expect(try data("two") == [#"data: [{"name":"Canada"}]"#])
    while try data("one").count < 2 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try data("one") == [#"data: [{"name":"Canada"}]"#, #"data: [{"code":"CA"}]"#])
    #expect(one.isRunning)
    one.terminate()
  }

  @Test
  func `a day of reloads under load loses no request and mixes no models`() async throws {
    let server = try start()
    // Foundation deadlocks now and then where a task is cancelled that waits for an answer.
    let isOver = Mutex(false)
    let clients = (1...4).map { _ in
      Task { @Sendable () -> Int in
        var count = 0
        while !isOver.withLock({ $0 }) {
          let (status, body) = try await server.get("/countries", sending: ["Authorization": "Bearer one"])
          #expect(status == 200)
          #expect(body.contains(#""code""#) != body.contains(#""name""#))
          count += 1
        }
        return count
      }
    }
    // An hour each.
    for hour in 0..<24 {
      try write(keys: hour.isMultiple(of: 2) ? ["one"] : ["one", "two"])
      try write(fields: hour % 3 == 0 ? "code" : hour % 3 == 1 ? "name" : "nme")
      try await reload(server)
    }
    isOver.withLock { $0 = true }
    for client in clients { #expect(try await client.value > 0) }
  }
}
