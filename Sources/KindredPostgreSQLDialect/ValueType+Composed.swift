import KindredPlanning
import KindredSQLSyntax

extension ValueType {
  /// Returns a parameter of an array or a composite: JSON, as responses have it, or PostgreSQL's own text.
  func composed(of binding: SQL.Binding) -> SQL {
    let text = SQL.bound(to: binding, as: "text")
    // The text of an array begins with a bracket only if its bounds precede it: `[0:1]={a,b}`.
    let pattern: SQL = name.hasSuffix("[]") ? "'^\\s*\\[(?!\\s*-?\\d+:)'" : "'^\\s*\\{\\s*[\"}]'"
    return
      "CASE WHEN \(text) ~ \(pattern) THEN \(SQL.made(of: "\(text)::json", as: sql)) ELSE \(text)::\(sql) END"
  }
}

extension SQL {
  /// Makes a value of JSON, including arrays and composites at any depth.
  static func made(of json: SQL, as type: SQL) -> SQL {
    "(SELECT written.value FROM json_to_record(json_build_object('value', \(json))) AS written(value \(type)))"
  }

  /// Creates the literal of a name as a text, whatever the session's settings are.
  package init(textOf name: String) {
    let text = name.replacing("\\", with: "\\\\").replacing("'", with: "''")
    self.init(trusted: "E'\(text)'")
  }
}
