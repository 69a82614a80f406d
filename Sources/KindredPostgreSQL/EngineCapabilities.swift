/// The kind and capabilities of a server that speaks PostgreSQL's protocol.
public struct EngineCapabilities: Hashable, Sendable {
  /// The engines whose behaviour differs.
  public enum Engine: String, Sendable, CaseIterable {
    case postgresql, cockroach, yugabyte, citus
  }

  /// The engine of the server.
  public let engine: Engine
  /// The major version of PostgreSQL, or the one that the engine claims to be compatible with.
  public let version: Int
  /// The name and version that the server reports.
  public let name: String

  /// Creates the capabilities from the result of `version()` and the names of the installed extensions.
  ///
  /// - Parameter engine: The engine whose statements are used, regardless of the server; nil for the server's own.
  public init(version text: String, extensions: [String], as engine: Engine? = nil) {
    let isCockroach = text.hasPrefix("CockroachDB")
    if let engine {
      self.engine = engine
    } else if isCockroach {
      self.engine = .cockroach
    } else if text.contains("-YB-") {
      self.engine = .yugabyte
    } else if extensions.contains("citus") {
      self.engine = .citus
    } else {
      self.engine = .postgresql
    }
    let words = text.split(separator: " ")
    let number = words.firstIndex(of: "PostgreSQL").map { words[words.index(after: $0)...].first ?? "" } ?? ""
    // CockroachDB has its own version numbers, and is compatible with PostgreSQL 14.
    version = isCockroach ? 14 : Int(number.prefix { $0.isNumber }) ?? 14
    name = String(text.prefix { $0 != "," }).split(separator: " ").prefix(isCockroach ? 3 : 2).joined(
      separator: " ")
  }

  /// Whether limits in `LATERAL` subqueries are fast and correct.
  public var limitsLaterally: Bool { engine == .postgresql }

  /// Whether `pg_current_snapshot` identifies the state of all data.
  public var hasSnapshotNumbers: Bool { engine == .postgresql }
}
