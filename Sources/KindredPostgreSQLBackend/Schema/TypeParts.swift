import KindredModel
import KindredPostgreSQL

/// The components of types, by their OIDs.
struct TypeParts {
  private var fields: [Int64: [(name: String, type: Int64)]] = [:]
  /// The base types of domains, and the types of the elements of arrays.
  private var inner: [Int64: Int64] = [:]

  /// - Parameter rows: The result of ``SchemaQueries/typeParts``.
  init(_ rows: QueryResult) {
    for row in 0..<rows.rowCount {
      guard let type = rows.integer(row, 0), let next = rows.integer(row, 2) else { continue }
      if let field = rows.text(row, 1) {
        fields[type, default: []].append((field, next))
      } else {
        inner[type] = next
      }
    }
  }

  /// Returns a type, the base of a domain or the type of an array's elements, if it is composite; else nil.
  func composite(_ type: Int64) -> CompositeType? {
    guard let fields = fields[type] else { return inner[type].flatMap { composite($0) } }
    return CompositeType(
      fields: Dictionary(
        fields.map { (ExactName($0.name), composite($0.type)) }, uniquingKeysWith: { first, _ in first }))
  }
}
