import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// Columns whose types a function casts to `json`, as `to_json` uses it
/// (<https://www.postgresql.org/docs/current/functions-json.html#FUNCTIONS-JSON-CREATION>).
///
/// The functions are called by name, since PostgreSQL ignores casts of domains. A record all of whose fields are NULL is
/// NULL to `IS NULL`, but not to `IS DISTINCT FROM NULL`.
extension DocumentFunctions {
  /// Returns the document of a column's value.
  fileprivate func document(of column: SQL) -> SQL {
    func document(_ value: SQL) -> SQL {
      "CASE WHEN \(value) IS DISTINCT FROM NULL THEN \(SQL(trusted: reading))(\(value)) END"
    }
    guard areOfElements else { return "(\(document(column)))" }
    let elements: SQL =
      "SELECT json_agg(\(document("(\(column))[place]")) ORDER BY place) FROM generate_subscripts(\(column), 1) AS place"
    return "(CASE WHEN \(column) IS NOT NULL THEN coalesce((\(elements)), '[]') END)"
  }

  /// Returns the value that a document makes; nil if values are written as texts.
  func value(of binding: SQL.Binding, in column: Column) -> SQL? {
    guard let writing = writing.map({ SQL(trusted: $0) }) else { return nil }
    let json = SQL.bound(to: binding, as: "json")
    func value(_ document: SQL) -> SQL {
      "CASE WHEN json_typeof(\(document)) <> 'null' THEN \(writing)(\(document)) END"
    }
    guard areOfElements else { return "(\(value(json)))" }
    let elements: SQL =
      "SELECT \(value("part.value")) FROM json_array_elements(\(json)) WITH ORDINALITY AS part(value, place) ORDER BY part.place"
    return
      "(CASE WHEN json_typeof(\(json)) <> 'null' THEN ARRAY(\(elements))::\(SQL(trusted: column.declaredType)) END)"
  }
}

extension PostgreSQLDialect {
  func document(of column: SQL, _ definition: Column) -> SQL? { definition.document?.document(of: column) }

  func compared(_ column: SQL, of definition: Column) -> SQL {
    definition.comparedType.map { "CAST(\(column) AS \(SQL(trusted: $0)))" } ?? column
  }
}

extension CompiledExpression {
  /// The document that is shown in its place; nil if the value itself is shown.
  var asDocument: CompiledExpression? {
    shownDocument.map { document in
      var json = self
      (json.sql, json.precedence, json.format, json.shownDocument) = (document, .primary, .json, nil)
      return json
    }
  }
}
