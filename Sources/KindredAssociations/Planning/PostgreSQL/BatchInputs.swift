import KindredSQLSyntax

/// The inputs of a batch: an array for each column that it reads from the parents, and the number of each parent.
struct BatchInputs {
  static let table: SQL = "\(identifier: "kindred:above")"
  static let number = SQL.term("\(table).\(identifier: "kindred:n")")

  private(set) var columns: [SQL.Binding] = []
  private var types: [String] = []

  /// A placeholder for the source until all columns are known.
  static let place = SQL.term("unnest")

  private static func name(_ number: Int) -> SQL { "\(identifier: "kindred:\(number)")" }

  /// Returns an expression that reads the parents from the inputs.
  mutating func localized(_ sql: SQL) -> SQL {
    sql.replacingBindings { binding, type in
      guard case .ancestor = binding else { return nil }
      let type = type ?? "text"
      // `unnest` would flatten an array of arrays completely.
      let isArray = type.hasSuffix("[]")
      let number =
        columns.firstIndex(of: binding)
        ?? {
          columns.append(binding)
          types.append(isArray ? "text" : type)
          return columns.count - 1
        }()
      let value: SQL = "\(Self.table).\(Self.name(number))"
      return isArray ? "(\(value)::\(SQL(trusted: type)))" : value
    }
  }

  /// The parents in a `FROM` clause: `unnest(…) WITH ORDINALITY AS above(…)`.
  var source: SQL {
    let arrays = types.enumerated().map { SQL.bound(to: .batch($0), as: "\($1)[]") }
    let names = columns.indices.map(Self.name) + ["\(identifier: "kindred:n")"]
    return
      "unnest(\(arrays.joined(separator: ", "))) WITH ORDINALITY AS \(Self.table)(\(names.joined(separator: ", ")))"
  }
}
