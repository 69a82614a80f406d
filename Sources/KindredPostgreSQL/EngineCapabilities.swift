/// What an engine that speaks PostgreSQL's protocol is, and can do.
public struct EngineCapabilities: Hashable, Sendable {
  /// The engines that differ.
  public enum Engine: String, Sendable, CaseIterable {
    case postgresql, cockroach, yugabyte, citus
  }

  /// Which it is.
  public let engine: Engine
  /// The major version of PostgreSQL that it is, or says it is compatible with.
  public let version: Int
  /// What it says of itself, up to the first comma.
  public let name: String

  /// What `version()` and the names of the extensions say.
  public init(version text: String, extensions: [String]) {
    let isCockroach = text.hasPrefix("CockroachDB")
    if isCockroach {
      engine = .cockroach
    } else if text.contains("-YB-") {
      engine = .yugabyte
    } else if extensions.contains("citus") {
      engine = .citus
    } else {
      engine = .postgresql
    }
    let words = text.split(separator: " ")
    let number = words.firstIndex(of: "PostgreSQL").map { words[words.index(after: $0)...].first ?? "" } ?? ""
    // CockroachDB counts its own versions, and is compatible with PostgreSQL 14.
    version = isCockroach ? 14 : Int(number.prefix { $0.isNumber }) ?? 14
    name = String(text.prefix { $0 != "," }).split(separator: " ").prefix(isCockroach ? 3 : 2).joined(
      separator: " ")
  }

  /// Whether the state of all data is known by a number (`pg_current_snapshot`).
  public var hasSnapshotNumbers: Bool { engine == .postgresql }
}
