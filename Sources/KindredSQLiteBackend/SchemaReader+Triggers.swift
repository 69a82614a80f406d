import KindredModel
import KindredSQLite

extension SchemaReader {
  /// A trigger of a table or a view.
  struct Trigger {
    /// The name of the table.
    let table: String
    let tokens: [SQLTokens.Token]

    /// The names of the tables to which its statements write, as written.
    fileprivate var written: [String] {
      guard let start = tokens.firstIndex(where: { $0.isKeyword("begin") }) else { return [] }
      return tokens.indices[start...].compactMap { place in
        var next = place + 1
        if tokens[place].isKeyword("update") {
          // `UPDATE OR REPLACE name`
          if next < tokens.count, tokens[next].isKeyword("or") { next += 2 }
        } else if !tokens[place].isKeyword("into") {
          return nil
        }
        return next < tokens.count ? tokens[next].name : nil
      }
    }
  }

  /// Returns the triggers of the main database.
  func triggers() throws -> [Trigger] {
    try connection.rows("SELECT tbl_name, sql FROM main.sqlite_schema WHERE type = 'trigger'") {
      Trigger(table: $0.text(0) ?? "", tokens: SQLTokens.all(in: $0.text(1) ?? ""))
    }
  }

  /// Returns the changes to views that `INSTEAD OF` triggers implement, by the folded names of the views.
  func insteadOf(_ triggers: [Trigger]) -> [String: Table.Changes] {
    triggers.reduce(into: [:]) { changes, trigger in
      let tokens = trigger.tokens
      // A trigger may itself be called `instead`, so the two words are searched together.
      guard
        let place = tokens.indices.first(where: {
          tokens[$0].isKeyword("instead") && $0 + 2 < tokens.count && tokens[$0 + 1].isKeyword("of")
        })
      else { return }
      let kinds: [(keyword: String, change: Table.Changes)] = [
        ("insert", .insert), ("update", .update), ("delete", .delete),
      ]
      for kind in kinds where tokens[place + 2].isKeyword(kind.keyword) {
        changes[trigger.table.foldingASCIICase, default: []].insert(kind.change)
      }
    }
  }

  /// Returns the names of the tables whose triggers write to another one, by its folded name.
  func writers(_ triggers: [Trigger]) -> [String: NameSet] {
    triggers.reduce(into: [:]) { writers, trigger in
      for name in trigger.written { writers[name.foldingASCIICase, default: []].insert(trigger.table) }
    }
  }
}
