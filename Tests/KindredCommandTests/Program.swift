import Foundation
import TestSupport

/// The real program, as the build left it next to the tests.
struct Program {
  /// What a run left.
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  /// The directory in which it runs.
  var directory: TemporaryDirectory
  var environment: [String: String] = [:]

  /// Runs the program to its end.
  func run(_ arguments: String...) throws -> Outcome {
    try run(arguments)
  }

  func run(_ arguments: [String]) throws -> Outcome {
    try run(process(arguments))
  }

  /// Runs a script of the shell, in which `"$PROGRAM"` is the program, to its end.
  func shell(_ script: String) throws -> Outcome {
    let process = process(["-c", script])
    process.executableURL = URL(filePath: "/bin/sh")
    process.environment?["PROGRAM"] = Self.url.path
    return try run(process)
  }

  private func run(_ process: Process) throws -> Outcome {
    // Files, because a full pipe without a reader would stop the program.
    let output = try directory.emptyFile("output-\(UUID().uuidString)")
    let errors = try directory.emptyFile("errors-\(UUID().uuidString)")
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8))
  }

  /// A run that is not begun yet.
  func process(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = Self.url
    process.arguments = arguments
    process.currentDirectoryURL = directory.url
    let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("KINDRED_") }
    process.environment = inherited.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    return process
  }

  private static let url: URL = {
    #if os(macOS)
      let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    #else
      let tests = Bundle.main.executableURL
    #endif
    return (tests ?? URL(filePath: ".")).deletingLastPathComponent().appending(path: "kindred")
  }()
}
