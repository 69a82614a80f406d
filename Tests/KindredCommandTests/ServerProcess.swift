import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A run of `kindred serve`, ended with the last reference to it.
final class ServerProcess: Sendable {
  /// What it printed when it was ready.
  let readyLine: String
  private let process: Process
  private let logFile: URL

  /// Starts the program, and waits until it is ready.
  ///
  /// - Parameter destination: Where its log goes; by default to where `log` has it.
  convenience init(_ program: Program, _ arguments: String..., log destination: Any? = nil) throws {
    try self.init(program, arguments, log: destination)
  }

  /// - Parameters:
  ///   - shell: What a shell does before it becomes the program.
  ///   - input: Its standard input.
  init(
    _ program: Program, _ arguments: [String], shell: String? = nil, input: FileHandle? = nil,
    log destination: Any? = nil
  ) throws {
    process = program.process(["serve"] + arguments)
    if let input { process.standardInput = input }
    if let shell {
      process.arguments =
        ["-c", "\(shell); exec \"$0\" \"$@\"", process.executableURL?.path ?? ""] + (process.arguments ?? [])
      process.executableURL = URL(filePath: "/bin/sh")
    }
    let output = Pipe()
    process.standardOutput = output
    logFile = FileManager.default.temporaryDirectory.appending(path: "kindred-\(UUID().uuidString).log")
    try Data().write(to: logFile)
    process.standardError = try destination ?? FileHandle(forWritingTo: logFile)
    try process.run()
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let part = output.fileHandleForReading.availableData
      if part.isEmpty { break }
      line += part
    }
    readyLine = String(decoding: line, as: UTF8.self)
  }

  deinit {
    process.terminate()
    try? FileManager.default.removeItem(at: logFile)
  }

  /// What it has logged so far.
  var log: String {
    get throws { try String(contentsOf: logFile, encoding: .utf8) }
  }

  /// The address in the ready line.
  var url: URL? {
    readyLine.firstMatch(of: /^listening on (https?:\/\/\S+:\d+)\n$/).flatMap { URL(string: String($0.1)) }
  }

  /// An answer.
  struct Answer {
    var status: Int
    var body: String
    /// Returns the value of a header field.
    var field: (String) -> String?
  }

  /// The answer to a request.
  func answer(
    _ path: String, method: String = "GET", sending fields: [String: String] = [:], _ content: String? = nil
  ) async throws -> Answer {
    var request = URLRequest(url: try #require(URL(string: path, relativeTo: url)))
    request.httpMethod = method
    request.cachePolicy = .reloadIgnoringLocalCacheData
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    request.httpBody = content.map { Data($0.utf8) }
    let (data, response) = try await URLSession.shared.data(for: request)
    let head = try #require(response as? HTTPURLResponse)
    return Answer(
      status: head.statusCode, body: String(decoding: data, as: UTF8.self),
      field: { head.value(forHTTPHeaderField: $0) })
  }

  /// The answer to a GET of a path.
  func get(
    _ path: String, sending fields: [String: String] = [:]
  ) async throws -> (status: Int, body: String) {
    let answer = try await answer(path, sending: fields)
    return (answer.status, answer.body)
  }

  /// The answer to a request with a JSON document.
  func send(_ method: String, _ path: String, _ document: String) async throws -> (status: Int, body: String)
  {
    let answer = try await answer(
      path, method: method, sending: ["Content-Type": "application/json"], document)
    return (answer.status, answer.body)
  }

  /// The header fields of the answer to a GET of a path, by name.
  func headers(_ path: String, sending fields: [String: String]) async throws -> (String) -> String? {
    try await answer(path, sending: fields).field
  }

  /// Sends a signal.
  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// The exit status, once it has ended.
  func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}
