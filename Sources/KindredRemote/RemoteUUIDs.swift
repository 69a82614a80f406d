import Foundation
import Kindred
import KindredModel
import KindredSQLSyntax

extension KindredModel.Column {
  /// Whether its values are those of PostgreSQL's `uuid`; a column of SQLite has bytes, whatever its declared type.
  var isOfUUIDs: Bool { declaredType == "uuid" && affinity == .text }
}

extension SQLValue {
  /// The value as PostgreSQL writes a UUID, if it is the bytes of one.
  var withUUIDAsText: SQLValue {
    guard case .blob = self, let uuid = UUID.fromDatabaseValue(DatabaseValue(self)) else { return self }
    return .text(uuid.uuidString.lowercased())
  }
}
