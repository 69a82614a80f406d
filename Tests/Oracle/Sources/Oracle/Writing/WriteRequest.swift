import OracleValues

/// A request that writes to the records of one table.
struct WriteRequest: Sendable {
  enum Change: Sendable {
    case create([String: Value])
    /// POST that changes the record of the same key where there is one.
    case upsert([String: Value])
    case update([Value], [String: Value])
    case delete([Value])
    case updateMany(Expr, [String: Value])
    case deleteMany(Expr)
  }

  var table: String
  var change: Change

  var method: String {
    switch change {
    case .create, .upsert: "POST"
    case .update, .updateMany: "PATCH"
    case .delete, .deleteMany: "DELETE"
    }
  }

  func target(in schema: DatabaseSchema) -> String {
    var request = Request(table: table)
    switch change {
    case .create, .upsert: break
    case .update(let key, _), .delete(let key):
      let columns = schema.table(table)?.primaryKey ?? []
      request.path = [.record(zip(columns, key).map { ($0, $1) }, isNamed: false)]
    case .updateMany(let filter, _), .deleteMany(let filter): request.root.filters = [filter]
    }
    return request.target(in: schema)
  }

  var values: [String: Value]? {
    switch change {
    case .create(let values), .upsert(let values), .update(_, let values), .updateMany(_, let values): values
    case .delete, .deleteMany: nil
    }
  }

  /// The content; nil without one.
  func content(in schema: DatabaseSchema) -> String? {
    guard let values, let table = schema.table(table) else { return nil }
    let members = table.columns.compactMap { column in
      values[column.name].map {
        JSON.Member(name: column.name, value: JSON($0, isBoolean: column.kind == .boolean))
      }
    }
    return "\(JSON.object(members))"
  }

  var prefersMerge: Bool { if case .upsert = change { true } else { false } }
}

/// What a request that writes must come to.
enum WriteVerdict: Sendable {
  /// The status, the database afterwards, and what is answered; nil where nothing is.
  case done(Int, DatabaseSchema, JSON?)
  /// One of these statuses, and the database as it was.
  case refused(Set<Int>)
  /// Which one it is isn't specified.
  case open
}
