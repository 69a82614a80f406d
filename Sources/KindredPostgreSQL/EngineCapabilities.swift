/// The kind and capabilities of a server that speaks PostgreSQL's protocol.
public struct EngineCapabilities: Hashable, Sendable {
  /// The engines whose behaviour differs.
  public enum Engine: String, Sendable, CaseIterable {
    case postgresql, citus
  }

  /// The engine of the server.
  public let engine: Engine
  /// The major version of PostgreSQL.
  public let version: Int
  /// The name and version that the server reports.
  public let name: String
  /// Whether the database has nodes, each with a part of its data and separate snapshots.
  public let hasNodes: Bool

  /// Creates the capabilities from the result of `version()`.
  ///
  /// - Parameters:
  ///   - citus: The result of `citus_version()`; nil where the database has no such extension.
  ///   - engine: The engine whose statements are used, regardless of the server; nil for the server's own.
  public init(version text: String, citus: String? = nil, as engine: Engine? = nil) {
    let words = text.split(separator: " ")
    let number = words.firstIndex(of: "PostgreSQL").map { words[words.index(after: $0)...].first ?? "" } ?? ""
    version = Int(number.prefix { $0.isNumber }) ?? 15
    self.engine = engine ?? (citus == nil ? .postgresql : .citus)
    hasNodes = citus != nil
    func short(_ text: String) -> String {
      text.prefix { $0 != "," }.split(separator: " ").prefix(2).joined(separator: " ")
    }
    name = citus.map { "\(short($0)) on \(short(text))" } ?? short(text)
  }

  /// Whether tables are distributed over shards, which limits the forms of statements and the reach of settings.
  public var isSharded: Bool { engine == .citus }

  /// Returns the error, marked if it is about statements of a form that the engine can't compute.
  public func marking(_ error: PostgreSQLError) -> PostgreSQLError {
    guard isSharded, error.state == .changedResult, !error.isTransient,
      // This is about a value, such as NaN as an integer.
      !error.message.hasPrefix("cannot convert")
    else { return error }
    var error = error
    error.isOfShards = true
    return error
  }
}
