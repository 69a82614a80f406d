/// A column that the model file defines by an expression over the record.
///
/// The resolver replaces its name by the meaning of the expression, wherever the name of a column may stand. The
/// expression is the model's: hidden columns exist for it, the nodes of a request don't, and it reads only the records
/// that the client may read.
public struct ComputedColumn: Sendable {
  /// The column as clients see it.
  public var column: Column
  /// The value.
  public var expression: Expression

  /// Creates a column whose type isn't known yet.
  public init(name: String, expression: Expression) {
    self.expression = expression
    column = Column(name: name, isGenerated: true)
    column.origin = .expression
  }
}

extension NameDictionary<ComputedColumn> {
  /// Returns a column after those of the same record that its expression reads, directly or through others; those of a
  /// circle are in any order.
  package func ordered(to last: ComputedColumn) -> [ComputedColumn] {
    var ordered: [ComputedColumn] = []
    var found: NameSet = [last.column.name]
    /// The columns that are being followed, each with the columns that it reads and that haven't been followed yet.
    var path = [(column: last, rest: last.expression.names[...])]
    while let (column, rest) = path.last {
      guard let name = rest.first else {
        ordered.append(column)
        path.removeLast()
        continue
      }
      path[path.count - 1].rest = rest.dropFirst()
      if let read = self[name], found.insert(name) { path.append((read, read.expression.names[...])) }
    }
    return ordered
  }
}

extension Expression {
  /// The names that stand by themselves, outside of paths.
  fileprivate var names: [String] {
    if case .path(let path) = kind, path.parents == 0, path.components.count == 1 {
      return [path.components[0].name]
    }
    return parts.flatMap(\.names)
  }
}

extension Resource {
  /// The columns that clients may name: those of the table, and then the computed ones.
  public var columns: [Column] {
    storedColumns + computed.values.map(\.column).filter { !hidden.contains($0.name) }
  }

  /// The columns of the table that clients may name.
  public var storedColumns: [Column] { table.columns.filter { !hidden.contains($0.name) } }

  /// The columns that `*` stands for: those of the table, and the computed ones of the default selection.
  public var allColumns: [Column] {
    let named = (fields ?? []).compactMap { computed[$0]?.column }
    return storedColumns + named.filter { !hidden.contains($0.name) }
  }

  /// The columns of a record for which a request names none.
  public var defaultColumns: [Column] {
    fields.map { $0.compactMap { column(named: $0) } } ?? storedColumns
  }

  /// Returns the column with this name, unless it is hidden from the author.
  package func column(named name: String, for author: ExpressionAuthor) -> Column? {
    guard let column = column(withName: name), author != .request || !hidden.contains(column.name) else {
      return nil
    }
    return column
  }

  /// Returns the column with this name, unless it is hidden.
  public func column(named name: String) -> Column? { column(named: name, for: .request) }

  /// Returns the column of the table, or else the computed one, that has this name, also if it is hidden.
  public func column(withName name: String) -> Column? {
    if let column = table.column(named: name) ?? computed[name]?.column { return column }
    guard !table.isCaseSensitive else { return nil }
    return computed.values.first { $0.column.name.equalsIgnoringCase(name) }?.column
  }
}
