import Foundation
import TestSupport
import Testing

@Suite("Unix sockets and the service manager", .timeLimit(.minutes(5)))
struct SocketTests {
  private let program: Program
  private var directory: TemporaryDirectory { program.directory }

  init() throws {
    program = Program(directory: try TemporaryDirectory())
    try directory.makeLibrary()
  }

  private func start(_ arguments: String..., program: Program? = nil) throws -> ServerProcess {
    try ServerProcess(
      program ?? self.program, ["library.sqlite", "--host", "unix:s"] + arguments)
  }

  private func get(_ path: String) throws -> String {
    try program.shell("curl -s --unix-socket s 'http://library\(path)'").output
  }

  private func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: directory.path(name))[.posixPermissions] as? Int
  }

  @Test
  func `a Unix socket is served with its permissions, and removed at the end`() throws {
    let server = try start("--socket-mode", "600")
    #expect(server.readyLine == "listening on unix:s\n")
    #expect(try mode("s") == 0o600)
    #expect(try get("/countries?limit=1&fields=code") == #"[{"code":"CA"}]"#)
    server.send(SIGTERM)
    #expect(server.wait() == 0)
    #expect(try !directory.fileNames.contains("s"))
  }

  @Test
  func `a socket of a killed server is replaced, that of a running one is not`() throws {
    let killed = try start()
    killed.send(SIGKILL)
    _ = killed.wait()
    #expect(try directory.fileNames.contains("s"))
    let server = try start()
    #expect(server.readyLine == "listening on unix:s\n")
    let second = try program.run("serve", "library.sqlite", "--host", "unix:s")
    #expect(second.status == 1)
    #expect(
      second.errors == "kindred: cannot listen on unix:s: another process serves it; choose another path\n")
    #expect(try get("/-/health") == #"{"status":"ok"}"#)
    withExtendedLifetime(server) {}
  }

  @Test(arguments: [
    ("unix:.", "there is a directory; remove it, or choose another path"),
    ("unix:library.sqlite", "there is a file that is not a socket; remove it, or choose another path"),
    ("unix:none/s", "the directory does not exist"), ("unix:", "the path is missing"),
    ("unix:" + String(repeating: "x", count: 200), "the path has 200 bytes"),
  ])
  func `anything else there ends the start in one line`(host: String, text: String) throws {
    let outcome = try program.run("serve", "library.sqlite", "--host", host)
    #expect(outcome.status == 1)
    let lines = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("kindred: ") }
    #expect(lines.count == 1)
    #expect(outcome.errors.contains("kindred: cannot listen on \(host): \(text)"), "\(outcome.errors)")
    #expect(try directory.fileNames.contains("library.sqlite"))
  }

  @Test
  func `a socket that is handed over goes before host and port`() async throws {
    let listener = try TestSocket(listening: true)
    let server = try ServerProcess(
      program, ["library.sqlite", "--port", "1"],
      shell: "exec 3<&0 </dev/null; export LISTEN_FDS=1 LISTEN_PID=$$", input: listener.handle)
    #expect(server.readyLine == "listening on http://127.0.0.1:\(listener.port)\n")
    #expect(try await server.get("/-/health").status == 200)
    server.send(SIGTERM)
    #expect(server.wait() == 0)
  }

  @Test(arguments: [
    ("LISTEN_FDS=1", "the descriptor 3 of LISTEN_FDS is not a listening stream socket"),
    ("LISTEN_FDS=many", "LISTEN_FDS: 'many' is not valid: it must be a number of sockets"),
    ("NOTIFY_SOCKET=here", "NOTIFY_SOCKET: 'here' is not valid"),
    ("NOTIFY_SOCKET=@x WATCHDOG_USEC=soon", "WATCHDOG_USEC: 'soon' is not valid"),
  ])
  func `a wrong variable of the service manager is one line`(variables: String, text: String) throws {
    let outcome = try program.shell(
      "export LISTEN_PID=$$ \(variables); exec 3</dev/null; exec \"$PROGRAM\" serve library.sqlite --port 0")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("kindred: \(text)"), "\(outcome.errors)")
  }

  @Test
  func `the service manager learns of readiness, reloads, life and the end`() throws {
    let manager = try TestSocket(receivingAt: directory.path("n"))
    var program = program
    program.environment["NOTIFY_SOCKET"] = directory.path("n")
    program.environment["WATCHDOG_USEC"] = "200000"
    let server = try start(program: program)
    #expect(try manager.message(beginning: "READY=1") == "READY=1\nSTATUS=listening on unix:s")
    for _ in 1...3 { #expect(try manager.message(beginning: "WATCHDOG=1") == "WATCHDOG=1") }
    server.send(SIGHUP)
    let reloading = try manager.message(beginning: "RELOADING=1")
    #expect(reloading.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]*/) != nil)
    #expect(try manager.message(beginning: "READY=1") == "READY=1")
    server.send(SIGTERM)
    #expect(try manager.message(beginning: "STOPPING=1") == "STOPPING=1")
    #expect(server.wait() == 0)
  }

  @Test
  func `restarts with a socket that stays open lose no request`() async throws {
    let listener = try TestSocket(listening: true)
    func start() throws -> ServerProcess {
      try ServerProcess(
        program, ["library.sqlite", "--writable", "--durability", "normal", "--shutdown-timeout", "2m"],
        shell: "exec 3<&0 </dev/null; export LISTEN_FDS=1 LISTEN_PID=$$", input: listener.handle)
    }
    var server = try start()
    let url = try #require(server.url)
    let script = """
      for n in $(seq 1 100); do
        curl -s -o /dev/null -w '%{http_code}\\n' -H 'Content-Type: application/json' \
          -d "{\\"code\\": \\"Z$n\\", \\"name\\": \\"Country $n\\"}" \(url)/countries
      done
      """
    let client = Task.detached { [program] in try program.shell(script).output }
    for _ in 1...8 {
      try await Task.sleep(for: .milliseconds(100))
      server.send(SIGTERM)
      #expect(server.wait() == 0)
      server = try start()
    }
    #expect(try await client.value.split(separator: "\n") == Array(repeating: "201", count: 100))
    #expect(
      try await server.get("/countries?filter=code%20like%20'Z%25'&count=true&fields=n:count()").body
        == #"[{"n":100}]"#)
  }
}

/// A socket of a test.
final class TestSocket {
  private let descriptor: Int32
  let handle: FileHandle
  private(set) var port = 0

  /// A TCP socket on a free port.
  init(listening: Bool) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) + listen(descriptor, 1024) + getsockname(descriptor, $0, &length)
      }
    }
    try #require(result == 0)
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  /// A datagram socket at a path.
  init(receivingAt path: String) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
  }

  /// Returns the next message that begins with a text.
  func message(beginning text: String) throws -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      try #require(count > 0)
      let message = String(decoding: buffer[..<count], as: UTF8.self)
      if message.hasPrefix(text) { return message }
    }
  }
}
