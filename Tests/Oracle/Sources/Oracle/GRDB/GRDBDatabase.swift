import GRDB
import OracleValues

/// Runs requests with GRDB.
final class GRDBDatabase {
  private let queue: DatabaseQueue
  private let schema: DatabaseSchema

  init(_ schema: DatabaseSchema) throws {
    self.schema = schema
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    queue = try DatabaseQueue(configuration: configuration)
    try queue.write { try $0.execute(sql: schema.sql()) }
  }

  /// - Throws: `Unsupported` for a request that GRDB can't express.
  func result(of request: Request) throws -> [JSON] {
    guard !schema.isOdd else { throw Unsupported("views, affinities, collations") }
    guard let table = schema.table(request.table) else { throw Invalid("no table") }
    let translated = try GRDBTranslator(schema: schema).request(request)
    return try queue.read { database in
      try translated.fetchAll(database).map { try object($0, request.root, table) }
    }
  }

  private func object(_ row: Row, _ node: Node, _ table: TableSchema) throws -> JSON {
    let columns = (table.defaultFields ?? table.columns.map(\.name)).compactMap { table.column($0) }
    var members = columns.map { column in
      JSON.Member(name: column.name, value: JSON(Value(row[column.name]), isBoolean: column.kind == .boolean))
    }
    for annotation in node.annotations {
      let isBoolean = annotation.expression.isBoolean(in: table)
      members.append(
        JSON.Member(name: annotation.name, value: JSON(Value(row[annotation.name]), isBoolean: isBoolean)))
    }
    for child in node.children where child.isIncluded {
      guard let association = table.association(child.association),
        let destination = schema.table(association.destination)
      else { throw Invalid("no association") }
      let value =
        association.isToMany
        ? try list(row.prefetchedRows[child.key] ?? [], child, destination)
        : try record(scope(of: child, in: row, association), child, destination)
      members.append(JSON.Member(name: child.key, value: value))
    }
    return .object(members)
  }

  /// For an association through others, the record is in the scope of the pivot.
  private func scope(of child: Node, in row: Row, _ association: AssociationSchema) -> Row? {
    let base = association.steps.count > 1 ? row.scopes["\(child.key) pivot"] : row
    return base?.scopes[child.key]
  }

  private func record(_ row: Row?, _ node: Node, _ table: TableSchema) throws -> JSON {
    guard let row, table.key.allSatisfy({ !row.hasNull(atColumn: $0) }) else { return .null }
    return try object(row, node, table)
  }

  private func list(_ rows: [Row], _ node: Node, _ table: TableSchema) throws -> JSON {
    // GRDB returns a record once for each way that leads to it.
    let keys = rows.map { row in table.key.map { Value(row[$0]) } }
    var seen: Set<[Value]> = []
    let once = zip(rows, keys).filter { seen.insert($0.1).inserted }.map(\.0)
    return .array(try once.map { try object($0, node, table) })
  }
}

extension Row {
  fileprivate func hasNull(atColumn name: String) -> Bool { (self[name] as DatabaseValue).isNull }
}

extension Expr {
  /// Returns whether a value is written as `true` or `false`.
  fileprivate func isBoolean(in table: TableSchema) -> Bool {
    switch self {
    case .path(let path):
      switch path.leaf {
      case .column(let name): table.column(name)?.kind == .boolean
      case .aggregate(let aggregate), .defaultName(_, let aggregate): aggregate.function == "isEmpty"
      case .via, .named: false
      }
    default: type(in: table) == .boolean && !isNumber
    }
  }

  /// A boolean column through a function is a number.
  private var isNumber: Bool {
    switch self {
    case .call, .cast, .collate: true
    default: false
    }
  }
}
