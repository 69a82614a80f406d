import Foundation

/// The result of running a program: its status and its outputs.
struct Command {
  let status: Int32
  let output: String

  init(_ program: String, _ arguments: [String], input: String = "") throws {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let standardInput = Pipe()
    let outputs = Pipe()
    process.standardInput = standardInput
    process.standardOutput = outputs
    process.standardError = outputs
    try process.run()
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    let data = try outputs.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    status = process.terminationStatus
    output = String(decoding: data, as: UTF8.self)
  }

  static func curl(_ arguments: String...) throws -> Command {
    try Command("/usr/bin/curl", ["-sS", "-m", "120"] + arguments)
  }

  static func openssl(_ arguments: String..., input: String = "") throws -> Command {
    try Command("/usr/bin/openssl", arguments, input: input)
  }
}

/// A running program whose output is discarded; it is terminated with this object.
final class SilentReader {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ program: String, _ arguments: [String]) throws {
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  func write(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

  deinit {
    // The program inherits the signal mask of Dispatch's threads, which blocks SIGTERM.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
