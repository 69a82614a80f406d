/// A record in a statement: an occurrence of a table in a `FROM` clause.
public struct RecordID: Hashable, Sendable {
  /// Its name in the statement.
  public let alias: String
  /// How many `SELECT`s the one with the `FROM` clause is in: 0 for the statement itself.
  public let depth: Int

  /// The record of this name.
  public init(alias: String, depth: Int) {
    self.alias = alias
    self.depth = depth
  }
}

/// What an expression reads.
extension SQL {
  /// Whether it reads a column of a record for which `isMeant` holds.
  public func reads(where isMeant: (RecordID) -> Bool) -> Bool {
    parts.contains { part in
      switch part {
      case .column(let record, _): isMeant(record)
      case .term(let expression): expression.reads(where: isMeant)
      case .text, .binding: false
      }
    }
  }

  /// The name of the column of `record` that it is, where it is nothing else.
  public func column(of record: RecordID) -> String? {
    guard parts.count == 1, case .column(record, let name) = parts[0] else { return nil }
    return name
  }

  /// Whether a part of it is bound to something for which `isMeant` holds.
  public func isBound(where isMeant: (Binding) -> Bool) -> Bool {
    parts.contains { part in
      switch part {
      case .binding(let binding, _): isMeant(binding)
      case .term(let expression): expression.isBound(where: isMeant)
      case .text, .column: false
      }
    }
  }

  /// Whether the term `wanted` is a part of it.
  public func contains(term wanted: SQL) -> Bool {
    parts.contains { part in
      guard case .term(let expression) = part else { return false }
      return .term(expression) == wanted || expression.contains(term: wanted)
    }
  }

  /// The same with `other` in place of each occurrence of the term `wanted`.
  public func replacing(term wanted: SQL, with other: SQL) -> SQL {
    mapping { part in
      guard case .term(let expression) = part else { return nil }
      return .term(expression) == wanted ? other : .term(expression.replacing(term: wanted, with: other))
    }
  }

  /// The same with other SQL in the places of some of the bindings: those for which `replacement` gives it.
  ///
  /// - Parameter replacement: of a binding and the name of its type, where that is known.
  public func replacingBindings(_ replacement: (Binding, String?) throws -> SQL?) rethrows -> SQL {
    try mapping { part in
      switch part {
      case .binding(let binding, let type): try replacement(binding, type)
      case .term(let expression): .term(try expression.replacingBindings(replacement))
      case .text, .column: nil
      }
    }
  }

  /// The same with other SQL in the places of some of the parts.
  private func mapping(_ replacement: (Part) throws -> SQL?) rethrows -> SQL {
    var sql = SQL()
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
