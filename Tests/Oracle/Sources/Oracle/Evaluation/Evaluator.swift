import OracleValues

/// A literal implementation of docs/requests.md by loops over arrays of rows, without regard to speed.
///
/// It is independent of the engine, its plans and its SQL.
struct Evaluator {
  let schema: DatabaseSchema
  let constants: ConstantEvaluator
  /// Whether values stand for all equal values, as the results of a distinct node are compared.
  var comparesValues = false
  private let conditions = Depth()

  /// How many conditions are being evaluated, each for the next one.
  private final class Depth {
    var count = 0
  }

  /// - Throws: `Invalid` where conditions ask for each other without end.
  func nested<Value>(_ body: () throws -> Value) throws -> Value {
    guard conditions.count < 40 else { throw Invalid("a condition that asks for itself") }
    conditions.count += 1
    defer { conditions.count -= 1 }
    return try body()
  }

  /// The result of a request.
  enum Result: Sendable {
    case notFound
    /// The request means nothing, whatever the data.
    case refused
    case single(JSON)
    /// All records regardless of the page size, and their number without limit and offset.
    case many([JSON], count: Int)
  }

  func result(of request: Request) throws -> Result {
    try check(request)
    if refuses(request) { return .refused }
    guard var table = schema.table(request.table) else { throw Invalid("no table \(request.table)") }
    // The records that the path leads to, and whether there may be more than one.
    var records = table.rows.enumerated().map { Record(table: table, row: $1, place: $0) }
    var isSingle = false
    for (number, segment) in request.path.enumerated() {
      switch segment {
      case .record(let columns, _):
        records = try records.filter { record in
          try columns.allSatisfy { Value.isEqualKey(try record.value(of: $0.column), $0.value) }
        }
        isSingle = true
      case .association(let key):
        guard let association = table.association(key), let origin = records.first, isSingle else {
          return .notFound
        }
        let destination = schema.table(association.destination) ?? table
        let node = number == request.path.count - 1 ? request.root : nil
        records = try destinations(of: association, from: origin, node: node)
        (table, isSingle) = (destination, !association.isToMany)
      }
    }
    var seen: [Record] = []
    for record in records {
      // Above the root there is nothing to speak of.
      let root = Record(
        table: record.table, row: record.row, place: record.place, node: request.root, via: record.via)
      if try meetsConditions(root) { seen.append(root) }
    }
    let association = try last(of: request)
    if isSingle {
      guard let record = seen.first else { return .notFound }
      return .single(try shown(record))
    }
    let all = try results(of: seen, node: request.root, association: association, pages: false)
    return .many(page(all, of: request.root), count: all.count)
  }

  private func last(of request: Request) throws -> AssociationSchema? {
    var (table, last) = (schema.table(request.table), nil as AssociationSchema?)
    for segment in request.path {
      guard case .association(let key) = segment else { continue }
      last = table?.association(key)
      table = last.flatMap { schema.table($0.destination) }
    }
    if case .record = request.path.last { return nil }
    return last
  }

  /// Returns the result of a to-one node, or of a root that is a single record.
  func shown(_ record: Record) throws -> JSON {
    if let values = record.node?.values { return try json(values, of: record) }
    return try object(of: record, ancestors: [])
  }
}
