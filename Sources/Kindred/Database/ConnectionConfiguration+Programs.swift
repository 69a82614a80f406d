import Foundation
import KindredSQLite

extension ConnectionConfiguration {
  /// The configuration of connections that this library opens: SQLite's own limits, and the collations of
  /// Foundation.
  static let ofPrograms: ConnectionConfiguration = {
    var configuration = ConnectionConfiguration.unlimited
    configuration.collations = [
      Collation(.unicodeCompare) { $0.compare($1) },
      Collation(.caseInsensitiveCompare) { $0.caseInsensitiveCompare($1) },
      Collation(.localizedCompare) { $0.localizedCompare($1) },
      Collation(.localizedCaseInsensitiveCompare) { $0.localizedCaseInsensitiveCompare($1) },
      Collation(.localizedStandardCompare) { $0.localizedStandardCompare($1) },
    ]
    return configuration
  }()
}

extension Collation {
  fileprivate convenience init(
    _ name: CollationName, _ compare: @escaping @Sendable (String, String) -> ComparisonResult
  ) {
    self.init(name.rawValue) { Int32(compare($0, $1).rawValue) }
  }
}
