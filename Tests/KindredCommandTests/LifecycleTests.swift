import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import KindredCommand

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Start and end")
struct LifecycleTests {
  private struct Failure: Error {}

  @Test
  func `parts are stopped in the reverse order of their start, once`() {
    var lifecycle = Lifecycle()
    let log = Log()
    for part in ["database", "service", "listener"] {
      _ = lifecycle.start({ part }) { log.lines.append($0) }
    }
    lifecycle.stop()
    lifecycle.stop()
    #expect(log.lines == ["listener", "service", "database"])
  }

  private final class Log {
    var lines: [String] = []
  }

  @Test
  func `a part that doesn't start isn't stopped`() {
    var lifecycle = Lifecycle()
    let log = Log()
    _ = lifecycle.start({ 1 }) { _ in log.lines.append("first") }
    _ = try? lifecycle.start({ throw Failure() }) { (_: Int) in log.lines.append("second") }
    lifecycle.stop()
    #expect(log.lines == ["first"])
  }

  @Test
  func `a server starts, reloads and stops without a process of its own`() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeLibrary()
    let command = try ServeCommand.parse(
      [directory.path("library.sqlite"), "--port", "0", "--writable", "--log-level", "critical"])
    let server = try Server(command, environment: Environment(variables: [:]))
    let line = try server.start()
    let url = try #require(URL(string: String(line.dropFirst("listening on ".count)) + "/-/ready"))
    server.reload()
    let (_, response) = try await URLSession.shared.data(from: url)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    server.stop()
    let files = try directory.fileNames.filter { $0.hasPrefix("library") }
    #expect(files == ["library.sqlite"])
    await #expect(throws: (any Error).self) { try await URLSession.shared.data(from: url) }
  }

  @Test
  func `a start that fails leaves nothing behind`() throws {
    let directory = try TemporaryDirectory()
    try directory.makeLibrary()
    let command = try ServeCommand.parse(
      [
        directory.path("library.sqlite"), "--host", "unix:\(directory.path)", "--writable", "--log-level",
        "critical",
      ])
    let server = try Server(command, environment: Environment(variables: [:]))
    #expect(throws: (any Error).self) { try server.start() }
    let files = try directory.fileNames.filter { $0.hasPrefix("library") }
    #expect(files == ["library.sqlite"])
  }
}
