import KindredModel
import KindredSQLSyntax

extension Table {
  /// Returns a `SELECT` whose only row is the record as it would be stored, or without rows if that isn't known: then no
  /// rule holds for the record.
  ///
  ///     SELECT companyId, name, CAST((lower(name)) AS TEXT) AS lowerName
  ///     FROM (SELECT CAST(?1 AS NUMERIC) AS companyId, …) AS project
  ///
  /// - Parameter isStored: Whether given values are converted as by storing them; else they have no affinity, and the
  ///   row is never missing.
  func row(of draft: DraftShape, in dialect: any SQLDialect, isStored: Bool = true) -> SQL {
    var conditions: [SQL] = []
    func value(_ value: StoredValue, of column: Column) -> SQL {
      if case .parameter(let binding, _) = value, !isStored { return "\(binding)" }
      if isStored, let condition = dialect.isExact(value, in: column) { conditions.append(condition) }
      return dialect.stored(value, in: column, of: self)
    }
    func select(_ values: [SQL], from source: SQL) -> SQL {
      let shown = zip(values, columns).map { "\($0) AS \(identifier: $1.name)" as SQL }
      let filter: SQL = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
      return "SELECT \(shown.joined(separator: ", "))\(source)\(filter)"
    }
    let values = columns.map { column -> SQL in
      let name = ExactName(column.name)
      if let number = draft.columns.firstIndex(of: name) {
        return value(.parameter(.parameter(number), isText: draft.texts.contains(name)), of: column)
      }
      if column.generation != nil { return value(.null, of: column) }
      guard draft.locators.isEmpty || draft.reset.contains(name) else {
        return "\(identifier: column.name)"
      }
      return value(column.defaultValue.map { .defaultValue($0) } ?? .null, of: column)
    }
    conditions += draft.locators.enumerated().map { number, name in
      let type = column(named: name.text).flatMap { dialect.type(of: $0) }
      let value = dialect.parameter(.parameter(draft.columns.count + number), as: type)
      return "\(keyColumn(name.text)) = \(value)"
    }
    var row = select(values, from: draft.locators.isEmpty ? "" : " FROM \(reference)")
    // The expressions of a view's columns are those of its table, whose columns may have other names: they stay NULL.
    guard kind != .view else { return row }
    for layer in generatedColumns {
      conditions = []
      let values = columns.map { column -> SQL in
        guard let expression = column.generation, layer.containsExactly(column.name) else {
          return "\(identifier: column.name)"
        }
        return value(.generated(expression), of: column)
      }
      row = select(values, from: " FROM (\(row)) AS \(identifier: name)")
    }
    return row
  }

  /// Returns a `SELECT` whose only row has the values of the first parameters in these columns, and NULL in all others.
  ///
  ///     SELECT CAST(?1 AS TEXT) AS name, …
  func row(ofParametersFor names: [String], in dialect: any SQLDialect) -> SQL {
    let values = columns.map { column -> SQL in
      let number = names.firstIndex { $0.hasBytes(of: column.name) }
      let value = number.map { StoredValue.returned(.parameter($0)) } ?? .null
      return "\(dialect.stored(value, in: column, of: self)) AS \(identifier: column.name)"
    }
    return "SELECT \(values.joined(separator: ", "))"
  }

  /// The names of the generated columns, each after the columns that its expression may read.
  ///
  /// Any text of a name counts: it is harmless to compute a column later than necessary.
  private var generatedColumns: [[String]] {
    var layers: [[String]] = []
    var rest = columns.compactMap { column in
      column.generation.map { (name: column.name, text: $0.rendered().text.foldingASCIICase) }
    }
    while !rest.isEmpty {
      let free = rest.filter { one in
        !rest.contains { other in
          // A name that is quoted has its quotes twice.
          other.name != one.name
            && (other.name.contains { "\"`]".contains($0) } || one.text.contains(other.name.foldingASCIICase))
        }
      }
      // Names may be parts of others. With as many layers as columns, each comes after the columns that it reads.
      guard !free.isEmpty else {
        return layers + Array(repeating: rest.map(\.name), count: rest.count)
      }
      layers.append(free.map(\.name))
      rest.removeAll { one in free.contains { $0.name == one.name } }
    }
    return layers
  }
}
