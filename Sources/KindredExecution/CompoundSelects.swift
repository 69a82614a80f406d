import KindredAssociations
import KindredSQLite
import KindredSQLSyntax

/// Which views and common table expressions may have rows of several SELECTs (`UNION ALL` and the like), directly or by
/// what they read.
///
/// It is told by the words of their definitions: where one of them has another meaning, a table passes for compound
/// that is not.
struct CompoundSelects {
  private var names: Set<String> = []

  /// Those among the views of a database and these definitions.
  init(_ connection: Connection, database: String = "main", _ definitions: [(name: String, sql: String)] = [])
    throws
  {
    let views = try connection.rows(
      "SELECT name, sql FROM \(SQL.quoted(database)).sqlite_schema WHERE type = 'view'"
    ) { (name: $0.text(0) ?? "", sql: $0.text(1) ?? "") }
    var others = (views + definitions).map { definition in
      (
        name: definition.name.foldingASCIICase,
        words: Set(SQLTokens.all(in: definition.sql).compactMap { $0.name?.foldingASCIICase })
      )
    }
    var words: Set = ["union", "intersect", "except"]
    while !words.isEmpty {
      let found = others.filter { !$0.words.isDisjoint(with: words) }.map(\.name)
      others.removeAll { found.contains($0.name) }
      words = Set(found)
      names.formUnion(found)
    }
  }

  func contains(_ name: String) -> Bool { names.contains(name.foldingASCIICase) }
}
