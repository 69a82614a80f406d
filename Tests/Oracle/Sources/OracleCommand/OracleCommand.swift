import ArgumentParser
import Oracle

/// Compares Kindred with docs/requests.md on random requests: `swift run oracle --seed 1 --requests 1000`.
@main
struct OracleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "oracle", abstract: "Compare Kindred with naive evaluation and with GRDB on random requests."
  )

  @Option(help: "The same seed makes the same schemas, data and requests.")
  var seed: UInt64 = 1

  @Option(help: "How many requests to compare.")
  var requests = 1000

  @Option(help: "How many differences to show before giving up.")
  var failures = 20

  @Flag(help: "Requests of a client who may read some rows only.")
  var rules = false

  @Flag(help: "Requests that write, of a client who may read and write some rows only.")
  var writes = false

  @Flag(help: "Requests of the Swift API instead of the server's.")
  var swift = false

  func run() throws {
    if swift { return try runTyped() }
    if writes { return try runWrites() }
    var run = OracleRun(seed: seed, hasRules: rules)
    var shown = 0
    try run.run(requests: requests, failures: failures) { run in
      for failure in run.failures.dropFirst(shown) { print("\n\(failure)\n") }
      shown = run.failures.count
      if (run.passed + shown) % 1000 < 40 { print("\(run.passed + shown) of \(requests) requests") }
    }
    print("GRDB answered \(run.comparedWithGRDB) of them too")
    print("\(run.passed) passed, \(run.failures.count) failed")
    if !run.failures.isEmpty { throw ExitCode.failure }
  }

  private func runWrites() throws {
    var run = WriteRun(seed: seed)
    var shown = 0
    try run.run(requests: requests, failures: failures) { run in
      for failure in run.failures.dropFirst(shown) { print("\n\(failure)\n") }
      shown = run.failures.count
    }
    print("\(run.done) changed something, the rules refused \(run.refused)")
    print("seed \(seed): \(run.passed) passed, \(run.failures.count) failed")
    if !run.failures.isEmpty { throw ExitCode.failure }
  }

  private func runTyped() throws {
    var run = TypedRun(seed: seed)
    var shown = 0
    try run.run(requests: requests, failures: failures) { run in
      for failure in run.failures.dropFirst(shown) { print("\n\(failure)\n") }
      shown = run.failures.count
      if (run.passed + shown) % 1000 < 40 { print("\(run.passed + shown) of \(requests) requests") }
    }
    print("the evaluation answered \(run.comparedWithEvaluation) of them too, GRDB \(run.comparedWithGRDB)")
    print("seed \(seed): \(run.passed) passed, \(run.failures.count) failed")
    if !run.failures.isEmpty { throw ExitCode.failure }
  }
}
