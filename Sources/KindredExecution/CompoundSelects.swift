import KindredAssociations
import KindredSQLite
import KindredSQLSyntax

/// The views and common table expressions that may consist of several SELECTs (`UNION ALL` and the like), directly
/// or through what they read.
///
/// The words of the definitions decide. A word with another meaning only makes a table count as compound that is
/// not.
struct CompoundSelects {
  private var names: Set<String> = []

  /// Finds the compound ones among the views of a database and the given definitions.
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
