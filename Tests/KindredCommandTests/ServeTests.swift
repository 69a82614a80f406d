import Foundation
import TestSupport
import Testing

@Suite("kindred serve", .timeLimit(.minutes(10)))
struct ServeTests {
  private let program: Program

  init() throws {
    program = Program(directory: try TemporaryDirectory())
  }

  @Test
  func `without a database, the sample library is served, and is gone afterwards`() async throws {
    var program = program
    program.environment["TMPDIR"] = program.directory.url.path
    let server = try ServerProcess(program, "--port", "0")
    #expect(server.url?.host() == "127.0.0.1")
    let (status, body) = try await server.get(
      "/authors/1?fields=name&include=books&books.fields=title&books.limit=1")
    #expect(status == 200)
    #expect(body == #"{"name":"Herman Melville","books":[{"title":"Moby-Dick"}]}"#)
    server.send(SIGTERM)
    #expect(server.wait() == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: program.directory.url.path).isEmpty)
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `SIGTERM and SIGINT end it with 0, SIGHUP does not`(signal: Int32) async throws {
    try program.directory.makeLibrary()
    let server = try ServerProcess(program, "library.sqlite", "--port", "0")
    server.send(SIGHUP)
    let (status, _) = try await server.get("/-/health")
    #expect(status == 200)
    server.send(signal)
    #expect(server.wait() == 0)
  }

  @Test
  func `the sample library of a killed server is removed by the next, that of a running one is not`() throws {
    var program = program
    program.environment["TMPDIR"] = program.directory.path
    let files = FileManager.default
    /// Changes the directories' times, as those of a new one are left alone.
    func age() throws {
      for name in try program.directory.fileNames {
        try files.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -600)], ofItemAtPath: program.directory.path(name))
      }
    }
    let killed = try ServerProcess(program, "--port", "0")
    killed.send(SIGKILL)
    _ = killed.wait()
    let abandoned = try program.directory.fileNames
    #expect(abandoned.count == 1)
    try age()
    let running = try ServerProcess(program, "--port", "0")
    let library = try program.directory.fileNames
    #expect(library.count == 1 && library != abandoned)
    try age()
    let other = try ServerProcess(program, "--port", "0")
    #expect(try program.directory.fileNames.contains(library[0]))
    withExtendedLifetime((running, other)) {}
  }

  @Test
  func `an address of IPv6 may be written as in a URL`() throws {
    try program.directory.makeLibrary()
    let server = try ServerProcess(program, "library.sqlite", "--host", "[::1]", "--port", "0")
    #expect(server.readyLine.hasPrefix("listening on http://[::1]:"))
  }

  @Test
  func `SIGHUP without anything to reload, and a database without tables, are in the log`() throws {
    _ = try program.directory.emptyFile("empty.db")
    let log = Pipe()
    let server = try ServerProcess(program, "empty.db", "--port", "0", log: log)
    server.send(SIGHUP)
    server.send(SIGTERM)
    #expect(server.wait() == 0)
    try log.fileHandleForWriting.close()
    let text = String(decoding: try log.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(text.contains(" warning kindred: the database has no tables that can be served\n"))
    #expect(text.contains(" notice kindred: nothing was reloaded\n"))
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal ends it with 0 while it waits for the database`(signal: Int32) throws {
    // Accepts connections, but never answers.
    let silent = try SilentServer()
    let process = program.process(["serve", "postgres://u@127.0.0.1:\(silent.port)/d?connect_timeout=600"])
    try process.run()
    silent.awaitConnection()
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 0)
  }

  @Test
  func `an unread log delays neither answers nor the shutdown`() async throws {
    try program.directory.makeLibrary()
    let log = Pipe()
    let server = try ServerProcess(program, "library.sqlite", "--port", "0", log: log)
    for _ in 1...100 {
      // Each line has the path of the request.
      let (status, _) = try await server.get("/" + String(repeating: "x", count: 7000))
      #expect(status == 404)
    }
    let (_, metrics) = try await server.get("/-/metrics")
    #expect(metrics.contains(/\nkindred_log_lines_dropped_total [1-9]/))
    server.send(SIGTERM)
    #expect(server.wait() == 0)
    withExtendedLifetime(log) {}
  }

  @Test
  func `a log whose reader has ended stops nothing`() async throws {
    try program.directory.makeLibrary()
    let log = Pipe()
    let server = try ServerProcess(program, "library.sqlite", "--port", "0", log: log)
    try log.fileHandleForReading.close()
    for _ in 1...3 { #expect(try await server.get("/books/1").status == 200) }
    server.send(SIGTERM)
    #expect(server.wait() == 0)
  }

  @Test(arguments: [[], ["--no-live"]])
  func `a writable database is one file after the end, which has all that was acknowledged`(options: [String])
    async throws
  {
    try program.directory.makeLibrary()
    let before = try program.directory.fileNames
    let server = try ServerProcess(program, ["library.sqlite", "--port", "0", "--writable"] + options)
    let (status, _) = try await server.send("POST", "/countries", #"{"code":"XX","name":"Nowhere"}"#)
    #expect(status == 201)
    #expect(try await server.get("/countries/XX").status == 200)
    #expect(try program.directory.fileNames.contains("library.sqlite-wal"))
    server.send(SIGTERM)
    #expect(server.wait() == 0)
    #expect(try program.directory.fileNames == before)
    #expect(
      try program.run("query", "library.sqlite", "/countries/XX?fields=name").output
        == "{\"name\":\"Nowhere\"}\n")
  }

  @Test
  func `a writable database that is replaced is not ready, refuses writes, and is logged once`() async throws
  {
    try program.directory.makeLibrary()
    let library = program.directory.path("library.sqlite")
    let server = try ServerProcess(program, ["library.sqlite", "--port", "0", "--writable"])
    try FileManager.default.copyItem(atPath: library, toPath: program.directory.path("backup.sqlite"))
    #expect(rename(program.directory.path("backup.sqlite"), library) == 0)
    for _ in 0..<3 {
      #expect(try await server.send("POST", "/countries", #"{"code":"XX","name":"Nowhere"}"#).status == 503)
      #expect(try await server.get("/-/ready").status == 503)
      #expect(try await server.get("/-/health").status == 200)
    }
    server.send(SIGTERM)
    #expect(server.wait() == 0)
    let errors = try server.log.split(separator: "\n").filter { $0.contains(" error ") }
    #expect(errors.count == 1)
    #expect(errors.first?.contains("library.sqlite: was moved, deleted or replaced") == true)
    #expect(try program.run("query", "library.sqlite", "/countries/XX").status == 1)
  }

  @Test
  func `a database that is only read is served anew where its file is replaced`() async throws {
    try program.directory.makeLibrary()
    let library = program.directory.path("library.sqlite")
    let copy = program.directory.path("copy.sqlite")
    try FileManager.default.copyItem(atPath: library, toPath: copy)
    try program.directory.write("code,name\nXX,Nowhere\n", to: "countries.csv")
    #expect(try program.run("import", "copy.sqlite", "countries", "countries.csv").status == 0)
    #expect(try program.directory.fileNames.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
    let server = try ServerProcess(program, "library.sqlite", "--port", "0")
    #expect(try await server.get("/countries/XX").status == 404)
    #expect(rename(copy, library) == 0)
    while try await server.get("/countries/XX").status != 200 {}
    #expect(try await server.get("/-/ready").status == 200)
  }

  @Test
  func `few open files leave fewer connections, which the log tells`() async throws {
    try program.directory.makeLibrary()
    let server = try ServerProcess(
      program, ["library.sqlite", "--port", "0", "--readers", "2", "--max-connections", "1000"],
      shell: "ulimit -n 300")
    let (status, _) = try await server.get("/books/1")
    #expect(status == 200)
    server.send(SIGTERM)
    #expect(server.wait() == 0)
    #expect(try server.log.contains("allows 198 connections instead of 1000"))
  }

  @Test
  func `host, port and database may come from the file and the environment`() async throws {
    try program.directory.makeLibrary()
    try program.directory.write("host: 127.0.0.2\nport: 1\ndatabase: library.sqlite\n", to: "kindred.yaml")
    var program = program
    program.environment["KINDRED_PORT"] = "0"
    let server = try ServerProcess(program, "--config", "kindred.yaml")
    #expect(server.url?.host() == "127.0.0.2")
    let (status, _) = try await server.get("/books/1")
    #expect(status == 200)
  }

  @Test
  func `a limit that is set is in force`() async throws {
    try program.directory.makeLibrary()
    let server = try ServerProcess(
      program, "library.sqlite", "--port", "0", "--max-url-size", "100", "--max-depth", "1")
    let (long, _) = try await server.get("/books?filter=title='" + String(repeating: "x", count: 100) + "'")
    #expect(long == 414)
    let (deep, _) = try await server.get("/authors?include=books.reviews")
    #expect(deep == 400)
  }

  @Test
  func `lists and switches of the file are in force, and a flag takes a switch back`() async throws {
    try program.directory.makeLibrary()
    try program.directory.write(
      "cors: { origins: ['https://a.example', 'https://b.example'] }\nserverTiming: true\n",
      to: "kindred.yaml")
    let origin = ["Origin": "https://b.example"]
    let server = try ServerProcess(program, "library.sqlite", "--port", "0", "--config", "kindred.yaml")
    let headers = try await server.headers("/books/1", sending: origin)
    #expect(headers("Access-Control-Allow-Origin") == "https://b.example")
    #expect(headers("Server-Timing") != nil)
    let other = try ServerProcess(
      program, "library.sqlite", "--port", "0", "--config", "kindred.yaml", "--no-server-timing")
    #expect(try await other.headers("/books/1", sending: origin)("Server-Timing") == nil)
  }

  @Test
  func `claims of API keys that only Swift takes for numbers are texts`() async throws {
    try program.directory.makeLibrary()
    try program.directory.write(
      "resources:\n  authors:\n    access:\n      read: { rows: \"auth.word in ('nan', 'Inf', '0x10', 15)\" }\n",
      to: "model.yaml")
    let words = ["nan", "Inf", "0x10", "1.5e1", "15.0", "infinity"]
    let keys = words.map { "    - { key: the-key-\($0), claims: { word: \($0) } }\n" }
    try program.directory.write("access:\n  keys:\n" + keys.joined(), to: "kindred.yaml")
    let server = try ServerProcess(
      program, "library.sqlite", "--port", "0", "--model", "model.yaml", "--config", "kindred.yaml")
    for word in words {
      let headers = try await server.headers(
        "/authors?count=true", sending: ["Authorization": "Bearer the-key-\(word)"])
      let count = try #require(headers("X-Total-Count"))
      #expect((count == "0") == (word == "infinity"), "\(word): \(count)")
    }
  }

  @Test
  func `a port in use is reported in one line`() throws {
    try program.directory.makeLibrary()
    let server = try ServerProcess(program, "library.sqlite", "--port", "0")
    let port = try #require(server.url?.port)
    let outcome = try program.run("serve", "library.sqlite", "--port", "\(port)")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("the port is in use"))
    #expect(outcome.errors.filter(\.isNewline).count == 1)
  }

  @Test
  func `an error in the model file stops the start, and names the line`() throws {
    try program.directory.makeLibrary()
    try program.directory.write("resources:\n  authors:\n    table: auther\n", to: "model.yaml")
    let outcome = try program.run("serve", "library.sqlite", "--port", "0", "--model", "model.yaml")
    #expect(outcome.status == 1)
    #expect(outcome.errors.hasPrefix("kindred: model.yaml:3: "))
    #expect(outcome.errors.filter(\.isNewline).count == 1)
  }
}
