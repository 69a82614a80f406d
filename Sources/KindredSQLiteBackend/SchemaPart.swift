import KindredModel
import KindredSQLite

/// A part of the schema that may call functions, or have a collation, that only its own program knows.
struct SchemaPart {
  /// What the part is, as messages name it: `the trigger note_sort`.
  let description: String
  /// The table that it belongs to, in lower case.
  let table: String
  /// The changes of the table for which it matters.
  let changes: Table.Changes
  /// Its definition.
  fileprivate let tokens: ArraySlice<SQLTokens.Token>

  init(
    _ description: String, of table: String, for changes: Table.Changes = .all,
    _ tokens: ArraySlice<SQLTokens.Token> = []
  ) {
    self.description = description
    self.table = table.foldingASCIICase
    self.changes = changes
    self.tokens = tokens
  }

  /// Returns whether the definition names something.
  func names(_ missing: MissingPart) -> Bool {
    switch missing {
    case .function(let name):
      zip(tokens, tokens.dropFirst()).contains { word, next in
        next == .symbol("(") && word.name?.equalsIgnoringCase(name) ?? false
      }
    case .collation(let name), .module(let name):
      tokens.contains { $0.name?.equalsIgnoringCase(name) ?? false }
    }
  }

  /// Returns the sentence of a problem with it.
  func reason(_ missing: MissingPart) -> String {
    let verb =
      switch missing {
      case .function: "calls the function"
      case .collation: "has the collation"
      case .module: "uses the module"
      }
    return "\(description) \(verb) \(missing.name), which this server doesn't have"
  }
}

// MARK: - Reading

extension SchemaPart {
  /// Returns the parts of the definition of a table, an index or a trigger.
  static func all(_ type: String, _ name: String, of table: String, _ sql: String) -> [SchemaPart] {
    let tokens = SQLTokens.all(in: sql)[...]
    switch type {
    case "trigger":
      return [SchemaPart("the trigger \(name)", of: table, for: event(of: tokens), tokens)]
    case "index":
      return [SchemaPart("the index \(name)", of: table, tokens)]
    case "table":
      return checks(of: table, sql) + columns(of: table, sql)
    default: return []
    }
  }

  /// Returns the change that a trigger belongs to.
  private static func event(of tokens: ArraySlice<SQLTokens.Token>) -> Table.Changes {
    let kinds: [(keyword: String, change: Table.Changes)] = [
      ("insert", .insert), ("update", .update), ("delete", .delete),
    ]
    // The name may be one of these words.
    let rest = tokens.drop { !$0.isKeyword("trigger") }.dropFirst(2)
    let event = rest.lazy.compactMap { token in kinds.first { token.isKeyword($0.keyword) } }.first
    return event?.change ?? .all
  }

  /// Returns the `CHECK` constraints of a table and of its columns.
  private static func checks(of table: String, _ sql: String) -> [SchemaPart] {
    SQLTokens.checks(in: sql).map { check in
      SchemaPart(
        description(ofCheck: check.name, of: table), of: table, for: [.insert, .update],
        SQLTokens.all(in: check.expression)[...])
    }
  }

  /// Returns what messages call a `CHECK` constraint.
  static func description(ofCheck name: String?, of table: String) -> String {
    name.map { "the constraint \($0) of \(table)" } ?? "a CHECK of \(table)"
  }

  /// Returns the generated columns of a table.
  private static func columns(of table: String, _ sql: String) -> [SchemaPart] {
    SQLTokens.generations(in: sql).sorted { $0.key < $1.key }.map { column, expression in
      generated(column, of: table, SQLTokens.all(in: expression)[...])
    }
  }

  private static func generated(
    _ column: String, of table: String, _ tokens: ArraySlice<SQLTokens.Token>
  ) -> SchemaPart {
    SchemaPart("the generated column \(column) of \(table)", of: table, tokens)
  }
}
