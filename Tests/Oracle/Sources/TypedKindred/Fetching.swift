import OracleValues
import TypedRequests

#if GRDB_SIDE
  import GRDB
#else
  import Kindred
  import KindredSQLSyntax
#endif

/// The library with a database in memory.
package final class TypedDatabase {
  private let queue: DatabaseQueue

  /// Creates a database that a script fills.
  package init(sql: String) throws {
    #if GRDB_SIDE
      queue = try DatabaseQueue()
    #else
      queue = DatabaseQueue()
    #endif
    try queue.write { db in try db.execute(sql: sql) }
  }

  /// Returns what the library fetches for a described request.
  package func fetched(_ request: RandomRequest) throws -> Fetched {
    guard let model = models[request.table] else { throw Unsupported("no table \(request.table)") }
    return try fetched(request, model)
  }

  private func fetched<Record: Model>(_ request: RandomRequest, _ type: Record.Type) throws -> Fetched {
    // The table is always defined, even if the description doesn't use it.
    var made = try Interpreter().refined(Record.all().with(Tally.table), by: request.chain)
    if let limit = request.limit { made = made.limit(limit.count, offset: limit.offset) }
    return try queue.read { db in
      let rows = try Row.fetchAll(db, made)
      let trees = rows.map { ResultTree($0).withoutEmptyScopes }
      return Fetched(
        rows: trees, descriptions: rows.map(\.shownWithoutStatement),
        decoded: try Shape.$current.withValue(Shape(of: trees)) {
          try Decoded.fetchAll(db, made).map(\.tree)
        },
        records: try Record.fetchAll(db, made).map { record in
          Dictionary(
            Mirror(reflecting: record).children.map {
              ($0.label ?? "", ($0.value as? Book.Kind)?.rawValue ?? "\($0.value)")
            },
            uniquingKeysWith: { first, _ in first })
        },
        count: try made.fetchCount(db))
    }
  }
}

extension ResultTree {
  init(_ row: Row) {
    self.init(
      // GRDB adds internal columns to collections.
      columns: row.filter { !$0.0.hasPrefix("grdb_") }.map { name, value in Column(name, Value(value)) },
      scopes: Dictionary(
        row.scopes.map { ($0.0, ResultTree($0.1)) }, uniquingKeysWith: { first, _ in first }),
      collections: Dictionary(
        row.prefetchedRows.keys.map { key in (key, (row.prefetchedRows[key] ?? []).map { ResultTree($0) }) },
        uniquingKeysWith: { first, _ in first }))
  }
}

extension Row {
  fileprivate var shownWithoutStatement: String {
    // GRDB separates columns by spaces only, and shows collections of scopes twice.
    debugDescription.split(separator: "\n")
      .filter { !$0.hasPrefix("  unadapted:") && !$0.contains("+ ") && !$0.hasSuffix(": []") }
      .joined(separator: "\n").replacing(", ", with: " ").replacing("▿ ", with: "")
  }
}

extension Value {
  init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let integer): self = .integer(integer)
    case .double(let real): self = .real(real)
    case .string(let text): self = .text(text)
    case .blob: self = .text("a blob")
    }
  }

  var expressible: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let integer): integer.databaseValue
    case .real(let real): real.databaseValue
    case .text(let text): text.databaseValue
    case .bytes: .null
    }
  }
}

/// A row, decoded by the keys of `Shape.current`.
private struct Decoded: Decodable, FetchableRecord {
  struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }

  var tree = ResultTree()

  init(from decoder: any Decoder) throws {
    let shape = Shape.current
    let container = try decoder.container(keyedBy: Key.self)
    tree.columns = try shape.columns.map { name, isText in
      ResultTree.Column(name, try container.value(forKey: Key(stringValue: name), isText: isText))
    }
    for (key, inner) in shape.scopes {
      tree.scopes[key] = try Shape.$current.withValue(inner) {
        try container.decodeIfPresent(Decoded.self, forKey: Key(stringValue: key))?.tree
      }
    }
    for (key, inner) in shape.collections {
      tree.collections[key] = try Shape.$current.withValue(inner) {
        try container.decode([Decoded].self, forKey: Key(stringValue: key)).map(\.tree)
      }
    }
  }
}

extension KeyedDecodingContainer {
  fileprivate func value(forKey key: Key, isText: Bool) throws -> Value {
    if try decodeNil(forKey: key) { return .null }
    return isText ? .text(try decode(String.self, forKey: key)) : .real(try decode(Double.self, forKey: key))
  }
}
