/// Identifies an occurrence of a table in a `FROM` clause.
public struct RecordID: Hashable, Sendable {
  /// The alias in the statement.
  public let alias: String
  /// The nesting depth of the `SELECT` with the `FROM` clause; 0 for the statement itself.
  public let depth: Int

  /// Creates the identifier of a table occurrence.
  public init(alias: String, depth: Int) {
    self.alias = alias
    self.depth = depth
  }
}

extension SQL {
  /// Whether it reads a column of a record for which `isMeant` returns true.
  public func reads(where isMeant: (RecordID) -> Bool) -> Bool {
    reads(columnWhere: { record, _ in isMeant(record) })
  }

  /// Returns whether it reads a column for which `isMeant` returns true.
  public func reads(columnWhere isMeant: (RecordID, String) -> Bool) -> Bool {
    parts.contains { part in
      switch part {
      case .column(let record, let name): isMeant(record, name)
      case .term(let expression): expression.reads(columnWhere: isMeant)
      case .text, .binding: false
      }
    }
  }

  /// Returns the name of the column, if the SQL is just a column of `record`.
  public func column(of record: RecordID) -> String? {
    guard parts.count == 1, case .column(record, let name) = parts[0] else { return nil }
    return name
  }

  /// Whether it is just a column or a term.
  public var isValue: Bool {
    guard parts.count == 1 else { return false }
    switch parts[0] {
    case .column, .term: return true
    case .text, .binding: return false
    }
  }

  /// Whether it contains a binding for which `isMeant` returns true.
  public func isBound(where isMeant: (Binding) -> Bool) -> Bool {
    parts.contains { part in
      switch part {
      case .binding(let binding, _, _): isMeant(binding)
      case .term(let expression): expression.isBound(where: isMeant)
      case .text, .column: false
      }
    }
  }

  /// Whether it says only that a column of a record has a value, or one of several: `column = $1`, `column IN ($1, $2)`.
  ///
  /// - Parameter isOfOne: Whether it must be a single value.
  public func isEquality(of record: RecordID, _ name: String, ofOne isOfOne: Bool = false) -> Bool {
    guard parts.count > 2, parts[0] == SQL.column(record, name).parts[0], case .text(let sign) = parts[1],
      (isOfOne ? [" = "] : [" = ", " IN ("]).contains(sign)
    else { return false }
    return parts.dropFirst(2).allSatisfy { part in
      switch part {
      case .binding: true
      case .text(let text): [", ", ")"].contains(text)
      case .column, .term: false
      }
    }
  }

  /// Returns the SQL with a column replaced by another.
  public func replacing(column: SQL, with other: SQL) -> SQL {
    mapping { part in
      if case .term(let expression) = part { return .term(expression.replacing(column: column, with: other)) }
      return [part] == column.parts ? other : nil
    }
  }

  /// Whether it contains the term `wanted`.
  public func contains(term wanted: SQL) -> Bool {
    parts.contains { part in
      guard case .term(let expression) = part else { return false }
      return .term(expression) == wanted || expression.contains(term: wanted)
    }
  }

  /// Returns the SQL with each occurrence of the term `wanted` replaced by `other`.
  public func replacing(term wanted: SQL, with other: SQL) -> SQL {
    mapping { part in
      guard case .term(let expression) = part else { return nil }
      return .term(expression) == wanted ? other : .term(expression.replacing(term: wanted, with: other))
    }
  }

  /// Returns the SQL with each of its outermost terms replaced, and each column outside them for which `isMeant` returns
  /// true.
  public func replacingValues(
    columnsWhere isMeant: (RecordID) -> Bool, with replacement: (SQL) -> SQL
  ) -> SQL {
    mapping { part in
      switch part {
      case .term(let expression): replacement(.term(expression))
      case .column(let record, let name): isMeant(record) ? replacement(.column(record, name)) : nil
      case .text, .binding: nil
      }
    }
  }

  /// Returns the SQL with its values replaced as by ``replacingValues(columnsWhere:with:)``, but within the terms for which
  /// `isOpen` returns true their own values.
  ///
  /// - Parameter replacement: Takes a value, and whether it stands within such a term.
  public func replacingValues(
    columnsWhere isMeant: (RecordID) -> Bool, inTermsWhere isOpen: (SQL) -> Bool,
    with replacement: (_ value: SQL, _ isInTerm: Bool) -> SQL
  ) -> SQL {
    mapping { part in
      switch part {
      case .term(let expression) where isOpen(expression):
        .term(expression.replacingValues(columnsWhere: isMeant) { replacement($0, true) })
      case .term(let expression): replacement(.term(expression), false)
      case .column(let record, let name):
        isMeant(record) ? replacement(.column(record, name), false) : nil
      case .text, .binding: nil
      }
    }
  }

  /// Returns the SQL with some of its bindings replaced.
  ///
  /// - Parameter replacement: takes a binding and the name of its type, where known; returns nil to keep the binding.
  public func replacingBindings(_ replacement: (Binding, String?) throws -> SQL?) rethrows -> SQL {
    try mapping { part in
      switch part {
      case .binding(let binding, let type, _): try replacement(binding, type)
      case .term(let expression): .term(try expression.replacingBindings(replacement))
      case .text, .column: nil
      }
    }
  }

  /// Returns the SQL with the parts replaced for which `replacement` returns other SQL; it keeps the notes of all.
  private func mapping(_ replacement: (Part) throws -> SQL?) rethrows -> SQL {
    var sql = SQL()
    sql.notes = notes
    for part in parts {
      if let other = try replacement(part) {
        sql.append(other)
      } else {
        sql.append(part)
      }
    }
    return sql
  }
}
